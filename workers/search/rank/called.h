/*
 * called - whether a question is what a document is called: its name or id,
 * its name and its owner's (orders.status, status of the order), or what plainly
 * means them (customer status: CUSTMST.STSCD).  The bonus is ranking.name.
 */
#pragma once

#include "workers/search/rank/match.h"

/* The stems of a question's words, in order. */
struct called_words {
	size_t	n, first;	/* first: behind "the", "show me the" */
	struct {
		uint8_t	stem[TEXT_WORD_MAX], len;
		bool	between;	/* it may stand between a name and its owner's: "of the", "in the table" */
		bool	dotted;		/* a dot comes before it: orders.id is not orders_id */
	} v[MATCH_WORDS_MAX];
};

void called_read(struct span question, struct called_words *w);

/* asked and q are of one question; id is the id of doc. */
bool called_is(const struct called_words *asked, const struct question *q, const struct part *p, uint32_t doc,
    struct span id, struct buf *scratch);

/* Make the group of all words that carry something, as the whole name of a document. */
void question_add_whole(struct question *q, struct vocab *v, struct arena *a);

/* Note how the question can be read as a name and its owner's name. */
void question_add_owned(struct question *q, const struct vocab *v);
