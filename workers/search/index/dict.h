/*
 * dict - the sampled values of one connection's columns, for dictionary_search.
 *
 * All values stand folded in one run of bytes; blocks of 16 of them have an
 * index of the one, two and three byte sequences in them, so that a substring
 * is looked for in few blocks.  A second order, by folded text, gives exact
 * matches and beginnings.
 *
 * A value with accents stands there again without them, and with its umlauts
 * written out: such an alias leads to the value, and a match by it is marked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "project/scan/snapshot.h"

#define DICT_DISTINCT_MAX	200	/* columns with more distinct values are no dictionary */
#define DICT_LABEL_MAX		80	/* bytes that values of a label have in the mean; longer ones are prose */
#define DICT_TOTAL_MAX		1000	/* matches are counted up to here */
#define DICT_EXAMPLES		5	/* columns named of those that are left out */

struct dict;

void dict_free(struct dict *d);

size_t dict_columns(const struct dict *d);	/* with at least one value */
size_t dict_values(const struct dict *d);
size_t dict_bytes(const struct dict *d);

/* What a column of a profile is to a dictionary. */
enum dict_verdict {
	DICT_TAKEN,
	DICT_MANY,	/* text of more than DICT_DISTINCT_MAX distinct values */
	DICT_PROSE,	/* few values, of more than DICT_LABEL_MAX bytes */
	DICT_NO_TEXT,
	DICT_VERDICTS
};
enum dict_verdict dict_judge(const struct snapshot_profiled *p);

/* True for types whose values may be labels, so that a column of it may be a dictionary. */
bool dict_is_text(struct span type);

/* The number of the profile's columns of a verdict; examples are "table.column", and borrow. */
size_t dict_judged(const struct dict *d, enum dict_verdict verdict, struct span examples[static DICT_EXAMPLES],
    size_t *nexamples);

struct dict_match {
	struct span	table, column, value;	/* borrow from the dictionary */
	bool		has_cardinality;
	uint64_t	cardinality;
	unsigned	rank;			/* 0 exact, 1 beginning, 2 part */
	bool		folded;			/* but for accents, or umlauts written out */
};

/* The forms borrow from text's copy and others in scratch, which is overwritten. */
struct dict_forms;
void dict_forms_of(struct span folded, struct buf *scratch, struct dict_forms *out);
