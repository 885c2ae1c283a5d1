/* ending.c - see ending.h. */
#include <string.h>

#include "base/clock.h"
#include "front/auth_link.h"
#include "front/ending.h"
#include "front/gateway.h"
#include "front/hub.h"
#include "front/mcp.h"
#include "front/tasks.h"
#include "front/verify.h"

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
end_exchange(struct exchange *x, const struct err *reason, struct ipc_ended *ended)
{
	if (x->stage == EXCHANGE_WAITING) {
		ended->streams += x->kind == NULL;
		end_waiting(x, reason);
		return;
	}
	exchange_cancel_call(x);
	x->front->figures.cancelled++;
	ended->calls++;
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

static void
end_all(struct front *f, struct principal *who, enum ipc_verdict verdict, struct ipc_ended *ended)
{
	uint8_t session[SESSION_BODY];
	struct exchange *x;
	struct err reason;

	err_set(&reason, gateway_code(verdict), "This credential is not valid any more; ask for another one.");
	/* Search from the start each time: an answer may end others on the same connection. */
	while ((x = exchange_of(f, who)) != NULL)
		end_exchange(x, &reason, ended);
	ended->calls += tasks_end(f, who);
	ended->streams += streams_of(f, who);
	while (session_of(f->sessions, span_str(who->id), session)) {
		hub_session_ended(f, session);
		audit_session_ended(f, span_str(who->id));
		ended->sessions++;
	}
}

void
ending_take(struct front *f, uint64_t id, const struct ipc_end *m)
{
	struct principal *who = principal_named(f, m->principal);
	struct ipc_ended ended = { .calls = 0 };

	if (who != NULL) {
		verify_drop(f, who);
		who->scopes = (uint32_t)m->scopes;
		if (m->scopes == 0)
			end_all(f, who, (enum ipc_verdict)m->verdict, &ended);
	}
	auth_say(f, IPC_MSG_ENDED, id, &ended);
}
