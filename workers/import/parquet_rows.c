#include "workers/import/parquet_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/mp.h"
#include "project/import_stream.h"

#define READ_AT_ONCE	((size_t)256 << 10)
#define HEAD		4u	/* bytes of a frame's length */

struct parquet_rows {
	struct import_rows	 rows;
	int			 fd;
	struct buf		 in;
	size_t			 at;		/* of the next frame in it */
	uint64_t		 got, most;	/* bytes of the stream: had, and allowed */
	size_t			 n;
	struct span		*names;		/* owned; n of them */
	struct parquet_column {
		bool	narrowed;	/* TEXT because of its values */
		bool	real;
	}			*columns;
	struct import_field	*fields;
	uint64_t		 nan;		/* values that are no number, and NULL in the table */
};

/* Why the stream goes on no further; text of its process on one line. */
static int
fail_with(struct span why, struct err *err)
{
	char text[1000];
	size_t n = why.len < sizeof(text) ? why.len : sizeof(text);

	for (size_t i = 0; i < n; i++)
		text[i] = why.p[i] < 0x20 || why.p[i] == 0x7f ? ' ' : (char)why.p[i];
	return err_set(err, ERR_INVALID_ARGUMENTS, "%.*s", (int)n, text);
}

/* Has that many bytes from `at` on in the buffer.  1; 0: the stream ends before; -1: *err. */
static int
fill_buffer(struct parquet_rows *r, size_t need, struct err *err)
{
	while (r->in.len - r->at < need) {
		ssize_t n;

		buf_consume(&r->in, r->at);
		r->at = 0;
		n = read(r->fd, buf_reserve(&r->in, READ_AT_ONCE), READ_AT_ONCE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_INVALID_ARGUMENTS, "the file cannot be read: %s", strerror(errno));
		if (n == 0)
			return 0;
		r->in.len += (size_t)n;
		if ((r->got += (uint64_t)n) > r->most)
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "the file unpacks to more than 1 GB and %u times its size; if that is right, write it as "
			    "CSV first",
			    IMPORT_STREAM_RATIO);
	}
	return 1;
}

/* The value of the next frame.  1; 0: there is no further one; -1: *err. */
static int
next_frame(struct parquet_rows *r, struct mp_value *v, struct err *err)
{
	struct span body;
	size_t len = 0;
	int rc = fill_buffer(r, HEAD, err);

	if (rc != 1)
		return rc;
	for (size_t i = 0; i < HEAD; i++)
		len |= (size_t)r->in.p[r->at + i] << 8 * i;
	if (len <= IMPORT_STREAM_ROW_MAX) {
		rc = fill_buffer(r, HEAD + len, err);
		body = span_of(r->in.p + r->at + HEAD, len);
		r->at += HEAD + len;
	}
	if (rc == -1)
		return -1;
	if (len > IMPORT_STREAM_ROW_MAX || rc == 0 || mp_scan(body) != MP_OK || !mp_value(body, v))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the process that reads the Parquet file ended early");
	return v->class == MP_STR ? fail_with(v->s, err) : 1;
}

/* The column's type as it is written; false: there is no such type. */
static bool
take_type(struct infer_column *c, struct span word)
{
	unsigned width, scale;

	for (enum column_type t = COLUMN_TEXT; t < COLUMN_DECIMAL; t++)
		if (span_is_str(word, column_type_name(t))) {
			c->type = t;
			return true;
		}
	snprintf(c->given, sizeof(c->given), "%.*s", SPAN_FMT(word));
	c->type = COLUMN_DECIMAL;
	if (sscanf(c->given, "DECIMAL(%2u,%2u)", &width, &scale) != 2)
		return false;
	snprintf(c->given, sizeof(c->given), "DECIMAL(%u,%u)", width, scale);
	return true;
}

static bool
take_columns(struct parquet_rows *r, const struct mp_value *head, struct infer_columns *columns)
{
	struct mp_iter it = mp_iter(head);
	struct mp_value name, type, narrowed;

	if (!mp_next(&it, &name) || name.class != MP_UINT)
		return false;
	r->rows.total = name.u;
	r->rows.columns = (head->n - 1) / 3;
	r->names = mem_new(r->rows.columns + 1, sizeof(*r->names));
	r->columns = mem_new(r->rows.columns + 1, sizeof(*r->columns));
	r->fields = mem_new(r->rows.columns + 1, sizeof(*r->fields));
	infer_columns(columns, r->rows.columns);
	for (; r->n < r->rows.columns; r->n++) {
		if (!mp_next(&it, &name) || !mp_next(&it, &type) || !mp_next(&it, &narrowed) || name.class != MP_STR ||
		    type.class != MP_STR || narrowed.class != MP_BOOL || !take_type(&columns->v[r->n], type.s))
			return false;
		columns->v[r->n].fixed = true;
		r->names[r->n] = span_str(mem_text(name.s));
		r->columns[r->n] = (struct parquet_column){ narrowed.boolean, columns->v[r->n].type == COLUMN_REAL };
	}
	return true;
}

static int
read_head(struct parquet_rows *r, struct infer_columns *columns, struct err *err)
{
	struct mp_value head;
	int rc = next_frame(r, &head, err);

	if (rc == 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the process that reads the Parquet file did not begin");
	if (rc == -1)
		return -1;
	if (head.class == MP_ARRAY && head.n > 1 + 3 * ROWS_COLUMNS_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the file has more than %u columns", ROWS_COLUMNS_MAX);
	if (head.class != MP_ARRAY || head.n % 3 != 1 || !take_columns(r, &head, columns))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the process that reads the Parquet file sent no table");
	return 0;
}

static void
explain_columns(struct parquet_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->columns[i].narrowed)
			notes_add(&r->rows.notes, 0, r->names[i],
			    "it is TEXT, since no number or date of the table keeps all of its values");
	if (r->nan > 0)
		notes_add(&r->rows.notes, 0, SPAN_NONE, "NaN is NULL in the table; of such values there were %llu",
		    (unsigned long long)r->nan);
}

static enum rows_next
take_row(struct parquet_rows *r, const struct mp_value *frame, struct import_row *row, const char **reason)
{
	struct mp_iter it = mp_iter(frame);
	struct mp_value cell;

	row->fields = r->fields;
	for (row->n = 0; row->n < r->n && mp_next(&it, &cell); row->n++) {
		struct import_field *f = &r->fields[row->n];

		f->kind = cell.class == MP_STR || cell.class == MP_BIN ? FIELD_STRING : FIELD_NULL;
		f->text = f->kind == FIELD_STRING ? cell.s : SPAN_NONE;
		r->nan += r->columns[row->n].real && span_is_str(f->text, "NaN");
		if (cell.class == MP_STR && memchr(f->text.p, '\0', f->text.len) != NULL) {
			*reason = "it has a NUL byte in a text";
			return ROWS_BAD;
		}
	}
	return ROWS_ROW;
}

static enum rows_next
parquet_next(struct import_rows *rows, struct import_row *row, const char **reason, struct err *err)
{
	struct parquet_rows *r = (struct parquet_rows *)rows;
	struct mp_value frame;
	int rc = next_frame(r, &frame, err);

	if (rc == -1)
		return ROWS_FAILED;
	if (rc == 0 && rows->done == rows->total) {
		explain_columns(r);
		return ROWS_END;
	}
	if (rc == 0 || rows->done == rows->total) {
		err_set(err, ERR_INVALID_ARGUMENTS, "%s of the %llu rows that the file says it has",
		    rc == 0 ? "reading ended before the end" : "there are more rows behind the last",
		    (unsigned long long)rows->total);
		return ROWS_FAILED;
	}
	row->line = ++rows->done;
	if (frame.class == MP_ARRAY)
		return take_row(r, &frame, row, reason);
	*reason = "it is longer than 16 MB";
	return ROWS_BAD;
}

static int
parquet_rewind(struct import_rows *rows, struct err *err)
{
	(void)rows, (void)err;
	return 0;
}

static void
parquet_close(struct import_rows *rows)
{
	struct parquet_rows *r = (struct parquet_rows *)rows;

	rows_free_names(r->names, r->n);
	free(r->columns);
	free(r->fields);
	buf_fini(&r->in);
	free(r);
}

static const struct span *
parquet_names(const struct import_rows *rows)
{
	return ((const struct parquet_rows *)rows)->names;
}

static void
parquet_describe(const struct import_rows *rows, struct buf *out)
{
	(void)rows, (void)out;
}

static const struct rows_class parquet_class = { parquet_next, parquet_rewind, parquet_close, parquet_names,
	parquet_describe };

struct import_rows *
parquet_rows_open(int fd, uint64_t size, struct infer_columns *columns, uint64_t *count, struct err *err)
{
	struct parquet_rows *r = mem_new(1, sizeof(*r));

	r->rows.class = &parquet_class;
	r->fd = fd;
	r->most = size > IMPORT_STREAM_SMALL / IMPORT_STREAM_RATIO ? size * IMPORT_STREAM_RATIO : IMPORT_STREAM_SMALL;
	if (read_head(r, columns, err) == 0) {
		*count = r->rows.total;
		return &r->rows;
	}
	parquet_close(&r->rows);
	return NULL;
}
