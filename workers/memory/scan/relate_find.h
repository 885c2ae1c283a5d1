/*
 * relate_find - finds candidates for relationships by name and type; see relate.h.
 *
 * Two sorted lists are searched: tables by their name (whole, and its last words), and possible target columns by their
 * own name.  Names are folded, last words in the singular.
 */
#pragma once

#include "workers/memory/scan/relate.h"

/* Finds candidates.  -1 with *err when the call is over; c may be NULL. */
int relate_find(struct relate *r, struct call *c, struct err *err);

/* Whether the database declares a join of the two tables. */
bool relate_is_linked(const struct relate *r, const struct relate_edge *e);

/* Whether the database declares that this column alone points to the target of an edge of one column. */
bool relate_is_pointing(const struct relate *r, uint32_t child, uint32_t column, const struct relate_edge *e);
