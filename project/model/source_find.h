/*
 * source_find - columns and measures of a composed source by name.  Without a reader of files: carrel-git reads notes,
 * too.
 */
#pragma once

#include "project/model/source.h"

/* The column and the measure of that name, exact; s may be NULL.  The second: of a column in any case. */
const struct source_column *source_find_column(const struct source *s, struct span name);
const struct source_column *source_find_folded(const struct source *s, struct span name);
const struct source_measure *source_find_measure(const struct source *s, struct span name);
