#include "workers/sql/row_stream.h"

#include <string.h>

#include "base/system/fault.h"
#include "base/mp.h"
#include "ipc/messages.h"
#include "workers/shared/call.h"

#define KEEP	((size_t)256 * 1024)	/* buffer memory kept between calls */
#define SLACK	((size_t)64)		/* array heads around a row */

static void
chunk_open(struct result *r)
{
	buf_reset(&r->chunk, KEEP);
	r->mark = mp_open_array(&r->chunk);
	r->in_chunk = 0;
}

void
row_stream_begin(struct result *r, struct call *c, uint64_t max_rows, uint64_t max_bytes)
{
	/* No configuration allows a row larger than a ROWS message. */
	if (max_bytes > IPC_RAW_MAX - SLACK)
		max_bytes = IPC_RAW_MAX - SLACK;
	r->call = c;
	r->nrows = r->bytes = 0;
	r->max_rows = max_rows;
	r->max_bytes = max_bytes;
	r->cut = RESULT_WHOLE;
	r->ntexts = 0;
	r->names = r->whole_rows = r->parquet = false;
	r->chunk.max = RESULT_CHUNK + (size_t)max_bytes + SLACK;
	buf_reset(&r->head, KEEP);
	chunk_open(r);
}

void
row_stream_export(struct result *r)
{
	r->names = r->whole_rows = true;
	r->max_bytes = UINT64_MAX; /* the chunk's own bound is that of a row */
	if (r->chunk.max > RESULT_CHUNK + EXPORT_ROW_MAX + SLACK)
		r->chunk.max = RESULT_CHUNK + EXPORT_ROW_MAX + SLACK;
}

void
row_stream_parquet(struct result *r)
{
	row_stream_export(r);
	r->names = false;
	r->parquet = true;
}

int
row_stream_bytes(struct result *r, uint64_t rows, struct span bytes, struct err *err)
{
	int rc;

	chunk_open(r);
	mp_put_array(&r->chunk, 2);
	mp_put_uint(&r->chunk, rows);
	mp_put_bin(&r->chunk, bytes);
	mp_close(&r->chunk, r->mark, 1);
	rc = call_rows(r->call, buf_view(&r->chunk), err);
	chunk_open(r);
	return rc;
}

struct buf *
row_stream_names(struct result *r, size_t n)
{
	r->names = false;
	r->in_chunk++;
	mp_put_array(&r->chunk, n);
	return &r->chunk;
}

void
row_stream_fini(struct result *r)
{
	buf_fini(&r->head);
	buf_fini(&r->chunk);
}

void
row_stream_note_text(struct result *r, unsigned column)
{
	size_t at = column / 8;

	if (at >= sizeof(r->texts))
		return;
	for (; r->ntexts <= at; r->ntexts++)
		r->texts[r->ntexts] = 0;
	r->texts[at] |= (uint8_t)(1u << column % 8);
}

static bool
is_noted(const struct result *r, size_t column)
{
	return column / 8 < r->ntexts && (r->texts[column / 8] >> column % 8 & 1) != 0;
}

struct buf *
row_stream_row(struct result *r, size_t n)
{
	r->row_at = r->chunk.len;
	mp_put_array(&r->chunk, n);
	return &r->chunk;
}

/* Sends the chunk's finished rows, which end at byte end. */
static int
chunk_send(struct result *r, size_t end, struct err *err)
{
	if (r->in_chunk == 0)
		return 0;
	mp_close(&r->chunk, r->mark, r->in_chunk);
	return call_rows(r->call, span_of(r->chunk.p, end), err);
}

/* The last row made the chunk too long: send the rows before it, keep the row. */
static int
chunk_split(struct result *r, struct err *err)
{
	size_t size = r->chunk.len - r->row_at;

	if (chunk_send(r, r->row_at, err) == -1)
		return -1;
	r->chunk.len = r->mark;
	r->mark = mp_open_array(&r->chunk);
	memmove(r->chunk.p + r->chunk.len, r->chunk.p + r->row_at, size);
	r->row_at = r->chunk.len;
	r->chunk.len += size;
	r->in_chunk = 0;
	return 0;
}

/* The row does not fit the byte cap. */
static enum result_added
refuse_row(struct result *r, bool hopeless, struct err *err)
{
	r->chunk.len = r->row_at;
	r->chunk.full = false;
	if (hopeless && (r->nrows == 0 || r->whole_rows)) {
		err_set(err, ERR_RESULT_TOO_LARGE,
		    "one row is larger than the result limit of %llu bytes; select fewer columns "
		    "or parts of them, for example substr(column, 1, 1000)",
		    (unsigned long long)(r->whole_rows ? r->chunk.max - RESULT_CHUNK - SLACK : r->max_bytes));
		return RESULT_FAILED;
	}
	r->cut = RESULT_CUT_BYTES;
	return RESULT_STOP;
}

enum result_added
row_stream_row_done(struct result *r, struct err *err)
{
	bool hopeless = row_stream_hopeless(r);
	uint64_t size = r->chunk.len - r->row_at;

	if (hopeless || size > r->max_bytes - r->bytes)
		return refuse_row(r, hopeless, err);
	if (r->chunk.len > IPC_CHUNK_MAX && r->in_chunk > 0 && chunk_split(r, err) == -1)
		return RESULT_FAILED;
	r->bytes += size;
	r->nrows++;
	r->in_chunk++;
	if (r->chunk.len < RESULT_CHUNK)
		return RESULT_GO_ON;
	if (chunk_send(r, r->chunk.len, err) == -1)
		return RESULT_FAILED;
	chunk_open(r);
	return RESULT_GO_ON;
}

/* Writes a type's name, with a mark that its numbers come as strings. */
static void
put_type(struct buf *out, const struct mp_value *type, bool as_string)
{
	struct buf name = BUF_MAX(1024);

	if (!as_string || type->class != MP_STR) {
		buf_span(out, type->raw);
		return;
	}
	buf_span(&name, type->s);
	buf_str(&name, " as string");
	mp_put_str(out, name.full ? type->s : buf_view(&name));
	buf_fini(&name);
}

/* Writes the head; its headerTypes mark the columns whose numbers are strings. */
static void
put_head(const struct result *r, struct buf *out)
{
	struct mp_value head, v, type;
	struct mp_iter members, types;
	struct span key;
	size_t i = 0;

	mp_value(buf_view(&r->head), &head);
	mp_put_map(out, head.n);
	for (members = mp_iter(&head); mp_next_pair(&members, &key, &v);) {
		mp_put_str(out, key);
		if (!span_is_str(key, "headerTypes") || v.class != MP_ARRAY) {
			buf_span(out, v.raw);
			continue;
		}
		mp_put_array(out, v.n);
		for (types = mp_iter(&v); mp_next(&types, &type); i++)
			put_type(out, &type, is_noted(r, i));
	}
}

int
row_stream_end(struct result *r, const char *rows_field, struct span tail, struct err *err)
{
	if (chunk_send(r, r->chunk.len, err) == -1)
		return -1;
	(void)fault_point("sql.after_rows");
	if (r->ntexts == 0)
		call_result_rows(r->call, buf_view(&r->head), rows_field, tail);
	else {
		struct buf head = { .max = 0 };

		put_head(r, &head);
		call_result_texts(r->call, buf_view(&head), rows_field, tail, span_of(r->texts, r->ntexts));
		buf_fini(&head);
	}
	return 0;
}
