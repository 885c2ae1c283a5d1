/* export_expression - a measure's expression by itself: see export.h for what stays out of a file. */
#pragma once

#include "cli/export/export.h"

/*
 * The measure's expression without names of measures: its filter and segments within the aggregates, and no division
 * that truncates or is by 0.  bare: the source's columns without its name, and none of another; otherwise all as
 * source.column.  NULL with *why: it cannot be said so.
 */
const char *export_expression(struct export *x, const struct source *s, const struct source_measure *m, bool bare,
    const char **why);
