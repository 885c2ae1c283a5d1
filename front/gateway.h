/*
 * gateway - the one chain of checks that every request passes, whatever it came by: HTTP of both eras, HTTP+SSE, and
 * the lines of local clients.  The steps and their order are one table in gateway.c.  The head of a request passes
 * before a byte of its body is parsed; what it calls then passes call_gate.h.
 *
 * A step may wait for carrel-auth; then the chain continues with the step after that one.
 *
 * The two halves
 *
 * A request is checked twice, because two things are to be decided at different times: who asks, which the head says,
 * and what is asked, which only the body says.
 *
 *	head		ENABLED, FORMAT, ORIGIN, CREDENTIAL, STANDS, MEDIA: gateway.c, with the steps in site.c and
 *			site_credential.c
 *	each call	ENABLED, FORMAT, SCOPE, RATE, ARGUMENTS, ROUTE: front/mcp/call_gate.c
 *
 * The cheap steps that need no state come first, so a body that is too long or a page of another origin is refused
 * before its credential is looked at.  CREDENTIAL finds out and never refuses: its result is a verdict, and STANDS
 * turns the verdict into a refusal or lets it pass.  So there is one place that says 401, counts a wrong guess and
 * delays an address, whether the verdict was known at once or came later.  The second half begins for each message of
 * a batch with the principal that the head had; SCOPE is asked before RATE, so a refused call uses up nothing of a
 * caller's rate, and RATE before ARGUMENTS, so that a caller cannot have schemas checked without a limit.
 *
 * GATE_WAITS: a credential that is not remembered (verify_credential.h) or a rate that is counted over all fronts
 * (admission.h) has to be asked of carrel-auth.  The step stores where its answer goes and the chain returns; the
 * request stays with its owner, the connection (CONN_ADMITTING) or the exchange (EXCHANGE_WAITING).  The answer
 * enters the chain again behind the step that asked: gateway_message() with known, call_gate_admitted().  Nothing
 * that the chain found out on its stack survives; the head is kept with the connection and a call's arguments are
 * copied.  A wait ends by an answer, its deadline (5 s: service_unavailable), or the client's leaving, which
 * withdraws the question.
 *
 * A credential that ends while its call runs is not a matter of the gateway: ending.h cancels what passed it.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
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
