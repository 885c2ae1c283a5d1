#include <stdio.h>

#include "base/system/clock.h"
#include "front/wire/address.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/admission.h"
#include "front/mcp/legacy/hub.h"
#include "front/mcp/session_over.h"
#include "front/mcp/tasks.h"
#include "front/to_supervisor.h"
#include "front/who/auth_ask.h"
#include "front/auth_link.h"
#include "front/http/conn.h"
#include "front/ending.h"
#include "front/front.h"
#include "front/who/foreign_token.h"
#include "front/who/oauth_issuer.h"
#include "front/who/verify_credential.h"

#define GREETING_NS	(2 * CLOCK_SECOND)	/* until connections are taken without it */

/* The fronts together have received too many wrong credentials from this address: block it. */
static bool
on_block(struct front *f, const struct ipc_block *m)
{
	struct address *address = address_named(conns_addresses(f->conns), m->address);

	if (address == NULL)
		return false;
	address_block(address, clock_ns() + m->seconds * CLOCK_SECOND);
	address_close(conns_addresses(f->conns), address);
	return true;
}

void
auth_link_tick(struct front *f, uint64_t now_ns)
{
	if (f->serve_ns == 0 || (f->oauth->enabled && !f->auth.up && now_ns < f->serve_ns))
		return;
	f->serve_ns = 0;
	conns_serve(f->conns, true);
}

/* carrel-auth's greeting, behind the keys that it knows: from then on it can be asked. */
static void
on_connectivity(struct front *f, const struct ipc_connectivity *m)
{
	f->auth.connectivity = m->enabled != 0;
	snprintf(f->auth.failing, sizeof(f->auth.failing), "%.*s", SPAN_FMT(m->failing));
	f->auth.heard = true;
	if (f->auth.up)
		return;
	f->auth.up = true;
	verify_channel(f, true);
	admission_channel(f, true);
	tasks_tell(f);
	session_over_greet(f);
	auth_link_tick(f, clock_ns());
}

bool
auth_link_hear(void *front, const struct ipc_frame *frame, const union ipc_any *msg)
{
	struct front *f = front;

	switch (frame->type) {
	case IPC_MSG_VERIFIED:
		return verify_take(f, frame->id, &msg->verified);
	case IPC_MSG_ADMITTED:
		return admission_take(f, frame->id, &msg->admitted);
	case IPC_MSG_AUDITED:
		return audit_confirm(f, frame->id, &msg->audited);
	case IPC_MSG_END:
		ending_take(f, frame->id, &msg->end);
		return true;
	case IPC_MSG_BLOCK:
		return on_block(f, &msg->block);
	case IPC_MSG_CONNECTIVITY:
		on_connectivity(f, &msg->connectivity);
		return true;
	case IPC_MSG_SESSION_OVER:
		session_over_kept(f, msg->session_over.id.p);
		if (!session_has_ended(f->sessions, msg->session_over.id.p)) {
			hub_session_ended(f, msg->session_over.id.p);
			supervisor_session_ended(f, msg->session_over.id.p); /* for the next front */
		}
		return true;
	case IPC_MSG_TASK_CANCEL:
		tasks_cancel(f, msg->task_cancel.id);
		return true;
	case IPC_MSG_LEASE:
		lease_take(f, &msg->lease);
		return true;
	case IPC_MSG_KEYS:
		return oauth_take_keys(f, &msg->keys);
	case IPC_MSG_ISSUER_KEYS:
		return foreign_token_take_keys(f, &msg->issuer_keys);
	default: /* the other messages that ipc/state.c lets through answer a question */
		return auth_ask_take(f, frame->type, frame->id, msg);
	}
}

void
auth_link_serve(struct front *f)
{
	uint64_t now_ns = clock_ns();

	f->serve_ns = now_ns + GREETING_NS;
	auth_link_tick(f, now_ns);
}

void
auth_link_channel(void *front, bool up)
{
	struct front *f = front;

	audit_channel(f, up);
	if (up)
		return;
	f->auth.up = false;
	verify_channel(f, false);
	auth_ask_lost(f);
	admission_channel(f, false);
}
