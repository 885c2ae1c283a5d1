/* apply - a run's files put in place, or taken back, and never over somebody else's edit. */
#ifndef WORKERS_MEMORY_INGEST_APPLY_H
#define WORKERS_MEMORY_INGEST_APPLY_H

#include "base/err.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

/*
 * Do what the run's step says to every file.  One that is as it should become
 * is passed over, so a step that a crash cut short is finished by doing it
 * again.  A file that is neither as it was nor as it should be was edited
 * meanwhile: everything is put back and -1 returned with *err that names it.
 */
int apply_step(const struct memory *m, const struct run *r, struct err *err);

/* Take the step back, also half of one; all or nothing as above. */
int apply_undo(const struct memory *m, const struct run *r, struct err *err);

/* Before a crashed writer's temporary files are swept: whatever in them is nobody's but a person's goes back. */
void apply_recover(const struct memory *m, const struct run *r);

#endif
