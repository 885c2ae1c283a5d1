/* items_settle - private to items.c: the state of reading items, and what they become next to each other. */
#pragma once

#include "ask/items.h"

/* State of the reading of items; values: the known ones, in words. */
struct itemizing {
	const struct ask_model	*m;
	const struct ask_context *c;
	const struct ask_known	*known;
	struct arena		*a;
	struct ask_items	*out;
	size_t			 nvalues;
	struct known_value {
		struct ask_entry	 entry;
		struct ask_token	*t;
		size_t			 n;
	}			*values;
};

/* All items are read: words that the model declares, names and periods in several items, values behind columns. */
void items_settle(const struct itemizing *z);
