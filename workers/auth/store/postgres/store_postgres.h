/*
 * store_postgres - the store in a database of PostgreSQL, which several nodes share.  Its tables are in the schema
 * "carrel"; each node keeps its own audit (store_audit.h), of which there are copies (store_copies.h).
 */
#pragma once

#include "workers/auth/store/store.h"

/*
 * Connect, and create the tables or bring them up to date.  url is wiped.  node: this node's name, which no other has.
 * What is read is good for lease_ms.  store_over() comes next.  NULL with *err.
 *
 * The server is verified by TLS, unless all hosts are local; with several hosts the one that can be written is taken.
 * A store whose connection was lost stays so: each function fails, and says why.
 */
struct store *store_postgres_open(char *url, const char *node, unsigned lease_ms, struct err *err);

/* A store whose server could not be reached: each function fails, and says why. */
struct store *store_postgres_lost(const char *node, const char *why);
