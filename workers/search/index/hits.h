/* hits - the best hits of a search, in a bounded list whose worst hit is at hand. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hit {
	uint32_t	part, doc;
	float		score;
	float		share;		/* part of the findable words of the question that the document answers, 0..1 */
};

#define MATCH_HITS_MAX	256

/* The best of one list, unordered. */
struct hits {
	size_t		n, max;
	float		least;		/* until it is full: what is not above is not among the best; 0: not known */
	struct hit	v[MATCH_HITS_MAX];
};

/* Keep the hit if it is among the best; in a full list the worst hit stands first. */
void hits_keep(struct hits *h, const struct hit *hit);

/* The threshold: a hit is kept if it scores more, or as much and comes earlier. */
static inline float
hits_threshold(const struct hits *h)
{
	return h->n < h->max ? h->least : h->v[0].score;
}
