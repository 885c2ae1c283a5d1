/*
 * remark - sentences beside a definition that say nothing about which rows
 * count: how fresh the data are, who uses the figure, its other names.
 *
 * Only what is known to be idle is: every word is one that talks about
 * definitions, or the sentence has a form whose rest does not matter.  Pure.
 */
#ifndef WORKERS_MEMORY_INGEST_REMARK_H
#define WORKERS_MEMORY_INGEST_REMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/memory/ingest/condition.h"

/* Whether every word of text talks of definitions, of the names, or of the source's rows as such. */
bool remark_is_neutral(const struct condition_of *of, const struct span *names, size_t nnames, struct span text);

/* Whether the sentence does not restrict which rows count.  names: the names that the note defines. */
bool remark_is_idle(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence);

/* Whether the sentence is about an earlier one or the source: "it", "these figures", "orders". */
bool remark_refers(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence);

#endif
