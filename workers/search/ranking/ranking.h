/*
 * ranking - every number that moves an answer, in one table: ranking.def.
 *
 * Every weight and factor is a row.  What is no row stands where it is used: how
 * many of something are looked at (three families, 60 of reciprocal rank), the
 * usual length of a field (index/builder.c), how alike two spellings must be to
 * be compared (index/spelling.c, brief.c) and the likeness of words that are
 * related in WordNet (words/language_make.c).  `make relevance` shows what each
 * row is worth and fits them.
 */
#pragma once

#include <stddef.h>

struct ranking {
#define RANKING(name, value, off, text) float name;
#define RANKING_LEXICON(table, text)
#include "workers/search/ranking/ranking.def"
#undef RANKING
#undef RANKING_LEXICON
};

/* In use.  Only tests/relevance ever changes it, before anything is indexed. */
extern struct ranking ranking;

/* The rows of ranking.def, in their order. */
struct ranking_row {
	const char	*name;
	float		 value;
	float		 off;		/* value with which it does nothing; RANKING_NEEDED: it cannot be left out */
	const char	*text;
	float		*at;		/* in struct ranking or lexicon_use */
};

#define RANKING_NEEDED	(-1.0f)

extern const struct ranking_row ranking_rows[];
extern const size_t ranking_nrows;
