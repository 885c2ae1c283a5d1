/* child_driver.c - see child_driver.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "tests/support/child_driver.h"

#define FRONTS_MAX	8
#define HIGH_FD		20	/* above every descriptor the child gets */

struct waiting {
	struct waiting		*next;
	struct driver_answer	 answer;
	uint64_t		 id;
	unsigned		 front;
	struct buf		 rows, progress, result, message, details, next_call;
};

struct driver {
	enum ipc_role		 role;
	pid_t			 pid;
	int			 control, log_fd, watch_fd;
	struct contract_watch	*watch;
	bool			 ended;
	int			 code;

	bool			 hello, tools_came, is_ready, unable;
	struct buf		 control_in, tools, reason, log, note, report;
	struct ipc_ready	 ready;
	unsigned		 pongs, complaints;
	bool			 probed;
	struct ipc_probed	 probe;

	struct channel		 fronts[FRONTS_MAX];
	unsigned		 nfronts, current;
	uint64_t		 next_id;
	struct waiting		*calls;
	unsigned		 budget_ms;
	uint32_t		 scopes;
	bool			 progress, credit;

	driver_on_subcall	*on_subcall;
	void			*subcall_arg;
	unsigned		 sub_credit;
	bool			 sub_cancelled;
};

/* A broken test machine, not a broken child. */
static void
must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "child_driver: %s: %s\n", what, strerror(errno));
	abort();
}

/* --- starting --------------------------------------------------------------------- */

static int
high(int fd)
{
	int up = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);

	must(up != -1, "dup");
	close(fd);
	return up;
}

static void
become(const char *binary, const struct driver_options *o, int control, int watch, int log_fd)
{
	static char faults[512];
	char *argv[] = { (char *)(uintptr_t)binary, NULL };
	char *envp[] = { faults, NULL };
	int r;

	if (o != NULL && o->faults != NULL)
		snprintf(faults, sizeof(faults), "CARREL_FAULTS=%s", o->faults);
	else
		envp[0] = NULL;
	if (o != NULL && o->uid != 0 &&
	    (setresgid(o->uid, o->uid, o->uid) == -1 || setresuid(o->uid, o->uid, o->uid) == -1))
		_exit(EXIT_EXEC);
	if (dup2(open("/dev/null", O_RDWR), 0) == -1 || dup2(0, 1) == -1 || dup2(log_fd, 2) == -1 ||
	    dup2(control, CONTRACT_FD_CONTROL) == -1 || dup2(watch, CONTRACT_FD_WATCH) == -1)
		_exit(EXIT_EXEC);
	if (o != NULL && o->before_exec != NULL && (r = o->before_exec(o->arg)) != 0)
		_exit(r);
	execve(binary, argv, envp);
	_exit(EXIT_EXEC);
}

struct driver *
driver_spawn(const char *binary, enum ipc_role role, const struct driver_options *options)
{
	struct driver *d = calloc(1, sizeof(*d));
	int control[2], log_pipe[2];

	must(d != NULL, "memory");
	d->role = role;
	d->budget_ms = DRIVER_BUDGET_MS;
	d->scopes = UINT32_MAX;
	d->progress = d->credit = true;
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0, "socketpair");
	must(pipe2(log_pipe, O_CLOEXEC) == 0, "pipe");
	d->watch_fd = high(memfd_create("watch", MFD_CLOEXEC));
	must(ftruncate(d->watch_fd, 4096) == 0, "ftruncate");
	d->watch = mmap(NULL, sizeof(*d->watch), PROT_READ | PROT_WRITE, MAP_SHARED, d->watch_fd, 0);
	must(d->watch != MAP_FAILED, "mmap");
	control[1] = high(control[1]);
	log_pipe[1] = high(log_pipe[1]);
	if ((d->pid = fork()) == 0)
		become(binary, options, control[1], d->watch_fd, log_pipe[1]);
	must(d->pid != -1, "fork");
	close(control[1]);
	close(log_pipe[1]);
	d->control = control[0];
	d->log_fd = log_pipe[0];
	must(fcntl(d->log_fd, F_SETFL, O_NONBLOCK) == 0, "fcntl");
	return d;
}

/* --- JSON and msgpack --------------------------------------------------------------- */

static void
to_mp(const char *json, struct buf *out)
{
	size_t at;
	enum json_fault fault = json_read(span_str(json), out, &at);

	if (fault == JSON_OK)
		return;
	fprintf(stderr, "child_driver: the test's own JSON: %s at %zu in %s\n", json_fault_text(fault), at,
	    json);
	abort();
}

static void
to_json(struct span raw, struct buf *out)
{
	struct mp_value v;

	if (mp_value(raw, &v))
		json_write(out, &v);
}

/* The members of a map, each followed by a comma. */
static void
put_members(struct span map, struct buf *out)
{
	struct mp_value v, member;
	struct mp_iter it;
	struct span key;

	if (!mp_value(map, &v))
		return;
	it = mp_iter(&v);
	while (mp_next_pair(&it, &key, &member)) {
		json_write_string(out, key);
		buf_byte(out, ':');
		json_write(out, &member);
		buf_byte(out, ',');
	}
}

/* Turn the last comma, or the lack of one, into the end of a container. */
static void
close_json(struct buf *out, char end)
{
	if (out->len > 0 && out->p[out->len - 1] == ',')
		out->len--;
	buf_byte(out, (uint8_t)end);
}

static void
put_rows(struct span rows, struct buf *out)
{
	struct mp_value v, row, cell;
	struct mp_iter it, cells;

	if (!mp_value(rows, &v))
		return;
	it = mp_iter(&v);
	while (mp_next(&it, &row)) {
		buf_byte(out, '[');
		cells = mp_iter(&row);
		while (mp_next(&cells, &cell)) {
			json_write_cell(out, &cell);
			buf_byte(out, ',');
		}
		close_json(out, ']');
		buf_byte(out, ',');
	}
}

/* --- calls ------------------------------------------------------------------------------ */

static struct waiting *
find_call(struct driver *d, uint64_t id)
{
	for (struct waiting *w = d->calls; w != NULL; w = w->next)
		if (w->id == id)
			return w;
	return NULL;
}

static const char *
finished(struct buf *b, char open, char end)
{
	struct buf out = { .max = 0 };

	if (open != '\0') {
		buf_byte(&out, (uint8_t)open);
		buf_span(&out, buf_view(b));
		close_json(&out, end);
		buf_fini(b);
		*b = out;
	}
	return buf_cstr(b);
}

/* Build the texts; further frames of the call are a fault the tests would see. */
static void
conclude(struct waiting *w, enum driver_kind kind)
{
	struct driver_answer *a = &w->answer;

	a->kind = kind;
	a->rows = finished(&w->rows, '[', ']');
	a->progress = finished(&w->progress, '[', ']');
	a->result = finished(&w->result, '\0', '\0');
	a->message = finished(&w->message, '\0', '\0');
	a->details = finished(&w->details, '\0', '\0');
	a->next = finished(&w->next_call, '\0', '\0');
}

static void
take_result(struct waiting *w, const struct ipc_result *msg)
{
	buf_byte(&w->result, '{');
	put_members(msg->head, &w->result);
	if (msg->rows_field.len > 0) {
		json_write_string(&w->result, msg->rows_field);
		buf_str(&w->result, ":[");
		buf_span(&w->result, buf_view(&w->rows));
		close_json(&w->result, ']');
		buf_byte(&w->result, ',');
	}
	put_members(msg->tail, &w->result);
	close_json(&w->result, '}');
	conclude(w, DRIVER_RESULT);
}

static void
take_continue(struct waiting *w, const struct ipc_continue_with *msg)
{
	struct buf *out = &w->next_call;

	buf_str(out, "{\"tool\":");
	json_write_string(out, msg->tool);
	buf_str(out, ",\"connection\":");
	json_write_string(out, msg->connection);
	buf_str(out, ",\"args\":");
	to_json(msg->args, out);
	buf_str(out, ",\"head\":");
	to_json(msg->head, out);
	buf_byte(out, '}');
	conclude(w, DRIVER_CONTINUE);
}

static void
take_subcall(struct driver *d, uint64_t id, const struct ipc_subcall *msg)
{
	struct buf tool = { .max = 0 }, connection = { .max = 0 }, args = { .max = 0 };

	buf_span(&tool, msg->tool);
	buf_span(&connection, msg->connection);
	to_json(msg->args, &args);
	if (d->on_subcall != NULL)
		d->on_subcall(d, d->subcall_arg, id, buf_cstr(&tool), buf_cstr(&connection),
		    buf_cstr(&args));
	else
		driver_sub_fail(d, id, ERR_SERVICE_UNAVAILABLE, "nobody answers sub-calls here");
	buf_fini(&tool);
	buf_fini(&connection);
	buf_fini(&args);
}

union any {
	struct ipc_progress		progress;
	struct ipc_rows			rows;
	struct ipc_result		result;
	struct ipc_fail			fail;
	struct ipc_continue_with	next;
	struct ipc_subcall		subcall;
	struct ipc_credit		credit;
	struct ipc_cancel		cancel;
};

static void
take_call_frame(struct driver *d, struct channel *ch, struct waiting *w, unsigned type, const union any *msg)
{
	switch (type) {
	case IPC_MSG_PROGRESS:
		buf_printf(&w->progress, "[%llu,", (unsigned long long)msg->progress.permille);
		json_write_string(&w->progress, msg->progress.message);
		buf_str(&w->progress, "],");
		w->answer.steps++;
		break;
	case IPC_MSG_ROWS:
		put_rows(msg->rows.rows, &w->rows);
		w->answer.chunks++;
		if (d->credit)
			(void)channel_send(ch, IPC_MSG_CREDIT, w->id, &(struct ipc_credit){ .chunks = 1 });
		break;
	case IPC_MSG_RESULT:
		take_result(w, &msg->result);
		break;
	case IPC_MSG_FAIL:
		w->answer.code = err_name((enum err_code)msg->fail.code);
		buf_span(&w->message, msg->fail.message);
		to_json(msg->fail.details, &w->details);
		conclude(w, DRIVER_FAIL);
		break;
	case IPC_MSG_CONTINUE:
		take_continue(w, &msg->next);
		break;
	default:
		break;
	}
}

static bool
take_frame(struct driver *d, struct channel *ch, const struct ipc_frame *f)
{
	struct waiting *w;
	union any msg;

	if (ipc_schema(f->type)->size > sizeof(msg) ||
	    !channel_unpack(ch, f, &msg, ipc_schema(f->type)->size))
		return false;
	if (f->type == IPC_MSG_SUBCALL)
		take_subcall(d, f->id, &msg.subcall);
	else if (f->type == IPC_MSG_CREDIT)
		d->sub_credit += (unsigned)msg.credit.chunks;
	else if (f->type == IPC_MSG_CANCEL)
		d->sub_cancelled = true;
	else if ((w = find_call(d, f->id)) == NULL || w->answer.kind != DRIVER_OPEN)
		return false;
	else
		take_call_frame(d, ch, w, f->type, &msg);
	return true;
}

static void
lose(struct driver *d, unsigned front)
{
	channel_fini(&d->fronts[front]);
	for (struct waiting *w = d->calls; w != NULL; w = w->next)
		if (w->front == front && w->answer.kind == DRIVER_OPEN)
			conclude(w, DRIVER_LOST);
}

static void
read_front(struct driver *d, unsigned front)
{
	struct channel *ch = &d->fronts[front];
	enum channel_status status;
	struct ipc_frame f;

	(void)channel_read(ch);
	while ((status = channel_next(ch, &f)) == CHANNEL_FRAME)
		if (!take_frame(d, ch, &f)) {
			fprintf(stderr, "child_driver: the child sent a %s that makes no sense\n",
			    ipc_type_name(f.type));
			abort();
		}
	if (status == CHANNEL_BROKEN) {
		fprintf(stderr, "child_driver: the child broke the protocol: %s\n",
		    ipc_fault_name(ch->fault));
		abort();
	}
	if (status == CHANNEL_CLOSED)
		lose(d, front);
	else if (channel_flush(ch) == CHANNEL_CLOSED)
		lose(d, front);
}

/* --- control ---------------------------------------------------------------------------- */

static void
take_control(struct driver *d, const struct ipc_frame *f)
{
	union {
		struct ipc_hello	hello;
		struct ipc_tools	tools;
		struct ipc_ready	ready;
		struct ipc_unable	unable;
		struct ipc_pong		pong;
		struct ipc_complaint	complaint;
		struct ipc_report	report;
		struct ipc_probed	probed;
		struct ipc_session_ended ended;
		struct ipc_status_get	status;
	} msg;

	must(ipc_schema(f->type)->size <= sizeof(msg) &&
	    ipc_unpack(f->type, d->role, IPC_SUPERVISOR, f->body, &msg, ipc_schema(f->type)->size) == IPC_OK,
	    ipc_type_name(f->type));
	switch (f->type) {
	case IPC_MSG_HELLO:
		d->hello = msg.hello.version == IPC_VERSION;
		break;
	case IPC_MSG_TOOLS:
		d->tools_came = true;
		to_json(msg.tools.tools, &d->tools);
		break;
	case IPC_MSG_READY:
		d->is_ready = true;
		buf_span(&d->note, msg.ready.note);
		d->ready = msg.ready;
		d->ready.note = buf_view(&d->note);
		break;
	case IPC_MSG_UNABLE:
		d->unable = true;
		buf_reset(&d->reason, SIZE_MAX);
		buf_span(&d->reason, msg.unable.reason);
		break;
	case IPC_MSG_PONG:
		d->pongs++;
		break;
	case IPC_MSG_COMPLAINT:
		d->complaints++;
		break;
	case IPC_MSG_REPORT:
		buf_reset(&d->report, SIZE_MAX);
		to_json(msg.report.report, &d->report);
		break;
	case IPC_MSG_PROBED:
		d->probed = true;
		d->probe = msg.probed;
		break;
	default:
		break;
	}
}

static void
read_control(struct driver *d)
{
	struct ipc_frame f;
	enum ipc_fault fault;
	int fd;

	while (d->control != -1)
		switch (control_recv(d->control, &d->control_in, &f, &fd, &fault)) {
		case CHANNEL_FRAME:
			take_control(d, &f);
			break;
		case CHANNEL_MORE:
			return;
		default:
			close(d->control);
			d->control = -1;
		}
}

static void
read_log(struct driver *d)
{
	char text[4096];
	ssize_t n;

	while (d->log_fd != -1 && (n = read(d->log_fd, text, sizeof(text))) != -1)
		if (n > 0)
			buf_append(&d->log, text, (size_t)n);
		else {
			close(d->log_fd);
			d->log_fd = -1;
		}
}

static void
reap(struct driver *d, int flags)
{
	int status;

	if (d->ended || waitpid(d->pid, &status, flags) != d->pid)
		return;
	d->ended = true;
	d->code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void
driver_pump(struct driver *d, int ms)
{
	struct pollfd p[2 + FRONTS_MAX];
	nfds_t n = 2;

	p[0] = (struct pollfd){ d->control, POLLIN, 0 };
	p[1] = (struct pollfd){ d->log_fd, POLLIN, 0 };
	for (unsigned i = 0; i < d->nfronts; i++) {
		struct channel *ch = &d->fronts[i];

		p[n++] = (struct pollfd){ ch->fd, (short)(POLLIN | (channel_pending(ch) ? POLLOUT : 0)), 0 };
	}
	if (d->control == -1 && d->log_fd == -1 && ms > 10)
		ms = 10;	/* only the end itself is left to wait for */
	(void)poll(p, n, ms);
	read_control(d);
	read_log(d);
	for (unsigned i = 0; i < d->nfronts; i++)
		if (d->fronts[i].fd != -1)
			read_front(d, i);
	reap(d, WNOHANG);
}

bool
driver_until(struct driver *d, bool (*done)(struct driver *d, void *arg), void *arg)
{
	uint64_t until = clock_ns() + DRIVER_PATIENCE_MS * CLOCK_MS;

	while (!done(d, arg)) {
		if (clock_ns() >= until)
			return false;
		driver_pump(d, 100);
	}
	return true;
}

static bool
greeted(struct driver *d, void *arg)
{
	(void)arg;
	return d->ended || d->unable || (d->hello && (d->tools_came || d->role == IPC_FRONT));
}

static bool
settled(struct driver *d, void *arg)
{
	(void)arg;
	return d->ended || d->unable || d->is_ready;
}

bool
driver_configure(struct driver *d, unsigned type, const void *msg)
{
	if (!driver_until(d, greeted, NULL) || d->ended || d->unable)
		return false;
	must(control_send(d->control, type, msg, -1) == 0, "configuration");
	return driver_until(d, settled, NULL) && d->is_ready;
}

void
driver_control(struct driver *d, unsigned type, const void *msg)
{
	if (d->control != -1)
		(void)control_send(d->control, type, msg, -1);
}

void
driver_ping(struct driver *d)
{
	driver_control(d, IPC_MSG_PING, &(struct ipc_ping){ .serial = 1 });
}

void
driver_state(struct driver *d, const char *connection, unsigned state, const char *reason)
{
	driver_control(d, IPC_MSG_CONNECTION_STATE, &(struct ipc_connection_state){
	    .connection = span_str(connection), .state = state, .reason = span_str(reason) });
}

void
driver_shutdown(struct driver *d, unsigned grace_ms)
{
	driver_control(d, IPC_MSG_SHUTDOWN, &(struct ipc_shutdown){ .grace_ms = grace_ms });
}

static bool
probed_or_ended(struct driver *d, void *arg)
{
	(void)arg;
	return d->probed || d->ended;
}

int
driver_probe(struct driver *d, unsigned act, const char *project_dir, const char *database, const char *home)
{
	struct ipc_probe msg = {
		.act = act, .project_dir = span_str(project_dir), .database = span_str(database),
		.home = span_str(home)
	};

	d->probed = false;
	driver_control(d, IPC_MSG_PROBE, &msg);
	return driver_until(d, probed_or_ended, NULL) && d->probed ? (int)d->probe.error : -1;
}

/* --- channels ------------------------------------------------------------------------------ */

unsigned
driver_attach(struct driver *d)
{
	struct ipc_attach msg = {
		.kind = 2, .role = IPC_FRONT, .generation = d->nfronts + 1, .pid = (uint64_t)getpid()
	};
	int pair[2];

	must(d->nfronts < FRONTS_MAX, "fronts");
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "socketpair");
	must(control_send(d->control, IPC_MSG_ATTACH, &msg, pair[1]) == 0, "attach");
	close(pair[1]);
	channel_init(&d->fronts[d->nfronts], pair[0], IPC_FRONT, d->role, msg.generation);
	d->current = d->nfronts++;
	return d->current;
}

void
driver_detach(struct driver *d, unsigned front, unsigned cause)
{
	driver_control(d, IPC_MSG_DETACH, &(struct ipc_detach){
	    .generation = d->fronts[front].generation, .cause = cause });
}

void
driver_hang_up(struct driver *d, unsigned front)
{
	lose(d, front);
}

bool
driver_front_open(struct driver *d, unsigned front)
{
	return d->fronts[front].fd != -1;
}

void
driver_use(struct driver *d, unsigned front)
{
	d->current = front;
}

static void
flush(struct driver *d)
{
	struct channel *ch = &d->fronts[d->current];

	if (ch->fd != -1)
		(void)channel_flush(ch);
}

int
driver_send(struct driver *d, unsigned type, uint64_t id, const void *msg)
{
	int r = channel_send(&d->fronts[d->current], type, id, msg);

	flush(d);
	return r;
}

void
driver_send_bytes(struct driver *d, struct span bytes)
{
	buf_span(&d->fronts[d->current].out, bytes);
	flush(d);
}

uint64_t
driver_start(struct driver *d, const char *tool, const char *connection, const char *args_json)
{
	struct waiting *w = calloc(1, sizeof(*w));
	struct buf args = { .max = 0 };
	struct ipc_call msg = {
		.tool = span_str(tool), .connection = span_str(connection), .principal = SPAN("test"),
		.scopes = d->scopes, .deadline_ns = clock_ns() + d->budget_ms * CLOCK_MS,
		.progress = d->progress, .request_id = SPAN("test-request")
	};

	must(w != NULL && d->nfronts > 0, "attach first");
	to_mp(args_json, &args);
	msg.args = buf_view(&args);
	w->id = ++d->next_id;
	w->front = d->current;
	w->next = d->calls;
	d->calls = w;
	if (d->fronts[d->current].fd == -1)
		conclude(w, DRIVER_LOST);
	else
		must(driver_send(d, IPC_MSG_CALL, w->id, &msg) == 0, "the call breaks its own table");
	buf_fini(&args);
	return w->id;
}

static bool
answered(struct driver *d, void *arg)
{
	(void)d;
	return ((struct waiting *)arg)->answer.kind != DRIVER_OPEN;
}

const struct driver_answer *
driver_wait(struct driver *d, uint64_t id)
{
	struct waiting *w = find_call(d, id);

	(void)driver_until(d, answered, w);
	return &w->answer;
}

const struct driver_answer *
driver_peek(struct driver *d, uint64_t id)
{
	driver_pump(d, 0);
	return &find_call(d, id)->answer;
}

const struct driver_answer *
driver_call(struct driver *d, const char *tool, const char *connection, const char *args_json)
{
	return driver_wait(d, driver_start(d, tool, connection, args_json));
}

void
driver_cancel(struct driver *d, uint64_t id)
{
	(void)driver_send(d, IPC_MSG_CANCEL, id, &(struct ipc_cancel){ .reason = 0 });
}

void
driver_credit(struct driver *d, uint64_t id, unsigned chunks)
{
	(void)driver_send(d, IPC_MSG_CREDIT, id, &(struct ipc_credit){ .chunks = chunks });
}

/* --- sub-calls -------------------------------------------------------------------------------- */

void
driver_set_subcall(struct driver *d, driver_on_subcall *handler, void *arg)
{
	d->on_subcall = handler;
	d->subcall_arg = arg;
}

void
driver_sub_rows(struct driver *d, uint64_t id, const char *rows_json)
{
	struct buf rows = { .max = 0 };

	to_mp(rows_json, &rows);
	(void)driver_send(d, IPC_MSG_ROWS, id, &(struct ipc_rows){ .rows = buf_view(&rows) });
	buf_fini(&rows);
}

void
driver_sub_progress(struct driver *d, uint64_t id, unsigned permille, const char *message)
{
	(void)driver_send(d, IPC_MSG_PROGRESS, id,
	    &(struct ipc_progress){ .permille = permille, .message = span_str(message) });
}

void
driver_sub_result(struct driver *d, uint64_t id, const char *head_json)
{
	struct buf head = { .max = 0 };

	to_mp(head_json, &head);
	(void)driver_send(d, IPC_MSG_RESULT, id,
	    &(struct ipc_result){ .head = buf_view(&head), .tail = SPAN("\x80") });
	buf_fini(&head);
}

void
driver_sub_fail(struct driver *d, uint64_t id, enum err_code code, const char *message)
{
	(void)driver_send(d, IPC_MSG_FAIL, id,
	    &(struct ipc_fail){ .code = code, .message = span_str(message), .details = SPAN("\x80") });
}

/* --- looking ------------------------------------------------------------------------------------ */

const char *
driver_tools(struct driver *d)
{
	return buf_cstr(&d->tools);
}

const char *
driver_reason(struct driver *d)
{
	return buf_cstr(&d->reason);
}

const char *
driver_log(struct driver *d)
{
	read_log(d);
	return buf_cstr(&d->log);
}

const struct ipc_ready *
driver_ready(struct driver *d)
{
	return &d->ready;
}

const struct contract_watch *
driver_watch(struct driver *d)
{
	return d->watch;
}

pid_t
driver_pid(struct driver *d)
{
	return d->pid;
}

unsigned
driver_pongs(struct driver *d)
{
	return d->pongs;
}

unsigned
driver_complaints(struct driver *d)
{
	return d->complaints;
}

const char *
driver_report(struct driver *d)
{
	return buf_cstr(&d->report);
}

unsigned
driver_sub_credit(struct driver *d)
{
	return d->sub_credit;
}

bool
driver_sub_cancelled(struct driver *d)
{
	return d->sub_cancelled;
}

void
driver_set_budget(struct driver *d, unsigned ms)
{
	d->budget_ms = ms;
}

void
driver_set_scopes(struct driver *d, uint32_t scopes)
{
	d->scopes = scopes;
}

void
driver_set_progress(struct driver *d, bool wanted)
{
	d->progress = wanted;
}

void
driver_set_credit(struct driver *d, bool automatic)
{
	d->credit = automatic;
}

/* --- the end -------------------------------------------------------------------------------------- */

void
driver_kill(struct driver *d, int signal)
{
	if (!d->ended)
		(void)kill(d->pid, signal);
}

void
driver_orphan(struct driver *d)
{
	if (d->control != -1)
		close(d->control);
	d->control = -1;
}

static bool
has_ended(struct driver *d, void *arg)
{
	(void)arg;
	return d->ended;
}

int
driver_exit_code(struct driver *d)
{
	if (!driver_until(d, has_ended, NULL)) {
		fprintf(stderr, "child_driver: the child does not end\n");
		driver_kill(d, SIGKILL);
		reap(d, 0);
	}
	driver_pump(d, 0);
	return d->code;
}

void
driver_free(struct driver *d)
{
	struct waiting *w;

	if (d == NULL)
		return;
	driver_kill(d, SIGKILL);
	reap(d, 0);
	while ((w = d->calls) != NULL) {
		d->calls = w->next;
		buf_fini(&w->rows);
		buf_fini(&w->progress);
		buf_fini(&w->result);
		buf_fini(&w->message);
		buf_fini(&w->details);
		buf_fini(&w->next_call);
		free(w);
	}
	for (unsigned i = 0; i < d->nfronts; i++)
		channel_fini(&d->fronts[i]);
	if (d->control != -1)
		close(d->control);
	if (d->log_fd != -1)
		close(d->log_fd);
	munmap(d->watch, sizeof(*d->watch));
	close(d->watch_fd);
	buf_fini(&d->control_in);
	buf_fini(&d->tools);
	buf_fini(&d->reason);
	buf_fini(&d->log);
	buf_fini(&d->note);
	buf_fini(&d->report);
	free(d);
}
