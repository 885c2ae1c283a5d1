/*
 * consult - what a run has to know of the project before it is composed:
 * whether it is worth keeping, what it proposes, which pages are about the
 * same, and whether its measures compile and run.
 *
 * A run asks in its own right, by its ticket: between calls, whoever else is
 * being served, and again after a crash.
 */
#ifndef WORKERS_MEMORY_INGEST_CONSULT_H
#define WORKERS_MEMORY_INGEST_CONSULT_H

#include <stdbool.h>

#include "workers/memory/memory.h"
#include "workers/memory/ingest/propose.h"
#include "workers/memory/ingest/run.h"

/*
 * Through triage, propose and validate; state is .carrel/memory.  True when
 * the run can be composed; false: it has to wait, for somebody who is being
 * replaced, and is to be called again.
 */
bool consult_run(struct memory *m, struct run *r, int state);

/* The compiler and the database once more, for a call that is open. */
void consult_call(struct call *c, struct run *r);

/* What the run's text proposes, by its connection's sources as they are now.  NULL: out of memory. */
struct proposals *consult_proposals(const struct memory *m, struct run *r);

/* What was said of this proposal; NULL: nothing. */
const struct run_trial *consult_trial(const struct run *r, const struct proposal *p);

#endif
