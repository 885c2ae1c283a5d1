/*
 * leftovers - the honesty rule: a word that no reading has consumed becomes a clarifying question or a refusal; none is
 * ignored.
 */
#pragma once

#include "ask/plan.h"

void leftovers_probes(struct plan *p);		/* possible values that no sample has */

/*
 * "austin", a capital, too: the data tell whether a row whose column or source the question names is called so; all:
 * not only "colorado river", where rivers are a source.
 */
void leftovers_probe_names(struct plan *p, bool all);
bool leftovers_is_used(const struct plan *p, size_t i);	/* the item names rows that the reading uses */

/* Words that the reading skipped: asked about or refused.  False: there are none. */
bool leftovers_settle(struct plan *p);

/* Nothing read the question: ask about an unknown word, or refuse by the first word that no reading came to. */
void leftovers_tell(struct plan *p);
