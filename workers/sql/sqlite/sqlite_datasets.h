/*
 * sqlite_datasets - statements over datasets and nothing else.
 *
 * A dataset is a temporary view of its own name, made for one statement.  Before the statement is compiled on the file
 * it is compiled where nothing exists but views of these names, in a database in memory.  So SQLite itself resolves
 * every name, whatever it is written like, in the very text that runs afterwards; what is no dataset and no query of
 * the statement's own is not there.  On the file, the authorizer refuses besides every column of a table that is not
 * read through a view or a query in WITH.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_DATASETS_H
#define WORKERS_SQL_SQLITE_SQLITE_DATASETS_H

#include <sqlite3.h>
#include <stdbool.h>

#include "workers/sql/driver.h"

struct sqlite_datasets;

/* The database in memory, db->names.  Call before the process is confined to its last. */
int sqlite_datasets_open(struct sql_db *db, struct err *err);
void sqlite_datasets_close(struct sql_db *db);

/* Makes the views; call behind sqlite_apply_policy().  -1 with *err.  End it in every case. */
int sqlite_datasets_begin(struct sqlite_datasets **out, struct sql_db *db, const struct sql_published *p,
    struct err *err);

/* Drops the temporary views of the datasets.  Accepts NULL. */
void sqlite_datasets_end(struct sqlite_datasets *d, struct sql_db *db);

/*
 * Looks for names: -1 with *err for a statement that reads anything else.  *sql is what has to be compiled then, and
 * *text its owner where it differs.
 */
int sqlite_datasets_check(struct sqlite_datasets *d, struct sql_db *db, struct call *c, struct span *sql, char **text,
    struct err *err);

#endif
