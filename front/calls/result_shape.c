#include "front/calls/result_shape.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json/json_write.h"
#include "base/mem.h"
#include "front/calls/tool_result_parts.h"

#define COLUMNS_MOST	4096u	/* more than any engine gives */

struct result_shape
result_shape_of(const struct mp_value *args)
{
	return (struct result_shape){ .max_bytes = mp_get_uint(args, "maxBytes", 0),
		.columns = span_is_str(mp_get_str(args, "format", SPAN_NONE), "columns") };
}

/* Bytes of a map as JSON; 0 for no map. */
static uint64_t
size_of_map(struct span map)
{
	struct buf out = { 0 };
	struct mp_value v;
	uint64_t n;

	if (map.len > 0 && mp_value(map, &v))
		json_write(&out, &v);
	n = out.len;
	buf_fini(&out);
	return n;
}

static struct span
tail_of(const struct tool_result *r)
{
	return span_of(r->fixed.p + r->front + r->head, r->tail);
}

/* The cells of the first row. */
static size_t
width_of(struct tool_result *r)
{
	struct mp_value row;

	result_rows_rewind(r);
	return result_rows_have(r) && mp_head(r->rows.p, (size_t)(r->rows.end - r->rows.p), &row) > 0 &&
		row.class == MP_ARRAY ?
	    row.n :
	    0;
}

/* Bytes of the object without the cells, 8 of them around the rows' name: a little more than it has, never less. */
static uint64_t
size_around(struct tool_result *r, const struct result_shape *shape, struct span tail)
{
	uint64_t brackets = shape->columns ? 3 * (uint64_t)width_of(r) : 0;

	return size_of_map(span_of(r->fixed.p, r->front)) + size_of_map(span_of(r->fixed.p + r->front, r->head)) +
	    size_of_map(tail) + sizeof("columns") + 8 + brackets;
}

/* What the tail says once k of the rows are left. */
static void
put_cut_tail(const struct tool_result *r, uint64_t k, struct buf *out)
{
	static const char *const changed[] = { "rowCount", "totalRows", "truncated", "truncatedBy", NULL };
	struct mp_value tail, v;
	struct mp_iter it;
	struct span key;
	char note[200];
	size_t map;

	snprintf(note, sizeof(note),
	    "%llu of %llu rows are given for maxBytes; for more raise it, select fewer columns, or go on with ORDER BY "
	    "and "
	    "OFFSET %llu.",
	    (unsigned long long)k, (unsigned long long)r->nrows, (unsigned long long)k);
	map = mp_open_pairs(out, mp_uint("rowCount", k), mp_bool("truncated", true), mp_cstr("truncatedBy", "bytes"),
	    mp_cstr("note", note));
	if (mp_value(tail_of(r), &tail))
		for (it = mp_iter(&tail); mp_next_pair(&it, &key, &v);)
			if (!span_is_any(key, changed)) {
				mp_put_str(out, key);
				buf_span(out, v.raw);
			}
	mp_end(out, map);
}

/* How many of the rows fit; all: *cut is false.  No more of them are looked at than it takes to know. */
static uint64_t
count_fitting(struct tool_result *r, const struct result_shape *shape, bool *cut)
{
	struct buf row = { 0 }, tail = { 0 };
	uint64_t whole = size_around(r, shape, tail_of(r)), less, used = 0, k = 0, seen = 0;

	put_cut_tail(r, r->nrows, &tail);
	less = size_around(r, shape, buf_view(&tail));
	*cut = false;
	for (result_rows_rewind(r); !*cut && result_rows_step(r, &row);) {
		used += row.len - (shape->columns ? 2 : 0); /* a comma each, and no brackets around a row's cells */
		buf_reset(&row, (size_t)64 * 1024);
		if (k == seen && less + used <= shape->max_bytes)
			k++;
		seen++;
		*cut = whole + used > shape->max_bytes && seen > 1; /* a single row is given as it is */
	}
	buf_fini(&row);
	buf_fini(&tail);
	return !*cut ? r->nrows : k > 0 ? k : 1;
}

/* The first k rows as one array. */
static void
gather_rows(struct tool_result *r, uint64_t k, struct buf *out)
{
	struct mp_value row;

	mp_put_array(out, (size_t)k);
	for (result_rows_rewind(r); k > 0 && result_rows_have(r) && mp_next(&r->rows, &row); k--)
		buf_span(out, row.raw);
}

/* The cells of the first k rows, column by column. */
static void
gather_columns(struct tool_result *r, uint64_t k, struct buf *out)
{
	size_t width = width_of(r) < COLUMNS_MOST ? width_of(r) : COLUMNS_MOST, i;
	struct buf *columns = mem_new(width + 1, sizeof(*columns));
	struct mp_value row, cell;
	struct mp_iter cells;

	for (i = 0; i < width; i++)
		mp_put_array(&columns[i], (size_t)k);
	for (result_rows_rewind(r); k > 0 && result_rows_have(r) && mp_next(&r->rows, &row); k--)
		for (i = 0, cells = mp_iter(&row); i < width && mp_next(&cells, &cell); i++)
			buf_span(&columns[i], cell.raw);
	mp_put_array(out, width);
	for (i = 0; i < width; i++) {
		buf_span(out, buf_view(&columns[i]));
		buf_fini(&columns[i]);
	}
	free(columns);
}

/* A result without rows has as many empty columns as headers. */
static void
put_empty_columns(const struct tool_result *r, struct buf *out)
{
	struct mp_value head, headers = { .class = MP_NIL };
	size_t n = mp_value(span_of(r->fixed.p + r->front, r->head), &head) && mp_get(&head, "headers", &headers) &&
		headers.class == MP_ARRAY ?
	    headers.n :
	    0;

	mp_put_array(out, n);
	for (size_t i = 0; i < n; i++)
		mp_put_array(out, 0);
}

static void
cut_rows(struct tool_result *r, uint64_t k)
{
	struct buf tail = { 0 };

	put_cut_tail(r, k, &tail);
	result_replace_tail(r, buf_view(&tail));
	buf_fini(&tail);
}

int
result_shape(struct tool_result *r, const struct result_shape *shape, struct err *err)
{
	uint64_t k = r->nrows;
	struct buf rows = { 0 };
	bool cut = false;
	int rc;

	if (r->rows_field[0] == '\0' || (shape->max_bytes == 0 && !shape->columns))
		return 0;
	if (shape->max_bytes > 0 && r->nrows > 0)
		k = count_fitting(r, shape, &cut);
	if (!cut && !shape->columns)
		return 0;
	if (cut)
		cut_rows(r, k);
	if (!shape->columns)
		gather_rows(r, k, &rows);
	else if (k > 0)
		gather_columns(r, k, &rows);
	else
		put_empty_columns(r, &rows);
	if (shape->columns)
		snprintf(r->rows_field, sizeof(r->rows_field), "columns");
	r->columns = shape->columns;
	rc = result_replace_rows(r, buf_view(&rows), k, err);
	buf_fini(&rows);
	return rc;
}
