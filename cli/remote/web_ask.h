/*
 * web_ask - one request over https, of the command line to a server that its user named: certificates are verified with
 * the system's authorities, no redirect is followed; http is accepted to this machine alone.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"

#define WEB_ASK_MAX	((size_t)256 << 10)	/* bytes of an answer; a longer one is refused */

struct web_answer {
	unsigned	status;
	struct mp_value	body;		/* a map; MP_NIL: it is no JSON object */
	struct buf	storage;	/* of body */
};

/*
 * GET url, or, with a body, POST it as type.  -1 with *err: there was no answer.  answer is to be ended whatever is
 * returned.
 */
int web_ask(const char *url, const char *type, struct span body, struct web_answer *answer, struct err *err);
void web_answer_fini(struct web_answer *answer);
