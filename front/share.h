/*
 * share - what all principals have in common, and how much of it is one's.
 *
 * What is refused when it is used up is given out by one rule: nobody has more
 * of it than what is still free.  So one principal gets half, two a third
 * each, and something is left for whoever comes next.  What is dropped when it
 * is used up is dropped of whoever holds most of it (front_greatest()).
 */
#ifndef FRONT_SHARE_H
#define FRONT_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* May who has `own` of the `used` have `more`, of max in all? */
static inline bool
share_allows(uint64_t own, uint64_t used, uint64_t more, uint64_t max)
{
	return used <= max && own <= max - used && more <= max - used - own;
}

#endif
