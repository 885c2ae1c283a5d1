/*
 * embedded - the vectors of a document's chunks from the endpoint of `embeddings`, read from the file next to the
 * document (project/passages.h), in parallel with it.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

struct embedded {
	int		 fd;		/* -1: no file, or at its end */
	size_t		 dimensions;
	struct buf	 text;		/* unread part of the file */
	size_t		 at;		/* used bytes of text */
};

/*
 * Open the vectors of the document at path below dir, if they are of this model and dimension; *dimensions 0 accepts
 * any and is set.  *trouble, which the caller frees: why they cannot be used; NULL: no problem, though there may be no
 * file.
 */
void embedded_open(struct embedded *e, int dir, const char *path, const char *model, size_t *dimensions,
    char **trouble);
void embedded_close(struct embedded *e);

/* The vector of the next chunk, which has this text; bytes has room for e->dimensions.  False: it has none. */
bool embedded_next(struct embedded *e, struct span text, int8_t *bytes, float *scale);
