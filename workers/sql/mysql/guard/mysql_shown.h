/*
 * mysql_shown - the sub-selects that replace relations: a hidden column is missing, a masked one is a
 * constant, a hashed one a keyed digest (mysql_columns.h).
 *
 * Trees live in the arena of the lineage and are NULL when it is full.  at: the byte that they stand for.
 */
#pragma once

#include "workers/sql/mysql/guard/mysql_lineage.h"

/* Whether callers see this column at all. */
bool mysql_shown_column(const struct mysql_seen *seen, size_t column);

/* In place of a table with protected columns: not in an order that they have. */
struct mysql_node *mysql_shown_table(struct mysql_lineage *l, const struct mysql_seen *seen, size_t at);

/* Whether a protected column decides in which partition a row is. */
bool mysql_shown_divides(struct mysql_lineage *l, const struct mysql_seen *seen);

/* The table of FROM in that. */
struct mysql_node *mysql_shown_inner(struct mysql_node *query);

/* In place of a view whose query, with columns of that shape, protects less than the rules for the view do. */
struct mysql_node *mysql_shown_around(struct mysql_lineage *l, const struct mysql_seen *seen,
    const struct mysql_shape *shape, struct mysql_node *query);

/* Whether a relation of information_schema tells of values (mysql_tells.def); and the relation that replaces it. */
bool mysql_shown_tells(struct span relation);
struct mysql_node *mysql_shown_described(struct mysql_lineage *l, const struct mysql_relation *r, size_t at);

/* The strictest action of the columns that a text names; one that cannot be read may name any. */
enum columns_action mysql_shown_named(struct arena *a, const struct mysql_seen *seen, struct span sql);
