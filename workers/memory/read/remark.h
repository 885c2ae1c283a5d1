/*
 * remark - recognises sentences next to a definition that do not restrict rows: about freshness, users of the figure,
 * synonyms.
 *
 * Only known forms count as remarks: every word is about definitions, or the sentence has a form whose rest is
 * irrelevant.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/memory/read/condition.h"

/* Whether text has only words about definitions, the names, or the source's rows in general. */
bool remark_is_neutral(const struct condition_of *of, const struct span *names, size_t nnames, struct span text);

/* Whether the sentence does not restrict which rows count.  names: the names that the note defines. */
bool remark_is_idle(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence);

/* Whether the sentence is about an earlier one or the source: "it", "these figures", "orders". */
bool remark_refers(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence);
