/* around - private to the readings: which rows lead to which, over declared keys, and which the question names. */
#pragma once

#include "ask/plan.h"

#define AROUND_HOPS_MAX	3u	/* from related rows to the row that they lead to */

/* The routes from the node; NULL: the arena is full. */
const struct ask_routes *around_routes(const struct plan *p, uint32_t node);

/* Whether item i names the rows of the source; whether any item does. */
bool around_names(const struct plan *p, size_t i, uint32_t source);
bool around_is_named(const struct plan *p, uint32_t source);

/* Whether one way alone, of at most `most` joins, leads from the rows of the source to a row of the node. */
bool around_leads_to(const struct plan *p, uint32_t source, uint32_t node, unsigned most);

/* The node of the source to which rows of `from` lead; ASK_NONE: none, or several. */
uint32_t around_parent(const struct plan *p, uint32_t from, uint32_t source);

/*
 * Whether the item is a verb that the model declares for a join, "artists who sang songs", and nothing else: it says no
 * more than the join, which the reading has to use (score.c).
 */
bool around_is_verb(const struct plan *p, size_t i);

/*
 * "customers who reported a claim": whether the item says no more than that there is a row of the event, by its own
 * date.
 */
bool around_dates_rows(const struct plan *p, size_t i);

/* Whether the shortest way from the node to the other one is over the edge from `at` to `to`. */
bool around_goes_over(const struct plan *p, uint32_t node, uint32_t other, uint32_t at, uint32_t to);

/* Whether rows of `from` lead to the source in any way. */
bool around_reaches(const struct plan *p, uint32_t from, uint32_t source);

/*
 * The source whose rows each lead to a row of the source and to one of the node: order_items, between products and
 * orders.  ASK_NONE: none, or several.
 */
uint32_t around_bridge(const struct plan *p, uint32_t source, uint32_t node);

/* Whether a source that holds nothing but keys links rows of the source and of the node. */
bool around_is_linked_only(const struct plan *p, uint32_t source, uint32_t node);

/* Whether the link between the source and the node has at most one row for each pair. */
bool around_links_once(const struct plan *p, uint32_t link, uint32_t source, uint32_t node);

/* Whether rows of the source lead to the node in any way, or further rows lead to both. */
bool around_is_linked(const struct plan *p, uint32_t source, uint32_t node);
