/*
 * rank - the order of the documents that match a question: one list, of all
 * kinds, out of those of match.h: by the words, with guesses, by word vectors.
 *
 * In each of them a document's score is
 *
 *	spread * (matched * bonus + family + connection)
 *
 * matched: by its own words (match.h).  bonus: ranking.name when the question
 * is its name (called.h), else 1.  family: what its parent and all children
 * match as one text (KIND_FAMILY in segment.h).  connection: what the best
 * families of its connection match.  spread: less, the more answers of its
 * family come before it.
 *
 * The places in those lists, not the scores, make the one: reciprocal rank
 * fusion, 1 / (60 + place) of each list added up.
 */
#pragma once

#include "workers/search/rank/match.h"

/* A document in one of the lists: the parts of its score, and where it stands. */
struct rank_place {
	uint32_t	rank;		/* from 1; 0: not in this list */
	float		matched, family, connection, spread;
	float		score;
};

struct ranked {
	uint32_t	part, doc;
	uint32_t	text;		/* its family's document; else itself */
	enum kind	kind;
	struct span	id;
	double		score;		/* best is 1, six decimals */
	float		strength;	/* for ties: the better of its scores in the lists, without spread */
	float		share;		/* part of the findable question that it, or its family, answers */
	float		bonus;
	struct rank_place lanes[MATCH_LISTS];	/* its place in each list; discover_explain calls a list a lane */
};

#define RANK_RRF_K	60

/* How many times as long as a short question q is, at least 1: of a longer one an answer's share is less. */
float rank_length(const struct question *q);

/*
 * Write at most limit of r's hits, the answers to q read from text, to out, best first.  Ties go by strength, then
 * kind, then id, then connection, so the same index gives the same list.  Ids are in a.  Returns how many.
 */
size_t rank_answers(struct arena *a, const struct question *q, struct span text, const struct part *parts,
    unsigned kinds, const struct match_result *r, size_t limit, struct ranked *out);
