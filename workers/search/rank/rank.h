/*
 * rank - one list out of two: what the words find and what spelling finds,
 * fused by reciprocal rank (k = 60, equal weights) over all kinds together.
 *
 * In either list a document's score is
 *
 *	spread * (matched * bonus + family + connection)
 *
 * what it matches itself (match.h), more when the question is just its name;
 * what its parent with all its children matches as one text (the KIND_FAMILY
 * of segment.h); what the best families of its connection match; and less the
 * more answers of its family stand before it.  ranking.def has the numbers.
 */
#ifndef SEARCH_RANK_H
#define SEARCH_RANK_H

#include "workers/search/rank/match.h"

enum rank_lane { RANK_LEXICAL, RANK_FUZZY, RANK_LANES };

struct rank_place {
	uint32_t	rank;		/* 0: not in this list */
	float		matched, family, connection, spread;
	float		score;
};

struct ranked {
	uint32_t	part, doc;
	enum kind	kind;
	struct span	id;
	double		score;		/* best is 1, six decimals */
	float		strength;	/* for ties: the better of its scores */
	float		share;		/* part of the findable question that it, or its family, answers */
	float		bonus;		/* for its name or id */
	struct rank_place lanes[RANK_LANES];
};

#define RANK_RRF_K	60

/*
 * Order r's hits, the answers to q read from text, best first and write at most limit of them to out.  Ties go
 * by strength, then kind, then id, then connection, so the same index gives the same list.  Ids are in a.
 * Returns how many.
 */
size_t rank_fuse(struct arena *a, const struct question *q, struct span text, const struct part *parts, unsigned kinds,
    const struct match_result *r, size_t limit, struct ranked *out);

#endif
