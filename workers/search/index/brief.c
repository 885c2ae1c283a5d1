#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "workers/search/index/brief.h"
#include "workers/search/ranking/ranking.h"
#include "words/text.h"

#define SHORT_MOST	4	/* letters of a short abbreviation, */
#define SHORT_FROM	7	/* which are among the word's first this many; those of a longer one may be anywhere */
#define SKELETON_LEAST	0.45f	/* part of the word's letters that a longer abbreviation without vowels has */
#define NEVER		100	/* a cost beyond all others */

/* The letters of a word of a-z alone; 0: it is not. */
static uint32_t
letters_of(struct span s)
{
	uint32_t letters = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < 'a' || s.p[i] > 'z')
			return 0;
		letters |= UINT32_C(1) << (s.p[i] - 'a');
	}
	return letters;
}

void
briefs_fini(struct briefs *b)
{
	for (size_t i = 0; i < 26; i++)
		free(b->lists[i].v);
}

bool
briefs_add(struct briefs *b, uint32_t term, struct span word)
{
	uint32_t letters = letters_of(word);
	struct brief_list *l;

	if (letters == 0 || word.len < BRIEF_LEAST || word.len > BRIEF_MOST)
		return false;
	l = &b->lists[word.p[0] - 'a'];
	l->v = array_grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = (struct brief){ letters, (uint32_t)word.len, term };
	return true;
}

bool
briefs_next(const struct briefs *b, struct span word, size_t *at, uint32_t *term)
{
	uint32_t letters = letters_of(word);
	const struct brief_list *l;

	if (letters == 0)
		return false;
	for (l = &b->lists[word.p[0] - 'a']; *at < l->n;) {
		const struct brief *x = &l->v[(*at)++];

		if ((x->letters & ~letters) == 0 && x->len < word.len) {
			*term = x->term;
			return true;
		}
	}
	return false;
}

size_t
briefs_bytes(const struct briefs *b)
{
	size_t n = 0;

	for (size_t i = 0; i < 26; i++)
		n += b->lists[i].cap * sizeof(struct brief);
	return n;
}

/* No vowel behind the first letter: cstmr. */
static bool
is_skeleton(struct span s)
{
	for (size_t i = 1; i < s.len; i++)
		if (strchr("aeiou", s.p[i]) != NULL)
			return false;
	return true;
}

static bool
is_in_order(struct span brief, struct span word)
{
	size_t i = 0;

	for (size_t j = 0; j < word.len && i < brief.len; j++)
		i += brief.p[i] == word.p[j];
	return i == brief.len;
}

static unsigned
brief_least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * In how many stretches of word the letters of brief stand, in their order and
 * from the first letter on.  A stretch of a single letter counts twice.
 */
static unsigned
stretches(struct span brief, struct span word)
{
	/* The count so far, by the place of the last letter in word: it is alone in its stretch, or it is not. */
	unsigned alone[TEXT_WORD_MAX], joined[TEXT_WORD_MAX], cost = NEVER;

	for (size_t j = 0; j < word.len; j++)
		alone[j] = joined[j] = NEVER;
	alone[0] = brief.p[0] == word.p[0] ? 2 : NEVER;
	for (size_t i = 1; i < brief.len; i++) {
		unsigned before = NEVER, last_alone = NEVER, last_joined = NEVER;

		for (size_t j = 0; j < word.len; j++) {
			unsigned was_alone = alone[j], was_joined = joined[j];
			bool same = brief.p[i] == word.p[j];

			alone[j] = same ? before + 2 : NEVER;
			joined[j] = same ? brief_least(last_alone - (last_alone < NEVER), last_joined) : NEVER;
			before = brief_least(before, brief_least(last_alone, last_joined));
			last_alone = was_alone;
			last_joined = was_joined;
		}
	}
	for (size_t j = 0; j < word.len; j++)
		cost = brief_least(cost, brief_least(alone[j], joined[j]));
	return cost;
}

float
brief_likeness(struct span brief, struct span word)
{
	float share = (float)brief.len / (float)word.len, least;
	unsigned cost, few;

	if (brief.len >= word.len || word.len > TEXT_WORD_MAX || brief.len < BRIEF_LEAST || !is_in_order(brief, word))
		return 0;
	cost = stretches(brief, brief.len > SHORT_MOST || word.len < SHORT_FROM ? word : span_of(word.p, SHORT_FROM));
	few = brief.len <= SHORT_MOST ? 1 : brief.len == SHORT_MOST + 1 ? 2 : 3;
	least = brief.len <= SHORT_MOST ? 0 : SKELETON_LEAST;
	return cost <= few || (cost < NEVER && share >= least && is_skeleton(brief)) ? ranking.letters_of : 0;
}

/* Whether skeleton leaves out only vowels and the second letters of pairs. */
static bool
is_all_consonants(struct span skeleton, struct span word)
{
	size_t i = 1;

	for (size_t j = 1; j < word.len; j++) {
		if (i < skeleton.len && skeleton.p[i] == word.p[j])
			i++;
		else if (strchr("aeiouy", word.p[j]) == NULL && word.p[j] != word.p[j - 1])
			return false;
	}
	return i == skeleton.len;
}

bool
brief_is_skeleton(struct span word)
{
	return word.len >= BRIEF_LEAST && letters_of(word) != 0 && is_skeleton(word);
}

float
brief_expansion(struct span skeleton, struct span word)
{
	if (skeleton.len >= word.len || word.len > TEXT_WORD_MAX || word.p[0] != skeleton.p[0] || letters_of(word) == 0)
		return 0;
	return is_all_consonants(skeleton, word) ? ranking.consonants :
						   ranking.letters_left * brief_likeness(skeleton, word);
}
