/*
 * main.c - carrel-tunnel: one ssh, from its start to its end.
 *
 * The socket that ssh makes once it is signed in is the sign that the tunnel is there: carrel-tunnel waits for it
 * before it confines itself and says READY.  ssh is its child and dies with it (ssh_start.h); this process holds
 * nothing of what goes through.  Its standard error is read for complaints, and its end is the end of this process.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "ipc/control.h"
#include "workers/shared/child.h"
#include "workers/tunnel/ssh_argv.h"
#include "workers/tunnel/ssh_dial.h"
#include "workers/tunnel/ssh_reason.h"
#include "workers/tunnel/ssh_start.h"

#define SAID_MAX	8192u	/* of its complaints, the last ones */
#define WAIT_MS		((SSH_CONNECT_S + 10) * 1000)	/* less than CONTRACT_READY_MS */
#define LOOK_MS		20
#define LINE_MAX_LEN	1024u

struct tunnel {
	struct ipc_configure_tunnel	 m;		/* its texts are ours, and end with a NUL */
	int				 complaints;	/* ssh's standard error; -1: there is no ssh */
	struct buf			 said;
	size_t				 looked;	/* bytes of said whose lines were looked at */
	bool				 best_effort;
};

static struct tunnel tunnel = { .complaints = -1 };

/* The spans of msg die with the call. */
static struct span
keep(struct span s)
{
	return span_str(mem_text(s));
}

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max, bool *best_effort,
    struct err *err)
{
	struct tunnel *t = &tunnel;
	struct span *const texts[] = { &t->m.program, &t->m.ssh_host, &t->m.ssh_user, &t->m.identity, &t->m.known_hosts,
		&t->m.directory, &t->m.socket, &t->m.server_host };

	(void)places, (void)err;
	t->m = *(const struct ipc_configure_tunnel *)msg;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = keep(*texts[i]);
	*state = t;
	*memory_max = t->m.memory_max;
	*best_effort = t->best_effort = t->m.best_effort != 0;
	return 0;
}

static const char *
text_of(struct span s)
{
	return (const char *)s.p;
}

/* Reads what ssh says.  False: it has ended. */
static bool
hear(struct tunnel *t)
{
	uint8_t some[1024];
	ssize_t n;

	while ((n = read(t->complaints, some, sizeof(some))) > 0) {
		if (t->said.len + (size_t)n > SAID_MAX) {
			size_t gone = t->said.len / 2;

			buf_consume(&t->said, gone);
			t->looked = t->looked > gone ? t->looked - gone : 0;
		}
		buf_append(&t->said, some, (size_t)n);
	}
	return n != 0;
}

static int
tunnel_down(struct tunnel *t, struct err *err)
{
	struct buf why = BUF_MAX(sizeof(err->message) - 1);

	ssh_reason(buf_view(&t->said), &t->m, &why);
	err_set(err, ERR_DATABASE_UNAVAILABLE, "%s", buf_cstr(&why));
	buf_fini(&why);
	return -1;
}

/* Before the confinement: until ssh listens. */
static int
tunnel_open(void *state, struct err *err)
{
	struct tunnel *t = state;
	const uint64_t end = clock_ns() + WAIT_MS * CLOCK_MS;
	struct stat st;
	int server;

	if (t->m.ssh_host.len == 0)
		return 0;
	(void)unlink(text_of(t->m.socket));
	if ((server = ssh_dial(&t->m, &t->said)) < 0)
		return tunnel_down(t, err);
	if ((t->complaints = ssh_start(&t->m, server, t->best_effort)) < 0)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "SSH: ssh cannot be started: %s", strerror(errno));
	while (clock_ns() < end) {
		struct pollfd fd = { t->complaints, POLLIN, 0 };

		if (poll(&fd, 1, LOOK_MS) > 0 && !hear(t))
			return tunnel_down(t, err);
		if (stat(text_of(t->m.socket), &st) == 0 && S_ISSOCK(st.st_mode))
			return 0;
	}
	return err_set(err, ERR_DATABASE_UNAVAILABLE, "SSH: %.*s, port %u, did not let us in within %u s",
	    SPAN_FMT(t->m.ssh_host), (unsigned)t->m.ssh_port, WAIT_MS / 1000);
}

/* A connection that the SSH server did not let through: ssh goes on, and the supervisor is told. */
static void
tell_channel(struct tunnel *t, struct span line)
{
	struct buf why = BUF_MAX(900);
	struct ipc_unable msg;

	ssh_reason(line, &t->m, &why);
	msg = (struct ipc_unable){ .reason = buf_view(&why) };
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_UNABLE, &msg, -1);
	buf_fini(&why);
}

static void
look_at_lines(struct tunnel *t)
{
	const uint8_t *end;

	while (t->looked < t->said.len &&
	    (end = memchr(t->said.p + t->looked, '\n', t->said.len - t->looked)) != NULL) {
		struct span line = span_of(t->said.p + t->looked, (size_t)(end - t->said.p) - t->looked);

		t->looked += line.len + 1;
		if (line.len < LINE_MAX_LEN && ssh_reason_is_channel(line))
			tell_channel(t, line);
	}
}

static void
tunnel_idle(void *state)
{
	struct tunnel *t = state;
	struct err err = { .code = ERR_NONE };
	bool lives;

	if (t->complaints < 0)
		return;
	lives = hear(t);
	look_at_lines(t);
	if (lives)
		return;
	(void)tunnel_down(t, &err);
	child_unable(EXIT_CONNECTION, &err);
}

static int
tunnel_watch(void *state)
{
	return ((struct tunnel *)state)->complaints;
}

static void
tunnel_close(void *state)
{
	struct tunnel *t = state;
	const struct span texts[] = { t->m.program, t->m.ssh_host, t->m.ssh_user, t->m.identity, t->m.known_hosts,
		t->m.directory, t->m.socket, t->m.server_host };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free((void *)(uintptr_t)texts[i].p);
	buf_fini(&t->said);
}

static const struct role tunnel_role = {
	.role = IPC_TUNNEL,
	.configure = IPC_MSG_CONFIGURE_TUNNEL,
	.configure_size = sizeof(struct ipc_configure_tunnel),
	.configure_with = configure_with,
	.connect = tunnel_open,
	.idle = tunnel_idle,
	.watch = tunnel_watch,
	.close = tunnel_close,
};

int
main(void)
{
	return child_main(&tunnel_role);
}
