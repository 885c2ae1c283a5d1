#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/prefetch.h"
#include "workers/search/index/brief.h"
#include "words/text_hash.h"
#include "workers/search/index/hashes.h"
#include "workers/search/index/near.h"
#include "words/lexicon.h"
#include "workers/search/index/recent.h"
#include "words/text.h"
#include "workers/search/index/vocab.h"
#include "workers/search/index/vocab_parts.h"
#include "words/words.h"

#define AT_ONCE		16	/* words of a text that are looked up together */
#define GERMAN_LEAST	4	/* bytes of a German stem */

struct word {
	uint32_t	documents;
	uint32_t	at;		/* in pool */
	uint8_t		len;
	bool		function;	/* a small word */
	bool		apart;		/* pieces is known */
	bool		spelled_out;	/* it is the words of what the word stands for */
	bool		brief;		/* is in briefs */
	uint16_t	row;		/* of the lexicon; LEXICON_NONE: in none */
	uint32_t	pieces;		/* its list in pieces; 0: one word */
	uint32_t	next_form;	/* ring of one stem; itself when alone */
	uint32_t	next_german;	/* the same of one German stem */
	uint32_t	stem_at;	/* in pool */
	uint8_t		stem_len;
};

/* Rings of words with one stem, by that stem. */
struct rings {
	struct table	table;
	size_t		cap;
	struct ring {
		uint32_t	at, len;	/* of the stem, in pool */
		uint32_t	word;		/* one member */
	}		*v;
};

struct vocab {
	struct array_u8	 pool;
	size_t		 nwords, words_cap;
	struct word	*words;
	struct table	 by_text;
	struct recent	 recent;
	struct hashes	 exact;
	size_t		 exact_cap;
	uint32_t	*exact_documents;
	struct rings	 by_stem, by_german;
	struct briefs	 briefs;
	struct grams	 grams;
	struct near	 near;
	struct array_u32 pieces;	/* lists: count, then terms */
	struct vocab_scratch scratch;	/* words_cap, exact_cap */
	uint8_t		*hits;		/* words_cap; zero between guesses */
};

static uint32_t
pool_add(struct vocab *v, struct span s)
{
	uint32_t at = (uint32_t)v->pool.n;

	array_u8_append(&v->pool, s.p, s.len);
	return at;
}

/* An exact term is no word: it has no text, no stem, no meaning and no pieces. */
static const struct word *
word_of(const struct vocab *v, uint32_t term)
{
	static const struct word none = { .row = LEXICON_NONE, .apart = true };

	return (term & VOCAB_EXACT) != 0 ? &none : &v->words[term];
}

static struct span
word_text(const struct vocab *v, const struct word *w)
{
	return span_of(v->pool.v + w->at, w->len);
}

static struct span
stem_text(const struct vocab *v, const struct word *w)
{
	return span_of(v->pool.v + w->stem_at, w->stem_len);
}

/* VOCAB_NONE: not known. */
static uint32_t
known_word(const struct vocab *v, struct span text, uint64_t hash)
{
	uint32_t word;

	for (size_t at = table_start(hash); (word = table_next(&v->by_text, hash, &at)) != TABLE_NONE;)
		if (v->words[word].len == text.len && bytes_are(v->pool.v + v->words[word].at, text.p, text.len))
			return word;
	return VOCAB_NONE;
}

/* NULL: there is no word of that stem. */
static struct ring *
ring_of(const struct vocab *v, const struct rings *r, struct span stem)
{
	uint64_t hash = text_hash(stem);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&r->table, hash, &at)) != TABLE_NONE;)
		if (r->v[row].len == stem.len && bytes_are(v->pool.v + r->v[row].at, stem.p, stem.len))
			return &r->v[row];
	return NULL;
}

/* The stem stands at that place in pool. */
static void
add_ring(struct rings *r, struct span stem, uint32_t at, uint32_t word)
{
	uint32_t row = (uint32_t)r->table.n;

	r->v = array_grow(r->v, row, &r->cap, sizeof(*r->v));
	r->v[row] = (struct ring){ .at = at, .len = (uint32_t)stem.len, .word = word };
	table_add(&r->table, text_hash(stem), row);
}

static void
rings_fini(struct rings *r)
{
	table_free(&r->table);
	free(r->v);
}

static size_t
rings_bytes(const struct rings *r)
{
	return table_bytes(&r->table) + r->cap * sizeof(*r->v);
}

struct vocab *
vocab_new(void)
{
	struct vocab *v = mem_new(1, sizeof(*v));

	recent_init(&v->recent);
	return v;
}

void
vocab_free(struct vocab *v)
{
	if (v == NULL)
		return;
	grams_fini(&v->grams);
	recent_fini(&v->recent);
	free(v->pool.v);
	free(v->words);
	table_free(&v->by_text);
	free(v->exact_documents);
	hashes_fini(&v->exact);
	rings_fini(&v->by_stem);
	rings_fini(&v->by_german);
	briefs_fini(&v->briefs);
	near_fini(&v->near);
	free(v->pieces.v);
	free(v->scratch.of[0]);
	free(v->scratch.of[1]);
	free(v->hits);
	free(v);
}

/* Put the word into the ring of its stem. */
static void
join_stem(struct vocab *v, uint32_t word)
{
	uint8_t buf[TEXT_WORD_MAX];
	struct word *w = &v->words[word];
	struct span text = word_text(v, w);
	struct span stem = span_of(buf, text_stem(text, buf));
	struct ring *ring = ring_of(v, &v->by_stem, stem);

	if (ring != NULL) {
		w->stem_at = ring->at;
		w->next_form = v->words[ring->word].next_form;
		v->words[ring->word].next_form = word;
	} else {
		/* Most stems are a prefix of their word. */
		w->stem_at = stem.len <= text.len && memcmp(stem.p, text.p, stem.len) == 0 ? w->at : pool_add(v, stem);
		add_ring(&v->by_stem, stem, w->stem_at, word);
	}
	w->stem_len = (uint8_t)stem.len;
}

/* Put the word also into the ring of its German stem. */
static void
join_german(struct vocab *v, uint32_t word)
{
	uint8_t buf[TEXT_WORD_MAX];
	struct span stem = span_of(buf, text_german_stem(word_text(v, &v->words[word]), buf));
	struct ring *ring;

	if (stem.len < GERMAN_LEAST)
		return;
	if ((ring = ring_of(v, &v->by_german, stem)) == NULL) {
		add_ring(&v->by_german, stem, pool_add(v, stem), word);
		return;
	}
	v->words[word].next_german = v->words[ring->word].next_german;
	v->words[ring->word].next_german = word;
}

static uint32_t
new_word(struct vocab *v, struct span text)
{
	size_t had = v->words_cap;
	uint32_t word = (uint32_t)v->nwords;
	struct word *w;

	v->words = array_grow(v->words, v->nwords, &v->words_cap, sizeof(*v->words));
	if (v->words_cap != had) {
		v->scratch.of[0] = array_extend(v->scratch.of[0], had, v->words_cap, sizeof(uint32_t));
		v->hits = array_extend(v->hits, had, v->words_cap, sizeof(*v->hits));
	}
	w = &v->words[v->nwords++];
	*w = (struct word){ .at = pool_add(v, text),
		.len = (uint8_t)text.len,
		.row = LEXICON_NONE,
		.next_form = word,
		.next_german = word,
		/* Numbers mean nothing; in names of tables there are more of them than of words. */
		.apart = text_is_number(text) };
	join_stem(v, word);
	if (!w->apart) {
		join_german(v, word);
		w->row = lexicon_row_of(word_text(v, w));
		w->function = words_has(WORDS_FUNCTION, word_text(v, w));
	}
	grams_add(&v->grams, word_text(v, w), word);
	return word;
}

static uint32_t
find_or_add(struct vocab *v, struct span text)
{
	uint64_t hash = text_hash(text);
	uint32_t word = known_word(v, text, hash);

	if (word == VOCAB_NONE) {
		word = new_word(v, text);
		table_add(&v->by_text, hash, word);
	}
	return word;
}

uint32_t
vocab_add_short(struct vocab *v, const struct text_short *w)
{
	struct recent_place *place = recent_place(&v->recent, w);
	uint8_t text[TEXT_SHORT_MAX];
	size_t had = v->nwords;
	uint32_t number;

	if (recent_find(place, w, &number))
		return number;
	memcpy(text, &w->low, 8);
	memcpy(text + 8, &w->high, 8);
	number = find_or_add(v, span_of(text, w->len));
	/* Most words come only once: such a word must not replace a frequent one. */
	if (v->nwords == had)
		recent_put(place, w, number);
	return number;
}

void
vocab_soon_short(const struct vocab *v, const struct text_short *w)
{
	prefetch(recent_place(&v->recent, w));
}

void
vocab_add_text(struct vocab *v, struct text_reader *r, struct array_u32 *terms)
{
	struct text_short usual[AT_ONCE];
	struct text_word w;

	for (;;) {
		size_t n = 0;

		/* The slots lie far apart in memory: all are prefetched before the first is used. */
		while (n < AT_ONCE && text_next_short(r, &usual[n]))
			prefetch(recent_place(&v->recent, &usual[n++]));
		for (size_t i = 0; i < n; i++)
			array_u32_push(terms, vocab_add_short(v, &usual[i]));
		if (n == AT_ONCE)
			continue;
		if (!text_next(r, &w))
			return;
		array_u32_push(terms, vocab_add(v, w.folded));
	}
}

uint32_t
vocab_add(struct vocab *v, struct span text)
{
	struct text_short w;

	if (text.len == 0 || text.len > TEXT_SHORT_MAX)
		return find_or_add(v, text);
	w = text_short_of(text);
	return vocab_add_short(v, &w);
}

uint64_t
vocab_exact_key(struct span text)
{
	return text_hash(text);
}

uint32_t
vocab_add_exact(struct vocab *v, uint64_t key)
{
	uint32_t number = hashes_add(&v->exact, key);
	size_t had = v->exact_cap;

	v->exact_documents = array_grow(v->exact_documents, number, &v->exact_cap, sizeof(uint32_t));
	if (v->exact_cap != had) {
		memset(v->exact_documents + had, 0, (v->exact_cap - had) * sizeof(uint32_t));
		v->scratch.of[1] = array_extend(v->scratch.of[1], had, v->exact_cap, sizeof(uint32_t));
	}
	return VOCAB_EXACT | number;
}

void
vocab_soon_exact(const struct vocab *v, uint64_t key)
{
	table_soon(&v->exact.table, key);
}

uint32_t
vocab_find_exact(const struct vocab *v, struct span text)
{
	uint32_t number = hashes_find(&v->exact, text_hash(text));

	return number == HASHES_NONE ? VOCAB_NONE : VOCAB_EXACT | number;
}

/* A word of a name that the lexicon does not know may be short for others. */
static void
note_brief(struct vocab *v, uint32_t word)
{
	struct word *w = &v->words[word];

	if (!w->brief && !w->function && !lexicon_is_word(word_text(v, w)))
		w->brief = briefs_add(&v->briefs, word, word_text(v, w));
}

/* Take a word apart for the first and only time. */
static void
find_pieces(struct vocab *v, uint32_t word)
{
	struct span pieces[VOCAB_PIECES_MAX];
	uint8_t text[TEXT_WORD_MAX];
	struct word *w = &v->words[word];
	struct span whole = word_text(v, w);
	size_t n;

	w->apart = true;
	note_brief(v, word);
	/* The pool moves when words are added. */
	memcpy(text, whole.p, whole.len);
	n = lexicon_spell_out(span_of(text, whole.len), pieces, VOCAB_PIECES_MAX);
	w->spelled_out = n > 0;
	if (n == 0)
		n = lexicon_split(span_of(text, whole.len), true, pieces, VOCAB_PIECES_MAX);
	if (n == 0)
		return;
	if (v->pieces.n == 0)
		array_u32_push(&v->pieces, 0);
	v->words[word].pieces = (uint32_t)v->pieces.n;
	array_u32_push(&v->pieces, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		uint32_t piece = vocab_add(v, pieces[i]);

		note_brief(v, piece);
		array_u32_push(&v->pieces, piece);
	}
}

const uint32_t *
vocab_pieces(struct vocab *v, uint32_t term, size_t *n)
{
	const struct word *w = word_of(v, term);

	if (!w->apart) {
		find_pieces(v, term);
		w = &v->words[term];
	}
	*n = w->pieces == 0 ? 0 : v->pieces.v[w->pieces];
	return w->pieces == 0 ? NULL : v->pieces.v + w->pieces + 1;
}

bool
vocab_is_plain(struct vocab *v, uint32_t term)
{
	size_t n;

	(void)vocab_pieces(v, term, &n);
	return n == 0 && word_of(v, term)->row == LEXICON_NONE;
}

bool
vocab_is_function(const struct vocab *v, uint32_t term)
{
	return word_of(v, term)->function;
}

uint32_t
vocab_brief(const struct vocab *v, struct span text, size_t *at, float *likeness)
{
	uint32_t term;

	while (briefs_next(&v->briefs, text, at, &term))
		if ((*likeness = brief_likeness(word_text(v, &v->words[term]), text)) > 0)
			return term;
	return VOCAB_NONE;
}

bool
vocab_is_spelled_out(const struct vocab *v, uint32_t term)
{
	return word_of(v, term)->spelled_out;
}

struct span
vocab_meaning(const struct vocab *v, uint32_t term)
{
	const struct word *w = word_of(v, term);

	return w->row != LEXICON_NONE ? lexicon_head(w->row) : stem_text(v, w);
}

uint32_t
vocab_find(const struct vocab *v, struct span word)
{
	return known_word(v, word, text_hash(word));
}

struct span
vocab_text(const struct vocab *v, uint32_t term)
{
	return word_text(v, word_of(v, term));
}

struct span
vocab_stem_of(const struct vocab *v, uint32_t term)
{
	return stem_text(v, word_of(v, term));
}

uint32_t
vocab_count(const struct vocab *v)
{
	return (uint32_t)v->nwords;
}

struct near *
vocab_near(struct vocab *v)
{
	return &v->near;
}

uint32_t
vocab_count_exact(const struct vocab *v)
{
	return (uint32_t)v->exact.table.n;
}

size_t
vocab_bytes(const struct vocab *v)
{
	return sizeof(*v) + recent_bytes() + v->pool.cap + v->pieces.cap * sizeof(uint32_t) +
	    v->words_cap * (sizeof(*v->words) + sizeof(uint32_t) + 1) + v->exact_cap * 2 * sizeof(uint32_t) +
	    table_bytes(&v->by_text) + rings_bytes(&v->by_stem) + rings_bytes(&v->by_german) +
	    briefs_bytes(&v->briefs) + hashes_bytes(&v->exact) + grams_bytes(&v->grams) + near_bytes(&v->near);
}

static uint32_t *
documents_of(const struct vocab *v, uint32_t term)
{
	return (term & VOCAB_EXACT) != 0 ? &v->exact_documents[term & ~VOCAB_EXACT] : &v->words[term].documents;
}

uint32_t
vocab_documents(const struct vocab *v, uint32_t term)
{
	return *documents_of(v, term);
}

void
vocab_count_documents(struct vocab *v, uint32_t term, int32_t change)
{
	*documents_of(v, term) += (uint32_t)change;
}

uint32_t
vocab_stem(const struct vocab *v, struct span word)
{
	uint8_t buf[TEXT_WORD_MAX];
	const struct ring *ring = ring_of(v, &v->by_stem, span_of(buf, text_stem(word, buf)));

	return ring == NULL ? VOCAB_NONE : ring->word;
}

uint32_t
vocab_next_form(const struct vocab *v, uint32_t term)
{
	return (term & VOCAB_EXACT) != 0 ? term : v->words[term].next_form;
}

uint32_t
vocab_german(const struct vocab *v, struct span text)
{
	uint8_t buf[TEXT_WORD_MAX];
	struct span stem = span_of(buf, text_german_stem(text, buf));
	const struct ring *ring = stem.len < GERMAN_LEAST ? NULL : ring_of(v, &v->by_german, stem);

	return ring == NULL ? VOCAB_NONE : ring->word;
}

uint32_t
vocab_next_german(const struct vocab *v, uint32_t term)
{
	return (term & VOCAB_EXACT) != 0 ? term : v->words[term].next_german;
}

struct vocab_scratch
vocab_scratch(const struct vocab *v)
{
	return v->scratch;
}

const struct grams *
vocab_grams(const struct vocab *v)
{
	return &v->grams;
}

uint8_t *
vocab_hits(struct vocab *v)
{
	return v->hits;
}
