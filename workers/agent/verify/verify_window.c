#include <string.h>

#include "base/text/locale_text.h"
#include "base/text/parameter_types.h"
#include "workers/agent/verify/verify_found.h"
#include "workers/agent/verify/verify_window.h"

static struct span
day_text(struct answer_check *v, struct span day)
{
	struct buf text = { 0 };
	struct span out;

	locale_put_period(&text, day, SPAN("day"), v->brief->german, false);
	out = arena_span(v->arena, buf_view(&text));
	buf_fini(&text);
	return out;
}

/* Compare the first ten characters, which are dates. */
static int
compare_days(struct span a, struct span b)
{
	return memcmp(a.p, b.p, 10);
}

static bool
day_of(const struct mp_value *cell, struct span *out)
{
	if (cell->class != MP_STR || cell->s.len < 10 || cell->s.p[4] != '-' || cell->s.p[7] != '-')
		return false;
	*out = span_of(cell->s.p, 10);
	return true;
}

/* Query the first and last day with data.  *known: there are such days, and they could be read. */
static int
ask_extent(struct answer_check *v, struct span field, struct span *first, struct span *last, bool *known,
    struct err *err)
{
	struct brief_change change = { .ungrouped = true, .without = SIZE_MAX, .only = SIZE_MAX, .no_window = true };
	struct ask_query extent = { .nmeasures = 2 };
	struct data_rows r;
	bool stop = false;

	extent.measures[0] = (struct ask_measure){ .name = SPAN("first_day"),
		.expr = span_str(arena_printf(v->arena, "min(%.*s)", SPAN_FMT(field))) };
	extent.measures[1] = (struct ask_measure){ .name = SPAN("last_day"),
		.expr = span_str(arena_printf(v->arena, "max(%.*s)", SPAN_FMT(field))) };
	*known = false;
	if (!verify_ask(v, V6, &extent, &change, &r, err, &stop))
		return stop ? -1 : 0;
	if (r.nrows == 1 && r.ncolumns == 2 && data_cell(&r, 0, 1)->class == MP_NIL)
		verify_tell(v, V6, VERIFY_CAVEAT, CAVEAT_NO_DATES, NULL);
	else if (r.nrows == 1 && r.ncolumns == 2 && day_of(data_cell(&r, 0, 0), first) &&
	    day_of(data_cell(&r, 0, 1), last))
		*known = true;
	else
		verify_tell(v, V6, VERIFY_UNVERIFIED, CAVEAT_NO_EXTENT, NULL);
	return 0;
}

/* Compare the days with data with the window, as far as it is over: what is still to come cannot be there. */
static void
compare_extent(struct answer_check *v, const struct ask_window *w, struct span first, struct span last)
{
	bool begins = w->start.len >= 10, ends = w->end.len >= 10;
	struct span today = span_str(v->today), until;

	until = ends ? brief_last_day(v->arena, w->end) : today;
	until = compare_days(until, today) < 0 ? until : today;
	verify_note(v, V6, VERIFY_PASSED);
	if (ends && compare_days(first, w->end) >= 0) {
		verify_tell(v, V6, VERIFY_CAVEAT, CAVEAT_DATA_BEGIN_AFTER, ARGS(day_text(v, first)));
		v->uncovered = v->checks[V6].note;
	} else if (begins && compare_days(first, w->start) > 0)
		verify_tell(v, V6, VERIFY_CAVEAT, CAVEAT_DATA_BEGIN, ARGS(day_text(v, first)));
	if (begins && compare_days(last, w->start) < 0) {
		verify_tell(v, V6, VERIFY_CAVEAT, CAVEAT_DATA_END_BEFORE, ARGS(day_text(v, last)));
		v->uncovered = v->checks[V6].note;
	} else if (compare_days(last, until) < 0)
		verify_tell(v, V6, VERIFY_CAVEAT, CAVEAT_DATA_END, ARGS(day_text(v, last)));
}

struct ask_window
verify_window_of(const struct ask_query *q)
{
	struct ask_window w = q->window;

	for (size_t i = 0; i < q->nfilters && q->window.field.len == 0; i++) {
		const struct ask_filter *f = &q->filters[i];
		bool start = span_is_str(f->operator, ">="), end = span_is_str(f->operator, "<");

		if (!parameter_fits(PARAMETER_DATE, f->value) || (!start && !end) ||
		    (w.field.len > 0 && !span_is(w.field, f->field)))
			continue;
		w.field = f->field;
		*(start ? &w.start : &w.end) = f->value;
	}
	return w;
}

int
verify_window(struct answer_check *v, const struct ask_query *q, struct err *err)
{
	struct ask_window w = verify_window_of(q);
	struct span first, last, today = span_str(v->today);
	bool known;

	if (w.field.len == 0 || (w.start.len < 10 && w.end.len < 10))
		return 0;
	if (ask_extent(v, w.field, &first, &last, &known, err) != 0)
		return -1;
	if (known)
		compare_extent(v, &w, first, last);
	if (w.end.len >= 10 && compare_days(w.end, today) > 0 &&
	    (w.start.len < 10 || compare_days(w.start, today) <= 0))
		verify_tell(v, V6, VERIFY_CAVEAT, CAVEAT_NOT_OVER, ARGS(day_text(v, today)));
	return 0;
}
