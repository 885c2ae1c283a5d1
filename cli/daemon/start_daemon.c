#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/json_write.h"
#include "base/utf8.h"
#include "cli/daemon/start_daemon.h"
#include "project/paths.h"
#include "project/config/secret.h"

#define DOCUMENT_MAX	60000	/* fits into a pipe at once, so that writing never blocks */
#define NAMES_MAX	2048	/* seven a connection, CONFIG_CONNECTIONS_MAX of them */

/* The numbers that the descriptors have in carreld, which its command line names. */
enum { FD_LAUNCH = 3, FD_STATUS = 4, FD_CLIENT = 5 };

struct daemon_names {
	size_t		 n;
	const char	*list[NAMES_MAX];
};

static void
note_reference(void *arg, const char *reference)
{
	const char *name = config_env_name(reference);
	struct daemon_names *names = arg;

	if (name == NULL || names->n == NAMES_MAX)
		return;
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->list[i], name) == 0)
			return;
	names->list[names->n++] = name;
}

static void
put_environment(const struct daemon_names *names, struct buf *mp)
{
	size_t mark = mp_open_map(mp), n = 0;

	for (size_t i = 0; i < names->n; i++) {
		const char *value = getenv(names->list[i]);

		if (value == NULL || !utf8_valid((const uint8_t *)value, strlen(value)))
			continue;
		mp_pair_cstr(mp, names->list[i], value);
		n++;
	}
	mp_close(mp, mark, n);
}

void
launch_document(const struct config *cfg, const struct launch_options *o, struct buf *out)
{
	struct daemon_names names = { 0 };
	struct buf mp = { 0 };
	struct mp_value v;
	size_t mark = mp_open_map(&mp), n = 1;

	config_each_reference(cfg, note_reference, &names);
	mp_put_cstr(&mp, "env");
	put_environment(&names, &mp);
	if (o != NULL && o->host != NULL) {
		mp_pair_cstr(&mp, "host", o->host);
		n++;
	}
	if (o != NULL && o->port >= 0) {
		mp_pair_uint(&mp, "port", (uint64_t)o->port);
		n++;
	}
	if (o != NULL && o->token != NULL) {
		mp_pair_cstr(&mp, "token", o->token);
		n++;
	}
	if (o != NULL && o->local_root != NULL) {
		mp_pair_cstr(&mp, "localRoot", o->local_root);
		n++;
	}
	if (o != NULL && o->nhosts > 0) {
		mp_pair_cstrs(&mp, "allowedHosts", o->hosts, o->nhosts);
		n++;
	}
	if (o != NULL && o->norigins > 0) {
		mp_pair_cstrs(&mp, "allowedOrigins", o->origins, o->norigins);
		n++;
	}
	mp_close(&mp, mark, n);
	if (!mp_value(buf_view(&mp), &v))
		abort();
	json_write(out, &v);
	buf_wipe(&mp);
}

/* Open the log before carreld does, so that early messages are not lost. */
static int
open_log(const char *project_dir)
{
	int fd = -1, top = open(project_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;

	if (top >= 0 && paths_make(top, ".carrel/logs", 0700) == 0)
		fd = paths_open(top, ".carrel/logs/mcp.log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	error = errno;
	if (top >= 0)
		close(top);
	errno = error;
	return fd;
}

/* In the child: duplicate fd to the descriptor `where`, open across exec; on failure the child exits. */
static void
start_daemon_place(int fd, int where)
{
	if (fd == where ? fcntl(fd, F_SETFD, 0) != 0 : dup2(fd, where) < 0)
		_exit(126);
}

/* Move descriptors above the fixed numbers, so that placing one does not close another. */
static int
lift(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);
}

#define ARGV_MAX	12

static void
put_argv(const struct daemon_launch *l, bool status, const char *argv[ARGV_MAX])
{
	size_t n = 0;

	argv[n++] = "carreld";
	argv[n++] = "--project-dir";
	argv[n++] = l->project_dir;
	argv[n++] = "--launch-fd";
	argv[n++] = "3";
	if (status) {
		argv[n++] = "--status-fd";
		argv[n++] = "4";
	}
	if (l->kind == LAUNCH_PRIVATE) {
		argv[n++] = "--private-fd";
		argv[n++] = "5";
	} else if (l->kind == LAUNCH_VERIFY)
		argv[n++] = "--verify";
	else if (l->kind == LAUNCH_FOREGROUND)
		argv[n++] = "--foreground";
	argv[n] = NULL;
}

/* Standard input, output and error, then the numbers its command line names. */
static void
place_descriptors(const struct daemon_launch *l, int launch_fd, int status_fd, int null, int log)
{
	int client = lift(l->kind == LAUNCH_PRIVATE ? l->client_fd : -1);

	launch_fd = lift(launch_fd);
	status_fd = lift(status_fd);
	start_daemon_place(null, STDIN_FILENO);
	if (l->kind == LAUNCH_DETACHED || l->kind == LAUNCH_PRIVATE)
		start_daemon_place(log >= 0 ? log : null, STDOUT_FILENO);
	else if (l->kind == LAUNCH_VERIFY)
		start_daemon_place(l->out_fd, STDOUT_FILENO);
	if (l->kind == LAUNCH_DETACHED || l->quiet)
		start_daemon_place(log >= 0 ? log : null, STDERR_FILENO);
	start_daemon_place(launch_fd, FD_LAUNCH);
	if (status_fd >= 0)
		start_daemon_place(status_fd, FD_STATUS);
	if (client >= 0)
		start_daemon_place(client, FD_CLIENT);
}

/* In the child: exec carreld or exit. */
static void
become(const struct daemon_launch *l, int launch_fd, int status_fd, int null, int log)
{
	const char *argv[ARGV_MAX];
	char *environment[4] = { NULL };
	sigset_t none;

#ifdef CARREL_FAULT_POINTS
	for (size_t k = 0, i = 0; environ[i] != NULL && k < 3; i++)
		if (strncmp(environ[i], "CARREL_FAULTS=", 14) == 0 || strncmp(environ[i], "ASAN_OPTIONS=", 13) == 0 ||
		    strncmp(environ[i], "CARREL_TEST_FETCH=", 18) == 0)
			environment[k++] = environ[i];
#endif
	put_argv(l, status_fd >= 0, argv);
	place_descriptors(l, launch_fd, status_fd, null, log);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (l->kind == LAUNCH_DETACHED)
		setsid();
	else if (l->kind == LAUNCH_PRIVATE)
		setpgid(0, 0); /* an interrupt from the terminal is ours: it ends when we do */
	else
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	execve(l->program, (char *const *)argv, environment);
	_exit(127);
}

/* The whole document into a pipe whose reading end comes back; -1 with *err. */
static int
document_pipe(struct span document, struct err *err)
{
	int ends[2];

	if (document.len > DOCUMENT_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the values of the variables the configuration "
		    "refers to are longer than %d bytes together; use file: references",
		    DOCUMENT_MAX);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set(err, ERR_INTERNAL, "cannot make a pipe: %s", strerror(errno));
	if (write(ends[1], document.p, document.len) != (ssize_t)document.len) {
		err_set(err, ERR_INTERNAL, "cannot hand the configuration over: %s", strerror(errno));
		close(ends[0]);
		ends[0] = -1;
	}
	close(ends[1]);
	return ends[0];
}

pid_t
launch_start(const struct daemon_launch *l, int *status_fd, struct err *err)
{
	int launch_fd = -1, null = -1, log = -1, status[2] = { -1, -1 };
	pid_t pid = -1;

	if ((launch_fd = document_pipe(l->document, err)) < 0)
		return -1;
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0 ||
	    (l->kind != LAUNCH_VERIFY && pipe2(status, O_CLOEXEC) != 0)) {
		err_set(err, ERR_INTERNAL, "cannot start carreld: %s", strerror(errno));
		goto out;
	}
	if (l->kind == LAUNCH_DETACHED && (log = open_log(l->project_dir)) < 0) {
		err_set(err, ERR_INTERNAL,
		    "cannot write %s/.carrel/logs/mcp.log: %s; the project's directory must "
		    "belong to the user who starts the daemon",
		    l->project_dir, strerror(errno));
		goto out;
	}
	if ((pid = fork()) == 0)
		become(l, launch_fd, status[1], null, log);
	if (pid < 0)
		err_set(err, ERR_INTERNAL, "cannot start carreld: %s", strerror(errno));
out:
	close(launch_fd);
	if (null >= 0)
		close(null);
	if (log >= 0)
		close(log);
	if (status[1] >= 0)
		close(status[1]);
	if (pid < 0 && status[0] >= 0)
		close(status[0]);
	else if (status_fd != NULL)
		*status_fd = status[0];
	return pid;
}

int
launch_wait(int status_fd, unsigned timeout_ms, struct buf *line, struct err *err)
{
	const uint64_t until = clock_ns() + timeout_ms * CLOCK_MS;
	struct buf text = BUF_MAX(65536);
	int r = -1;

	for (;;) {
		struct pollfd p = { .fd = status_fd, .events = POLLIN };
		uint64_t now = clock_ns();
		ssize_t n;

		if (now >= until || poll(&p, 1, (int)((until - now) / CLOCK_MS) + 1) == 0) {
			err_set(err, ERR_SERVICE_UNAVAILABLE,
			    "the daemon was not ready within %u s; see `carrel mcp logs`", timeout_ms / 1000);
			break;
		}
		n = read(status_fd, buf_reserve(&text, 1024), 1024);
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0)
			text.len += (size_t)n;
		if (n > 0 && memchr(text.p, '\n', text.len) == NULL)
			continue;
		buf_cstr(&text);
		if (text.len > 3 && memcmp(text.p, "ok ", 3) == 0) {
			buf_append(line, text.p + 3, strcspn((const char *)text.p + 3, "\n"));
			r = 0;
		} else if (text.len > 6 && memcmp(text.p, "error ", 6) == 0)
			err_set(err, ERR_SERVICE_UNAVAILABLE, "%.*s", (int)strcspn((const char *)text.p + 6, "\n"),
			    (const char *)text.p + 6);
		else
			err_set(err, ERR_SERVICE_UNAVAILABLE,
			    "the daemon ended before it was ready; see `carrel mcp logs`");
		break;
	}
	buf_fini(&text);
	return r;
}
