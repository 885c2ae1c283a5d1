/* fuzz - what every target begins with: the entry, and what must hold whatever comes in. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void
require(bool ok)
{
	if (!ok)
		abort();
}
