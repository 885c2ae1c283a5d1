/* apply - puts a run's files in place, or removes them again, and never overwrites another writer's edit. */
#pragma once

#include "base/err.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

/*
 * Applies the run's step to every file.  A file that has its final text is
 * skipped, so a step that a crash interrupted is finished by repeating it.  A
 * file with neither the old nor the new text was edited meanwhile: then every
 * file is put back, and -1 is returned with *err, which names the file.
 */
int apply_step(const struct memory *m, const struct run *r, struct err *err);

/* Undoes the step, also a partial one; all or nothing, as above. */
int apply_undo(const struct memory *m, const struct run *r, struct err *err);

/* Call before a crashed writer's temporary files are removed: puts back any text in them that a user wrote. */
void apply_recover(const struct memory *m, const struct run *r);
