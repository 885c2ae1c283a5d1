/*
 * postgres_datasets - statements that may only read datasets.
 *
 * There are three walls, each sufficient alone.  First, the parsed tree names only datasets and WITH queries
 * (guard/datasets_pg.h).  Second, the datasets are WITH queries in front of the statement, so that their names are not
 * relations of the database, and only these definitions name a schema.  Third, without a column policy the
 * transaction's search path is only pg_catalog: any other name would not find the owner's tables, functions or
 * operators.
 */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

/*
 * For a checked statement, before the column policy: refuses it unless it names only datasets, and defines these in
 * front of it (db->from).  -1 with *err.
 */
int pg_datasets_define(struct sql_db *db, struct call *c, const struct sql_published *p, struct pg_statement *st,
    struct err *err);

/* Call after the statement was answered: removes its definitions. */
void pg_datasets_forget(struct sql_db *db);

/* The settings of the statement's transaction, for struct pg_round_trip. */
void pg_datasets_settings(const struct sql_db *db, const struct sql_published *p, char out[PG_SETTINGS]);

/* Explains a refusal that concerns the published table itself: true, and *err is set. */
bool pg_datasets_explain(const struct sql_db *db, const PGresult *res, const char *state, struct err *err);
