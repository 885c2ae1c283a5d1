/* durations - figures that are intervals of time, which databases give as text: "1 day 02:30:00". */
#pragma once

#include "ask/ask.h"
#include "workers/agent/data/data.h"

/*
 * The seconds of an interval in PostgreSQL's style; a day has 24 hours.  False: not an interval, or one with months or
 * years, which have no fixed length.
 */
bool duration_read(struct span text, struct decimal *seconds);

/* Make seconds of the cells of columns that are intervals, from this column on; a column keeps its texts if one fails. */
void durations_take(struct arena *a, struct data_rows *r, size_t from);

/*
 * Give the durations of all queries the largest unit in which each is a whole number, else seconds, and name it as the
 * unit of their measures.
 */
void durations_scale(struct arena *a, struct ask_query *queries, struct data_rows *rows, size_t n);
