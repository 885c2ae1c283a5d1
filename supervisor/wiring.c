#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "supervisor/state/journal_file.h"
#include "supervisor/launch.h"
#include "supervisor/children.h"
#include "supervisor/household.h"
#include "supervisor/metering_sums.h"
#include "supervisor/post.h"
#include "supervisor/reach.h"
#include "supervisor/state_dir.h"
#include "supervisor/wiring.h"
#include "project/config/secret.h"

/*
 * A front that was told to stop still serves its calls, and may need any
 * worker for them; a worker that was told to stop gets nothing new.
 */
static bool
takes_part(const struct child *c)
{
	return child_is_serving(c) || (c->role == IPC_FRONT && c->process.greet == GREET_READY && c->process.pid >= 0);
}

static void
attach(struct child *to, const struct child *other, uint64_t generation, int fd)
{
	struct ipc_attach msg = {
		.kind = IPC_ATTACH_DATA, .role = other->role, .generation = generation,
		.pid = (uint64_t)other->process.pid, .connection = span_str(other->connection),
		.asks = other->process.asks
	};

	post(to, IPC_MSG_ATTACH, &msg, fd);
}

/*
 * A front keeps its file over its deaths: what it put there is still to be taken.  With audit.durability: disk an entry
 * is to be on the disk, so that there is no use for one.
 */
static bool
has_journal(struct child *front)
{
	const struct config *cfg = front->sup->cfg;

	if (front->journal >= 0 && strcmp(front->journal_of, cfg->state) == 0)
		return true;
	if (front->journal >= 0)
		close(front->journal);
	free(front->journal_of);
	front->journal_of = NULL;
	front->journal =
	    cfg->audit_durability == CONFIG_AUDIT_DISK ? -1 : journal_file_take(cfg->state, &front->journal_number);
	if (front->journal >= 0)
		front->journal_of = mem_text(span_str(cfg->state));
	return front->journal >= 0;
}

/* The two ends of data channel `generation` share the front's journal. */
static void
attach_journal(struct child *front, struct child *auth, uint64_t generation)
{
	struct ipc_attach msg = { .kind = IPC_ATTACH_JOURNAL, .generation = generation };

	if (!has_journal(front))
		return;
	msg.number = front->journal_number;
	post(auth, IPC_MSG_ATTACH, &msg, front->journal);
	post(front, IPC_MSG_ATTACH, &msg, front->journal);
}

/* Makes one socketpair and passes on both ends; we keep neither. */
static void
connect_pair(struct child *asker, struct child *worker)
{
	struct supervisor *sup = asker->sup;
	struct data_link *l = mem_new(1, sizeof(*l));
	int ends[2];

	if (fault_point("supervisor.before_attach") != FAULT_NONE ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
		/* Without its channel the worker is of no use; a fresh one gets a fresh try. */
		log_error("no channel between %s and %s: %s", asker->label, worker->label, strerror(errno));
		free(l);
		child_kill(worker, DEATH_BY_WATCHDOG);
		return;
	}
	*l = (struct data_link){ .generation = ++sup->generation, .asker = asker, .worker = worker };
	TAILQ_INSERT_TAIL(&sup->links, l, entry);
	/* Before the channel: leftover journal entries must be in the audit before the front can ask for it. */
	if (asker->role == IPC_FRONT && worker->role == IPC_AUTH)
		attach_journal(asker, worker, l->generation);
	attach(worker, asker, l->generation, ends[0]);
	attach(asker, worker, l->generation, ends[1]);
	close(ends[0]);
	close(ends[1]);
}

static bool
is_peer(const struct child *asker, const struct child *worker)
{
	return ipc_role_row(worker->role)->peer == asker->role;
}

/* Connect c with every child that it shares a channel with and that takes part. */
static void
connect_all(struct child *c)
{
	struct child *other;

	TAILQ_FOREACH(other, &c->sup->children, entry)
		if (!takes_part(other))
			continue;
		else if (is_peer(c, other))
			connect_pair(c, other);
		else if (is_peer(other, c))
			connect_pair(other, c);
}

/* A channel on which the front says what has ended, and does not wait; both ends are told by one ATTACH each. */
static void
connect_spans(struct child *front, struct child *telemetry)
{
	struct ipc_attach msg = { .kind = IPC_ATTACH_SPANS, .generation = ++front->sup->generation };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
		log_warn("no channel between %s and %s: %s", front->label, telemetry->label, strerror(errno));
		return;
	}
	post(telemetry, IPC_MSG_ATTACH, &msg, ends[0]);
	post(front, IPC_MSG_ATTACH, &msg, ends[1]);
	close(ends[0]);
	close(ends[1]);
}

/* c, a front or carrel-telemetry, is ready: connect it with the others. */
static void
connect_telemetry(struct child *c)
{
	struct child *other;

	TAILQ_FOREACH(other, &c->sup->children, entry)
		if (other != c && child_is_serving(other) && c->role == IPC_FRONT && other->role == IPC_TELEMETRY)
			connect_spans(c, other);
		else if (other != c && child_is_serving(other) && c->role == IPC_TELEMETRY && other->role == IPC_FRONT)
			connect_spans(other, c);
}

void
wiring_measure(struct supervisor *sup)
{
	struct buf metrics = BUF_MAX(IPC_CONTROL_MAX - 1024);
	struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->role == IPC_TELEMETRY && child_is_serving(c)) {
			buf_reset(&metrics, SIZE_MAX);
			metering_pack(sup, &metrics);
			if (!metrics.full)
				post(c, IPC_MSG_MEASURED, &(struct ipc_measured){ .metrics = buf_view(&metrics) }, -1);
		}
	buf_fini(&metrics);
}

void
wiring_lost(struct child *c, enum ipc_detach_cause cause)
{
	struct ipc_detach msg = { .cause = cause };
	struct data_link *l, *next;

	for (l = TAILQ_FIRST(&c->sup->links); l != NULL; l = next) {
		struct child *other = l->asker == c ? l->worker : l->asker;

		next = TAILQ_NEXT(l, entry);
		if (l->asker != c && l->worker != c)
			continue;
		msg.generation = l->generation;
		post(other, IPC_MSG_DETACH, &msg, -1);
		TAILQ_REMOVE(&c->sup->links, l, entry);
		free(l);
	}
}

void
wiring_complaint(struct child *from, const struct ipc_complaint *msg)
{
	struct data_link *l;

	TAILQ_FOREACH(l, &from->sup->links, entry) {
		struct child *other = l->asker == from ? l->worker : l->asker;

		if (l->generation != msg->generation || (l->asker != from && l->worker != from))
			continue;
		log_error("%s complains about %s: %s", from->label, other->label,
		    msg->reason == IPC_COMPLAINT_PROTOCOL ? "it broke the protocol" : "it is past its deadline");
		/*
		 * A front that complains rightly loses one worker.  A worker that
		 * complains loses its own life with the channel, and its successor gets a
		 * new channel: a compromised worker must not be able to end the front,
		 * which serves everybody.
		 */
		child_kill(l->asker == from ? other : from,
		    l->asker != from || msg->reason == IPC_COMPLAINT_PROTOCOL ? DEATH_BY_FAULT : DEATH_BY_WATCHDOG);
		return;
	}
}

static void
send_offer(struct child *front, enum ipc_role role, struct span tools)
{
	struct ipc_offer msg = { .role = role, .tools = tools };

	if (tools.len > 0)
		post(front, IPC_MSG_OFFER, &msg, -1);
}

void
wiring_offer(struct child *c, struct span tools)
{
	struct buf *known = &c->sup->tools[ipc_role_index(c->role)];
	struct child *front;

	if (span_is(buf_view(known), tools))
		return;
	buf_reset(known, SIZE_MAX);
	buf_span(known, tools);
	TAILQ_FOREACH(front, &c->sup->children, entry)
		if (front->role == IPC_FRONT && child_is_serving(front))
			send_offer(front, c->role, tools);
}

void
wiring_session_ended(struct child *from, const struct ipc_session_ended *msg)
{
	struct supervisor *sup = from->sup;
	struct child *front;

	ended_add(sup->sessions, msg->owner, msg->id, msg->expires_unix_s);
	TAILQ_FOREACH(front, &sup->children, entry)
		if (front != from && front->role == IPC_FRONT && child_is_serving(front))
			post(front, IPC_MSG_SESSION_ENDED, msg, -1);
}

void
wiring_session_use(struct child *from, const struct ipc_session_use *msg)
{
	struct child *front;

	TAILQ_FOREACH(front, &from->sup->children, entry)
		if (front != from && front->role == IPC_FRONT && child_is_serving(front))
			post(front, IPC_MSG_SESSION_USE, msg, -1);
}

static void
tell_session(void *arg, uint64_t owner, struct span id, uint64_t expires)
{
	struct ipc_session_ended msg = { .id = id, .expires_unix_s = expires, .owner = owner };

	post(arg, IPC_MSG_SESSION_ENDED, &msg, -1);
}

static void
tell_sessions(struct child *front)
{
	uint64_t now = clock_unix_ms() / 1000;

	ended_sweep(front->sup->sessions, now);
	ended_each(front->sup->sessions, now, tell_session, front);
}

static void
tell_connection(struct child *to, const char *id, const struct connection_state *state)
{
	struct ipc_connection_state msg = { span_str(id), state->state, span_str(state->reason) };

	if (state->state != 0)
		post(to, IPC_MSG_CONNECTION_STATE, &msg, -1);
}

static void
tell_connections(struct child *to)
{
	struct supervisor *sup = to->sup;

	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		tell_connection(to, sup->cfg->connections[i].id, &sup->states[i]);
}

/* The server wants a password whose variable is not set: names the variable. */
static void
name_variable(struct supervisor *sup, const struct config_connection *conn, struct connection_state *state)
{
	const char *password = config_setting(conn, "password"), *value,
		   *name = password == NULL ? NULL : config_env_name(password);
	size_t n = strlen(state->reason);

	if (name == NULL || conn->driver->unanswered == NULL || strstr(state->reason, conn->driver->unanswered) == NULL)
		return;
	if ((value = launch_getenv(&sup->launch, name)) == NULL || *value == '\0')
		snprintf(state->reason + n, sizeof(state->reason) - n,
		    "; the environment variable %s, which gives the password, "
		    "is %s: export it, then `carrel mcp reload` when the daemon runs",
		    name, value == NULL ? "not set" : "empty");
}

/* A pool serves if one of its workers does; otherwise the reason of the first worker is reported. */
static void
connection_now(struct supervisor *sup, const struct config_connection *conn, struct connection_state *state)
{
	const struct child *c, *troubled = NULL;
	const char *tunnel;
	bool serving = false, down;
	size_t n;

	memset(state, 0, sizeof(*state));
	TAILQ_FOREACH(c, &sup->children, entry) {
		if (!ipc_role_is_pooled(c->role) || strcmp(c->connection, conn->id) != 0)
			continue;
		serving = serving || child_is_serving(c);
		if (troubled == NULL && c->why[0] != '\0' && c->life.state != LIFE_LEAVING)
			troubled = c;
	}
	state->state = serving ? IPC_POOL_READY : troubled != NULL ? IPC_POOL_UNAVAILABLE : IPC_POOL_CONNECTING;
	if (conn->driver == NULL) {
		state->state = IPC_POOL_UNAVAILABLE;
		snprintf(state->reason, sizeof(state->reason), "%s", conn->unusable);
		return;
	}
	tunnel = serving ? NULL : reach_trouble(sup, conn->id, &down);
	if (!serving && troubled != NULL) {
		memcpy(state->reason, troubled->why, sizeof(state->reason));
		name_variable(sup, conn, state);
	}
	if (tunnel != NULL && (down || troubled != NULL)) {
		n = down ? 0 : strlen(state->reason);
		state->state = IPC_POOL_UNAVAILABLE;
		snprintf(state->reason + n, sizeof(state->reason) - n, "%s%.400s", n > 0 ? "; " : "", tunnel);
	}
}

void
wiring_connection(struct supervisor *sup, const char *id)
{
	struct connection_state now;
	struct child *c;

	for (size_t i = 0; i < sup->cfg->nconnections; i++) {
		const struct config_connection *conn = &sup->cfg->connections[i];

		if (strcmp(conn->id, id) != 0)
			continue;
		connection_now(sup, conn, &now);
		if (now.state == sup->states[i].state && strcmp(now.reason, sup->states[i].reason) == 0)
			return;
		sup->states[i] = now;
		TAILQ_FOREACH(c, &sup->children, entry)
			if ((c->role & IPC_HEARER) != 0 && takes_part(c))
				tell_connection(c, id, &now);
	}
}

static void
hold_back(void *front, const struct left_behind *l)
{
	struct ipc_hold_back msg = { .connection = span_str(l->connection),
		.print = span_of(l->print, sizeof(l->print)) };

	post(front, IPC_MSG_HOLD_BACK, &msg, -1);
}

static void
on_stuck(void *arg, const struct left_behind *l)
{
	struct supervisor *sup = arg;
	struct child *c;

	log_error("connection %s: server process %llu does not end the statement it was told to stop", l->connection,
	    (unsigned long long)l->pid);
	TAILQ_FOREACH(c, &sup->children, entry)
		if (l->known && c->role == IPC_FRONT && child_is_serving(c))
			hold_back(c, l);
}

void
wiring_left_behind(struct child *from, const struct ipc_left_behind *msg)
{
	left_note(&from->sup->left, from->connection, msg->pid, msg->since_unix_ms, msg->print);
}

void
wiring_pool_seen(struct child *from, const struct ipc_pool_seen *msg)
{
	left_seen(&from->sup->left, from->connection, msg->list, msg->waited != 0, on_stuck, from->sup);
}

/* Whether each role that fronts cannot serve without has a process that does. */
static bool
needed_serve(const struct supervisor *sup)
{
	unsigned missing = 0;
	const struct child *c;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		if ((ipc_roles[i].traits & IPC_NEEDED) != 0 && household_has(sup, &ipc_roles[i]))
			missing |= (unsigned)ipc_roles[i].role;
	TAILQ_FOREACH(c, &sup->children, entry)
		if (child_is_serving(c))
			missing &= ~(unsigned)c->role;
	return missing == 0;
}

static void
let_serve(struct child *front)
{
	const struct ipc_serve msg = { .unused = 0 };

	front->told_serve = true;
	post(front, IPC_MSG_SERVE, &msg, -1);
	if (front->sup->launch.private_fd >= 0)
		wiring_client(front, front->sup->launch.private_fd, geteuid());
}

/* The fronts that wait for it may serve, once nothing that they need is missing. */
static void
let_fronts_serve(struct supervisor *sup)
{
	struct child *c;

	if (sup->phase != PHASE_SERVING || !needed_serve(sup))
		return;
	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->role == IPC_FRONT && child_is_serving(c) && !c->told_serve)
			let_serve(c);
	state_dir_resume(sup);
}

static void
welcome_front(struct child *front)
{
	struct supervisor *sup = front->sup;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		send_offer(front, ipc_roles[i].role, buf_view(&sup->tools[i]));
	tell_connections(front);
	/* A front that started later is told which statements are held back. */
	left_each_known(&sup->left, hold_back, front);
	tell_sessions(front);
	for (unsigned i = 0; i < sup->listener.n; i++) {
		struct ipc_attach msg = { .kind = IPC_ATTACH_LISTENER, .generation = ++sup->generation };

		post(front, IPC_MSG_ATTACH, &msg, sup->listener.fds[i]);
	}
}

void
wiring_client(struct child *front, int fd, uid_t uid)
{
	struct ipc_attach msg = { .kind = IPC_ATTACH_CLIENT, .generation = ++front->sup->generation, .uid = uid };

	post(front, IPC_MSG_ATTACH, &msg, fd);
}

/* If one worker reaches a database, the workers that gave up on it try again. */
static void
wake_siblings(struct child *c)
{
	struct child *other, *next;

	for (other = TAILQ_FIRST(&c->sup->children); other != NULL; other = next) {
		next = TAILQ_NEXT(other, entry);
		if (other != c && ipc_role_is_pooled(other->role) && other->life.state == LIFE_WAITING &&
		    other->why[0] != '\0' && strcmp(other->connection, c->connection) == 0)
			child_feed(other, LIFE_START, false);
	}
}

void
wiring_retire(struct child *old)
{
	/* A front keeps its channels: what it still serves may need any worker. */
	if (old->role != IPC_FRONT)
		wiring_lost(old, IPC_DETACH_PLANNED);
	child_stop(old, CONTRACT_DRAIN_MS);
}

void
wiring_ready(struct child *c)
{
	struct child *old = c->replaces;

	if (c->role == IPC_FRONT)
		welcome_front(c);
	if (c->role != IPC_FRONT && (c->role & IPC_HEARER) != 0)
		tell_connections(c);
	connect_all(c);
	if (c->role == IPC_FRONT || c->role == IPC_TELEMETRY)
		connect_telemetry(c);
	let_fronts_serve(c->sup);
	if (ipc_role_is_pooled(c->role))
		wake_siblings(c);
	if (c->role == IPC_TUNNEL)
		children_go_on(c->sup, c->connection, NULL);
	c->replaces = NULL;
	if (old != NULL)
		wiring_retire(old);
}

/*
 * Whether each process has started or failed once, so that a client that lists the tools first sees all of them.  Of
 * workers of connections it is enough that their tools are known: calls wait for a connection that is still being made.
 */
static bool
processes_settled(const struct supervisor *sup)
{
	const struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry) {
		bool pooled = ipc_role_is_pooled(c->role) && !c->tells_only;

		if (c->role != IPC_FRONT && c->role != IPC_TUNNEL && c->role != IPC_TELEMETRY && !c->settled &&
		    !(pooled && sup->tools[ipc_role_index(c->role)].len > 0))
			return false;
	}
	return true;
}

/* Whether each connection serves, or all of its workers have failed once. */
static bool
connections_settled(const struct supervisor *sup)
{
	const struct child *c;

	for (size_t i = 0; i < sup->cfg->nconnections; i++) {
		bool serving = false, settled = true, down;
		const char *trouble = reach_trouble(sup, sup->cfg->connections[i].id, &down);

		if (down && trouble != NULL) /* its workers wait for the tunnel, which has failed once */
			continue;
		TAILQ_FOREACH(c, &sup->children, entry)
			if (ipc_role_is_pooled(c->role) && strcmp(c->connection, sup->cfg->connections[i].id) == 0) {
				serving = serving || child_is_serving(c);
				settled = settled && c->settled;
			}
		if (!serving && !settled)
			return false;
	}
	return true;
}

void
wiring_settle(struct supervisor *sup)
{
	const uint64_t late = sup->started_ns + SUPERVISOR_SETTLE_MS * CLOCK_MS;
	bool front = false;
	struct child *c;

	if (sup->phase != PHASE_STARTING || !needed_serve(sup))
		return;
	TAILQ_FOREACH(c, &sup->children, entry)
		front = front || (c->role == IPC_FRONT && child_is_serving(c));
	if (!front || !processes_settled(sup) || (!connections_settled(sup) && clock_ns() < late))
		return;
	sup->phase = PHASE_SERVING;
	let_fronts_serve(sup);
	state_dir_announce(sup);
}
