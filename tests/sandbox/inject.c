/*
 * inject.c - makes a running process do system calls, as one that was taken
 * over would: at a `syscall` instruction of its own, in its own confinement.
 *
 *	inject PID CALL [ARG…] [-- CALL [ARG…]]…
 *	inject --child-of PID EXE CALL …
 *
 * The second form waits for a process that PID starts from the program EXE and
 * stops it when it waits under its filters for the first time.  CALL is a
 * number; an ARG is a number, s:TEXT (its address in the stack), in:PORT (a
 * sockaddr_in of loopback) or page (the address of a page of the stack).  One
 * line a call: "ok", the errno's name, or the signal's that it died by, which
 * is the last line.  Afterwards the process goes on as if nothing had been.
 *
 * Exit code 77: this is no x86-64, or ptrace is not permitted here.
 */
#include <stdio.h>

#ifndef __x86_64__
int
main(void)
{
	fprintf(stderr, "inject: only x86-64 registers are known here\n");
	return 77;
}
#else
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCRATCH		8192	/* below the stack pointer, beyond the red zone */
#define PATIENCE_S	20

static pid_t pid;
static int memory = -1;		/* /proc/PID/mem */

__attribute__((noreturn)) static void
fail(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(errno == EPERM || errno == EACCES ? 77 : 1);
}

/* The next stop; false: it ended, and *status says how. */
static bool
wait_stopped(int *status)
{
	while (waitpid(pid, status, __WALL) == -1)
		if (errno != EINTR)
			fail("waitpid");
	return WIFSTOPPED(*status);
}

static bool
is_syscall(unsigned long at)
{
	uint8_t code[2];

	return pread(memory, code, 2, (off_t)at) == 2 && code[0] == 0x0f && code[1] == 0x05;
}

/* In what the process may execute already. */
static unsigned long
find_syscall(void)
{
	static uint8_t code[1 << 20];
	char path[64], line[512];
	unsigned long found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if ((f = fopen(path, "r")) == NULL)
		fail(path);
	while (found == 0 && fgets(line, sizeof(line), f) != NULL) {
		unsigned long from, to;
		char flags[8];
		ssize_t n;

		if (sscanf(line, "%lx-%lx %7s", &from, &to, flags) != 3 || flags[2] != 'x')
			continue;
		n = pread(memory, code, to - from < sizeof(code) ? to - from : sizeof(code), (off_t)from);
		for (ssize_t i = 0; i + 1 < n && found == 0; i++)
			if (code[i] == 0x0f && code[i + 1] == 0x05)
				found = from + (unsigned long)i;
	}
	fclose(f);
	if (found == 0)
		fail("no syscall instruction");
	return found;
}

/* Seccomp: 2, from outside. */
static bool
is_filtered(void)
{
	char path[64], line[128];
	bool filtered = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "r")) == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL)
		filtered = filtered || strcmp(line, "Seccomp:\t2\n") == 0;
	fclose(f);
	return filtered;
}

static void
open_memory(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	if ((memory = open(path, O_RDWR | O_CLOEXEC)) == -1)
		fail(path);
}

static void
stop(void)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) == -1 || ptrace(PTRACE_INTERRUPT, pid, 0, 0) == -1)
		fail("ptrace");
	if (!wait_stopped(&status))
		fail("it ended");
	open_memory();
}

/* --- one that is about to be born ------------------------------------------------------- */

static bool
runs(pid_t candidate, const char *exe)
{
	char path[64], target[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)candidate);
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = '\0';
	return n > 0 && strrchr(target, '/') != NULL && strcmp(strrchr(target, '/') + 1, exe) == 0;
}

static void
await_child(const char *parent, const char *exe)
{
	time_t until = time(NULL) + PATIENCE_S;
	char path[96], list[4096];

	snprintf(path, sizeof(path), "/proc/%s/task/%s/children", parent, parent);
	for (pid = 0; pid == 0;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd == -1 ? -1 : read(fd, list, sizeof(list) - 1);

		if (fd != -1)
			close(fd);
		if (n < 0 || time(NULL) > until) {
			fprintf(stderr, "inject: no %s came\n", exe);
			exit(2);
		}
		list[n] = '\0';
		for (char *p = strtok(list, " "); p != NULL && pid == 0; p = strtok(NULL, " "))
			if (runs((pid_t)atoi(p), exe))
				pid = (pid_t)atoi(p);
	}
}

/* Until it waits, confined, for what it is to do. */
static void
stop_when_confined(void)
{
	struct user_regs_struct regs;
	bool waits = false;
	int status;

	stop();
	for (;;) {
		if (ptrace(PTRACE_GETREGS, pid, 0, &regs) == -1)
			fail("ptrace");
		/* The second stop at a call is its end. */
		if (regs.orig_rax == SYS_poll && is_filtered()) {
			if (waits)
				return;
			waits = true;
		}
		if (ptrace(PTRACE_SYSCALL, pid, 0, 0) == -1 || !wait_stopped(&status)) {
			fprintf(stderr, "inject: it ended before it was confined\n");
			exit(2);
		}
	}
}

/* --- calls ------------------------------------------------------------------------------ */

/* Put len bytes into the scratch area; where they are. */
static unsigned long
put(unsigned long *at, const void *bytes, size_t len)
{
	unsigned long here = *at;

	if (pwrite(memory, bytes, len, (off_t)here) != (ssize_t)len)
		fail("its stack");
	*at += (len + 15) & ~(size_t)15;
	return here;
}

static unsigned long
argument(const char *word, unsigned long *at, unsigned long stack)
{
	struct sockaddr_in in = { .sin_family = AF_INET };

	if (strncmp(word, "s:", 2) == 0)
		return put(at, word + 2, strlen(word + 2) + 1);
	if (strncmp(word, "in:", 3) == 0) {
		in.sin_port = htons((uint16_t)atoi(word + 3));
		in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return put(at, &in, sizeof(in));
	}
	if (strcmp(word, "page") == 0)
		return (stack - SCRATCH) & ~4095ul;
	return (unsigned long)strtol(word, NULL, 0);
}

/* One call from saved's stack.  False: it died of it, and *status says how. */
static bool
call(const struct user_regs_struct *saved, unsigned long gate, const unsigned long a[7], long *result, int *status)
{
	struct user_regs_struct regs = *saved;

	regs.rip = gate;
	regs.rax = a[0];
	regs.orig_rax = (unsigned long)-1; /* nothing is to be restarted */
	regs.rdi = a[1];
	regs.rsi = a[2];
	regs.rdx = a[3];
	regs.r10 = a[4];
	regs.r8 = a[5];
	regs.r9 = a[6];
	if (ptrace(PTRACE_SETREGS, pid, 0, &regs) == -1)
		fail("PTRACE_SETREGS");
	do {
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) == -1)
			fail("PTRACE_SINGLESTEP");
		if (!wait_stopped(status))
			return false;
	} while (WSTOPSIG(*status) != SIGTRAP);
	if (ptrace(PTRACE_GETREGS, pid, 0, &regs) == -1)
		fail("PTRACE_GETREGS");
	if (regs.rip != gate + 2) {
		fprintf(stderr, "inject: it did not come back from the call\n");
		exit(1);
	}
	*result = (long)regs.rax;
	return true;
}

/* Whatever succeeds to make a descriptor must not stay in it. */
static void
take_back(const struct user_regs_struct *saved, unsigned long gate, unsigned long nr, long fd)
{
	const unsigned long close_it[7] = { SYS_close, (unsigned long)fd };
	int status;
	long r;

	if (nr == SYS_openat || nr == SYS_socket || nr == SYS_memfd_create)
		(void)call(saved, gate, close_it, &r, &status);
}

static void
say(long result)
{
	const char *name = result < 0 && result > -4096 ? strerrorname_np((int)-result) : NULL;

	printf("%s\n", result >= 0 || result <= -4096 ? "ok" : name != NULL ? name : "an unknown errno");
}

/* The words up to the next "--"; how many they were. */
static int
read_call(char **words, const struct user_regs_struct *saved, unsigned long a[7])
{
	unsigned long at = (saved->rsp - 128 - SCRATCH) & ~15ul;
	int n = 0;

	memset(a, 0, 7 * sizeof(*a));
	for (; words[n] != NULL && strcmp(words[n], "--") != 0; n++) {
		if (n == 7) {
			fprintf(stderr, "inject: a call has six arguments\n");
			exit(2);
		}
		a[n] = argument(words[n], &at, saved->rsp);
	}
	return n;
}

static int
inject(char **words)
{
	struct user_regs_struct saved;
	unsigned long gate, a[7];
	int status = 0;
	long result;

	if (ptrace(PTRACE_GETREGS, pid, 0, &saved) == -1)
		fail("PTRACE_GETREGS");
	gate = is_syscall(saved.rip - 2) ? saved.rip - 2 : find_syscall();
	while (*words != NULL) {
		words += read_call(words, &saved, a);
		if (!call(&saved, gate, a, &result, &status)) {
			printf("SIG%s\n", WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : "none");
			return 0;
		}
		say(result);
		if (result >= 0)
			take_back(&saved, gate, a[0], result);
		words += *words != NULL;
	}
	if (ptrace(PTRACE_SETREGS, pid, 0, &saved) == -1 || ptrace(PTRACE_DETACH, pid, 0, 0) == -1)
		fail("PTRACE_DETACH");
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 4 && strcmp(argv[1], "--child-of") == 0) {
		await_child(argv[2], argv[3]);
		stop_when_confined();
		return inject(argv + 4);
	}
	if (argc < 3) {
		fprintf(stderr, "usage: inject PID CALL [ARG...] [-- CALL [ARG...]]...\n");
		return 2;
	}
	pid = (pid_t)atoi(argv[1]);
	stop();
	return inject(argv + 2);
}
#endif
