/* peer.c - see peer.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/peer.h"
#include "ipc/control.h"

#define HIGH_FD		20	/* above every descriptor the child gets */
#define WATCH_SIZE	4096

void
peer_must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "peer: %s: %s\n", what, strerror(errno));
	abort();
}

void
peer_flush(struct channel *ch)
{
	struct pollfd p = { ch->fd, POLLOUT, 0 };

	while (channel_flush(ch) == CHANNEL_MORE && channel_pending(ch) > 0)
		poll(&p, 1, 1000);
}

int
peer_say(struct channel *ch, unsigned type, uint64_t id, const void *msg)
{
	int r = channel_send(ch, type, id, msg);

	peer_flush(ch);
	return r;
}

enum channel_status
peer_hear(struct channel *ch, struct ipc_frame *frame, int ms)
{
	struct pollfd p = { ch->fd, POLLIN, 0 };
	enum channel_status status;

	while ((status = channel_next(ch, frame)) == CHANNEL_MORE && poll(&p, 1, ms) > 0)
		channel_read(ch);
	return status;
}

enum channel_status
peer_hear_control(int fd, struct buf *packet, struct ipc_frame *frame, int *passed, int ms)
{
	struct pollfd p = { fd, POLLIN, 0 };
	enum channel_status status;
	enum ipc_fault fault;

	while ((status = control_recv(fd, packet, frame, passed, &fault)) == CHANNEL_MORE && poll(&p, 1, ms) > 0)
		continue;
	return status;
}

int
peer_channel(struct channel *ch, enum ipc_role self, enum ipc_role other, uint64_t generation)
{
	int pair[2];

	peer_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "socketpair");
	channel_init(ch, pair[0], self, other, generation);
	return pair[1];
}

/* --- a child ---------------------------------------------------------------------- */

static int
high(int fd)
{
	int up = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);

	peer_must(up != -1, "dup");
	close(fd);
	return up;
}

static void
become(const char *binary, const struct peer_options *o, int control, int watch, int log_fd)
{
	char *argv[] = { (char *)(uintptr_t)binary, NULL };
	/* Opened first: the other user need not get through every directory above it, as below a home of mode 0700. */
	int r, program = open(binary, O_PATH | O_CLOEXEC);

	if (clearenv() != 0 || (o != NULL && o->faults != NULL && setenv("CARREL_FAULTS", o->faults, 1) != 0))
		_exit(EXIT_EXEC);
	if (o != NULL && o->uid != 0 &&
	    (setresgid(o->uid, o->uid, o->uid) == -1 || setresuid(o->uid, o->uid, o->uid) == -1))
		_exit(EXIT_EXEC);
	if (dup2(open("/dev/null", O_RDWR), 0) == -1 || dup2(0, 1) == -1 || dup2(log_fd, 2) == -1 ||
	    dup2(control, CONTRACT_FD_CONTROL) == -1 || dup2(watch, CONTRACT_FD_WATCH) == -1)
		_exit(EXIT_EXEC);
	if (o != NULL && o->before_exec != NULL && (r = o->before_exec(o->arg)) != 0)
		_exit(r);
	if (o != NULL && o->uid != 0)
		execveat(program, "", argv, environ, AT_EMPTY_PATH);
	execv(binary, argv);
	_exit(EXIT_EXEC);
}

void
peer_spawn(struct peer_child *c, const char *binary, const struct peer_options *options)
{
	int control[2], log[2];

	peer_must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0, "socketpair");
	peer_must(pipe2(log, O_CLOEXEC) == 0, "pipe");
	c->watch_fd = high(memfd_create("watch", MFD_CLOEXEC));
	peer_must(ftruncate(c->watch_fd, WATCH_SIZE) == 0, "ftruncate");
	c->watch = mmap(NULL, WATCH_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, c->watch_fd, 0);
	peer_must(c->watch != MAP_FAILED, "mmap");
	control[1] = high(control[1]);
	log[1] = high(log[1]);
	if ((c->pid = fork()) == 0)
		become(binary, options, control[1], c->watch_fd, log[1]);
	peer_must(c->pid != -1, "fork");
	close(control[1]);
	close(log[1]);
	c->control = control[0];
	c->log = log[0];
	peer_must(fcntl(c->log, F_SETFL, O_NONBLOCK) == 0, "fcntl");
}

void
peer_forget_watch(struct peer_child *c)
{
	munmap(c->watch, WATCH_SIZE);
	close(c->watch_fd);
}
