/*
 * postings - an immutable piece of the index of chunks: for each term a compressed list of the chunks that contain it.
 *
 * Chunks are numbered from 0 within a piece.  A term's postings ascend, in blocks of POSTINGS_BLOCK: the gaps of the
 * numbers with seven bits a byte, then one weight each.  A weight is BM25's term frequency, normalised by the chunk's
 * length against a constant, so that it does not depend on other chunks.  The largest weight of each block and term is
 * stored, so that blocks which cannot bring a better answer are skipped.
 */
#pragma once

#include <stdbool.h>

#include "base/array.h"

#define POSTINGS_BLOCK	128
#define POSTINGS_SCALE	(255.0f / 2.2f)	/* the stored form of a weight of 1.0 */

struct postings_block {
	uint32_t	last;	/* number of its last chunk */
	uint32_t	at;	/* offset in bytes */
	uint8_t		n;	/* number of postings, less 1 */
	uint8_t		most;	/* largest weight */
};

struct postings_term {
	uint32_t	term, block;	/* block: its first one; the next term's block is the end */
	uint32_t	n;		/* postings */
	uint8_t		most;
};

struct postings {
	uint32_t		 nchunks;
	size_t			 nterms, terms_cap, nblocks, blocks_cap;
	struct postings_term	*terms;		/* ascending, with a sentinel at the end */
	struct postings_block	*blocks;
	struct array_u8		 bytes;
};

void postings_fini(struct postings *p);
size_t postings_bytes(const struct postings *p);

/* NULL: no chunk contains the term. */
const struct postings_term *postings_find(const struct postings *p, uint32_t term);

/* Unpack block b; returns its number of chunks, *weights has as many. */
unsigned postings_unpack(const struct postings *p, uint32_t b, uint32_t first_of_term, uint32_t out[POSTINGS_BLOCK],
    const uint8_t **weights);

struct postings_writer {
	struct postings	*to;
	uint32_t	 term, n, before;	/* before: the last chunk of the previous block */
	uint32_t	 chunks[POSTINGS_BLOCK];
	uint8_t		 weights[POSTINGS_BLOCK];
	unsigned	 held;
	uint8_t		 most;
};

void postings_term_begin(struct postings_writer *w, uint32_t term);
void postings_add(struct postings_writer *w, uint32_t chunk, uint8_t weight);
void postings_term_end(struct postings_writer *w);

/* End the piece. */
void postings_close(struct postings *p);

struct postings_batch {
	uint32_t	 nchunks;
	size_t		 n, cap;
	struct postings_entry {
		uint32_t	term, chunk;
		uint8_t		weight;
	}		*entries;
	size_t		 scratch_cap;
	uint32_t	*scratch;		/* per term; 0 between uses */
	struct array_u32 touched;		/* terms of the current chunk */
	uint32_t	 length;		/* number of its words */
};

/* Add a word of the current chunk; postings_batch_chunk() ends the chunk. */
void postings_batch_word(struct postings_batch *b, uint32_t term);
void postings_batch_chunk(struct postings_batch *b);

/* Move the batch into postings, and empty it. */
void postings_batch_close(struct postings_batch *b, struct postings *out);
void postings_batch_fini(struct postings_batch *b);
