/*
 * guard_fold - a lower bound for the size of an expression's value, from its
 * constants.
 *
 * An expression counts as constant if all its parts are, so it need not be a
 * literal: repeat(repeat('x', 1000), 10 ^ 6) is as large as it looks.  The sizes
 * of columns of sub-selects and of aggregates come from guard_weight (t->known);
 * of a series its largest value is known.
 */
#pragma once

#include "workers/sql/postgres/guard/guard_tree.h"

#define GUARD_VALUE_BYTES_MAX	(16.0 * 1024 * 1024)	/* limit for one value made from constants */
#define GUARD_SERIES_MAX	1e7			/* limit for the rows of one generate_series() */

#define GUARD_GROWN_BYTES	65536.0			/* assumed for repeat(x, n) if n comes from a column */

enum guard_bomb { GUARD_NO_BOMB, GUARD_BOMB_VALUE, GUARD_BOMB_SERIES };

/* The size of a FuncCall (its fields) in *size, in bytes or rows.  *grows: the size depends on stored data. */
enum guard_bomb guard_fold_call(const struct guard_tree *t, uint32_t call, double *size, bool *grows);

#define GUARD_ALONE_MAX		262144.0	/* bytes of one argument of these when the other is not known */

/*
 * Whether a FuncCall, an A_Expr or the SubLink of x OP ANY (SELECT …) (their fields) is one that the server does
 * not interrupt (guard_slow.def), with arguments too large for it.
 */
bool guard_fold_is_slow_call(const struct guard_tree *t, uint32_t call);
bool guard_fold_is_slow_operator(const struct guard_tree *t, uint32_t expr);
bool guard_fold_is_slow_link(const struct guard_tree *t, uint32_t link);

/*
 * Whether a TypeCast or an XmlExpr (its fields) parses so much XML that it runs long.  The server
 * does not interrupt it.
 */
bool guard_fold_is_slow_xml(const struct guard_tree *t, enum guard_key kind, uint32_t v);

/*
 * Whether an XPath is a literal that libxml2 evaluates in bounded time.
 * Nested predicates take exponential time, and libxml2 is not interrupted.
 */
bool guard_fold_is_plain_path(const struct guard_tree *t, uint32_t v);

/* The known size or number of an expression. */
struct guard_known guard_fold_value(const struct guard_tree *t, uint32_t v);

/* The same for an A_Expr and for a TypeCast (its fields). */
struct guard_known guard_fold_joined(const struct guard_tree *t, uint32_t expr);
struct guard_known guard_fold_cast(const struct guard_tree *t, uint32_t cast);

/* The same for an expression whose value is one of two. */
struct guard_known guard_fold_larger(struct guard_known a, struct guard_known b);

/* Whether a FuncCall (its fields) returns a set of rows.  *rows: their number, 0 if unknown. */
bool guard_fold_makes_rows(const struct guard_tree *t, uint32_t call, double *rows);

/* Whether it is a series of constants whose number of rows is unknown all the same. */
bool guard_fold_is_endless(const struct guard_tree *t, uint32_t call);

/* The known size or number of one of these rows. */
struct guard_known guard_fold_element(const struct guard_tree *t, uint32_t call);

/* The most bytes that an expression may have, where it is made from elements of larger values; 0: unknown. */
double guard_fold_most(const struct guard_tree *t, uint32_t v);

/* Whether an expression depends on no stored data, as far as the columns that it names are known. */
bool guard_fold_is_made(const struct guard_tree *t, uint32_t v);
