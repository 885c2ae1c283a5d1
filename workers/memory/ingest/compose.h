/* compose - computes a run's changes: the page to extend or create, the measures to add, and the reasons. */
#pragma once

#include "base/err.h"
#include "workers/memory/memory.h"
#include "workers/memory/ingest/run.h"

struct compose;
struct wiki_strings;

/*
 * Fills the run's changes from the current texts of the project's files.
 * Writes nothing.  If review is required, only a page of its own is made,
 * marked as proposed.
 */
int compose_run(const struct memory *m, struct run *r, struct err *err);

/*
 * Fills the changes of an approved run: its page loses the mark or, if another
 * page is about the subject, becomes a part of that page; its measure is
 * added.  Edits of the proposal are kept.
 */
int compose_approval(const struct memory *m, struct run *r, struct err *err);

/* Copies text into the run's arena. */
struct span compose_text(struct compose *c, const char *text);

/* Adds an outcome to the run; never NULL. */
struct run_change *compose_change(struct compose *c, enum run_kind kind, enum run_action action, struct span path,
    struct span name);

/* Adds ref to refs. */
void compose_add_ref(struct compose *c, struct wiki_strings *refs, struct span ref);
