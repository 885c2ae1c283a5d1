/* shelf - segments that are searched together, and their owner, who knows what the documents are. */
#pragma once

#include "base/buf.h"
#include "workers/search/index/segment.h"

/* The owner of a segment's documents: must be the first member of the struct that the documents belong to. */
struct shelf {
	const struct shelf_ops	*ops;
	const char		*connection;	/* NULL: of the whole project */
};

struct shelf_ops {
	/* Append the document's name (what it is called), and its id (what a ref shows). */
	void	(*name)(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out);
	void	(*id)(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out);
};

/* The segments that are searched together. */
struct part {
	const struct segment	*segment;
	const struct shelf	*shelf;
};
