/*
 * pretender - answers PROBE as carrel-search would if its sandbox leaked, so
 * that `carrel sandbox verify` can be seen to notice.
 *
 * It is not confined and tries nothing: it says that reading the configuration
 * succeeded, that the page to write is not there, that a TCP socket met an
 * errno nobody claims, survives what should kill it, and dies of SIGKILL where
 * it should be refused; everything else is refused as it should be.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "policy/acts.h"
#include "workers/shared/child.h"

static int
answer_of(unsigned act)
{
	switch (act) {
	case POLICY_ACT_READ_CONFIG:	return 0;
	case POLICY_ACT_WRITE_PAGE:	return ENOENT;
	case POLICY_ACT_SOCKET_TCP:	return ENFILE;
	case POLICY_ACT_EXECVE:		return EACCES;
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

int
main(void)
{
	const struct confine_report report = { .landlock_abi = 3, .seccomp = true };
	struct pollfd p = { CONTRACT_FD_CONTROL, POLLIN, 0 };
	struct buf packet = BUF_MAX(IPC_CONTROL_MAX);
	struct ipc_configure_search conf;
	struct ipc_probe probe;
	struct ipc_frame f;
	enum ipc_fault fault;
	struct err err;
	int fd;

	(void)child_begin("carrel-search");
	if (child_greet("carrel-search", IPC_SEARCH, IPC_MSG_CONFIGURE_SEARCH, &packet, &conf, sizeof(conf), &err) != 0)
		return EXIT_PEER;
	child_ready(&report);
	while (poll(&p, 1, CONTRACT_READY_MS) > 0)
		if (control_recv(CONTRACT_FD_CONTROL, &packet, &f, &fd, &fault) != CHANNEL_FRAME ||
		    f.type != IPC_MSG_PROBE ||
		    ipc_unpack(f.type, IPC_SUPERVISOR, IPC_SEARCH, f.body, &probe, sizeof(probe)) != IPC_OK ||
		    control_send(CONTRACT_FD_CONTROL, IPC_MSG_PROBED, &(struct ipc_probed){ .act = probe.act,
			.error = (uint64_t)answer_of((unsigned)probe.act) }, -1) != 0)
			break;
	buf_fini(&packet);
	return EXIT_STOPPED;
}
