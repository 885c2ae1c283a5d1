/* trace - the artifacts of the six phases, for `carrel ask --trace`. */
#pragma once

#include "workers/agent/reading_question.h"

/* Append [{phase, artifact}] for the phases that were reached. */
void trace_put(struct buf *out, const struct reading *r, const struct answer *a);
