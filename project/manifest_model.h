/* manifest_model - what manifest.c finds out and manifest_merge.c writes down.  Private to the two. */
#ifndef PROJECT_MANIFEST_MODEL_H
#define PROJECT_MANIFEST_MODEL_H

#include "project/manifest.h"

/* One direction of a foreign key, as the table that lists it sees it. */
struct manifest_edge {
	const struct manifest_table	*owner;
	struct span			 to, on;
	bool				 forward;	/* many to one; otherwise the inverse */
	size_t				 serial;	/* order of discovery */
};

/* A span with p == NULL for db or catalog: any.  NULL: no such table. */
const struct manifest_table *manifest_find(const struct manifest *m, struct span name, struct span db,
    struct span catalog);

bool manifest_has_column(const struct manifest_table *t, struct span name);

/* The joins of t that its foreign keys and those pointing to it give, forward ones first. */
const struct manifest_edge *manifest_edges(const struct manifest *m, const struct manifest_table *t, size_t *n);

#endif
