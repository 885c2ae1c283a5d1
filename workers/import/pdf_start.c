#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"
#include "base/system/process.h"
#include "workers/import/pdf_start.h"
#include "workers/shared/seccomp.h"

/* Above the standard descriptors, so that dup2() overwrites none. */
#define FD_FIRST	10

enum { END_READ, END_WRITE };

struct pipes {
	int	text[2], complaints[2], status[2];
};

bool
pdf_is(int fd)
{
	uint8_t head[64];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	struct span text = span_of(head, n < 0 ? 0 : (size_t)n);

	if (span_begins(text, "\xef\xbb\xbf"))
		text = span_of(text.p + 3, text.len - 3);
	return span_begins(span_trim(text), "%PDF-");
}

static void
close_all(struct pipes *p)
{
	int *const all[] = { p->text, p->complaints, p->status };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (int end = END_READ; end <= END_WRITE; end++)
			if (all[i][end] >= 0)
				close(all[i][end]);
}

static int
open_pipe(int *ends)
{
	int low[2];

	if (pipe2(low, O_CLOEXEC) != 0)
		return -1;
	ends[END_READ] = fcntl(low[END_READ], F_DUPFD_CLOEXEC, FD_FIRST);
	ends[END_WRITE] = fcntl(low[END_WRITE], F_DUPFD_CLOEXEC, FD_FIRST);
	close(low[END_READ]);
	close(low[END_WRITE]);
	return ends[END_READ] < 0 || ends[END_WRITE] < 0 ? -1 : 0;
}

static int
open_pipes(struct pipes *p)
{
	/* Error messages are dropped when the pipe is full, rather than blocking. */
	return open_pipe(p->text) != 0 || open_pipe(p->complaints) != 0 || open_pipe(p->status) != 0 ||
		fcntl(p->complaints[END_WRITE], F_SETFL, O_NONBLOCK) != 0 ?
	    -1 :
	    0;
}

static void
take_signals(void)
{
	static const int ends[] = { SIGALRM, SIGXCPU, SIGPIPE, SIGTERM, SIGINT, SIGHUP };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		(void)signal(ends[i], SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Set the limit, unless a narrower one is in force. */
static bool
limit_computing(void)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_CPU, &now) != 0)
		return false;
	if (now.rlim_cur > PDF_COMPUTING_S)
		now.rlim_cur = PDF_COMPUTING_S;
	if (now.rlim_max > PDF_COMPUTING_S + 1)
		now.rlim_max = PDF_COMPUTING_S + 1;
	return setrlimit(RLIMIT_CPU, &now) == 0;
}

static void
complain(const char *what)
{
	(void)!write(STDERR_FILENO, what, strlen(what));
}

__attribute__((noreturn)) static void
become_program(const char *program, pid_t parent, bool best_effort)
{
	const struct confine_places places = { .program = program };
	const char *const words[] = { program, "-enc", "UTF-8", "-eol", "unix", "-", "-", NULL };
	const char *const environment[] = { "LC_ALL=C", "HOME=/nonexistent", NULL };
	struct confine_report report;
	struct err err = { .message = "" };

	take_signals();
	(void)alarm(PDF_DEADLINE_S);
	if (!limit_computing() ||
	    confine_files(&policy_pdf, &places, PDF_MEMORY_MAX, best_effort, 0, &report, &err) != 0 ||
	    getppid() != parent /* it was gone before its death would be told */ ||
	    confine_calls(&policy_pdf, best_effort, &report, &err) != 0) {
		complain("it cannot be confined: ");
		complain(err.message);
	} else {
		execve(program, (char *const *)(uintptr_t)words, (char *const *)(uintptr_t)environment);
		complain("it cannot be run: ");
		complain(strerror(errno));
	}
	_exit(EXIT_FAILURE);
}

__attribute__((noreturn)) static void
wait_for(pid_t pid, int says)
{
	int status;

	/* Close everything but the status pipe: the text must end with the program. */
	if (dup2(says, STDIN_FILENO) == STDIN_FILENO && close_range(STDOUT_FILENO, ~0u, 0) == 0) {
		status = process_wait(pid);
		(void)!write(STDIN_FILENO, &status, sizeof(status));
	}
	_exit(EXIT_SUCCESS);
}

__attribute__((noreturn)) static void
run(const char *program, int fd, struct pipes *p, pid_t parent, bool best_effort)
{
	const pid_t self = getpid();
	pid_t pid;

	/* The program's process sets it again: it is not inherited. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent || (pid = fork()) < 0)
		_exit(EXIT_FAILURE);
	if (pid > 0)
		wait_for(pid, p->status[END_WRITE]);
	if (dup2(fd, STDIN_FILENO) == STDIN_FILENO && dup2(p->text[END_WRITE], STDOUT_FILENO) == STDOUT_FILENO &&
	    dup2(p->complaints[END_WRITE], STDERR_FILENO) == STDERR_FILENO &&
	    close_range(STDERR_FILENO + 1, ~0u, 0) == 0)
		become_program(program, self, best_effort);
	_exit(EXIT_FAILURE);
}

int
pdf_start(struct pdf *pdf, const char *program, int fd, bool best_effort, struct err *err)
{
	struct pipes p = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	const pid_t self = getpid();
	struct stat st;
	pid_t pid;

	*pdf = PDF_NONE;
	if (access(program, X_OK) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "PDF is read with %s, which is missing: install the package poppler-utils, or save it as text",
		    program);
	if (fstat(fd, &st) != 0 || st.st_size > PDF_FILE_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "it is larger than 256 MiB; divide it, or save it as text");
	if (open_pipes(&p) != 0 || (pid = fork()) < 0) {
		err_set(err, ERR_SERVICE_UNAVAILABLE, "no process could be started: %s", strerror(errno));
		close_all(&p);
		return -1;
	}
	if (pid == 0)
		run(program, fd, &p, self, best_effort);
	*pdf = (struct pdf){ p.text[END_READ], p.complaints[END_READ], p.status[END_READ] };
	p.text[END_READ] = p.complaints[END_READ] = p.status[END_READ] = -1;
	close_all(&p);
	return 0;
}
