/* condition_column - finds the columns that the words of a condition name.  Pure. */
#pragma once

#include "workers/memory/read/condition.h"

/* Whether the word stands for the rows of the source: "orders", "order", "rows". */
bool condition_is_noun(const struct condition_of *of, struct span word);

/* Whether the column alone can be a condition: a boolean that queries may use. */
bool condition_is_boolean(const struct source_column *c);

/* The only boolean column named by the n words: is_test for "test orders".  NULL: none, or several. */
const struct source_column *condition_flag(const struct condition_of *of, const struct span *words, size_t n);

/*
 * The boolean column named by words within a name: is_paid for "paid net revenue", *said: the first of them.  NULL:
 * none.
 */
const struct source_column *condition_flag_in(const struct condition_of *of, struct span name, struct span *said);
