#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "supervisor/spawn.h"
#include "ipc/control.h"

#define FRAMES_MAX	64			/* heard at a time, so that the other processes are served */
#define HANG_UP_NS	(2 * CLOCK_SECOND)	/* from closing its control channel to its death */

void
drop_event(struct event **ev)
{
	if (*ev != NULL)
		event_free(*ev);
	*ev = NULL;
}

void
process_text(char *out, size_t cap, struct span s)
{
	size_t len = utf8_cut(s.p, s.len, cap - 1);

	if (len > 0)
		memcpy(out, s.p, len);
	out[len] = '\0';
	for (char *p = out; *p != '\0'; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
}

void
process_init(struct process *p, enum ipc_role role, const struct process_hooks *hooks, void *arg,
    struct event_base *base, struct log_file *log_to)
{
	*p = (struct process){ .role = role, .hooks = hooks, .arg = arg, .base = base, .log_to = log_to,
		.pid = -1, .pidfd = -1, .control = -1, .log = -1 };
}

void
process_kill(struct process *p, enum death_by by)
{
	if (p->pid < 0 || p->killed_by != DEATH_BY_OTHERS)
		return;
	p->killed_by = by;
	(void)syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0);
}

void
process_hurry(struct process *p, uint64_t ns, enum death_by by)
{
	uint64_t deadline = clock_ns() + ns;

	if (p->deadline_ns != 0 && p->deadline_ns <= deadline)
		return;
	p->deadline_ns = deadline;
	p->late_by = by;
}

void
process_settled(struct process *p)
{
	if (p->late_by == DEATH_BY_SLOW_START)
		p->deadline_ns = 0;
}

bool
process_tick(struct process *p, uint64_t now_ns)
{
	if (p->pid < 0 || p->killed_by != DEATH_BY_OTHERS || p->deadline_ns == 0 || now_ns <= p->deadline_ns)
		return false;
	process_kill(p, p->late_by);
	return true;
}

/* A process that breaks the protocol is killed; its messages are not guessed at. */
static void
process_broken(struct process *p, const char *what, enum ipc_fault fault)
{
	process_kill(p, DEATH_BY_FAULT);
	if (p->hooks->broken != NULL)
		p->hooks->broken(p->arg, what, fault);
}

static void
process_configure(struct process *p, const struct ipc_hello *msg)
{
	if (msg->version != ipc_version())
		log_error("%s is of another build: it speaks version %016llx of the protocol, this supervisor %016llx",
		    p->binary, (unsigned long long)msg->version, (unsigned long long)ipc_version());
	/* The first message: there is room for it. */
	if (p->config.type != 0)
		(void)control_send_packed(p->control, p->config.type, buf_view(&p->config.body), -1);
	buf_wipe(&p->config.body);
}

static void
process_confined(struct process *p, const struct ipc_ready *msg)
{
	p->landlock_abi = msg->landlock_abi;
	p->namespaces = msg->namespaces != 0;
	p->degraded = msg->degraded != 0;
	p->asks = msg->asks != 0;
	process_text(p->note, sizeof(p->note), msg->note);
	process_settled(p);
}

/* False: the rest is not to be read now. */
static bool
process_take(struct process *p, const struct ipc_frame *frame)
{
	enum greet_state next = greet_next(p->greet, frame->type);
	union ipc_any msg;
	enum ipc_fault fault = ipc_unpack_any(frame->type, p->role, IPC_SUPERVISOR, frame->body, &msg);

	if (fault == IPC_OK && next == GREET_STATES)
		fault = IPC_OUT_OF_STATE;
	if (fault != IPC_OK) {
		process_broken(p, ipc_type_name(frame->type), fault);
		return false;
	}
	p->greet = next;
	if (frame->type == IPC_MSG_HELLO)
		process_configure(p, &msg.hello);
	else if (frame->type == IPC_MSG_READY)
		process_confined(p, &msg.ready);
	return p->hooks->frame(p->arg, frame, &msg) && p->pid >= 0 && p->killed_by != DEATH_BY_FAULT;
}

/* Reads a limited number of what waits; messages sent before a death still count. */
static void
process_listen(struct process *p)
{
	struct buf packet = { 0 };
	struct ipc_frame frame;
	enum ipc_fault fault;
	int passed;

	for (int i = 0; i < FRAMES_MAX && p->pid >= 0 && p->killed_by != DEATH_BY_FAULT; i++) {
		enum channel_status status = control_recv(p->control, &packet, &frame, &passed, &fault);

		if (status == CHANNEL_FRAME && passed >= 0)
			close(passed);
		if (status == CHANNEL_FRAME && process_take(p, &frame))
			continue;
		if (status == CHANNEL_BROKEN)
			process_broken(p, "a packet", fault);
		if (status == CHANNEL_CLOSED) {
			p->hung_up = true;
			process_hurry(p, HANG_UP_NS, DEATH_BY_FAULT);
			if (p->on_control != NULL)
				event_del(p->on_control);
		}
		break;
	}
	buf_fini(&packet);
}

/* False: its log has ended. */
static bool
process_drain(struct process *p, bool final)
{
	return log_file_drain(p->log_to, &p->lines, p->log, p->binary, (int)p->pid, final);
}

bool
process_look(struct process *p, const int others[2], int ms)
{
	struct pollfd fds[] = { { p->hung_up ? -1 : p->control, POLLIN, 0 }, { p->log, POLLIN, 0 },
		{ others[0], POLLIN, 0 }, { others[1], POLLIN, 0 } };

	if (poll(fds, sizeof(fds) / sizeof(fds[0]), ms) > 0) {
		if (fds[1].revents != 0)
			(void)process_drain(p, false);
		process_listen(p);
	}
	return !p->hung_up && p->killed_by == DEATH_BY_OTHERS;
}

static bool
process_collect(struct process *p, int options, struct death *d)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | options) != 0 || info.si_pid == 0)
		return false;
	*d = (struct death){ .signalled = info.si_code != CLD_EXITED, .status = info.si_status,
		.by = DEATH_BY_OTHERS };
	return true;
}

bool
process_reap(struct process *p, struct death *d)
{
	return p->pid >= 0 && process_collect(p, 0, d);
}

static void
process_exited(evutil_socket_t fd, short what, void *arg)
{
	struct process *p = arg;
	struct death d;

	(void)fd, (void)what;
	if (!process_collect(p, WNOHANG, &d))
		return;
	/* Reads the last messages of the dead process, a limited number. */
	for (int i = 0; i < FRAMES_MAX && !p->hung_up && p->killed_by != DEATH_BY_FAULT; i++)
		process_listen(p);
	if (p->on_log != NULL)
		(void)process_drain(p, true);
	/* Our SIGKILL counts only if it was the cause of death. */
	if ((d.signalled && d.status == SIGKILL) || p->killed_by == DEATH_BY_FAULT)
		d.by = p->killed_by;
	p->hooks->ended(p->arg, &d);
}

static void
control_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	process_listen(arg);
}

static void
log_readable(evutil_socket_t fd, short what, void *arg)
{
	struct process *p = arg;

	(void)fd, (void)what;
	if (!process_drain(p, false))
		drop_event(&p->on_log);
}

static struct event *
process_watch(struct process *p, int fd, event_callback_fn fn)
{
	struct event *ev = mem_must(event_new(p->base, fd, EV_READ | EV_PERSIST, fn, p));

	event_add(ev, NULL);
	return ev;
}

int
process_start(struct process *p, const char *dir, const char *name, uint64_t ns, struct err *err)
{
	p->binary = name;
	if (spawn_process(dir, name, p, err) != 0)
		return -1;
	if (ns != 0)
		process_hurry(p, ns, DEATH_BY_SLOW_START);
	if (p->base == NULL)
		return 0;
	p->on_control = process_watch(p, p->control, control_readable);
	p->on_exit = process_watch(p, p->pidfd, process_exited);
	p->on_log = process_watch(p, p->log, log_readable);
	return 0;
}

void
process_close(struct process *p)
{
	drop_event(&p->on_control);
	drop_event(&p->on_exit);
	drop_event(&p->on_log);
	spawn_close(p);
	buf_wipe(&p->config.body);
	log_lines_end(&p->lines);
	p->greet = GREET_NEW;
	p->killed_by = DEATH_BY_OTHERS;
	p->hung_up = false;
	p->deadline_ns = 0;
	p->landlock_abi = 0;
	p->namespaces = p->degraded = false;
	p->note[0] = '\0';
}
