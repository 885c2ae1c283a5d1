#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "cli/daemon/daemon.h"
#include "cli/daemon/start_daemon.h"
#include "cli/daemon/reload.h"
#include "cli/say.h"

#define RELOAD_MS	15000	/* from the signal to the new configuration */
#define SETTLE_MS	5000	/* and then to connections that are made or not */
#define POLL_MS		20

static int
ask_status(struct client *c, struct view *status, struct err *err)
{
	struct buf params = { 0 };
	int r;

	mp_put_map(&params, 0);
	r = client_call(c, "carrel/status", buf_view(&params), NULL, NULL, status, err);
	buf_fini(&params);
	return r;
}

static bool
is_connecting(struct cli *cli, struct view status)
{
	struct view_iter it = view_iter(view_get(status, "connections"));
	struct view each;

	while (view_next(&it, &each))
		if (strcmp(view_cstr(cli->arena, view_get(each, "state"), "connecting"), "connecting") == 0)
			return true;
	return false;
}

int
reload_settled(struct cli *cli, struct client *c, struct view *status)
{
	const uint64_t until = clock_ns() + SETTLE_MS * CLOCK_MS;
	struct err err;
	int r;

	if (client_open(cli, c, CLIENT_CLI, NULL, true) != 0)
		return CLI_FAILED;
	while ((r = ask_status(c, status, &err)) == 0 && is_connecting(cli, *status) && clock_ns() < until)
		poll(NULL, 0, POLL_MS);
	if (r == 0)
		return CLI_OK;
	client_close(c);
	return cli_fail(CLI_FAILED, "%s", err.message);
}

size_t
reload_note_unavailable(struct cli *cli, struct view status)
{
	struct view_iter it = view_iter(view_get(status, "connections"));
	struct view each;
	size_t n = 0;

	while (view_next(&it, &each)) {
		const char *state = view_cstr(cli->arena, view_get(each, "state"), "");

		if (strcmp(state, "ready") == 0)
			continue;
		cli_note("the connection %s is %s: %s", view_cstr(cli->arena, view_get(each, "id"), "?"), state,
		    view_cstr(cli->arena, view_get(each, "reason"), "the connection is still being made"));
		n++;
	}
	return n;
}

/*
 * Write the values into a FIFO that only this user can open.  The values stay in kernel memory, never
 * on a disk, and vanish with our descriptor.  -1 with *err.
 */
static int
offer_variables(const struct config *cfg, const char *path, struct err *err)
{
	struct buf document = { 0 };
	int fd = -1;

	launch_document(cfg, NULL, &document);
	if ((unlink(path) != 0 && errno != ENOENT) || mkfifo(path, 0600) != 0 ||
	    (fd = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)) < 0)
		err_set(err, ERR_INTERNAL, "cannot make %s: %s; run as the user who started the daemon", path,
		    strerror(errno));
	else if (write(fd, document.p, document.len) != (ssize_t)document.len) {
		err_set(err, ERR_INTERNAL,
		    "the values of the variables the configuration refers to are too long "
		    "together; use file: references");
		close(fd);
		fd = -1;
	}
	buf_wipe(&document);
	return fd;
}

/* The daemon's report of its reloads. */
struct reloads {
	uint64_t	 n;		/* reloads requested so far */
	bool		 busy;		/* the last reload is still running */
	const char	*why;		/* why the last reload changed nothing; NULL: it succeeded */
};

static int
look_at_reloads(struct cli *cli, struct reloads *r, struct err *err)
{
	struct view status;
	struct client c;
	int result;

	err_set(err, ERR_SERVICE_UNAVAILABLE, "the daemon does not answer; see `carrel mcp logs`");
	if (client_open(cli, &c, CLIENT_CLI, NULL, true) != 0)
		return -1;
	if ((result = ask_status(&c, &status, err)) == 0)
		*r = (struct reloads){ .n = view_uint(view_get(status, "reloads"), 0),
			.busy = view_true(view_get(status, "reloading")),
			.why = view_cstr(cli->arena, view_get(status, "reloadError"), NULL) };
	client_close(&c);
	return result;
}

int
reload_daemon(struct cli *cli, const struct config *cfg, const struct daemon *d)
{
	const char *path = arena_printf(cli->arena, "%s/.carrel/reload", cfg->project_dir);
	const uint64_t until = clock_ns() + RELOAD_MS * CLOCK_MS;
	struct reloads before, now = { 0 };
	struct err err;
	int fd, r;

	if (look_at_reloads(cli, &before, &err) != 0 || (fd = offer_variables(cfg, path, &err)) < 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if ((r = kill(d->pid, SIGHUP)) != 0)
		err_set(&err, ERR_INTERNAL, "cannot signal the daemon (pid %ld): %s; run as the user who started it",
		    (long)d->pid, strerror(errno));
	/* The front that was asked may exit before answering; then its successor is asked. */
	while (r == 0 && (look_at_reloads(cli, &now, &err) != 0 || now.n == before.n || now.busy) && clock_ns() < until)
		poll(NULL, 0, POLL_MS);
	close(fd);
	unlink(path);
	if (r != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (now.n == before.n || now.busy)
		return cli_fail(CLI_FAILED, "the daemon did not take the configuration in time; see `carrel mcp logs`");
	if (now.why != NULL)
		return cli_fail(CLI_FAILED, "the daemon keeps its configuration of before: %s", now.why);
	return CLI_OK;
}

int
reload_running(struct cli *cli)
{
	struct config cfg = { 0 };
	struct view status;
	struct client c;
	struct daemon d;
	struct err err;

	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	if (daemon_look(cli->arena, cfg.project_dir, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (d.state != DAEMON_RUNNING || !d.answers)
		return CLI_OK;
	if (reload_daemon(cli, &cfg, &d) != CLI_OK || reload_settled(cli, &c, &status) != CLI_OK)
		return CLI_FAILED;
	client_close(&c);
	return CLI_OK;
}
