/*
 * consult - gathers what a run needs before it is composed: whether its text is worth keeping, its proposals, the
 * pages about the same subject, and whether its measures compile and run.  A run asks with its own ticket, between
 * other calls, and again after a crash.
 */
#pragma once

#include <stdbool.h>

#include "workers/memory/memory.h"
#include "workers/memory/read/propose.h"
#include "workers/memory/ingest/run.h"

/*
 * Runs triage, propose and validate; state is .carrel/memory.  True if the
 * run can be composed; false if it must wait for a worker that is being
 * replaced, and be called again.
 */
bool consult_run(struct memory *m, struct run *r, int state);

/* Validates the measures again with the compiler and the database, during an open call. */
void consult_call(struct call *c, struct run *r);

/* The proposals of the run's text, using the current sources of its connection.  NULL: out of memory. */
struct proposals *consult_proposals(const struct memory *m, struct run *r);

/* For sub-calls whose rows do not matter. */
int consult_ignore_rows(void *arg, const struct mp_value *rows, struct err *err);

/* The answer about this proposal; NULL if absent. */
const struct run_trial *consult_trial(const struct run *r, const struct proposal *p);
