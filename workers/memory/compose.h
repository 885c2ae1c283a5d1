/* compose - what a run changes: which page is extended or made, which measure is added, and why. */
#ifndef WORKERS_MEMORY_COMPOSE_H
#define WORKERS_MEMORY_COMPOSE_H

#include "base/err.h"
#include "workers/memory/memory.h"
#include "workers/memory/run.h"

/* Fill the run's changes from what the project's files say now.  Writes nothing. */
int compose_run(const struct memory *m, struct run *r, struct err *err);

#endif
