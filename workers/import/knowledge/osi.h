/* osi - documents of the Open Semantic Interchange (Apache Ossie), versions 0.1 and 0.2. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

int osi_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
