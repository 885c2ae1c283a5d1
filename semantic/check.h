/* check.h - private to semantic/: faults in the file of a single source. */
#pragma once

#include "base/arena.h"
#include "project/model/source.h"
#include "semantic/problem.h"

/*
 * The first fault of s, a sentence in a, with its category; NULL: s is valid.  Only its own file counts, not other
 * sources or data.
 */
const char *sem_source_fault(struct arena *a, const struct source *s, enum sem_category *category);

/*
 * Tell fn of what in s is passed over: keys without a meaning, a join to itself
 * without an alias.  text is one sentence in a, NULL when a is full.
 */
typedef void sem_note_fn(void *arg, const struct source *s, unsigned line, enum sem_category category,
    const char *text);
void sem_source_notes(struct arena *a, const struct source *s, sem_note_fn *fn, void *arg);
