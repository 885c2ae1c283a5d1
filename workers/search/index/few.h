/* few - find a number among at most FEW numbers by one comparison of all of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/block.h"

#define FEW	BLOCK

/* The index of x among the first n; FEW: x is not among them. */
static inline size_t
few_find(const uint32_t few[FEW], size_t n, uint32_t x)
{
	unsigned found = block_numbers(few, x) & ((1u << n) - 1);

	return found == 0 ? FEW : (size_t)__builtin_ctz(found);
}
