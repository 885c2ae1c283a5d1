/*
 * work - executes a run's step from its current stage to the end: composing, writing, committing, journaling.  The
 * caller holds the writers' lock.
 */
#pragma once

#include "ipc/messages.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

/*
 * Executes the step up to the commit.  0: the files are in place (stage COMMIT), or the step has ended without a
 * commit (stage ERROR; *err says why).  -1 with *err: the journal cannot be written, try again later.
 */
int work_write(const struct memory *m, struct run *r, int state, struct err *err);

/* Whether the run has changes to commit. */
bool work_has_files(const struct run *r);

/*
 * Resumes a run after a crash, and counts the attempt in the journal first: a run that crashes its worker repeatedly
 * is reverted and ended.  -1: not possible now.
 */
int work_begin_again(const struct memory *m, struct run *r, int state, struct err *err);

/* Takes the outcome of the commit. */
void work_committed(struct run *r, const struct ipc_committed *msg);

/* After the commit: journals the run's new state.  -1: not possible yet, try again later. */
int work_finish(struct run *r, int state);

/*
 * Begins a step on an ended run, APPROVE or REVERT: journals it with its changes in r->moves.  0, or -1 with *err and
 * nothing changed.
 */
int work_begin(struct run *r, enum run_step step, int state, struct err *err);
