/* show.c - summary and snippet of an answer: pure, per kind, never composed across fields, never invented. */
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/search.h"
#include "workers/search/text.h"

#define BEFORE_MATCH	60	/* characters of a body shown before what matched */
#define NAMES_SHOWN	3	/* of a source's measures and columns */
#define COLUMNS_SHOWN	5	/* of a table */
#define SAMPLES_SHOWN	5	/* of a column */

static const struct segment *
segment_of(const struct answers *a, const struct ranked *r)
{
	return a->parts[r->part].segment;
}

/* Append s as a snippet; false, and nothing appended, when it is empty. */
static bool
show_show(struct span s, size_t from, struct buf *out)
{
	size_t start = out->len;

	text_snippet(s, from, out);
	return out->len > start;
}

/* A text of several parts as a snippet. */
static bool
show_buf(struct buf *whole, struct buf *out)
{
	bool some = show_show(buf_view(whole), 0, out);

	buf_fini(whole);
	return some;
}

static struct span
member_description(const struct source *s, enum kind kind, uint32_t member)
{
	switch (kind) {
	case KIND_SL_MEASURE:
		return s->measures[member].description;
	case KIND_SL_DIMENSION:
		return s->columns[member].description;
	default:
		return s->description;
	}
}

bool
search_summary(const struct answers *a, const struct ranked *r, struct buf *out)
{
	const struct segment *s = segment_of(a, r);
	const struct shelf *shelf = a->parts[r->part].shelf;
	const struct schema_column *column;
	const struct schema_table *table;
	const struct schema *schema;
	const struct source *source;
	uint32_t member;

	switch (r->kind) {
	case KIND_WIKI:
		return show_show(pages_of((const struct pages *)shelf, s, r->doc)->good->summary, 0, out);
	case KIND_SL_SOURCE:
	case KIND_SL_MEASURE:
	case KIND_SL_DIMENSION:
		source = models_of((const struct models *)shelf, s, r->doc, &member);
		return show_show(member_description(source, r->kind, member), 0, out);
	default:
		schema = (const struct schema *)shelf;
		table = schema_of(schema, s, r->doc, &column);
		return show_show(schema_span(schema, column != NULL ? column->description : table->description), 0,
			   out) ||
		    show_show(schema_span(schema, column != NULL ? column->comment : table->comment), 0, out);
	}
}

/* --- wiki -------------------------------------------------------------------------- */

static bool
is_asked(const struct library *l, const struct question *q, struct span word)
{
	uint32_t term = vocab_find(l->vocab, word);

	for (size_t i = 0; term != VOCAB_NONE && i < q->ngroups; i++)
		for (size_t k = 0; k < q->groups[i].nvariants; k++)
			if (q->groups[i].variants[k].term == term &&
			    !q->words[__builtin_ctz(q->groups[i].words)].function)
				return true;
	return false;
}

/* Where the snippet starts: some characters before the first word that was asked for. */
static size_t
window(const struct library *l, const struct question *q, struct span body)
{
	struct text_reader r;
	struct text_word w;
	size_t at = SIZE_MAX;

	text_begin(&r, body);
	while (at == SIZE_MAX && text_next(&r, &w))
		if (is_asked(l, q, w.folded))
			at = w.at;
	if (at == SIZE_MAX)
		return 0;
	for (int i = 0; i < BEFORE_MATCH && at > 0; i++)
		do
			at--;
		while (at > 0 && (body.p[at] & 0xc0) == 0x80);
	return at;
}

static bool
show_page(const struct library *l, const struct answers *a, const struct page *page, enum field matched,
    struct buf *out)
{
	struct span body = page->good->body;

	return show_show(body, matched == FIELD_NAME ? 0 : window(l, &a->q, body), out);
}

/* --- semantic layer ------------------------------------------------------------------ */

static bool
show_source(const struct source *s, enum field matched, struct buf *out)
{
	struct buf whole = { 0 };
	size_t n = 0;

	if (matched == FIELD_DESCRIPTION)
		return show_show(s->description, 0, out);
	buf_printf(&whole, "%s: ", s->name);
	for (size_t i = 0; i < s->nmeasures && n < NAMES_SHOWN; i++)
		buf_printf(&whole, "%s%s", n++ > 0 ? ", " : "", s->measures[i].name);
	for (size_t i = 0; i < s->ncolumns && n < NAMES_SHOWN; i++)
		if (s->columns[i].visibility != SOURCE_HIDDEN)
			buf_printf(&whole, "%s%s", n++ > 0 ? ", " : "", s->columns[i].name);
	return show_buf(&whole, out);
}

static bool
show_dimension(const struct source_column *c, struct buf *out)
{
	struct buf whole = { 0 };

	buf_str(&whole, c->name);
	if (c->type != NULL)
		buf_printf(&whole, " (%s)", c->type);
	return show_buf(&whole, out);
}

/* --- raw schema ------------------------------------------------------------------------ */

static bool
show_table(const struct schema *s, const struct schema_table *t, enum field matched, struct buf *out)
{
	struct buf whole = { 0 };

	if (matched == FIELD_DESCRIPTION || matched == FIELD_COMMENT)
		return show_show(schema_span(s, matched == FIELD_COMMENT ? t->comment : t->description), 0, out);
	for (uint32_t i = 0; i < t->ncolumns && i < COLUMNS_SHOWN; i++) {
		if (i > 0)
			buf_str(&whole, ", ");
		buf_span(&whole, schema_span(s, s->columns[t->column + i].name));
	}
	return show_buf(&whole, out);
}

static bool
holds_asked(const struct library *l, const struct question *q, struct span text)
{
	struct text_reader r;
	struct text_word w;

	text_begin(&r, text);
	while (text_next(&r, &w))
		if (is_asked(l, q, w.folded))
			return true;
	return false;
}

/* A few of the samples, those that were asked for first. */
static void
put_samples(const struct library *l, const struct question *q, const struct schema *s,
    const struct schema_column *c, struct buf *out)
{
	size_t n, shown = 0;
	const schema_text *samples = schema_samples(s, c, &n);

	for (int asked = 1; asked >= 0; asked--)
		for (size_t i = 0; i < n && shown < SAMPLES_SHOWN; i++) {
			struct span sample = schema_span(s, samples[i]);

			if (holds_asked(l, q, sample) != (asked != 0))
				continue;
			buf_str(out, shown++ > 0 ? ", " : "");
			buf_span(out, sample);
		}
}

static bool
show_column(const struct library *l, const struct question *q, const struct schema *s, const struct schema_column *c,
    enum field matched, struct buf *out)
{
	struct buf whole = { 0 };

	if (matched == FIELD_DESCRIPTION || matched == FIELD_COMMENT)
		return show_show(schema_span(s, matched == FIELD_COMMENT ? c->comment : c->description), 0, out);
	buf_span(&whole, schema_span(s, c->native_type));
	if (matched == FIELD_SAMPLE) {
		buf_str(&whole, " · samples: ");
		put_samples(l, q, s, c, &whole);
	}
	return show_buf(&whole, out);
}

bool
search_snippet(const struct library *l, const struct answers *a, const struct ranked *r, enum field matched,
    struct buf *out)
{
	const struct segment *s = segment_of(a, r);
	const struct shelf *shelf = a->parts[r->part].shelf;
	const struct schema_column *column;
	const struct schema_table *table;
	const struct source *source;
	uint32_t member;

	switch (r->kind) {
	case KIND_WIKI:
		return show_page(l, a, pages_of((const struct pages *)shelf, s, r->doc), matched, out);
	case KIND_SL_SOURCE:
		return show_source(models_of((const struct models *)shelf, s, r->doc, &member), matched, out);
	case KIND_SL_MEASURE:
		source = models_of((const struct models *)shelf, s, r->doc, &member);
		return show_show(span_str(source->measures[member].expr), 0, out);
	case KIND_SL_DIMENSION:
		source = models_of((const struct models *)shelf, s, r->doc, &member);
		return show_dimension(&source->columns[member], out);
	default:
		table = schema_of((const struct schema *)shelf, s, r->doc, &column);
		return column != NULL ? show_column(l, &a->q, (const struct schema *)shelf, column, matched, out) :
					show_table((const struct schema *)shelf, table, matched, out);
	}
}
