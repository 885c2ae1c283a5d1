/*
 * find - finds the best chunks for a question: see chunks.h.
 *
 * By words: BM25 over the pieces of the sets, in windows of chunks.  Lists that together cannot lift a chunk of the
 * window above the worst of the best are only probed for candidates of the other lists (Turtle and Flood, "Query
 * evaluation: strategies and optimizations", 1995).  By vectors: all are compared.  Both rankings are fused by rank
 * (Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet", 2009).
 */
#pragma once

#include "workers/search/passages/chunks.h"

/* Whether a vector of the question from the model would be used. */
bool chunks_want_vector(const struct chunks *c, const struct chunk_set *const *sets, size_t nsets);

/*
 * The best chunks of the sets for a question, at most max, best first: by words, and by vectors if the question and
 * chunks have them.  *more: there are further ones.  -1: the call's memory is full.
 */
int chunks_find(struct chunks *c, struct arena *a, const struct chunk_set *const *sets, size_t nsets,
    const struct chunk_question *q, size_t max, struct chunk_found *out, size_t *n, bool *more, struct err *err);
