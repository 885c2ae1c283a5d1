/* confine_parts - what confine.c, landlock.c and seccomp.c share; private to them. */
#ifndef WORKERS_SHARED_CONFINE_PARTS_H
#define WORKERS_SHARED_CONFINE_PARTS_H

#include "workers/shared/confine.h"

/* Debian 12's kernel has exactly 2: renaming and linking across directories can be granted. */
#define LANDLOCK_ABI_NEEDED	2

/*
 * Handle every right the ABI knows and grant what p's paths say.  abi is at
 * least 1.  -1: *err has the sentence.
 */
int landlock_apply(const struct policy_profile *p, const struct confine_places *places,
    unsigned abi, struct err *err);

/*
 * Something required is missing, as *err says: with best_effort note it, mark
 * the report degraded and return 0; else return -1.
 */
int confine_missing(struct confine_report *report, bool best_effort, const struct err *err);

#endif
