#include <math.h>
#include <string.h>

#include "base/json/cell.h"
#include "workers/agent/verify/verify_sums.h"

#define SUM_TOLERANCE 1e-6 /* of doubles; the single ones among them have six digits */

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

/* A sum of figures: exact as long as they are decimals and integers of a length that fits. */
struct sum {
	struct decimal exact;
	double about, size; /* size: the sum of the absolute values */
	bool rounded;
};

static void
sum_add(struct sum *s, const struct mp_value *cell, double figure)
{
	struct decimal d;

	s->about += figure;
	s->size += fabs(figure);
	s->rounded =
	    s->rounded || cell->class == MP_FLOAT || !cell_decimal(cell, &d) || !decimal_add(&s->exact, &d, &s->exact);
}

static bool
is_sum(const struct sum *a, const struct sum *b)
{
	if (!a->rounded && !b->rounded)
		return a->exact.units == b->exact.units && a->exact.scale == b->exact.scale;
	return fabs(a->about - b->about) <= SUM_TOLERANCE * fmax(a->size, b->size);
}

/* The sums of all groups and of the groups with all keys. */
struct group_sums {
	struct sum all, keyed;
	bool unvalued, unreadable; /* some group has no figure, or one that is no number */
};

static struct group_sums
sum_groups(const struct ask_query *q, const struct data_rows *r, size_t measure)
{
	struct group_sums s = { .unvalued = false };
	size_t column = q->ndimensions + measure;
	double figure;

	for (size_t row = 0; row < r->nrows; row++) {
		enum verify_figure of = verify_figure(r, row, column, &figure);
		bool keyed = true;

		s.unvalued = s.unvalued || of == FIGURE_NONE;
		s.unreadable = s.unreadable || of == FIGURE_UNREADABLE;
		if (of != FIGURE_NUMBER)
			continue;
		for (size_t i = 0; i < q->ndimensions; i++)
			keyed = keyed && data_cell(r, row, i)->class != MP_NIL;
		sum_add(&s.all, data_cell(r, row, column), figure);
		if (keyed)
			sum_add(&s.keyed, data_cell(r, row, column), figure);
	}
	return s;
}

/* The figure of the only row; one without a value adds nothing.  False: there is no such number. */
static bool
total_of(const struct data_rows *r, size_t measure, struct sum *out)
{
	double figure;
	enum verify_figure of =
	    r->nrows == 1 && measure < r->ncolumns ? verify_figure(r, 0, measure, &figure) : FIGURE_UNREADABLE;

	*out = (struct sum){ .rounded = false };
	if (of == FIGURE_NUMBER)
		sum_add(out, data_cell(r, 0, measure), figure);
	return of != FIGURE_UNREADABLE;
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
	known = verify_ask(v, which, &keyless, &change, out, err, stop);
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
	struct sum whole, rest, both = s.keyed;
	struct data_rows keyless;
	bool stop = false;

	if (s.unreadable || !total_of(total, measure, &whole)) {
		verify_unreadable(v, V5, label);
		return 0;
	}
	if (is_sum(&s.all, &whole)) {
		verify_note(v, V5, VERIFY_PASSED);
		return 0;
	}
	if (ask_keyless(v, V5, q, &keyless, err, &stop) && total_of(&keyless, measure, &rest) && rest.about != 0) {
		sum_add(&both, data_cell(&keyless, 0, measure), rest.about);
		if (is_sum(&both, &whole)) {
			verify_tell(v, V5, VERIFY_CAVEAT, CAVEAT_IN_NO_GROUP,
			    ARGS(verify_part(v, rest.size / both.size), label, q->dimensions[0].label));
			return 0;
		}
	}
	if (stop)
		return -1;
	if (s.unvalued)
		verify_tell(v, V5, VERIFY_CAVEAT, CAVEAT_GROUP_VALUELESS, ARGS(label));
	else
		verify_tell(v, V5, VERIFY_FAILED, CAVEAT_NO_SUM, ARGS(label));
	return 0;
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
		if (!q->measures[i].additive && data_cell(&keyless, 0, i)->class != MP_NIL &&
		    (verify_figure(&keyless, 0, i, &rest) == FIGURE_UNREADABLE || rest != 0)) {
			verify_tell(v, V4, VERIFY_CAVEAT, CAVEAT_LEFT_OUT,
			    ARGS(q->dimensions[0].label, q->measures[i].label));
			return 0;
		}
	return 0;
}

/* Doubles of two queries may differ in their last digits. */
static bool
is_same_figure(const struct mp_value *a, const struct mp_value *b)
{
	double one, two;

	return cell_is(a, b) ||
	    (cell_number(a, &one) && cell_number(b, &two) &&
		fabs(one - two) <= SUM_TOLERANCE * fmax(fabs(one), fabs(two)));
}

/* Whether the rows have the same keys and figures. */
static bool
is_same_group(const struct ask_query *q, const struct data_rows *a, size_t row, const struct data_rows *b, size_t other)
{
	if (q->ndimensions == 0 || a->ncolumns != b->ncolumns || a->ncolumns <= q->ndimensions ||
	    !span_is(verify_keys(a, row, q->ndimensions), verify_keys(b, other, q->ndimensions)))
		return false;
	return is_same_figure(data_cell(a, row, q->ndimensions), data_cell(b, other, q->ndimensions));
}

/*
 * With a condition on groups, the sum of all groups is compared with the total; the shown groups must be among them
 * with the same figures.
 */
static int
check_group_sums(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	struct brief_change every = { .without = verify_group_filter(q), .only = SIZE_MAX };
	struct ask_query all = *q;
	struct data_rows whole;
	size_t found = 0;
	bool stop = false;

	if (!verify_ask(v, V5, q, &every, &whole, err, &stop))
		return stop ? -1 : 0;
	for (size_t row = 0, at = 0; row < r->nrows; row++) {
		while (at < whole.nrows && !is_same_group(q, r, row, &whole, at))
			at++;
		found += at < whole.nrows;
	}
	if (found < r->nrows && !whole.truncated) {
		verify_tell(v, V5, VERIFY_FAILED, CAVEAT_STRANGE_GROUP, NULL);
		return 0;
	}
	memmove(&all.filters[every.without], &all.filters[every.without + 1],
	    (all.nfilters - every.without - 1) * sizeof(all.filters[0]));
	all.nfilters--;
	return verify_sums(v, &all, &whole, err);
}

int
verify_sums(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	struct brief_change change = { .ungrouped = true, .without = SIZE_MAX, .only = SIZE_MAX };
	struct data_rows total;
	bool any = false, other = false, stop = false;

	if (verify_group_filter(q) != SIZE_MAX)
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
	if (!verify_ask(v, V5, q, &change, &total, err, &stop))
		return stop ? -1 : 0;
	for (size_t i = 0; i < q->nmeasures; i++)
		if (q->measures[i].additive && q->ndimensions + i < r->ncolumns &&
		    compare_sums(v, q, r, i, &total, err) != 0)
			return -1;
	return 0;
}
