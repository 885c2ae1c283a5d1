/* builder_finish - the postings of a segment from the words of its documents; see segment.h. */
#pragma once

#include "workers/search/index/segment.h"

/* Make the segment and empty the builder.  Its documents count in the vocabulary from here on. */
struct segment *builder_finish(struct builder *b);
