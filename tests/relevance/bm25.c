/* bm25.c - see bm25.h. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/relevance/bm25.h"
#include "base/array.h"

#define K1	1.2
#define B	0.75

struct posting {
	uint32_t	doc, n;
};

struct document {
	uint32_t	part, doc;
	enum kind	kind;
	uint32_t	length;
	double		score;
};

struct bm25 {
	struct names	 words;
	size_t		 nlists;
	struct list {
		size_t		 n, cap;
		struct posting	*v;
	}		*lists;		/* by word */
	size_t		 n, cap;
	struct document	*v;
	double		 average;
};

/* NLTK's English stop words. */
static const char stop[] =
    " i me my we our you your he him his she her it its they them their what which who whom this that these those am is"
    " are was were be been being have has had having do does did doing a an the and but if or because as until while of at by for"
    " with about against between into through during before after above below to from up down in out on off over under again"
    " further then once here there when where why how all any both each few more most other some such no nor not only own same so"
    " than too very s t can will just don should now ";

static bool
is_stop(struct span w)
{
	for (const char *at = stop; (at = memmem(at, strlen(at), w.p, w.len)) != NULL; at++)
		if (at[-1] == ' ' && at[w.len] == ' ')
			return true;
	return false;
}

static bool
ends(const uint8_t *w, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n >= len && memcmp(w + n - len, end, len) == 0;
}

/* The word without a plural's ending; returns its length. */
static size_t
cut_plural(uint8_t *w, size_t n)
{
	if (n > 5 && ends(w, n, "ies")) {
		w[n - 3] = 'y';
		return n - 2;
	}
	return n > 4 && ends(w, n, "es") ? n - 2 : n > 3 && ends(w, n, "s") ? n - 1 : n;
}

/* The next word of text from *at on; false: none. */
static bool
next_word(struct text_reader *r, uint8_t word[TEXT_WORD_MAX], size_t *n)
{
	struct text_word w;

	while (text_next(r, &w)) {
		if (is_stop(w.folded))
			continue;
		memcpy(word, w.folded.p, w.folded.len);
		*n = cut_plural(word, w.folded.len);
		return true;
	}
	return false;
}

static void
add_text(struct bm25 *b, struct span text)
{
	struct document *d = &b->v[b->n - 1];
	uint32_t doc = (uint32_t)b->n - 1;
	uint8_t word[TEXT_WORD_MAX];
	struct text_reader r;
	size_t n;

	text_begin(&r, text);
	while (next_word(&r, word, &n)) {
		uint32_t i = names_add(&b->words, span_of(word, n));
		struct list *l;

		if (i >= b->nlists) {
			size_t want = (size_t)i + i / 2 + 256;

			b->lists = array_extend(b->lists, b->nlists, want, sizeof(*b->lists));
			b->nlists = want;
		}
		l = &b->lists[i];
		d->length++;
		if (l->n > 0 && l->v[l->n - 1].doc == doc) {
			l->v[l->n - 1].n++;
			continue;
		}
		l->v = array_grow(l->v, l->n, &l->cap, sizeof(*l->v));
		l->v[l->n++] = (struct posting){ doc, 1 };
	}
}

static void
add_document(struct bm25 *b, uint32_t part, uint32_t doc, enum kind kind)
{
	b->v = array_grow(b->v, b->n, &b->cap, sizeof(*b->v));
	b->v[b->n++] = (struct document){ .part = part, .doc = doc, .kind = kind };
}

static void
add_page(struct bm25 *b, const struct pages *pages, const struct segment *s, uint32_t part, uint32_t doc)
{
	const struct page *page = pages_of(pages, s, doc);

	add_document(b, part, doc, KIND_WIKI);
	add_text(b, span_str(page->key));
	add_text(b, page->good->summary);
	add_text(b, page->good->body);
}

static void
add_member(struct bm25 *b, const struct models *m, const struct segment *s, uint32_t part, uint32_t doc)
{
	enum kind kind = (enum kind)s->kind[doc];
	uint32_t i;
	const struct source *source = models_of(m, s, doc, &i);

	if (source->flavour == SOURCE_MANIFEST && kind != KIND_SL_MEASURE)
		return;
	add_document(b, part, doc, kind);
	add_text(b, span_str(source->name));
	if (kind == KIND_SL_MEASURE) {
		add_text(b, span_str(source->measures[i].name));
		add_text(b, source->measures[i].description);
	} else if (kind == KIND_SL_DIMENSION) {
		add_text(b, span_str(source->columns[i].name));
		add_text(b, source->columns[i].description);
	} else
		add_text(b, source->description);
}

static void
add_column_text(struct bm25 *b, const struct schema *s, const struct schema_column *c)
{
	add_text(b, schema_span(s, c->name));
	add_text(b, schema_span(s, c->description));
	add_text(b, schema_span(s, c->comment));
}

static void
add_raw(struct bm25 *b, const struct schema *s, uint32_t part, uint32_t doc)
{
	const struct schema_column *c;
	const struct schema_table *t = schema_of(s, s->segment, doc, &c);

	add_document(b, part, doc, c == NULL ? KIND_TABLE : KIND_COLUMN);
	add_text(b, schema_span(s, t->name));
	if (c != NULL) {
		add_column_text(b, s, c);
		return;
	}
	add_text(b, schema_span(s, t->description));
	add_text(b, schema_span(s, t->comment));
	for (uint32_t i = t->column; i < t->column + t->ncolumns; i++)
		add_column_text(b, s, &s->columns[i]);
}

struct bm25 *
bm25_new(struct library *l)
{
	struct bm25 *b = mem_new(1, sizeof(*b));
	size_t nparts;
	const struct part *parts = library_parts(l, NULL, &nparts);

	for (uint32_t i = 0; i < nparts; i++)
		for (uint32_t doc = 0; doc < parts[i].segment->ndocs; doc++) {
			const struct segment *s = parts[i].segment;

			if (segment_is_dead(s, doc) || s->kind[doc] == KIND_FAMILY)
				continue;
			if (s->kind[doc] == KIND_WIKI)
				add_page(b, (const struct pages *)parts[i].shelf, s, i, doc);
			else if (s->kind[doc] < KIND_TABLE)
				add_member(b, (const struct models *)parts[i].shelf, s, i, doc);
			else
				add_raw(b, (const struct schema *)parts[i].shelf, i, doc);
		}
	for (size_t i = 0; i < b->n; i++)
		b->average += (double)b->v[i].length / (double)b->n;
	return b;
}

void
bm25_free(struct bm25 *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->nlists; i++)
		free(b->lists[i].v);
	free(b->lists);
	free(b->v);
	names_fini(&b->words);
	free(b);
}

static void
add_scores(struct bm25 *b, const struct list *l)
{
	double idf = log(1 + ((double)b->n - (double)l->n + 0.5) / ((double)l->n + 0.5));

	for (size_t i = 0; i < l->n; i++) {
		struct document *d = &b->v[l->v[i].doc];
		double f = l->v[i].n;

		d->score += idf * f * (K1 + 1) / (f + K1 * (1 - B + B * d->length / b->average));
	}
}

static const struct document *
best(const struct bm25 *b, unsigned kinds)
{
	const struct document *best = NULL;

	for (size_t i = 0; i < b->n; i++)
		if ((KIND_BIT(b->v[i].kind) & kinds) != 0 && b->v[i].score > 0 &&
		    (best == NULL || b->v[i].score > best->score))
			best = &b->v[i];
	return best;
}

size_t
bm25_ask(struct bm25 *b, const char *question, unsigned kinds, size_t max, struct bm25_hit *out)
{
	uint8_t word[TEXT_WORD_MAX];
	uint32_t seen[64];
	struct text_reader r;
	size_t n, nseen = 0, found = 0;

	for (size_t i = 0; i < b->n; i++)
		b->v[i].score = 0;
	text_begin(&r, span_str(question));
	while (next_word(&r, word, &n)) {
		uint32_t i = names_find(&b->words, span_of(word, n));
		size_t k = 0;

		while (k < nseen && seen[k] != i)
			k++;
		if (i == NAMES_NONE || k < nseen || nseen == sizeof(seen) / sizeof(seen[0]))
			continue;
		seen[nseen++] = i;
		add_scores(b, &b->lists[i]);
	}
	for (const struct document *d; found < max && (d = best(b, kinds)) != NULL; found++) {
		out[found] = (struct bm25_hit){ d->part, d->doc };
		b->v[d - b->v].score = 0;
	}
	return found;
}
