/* variants.c - which words of the index a word of a question stands for; see match.h. */
#include <string.h>

#include "workers/search/lexicon.h"
#include "workers/search/question_parts.h"
#include "workers/search/text.h"

#define STEM_FACTOR	0.85f	/* another form of the word */
#define SPELT_FACTOR	0.95f	/* ue for ü */
#define BRIEF_FACTOR	0.6f	/* what looks made from the word by leaving letters out */
#define ASIDE_FACTOR	0.7f	/* other meanings of a word that has one of its own, or is known as it is */
#define ROWS_MAX	8
#define PHRASES_MAX	24	/* that begin with one word */
#define BRIEF_FROM	7	/* letters of a word that what is short for it is made from */

struct match_group *
question_group(struct question *q, struct arena *a, uint32_t words)
{
	struct match_group *g = &q->groups[q->ngroups];

	if (q->ngroups == MATCH_GROUPS_MAX ||
	    (g->variants = arena_array(a, MATCH_VARIANTS_MAX, sizeof(*g->variants))) == NULL)
		return NULL;
	g->words = words;
	g->nvariants = g->nown = 0;
	g->guessed = g->whole = false;
	q->ngroups++;
	return g;
}

/* Each term once, as the best it can be. */
void
question_other(struct match_group *g, const struct vocab *v, uint32_t term, float factor)
{
	if (term == VOCAB_NONE || vocab_documents(v, term) == 0)
		return;
	for (size_t i = 0; i < g->nvariants; i++)
		if (g->variants[i].term == term) {
			if (i >= g->nown && g->variants[i].factor < factor)
				g->variants[i].factor = factor;
			return;
		}
	if (g->nvariants < MATCH_VARIANTS_MAX)
		g->variants[g->nvariants++] = (struct match_variant){ term, factor, vocab_is_function(v, term) };
}

void
question_own(struct match_group *g, const struct vocab *v, uint32_t term, float factor)
{
	question_other(g, v, term, factor);
	g->nown = g->nvariants;
}

/* All forms of a word. */
static void
add_ring(struct match_group *g, const struct vocab *v, struct span word, float factor, bool own)
{
	uint32_t exact = vocab_find(v, word), first = vocab_stem(v, word), t = first;

	if (exact != VOCAB_NONE)
		(own ? question_own : question_other)(g, v, exact, factor);
	if (first == VOCAB_NONE)
		return;
	do {
		if (t != exact)
			(own ? question_own : question_other)(g, v, t, factor * STEM_FACTOR);
		t = vocab_next_form(v, t);
	} while (t != first);
}

/* --- what means the same ------------------------------------------------------------- */

static bool
is_phrase(struct span s)
{
	return memchr(s.p, ' ', s.len) != NULL || memchr(s.p, '_', s.len) != NULL;
}

/* aside: the word has a meaning of its own, so not what is only another word for another one. */
static void
add_row(struct match_group *g, const struct vocab *v, const struct lexicon_word *as, float factor, bool aside)
{
	size_t n;
	const struct lexicon_word *row = lexicon_row(as->row, &n);

	for (size_t i = 0; i < n; i++)
		if (!is_phrase(row[i].text) && !span_is(row[i].text, as->text) &&
		    !(aside && row[i].class == LEXICON_OTHER && as->class == LEXICON_OTHER)) {
			float f = factor * lexicon_likeness(as->class, row[i].class);

			if (row[i].class == LEXICON_SHORT)
				question_other(g, v, vocab_find(v, row[i].text), f);
			else
				add_ring(g, v, row[i].text, f, false);
		}
}

static void
add_meanings(struct match_group *g, const struct vocab *v, struct span word)
{
	const struct lexicon_word *as[ROWS_MAX];
	size_t n = lexicon_find(word, as, ROWS_MAX);
	bool head = g->nown > 0;

	for (size_t i = 0; i < n; i++)
		head = head || as[i]->class == LEXICON_HEAD;
	for (size_t i = 0; i < n; i++)
		if (as[i]->class == LEXICON_HEAD)
			add_row(g, v, as[i], 1, false);
	for (size_t i = 0; i < n; i++)
		if (as[i]->class != LEXICON_HEAD) {
			/* In another language or in short it is the word; otherwise nearly. */
			if (as[i]->class != LEXICON_SHORT)
				add_ring(g, v, as[i]->text, STEM_FACTOR, false);
			add_row(g, v, as[i], head ? ASIDE_FACTOR : 1, head);
		}
}

/* --- what is short for it --------------------------------------------------------------- */

/* cst is short for customer and cost alone, though it might be made from others. */
static bool
is_taken(struct span brief, struct span word)
{
	const struct lexicon_word *as[ROWS_MAX], *rows[ROWS_MAX];
	size_t n = lexicon_exact(brief, as, ROWS_MAX), m = lexicon_find(word, rows, ROWS_MAX);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			if (as[i]->row == rows[k]->row)
				return false;
	return n > 0;
}

static void
try_brief(struct match_group *g, const struct vocab *v, struct span word, struct span brief)
{
	uint32_t term = vocab_find(v, brief);

	if (term != VOCAB_NONE && vocab_is_brief(v, term) && !is_taken(brief, word))
		question_other(g, v, term, BRIEF_FACTOR);
}

/* Three or four letters of the word's first seven, the first one among them, and its beginnings. */
static void
add_brief(struct match_group *g, const struct vocab *v, struct span word)
{
	size_t from = word.len < BRIEF_FROM ? word.len : BRIEF_FROM;

	for (size_t len = 3; len <= 5 && len < word.len; len++)
		try_brief(g, v, word, span_of(word.p, len));
	for (size_t i = 1; i < from; i++)
		for (size_t k = i + 1; k < from; k++) {
			uint8_t brief[4] = { word.p[0], word.p[i], word.p[k] };

			try_brief(g, v, word, span_of(brief, 3));
			for (size_t m = k + 1; m < from; m++) {
				brief[3] = word.p[m];
				try_brief(g, v, word, span_of(brief, 4));
			}
		}
}

/* --- how it may be spelt -------------------------------------------------------------------- */

static const struct {
	const char	*plain, *umlaut;
} umlauts[] = { { "ae", "ä" }, { "oe", "ö" }, { "ue", "ü" } };

/* With every umlaut written out, or every written-out one as an umlaut. */
static struct span
respell(struct span word, bool out, uint8_t text[2 * TEXT_WORD_MAX])
{
	size_t n = 0;

	for (size_t at = 0; at < word.len; ) {
		size_t i;

		for (i = 0; i < 3; i++)
			if (word.len - at >= 2 && memcmp(word.p + at, out ? umlauts[i].umlaut : umlauts[i].plain, 2) == 0)
				break;
		if (i < 3) {
			memcpy(text + n, out ? umlauts[i].plain : umlauts[i].umlaut, 2);
			n += 2;
			at += 2;
		} else
			text[n++] = word.p[at++];
	}
	return span_of(text, n);
}

static void
add_respelt(struct match_group *g, const struct vocab *v, struct span word)
{
	uint8_t text[2 * TEXT_WORD_MAX];

	for (int out = 0; out < 2; out++) {
		struct span other = respell(word, out != 0, text);

		if (!span_is(other, word)) {
			add_ring(g, v, other, SPELT_FACTOR, false);
			add_meanings(g, v, other);
		}
	}
}

/* --- together --------------------------------------------------------------------------------- */

static bool
is_plain(struct span word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.p[i] < 'a' || word.p[i] > 'z')
			return false;
	return true;
}

void
question_add_forms(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	struct span word = q->words[i].folded;
	struct match_group *g = question_group(q, a, UINT32_C(1) << i);

	if (g == NULL)
		return;
	add_ring(g, v, word, 1, true);
	question_own(g, v, vocab_find_exact(v, word), 1);
	if (q->words[i].function)
		return;
	add_meanings(g, v, word);
	add_respelt(g, v, word);
	if (word.len >= 4 && is_plain(word))
		add_brief(g, v, word);
}

/* Words i… of the question are the head's; the bits of those, 0 when they are not. */
static uint32_t
spell_phrase(const struct question *q, size_t i, struct span head)
{
	uint8_t stem[TEXT_WORD_MAX], other[TEXT_WORD_MAX];
	struct text_reader r;
	struct text_word w;
	bool strict = lexicon_is_strict(head);
	uint32_t bits = 0;

	text_begin(&r, head);
	while (text_next(&r, &w)) {
		if (!strict && text_is_function_word(w.folded))
			continue;
		while (!strict && i < q->nwords && q->words[i].function && bits != 0)
			i++;
		if (i == q->nwords || !span_is(span_of(stem, text_stem(w.folded, stem)),
		    span_of(other, text_stem(q->words[i].folded, other))))
			return 0;
		bits |= UINT32_C(1) << i++;
	}
	return bits;
}

void
question_add_phrases(struct question *q, struct vocab *v, struct arena *a)
{
	uint16_t rows[PHRASES_MAX];
	size_t left = MATCH_PHRASES_MAX, n;

	for (size_t i = 0; left > 0 && i + 1 < q->nwords; i++) {
		size_t found = lexicon_phrases(q->words[i].folded, rows, PHRASES_MAX);

		for (size_t k = 0; left > 0 && k < found; k++) {
			const struct lexicon_word *row = lexicon_row(rows[k], &n);
			uint32_t bits = spell_phrase(q, i, row->text);
			struct match_group *g;

			if (bits == 0 || (g = question_group(q, a, bits)) == NULL)
				continue;
			add_row(g, v, row, 1, false);
			left--;
			if (g->nvariants == 0)
				q->ngroups--;
		}
	}
}

void
question_add_guesses(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	struct vocab_guess guesses[VOCAB_GUESSES_MAX];
	const struct lexicon_word *near[ROWS_MAX];
	struct span word = q->words[i].folded;
	size_t n = vocab_guess(v, word, guesses), m;
	struct match_group *g = question_group(q, a, UINT32_C(1) << i);
	unsigned distance;

	if (g == NULL)
		return;
	for (size_t k = 0; k < n; k++)
		question_other(g, v, guesses[k].term, guesses[k].likeness * guesses[k].likeness);
	m = lexicon_guess(word, near, ROWS_MAX, &distance);
	for (size_t k = 0; k < m; k++) {
		float likeness = 1 - (float)distance / (float)(word.len + 1);

		add_row(g, v, near[k], likeness * likeness, false);
	}
	if (m > 0)
		q->words[i].meant = near[0]->text;
	else if (n > 0)
		q->words[i].meant = arena_span(a, vocab_text(v, guesses[0].term));
	g->guessed = g->nvariants > 0;
	q->guessed = q->guessed || g->guessed;
	if (g->nvariants == 0)
		q->ngroups--;
}
