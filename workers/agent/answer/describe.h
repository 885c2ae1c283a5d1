/* describe - what was computed for an answer, in the language of the question. */
#pragma once

#include "base/arena.h"
#include "workers/agent/data/brief_queries.h"

/*
 * "net revenue by region, highest 5, status = shipped, orders.ordered_at from 1 January 2025 to 31 December 2025", in
 * a.  Both days of a period belong to it.
 */
struct span describe_brief(struct arena *a, const struct answer_brief *b);
