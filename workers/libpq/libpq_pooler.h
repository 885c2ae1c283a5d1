/* libpq_pooler - whether a connection pooler is in between, and of which kind. */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/err.h"

/*
 * A pooler gives its clients process numbers of its own.  *pooled is set to true if there is one, or if the server does
 * not say in time.  -1 with *err if the pooler does not keep one session for each client.  another: connects again in
 * the same way; the connection is closed here.
 */
int libpq_pooler_know(PGconn *conn, PGconn *(*another)(void *arg), void *arg, bool *pooled, struct err *err);
