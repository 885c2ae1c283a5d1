/* expect.c - see expect.h. */
#include <string.h>

#include "workers/search/expect.h"
#include "workers/search/lexicon.h"
#include "workers/search/match.h"

#define ONE_WORD_TABLE	1.2f	/* returns: rather the table */
#define ONE_WORD_COLUMN	0.9f	/* than a column that has the word too */

enum expectation {
	EXPECT_DATE, EXPECT_PERSON, EXPECT_PLACE, EXPECT_REASON, EXPECT_DURATION, EXPECT_MEASURE, EXPECT_PAGE,
	EXPECT_TABLE, EXPECT_COLUMN, EXPECTATIONS
};

static const struct cue {
	const char		*words;
	enum expectation	 expectation;
} cues[] = {
#define CUE(words, what) { words, EXPECT_##what },
#include "workers/search/expect.def"
#undef CUE
};

/* Legend: by kind, how much more welcome; the trait that a column may have, and how much more welcome that makes it. */
static const struct {
	float		kinds[KINDS];
	enum trait	trait;
	float		factor;
} leads[EXPECTATIONS] = {
	/*			wiki	source	measure	dim	table	column */
	[EXPECT_DATE]		= { { 1,	1,	1,	1,	1,	1 },	TRAIT_DATE,	2.0f },
	[EXPECT_PERSON]		= { { 1,	1,	1,	1,	1,	1 },	TRAIT_PERSON,	1.8f },
	[EXPECT_PLACE]		= { { 1,	1,	1,	1,	1,	1 },	TRAIT_PLACE,	1.8f },
	[EXPECT_REASON]		= { { 1,	1,	1,	1,	1,	1 },	TRAIT_REASON,	2.0f },
	[EXPECT_DURATION]	= { { 1,	1,	1,	1,	1,	1 },	TRAIT_DURATION,	1.3f },
	[EXPECT_MEASURE]	= { { 1,	1,	1.25f,	1,	1,	1 },	TRAITS,		1 },
	[EXPECT_PAGE]		= { { 1.25f,	1,	1,	1,	1,	1 },	TRAITS,		1 },
	[EXPECT_TABLE]		= { { 1,	1.1f,	1,	0.9f,	1.2f,	0.9f },	TRAITS,		1 },
	[EXPECT_COLUMN]		= { { 0.8f,	0.8f,	0.9f,	1.1f,	0.8f,	1.2f },	TRAITS,		1 },
};

/* Legend: words of names that tell the trait, with what add_row() makes of them. */
static const char *const telling[TRAITS] = {
	[TRAIT_DATE]		= "date time timestamp day on at since until from due deadline expiry start end created",
	[TRAIT_PERSON]		= "person name employee user by manager owner customer agent staff assignee physician member",
	[TRAIT_PLACE]		= ("location address city country region place site origin destination street state warehouse"
				  " store branch town"),
	[TRAIT_REASON]		= "reason cause why",
	[TRAIT_DURATION]	= "duration days hours minutes seconds time length lead",
};

/* --- reading ------------------------------------------------------------------- */

/* How many words of the question the cue is at word i; 0: it is not there. */
static size_t
cue_at(const struct question *q, size_t i, const char *words)
{
	size_t n = 0, len;

	if (words[0] == '*') {
		if (i > 0)
			return 0;
		words += 2;
	}
	if ((uint8_t)words[0] != q->words[i].folded.p[0])
		return 0;
	for (; *words != '\0'; words += len + (words[len] == ' '), n++) {
		len = strcspn(words, " ");
		if (i + n == q->nwords || !span_is(q->words[i + n].folded, span_of(words, len)))
			return 0;
	}
	return n;
}

/* NULL: there is none; *n is how many words to go on by. */
static const struct cue *
longest_cue(const struct question *q, size_t i, size_t *n)
{
	const struct cue *best = NULL;
	size_t longest = 0, len;

	for (size_t c = 0; c < sizeof(cues) / sizeof(cues[0]); c++)
		if ((len = cue_at(q, i, cues[c].words)) > longest) {
			longest = len;
			best = &cues[c];
		}
	*n = longest > 0 ? longest : 1;
	return best;
}

static void
add_term(struct expect *e, enum trait t, const struct vocab *v, struct span word)
{
	uint32_t term = vocab_find(v, word);

	if (term == VOCAB_NONE || vocab_documents(v, term) == 0 || e->traits[t].n == EXPECT_TERMS_MAX)
		return;
	for (size_t i = 0; i < e->traits[t].n; i++)
		if (e->traits[t].terms[i] == term)
			return;
	e->traits[t].terms[e->traits[t].n++] = term;
}

/* What a head of the lexicon is shortened to, and the German words for it. */
static void
add_row(struct expect *e, enum trait t, const struct vocab *v, struct span head)
{
	const struct lexicon_word *as[8];
	size_t n = lexicon_exact(head, as, sizeof(as) / sizeof(as[0])), m;

	for (size_t i = 0; i < n; i++) {
		const struct lexicon_word *row = lexicon_row(as[i]->row, &m);

		for (size_t k = 1; as[i]->class == LEXICON_HEAD && k < m; k++)
			if (row[k].class != LEXICON_OTHER)
				add_term(e, t, v, lexicon_text(&row[k]));
	}
}

static void
add_trait(struct expect *e, enum trait t, const struct vocab *v, float factor)
{
	size_t len;

	e->traits[t].factor = factor;
	for (const char *p = telling[t]; *p != '\0'; p += len + (p[len] == ' ')) {
		len = strcspn(p, " ");
		add_term(e, t, v, span_of(p, len));
		add_row(e, t, v, span_of(p, len));
	}
}

static void
expect(struct expect *e, enum expectation x, const struct vocab *v)
{
	for (unsigned k = 0; k < KINDS; k++)
		e->kinds[k] *= leads[x].kinds[k];
	if (leads[x].trait < TRAITS && e->traits[leads[x].trait].factor <= 0)
		add_trait(e, leads[x].trait, v, leads[x].factor);
}

void
expect_read(struct expect *e, const struct question *q, const struct vocab *v)
{
	bool seen[EXPECTATIONS] = { false };

	for (unsigned k = 0; k < KINDS; k++)
		e->kinds[k] = 1;
	for (unsigned t = 0; t < TRAITS; t++) {
		e->traits[t].factor = 0;
		e->traits[t].n = 0;
	}
	if (q->ncontent == 1 && !q->sentence) {
		e->kinds[KIND_TABLE] = ONE_WORD_TABLE;
		e->kinds[KIND_COLUMN] = e->kinds[KIND_SL_DIMENSION] = ONE_WORD_COLUMN;
	}
	for (size_t i = 0, n; i < q->nwords; i += n) {
		const struct cue *cue = longest_cue(q, i, &n);

		if (cue != NULL && !seen[cue->expectation]) {
			seen[cue->expectation] = true;
			expect(e, cue->expectation, v);
		}
	}
}

/* --- fitting ------------------------------------------------------------------- */

static void
enter_segment(const struct expect *e, struct expect_walk *w, const struct segment *s)
{
	uint8_t most;

	w->s = s;
	for (unsigned t = 0; t < TRAITS; t++)
		for (size_t i = 0; i < e->traits[t].n; i++)
			if (!segment_find(s, e->traits[t].terms[i], &w->spots[t][i].at, &w->spots[t][i].to, &most))
				w->spots[t][i].at = w->spots[t][i].to = 0;
}

/* Is doc's name among the postings from *at on?  *at moves up to it. */
static bool
holds(const struct segment *s, uint32_t *at, uint32_t to, uint32_t doc)
{
	*at = segment_seek(s, *at, to, doc);
	return *at < to && s->docs[*at] == doc && (s->masks[*at] & 1u << FIELD_NAME) != 0;
}

float
expect_fit(const struct expect *e, struct expect_walk *w, const struct segment *s, uint32_t doc)
{
	enum kind kind = (enum kind)s->kind[doc];
	float fit = e->kinds[kind];

	if (w->s != s)
		enter_segment(e, w, s);
	for (unsigned t = 0; t < TRAITS && (kind == KIND_COLUMN || kind == KIND_SL_DIMENSION); t++) {
		bool told = false;

		for (size_t i = 0; i < e->traits[t].n && !told; i++)
			told = holds(s, &w->spots[t][i].at, w->spots[t][i].to, doc);
		fit *= told ? e->traits[t].factor : 1;
	}
	return fit;
}
