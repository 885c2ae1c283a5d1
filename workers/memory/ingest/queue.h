/*
 * queue - the runs that wait, one writer at a time, and the commit of the one
 * at work.
 *
 * Runs go on between calls, first come first served.  While a commit is made
 * the queue holds the writers' lock, so that nobody, in no process, writes in
 * between.
 */
#ifndef WORKERS_MEMORY_INGEST_QUEUE_H
#define WORKERS_MEMORY_INGEST_QUEUE_H

#include "ipc/ipc.h"
#include "project/files.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

#define QUEUE_STATE	".carrel/memory"
#define QUEUE_TRIES	200	/* looks at the writers' lock of a caller that waits for it, 5 ms apart */

struct queue_recent {
	char	id[RUN_ID_MAX];
};

struct queue {
	int		 wake;		/* an eventfd, readable while runs wait */
	int		 alive;		/* a lock that all memory processes of the project share; -1: none */
	struct run	*first, **last;
	size_t		 nwaiting;
	struct queue_recent	*recent;	/* ids of the last ten minutes */
	size_t		 nrecent, cap;
	int		 held;		/* the writers' lock while a commit is waited for; -1: not */
	struct run	*asked;		/* whose commit was asked for; NULL: nobody's */
	uint64_t	 serial, asked_ns;
	bool		 answered;
	unsigned	 losses;
	uint64_t	 not_before_ns;	/* the first run asks again then; 0: at once */
};

/* At start: find the runs that were cut short.  Before seccomp. */
void queue_open(struct memory *m);
void queue_close(struct memory *m);

/* One step of the runs that wait. */
void queue_idle(struct memory *m);

/* What came of the commit that was asked for. */
void queue_committed(struct memory *m, const struct ipc_committed *msg);

/* Readable while runs wait. */
int queue_watch(const struct memory *m);

/* The queue owns r from now on. */
void queue_add(struct queue *q, struct run *r);

/* The id of an equal run of the last ten minutes; NULL: none. */
const char *queue_seen(const struct queue *q, const struct run *r);
void queue_remember(struct queue *q, const char *id);

/* One writer at a time, across processes: the lock's descriptor.  -1: somebody else writes. */
int queue_lock(int state, unsigned tries);

/* Names of records below .carrel/memory, in the order they came; how many. */
size_t queue_records(int state, const char *place, struct arena *a, struct files_list *list);

/*
 * The run that id names: all of it, or as much of its beginning, or of its last
 * part's, as no other run has.  -1 with *err: there is none, or there are several.
 */
int queue_resolve(int state, struct span id, char whole[RUN_ID_MAX], struct err *err);

/* "mem-….json" without its end; false: no record's name. */
bool queue_id(const char *name, char id[RUN_ID_MAX]);

/*
 * One go at a run: true when its step has ended and is on record.  *err says
 * how it failed, if it did.  False with q->asked == r: its commit is waited for.
 */
bool queue_go(struct memory *m, struct run *r, int state, struct err *err);

/* Whether the commit that was asked for has an outcome; a commit without an answer is given up. */
bool queue_is_settled(struct queue *q);

/* Advance the first waiting run as far as possible now.  The lock is held. */
void queue_step(struct memory *m, int state);

/* r continues without its call, first in the queue; it keeps the lock until its commit has an outcome. */
void queue_hand_over(struct queue *q, struct run *r, int *lock);

#endif
