/* answers - a question to the library, and its ranked answers: question_read(), match(), rank_answers(), same_join(). */
#pragma once

#include "workers/search/library/library.h"
#include "workers/search/rank/rank.h"

/* A question and its ranked answers. */
struct answers {
	struct question		 q;
	const struct part	*parts;
	size_t			 n, nranked;	/* the first n of v were asked for; nranked are all that were ranked */
	struct ranked		*v;		/* in the call's arena */
	bool			 confident;	/* the first answers enough of it; else all are guesses */
	size_t			 total;		/* matches, also beyond the limit; counted for wiki pages only */
};

/* Ask text of documents of kinds, of one connection or of all (NULL): all found.  -1: the call's memory is full. */
int search_ask(struct library *l, struct arena *a, struct span text, const struct connection *only,
    unsigned kinds, size_t limit, struct answers *out, struct err *err);

/*
 * What discover_data answers: as search_ask(), but each thing once (same.h), and without pages that another one
 * shadows; the first *n of a.  brief: the caller set no limit, so ten answers at most are given; a model reads every
 * one of them.
 */
int search_find(struct library *l, struct arena *arena, struct span text, const struct connection *only, unsigned kinds,
    size_t limit, bool brief, struct answers *a, size_t *n, struct err *err);

/* Up to max documents whose names are found by text, best first: what a message says may be meant. */
size_t search_suggest(struct library *l, struct arena *a, struct span text, const struct connection *only,
    enum kind kind, size_t max, struct answers *out);
