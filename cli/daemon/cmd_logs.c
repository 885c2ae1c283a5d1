#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/args.h"
#include "cli/daemon/cmd_logs.h"
#include "cli/say.h"
#include "cli/show/term.h"
#include "cli/show/view.h"

#define CHUNK	65536

/* The offset at which the last n lines begin. */
static off_t
tail_offset(int fd, uint64_t n)
{
	off_t end = lseek(fd, 0, SEEK_END), at = end;
	char chunk[CHUNK];
	uint64_t seen = 0;

	while (at > 0 && n > 0) {
		off_t from = at > CHUNK ? at - CHUNK : 0;
		ssize_t got = pread(fd, chunk, (size_t)(at - from), from);

		for (ssize_t i = got; i-- > 0;)
			if (chunk[i] == '\n' && from + i != end - 1 && ++seen == n)
				return from + i + 1;
		at = from;
	}
	return 0;
}

static const char *
level_colour(struct view level)
{
	if (span_is_str(level.raw, "\"error\""))
		return cli_colour(TERM_RED);
	if (span_is_str(level.raw, "\"warn\""))
		return cli_colour(TERM_YELLOW);
	return "";
}

/* "22:15:04 warn  sql-sqlite[123]: message"; a line in another form unchanged. */
static void
pretty(struct cli *cli, struct span line, struct buf *out)
{
	struct view v = view_of(line);
	struct buf text = { 0 };
	const char *colour = "";

	if (v.kind == VIEW_OBJECT && view_get(v, "message").kind == VIEW_STRING) {
		const char *at = view_cstr(cli->arena, view_get(v, "at"), "");
		const char *time = strchr(at, 'T');

		colour = level_colour(view_get(v, "level"));
		buf_printf(&text, "%.8s %-5s %s[%s]: ", time != NULL ? time + 1 : at,
		    view_cstr(cli->arena, view_get(v, "level"), ""), view_cstr(cli->arena, view_get(v, "role"), ""),
		    view_cstr(cli->arena, view_get(v, "pid"), ""));
		view_text(view_get(v, "message"), &text);
	} else
		buf_span(&text, line);
	buf_str(out, colour);
	table_safe(buf_view(&text), false, out);
	buf_str(out, *colour ? TERM_PLAIN "\n" : "\n");
	buf_fini(&text);
}

/* Show every complete line of pending and drop it. */
static int
show_lines(struct cli *cli, struct buf *pending)
{
	struct buf out = { 0 };
	const uint8_t *end;
	int code;

	while (pending->len > 0 && (end = memchr(pending->p, '\n', pending->len)) != NULL) {
		size_t n = (size_t)(end - pending->p);

		if (cli->json)
			buf_append(&out, pending->p, n + 1);
		else {
			struct arena *whole = cli->arena;

			/* An arena per line: a log may be followed for days. */
			cli->arena = arena_new(1 << 20);
			pretty(cli, span_of(pending->p, n), &out);
			arena_free(cli->arena);
			cli->arena = whole;
		}
		buf_consume(pending, n + 1);
	}
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
show_rest(struct cli *cli, int fd, struct buf *pending)
{
	ssize_t n;
	int code = CLI_OK;

	while (code == CLI_OK && (n = read(fd, buf_reserve(pending, CHUNK), CHUNK)) > 0) {
		pending->len += (size_t)n;
		code = show_lines(cli, pending);
	}
	return code;
}

/* After a rotation the path is another file: go on with that one. */
static int
reopen_if_rotated(const char *path, int fd)
{
	struct stat held, named;
	int fresh;

	if (fstat(fd, &held) != 0 || stat(path, &named) != 0 || held.st_ino == named.st_ino ||
	    (fresh = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return fd;
	close(fd);
	return fresh;
}

static int
cmd_logs_follow(struct cli *cli, const char *path, int *fd, struct buf *pending)
{
	int watch = inotify_init1(IN_CLOEXEC), code = CLI_OK;
	char events[4096];
	struct pollfd p[2] = { { .fd = watch, .events = POLLIN }, { .fd = STDOUT_FILENO } };
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	if (watch < 0 || inotify_add_watch(watch, dir, IN_MODIFY | IN_MOVED_TO | IN_CREATE) < 0) {
		if (watch >= 0)
			close(watch);
		return cli_fail(CLI_FAILED, "cannot follow %s: %s", path, strerror(errno));
	}
	/* The second descriptor tells that the reader of a pipe went away. */
	while (code == CLI_OK && (poll(p, 2, -1) >= 0 || errno == EINTR)) {
		if (p[1].revents & (POLLERR | POLLHUP))
			break;
		if (p[0].revents != 0 && read(watch, events, sizeof(events)) < 0)
			break;
		code = show_rest(cli, *fd, pending);
		*fd = reopen_if_rotated(path, *fd);
		if (code == CLI_OK)
			code = show_rest(cli, *fd, pending);
	}
	close(watch);
	return code;
}

int
cmd_mcp_logs(struct cli *cli)
{
	const char *project = cli_project(cli), *path;
	struct buf pending = { 0 };
	uint64_t lines = 100;
	int fd, code;

	if (project == NULL || !cli_number(cli, "lines", 0, 100000000, &lines))
		return project == NULL ? CLI_FAILED : CLI_USAGE;
	path =
	    arena_printf(cli->arena, "%s/.carrel/logs/%s", project, cli_flag(cli, "calls") ? "calls.log" : "mcp.log");
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return errno == ENOENT ?
		    cli_fail(CLI_FAILED,
			"there is no log yet; the daemon writes one once `carrel mcp start` has started it") :
		    cli_fail(CLI_FAILED, "cannot read %s: %s; run as the user who started the daemon", path,
			strerror(errno));
	(void)lseek(fd, lines == 0 ? 0 : tail_offset(fd, lines), lines == 0 ? SEEK_END : SEEK_SET);
	code = show_rest(cli, fd, &pending);
	if (code == CLI_OK && cli_flag(cli, "follow"))
		code = cmd_logs_follow(cli, path, &fd, &pending);
	buf_fini(&pending);
	close(fd);
	return code;
}
