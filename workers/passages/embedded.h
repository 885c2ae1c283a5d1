/*
 * embedded - the vectors that the endpoint of `embeddings` made of a document's chunks, from the file beside the
 * document (project/passages.h), read in step with it.
 */
#ifndef PASSAGES_EMBEDDED_H
#define PASSAGES_EMBEDDED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

struct embedded {
	int		 fd;		/* -1: there is none, or it is at its end */
	size_t		 dimensions;
	struct buf	 text;		/* read */
	size_t		 at;		/* used of it */
};

/*
 * The vectors of the document at path below dir, if they are of this model, and of so many dimensions unless
 * *dimensions is 0, which is set then.  What is in the way into *trouble, which the caller frees; NULL: nothing, there
 * may be no file.
 */
void embedded_open(struct embedded *e, int dir, const char *path, const char *model, size_t *dimensions,
    char **trouble);
void embedded_close(struct embedded *e);

/* The vector of the next chunk, whose text this is; bytes has room for e->dimensions.  False: it has none. */
bool embedded_next(struct embedded *e, struct span text, int8_t *bytes, float *scale);

#endif
