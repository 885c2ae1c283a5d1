/* columns - private to the readings: columns as a question calls them, next to the rows that they are of. */
#pragma once

#include "ask/plan.h"
#include "base/table.h"

struct called;
struct found_column;

/* See readings_spoken_new(). */
struct readings_spoken {
	struct arena	*a;
	struct called	**called[ASK_LANGUAGES];	/* by source; NULL: not looked at, or no room */
	uint32_t	*parts;				/* by source, see parts.h */
	struct table	 words[ASK_LANGUAGES];		/* of what columns are called, by word and part */
	bool		 listed[ASK_LANGUAGES];		/* the words are complete */
};

/* What was found out of the model while a question is read. */
struct readings_names {
	struct ask_routes	**routes;	/* by node; NULL: not looked for */
	struct found_column	**found;	/* by node, then by item */
	struct called		**called;	/* by source: what the model has no room for */
	uint8_t			*known;		/* by part, see parts_know_all() */
	bool			*skipped;	/* by item: it stands between the spans, see spans.h */
	uint64_t		*letters;	/* by item: those that it or one behind it may match, see spans.h */
	struct reading_word {
		bool with, article, belongs;	/* "with"; "a"; "of" */
	}			*words;		/* by word of the question */
	struct reading_verbs {
		bool		looked;
		size_t		n;
		uint32_t	*sources;
	}			*verbs;		/* by item: the sources of whose names it is a verb */
};

/* NULL: the arena is full. */
struct readings_names *columns_names_new(const struct plan *p);

/*
 * The column of the node that the items from i on name, the longest that fits; *n: how many items.  "first name" is
 * customer_first_name of customers, "id" their key, "name" what names them.  ASK_NONE: none, or several.
 */
uint32_t columns_find(const struct plan *p, uint32_t node, size_t i, size_t *n);

/* How many numbers of the node's rows "older" compares, by the whole word or else by a part; *out: the last of them. */
size_t columns_of_degree(const struct plan *p, uint32_t node, struct span word, struct plan_column *out);

/* The number of the node's rows called as what is measured of them alone: "fee", where fees are; ASK_NONE: none. */
uint32_t columns_of_measure(const struct plan *p, uint32_t node, size_t i);

/*
 * Iterate over what the columns of the source are called, in stems with blanks between them, *at from 0; base: the same
 * without the endings of verbs, or empty.  False after the last.
 */
bool columns_next_key(const struct plan *p, uint32_t source, size_t *at, struct span *key, struct span *base);

/* The word without the ending of a verb: "open" of "opening", "opened". */
struct span columns_verb_base(struct span word);

/* Whether the item is the noun "name". */
bool columns_is_name(const struct plan *p, size_t i);
