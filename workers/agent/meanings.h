/*
 * meanings - asks a language model what the words of a question mean that nothing knows.  It chooses among the names of
 * the catalogue; the rules read the question with its choice, and every other word as ever.
 */
#pragma once

#include "ask/ask.h"
#include "ask/ask_model.h"
#include "workers/agent/model/model_endpoint.h"

/* What the model is asked about. */
struct meanings_question {
	const struct ask_model	*m;
	struct span		 text;		/* the question */
	size_t			 nunknown;
	const struct span	*unknown;	/* the words of it that nothing knows */
};

/*
 * 0: *n of *out in the call's arena, one or more.  1: the model gives no word a meaning, for the reason in why.  -1
 * with *err: the call must end.
 */
int meanings_ask(struct model_use *u, const struct meanings_question *q, struct ask_meaning **out, size_t *n,
    char why[160], struct err *err);
