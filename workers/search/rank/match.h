/*
 * match - which documents answer a question, and how well.
 *
 * A question is words.  Each makes a group: its own forms and all that stands
 * for it in the index (variants.c).  Further groups are of several words at
 * once: two written in one, a phrase, the whole question as a name.  A document
 * gains by each group that it has one of:
 *
 *	score(doc) = kept(share) * sum over groups of rarity(group) * saturate(frequency(group, doc))
 *
 * BM25F over one collection of all kinds, where a child (a column) has its
 * parent's words as well, for less.  share is the part of the question that
 * the document answers: each word by its weight, less when it is in no
 * name.  rank.h goes on from there.
 *
 * Only the best documents are kept, and postings that cannot lead to one of
 * them are passed over (MaxScore): the words that alone are too weak to bring
 * a document among the best are looked up only for documents that hold others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "workers/search/index/hits.h"
#include "workers/search/index/segment.h"
#include "workers/search/index/shelf.h"
#include "workers/search/index/vocab.h"

#define MATCH_WORDS_MAX	32	/* words of a question beyond this many are not looked at */
#define MATCH_PHRASES_MAX 8
#define MATCH_OWNED_MAX 8
/* Words, guesses, what is like them, pairs, phrases and the whole: one less pair than words. */
#define MATCH_GROUPS_MAX (4 * MATCH_WORDS_MAX + MATCH_PHRASES_MAX)
#define MATCH_VARIANTS_MAX 32	/* of a group */

/*
 * How a variant is related to the word of the question, the surest first;
 * ranking.def has the likeness of each.
 */
enum relation {
	RELATION_FORM,		/* a form of the same word */
	RELATION_SHORT,		/* an abbreviation in the lexicon */
	RELATION_GERMAN, RELATION_MEANING, RELATION_SAME, RELATION_MADE, RELATION_KIND,
	RELATION_LETTERS,	/* an abbreviation by its letters */
	RELATION_NEAR,		/* like it by word vectors (index/near.h) */
	RELATION_GUESS,
	RELATIONS
};

/*
 * The lists a question makes, each of all kinds together: by its words; with guesses at those that nothing was found
 * for; and with what is like its words by word vectors, where there are any.
 */
enum match_list { MATCH_LEXICAL, MATCH_FUZZY, MATCH_SEMANTIC, MATCH_LISTS };

#define MATCH_IN(list)	(1u << (list))
#define MATCH_IN_ALL	((1u << MATCH_LISTS) - 1)

struct match_variant {
	uint32_t	term;
	float		factor;		/* likeness to the word; 1: as written */
	enum relation	relation;
	bool		names_only;	/* a function word (at, on): counts in names only */
};

/* One word of the question, or several together, and what stands for it. */
struct match_group {
	uint32_t		 words;		/* bit per word it answers */
	float			 rarity;	/* inverse document frequency times the weight of the words */
	size_t			 nvariants, nown;	/* the first nown: the word itself, in its forms, */
	size_t			 nsure;			/* the first nsure: all but abbreviations by their letters */
	struct match_variant	*variants;
	unsigned		 lists;		/* it counts in: MATCH_IN() of each */
	bool			 whole;		/* all words, as a document's whole name */
	bool			 phrase;	/* several words, as one of the lexicon */
};

struct match_word {
	struct span	folded;
	bool		function;	/* a function word, among words that carry more */
	bool		split, piece;	/* its pieces follow it: bestellmenge, bestell, menge */
	struct span	meant;		/* the likely word when it is misspelt; empty: spelt correctly */
	float		scale;		/* factor on its rarity: lower for common English words */
	float		weight;		/* share of the question's weight; see findable, asked */
};

/* The question as names of a document and its parent, each by its words or by what they plainly mean (vocab.h). */
struct match_owned {
	uint32_t	name[2], owner[2];	/* VOCAB_NONE: nothing is called so */
};

struct question {
	size_t			 nwords;
	struct match_word	 words[MATCH_WORDS_MAX];
	size_t			 ncontent;	/* words that are not function words, */
	uint32_t		 content;	/* by bit */
	bool			 is_long;
	size_t			 ngroups;
	struct match_group	 groups[MATCH_GROUPS_MAX];	/* that of word i is the i-th */
	unsigned		 lists;		/* that differ from the one before, MATCH_IN() of each */
	size_t			 nowned;
	struct match_owned	 owned[MATCH_OWNED_MAX];
	float			 findable;	/* sum of the weights of words that anything stands for, */
	float			 asked;		/* and of all */
};

/* All lists together; a family among them is no answer, but its parent may be. */
#define MATCH_ANSWERS_MAX	(MATCH_LISTS * MATCH_HITS_MAX)

struct match_result {
	struct hits	lists[MATCH_LISTS];	/* without guesses fuzzy is empty: it is as lexical */
	size_t		total;		/* matching documents; only when counting was asked for */
};

/*
 * Ask q of the documents of kinds in parts, and of all families, for the best
 * `keep` (at most MATCH_HITS_MAX) of each list.  count: also how many there
 * are, which takes looking at all of them.
 */
void match(const struct question *q, const struct part *parts, size_t nparts, unsigned kinds, size_t keep,
    bool count, struct match_result *r);

/* What one group of variants adds to the score of a document. */
struct match_reason {
	const struct match_group	*group;
	uint32_t			 via;		/* the term that contributed most */
	uint8_t				 mask, above;	/* fields it is in: the document's, its parent's */
	float				 gain;
};

/*
 * Why doc has the score it has in a list: it is matched again, alone, and each group's gain noted, in the order of the
 * question's words; out has room for MATCH_GROUPS_MAX.  The score is their sum times what a document keeps that answers
 * so much of the question.
 */
size_t match_explain(const struct question *q, const struct segment *s, uint32_t doc, enum match_list list,
    struct match_reason *out, struct hit *hit);
