/* question.c - a question's words, their forms, and what they weigh; see match.h. */
#include <math.h>
#include <string.h>

#include "workers/search/match.h"
#include "workers/search/text.h"

#define STEM_FACTOR	0.85f	/* another form of the word */
#define PAIR_SCALE	0.5f	/* two words found written in one */
#define WHOLE_SCALE	0.7f	/* a name that is made of the words that carry something, and of nothing else */
#define FUNCTION_SCALE	0.1f
#define UNKNOWN_WEIGHT	0.75f	/* of a word that nothing holds: between rare and common */
#define FORMS_MAX	VOCAB_GUESSES_MAX

static bool
is_known(const struct question *q, struct span folded)
{
	for (size_t i = 0; i < q->nwords; i++)
		if (span_is(q->words[i].folded, folded))
			return true;
	return false;
}

static void
read_words(struct question *q, struct arena *a, struct span text)
{
	struct text_reader r;
	struct text_word w;

	text_begin(&r, text);
	while (q->nwords < MATCH_WORDS_MAX && text_next(&r, &w)) {
		struct match_word *word = &q->words[q->nwords];

		if (is_known(q, w.folded) || (word->folded = arena_span(a, w.folded)).p == NULL)
			continue;
		word->function = text_is_function_word(w.folded);
		q->ncontent += !word->function;
		q->nwords++;
	}
	/* "who", "all": nothing but such words, so they are what is meant. */
	if (q->ncontent == 0) {
		for (size_t i = 0; i < q->nwords; i++)
			q->words[i].function = false;
		q->ncontent = q->nwords;
	}
	for (size_t i = 0; i < q->nwords; i++)
		if (!q->words[i].function)
			q->content |= UINT32_C(1) << i;
}

static struct match_group *
add_group(struct question *q, struct arena *a, uint32_t words, size_t room)
{
	struct match_group *g = &q->groups[q->ngroups];

	if ((g->variants = arena_array(a, room, sizeof(*g->variants))) == NULL)
		return NULL;
	g->words = words;
	g->nvariants = 0;
	g->guessed = g->whole = false;
	q->ngroups++;
	return g;
}

static void
add_forms(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	struct span word = q->words[i].folded;
	struct match_group *g = add_group(q, a, UINT32_C(1) << i, FORMS_MAX);
	uint32_t exact = vocab_find(v, word), first = vocab_stem(v, word), t = first;

	if (g == NULL)
		return;
	if (exact != VOCAB_NONE && vocab_documents(v, exact) > 0)
		g->variants[g->nvariants++] = (struct match_variant){ exact, 1 };
	if (first == VOCAB_NONE)
		return;
	do {
		if (t != exact && vocab_documents(v, t) > 0 && g->nvariants < FORMS_MAX)
			g->variants[g->nvariants++] = (struct match_variant){ t, STEM_FACTOR };
		t = vocab_next_form(v, t);
	} while (t != first);
}

/* Neighbours i and i + 1 as one word: "order id" finds orderid. */
static void
add_pair(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	uint8_t both[2 * TEXT_WORD_MAX];
	struct span x = q->words[i].folded, y = q->words[i + 1].folded;
	struct match_group *g;
	uint32_t term;

	if (x.len + y.len > TEXT_WORD_MAX)
		return;
	memcpy(both, x.p, x.len);
	memcpy(both + x.len, y.p, y.len);
	term = vocab_find(v, span_of(both, x.len + y.len));
	if (term == VOCAB_NONE || vocab_documents(v, term) == 0)
		return;
	if ((g = add_group(q, a, UINT32_C(3) << i, 1)) != NULL)
		g->variants[g->nvariants++] = (struct match_variant){ term, 1 };
}

/* All words that carry something, as the whole name of a document. */
static void
add_whole(struct question *q, struct vocab *v, struct arena *a)
{
	uint8_t whole[TEXT_WORD_MAX] = { VOCAB_WHOLE }, stem[TEXT_WORD_MAX];
	struct match_group *g;
	size_t len = 1;
	uint32_t term;

	for (size_t i = 0; i < q->nwords; i++) {
		size_t n = q->words[i].function ? 0 : text_stem(q->words[i].folded, stem);

		if (n > sizeof(whole) - len)
			return;
		memcpy(whole + len, stem, n);
		len += n;
	}
	term = vocab_find(v, span_of(whole, len));
	if (term == VOCAB_NONE || vocab_documents(v, term) == 0)
		return;
	if ((g = add_group(q, a, q->content, 1)) != NULL) {
		g->variants[g->nvariants++] = (struct match_variant){ term, 1 };
		g->whole = true;
	}
}

/* True when some document of the kinds asked holds the group's words, itself or through its parent. */
static bool
is_found(const struct match_group *g, const struct part *parts, size_t nparts, unsigned kinds)
{
	for (size_t i = 0; i < nparts; i++) {
		const struct segment *s = parts[i].segment;
		uint32_t from, to;
		uint8_t most;

		if ((s->kinds & kinds) == 0)
			continue;
		for (size_t k = 0; k < g->nvariants; k++) {
			if (!segment_find(s, g->variants[k].term, &from, &to, &most))
				continue;
			for (; from < to; from++) {
				uint32_t doc = s->docs[from];
				bool child = doc + 1 < s->ndocs && s->parent[doc + 1] == doc;

				if (!segment_is_dead(s, doc) && ((KIND_BIT(s->kind[doc]) & kinds) != 0 ||
				    (child && (KIND_BIT(s->kind[doc + 1]) & kinds) != 0)))
					return true;
			}
		}
	}
	return false;
}

/* A word that nobody asked knows: take words that are spelt like it. */
static void
add_guesses(struct question *q, struct vocab *v, struct arena *a, size_t word)
{
	struct vocab_guess guesses[VOCAB_GUESSES_MAX];
	size_t n = vocab_guess(v, q->words[word].folded, guesses);
	struct match_group *g;

	if (n == 0 || (g = add_group(q, a, UINT32_C(1) << word, n)) == NULL)
		return;
	g->guessed = q->guessed = true;
	for (size_t i = 0; i < n; i++)
		g->variants[g->nvariants++] = (struct match_variant){
			guesses[i].term, guesses[i].likeness * guesses[i].likeness
		};
}

static float
rarity(uint64_t ndocs, uint64_t found)
{
	if (found > ndocs)
		found = ndocs;
	return logf(1 + ((float)(ndocs - found) + 0.5f) / ((float)found + 0.5f));
}

static uint64_t
documents(const struct vocab *v, const struct match_group *g)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->nvariants; i++)
		n += vocab_documents(v, g->variants[i].term);
	return n;
}

/* How much of the question each word is: rare ones more, unknown ones in between. */
static void
weigh(struct question *q, const struct vocab *v, uint64_t ndocs)
{
	float most = rarity(ndocs, 0);

	q->whole = 0;
	for (size_t i = 0; i < q->nwords; i++) {
		uint64_t found = documents(v, &q->groups[i]);
		float w = found == 0 ? UNKNOWN_WEIGHT : 0.5f + 0.5f * rarity(ndocs, found) / most;

		q->words[i].weight = q->words[i].function ? w * FUNCTION_SCALE : w;
		q->whole += q->words[i].weight;
	}
	for (size_t i = 0; i < q->ngroups; i++) {
		struct match_group *g = &q->groups[i];

		g->rarity = rarity(ndocs, documents(v, g));
		if ((g->words & (g->words - 1)) != 0)
			g->rarity *= PAIR_SCALE;
		else if (q->words[__builtin_ctz(g->words)].function)
			g->rarity *= FUNCTION_SCALE;
	}
	for (size_t i = 0; i < q->ngroups; i++)
		if (q->groups[i].whole) {
			q->groups[i].rarity = 0;
			for (size_t k = 0; k < q->nwords; k++)
				if (!q->words[k].function)
					q->groups[i].rarity += WHOLE_SCALE * q->groups[k].rarity;
		}
}

void
question_read(struct question *q, struct vocab *v, struct arena *a, struct span text,
    const struct part *parts, size_t nparts, unsigned kinds, uint64_t ndocs)
{
	*q = (struct question){ 0 };
	read_words(q, a, text);
	for (size_t i = 0; i < q->nwords; i++)
		add_forms(q, v, a, i);
	if (q->ngroups < q->nwords) {
		/* The call's memory is full: nothing can be asked. */
		q->nwords = q->ngroups = 0;
		return;
	}
	for (size_t i = 0; i + 1 < q->nwords; i++)
		add_pair(q, v, a, i);
	add_whole(q, v, a);
	for (size_t i = 0; i < q->nwords; i++)
		if (!is_found(&q->groups[i], parts, nparts, kinds))
			add_guesses(q, v, a, i);
	weigh(q, v, ndocs);
}
