/*
 * share - fair shares of resources that all principals have in common.
 *
 * Requests beyond a resource's bound are refused by one rule: no principal has more than what is still
 * free.  So one principal gets half, two get a third each, and something is left for the next.  Stored
 * data beyond a bound is dropped, from the principal that holds most (principal_greatest()).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether a principal that has `own` of the `used` may have `more`, with `max` in all. */
static inline bool
share_allows(uint64_t own, uint64_t used, uint64_t more, uint64_t max)
{
	return used <= max && own <= max - used && more <= max - used - own;
}
