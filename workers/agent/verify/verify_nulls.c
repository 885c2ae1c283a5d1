#include <math.h>

#include "base/ascii.h"
#include "workers/agent/verify/verify_nulls.h"

/* The part of the figures without a key: of their sum if they are additive, else of the rows. */
static void
check_null_key(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, size_t key)
{
	bool by_sum = q->nmeasures > 0 && q->measures[0].additive;
	double all = 0, none = 0;

	for (size_t row = 0; row < r->nrows; row++) {
		double weight = 1;

		switch (by_sum ? verify_figure(r, row, q->ndimensions, &weight) : FIGURE_NUMBER) {
		case FIGURE_NONE:
			continue;
		case FIGURE_UNREADABLE:
			verify_unreadable(v, V4, q->measures[0].label);
			return;
		default:
			all += fabs(weight);
			none += data_cell(r, row, key)->class == MP_NIL ? fabs(weight) : 0;
			break;
		}
	}
	if (none > 0 && all > 0)
		verify_tell(v, V4, VERIFY_CAVEAT, by_sum ? CAVEAT_TOTAL_KEYLESS : CAVEAT_ROWS_KEYLESS,
		    ARGS(verify_part(v, none / all), q->dimensions[key].label));
}

/* The text of a measure's definition, and the measures it is made of, in the plan. */
static bool
definition_of(const struct data_rows *r, size_t measure, struct span *expr, struct mp_value *from)
{
	struct mp_value list, one = { .class = MP_NIL };
	struct mp_iter it;

	if (r->plan.class != MP_MAP || !mp_get(&r->plan, "measures", &list) || list.class != MP_ARRAY)
		return false;
	it = mp_iter(&list);
	for (size_t i = 0; i <= measure; i++)
		if (!mp_next(&it, &one))
			return false;
	*expr = mp_get_str(&one, "expr", SPAN(""));
	return mp_get(&one, "derivedFrom", from);
}

/* What stands behind the division that is done last; empty: nothing is divided, or more is done with the quotient. */
static struct span
divisor_of(struct span expr, bool *divides)
{
	size_t depth = 0, found = SIZE_MAX;

	*divides = false;
	for (size_t i = 0; i < expr.len; i++) {
		uint8_t c = expr.p[i];

		if (c == '\'' || c == '"')
			return SPAN("");
		depth += c == '(';
		depth -= c == ')' && depth > 0;
		*divides = *divides || c == '/';
		if (depth == 0 && c == '/')
			found = i + 1;
		else if (depth == 0 && found != SIZE_MAX && ascii_is_any(c, "+-*%"))
			return SPAN("");
	}
	return found == SIZE_MAX ? SPAN("") : span_of(expr.p + found, expr.len - found);
}

/* The measure of the list whose own name this is. */
static struct span
measure_named(const struct mp_value *list, struct span name)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value one;

	while (mp_next(&it, &one))
		if (one.class == MP_STR && one.s.len > name.len && one.s.p[one.s.len - name.len - 1] == '.' &&
		    span_is(span_of(one.s.p + one.s.len - name.len, name.len), name))
			return one.s;
	return SPAN("");
}

static bool
is_letter(uint8_t c)
{
	return ascii_is_alnum(c) || c == '_';
}

/* The divisor as a query may ask for it: made of the model's measures alone.  Empty: it is made of something else. */
static struct span
qualify_divisor(struct arena *a, struct span divisor, const struct mp_value *from)
{
	struct buf out = { 0 };
	struct span text = SPAN("");
	bool known = divisor.len > 0;

	for (size_t i = 0, end; known && i < divisor.len; i = end) {
		for (end = i; end < divisor.len && is_letter(divisor.p[end]); end++)
			continue;
		if (end > i && !ascii_is_digit(divisor.p[i])) {
			struct span name = measure_named(from, span_of(divisor.p + i, end - i));

			known = name.len > 0;
			buf_span(&out, name);
		} else {
			end += end == i;
			buf_append(&out, divisor.p + i, end - i);
		}
	}
	if (known)
		text = arena_span(a, buf_view(&out));
	buf_fini(&out);
	return text;
}

/* The reason why a quotient has no value in some groups: its divisor is asked for there. */
static int
explain_quotient(struct answer_check *v, const struct ask_query *q, size_t measure, struct span divisor,
    enum caveat *reason, struct err *err)
{
	struct brief_change change = { .without = SIZE_MAX, .only = SIZE_MAX };
	struct ask_query query = *q;
	struct data_rows r;
	bool zero = false, missing = false, other = false;
	size_t n = q->ndimensions;
	double figure;

	*reason = CAVEAT_NO_QUOTIENT;
	if (divisor.len == 0)
		return 0;
	query.nmeasures = 2;
	query.measures[0] = q->measures[measure];
	query.measures[1] = (struct ask_measure){ .expr = divisor, .name = SPAN("its_divisor") };
	query.order_by = SPAN("");
	if (v->query(v->arg, &query, &change, &r, err) != 0)
		return v->may_go_on(v->arg, err) ? 0 : -1;
	for (size_t row = 0; row < r.nrows && r.ncolumns == n + 2; row++)
		if (data_cell(&r, row, n)->class == MP_NIL) {
			enum verify_figure of = verify_figure(&r, row, n + 1, &figure);

			zero = zero || (of == FIGURE_NUMBER && figure == 0);
			missing = missing || of == FIGURE_NONE;
			other = other || (of == FIGURE_NUMBER && figure != 0);
		}
	if (zero + missing + other == 1)
		*reason = zero ? CAVEAT_DIVISOR_ZERO : missing ? CAVEAT_DIVISOR_MISSING : CAVEAT_DIVIDEND_MISSING;
	return 0;
}

static int
check_measure(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, size_t i, struct err *err)
{
	const struct ask_measure *m = &q->measures[i];
	struct mp_value from = { .class = MP_NIL };
	struct span expr = SPAN(""), divisor;
	enum caveat reason = CAVEAT_NO_VALUE;
	bool divides = false;
	size_t none = 0;

	if (m->ratio && !definition_of(r, i, &expr, &from))
		verify_note(v, V10, VERIFY_UNVERIFIED);
	divisor = divisor_of(expr, &divides);
	if (divides)
		verify_note(v, V10, VERIFY_PASSED);
	for (size_t row = 0; row < r->nrows; row++)
		none += data_cell(r, row, q->ndimensions + i)->class == MP_NIL;
	if (none == 0 || verify_is_empty(q, r))
		return 0;
	if (divides && explain_quotient(v, q, i, qualify_divisor(v->arena, divisor, &from), &reason, err) != 0)
		return -1;
	verify_tell(v, divides ? V10 : V4, VERIFY_CAVEAT, reason,
	    ARGS(m->label, verify_count(v, none), verify_count(v, r->nrows)));
	return 0;
}

int
verify_nulls(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	verify_note(v, V4, VERIFY_PASSED);
	for (size_t i = 0; i < q->ndimensions && i < r->ncolumns && (i == 0 || !q->dimensions[i].identity); i++)
		check_null_key(v, q, r, i);
	for (size_t i = 0; i < q->nmeasures && q->ndimensions + i < r->ncolumns; i++)
		if (check_measure(v, q, r, i, err) != 0)
			return -1;
	return 0;
}
