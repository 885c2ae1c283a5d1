/* compose_sheet - makes the rows to show from the rows of the queries: computes shares and comparisons. */
#pragma once

#include "workers/agent/data/brief_queries.h"
#include "workers/agent/data/data.h"

/*
 * The sheet of a brief's answer; rows has one entry for each query.  A share is part, total and percent (0 to 100); a
 * comparison has one row for each side, with difference and percent of the base: the earlier of two periods, else the
 * first named.  *caveat: why a percentage or a difference is missing; empty: none is.  NULL with *err: the rows do not
 * fit the brief.
 */
struct sheet *compose_sheet(struct arena *a, const struct answer_brief *b, const struct data_rows *rows,
    struct span *caveat, struct err *err);
