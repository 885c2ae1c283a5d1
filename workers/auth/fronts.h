/* fronts - the attached fronts, and messages to all of them. */
#ifndef WORKERS_AUTH_FRONTS_H
#define WORKERS_AUTH_FRONTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/messages.h"

struct call;

#define FRONTS_MAX	64	/* the limit of workers/shared/links.c */

struct fronts {
	uint64_t	peers[FRONTS_MAX];
	size_t		n;

	/* a call waits for the answers to the ENDs from waits_from on */
	uint64_t	last_id, waits_from;	/* waits_from 0: none */
	uint64_t	until_ns;		/* the deadline of the wait */
	unsigned	owes[FRONTS_MAX];	/* unanswered ENDs; in the order of peers */
	struct ipc_ended total;
};

void fronts_add(struct fronts *f, uint64_t peer);
void fronts_remove(struct fronts *f, uint64_t peer);

void fronts_tell(const struct fronts *f, unsigned type, uint64_t id, const void *msg);

/* All credentials of principal have ended, for the reason `verdict`. */
void fronts_end(struct fronts *f, const char *principal, enum ipc_verdict verdict);

/* One grant of a user has ended.  fronts_narrow: a user's role now has these scopes; 0: all credentials have ended. */
void fronts_end_grant(struct fronts *f, const char *user, const char *grant);
void fronts_narrow(struct fronts *f, const char *principal, uint32_t scopes);

/*
 * As fronts_end(), and wait until every front has cut off what ran and reported it; the sum is in f->total.  For tools
 * with `waits`.  After a deadline a slow front is not waited for; what it cuts off is not counted.
 */
void fronts_end_and_wait(struct fronts *f, struct call *c, const char *principal, enum ipc_verdict verdict);

/* The same for any END. */
void fronts_say_and_wait(struct fronts *f, struct call *c, const struct ipc_end *msg);

/*
 * The same for several ENDs: all fronts get all ENDs said between fronts_begin() and fronts_wait(), with one common
 * deadline.  fronts_say() may wait itself, so that no front has more than FRONTS_OWED to read.
 */
#define FRONTS_OWED	64
void fronts_begin(struct fronts *f);
void fronts_say(struct fronts *f, struct call *c, const struct ipc_end *msg);
void fronts_wait(struct fronts *f, struct call *c);

/* A front answered with ENDED. */
void fronts_ended(struct fronts *f, uint64_t peer, uint64_t id, const struct ipc_ended *msg);

#endif
