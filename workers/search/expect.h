/*
 * expect - what the wording of a question leads one to expect of its answer:
 * "when" a date, "who" a person, "how many" a measure, "what counts as" a page.
 * It moves answers that match about as well, and never makes one.
 */
#ifndef SEARCH_EXPECT_H
#define SEARCH_EXPECT_H

#include "workers/search/segment.h"

struct question;

/* What a name may tell of what is behind it. */
enum trait { TRAIT_DATE, TRAIT_PERSON, TRAIT_PLACE, TRAIT_REASON, TRAIT_DURATION, TRAITS };

#define EXPECT_TERMS_MAX 48	/* the words beyond tell nothing */

struct expect {
	float	kinds[KINDS];		/* how much more, or less, welcome a document of the kind is */
	struct {
		float		factor;	/* the same of a column whose name tells the trait; 0: it does not matter */
		size_t		n;
		uint32_t	terms[EXPECT_TERMS_MAX];	/* one of them tells it */
	}	traits[TRAITS];
};

/* Where the terms' postings are: private. */
struct expect_walk {
	const struct segment	*s;
	struct {
		uint32_t	at, to;
	}			 spots[TRAITS][EXPECT_TERMS_MAX];
};

/* q's words are read. */
void expect_read(struct expect *e, const struct question *q, const struct vocab *v);

/* What to multiply the score of doc by.  w is zero at first; the documents of a segment come in ascending order. */
float expect_fit(const struct expect *e, struct expect_walk *w, const struct segment *s, uint32_t doc);

#endif
