#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "policy/sign_in.h"
#include "supervisor/errand.h"
#include "supervisor/events.h"
#include "supervisor/metering_sums.h"
#include "supervisor/children.h"
#include "supervisor/configure.h"
#include "supervisor/doctor.h"
#include "supervisor/household.h"
#include "supervisor/password.h"
#include "supervisor/post.h"
#include "supervisor/reach.h"
#include "supervisor/status_map.h"
#include "supervisor/wiring.h"

#define LEAVE_EXTRA_MS	1000			/* beyond the grace that SHUTDOWN gave */
#define NEEDED_WAIT_MS	1000			/* none that serving needs waits longer */

/* No tool has a longer budget; a watch page with a later deadline is false and counts as idle. */
#define DEADLINE_MAX_NS	(2 * UINT64_C(3600) * CLOCK_SECOND)

static const struct process_hooks child_hooks;

struct child *
child_new(struct supervisor *sup, enum ipc_role role, const char *connection, unsigned index)
{
	struct child *c = mem_new(1, sizeof(*c));

	c->connection = mem_text(span_str(connection));
	c->label = mem_printf("%s%s%s %u", ipc_role_name(role), *connection != '\0' ? " " : "", connection, index + 1);
	c->sup = sup;
	c->role = role;
	c->index = index;
	c->journal = -1;
	process_init(&c->process, role, &child_hooks, c, sup->base, &sup->log);
	c->process.binary = configure_binary(sup->cfg, role, connection);
	TAILQ_INIT(&c->out);
	life_init(&c->life, (ipc_role_row(role)->traits & IPC_NEEDED) != 0 ? NEEDED_WAIT_MS : 0);
	TAILQ_INSERT_TAIL(&sup->children, c, entry);
	return c;
}

/* Releases everything that belonged to the process. */
static void
drop_process(struct child *c)
{
	drop_event(&c->on_writable);
	post_drop(c);
	process_close(&c->process);
	c->said_why = c->told_serve = false;
	c->heard_since_ns = 0;
	c->heard = 0;
	c->pinged_ns = c->owes_since_ns = 0;
}

/* The child's pending orders continue, but their reports are dropped. */
static void
forget_errands(const struct child *c)
{
	errands_forget(c->sup->commits, c);
	errands_forget(c->sup->fetches, c);
	for (size_t i = 0; i < 1 + SUPERVISOR_ISSUERS; i++)
		errands_forget(c->sup->identities[i], c);
	doctor_forget(c);
}

void
child_free(struct child *c)
{
	struct supervisor *sup = c->sup;
	struct child *other;

	TAILQ_FOREACH(other, &sup->children, entry)
		if (other->replaces == c)
			other->replaces = NULL;
	if (sup->next_front == c)
		sup->next_front = NULL;
	TAILQ_REMOVE(&sup->children, c, entry);
	forget_errands(c);
	drop_process(c);
	drop_event(&c->on_due);
	buf_fini(&c->report);
	if (c->journal >= 0)
		close(c->journal);
	free(c->journal_of);
	free(c->connection);
	free(c->label);
	free(c);
}

static void
child_broke(void *arg, const char *what, enum ipc_fault fault)
{
	const struct child *c = arg;

	log_error("%s broke the control protocol: %s (%s)", c->label, what, ipc_fault_name(fault));
}

static void
on_tools(struct child *c, const struct ipc_tools *msg)
{
	wiring_offer(c, msg->tools);
	if (c->tells_only) {
		c->settled = true;
		child_stop(c, 0);
	}
}

static void
send_ping(struct child *c, uint64_t now)
{
	struct ipc_ping msg = { .serial = ++c->serial };

	c->pinged_ns = c->owes_since_ns = now;
	post(c, IPC_MSG_PING, &msg, -1);
}

static void
on_ready(struct child *c)
{
	c->why[0] = '\0';
	log_info("%s is ready (pid %d)%s", c->label, (int)c->process.pid,
	    c->seeks ? ": the state store is there again" : "");
	c->seeks = false;
	if (c->process.degraded)
		log_warn("%s serves without full confinement: %s", c->label, c->process.note);
	child_feed(c, LIFE_READY, false);
	if (c->role == IPC_AUTH)
		events_flush(c->sup);
	/* Sent at once, because a child that has answered anything is restarted without delay. */
	send_ping(c, clock_ns());
}

static void
on_unable(struct child *c, const struct ipc_unable *msg)
{
	/* Logged together with the death that it announces. */
	process_text(c->why, sizeof(c->why), msg->reason);
	c->said_why = true;
	if (c->role == IPC_TUNNEL && child_is_serving(c)) { /* something did not get through, but it stays */
		log_warn("%s: %s", c->label, c->why);
		wiring_connection(c->sup, c->connection);
	}
}

static void
on_status_get(struct child *c, const struct ipc_status_get *msg)
{
	struct buf map = BUF_MAX(IPC_CONTROL_MAX - 1024);
	struct ipc_status answer = { .serial = msg->serial };

	status_pack(c->sup, &map);
	answer.status = buf_view(&map);
	post(c, IPC_MSG_STATUS, &answer, -1);
	buf_fini(&map);
}

static void
on_report(struct child *c, const struct ipc_report *msg)
{
	buf_reset(&c->report, SIZE_MAX);
	buf_span(&c->report, msg->report);
}

/* The agent asks for a connection to one of its models. */
static void
children_dial(struct child *from, const struct ipc_dial *msg)
{
	int fd = dial_connect(&from->sup->dials[msg->place]);

	/* Without a descriptor there is no answer: the agent gives up when its time for this is over. */
	if (fd < 0)
		return;
	post(from, IPC_MSG_DIALLED, &(struct ipc_dialled){ .place = msg->place, .serial = msg->serial }, fd);
	close(fd);
}

/* A carrel-auth that was taken over would put what it knows into URLs: without the key nothing is fetched. */
static void
children_fetch(struct child *from, const struct ipc_fetch *msg)
{
	struct supervisor *sup = from->sup;

	if (!sup->cfg->oauth.client_metadata) {
		fetch_kind.fail(from, msg->serial, IPC_FETCH_LOST, SPAN("oauth.client_metadata is off"));
		return;
	}
	if (sup->fetches == NULL)
		sup->fetches = errands_new(sup, &fetch_kind);
	errands_order(sup->fetches, from, msg->serial, msg->url);
}

/* Each provider has orders of its own: one that does not answer does not hold up the others. */
static struct errands **
orders_of(struct supervisor *sup, struct span issuer)
{
	size_t at = 0;

	for (size_t i = 0; i < sup->cfg->issuers.n && issuer.len > 0 && i < SUPERVISOR_ISSUERS; i++)
		if (span_is_str(issuer, sup->cfg->issuers.v[i].issuer))
			at = 1 + i;
	return &sup->identities[at];
}

/* The same for issuers that the configuration lacks. */
static void
children_identify(struct child *from, const struct ipc_identify *msg)
{
	struct supervisor *sup = from->sup;
	struct errands **orders = orders_of(sup, msg->of);
	struct buf order = { 0 };

	if (configure_issuer(sup->cfg, msg->of) == NULL) {
		identity_kind.fail(from, msg->serial, SIGN_IN_LOST, SPAN("the issuer is not configured any more"));
		return;
	}
	if (*orders == NULL)
		*orders = errands_new(sup, &identity_kind);
	if (ipc_pack(IPC_MSG_IDENTIFY, msg, &order) == 0)
		errands_order(*orders, from, msg->serial, buf_view(&order));
	buf_wipe(&order);
}

static void
children_dispatch(struct child *c, unsigned type, const union ipc_any *msg)
{
	switch (type) {
	case IPC_MSG_TOOLS:
		on_tools(c, &msg->tools);
		break;
	case IPC_MSG_READY:
		on_ready(c);
		break;
	case IPC_MSG_UNABLE:
		on_unable(c, &msg->unable);
		break;
	case IPC_MSG_PONG:
		if (msg->pong.serial == c->serial)
			c->owes_since_ns = 0;
		break;
	case IPC_MSG_COMPLAINT:
		wiring_complaint(c, &msg->complaint);
		break;
	case IPC_MSG_STATUS_GET:
		on_status_get(c, &msg->status_get);
		break;
	case IPC_MSG_DOCTOR_GET:
		doctor_order(c, msg->doctor_get.serial);
		break;
	case IPC_MSG_SESSION_ENDED:
		wiring_session_ended(c, &msg->session_ended);
		break;
	case IPC_MSG_SESSION_USE:
		wiring_session_use(c, &msg->session_use);
		break;
	case IPC_MSG_REPORT:
		on_report(c, &msg->report);
		break;
	case IPC_MSG_LEFT_BEHIND:
		wiring_left_behind(c, &msg->left_behind);
		break;
	case IPC_MSG_POOL_SEEN:
		wiring_pool_seen(c, &msg->pool_seen);
		break;
	case IPC_MSG_COMMIT:
		if (c->sup->commits == NULL)
			c->sup->commits = errands_new(c->sup, &commit_kind);
		errands_order(c->sup->commits, c, msg->commit.serial, msg->commit.run);
		break;
	case IPC_MSG_FETCH:
		children_fetch(c, &msg->fetch);
		break;
	case IPC_MSG_STORE_AWAY:
		if (c->sup->phase <= PHASE_SERVING && child_is_serving(c))
			household_seek(c, msg->store_away.reason);
		break;
	case IPC_MSG_IDENTIFY:
		children_identify(c, &msg->identify);
		break;
	case IPC_MSG_DIAL:
		children_dial(c, &msg->dial);
		break;
	default:
		break; /* HELLO; PROBED: only verify asks for it */
	}
}

/*
 * Protects the loop from a child that sends too much.  False: the child has used up its share of this second.  An ended
 * session costs next to nothing, and a client may end as many as it can open.
 */
static bool
may_go_on(struct child *c, unsigned type, size_t len)
{
	uint64_t now = clock_ns();

	if (now - c->heard_since_ns >= CLOCK_SECOND) {
		c->heard_since_ns = now;
		c->heard = 0;
	}
	c->heard += type == IPC_MSG_SESSION_ENDED ? 1 : 16 * (1 + (unsigned)(len / 4096));
	return c->heard <= SUPERVISOR_HEARD_MAX;
}

static bool
child_said(void *arg, const struct ipc_frame *frame, const union ipc_any *msg)
{
	struct child *c = arg;

	if (!may_go_on(c, frame->type, frame->body.len)) {
		log_error("%s floods its control channel", c->label);
		child_kill(c, DEATH_BY_FAULT);
		return false;
	}
	children_dispatch(c, frame->type, msg);
	return true;
}

static void
control_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	post_continue(arg);
}

/* It tries again every second; only another reason is news. */
static bool
still_seeks(const struct child *c, const struct death *d)
{
	return c->seeks && death_event(d) == LIFE_DIED_CONNECTION && strstr(c->last_exit, c->why) != NULL;
}

static void
note_death(struct child *c, const struct death *d)
{
	char text[128];

	if (still_seeks(c, d))
		return;
	death_text(d, text, sizeof(text));
	snprintf(c->last_exit, sizeof(c->last_exit), "%.100s%s%.380s", text, c->said_why ? ": " : "",
	    c->said_why ? c->why : "");
	if (d->signalled && d->status == SIGSYS)
		log_error("policy violation: %s (pid %d) %s", c->label, (int)c->process.pid, text);
	else if (c->life.state == LIFE_LEAVING || death_cause(d) == IPC_DETACH_PLANNED ||
	    (!d->signalled && d->status == EXIT_STOPPED))
		log_info("%s (pid %d) %s", c->label, (int)c->process.pid, text);
	else
		log_warn("%s (pid %d) %s", c->label, (int)c->process.pid, c->last_exit);
}

/* Reports a death, unless the child was told to end. */
static void
record_death(struct child *c, const struct death *d)
{
	bool asked = c->life.state == LIFE_LEAVING || (!d->signalled && d->status == EXIT_STOPPED) || c->seeks;

	if (!asked)
		events_tell(c->sup, AUDIT_ACTION_WORKER_DEATH,
		    death_cause(d) == IPC_DETACH_PLANNED ? AUDIT_OUTCOME_OK : AUDIT_OUTCOME_ERROR, c->label,
		    c->last_exit);
}

static void
child_ended(void *arg, const struct death *d)
{
	struct child *c = arg;
	bool answered = atomic_load_explicit(&c->process.watch->answered, memory_order_relaxed) > 0;
	bool back_soon = child_is_serving(c) && death_event(d) != LIFE_DIED_REFUSED;
	enum ipc_detach_cause cause = c->life.state == LIFE_LEAVING ? IPC_DETACH_PLANNED : death_cause(d);

	note_death(c, d);
	metering_ended(c, d);
	/* Keep the exit reason for status, unless the worker served before and will be restarted. */
	if (back_soon)
		c->why[0] = '\0';
	else if (!c->said_why)
		snprintf(c->why, sizeof(c->why), "%s", c->last_exit);
	drop_process(c);
	if (ipc_role_is_pooled(c->role) && c->life.state == LIFE_STARTING && death_event(d) == LIFE_DIED_CONNECTION)
		password_doubt(c->sup, c->connection);
	record_death(c, d);
	forget_errands(c);
	wiring_lost(c, cause);
	if (c->role == IPC_FRONT)
		household_front_died(c, d);
	child_feed(c, death_event(d), answered);
}

static const struct process_hooks child_hooks = { .frame = child_said, .broken = child_broke, .ended = child_ended };

void
child_kill(struct child *c, enum death_by by)
{
	process_kill(&c->process, by);
}

static void
come_due(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	child_feed(arg, LIFE_DUE, false);
}

static void
wait_until_due(struct child *c)
{
	uint64_t now = clock_ns(), wait = c->life.due_ns > now ? c->life.due_ns - now : 0;
	struct timeval tv = { .tv_sec = (time_t)(wait / CLOCK_SECOND),
	    .tv_usec = (suseconds_t)(wait % CLOCK_SECOND / 1000) };

	if (c->on_due == NULL)
		c->on_due = mem_must(event_new(c->sup->base, -1, 0, come_due, c));
	event_add(c->on_due, &tv);
}

/* Whether no other child of the role serves. */
static bool
is_alone(const struct child *c)
{
	const struct child *other;

	TAILQ_FOREACH(other, &c->sup->children, entry)
		if (other != c && other->role == c->role && child_is_serving(other))
			return false;
	return true;
}

/* Whether c can be started now; otherwise it awaits what it needs, or *failed says that this does not come. */
static bool
children_reach(struct child *c, enum life_event *failed)
{
	struct err err = { .code = ERR_NONE };

	*failed = LIFE_EVENTS;
	c->awaits = false;
	if (!ipc_role_is_pooled(c->role) || c->tells_only)
		return true;
	switch (reach_ask(c->sup, c->connection, &err)) {
	case REACH_NOW:
		return true;
	case REACH_LATER:
		c->awaits = true;
		return false;
	case REACH_NEVER:
		break;
	}
	snprintf(c->why, sizeof(c->why), "%.500s", err.message);
	*failed = LIFE_DIED_CONNECTION;
	return false;
}

/* False if there is no process, and none to come; *failed is the event to feed then. */
static bool
children_spawn(struct child *c, enum life_event *failed)
{
	struct supervisor *sup = c->sup;
	struct err err = { .code = ERR_NONE };

	if (!children_reach(c, failed))
		return *failed == LIFE_EVENTS;
	buf_wipe(&c->process.config.body);
	c->process.config.type = 0;
	c->process.config.alone = is_alone(c);
	if (!c->tells_only && configure_pack(sup, sup->cfg, c->role, c->connection, &c->process.config, &err) != 0) {
		snprintf(c->why, sizeof(c->why), "%.500s", err.message);
		log_error("%s is not started: %s", c->label, err.message);
		*failed = LIFE_DIED_REFUSED;
		return false;
	}
	if (process_start(&c->process, sup->bin_dir, configure_binary(sup->cfg, c->role, c->connection),
		CONTRACT_READY_MS * CLOCK_MS, &err) != 0) {
		snprintf(c->why, sizeof(c->why), "%.250s", err.message);
		log_error("%s: %s", c->label, err.message);
		*failed = LIFE_DIED_OUTSIDE;
		return false;
	}
	c->started_unix_ms = clock_unix_ms();
	c->on_writable = mem_must(event_new(sup->base, c->process.control, EV_WRITE, control_writable, c));
	return true;
}

void
child_feed(struct child *c, enum life_event event, bool answered)
{
	struct supervisor *sup = c->sup;
	bool ready = event == LIFE_READY;
	char *connection = c->connection[0] != '\0' ? mem_text(span_str(c->connection)) : NULL;
	enum life_state was = c->life.state;
	enum life_action action;

	/* A failed start is an event too; the table never answers it with another start at once. */
	while ((action = life_step(&c->life, event, clock_ns(), answered)) == LIFE_SPAWN) {
		if (was != LIFE_IDLE && !c->seeks) {
			c->restarts++;
			metering_restarted(c);
		}
		if (c->on_due != NULL)
			event_del(c->on_due);
		if (children_spawn(c, &event))
			break;
		answered = false;
	}
	switch (action) {
	case LIFE_WAIT:
		wait_until_due(c);
		c->settled = true;
		break;
	case LIFE_FORGET:
		child_free(c);
		c = NULL;
		if (sup->phase >= PHASE_DRAINING)
			event_active(sup->on_tick, EV_TIMEOUT, 1); /* this may have been the last child */
		break;
	case LIFE_IMPOSSIBLE:
		log_error("%s: event %d in state %s", c->label, (int)event, life_state_name(c->life.state));
		break;
	case LIFE_SPAWN:
	case LIFE_TELL:
	case LIFE_NOTHING:
		break;
	}
	if (c != NULL) {
		c->settled = c->settled || c->restarts > 0 || c->life.state == LIFE_HELD || child_is_serving(c);
		if (ready && child_is_serving(c))
			wiring_ready(c);
	}
	if (connection != NULL)
		wiring_connection(sup, connection);
	free(connection);
	wiring_settle(sup);
}

static void
child_go_on(struct child *c, const char *why)
{
	enum life_event event = LIFE_DIED_CONNECTION;

	c->awaits = false;
	if (why != NULL) {
		snprintf(c->why, sizeof(c->why), "%s", why);
		log_warn("%s: %s", c->label, why);
	} else if (children_spawn(c, &event))
		return;
	child_feed(c, event, false);
}

void
children_go_on(struct supervisor *sup, const char *connection, const char *why)
{
	struct child *c, *next;

	for (c = TAILQ_FIRST(&sup->children); c != NULL; c = next) {
		next = TAILQ_NEXT(c, entry);
		if (c->awaits && strcmp(c->connection, connection) == 0)
			child_go_on(c, why);
	}
}

void
child_stop(struct child *c, unsigned grace_ms)
{
	bool awaited = c->awaits;

	struct ipc_shutdown msg = { .grace_ms = grace_ms };

	if (c->process.pid >= 0 && c->life.state != LIFE_LEAVING) {
		post(c, IPC_MSG_SHUTDOWN, &msg, -1);
		process_settled(&c->process);
		process_hurry(&c->process, (grace_ms + LEAVE_EXTRA_MS) * CLOCK_MS, DEATH_BY_STOP);
	}
	c->awaits = false;
	child_feed(c, LIFE_STOP, false);
	if (awaited) /* there is no process whose end could be waited for */
		child_feed(c, LIFE_DIED_OUTSIDE, false);
}

/* The deadline of the request it serves; 0 when it serves none. */
static uint64_t
deadline_of(const struct child *c, uint64_t now)
{
	uint64_t deadline = atomic_load_explicit(&c->process.watch->deadline_ns, memory_order_relaxed);

	return deadline > now + DEADLINE_MAX_NS ? 0 : deadline;
}

/* Only idle children are pinged: a child that serves a request has a deadline instead. */
static void
ping(struct child *c, uint64_t now, uint64_t deadline)
{
	if (deadline != 0 && c->owes_since_ns != 0)
		c->owes_since_ns = now;
	if (c->owes_since_ns != 0 && now - c->owes_since_ns > CONTRACT_PONG_MS * CLOCK_MS) {
		log_error("%s has not answered for %u s", c->label, CONTRACT_PONG_MS / 1000);
		child_kill(c, DEATH_BY_WATCHDOG);
	}
	if (deadline != 0 || c->owes_since_ns != 0 || now - c->pinged_ns < CONTRACT_PING_MS * CLOCK_MS)
		return;
	send_ping(c, now);
}

static void
tick(struct child *c, uint64_t now)
{
	uint64_t deadline;

	if (c->process.pid < 0 || c->process.killed_by != DEATH_BY_OTHERS || process_tick(&c->process, now))
		return;
	if (!child_is_serving(c))
		return;
	deadline = deadline_of(c, now);
	if (deadline != 0 && now > deadline + CONTRACT_STUCK_MS * CLOCK_MS) {
		log_error("%s is %u s past its deadline", c->label, CONTRACT_STUCK_MS / 1000);
		child_kill(c, DEATH_BY_WATCHDOG);
		return;
	}
	ping(c, now, deadline);
}

void
children_tick(struct supervisor *sup, uint64_t now_ns)
{
	struct child *c, *next;

	for (c = TAILQ_FIRST(&sup->children); c != NULL; c = next) {
		next = TAILQ_NEXT(c, entry);
		tick(c, now_ns);
	}
}
