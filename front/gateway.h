/*
 * gateway - the one chain of checks that every request passes, whatever it came by: HTTP of both eras,
 * HTTP+SSE, and the lines of local clients.  The steps and their order are one table in gateway.c.
 *
 * A request passes the chain in up to two parts.  Its head does before a byte of its body is parsed (HTTP), or
 * each message does (local clients).  What it calls passes the rest.  A step may wait for carrel-auth; then the
 * chain continues with the step after that one.
 */
#ifndef FRONT_GATEWAY_H
#define FRONT_GATEWAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "front/http/conn.h"
#include "front/who/verify_credential.h"

struct call_request;
struct exchange;
struct mp_value;

/* A credential was not accepted. */
struct gate_refusal {
	enum err_code	 code;		/* ERR_AUTH_INVALID, …; also for the caller's status */
	const char	*message;
	bool		 presented;	/* there was a credential */
	unsigned	 retry_after;	/* seconds; 0: not said */
};

/* A call may not begin now. */
struct held {
	enum err_code	 code;		/* ERR_BUSY: the server's limit; ERR_RATE_LIMITED: the caller's own */
	const char	*message;
	unsigned	 retry_after;	/* seconds */
};

/* What the steps do with each kind of call.  A function that answers x frees x. */
struct call_kind {
	/* Size and format: find the called tool, as x->tool.  False: x was answered. */
	bool	(*find)(struct exchange *x, const struct mp_value *params);
	/* Scope: the caller lacks one.  Answers x. */
	void	(*deny)(struct exchange *x);
	/* Rate and concurrency: not now.  Answers x. */
	void	(*hold)(struct exchange *x, const struct held *held);
	/* Arguments: fill q's connection, args and sink, which borrow from params and x.  False: x was answered. */
	bool	(*arguments)(struct exchange *x, const struct mp_value *params, struct call_request *q);
	/* The sink's failed(). */
	void	(*failed)(void *x, const struct err *err, struct span details);
};

/* What is on its way through the chain: the head of a request, a message, or a call. */
struct passage {
	struct front			*front;
	/* HTTP */
	struct conn			*conn;
	const struct http_request	*request;
	/* the credential: given by a local client, found in the head of a request; p NULL: none */
	struct span			 secret;
	/* how to wait for carrel-auth, and how to refuse; the refusal must not use the passage afterwards */
	struct verify_wait		**wait;
	void				 (*told)(void *arg, const struct verdict *verdict);
	void				*arg;
	enum gate			 (*refuse)(struct passage *p, const struct gate_refusal *r);
	/* found out on the way */
	struct verdict			 verdict;
	bool				 presented;	/* a credential was given, of whatever form */
	bool				 counts;	/* it counts as wrong for the address if it is not valid */
	/* a call */
	struct exchange			*x;
	const struct mp_value		*params;
	struct call_request		*q;
};

/*
 * The head of an HTTP request, from its beginning, or, with known, from where it waited for that verdict.
 * Passed: *who is its principal, NULL where none is needed, and c->place is set.
 */
enum gate gateway_head(struct conn *c, const struct http_request *q, const struct verdict *known,
    struct principal **who);

/* The same for a message of a local client that presented a credential. */
enum gate gateway_message(struct passage *p, const struct verdict *known);

/* Check a call of this kind and begin it.  x is answered now or later. */
void gateway_call(struct exchange *x, const struct call_kind *kind, const struct mp_value *params);

/* Continue with the call that waited.  held NULL: the call may begin. */
void gateway_admitted(struct exchange *x, const struct held *held);

#endif
