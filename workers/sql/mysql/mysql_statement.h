/*
 * mysql_statement - statements on the driver's session: waited for while the call's channels are served, their errors
 * told as callers are.  A session that cannot be used any more ends the process; the supervisor starts another.
 */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

/* The texts of a statement with parameters: see mysql_bound.h. */
struct mysql_prepared {
	const char	*set, *prepare;	/* set has a placeholder for each of the texts */
	size_t		 n;
	const char	*texts[PARAMETERS_MOST];
};

/* The same with values; sql executes what is prepared. */
int mysql_statement_run_bound(struct sql_db *db, struct call *c, const struct mysql_prepared *prepared, struct span sql,
    uint64_t deadline_ns, MYSQL_RES **result, struct err *err);

/* Sends a caller's statement.  *result is ended by mysql_statement_end(). */
int mysql_statement_run(struct sql_db *db, struct call *c, struct span sql, uint64_t deadline_ns, MYSQL_RES **result,
    struct err *err);

/* The next row: 1; 0 if none; -1. */
int mysql_statement_row(struct sql_db *db, struct call *c, MYSQL_RES *result, MYSQL_ROW *row, struct err *err);

/* Ends the statement if its rows were not all read, and frees the result.  Accepts NULL. */
void mysql_statement_end(struct sql_db *db, MYSQL_RES *result, bool whole);

/* -1: a list in the rows of the statement that was ended is cut; the server only warns of that. */
int mysql_statement_check_lists(struct sql_db *db, struct call *c, struct err *err);

/*
 * All rows of a statement of our own, until the call's deadline; the caller frees the result.  shape has a character
 * for each of its columns: ! is never NULL, . may be.  An answer of another shape fails.
 */
MYSQL_RES *mysql_statement_ask(struct sql_db *db, struct call *c, struct span sql, const char *shape, struct err *err);

/* The same, until deadline_ns. */
MYSQL_RES *mysql_statement_ask_until(struct sql_db *db, struct call *c, struct span sql, const char *shape,
    uint64_t deadline_ns, struct err *err);

/* The same of a text in which ${schemas} stands for the databases that are served, as a list of strings. */
MYSQL_RES *mysql_statement_ask_of_schemas(struct sql_db *db, struct call *c, const char *text, const char *shape,
    struct err *err);

/*
 * A database's or table's name as a text that information_schema has, compared by bytes: its own collation takes names
 * for the same that are two.  Where case is kept and not compared, by that collation.
 */
void mysql_statement_put_schema(const struct sql_db *db, struct buf *out, struct span name);

/* Marks the session as unusable; the process ends after the call. */
void mysql_statement_give_up(struct sql_db *db, enum contract_exit code, const char *reason);

/* Between calls: resets the session, notices that the server ended it. */
void mysql_statement_idle(struct sql_db *db);
