/* dict_parts - how a dictionary is laid out; private to dict*.c. */
#pragma once

#include "base/array.h"
#include "workers/search/index/dict.h"

#define DICT_BLOCK	16	/* values */
#define DICT_END	0xff	/* behind every value in the blob; no byte of UTF-8 */

struct dict_value {
	uint32_t	at;			/* in blob */
	uint32_t	column;
	uint32_t	original, original_len;	/* in texts; length 0: as folded; DICT_ALIAS: a value's number */
};

#define DICT_ALIAS	UINT32_MAX	/* original_len of an alias, whose value is number `original` */
#define DICT_ALIASES	(UINT32_C(1) << 31)	/* in dict.order: it is one */

struct dict_column {
	uint32_t	table, table_len, name, name_len;	/* in texts */
	uint32_t	order;			/* lowest cardinality first, unknown last; then by name */
	bool		has_cardinality;
	uint64_t	cardinality;
};

/* Blocks that hold one sequence of bytes: nblocks differences at lists.v + at. */
struct dict_gram {
	uint32_t	key, at, nblocks;
};

static inline int
dict_gram_order(const void *a, const void *b)
{
	const struct dict_gram *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

struct dict {
	struct array_u8		 blob, texts;
	size_t			 nvalues, naliases, values_cap;	/* nvalues: with aliases */
	struct dict_value	*values;
	size_t			 ncolumns, columns_cap;
	struct dict_column	*columns;
	uint32_t		*sorted;	/* values by folded text, */
	uint32_t		*order;		/* and next to each the place of its column by cardinality and name */
	size_t			 ngrams, grams_cap;
	struct dict_gram	*grams;		/* ascending by key */
	struct array_u8		 lists;
	struct {
		size_t		n, nexamples;
		uint32_t	at[DICT_EXAMPLES], len[DICT_EXAMPLES];	/* in texts */
	}			 judged[DICT_VERDICTS];
};

/* The spellings of a folded text, each different: as it is, without accents, with umlauts written out. */
struct dict_forms {
	size_t		n;
	struct span	v[3];
};

/* Sequences of one, two and three bytes as one range of keys. */
static inline uint32_t
dict_gram_key(uint32_t bytes, size_t len)
{
	return bytes + (len == 3 ? 0 : len == 2 ? 1u << 24 : (1u << 24) + (1u << 16));
}

static inline struct span
dict_folded(const struct dict *d, uint32_t value)
{
	size_t at = d->values[value].at;
	size_t end = value + 1 < d->nvalues ? d->values[value + 1].at : d->blob.n;

	return span_of(d->blob.v + at, end - at - 1);
}

static inline size_t
dict_block_end(const struct dict *d, size_t block)
{
	size_t next = (block + 1) * DICT_BLOCK;

	return next < d->nvalues ? d->values[next].at : d->blob.n;
}
