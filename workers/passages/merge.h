/* merge - pieces of one dataset's index put together into one, without what is gone, a step at a time. */
#ifndef PASSAGES_MERGE_H
#define PASSAGES_MERGE_H

#include "workers/passages/chunks.h"

void chunk_piece_fini(struct chunk_piece *p);

/* Begin to put together what should be, if anything should. */
void chunk_merge_plan(struct chunk_set *set, size_t dimensions);

/* Go on until then.  The pieces are exchanged when it is done. */
void chunk_merge_step(struct chunk_set *set, uint64_t until_ns);

void chunk_merge_stop(struct chunk_set *set);

#endif
