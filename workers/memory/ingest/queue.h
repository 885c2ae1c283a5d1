/*
 * queue - orders the waiting runs, one writer at a time, and waits for the commit of the current one.
 *
 * Runs proceed between calls, first come first served.  During a commit the queue holds the writers' lock, so that no
 * process writes in between.
 */
#pragma once

#include "ipc/messages.h"
#include "project/format/files.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

#define QUEUE_STATE	".carrel/memory"
#define QUEUE_TRIES	200	/* attempts to get the writers' lock, 5 ms apart */

struct queue_recent {
	char	id[RUN_ID_MAX];
};

struct queue {
	int		 wake;		/* an eventfd, readable while runs wait */
	int		 alive;		/* a lock that all memory processes of the project share; -1: none */
	struct run	*first, **last;
	size_t		 nwaiting;
	struct queue_recent	*recent;	/* runs of the last ten minutes */
	size_t		 nrecent, cap;
	int		 held;		/* the writers' lock during a commit; -1: not held */
	struct run	*asked;		/* the run whose commit is awaited; NULL: none */
	uint64_t	 serial, asked_ns;
	bool		 answered;
	unsigned	 losses;
	uint64_t	 not_before_ns;	/* when the first run asks again; 0: at once */
	uint64_t	 asks_store_ns;	/* when the store is asked for the next note */
};

/* At start: load interrupted runs.  Before seccomp. */
void queue_open(struct memory *m);
void queue_close(struct memory *m);

/* Carries out one step of the waiting runs. */
void queue_idle(struct memory *m);

/* Takes the outcome of the commit that was asked for. */
void queue_committed(struct memory *m, const struct ipc_committed *msg);

/* A descriptor that is readable while runs wait. */
int queue_watch(const struct memory *m);

/* Adds r to the queue, which then owns r. */
void queue_add(struct queue *q, struct run *r);

/* The id of a run of the last ten minutes with the same content, principal and connection; NULL: none. */
const char *queue_seen(const struct queue *q, const struct run *r);
void queue_remember(struct queue *q, const char *id);

/* Takes the writers' lock, across processes.  Returns its descriptor; -1: another process holds the lock. */
int queue_lock(int state, unsigned tries);

/* Lists the names of the records below .carrel/memory, oldest first.  Returns their number. */
size_t queue_records(int state, const char *place, struct arena *a, struct files_list *list);

/*
 * Resolves a run's id, complete or abbreviated to a unique prefix of it or of its last part.  -1 with *err: there is
 * none, or there are several.
 */
int queue_resolve(int state, struct span id, char whole[RUN_ID_MAX], struct err *err);

/* The run's id in a file name "mem-….json"; false: not the name of a record. */
bool queue_id(const char *name, char id[RUN_ID_MAX]);

/*
 * Advances a run once: true when its step has ended and is journaled; *err says how it failed, if it did.  False with
 * q->asked == r: waiting for its commit.
 */
bool queue_go(struct memory *m, struct run *r, int state, struct err *err);

/* Whether the requested commit has an outcome; without an answer it is given up after a time. */
bool queue_is_settled(struct queue *q);

/* Advance the first waiting run as far as possible now.  The lock is held. */
void queue_step(struct memory *m, int state);

/* Hands r over to continue without its call, first in the queue; it keeps the lock until its commit has an outcome. */
void queue_hand_over(struct queue *q, struct run *r, int *lock);
