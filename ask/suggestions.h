/*
 * suggestions - what a question back suggests is read before it is shown: it stays if choosing it leads to an answer,
 * at once or after one more question back.
 */
#pragma once

#include "ask/plan.h"

/* Reads a question once, without proving its suggestions.  -1: a is full. */
typedef int suggestions_reader(const struct plan *p, struct span question, struct arena *a, struct ask_reading *out);

/*
 * Drop from p->out, a question back, the suggestions that lead to no answer.  If none leads to one, the reading becomes
 * what the first of them meets: what is in the way is said at once.  It may become ASK_PROBE.
 */
void suggestions_prove(const struct plan *p, struct span question, suggestions_reader *read);
