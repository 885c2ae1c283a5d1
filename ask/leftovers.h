/*
 * leftovers - the honesty rule: a word that no reading has consumed becomes a clarifying question or a refusal; none is
 * ignored.
 */
#pragma once

#include "ask/plan.h"

void leftovers_probes(struct plan *p);		/* possible values that no sample has */

/* "austin", known as the capital of a state: the data tell whether a city whose column is meant is called so, too. */
void leftovers_probe_names(struct plan *p);
bool leftovers_is_used(const struct plan *p, size_t i);	/* the item names rows that the reading uses */

/* Words that the reading skipped: asked about or refused.  False: there are none. */
bool leftovers_settle(struct plan *p);

/* Nothing read the question: ask about an unknown word, or refuse by the first word that no reading came to. */
void leftovers_tell(struct plan *p);
