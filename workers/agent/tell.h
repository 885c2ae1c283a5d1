/*
 * tell - an answer in words of a language model.  It is shown the rows, so it is asked only where model.data is rows,
 * and what it writes is shown only where vouch.h finds nothing in it that the rows do not say.
 */
#ifndef AGENT_TELL_H
#define AGENT_TELL_H

#include "workers/agent/answer.h"
#include "workers/agent/model.h"

/* Whether a model may be asked for the words of this answer. */
bool tell_may(const struct model_use *u, const struct answer *answer);

/*
 * Have the model write about the answer's rows.  0: *text, plain, in the call's arena.  1: it wrote nothing that may
 * be shown, why says why.  -1 with *err: the call must end.
 */
int tell_ask(struct model_use *u, const struct answer *answer, struct span question, struct span *text, char why[160],
    struct err *err);

#endif
