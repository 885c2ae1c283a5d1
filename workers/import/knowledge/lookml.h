/* lookml - views, explores and joins of LookML. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

/* The reader of LookML; see views.h. */
int lookml_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
