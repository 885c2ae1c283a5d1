/*
 * lexicon - the words of a model: what each name, label, synonym and enumerated value of it may stand for,
 * by the stems of its words.  Made once a model.
 */
#ifndef ASK_LEXICON_H
#define ASK_LEXICON_H

#include "ask/ask_model.h"
#include "ask/text.h"
#include "base/table.h"

#define ASK_LEXICON_WORDS_MAX	8u	/* words of one entry; a longer name is none */

enum ask_kind { ASK_KIND_MEASURE, ASK_KIND_SOURCE, ASK_KIND_COLUMN, ASK_KIND_SEGMENT, ASK_KIND_ALIAS, ASK_KIND_DATE,
	ASK_KIND_VALUE,
	ASK_KIND_FLAG,	/* a boolean column, by what is so where it is true */
	ASK_KIND_EVENT	/* a source, by its verb: orders, "ordered" */
};

/* The better one first. */
enum ask_tier { ASK_TIER_NAME, ASK_TIER_SYNONYM, ASK_TIER_VALUE, ASK_TIER_PART };

struct ask_entry {
	struct span	key;
	/* index: of the measure, column or segment; of an alias: its node, of a value: its column */
	uint32_t	source, index;
	struct span	value;		/* of a value: as it is stored */
	uint8_t		kind, tier;
	bool		german;		/* key is of German stems */
};

struct ask_lexicon {
	size_t			 n, cap;
	struct ask_entry	*entries;
	struct table		 by_key;
};

/* NULL: the arena of m is full. */
struct ask_lexicon *ask_lexicon_new(const struct ask_model *m);
void ask_lexicon_free(struct ask_lexicon *x);

/* The entries with this key, at most max, the better tiers first; how many. */
size_t ask_lexicon_find(const struct ask_lexicon *x, struct span key, bool german, const struct ask_entry **out,
    size_t max);

/* Entries that a word may have been meant for: one misspelt, or one of its words.  The nearest first. */
size_t ask_lexicon_near(const struct ask_lexicon *x, struct span word, const struct ask_entry **out, size_t max);

/* The label, else the name with blanks for underscores. */
struct span ask_label(struct arena *a, const struct ask_names *names);

#endif
