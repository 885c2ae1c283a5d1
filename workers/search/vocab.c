/* vocab.c - see vocab.h. */
#include <stdlib.h>
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/hash.h"
#include "workers/search/lexicon.h"
#include "workers/search/text.h"
#include "workers/search/vocab.h"

#define GRAM_FIRST	0x02	/* pad bytes before and behind a word; never part of one */
#define GRAM_LAST	0x03
#define GRAMS_MAX	(TEXT_WORD_MAX + 2)
#define BRIEF_MAX	5	/* bytes of a word that stands for a longer one */

/* Whatever stands in postings.  Most are found exactly only; kept small. */
struct term {
	uint32_t	documents;
	uint32_t	word;		/* what is known of it as a word; 0: found exactly only */
};

struct word {
	uint32_t	at;		/* in pool */
	uint8_t		len;
	bool		brief, wraps, function;	/* a short word; what names are wrapped in; a small word */
	bool		apart;		/* pieces is known */
	uint16_t	row;		/* of the lexicon; LEXICON_NONE: in none */
	uint32_t	pieces;		/* its list in pieces; 0: one word */
	uint32_t	term;
	uint32_t	next_form;	/* word in the ring of one stem; itself when alone */
	uint32_t	stem;
};

/* A text of the pool; the hash and the length beside it spare a look at those that are not the one. */
struct slot {
	uint32_t	hash, number;	/* VOCAB_NONE: free */
	uint32_t	at, len;	/* in pool */
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
	uint32_t	word;		/* one member of the ring */
};

struct gram {
	uint32_t	 key;		/* three bytes; 0: free */
	size_t		 n, cap;
	uint32_t	*words;
};

struct vocab {
	struct array_u8	 pool;
	size_t		 nterms, terms_cap;
	struct term	*terms;
	size_t		 nwords, words_cap;
	struct word	*words;		/* the first is none */
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
	uint8_t		*hits;		/* words_cap; zero between guesses */
};

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

static struct word *
word_of(const struct vocab *v, uint32_t term)
{
	return &v->words[v->terms[term].word];
}

static struct span
word_text(const struct vocab *v, const struct word *w)
{
	return pooled(v, w->at, w->len);
}

static struct span
stem_text(const struct vocab *v, uint32_t i)
{
	return pooled(v, v->stems[i].at, v->stems[i].len);
}

/* Where s is, or belongs; what is new there is filled by fill_slot(). */
static struct slot *
table_slot(const struct vocab *v, const struct table *t, struct span s)
{
	uint32_t hash = (uint32_t)hash_of(s);
	size_t i = hash & (t->cap - 1);

	while (t->slots[i].number != VOCAB_NONE && (t->slots[i].hash != hash || t->slots[i].len != s.len ||
	    memcmp(v->pool.v + t->slots[i].at, s.p, s.len) != 0))
		i = (i + 1) & (t->cap - 1);
	t->slots[i].hash = hash;
	return &t->slots[i];
}

static void
fill_slot(struct table *t, struct slot *slot, uint32_t number, uint32_t at, size_t len)
{
	slot->number = number;
	slot->at = at;
	slot->len = (uint32_t)len;
	t->n++;
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

static uint32_t
new_word(struct vocab *v, struct word w)
{
	size_t had = v->words_cap;

	v->words = array_grow(v->words, v->nwords, &v->words_cap, sizeof(*v->words));
	if (v->words_cap != had)
		v->hits = array_extend(v->hits, had, v->words_cap, sizeof(*v->hits));
	w.next_form = (uint32_t)v->nwords;
	v->words[v->nwords] = w;
	return (uint32_t)v->nwords++;
}

static uint32_t
new_term(struct vocab *v)
{
	size_t had = v->terms_cap;

	v->terms = array_grow(v->terms, v->nterms, &v->terms_cap, sizeof(*v->terms));
	if (v->terms_cap != had)
		v->scratch = array_extend(v->scratch, had, v->terms_cap, sizeof(*v->scratch));
	v->terms[v->nterms] = (struct term){ 0 };
	return (uint32_t)v->nterms++;
}

struct vocab *
vocab_new(void)
{
	struct vocab *v = array_new(1, sizeof(*v));

	/* What is found exactly only is no word: that of an empty text. */
	(void)new_word(v, (struct word){ .row = LEXICON_NONE });
	return v;
}

void
vocab_free(struct vocab *v)
{
	if (v == NULL)
		return;
	for (size_t i = 0; i < v->grams_cap; i++)
		free(v->grams[i].words);
	free(v->grams);
	free(v->pool.v);
	free(v->terms);
	free(v->words);
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
grams_add(struct vocab *v, uint32_t word)
{
	uint32_t keys[GRAMS_MAX];
	size_t n = grams_of(word_text(v, &v->words[word]), keys);

	for (size_t i = 0; i < n; i++) {
		struct gram *g;

		grams_room(v);
		g = gram_slot(v->grams, v->grams_cap, keys[i]);
		if (g->key == 0) {
			g->key = keys[i];
			v->ngrams++;
		}
		if (g->n > 0 && g->words[g->n - 1] == word)
			continue;
		g->words = array_grow(g->words, g->n, &g->cap, sizeof(*g->words));
		g->words[g->n++] = word;
		v->gram_entries++;
	}
}

/* --- words ----------------------------------------------------------------- */

/* Put the word into the ring of its stem. */
static void
join_stem(struct vocab *v, uint32_t word)
{
	uint8_t buf[TEXT_WORD_MAX];
	struct word *w = &v->words[word];
	struct span text = word_text(v, w);
	struct span stem = span_of(buf, text_stem(text, buf));
	struct slot *slot;
	struct stem *s;

	table_room(&v->by_stem);
	slot = table_slot(v, &v->by_stem, stem);
	if (slot->number != VOCAB_NONE) {
		s = &v->stems[slot->number];
		w->stem = slot->number;
		w->next_form = v->words[s->word].next_form;
		v->words[s->word].next_form = word;
		return;
	}
	v->stems = array_grow(v->stems, v->nstems, &v->stems_cap, sizeof(*v->stems));
	s = &v->stems[v->nstems];
	s->len = (uint8_t)stem.len;
	s->word = word;
	/* Most stems are the beginning of their word. */
	s->at = stem.len <= text.len && memcmp(stem.p, text.p, stem.len) == 0 ? w->at : pool_add(v, stem);
	w->stem = (uint32_t)v->nstems++;
	fill_slot(&v->by_stem, slot, w->stem, s->at, stem.len);
}

/* What a word stands for: its row's head, else its stem. */
static struct span
meaning_of(const struct vocab *v, const struct word *w)
{
	size_t n;

	return w->row != LEXICON_NONE ? lexicon_row(w->row, &n)->text : stem_text(v, w->stem);
}

uint32_t
vocab_add(struct vocab *v, struct span text)
{
	struct slot *slot;
	struct word *w;
	uint32_t word;

	table_room(&v->by_text);
	slot = table_slot(v, &v->by_text, text);
	if (slot->number != VOCAB_NONE)
		return slot->number;
	word = new_word(v, (struct word){
		.at = pool_add(v, text), .len = (uint8_t)text.len, .term = new_term(v), .row = LEXICON_NONE
	});
	w = &v->words[word];
	v->terms[w->term].word = word;
	fill_slot(&v->by_text, slot, w->term, w->at, text.len);
	w->row = lexicon_row_of(word_text(v, w));
	join_stem(v, word);
	w->wraps = lexicon_is_wrapping(meaning_of(v, w));
	w->function = text_is_function_word(word_text(v, w));
	grams_add(v, word);
	return w->term;
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
		*slot = (struct exact){ hash, new_term(v) };
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

/* Take a word apart for the first and only time. */
static void
find_pieces(struct vocab *v, uint32_t term)
{
	struct span pieces[VOCAB_PIECES_MAX];
	uint8_t text[TEXT_WORD_MAX];
	uint32_t terms[VOCAB_PIECES_MAX];
	struct word *w = word_of(v, term);
	struct span whole = word_text(v, w);
	size_t n;

	w->apart = true;
	w->brief = w->brief || looks_brief(whole);
	/* The pool moves when words are added. */
	memcpy(text, whole.p, whole.len);
	n = lexicon_split(span_of(text, whole.len), true, pieces, VOCAB_PIECES_MAX);
	for (size_t i = 0; i < n; i++) {
		terms[i] = vocab_add(v, pieces[i]);
		w = word_of(v, terms[i]);
		w->brief = w->brief || pieces[i].len <= BRIEF_MAX;
	}
	if (n == 0)
		return;
	if (v->pieces.n == 0)
		array_u32_push(&v->pieces, 0);
	word_of(v, term)->pieces = (uint32_t)v->pieces.n;
	array_u32_push(&v->pieces, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		array_u32_push(&v->pieces, terms[i]);
}

const uint32_t *
vocab_pieces(struct vocab *v, uint32_t term, size_t *n)
{
	uint32_t pieces;

	if (!word_of(v, term)->apart)
		find_pieces(v, term);
	pieces = word_of(v, term)->pieces;
	*n = pieces == 0 ? 0 : v->pieces.v[pieces];
	return v->pieces.v + pieces + 1;
}

bool
vocab_is_plain(struct vocab *v, uint32_t term)
{
	const struct word *w;
	size_t n;

	(void)vocab_pieces(v, term, &n);
	w = word_of(v, term);
	return n == 0 && w->row == LEXICON_NONE && !w->wraps;
}

bool
vocab_is_function(const struct vocab *v, uint32_t term)
{
	return word_of(v, term)->function;
}

bool
vocab_is_brief(const struct vocab *v, uint32_t term)
{
	return word_of(v, term)->brief;
}

struct span
vocab_meaning(const struct vocab *v, uint32_t term, bool *wraps)
{
	const struct word *w = word_of(v, term);

	*wraps = w->wraps;
	return meaning_of(v, w);
}

uint32_t
vocab_find(const struct vocab *v, struct span word)
{
	return v->by_text.cap == 0 ? VOCAB_NONE : table_slot(v, &v->by_text, word)->number;
}

struct span
vocab_text(const struct vocab *v, uint32_t term)
{
	return word_text(v, word_of(v, term));
}

struct span
vocab_stem_of(const struct vocab *v, uint32_t term)
{
	return stem_text(v, word_of(v, term)->stem);
}

uint32_t
vocab_count(const struct vocab *v)
{
	return (uint32_t)v->nterms;
}

size_t
vocab_bytes(const struct vocab *v)
{
	return v->pool.cap + v->pieces.cap * sizeof(uint32_t) + v->terms_cap * (sizeof(*v->terms) + sizeof(*v->scratch)) +
	    v->words_cap * (sizeof(*v->words) + 1) +
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
	slot = table_slot(v, &v->by_stem, span_of(buf, text_stem(word, buf)))->number;
	return slot == VOCAB_NONE ? VOCAB_NONE : v->words[v->stems[slot].word].term;
}

uint32_t
vocab_next_form(const struct vocab *v, uint32_t term)
{
	const struct word *w = word_of(v, term);

	/* What is found exactly only is alone. */
	return w == v->words ? term : v->words[w->next_form].term;
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
	return span_cmp(vocab_text(v, a.term), vocab_text(v, b.term)) < 0;
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
			if (v->hits[g->words[k]]++ == 0)
				array_u32_push(&seen, g->words[k]);
	}
	for (size_t i = 0; i < seen.n; i++) {
		const struct word *w = &v->words[seen.v[i]];
		struct vocab_guess g = { .term = w->term };

		if (v->hits[seen.v[i]] >= need && v->terms[w->term].documents > 0 &&
		    (g.likeness = likeness(word, chars, word_text(v, w))) > 0)
			found = rank_guess(v, out, found, g);
		v->hits[seen.v[i]] = 0;
	}
	free(seen.v);
	return found;
}
