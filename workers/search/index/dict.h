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
#ifndef WORKERS_SEARCH_INDEX_DICT_H
#define WORKERS_SEARCH_INDEX_DICT_H

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

/*
 * Build from the qualifying columns of a profile, by steps of about ns
 * nanoseconds: begin, step until true, end.  The profile is borrowed until
 * then; the dictionary keeps nothing of it.  dict_end() may come early.
 */
struct dict_building;
struct dict_building *dict_begin(const struct snapshot_profile *profile);
bool dict_step(struct dict_building *b, uint64_t ns);
struct dict *dict_end(struct dict_building *b);

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

/*
 * Values that contain value, any case: exact ones, then beginnings (ties by
 * lower cardinality, then by name), then the rest in the order of the index;
 * of each, the folded ones last.  Blanks around value count only where something has them.
 * Writes at most limit to out, in a; *total is exact up to DICT_TOTAL_MAX,
 * which also stands for more.  Returns how many.
 */
size_t dict_search(const struct dict *d, struct arena *a, struct span value, size_t limit,
    struct dict_match **out, size_t *total);

/*
 * Values that one edit, or the swap of two neighbours, makes of value, any case
 * and without accents; by cardinality, then by name.  None for fewer than four
 * characters, or digits alone.  As dict_search(), for when that finds nothing.
 */
size_t dict_near(const struct dict *d, struct arena *a, struct span value, size_t limit, struct dict_match **out);

#endif
