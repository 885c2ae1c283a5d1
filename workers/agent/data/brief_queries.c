/* brief_queries.c - see brief_queries.h: a query in the form of sl_query. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/mp.h"
#include "workers/agent/data/brief_queries.h"
#include "workers/agent/data/data.h"

struct span
brief_last_day(struct arena *a, struct span end)
{
	char text[11] = { 0 };
	struct date day;

	if (end.len < 10)
		return end;
	memcpy(text, end.p, 10);
	day = date_of_days(date_days(strtol(text, NULL, 10), (unsigned)strtoul(text + 5, NULL, 10),
			       (unsigned)strtoul(text + 8, NULL, 10)) -
	    1);
	return span_str(arena_printf(a, "%04d-%02u-%02u", (int)day.year, day.month, day.day));
}

static void
put_measures(struct buf *out, const struct ask_query *q)
{
	mp_pair_array(out, "measures", q->nmeasures);
	for (size_t i = 0; i < q->nmeasures; i++)
		if (q->measures[i].name.len > 0) {
			mp_put_pairs(out, mp_str("expr", q->measures[i].expr), mp_str("name", q->measures[i].name));
		} else
			mp_put_str(out, q->measures[i].expr);
}

static void
put_dimensions(struct buf *out, const struct ask_query *q)
{
	mp_pair_array(out, "dimensions", q->ndimensions);
	for (size_t i = 0; i < q->ndimensions; i++) {
		mp_put_map(out, 1 + (q->dimensions[i].granularity.len > 0));
		mp_pair_str(out, "field", q->dimensions[i].field);
		if (q->dimensions[i].granularity.len > 0)
			mp_pair_str(out, "granularity", q->dimensions[i].granularity);
	}
}

static size_t
put_bound(struct buf *out, struct span field, const char *operator, struct span date)
{
	struct buf text = { 0 };

	if (date.len == 0)
		return 0;
	buf_printf(&text, "%.*s %s '%.*s'", SPAN_FMT(field), operator, SPAN_FMT(date));
	mp_put_str(out, buf_view(&text));
	buf_fini(&text);
	return 1;
}

static void
put_filters(struct buf *out, const struct ask_query *q, const struct brief_change *change)
{
	size_t mark, n = 0;

	mark = mp_pair_open_array(out, "filters");
	for (size_t i = 0; i < q->nfilters; i++)
		if (change->without != i && (change->only == SIZE_MAX || change->only == i)) {
			mp_put_str(out, q->filters[i].sql);
			n++;
		}
	if (!change->no_window && q->window.field.len > 0) {
		n += put_bound(out, q->window.field, ">=", q->window.start);
		n += put_bound(out, q->window.field, "<", q->window.end);
	}
	mp_close(out, mark, n);
}

/* Groups that share a place are ordered by their keys, so that every engine shows the same ones. */
static void
put_order(struct buf *out, const struct ask_query *q)
{
	struct ask_then by[1 + ASK_THEN_MAX + ASK_DIMENSIONS_MAX] = { { q->order_by, q->descending } };
	size_t n = 1;

	for (size_t i = 0; i < q->nthen; i++)
		by[n++] = q->then[i];
	for (size_t i = 0; i < q->ndimensions; i++)
		by[n++] = (struct ask_then){ q->dimensions[i].field, false };
	mp_pair_array(out, "order_by", n);
	for (size_t i = 0; i < n; i++)
		mp_put_pairs(out, mp_str("field", by[i].field),
		    mp_cstr("direction", by[i].descending ? "desc" : "asc"));
}

void
brief_put_query(struct buf *out, const struct answer_brief *b, const struct ask_query *q,
    const struct brief_change *change)
{
	static const struct brief_change none = { .without = SIZE_MAX, .only = SIZE_MAX };
	const struct brief_change *c = change != NULL ? change : &none;
	size_t mark = mp_open_map(out), n = 5;

	mp_pair_str(out, "connectionId", b->connection);
	put_measures(out, q);
	put_filters(out, q, c);
	mp_pair_uint(out, "limit", c->limit > 0 ? c->limit : q->limit > 0 && !c->ungrouped ? q->limit : DATA_ROWS_MAX);
	mp_pair_array(out, "include", 2);
	mp_put_cstr(out, "sql");
	mp_put_cstr(out, "plan");
	if (q->ndimensions > 0 && !c->ungrouped) {
		put_dimensions(out, q);
		n++;
	}
	if (q->order_by.len > 0 && !c->ungrouped) {
		put_order(out, q);
		n++;
	}
	if (q->no_empty) {
		mp_pair_bool(out, "include_empty", false);
		n++;
	}
	mp_close(out, mark, n);
}
