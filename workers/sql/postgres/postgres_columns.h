/*
 * postgres_columns - the column policy on a PostgreSQL connection.
 *
 * Every relation that a rule protects is replaced in a statement by a
 * sub-select without its protected values: a hidden column is not there, a
 * masked one is a constant, a hashed one a keyed digest.  So whatever the
 * statement does with it, lineage needs no proof.  To what a rule names come,
 * from the live catalogue: partitions and inherited tables, generated columns,
 * and views, which are replaced by their definitions with the same done to
 * them.
 *
 * Types keep a statement honest.  A masked value has the type refcursor, which
 * has no operator, order or aggregate: comparing, sorting or computing with it
 * is refused by the server, instead of being answered wrongly.  A digest is a
 * uuid: equality, order and grouping are there, text functions are not.
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_H
#define WORKERS_SQL_POSTGRES_POSTGRES_COLUMNS_H

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

/* On a connection that is not yet in pipeline mode.  policy is borrowed. */
int pg_columns_open(struct pg_columns **out, PGconn *conn, const struct columns *policy, const char *key,
    struct err *err);

/* Accepts NULL. */
void pg_columns_close(struct pg_columns *p);

/*
 * Let st say the same of what the call's scopes may see; its texts then borrow
 * from p until the next call.  May ask the server.  -1: what cannot be resolved.
 */
int pg_columns_apply(struct pg_columns *p, struct sql_db *db, struct call *c, struct statement *st,
    struct err *err);

/* The next decision looks at the database again, however short ago it was looked at.  Accepts NULL. */
void pg_columns_expire(struct pg_columns *p);

/* What callers with these scopes may see of one column, by lineage too. */
int pg_columns_decide(struct pg_columns *p, struct sql_db *db, struct call *c, uint32_t scopes, const char *schema,
    const char *table, const char *column, enum columns_action *action, struct err *err);

/* Whether a rule names any column of the database. */
bool pg_columns_matches(const struct pg_columns *p, size_t rule);

/* Every column that is hidden or masked for all callers, and that the account itself may read. */
int pg_columns_readable(struct pg_columns *p, struct sql_db *db, struct call *c,
    void (*fn)(void *arg, const char *schema, const char *table, const char *column), void *arg, struct err *err);

/* Has the relation protected columns, or is it a view that looks at some?  As last decided. */
bool pg_columns_is_touched(const struct pg_columns *p, const char *schema, const char *table);

/* Does a protected column decide which rows are in the table?  Then their number tells something.  As last decided. */
bool pg_columns_is_part(const struct pg_columns *p, const char *schema, const char *table);

/*
 * What is to be read instead of the table when the order of its rows would tell
 * something, with an alias; false, and nothing, when the table itself will do.
 * After pg_columns_decide() on one of its columns.
 */
bool pg_columns_put_sorted(const struct pg_columns *p, const char *schema, const char *table, struct buf *out);

/* The character of st's original text, from 1, that character at of its new one comes from. */
size_t pg_columns_origin(const struct pg_columns *p, const struct statement *st, size_t at);

/*
 * A refusal of the server that the policy caused, in its own words: true, and
 * *err is set.  at: as pg_columns_origin() gives it, or 0.
 */
bool pg_columns_explain(const struct pg_columns *p, const struct statement *st, const char *state,
    const char *message, size_t at, struct err *err);

#endif
