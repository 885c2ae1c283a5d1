/* match_parts - the formula of a score, for match.c, which looks for the best, and matched.c, which explains; private to them. */
#ifndef SEARCH_MATCH_PARTS_H
#define SEARCH_MATCH_PARTS_H

#include "workers/search/match.h"

#define K1		1.2f	/* BM25: how soon more of a word stops helping */
#define PARENT_NAME	0.5f	/* a child's term frequency from its parent's name, */
#define PARENT_DISPLAY	0.2f	/* from the rest of how the parent is shown */
#define PARENT_TEXT	0.3f	/* and, to a child that holds other words itself, from what is said about it */
#define OUTSIDE_NAME	0.6f	/* a word found, but not in the name, answers this much of itself, */
#define SOUGHT_OUTSIDE	0.25f	/* the same of what is asked for, */
#define IN_BODY		0.40f	/* one found nowhere but in a page's body this much, */
#define SOUGHT_IN_BODY	0.20f
#define ABOVE_NAME	0.9f	/* one found in the parent's name this much */
#define OTHERS_IN_BODY	0.4f	/* of its likeness that a word which stands for another keeps in a page's body */
#define OTHERS_IN_SAMPLE 0.6f	/* and in a column's values */
#define BY_OTHERS	0.68f	/* one found only by what means something like it, this much */
#define STRONG		0.65f	/* likeness from which on it is nearly the same */
#define PARTIAL		0.2f	/* of its score that a hit keeps however little of the question it answers */

/* Of the words answered, those in the name itself and those in the parent's. */
struct match_found {
	uint32_t	words, names, above;
	uint32_t	strong;		/* by themselves, or by what nearly means the same */
	uint32_t	texts;		/* in a description, a comment, …: anywhere but in a page's body */
	bool		alone;		/* the name is hardly more than one of them */
};

/* How welcome a document of the kind is when it matches as well as another. */
extern const float match_prior[KINDS];

/* BM25: more of a word helps less and less. */
static inline float
match_saturate(float frequency)
{
	return frequency * (K1 + 1) / (frequency + K1);
}

/* The frequency that a word in these fields of a parent passes on to its children; no more than it has. */
static inline float
match_passed_on(uint8_t mask, float frequency)
{
	float most = mask & 1u << FIELD_NAME ? PARENT_NAME : mask & 1u << FIELD_DISPLAY ? PARENT_DISPLAY : 0;

	return frequency < most ? frequency : most;
}

/* The same for a child that holds something else: where names say little, people ask by what is said of a table. */
static inline float
match_passed_by_text(uint8_t mask, float frequency)
{
	bool text = (mask & (1u << FIELD_DESCRIPTION | 1u << FIELD_COMMENT)) != 0 &&
	    (mask & (1u << FIELD_NAME | 1u << FIELD_DISPLAY)) == 0;

	return !text ? 0 : frequency < PARENT_TEXT ? frequency : PARENT_TEXT;
}

/* Words that carry something, said of a table, are said of its columns. */
static inline bool
match_says_more(const struct question *q, const struct match_group *g)
{
	return !g->whole && (g->words & q->content) != 0;
}

/*
 * A child's frequency, from its own name and its parent's.  When it has nothing
 * that is asked for but what is in the parent's name as well, it does not
 * answer better than the parent for having it twice.
 */
static inline float
match_with_parent(float own, float above, bool adds)
{
	return adds ? own + above : own > above ? own : above;
}

/* What stands for a word says less in running text, and a small one nothing outside a name. */
static inline float
match_trust(const struct match_variant *v, bool own, uint8_t mask)
{
	if (own)
		return v->factor;
	if (v->names_only && (mask & 1u << FIELD_NAME) == 0)
		return 0;
	/* A value is what it is (TX). */
	if (v->brief && mask == 1u << FIELD_SAMPLE)
		return 0;
	return mask == 1u << FIELD_BODY ? v->factor * OTHERS_IN_BODY :
	    mask == 1u << FIELD_SAMPLE ? v->factor * OTHERS_IN_SAMPLE : v->factor;
}

/* What a score keeps when this share of the question is answered. */
static inline float
match_kept(float share)
{
	return PARTIAL + (1 - PARTIAL) * share;
}

/* Keep hit when it is among the best; once the list is full, the worst of it is in front. */
void match_keep(struct hits *h, const struct hit *hit);

/* A hit must score more than this, or as much and come earlier, to be kept. */
static inline float
match_threshold(const struct hits *h)
{
	return h->n < h->max ? 0 : h->v[0].score;
}

float match_share(const struct question *q, struct match_found found);

/* The same, what is found by words that only mean something like those asked counted for less. */
float match_sure(const struct question *q, struct match_found found);

#endif
