#include <string.h>

#include "base/prefetch.h"
#include "workers/search/index/builder_parts.h"
#include "words/lexicon.h"
#include "workers/search/ranking/ranking.h"
#include "workers/search/index/builder.h"
#include "workers/search/index/whole.h"

/*
 * Legend: a field's name, and the length, in words, at which a word counts
 * exactly once; ranking.def has what it weighs.  A shorter name says more by
 * each word; a shorter text does not.
 */
static const struct {
	const char	*name;
	float		 pivot;
} fields[FIELDS] = {
	[FIELD_NAME] = { "name", 2 }, [FIELD_DISPLAY] = { "display", 4 }, [FIELD_DESCRIPTION] = { "description", 12 },
	[FIELD_COMMENT] = { "comment", 12 }, [FIELD_EXPR] = { "expr", 8 }, [FIELD_SAMPLE] = { "sample_value", 10 },
	[FIELD_BODY] = { "body", 200 },
};

#define NAME_WORDS	8	/* of a name are looked up together */
#define INITIALS_LEAST	3	/* words in a row that are known by their initials, */
#define INITIALS_MOST	5	/* at least and at most, */
#define INITIALS_WORDS	16	/* of the first this many */

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
	const float by[FIELDS] = {
		[FIELD_NAME] = ranking.in_name, [FIELD_DISPLAY] = ranking.in_display,
		[FIELD_DESCRIPTION] = ranking.in_description, [FIELD_COMMENT] = ranking.in_comment,
		[FIELD_EXPR] = ranking.in_expr, [FIELD_SAMPLE] = ranking.in_sample, [FIELD_BODY] = ranking.in_body
	};

	return by[f];
}

const char *
kind_name(enum kind k)
{
	return kinds[k];
}

struct builder *
builder_new(struct vocab *v, bool forward)
{
	struct builder *b = mem_new(1, sizeof(*b));

	b->vocab = v;
	b->forward = forward;
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
	free(b->starts);
	free(b->terms);
	free(b->weights);
	free(b->masks);
	free(b->words);
	free(b->field.v);
	free(b->exacts);
	free(b->names);
	free(b->known);
	free(b->known_exacts);
	free(b);
}

uint32_t
builder_docs(const struct builder *b)
{
	return (uint32_t)b->ndocs;
}

/* Room for n more entries. */
static void
reserve_entries(struct builder *b, size_t n)
{
	if (b->entries_cap - b->nentries >= n)
		return;
	while (b->entries_cap - b->nentries < n)
		b->terms = array_grow(b->terms, b->entries_cap, &b->entries_cap, sizeof(*b->terms));
	b->weights = array_resize(b->weights, b->entries_cap, sizeof(*b->weights));
	b->masks = array_resize(b->masks, b->entries_cap, sizeof(*b->masks));
}

/* Room for n more entries and what they count. */
static void
reserve(struct builder *b, size_t n)
{
	reserve_entries(b, n);
	while (b->words_cap - (b->nentries - b->family) < n)
		b->words = array_grow(b->words, b->words_cap, &b->words_cap, sizeof(*b->words));
}

/* Add an entry to the current document; there is room for it. */
static void
add_entry(struct builder *b, uint32_t term, float weight, unsigned mask)
{
	b->terms[b->nentries] = term;
	b->words[b->nentries++ - b->family] = (struct builder_word){ .weight = weight, .mask = mask };
}

void
builder_store(struct builder *b)
{
	const struct builder_word *words = b->words;
	uint8_t *weights = b->weights, *masks = b->masks;
	size_t family = b->family, n = b->nentries - family;

	for (size_t i = 0; i < n; i++) {
		float scaled = words[i].weight * WEIGHT_SCALE + 0.5f;

		weights[family + i] = (uint8_t)(scaled < 1 ? 1 : scaled > 255 ? 255 : scaled);
		masks[family + i] = (uint8_t)words[i].mask;
	}
	b->family = b->nentries;
}

void
builder_settle(struct builder *b)
{
	for (size_t i = 0; i < b->nwaiting; i++) {
		const struct waiting *w = &b->waiting[i];
		uint32_t term = vocab_add_exact(b->vocab, w->key);

		b->terms[w->entry] = term;
		if (w->known != SIZE_MAX)
			b->known_exacts[w->known].term = term;
	}
	b->nwaiting = 0;
}

static void
close_exacts(struct builder *b)
{
	reserve(b, b->nexacts);
	for (size_t i = 0; i < b->nexacts; i++) {
		const struct exact *x = &b->exacts[i];

		if (x->term == VOCAB_NONE) {
			if (b->nwaiting == WAITING)
				builder_settle(b);
			b->waiting[b->nwaiting++] = (struct waiting){
				.key = x->key, .entry = b->nentries,
				.known = b->new_known + i < b->nknown_exacts ? b->new_known + i : SIZE_MAX
			};
		}
		add_entry(b, x->term, x->weight, 1u << FIELD_NAME);
	}
	b->nexacts = 0;
	b->new_known = b->nknown_exacts;
}

void
builder_close(struct builder *b)
{
	if (b->listed > FEW) {
		struct vocab_scratch scratch = vocab_scratch(b->vocab);

		for (size_t i = 0; i < b->listed; i++)
			*vocab_place(&scratch, b->terms[b->first + i]) = 0;
	}
	close_exacts(b);
	b->first = b->nentries;
	b->listed = 0;
	b->maybe = 0;
}

static uint32_t
open_doc(struct builder *b, enum kind kind, uint32_t parent, uint32_t item)
{
	uint32_t doc = (uint32_t)b->ndocs;

	if (b->ndocs + 1 >= b->docs_cap) {
		size_t cap = b->docs_cap;

		b->kind = array_grow(b->kind, b->ndocs + 1, &cap, sizeof(*b->kind));
		b->parent = array_resize(b->parent, cap, sizeof(*b->parent));
		b->item = array_resize(b->item, cap, sizeof(*b->item));
		b->starts = array_resize(b->starts, cap, sizeof(*b->starts));
		b->docs_cap = cap;
	}
	b->kind[doc] = (uint8_t)kind;
	b->parent[doc] = parent == VOCAB_NONE ? doc : parent;
	b->item[doc] = item;
	b->starts[doc] = (uint32_t)b->nentries;
	b->ndocs++;
	return doc;
}

uint32_t
builder_doc(struct builder *b, enum kind kind, uint32_t parent, uint32_t item)
{
	builder_close(b);
	b->scale = 1;
	if (parent == VOCAB_NONE)
		builder_store(b);
	return open_doc(b, kind, parent, item);
}

/*
 * Append those words of entries from..to, counted from the family's first, that its document does not have yet, and add
 * what they count: the parent's own in full, a child's less.  The document is family..at; returns its new end.
 */
static size_t
add_to_family(struct builder *b, size_t from, size_t to, size_t family, size_t at, bool own)
{
	uint32_t *places = vocab_scratch(b->vocab).of[0], *terms = b->terms + b->family;
	struct builder_word *words = b->words;

	for (size_t i = from; i < to; i++) {
		uint32_t term = terms[i], place;
		float weight = own ? words[i].weight : ranking.parts * words[i].weight;
		struct builder_word *of;

		if ((term & VOCAB_EXACT) != 0)
			continue;
		/* An entry at the end counts if the word is new.  That cannot be predicted: hence without a branch. */
		terms[at] = term;
		words[at] = (struct builder_word){ 0 };
		place = places[term];
		at += place == 0;
		place = place == 0 ? (uint32_t)(at - family) : place;
		places[term] = place;
		of = &words[family + place - 1];
		of->weight = of->weight > weight ? of->weight : weight;
		of->mask |= own ? words[i].mask : 1u << FIELD_DISPLAY;
	}
	return at;
}

void
builder_family(struct builder *b, uint32_t parent)
{
	uint32_t *places = vocab_scratch(b->vocab).of[0];
	size_t own, to, at;

	builder_close(b);
	to = b->nentries - b->family;
	(void)open_doc(b, KIND_FAMILY, parent, b->item[parent]);
	own = b->starts[parent + 1] - b->family;
	reserve(b, to + 1);
	at = add_to_family(b, 0, own, to, to, true);
	at = add_to_family(b, own, to, to, at, false);
	for (size_t i = to; i < at; i++)
		places[b->terms[b->family + i]] = 0;
	b->nentries = b->first = b->family + at;
}

void
builder_scale(struct builder *b, float scale)
{
	b->scale = scale;
}

static uint64_t
maybe_bit(uint32_t term)
{
	return UINT64_C(1) << (term * UINT32_C(2654435769) >> 26);
}

/* Make the next entry findable: note its place, plus one, once the document has more than a few. */
static void
list_word(struct builder *b)
{
	size_t i = b->listed++;
	uint32_t term = b->terms[b->first + i];
	struct vocab_scratch scratch;

	b->maybe |= maybe_bit(term);
	if (i < FEW) {
		b->few[i] = term;
		return;
	}
	scratch = vocab_scratch(b->vocab);
	for (i = i == FEW ? 0 : i; i < b->listed; i++)
		*vocab_place(&scratch, b->terms[b->first + i]) = (uint32_t)i + 1;
}

static void
list_words(struct builder *b)
{
	while (b->first + b->listed < b->nentries)
		list_word(b);
}

/* What the document's word counts so far; NULL: it is not in the document yet. */
static struct builder_word *
find_word(struct builder *b, uint32_t term)
{
	struct builder_word *first = &b->words[b->first - b->family];
	size_t i;

	if ((b->maybe & maybe_bit(term)) == 0)
		return NULL;
	if (b->listed > FEW) {
		struct vocab_scratch scratch = vocab_scratch(b->vocab);
		uint32_t place = *vocab_place(&scratch, term);

		return place == 0 ? NULL : first + place - 1;
	}
	i = few_find(b->few, b->listed, term);
	return i == FEW ? NULL : first + i;
}

/* Add weight to the document's word; there is room for it. */
static void
add_word(struct builder *b, uint32_t term, float weight, enum field f)
{
	struct builder_word *w = find_word(b, term);

	if (w != NULL) {
		w->weight += weight;
		w->mask |= 1u << f;
		return;
	}
	add_entry(b, term, weight, 1u << f);
	list_word(b);
}

static void
append_exact(struct builder *b, struct exact x)
{
	b->exacts = array_grow(b->exacts, b->nexacts, &b->exacts_cap, sizeof(*b->exacts));
	b->exacts[b->nexacts++] = x;
}

/* The same for an exact term. */
static void
add_exact(struct builder *b, struct span text, float weight)
{
	uint64_t key = vocab_exact_key(text);

	for (size_t i = 0; i < b->nexacts; i++)
		if (b->exacts[i].key == key) {
			b->exacts[i].weight += weight;
			return;
		}
	vocab_soon_exact(b->vocab, key);
	append_exact(b, (struct exact){ .key = key, .term = VOCAB_NONE, .weight = weight });
}

/* Count the words of the current field.  Most are new words of a short document and are listed at once. */
static void
add_field(struct builder *b, float each, enum field f)
{
	const uint32_t *terms = b->field.v;
	size_t n = b->field.n;

	reserve(b, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t bit = maybe_bit(terms[i]);

		if (b->listed >= FEW || (b->maybe & bit) != 0) {
			add_word(b, terms[i], each, f);
			continue;
		}
		b->maybe |= bit;
		b->few[b->listed++] = terms[i];
		add_entry(b, terms[i], each, 1u << f);
	}
}

/* The weight of a word of the current field: less in a longer field. */
static float
weight_of_each(const struct builder *b, enum field f)
{
	float n = 1 - ranking.length + ranking.length * (float)b->field.n / fields[f].pivot;

	return b->scale * field_weight(f) / (n < 1 && f > FIELD_DISPLAY ? 1 : n);
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
		add_exact(b, span_of(exact.text, exact.len), b->scale);
	for (size_t i = 0; i < b->field.n; i++)
		same = same && vocab_is_plain(b->vocab, b->field.v[i]);
	same = same || !spell_whole(b, true, &plain) ||
	    (some && span_is(span_of(exact.text, exact.len), span_of(plain.text, plain.len)));
	if (!same)
		add_exact(b, span_of(plain.text, plain.len), b->scale);
}

/* Fields in which short words are names; elsewhere they are ordinary words (roas, mrr). */
static bool
is_of_data(const struct builder *b)
{
	enum kind kind = (enum kind)b->kind[b->ndocs - 1];

	return kind == KIND_SL_DIMENSION || kind == KIND_TABLE || kind == KIND_COLUMN;
}

/* Add the pieces of a compound word. */
static void
add_pieces(struct builder *b, float each)
{
	for (size_t i = 0; i < b->field.n; i++) {
		size_t n;
		const uint32_t *pieces = vocab_pieces(b->vocab, b->field.v[i], &n);

		if (n > 0 && vocab_is_spelled_out(b->vocab, b->field.v[i]) && !is_of_data(b))
			continue;
		reserve(b, n);
		for (size_t k = 0; k < n; k++)
			add_word(b, pieces[k], each * ranking.indexed_piece, FIELD_NAME);
	}
}

/* A code of letters and digits that the lexicon knows (kna1): add the words that it stands for. */
static void
add_numbered(struct builder *b, struct span joined, float each)
{
	struct span words[VOCAB_PIECES_MAX];
	uint8_t last = joined.p[joined.len - 1];
	size_t n = last >= '0' && last <= '9' ? lexicon_spell_out(joined, words, VOCAB_PIECES_MAX) : 0;

	reserve(b, n);
	for (size_t i = 0; i < n; i++)
		add_word(b, vocab_add(b->vocab, words[i]), each * ranking.indexed_piece, FIELD_NAME);
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
			add_exact(b, span_of(initials + from, len), each);
}

static bool
builder_join(struct builder *b, struct span word, size_t *joined)
{
	if (word.len > TEXT_WORD_MAX - *joined)
		return false;
	memcpy(b->joined + *joined, word.p, word.len);
	*joined += word.len;
	return true;
}

/* Collect the terms of a name, and the compound of its words; false: there is no room. */
static bool
read_name(struct builder *b, struct text_reader *r, size_t *joined)
{
	struct text_short usual[NAME_WORDS];
	struct text_word w;
	bool fits = true;

	for (;;) {
		size_t n = 0;

		for (; n < NAME_WORDS && text_next_short(r, &usual[n]); n++) {
			vocab_soon_short(b->vocab, &usual[n]);
			fits = fits && builder_join(b, span_of(r->text.p + r->at - usual[n].len, usual[n].len), joined);
		}
		for (size_t i = 0; i < n; i++)
			array_u32_push(&b->field, vocab_add_short(b->vocab, &usual[i]));
		if (n == NAME_WORDS)
			continue;
		if (!text_next(r, &w))
			return fits;
		array_u32_push(&b->field, vocab_add(b->vocab, w.folded));
		fits = fits && builder_join(b, w.folded, joined);
	}
}

static void
index_name(struct builder *b, struct text_reader *r)
{
	bool first = b->nentries == b->first && b->nexacts == 0;
	size_t joined = 0;
	bool fits = read_name(b, r, &joined);
	float each = weight_of_each(b, FIELD_NAME);

	if (b->field.n == 0)
		return;
	add_field(b, each, FIELD_NAME);
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
	if (fits && b->field.n == 2 && is_of_data(b))
		add_numbered(b, span_of(b->joined, joined), each);
	if (fits && b->field.n > 1)
		add_exact(b, span_of(b->joined, joined), b->scale * field_weight(FIELD_NAME));
}

void
builder_text(struct builder *b, enum field f, struct span text)
{
	struct text_reader r;

	if (text.len == 0)
		return;
	list_words(b);
	b->field.n = 0;
	text_begin(&r, text);
	if (f == FIELD_NAME) {
		index_name(b, &r);
		return;
	}
	vocab_add_text(b->vocab, &r, &b->field);
	add_field(b, weight_of_each(b, f), f);
}

void
builder_plain_name(struct builder *b, struct span text)
{
	struct text_reader r;
	struct text_word w;

	list_words(b);
	text_begin(&r, text);
	while (text_next(&r, &w)) {
		reserve(b, 1);
		add_word(b, vocab_add(b->vocab, w.folded), b->scale * field_weight(FIELD_NAME), FIELD_NAME);
	}
}

void
builder_soon(const struct builder *b, uint32_t key)
{
	if (key < b->nnames)
		prefetch(&b->names[key]);
}

void
builder_fetch(const struct builder *b, uint32_t key)
{
	if (key >= b->nnames || b->names[key].n == 0)
		return;
	prefetch(&b->known[b->names[key].at]);
	if (b->names[key].nexacts > 0)
		prefetch(&b->known_exacts[b->names[key].exact_at]);
}

/* The words are listed only if a later step needs them. */
static void
take_known(struct builder *b, const struct known_name *name)
{
	reserve(b, name->n);
	for (const struct known_word *w = &b->known[name->at], *end = w + name->n; w < end; w++)
		add_entry(b, w->term, w->word.weight, w->word.mask);
	for (uint32_t i = 0; i < name->nexacts; i++)
		append_exact(b, b->known_exacts[name->exact_at + i]);
}

void
builder_name(struct builder *b, uint32_t key, struct span text)
{
	struct known_name *name;

	if (key >= b->nnames) {
		size_t want = (size_t)key + key / 2 + 1024;

		b->names = array_extend(b->names, b->nnames, want, sizeof(*b->names));
		b->nnames = want;
	}
	name = &b->names[key];
	if (name->n > 0) {
		take_known(b, name);
		return;
	}
	builder_text(b, FIELD_NAME, text);
	/* A text with this many words is not a name that comes again. */
	if (b->nentries - b->first > UINT16_MAX || b->nexacts > UINT16_MAX)
		return;
	*name = (struct known_name){
		.at = (uint32_t)b->nknown, .n = (uint16_t)(b->nentries - b->first),
		.exact_at = (uint32_t)b->nknown_exacts, .nexacts = (uint16_t)b->nexacts
	};
	for (size_t i = b->first; i < b->nentries; i++) {
		b->known = array_grow(b->known, b->nknown, &b->known_cap, sizeof(*b->known));
		b->known[b->nknown++] = (struct known_word){ b->terms[i], b->words[i - b->family] };
	}
	for (size_t i = 0; i < b->nexacts; i++) {
		b->known_exacts =
		    array_grow(b->known_exacts, b->nknown_exacts, &b->known_exacts_cap, sizeof(*b->known_exacts));
		b->known_exacts[b->nknown_exacts++] = b->exacts[i];
	}
}

void
builder_segment(struct builder *b, const struct segment *s)
{
	uint32_t *moved = array_new(s->ndocs, sizeof(*moved)), *next = array_new(s->ndocs, sizeof(*next));

	builder_close(b);
	builder_store(b);
	reserve_entries(b, s->starts[s->nterms]);
	for (uint32_t doc = 0; doc < s->ndocs; doc++) {
		if (segment_is_dead(s, doc))
			continue;
		/* A parent is removed together with its children, so the parent was moved before. */
		moved[doc] = open_doc(b, (enum kind)s->kind[doc],
		    s->parent[doc] == doc ? VOCAB_NONE : moved[s->parent[doc]], s->item[doc]);
		next[doc] = (uint32_t)b->nentries;
		b->nentries += s->doc_starts[doc + 1] - s->doc_starts[doc];
	}
	for (uint32_t t = 0; t < s->nterms; t++)
		for (uint32_t i = s->starts[t]; i < s->starts[t + 1]; i++) {
			uint32_t doc = s->docs[i];

			if (segment_is_dead(s, doc))
				continue;
			b->terms[next[doc]] = s->terms[t];
			b->weights[next[doc]] = s->weights[i];
			b->masks[next[doc]++] = s->masks[i];
		}
	b->family = b->first = b->nentries;
	free(moved);
	free(next);
}
