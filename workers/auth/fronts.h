/* fronts - the fronts that are attached, and what all of them are told. */
#ifndef WORKERS_AUTH_FRONTS_H
#define WORKERS_AUTH_FRONTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/ipc.h"

struct call;

#define FRONTS_MAX	64	/* as workers/shared/links.c has it */

struct fronts {
	uint64_t	peers[FRONTS_MAX];
	size_t		n;

	/* The ENDs that a call waits for: this one and those after it. */
	uint64_t	last_id, waits_from;	/* waits_from 0: none */
	uint64_t	until_ns;		/* for so long */
	unsigned	owes[FRONTS_MAX];	/* answers; in the order of peers */
	struct ipc_ended total;
};

void fronts_add(struct fronts *f, uint64_t peer);
void fronts_remove(struct fronts *f, uint64_t peer);

void fronts_tell(const struct fronts *f, unsigned type, uint64_t id, const void *msg);

/* All credentials of principal have ended, as verdict says. */
void fronts_end(struct fronts *f, const char *principal, enum ipc_verdict verdict);

/* One grant of a user has ended; a user's role has these scopes now, 0: none, all has ended. */
void fronts_end_grant(struct fronts *f, const char *user, const char *grant);
void fronts_narrow(struct fronts *f, const char *principal, uint32_t scopes);

/*
 * The same, and wait until every front has cut off what ran and says how much that was in f->total.  In tools
 * with `waits`.  A front that takes longer than its time is not waited for; what it cuts off is not counted.
 */
void fronts_end_and_wait(struct fronts *f, struct call *c, const char *principal, enum ipc_verdict verdict);

/* The same of any END. */
void fronts_say_and_wait(struct fronts *f, struct call *c, const struct ipc_end *msg);

/*
 * The same of several ENDs: between a begin and a wait, each front is told all of them, and all have one time
 * together.  Some are waited for on the way, so that no front has more than FRONTS_OWED to read.
 */
#define FRONTS_OWED	64
void fronts_begin(struct fronts *f);
void fronts_say(struct fronts *f, struct call *c, const struct ipc_end *msg);
void fronts_wait(struct fronts *f, struct call *c);

/* ENDED came. */
void fronts_ended(struct fronts *f, uint64_t peer, uint64_t id, const struct ipc_ended *msg);

#endif
