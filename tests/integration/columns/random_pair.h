/*
 * random_pair - a database made twice with other protected values, each behind
 * a worker of its own: whatever is asked of both, they answer the same to the
 * byte.  What the databases are and what is asked is drawn by whoever uses this.
 *
 * CARREL_FUZZ_SECONDS is how long (15; half an hour in `make soak`), CARREL_FUZZ_SEED where it begins (1).
 * Each pair has a seed of its own, which a failure tells with the schema, the
 * policy and the question.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "tests/integration/sql/sql_harness.h"

struct random_pair {
	/* Set once.  own: how much at this place of an answer is another in any two databases (0: nothing), and what
	   is read instead.  shows, may be NULL: the answer shows a protected value, although both do. */
	size_t		(*own)(const char *at, const char **instead);
	bool		(*shows)(const struct random_pair *p, const char *what, const char *answer);

	/* Set for each pair: by the try() of random_pairs(). */
	uint64_t	 seed;			/* set before try() */
	const char	*kind;			/* of the databases; "": there is only one */
	const struct buf *schema, *policy;	/* for the report of a failure */
	struct driver	*worker[2];

	unsigned long	 asked, answered;
};

/* Ask both and compare.  tool NULL: what is a statement; else what tells about the call with these arguments. */
void random_pair_compare(struct random_pair *p, const char *tool, const char *what, const char *arguments);

/* Pair after pair, until the time is over; enough of what was asked must have been answered. */
void random_pairs(struct random_pair *p, void (*try)(struct random_pair *p));
