#include <stdlib.h>

#include "base/ascii.h"
#include "workers/agent/verify/verify_order.h"

#define UNIT_MAX 8u /* bytes; a longer word is no unit */

/* A row by the number that its text is; a row without a value is below all others. */
struct place {
	bool known;
	double number;
	size_t row;
};

static int
place_cmp(const void *one, const void *two)
{
	const struct place *a = one, *b = two;

	return a->known != b->known ? a->known - b->known : (a->number > b->number) - (a->number < b->number);
}

/* Rows of one number stay as they are. */
static int
place_up(const void *one, const void *two)
{
	const struct place *a = one, *b = two;
	int order = place_cmp(one, two);

	return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static int
place_down(const void *one, const void *two)
{
	return place_cmp(one, two) != 0 ? place_cmp(two, one) : place_up(one, two);
}

/* A text with a number in it: "70 kg", "$ 1,200", "3.5".  unit: what stands around the digits. */
struct amount {
	bool is, known; /* known: in one way only */
	struct decimal number;
	struct span before, behind;
};

static struct amount
read_amount(struct span text)
{
	struct amount a = { .is = false };
	size_t first = 0, end;

	if ((a.is = a.known = decimal_read(text, &a.number)))
		return a;
	while (first < text.len && !ascii_is_digit(text.p[first]) && text.p[first] != '-')
		first++;
	for (end = first + (first < text.len && text.p[first] == '-');
	     end < text.len && (ascii_is_digit(text.p[end]) || ascii_is_any(text.p[end], ".,"));)
		end++;
	a.before = span_trim(span_of(text.p, first));
	a.behind = span_trim(span_of(text.p + end, text.len - end));
	a.is = end > first && a.before.len + a.behind.len <= UNIT_MAX;
	for (size_t i = 0; i < a.behind.len; i++)
		a.is &= !ascii_is_digit(a.behind.p[i]) && !ascii_is_any(a.behind.p[i], " -/:");
	for (size_t i = 0; i < a.before.len; i++)
		a.is &= a.before.p[i] >= 0x80 || a.before.p[i] == '$';
	a.known = a.is && decimal_read(span_of(text.p + first, end - first), &a.number);
	return a;
}

/* What the column's texts are as numbers. */
struct texts {
	size_t n, amounts, known; /* known: in the unit of the first */
};

static struct texts
find_places(const struct data_rows *r, size_t column, struct place *places)
{
	struct texts t = { .n = 0 };
	struct amount unit;

	for (size_t row = 0; row < r->nrows; row++) {
		const struct mp_value *cell = data_cell(r, row, column);
		struct amount a = cell->class == MP_STR ? read_amount(cell->s) : (struct amount){ .is = false };

		unit = t.amounts == 0 ? a : unit;
		a.known &= span_is(a.before, unit.before) && span_is(a.behind, unit.behind);
		places[row] = (struct place){ a.known, a.known ? decimal_double(&a.number) : 0, row };
		t.n += cell->class == MP_STR;
		t.amounts += a.is;
		t.known += a.known;
	}
	return t;
}

static bool
has_text(const struct data_rows *r, size_t column)
{
	for (size_t row = 0; row < r->nrows; row++)
		if (data_cell(r, row, column)->class == MP_STR)
			return true;
	return false;
}

static void
order_rows(struct answer_check *v, const struct ask_query *q, struct data_rows *r, const struct data_rows *all)
{
	size_t by = ask_order_column(q), n = r->ncolumns;
	struct texts t = { .n = 0 };
	bool room;
	struct place *places = arena_array(v->arena, all->nrows, sizeof(*places));
	struct mp_value *cells = arena_array(v->arena, all->nrows * n, sizeof(*cells));

	room = places != NULL && cells != NULL && all->ncolumns == n;
	if (room)
		t = find_places(all, by, places);
	if (room && 2 * t.amounts <= t.n)
		return;
	if (!room || t.known < t.n || all->truncated) {
		verify_tell(v, V2, VERIFY_FAILED, CAVEAT_TEXT_ORDER, ARGS(q->dimensions[by].label));
		return;
	}
	qsort(places, all->nrows, sizeof(*places), q->descending ? place_down : place_up);
	for (size_t row = 0; row < all->nrows; row++)
		for (size_t i = 0; i < n; i++)
			cells[row * n + i] = *data_cell(all, places[row].row, i);
	r->cells = cells;
	r->nrows = all->nrows;
}

/* Texts of numbers in a further column of the order stand as texts: no answer, unless they are meant so. */
static void
check_then(struct answer_check *v, const struct ask_query *q, const struct data_rows *r)
{
	struct place *places = arena_array(v->arena, r->nrows + 1, sizeof(*places));

	for (size_t i = 0; i < q->nthen; i++)
		for (size_t k = 0; k < q->ndimensions && k < r->ncolumns; k++) {
			struct texts t;

			if (!span_is(q->dimensions[k].field, q->then[i].field) || !has_text(r, k))
				continue;
			t = places == NULL ? (struct texts){ 1, 1, 0 } : find_places(r, k, places);
			if (2 * t.amounts > t.n)
				verify_tell(v, V2, VERIFY_FAILED, CAVEAT_TEXT_ORDER, ARGS(q->dimensions[k].label));
		}
}

int
verify_order(struct answer_check *v, const struct ask_query *q, struct data_rows *r, struct err *err)
{
	struct brief_change change = { .without = SIZE_MAX, .only = SIZE_MAX, .limit = DATA_ROWS_MAX };
	size_t by = ask_order_column(q);
	struct data_rows all = *r;
	bool stop = false;

	check_then(v, q, r);
	if (q->order_by.len == 0 || q->spelled || by >= q->ndimensions || by >= r->ncolumns || !has_text(r, by))
		return 0;
	if (q->limit > 0 && !verify_ask(v, V8, q, &change, &all, err, &stop))
		return stop ? -1 : 0;
	order_rows(v, q, r, &all);
	return 0;
}
