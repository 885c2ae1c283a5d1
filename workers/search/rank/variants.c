#include <string.h>

#include "words/language.h"
#include "words/lexicon_head.h"
#include "workers/search/index/near.h"
#include "workers/search/rank/variants.h"
#include "workers/search/ranking/ranking.h"
#include "words/text.h"
#include "words/words.h"
#include "workers/search/index/guess.h"

#define ROWS_MAX	8	/* of the lexicon that have one word */
#define PHRASES_MAX	40	/* of the lexicon that begin with one word */
#define NEAR_COMPARED	400000	/* words by their vectors for one question: 2 ms */
#define NEAR_POSTINGS	100000	/* of all groups together; a question whose words have more has no semantic list */
#define BETWEEN		2	/* words that may stand between a verb and what belongs to it */
#define BRIEF_FROM	4	/* least bytes of a word that others may be short for */
#define BRIEFS_MAX	6	/* of a word: the likeliest abbreviations by their letters */
#define MISSPELT_FROM	5	/* least bytes of a word that comes apart and may be misspelt all the same */

struct match_group *
question_add_group(struct question *q, struct arena *a, uint32_t words)
{
	struct match_group *g = &q->groups[q->ngroups];

	if (q->ngroups == MATCH_GROUPS_MAX ||
	    (g->variants = arena_array(a, MATCH_VARIANTS_MAX, sizeof(*g->variants))) == NULL)
		return NULL;
	g->words = words;
	g->nvariants = g->nown = g->nsure = 0;
	g->lists = MATCH_IN_ALL;
	g->whole = g->phrase = false;
	q->ngroups++;
	return g;
}

void
group_add(struct match_group *g, const struct vocab *v, uint32_t term, float factor, enum relation relation)
{
	if (factor <= 0 || term == VOCAB_NONE || vocab_documents(v, term) == 0)
		return;
	for (size_t i = 0; i < g->nvariants; i++)
		if (g->variants[i].term == term) {
			if (i >= g->nown && g->variants[i].factor < factor) {
				g->variants[i].factor = factor;
				g->variants[i].relation = relation;
			}
			return;
		}
	if (g->nvariants < MATCH_VARIANTS_MAX)
		g->variants[g->nvariants++] = (struct match_variant){
			.term = term, .factor = factor, .relation = relation, .names_only = vocab_is_function(v, term)
		};
}

void
group_add_own(struct match_group *g, const struct vocab *v, uint32_t term, float factor)
{
	group_add(g, v, term, factor, RELATION_FORM);
	g->nown = g->nvariants;
}

static void
add_likely(struct match_group *g, const struct vocab *v, uint32_t term, float factor, enum relation relation)
{
	if (relation == RELATION_FORM)
		group_add_own(g, v, term, factor);
	else
		group_add(g, v, term, factor, relation);
}

/* All forms of word, which stands for the one asked with this likeness; RELATION_FORM: it is the one asked. */
static void
add_forms(struct match_group *g, const struct vocab *v, struct span word, float factor, enum relation relation)
{
	uint32_t exact = vocab_find(v, word), first = vocab_stem(v, word), t = first;

	if (exact != VOCAB_NONE)
		add_likely(g, v, exact, factor, relation);
	if (first == VOCAB_NONE)
		return;
	do {
		if (t != exact)
			add_likely(g, v, t, factor * ranking.form, relation);
		t = vocab_next_form(v, t);
	} while (t != first);
}

/* Forms that only German makes (vertrag, verträge, vertraege), unless the word is known to be English. */
static void
add_german_forms(struct match_group *g, const struct vocab *v, struct span word, float factor, enum relation relation)
{
	const struct lexicon_word *as[ROWS_MAX];
	size_t n = lexicon_find(word, as, ROWS_MAX);
	bool german = n == 0;
	uint32_t first, t;

	for (size_t i = 0; i < n; i++)
		german = german || as[i]->class == LEXICON_GERMAN;
	if (!german || (t = first = vocab_german(v, word)) == VOCAB_NONE)
		return;
	do {
		add_likely(g, v, t, factor * ranking.german_form, relation);
		t = vocab_next_german(v, t);
	} while (t != first);
}

static bool
is_phrase(struct span s)
{
	return memchr(s.p, ' ', s.len) != NULL || memchr(s.p, '_', s.len) != NULL;
}

/* The likeness of two words of one row of the lexicon, by what each of them is in the row. */
static float
lexicon_likeness(enum lexicon_class a, enum lexicon_class b)
{
	const float by[] = {
		[LEXICON_HEAD] = 1, [LEXICON_SHORT] = ranking.shortened, [LEXICON_OTHER] = ranking.meaning,
		[LEXICON_GERMAN] = ranking.german
	};

	return by[a] * by[b];
}

static enum relation
relation_of(enum lexicon_class a, enum lexicon_class b)
{
	return a == LEXICON_OTHER || b == LEXICON_OTHER ? RELATION_MEANING :
	    a == LEXICON_GERMAN || b == LEXICON_GERMAN  ? RELATION_GERMAN :
							  RELATION_SHORT;
}

/* The relation of a word that is related by two steps: the less sure of them. */
static enum relation
less_sure(enum relation a, enum relation b)
{
	return a > b ? a : b;
}

static void
add_row(struct match_group *g, const struct vocab *v, const struct lexicon_word *as, float factor,
    enum relation base)
{
	size_t n;
	const struct lexicon_word *row = lexicon_row(as->row, &n);

	for (size_t i = 0; i < n; i++) {
		struct span word = lexicon_text(&row[i]);
		float f = factor * lexicon_likeness(as->class, row[i].class);
		enum relation relation = less_sure(base, relation_of(as->class, row[i].class));

		if (is_phrase(word) || span_is(word, lexicon_text(as)))
			continue;
		if (row[i].class == LEXICON_SHORT) {
			group_add(g, v, vocab_find(v, word), f, relation);
			/* A code with digits (kna1) is not a single word. */
			group_add(g, v, vocab_find_exact(v, word), f, relation);
		} else
			add_forms(g, v, word, f, relation);
		if (row[i].class == LEXICON_GERMAN)
			add_german_forms(g, v, word, f, relation);
	}
}

/*
 * What means the same as word by the lexicon, where word stands for the one
 * asked with this likeness.  A word that heads a row, or that the documents
 * have, means that row and no other.
 */
static void
add_meanings(struct match_group *g, const struct vocab *v, struct span word, float factor, enum relation base)
{
	const struct lexicon_word *as[ROWS_MAX];
	size_t n = lexicon_find(word, as, ROWS_MAX);
	bool known = g->nown > 0;

	for (size_t i = 0; i < n; i++)
		known = known || as[i]->class == LEXICON_HEAD;
	for (size_t i = 0; i < n; i++) {
		if (known && as[i]->class != LEXICON_HEAD)
			continue;
		/* The row may have it in another form, or with an umlaut. */
		if (as[i]->class == LEXICON_OTHER || as[i]->class == LEXICON_GERMAN)
			add_forms(g, v, lexicon_text(as[i]), factor * ranking.form, less_sure(base, RELATION_SHORT));
		add_row(g, v, as[i], factor, base);
	}
}

/* Words of names that the lexicon does not know, made from this one by leaving letters out.  Returns how many. */
static size_t
find_brief(struct vocab_guess out[BRIEFS_MAX], size_t n, const struct vocab *v, struct span word, float factor)
{
	uint8_t text[2 * TEXT_WORD_MAX];
	struct span plain = text_respell(word, true, text);
	float likeness;
	size_t at = 0;
	uint32_t term;

	if (plain.len < BRIEF_FROM || plain.len > TEXT_WORD_MAX)
		return n;
	while ((term = vocab_brief(v, plain, &at, &likeness)) != VOCAB_NONE)
		if (vocab_documents(v, term) > 0)
			n = vocab_rank(v, out, n, BRIEFS_MAX, (struct vocab_guess){ term, factor * likeness });
	return n;
}

/* Abbreviations of the word and of its synonyms. */
static void
add_brief(struct match_group *g, const struct vocab *v, struct span word)
{
	const struct lexicon_word *as[ROWS_MAX];
	struct vocab_guess briefs[BRIEFS_MAX];
	size_t n = lexicon_find(word, as, ROWS_MAX), len, found = find_brief(briefs, 0, v, word, 1);

	for (size_t i = 0; i < n; i++) {
		const struct lexicon_word *row = lexicon_row(as[i]->row, &len);

		for (size_t k = 0; k < len; k++) {
			struct span same = lexicon_text(&row[k]);

			if ((row[k].class == LEXICON_HEAD || row[k].class == LEXICON_GERMAN) && !is_phrase(same) &&
			    !span_is(same, word))
				found =
				    find_brief(briefs, found, v, same, lexicon_likeness(as[i]->class, row[k].class));
		}
	}
	for (size_t i = 0; i < found; i++)
		group_add(g, v, briefs[i].term, ranking.letters * briefs[i].likeness, RELATION_LETTERS);
}

/*
 * What the word's plain form means, and words made from the word by WordNet; also its synonyms and kinds, where the
 * lexicon does not have it.
 */
static void
add_related(struct match_group *g, const struct vocab *v, struct span word, struct span plain)
{
	const float by[LANGUAGE_LINKS] = { ranking.same, ranking.made, ranking.kind };
	struct language_word related[LANGUAGE_RELATED_MAX];
	const struct lexicon_word *known[1];
	bool made_only = lexicon_find(word, known, 1) > 0;
	size_t n = language_related(plain.len > 0 ? plain : word, related);

	if (plain.len > 0)
		add_meanings(g, v, plain, ranking.form, RELATION_FORM);
	for (size_t i = 0; i < n; i++) {
		float factor = by[related[i].link] * related[i].likeness;
		enum relation relation = (enum relation)(RELATION_SAME + (int)related[i].link);

		if (made_only && related[i].link != LANGUAGE_MADE)
			continue;
		add_forms(g, v, related[i].text, factor, relation);
		if (related[i].link != LANGUAGE_KIND)
			add_meanings(g, v, related[i].text, factor * ranking.meaning, relation);
	}
}

void
question_add_word(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	struct span word = q->words[i].folded, plain = language_plain(word);
	struct match_group *g = question_add_group(q, a, UINT32_C(1) << i);

	if (g == NULL)
		return;
	/* All forms first: what is added after them is not the word itself. */
	add_forms(g, v, word, 1, RELATION_FORM);
	group_add_own(g, v, vocab_find_exact(v, word), 1);
	g->nsure = g->nvariants;
	if (q->words[i].function)
		return;
	add_german_forms(g, v, word, 1, RELATION_FORM);
	if (plain.len > 0)
		add_forms(g, v, plain, ranking.form, RELATION_FORM);
	add_meanings(g, v, word, 1, RELATION_FORM);
	add_related(g, v, word, plain);
	g->nsure = g->nvariants;
	add_brief(g, v, word);
}

static bool
is_stem(struct span word, struct span stem)
{
	uint8_t other[TEXT_WORD_MAX];

	return word.len > 0 && span_is(stem, span_of(other, text_stem(word, other)));
}

/* The question's word, in any form, irregular ones (gave up) too. */
static bool
is_form(struct span asked, struct span word)
{
	uint8_t stem[TEXT_WORD_MAX];
	struct span of = span_of(stem, text_stem(word, stem));

	return is_stem(asked, of) || is_stem(language_plain(asked), of);
}

/* Words i… of the question are the head's; the bits of those, 0 when they are not. */
static uint32_t
spell_phrase(const struct question *q, size_t i, struct span head)
{
	struct text_reader r;
	struct text_word w;
	bool strict = lexicon_is_strict(head);
	uint32_t bits = 0;

	text_begin(&r, head);
	while (text_next(&r, &w)) {
		size_t between = bits != 0 && words_has(WORDS_PARTICLE, w.folded) ? BETWEEN : 0;

		if (!strict && words_has(WORDS_FUNCTION, w.folded))
			continue;
		while (!strict && i < q->nwords && q->words[i].function && bits != 0)
			i++;
		for (; between > 0 && i < q->nwords && !is_form(q->words[i].folded, w.folded); between--)
			i++;
		if (i >= q->nwords || !is_form(q->words[i].folded, w.folded))
			return 0;
		bits |= UINT32_C(1) << i++;
	}
	return bits;
}

/* What is short for the words a phrase means. */
static void
add_short_meanings(struct match_group *g, const struct vocab *v, uint16_t phrase)
{
	size_t n, len, m;
	const struct lexicon_word *row = lexicon_row(phrase, &n), *as[ROWS_MAX];

	for (size_t i = 0; i < n; i++) {
		m = row[i].class == LEXICON_OTHER ? lexicon_exact(lexicon_text(&row[i]), as, ROWS_MAX) : 0;
		for (size_t k = 0; k < m; k++) {
			const struct lexicon_word *same = lexicon_row(as[k]->row, &len);

			for (size_t j = 0; as[k]->class == LEXICON_HEAD && j < len; j++)
				if (same[j].class == LEXICON_SHORT)
					group_add(g, v, vocab_find(v, lexicon_text(&same[j])),
					    lexicon_likeness(LEXICON_OTHER, LEXICON_SHORT), RELATION_MEANING);
		}
	}
}

void
question_add_phrases(struct question *q, struct vocab *v, struct arena *a)
{
	uint16_t rows[PHRASES_MAX];
	size_t left = MATCH_PHRASES_MAX, n;

	for (size_t i = 0; left > 0 && i + 1 < q->nwords; i++) {
		struct span plain = language_plain(q->words[i].folded);
		size_t found = lexicon_phrases(q->words[i].folded, rows, PHRASES_MAX);

		if (plain.len > 0)
			found += lexicon_phrases(plain, rows + found, PHRASES_MAX - found);
		for (size_t k = 0; left > 0 && k < found; k++) {
			const struct lexicon_word *row = lexicon_row(rows[k], &n);
			uint32_t bits = spell_phrase(q, i, lexicon_text(row));
			struct match_group *g;

			if (bits == 0 || (g = question_add_group(q, a, bits)) == NULL)
				continue;
			g->phrase = true;
			add_row(g, v, row, 1, RELATION_MEANING);
			add_short_meanings(g, v, rows[k]);
			left--;
			if (g->nvariants == 0)
				q->ngroups--;
		}
	}
}

static void
add_guess(struct match_group *g, const struct vocab *v, const struct vocab_guess *guess)
{
	group_add(g, v, guess->term, ranking.guess * guess->likeness * guess->likeness, RELATION_GUESS);
}

/* Add the group of guesses; an empty one is removed. */
static void
keep_guesses(struct question *q, struct match_group *g)
{
	g->lists &= ~MATCH_IN(MATCH_LEXICAL);
	q->lists |= g->nvariants > 0 ? MATCH_IN(MATCH_FUZZY) : 0;
	q->ngroups -= g->nvariants == 0;
}

void
question_add_guesses(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	struct vocab_guess guesses[VOCAB_GUESSES_MAX];
	const struct lexicon_word *near[ROWS_MAX];
	struct span word = q->words[i].folded;
	size_t n = vocab_guess(v, word, guesses), m;
	struct match_group *g = question_add_group(q, a, UINT32_C(1) << i);
	unsigned distance;

	if (g == NULL)
		return;
	for (size_t k = 0; k < n; k++)
		add_guess(g, v, &guesses[k]);
	m = lexicon_guess(word, near, ROWS_MAX, &distance);
	for (size_t k = 0; k < m; k++) {
		float likeness = 1 - (float)distance / (float)(word.len + 1);

		add_row(g, v, near[k], ranking.guess * likeness * likeness, RELATION_GUESS);
	}
	if (m > 0)
		q->words[i].meant = lexicon_text(near[0]);
	else if (n > 0)
		q->words[i].meant = arena_span(a, vocab_text(v, guesses[0].term));
	keep_guesses(q, g);
}

void
question_add_misspelt(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	struct vocab_guess guesses[VOCAB_GUESSES_MAX];
	struct span word = q->words[i].folded;
	struct match_group *g;
	uint32_t words = UINT32_C(1) << i;
	size_t n;

	if (word.len < MISSPELT_FROM || (g = question_add_group(q, a, words)) == NULL)
		return;
	n = vocab_guess(v, word, guesses);
	for (size_t k = 0; k < n; k++)
		if (text_distance(word, vocab_text(v, guesses[k].term), 1) == 1)
			add_guess(g, v, &guesses[k]);
	for (size_t k = i + 1; k < q->nwords && q->words[k].piece; k++)
		g->words |= UINT32_C(1) << k;
	g->phrase = true;
	keep_guesses(q, g);
}

static uint64_t
count_postings(const struct match_group *g, const struct vocab *v)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->nvariants; i++)
		n += vocab_documents(v, g->variants[i].term);
	return n;
}

/* Make a group of word i with what is like it as well, as long as the postings that adds are still left. */
static void
add_near(struct question *q, struct vocab *v, struct arena *a, size_t i, uint64_t *left)
{
	struct vocab_guess near[NEAR_MAX];
	struct match_group *own = &q->groups[i], *g;
	size_t n = near_find(vocab_near(v), v, q->words[i].folded, ranking.near_least, near);

	if (n == 0 || (g = question_add_group(q, a, own->words)) == NULL)
		return;
	memcpy(g->variants, own->variants, own->nvariants * sizeof(*g->variants));
	g->nvariants = own->nvariants;
	g->nown = own->nown;
	g->nsure = own->nsure;
	for (size_t k = 0; k < n; k++)
		if (vocab_documents(v, near[k].term) <= *left) {
			*left -= vocab_documents(v, near[k].term);
			group_add(g, v, near[k].term, ranking.near * near[k].likeness, RELATION_NEAR);
		}
	if (g->nvariants == own->nvariants) {
		q->ngroups--;
		return;
	}
	/* In the semantic list this group takes the place of the word's own group and of its guesses. */
	for (size_t k = 0; k < q->ngroups - 1; k++)
		if (k == i || (q->groups[k].words == own->words && (q->groups[k].lists & MATCH_IN(MATCH_LEXICAL)) == 0))
			q->groups[k].lists &= ~MATCH_IN(MATCH_SEMANTIC);
	g->lists = MATCH_IN(MATCH_SEMANTIC);
	q->lists |= g->lists;
}

void
question_add_near(struct question *q, struct vocab *v, struct arena *a)
{
	size_t words = NEAR_COMPARED / (vocab_near(v)->n + 1); /* that are compared */
	unsigned passes = q->is_long ? 1 : 2;
	uint64_t had = 0, left;

	if (vocab_near(v)->n == 0)
		return;
	for (size_t i = 0; i < q->ngroups; i++)
		had += count_postings(&q->groups[i], v);
	left = had < NEAR_POSTINGS ? NEAR_POSTINGS - had : 0;
	/* A long question takes a word that documents have literally: see weaken_meanings(). */
	for (unsigned known = 0; known < passes; known++)
		for (size_t i = 0; i < q->nwords && words > 0 && left > 0; i++)
			if (!q->words[i].function && (q->groups[i].nown > 0) == (known > 0)) {
				add_near(q, v, a, i, &left);
				words--;
			}
}
