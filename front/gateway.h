/*
 * gateway - the one chain of checks that every request passes, whatever it came by: HTTP of both eras, HTTP+SSE, and
 * the lines of local clients.  The steps and their order are one table in gateway.c.  The head of a request passes
 * before a byte of its body is parsed; what it calls then passes call_gate.h.
 *
 * A step may wait for carrel-auth; then the chain continues with the step after that one.
 */
#ifndef FRONT_GATEWAY_H
#define FRONT_GATEWAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "front/http/conn.h"
#include "front/who/credential.h"


/* A credential was not accepted. */
struct gate_refusal {
	enum err_code	 code;		/* ERR_AUTH_INVALID, …; also for the caller's status */
	const char	*message;
	bool		 presented;	/* there was a credential */
	unsigned	 retry_after;	/* seconds; 0: not said */
};

/* What is on its way through the chain: the head of a request, or a message. */
struct passage {
	struct front			*front;
	/* HTTP */
	struct conn			*conn;
	const struct http_request	*request;
	/* given by a local client, found in the head of a request; its secret's p NULL: none */
	struct credential		 credential;
	/* how to refuse; the refusal must not use the passage afterwards */
	enum gate			 (*refuse)(struct passage *p, const struct gate_refusal *r);
	/* found out on the way */
	struct verdict			 verdict;
	bool				 presented;	/* a credential was given, of whatever form */
};

/*
 * The head of an HTTP request, from its beginning, or, with known, from where it waited for that verdict.
 * Passed: *who is its principal, NULL where none is needed, and c->place is set.
 */
enum gate gateway_head(struct conn *c, const struct http_request *q, const struct verdict *known,
    struct principal **who);

/* The same for a message of a local client that presented a credential. */
enum gate gateway_message(struct passage *p, const struct verdict *known);

#endif
