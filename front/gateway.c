/* gateway.c - see gateway.h. */
#include "front/mcp/admission.h"
#include "front/mcp/audit_requests.h"
#include "front/http/conn.h"
#include "front/http/conn_read.h"
#include "front/who/credential.h"
#include "front/gateway.h"
#include "front/mcp/mcp.h"
#include "front/mcp/mcp_handlers.h"
#include "front/site.h"

typedef enum gate gate_step(struct passage *p);

/* --- the steps of a call ------------------------------------------------------------------------ */

/* No call begins while its audit entry could not be written, except of the owner's command line. */
static enum gate
call_enabled(struct passage *p)
{
	static const struct held stalled = {
		.code = ERR_SERVICE_UNAVAILABLE,
		.retry_after = 1,
		.message =
		    "Calls cannot be put on record at the moment, so none is begun; try again in a moment, and tell "
		    "the server's owner if it lasts.",
	};
	struct exchange *x = p->x;

	if (!audit_stalls(x->front) || x->who->kind == PRINCIPAL_CLI)
		return GATE_PASS;
	x->audit.note.action = AUDIT_ACTIONS; /* there is no entry to wait for */
	x->target.kind->hold(x, &stalled);
	return GATE_REFUSED;
}

static enum gate
call_format(struct passage *p)
{
	return p->x->target.kind->find(p->x, p->params) ? GATE_PASS : GATE_REFUSED;
}

static enum gate
call_scope(struct passage *p)
{
	struct exchange *x = p->x;

	if (policy_tool_allowed(x->target.tool->policy, x->scopes))
		return GATE_PASS;
	x->target.kind->deny(x);
	return GATE_REFUSED;
}

static enum gate
call_rate(struct passage *p)
{
	struct held held;
	enum gate gate = admission_ask(p->x, &held);

	if (gate == GATE_REFUSED)
		p->x->target.kind->hold(p->x, &held);
	return gate;
}

static enum gate
call_arguments(struct passage *p)
{
	p->q->tool = p->x->target.tool;
	return p->x->target.kind->arguments(p->x, p->params, p->q) ? GATE_PASS : GATE_REFUSED;
}

static enum gate
call_route(struct passage *p)
{
	mcp_start_call(p->x, p->params, p->q);
	return GATE_PASS;
}

/* --- the chain ---------------------------------------------------------------------------------- */

/*
 * The steps, in order.  NULL: nothing is to be checked there.  A local client's place is its socket: whose it
 * is was checked when it connected, and the length of its lines as they are read.  A call was let in by its
 * request; the end of a credential ends the calls, too (ending.h).
 */
static const struct gate_row {
	const char	*name;
	gate_step	*head;		/* of an HTTP request */
	gate_step	*message;	/* of a local client */
	gate_step	*call;
} steps[] = {
	{ "enabled",		  site_enabled,	     NULL,		 call_enabled },
	{ "size and format",	  site_format,	     NULL,		 call_format },
	{ "host and origin",	  site_origin,	     NULL,		 NULL },
	{ "credential",		  credential_head,   credential_message, NULL },
	{ "revoked, expired",	  credential_stands, credential_stands,	 NULL },
	{ "scope",		  NULL,		     NULL,		 call_scope },
	{ "rate and concurrency", NULL,		     NULL,		 call_rate },
	{ "arguments",		  site_media,	     NULL,		 call_arguments },
	{ "route",		  NULL,		     NULL,		 call_route },
	/* When the answer is known, of whatever kind: audit_requests.h.  Nothing goes out before it is on record. */
	{ "audit",		  NULL,		     NULL,		 NULL },
};

#define STEPS		(sizeof(steps) / sizeof(steps[0]))
#define AFTER_VERDICT	4u	/* the step that judges what carrel-auth says */
#define AFTER_RATE	7u	/* the step after carrel-auth has let a call begin */

static enum gate
pass_from(struct passage *p, size_t from)
{
	enum gate gate = GATE_PASS;

	for (size_t i = from; i < STEPS && gate == GATE_PASS; i++) {
		gate_step *check = p->x != NULL ? steps[i].call : p->conn != NULL ? steps[i].head : steps[i].message;

		if (check != NULL)
			gate = check(p);
	}
	return gate;
}

enum gate
gateway_message(struct passage *p, const struct verdict *known)
{
	if (known == NULL)
		return pass_from(p, 0);
	p->verdict = *known;
	p->presented = p->counts = true;
	return pass_from(p, AFTER_VERDICT);
}

enum gate
gateway_head(struct conn *c, const struct http_request *q, const struct verdict *known, struct principal **who)
{
	struct passage p = {
		.front = c->front, .conn = c, .request = q, .wait = &c->waiting, .told = conn_told, .arg = c,
		.refuse = credential_refuse_http,
	};
	enum gate gate = gateway_message(&p, known);

	*who = p.verdict.who;
	return gate;
}

static enum gate
pass_call(struct exchange *x, const struct mp_value *params, size_t from)
{
	struct call_request q = { .tool = NULL };

	return pass_from(&(struct passage){ .front = x->front, .x = x, .params = params, .q = &q }, from);
}

void
gateway_call(struct exchange *x, const struct call_kind *kind, const struct mp_value *params)
{
	x->target.kind = kind;
	if (pass_call(x, params, 0) != GATE_WAITS)
		return;
	/* Keep a copy: the message is freed before the call continues. */
	buf_reset(&x->target.params, SIZE_MAX);
	buf_span(&x->target.params, params->raw);
	x->fields = SPAN_NONE;
}

void
gateway_admitted(struct exchange *x, const struct held *held)
{
	struct mp_value params;

	if (held != NULL) {
		x->target.kind->hold(x, held);
		return;
	}
	if (!mp_value(buf_view(&x->target.params), &params))
		params.class = MP_NIL;
	pass_call(x, &params, AFTER_RATE);
}
