/*
 * same - things that are indexed twice: a table and the source that a scan made of it, a column and the dimension
 * of that source.  Each pair is one answer. Sources that people wrote or overlaid are things of their own.
 */
#pragma once

#include "workers/search/rank/answers.h"

/*
 * Of each pair among the n answers at v leave one, at the place and with the score of the better: the table or
 * column, where it is among them.  n: at most MATCH_ANSWERS_MAX.  Returns how many are left, in order.
 */
size_t same_join(const struct library *l, const struct answers *a, struct ranked *v, size_t n);

/* Append the id of the other member of r's pair.  False: r has none. */
bool same_id(const struct library *l, const struct answers *a, const struct ranked *r, struct buf *out);
