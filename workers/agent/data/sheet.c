#include <math.h>
#include <string.h>

#include "base/json/cell.h"
#include "base/text/locale_text.h"
#include "base/text/parameter_types.h"
#include "workers/agent/data/sheet.h"

struct sheet *
sheet_new(struct arena *a, size_t ncolumns, size_t nrows)
{
	struct sheet *t = arena_alloc(a, sizeof(*t));
	size_t n = ncolumns * nrows;

	if (t == NULL || ncolumns > SHEET_COLUMNS_MAX)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->ncolumns = ncolumns;
	t->nrows = nrows;
	if ((t->cells = arena_array(a, n > 0 ? n : 1, sizeof(*t->cells))) == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++)
		t->cells[i] = (struct mp_value){ .class = MP_NIL, .raw = SPAN("\xc0") };
	return t;
}

static struct mp_value
cell_of(struct arena *a, const struct buf *bytes)
{
	struct mp_value v = { .class = MP_NIL, .raw = SPAN("\xc0") };
	struct span kept = arena_span(a, buf_view(bytes));

	if (kept.p != NULL)
		(void)mp_value(kept, &v);
	return v;
}

struct mp_value
sheet_figure(struct arena *a, double v)
{
	struct decimal d;

	return decimal_of_double(v, &d) ? sheet_decimal(a, &d) :
					  (struct mp_value){ .class = MP_NIL, .raw = SPAN("\xc0") };
}

struct mp_value
sheet_decimal(struct arena *a, const struct decimal *d)
{
	struct buf bytes = { 0 }, digits = { 0 };
	struct mp_value cell;

	decimal_put(&digits, d);
	mp_put_array(&bytes, 1);
	mp_put_str(&bytes, buf_view(&digits));
	cell = cell_of(a, &bytes);
	buf_fini(&bytes);
	buf_fini(&digits);
	return cell;
}

struct mp_value
sheet_text(struct arena *a, struct span text)
{
	struct buf bytes = { .max = 1u << 20 };
	struct mp_value cell;

	mp_put_str(&bytes, text);
	cell = cell_of(a, &bytes);
	buf_fini(&bytes);
	return cell;
}

void
sheet_put_key(struct buf *out, const struct sheet *t, size_t row, size_t column, bool brief)
{
	const struct mp_value *cell = sheet_cell(t, row, column);
	const struct sheet_column *c = &t->columns[column];

	if (cell->class == MP_NIL)
		buf_str(out, t->german ? "(ohne)" : "(none)");
	else if (cell->class == MP_STR && cell->s.len == 0)
		buf_str(out, t->german ? "(leer)" : "(empty)");
	else if (cell->class == MP_STR &&
	    (c->role == SHEET_TIME || (t->german && parameter_fits(PARAMETER_DATE, cell->s))))
		locale_put_period(out, cell->s, c->granularity, t->german, brief);
	else
		cell_put_text(out, cell);
	if (c->key > 0 && sheet_cell(t, row, c->key)->class != MP_NIL) {
		buf_str(out, " (");
		cell_put_text(out, sheet_cell(t, row, c->key));
		buf_byte(out, ')');
	}
}

bool
sheet_is_ordered(const struct sheet *t, size_t column)
{
	double v;

	if (t->columns[column].role == SHEET_TIME)
		return true;
	if (t->columns[column].names)
		return false;
	for (size_t row = 0; row < t->nrows; row++) {
		const struct mp_value *cell = sheet_cell(t, row, column);

		if (cell->class != MP_NIL && !cell_number(cell, &v))
			return false;
	}
	return true;
}

void
sheet_note_fractions(struct sheet *t)
{
	double v;

	for (size_t i = 0; i < t->nrows * t->ncolumns; i++)
		if (cell_number(&t->cells[i], &v) && isfinite(v) && v != floor(v))
			t->columns[i % t->ncolumns].fractions = true;
}

size_t
sheet_column_of(const struct sheet *t, enum sheet_role role, size_t after)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (t->columns[i].role == role && after-- == 0)
			return i;
	return t->ncolumns;
}

size_t
sheet_count(const struct sheet *t, enum sheet_role role)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumns; i++)
		n += t->columns[i].role == role;
	return n;
}

static void
put_cell(struct buf *out, const struct mp_value *cell)
{
	struct decimal d;

	if (cell->class == MP_FLOAT && decimal_of_double(cell->f, &d))
		mp_put_double(out, decimal_double(&d));
	else
		cell_put_value(out, cell);
}

void
sheet_put(struct buf *out, const struct sheet *t)
{
	size_t map = mp_open_map(out);

	mp_pair_array(out, "headers", t->ncolumns);
	for (size_t i = 0; i < t->ncolumns; i++)
		mp_put_str(out, t->columns[i].name);
	mp_pair_array(out, "data", t->nrows);
	for (size_t row = 0; row < t->nrows; row++) {
		mp_put_array(out, t->ncolumns);
		for (size_t i = 0; i < t->ncolumns; i++)
			put_cell(out, sheet_cell(t, row, i));
	}
	mp_add_pairs(out, mp_uint("rowCount", t->nrows), mp_bool("truncated", t->truncated));
	mp_end(out, map);
}
