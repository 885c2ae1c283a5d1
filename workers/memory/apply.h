/* apply - a run's files put in place, or taken back, and never over somebody else's edit. */
#ifndef WORKERS_MEMORY_APPLY_H
#define WORKERS_MEMORY_APPLY_H

#include "base/err.h"
#include "workers/memory/memory.h"
#include "workers/memory/run.h"

/*
 * Put every change's file from before to after.  One that already holds after
 * is passed over, so a run that a crash cut short is finished by doing it
 * again.  A file that holds neither was edited meanwhile: everything is put
 * back and -1 returned with *err that names it.
 */
int apply_changes(const struct memory *m, struct run *r, struct err *err);

/* The other way round, for `revert`; all or nothing as above. */
int apply_backwards(const struct memory *m, struct run *r, struct err *err);

#endif
