#include "workers/agent/data/data.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

struct data_taking {
	struct arena *arena;
	struct buf chunks; /* concatenated arrays of rows */
	size_t nrows;
};

/* Copy the rows: a chunk is only valid until the next one. */
static int
take_rows(void *arg, const struct mp_value *rows, struct err *err)
{
	struct data_taking *t = arg;

	if (rows->class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "rows are no array");
	buf_span(&t->chunks, rows->raw);
	t->nrows += rows->n;
	return t->nrows <= DATA_ROWS_MAX + 1 && !t->chunks.full ?
	    0 :
	    err_set(err, ERR_RESULT_TOO_LARGE, "an answer has more rows than were asked for");
}

static int
take_headers(struct data_rows *out, const struct mp_value *result, struct err *err)
{
	struct mp_value list, one;
	struct mp_iter it;
	size_t at = 0;

	if (!mp_get(result, "headers", &list) || list.class != MP_ARRAY || list.n > SHEET_COLUMNS_MAX)
		return err_set(err, ERR_INTERNAL, "a query answered without headers, or with too many");
	for (it = mp_iter(&list); mp_next(&it, &one);)
		out->headers[out->ncolumns++] = one.class == MP_STR ? one.s : SPAN("");
	if (!mp_get(result, "headerTypes", &list) || list.class != MP_ARRAY || list.n != out->ncolumns)
		return 0;
	for (it = mp_iter(&list); mp_next(&it, &one);)
		out->intervals[at++] = one.class == MP_STR && span_is_word(one.s, "interval");
	return 0;
}

static int
take_cells(struct data_rows *out, struct arena *a, struct span chunks, struct err *err)
{
	size_t n = out->nrows * out->ncolumns, at = 0, done = 0;

	if ((out->cells = arena_array(a, n > 0 ? n : 1, sizeof(*out->cells))) == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the answer of a query is too large");
	while (at < chunks.len) {
		struct mp_value chunk, row, cell;
		struct mp_iter rows, cells;
		size_t len = 0;

		if (mp_scan_front(span_of(chunks.p + at, chunks.len - at), 0, &len) != MP_OK || len == 0 ||
		    !mp_value(span_of(chunks.p + at, len), &chunk))
			return err_set(err, ERR_INTERNAL, "rows of a query are not readable");
		at += len;
		for (rows = mp_iter(&chunk); mp_next(&rows, &row);) {
			if (row.class != MP_ARRAY || row.n != out->ncolumns || done + row.n > n)
				return err_set(err, ERR_INTERNAL, "a row of a query does not fit its headers");
			for (cells = mp_iter(&row); mp_next(&cells, &cell);)
				out->cells[done++] = cell;
		}
	}
	return 0;
}

int
data_query(struct call *c, struct span args, uint64_t deadline_ns, struct data_rows *out, struct err *err)
{
	struct data_taking t = { .arena = call_arena(c), .chunks = BUF_MAX((size_t)32 << 20) };
	struct mp_value result;
	struct span chunks;
	int r;

	*out = (struct data_rows){ .plan = { .class = MP_NIL }, .notes = { .class = MP_NIL } };
	r = call_sub(c,
	    &(struct call_ask){
		.tool = "ask_query", .args = args, .deadline_ns = deadline_ns, .on_rows = take_rows, .arg = &t },
	    &result, err);
	if (r == 0) {
		out->sql = mp_get_str(&result, "sql", SPAN(""));
		out->dialect = mp_get_str(&result, "dialect", SPAN(""));
		out->truncated = mp_get_bool(&result, "truncated", false);
		out->nrows = t.nrows;
		(void)mp_get(&result, "plan", &out->plan);
		(void)mp_get(&result, "notes", &out->notes);
		chunks = arena_span(t.arena, buf_view(&t.chunks));
		r = take_headers(out, &result, err);
		if (r == 0 && t.nrows > 0 && chunks.p == NULL)
			r = err_set(err, ERR_RESULT_TOO_LARGE, "the answer of a query is too large");
		if (r == 0)
			r = take_cells(out, t.arena, chunks, err);
	}
	buf_fini(&t.chunks);
	return r;
}

void
data_drop(struct data_rows *r, size_t first, size_t end)
{
	size_t n = 0, kept = 0;

	for (size_t row = 0; row < r->nrows; row++)
		for (size_t i = 0; i < r->ncolumns; i++)
			if (i < first || i >= end)
				r->cells[n++] = *data_cell(r, row, i);
	for (size_t i = 0; i < r->ncolumns; i++)
		if (i < first || i >= end) {
			r->headers[kept] = r->headers[i];
			r->intervals[kept++] = r->intervals[i];
		}
	r->ncolumns = kept;
}
