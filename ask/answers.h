/*
 * answers - what the user says behind a question to questions that were asked back: "[Time period: 2025]",
 * "[High-value threshold: orders.total > 1000]", "[Revenue: gross revenue]", and "[proceed]".
 *
 * A time stands in the question as if it had been asked for.  A condition is what its word means.  Another answer
 * takes the place of the word that it is about, and chooses among the labels that a step asks about.
 */
#pragma once

#include "ask/plan.h"

/* The question without its answers, which p has from now on. */
struct span ask_take_answers(struct plan *p, struct span question);

/*
 * Take what each open question would assume, where the user said to proceed; *text is read again then.  False: the
 * user did not, or a question has nothing to assume.
 */
bool ask_assume(struct plan *p, struct span *text);

/* Note what was assumed so. */
void ask_note_assumed(struct plan *p);
