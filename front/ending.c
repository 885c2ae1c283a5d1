#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "front/who/auth_ask.h"
#include "front/ending.h"
#include "front/who/credential.h"
#include "front/mcp/legacy/hub.h"
#include "front/mcp/call_gate.h"
#include "front/mcp/exchange.h"
#include "front/mcp/tasks.h"
#include "front/who/verify_credential.h"

/* Calls are cancelled; sessions end when the answers to these have gone out on their streams. */
struct ending {
	LIST_ENTRY(ending)	 of_front;
	char			 principal[sizeof(((struct principal *)0)->id)];
	/* only what this grant opened ends; empty: everything */
	char			 grant[sizeof(((struct user_grant *)0)->id)];
	bool			 calls;		/* calls alone end */
	uint64_t		 id;		/* of END */
	struct ipc_ended	 cut;
};

/* The first principal with this id from p on.  A user is several: one for each client and resource. */
static struct principal *
principal_named(struct principal *p, struct span id)
{
	while (p != NULL && !span_is_str(id, p->id))
		p = LIST_NEXT(p, next);
	return p;
}

/* The first principal from p on of whom something ends. */
static struct principal *
ending_next(const struct ending *e, struct principal *p)
{
	while ((p = principal_named(p, span_str(e->principal))) != NULL && e->grant[0] != '\0' &&
	    !principal_has_grant(p, span_str(e->grant)))
		p = LIST_NEXT(p, next);
	return p;
}

static bool
is_ending(const struct ending *e, const struct exchange *x)
{
	return strcmp(x->who->id, e->principal) == 0 && (e->grant[0] == '\0' || strcmp(x->under, e->grant) == 0) &&
	    (!e->calls || x->target.kind != NULL);
}

/* The principal's first call that is not answered yet; NULL: none. */
static struct exchange *
exchange_of(const struct front *f, const struct ending *e)
{
	struct exchange *x;

	LIST_FOREACH(x, &f->running, running)
		if (is_ending(e, x) && x->stage != EXCHANGE_SERVING && x->stage != EXCHANGE_RECORDING)
			return x;
	return NULL;
}

/* x is a stream of changes, or its call has not begun: answer with a JSON-RPC error. */
static void
end_waiting(struct exchange *x, const struct err *reason)
{
	struct buf data = { .max = 0 };

	x->waiting.forget(x);
	exchange_end_wait(x);
	audit_code(x, reason->code);
	json_put_object(&data, NULL);
	json_put_cstr(&data, "code", err_name(reason->code));
	json_end_object(&data);
	mcp_error(x, reason->code == ERR_SERVICE_UNAVAILABLE ? 503 : 401,
	    mcp_is_modern(x) ? RPC_FORBIDDEN_MODERN : RPC_FORBIDDEN_LEGACY, reason->message, buf_view(&data));
	buf_fini(&data);
}

static void
end_exchange(struct exchange *x, const struct err *reason, struct ipc_ended *cut)
{
	if (x->stage == EXCHANGE_WAITING) {
		cut->streams += x->target.kind == NULL;
		end_waiting(x, reason);
		return;
	}
	exchange_cancel_call(x);
	x->front->figures.cancelled++;
	cut->calls++;
	x->target.kind->failed(x, reason, SPAN_NONE);
}

static unsigned
streams_of(const struct front *f, const struct principal *who)
{
	const struct hub *h;
	unsigned n = 0;

	LIST_FOREACH(h, &f->hubs.all, of_front)
		if (h->who == who)
			n += h->nstanding + (h->sse != NULL);
	return n;
}

/* Whether an answer of the principal still waits for its audit entry. */
static bool
owes_answer(const struct front *f, const struct ending *e)
{
	const struct exchange *x;

	LIST_FOREACH(x, &f->running, running)
		if (is_ending(e, x) && x->stage == EXCHANGE_RECORDING)
			return true;
	return false;
}

static void
end_calls(struct front *f, struct ending *e, enum ipc_verdict verdict)
{
	struct principal *p = LIST_FIRST(&f->principals);
	struct exchange *x;
	struct err reason;

	err_set(&reason, credential_code(verdict), "%s",
	    verdict == IPC_VERDICT_UNKNOWN ?
		"Whether this credential is still valid cannot be found out at the moment; try again." :
		"This credential is not valid any more; ask for another one.");
	/* Search from the start each time: an answer may end others on the same connection. */
	while ((x = exchange_of(f, e)) != NULL)
		end_exchange(x, &reason, &e->cut);
	for (; (p = ending_next(e, p)) != NULL; p = LIST_NEXT(p, next))
		e->cut.calls += tasks_end(f, p);
}

/* A user's sessions do not tell their grant: all of the same client end, and the client opens them again. */
static void
end_sessions(struct front *f, struct principal *who, struct ipc_ended *cut)
{
	uint8_t session[SESSION_BODY];

	cut->streams += streams_of(f, who);
	while (session_of(f->sessions, principal_binding(who), session)) {
		hub_session_ended(f, session);
		audit_session_ended(f, span_str(who->id));
		cut->sessions++;
	}
}

/* What is known of the principal is other than before: its calls end, its sessions and streams stay. */
static void
cut_calls(struct front *f, const struct ipc_end *m, struct ipc_ended *cut)
{
	struct ending e = { .calls = true };
	struct exchange *x;
	struct err reason;

	snprintf(e.principal, sizeof(e.principal), "%.*s", SPAN_FMT(m->principal));
	snprintf(e.grant, sizeof(e.grant), "%.*s", SPAN_FMT(m->grant));
	err_set(&reason, ERR_SERVICE_UNAVAILABLE,
	    "What is known of this caller, or what it may, has changed while the call was under way; call again.");
	while ((x = exchange_of(f, &e)) != NULL)
		end_exchange(x, &reason, &e.cut);
	for (struct principal *p = LIST_FIRST(&f->principals); (p = ending_next(&e, p)) != NULL; p = LIST_NEXT(p, next))
		e.cut.calls += tasks_end(f, p);
	*cut = e.cut;
}

static void
end_finish(struct front *f, struct ending *e)
{
	struct principal *p = LIST_FIRST(&f->principals);

	for (; (p = ending_next(e, p)) != NULL; p = LIST_NEXT(p, next)) {
		verify_drop(f, p); /* it remembers grants */
		principal_forget_grant(p, span_str(e->grant));
		end_sessions(f, p, &e->cut);
	}
	if (e->id != 0)
		auth_say(f, IPC_MSG_ENDED, e->id, &e->cut);
}

#define DATASET	"dataset:"	/* as carrel-auth names what is not published any more */

/* Whether text has the id, with dashes or with underscores in their place. */
static bool
has_id(struct span text, struct span id)
{
	for (size_t at = 0; at + id.len <= text.len; at++) {
		size_t i = 0;

		while (i < id.len &&
		    (ascii_lower(text.p[at + i]) == id.p[i] || (id.p[i] == '-' && text.p[at + i] == '_')))
			i++;
		if (i == id.len)
			return true;
	}
	return false;
}

/* A call under way whose statement or arguments name that dataset; NULL: none. */
static struct exchange *
exchange_reading(const struct front *f, struct span id)
{
	struct span tool, args;
	struct exchange *x;

	LIST_FOREACH(x, &f->running, running) {
		if (x->stage != EXCHANGE_CALLING || x->target.tool == NULL ||
		    x->target.tool->policy->toolset != POLICY_TOOLSET_DATASETS)
			continue;
		router_identify(x->calling.call, &tool, &args);
		if (has_id(args, id))
			return x;
	}
	return NULL;
}

static void
end_readers(struct front *f, struct span id, struct ipc_ended *cut)
{
	struct exchange *x;
	struct err reason;

	err_set(&reason, ERR_DATASET_NOT_FOUND, "The dataset %.*s is not published any more.", SPAN_FMT(id));
	while ((x = exchange_reading(f, id)) != NULL)
		end_exchange(x, &reason, cut);
}

void
endings_turn(struct front *f)
{
	struct ending *e, *next;

	for (e = LIST_FIRST(&f->endings); e != NULL; e = next) {
		next = LIST_NEXT(e, of_front);
		if (owes_answer(f, e))
			continue;
		LIST_REMOVE(e, of_front);
		end_finish(f, e);
		free(e);
	}
}

void
endings_free(struct front *f)
{
	struct ending *e;

	while ((e = LIST_FIRST(&f->endings)) != NULL) {
		LIST_REMOVE(e, of_front);
		free(e);
	}
}

void
ending_take(struct front *f, uint64_t id, const struct ipc_end *m)
{
	struct principal *p = LIST_FIRST(&f->principals);
	bool known = false;
	struct ending *e;

	if (span_begins(m->principal, DATASET)) {
		struct ipc_ended cut = { .calls = 0 };
		const size_t n = strlen(DATASET);

		end_readers(f, span_of(m->principal.p + n, m->principal.len - n), &cut);
		auth_say(f, IPC_MSG_ENDED, id, &cut);
		return;
	}
	for (; (p = principal_named(p, m->principal)) != NULL; p = LIST_NEXT(p, next)) {
		verify_drop(f, p);
		if (m->grant.len == 0)
			p->scopes = p->kind == PRINCIPAL_USER ? p->scopes & (uint32_t)m->scopes : (uint32_t)m->scopes;
		known = true;
	}
	if (!known || m->scopes != 0) {
		struct ipc_ended cut = { .calls = 0 };

		if (known && m->calls != 0)
			cut_calls(f, m, &cut);
		auth_say(f, IPC_MSG_ENDED, id, &cut);
		return;
	}
	e = mem_new(1, sizeof(*e));
	snprintf(e->principal, sizeof(e->principal), "%.*s", SPAN_FMT(m->principal));
	snprintf(e->grant, sizeof(e->grant), "%.*s", SPAN_FMT(m->grant));
	e->id = id;
	LIST_INSERT_HEAD(&f->endings, e, of_front);
	end_calls(f, e, (enum ipc_verdict)m->verdict);
}
