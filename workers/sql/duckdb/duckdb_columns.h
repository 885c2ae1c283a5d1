/*
 * duckdb_columns - the column policy on a DuckDB file.
 *
 * Under a policy the file is attached under a name that no statement may say
 * (DUCKDB_COLUMNS_FILE), and the name of the file belongs to a database in
 * memory, the front.  The front has a view for each relation of the file: a
 * hidden column is missing there, a masked one is a constant, a hashed one a
 * keyed digest.  The file's own views are made again in the front, from their
 * definitions, so that they read its views.  A statement is bound in the front
 * and finds nothing else: a name that the front does not have is an error,
 * whatever way it is reached.
 *
 * The front is made when the first call needs it, and again for callers whose
 * scopes see other columns.  The schema of a file cannot change while it is
 * open.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "policy/columns.h"

#define DUCKDB_COLUMNS_FILE	"carrel_file"

struct duck_connection;
struct duckdb_columns;
struct sql_db;

/* NULL for an empty policy, which all functions accept.  path: of the file; policy and key are borrowed. */
struct duckdb_columns *duckdb_columns_new(const struct columns *policy, const char *key, const char *path);
void duckdb_columns_free(struct duckdb_columns *p);

/* The name by which statements know the database. */
const char *duckdb_columns_front(const struct duckdb_columns *p);

/* On the library's thread, once the file is attached: has digests computed.  -1: the library does not. */
int duckdb_columns_register(struct duckdb_columns *p, struct duck_connection *c);

/* Reads the relations of the file that was just opened, in the session.  -1 with *err. */
int duckdb_columns_read(struct sql_db *db, struct err *err);

/* The session's statements are bound in the front from here on, as callers with these scopes see it.  -1 with *err. */
int duckdb_columns_enter(struct sql_db *db, uint32_t scopes, struct err *err);

/*
 * Gives a relation a further name in the session, for duckdb_columns_check(), until duckdb_columns_also_none().
 */
void duckdb_columns_also(struct duckdb_columns *p, const char *name, struct span schema, struct span relation);
void duckdb_columns_also_none(struct duckdb_columns *p);

/* Whether a statement only does with masked columns what can be answered.  *at: its byte, or SIZE_MAX. */
int duckdb_columns_check(struct sql_db *db, struct span tree, size_t *at, struct err *err);

/* What the callers of the last duckdb_columns_enter() may see of a column. */
enum columns_action duckdb_columns_action(const struct duckdb_columns *p, const char *schema, const char *relation,
    const char *column);

/* Whether those callers see a protected column in the relation, or may not read it. */
bool duckdb_columns_shows_any(const struct duckdb_columns *p, const char *schema, const char *relation);

/* Whether sql names a protected column of any relation. */
bool duckdb_columns_names_any(const struct duckdb_columns *p, const char *sql);

/* Whether a column of that name is hidden in some relation. */
bool duckdb_columns_hides(const struct duckdb_columns *p, struct span column);

/* Whether a rule fits any column of the file. */
bool duckdb_columns_matches(const struct duckdb_columns *p, size_t rule);
