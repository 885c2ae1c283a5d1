/*
 * chunks - the documents of datasets, and the index of their chunks.
 *
 * project/passages.h describes the files.
 *
 * Each dataset has its own index, in pieces: new small pieces are merged into larger ones, a step at a time.  The
 * texts stay in the files.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/text/uuid.h"
#include "project/format/files.h"
#include "project/passages.h"
#include "workers/search/passages/postings.h"
#include "workers/search/passages/terms.h"
#include "words/vectors.h"

#define CHUNK_POLICY	32	/* bytes, COLUMNS_DIGEST_TEXT at least */

/* The position of a chunk in its file. */
struct chunk {
	uint32_t	document, length;	/* length of its line, without the line end */
	uint64_t	at;
};

/* A piece of a dataset's index. */
struct chunk_piece {
	struct postings	 postings;
	struct chunk	*chunks;	/* postings.nchunks of them */
	int8_t		*vectors;	/* dimensions numbers for each chunk; NULL: no vectors */
	float		*scales;	/* of each vector; 0: the chunk has none */
	uint32_t	 ndead;		/* chunks of removed documents */
};

struct chunk_document {
	char			*name;		/* file name */
	char			*source_file;	/* NULL: the first line is not read yet */
	struct files_stamp	 stamp, vectors;	/* vectors: of the file of vectors; all 0: none is used */
	bool			 live, seen, waits;	/* waits: must be read */
	char			*column;	/* the column of the texts; NULL: not a column */
	bool			 withheld;	/* excluded from the search by the column policy */
	char			 policy[CHUNK_POLICY];	/* digest of the policy that was asked; empty: none */
	uint32_t		 nchunks, nvectors;	/* indexed so far */
	char			*trouble;	/* why indexing stopped; NULL: no problem */
};

struct chunk_merge;

struct chunk_set {
	char			 id[UUID_LENGTH + 1];	/* of the dataset */
	int64_t			 mtime_ns;	/* of its directory at the last comparison */
	bool			 seen, unsettled;	/* unsettled: it changed just before the comparison */
	size_t			 ndocuments, documents_cap;
	struct chunk_document	*documents;	/* removed ones stay, with live false */
	uint32_t		 first_waiting;	/* index of the first document that may wait */
	struct names		 names;		/* file names */
	size_t			 latest_cap;
	uint32_t		*latest;	/* newest document for each file name */
	size_t			 npieces, pieces_cap;
	struct chunk_piece	*pieces;
	struct chunk_merge	*merge;		/* in progress; NULL: none */
	uint32_t		 nchunks, nvectors;	/* in live documents */
};

struct chunk_reader;
struct chunk_open;

struct chunks {
	struct terms		 terms;
	struct vectors		 vectors;
	char			*model;		/* the endpoint's model for vectors; NULL: word vectors */
	size_t			 dimensions;	/* of the model's vectors; 0: unknown yet */
	uint64_t		 vectors_max;	/* bytes of all chunks' vectors; 0: unlimited */
	size_t			 n, cap;
	struct chunk_set	**sets;
	uint32_t		 total;		/* number of chunks in all sets */
	struct chunk_reader	*reader;	/* the file being read; NULL: none */
	struct chunk_open	*open;		/* chunks that are in no piece yet; NULL: none */
	size_t			 nwaiting;	/* documents to read */
	struct arena		*arena;		/* for lists of files */
	bool			 news;		/* something changed since the last notice */
};

void chunks_init(struct chunks *c);
void chunks_fini(struct chunks *c);

/* Compare the directory with the index; all: stat every file, even in unchanged directories. */
void chunks_check(struct chunks *c, int dir, bool all);

/* Continue reading and merging until then. */
void chunks_step(struct chunks *c, int dir, uint64_t until_ns);
bool chunks_is_busy(const struct chunks *c);

/* The dimensions of the chunks' vectors; 0: there are none. */
static inline size_t
chunks_dimensions(const struct chunks *c)
{
	return c->model != NULL ? c->dimensions : c->vectors.dimensions;
}

size_t chunks_bytes(const struct chunks *c);

/* NULL: the dataset has no documents. */
struct chunk_set *chunks_set(const struct chunks *c, struct span id);

/* Call fn for every document that is not completely indexed; the path is relative to the project. */
void chunks_troubles(const struct chunks *c, void (*fn)(void *arg, const char *path, const char *reason), void *arg);

struct chunk_found {
	const struct chunk_set		*set;
	const struct chunk_document	*document;
	struct chunk			 chunk;
	float				 score;	/* 0..1 */
};

/* A question to search for. */
struct chunk_question {
	struct span	 text;
	size_t		 dimensions;	/* of the model's vector of the question; 0: none */
	float		 scale;
	const int8_t	*vector;
};

struct chunk_text {
	struct buf	 line, value;	/* freed by the caller with buf_fini() */
	struct span	 text, row;	/* row: the key of the chunk's row, a msgpack map; empty: unknown */
	uint64_t	 index, page, row_number;	/* 0: unknown */
};

/* Read a chunk's text from its file.  False: the file was removed or replaced. */
bool chunks_text(int dir, const struct chunk_found *found, struct chunk_text *out);
