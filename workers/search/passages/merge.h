/* merge - merges pieces of a dataset's index, without removed documents, a step at a time. */
#pragma once

#include "workers/search/passages/chunks.h"

void chunk_piece_fini(struct chunk_piece *p);

/* Begin a merge if one is due. */
void chunk_merge_plan(struct chunk_set *set, size_t dimensions);

/* Continue until then.  At the end the merged pieces are replaced. */
void chunk_merge_step(struct chunk_set *set, uint64_t until_ns);

void chunk_merge_stop(struct chunk_set *set);
