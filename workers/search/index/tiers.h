/*
 * tiers - segments for documents that change one at a time.
 *
 * What is put together goes into a small segment; small neighbours are merged
 * into larger ones, so that there are few and a change costs little.  A unit
 * is one document with its children, numbered by its owner; the number is the
 * item of its first document.
 */
#pragma once

#include "workers/search/index/segment.h"

struct tier_place {
	struct segment	*segment;	/* NULL: the unit is not indexed */
	uint32_t	 doc;
};

struct tiers {
	struct vocab		*vocab;
	size_t			 n, cap;
	struct segment		**segments;	/* none is empty */
	size_t			 nplaces;
	struct tier_place	*places;	/* by unit */
	struct builder		*batch;		/* documents that were added since the last commit */
};

void tiers_init(struct tiers *t, struct vocab *v);
void tiers_fini(struct tiers *t);

/* Remove the unit from the index, if it is indexed. */
void tiers_remove(struct tiers *t, uint32_t unit);

/*
 * Replace unit: describe its document and children to the builder returned,
 * beginning with builder_doc(…, unit).  Not searchable before the commit.
 */
struct builder *tiers_put(struct tiers *t, uint32_t unit);

/* Make the additions and removals since the last commit visible to searches. */
void tiers_commit(struct tiers *t);

uint64_t tiers_documents(const struct tiers *t);
size_t tiers_bytes(const struct tiers *t);
