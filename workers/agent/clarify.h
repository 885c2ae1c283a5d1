/*
 * clarify - asking back.  Where the client can be asked, by a form, at most CLARIFY_ROUNDS times for one
 * question; the front signs what is kept between the rounds, binds it to the asker and to the question,
 * and lets it expire.  Elsewhere the questions are the answer.
 */
#ifndef AGENT_CLARIFY_H
#define AGENT_CLARIFY_H

#include "workers/agent/reading.h"

#define CLARIFY_ROUNDS	3u

struct clarify {
	unsigned	 round;		/* how often was asked already */
	bool		 declined;	/* the user does not want to say */
	struct span	 question;	/* with what was answered in all rounds */
};

/* What of earlier rounds comes with the call: *question gets the answers behind it, "[Time period: last month]". */
void clarify_resume(struct call *c, struct span *question, struct clarify *out);

/* Ask the client, when it can be asked and there is a round left.  True: the call has ended with that. */
bool clarify_ask(struct call *c, const struct clarify *round, const struct reading *r, const struct answer *a);

#endif
