/* builder.c - segments from text; see segment.h. */
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/few.h"
#include "workers/search/lexicon.h"
#include "workers/search/segment.h"
#include "workers/search/text.h"

/*
 * Legend: weight of a word in the field; how much the field's length matters
 * (BM25F's b) and the length, in words, at which a word counts exactly once.
 * A shorter name says more by each word; a shorter text does not.
 */
static const struct {
	const char	*name;
	float		 weight, b, pivot;
} fields[FIELDS] = {
	[FIELD_NAME]		= { "name",		1.2f, 0.50f,   2 },
	[FIELD_DISPLAY]		= { "display",		1.1f, 0.50f,   4 },
	[FIELD_DESCRIPTION]	= { "description",	1.0f, 0.50f,  12 },
	[FIELD_COMMENT]		= { "comment",		1.0f, 0.50f,  12 },
	[FIELD_EXPR]		= { "expr",		0.9f, 0.50f,   8 },
	[FIELD_SAMPLE]		= { "sample_value",	0.9f, 0.50f,  10 },
	[FIELD_BODY]		= { "body",		0.8f, 0.75f, 200 },
};

#define PIECE		0.8f	/* of its word's weight that a piece of it has */
#define PLAIN		0.9f	/* of a whole name's weight, by what its words mean */
#define INITIALS	1.0f	/* and that initials have */
#define INITIALS_LEAST	3	/* words in a row that are known by their initials, */
#define INITIALS_MOST	5	/* at least and at most, */
#define INITIALS_WORDS	16	/* of the first so many */

#define MANY		16	/* one in so many terms is worth looking through all */
#define AHEAD	24	/* entries whose place is fetched before it is needed */

static const char *const kinds[KINDS] = {
	"wiki", "sl_source", "sl_measure", "sl_dimension", "table", "column"
};

const char *
field_name(enum field f)
{
	return fields[f].name;
}

float
field_weight(enum field f)
{
	return fields[f].weight;
}

const char *
kind_name(enum kind k)
{
	return kinds[k];
}

struct entry {
	uint32_t	term, doc;
	uint8_t		weight, mask;
};

/* A word of the document in work. */
struct word {
	uint32_t	term;
	float		weight;
	uint8_t		mask;
};

struct builder {
	struct vocab	*vocab;
	bool		 forward;
	size_t		 ndocs, kind_cap, parent_cap, item_cap;
	uint8_t		*kind;
	uint32_t	*parent, *item;
	size_t		 nentries, entries_cap;
	struct entry	*entries;
	size_t		 nwords, words_cap;	/* of the document in work */
	struct word	*words;
	uint32_t	 few[FEW];		/* the terms of the first, by which they are found; VOCAB_NONE behind them */
	struct array_u32 field;			/* terms of the field in work */
	float		 scale;			/* of the document in work */
	uint8_t		 joined[TEXT_WORD_MAX];
	size_t		 nnames;
	struct known_name {
		uint32_t	at, n;		/* its words in known; none: not taken apart yet */
	}		*names;			/* by key */
	size_t		 nknown, known_cap;
	struct word	*known;
};

struct builder *
builder_new(struct vocab *v, bool forward)
{
	struct builder *b = mem_new(1, sizeof(*b));

	b->vocab = v;
	b->forward = forward;
	memset(b->few, 0xff, sizeof(b->few));
	return b;
}

void
builder_free(struct builder *b)
{
	if (b == NULL)
		return;
	free(b->kind);
	free(b->parent);
	free(b->item);
	free(b->entries);
	free(b->words);
	free(b->field.v);
	free(b->names);
	free(b->known);
	free(b);
}

uint32_t
builder_docs(const struct builder *b)
{
	return (uint32_t)b->ndocs;
}

static void
add_entry(struct builder *b, struct entry e)
{
	b->entries = array_grow(b->entries, b->nentries, &b->entries_cap, sizeof(*b->entries));
	b->entries[b->nentries++] = e;
}

/* The words of the document in work become postings. */
void
builder_close(struct builder *b)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);

	while (b->entries_cap - b->nentries < b->nwords)
		b->entries = array_grow(b->entries, b->entries_cap, &b->entries_cap, sizeof(*b->entries));
	for (size_t i = 0; i < b->nwords; i++) {
		const struct word *w = &b->words[i];
		float scaled = w->weight * WEIGHT_SCALE + 0.5f;

		b->entries[b->nentries++] = (struct entry){
			.term = w->term, .doc = (uint32_t)b->ndocs - 1, .mask = w->mask,
			.weight = (uint8_t)(scaled < 1 ? 1 : scaled > 255 ? 255 : scaled)
		};
		if (b->nwords > FEW)
			*vocab_place(&scratch, w->term) = 0;
	}
	b->nwords = 0;
	memset(b->few, 0xff, sizeof(b->few));
}

static uint32_t
open_doc(struct builder *b, enum kind kind, uint32_t parent, uint32_t item)
{
	uint32_t doc = (uint32_t)b->ndocs;

	b->kind = array_grow(b->kind, b->ndocs, &b->kind_cap, sizeof(*b->kind));
	b->parent = array_grow(b->parent, b->ndocs, &b->parent_cap, sizeof(*b->parent));
	b->item = array_grow(b->item, b->ndocs, &b->item_cap, sizeof(*b->item));
	b->kind[doc] = (uint8_t)kind;
	b->parent[doc] = parent == VOCAB_NONE ? doc : parent;
	b->item[doc] = item;
	b->ndocs++;
	return doc;
}

uint32_t
builder_doc(struct builder *b, enum kind kind, uint32_t parent, uint32_t item)
{
	builder_close(b);
	b->scale = 1;
	return open_doc(b, kind, parent, item);
}

void
builder_scale(struct builder *b, float scale)
{
	b->scale = scale;
}

/* One more word of the document; where it stands is noted, plus one, once they are no longer few. */
static void
append_word(struct builder *b, struct word w)
{
	struct vocab_scratch scratch;

	b->words = array_grow(b->words, b->nwords, &b->words_cap, sizeof(*b->words));
	b->words[b->nwords++] = w;
	if (b->nwords <= FEW) {
		b->few[b->nwords - 1] = w.term;
		return;
	}
	scratch = vocab_scratch(b->vocab);
	for (size_t i = b->nwords > FEW + 1 ? b->nwords - 1 : 0; i < b->nwords; i++)
		*vocab_place(&scratch, b->words[i].term) = (uint32_t)i + 1;
}

static struct word *
find_word(struct builder *b, uint32_t term)
{
	size_t i;

	if (b->nwords > FEW) {
		struct vocab_scratch scratch = vocab_scratch(b->vocab);
		uint32_t place = *vocab_place(&scratch, term);

		return place == 0 ? NULL : &b->words[place - 1];
	}
	i = few_find(b->few, term);
	return i == FEW ? NULL : &b->words[i];
}

/* Add weight to the document's word. */
static void
add_word(struct builder *b, uint32_t term, float weight, enum field f)
{
	struct word *w = find_word(b, term);

	if (w == NULL) {
		append_word(b, (struct word){ .term = term, .weight = weight, .mask = (uint8_t)(1u << f) });
		return;
	}
	w->weight += weight;
	w->mask |= (uint8_t)(1u << f);
}

/* The whole name by its words, or by what they plainly mean; see vocab_whole_begin(). */
static bool
spell_whole(struct builder *b, bool plain, struct vocab_whole *w)
{
	vocab_whole_begin(w);
	for (size_t i = 0; i < b->field.n; i++) {
		size_t n = 0;
		const uint32_t *pieces = plain ? vocab_pieces(b->vocab, b->field.v[i], &n) : NULL;

		for (size_t k = 0; k < n || k == 0; k++)
			vocab_whole_add(w, b->vocab, n == 0 ? b->field.v[i] : pieces[k], plain);
	}
	return vocab_whole_end(w);
}

static void
add_wholes(struct builder *b)
{
	struct vocab_whole exact, plain;
	bool some = spell_whole(b, false, &exact), same = some;

	if (some)
		vocab_soon_exact(b->vocab, span_of(exact.text, exact.len));
	for (size_t i = 0; i < b->field.n; i++)
		same = same && vocab_is_plain(b->vocab, b->field.v[i]);
	same = same || !spell_whole(b, true, &plain) ||
	    (some && span_is(span_of(exact.text, exact.len), span_of(plain.text, plain.len)));
	if (!same)
		vocab_soon_exact(b->vocab, span_of(plain.text, plain.len));
	if (some)
		add_word(b, vocab_add_exact(b->vocab, span_of(exact.text, exact.len)), b->scale, FIELD_NAME);
	if (!same)
		add_word(b, vocab_add_exact(b->vocab, span_of(plain.text, plain.len)), b->scale * PLAIN, FIELD_NAME);
}

/* Only there short words are names; elsewhere they are words that people use (roas, mrr). */
static bool
is_of_data(const struct builder *b)
{
	enum kind kind = (enum kind)b->kind[b->ndocs - 1];

	return kind == KIND_SL_DIMENSION || kind == KIND_TABLE || kind == KIND_COLUMN;
}

/* What words written in one consist of. */
static void
add_pieces(struct builder *b, float each)
{
	for (size_t i = 0; i < b->field.n; i++) {
		size_t n;
		const uint32_t *pieces = vocab_pieces(b->vocab, b->field.v[i], &n);

		if (n > 0 && vocab_is_spelled_out(b->vocab, b->field.v[i]) && !is_of_data(b))
			continue;
		for (size_t k = 0; k < n; k++)
			add_word(b, pieces[k], each * PIECE, FIELD_NAME);
	}
}

/* Letters and digits that are one name to those who know it (kna1): what it stands for. */
static void
add_numbered(struct builder *b, struct span joined, float each)
{
	struct span words[VOCAB_PIECES_MAX];
	uint8_t last = joined.p[joined.len - 1];
	size_t n = last >= '0' && last <= '9' ? lexicon_spell_out(joined, words, VOCAB_PIECES_MAX) : 0;

	for (size_t i = 0; i < n; i++)
		add_word(b, vocab_add(b->vocab, words[i]), each * PIECE, FIELD_NAME);
}

/* The initials of neighbouring words: los for length_of_stay_days, with and without the small words between. */
static void
add_initials(struct builder *b, float each, bool small)
{
	uint8_t initials[INITIALS_WORDS];
	size_t n = 0;

	for (size_t i = 0; i < b->field.n && n < INITIALS_WORDS; i++) {
		struct span word = vocab_text(b->vocab, b->field.v[i]);

		if (word.len > 0 && word.p[0] < 0x80 && (small || !vocab_is_function(b->vocab, b->field.v[i])))
			initials[n++] = word.p[0];
	}
	for (size_t from = 0; from < n; from++)
		for (size_t len = INITIALS_LEAST; len <= INITIALS_MOST && from + len <= n; len++)
			add_word(b, vocab_add_exact(b->vocab, span_of(initials + from, len)), each * INITIALS, FIELD_NAME);
}

void
builder_text(struct builder *b, enum field f, struct span text)
{
	struct text_reader r;
	struct text_word w;
	size_t joined = 0;
	bool fits = true, first = b->nwords == 0;
	float each;

	if (text.len == 0)
		return;
	b->field.n = 0;
	text_begin(&r, text);
	while (text_next(&r, &w)) {
		array_u32_push(&b->field, vocab_add(b->vocab, w.folded));
		if (f == FIELD_NAME)
			vocab_soon(b->vocab, b->field.v[b->field.n - 1]);
		fits = fits && w.folded.len <= sizeof(b->joined) - joined;
		if (f == FIELD_NAME && fits) {
			memcpy(b->joined + joined, w.folded.p, w.folded.len);
			joined += w.folded.len;
		}
	}
	each = 1 - fields[f].b + fields[f].b * (float)b->field.n / fields[f].pivot;
	if (each < 1 && f > FIELD_DISPLAY)
		each = 1;
	each = b->scale * fields[f].weight / each;
	for (size_t i = 0; i < b->field.n; i++)
		add_word(b, b->field.v[i], each, f);
	if (f == FIELD_NAME && b->field.n > 0) {
		if (fits && b->field.n > 1)
			vocab_soon_exact(b->vocab, span_of(b->joined, joined));
		add_pieces(b, each);
		if (b->field.n >= INITIALS_LEAST) {
			bool small = false;

			add_initials(b, each, true);
			for (size_t i = 0; i < b->field.n; i++)
				small = small || vocab_is_function(b->vocab, b->field.v[i]);
			if (small)
				add_initials(b, each, false);
		}
		if (first)
			add_wholes(b);
	}
	if (f == FIELD_NAME && fits && b->field.n == 2 && is_of_data(b))
		add_numbered(b, span_of(b->joined, joined), each);
	if (f == FIELD_NAME && fits && b->field.n > 1)
		add_word(b, vocab_add_exact(b->vocab, span_of(b->joined, joined)),
		    b->scale * fields[f].weight, f);
}

void
builder_plain_name(struct builder *b, struct span text)
{
	struct text_reader r;
	struct text_word w;

	text_begin(&r, text);
	while (text_next(&r, &w))
		add_word(b, vocab_add(b->vocab, w.folded), b->scale * fields[FIELD_NAME].weight, FIELD_NAME);
}

void
builder_soon(const struct builder *b, uint32_t key)
{
	if (key < b->nnames)
		__builtin_prefetch(&b->names[key]);
}

bool
builder_knows(const struct builder *b, uint32_t key)
{
	if (key >= b->nnames || b->names[key].n == 0)
		return false;
	__builtin_prefetch(&b->known[b->names[key].at]);
	return true;
}

void
builder_name(struct builder *b, uint32_t key, struct span text)
{
	if (key >= b->nnames) {
		size_t want = (size_t)key + key / 2 + 1024;

		b->names = array_extend(b->names, b->nnames, want, sizeof(*b->names));
		b->nnames = want;
	}
	if (b->names[key].n > 0) {
		for (uint32_t i = 0; i < b->names[key].n; i++)
			append_word(b, b->known[b->names[key].at + i]);
		return;
	}
	builder_text(b, FIELD_NAME, text);
	b->names[key] = (struct known_name){ .at = (uint32_t)b->nknown, .n = (uint32_t)b->nwords };
	for (size_t i = 0; i < b->nwords; i++) {
		b->known = array_grow(b->known, b->nknown, &b->known_cap, sizeof(*b->known));
		b->known[b->nknown++] = b->words[i];
	}
}

void
builder_segment(struct builder *b, const struct segment *s)
{
	uint32_t *moved = array_new(s->ndocs, sizeof(*moved));

	builder_close(b);
	for (uint32_t doc = 0; doc < s->ndocs; doc++)
		if (!segment_is_dead(s, doc))
			/* A parent dies with its children, so it was moved before. */
			moved[doc] = open_doc(b, (enum kind)s->kind[doc],
			    s->parent[doc] == doc ? VOCAB_NONE : moved[s->parent[doc]], s->item[doc]);
	for (uint32_t t = 0; t < s->nterms; t++)
		for (uint32_t i = s->starts[t]; i < s->starts[t + 1]; i++)
			if (!segment_is_dead(s, s->docs[i]))
				add_entry(b, (struct entry){
					.term = s->terms[t], .doc = moved[s->docs[i]],
					.weight = s->weights[i], .mask = s->masks[i]
				});
	free(moved);
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Entries need no sorting: text comes document by document, and segments taken
 * over bring each term's documents in ascending order, behind all before.
 */

/* Terms that have a place: of so many that looking through all there are is less work than sorting. */
static void
collect(const uint32_t *place, uint32_t n, uint32_t first, struct array_u32 *terms)
{
	for (uint32_t i = 0; i < n; i++)
		if (place[i] > 0)
			terms->v[terms->n++] = first | i;
}

static void
order_terms(struct builder *b, struct array_u32 *terms)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);
	uint32_t nwords = vocab_count(b->vocab), nexact = vocab_count_exact(b->vocab);

	if (terms->n > ((size_t)nwords + nexact) / MANY) {
		terms->n = 0;
		collect(scratch.of[0], nwords, 0, terms);
		collect(scratch.of[1], nexact, VOCAB_EXACT, terms);
	} else if (terms->n > 0)
		qsort(terms->v, terms->n, sizeof(*terms->v), by_number);
}

/* Which terms there are, ascending, and where each one's postings begin; leaves the begins in their places. */
static void
lay_out(struct builder *b, struct segment *s)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);
	struct array_u32 terms = { 0 };
	uint32_t at = 0;

	for (size_t i = 0; i < b->nentries; i++) {
		const struct entry *e = &b->entries[i];

		if (i + AHEAD < b->nentries)
			__builtin_prefetch(vocab_place(&scratch, e[AHEAD].term), 1);
		if ((*vocab_place(&scratch, e->term))++ == 0)
			array_u32_push(&terms, e->term);
	}
	order_terms(b, &terms);
	s->nterms = (uint32_t)terms.n;
	s->terms = array_trim(terms.v, terms.n, &terms.cap, sizeof(*terms.v));
	s->starts = array_new(terms.n + 1, sizeof(*s->starts));
	for (uint32_t i = 0; i < s->nterms; i++) {
		uint32_t *place = vocab_place(&scratch, s->terms[i]), n = *place;

		s->starts[i] = *place = at;
		at += n;
	}
	s->starts[s->nterms] = at;
}

/* Entries to their terms' postings, all over the arrays: the way there is made ready before it is gone. */
static void
scatter(struct builder *b, struct segment *s)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);

	s->docs = array_new(b->nentries, sizeof(*s->docs));
	s->weights = array_new(b->nentries, sizeof(*s->weights));
	s->masks = array_new(b->nentries, sizeof(*s->masks));
	for (size_t i = 0; i < b->nentries; i++) {
		const struct entry *e = &b->entries[i];
		uint32_t at;

		if (i + 2 * AHEAD < b->nentries)
			__builtin_prefetch(vocab_place(&scratch, e[2 * AHEAD].term), 1);
		if (i + AHEAD < b->nentries) {
			at = *vocab_place(&scratch, e[AHEAD].term);
			__builtin_prefetch(&s->docs[at], 1);
			__builtin_prefetch(&s->weights[at], 1);
			__builtin_prefetch(&s->masks[at], 1);
		}
		at = (*vocab_place(&scratch, e->term))++;
		s->docs[at] = e->doc;
		s->weights[at] = e->weight;
		s->masks[at] = e->mask;
	}
}

/* The largest weight of each term, and of each block. */
static void
find_most(struct builder *b, struct segment *s)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);

	s->most = array_new(s->nterms, sizeof(*s->most));
	for (uint32_t i = 0; i < s->nterms; i++) {
		*vocab_place(&scratch, s->terms[i]) = 0;
		for (uint32_t k = s->starts[i]; k < s->starts[i + 1]; k++)
			if (s->weights[k] > s->most[i])
				s->most[i] = s->weights[k];
	}
	s->block_most = array_new(b->nentries / SEGMENT_BLOCK + 1, sizeof(*s->block_most));
	for (size_t k = 0; k < b->nentries; k++)
		if (s->weights[k] > s->block_most[k / SEGMENT_BLOCK])
			s->block_most[k / SEGMENT_BLOCK] = s->weights[k];
}

static void
keep_forward(struct builder *b, struct segment *s)
{
	uint32_t *next;

	s->doc_starts = array_new(b->ndocs + 1, sizeof(*s->doc_starts));
	s->doc_terms = array_new(b->nentries, sizeof(*s->doc_terms));
	for (size_t i = 0; i < b->nentries; i++)
		s->doc_starts[b->entries[i].doc + 1]++;
	for (size_t i = 0; i < b->ndocs; i++)
		s->doc_starts[i + 1] += s->doc_starts[i];
	next = array_new(b->ndocs, sizeof(*next));
	memcpy(next, s->doc_starts, b->ndocs * sizeof(*next));
	for (size_t i = 0; i < b->nentries; i++)
		s->doc_terms[next[b->entries[i].doc]++] = b->entries[i].term;
	free(next);
}

struct segment *
builder_finish(struct builder *b)
{
	struct segment *s = mem_new(1, sizeof(*s));

	builder_close(b);
	s->ndocs = s->nlive = (uint32_t)b->ndocs;
	s->kind = array_trim(b->kind, b->ndocs, &b->kind_cap, sizeof(*b->kind));
	s->parent = array_trim(b->parent, b->ndocs, &b->parent_cap, sizeof(*b->parent));
	s->item = array_trim(b->item, b->ndocs, &b->item_cap, sizeof(*b->item));
	for (uint32_t i = 0; i < s->ndocs; i++)
		s->kinds |= KIND_BIT(s->kind[i]);
	lay_out(b, s);
	scatter(b, s);
	find_most(b, s);
	if (b->forward)
		keep_forward(b, s);
	for (uint32_t i = 0; i < s->nterms; i++)
		vocab_count_documents(b->vocab, s->terms[i], (int32_t)(s->starts[i + 1] - s->starts[i]));
	free(b->entries);
	b->kind = NULL;
	b->parent = b->item = NULL;
	b->entries = NULL;
	b->ndocs = b->kind_cap = b->parent_cap = b->item_cap = b->nentries = b->entries_cap = 0;
	return s;
}
