/* Each word belongs to exactly one item, the longest that fits; within an item the hits are sorted by tier. */
#pragma once

#include "ask/lexicon_model.h"
#include "ask/period.h"

enum ask_item_kind { ASK_ITEM_UNKNOWN, ASK_ITEM_WORD, ASK_ITEM_NAME, ASK_ITEM_PERIOD, ASK_ITEM_NUMBER };

struct ask_item {
	enum ask_item_kind	 kind;
	size_t			 first, n;	/* words */
	enum ask_word_kind	 word;		/* also set for a name that is a function word as well: GRAIN or NONE */
	int			 arg;
	size_t			 nhits;
	const struct ask_entry	*hits[ASK_HITS_MAX];
	struct ask_period	 period;
	double			 number, upto;	/* upto: of a range */
	size_t			 nspare;	/* values that the words may also be, unless they are a name */
	const struct ask_entry	*spare[4];
	struct span		 text;		/* as it stands in the question */
	struct span		 consumed_by;	/* empty: not consumed yet */
};

struct ask_items {
	enum ask_language	 language;
	const struct ask_lexicon *others;	/* of words that mean nothing otherwise; NULL: none */
	bool			 lists;		/* words of lists are read, too */
	size_t			 ntokens, n;
	struct ask_token	*tokens;
	struct ask_item		*items;
};

/*
 * Returns -1 when a is full.  The question has at most ASK_WORDS_MAX words.  A word of others is made of words that
 * mean nothing otherwise; others: set before.
 */
int ask_items_read(const struct ask_model *m, const struct ask_context *c, const struct ask_known *known,
    struct ask_token *tokens, size_t n, struct arena *a, struct ask_items *out);

/* 10,000, 10.000, 1.5, 1e6.  False: not a plain number, or one of more digits than a double keeps. */
bool ask_items_number(struct span text, enum ask_language language, double *out);

/*
 * "1.000" in English, "1,000" in German: also a thousand as the other language writes it.  *whole: the number read so.
 * False: it is written in one way only.
 */
bool ask_items_number_of_both(struct span text, enum ask_language language, double *whole);

/* For items_settle.c; struct itemizing: items_settle.h. */
struct itemizing;
struct known_value;

/* Add the entry to the item, unless it is there or there is no room. */
void ask_items_add_hit(const struct itemizing *z, struct ask_item *item, const struct ask_entry *e);

/* Add what the words from the i-th on name, and set item->n, if that is as long as what the item has. */
void ask_items_find_names(const struct itemizing *z, size_t i, struct ask_item *item);

/* The number, with its sign, that the i-th word is.  False: none. */
bool ask_items_signed_number(const struct itemizing *z, size_t i, double *out);

/* Whether the n words begin with the value; plural: the last words may differ in number. */
bool ask_items_value_stands_at(const struct known_value *v, const struct ask_token *t, size_t n, bool plural);

/* "AG" and "ag": whether the values differ in their spelling alone. */
bool ask_is_same_value(struct arena *a, struct span one, struct span two);

/* Whether all that the item may mean are values. */
bool ask_item_is_value(const struct ask_item *item);

/* Whether the item is the name of a column of numbers: "guards", where fairs hold how many there are. */
bool ask_item_names_number(const struct ask_model *m, const struct ask_item *item);

/* Whether the item is a word of an agent or a language model. */
static inline bool
ask_item_is_others(const struct ask_item *item)
{
	return item->nhits > 0 && item->hits[0]->tier == ASK_TIER_AGENT;
}
