#include "base/system/clock.h"
#include "front/http/conn.h"
#include "front/mcp/admission.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/call_gate.h"
#include "front/mcp/exchange.h"
#include "front/mcp/mcp_handlers.h"

struct calling {
	struct exchange		*x;
	const struct mp_value	*params;
	struct call_request	*q;
};

/* No call begins while its audit entry could not be written, except of the owner's command line. */
static enum gate
call_enabled(struct calling *c)
{
	static const struct held stalled = {
		.code = ERR_SERVICE_UNAVAILABLE,
		.retry_after = 1,
		.message =
		    "Calls cannot be put on record at the moment, so none is begun; try again in a moment, and tell "
		    "the server's owner if it lasts.",
	};
	struct exchange *x = c->x;

	if (!audit_stalls(x->front) || x->who->kind == PRINCIPAL_CLI)
		return GATE_PASS;
	x->audit.note.action = AUDIT_ACTIONS; /* there is no entry to wait for */
	x->target.kind->hold(x, &stalled);
	return GATE_REFUSED;
}

static enum gate
call_format(struct calling *c)
{
	return c->x->target.kind->find(c->x, c->params) ? GATE_PASS : GATE_REFUSED;
}

static enum gate
call_scope(struct calling *c)
{
	struct exchange *x = c->x;
	struct tool_caller caller = exchange_caller(x);

	if (tool_is_allowed(x->target.tool, &caller))
		return GATE_PASS;
	x->target.kind->deny(x);
	return GATE_REFUSED;
}

/* Why this node may not write the project's files; NULL: it may.  queued: the store keeps it for the node that may. */
static const char *
lease_forbids(const struct front_lease *l, bool queued)
{
	if (l->until_ns == 0)
		return NULL;
	if (clock_boot_ns() >= l->until_ns)
		return "the state store is away, so that no node may write the project: try again when it is back";
	if (l->writes || queued)
		return NULL;
	return l->elsewhere[0] != '\0' ? l->elsewhere :
					 "no node writes this project at the moment: try again in a few seconds";
}

static enum gate
call_writer(struct calling *c)
{
	struct exchange *x = c->x;
	struct held held = { .code = ERR_BUSY, .retry_after = 2, .here_alone = true };

	const struct policy_tool *tool = x->target.tool->policy;

	if (tool == NULL || !policy_tool_writes_project(tool) ||
	    (held.message = lease_forbids(&x->front->lease,
		 policy_tool_goes_on(tool) || policy_tool_handed_over(tool))) == NULL)
		return GATE_PASS;
	x->target.kind->hold(x, &held);
	return GATE_REFUSED;
}

static enum gate
call_rate(struct calling *c)
{
	struct held held;
	enum gate gate = admission_ask(c->x, &held);

	if (gate == GATE_REFUSED)
		c->x->target.kind->hold(c->x, &held);
	return gate;
}

static enum gate
call_arguments(struct calling *c)
{
	c->q->tool = c->x->target.tool;
	return c->x->target.kind->arguments(c->x, c->params, c->q) ? GATE_PASS : GATE_REFUSED;
}

static enum gate
call_route(struct calling *c)
{
	mcp_start_call(c->x, c->params, c->q);
	return GATE_PASS;
}

/* The end of a credential ends its calls (ending.h); nothing is answered before it is on record (audit_requests.h). */
enum call_step { STEP_ENABLED, STEP_FORMAT, STEP_SCOPE, STEP_WRITER, STEP_RATE, STEP_ARGUMENTS, STEP_ROUTE, STEPS };

static enum gate (*const steps[STEPS])(struct calling *c) = {
	[STEP_ENABLED] = call_enabled, [STEP_FORMAT] = call_format, [STEP_SCOPE] = call_scope,
	[STEP_WRITER] = call_writer, [STEP_RATE] = call_rate, [STEP_ARGUMENTS] = call_arguments,
	[STEP_ROUTE] = call_route,
};

static enum gate
pass_call(struct exchange *x, const struct mp_value *params, enum call_step from)
{
	struct call_request q = { .tool = NULL };
	struct calling c = { .x = x, .params = params, .q = &q };
	enum gate gate = GATE_PASS;

	for (unsigned i = from; i < STEPS && gate == GATE_PASS; i++)
		gate = steps[i](&c);
	return gate;
}

void
call_gate_pass(struct exchange *x, const struct call_kind *kind, const struct mp_value *params)
{
	x->target.kind = kind;
	if (pass_call(x, params, STEP_ENABLED) != GATE_WAITS)
		return;
	/* Keep a copy: the message is freed before the call continues. */
	buf_reset(&x->target.params, SIZE_MAX);
	buf_span(&x->target.params, params->raw);
	x->fields = SPAN_NONE;
}

void
call_gate_admitted(struct exchange *x, const struct held *held)
{
	struct mp_value params;

	if (held != NULL) {
		x->target.kind->hold(x, held);
		return;
	}
	if (!mp_value(buf_view(&x->target.params), &params))
		params.class = MP_NIL;
	pass_call(x, &params, STEP_RATE + 1);
}
