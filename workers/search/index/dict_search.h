/* dict_search - finding values; see dict.h. */
#pragma once

#include "workers/search/index/dict.h"

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
