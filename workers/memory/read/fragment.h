/* fragment - views of LookML and semantic models of dbt. */
#ifndef WORKERS_MEMORY_READ_FRAGMENT_H
#define WORKERS_MEMORY_READ_FRAGMENT_H

#include "workers/memory/read/propose.h"

/* adds the proposals of another tool's model in text to out.  False: text is no such model. */
bool fragment_propose(struct arena *a, struct span text, struct proposals *out);

#endif
