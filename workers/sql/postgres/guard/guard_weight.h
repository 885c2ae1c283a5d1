/*
 * guard_weight - how large a statement becomes while the server plans and runs
 * it, as far as its text tells.
 *
 * The planner copies: a WITH query to each place that names it (unless it is
 * materialised), the expression behind a sub-select's column to each place that
 * names the column, an operand of BETWEEN to each comparison.  Copies of copies
 * multiply, and the planner checks for no interrupt meanwhile, so that a
 * statement of 1 KB can take all of the server's memory.  Here the copies are
 * counted without being made, each WITH query and column once.  The count also
 * notes the size of sub-selects' columns and of gathered values where it follows
 * from constants: guard_fold uses both.
 */
#pragma once

#include "workers/sql/postgres/guard/guard_fold.h"
#include "workers/sql/postgres/guard/guard_memory.h"
#include "workers/sql/postgres/guard/guard_tree.h"

/*
 * Limit for the parts (operands, columns, tables) of the expanded statement.
 * The server takes about 1 KB and 2 us for each: at most 250 MB and half a
 * second.
 */
#define GUARD_PARTS_MAX		250000.0
#define GUARD_SETS_MAX		4096.0			/* grouping sets; the server's own limit */
#define GUARD_GATHERED_MAX	(256.0 * 1024 * 1024)	/* bytes that an aggregate gathers into one value */

enum guard_excess {
	GUARD_FITS,
	GUARD_EXCESS_PARTS,		/* size: parts */
	GUARD_EXCESS_JOINS,		/* size: parts of the join orders alone */
	GUARD_EXCESS_SETS,		/* size: grouping sets */
	GUARD_EXCESS_GATHERED,		/* size: bytes */
	GUARD_EXCESS_VALUE,		/* size: bytes of one value */
	GUARD_EXCESS_TOGETHER,		/* size: bytes of the values of one row */
	GUARD_EXCESS_GROWTH,		/* a recursion that multiplies the size of its values */
	GUARD_EXCESS_NESTING		/* nested too deeply to be counted */
};

struct guard_weight;

struct guard_weight *guard_weight_new(void);
void guard_weight_free(struct guard_weight *w);		/* accepts NULL */

/*
 * Counts the statement under stmt.  On an excess, *at is the node (its
 * fields) where it was noticed.  Sets t->known, which belongs to w and is
 * valid until the next count.  *memory: what the server keeps in memory for
 * it.
 */
enum guard_excess guard_weight_count(struct guard_weight *w, struct guard_tree *t, uint32_t stmt, uint32_t *at,
    double *size, struct guard_memory *memory);

struct weight_scope;

/* The parts of all values below v. */
double weight_count_children(struct guard_weight *w, struct weight_scope *s, uint32_t v);

/* Count the query v, a SelectStmt or its wrapped node. */
struct outcome weight_count_query(struct guard_weight *w, struct weight_scope *outer, uint32_t v);

/* Note a condition, or a function that makes rows, that makes the planner's estimate doubtful: guard_memory.h. */
void weight_doubt_condition(struct guard_weight *w, uint32_t condition);

void weight_doubt_made(struct guard_weight *w, struct span function, double rows);

/* The last part of a function's name. */
struct span weight_function_name(const struct guard_tree *t, uint32_t call);
