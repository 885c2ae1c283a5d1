#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/import/sniff.h"

#define SNIFFED		((size_t)1 << 20)
#define LISTED		10	/* lines above the table that are told one by one */
#define CONTROLS	64	/* one byte in this many may be a control character of a text */
#define QUOTED_LINES	1000	/* of one field; after more lines its quote counts as unclosed */

struct csv {
	struct import_rows		 rows;
	struct import_source		*source;
	struct csv_dialect		 dialect;
	struct csv_record	 record;
	struct span		*names;
	char			*names_text;
	size_t			 at;	/* offset of the next record in source->text */
	uint64_t		 line;
};

static struct import_field *
new_field(struct csv_record *rec)
{
	rec->fields = mem_grow(rec->fields, rec->n, &rec->cap, sizeof(*rec->fields));
	return &rec->fields[rec->n++];
}

/* The end of the unquoted field that begins at p. */
static const uint8_t *
end_of_bare(const uint8_t *p, const uint8_t *end, uint8_t delimiter)
{
	for (; end - p >= BLOCK; p += BLOCK) {
		block16 v = block_load(p);
		unsigned mask = block_mask(block_is(v, delimiter) | block_is(v, '\n') | block_is(v, '\r'));

		if (mask != 0)
			return p + __builtin_ctz(mask);
	}
	while (p < end && *p != delimiter && *p != '\n' && *p != '\r')
		p++;
	return p;
}

/*
 * Read the quoted field whose opening quote is before p.  Returns the position after the closing quote; NULL: there is
 * none in the text, or *reason is set.
 */
static const uint8_t *
take_quoted(const struct csv_dialect *d, const uint8_t *p, const uint8_t *end, struct csv_record *rec,
    const char **reason)
{
	struct import_field *f = new_field(rec);
	const uint8_t *from = p;
	size_t kept = rec->scratch.len;
	bool copied = false;

	for (uint64_t lines = 0;; p++) {
		while (p < end && *p != d->quote && *p != '\n' && (*p != '\\' || !d->backslash))
			p++;
		if (p == end)
			return NULL;
		if (*p == '\n') {
			if (++lines > QUOTED_LINES) {
				*reason = "a quote is opened that is never closed";
				return NULL;
			}
			rec->lines++;
			continue;
		}
		if (p + 1 == end || (p[1] != d->quote && *p == d->quote))
			break;
		if (*p == '\\' && p[1] != d->quote && p[1] != '\\')
			continue;
		/* An escape: two bytes for one. */
		buf_append(&rec->scratch, from, (size_t)(p - from));
		copied = true;
		from = ++p;
	}
	if (*p == '\\')
		return NULL;
	if (copied) {
		buf_append(&rec->scratch, from, (size_t)(p - from));
		/* Only the length is set: the scratch may move while it grows.  place_copies() sets the address. */
		*f = (struct import_field){ { NULL, rec->scratch.len - kept }, FIELD_QUOTED };
	} else
		*f = (struct import_field){ span_of(from, (size_t)(p - from)), FIELD_QUOTED };
	return p + 1;
}

/* Set the addresses of copied fields, which are in the scratch in their order. */
static void
place_copies(struct csv_record *rec)
{
	size_t at = 0;

	for (size_t i = 0; rec->scratch.len > 0 && i < rec->n; i++)
		if (rec->fields[i].kind == FIELD_QUOTED && rec->fields[i].text.p == NULL) {
			rec->fields[i].text.p = rec->scratch.p + at;
			at += rec->fields[i].text.len;
		}
}

/* The inside of a quoted field that begins at p, perhaps after blanks; NULL: not quoted. */
static const uint8_t *
opens_quote(const struct csv_dialect *d, const uint8_t *p, const uint8_t *end)
{
	while (p < end && *p == ' ' && d->delimiter != ' ')
		p++;
	return d->quote != 0 && p < end && *p == d->quote ? p + 1 : NULL;
}

enum csv_scan
csv_scan(const struct csv_dialect *d, struct span text, bool ends, struct csv_record *rec, const char **reason)
{
	const uint8_t *p = text.p, *end = text.p + text.len, *quoted, *stop;

	rec->n = 0;
	rec->lines = 0;
	rec->scratch.len = 0;
	*reason = NULL;
	for (;;) {
		if ((quoted = opens_quote(d, p, end)) != NULL) {
			if ((p = take_quoted(d, quoted, end, rec, reason)) == NULL) {
				if (*reason == NULL && !ends)
					return CSV_PART;
				if (*reason == NULL)
					*reason = "a quote is opened that is never closed";
				return CSV_BROKEN;
			}
			while (p < end && *p == ' ' && d->delimiter != ' ')
				p++;
			if (p < end && *p != d->delimiter && *p != '\n' && *p != '\r') {
				*reason = "there is text behind a closing quote";
				return CSV_BROKEN;
			}
		} else {
			stop = end_of_bare(p, end, d->delimiter);
			*new_field(rec) = (struct import_field){ span_of(p, (size_t)(stop - p)), FIELD_BARE };
			p = stop;
		}
		if (p == end)
			break;
		if (*p++ == d->delimiter)
			continue;
		if (p[-1] == '\r' && p == end && !ends)
			return CSV_PART;
		if (p[-1] == '\r' && p < end && *p == '\n')
			p++;
		rec->lines++;
		rec->used = (size_t)(p - text.p);
		place_copies(rec);
		return CSV_RECORD;
	}
	if (!ends)
		return CSV_PART;
	rec->used = text.len;
	rec->lines++;
	place_copies(rec);
	return CSV_RECORD;
}

void
csv_record_free(struct csv_record *rec)
{
	free(rec->fields);
	buf_fini(&rec->scratch);
}

static struct span
rest_of(const struct csv *c)
{
	struct span all = buf_view(&c->source->text);

	return c->at == 0 ? all : span_of(all.p + c->at, all.len - c->at);
}

static enum source_more
read_more(struct csv *c, struct err *err)
{
	source_consume(c->source, c->at);
	c->at = 0;
	return source_read(c->source, err);
}

/* Skip to the end of the line, which may be far.  Any other answer than ROWS_ROW ends the reading. */
static enum rows_next
skip_line(struct csv *c, struct err *err)
{
	for (;;) {
		struct span rest = rest_of(c);
		size_t n = csv_line(rest);
		bool ended = n > 0 && (rest.p[n - 1] == '\n' || rest.p[n - 1] == '\r');

		c->at += n;
		if (ended || c->source->ends)
			return ROWS_ROW;
		switch (read_more(c, err)) {
		case SOURCE_FAILED:
			return ROWS_FAILED;
		case SOURCE_AGAIN:
			return ROWS_AGAIN;
		default:
			break;
		}
	}
}

/* Read the next record; ROWS_BAD skips its first line. */
static enum rows_next
next_record(struct csv *c, const char **reason, struct err *err)
{
	for (;;) {
		struct span rest = rest_of(c);
		enum csv_scan scan = rest.len == 0 && !c->source->ends ?
		    CSV_PART :
		    csv_scan(&c->dialect, rest, c->source->ends, &c->record, reason);
		enum rows_next skipped;

		if (rest.len == 0 && c->source->ends)
			return ROWS_END;
		if (scan == CSV_RECORD) {
			c->at += c->record.used;
			return ROWS_ROW;
		}
		if (scan == CSV_PART)
			switch (read_more(c, err)) {
			case SOURCE_MORE:
			case SOURCE_END:
				continue;
			case SOURCE_FULL:
				*reason = "it is longer than 16 MB";
				break;
			case SOURCE_FAILED:
				return ROWS_FAILED;
			case SOURCE_AGAIN:
				return ROWS_AGAIN;
			}
		c->record.lines = 1;
		c->record.n = 0;
		return (skipped = skip_line(c, err)) == ROWS_ROW ? ROWS_BAD : skipped;
	}
}

size_t
csv_line(struct span text)
{
	const uint8_t *end = text.p + text.len, *p = text.len == 0 ? end : end_of_bare(text.p, end, '\n');

	if (p < end && *p++ == '\r' && p < end && *p == '\n')
		p++;
	return (size_t)(p - text.p);
}

bool
csv_is_blank(const struct csv_record *rec)
{
	return rec->n == 1 && rec->fields[0].kind == FIELD_BARE && span_trim(rec->fields[0].text).len == 0;
}

static bool
is_clean(const struct csv_record *rec)
{
	for (size_t i = 0; i < rec->n; i++) {
		struct span t = rec->fields[i].text;

		if (t.len > 0 && (memchr(t.p, '\0', t.len) != NULL || !utf8_valid(t.p, t.len)))
			return false;
	}
	return true;
}

static const char *
fault_of(struct csv *c)
{
	struct csv_record *rec = &c->record;
	size_t columns = c->dialect.columns;

	if (c->source->dirty && (!is_clean(rec) || (rec->n > 1 && c->dialect.delimiter == CSV_NO_DELIMITER)))
		return "it holds bytes that are no text";
	/* Drop empty fields after trailing delimiters. */
	while (rec->n > columns && rec->fields[rec->n - 1].kind == FIELD_BARE &&
	    span_trim(rec->fields[rec->n - 1].text).len == 0)
		rec->n--;
	return rec->n < columns ? "it has fewer fields than there are columns" :
	    rec->n > columns    ? "it has more fields than there are columns" :
				  NULL;
}

static enum rows_next
csv_next(struct import_rows *r, struct import_row *row, const char **reason, struct err *err)
{
	struct csv *c = (struct csv *)r;
	enum rows_next next;

	do {
		uint64_t line = c->line;

		next = next_record(c, reason, err);
		if (next != ROWS_ROW && next != ROWS_BAD)
			return next;
		c->line += c->record.lines;
		*row = (struct import_row){ line, c->record.n, c->record.fields };
	} while (next == ROWS_ROW && csv_is_blank(&c->record) && c->dialect.columns > 1);
	r->done = c->source->done;
	if (next == ROWS_ROW && (*reason = fault_of(c)) != NULL)
		next = ROWS_BAD;
	row->n = c->record.n;
	return next;
}

/* Skip the lines before the table, and its header.  ROWS_END: the file ends there. */
static enum rows_next
begin_table(struct csv *c, const char **reason, struct err *err)
{
	enum source_more more = SOURCE_MORE;
	enum rows_next next = ROWS_ROW;

	c->at = 0;
	c->line = c->dialect.skipped + 1;
	if (source_rewind(c->source, err) != 0)
		return ROWS_FAILED;
	while (c->source->text.len < c->dialect.start && more == SOURCE_MORE)
		more = read_more(c, err);
	c->at = c->dialect.start;
	if (more == SOURCE_MORE && c->dialect.header && (next = next_record(c, reason, err)) != ROWS_AGAIN) {
		c->line += next == ROWS_END ? 0 : c->record.lines;
		return next == ROWS_BAD ? ROWS_ROW : next;
	}
	if (more == SOURCE_MORE && next != ROWS_AGAIN)
		return ROWS_ROW;
	if (more != SOURCE_FAILED)
		err_set(err, ERR_INVALID_ARGUMENTS, "the file changed while it was read; import it again");
	return ROWS_FAILED;
}

static int
csv_rewind(struct import_rows *r, struct err *err)
{
	const char *reason;

	return begin_table((struct csv *)r, &reason, err) == ROWS_FAILED ? -1 : 0;
}

static void
csv_close(struct import_rows *r)
{
	struct csv *c = (struct csv *)r;

	source_close(c->source);
	csv_record_free(&c->record);
	free(c->names);
	free(c->names_text);
	free(c);
}

static const struct span *
csv_names(const struct import_rows *r)
{
	return ((const struct csv *)r)->names;
}

static void
csv_describe(const struct import_rows *r, struct buf *out)
{
	const struct csv *c = (const struct csv *)r;

	source_describe(c->source, out);
	json_put_str(out, "delimiter",
	    c->dialect.delimiter == CSV_NO_DELIMITER ? SPAN_NONE : span_of(&c->dialect.delimiter, 1));
	json_put_bool(out, "header", c->dialect.header);
}

static const struct rows_class csv_class = { csv_next, csv_rewind, csv_close, csv_names, csv_describe };

/* Keep the header's fields as names. */
static int
keep_names(struct csv *c, struct err *err)
{
	size_t bytes = 0, from = c->dialect.unnamed ? 1 : 0;
	const char *reason;

	c->names = mem_new(c->dialect.columns, sizeof(*c->names));
	switch (begin_table(c, &reason, err)) {
	case ROWS_FAILED:
		return -1;
	case ROWS_END:
		return 0;
	default:
		break;
	}
	for (size_t i = 0; c->dialect.header && i < c->record.n; i++)
		bytes += c->record.fields[i].text.len;
	c->names_text = mem_alloc(bytes + 1);
	bytes = 0;
	for (size_t i = 0; c->dialect.header && i < c->record.n && from + i < c->dialect.columns; i++) {
		struct span t = c->record.fields[i].text;

		if (t.len > 0)
			memcpy(c->names_text + bytes, t.p, t.len);
		c->names[from + i] = span_of(c->names_text + bytes, t.len);
		bytes += t.len;
	}
	return csv_rewind(&c->rows, err);
}

/* Tell which lines stand above the table. */
static void
note_skipped(struct csv *c)
{
	struct span rest = span_of(c->source->text.p, c->dialect.start);
	struct import_notes *notes = &c->rows.notes;

	for (uint64_t line = 1; rest.len > 0; line++) {
		size_t n = csv_line(rest);
		struct span text = span_trim(span_of(rest.p, n));
		struct buf quoted = { 0 };

		rest = span_of(rest.p + n, rest.len - n);
		if (text.len == 0 || notes->skipped++ >= LISTED)
			continue;
		notes_quote(&quoted, text);
		notes_add(notes, line, SPAN_NONE, "it is above the table and was passed over: %s", buf_cstr(&quoted));
		buf_fini(&quoted);
	}
	if (notes->skipped > LISTED)
		notes_add(notes, 0, SPAN_NONE, "%llu more lines above the table were passed over",
		    (unsigned long long)(notes->skipped - LISTED));
}

static bool
is_binary(struct span text)
{
	size_t controls = 0;

	for (size_t i = 0; i < text.len; i++)
		controls += text.p[i] < 0x20 && !ascii_is_space(text.p[i]);
	return controls > 8 && controls * CONTROLS > text.len;
}

static int
check_dialect(struct csv *c, struct err *err)
{
	if (is_binary(buf_view(&c->source->text)))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the file is no text; save it as CSV, JSON or XLSX, or name its encoding with --encoding");
	if (c->dialect.columns == 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the file holds no records");
	if (c->dialect.columns > ROWS_COLUMNS_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the file has %zu columns; a table may have %u",
		    c->dialect.columns, ROWS_COLUMNS_MAX);
	return 0;
}

bool
csv_is_tabbed(const struct import_rows *r)
{
	return ((const struct csv *)r)->dialect.delimiter == '\t';
}

struct import_rows *
csv_open(struct import_source *s, const struct rows_wishes *wishes, struct err *err)
{
	struct csv *c = mem_new(1, sizeof(*c));
	enum source_more more = SOURCE_MORE;

	c->rows = (struct import_rows){ .class = &csv_class, .total = s->total };
	c->source = s;
	while (more == SOURCE_MORE && s->text.len < SNIFFED) {
		more = source_read(s, err);
		if (more == SOURCE_AGAIN && source_rewind(s, err) == 0)
			more = SOURCE_MORE;
	}
	if (more == SOURCE_MORE || more == SOURCE_END || more == SOURCE_FULL) {
		csv_sniff(buf_view(&s->text), s->ends, wishes, &c->dialect);
		c->rows.columns = c->dialect.columns;
		note_skipped(c);
		if (wishes->delimiter != 0 && c->dialect.columns == 1)
			notes_add(&c->rows.notes, 0, SPAN_NONE, "no line holds the delimiter that was given");
		if (check_dialect(c, err) == 0 && keep_names(c, err) == 0)
			return &c->rows;
	}
	rows_close(&c->rows);
	return NULL;
}
