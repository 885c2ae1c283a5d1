/* readings_columns - private to the readings: columns as a question calls them, next to the rows that they are of. */
#pragma once

#include "ask/plan.h"

/* What was found out of the model while a question is read.  NULL: the arena is full. */
struct readings_names *readings_names_new(const struct plan *p);

/* The routes from the node; NULL: the arena is full. */
const struct ask_routes *readings_routes(const struct plan *p, uint32_t node);

/*
 * The column of the node that the items from i on name, the longest that fits; *n: how many items.  "first name" is
 * customer_first_name of customers, "id" their key, "name" what names them.  ASK_NONE: none, or several.
 */
uint32_t readings_column(const struct plan *p, uint32_t node, size_t i, size_t *n);
