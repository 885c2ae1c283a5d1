/*
 * clarify - clarifying questions.  A client that supports forms is asked by a form, at most CLARIFY_ROUNDS times for
 * one question; the front signs the state between the rounds, binds it to the asker and to the question, and lets it
 * expire.  Other clients get the questions as the answer.
 */
#pragma once

#include "workers/agent/reading_question.h"

#define CLARIFY_ROUNDS	3u

struct clarify {
	unsigned	 round;		/* number of rounds before this one */
	bool		 declined;	/* the user declined to answer */
	struct span	 question;	/* with the answers of all rounds */
};

/* Resume from earlier rounds: their answers are appended to *question, "[Time period: last month]". */
void clarify_resume(struct call *c, struct span *question, struct clarify *out);

/* Ask the client, if it supports forms and a round is left.  True: the call has ended with that. */
bool clarify_ask(struct call *c, const struct clarify *round, const struct reading *r, const struct answer *a);
