/* counts - counts: of the rows of an entity, or of an entity by its events. */
#pragma once

#include "ask/measures.h"

uint32_t counts_choose_source(struct plan *p, size_t item);	/* ASK_NONE: none, or the user is asked */
struct span counts_label(struct plan *p, uint32_t source);	/* "number of orders", in the question's language */
/* The measure of the source that counts its rows; ASK_NONE: it has none. */
uint32_t counts_own_measure(struct plan *p, uint32_t source);
/* Whether rows have a quantity: how many of something are in them may then mean pieces. */
bool counts_has_quantity(const struct plan *p, uint32_t source);
void counts_rows(struct plan *p, uint32_t source);		/* by the source's own count, else by its key */

/* Count the entity of the item.  counting, distinct: the items of "how many" and "different", or PLAN_NO_ITEM. */
void counts_entity(struct plan *p, size_t item, size_t counting, size_t distinct);


