/*
 * work - a run's step, from where it stands to its end: composed, written,
 * committed, on record.  Whoever calls holds the lock of the writers.
 */
#ifndef WORKERS_MEMORY_INGEST_WORK_H
#define WORKERS_MEMORY_INGEST_WORK_H

#include "ipc/ipc.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

/*
 * Up to the commit.  0: the files are in place (stage COMMIT), or the step
 * came to an end without (stage ERROR; *err says why).  -1 with *err: the
 * journal cannot be written, try again later.
 */
int work_write(const struct memory *m, struct run *r, int state, struct err *err);

/* Whether the run has changes to commit. */
bool work_has_files(const struct run *r);

/*
 * A run that is taken up after a crash says so on record first: one that ends
 * its worker time and again is taken back and ended itself.  -1: not now.
 */
int work_begin_again(const struct memory *m, struct run *r, int state, struct err *err);

/* Takes the outcome of the commit. */
void work_committed(struct run *r, const struct ipc_committed *msg);

/* After a commit: put the run's new state on record.  -1: it could not be written yet, try again later. */
int work_finish(struct run *r, int state);

/*
 * A step on a run that had ended, APPROVE or REVERT: begun on record, with
 * r->moves as they are to be.  0, or -1 with *err and nothing changed.
 */
int work_begin(struct run *r, enum run_step step, int state, struct err *err);

#endif
