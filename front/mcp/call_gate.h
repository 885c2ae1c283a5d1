/*
 * call_gate - the checks that every call passes, whatever it came by.  The steps and their order are one table in
 * call_gate.c.  A step may wait for carrel-auth; then the chain continues with the step after that one.  Who calls was
 * checked with the request (gateway.h).
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"

struct call_request;
struct team_call_way;
struct exchange;
struct mp_value;

/* A call may not begin now. */
struct held {
	enum err_code	 code;		/* ERR_BUSY: the server's limit; ERR_RATE_LIMITED: the caller's own */
	const char	*message;
	unsigned	 retry_after;	/* seconds */
	bool		 here_alone;	/* ERR_BUSY, but the message says which node can */
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
	/* The rest of arguments(), for a team's tool (team_call.h).  */
	bool	(*team)(struct exchange *x, const struct mp_value *args, const struct team_call_way *way,
	    struct call_request *q);
	/* The sink's failed(). */
	void	(*failed)(void *x, const struct err *err, struct span details);
};

/* Check a call of this kind and begin it.  x is answered now or later. */
void call_gate_pass(struct exchange *x, const struct call_kind *kind, const struct mp_value *params);

/* Continue with the call that waited.  held NULL: the call may begin. */
void call_gate_admitted(struct exchange *x, const struct held *held);
