/*
 * tell - lets a language model write the answer's text.  The model sees the rows, so it is only asked if model.data is
 * rows; its text is only shown if vouch.h finds nothing in it that the rows do not contain.
 */
#pragma once

#include "workers/agent/answer/answer.h"
#include "workers/agent/model/model_endpoint.h"

/* Whether the model may write the text of this answer. */
bool tell_may(const struct model_use *u, const struct answer *answer);

/*
 * Let the model write about the answer's rows.  0: *text, plain, in the call's arena.  1: no text that may be shown,
 * for the reason in why.  -1 with *err: the call must end.
 */
int tell_ask(struct model_use *u, const struct answer *answer, struct span question, struct span *text, char why[160],
    struct err *err);
