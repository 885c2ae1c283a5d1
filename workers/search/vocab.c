/* vocab.c - see vocab.h. */
#include <stdlib.h>
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/lexicon.h"
#include "workers/search/text.h"
#include "workers/search/vocab.h"

#define GRAM_FIRST	0x02	/* pad bytes before and behind a word; never part of one */
#define GRAM_LAST	0x03
#define GRAMS_MAX	(TEXT_WORD_MAX + 2)
#define BRIEF_MAX	5	/* bytes of a word that stands for a longer one */

struct term {
	uint32_t	at;		/* in pool */
	uint8_t		len;
	bool		brief, wraps, function;	/* a short word; what names are wrapped in; a small word */
	bool		apart;		/* pieces is known */
	uint16_t	row;		/* of the lexicon; LEXICON_NONE: in none */
	uint32_t	pieces;		/* its list in pieces; 0: one word */
	uint32_t	next_form;	/* ring of one stem; itself when alone */
	uint32_t	stem;
	uint32_t	documents;
};

/* The hash beside the number spares a look at words that are not the one. */
struct slot {
	uint32_t	hash, number;	/* VOCAB_NONE: free */
};

/* Open addressing; capacity a power of two, at most half full. */
struct table {
	struct slot	*slots;
	size_t		 n, cap;
};

/* What is known by its hash alone. */
struct exact {
	uint64_t	hash;		/* 0: free */
	uint32_t	term;
};

struct stem {
	uint32_t	at;		/* in pool */
	uint8_t		len;
	uint32_t	term;		/* one member of the ring */
};

struct gram {
	uint32_t	 key;		/* three bytes; 0: free */
	size_t		 n, cap;
	uint32_t	*terms;
};

struct vocab {
	struct array_u8	 pool;
	size_t		 nterms, terms_cap;
	struct term	*terms;
	struct table	 by_text;
	size_t		 nexact, exact_cap;	/* a power of two, at most half full */
	struct exact	*exact;
	size_t		 nstems, stems_cap;
	struct stem	*stems;
	struct table	 by_stem;
	size_t		 ngrams, grams_cap;
	struct gram	*grams;
	size_t		 gram_entries;
	struct array_u32 pieces;	/* lists: count, then terms */
	uint32_t	*scratch;	/* terms_cap */
	uint8_t		*hits;		/* terms_cap; zero between guesses */
};

static uint64_t
hash_of(struct span s)
{
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ s.len;
	size_t i = 0;

	for (; s.len - i >= 8; i += 8) {
		uint64_t w;

		memcpy(&w, s.p + i, 8);
		h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	if (i < s.len) {
		uint64_t w = 0;

		memcpy(&w, s.p + i, s.len - i);
		h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 32;
}

static struct span
pooled(const struct vocab *v, uint32_t at, uint8_t len)
{
	return span_of(v->pool.v + at, len);
}

static uint32_t
pool_add(struct vocab *v, struct span s)
{
	uint32_t at = (uint32_t)v->pool.n;

	array_u8_append(&v->pool, s.p, s.len);
	return at;
}

static struct span
term_text(const struct vocab *v, uint32_t i)
{
	return pooled(v, v->terms[i].at, v->terms[i].len);
}

static struct span
stem_text(const struct vocab *v, uint32_t i)
{
	return pooled(v, v->stems[i].at, v->stems[i].len);
}

typedef struct span text_fn(const struct vocab *v, uint32_t i);

/* Where s is, or belongs. */
static struct slot *
table_slot(const struct vocab *v, const struct table *t, text_fn *text, struct span s)
{
	uint32_t hash = (uint32_t)hash_of(s);
	size_t i = hash & (t->cap - 1);

	while (t->slots[i].number != VOCAB_NONE &&
	    (t->slots[i].hash != hash || !span_is(text(v, t->slots[i].number), s)))
		i = (i + 1) & (t->cap - 1);
	t->slots[i].hash = hash;
	return &t->slots[i];
}

static void
table_room(struct table *t)
{
	struct table bigger = { .n = t->n, .cap = t->cap == 0 ? 1024 : t->cap * 2 };

	if (t->n * 2 < t->cap)
		return;
	bigger.slots = array_new(bigger.cap, sizeof(*bigger.slots));
	memset(bigger.slots, 0xff, bigger.cap * sizeof(*bigger.slots));
	for (size_t k = 0; k < t->cap; k++) {
		size_t i = t->slots[k].hash & (bigger.cap - 1);

		if (t->slots[k].number == VOCAB_NONE)
			continue;
		while (bigger.slots[i].number != VOCAB_NONE)
			i = (i + 1) & (bigger.cap - 1);
		bigger.slots[i] = t->slots[k];
	}
	free(t->slots);
	*t = bigger;
}

struct vocab *
vocab_new(void)
{
	return array_new(1, sizeof(struct vocab));
}

void
vocab_free(struct vocab *v)
{
	if (v == NULL)
		return;
	for (size_t i = 0; i < v->grams_cap; i++)
		free(v->grams[i].terms);
	free(v->grams);
	free(v->pool.v);
	free(v->terms);
	free(v->stems);
	free(v->by_text.slots);
	free(v->exact);
	free(v->by_stem.slots);
	free(v->pieces.v);
	free(v->scratch);
	free(v->hits);
	free(v);
}

/* --- trigrams -------------------------------------------------------------- */

static size_t
grams_of(struct span word, uint32_t keys[GRAMS_MAX])
{
	uint8_t padded[TEXT_WORD_MAX + 4] = { GRAM_FIRST, GRAM_FIRST };
	size_t len = word.len, n = 0;

	memcpy(padded + 2, word.p, len);
	padded[len + 2] = GRAM_LAST;
	for (size_t i = 0; i + 3 <= len + 3; i++)
		keys[n++] = (uint32_t)padded[i] << 16 | (uint32_t)padded[i + 1] << 8 | padded[i + 2];
	return n;
}

static struct gram *
gram_slot(struct gram *grams, size_t cap, uint32_t key)
{
	size_t i = (key * UINT32_C(2654435761)) >> 7 & (cap - 1);

	while (grams[i].key != 0 && grams[i].key != key)
		i = (i + 1) & (cap - 1);
	return &grams[i];
}

static void
grams_room(struct vocab *v)
{
	size_t cap = v->grams_cap == 0 ? 4096 : v->grams_cap * 2;
	struct gram *bigger;

	if (v->ngrams * 2 < v->grams_cap)
		return;
	bigger = array_new(cap, sizeof(*bigger));
	for (size_t i = 0; i < v->grams_cap; i++)
		if (v->grams[i].key != 0)
			*gram_slot(bigger, cap, v->grams[i].key) = v->grams[i];
	free(v->grams);
	v->grams = bigger;
	v->grams_cap = cap;
}

static void
grams_add(struct vocab *v, uint32_t term)
{
	uint32_t keys[GRAMS_MAX];
	size_t n = grams_of(term_text(v, term), keys);

	for (size_t i = 0; i < n; i++) {
		struct gram *g;

		grams_room(v);
		g = gram_slot(v->grams, v->grams_cap, keys[i]);
		if (g->key == 0) {
			g->key = keys[i];
			v->ngrams++;
		}
		if (g->n > 0 && g->terms[g->n - 1] == term)
			continue;
		g->terms = array_grow(g->terms, g->n, &g->cap, sizeof(*g->terms));
		g->terms[g->n++] = term;
		v->gram_entries++;
	}
}

/* --- words ----------------------------------------------------------------- */

/* Put the term into the ring of its stem. */
static void
join_stem(struct vocab *v, uint32_t term)
{
	uint8_t buf[TEXT_WORD_MAX];
	struct span text = term_text(v, term);
	struct span stem = span_of(buf, text_stem(text, buf));
	struct slot *slot;
	struct stem *s;

	table_room(&v->by_stem);
	slot = table_slot(v, &v->by_stem, stem_text, stem);
	if (slot->number != VOCAB_NONE) {
		s = &v->stems[slot->number];
		v->terms[term].stem = slot->number;
		v->terms[term].next_form = v->terms[s->term].next_form;
		v->terms[s->term].next_form = term;
		return;
	}
	v->stems = array_grow(v->stems, v->nstems, &v->stems_cap, sizeof(*v->stems));
	s = &v->stems[v->nstems];
	s->len = (uint8_t)stem.len;
	s->term = term;
	/* Most stems are the beginning of their word. */
	s->at = stem.len <= text.len && memcmp(stem.p, text.p, stem.len) == 0 ?
	    v->terms[term].at : pool_add(v, stem);
	slot->number = v->terms[term].stem = (uint32_t)v->nstems++;
	v->by_stem.n++;
}

static void
make_natural(struct vocab *v, uint32_t term)
{
	struct span plain;
	size_t n;

	v->terms[term].row = lexicon_row_of(term_text(v, term));
	join_stem(v, term);
	plain = v->terms[term].row != LEXICON_NONE ? lexicon_row(v->terms[term].row, &n)->text :
	    stem_text(v, v->terms[term].stem);
	v->terms[term].wraps = lexicon_is_wrapping(plain);
	v->terms[term].function = text_is_function_word(term_text(v, term));
	grams_add(v, term);
}

static uint32_t
new_term(struct vocab *v, struct term t)
{
	size_t had = v->terms_cap;

	v->terms = array_grow(v->terms, v->nterms, &v->terms_cap, sizeof(*v->terms));
	if (v->terms_cap != had) {
		v->scratch = array_extend(v->scratch, had, v->terms_cap, sizeof(*v->scratch));
		v->hits = array_extend(v->hits, had, v->terms_cap, sizeof(*v->hits));
	}
	t.next_form = (uint32_t)v->nterms;
	v->terms[v->nterms] = t;
	return (uint32_t)v->nterms++;
}

uint32_t
vocab_add(struct vocab *v, struct span word)
{
	struct slot *slot;
	uint32_t term;

	table_room(&v->by_text);
	slot = table_slot(v, &v->by_text, term_text, word);
	if (slot->number != VOCAB_NONE)
		return slot->number;
	term = slot->number = new_term(v, (struct term){
		.at = pool_add(v, word), .len = (uint8_t)word.len, .row = LEXICON_NONE
	});
	v->by_text.n++;
	make_natural(v, term);
	return term;
}

/* --- what is found exactly only ------------------------------------------------- */

static struct exact *
exact_slot(struct exact *exact, size_t cap, uint64_t hash)
{
	size_t i = hash & (cap - 1);

	while (exact[i].hash != 0 && exact[i].hash != hash)
		i = (i + 1) & (cap - 1);
	return &exact[i];
}

static void
exact_room(struct vocab *v)
{
	size_t cap = v->exact_cap == 0 ? 1024 : v->exact_cap * 2;
	struct exact *bigger;

	if (v->nexact * 2 < v->exact_cap)
		return;
	bigger = array_new(cap, sizeof(*bigger));
	for (size_t i = 0; i < v->exact_cap; i++)
		if (v->exact[i].hash != 0)
			*exact_slot(bigger, cap, v->exact[i].hash) = v->exact[i];
	free(v->exact);
	v->exact = bigger;
	v->exact_cap = cap;
}

uint32_t
vocab_add_exact(struct vocab *v, struct span text)
{
	uint64_t hash = hash_of(text);
	struct exact *slot;

	hash += hash == 0;
	exact_room(v);
	slot = exact_slot(v->exact, v->exact_cap, hash);
	if (slot->hash == 0) {
		*slot = (struct exact){ hash, new_term(v, (struct term){ .row = LEXICON_NONE }) };
		v->nexact++;
	}
	return slot->term;
}

uint32_t
vocab_find_exact(const struct vocab *v, struct span text)
{
	uint64_t hash = hash_of(text);
	const struct exact *slot;

	if (v->exact_cap == 0)
		return VOCAB_NONE;
	slot = exact_slot(v->exact, v->exact_cap, hash + (hash == 0));
	return slot->hash == 0 ? VOCAB_NONE : slot->term;
}

/* --- words of several pieces ------------------------------------------------------ */

/* Short, and no vowel behind its first letter. */
static bool
looks_brief(struct span s)
{
	if (s.len < 2 || s.len > BRIEF_MAX)
		return false;
	for (size_t i = 1; i < s.len; i++)
		if (s.p[i] < 'a' || s.p[i] > 'z' || strchr("aeiou", s.p[i]) != NULL)
			return false;
	return true;
}

const uint32_t *
vocab_pieces(struct vocab *v, uint32_t term, size_t *n)
{
	struct span pieces[VOCAB_PIECES_MAX];
	uint8_t text[TEXT_WORD_MAX];
	uint32_t terms[VOCAB_PIECES_MAX];
	struct span whole = term_text(v, term);

	if (!v->terms[term].apart) {
		v->terms[term].apart = true;
		v->terms[term].brief = v->terms[term].brief || looks_brief(whole);
		/* The pool moves when words are added. */
		memcpy(text, whole.p, whole.len);
		*n = lexicon_split(span_of(text, whole.len), true, pieces, VOCAB_PIECES_MAX);
		for (size_t i = 0; i < *n; i++) {
			terms[i] = vocab_add(v, pieces[i]);
			v->terms[terms[i]].brief = v->terms[terms[i]].brief || pieces[i].len <= BRIEF_MAX;
		}
		if (*n > 0) {
			if (v->pieces.n == 0)
				array_u32_push(&v->pieces, 0);
			v->terms[term].pieces = (uint32_t)v->pieces.n;
			array_u32_push(&v->pieces, (uint32_t)*n);
			for (size_t i = 0; i < *n; i++)
				array_u32_push(&v->pieces, terms[i]);
		}
	}
	*n = v->terms[term].pieces == 0 ? 0 : v->pieces.v[v->terms[term].pieces];
	return v->pieces.v + v->terms[term].pieces + 1;
}

bool
vocab_is_plain(struct vocab *v, uint32_t term)
{
	size_t n;

	(void)vocab_pieces(v, term, &n);
	return n == 0 && v->terms[term].row == LEXICON_NONE && !v->terms[term].wraps;
}

bool
vocab_is_function(const struct vocab *v, uint32_t term)
{
	return v->terms[term].function;
}

bool
vocab_is_brief(const struct vocab *v, uint32_t term)
{
	return v->terms[term].brief;
}

struct span
vocab_meaning(const struct vocab *v, uint32_t term, bool *wraps)
{
	size_t n;

	*wraps = v->terms[term].wraps;
	return v->terms[term].row != LEXICON_NONE ? lexicon_row(v->terms[term].row, &n)->text :
	    stem_text(v, v->terms[term].stem);
}

uint32_t
vocab_find(const struct vocab *v, struct span word)
{
	return v->by_text.cap == 0 ? VOCAB_NONE : table_slot(v, &v->by_text, term_text, word)->number;
}

struct span
vocab_text(const struct vocab *v, uint32_t term)
{
	return term_text(v, term);
}

struct span
vocab_stem_of(const struct vocab *v, uint32_t term)
{
	return stem_text(v, v->terms[term].stem);
}

uint32_t
vocab_count(const struct vocab *v)
{
	return (uint32_t)v->nterms;
}

size_t
vocab_bytes(const struct vocab *v)
{
	return v->pool.cap + v->pieces.cap * sizeof(uint32_t) + v->terms_cap * (sizeof(*v->terms) + 5) +
	    (v->by_text.cap + v->by_stem.cap) * sizeof(struct slot) + v->exact_cap * sizeof(struct exact) +
	    v->stems_cap * sizeof(*v->stems) +
	    v->grams_cap * sizeof(*v->grams) + v->gram_entries * sizeof(uint32_t);
}

uint32_t
vocab_documents(const struct vocab *v, uint32_t term)
{
	return v->terms[term].documents;
}

void
vocab_count_documents(struct vocab *v, uint32_t term, int32_t change)
{
	v->terms[term].documents += (uint32_t)change;
}

uint32_t
vocab_stem(const struct vocab *v, struct span word)
{
	uint8_t buf[TEXT_WORD_MAX];
	uint32_t slot;

	if (v->by_stem.cap == 0)
		return VOCAB_NONE;
	slot = table_slot(v, &v->by_stem, stem_text, span_of(buf, text_stem(word, buf)))->number;
	return slot == VOCAB_NONE ? VOCAB_NONE : v->stems[slot].term;
}

uint32_t
vocab_next_form(const struct vocab *v, uint32_t term)
{
	return v->terms[term].next_form;
}

uint32_t *
vocab_scratch(struct vocab *v)
{
	return v->scratch;
}

/* --- guessing -------------------------------------------------------------- */

static size_t
characters(struct span s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += (s.p[i] & 0xc0) != 0x80;
	return n;
}

static bool
holds(struct span whole, struct span part)
{
	return memmem(whole.p, whole.len, part.p, part.len) != NULL;
}

/* The same letters in another order. */
static bool
is_swap(struct span a, struct span b)
{
	int balance[256] = { 0 };

	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		balance[a.p[i]]++;
		balance[b.p[i]]--;
	}
	for (size_t i = 0; i < 256; i++)
		if (balance[i] != 0)
			return false;
	return true;
}

/* How likely `term` is meant by `word`; 0: not at all.  Misspelling, then beginning, then part. */
static float
likeness(struct span word, size_t chars, struct span term)
{
	unsigned allowed = chars < 4 ? 0 : chars < 8 ? 1 : 2;
	unsigned d = text_distance(word, term, allowed);
	float share = (float)word.len / (float)term.len;

	/* Of four letters one is too many to be another; it may be missing, or two may have changed places. */
	if (d <= allowed && (chars > 4 || d == 0 || word.len != term.len || is_swap(word, term)))
		return 1.0f - (float)d / (float)(chars + 1);
	if (chars >= 3 && term.len > word.len && memcmp(term.p, word.p, word.len) == 0)
		return 0.55f + 0.3f * share;
	if (chars >= 4 && term.len > word.len && holds(term, word))
		return 0.35f + 0.3f * share;
	return 0;
}

static bool
is_better(const struct vocab *v, struct vocab_guess a, struct vocab_guess b)
{
	if (a.likeness > b.likeness || a.likeness < b.likeness)
		return a.likeness > b.likeness;
	return span_cmp(term_text(v, a.term), term_text(v, b.term)) < 0;
}

/* Insert into the best-first list; the worst falls off a full one. */
static size_t
rank_guess(const struct vocab *v, struct vocab_guess *out, size_t n, struct vocab_guess g)
{
	size_t at = n;

	while (at > 0 && is_better(v, g, out[at - 1]))
		at--;
	if (at == VOCAB_GUESSES_MAX)
		return n;
	if (n == VOCAB_GUESSES_MAX)
		n--;
	memmove(out + at + 1, out + at, (n - at) * sizeof(*out));
	out[at] = g;
	return n + 1;
}

size_t
vocab_guess(struct vocab *v, struct span word, struct vocab_guess out[VOCAB_GUESSES_MAX])
{
	uint32_t keys[GRAMS_MAX];
	struct array_u32 seen = { 0 };
	size_t n, found = 0, chars = characters(word), need;

	if (word.len == 0 || word.len > TEXT_WORD_MAX || v->grams_cap == 0)
		return 0;
	n = grams_of(word, keys);
	/* One edit spoils at most three trigrams, a swap four. */
	need = n > 10 ? n - 8 : n > 5 ? 2 : 1;
	for (size_t i = 0; i < n; i++) {
		const struct gram *g = gram_slot(v->grams, v->grams_cap, keys[i]);

		for (size_t k = 0; k < g->n; k++)
			if (v->hits[g->terms[k]]++ == 0)
				array_u32_push(&seen, g->terms[k]);
	}
	for (size_t i = 0; i < seen.n; i++) {
		uint32_t term = seen.v[i];
		struct vocab_guess g = { .term = term };

		if (v->hits[term] >= need && v->terms[term].documents > 0 &&
		    (g.likeness = likeness(word, chars, term_text(v, term))) > 0)
			found = rank_guess(v, out, found, g);
		v->hits[term] = 0;
	}
	free(seen.v);
	return found;
}
