/* compose - what a run changes: which page is extended or made, which measure is added, and why. */
#ifndef WORKERS_MEMORY_INGEST_COMPOSE_H
#define WORKERS_MEMORY_INGEST_COMPOSE_H

#include "base/err.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

/*
 * Fill the run's changes from what the project's files say now.  Writes
 * nothing.  Where review is required a page of its own is made, marked as
 * proposed, and nothing else is touched.
 */
int compose_run(const struct memory *m, struct run *r, struct err *err);

/*
 * Fill the moves of a proposed run: its page is unmarked, or, where another is
 * about the subject, becomes a part of that one; and its measure is added.
 * Edits that were made to the proposal are kept.
 */
int compose_approval(const struct memory *m, struct run *r, struct err *err);

#endif
