/* child_driver.c - see child_driver.h: the child's life and its control channel. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "tests/support/child_driver_parts.h"
#include "ipc/control.h"

/* --- starting --------------------------------------------------------------------- */

struct driver *
driver_spawn(const char *binary, enum ipc_role role, const struct peer_options *options)
{
	struct driver *d = calloc(1, sizeof(*d));

	peer_must(d != NULL, "memory");
	d->role = role;
	d->budget_ms = DRIVER_BUDGET_MS;
	d->scopes = UINT32_MAX;
	d->progress = d->credit = true;
	peer_spawn(&d->child, binary, options);
	return d;
}

/* --- control ---------------------------------------------------------------------------- */

static void
take_control(struct driver *d, const struct ipc_frame *f)
{
	union ipc_any msg;

	peer_must(ipc_unpack_any(f->type, d->role, IPC_SUPERVISOR, f->body, &msg) == IPC_OK, ipc_type_name(f->type));
	switch (f->type) {
	case IPC_MSG_HELLO:
		d->hello = msg.hello.version == ipc_version();
		break;
	case IPC_MSG_TOOLS:
		d->tools_came = true;
		driver_to_json(msg.tools.tools, &d->tools);
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
		driver_to_json(msg.report.report, &d->report);
		break;
	case IPC_MSG_PROBED:
		d->probed = true;
		d->probe = msg.probed;
		break;
	case IPC_MSG_COMMIT:
		/* As in a project that is no repository. */
		driver_control(d, IPC_MSG_COMMITTED,
		    &(struct ipc_committed){ .serial = msg.commit.serial, .outcome = IPC_COMMIT_NO_REPOSITORY });
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

	while (d->child.control != -1)
		switch (control_recv(d->child.control, &d->control_in, &f, &fd, &fault)) {
		case CHANNEL_FRAME:
			take_control(d, &f);
			break;
		case CHANNEL_MORE:
			return;
		default:
			close(d->child.control);
			d->child.control = -1;
		}
}

static void
read_log(struct driver *d)
{
	char text[4096];
	ssize_t n;

	while (d->child.log != -1 && (n = read(d->child.log, text, sizeof(text))) != -1)
		if (n > 0)
			buf_append(&d->log, text, (size_t)n);
		else {
			close(d->child.log);
			d->child.log = -1;
		}
}

static void
reap(struct driver *d, int flags)
{
	int status;

	if (d->ended || waitpid(d->child.pid, &status, flags) != d->child.pid)
		return;
	d->ended = true;
	d->code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void
driver_pump(struct driver *d, int ms)
{
	struct pollfd p[2 + FRONTS_MAX];
	nfds_t n = 2;

	p[0] = (struct pollfd){ d->child.control, POLLIN, 0 };
	p[1] = (struct pollfd){ d->child.log, POLLIN, 0 };
	for (unsigned i = 0; i < d->nfronts; i++) {
		struct channel *ch = &d->fronts[i];

		p[n++] = (struct pollfd){ ch->fd, (short)(POLLIN | (channel_pending(ch) ? POLLOUT : 0)), 0 };
	}
	if (d->child.control == -1 && d->child.log == -1 && ms > 10)
		ms = 10; /* only the end itself is left to wait for */
	(void)poll(p, n, ms);
	read_control(d);
	read_log(d);
	for (unsigned i = 0; i < d->nfronts; i++)
		if (d->fronts[i].fd != -1)
			driver_read_front(d, i);
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

/* With the key of proofs that this driver makes, unless the test has one of its own. */
static void
send_configuration(struct driver *d, unsigned type, const void *msg)
{
	const struct ipc_schema *schema = ipc_schema(type);
	union {
		unsigned char bytes[1024];
		uint64_t align;
	} copy;
	struct span key;

	peer_must(schema->size <= sizeof(copy), "room for the configuration");
	memcpy(&copy, msg, schema->size);
	for (size_t i = 0; i < schema->nfields; i++) {
		if (strcmp(schema->fields[i].name, "local_key") != 0)
			continue;
		memcpy(&key, copy.bytes + schema->fields[i].offset, sizeof(key));
		if (key.len == 0)
			key = span_of(driver_local_key, PROOF_KEY);
		memcpy(copy.bytes + schema->fields[i].offset, &key, sizeof(key));
	}
	peer_must(control_send(d->child.control, type, &copy, -1) == 0, "configuration");
}

bool
driver_configure(struct driver *d, unsigned type, const void *msg)
{
	if (!driver_until(d, greeted, NULL) || d->ended || d->unable)
		return false;
	send_configuration(d, type, msg);
	return driver_until(d, settled, NULL) && d->is_ready;
}

void
driver_control(struct driver *d, unsigned type, const void *msg)
{
	if (d->child.control != -1)
		(void)control_send(d->child.control, type, msg, -1);
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
driver_probe(struct driver *d, unsigned act, const char *path)
{
	struct ipc_probe msg = { .act = act, .path = span_str(path) };

	d->probed = false;
	driver_control(d, IPC_MSG_PROBE, &msg);
	return driver_until(d, probed_or_ended, NULL) && d->probed ? (int)d->probe.error : -1;
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
	return d->child.watch;
}

pid_t
driver_pid(struct driver *d)
{
	return d->child.pid;
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
driver_changes(struct driver *d, unsigned *n, uint64_t *digest)
{
	*n = d->nchanges;
	*digest = d->digest;
	return buf_cstr(&d->changes);
}

void
driver_forget_changes(struct driver *d)
{
	d->nchanges = 0;
	d->changes.len = 0;
}

const char *
driver_report(struct driver *d)
{
	return buf_cstr(&d->report);
}

/* --- the end -------------------------------------------------------------------------------------- */

void
driver_kill(struct driver *d, int signal)
{
	if (!d->ended)
		(void)kill(d->child.pid, signal);
}

void
driver_orphan(struct driver *d)
{
	if (d->child.control != -1)
		close(d->child.control);
	d->child.control = -1;
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
	if (d == NULL)
		return;
	driver_kill(d, SIGKILL);
	reap(d, 0);
	driver_free_calls(d);
	if (d->child.control != -1)
		close(d->child.control);
	if (d->child.log != -1)
		close(d->child.log);
	peer_forget_watch(&d->child);
	buf_fini(&d->control_in);
	buf_fini(&d->tools);
	buf_fini(&d->reason);
	buf_fini(&d->log);
	buf_fini(&d->note);
	buf_fini(&d->report);
	buf_fini(&d->changes);
	free(d);
}
