/*
 * passages - documents of datasets, cut into passages, as files: the contract between `carrel dataset document`, whose
 * carrel-import writes them, and the search worker, which indexes them.
 *
 * They are in <project>/.carrel/documents/<dataset's id>/<name>.jsonl, one file each, written under a temporary name
 * and moved there, never changed in place.  The first line says what it is,
 *
 *	{"carrel_document":1,"source_file":"report.pdf","pages":12,"chunks":34,
 *	 "added_at":"2026-01-31T12:00:00Z"}
 *
 * and each of the following is a chunk: {"chunk_index":0,"page":1,"text":"..."}; pages and page may be null.
 *
 * The texts of a column of the dataset are such a file, too: its source_file is "column:notes", its first line has
 * "column":"notes", and a chunk its row, "row":{"id":17}, or without a key "row_number":17, from 1.
 *
 * <name>.jsonl.vectors, written by the command with the answers of the endpoint of `embeddings`, has the vectors of
 * its chunks: a line {"carrel_vectors":1,"model":"...","dimensions":768,"vectors":34}, then a record a chunk in their
 * order.  Each tells by a digest for which text it was made, so that what belongs to an older document is seen, and
 * used again where a text is still the same.  A file may end before its document does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define PASSAGES_DIR		".carrel/documents"
#define PASSAGES_ENDING		".jsonl"
#define PASSAGES_COLUMN		"column:"	/* source_file of a column's texts, before its name */
#define PASSAGES_ROW_MAX	1024		/* bytes of "row"; a longer key is not told */
#define PASSAGES_CHUNKS_MAX	1000000u	/* of all documents together */
#define PASSAGES_CHARACTERS	2000		/* of one chunk */
#define PASSAGES_LINE_MAX	(16u << 10)	/* bytes of a line */

#define PASSAGES_VECTORS	".vectors"	/* suffix of the file of a document's vectors */
#define PASSAGES_HEAD_MAX	4096		/* bytes of its first line */
#define PASSAGES_RECORD		12		/* bytes of a record before its dimensions */

/* A record: the digest (8 bytes), the scale (IEEE 754, 4 bytes), both least byte first, then a byte a dimension. */
struct passages_vector {
	uint64_t	 digest;	/* hash_of() the chunk's text */
	float		 scale;		/* 0 if absent for this text */
	const int8_t	*bytes;
};

/* The first line. */
struct passages_head {
	struct span	 model;
	size_t		 dimensions, vectors;	/* vectors: records that have one */
};

/* Append it, with its end.  It is as long for every number of vectors, so that it can be written again. */
void passages_put_head(struct buf *out, const struct passages_head *head);

/* False if invalid, of 1 to VECTOR8_DIMENSIONS_MAX dimensions.  The model lives in value, which the caller frees. */
bool passages_read_head(struct span line, struct buf *value, struct passages_head *head);

void passages_put_vector(struct buf *out, const struct passages_vector *v, size_t dimensions);

/* p has PASSAGES_RECORD + dimensions bytes, which bytes points into.  False: the scale is invalid. */
bool passages_read_vector(const uint8_t *p, struct passages_vector *out);
