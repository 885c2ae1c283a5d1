/*
 * lexicon_model - the words of a model: maps the stems of each name, label, synonym and enumerated value to its
 * entries.  Built once for a model.
 */
#pragma once

#include "ask/ask_model.h"
#include "base/table.h"

#define ASK_HITS_MAX	16u

enum ask_kind { ASK_KIND_MEASURE, ASK_KIND_SOURCE, ASK_KIND_COLUMN, ASK_KIND_SEGMENT, ASK_KIND_ALIAS, ASK_KIND_DATE,
	ASK_KIND_VALUE,
	ASK_KIND_FLAG,	/* a boolean column, by the word for its true state */
	ASK_KIND_EVENT,	/* a source, by its verb: orders, "ordered" */
	ASK_KIND_VERB	/* a join from the source to node `index`: "produced" */
};

/*
 * Better tiers first.  DECLARED: a word of the wiki, which wins over names but is a synonym.  AGENT: a word of an
 * agent's page, or what a language model takes a word for.
 */
enum ask_tier { ASK_TIER_DECLARED, ASK_TIER_NAME, ASK_TIER_SYNONYM, ASK_TIER_VALUE, ASK_TIER_AGENT };

struct ask_entry {
	struct span	key;
	/* index of the measure, column or segment; for an alias its node, for a value its column, for a verb a node */
	uint32_t	source, index;
	struct span	value;		/* for a value: as stored */
	uint8_t		kind, tier;
	bool		german;		/* key consists of German stems */
	uint32_t	declared;	/* for tier AGENT: index of its ask_declared, or of its ask_meaning */
};

struct ask_lexicon {
	size_t			 n, cap;
	struct ask_entry	*entries;
	struct table		 by_key;
};

/* NULL: the arena of m is full. */
struct ask_lexicon *ask_lexicon_new(const struct ask_model *m);

/* Those of the n words alone that are of agents or a language model; keys in a.  NULL: a is full. */
struct ask_lexicon *ask_lexicon_of_others(const struct ask_model *m, struct arena *a, const struct ask_declared *words,
    size_t n);
void ask_lexicon_free(struct ask_lexicon *x);

/* The entries with this key, at most max, better tiers first.  Returns their number. */
size_t ask_lexicon_find(const struct ask_lexicon *x, struct span key, bool german, const struct ask_entry **out,
    size_t max);

/* The entries of the n words, in the language. */
size_t ask_lexicon_words(const struct ask_lexicon *x, struct arena *a, const struct ask_token *t, size_t n, bool german,
    const struct ask_entry *out[ASK_HITS_MAX]);

/* Whether the words name something of these kinds, a mask, in either language. */
bool ask_lexicon_has(const struct ask_lexicon *x, struct arena *a, const struct ask_token *t, size_t n, unsigned kinds);

/* Whether the first is a column, and the second one of its values. */
static inline bool
ask_is_value_of(const struct ask_entry *column, const struct ask_entry *value)
{
	return column->kind == ASK_KIND_COLUMN && value->kind == ASK_KIND_VALUE && column->source == value->source &&
	    column->index == value->index;
}

/* Entries that a misspelt or incomplete word may mean, the nearest first.  Returns their number. */
size_t ask_lexicon_near(const struct ask_lexicon *x, struct span word, const struct ask_entry **out, size_t max);

/* The word of the key that is nearly the other one; empty: no word is. */
struct span ask_lexicon_nearest(struct span word, struct span key);

/* The label, else the name with blanks in place of underscores. */
struct span ask_label(struct arena *a, const struct ask_names *names);

/*
 * The only text, or the only time, called by one of the words (as for ask_is_any()), alone or behind the name of its
 * rows: invoice_date of invoices.  ASK_NONE: none, or several.
 */
uint32_t ask_only_ending(const struct ask_source *s, const char *words, bool time);
