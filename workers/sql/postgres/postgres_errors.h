/* postgres_errors - maps the server's SQLSTATEs to our error codes, each with the next step for the caller. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

/* Translates a refusal of the server.  st is NULL for one of our own statements. */
int pg_explain(struct sql_db *db, struct call *c, const PGresult *res, const struct pg_statement *st, struct err *err);
