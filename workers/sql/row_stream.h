/*
 * row_stream - rows on their way to the front: packed, cut into chunks, capped.
 *
 * One is kept per worker and reused, so that its buffers are paid for once.
 * Memory is bounded by one chunk plus one row.
 *
 *	row_stream_begin(r, call, max_rows, max_bytes);
 *	mp_put_…(row_stream_head(r), …);			headers
 *	while (the database has a row) {
 *		if (!row_stream_wants(r))			the row cap, proven by this row
 *			break;
 *		row = row_stream_row(r, ncolumns);
 *		value_…(row, …) per column
 *		if (row_stream_row_done(r, err) != RESULT_GO_ON)
 *			break;				byte cap, or failed
 *	}
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "ipc/messages.h"
#include "workers/shared/tool.h"

#define RESULT_CHUNK	(60u * 1024)	/* flushed beyond this; below IPC_CHUNK_MAX with a usual row */

/* Bytes of one row of an export: for a client that stops reading the front holds IPC_CREDIT_FIRST chunks. */
#define EXPORT_ROW_MAX	((size_t)1 << 20)

enum result_cut { RESULT_WHOLE, RESULT_CUT_ROWS, RESULT_CUT_BYTES };

enum result_added {
	RESULT_GO_ON,
	RESULT_STOP,	/* the byte cap: the rows that fitted are kept, and the result is complete */
	RESULT_FAILED	/* *err says why */
};

struct result {
	struct call	*call;
	struct buf	 head;
	struct buf	 chunk;		/* one msgpack array, open */
	size_t		 mark;		/* its head */
	size_t		 in_chunk;	/* finished rows in it */
	size_t		 row_at;	/* where the row being written begins */
	uint64_t	 nrows, bytes;	/* finished rows, sent ones included */
	uint64_t	 max_rows, max_bytes;
	bool		 names;		/* the names of the columns are still due, as the first row */
	bool		 whole_rows;	/* a row that is too large is an error, wherever it stands */
	bool		 parquet;	/* the rows leave as the bytes of a Parquet file */
	enum result_cut	 cut;
	size_t		 ntexts;	/* bytes of texts that are in use */
	uint8_t		 texts[IPC_TEXTS_MAX];	/* columns with a number that JSON cannot hold, as in RESULT */
};

void row_stream_begin(struct result *r, struct call *c, uint64_t max_rows, uint64_t max_bytes);
void row_stream_fini(struct result *r);

/*
 * The rows are an export's, after row_stream_begin(): the first one is the names of the columns, and all rows together
 * may have any number of bytes, each at most EXPORT_ROW_MAX.
 */
void row_stream_export(struct result *r);

/*
 * The same as a Parquet file, of an engine that has driver.parquet: instead of names and rows the driver writes the
 * file's bytes with row_stream_bytes(), and counts its rows with row_stream_count().
 */
void row_stream_parquet(struct result *r);

static inline bool
row_stream_wants_parquet(const struct result *r)
{
	return r->parquet;
}

static inline void
row_stream_count(struct result *r)
{
	r->nrows++;
}

/* At most RESULT_CHUNK bytes of the file; rows: how many of its rows are complete with them.  -1 as call_rows(). */
int row_stream_bytes(struct result *r, uint64_t rows, struct span bytes, struct err *err);

/* Whether a driver has to give the names now: before its first row, and before it ends without one. */
static inline bool
row_stream_wants_names(const struct result *r)
{
	return r->names;
}

/* Begins the row of n names, which are written into the returned buffer by value_label(). */
struct buf *row_stream_names(struct result *r, size_t n);

/* The buffer for the head map. */
static inline struct buf *
row_stream_head(struct result *r)
{
	return &r->head;
}

/* False when the row cap is reached: the current row shows that there are more. */
static inline bool
row_stream_wants(struct result *r)
{
	if (r->nrows < r->max_rows)
		return true;
	r->cut = RESULT_CUT_ROWS;
	return false;
}

/* Marks a column with a number that JSON cannot hold: all of the column's numbers become strings. */
void row_stream_note_text(struct result *r, unsigned column);

/* Begins a row of n cells, which are written into the returned buffer. */
struct buf *row_stream_row(struct result *r, size_t n);

/* True if the current row is already too large: its other cells need not be read. */
static inline bool
row_stream_hopeless(const struct result *r)
{
	return r->chunk.full || r->chunk.len - r->row_at > r->max_bytes;
}

enum result_added row_stream_row_done(struct result *r, struct err *err);

/* Sends the remaining rows and finishes the call.  -1 as call_rows(). */
int row_stream_end(struct result *r, const char *rows_field, struct span tail, struct err *err);
