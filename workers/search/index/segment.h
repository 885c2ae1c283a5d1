/*
 * segment - an immutable piece of the index: documents, and per word the
 * documents that hold it.
 *
 * A document is a number; what it stands for is its kind and its item, which
 * mean something to the builder of the segment.  Documents may have children
 * (a table's columns, a source's measures), which follow their parent at once
 * and are also found through the words of the parent's name.
 *
 * A posting's weight is BM25F's term frequency, already weighted by field and
 * normalised by the field's length against a constant of the field, so that
 * it never has to be computed again when other documents come and go.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/array.h"
#include "workers/search/index/vocab.h"

enum field {
	FIELD_NAME, FIELD_DISPLAY, FIELD_DESCRIPTION, FIELD_COMMENT, FIELD_EXPR, FIELD_SAMPLE, FIELD_BODY,
	FIELDS
};

/*
 * In the order in which equal scores are sorted.  KIND_FAMILY is not an answer: it is a document together with its
 * children as one text.
 */
enum kind { KIND_WIKI, KIND_SL_SOURCE, KIND_SL_MEASURE, KIND_SL_DIMENSION, KIND_TABLE, KIND_COLUMN, KINDS,
	KIND_FAMILY = KINDS };

#define KIND_BIT(k)	(1u << (k))
#define KINDS_ALL	((1u << KINDS) - 1)

#define SEGMENT_BLOCK	64	/* postings */
#define WEIGHT_SCALE	24.0f	/* a weight of 1.0 is stored as this */

struct segment {
	uint32_t	 ndocs, nlive;
	unsigned	 kinds;		/* KIND_BIT of what is in it */
	uint8_t		*kind;		/* per document */
	uint32_t	*parent;	/* itself when it has none */
	uint32_t	*item;
	uint8_t		*dead;		/* one bit a document; NULL: all alive */

	uint32_t	 nterms;
	uint32_t	*terms;		/* ascending */
	uint32_t	*starts;	/* nterms + 1, into the arrays below */
	uint8_t		*most;		/* per term, the largest of its weights */
	uint32_t	*docs;		/* ascending per term */
	uint8_t		*weights;	/* WEIGHT_SCALE */
	uint8_t		*masks;		/* bit per field the word is in */
	uint8_t		*block_most;	/* per SEGMENT_BLOCK postings, whosever they are, the largest weight */

	uint32_t	*doc_starts;	/* ndocs + 1, into doc_terms; NULL: not kept */
	uint32_t	*doc_terms;
};

static inline bool
segment_is_dead(const struct segment *s, uint32_t doc)
{
	return s->dead != NULL && (s->dead[doc / 8] >> doc % 8 & 1) != 0;
}

/* Postings of term: from..to in docs, weights, masks; *most is their largest weight.  False: none. */
bool segment_find(const struct segment *s, uint32_t term, uint32_t *from, uint32_t *to, uint8_t *most);

/* The KIND_FAMILY of parent; VOCAB_NONE: it has none. */
uint32_t segment_family(const struct segment *s, uint32_t parent);

/* The first of the ascending numbers (a segment's documents, or terms) from..to that is not below x; to: none. */
static inline uint32_t
segment_seek(const uint32_t *numbers, uint32_t from, uint32_t to, uint32_t x)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (numbers[mid] < x)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* The end of the children of parent, which follow it. */
static inline uint32_t
segment_children_end(const struct segment *s, uint32_t parent)
{
	uint32_t doc = parent + 1;

	while (doc < s->ndocs && s->parent[doc] == parent)
		doc++;
	return doc;
}

/* Take one document out; needs doc_terms. */
void segment_kill(struct segment *s, struct vocab *v, uint32_t doc);

/* Free the segment; its living documents are subtracted from the counts in v. */
void segment_free(struct segment *s, struct vocab *v);

size_t segment_bytes(const struct segment *s);

struct builder;
