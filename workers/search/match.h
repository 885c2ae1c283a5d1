/*
 * match - which documents answer a question, and how well.
 *
 * A question is words; each word stands for all forms of its stem, and, where
 * the documents asked know none of them, for words that are spelt like it.
 * BM25F over one collection of all kinds, with a prior per kind.
 */
#ifndef SEARCH_MATCH_H
#define SEARCH_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "workers/search/segment.h"
#include "workers/search/vocab.h"

#define MATCH_WORDS_MAX	32	/* words of a question beyond this many are not looked at */

struct match_variant {
	uint32_t	term;
	float		factor;		/* 1: the word as it was written */
};

/* One word, or two neighbours written in one. */
struct match_group {
	uint32_t		 words;		/* bit per word it answers */
	float			 scale;
	size_t			 nvariants;
	struct match_variant	*variants;
	bool			 guessed;
};

struct match_word {
	struct span	folded;
	bool		function;	/* carries little, next to words that carry more */
	float		weight;		/* its part of the question */
};

struct question {
	size_t			 nwords;
	struct match_word	 words[MATCH_WORDS_MAX];
	size_t			 ncontent;	/* words that are no function words */
	size_t			 ngroups;
	struct match_group	 groups[MATCH_WORDS_MAX * 3];
	float			 whole;		/* sum of the words' weights */
};

/* Who knows what a segment's documents stand for.  The first member of what they belong to. */
struct shelf {
	const struct shelf_ops	*ops;
	const char		*connection;	/* NULL: of the whole project */
};

struct shelf_ops {
	/* Append the document's name (what it is called), and its id (what a ref shows). */
	void	(*name)(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out);
	void	(*id)(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out);
};

/* What is searched together. */
struct part {
	const struct segment	*segment;
	const struct shelf	*shelf;
};

struct hit {
	uint32_t	part, doc;
	float		lexical, fuzzy;		/* fuzzy includes lexical */
	float		share;			/* of the question that it answers, 0..1 */
};

#define MATCH_HITS_MAX	256	/* the best of each list */

struct match_result {
	size_t		nlexical, nfuzzy;
	struct hit	lexical[MATCH_HITS_MAX], fuzzy[MATCH_HITS_MAX];	/* unordered */
	size_t		total;			/* documents that answer enough, in either list */
};

/* Working space between calls. */
struct matcher;
struct matcher *matcher_new(struct vocab *v);
void matcher_free(struct matcher *m);
size_t matcher_bytes(const struct matcher *m);

/*
 * Ask text of the documents of kinds in parts.  ndocs is the number of living
 * documents of the whole index, so that a word weighs the same whatever is
 * asked.  q and r are filled; q's memory is in a.
 */
void matcher_ask(struct matcher *m, struct arena *a, struct span text, const struct part *parts,
    size_t nparts, unsigned kinds, uint64_t ndocs, struct question *q, struct match_result *r);

/* The field in which doc answers most of q, by the weights of words and fields. */
enum field matcher_field(const struct question *q, const struct segment *s, uint32_t doc);

#endif
