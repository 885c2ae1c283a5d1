#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/json/json_put.h"
#include "base/mp.h"
#include "project/passages.h"
#include "workers/import/document_rows.h"

#define READ_AT_ONCE	((size_t)256 << 10)
#define LINE_MAX_BYTES	((size_t)8 << 20)	/* 16 keys and a text, each at most a cell */

struct document_rows {
	int		 fd;
	void		 (*row)(void *arg, struct span member);
	chunker_take	 take;
	void		*arg;
	struct err	*err;
	struct buf	 in, value, keys, member;	/* keys: the first line, as msgpack */
	bool		 headed, ended;
	uint64_t	 n;				/* rows */
};

static int
rows_fail(struct document_rows *r, const char *what)
{
	return err_set(r->err, ERR_INVALID_ARGUMENTS, "row %llu of what was read %s", (unsigned long long)r->n + 1,
	    what);
}

/* Report the member that names the row: by its key, or by its number without a key or with a long one. */
static void
say_row(struct document_rows *r, struct mp_iter cells)
{
	struct mp_value head, names, name, cell;
	struct mp_iter it;
	size_t n = 0;

	r->member.len = 0;
	json_put_object(&r->member, "row");
	if (mp_value(buf_view(&r->keys), &head) && mp_get(&head, "keys", &names))
		for (it = mp_iter(&names); mp_next(&it, &name) && mp_next(&cells, &cell); n++) {
			json_put_key(&r->member, NULL);
			json_write(&r->member, &name);
			buf_byte(&r->member, ':');
			json_write(&r->member, &cell);
		}
	json_end_object(&r->member);
	if (n == 0 || r->member.len > PASSAGES_ROW_MAX) {
		r->member.len = 0;
		json_put_uint(&r->member, "row_number", r->n);
	}
	r->row(r->arg, buf_view(&r->member));
}

static int
cut_text(struct document_rows *r, struct span text)
{
	struct chunker *c = chunker_new(r->take, r->arg);
	int result;

	for (const uint8_t *end; text.len > 0; text = span_of(end, text.len - (size_t)(end - text.p))) {
		end = memchr(text.p, '\n', text.len);
		end = end == NULL ? text.p + text.len : end + 1;
		chunker_text(c, span_of(text.p, (size_t)(end - text.p)));
		if (end < text.p + text.len && (*end == '\n' || *end == '\r'))
			chunker_paragraph(c, false);
	}
	result = chunker_end(c);
	chunker_free(c);
	return result;
}

/* The last cell is the text; null and bytes have no text. */
static int
take_cells(struct document_rows *r, const struct mp_value *row)
{
	struct mp_iter it = mp_iter(row);
	struct mp_value each, cell = { .class = MP_NIL };

	r->n++;
	while (mp_next(&it, &each))
		cell = each;
	if (cell.class != MP_STR || cell.s.len == 0)
		return 0;
	say_row(r, mp_iter(row));
	return cut_text(r, cell.s);
}

static int
take_line(struct document_rows *r, struct span line)
{
	struct mp_value v, count;
	enum json_fault fault;
	size_t at;

	r->value.len = 0;
	fault = json_read(line, &r->value, &at);
	/* A text with invalid escapes is skipped, like bytes. */
	if (fault == JSON_BAD_ESCAPE && r->headed) {
		r->n++;
		return 0;
	}
	if (fault != JSON_OK || !mp_value(buf_view(&r->value), &v) || (v.class != MP_MAP && v.class != MP_ARRAY))
		return rows_fail(r, "is not readable");
	if (!r->headed) {
		buf_span(&r->keys, buf_view(&r->value));
		r->headed = true;
		return v.class == MP_MAP ? 0 : rows_fail(r, "has no heading");
	}
	if (v.class == MP_ARRAY)
		return take_cells(r, &v);
	r->ended = mp_get(&v, "rows", &count) && count.class == MP_UINT && count.u == r->n;
	return r->ended ? 0 : rows_fail(r, "is missing");
}

static int
take_lines(struct document_rows *r)
{
	size_t at = 0;
	int result = 0;

	while (result == 0 && at < r->in.len && !r->ended) {
		const uint8_t *line = r->in.p + at, *end = memchr(line, '\n', r->in.len - at);

		if (end == NULL)
			break;
		at += (size_t)(end - line) + 1;
		result = take_line(r, span_of(line, (size_t)(end - line)));
	}
	buf_consume(&r->in, at);
	return result;
}

int
document_read_rows(int fd, void (*row)(void *arg, struct span member), chunker_take take, void *arg, struct err *err)
{
	struct document_rows r = { .fd = fd, .row = row, .take = take, .arg = arg, .err = err };
	int result = 0;

	while (result == 0 && !r.ended) {
		ssize_t n = read(fd, buf_reserve(&r.in, READ_AT_ONCE), READ_AT_ONCE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			result = rows_fail(&r, "and those behind it did not come");
		else {
			r.in.len += (size_t)n;
			result = take_lines(&r);
		}
		if (result == 0 && r.in.len > LINE_MAX_BYTES)
			result = rows_fail(&r, "is too long");
	}
	buf_fini(&r.member);
	buf_fini(&r.keys);
	buf_fini(&r.value);
	buf_fini(&r.in);
	return result;
}
