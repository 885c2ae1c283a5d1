/* verify_answer.c - see verify_answer.h: V1 to V3 and V7 to V9, and the order of all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/text_question.h"
#include "base/json/cell.h"
#include "workers/agent/verify/verify_nulls.h"
#include "workers/agent/verify/verify_order.h"
#include "workers/agent/verify/verify_sums.h"
#include "workers/agent/verify/verify_window.h"

#define RERUNS_MAX 6u /* conditions that are left out in turn to explain an empty answer */

/* Whether all figures, in the columns from `first` on, are null, or counts of nothing: a sum of 0 is something. */
static bool
is_nothing(const struct ask_query *q, size_t first, const struct data_rows *r)
{
	double v;

	for (size_t row = 0; row < r->nrows; row++)
		for (size_t i = first; i < r->ncolumns; i++)
			if (verify_figure(r, row, i, &v) == FIGURE_UNREADABLE ||
			    (data_cell(r, row, i)->class != MP_NIL &&
				(v != 0 || i - first >= q->nmeasures || !q->measures[i - first].counts)))
				return false;
	return r->ncolumns > first || r->nrows == 0;
}

/* Whether the varied query has rows.  *known: false when it could not be run. */
static bool
has_rows_when(struct answer_check *v, unsigned which, const struct ask_query *q, struct brief_change change,
    bool *known, struct err *err, bool *stop)
{
	struct data_rows rows;

	/* A total ignores conditions on groups; lists have no total. */
	change.ungrouped = q->nmeasures > 0 &&
	    (verify_group_filter(q) == SIZE_MAX || change.without == verify_group_filter(q) || change.only != SIZE_MAX);
	*known = verify_ask(v, which, q, &change, &rows, err, stop);
	return *known && !is_nothing(q, change.ungrouped ? 0 : q->ndimensions, &rows);
}

/* The condition as it is told: a German one in words. */
static struct span
condition_text(struct answer_check *v, const struct ask_filter *f)
{
	struct span how = ask_operator(f->operator, true), out;
	struct buf text = { 0 };

	if (!v->brief->german)
		return f->sql;
	buf_printf(&text, "%.*s%s%.*s%s%.*s", SPAN_FMT(f->field), f->field.len > 0 ? " " : "", SPAN_FMT(how),
	    f->value.len > 0 ? " " : "", SPAN_FMT(f->value));
	out = arena_span(v->arena, buf_view(&text));
	buf_fini(&text);
	return out;
}

static int
explain_nothing(struct answer_check *v, const struct ask_query *q, struct err *err)
{
	bool known, stop = false;
	size_t n = q->nfilters < RERUNS_MAX ? q->nfilters : RERUNS_MAX;

	verify_note(v, V1, VERIFY_CAVEAT);
	for (size_t i = 0; i < n; i++) {
		struct span text = condition_text(v, &q->filters[i]);

		if (has_rows_when(v, V1, q, (struct brief_change){ .without = i, .only = SIZE_MAX }, &known, err,
			&stop))
			verify_tell(v, V1, VERIFY_CAVEAT, CAVEAT_WITHOUT_FILTER, ARGS(text));
		if (stop)
			return -1;
		if (!q->filters[i].literal)
			continue;
		verify_note(v, V9, VERIFY_PASSED);
		if (!has_rows_when(v, V9, q, (struct brief_change){ .without = SIZE_MAX, .only = i, .no_window = true },
			&known, err, &stop) &&
		    known)
			verify_tell(v, V9, VERIFY_CAVEAT, CAVEAT_NO_ROW, ARGS(text));
		if (stop)
			return -1;
	}
	if (q->window.field.len > 0 &&
	    has_rows_when(v, V1, q, (struct brief_change){ .without = SIZE_MAX, .only = SIZE_MAX, .no_window = true },
		&known, err, &stop))
		verify_tell(v, V1, VERIFY_CAVEAT, CAVEAT_OTHER_TIMES, NULL);
	return stop ? -1 : 0;
}

static int
check_presence(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	if (is_nothing(q, q->ndimensions, r))
		return explain_nothing(v, q, err);
	verify_note(v, V1, VERIFY_PASSED);
	for (size_t i = 0; i < q->nfilters; i++)
		if (q->filters[i].literal) /* rows that meet it were read */
			verify_note(v, V9, VERIFY_PASSED);
	return 0;
}

enum grain { GRAIN_HOLDS, GRAIN_TWICE, GRAIN_UNKNOWN };

/* Whether the columns before the n-th, from `first` on, tell the rows apart. */
static enum grain
grain_of(struct arena *a, const struct data_rows *r, size_t first, size_t n)
{
	struct span *keys = arena_array(a, r->nrows + 1, sizeof(*keys));

	if (keys == NULL || r->ncolumns < n)
		return GRAIN_UNKNOWN;
	for (size_t row = 0; row < r->nrows; row++) {
		struct span whole = verify_keys(r, row, n);
		const uint8_t *begin = data_cell(r, row, first)->raw.p;

		keys[row] = span_of(begin, whole.len - (size_t)(begin - whole.p));
	}
	qsort(keys, r->nrows, sizeof(*keys), span_order);
	for (size_t row = 1; row < r->nrows; row++)
		if (span_is(keys[row - 1], keys[row]))
			return GRAIN_TWICE;
	return GRAIN_HOLDS;
}

/* Of a list, the key may also come first, where the rows are only known by what they lead to. */
void
verify_hide_keys(struct arena *a, struct ask_query *q, struct data_rows *r)
{
	size_t n = q->ndimensions, first = 0, name, end;

	while (n > 0 && q->dimensions[n - 1].identity)
		n--;
	while (q->nmeasures == 0 && first < n && q->dimensions[first].identity)
		first++;
	/* two of one name are told apart in a list, whatever else is shown of them */
	for (name = first; q->nmeasures == 0 && name < n && !q->dimensions[name].keyed;)
		name++;
	for (end = name; end < n && q->dimensions[end].keyed;)
		end++;
	if (q->nmeasures > 0 || name == n) {
		name = first;
		end = n;
	}
	if (n == 0 || (n == q->ndimensions && first == 0) || grain_of(a, r, name, end) != GRAIN_HOLDS)
		return;
	data_drop(r, n, q->ndimensions);
	data_drop(r, 0, first);
	q->ndimensions = n - first;
	memmove(q->dimensions, q->dimensions + first, q->ndimensions * sizeof(q->dimensions[0]));
}

static void
check_grain(struct answer_check *v, const struct ask_query *q, const struct data_rows *r)
{
	size_t n = q->ndimensions;
	enum grain grain;

	if (n == 0) {
		if (r->nrows > 1)
			verify_tell(v, V2, VERIFY_FAILED, CAVEAT_SEVERAL_ROWS, ARGS(verify_count(v, r->nrows)));
		else
			verify_note(v, V2, VERIFY_PASSED);
		return;
	}
	grain = grain_of(v->arena, r, 0, n);
	if (grain == GRAIN_HOLDS)
		verify_note(v, V2, VERIFY_PASSED);
	else
		verify_tell(v, V2, grain == GRAIN_TWICE ? VERIFY_FAILED : VERIFY_UNVERIFIED,
		    grain == GRAIN_TWICE ? CAVEAT_GROUP_TWICE : CAVEAT_NO_ROOM, NULL);
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
	if (!verify_ask(v, V2, &count, &change, &rows, err, &stop))
		return stop ? -1 : 0;
	if (rows.nrows != 1 || rows.ncolumns != 1 || verify_figure(&rows, 0, 0, &n) != FIGURE_NUMBER)
		verify_unreadable(v, V2, count.measures[0].name);
	else if (n > (double)r->nrows)
		verify_tell(v, V2, VERIFY_CAVEAT, CAVEAT_SAME_NAME, ARGS(q->dimensions[0].label));
	return 0;
}

static void
check_joins(struct answer_check *v, const struct data_rows *r)
{
	struct mp_value joins, join;
	struct mp_iter it;

	if (r->plan.class != MP_MAP || !mp_get(&r->plan, "joins", &joins) || joins.class != MP_ARRAY) {
		verify_tell(v, V3, VERIFY_UNVERIFIED, CAVEAT_NO_PLAN, NULL);
		return;
	}
	for (it = mp_iter(&joins); mp_next(&it, &join);) {
		struct span kind = mp_get_str(&join, "relationship", SPAN(""));

		if (span_is_str(kind, "many_to_one") || span_is_str(kind, "one_to_one"))
			continue;
		verify_tell(v, V3, VERIFY_FAILED, CAVEAT_FAN_OUT,
		    ARGS(mp_get_str(&join, "from", SPAN("?")), mp_get_str(&join, "to", SPAN("?"))));
		return;
	}
	verify_note(v, V3, VERIFY_PASSED);
}

static void
check_truncation(struct answer_check *v, const struct data_rows *r)
{
	if (r->truncated)
		verify_tell(v, V7, VERIFY_CAVEAT, CAVEAT_MORE_ROWS, ARGS(verify_count(v, r->nrows)));
	else
		verify_note(v, V7, VERIFY_PASSED);
}

/* Whether the row has the same value as the row before it in what the rows are ordered by. */
static bool
shares_place(const struct ask_query *q, const struct data_rows *r, size_t row)
{
	size_t by = ask_order_column(q);

	return row < r->nrows && r->ncolumns > by && data_cell(r, row, by)->class != MP_NIL &&
	    cell_is(data_cell(r, row - 1, by), data_cell(r, row, by));
}

/* Whether the cell names nothing: null, or an empty text. */
static bool
is_nameless(const struct mp_value *cell)
{
	return cell->class == MP_NIL || (cell->class == MP_STR && cell->s.len == 0);
}

/*
 * The first dimension without a name in that row, whose group then has no rank; q->ndimensions if all have one.  A
 * group whose key is known is a thing, with or without a name.
 */
static size_t
unnamed_dimension(const struct ask_query *q, const struct data_rows *r, size_t row)
{
	size_t key = 0;

	while (key < q->ndimensions && !q->dimensions[key].identity)
		key++;
	for (size_t i = 0; i < q->ndimensions && !q->dimensions[i].identity; i++) {
		bool keyed = q->dimensions[i].keyed && key < q->ndimensions;

		if (is_nameless(data_cell(r, row, i)) && !(keyed && !is_nameless(data_cell(r, row, key))))
			return i;
		key += keyed;
	}
	return q->ndimensions;
}

/* "Which insurer has the fewest patients" asks for an insurer: take out the groups without a name, and tell. */
static void
drop_unranked(struct answer_check *v, const struct ask_query *q, struct data_rows *r)
{
	size_t n = 0, unnamed = 0;

	for (size_t row = 0; row < r->nrows; row++) {
		size_t at = unnamed_dimension(q, r, row);

		if (at == q->ndimensions)
			memmove(&r->cells[n++ * r->ncolumns], data_cell(r, row, 0), r->ncolumns * sizeof(*r->cells));
		else
			unnamed = at;
	}
	if (n < r->nrows)
		verify_tell(v, V4, VERIFY_CAVEAT, CAVEAT_UNRANKED, ARGS(q->dimensions[unnamed].label));
	r->nrows = n;
}

/* A group's name, and what all its spellings are. */
struct spelling {
	struct span name, folded;
};

static int
spelling_order(const void *one, const void *two)
{
	return span_cmp(((const struct spelling *)one)->folded, ((const struct spelling *)two)->folded);
}

/* "AG" and "ag" are two groups of one value: their figures are told as they are, and have no place in a ranking. */
static void
check_spellings(struct answer_check *v, const struct ask_query *q, const struct data_rows *r)
{
	struct spelling *keys = arena_array(v->arena, r->nrows + 1, sizeof(*keys));
	size_t n = 0;

	if (q->nmeasures == 0 || q->ndimensions != 1 || q->dimensions[0].keyed || q->dimensions[0].key || keys == NULL)
		return;
	for (size_t row = 0; row < r->nrows; row++)
		if (data_cell(r, row, 0)->class == MP_STR) {
			keys[n].name = data_cell(r, row, 0)->s;
			keys[n].folded = ask_folded(v->arena, span_trim(keys[n].name));
			n++;
		}
	qsort(keys, n, sizeof(*keys), spelling_order);
	for (size_t i = 1; i < n; i++)
		if (span_is(keys[i - 1].folded, keys[i].folded)) {
			verify_tell(v, V2, q->limit > 0 ? VERIFY_FAILED : VERIFY_CAVEAT, CAVEAT_SPELLINGS,
			    ARGS(keys[i - 1].name, keys[i].name));
			return;
		}
}

/* V8: rows beyond the limit were read; one with the last row's figure shares its place, and is shown if ties are. */
static void
check_border(struct answer_check *v, const struct ask_query *q, struct data_rows *r)
{
	size_t shown = q->limit;

	if (q->limit == 0 || q->ndimensions == 0)
		return;
	if (q->nmeasures > 0 && r->ncolumns > q->ndimensions)
		drop_unranked(v, q, r);
	while (q->ties && shown + 1 < q->limit + ASK_TIES_MAX && shares_place(q, r, shown))
		shown++;
	verify_note(v, V8, VERIFY_PASSED);
	if (shares_place(q, r, shown))
		verify_tell(v, V8, VERIFY_CAVEAT, CAVEAT_SHARED_PLACE, NULL);
	r->truncated &= r->nrows < shown; /* the extra rows were the only ones requested */
	if (r->nrows > shown)
		r->nrows = shown;
}

static bool
is_same_window(const struct ask_query *q, const struct ask_query *other)
{
	struct ask_window a = verify_window_of(q), b = verify_window_of(other);

	return span_is(a.field, b.field) && span_is(a.start, b.start) && span_is(a.end, b.end);
}

/* A figure of "Ada Stern" is of all who are called so, which is told; a list or a number of them shows it itself. */
static int
check_named(struct answer_check *v, const struct ask_named *named, struct err *err)
{
	const struct ask_query *first = &v->brief->queries[0];
	struct ask_query count = { .nmeasures = 1, .nfilters = 1, .no_empty = true };
	struct data_rows rows;
	bool stop = false;
	double n;

	if (named->root && (first->nmeasures == 0 || first->measures[0].rows))
		return 0;
	count.measures[0] = (struct ask_measure){ .expr = named->rows, .name = SPAN("row_count") };
	count.filters[0] = (struct ask_filter){ .sql = named->filter };
	if (!verify_ask(v, V9, &count, NULL, &rows, err, &stop))
		return stop ? -1 : 0;
	if (rows.nrows == 1 && rows.ncolumns == 1 && verify_figure(&rows, 0, 0, &n) == FIGURE_NUMBER &&
	    n > (double)named->expected)
		verify_tell(v, V9, VERIFY_CAVEAT, CAVEAT_SAME_NAMED,
		    ARGS(verify_count(v, (size_t)n), named->label, named->value));
	return 0;
}

int
verify_run(struct answer_check *v, struct err *err)
{
	for (size_t i = 0; i < v->brief->nnamed; i++)
		if (check_named(v, &v->brief->named[i], err) != 0)
			return -1;
	for (size_t i = 0; i < v->brief->nqueries; i++) {
		const struct ask_query *q = &v->brief->queries[i];
		struct data_rows *r = &v->rows[i];

		if (verify_order(v, q, r, err) != 0)
			return -1;
		check_spellings(v, q, r);
		check_border(v, q, r);
		check_truncation(v, r);
		check_grain(v, q, r);
		check_joins(v, r);
		if (verify_nulls(v, q, r, err) != 0 || check_names(v, q, r, err) != 0 ||
		    check_presence(v, q, r, err) != 0 || verify_sums(v, q, r, err) != 0)
			return -1;
		if ((i == 0 || !is_same_window(q, &v->brief->queries[i - 1])) && verify_window(v, q, err) != 0)
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
		mp_put_pairs(out, mp_cstr("id", id), mp_cstr("outcome", names[v->checks[i].outcome]),
		    mp_when(v->checks[i].note.len > 0, mp_str("note", v->checks[i].note)));
	}
}
