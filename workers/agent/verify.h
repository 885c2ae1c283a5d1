/*
 * verify - whether an answer holds: ten checks of the rows against the database and against themselves.  A
 * failed V2, V3 or V5 means that there is no answer; the others become caveats.  A check that could not run
 * is unverified, never passed.
 */
#ifndef AGENT_VERIFY_H
#define AGENT_VERIFY_H

#include "workers/agent/brief.h"
#include "workers/agent/data.h"

#define VERIFY_CHECKS		10u
#define VERIFY_CAVEATS_MAX	24u

enum verify_outcome {
	VERIFY_NOT_APPLICABLE, VERIFY_PASSED, VERIFY_CAVEAT, VERIFY_FAILED, VERIFY_UNVERIFIED
};

struct verify_check {
	enum verify_outcome	 outcome;
	struct span		 note;	/* empty: nothing is to be said */
};

struct verify {
	struct arena		*arena;
	const struct brief	*brief;
	struct data_rows	*rows;		/* one a query; a ranking's last row too many is taken off */
	char			 today[11];	/* ISO date: the asker's */

	/* Run a query otherwise; 0, or -1 with *err. */
	int			(*query)(void *arg, const struct ask_query *q, const struct brief_change *change,
				    struct data_rows *out, struct err *err);
	/* Whether the call may go on after a failed query; false: the whole check ends. */
	bool			(*may_go_on)(void *arg, struct err *err);
	void			*arg;

	/* what came of it */
	struct verify_check	 checks[VERIFY_CHECKS];	/* V1 first */
	size_t			 ncaveats;
	struct span		 caveats[VERIFY_CAVEATS_MAX];
};

/* All checks.  -1 with *err only when the call must end. */
int verify_run(struct verify *v, struct err *err);

/* The first check that means that there is no answer; NULL: there is one. */
const struct verify_check *verify_blocked(const struct verify *v);

/* [{id, outcome, note?}]. */
void verify_put(struct buf *out, const struct verify *v);

#endif
