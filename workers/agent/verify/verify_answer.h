/*
 * verify_answer - ten checks of an answer's rows against the database and against themselves.  If V2, V3 or V5 fails,
 * there is no answer; other failures become caveats.  A check that could not run is unverified, never passed.
 */
#pragma once

#include "workers/agent/data/brief_queries.h"
#include "workers/agent/data/data.h"

#define VERIFY_CHECKS		10u
#define VERIFY_CAVEATS_MAX	24u

enum verify_outcome {
	VERIFY_NOT_APPLICABLE, VERIFY_PASSED, VERIFY_CAVEAT, VERIFY_FAILED, VERIFY_UNVERIFIED
};

struct verify_check {
	enum verify_outcome	 outcome;
	struct span		 note;	/* empty: nothing to tell */
};

struct answer_check {
	struct arena		*arena;
	const struct answer_brief	*brief;
	struct data_rows	*rows;		/* one for each query; the extra row of a ranking is removed */
	char			 today[11];	/* ISO date: the asker's */

	/* Run a varied query; 0, or -1 with *err. */
	int			(*query)(void *arg, const struct ask_query *q, const struct brief_change *change,
				    struct data_rows *out, struct err *err);
	/* Whether the call may continue after a failed query; false: verification ends. */
	bool			(*may_go_on)(void *arg, struct err *err);
	void			*arg;

	/* results */
	struct verify_check	 checks[VERIFY_CHECKS];	/* V1 first */
	size_t			 ncaveats;
	struct span		 caveats[VERIFY_CAVEATS_MAX];
	struct span		 uncovered;	/* why there are no data of the period; empty: there may be */
};

/* Run all checks.  -1 with *err only when the call must end. */
int verify_run(struct answer_check *v, struct err *err);

/* The first failed check that rules out an answer; NULL: none. */
const struct verify_check *verify_blocked(const struct answer_check *v);

/*
 * Remove the keys that only tell rows of the same name apart, from the query and its rows, where no two rows have the
 * same other keys.
 */
void verify_hide_keys(struct arena *a, struct ask_query *q, struct data_rows *r);

/* [{id, outcome, note?}]. */
void verify_put(struct buf *out, const struct answer_check *v);
