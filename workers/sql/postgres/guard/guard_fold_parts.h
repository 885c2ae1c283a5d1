/* guard_fold_parts.h - private to guard_fold*.c: the sizes of values that functions return. */
#ifndef WORKERS_SQL_POSTGRES_GUARD_GUARD_FOLD_PARTS_H
#define WORKERS_SQL_POSTGRES_GUARD_GUARD_FOLD_PARTS_H

#include "workers/sql/postgres/guard/guard_fold.h"

#include <math.h>

#define FOLD_TIMES_MAX	4096.0	/* up to this many copies of a stored value in one value are ignored */
#define FOLD_STORED_BYTES	16.0	/* assumed size of a stored value that is copied thousands of times */

static inline struct guard_known
fold_of_number(double n)
{
	return (struct guard_known){ .has_number = isfinite(n) != 0, .number = n, .bytes = 8 };
}

/* A size in bytes, or, if the bytes are unknown, in copies of a stored value. */
static inline struct guard_known
fold_of_size(double bytes, double times, bool grows)
{
	if (bytes <= 0 && times > FOLD_TIMES_MAX)
		bytes = times * FOLD_STORED_BYTES;
	return (struct guard_known){ .bytes = bytes, .times = bytes > 0 ? 0 : times, .grows = grows };
}

/* The number of copies of a stored value that the value contains, at least one. */
static inline double
fold_times_of(struct guard_known k)
{
	return k.bytes > 0 || k.has_number ? 0 : fmax(k.times, 1);
}

#define FOLD_ARGS_MAX	8u

/* The arguments of a function call, folded. */
struct fold_call {
	unsigned	n;			/* may exceed FOLD_ARGS_MAX, of which the rest are not read */
	struct guard_known	args[FOLD_ARGS_MAX];
};

/* Argument i as a number; otherwise if it has none. */
static inline double
fold_number_or(const struct fold_call *c, unsigned i, double otherwise)
{
	return i < c->n && c->args[i].has_number ? c->args[i].number : otherwise;
}

/* The function of this name; NULL: nothing is known of the function. */
const struct fold_function *fold_function_of(struct span name);

/* The value that the function returns for these arguments. */
struct guard_known fold_function_value(const struct fold_function *f, const struct fold_call *c);

#endif
