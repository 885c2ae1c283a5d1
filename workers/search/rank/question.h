/* question - a question's words and what they weigh; question_read(), at the end, has the steps.  See match.h. */
#pragma once

#include "workers/search/rank/match.h"

/* Understand text; what it needs is in a.  parts and kinds decide which words must be guessed. */
void question_read(struct question *q, struct vocab *v, struct arena *a, struct span text,
    const struct part *parts, size_t nparts, unsigned kinds, uint64_t ndocs);
