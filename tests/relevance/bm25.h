/*
 * bm25 - the yardstick: plain BM25 over one text per document, with stop words
 * and without plural endings.  A table's text is its name, its comment and its
 * columns' names and comments; a column's its table's name, its own and its
 * comment.  Documents that a scan made twice (a source of a table) are left out.
 */
#pragma once

#include "workers/search/answer/search.h"

struct bm25;

struct bm25_hit {
	uint32_t	part, doc;
};

struct bm25 *bm25_new(struct library *l);
void bm25_free(struct bm25 *b);

/* The best documents of kinds, at most max.  Returns how many. */
size_t bm25_ask(struct bm25 *b, const char *question, unsigned kinds, size_t max, struct bm25_hit *out);
