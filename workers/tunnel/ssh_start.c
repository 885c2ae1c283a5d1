#include "workers/tunnel/ssh_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "policy/profiles.h"
#include "workers/shared/confine.h"
#include "workers/shared/seccomp.h"
#include "workers/tunnel/ssh_argv.h"

static const char *
text_of(struct span s)
{
	return (const char *)s.p;
}

__attribute__((noreturn)) static void
become_ssh(const struct ipc_configure_tunnel *m, const char *const *argv, pid_t parent, bool best_effort)
{
	const struct confine_places places = { .program = text_of(m->program), .identity = text_of(m->identity),
		.known_hosts = text_of(m->known_hosts), .socket_dir = text_of(m->directory) };
	const char *const environment[] = { "LC_ALL=C", "PATH=/usr/bin:/bin", NULL };
	struct confine_report report;
	struct err err = { .message = "" };
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		(void)signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir("/") != 0 || confine_files(&policy_ssh, &places, m->memory_max, best_effort, 0, &report, &err) != 0) {
		dprintf(STDERR_FILENO, "ssh cannot be confined: %s", err.message);
	} else if (getppid() == parent) { /* PR_SET_PDEATHSIG is armed by now */
		if (confine_calls(&policy_ssh, best_effort, &report, &err) != 0)
			dprintf(STDERR_FILENO, "ssh cannot be confined: %s", err.message);
		else {
			execve(text_of(m->program), (char *const *)(uintptr_t)argv,
			    (char *const *)(uintptr_t)environment);
			dprintf(STDERR_FILENO, "%s cannot be run: %s; install openssh-client", text_of(m->program),
			    strerror(errno));
		}
	}
	_exit(EXIT_FAILURE);
}

int
ssh_start(const struct ipc_configure_tunnel *m, int server, bool best_effort)
{
	struct arena *a = arena_new(64u << 10);
	const char *argv[SSH_ARGV_MAX];
	int ends[2] = { -1, -1 }, result = -1, error = ENOMEM;
	pid_t pid, parent = getpid();

	if (!ssh_argv(m, a, argv))
		goto out;
	if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || (pid = fork()) < 0) {
		error = errno;
		goto out;
	}
	if (pid == 0) {
		if (dup2(server, STDIN_FILENO) == STDIN_FILENO && dup2(server, STDOUT_FILENO) == STDOUT_FILENO &&
		    dup2(ends[1], STDERR_FILENO) == STDERR_FILENO && close_range(STDERR_FILENO + 1, ~0u, 0) == 0)
			become_ssh(m, argv, parent, best_effort);
		_exit(EXIT_FAILURE);
	}
	result = ends[0];
	ends[0] = -1;
out:
	for (size_t i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	close(server);
	arena_free(a);
	errno = error;
	return result;
}
