/* queries.c - files of statements that were run, and logs that count them. */
#include "base/ascii.h"
#include "base/buf.h"
#include "workers/import/knowledge/queries.h"
#include "workers/import/knowledge/statement.h"

struct queries {
	struct log_evidence		 e;
	enum sqltext_dialect	 text;
};

/* How many statements of a file were read, and not. */
struct log_tally {
	size_t	n[STATEMENT_READINGS];
};

/* Each statement of a file, up to its semicolon. */
static void
read_statements(struct queries *q, struct span text, uint64_t calls, struct log_tally *tally)
{
	struct sqltext s = { q->text, text, 0 };
	struct sqltext_token t;
	size_t begin = SIZE_MAX;

	do {
		size_t at;

		t = sqltext_next(&s);
		at = (size_t)(t.text.p - text.p);
		if (t.kind != SQLTEXT_END && !sqltext_is_punct(&t, ';')) {
			begin = begin == SIZE_MAX ? at : begin;
			continue;
		}
		if (begin != SIZE_MAX)
			tally->n[statement_read(&q->e, q->text, span_trim(span_of(text.p + begin, at - begin)),
			    calls)]++;
		begin = SIZE_MAX;
	} while (t.kind != SQLTEXT_END);
}

/* What is wanted of a record of CSV: the statement and its calls, by the names that the first record has. */
struct log_columns {
	uint8_t		delimiter;
	size_t		statement, calls;
	struct buf	text, count;
};

static uint64_t
read_count(struct span s)
{
	uint64_t n = 0;

	s = span_trim(s);
	for (size_t i = 0; i < s.len && ascii_is_digit(s.p[i]) && n < UINT64_MAX / 100; i++)
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	return n > 0 ? n : 1;
}

/* Takes the next field; false: it is the last one of its record. */
static bool
take_field(struct span *text, uint8_t delimiter, struct buf *out)
{
	bool quoted = text->len > 0 && text->p[0] == '"';
	size_t i = quoted;

	out->len = 0;
	for (; i < text->len; i++) {
		uint8_t c = text->p[i];

		if (quoted && c == '"' && !(i + 1 < text->len && text->p[i + 1] == '"'))
			quoted = false;
		else if (!quoted && (c == delimiter || c == '\n'))
			break;
		else {
			i += quoted && c == '"';
			buf_byte(out, c);
		}
	}
	quoted = i < text->len && text->p[i] == delimiter;
	*text = i < text->len ? span_of(text->p + i + 1, text->len - i - 1) : SPAN_NONE;
	return quoted;
}

/* Takes the first record, which names the columns. */
static void
take_head(struct span *text, struct log_columns *c)
{
	static const char *const statements[] = { "query", "digest_text", "sql_text", NULL },
				 *const counts[] = { "calls", "count_star", NULL };
	size_t n = 0, end = 0;
	bool more;

	while (end < text->len && !ascii_is_any(text->p[end], ",;\t\n"))
		end++;
	c->delimiter = end < text->len && text->p[end] != '\n' ? text->p[end] : ',';
	c->statement = c->calls = SIZE_MAX;
	do {
		more = take_field(text, c->delimiter, &c->text);
		if (span_is_any_word(span_trim(buf_view(&c->text)), statements))
			c->statement = n;
		else if (span_is_any_word(span_trim(buf_view(&c->text)), counts))
			c->calls = n;
		n++;
	} while (more);
}

static void
take_record(struct span *text, struct log_columns *c)
{
	struct buf other = { 0 };
	size_t n = 0;

	c->text.len = c->count.len = 0;
	while (take_field(text, c->delimiter, n == c->statement ? &c->text : n == c->calls ? &c->count : &other))
		n++;
	buf_fini(&other);
}

/* pg_stat_statements, or the digests of MariaDB's performance schema.  False: its head names no statements. */
static bool
read_csv(struct queries *q, struct span text, struct log_tally *tally)
{
	struct log_columns c = { 0 };

	take_head(&text, &c);
	while (c.statement != SIZE_MAX && text.len > 0) {
		take_record(&text, &c);
		read_statements(q, buf_view(&c.text), read_count(buf_view(&c.count)), tally);
	}
	buf_fini(&c.text);
	buf_fini(&c.count);
	return c.statement != SIZE_MAX;
}

static void
read_file(struct queries *q, const struct knowledge_file *f)
{
	static const char *const reasons[STATEMENT_READINGS] = { NULL, "it reads no rows, or is no statement",
		"its brackets, quotes or clauses do not fit", "it has more than 64 KB" };
	struct log_tally tally = { { 0 } };

	if (!span_ends(f->path, ".csv"))
		read_statements(q, f->text, 1, &tally);
	else if (!read_csv(q, f->text, &tally))
		knowledge_skip(q->e.k, "file", f->path, f->path, "its first line names no column query or digest_text");
	for (size_t r = 0; r < STATEMENT_READINGS; r++)
		if (tally.n[r] > 0)
			knowledge_tally(q->e.k, "statement", tally.n[r], f->path, reasons[r]);
}

int
queries_read(struct knowledge *k, const struct knowledge_input *in, struct err *err)
{
	struct queries q = { .e = { .k = k }, .text = in->text };

	if (k->project.len == 0)
		k->project = SPAN("log");
	k->proposed = true;
	for (size_t i = 0; i < in->nfiles; i++)
		read_file(&q, &in->files[i]);
	evidence_end(&q.e);
	if (q.e.nread > 0)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS, "there is no query in what was named that could be read");
}
