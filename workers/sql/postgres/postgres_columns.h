/*
 * postgres_columns - the column policy on a PostgreSQL connection.
 *
 * In a statement, every relation that a rule protects is replaced by a
 * sub-select without its protected values: a hidden column is missing, a
 * masked one is a constant, a hashed one is a keyed digest.  So no use of the
 * relation in the statement needs its lineage proven.  The relations of a rule
 * come from the live catalogue, together with their partitions and inheriting
 * tables, generated columns, and views, which are replaced by their rewritten
 * definitions.
 *
 * Types keep the results honest.  A masked value has the type refcursor, which
 * has no operator, order or aggregate: the server refuses to compare, sort or
 * compute with it instead of answering wrongly.  A digest is a uuid: it has
 * equality, order and grouping, but no text functions.
 */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "policy/columns.h"
#include "workers/shared/tool.h"
#include "workers/sql/postgres/postgres_guard.h"

struct pg_columns;
struct sql_db;

#define PG_COLUMNS_MASK_TYPE	1790	/* refcursor */
#define PG_COLUMNS_KEY_SETTING	"carrel.column_key"

/*
 * Call on a connection that is not yet in pipeline mode.  policy is borrowed.  counted: row security hides rows by who
 * asks, and what the server counts of all rows is not shown.
 */
int pg_columns_open(struct pg_columns **out, PGconn *conn, const struct columns *policy, const char *key, bool counted,
    struct err *err);

/* Accepts NULL. */
void pg_columns_close(struct pg_columns *p);

/*
 * Rewrites st for the call's scopes; its texts then borrow from p until the next
 * call.  May ask the server.  -1: a name or view cannot be resolved.
 */
int pg_columns_apply(struct pg_columns *p, struct sql_db *db, struct call *c, struct pg_statement *st,
    struct err *err);

/* The next decision looks at the database again, however short ago it was looked at.  Accepts NULL. */
void pg_columns_expire(struct pg_columns *p);

/* What callers with these scopes may see of one column, also by lineage. */
int pg_columns_decide(struct pg_columns *p, struct sql_db *db, struct call *c, uint32_t scopes, const char *schema,
    const char *table, const char *column, enum columns_action *action, struct err *err);

/* Whether a rule matches any column of the database. */
bool pg_columns_matches(const struct pg_columns *p, size_t rule);

/* The columns that are hidden or masked for all callers, and that the account itself may read. */
int pg_columns_readable(struct pg_columns *p, struct sql_db *db, struct call *c,
    void (*fn)(void *arg, const char *schema, const char *table, const char *column), void *arg, struct err *err);

/* Whether the relation has protected columns, or is a view over some.  As last decided. */
bool pg_columns_is_touched(const struct pg_columns *p, const char *schema, const char *table);

/*
 * Whether a protected column decides which rows are in the table, so that their number reveals its
 * values.  As last decided.
 */
bool pg_columns_is_part(const struct pg_columns *p, const char *schema, const char *table);

/*
 * The text to read instead of the table, with an alias, if the order of its
 * rows would reveal protected values.  False, and no text, if the table itself
 * will do.  Call after pg_columns_decide() on one of its columns.
 */
bool pg_columns_put_sorted(const struct pg_columns *p, const char *schema, const char *table, struct buf *out);

/* Maps a character of st's rewritten text to one of its original text; both count from 1. */
size_t pg_columns_origin(const struct pg_columns *p, const struct pg_statement *st, size_t at);

/*
 * Explains a refusal of the server that the policy caused: true, and *err is
 * set.  at: a result of pg_columns_origin(), or 0.
 */
bool pg_columns_explain(const struct pg_columns *p, const struct pg_statement *st, const char *state,
    const char *message, size_t at, struct err *err);
