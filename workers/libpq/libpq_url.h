/* libpq_url - what a connection's URL says, and whether its password must be protected against a man in the middle. */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>

/*
 * The options of a URL or keyword string, to be freed by PQconninfoFree(); NULL: it cannot be read.  *why, unless NULL
 * afterwards, is libpq's sentence, which may quote the password; free it with PQfreemem().
 */
PQconninfoOption *libpq_url_read(const char *conninfo, char **why);

/* The value given for a keyword; NULL if none is given. */
const char *libpq_url_option(const PQconninfoOption *given, const char *keyword);

/* Whether all its hosts are sockets, loopback names or loopback addresses. */
bool libpq_url_is_local(const PQconninfoOption *given);

/*
 * Whether channel binding must be required: for a password that goes to
 * another machine, unless the URL says how to connect by sslmode or
 * channel_binding.
 */
bool libpq_url_binds_channel(const PQconninfoOption *given);
