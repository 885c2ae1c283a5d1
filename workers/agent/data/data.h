/* data - carrel-agent's requests to other workers: semantic queries and their rows, in the arena of the call. */
#pragma once

#include "workers/agent/agent.h"
#include "workers/agent/data/sheet.h"

#define DATA_ROWS_MAX	10000u

/* The answer of one semantic query. */
struct data_rows {
	struct span	 headers[SHEET_COLUMNS_MAX];
	size_t		 ncolumns, nrows;
	struct mp_value	*cells;		/* row by row */
	bool		 intervals[SHEET_COLUMNS_MAX];	/* the column's type is interval, see durations.h */
	bool		 truncated;
	struct span	 sql, dialect;
	struct mp_value	 plan;		/* class MP_NIL: no plan */
	struct mp_value	 notes;
};

/* The cell; row < nrows, column < ncolumns. */
static inline const struct mp_value *
data_cell(const struct data_rows *r, size_t row, size_t column)
{
	return &r->cells[row * r->ncolumns + column];
}

/* Remove the columns from first to before end. */
void data_drop(struct data_rows *r, size_t first, size_t end);

/* Call ask_query with these arguments (a map).  deadline_ns 0: the call's own.  -1 with *err. */
int data_query(struct call *c, struct span args, uint64_t deadline_ns, struct data_rows *out, struct err *err);
