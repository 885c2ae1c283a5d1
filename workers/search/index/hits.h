/* hits - the best so many of what is found, the worst of them at hand. */
#ifndef SEARCH_HITS_H
#define SEARCH_HITS_H

#include <stddef.h>
#include <stdint.h>

struct hit {
	uint32_t	part, doc;
	float		score;
	float		share;		/* of what can be found of the question that it answers, 0..1 */
};

#define MATCH_HITS_MAX	256

/* The best of one list, unordered. */
struct hits {
	size_t		n, max;
	struct hit	v[MATCH_HITS_MAX];
};

/* Keep hit when it is among the best; once the list is full, the worst of it is in front. */
void hits_keep(struct hits *h, const struct hit *hit);

/* A hit must score more than this, or as much and come earlier, to be kept. */
static inline float
hits_threshold(const struct hits *h)
{
	return h->n < h->max ? 0 : h->v[0].score;
}

#endif
