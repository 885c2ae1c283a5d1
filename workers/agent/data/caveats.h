/* caveats - what an answer is careful about, in the language of the question (caveats.def). */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

#define CAVEAT_ARGUMENTS_MAX	4u

enum caveat {
#define CAVEAT(NAME, english, german) CAVEAT_##NAME,
#include "workers/agent/data/caveats.def"
#undef CAVEAT
	CAVEATS
};

/* The sentence with its arguments, in a.  args: as many as the row has places; may be NULL when it has none. */
struct span caveat_text(struct arena *a, bool german, enum caveat which, const struct span *args);
