#include <stdlib.h>

#include "workers/agent/verify/verify_order.h"

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

/* The numbers of texts among the cells of the column; *texts: how many cells are texts. */
static size_t
find_places(const struct data_rows *r, size_t column, struct place *places, size_t *texts)
{
	size_t numbers = 0;

	*texts = 0;
	for (size_t row = 0; row < r->nrows; row++) {
		const struct mp_value *cell = data_cell(r, row, column);
		struct decimal d = { 0 };
		bool text = cell->class == MP_STR, known = text && decimal_read(cell->s, &d);

		places[row] = (struct place){ .known = known, .number = known ? decimal_double(&d) : 0, .row = row };
		*texts += text;
		numbers += known;
	}
	return numbers;
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
	size_t by = ask_order_column(q), texts = 0, numbers, n = r->ncolumns;
	bool room;
	struct place *places = arena_array(v->arena, all->nrows, sizeof(*places));
	struct mp_value *cells = arena_array(v->arena, all->nrows * n, sizeof(*cells));

	room = places != NULL && cells != NULL && all->ncolumns == n;
	numbers = room ? find_places(all, by, places, &texts) : 0;
	if (room && 2 * numbers <= texts)
		return;
	if (!room || numbers < texts || all->truncated) {
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

int
verify_order(struct answer_check *v, const struct ask_query *q, struct data_rows *r, struct err *err)
{
	struct brief_change change = { .without = SIZE_MAX, .only = SIZE_MAX, .limit = DATA_ROWS_MAX };
	size_t by = ask_order_column(q);
	struct data_rows all = *r;
	bool stop = false;

	if (q->order_by.len == 0 || q->spelled || by >= q->ndimensions || by >= r->ncolumns || !has_text(r, by))
		return 0;
	if (q->limit > 0 && !verify_ask(v, V8, q, &change, &all, err, &stop))
		return stop ? -1 : 0;
	order_rows(v, q, r, &all);
	return 0;
}
