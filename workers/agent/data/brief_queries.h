/* brief_queries - the work order of a question: the semantic queries of its reading (ask/ask.h), and where they run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ask/ask.h"
#include "base/arena.h"
#include "base/buf.h"

struct answer_brief {
	enum ask_shape		 shape;
	struct span		 connection;
	size_t			 nqueries;
	struct ask_query	 queries[ASK_QUERIES_MAX];
	size_t			 nnamed;
	struct ask_named	 named[ASK_FILTERS_MAX];
	bool			 german;
	bool			 relation;	/* the question asks how two measures relate */
	struct span		 title;		/* for a chart */
	size_t			 title_measures; /* bytes of it that name the measures */
};

/* How a check varies a query. */
struct brief_change {
	bool	ungrouped;		/* without dimensions, order and limit */
	bool	no_window;
	size_t	without;		/* the number of a filter to leave out; SIZE_MAX: none */
	size_t	only;			/* the number of the only filter to keep; SIZE_MAX: keep all */
	size_t	limit;			/* 0: the query's own limit, or the maximum */
};

/* The last day of a window: the one before its exclusive end, an ISO date.  In a. */
struct span brief_last_day(struct arena *a, struct span end);

/* The arguments of sl_query, a map.  change may be NULL. */
void brief_put_query(struct buf *out, const struct answer_brief *b, const struct ask_query *q,
    const struct brief_change *change);
