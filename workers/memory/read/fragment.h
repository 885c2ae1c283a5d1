/* fragment - views of LookML and semantic models of dbt. */
#pragma once

#include "workers/memory/read/propose.h"

/* adds the proposals of another tool's model in text to out.  False: text is no such model. */
bool fragment_propose(struct arena *a, struct span text, struct proposals *out);
