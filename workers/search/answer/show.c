#include "base/utf8.h"
#include "workers/search/answer/show.h"
#include "words/text.h"

#define BEFORE_MATCH	60	/* characters of a body shown before what matched */
#define BRIEF_MAX	80	/* characters of a body where many answers stand together */
#define BRIEF_BEFORE	20
#define PLACES_MAX	64	/* words that were asked for, in one snippet */
#define NAMES_SHOWN	3	/* of a source's measures and columns */
#define COLUMNS_SHOWN	5	/* of a table */
#define SAMPLES_SHOWN	5	/* of a column */

static const struct segment *
segment_of(const struct answers *a, const struct ranked *r)
{
	return a->parts[r->part].segment;
}

static const struct page *
page_of(const struct answers *a, const struct ranked *r)
{
	return pages_of((const struct pages *)a->parts[r->part].shelf, segment_of(a, r), r->doc);
}

/* At most max characters of s from byte `from` on, in out; {0}: it is empty. */
static struct span
show_part(struct span s, size_t from, size_t max, struct buf *out)
{
	out->len = 0;
	text_snippet(s, from, max, out);
	return out->len > 0 ? buf_view(out) : (struct span){ 0 };
}

static struct span
show_text(struct span s, struct buf *out)
{
	return show_part(s, 0, TEXT_SNIPPET_MAX, out);
}

/* A text of several parts as a snippet. */
static struct span
show_buf(struct buf *whole, struct buf *out)
{
	struct span shown = show_text(buf_view(whole), out);

	buf_fini(whole);
	return shown;
}

struct span
search_summary(const struct answers *a, const struct ranked *r, struct buf *out)
{
	const struct segment *s = segment_of(a, r);
	const struct shelf *shelf = a->parts[r->part].shelf;
	const struct schema_column *column;
	const struct schema_table *table;
	const struct schema *schema;
	const struct source *source;
	struct span shown;
	uint32_t member;

	switch (r->kind) {
	case KIND_WIKI:
		return show_text(page_of(a, r)->good->summary, out);
	case KIND_SL_SOURCE:
		return show_text(models_of((const struct models *)shelf, s, r->doc, &member)->description, out);
	case KIND_SL_MEASURE:
		source = models_of((const struct models *)shelf, s, r->doc, &member);
		return show_text(source->measures[member].description, out);
	case KIND_SL_DIMENSION:
		source = models_of((const struct models *)shelf, s, r->doc, &member);
		return show_text(source->columns[member].description, out);
	default:
		schema = (const struct schema *)shelf;
		table = schema_of(schema, s, r->doc, &column);
		shown = show_text(schema_span(schema, column != NULL ? column->description : table->description), out);
		return shown.len > 0 ?
		    shown :
		    show_text(schema_span(schema, column != NULL ? column->comment : table->comment), out);
	}
}

/* The group of the question's words that word stands for, or q->ngroups. */
static size_t
asked_group(const struct library *l, const struct question *q, struct span word)
{
	uint32_t term = vocab_find(l->vocab, word);

	for (size_t i = 0; term != VOCAB_NONE && i < q->ngroups; i++)
		for (size_t k = 0; k < q->groups[i].nvariants; k++)
			if (q->groups[i].variants[k].term == term &&
			    !q->words[__builtin_ctz(q->groups[i].words)].function)
				return i;
	return q->ngroups;
}

/* Where the first word that was asked for is in text; SIZE_MAX if none. */
static size_t
first_asked(const struct library *l, const struct question *q, struct span text)
{
	struct text_reader r;
	struct text_word w;

	text_begin(&r, text);
	while (text_next(&r, &w))
		if (asked_group(l, q, w.folded) < q->ngroups)
			return w.at;
	return SIZE_MAX;
}

/* The character before at, which is not the first. */
static size_t
step_back(struct span text, size_t at)
{
	do
		at--;
	while (at > 0 && (text.p[at] & 0xc0) == 0x80);
	return at;
}

/* Where the snippet starts: some characters before the first word that was asked for. */
static size_t
window(const struct library *l, const struct question *q, struct span body)
{
	size_t at = first_asked(l, q, body);

	if (at == SIZE_MAX)
		return 0;
	for (int i = 0; i < BEFORE_MATCH && at > 0; i++)
		at = step_back(body, at);
	return at;
}

/* A description or comment: whole, or from before what was asked for where it is longer than a snippet. */
static struct span
show_about(const struct library *l, const struct question *q, struct span text, struct buf *out)
{
	return show_part(text, utf8_count(text) <= TEXT_SNIPPET_MAX ? 0 : window(l, q, text), TEXT_SNIPPET_MAX, out);
}

static struct span
show_page(const struct library *l, const struct answers *a, const struct page *page, enum field matched,
    struct buf *out)
{
	struct span body = page->good->body;

	return show_part(body, matched == FIELD_NAME ? 0 : window(l, &a->q, body), TEXT_SNIPPET_MAX, out);
}

/* Where words that were asked for are in a text. */
struct asked_places {
	size_t	n;
	struct {
		size_t	at, end, group;
	} v[PLACES_MAX];
};

/* The words asked for that are in text behind `from`, as far as a snippet from there would reach. */
static void
find_places(const struct library *l, const struct question *q, struct span text, size_t from, struct asked_places *out)
{
	struct text_reader r;
	struct text_word w;
	size_t group;

	out->n = 0;
	text_begin(&r, span_of(text.p + from, text.len - from));
	while (out->n < PLACES_MAX && text_next(&r, &w) && w.end <= TEXT_SNIPPET_MAX)
		if ((group = asked_group(l, q, w.folded)) < q->ngroups) {
			out->v[out->n].at = from + w.at;
			out->v[out->n].end = from + w.end;
			out->v[out->n++].group = group;
		}
}

static bool
holds_group(const struct asked_places *p, size_t from, size_t to, size_t group)
{
	for (size_t i = from; i < to; i++)
		if (p->v[i].group == group)
			return true;
	return false;
}

/* The shortest stretch from place *first on that has every word the whole has; its end in bytes. */
static size_t
shortest_stretch(const struct asked_places *p, size_t *first)
{
	size_t best = SIZE_MAX, end = 0;

	for (size_t i = 0; i < p->n; i++) {
		size_t last = i;

		for (size_t k = 0; k < p->n && last < SIZE_MAX; k++) {
			if (holds_group(p, i, last + 1, p->v[k].group))
				continue;
			for (last++; last < p->n && p->v[last].group != p->v[k].group; last++)
				;
			if (last == p->n)
				last = SIZE_MAX;
		}
		if (last < SIZE_MAX && p->v[last].end - p->v[i].at < best) {
			best = p->v[last].end - p->v[i].at;
			end = p->v[last].end;
			*first = i;
		}
	}
	return end;
}

/* Some characters before at, from the beginning of a word. */
static size_t
word_before(struct span text, size_t at, size_t characters)
{
	size_t start = at;

	for (size_t i = 0; i < characters && at > 0; i++) {
		at = step_back(text, at);
		if (at == 0 || text.p[at - 1] == ' ' || text.p[at - 1] == '\n')
			start = at;
	}
	return start;
}

/* What was asked for, with few words around it, when that has all words that the longer snippet has. */
static struct span
show_page_briefly(const struct library *l, const struct answers *a, const struct page *page, enum field matched,
    struct buf *out)
{
	struct span body = page->good->body;
	size_t from = matched == FIELD_NAME ? 0 : window(l, &a->q, body), first = 0, length, spare;
	struct asked_places places;

	find_places(l, &a->q, body, from, &places);
	if (places.n == 0 || body.len - from <= BRIEF_MAX)
		return show_part(body, from, BRIEF_MAX, out);
	length = shortest_stretch(&places, &first) - places.v[first].at;
	if (length > BRIEF_MAX)
		return show_part(body, from, TEXT_SNIPPET_MAX, out);
	spare = BRIEF_MAX - length < BRIEF_BEFORE ? BRIEF_MAX - length : BRIEF_BEFORE;
	return show_part(body, word_before(body, places.v[first].at, spare), BRIEF_MAX, out);
}

static struct span
show_source(const struct library *l, const struct question *q, const struct source *s, enum field matched,
    struct buf *out)
{
	struct buf whole = { 0 };
	size_t n = 0;

	if (matched == FIELD_DESCRIPTION)
		return show_about(l, q, s->description, out);
	buf_printf(&whole, "%s: ", s->name);
	for (size_t i = 0; i < s->nmeasures && n < NAMES_SHOWN; i++)
		buf_printf(&whole, "%s%s", n++ > 0 ? ", " : "", s->measures[i].name);
	for (size_t i = 0; i < s->ncolumns && n < NAMES_SHOWN; i++)
		if (s->columns[i].visibility != SOURCE_HIDDEN)
			buf_printf(&whole, "%s%s", n++ > 0 ? ", " : "", s->columns[i].name);
	return show_buf(&whole, out);
}

static struct span
show_dimension(const struct source_column *c, struct buf *out)
{
	struct buf whole = { 0 };

	buf_str(&whole, c->name);
	if (c->type != NULL)
		buf_printf(&whole, " (%s)", c->type);
	return show_buf(&whole, out);
}

static struct span
show_table(const struct library *l, const struct question *q, const struct schema *s, const struct schema_table *t,
    enum field matched, struct buf *out)
{
	struct buf whole = { 0 };

	if (matched == FIELD_DESCRIPTION || matched == FIELD_COMMENT)
		return show_about(l, q, schema_span(s, matched == FIELD_COMMENT ? t->comment : t->description), out);
	for (uint32_t i = 0; i < t->ncolumns && i < COLUMNS_SHOWN; i++) {
		if (i > 0)
			buf_str(&whole, ", ");
		buf_span(&whole, schema_span(s, s->columns[t->column + i].name));
	}
	return show_buf(&whole, out);
}

/* A few of the samples, those that were asked for first. */
static void
put_samples(const struct library *l, const struct question *q, const struct schema *s,
    const struct schema_column *c, struct buf *out)
{
	size_t n, shown = 0;
	const schema_text *samples = schema_list(s, c->samples, &n);

	for (int asked = 1; asked >= 0; asked--)
		for (size_t i = 0; i < n && shown < SAMPLES_SHOWN; i++) {
			struct span sample = schema_span(s, samples[i]);

			if ((first_asked(l, q, sample) != SIZE_MAX) != (asked != 0))
				continue;
			buf_str(out, shown++ > 0 ? ", " : "");
			buf_span(out, sample);
		}
}

static struct span
show_column(const struct library *l, const struct question *q, const struct schema *s, const struct schema_column *c,
    enum field matched, struct buf *out)
{
	struct buf whole = { 0 };

	if (matched == FIELD_DESCRIPTION || matched == FIELD_COMMENT)
		return show_about(l, q, schema_span(s, matched == FIELD_COMMENT ? c->comment : c->description), out);
	buf_span(&whole, schema_span(s, c->native_type));
	if (matched == FIELD_SAMPLE) {
		buf_str(&whole, " · samples: ");
		put_samples(l, q, s, c, &whole);
	}
	return show_buf(&whole, out);
}

struct span
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
		return show_page(l, a, page_of(a, r), matched, out);
	case KIND_SL_SOURCE:
		return show_source(l, &a->q, models_of((const struct models *)shelf, s, r->doc, &member), matched, out);
	case KIND_SL_MEASURE:
		source = models_of((const struct models *)shelf, s, r->doc, &member);
		return show_text(span_str(source->measures[member].expr), out);
	case KIND_SL_DIMENSION:
		source = models_of((const struct models *)shelf, s, r->doc, &member);
		return show_dimension(&source->columns[member], out);
	default:
		table = schema_of((const struct schema *)shelf, s, r->doc, &column);
		return column != NULL ? show_column(l, &a->q, (const struct schema *)shelf, column, matched, out) :
					show_table(l, &a->q, (const struct schema *)shelf, table, matched, out);
	}
}

struct span
search_brief_snippet(const struct library *l, const struct answers *a, const struct ranked *r, enum field matched,
    struct buf *out)
{
	return r->kind == KIND_WIKI ? show_page_briefly(l, a, page_of(a, r), matched, out) :
				      search_snippet(l, a, r, matched, out);
}
