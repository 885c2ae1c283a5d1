/*
 * statement - splits a SELECT with aggregates: "select sum(net_ct) as net_revenue from orders where not is_test".
 * Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"
#include "workers/memory/read/formula.h"

/* Borrows from the text. */
struct statement {
	struct span		list, filter;
	struct formula_scope	scope;
	const char		*fault;		/* why the statement cannot become a measure; NULL: no objection */
};

/* False: text is not a SELECT with an aggregate. */
bool statement_read(struct span text, struct statement *s);

/* The next item of a select list; false: the list has ended. */
bool statement_item(struct span *list, struct span *item);
