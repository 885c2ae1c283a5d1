#include <event2/event_struct.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "front/mcp/audit_requests.h"
#include "front/auth_link.h"
#include "front/http/conn.h"
#include "front/from_supervisor.h"
#include "front/mcp/legacy/hub.h"
#include "front/mcp/listen_streams.h"
#include "front/mcp/observe.h"
#include "front/local_client.h"
#include "front/calls/router_admin.h"
#include "front/status.h"
#include "front/team_check.h"
#include "front/to_supervisor.h"
#include "front/mcp/subscribe.h"
#include "ipc/control.h"
#include "workers/shared/child.h"
#include "workers/shared/probe.h"
#include "policy/profiles.h"

struct control {
	struct event			 readable;
	struct buf			 packet;	/* the one that is read now */
	const struct policy_profile	*profile;	/* the one that was applied */
};

/* Another front asks whether a session is in use, or reports that the session is in use. */
static void
on_session_use(struct front *f, const struct ipc_session_use *m)
{
	uint64_t now = clock_unix_ms() / 1000;

	if (m->id.len != SESSION_BODY)
		return;
	if (m->asks == 0)
		session_used(f->sessions, m->id.p, now);
	else if (session_in_use(f->sessions, m->id.p, now))
		supervisor_say(IPC_MSG_SESSION_USE, &(struct ipc_session_use){ .id = m->id });
}

/* Hand the passed descriptor on, or close it. */
static void
on_attach(struct front *f, const struct ipc_attach *m, int fd)
{
	switch (m->kind) {
	case IPC_ATTACH_LISTENER:
		conns_listen(f->conns, fd);
		break;
	case IPC_ATTACH_CLIENT:
		locals_add(f->locals, fd, (uint32_t)m->uid);
		break;
	case IPC_ATTACH_DATA:
		if (router_attach(f->router, (enum ipc_role)m->role, m->connection, m->generation, fd) != 0)
			log_error("a worker for \"%.*s\" was attached, which is not configured",
			    SPAN_FMT(m->connection));
		else if (m->role == IPC_SEARCH && tools_ready(f->tools, m->asks != 0))
			subscribe_changed(f, IPC_LISTS_TOOLS);
		break;
	case IPC_ATTACH_JOURNAL:
		audit_journal(f, fd);
		break;
	case IPC_ATTACH_SPANS:
		observe_attach(f, fd);
		break;
	default:
		close(fd);
		break;
	}
}

static void
on_offer(struct front *f, const struct ipc_offer *m)
{
	struct buf skipped = { .max = 1024 };
	unsigned before = tools_changes(f->tools);
	struct err e;

	if (tools_offer(f->tools, (enum ipc_role)m->role, m->tools, &skipped, &e) != 0)
		log_error("%s: %s", ipc_role_name((enum ipc_role)m->role), e.message);
	if (skipped.len > 0)
		log_warn("%s offers what it may not, or cannot be checked: %s", ipc_role_name((enum ipc_role)m->role),
		    buf_cstr(&skipped));
	buf_fini(&skipped);
	if (tools_changes(f->tools) != before)
		subscribe_changed(f, subscribe_offered(f, SUBSCRIBE_ANYBODY));
}

static void
on_shutdown(struct front *f, const struct ipc_shutdown *m)
{
	f->stop.begun = true;
	f->stop.until_ns = clock_ns() + m->grace_ms * CLOCK_MS;
	f->stop.close_ns = clock_ns() + FRONT_LULL_NS;
	f->serve_ns = 0;
	conns_serve(f->conns, false);
	listen_shutdown(f);
	hubs_shutdown(f);
	locals_close_idle(f->locals);
}

/* Handle one frame.  False: the message is not for a front, or not as the table defines it. */
static bool
on_message(struct front *f, const struct ipc_frame *frame, int fd)
{
	union ipc_any m;

	if (ipc_unpack_any(frame->type, IPC_SUPERVISOR, IPC_FRONT, frame->body, &m) != IPC_OK)
		return false;
	switch (frame->type) {
	case IPC_MSG_ATTACH:
		on_attach(f, &m.attach, fd);
		break;
	case IPC_MSG_DETACH:
		router_detach(f->router, m.detach.generation, (unsigned)m.detach.cause);
		if (m.detach.cause == IPC_DETACH_PLANNED) /* perhaps for one with other statements */
			team_check_connection(f, SPAN_NONE);
		break;
	case IPC_MSG_OFFER:
		on_offer(f, &m.offer);
		break;
	case IPC_MSG_CONNECTION_STATE:
		router_connection_state(f->router, m.connection_state.connection,
		    (enum ipc_pool_state)m.connection_state.state, m.connection_state.reason);
		if (m.connection_state.state == IPC_POOL_READY)
			team_check_connection(f, m.connection_state.connection);
		break;
	case IPC_MSG_HOLD_BACK:
		router_hold_back(f->router, m.hold_back.connection, m.hold_back.print);
		break;
	case IPC_MSG_SERVE:
		auth_link_serve(f);
		break;
	case IPC_MSG_PING:
		supervisor_say(IPC_MSG_PONG, &(struct ipc_pong){ .serial = m.ping.serial });
		atomic_fetch_add_explicit(&f->watch->answered, 1, memory_order_relaxed);
		break;
	case IPC_MSG_SHUTDOWN:
		on_shutdown(f, &m.shutdown);
		break;
	case IPC_MSG_STATUS:
		status_take(f, m.status.serial, m.status.status);
		break;
	case IPC_MSG_DOCTOR:
		status_take(f, m.doctor.serial, m.doctor.found);
		break;
	case IPC_MSG_SESSION_ENDED:
		if (m.session_ended.id.len == SESSION_BODY)
			hub_session_ended(f, m.session_ended.id.p);
		else if (m.session_ended.id.len == 0)
			session_end_before(f->sessions, m.session_ended.owner, m.session_ended.expires_unix_s);
		break;
	case IPC_MSG_SESSION_USE:
		on_session_use(f, &m.session_use);
		break;
	case IPC_MSG_PROBE:
		probe_child(f->control->profile, &m.probe);
		break;
	default:
		return false;
	}
	return true;
}

static void
end_front(struct front *f, int code)
{
	f->stop.done = true;
	f->stop.exit_code = code;
	event_del(&f->control->readable);
}

static void
on_readable(evutil_socket_t s, short what, void *arg)
{
	struct front *f = arg;
	struct ipc_frame frame;
	enum ipc_fault fault;
	enum channel_status status;
	int fd;

	(void)s, (void)what;
	while (!f->stop.done) {
		status = control_recv(CONTRACT_FD_CONTROL, &f->control->packet, &frame, &fd, &fault);
		if (status == CHANNEL_MORE)
			return;
		if (status == CHANNEL_CLOSED)
			end_front(f, EXIT_ORPHANED);
		else if (status == CHANNEL_BROKEN || !on_message(f, &frame, fd)) {
			log_error("the supervisor broke the protocol, or no descriptor was left for one that it passed "
				  "(LimitNOFILE= of the unit, `ulimit -n`); this front ends and another one begins");
			end_front(f, EXIT_PEER);
		} else if (conns_make_room(f->conns, fd))
			return; /* the next message is read when there is room */
	}
}

void
from_supervisor_begin(struct front *f, const struct policy_profile *p)
{
	struct control *c = mem_new(1, sizeof(*c));

	c->profile = p;
	f->control = c;
	event_assign(&c->readable, f->base, CONTRACT_FD_CONTROL, EV_READ | EV_PERSIST, on_readable, f);
	event_add(&c->readable, NULL);
}

void
from_supervisor_end(struct front *f)
{
	struct control *c = f->control;

	f->control = NULL;
	event_del(&c->readable);
	buf_fini(&c->packet);
	free(c);
}
