/*
 * surroundings - what the rest of a note says of a formula: the headings over
 * it, the sentences, rows and lists beside it.
 *
 * What stands near a formula has to be understood, as a remark that limits
 * nothing or as a condition; what stands elsewhere has only to be above
 * suspicion.  Whatever fails that keeps the formula out of the semantic layer.
 */
#ifndef WORKERS_MEMORY_INGEST_SURROUNDINGS_H
#define WORKERS_MEMORY_INGEST_SURROUNDINGS_H

#include "workers/memory/ingest/reading.h"

/* Look at every proposal that nothing has refused yet; conditions become a part of its measure. */
void surroundings_weigh(struct reading *r);

#endif
