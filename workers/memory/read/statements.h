/* statements - proposes the statements of a note about one column or measure for its description.  Pure. */
#pragma once

#include "workers/memory/read/propose.h"

/* Adds the descriptions that the sentences of content give to members of the set. */
void statements_propose(struct arena *a, struct span content, const struct source_set *set, struct proposals *out);
