/*
 * postings - an immutable piece of the index of chunks: per term the chunks that hold it, in little room.
 *
 * Chunks are numbered from 0 within a piece.  A term's postings ascend and are kept in blocks of POSTINGS_BLOCK: the
 * differences of the numbers in seven bits a byte, then a weight each.  A weight is BM25's term frequency, normalised
 * by the chunk's length against a constant, so that it stays when other chunks come and go; per block and per term the
 * largest is known, so that blocks which cannot bring a better answer are passed over.
 */
#ifndef PASSAGES_POSTINGS_H
#define PASSAGES_POSTINGS_H

#include <stdbool.h>

#include "base/array.h"

#define POSTINGS_BLOCK	128
#define POSTINGS_SCALE	(255.0f / 2.2f)	/* a weight of 1.0 is stored as this */

struct postings_block {
	uint32_t	last;	/* chunk */
	uint32_t	at;	/* in bytes */
	uint8_t		n;	/* postings, less 1 */
	uint8_t		most;	/* of the weights */
};

struct postings_term {
	uint32_t	term, block;	/* its first one; the next term's is the end */
	uint32_t	n;		/* postings */
	uint8_t		most;
};

struct postings {
	uint32_t		 nchunks;
	size_t			 nterms, terms_cap, nblocks, blocks_cap;
	struct postings_term	*terms;		/* ascending; one more, behind the last, ends it */
	struct postings_block	*blocks;
	struct array_u8		 bytes;
};

void postings_fini(struct postings *p);
size_t postings_bytes(const struct postings *p);

/* NULL: no chunk holds the term. */
const struct postings_term *postings_find(const struct postings *p, uint32_t term);

/* Block b's chunks; returns how many, *weights has as many. */
unsigned postings_unpack(const struct postings *p, uint32_t b, uint32_t first_of_term, uint32_t out[POSTINGS_BLOCK],
    const uint8_t **weights);

/* --- making one: terms ascending, in each the chunks ascending ------------------------------------------- */

struct postings_writer {
	struct postings	*to;
	uint32_t	 term, n, before;	/* before: the last chunk of the block in front */
	uint32_t	 chunks[POSTINGS_BLOCK];
	uint8_t		 weights[POSTINGS_BLOCK];
	unsigned	 held;
	uint8_t		 most;
};

void postings_term_begin(struct postings_writer *w, uint32_t term);
void postings_add(struct postings_writer *w, uint32_t chunk, uint8_t weight);
void postings_term_end(struct postings_writer *w);

/* Nothing more comes. */
void postings_close(struct postings *p);

/* --- making one of chunks as they come ------------------------------------------------------------------- */

struct postings_batch {
	uint32_t	 nchunks;
	size_t		 n, cap;
	struct postings_entry {
		uint32_t	term, chunk;
		uint8_t		weight;
	}		*entries;
	size_t		 scratch_cap;
	uint32_t	*scratch;		/* per term, 0 between uses */
	struct array_u32 touched;		/* terms of the chunk in work */
	uint32_t	 length;		/* its words */
};

/* One word of the chunk in work; its end: the chunk is counted. */
void postings_batch_word(struct postings_batch *b, uint32_t term);
void postings_batch_chunk(struct postings_batch *b);

/* What is in the batch as postings; the batch is empty then. */
void postings_batch_close(struct postings_batch *b, struct postings *out);
void postings_batch_fini(struct postings_batch *b);

#endif
