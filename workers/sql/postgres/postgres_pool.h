/* postgres_pool - the pool's connections on the server, including abandoned ones that the server has not ended. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

#define PG_POOL_NAME	64	/* the server's limit, with the NUL */

/* The application_name of the pool's connections; empty: none. */
void pg_pool_name(const struct sql_config *cfg, char out[PG_POOL_NAME]);

/*
 * Call on a fresh connection before anything else.  -1 if the pool already has
 * all of its connections, counting abandoned ones that the server has not
 * ended; *err names them.
 */
int pg_pool_enter(struct sql_db *db, struct err *err);

/* Call when the connection is abandoned although the server may still run its statement. */
void pg_pool_leave(struct sql_db *db);
