/* manifest_model - what manifest.c finds out and manifest_merge.c writes down.  Private to the two. */
#pragma once

#include "project/scan/manifest.h"

/* A foreign key in one direction, from the table that lists it. */
struct manifest_edge {
	const struct manifest_table	*owner;
	struct span			 to, on;
	bool				 forward;	/* many to one; otherwise the inverse */
	bool				 inferred;	/* otherwise declared */
	size_t				 serial;	/* order of discovery */
};
