#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/fault.h"
#include "base/mem.h"
#include "supervisor/spawn.h"

#define SAFE_FD		64	/* above every descriptor a child is given */

/* The descriptors that the child gets, in the order of their numbers. */
struct inheritance {
	int	null_in, null_out, log, control, watch;
};

/* Only test and sanitizer builds read their environment. */
static void
keep_variable(char **env, size_t *n, const char *name)
{
	const char *value = getenv(name);
	size_t size;

	if (value == NULL)
		return;
	size = strlen(name) + strlen(value) + 2;
	env[*n] = mem_alloc(size);
	snprintf(env[(*n)++], size, "%s=%s", name, value);
}

static void
make_environment(char **env)
{
	size_t n = 0;

#ifdef CARREL_FAULT_POINTS
	keep_variable(env, &n, "CARREL_FAULTS");
	keep_variable(env, &n, "CARREL_TEST_FETCH");
#endif
#ifdef CARREL_SANITIZED
	keep_variable(env, &n, "ASAN_OPTIONS");
	keep_variable(env, &n, "UBSAN_OPTIONS");
	keep_variable(env, &n, "LSAN_OPTIONS");
#endif
	(void)keep_variable;
	env[n] = NULL;
}

void
spawn_exec(const char *path, char **argv, char **env, pid_t parent)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		(void)signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Dying with the parent is armed before the parent is looked for: no gap between. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_ORPHANED);
	execve(path, argv, env);
	_exit(EXIT_EXEC);
}

/* Between fork and exec: async-signal-safe calls only. */
__attribute__((noreturn)) static void
become(const char *path, const char *name, const struct inheritance *got, char **env, pid_t parent)
{
	char *argv[] = { (char *)(uintptr_t)name, NULL };
	int from[] = { got->null_in, got->null_out, got->log, got->control, got->watch };
	const int n = (int)(sizeof(from) / sizeof(from[0]));

	/* Away from the numbers they are about to take from each other. */
	for (int i = 0; i < n; i++)
		if ((from[i] = fcntl(from[i], F_DUPFD, SAFE_FD)) < 0)
			_exit(EXIT_EXEC);
	for (int i = 0; i < n; i++)
		if (dup2(from[i], i) != i)
			_exit(EXIT_EXEC);
	if (syscall(SYS_close_range, CONTRACT_FD_NEXT, ~0u, 0) != 0)
		_exit(EXIT_EXEC);
	spawn_exec(path, argv, env, parent);
}

/* A shared page that the child cannot shrink while we read. */
static int
make_watch(struct contract_watch **watch)
{
	int fd = memfd_create("carrel-watch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *p;

	if (fd < 0)
		return -1;
	if (ftruncate(fd, PROCESS_WATCH_SIZE) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
	    (p = mmap(NULL, PROCESS_WATCH_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) != MAP_FAILED) {
		*watch = p;
		return fd;
	}
	close(fd);
	return -1;
}

static void
close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void
spawn_close(struct process *p)
{
	const int fds[] = { p->pidfd, p->control, p->log };

	close_all(fds, 3);
	if (p->watch != NULL)
		munmap(p->watch, PROCESS_WATCH_SIZE);
	p->watch = NULL;
	p->pid = -1;
	p->pidfd = p->control = p->log = -1;
}

int
spawn_process(const char *dir, const char *name, struct process *p, struct err *err)
{
	int control[2] = { -1, -1 }, log[2] = { -1, -1 }, null = -1, watch = -1, result = -1;
	char *env[8] = { NULL };
	char path[4200];
	pid_t parent = getpid();

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	make_environment(env);
	if (fault_point("supervisor.spawn") != FAULT_NONE) {
		errno = EAGAIN;
		goto out;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, control) != 0 ||
	    pipe2(log, O_CLOEXEC) != 0 || fcntl(log[0], F_SETFL, O_NONBLOCK) != 0 ||
	    (null = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0 || (watch = make_watch(&p->watch)) < 0)
		goto out;
	/* A plain fork: the supervisor is small and has one thread, and so needs no vfork's care. */
	if ((p->pid = fork()) < 0)
		goto out;
	if (p->pid == 0)
		become(path, name, &(struct inheritance){ null, null, log[1], control[1], watch }, env, parent);
	/* The pid of a child that was not reaped cannot be another process's. */
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd < 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
		goto out;
	}
	p->control = control[0];
	p->log = log[0];
	control[0] = log[0] = -1;
	result = 0;
out:
	if (result != 0) {
		err_set(err, ERR_INTERNAL, "%s cannot be started: %s", name, strerror(errno));
		spawn_close(p);
	}
	close_all((const int[]){ control[0], control[1], log[0], log[1], null, watch }, 6);
	for (char **e = env; *e != NULL; e++)
		free(*e);
	return result;
}
