/* cube - cubes of Cube, in YAML. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

/* The reader of Cube; see views.h. */
int cube_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
