/*
 * guard_fold - how large the value of an expression will at least be, as far
 * as its constants tell.  An expression counts as constant because of what it
 * is made of, not because it is a literal: repeat(repeat('x', 1000), 10 ^ 6)
 * is as large as it looks.  What columns of sub-selects and aggregates come to is
 * told by guard_weight (t->known), of a series the largest value.
 */
#ifndef POLICY_GUARD_FOLD_H
#define POLICY_GUARD_FOLD_H

#include "policy/guard_tree.h"

#define GUARD_VALUE_BYTES_MAX	(16.0 * 1024 * 1024)	/* of one value made from constants */
#define GUARD_SERIES_MAX	1e7			/* rows of one generate_series() */

#define GUARD_GROWN_BYTES	65536.0			/* taken for repeat(x, n) where n is a column */

enum guard_bomb { GUARD_NO_BOMB, GUARD_BOMB_VALUE, GUARD_BOMB_SERIES };

/* Look at one FuncCall (its fields); how large it will be, in bytes or rows, in *size.  *grows: as large as data asks for. */
enum guard_bomb guard_fold_call(const struct guard_tree *t, uint32_t call, double *size, bool *grows);

#define GUARD_ALONE_MAX		262144.0	/* bytes of one argument of these when the other is not known */

/*
 * Would a FuncCall or an A_Expr (its fields) be one that the server does not
 * interrupt (guard_slow.def), on arguments too large for it?
 */
bool guard_fold_is_slow_call(const struct guard_tree *t, uint32_t call);
bool guard_fold_is_slow_operator(const struct guard_tree *t, uint32_t expr);

/* Would a TypeCast or an XmlExpr (its fields) read so much XML that it takes long?  It is not interrupted. */
bool guard_fold_is_slow_xml(const struct guard_tree *t, enum guard_key kind, uint32_t v);

/*
 * Is a path of XPath a literal that libxml2 follows in time?  It takes
 * exponential time for predicates within predicates, and does not interrupt.
 */
bool guard_fold_is_plain_path(const struct guard_tree *t, uint32_t v);

/* What is known of an expression. */
struct guard_known guard_fold_value(const struct guard_tree *t, uint32_t v);

/* Of an A_Expr, of a TypeCast (its fields). */
struct guard_known guard_fold_joined(const struct guard_tree *t, uint32_t expr);
struct guard_known guard_fold_cast(const struct guard_tree *t, uint32_t cast);

/* Of two values, one of which it will be. */
struct guard_known guard_fold_larger(struct guard_known a, struct guard_known b);

/* Whether a FuncCall (its fields) is one of the functions that make rows of what they are given; *rows: how many, 0: unknown. */
bool guard_fold_makes_rows(const struct guard_tree *t, uint32_t call, double *rows);

/* What is known of each. */
struct guard_known guard_fold_element(const struct guard_tree *t, uint32_t call);

#endif
