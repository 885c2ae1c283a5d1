#include "cli/sync/sync_git.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/process.h"
#include "base/text/safe_text.h"

#define LIFE_NS		(120 * CLOCK_SECOND)	/* of one command; longer: its processes are killed */
#define OUT_MAX		((size_t)64 << 20)
#define SAID_MAX	400			/* bytes of what git said that an error quotes */
#define LEFT_READS	32			/* of what is left in the pipe when it has ended */
#define WORDS_MAX	48

struct sync_process {
	pid_t	pid;
	int	in;			/* a file: its standard input */
	int	out, said;		/* ends of pipes: its standard output and error; the latter does not block */
	struct buf heard;		/* the last of what it said */
};

/* A file in memory; -1: errno says why. */
static int
file_of(struct span text)
{
	int fd = memfd_create("carrel-sync", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, text.p, text.len) != (ssize_t)text.len || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* What git and ssh need of the environment, and who commits. */
static char **
environment_of(const struct sync_repo *r)
{
	static const char *const kept[] = { "PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME" };
	char **env = arena_array(r->arena, WORDS_MAX, sizeof(*env));
	size_t n = 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (getenv(kept[i]) != NULL)
			env[n++] = arena_printf(r->arena, "%s=%s", kept[i], getenv(kept[i]));
	env[n++] = arena_printf(r->arena, "LC_ALL=C");
	env[n++] = arena_printf(r->arena, "GIT_TERMINAL_PROMPT=0");
	if (r->index[0] != '\0')
		env[n++] = arena_printf(r->arena, "GIT_INDEX_FILE=%s", r->index);
	env[n++] = arena_printf(r->arena, "GIT_AUTHOR_NAME=%s", r->name);
	env[n++] = arena_printf(r->arena, "GIT_AUTHOR_EMAIL=%s", r->mail);
	env[n++] = arena_printf(r->arena, "GIT_COMMITTER_NAME=%s", r->name);
	env[n++] = arena_printf(r->arena, "GIT_COMMITTER_EMAIL=%s", r->mail);
	env[n] = NULL;
	return env;
}

static char **
words_of(const struct sync_repo *r, const char *const argv[])
{
	const char *const first[] = { "git", "-C", r->where.worktree, "-c", "core.hooksPath=/dev/null", "-c",
		"core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "protocol.ssh.allow=always", "-c",
		"protocol.file.allow=always", "-c", "maintenance.auto=false", "-c", "gc.auto=0", "-c",
		"commit.gpgSign=false", "-c", "merge.renames=false", "-c", "submodule.recurse=false" };
	char **words = arena_array(r->arena, WORDS_MAX, sizeof(*words));
	size_t n = 0;

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		words[n++] = arena_printf(r->arena, "%s", first[i]);
	for (size_t i = 0; argv[i] != NULL && n < WORDS_MAX - 1; i++)
		words[n++] = arena_printf(r->arena, "%s", argv[i]);
	words[n] = NULL;
	return words;
}

/* Between fork and exec. */
__attribute__((noreturn)) static void
become_git(const struct sync_process *p, int out, int said, char **words, char **env)
{
	/* Without a terminal nothing can ask for a password. */
	(void)setsid();
	if (dup2(p->in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
		_exit(127);
	execvpe("git", words, env);
	_exit(127);
}

static int
start_git(const struct sync_repo *r, struct span in, struct sync_process *p, const char *const argv[])
{
	char **words = words_of(r, argv), **env = environment_of(r);
	int out[2] = { -1, -1 }, said[2] = { -1, -1 };

	*p = (struct sync_process){ .pid = -1, .in = file_of(in), .out = -1, .said = -1 };
	if (p->in < 0 || pipe2(out, O_CLOEXEC) != 0)
		return -1;
	p->out = out[0];
	if (pipe2(said, O_CLOEXEC) == 0 && fcntl(said[0], F_SETFL, O_NONBLOCK) == 0 && (p->pid = fork()) == 0)
		become_git(p, out[1], said[1], words, env);
	close(out[1]);
	close(said[1]);
	p->said = said[0];
	return p->pid < 0 ? -1 : 0;
}

/* Keeps the last of what git says, however much that is.  False: there is nothing to read now. */
static bool
hear_said(struct sync_process *p)
{
	uint8_t some[4096];
	ssize_t n = p->said < 0 ? 0 : read(p->said, some, sizeof(some));

	if (n <= 0)
		return false;
	buf_append(&p->heard, some, (size_t)n);
	if (p->heard.len > SAID_MAX)
		buf_consume(&p->heard, p->heard.len - SAID_MAX);
	return true;
}

/* Read until the end; false: it took too long, or wrote too much. */
static bool
read_all(struct sync_process *p, struct buf *out)
{
	uint64_t until = clock_ns() + LIFE_NS;
	struct pollfd both[] = { { .fd = p->out, .events = POLLIN }, { .fd = p->said, .events = POLLIN } };
	uint8_t some[16384];
	ssize_t n;

	for (;;) {
		if (clock_ns() >= until || (out != NULL && out->full))
			return false;
		if (poll(both, 2, 1000) <= 0)
			continue;
		if (both[1].revents != 0 && !hear_said(p))
			both[1].fd = -1; /* it is closed */
		if (both[0].revents == 0)
			continue;
		if ((n = read(p->out, some, sizeof(some))) == 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0 && out != NULL)
			buf_append(out, some, (size_t)n);
	}
}

/* What git said at last, as one line that does no harm to a terminal. */
static void
quote_said(const struct sync_process *p, struct err *err, const char *what)
{
	struct buf line = BUF_MAX(SAID_MAX);

	for (size_t i = 0; i < p->heard.len; i++)
		if (p->heard.p[i] == '\n' || p->heard.p[i] == '\t')
			p->heard.p[i] = ' ';
	if (p->heard.len > 0)
		safe_text_strip(&line, buf_view(&p->heard), false);
	err_set(err, ERR_SERVICE_UNAVAILABLE, "git %s%s%s", what, line.len > 0 ? ": " : "",
	    line.len > 0 ? buf_cstr(&line) : "");
	buf_fini(&line);
}

static int
run_git(const struct sync_repo *r, struct span in, struct buf *out, struct err *err, const char *const argv[],
    bool must)
{
	struct sync_process p;
	int status, code = -1;

	if (out != NULL && out->max == 0)
		out->max = OUT_MAX;
	if (start_git(r, in, &p, argv) != 0)
		err_set(err, ERR_SERVICE_UNAVAILABLE, "git could not be run: %s", strerror(errno));
	else {
		bool whole = read_all(&p, out);

		if (!whole)
			(void)kill(-p.pid, SIGKILL);
		status = process_wait(p.pid);
		for (int i = 0; i < LEFT_READS && hear_said(&p); i++)
			;
		if (!whole)
			quote_said(&p, err, "took too long or said too much");
		else if (!WIFEXITED(status))
			quote_said(&p, err, "was ended");
		else if ((code = WEXITSTATUS(status)) == 127) {
			err_set(err, ERR_SERVICE_UNAVAILABLE, "git is not installed");
			code = -1;
		} else if (must && code != 0) {
			quote_said(&p, err, argv[0]);
			code = -1;
		}
	}
	if (p.out >= 0)
		close(p.out);
	if (p.in >= 0)
		close(p.in);
	if (p.said >= 0)
		close(p.said);
	buf_fini(&p.heard);
	return code;
}

int
sync_git(const struct sync_repo *r, struct span in, struct buf *out, struct err *err, const char *const argv[])
{
	return run_git(r, in, out, err, argv, false);
}

int
sync_git_must(const struct sync_repo *r, struct span in, struct buf *out, struct err *err, const char *const argv[])
{
	return run_git(r, in, out, err, argv, true);
}

const char *
sync_git_line(const struct sync_repo *r, const struct buf *out)
{
	const uint8_t *end = out->len > 0 ? memchr(out->p, '\n', out->len) : NULL;
	size_t n = end != NULL ? (size_t)(end - out->p) : out->len;

	return arena_printf(r->arena, "%.*s", (int)n, n > 0 ? (const char *)out->p : "");
}

const char *
sync_git_path(const struct sync_repo *r, const char *in_project)
{
	return arena_printf(r->arena, "%s%s%s", r->where.prefix, r->where.prefix[0] != '\0' ? "/" : "", in_project);
}
