/* compose - the rows that are shown, from the rows of the queries: shares and comparisons are figured out here. */
#ifndef AGENT_COMPOSE_H
#define AGENT_COMPOSE_H

#include "workers/agent/brief.h"
#include "workers/agent/data.h"

/*
 * The sheet of a brief's answer; rows has one entry a query.  A share is part, total and percent (0 to 100),
 * a comparison one row a side, with difference and percent of the base: the earlier of two periods, else the
 * first named.  *caveat is set where a percentage has no base.  NULL with *err: what came does not fit.
 */
struct sheet *compose_sheet(struct arena *a, const struct brief *b, const struct data_rows *rows, const char **caveat,
    struct err *err);

#endif
