/* reader - reads the files of documents into the index of their dataset, chunk by chunk. */
#pragma once

#include "base/mp.h"
#include "workers/search/passages/chunks.h"

/* Begin with a waiting document.  If its file cannot be read, its trouble says why. */
void chunk_reader_begin(struct chunks *c, struct chunk_set *set, uint32_t document, int dir);

/* Continue until then; c->reader is NULL after the end of the file. */
void chunk_reader_step(struct chunks *c, uint64_t until_ns);

/* Give up the current file, if it is this document of the set. */
void chunk_reader_stop(struct chunks *c, const struct chunk_set *set, uint32_t document);

/* Make what was read so far searchable. */
void chunk_reader_close_piece(struct chunks *c);

void chunk_reader_fini(struct chunks *c);

/* Parse a line of a document into a map, in value.  False: not a map. */
bool chunk_line(struct span line, struct buf *value, struct mp_value *map);
