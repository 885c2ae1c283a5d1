/*
 * postgres_profile - statistics of one column from a sample of a PostgreSQL table.  Values are compared as text, which
 * every type has: some types have no equality (json, xml, point).
 */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

int pg_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err);

/* "schema"."table"; schema may be NULL. */
void pg_put_table(const char *schema, const char *table, struct buf *out);

/* The same for reading the first rows, in an order that reveals no protected value (postgres_columns.h). */
void pg_put_scanned(const struct sql_db *db, const char *schema, const char *table, struct buf *out);

/*
 * Runs one of our own statements over the owner's data and reads its whole result, which the caller
 * clears in every case.
 */
int pg_sample(struct sql_db *db, struct call *c, const struct pg_round_trip *trip, PGresult **res, struct err *err);
