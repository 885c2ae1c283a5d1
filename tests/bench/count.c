/*
 * count.c - what a request costs each process, in counts that are the same on
 * every machine.
 *
 *	count PID... -- COMMAND [ARGUMENT...]
 *
 * Runs the command twice; it prints one line with "all":N, its requests, as bench-load
 * does.  The first time the kernel's own counters run along (context switches,
 * instructions), the second time each system call of the processes is seen by
 * ptrace(2), which slows them down.  Prints a line a process:
 *	carrel-front 6 calls as a rule, 6.4 calls, 2.0 switches, 31000 instructions
 * The rule is the median from one answer of the process to its next: what
 * happens by the clock, and weighs more the slower the machine, is not in it.
 * Where the kernel's tracepoints can be read (tracefs is mounted), the mean is
 * of the first run, at full speed; else it is of the second, and the line says
 * "traced calls": programs that gather work do so less when they are slow.
 * A dash stands for what this machine or account does not count.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX	32
#define GAP_MAX		99

struct process {
	pid_t		 pid;
	char		 name[32];
	int		 entries, switches, instructions;	/* descriptors of counters; -1: none */
	double		 untraced;			/* calls without ptrace; negative: unknown */
	double		 counted[3];			/* calls, switches, instructions; negative: unknown */
	struct rhythm {
		unsigned since, gaps[GAP_MAX + 1];	/* calls since the last answer; how often it was that many */
	} written, sent;				/* by what an answer leaves with */
};

static struct process processes[PROCESSES_MAX];
static size_t nprocesses;

static void
die(const char *what)
{
	fprintf(stderr, "count: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void
add_process(const char *pid)
{
	struct process *p = &processes[nprocesses++];
	char path[64];
	FILE *f;

	if (nprocesses == PROCESSES_MAX)
		die("too many processes");
	p->pid = (pid_t)strtol(pid, NULL, 10);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)p->pid);
	if ((f = fopen(path, "r")) == NULL || fgets(p->name, sizeof(p->name), f) == NULL)
		die(path);
	fclose(f);
	p->name[strcspn(p->name, "\n")] = '\0';
}

static int
open_counter(pid_t pid, uint32_t type, uint64_t what)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = what };

	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
}

/* The kernel's number for the tracepoint that every system call passes; 0: not told. */
static uint64_t
entry_point(void)
{
	FILE *f = fopen("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "r");
	char line[32] = "0";

	if (f == NULL)
		return 0;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	return strtoull(line, NULL, 10);
}

static double
read_counter(int fd)
{
	uint64_t n;
	bool ok = fd != -1 && read(fd, &n, sizeof(n)) == sizeof(n);

	if (fd != -1)
		close(fd);
	return ok && n != 0 ? (double)n : -1;
}

static FILE *
begin_command(char **command, pid_t *pid)
{
	int out[2];

	if (pipe(out) == -1 || (*pid = fork()) == -1)
		die("fork");
	if (*pid == 0) {
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		execvp(command[0], command);
		die(command[0]);
	}
	close(out[1]);
	return fdopen(out[0], "r");
}

/* The number of requests that the command says it made. */
static double
end_command(FILE *out)
{
	char line[1024];
	double requests = 0;

	while (fgets(line, sizeof(line), out) != NULL) {
		const char *at = strstr(line, "\"all\":");

		if (at != NULL)
			requests = strtod(at + strlen("\"all\":"), NULL);
	}
	fclose(out);
	if (requests <= 0)
		die("the command made no requests");
	return requests;
}

static void
count_in_kernel(char **command)
{
	uint64_t entries = entry_point();
	double requests;
	int status;
	FILE *out;
	pid_t pid;

	for (size_t i = 0; i < nprocesses; i++) {
		struct process *p = &processes[i];

		p->entries = entries == 0 ? -1 : open_counter(p->pid, PERF_TYPE_TRACEPOINT, entries);
		p->switches = open_counter(p->pid, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
		p->instructions = open_counter(p->pid, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	}
	out = begin_command(command, &pid);
	requests = end_command(out);
	(void)waitpid(pid, &status, 0);
	for (size_t i = 0; i < nprocesses; i++) {
		processes[i].untraced = read_counter(processes[i].entries) / requests;
		processes[i].counted[1] = read_counter(processes[i].switches) / requests;
		processes[i].counted[2] = read_counter(processes[i].instructions) / requests;
	}
}

/* All threads; false: not allowed. */
static bool
trace(pid_t pid)
{
	char path[64];
	struct dirent *e;
	bool ok = true;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((d = opendir(path)) == NULL)
		return false;
	while (ok && (e = readdir(d)) != NULL) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid > 0)
			ok = ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE) == 0 &&
			    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
	}
	closedir(d);
	return ok;
}

static pid_t
thread_group(pid_t tid)
{
	char path[64], line[256];
	pid_t group = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if ((f = fopen(path, "r")) == NULL)
		return 0;
	while (group == 0 && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "Tgid:", 5) == 0)
			group = (pid_t)strtol(line + 5, NULL, 10);
	fclose(f);
	return group;
}

/* NULL for another program's.  What was looked up last for a number is kept. */
static struct process *
process_of(pid_t tid)
{
	static struct {
		pid_t tid;
		struct process *process;
	} kept[1024];
	size_t at = (size_t)tid % (sizeof(kept) / sizeof(kept[0]));

	if (kept[at].tid != tid) {
		pid_t group = thread_group(tid);

		kept[at].tid = tid;
		kept[at].process = NULL;
		for (size_t i = 0; i < nprocesses; i++)
			if (processes[i].pid == group)
				kept[at].process = &processes[i];
	}
	return kept[at].process;
}

static void
see_call(struct process *p, uint64_t nr)
{
	struct rhythm *const both[] = { &p->written, &p->sent };

	p->counted[0]++;
	for (int i = 0; i < 2; i++) {
		both[i]->since++;
		if (nr != (i == 0 ? SYS_writev : SYS_sendto))
			continue;
		both[i]->gaps[both[i]->since < GAP_MAX ? both[i]->since : GAP_MAX]++;
		both[i]->since = 0;
	}
}

/* The median; 0: it answered nothing. */
static unsigned
usual_gap(const struct rhythm *r)
{
	unsigned all = 0, seen = 0, gap = 0;

	for (unsigned i = 0; i <= GAP_MAX; i++)
		all += r->gaps[i];
	while (gap < GAP_MAX && (seen += r->gaps[gap]) * 2 < all)
		gap++;
	return all == 0 ? 0 : gap;
}

static void
see_stop(pid_t pid, int status)
{
	struct __ptrace_syscall_info call;
	struct process *p = process_of(pid);
	int signal = WSTOPSIG(status);
	bool own = signal == SIGTRAP || signal == (SIGTRAP | 0x80) || status >> 16 != 0;

	if (signal == (SIGTRAP | 0x80) && p != NULL && ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(call), &call) > 0 &&
	    call.op == PTRACE_SYSCALL_INFO_ENTRY)
		see_call(p, call.entry.nr);
	(void)ptrace(PTRACE_SYSCALL, pid, NULL, own ? 0 : signal);
}

static void
count_calls(char **command)
{
	pid_t command_pid, pid;
	int status;
	FILE *out;
	double requests;

	for (size_t i = 0; i < nprocesses; i++)
		if (!trace(processes[i].pid)) {
			for (size_t k = 0; k < nprocesses; k++)
				processes[k].counted[0] = -1;
			return;
		}
	out = begin_command(command, &command_pid);
	while ((pid = waitpid(-1, &status, __WALL)) != -1 && pid != command_pid)
		if (WIFSTOPPED(status))
			see_stop(pid, status);
	requests = end_command(out);
	for (size_t i = 0; i < nprocesses; i++)
		processes[i].counted[0] /= requests;
}

static void
print_count(double n, const char *what, const char *end)
{
	if (n < 0)
		printf(" - %s%s", what, end);
	else
		printf(n < 100 ? " %.1f %s%s" : " %.0f %s%s", n, what, end);
}

int
main(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		add_process(argv[i]);
	if (nprocesses == 0 || i + 1 >= argc) {
		fprintf(stderr, "usage: count PID... -- COMMAND [ARGUMENT...]\n");
		return 2;
	}
	count_in_kernel(argv + i + 1);
	count_calls(argv + i + 1);
	for (size_t k = 0; k < nprocesses; k++) {
		unsigned gap = usual_gap(&processes[k].written);

		printf("%s %u calls as a rule,", processes[k].name, gap != 0 ? gap : usual_gap(&processes[k].sent));
		if (processes[k].untraced >= 0)
			print_count(processes[k].untraced, "calls", ",");
		else
			print_count(processes[k].counted[0], "traced calls", ",");
		print_count(processes[k].counted[1], "switches", ",");
		print_count(processes[k].counted[2], "instructions", "\n");
	}
	return 0;
}
