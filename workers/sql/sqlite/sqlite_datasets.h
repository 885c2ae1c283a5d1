/*
 * sqlite_datasets - statements that may only read datasets.
 *
 * A dataset is a temporary view with the dataset's name, made for one statement.  Before the statement is compiled on
 * the file, it is compiled in a database in memory that contains only views of these names.  So SQLite itself resolves
 * every name, however it is spelled, in the very text that runs afterwards; a name that is neither a dataset nor a
 * WITH query of the statement does not exist there.  On the file, the authorizer also refuses every column that is not
 * read through a view or a WITH query.
 */
#pragma once

#include <sqlite3.h>

#include "workers/sql/driver.h"

struct sqlite_datasets;

/* Opens the database in memory, db->names.  Call before the last step of the confinement. */
int sqlite_datasets_open(struct sql_db *db, struct err *err);
void sqlite_datasets_close(struct sql_db *db);

/* Makes the views; call after sqlite_apply_policy().  -1 with *err.  Call sqlite_datasets_end() in every case. */
int sqlite_datasets_begin(struct sqlite_datasets **out, struct sql_db *db, const struct sql_published *p,
    struct err *err);

/* Drops the temporary views of the datasets.  Accepts NULL. */
void sqlite_datasets_end(struct sqlite_datasets *d, struct sql_db *db);

/*
 * Checks the names: -1 with *err for a statement that reads anything else.  *sql: the text to compile afterwards;
 * *text: its owner if it is a changed text.
 */
int sqlite_datasets_check(struct sqlite_datasets *d, struct sql_db *db, struct call *c, struct span *sql, char **text,
    struct err *err);
