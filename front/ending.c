/* ending.c - see ending.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "front/auth_link.h"
#include "front/ending.h"
#include "front/gateway.h"
#include "front/hub.h"
#include "front/mcp.h"
#include "front/tasks.h"
#include "front/verify.h"

/* Calls are cancelled; sessions end when the answers to these have gone out on their streams. */
struct ending {
	LIST_ENTRY(ending)	 of_front;
	struct principal	*who;
	uint64_t		 id;		/* of END */
	struct ipc_ended	 cut;
};

static struct principal *
principal_named(const struct front *f, struct span id)
{
	struct principal *p;

	LIST_FOREACH(p, &f->principals, next)
		if (span_is_str(id, p->id))
			return p;
	return NULL;
}

/* What is under way for who, and is answered by nobody yet; NULL: nothing. */
static struct exchange *
exchange_of(const struct front *f, const struct principal *who)
{
	struct exchange *x;

	LIST_FOREACH(x, &f->running, running)
		if (x->who == who && x->stage != EXCHANGE_SERVING && x->stage != EXCHANGE_RECORDING)
			return x;
	return NULL;
}

/* A stream of changes, or a call that has not begun: whoever waits is told by an error of the protocol. */
static void
end_waiting(struct exchange *x, const struct err *reason)
{
	struct buf data = { .max = 0 };

	x->waiting.forget(x);
	exchange_end_wait(x);
	audit_code(x, reason->code);
	buf_printf(&data, "{\"code\":\"%s\"}", err_name(reason->code));
	mcp_error(x, 401, mcp_is_modern(x) ? RPC_FORBIDDEN_MODERN : RPC_FORBIDDEN_LEGACY, reason->message,
	    buf_view(&data));
	buf_fini(&data);
}

static void
end_exchange(struct exchange *x, const struct err *reason, struct ipc_ended *cut)
{
	if (x->stage == EXCHANGE_WAITING) {
		cut->streams += x->kind == NULL;
		end_waiting(x, reason);
		return;
	}
	exchange_cancel_call(x);
	x->front->figures.cancelled++;
	cut->calls++;
	x->kind->failed(x, reason, (struct span){ NULL, 0 });
}

static unsigned
streams_of(const struct front *f, const struct principal *who)
{
	const struct hub *h;
	unsigned n = 0;

	LIST_FOREACH(h, &f->hubs, of_front)
		if (h->who == who)
			n += h->nstanding + (h->sse != NULL);
	return n;
}

/* Whether an answer to who is known and not given yet: it waits until it is on record. */
static bool
owes_answer(const struct front *f, const struct principal *who)
{
	const struct exchange *x;

	LIST_FOREACH(x, &f->running, running)
		if (x->who == who && x->stage == EXCHANGE_RECORDING)
			return true;
	return false;
}

static void
end_calls(struct front *f, struct principal *who, enum ipc_verdict verdict, struct ipc_ended *cut)
{
	struct exchange *x;
	struct err reason;

	err_set(&reason, gateway_code(verdict), "This credential is not valid any more; ask for another one.");
	/* Search from the start each time: an answer may end others on the same connection. */
	while ((x = exchange_of(f, who)) != NULL)
		end_exchange(x, &reason, cut);
	cut->calls += tasks_end(f, who);
}

static void
end_sessions(struct front *f, struct principal *who, struct ipc_ended *cut)
{
	uint8_t session[SESSION_BODY];

	cut->streams += streams_of(f, who);
	while (session_of(f->sessions, span_str(who->id), session)) {
		hub_session_ended(f, session);
		audit_session_ended(f, span_str(who->id));
		cut->sessions++;
	}
}

void
endings_turn(struct front *f)
{
	struct ending *e, *next;

	for (e = LIST_FIRST(&f->endings); e != NULL; e = next) {
		next = LIST_NEXT(e, of_front);
		if (owes_answer(f, e->who))
			continue;
		LIST_REMOVE(e, of_front);
		end_sessions(f, e->who, &e->cut);
		auth_say(f, IPC_MSG_ENDED, e->id, &e->cut);
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
	struct principal *who = principal_named(f, m->principal);
	struct ending *e;

	if (who != NULL) {
		verify_drop(f, who);
		who->scopes = (uint32_t)m->scopes;
	}
	if (who == NULL || m->scopes != 0) {
		auth_say(f, IPC_MSG_ENDED, id, &(struct ipc_ended){ .calls = 0 });
		return;
	}
	e = mem_new(1, sizeof(*e));
	e->who = who;
	e->id = id;
	LIST_INSERT_HEAD(&f->endings, e, of_front);
	end_calls(f, who, (enum ipc_verdict)m->verdict, &e->cut);
}
