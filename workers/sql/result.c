/* result.c - see result.h. */
#include "workers/sql/result.h"

#include <string.h>

#include "base/fault.h"
#include "base/mp.h"
#include "ipc/ipc.h"

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
result_begin(struct result *r, struct call *c, uint64_t max_rows, uint64_t max_bytes)
{
	/* A row larger than a ROWS message cannot be sent, whatever the configuration says. */
	if (max_bytes > IPC_RAW_MAX - SLACK)
		max_bytes = IPC_RAW_MAX - SLACK;
	r->call = c;
	r->nrows = r->bytes = 0;
	r->max_rows = max_rows;
	r->max_bytes = max_bytes;
	r->cut = RESULT_WHOLE;
	r->chunk.max = RESULT_CHUNK + (size_t)max_bytes + SLACK;
	buf_reset(&r->head, KEEP);
	chunk_open(r);
}

void
result_fini(struct result *r)
{
	buf_fini(&r->head);
	buf_fini(&r->chunk);
}

struct buf *
result_row(struct result *r, size_t n)
{
	r->row_at = r->chunk.len;
	mp_put_array(&r->chunk, n);
	return &r->chunk;
}

/* Send the chunk's finished rows, which end at byte end. */
static int
chunk_send(struct result *r, size_t end, struct err *err)
{
	if (r->in_chunk == 0)
		return 0;
	mp_close(&r->chunk, r->mark, r->in_chunk);
	return call_rows(r->call, span_of(r->chunk.p, end), err);
}

/* The last row made the chunk too long: send what was before it, keep the row. */
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

/* The row does not fit into what the result may still hold. */
static enum result_added
refuse_row(struct result *r, bool hopeless, struct err *err)
{
	r->chunk.len = r->row_at;
	r->chunk.full = false;
	if (hopeless && r->nrows == 0) {
		err_set(err, ERR_RESULT_TOO_LARGE,
		    "one row is larger than the result limit of %llu bytes; select fewer columns "
		    "or parts of them, for example substr(column, 1, 1000)",
		    (unsigned long long)r->max_bytes);
		return RESULT_FAILED;
	}
	r->cut = RESULT_CUT_BYTES;
	return RESULT_STOP;
}

enum result_added
result_row_done(struct result *r, struct err *err)
{
	bool hopeless = result_row_hopeless(r);
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

int
result_end(struct result *r, const char *rows_field, struct span tail, struct err *err)
{
	if (chunk_send(r, r->chunk.len, err) == -1)
		return -1;
	(void)fault_point("sql.after_rows");
	call_result_rows(r->call, buf_view(&r->head), rows_field, tail);
	return 0;
}
