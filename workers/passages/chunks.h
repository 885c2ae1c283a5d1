/*
 * chunks - the documents of datasets: which there are, and the index of the chunks they are cut into.
 *
 * What the files are: project/passages.h.
 *
 * Each dataset has an index of its own, in pieces: small ones of what came last are put together into larger ones, a
 * step at a time.  The texts stay in the files.
 */
#ifndef PASSAGES_CHUNKS_H
#define PASSAGES_CHUNKS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/uuid.h"
#include "project/files.h"
#include "project/passages.h"
#include "workers/passages/postings.h"
#include "workers/passages/terms.h"
#include "workers/passages/vectors.h"

#define CHUNK_POLICY	32	/* bytes, COLUMNS_DIGEST_TEXT at least */

/* Where a chunk stands. */
struct chunk {
	uint32_t	document, length;	/* of its line, without the end */
	uint64_t	at;
};

/* A piece of a dataset's index. */
struct chunk_piece {
	struct postings	 postings;
	struct chunk	*chunks;	/* postings.nchunks of them */
	int8_t		*vectors;	/* as many numbers a chunk as the word vectors have; NULL: none has one */
	float		*scales;	/* of each vector; 0: the chunk has none */
	uint32_t	 ndead;		/* of documents that are gone */
};

struct chunk_document {
	char			*name;		/* of the file */
	char			*source_file;	/* NULL: its first line was not read yet */
	struct files_stamp	 stamp, vectors;	/* vectors: of that file; all 0: none is used */
	bool			 live, seen, waits;	/* waits: to be read */
	char			*column;	/* whose texts these are; NULL: none */
	bool			 withheld;	/* as the column policy wants it: nothing of it is found */
	char			 policy[CHUNK_POLICY];	/* digest of the one that was asked; empty: none was */
	uint32_t		 nchunks, nvectors;	/* indexed so far */
	char			*trouble;	/* why it ends there; NULL: nothing */
};

struct chunk_merge;

struct chunk_set {
	char			 id[UUID_LENGTH + 1];	/* of the dataset */
	int64_t			 mtime_ns;	/* of its directory, when it was compared */
	bool			 seen, unsettled;	/* unsettled: it changed just before it was compared */
	size_t			 ndocuments, documents_cap;
	struct chunk_document	*documents;	/* those that are gone stay, not live */
	uint32_t		 first_waiting;	/* none before it waits */
	struct names		 names;		/* of files */
	size_t			 latest_cap;
	uint32_t		*latest;	/* document by number of name */
	size_t			 npieces, pieces_cap;
	struct chunk_piece	*pieces;
	struct chunk_merge	*merge;		/* in work; NULL: nothing */
	uint32_t		 nchunks, nvectors;	/* of living documents */
};

struct chunk_reader;
struct chunk_open;

struct chunks {
	struct terms		 terms;
	struct vectors		 vectors;
	char			*model;		/* of the vectors to use, at an endpoint; NULL: words have them */
	size_t			 dimensions;	/* of the model's vectors; 0: not known yet */
	uint64_t		 vectors_max;	/* bytes of all chunks' vectors; 0: no bound */
	size_t			 n, cap;
	struct chunk_set	**sets;
	uint32_t		 total;		/* chunks of all sets */
	struct chunk_reader	*reader;	/* the file in work; NULL: none */
	struct chunk_open	*open;		/* what was read and is in no piece yet; NULL: nothing */
	size_t			 nwaiting;	/* documents to be read */
	struct arena		*arena;		/* for lists of files */
	bool			 news;		/* something changed since it was told */
};

void chunks_init(struct chunks *c);
void chunks_fini(struct chunks *c);

/* Compare the directory with what is known; all: every file of it, whatever the directories say. */
void chunks_check(struct chunks *c, int dir, bool all);

/* Go on reading and putting together until then. */
void chunks_step(struct chunks *c, int dir, uint64_t until_ns);
bool chunks_is_busy(const struct chunks *c);

/* How many numbers the vector of a chunk has; 0: there are none. */
static inline size_t
chunks_dimensions(const struct chunks *c)
{
	return c->model != NULL ? c->dimensions : c->vectors.dimensions;
}

size_t chunks_bytes(const struct chunks *c);

/* NULL: no document belongs to the dataset. */
struct chunk_set *chunks_set(const struct chunks *c, struct span id);

/* Call fn for every document that is not, or not wholly, in the index; the path is below the project. */
void chunks_troubles(const struct chunks *c, void (*fn)(void *arg, const char *path, const char *reason), void *arg);

/* --- finding ------------------------------------------------------------------------------------------------ */

struct chunk_found {
	const struct chunk_set		*set;
	const struct chunk_document	*document;
	struct chunk			 chunk;
	float				 score;	/* 0..1 */
};

/* What is asked. */
struct chunk_question {
	struct span	 text;
	size_t		 dimensions;	/* of its vector by the model; 0: it has none */
	float		 scale;
	const int8_t	*vector;
};

/* Whether a vector of the question, by the model, is of use. */
bool chunks_want_vector(const struct chunks *c, const struct chunk_set *const *sets, size_t nsets);

/*
 * The chunks of the sets that answer a question best, at most max of them, best first: by words, and by vectors where
 * the question and chunks have some.  *more: there are others.  -1: the call's memory is full.
 */
int chunks_find(struct chunks *c, struct arena *a, const struct chunk_set *const *sets, size_t nsets,
    const struct chunk_question *q, size_t max, struct chunk_found *out, size_t *n, bool *more, struct err *err);

struct chunk_text {
	struct buf	 line, value;	/* the caller gives back with buf_fini() */
	struct span	 text, row;	/* row: the key of its row, a msgpack map; empty: none is known */
	uint64_t	 index, page, row_number;	/* 0: unknown */
};

/* What a chunk says, from its file.  False: the file is gone, or not the one that was read. */
bool chunks_text(int dir, const struct chunk_found *found, struct chunk_text *out);

#endif
