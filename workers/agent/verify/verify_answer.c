/* verify_answer.c - see verify_answer.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workers/agent/verify/verify_answer.h"

enum { V1, V2, V3, V4, V5, V6, V7, V8, V9, V10 };

#define RERUNS_MAX    6u /* conditions that are left out in turn to explain an empty answer */
#define SUM_TOLERANCE 1e-6

/* --- what is found ------------------------------------------------------------------------- */

/* Record an outcome, unless a worse one is recorded already. */
static void note_check(struct answer_check *v, unsigned which, enum verify_outcome outcome, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void
note_check(struct answer_check *v, unsigned which, enum verify_outcome outcome, const char *fmt, ...)
{
	static const int weight[] = { 0, 1, 3, 4, 2 };
	struct verify_check *c = &v->checks[which];
	char text[512];
	va_list ap;

	if (weight[outcome] >= weight[c->outcome])
		c->outcome = outcome;
	if (fmt == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->note = arena_span(v->arena, span_str(text));
	if (outcome >= VERIFY_CAVEAT && v->ncaveats < VERIFY_CAVEATS_MAX)
		v->caveats[v->ncaveats++] = c->note;
}

/* Run a query for a check.  False: the check cannot be made; *stop: no further check can. */
static bool
ask_again(struct answer_check *v, unsigned which, const struct ask_query *q, const struct brief_change *change,
    struct data_rows *out, struct err *err, bool *stop)
{
	if (v->query(v->arg, q, change, out, err) == 0)
		return true;
	*stop = !v->may_go_on(v->arg, err);
	if (!*stop)
		note_check(v, which, VERIFY_UNVERIFIED, "Check V%u could not be made: %s", which + 1, err->message);
	return false;
}

/* --- rows ---------------------------------------------------------------------------------- */

static bool
number_of(const struct data_rows *r, size_t row, size_t column, double *out)
{
	return sheet_number(data_cell(r, row, column), out);
}

/* Whether no row has a figure. */
static bool
is_empty(const struct ask_query *q, const struct data_rows *r)
{
	for (size_t row = 0; row < r->nrows; row++)
		for (size_t i = q->ndimensions; i < r->ncolumns; i++)
			if (data_cell(r, row, i)->class != MP_NIL)
				return false;
	return r->ncolumns > q->ndimensions || r->nrows == 0;
}

/* Whether all figures are null or zero, as in a count of no rows. */
static bool
is_nothing(const struct ask_query *q, const struct data_rows *r)
{
	double v;

	for (size_t row = 0; row < r->nrows; row++)
		for (size_t i = q->ndimensions; i < r->ncolumns; i++)
			if (number_of(r, row, i, &v) ? v != 0 : data_cell(r, row, i)->class != MP_NIL)
				return false;
	return r->ncolumns > q->ndimensions || r->nrows == 0;
}

/* The keys of a row as bytes: they are adjacent in the packed row. */
static struct span
keys_of(const struct data_rows *r, size_t row, size_t n)
{
	struct span first = data_cell(r, row, 0)->raw, last = data_cell(r, row, n - 1)->raw;

	return span_of(first.p, (size_t)(last.p + last.len - first.p));
}

/* --- V1, V9: nothing came ------------------------------------------------------------------- */

/* The filter of q that is a condition on groups; SIZE_MAX: none. */
static size_t
group_filter(const struct ask_query *q)
{
	for (size_t i = 0; i < q->nfilters; i++)
		if (q->filters[i].groups)
			return i;
	return SIZE_MAX;
}

/* Whether the varied query has rows.  *known: false when it could not be run. */
static bool
has_rows_when(struct answer_check *v, unsigned which, const struct ask_query *q, struct brief_change change,
    bool *known, struct err *err, bool *stop)
{
	struct data_rows rows;

	/* A total ignores conditions on groups; lists have no total. */
	change.ungrouped = q->nmeasures > 0 &&
	    (group_filter(q) == SIZE_MAX || change.without == group_filter(q) || change.only != SIZE_MAX);
	*known = ask_again(v, which, q, &change, &rows, err, stop);
	return *known && !is_nothing(&(struct ask_query){ .ndimensions = 0 }, &rows);
}

static int
explain_nothing(struct answer_check *v, const struct ask_query *q, struct err *err)
{
	bool known, stop = false;
	size_t n = q->nfilters < RERUNS_MAX ? q->nfilters : RERUNS_MAX;

	note_check(v, V1, VERIFY_CAVEAT, NULL);
	for (size_t i = 0; i < n; i++) {
		struct span text = q->filters[i].sql;

		if (has_rows_when(v, V1, q, (struct brief_change){ .without = i, .only = SIZE_MAX }, &known, err,
			&stop))
			note_check(v, V1, VERIFY_CAVEAT,
			    "Nothing was found; without the condition %.*s there would be something.", SPAN_FMT(text));
		if (stop)
			return -1;
		if (!q->filters[i].literal)
			continue;
		note_check(v, V9, VERIFY_PASSED, NULL);
		if (!has_rows_when(v, V9, q, (struct brief_change){ .without = SIZE_MAX, .only = i, .no_window = true },
			&known, err, &stop) &&
		    known)
			note_check(v, V9, VERIFY_CAVEAT, "No row at all fulfils %.*s.", SPAN_FMT(text));
		if (stop)
			return -1;
	}
	if (q->window.field.len > 0 &&
	    has_rows_when(v, V1, q, (struct brief_change){ .without = SIZE_MAX, .only = SIZE_MAX, .no_window = true },
		&known, err, &stop))
		note_check(v, V1, VERIFY_CAVEAT,
		    "Nothing was found in this period; at other times there is something.");
	return stop ? -1 : 0;
}

static int
check_presence(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	if (is_nothing(q, r))
		return explain_nothing(v, q, err);
	note_check(v, V1, VERIFY_PASSED, NULL);
	for (size_t i = 0; i < q->nfilters; i++)
		if (q->filters[i].literal) /* rows that meet it were read */
			note_check(v, V9, VERIFY_PASSED, NULL);
	return 0;
}

/* --- V2, V3: what a row is -------------------------------------------------------------------- */

static void
check_grain(struct answer_check *v, const struct ask_query *q, const struct data_rows *r)
{
	struct span *keys;
	size_t n = q->ndimensions;

	if (n == 0) {
		if (r->nrows > 1)
			note_check(v, V2, VERIFY_FAILED, "One row was expected, and the query gave %zu.", r->nrows);
		else
			note_check(v, V2, VERIFY_PASSED, NULL);
		return;
	}
	keys = arena_array(v->arena, r->nrows + 1, sizeof(*keys));
	if (keys == NULL || r->ncolumns < n) {
		note_check(v, V2, VERIFY_UNVERIFIED, "The rows could not be checked for groups that occur twice.");
		return;
	}
	for (size_t row = 0; row < r->nrows; row++)
		keys[row] = keys_of(r, row, n);
	qsort(keys, r->nrows, sizeof(*keys), span_order);
	for (size_t row = 1; row < r->nrows; row++)
		if (span_is(keys[row - 1], keys[row])) {
			note_check(v, V2, VERIFY_FAILED, "A group occurs twice in the rows.");
			return;
		}
	note_check(v, V2, VERIFY_PASSED, NULL);
}

/* A list shows rows of the same name once: compare with their count. */
static int
check_names(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	struct brief_change change = { .ungrouped = true, .without = SIZE_MAX, .only = SIZE_MAX };
	struct ask_query count = *q;
	struct data_rows rows;
	bool stop = false;
	double n;

	if (q->rows.len == 0 || r->truncated)
		return 0;
	count.nmeasures = 1;
	count.measures[0] = (struct ask_measure){ .expr = q->rows, .name = SPAN("row_count") };
	if (!ask_again(v, V2, &count, &change, &rows, err, &stop))
		return stop ? -1 : 0;
	if (rows.nrows == 1 && rows.ncolumns == 1 && number_of(&rows, 0, 0, &n) && n > (double)r->nrows)
		note_check(v, V2, VERIFY_CAVEAT, "Several of them have the same %.*s; it is shown once.",
		    SPAN_FMT(q->dimensions[0].label));
	return 0;
}

static void
check_joins(struct answer_check *v, const struct data_rows *r)
{
	struct mp_value joins, join;
	struct mp_iter it;

	if (r->plan.class != MP_MAP || !mp_get(&r->plan, "joins", &joins) || joins.class != MP_ARRAY) {
		note_check(v, V3, VERIFY_UNVERIFIED,
		    "Whether a join counts rows twice could not be checked: the query has no plan.");
		return;
	}
	for (it = mp_iter(&joins); mp_next(&it, &join);) {
		struct span kind = mp_get_str(&join, "relationship", SPAN(""));

		if (span_is_str(kind, "many_to_one") || span_is_str(kind, "one_to_one"))
			continue;
		note_check(v, V3, VERIFY_FAILED, "The join from %.*s to %.*s could count rows twice.",
		    SPAN_FMT(mp_get_str(&join, "from", SPAN("?"))), SPAN_FMT(mp_get_str(&join, "to", SPAN("?"))));
		return;
	}
	note_check(v, V3, VERIFY_PASSED, NULL);
}

/* --- V4, V10: what has no value ---------------------------------------------------------------- */

/* The part of the figures without a key: of their sum if they are additive, else of the rows. */
static void
check_null_key(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, size_t key)
{
	double all = 0, none = 0, figure;
	bool by_sum = q->nmeasures > 0 && q->measures[0].additive;

	for (size_t row = 0; row < r->nrows; row++) {
		double weight = by_sum ? (number_of(r, row, q->ndimensions, &figure) ? fabs(figure) : 0) : 1;

		all += weight;
		none += data_cell(r, row, key)->class == MP_NIL ? weight : 0;
	}
	if (none > 0 && all > 0)
		note_check(v, V4, VERIFY_CAVEAT, "%s%.1f %% of %s %.*s.", none / all < 0.001 ? "Less than " : "",
		    fmax(100 * none / all, 0.1), by_sum ? "the total has no" : "the rows have no",
		    SPAN_FMT(q->dimensions[key].label));
}

static void
check_nulls(struct answer_check *v, const struct ask_query *q, const struct data_rows *r)
{
	note_check(v, V4, VERIFY_PASSED, NULL);
	for (size_t i = 0; i < q->ndimensions && i < r->ncolumns; i++)
		check_null_key(v, q, r, i);
	for (size_t i = 0; i < q->nmeasures && q->ndimensions + i < r->ncolumns; i++) {
		const struct ask_measure *m = &q->measures[i];
		size_t none = 0;

		for (size_t row = 0; row < r->nrows; row++)
			none += data_cell(r, row, q->ndimensions + i)->class == MP_NIL;
		if (m->ratio)
			note_check(v, V10, VERIFY_PASSED, NULL);
		if (none == 0 || is_empty(q, r))
			continue;
		if (m->ratio)
			note_check(v, V10, VERIFY_CAVEAT,
			    "%.*s has no value in %zu of %zu groups: its divisor is zero there.", SPAN_FMT(m->label),
			    none, r->nrows);
		else
			note_check(v, V4, VERIFY_CAVEAT, "%.*s has no value in %zu of %zu groups.", SPAN_FMT(m->label),
			    none, r->nrows);
	}
}

/* --- V5: sums -------------------------------------------------------------------------------- */

static bool
has_group_filter(const struct data_rows *r)
{
	struct mp_value filters, one;
	struct mp_iter it;

	if (r->plan.class != MP_MAP || !mp_get(&r->plan, "filters", &filters) || filters.class != MP_ARRAY)
		return false;
	for (it = mp_iter(&filters); mp_next(&it, &one);)
		if (span_is_str(mp_get_str(&one, "kind", SPAN("")), "group"))
			return true;
	return false;
}

/* The sums of all groups and of the groups with all keys. */
struct group_sums {
	double all, keyed;
	bool unvalued; /* some group has no figure */
};

static struct group_sums
sum_groups(const struct ask_query *q, const struct data_rows *r, size_t measure)
{
	struct group_sums s = { .unvalued = false };
	double figure;

	for (size_t row = 0; row < r->nrows; row++) {
		bool keyed = true;

		if (!number_of(r, row, q->ndimensions + measure, &figure)) {
			s.unvalued = true;
			continue;
		}
		for (size_t i = 0; i < q->ndimensions; i++)
			keyed &= data_cell(r, row, i)->class != MP_NIL;
		s.all += figure;
		s.keyed += keyed ? figure : 0;
	}
	return s;
}

static bool
is_sum(double sum, double whole)
{
	return fabs(sum - whole) <= SUM_TOLERANCE * fmax(1, fmax(fabs(sum), fabs(whole)));
}

static double
total_of(const struct data_rows *r, size_t measure)
{
	double whole = 0;

	if (r->nrows > 0 && measure < r->ncolumns)
		(void)number_of(r, 0, measure, &whole);
	return whole;
}

/* Query the rows without a key: an inner join to a group's source drops them. */
static bool
ask_keyless(struct answer_check *v, unsigned which, const struct ask_query *q, struct data_rows *out, struct err *err,
    bool *stop)
{
	struct brief_change change = { .ungrouped = true, .without = SIZE_MAX, .only = SIZE_MAX };
	struct ask_query keyless = *q;
	struct buf sql = { 0 };
	bool known;

	if (q->nfilters == ASK_FILTERS_MAX)
		return false;
	for (size_t i = 0; i < q->ndimensions; i++)
		buf_printf(&sql, "%s%.*s IS NULL", i > 0 ? " OR " : "", SPAN_FMT(q->dimensions[i].field));
	keyless.filters[keyless.nfilters++] =
	    (struct ask_filter){ .sql = span_str(arena_printf(v->arena, "(%s)", buf_cstr(&sql))) };
	buf_fini(&sql);
	known = ask_again(v, which, &keyless, &change, out, err, stop);
	return known && out->nrows == 1;
}

/*
 * Compare the sum of a measure's groups with its total.  A smaller sum is fine if rows lack a key, which is queried,
 * or if a group has no figure although its rows have a part of one (a difference with a missing side).
 */
static int
compare_sums(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, size_t measure,
    const struct data_rows *total, struct err *err)
{
	struct group_sums s = sum_groups(q, r, measure);
	struct span label = q->measures[measure].label;
	double whole = total_of(total, measure), rest;
	struct data_rows keyless;
	bool stop = false;

	if (is_sum(s.all, whole)) {
		note_check(v, V5, VERIFY_PASSED, NULL);
		return 0;
	}
	if (ask_keyless(v, V5, q, &keyless, err, &stop) && (rest = total_of(&keyless, measure)) != 0 &&
	    is_sum(s.keyed + rest, whole))
		note_check(v, V5, VERIFY_CAVEAT, "%.1f %% of %.*s has no %.*s and is in no group.",
		    fmax(100 * fabs(rest) / (fabs(rest) + fabs(s.keyed)), 0.1), SPAN_FMT(label),
		    SPAN_FMT(q->dimensions[0].label));
	else if (s.unvalued && !stop)
		note_check(v, V5, VERIFY_CAVEAT, "A group has no %.*s, so that the groups do not add up to its total.",
		    SPAN_FMT(label));
	else if (!stop)
		note_check(v, V5, VERIFY_FAILED, "The groups of %.*s do not add up to its total.", SPAN_FMT(label));
	return stop ? -1 : 0;
}

/*
 * Averages have no total to compare with.  Instead the rows without a key, which are in no group, are queried: if a
 * join drops them, the answer says so.
 */
static int
check_left_out(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	struct data_rows keyless;
	struct mp_value joins;
	bool stop = false;
	double rest;

	if (r->plan.class != MP_MAP || !mp_get(&r->plan, "joins", &joins) || joins.class != MP_ARRAY || joins.n == 0)
		return 0;
	for (size_t row = 0; row < r->nrows; row++)
		for (size_t i = 0; i < q->ndimensions; i++)
			if (data_cell(r, row, i)->class == MP_NIL)
				return 0;
	if (!ask_keyless(v, V4, q, &keyless, err, &stop))
		return stop ? -1 : 0;
	for (size_t i = 0; i < q->nmeasures && i < keyless.ncolumns; i++)
		if (!q->measures[i].additive && number_of(&keyless, 0, i, &rest) && rest != 0) {
			note_check(v, V4, VERIFY_CAVEAT,
			    "Rows without %.*s are in no group and not part of any group's %.*s.",
			    SPAN_FMT(q->dimensions[0].label), SPAN_FMT(q->measures[i].label));
			return 0;
		}
	return 0;
}

/* Whether the rows have the same keys and figures. */
static bool
is_same_group(const struct ask_query *q, const struct data_rows *a, size_t row, const struct data_rows *b, size_t other)
{
	double one, two;

	if (q->ndimensions == 0 || a->ncolumns != b->ncolumns || a->ncolumns <= q->ndimensions ||
	    !span_is(keys_of(a, row, q->ndimensions), keys_of(b, other, q->ndimensions)))
		return false;
	if (data_cell(a, row, q->ndimensions)->class == MP_NIL)
		return data_cell(b, other, q->ndimensions)->class == MP_NIL;
	return number_of(a, row, q->ndimensions, &one) && number_of(b, other, q->ndimensions, &two) && is_sum(one, two);
}

static int check_sums(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err);

/*
 * With a condition on groups, the sum of all groups is compared with the total; the shown groups must be among them
 * with the same figures.
 */
static int
check_group_sums(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	struct brief_change every = { .without = group_filter(q), .only = SIZE_MAX };
	struct ask_query all = *q;
	struct data_rows whole;
	size_t found = 0;
	bool stop = false;

	if (!ask_again(v, V5, q, &every, &whole, err, &stop))
		return stop ? -1 : 0;
	for (size_t row = 0, at = 0; row < r->nrows; row++) {
		while (at < whole.nrows && !is_same_group(q, r, row, &whole, at))
			at++;
		found += at < whole.nrows;
	}
	if (found < r->nrows && !whole.truncated) {
		note_check(v, V5, VERIFY_FAILED, "A group that was shown is not among all groups.");
		return 0;
	}
	memmove(&all.filters[every.without], &all.filters[every.without + 1],
	    (all.nfilters - every.without - 1) * sizeof(all.filters[0]));
	all.nfilters--;
	return check_sums(v, &all, &whole, err);
}

static int
check_sums(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	struct brief_change change = { .ungrouped = true, .without = SIZE_MAX, .only = SIZE_MAX };
	struct data_rows total;
	bool any = false, other = false, stop = false;

	if (group_filter(q) != SIZE_MAX)
		return check_group_sums(v, q, r, err);

	for (size_t i = 0; i < q->nmeasures; i++) {
		any = any || q->measures[i].additive;
		other = other || !q->measures[i].additive;
	}
	if (q->ndimensions == 0 || r->truncated || r->nrows == DATA_ROWS_MAX ||
	    (q->limit > 0 && r->nrows >= q->limit) || has_group_filter(r))
		return 0;
	if (other && check_left_out(v, q, r, err) != 0)
		return -1;
	if (!any)
		return 0;
	if (!ask_again(v, V5, q, &change, &total, err, &stop))
		return stop ? -1 : 0;
	for (size_t i = 0; i < q->nmeasures; i++)
		if (q->measures[i].additive && q->ndimensions + i < r->ncolumns &&
		    compare_sums(v, q, r, i, &total, err) != 0)
			return -1;
	return 0;
}

/* --- V6: time ---------------------------------------------------------------------------------- */

/* Compare the first ten characters, which are dates. */
static int
compare_days(struct span a, struct span b)
{
	return memcmp(a.p, b.p, 10);
}

static bool
day_of(const struct data_rows *r, size_t column, struct span *out)
{
	const struct mp_value *cell;

	if (r->nrows != 1 || column >= r->ncolumns)
		return false;
	cell = data_cell(r, 0, column);
	if (cell->class != MP_STR || cell->s.len < 10 || cell->s.p[4] != '-' || cell->s.p[7] != '-')
		return false;
	*out = span_of(cell->s.p, 10);
	return true;
}

/* Query the first and last day with data. */
static int
ask_extent(struct answer_check *v, const struct ask_query *q, struct span *first, struct span *last, bool *known,
    struct err *err)
{
	struct brief_change change = { .ungrouped = true, .without = SIZE_MAX, .only = SIZE_MAX, .no_window = true };
	struct ask_query extent = { .nmeasures = 2 };
	struct data_rows r;
	bool stop = false;

	extent.measures[0] = (struct ask_measure){ .name = SPAN("first_day"),
		.expr = span_str(arena_printf(v->arena, "min(%.*s)", SPAN_FMT(q->window.field))) };
	extent.measures[1] = (struct ask_measure){ .name = SPAN("last_day"),
		.expr = span_str(arena_printf(v->arena, "max(%.*s)", SPAN_FMT(q->window.field))) };
	*known = ask_again(v, V6, &extent, &change, &r, err, &stop) && day_of(&r, 0, first) && day_of(&r, 1, last);
	if (!*known && !stop && v->checks[V6].outcome != VERIFY_UNVERIFIED)
		note_check(v, V6, VERIFY_UNVERIFIED, NULL);
	return stop ? -1 : 0;
}

/* The last day before an exclusive end. */
static struct span
last_day(struct span end, char out[11])
{
	struct tm day = { .tm_isdst = 0 };
	char text[11];
	time_t t;

	memcpy(text, end.p, 10);
	text[10] = '\0';
	day.tm_year = (int)strtol(text, NULL, 10) - 1900;
	day.tm_mon = (int)strtol(text + 5, NULL, 10) - 1;
	day.tm_mday = (int)strtol(text + 8, NULL, 10) - 1;
	t = timegm(&day);
	gmtime_r(&t, &day);
	strftime(out, 11, "%Y-%m-%d", &day);
	return span_of(out, 10);
}

static int
check_window(struct answer_check *v, const struct ask_query *q, struct err *err)
{
	const struct ask_window *w = &q->window;
	struct span first, last, today = span_str(v->today);
	char end[11];
	bool known;

	if (w->field.len == 0 || (w->start.len < 10 && w->end.len < 10))
		return 0;
	if (ask_extent(v, q, &first, &last, &known, err) != 0)
		return -1;
	if (known)
		note_check(v, V6, VERIFY_PASSED, NULL);
	if (known && w->start.len >= 10 && compare_days(first, w->start) > 0)
		note_check(v, V6, VERIFY_CAVEAT, "The data begin on %.*s, later than the period.", SPAN_FMT(first));
	if (known && w->end.len >= 10 && compare_days(w->end, today) <= 0 &&
	    compare_days(last, last_day(w->end, end)) < 0)
		note_check(v, V6, VERIFY_CAVEAT, "The data end on %.*s, before the period does.", SPAN_FMT(last));
	if (w->end.len >= 10 && compare_days(w->end, today) > 0 &&
	    (w->start.len < 10 || compare_days(w->start, today) <= 0))
		note_check(v, V6, VERIFY_CAVEAT, "The period is not over on %s: these figures will still change.",
		    v->today);
	return 0;
}

/* --- V7, V8: how much was read -------------------------------------------------------------------- */

static void
check_truncation(struct answer_check *v, const struct data_rows *r)
{
	if (r->truncated)
		note_check(v, V7, VERIFY_CAVEAT, "There are more rows than these %zu.", r->nrows);
	else
		note_check(v, V7, VERIFY_PASSED, NULL);
}

/* Whether the row has the same figure as the row before it. */
static bool
shares_place(const struct ask_query *q, const struct data_rows *r, size_t row)
{
	double in, out;

	return row < r->nrows && r->ncolumns > q->ndimensions && number_of(r, row - 1, q->ndimensions, &in) &&
	    number_of(r, row, q->ndimensions, &out) && in == out;
}

/* V8: rows beyond the limit were read; one with the last row's figure shares its place, and is shown if ties are. */
static void
check_border(struct answer_check *v, const struct ask_query *q, struct data_rows *r)
{
	size_t shown = q->limit;

	if (q->limit == 0 || q->ndimensions == 0)
		return;
	while (q->ties && shown + 1 < q->limit + ASK_TIES_MAX && shares_place(q, r, shown))
		shown++;
	note_check(v, V8, VERIFY_PASSED, NULL);
	if (shares_place(q, r, shown))
		note_check(v, V8, VERIFY_CAVEAT,
		    "The last place is shared: a group that is not shown has the same figure.");
	if (r->nrows > shown)
		r->nrows = shown;
	r->truncated = false; /* the extra rows were the only ones requested */
}

/* --- all ---------------------------------------------------------------------------------------- */

static bool
is_same_window(const struct ask_window *a, const struct ask_window *b)
{
	return span_is(a->field, b->field) && span_is(a->start, b->start) && span_is(a->end, b->end);
}

int
verify_run(struct answer_check *v, struct err *err)
{
	for (size_t i = 0; i < v->brief->nqueries; i++) {
		const struct ask_query *q = &v->brief->queries[i];
		struct data_rows *r = &v->rows[i];

		check_border(v, q, r);
		check_truncation(v, r);
		check_grain(v, q, r);
		check_joins(v, r);
		check_nulls(v, q, r);
		if (check_names(v, q, r, err) != 0 || check_presence(v, q, r, err) != 0 ||
		    check_sums(v, q, r, err) != 0)
			return -1;
		if ((i == 0 || !is_same_window(&q->window, &v->brief->queries[i - 1].window)) &&
		    check_window(v, q, err) != 0)
			return -1;
	}
	return 0;
}

const struct verify_check *
verify_blocked(const struct answer_check *v)
{
	static const unsigned blocking[] = { V2, V3, V5 };

	for (size_t i = 0; i < sizeof(blocking) / sizeof(blocking[0]); i++)
		if (v->checks[blocking[i]].outcome == VERIFY_FAILED)
			return &v->checks[blocking[i]];
	return NULL;
}

void
verify_put(struct buf *out, const struct answer_check *v)
{
	static const char *const names[] = { "not_applicable", "passed", "caveat", "failed", "unverified" };

	mp_put_array(out, VERIFY_CHECKS);
	for (unsigned i = 0; i < VERIFY_CHECKS; i++) {
		char id[4];

		snprintf(id, sizeof(id), "V%u", i + 1);
		mp_put_map(out, v->checks[i].note.len > 0 ? 3 : 2);
		mp_pair_cstr(out, "id", id);
		mp_pair_cstr(out, "outcome", names[v->checks[i].outcome]);
		if (v->checks[i].note.len > 0)
			mp_pair_str(out, "note", v->checks[i].note);
	}
}
