/*
 * listing - lists of values, without a figure: "which statuses are there", "the names of customers from Norway".
 *
 * The columns come first and belong to one source; conditions may follow.  A source alone is listed by the column that
 * names its rows.  Each value, or combination of values, is listed once.
 */
#pragma once

#include "ask/plan.h"

/* Whether the entry is a value that names a row, or a part of a person's name. */
bool listing_names_a_row(const struct plan *p, const struct ask_entry *e);

/* Whether the word asks which: "which", "what". */
bool listing_asks_which(const struct plan *p, size_t i);

/* The question asks for a list of values: read it; then its groups and its query. */
bool listing_read(struct plan *p);
void listing_groups(struct plan *p);
void listing_query(struct plan *p, struct ask_query *q);
