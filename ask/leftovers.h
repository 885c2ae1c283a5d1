/*
 * leftovers - the honesty rule: an item that no step has taken becomes a clarifying question or a refusal; none is
 * ignored.
 */
#pragma once

#include "ask/plan.h"

void leftovers_probes(struct plan *p);		/* possible values that no sample has */
bool leftovers_is_used(const struct plan *p, size_t i);	/* the item names rows that the reading uses */
void leftovers_settle(struct plan *p);

/* The question asks for a list that cannot be read: ask about an unknown word, or refuse. */
void leftovers_refuse_list(struct plan *p);
