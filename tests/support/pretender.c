/*
 * pretender - answers PROBE as carrel-search would if its sandbox leaked, so
 * that `carrel sandbox verify` can be seen to notice.
 *
 * It is not confined and tries nothing: it says that reading the configuration
 * succeeded, that the page to write is not there, that a TCP socket met an
 * errno nobody claims, survives what should kill it, and dies of SIGKILL where
 * it should be refused; everything else is refused as it should be.  Whoever
 * calls a tool is served, with whatever right, and told to write the log full
 * it ends.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "policy/acts.h"
#include "policy/hostile.h"
#include "tests/support/peer.h"
#include "workers/shared/child.h"
#include "ipc/control.h"
#include "policy/profiles.h"

static int
answer_of(unsigned act)
{
	switch (act) {
	case POLICY_ACT_READ_CONFIG:
		return 0;
	case POLICY_ACT_WRITE_PAGE:
		return ENOENT;
	case POLICY_ACT_SOCKET_TCP:
		return ENFILE;
	case POLICY_ACT_EXECVE:
		return EACCES;
	case POLICY_ACT_SOCKET_UDP:
		raise(SIGKILL);
		return 0;
	default:
		if (policy_act_claim(policy_profile("search"), act) != POLICY_CLAIM_KILL)
			return EACCES;
		signal(SIGSYS, SIG_DFL);
		raise(SIGSYS);
		return 0;
	}
}

static void
serve(struct channel *front)
{
	static const uint8_t empty_map[] = { 0x80 }, empty_array[] = { 0x90 };
	const struct span map = span_of(empty_map, 1);
	struct ipc_frame f;

	while (peer_hear(front, &f, 0) == CHANNEL_FRAME)
		if (f.type == IPC_MSG_CALL)
			(void)peer_say(front, IPC_MSG_RESULT, f.id,
			    &(struct ipc_result){ .head = map, .tail = map, .content = span_of(empty_array, 1) });
}

/* False: that was the last it does. */
static bool
obey(const struct ipc_frame *f, int passed, struct channel *front)
{
	struct ipc_probe probe;
	struct ipc_ping ping;

	switch (f->type) {
	case IPC_MSG_ATTACH:
		if (front->fd >= 0)
			channel_fini(front);
		channel_init(front, passed, IPC_SEARCH, IPC_FRONT, 1);
		return true;
	case IPC_MSG_PING:
		return ipc_unpack(f->type, IPC_SUPERVISOR, IPC_SEARCH, f->body, &ping, sizeof(ping)) == IPC_OK &&
		    control_send(CONTRACT_FD_CONTROL, IPC_MSG_PONG, &(struct ipc_pong){ .serial = ping.serial }, -1) ==
		    0;
	case IPC_MSG_PROBE:
		return ipc_unpack(f->type, IPC_SUPERVISOR, IPC_SEARCH, f->body, &probe, sizeof(probe)) == IPC_OK &&
		    probe.act < HOSTILE_PROBE_FIRST &&
		    control_send(CONTRACT_FD_CONTROL, IPC_MSG_PROBED,
			&(struct ipc_probed){ .error = (uint64_t)answer_of((unsigned)probe.act) }, -1) == 0;
	case IPC_MSG_DETACH:
	case IPC_MSG_CONNECTION_STATE:
		return true;
	default:
		return false;
	}
}

int
main(void)
{
	const struct confine_report report = { .landlock_abi = 3 };
	struct pollfd p[] = { { CONTRACT_FD_CONTROL, POLLIN, 0 }, { -1, POLLIN, 0 } };
	struct channel front = { .fd = -1 };
	struct buf packet = BUF_MAX(IPC_CONTROL_MAX);
	struct ipc_configure_search conf;
	struct ipc_frame f;
	enum ipc_fault fault;
	struct err err;
	int fd;

	(void)child_begin("carrel-search");
	if (child_greet(IPC_SEARCH, IPC_MSG_CONFIGURE_SEARCH, &packet, &conf, sizeof(conf), &err) != 0)
		return EXIT_PEER;
	child_ready(&report, false);
	while (poll(p, 2, CONTRACT_READY_MS) > 0) {
		if (p[0].revents != 0 &&
		    (control_recv(CONTRACT_FD_CONTROL, &packet, &f, &fd, &fault) != CHANNEL_FRAME ||
			!obey(&f, fd, &front)))
			break;
		if (p[1].revents != 0)
			serve(&front);
		p[1].fd = front.fd;
	}
	buf_fini(&packet);
	return EXIT_STOPPED;
}
