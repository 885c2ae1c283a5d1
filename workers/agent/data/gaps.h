/* gaps - periods of which an answer has no row. */
#pragma once

#include "workers/agent/data/sheet.h"

/*
 * The sheet with a row without figures for each period that is missing between two rows, so that a chart's time runs
 * evenly.  The sheet itself where none is missing, where more are missing than there, or when a is full.
 */
const struct sheet *gaps_fill(struct arena *a, const struct sheet *t);
