/*
 * orphans - reaps processes that our children left running, as carrel-git leaves its keeper.  They become children of
 * the supervisor and not of process 1, which in many containers reaps nothing.
 */
#pragma once

#include "supervisor/supervisor.h"

/* From now on, orphans of our children become our children. */
void orphans_adopt(void);

/*
 * Reaps the dead children that no event watches; the status of a watched child stays for its
 * watcher.  False: no child is left at all.
 */
bool orphans_reap(const struct supervisor *sup);

/* The same when the supervisor ends: waits a moment for running processes. */
void orphans_reap_last(const struct supervisor *sup);
