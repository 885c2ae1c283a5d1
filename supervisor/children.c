/* children.c - child processes: started, read from, watched and reaped, as the table of restart.h says. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "supervisor/events.h"
#include "supervisor/supervisor.h"

#define HANG_UP_NS	(2 * CLOCK_SECOND)	/* from closing its control channel to its death */
#define LEAVE_EXTRA_MS	1000			/* beyond the grace that SHUTDOWN gave */
#define NEEDED_WAIT_MS	1000			/* none that serving needs waits longer */

/* No tool has a longer budget; a watch page with a later deadline is false and counts as idle. */
#define DEADLINE_MAX_NS	(2 * UINT64_C(3600) * CLOCK_SECOND)

static void
copy_text(char *out, size_t cap, struct span s)
{
	size_t len = utf8_cut(s.p, s.len, cap - 1);

	if (len > 0)
		memcpy(out, s.p, len);
	out[len] = '\0';
	for (char *p = out; *p != '\0'; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
}

bool
child_is_serving(const struct child *c)
{
	return c->life.state == LIFE_SERVING;
}

/* --- a place in the household ------------------------------------------------ */

static const char *
binary_of(const struct supervisor *sup, enum ipc_role role, const char *connection)
{
	const char *binary = ipc_role_row(role)->binary;

	if (!ipc_role_has_drivers(role))
		return binary;
	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		if (strcmp(sup->cfg->connections[i].id, connection) == 0 && sup->cfg->connections[i].driver != NULL)
			return sup->cfg->connections[i].driver->binary;
	/* Without a connection the worker only announces its tools, which are the same for all drivers. */
	return drivers[0].binary;
}

struct child *
child_new(struct supervisor *sup, enum ipc_role role, const char *connection, unsigned index)
{
	struct child *c = mem_new(1, sizeof(*c));

	c->connection = mem_text(span_str(connection));
	c->label = mem_printf("%s%s%s %u", ipc_role_name(role), *connection != '\0' ? " " : "", connection, index + 1);
	c->sup = sup;
	c->role = role;
	c->index = index;
	c->binary = binary_of(sup, role, connection);
	c->process = (struct spawned){ .pid = -1, .pidfd = -1, .control = -1, .log = -1 };
	TAILQ_INIT(&c->out);
	life_init(&c->life, (ipc_role_row(role)->traits & IPC_NEEDED) != 0 ? NEEDED_WAIT_MS : 0);
	TAILQ_INSERT_TAIL(&sup->children, c, entry);
	return c;
}

void
drop_event(struct event **ev)
{
	if (*ev != NULL)
		event_free(*ev);
	*ev = NULL;
}

/* Releases everything that belonged to the process. */
static void
drop_process(struct child *c)
{
	drop_event(&c->on_control);
	drop_event(&c->on_writable);
	drop_event(&c->on_exit);
	drop_event(&c->on_log);
	post_drop(c);
	spawn_close(&c->process);
	c->greet = GREET_NEW;
	c->killed_by = DEATH_BY_OTHERS;
	c->said_why = c->told_serve = false;
	c->heard_since_ns = 0;
	c->heard = 0;
	c->hung_up_ns = c->leave_by_ns = c->pinged_ns = c->owes_since_ns = 0;
	log_lines_end(&c->lines);
	buf_wipe(&c->config.body);
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
	commit_forget(c);
	drop_process(c);
	drop_event(&c->on_due);
	buf_fini(&c->report);
	free(c->connection);
	free(c->label);
	free(c);
}

/* --- what a child says -------------------------------------------------------- */

/* A child that breaks the protocol is killed; its messages are not guessed at. */
static void
protocol_broken(struct child *c, const char *what, enum ipc_fault fault)
{
	log_error("%s broke the control protocol: %s (%s)", c->label, what, ipc_fault_name(fault));
	child_kill(c, DEATH_BY_FAULT);
}

static void
on_hello(struct child *c, const struct ipc_hello *msg)
{
	if (msg->version != IPC_VERSION)
		log_error("%s speaks version %llu of the protocol, this supervisor %u", c->label,
		    (unsigned long long)msg->version, IPC_VERSION);
	if (c->tells_only)
		return;
	post_packed(c, c->config.type, buf_view(&c->config.body), -1);
	buf_wipe(&c->config.body);
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
on_ready(struct child *c, const struct ipc_ready *msg)
{
	c->landlock_abi = msg->landlock_abi;
	c->namespaces = msg->namespaces != 0;
	c->degraded = msg->degraded != 0;
	copy_text(c->note, sizeof(c->note), msg->note);
	c->why[0] = '\0';
	log_info("%s is ready (pid %d)", c->label, (int)c->process.pid);
	if (c->degraded)
		log_warn("%s serves without full confinement: %s", c->label, c->note);
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
	copy_text(c->why, sizeof(c->why), msg->reason);
	c->said_why = true;
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

static void
children_dispatch(struct child *c, unsigned type, const union ipc_any *msg)
{
	switch (type) {
	case IPC_MSG_HELLO:
		on_hello(c, &msg->hello);
		break;
	case IPC_MSG_TOOLS:
		on_tools(c, &msg->tools);
		break;
	case IPC_MSG_READY:
		on_ready(c, &msg->ready);
		break;
	case IPC_MSG_UNABLE:
		on_unable(c, &msg->unable);
		break;
	case IPC_MSG_PONG:
		c->owes_since_ns = 0;
		break;
	case IPC_MSG_COMPLAINT:
		wiring_complaint(c, &msg->complaint);
		break;
	case IPC_MSG_STATUS_GET:
		on_status_get(c, &msg->status_get);
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
		commit_order(c, &msg->commit);
		break;
	default:
		break; /* PROBED: only verify asks for it */
	}
}

/* Protects the loop from a child that sends too much.  False: the child has used up its share of this second. */
static bool
may_go_on(struct child *c, size_t len)
{
	uint64_t now = clock_ns();

	if (now - c->heard_since_ns >= CLOCK_SECOND) {
		c->heard_since_ns = now;
		c->heard = 0;
	}
	c->heard += 1 + (unsigned)(len / 4096);
	return c->heard <= SUPERVISOR_HEARD_MAX;
}

static void
take_message(struct child *c, const struct ipc_frame *frame)
{
	enum greet_state next = greet_next(c->greet, frame->type);
	union ipc_any msg;
	enum ipc_fault fault = ipc_unpack_any(frame->type, c->role, IPC_SUPERVISOR, frame->body, &msg);

	if (fault == IPC_OK && next == GREET_STATES)
		fault = IPC_OUT_OF_STATE;
	if (!may_go_on(c, frame->body.len)) {
		log_error("%s floods its control channel", c->label);
		child_kill(c, DEATH_BY_FAULT);
		return;
	}
	if (fault != IPC_OK) {
		protocol_broken(c, ipc_type_name(frame->type), fault);
		return;
	}
	c->greet = next;
	children_dispatch(c, frame->type, &msg);
}

/* Reads everything that waits; messages sent before a death still count. */
static void
listen_to(struct child *c)
{
	struct buf packet = { 0 };
	struct ipc_frame frame;
	enum ipc_fault fault;
	int passed;

	/* A bounded number at a time, so that the other children are served. */
	for (int i = 0; i < 64 && c->process.pid >= 0 && c->killed_by != DEATH_BY_FAULT; i++) {
		switch (control_recv(c->process.control, &packet, &frame, &passed, &fault)) {
		case CHANNEL_FRAME:
			if (passed >= 0)
				close(passed);
			take_message(c, &frame);
			continue;
		case CHANNEL_BROKEN:
			protocol_broken(c, "a packet", fault);
			break;
		case CHANNEL_CLOSED:
			if (c->hung_up_ns == 0)
				c->hung_up_ns = clock_ns();
			event_del(c->on_control);
			break;
		case CHANNEL_MORE:
			break;
		}
		break;
	}
	buf_fini(&packet);
}

static void
control_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	listen_to(arg);
}

static void
control_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	post_continue(arg);
}

static void
log_readable(evutil_socket_t fd, short what, void *arg)
{
	struct child *c = arg;

	(void)what;
	if (!log_file_drain(&c->sup->log, &c->lines, fd, c->binary, (int)c->process.pid, false))
		drop_event(&c->on_log);
}

/* --- death --------------------------------------------------------------------- */

static void
note_death(struct child *c, const struct death *d)
{
	char text[128];

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

/* Not those that were told to end, and did. */
static void
record_death(struct child *c, const struct death *d)
{
	bool asked = c->life.state == LIFE_LEAVING || (!d->signalled && d->status == EXIT_STOPPED);

	if (!asked)
		events_tell(c->sup, AUDIT_ACTION_WORKER_DEATH,
		    death_cause(d) == IPC_DETACH_PLANNED ? AUDIT_OUTCOME_OK : AUDIT_OUTCOME_ERROR, c->label,
		    c->last_exit);
}

static void
child_ended(struct child *c, const struct death *d)
{
	bool answered = atomic_load_explicit(&c->process.watch->answered, memory_order_relaxed) > 0;
	bool back_soon = child_is_serving(c) && death_event(d) != LIFE_DIED_REFUSED;
	enum ipc_detach_cause cause = c->life.state == LIFE_LEAVING ? IPC_DETACH_PLANNED : death_cause(d);

	note_death(c, d);
	/* Keep the exit reason for status, unless the worker served before and will be restarted. */
	if (back_soon)
		c->why[0] = '\0';
	else if (!c->said_why)
		snprintf(c->why, sizeof(c->why), "%s", c->last_exit);
	drop_process(c);
	record_death(c, d);
	commit_forget(c);
	wiring_lost(c, cause);
	if (c->role == IPC_FRONT)
		household_front_died(c, d);
	child_feed(c, death_event(d), answered);
}

static void
process_exited(evutil_socket_t fd, short what, void *arg)
{
	struct child *c = arg;
	siginfo_t info = { .si_pid = 0 };
	struct death d = { .by = DEATH_BY_OTHERS };

	(void)what;
	if (waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
		return;
	/* Reads the last messages of the dead process, a limited number. */
	for (int i = 0; i < 64 && c->hung_up_ns == 0 && c->killed_by != DEATH_BY_FAULT; i++)
		listen_to(c);
	if (c->on_log != NULL)
		log_file_drain(&c->sup->log, &c->lines, c->process.log, c->binary, (int)c->process.pid, true);
	d.signalled = info.si_code != CLD_EXITED;
	d.status = info.si_status;
	/* Our SIGKILL counts only if it was the cause of death. */
	if (d.signalled && d.status == SIGKILL)
		d.by = c->killed_by;
	else if (c->killed_by == DEATH_BY_FAULT)
		d.by = DEATH_BY_FAULT;
	child_ended(c, &d);
}

void
child_kill(struct child *c, enum death_by by)
{
	if (c->process.pid < 0 || c->killed_by != DEATH_BY_OTHERS)
		return;
	c->killed_by = by;
	syscall(SYS_pidfd_send_signal, c->process.pidfd, SIGKILL, NULL, 0);
}

/* --- birth --------------------------------------------------------------------- */

static struct event *
watch_fd(struct child *c, int fd, short what, event_callback_fn fn)
{
	return mem_must(event_new(c->sup->base, fd, what, fn, c));
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
		c->on_due = watch_fd(c, -1, 0, come_due);
	event_add(c->on_due, &tv);
}

/* False if there is no process; *failed is the event to feed then. */
static bool
children_spawn(struct child *c, enum life_event *failed)
{
	struct supervisor *sup = c->sup;
	struct err err = { .code = ERR_NONE };

	c->binary = binary_of(sup, c->role, c->connection);
	buf_wipe(&c->config.body);
	if (!c->tells_only && configure_pack(sup, sup->cfg, c->role, c->connection, &c->config, &err) != 0) {
		snprintf(c->why, sizeof(c->why), "%.500s", err.message);
		log_error("%s is not started: %s", c->label, err.message);
		*failed = LIFE_DIED_REFUSED;
		return false;
	}
	if (spawn_child(sup->bin_dir, c->binary, &c->process, &err) != 0) {
		snprintf(c->why, sizeof(c->why), "%.250s", err.message);
		log_error("%s: %s", c->label, err.message);
		*failed = LIFE_DIED_OUTSIDE;
		return false;
	}
	c->started_unix_ms = clock_unix_ms();
	c->on_control = watch_fd(c, c->process.control, EV_READ | EV_PERSIST, control_readable);
	c->on_writable = watch_fd(c, c->process.control, EV_WRITE, control_writable);
	c->on_exit = watch_fd(c, c->process.pidfd, EV_READ | EV_PERSIST, process_exited);
	c->on_log = watch_fd(c, c->process.log, EV_READ | EV_PERSIST, log_readable);
	event_add(c->on_control, NULL);
	event_add(c->on_exit, NULL);
	event_add(c->on_log, NULL);
	return true;
}

/* --- the table's orders --------------------------------------------------------- */

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
		c->restarts += was != LIFE_IDLE;
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

void
child_stop(struct child *c, unsigned grace_ms)
{
	struct ipc_shutdown msg = { .grace_ms = grace_ms };

	if (c->process.pid >= 0 && c->life.state != LIFE_LEAVING) {
		post(c, IPC_MSG_SHUTDOWN, &msg, -1);
		c->leave_by_ns = clock_ns() + (grace_ms + LEAVE_EXTRA_MS) * CLOCK_MS;
	}
	child_feed(c, LIFE_STOP, false);
}

/* --- time ----------------------------------------------------------------------- */

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

	if (c->process.pid < 0 || c->killed_by != DEATH_BY_OTHERS)
		return;
	if (c->leave_by_ns != 0 && now > c->leave_by_ns) {
		child_kill(c, DEATH_BY_STOP);
		return;
	}
	if (c->hung_up_ns != 0 && now - c->hung_up_ns > HANG_UP_NS) {
		child_kill(c, DEATH_BY_FAULT);
		return;
	}
	if (c->life.state == LIFE_STARTING && now - c->life.since_ns > CONTRACT_READY_MS * CLOCK_MS) {
		child_kill(c, DEATH_BY_SLOW_START);
		return;
	}
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
