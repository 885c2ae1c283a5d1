/* sheet.c - see sheet.h. */
#include <math.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text/num.h"
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

bool
sheet_number(const struct mp_value *cell, double *out)
{
	if (cell->class == MP_STR)
		return json_is_number(cell->s) && num_read_double((const char *)cell->s.p, cell->s.len, out);
	if (!mp_is_number(cell))
		return false;
	*out = mp_number(cell);
	return isfinite(*out);
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
	struct buf bytes = { .max = 16 };
	struct mp_value cell;

	if (!isfinite(v))
		mp_put_nil(&bytes);
	else if (v == floor(v) && fabs(v) < 9007199254740992.0)
		mp_put_int(&bytes, (int64_t)v);
	else
		mp_put_double(&bytes, v);
	cell = cell_of(a, &bytes);
	buf_fini(&bytes);
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
sheet_put_key(struct buf *out, const struct mp_value *cell)
{
	if (cell->class == MP_STR)
		buf_span(out, cell->s);
	else if (cell->class == MP_NIL)
		buf_str(out, "(none)");
	else
		json_write_cell(out, cell);
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

void
sheet_put(struct buf *out, const struct sheet *t)
{
	mp_put_map(out, 4);
	mp_put_cstr(out, "headers");
	mp_put_array(out, t->ncolumns);
	for (size_t i = 0; i < t->ncolumns; i++)
		mp_put_str(out, t->columns[i].name);
	mp_put_cstr(out, "data");
	mp_put_array(out, t->nrows);
	for (size_t row = 0; row < t->nrows; row++) {
		mp_put_array(out, t->ncolumns);
		for (size_t i = 0; i < t->ncolumns; i++)
			buf_span(out, sheet_cell(t, row, i)->raw);
	}
	mp_pair_uint(out, "rowCount", t->nrows);
	mp_pair_bool(out, "truncated", t->truncated);
}
