/*
 * rank - one list out of two: what the words find and what spelling finds,
 * fused by reciprocal rank (k = 60, equal weights) over all kinds together.
 */
#ifndef SEARCH_RANK_H
#define SEARCH_RANK_H

#include "workers/search/match.h"

struct ranked {
	uint32_t	part, doc;
	enum kind	kind;
	struct span	id;
	double		score;		/* best is 1, six decimals */
	float		strength;	/* for ties */

	/* Where it stands in each list, 0: not in it; its score there, and what its name or id and the wording added. */
	uint32_t	lexical_rank, fuzzy_rank;
	float		lexical, fuzzy, bonus, fit;
};

#define RANK_RRF_K	60

/*
 * Order r's hits, the answers to q read from text, best first and write at most limit of them to out.  Ties go
 * by strength, then kind, then id, then connection, so the same index gives
 * the same list.  Ids are in a.  Returns how many.
 */
size_t rank_fuse(struct arena *a, const struct question *q, struct span text, const struct part *parts,
    const struct match_result *r, size_t limit, struct ranked *out);

#endif
