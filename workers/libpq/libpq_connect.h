/* libpq_connect - a connection to a server of PostgreSQL, with what no URL may change. */
#pragma once

#include <libpq-fe.h>

/*
 * Connect as given, and wait for it.  pinned: pairs of a keyword and its value, up to a NULL; they override what is
 * given, unless the value is empty.  Never NULL; the caller reads PQstatus() and frees it with PQfinish().
 */
PGconn *libpq_connect(const PQconninfoOption *given, const char *const (*pinned)[2]);
