/* shelf - segments that are searched together, and who knows what their documents stand for. */
#ifndef SEARCH_SHELF_H
#define SEARCH_SHELF_H

#include "base/buf.h"
#include "workers/search/index/segment.h"

/* Who knows what a segment's documents stand for.  The first member of what they belong to. */
struct shelf {
	const struct shelf_ops	*ops;
	const char		*connection;	/* NULL: of the whole project */
};

struct shelf_ops {
	/* Append the document's name (what it is called), and its id (what a ref shows). */
	void	(*name)(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out);
	void	(*id)(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out);
};

/* What is searched together. */
struct part {
	const struct segment	*segment;
	const struct shelf	*shelf;
};

#endif
