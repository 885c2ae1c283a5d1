/*
 * store_postgres - the store in a database of PostgreSQL, which several nodes share.  Its tables are in the schema
 * "carrel"; the audit is not there (store_audit.h): each node keeps its own.
 */
#pragma once

#include "workers/auth/store/store.h"

/*
 * Connect, and create the tables or bring them up to date.  url is wiped.  local, which is borrowed, is the node's own
 * store: a transaction here is one there too, so that a change and its audit entry belong together.  node: this node's
 * name, which no other has.  NULL with *err.
 *
 * The server is verified by TLS, unless all hosts are local; with several hosts the one that can be written is taken.
 * A store whose connection was lost stays so: each function fails, and says why.
 */
struct store *store_postgres_open(char *url, const char *node, struct store *local, struct err *err);
