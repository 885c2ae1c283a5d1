#include <stdlib.h>
#include <string.h>

#include "base/json/cell.h"
#include "base/json/json_write.h"
#include "base/mem.h"
#include "base/mp.h"
#include "front/calls/export_rows.h"

static const struct {
	const char *ending, *type;
} formats[EXPORT_FORMATS] = {
	[EXPORT_CSV] = { "csv", "text/csv; charset=utf-8; header=present" },
	[EXPORT_JSONL] = { "jsonl", "application/jsonl" },
	[EXPORT_PARQUET] = { "parquet", "application/vnd.apache.parquet" },
};

enum export_format
export_format_named(struct span ending)
{
	unsigned i = 0;

	while (i < EXPORT_FORMATS && !span_is_str(ending, formats[i].ending))
		i++;
	return (enum export_format)i;
}

const char *
export_format_ending(enum export_format format)
{
	return formats[format].ending;
}

const char *
export_format_type(enum export_format format)
{
	return formats[format].type;
}

static bool
needs_quotes(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] == ',' || text.p[i] == '"' || text.p[i] == '\n' || text.p[i] == '\r')
			return true;
	return text.len == 0;
}

static void
put_csv_text(struct buf *out, struct span text)
{
	if (needs_quotes(text))
		buf_quoted(out, text, '"');
	else
		buf_span(out, text);
}

/*
 * A map is bytes, {"base64": …}, or a value that was cut, written as JSON to be seen.  A double is written with the
 * shortest digits that read back as it; json_write_cell() puts quotes around a number that JSON cannot hold.
 */
static void
put_csv_other(struct buf *out, const struct mp_value *cell)
{
	struct buf text = { .max = 0 };
	struct span digits;
	struct mp_value bytes;

	if (cell->class == MP_MAP && cell->n == 1 && mp_get(cell, "base64", &bytes) && bytes.class == MP_STR)
		buf_span(&text, bytes.s);
	else if (cell_digits(cell, &digits))
		buf_span(&text, digits);
	else
		json_write_cell(&text, cell);
	if (mp_is_number(cell) && text.p[0] == '"')
		put_csv_text(out, span_of(text.p + 1, text.len - 2));
	else
		put_csv_text(out, buf_view(&text));
	buf_fini(&text);
}

/* alone: the row has no other cell, and an empty line would be no row. */
static void
put_csv_cell(struct buf *out, const struct mp_value *cell, bool alone)
{
	switch (cell->class) {
	case MP_NIL:
		buf_str(out, alone ? "\"\"" : "");
		break;
	case MP_STR:
		put_csv_text(out, cell->s);
		break;
	case MP_UINT:
		buf_uint(out, cell->u);
		break;
	default:
		put_csv_other(out, cell);
		break;
	}
}

static void
put_csv_row(struct buf *out, const struct mp_value *row)
{
	struct mp_iter it = mp_iter(row);
	struct mp_value cell;

	for (size_t i = 0; mp_next(&it, &cell); i++) {
		if (i > 0)
			buf_byte(out, ',');
		put_csv_cell(out, &cell, row->n == 1);
	}
	buf_str(out, "\r\n");
}

static void
put_json_row(const struct export_rows *e, struct buf *out, const struct mp_value *row)
{
	struct mp_iter it = mp_iter(row);
	struct mp_value cell;
	size_t at = 0;

	if (e->n == 0)
		buf_byte(out, '{');
	for (size_t i = 0; i < e->n && mp_next(&it, &cell); at = e->ends[i++]) {
		buf_append(out, e->keys.p + at, e->ends[i] - at);
		json_write_cell(out, &cell);
	}
	buf_str(out, "}\n");
}

/* Whether a column before this one is called so, as its key is written. */
static bool
is_taken(const struct export_rows *e, size_t i, struct span key)
{
	for (size_t k = 0, at = 0; k < i; at = e->ends[k++]) {
		struct span other = span_of(e->keys.p + at + 1, e->ends[k] - at - 1);

		if (span_is(other, key))
			return true;
	}
	return false;
}

/*
 * A name that is taken gets the column's number, repeated until the key is free.  A name can collide with the numbered
 * names of one column only, so all columns together need at most two tries each.
 */
static void
put_key(struct export_rows *e, size_t i, struct span name)
{
	struct buf text = { .max = 0 }, key = { .max = 0 };

	buf_span(&text, name);
	for (bool taken = true; taken; taken = is_taken(e, i, buf_view(&key))) {
		if (key.len > 0)
			buf_printf(&text, "_%zu", i + 1);
		buf_reset(&key, 4096);
		json_write_string(&key, buf_view(&text));
		buf_byte(&key, ':');
	}
	buf_byte(&e->keys, i == 0 ? '{' : ',');
	buf_span(&e->keys, buf_view(&key));
	e->ends[i] = e->keys.len;
	buf_fini(&text);
	buf_fini(&key);
}

static bool
take_names(struct export_rows *e, const struct mp_value *row, struct buf *out)
{
	struct mp_iter it = mp_iter(row);
	struct mp_value name;

	e->named = true;
	e->n = row->n;
	if (e->format == EXPORT_CSV) {
		put_csv_row(out, row);
		return true;
	}
	e->ends = mem_new(row->n + 1, sizeof(*e->ends));
	for (size_t i = 0; mp_next(&it, &name); i++) {
		if (name.class != MP_STR)
			return false;
		put_key(e, i, name.s);
	}
	return true;
}

/* A piece of a Parquet file. */
static bool
put_piece(struct export_rows *e, const struct mp_value *row, struct buf *out)
{
	struct mp_iter it = mp_iter(row);
	struct mp_value rows, bytes;

	if (!mp_next(&it, &rows) || !mp_next(&it, &bytes) || row->n != 2 || rows.class != MP_UINT ||
	    bytes.class != MP_BIN)
		return false;
	buf_span(out, bytes.s);
	e->rows += rows.u;
	return true;
}

bool
export_rows_put(struct export_rows *e, struct span rows, struct buf *out)
{
	struct mp_value all, row;
	struct mp_iter it;

	if (!mp_value(rows, &all) || all.class != MP_ARRAY)
		return false;
	for (it = mp_iter(&all); mp_next(&it, &row);) {
		if (row.class != MP_ARRAY || (e->named && row.n != e->n))
			return false;
		if (e->format == EXPORT_PARQUET) {
			if (!put_piece(e, &row, out))
				return false;
			continue;
		}
		if (!e->named) {
			if (!take_names(e, &row, out))
				return false;
			continue;
		}
		if (e->format == EXPORT_CSV)
			put_csv_row(out, &row);
		else
			put_json_row(e, out, &row);
		e->rows++;
	}
	return true;
}

void
export_rows_fini(struct export_rows *e)
{
	buf_fini(&e->keys);
	free(e->ends);
	*e = (struct export_rows){ .format = e->format };
}
