#include "cli/datasets/share.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/system/io.h"
#include "cli/arguments.h"
#include "cli/say.h"
#include "cli/show/term.h"

#define KEPT		".before"	/* after the name of imports.db: as it was before an import */
#define LOCK_TRIES	50	/* of a tenth of a second */

struct share_state {
	const char	*trouble, *away;
	uint64_t	 missing, missing_bytes, unsent, aside;
	bool		 settled, full;
};

static uint64_t aside_before;	/* files that were kept aside before this command */

/* The tool once. */
static int
share_ask(struct cli *cli, struct client *c, const char *remove, struct share_state *s)
{
	struct arguments m;
	struct view result;
	struct err err;
	int r;

	arguments_begin(&m);
	if (remove != NULL)
		mp_put_cstr(arguments_key(&m, "remove"), remove);
	r = client_tool(c, "files_share", arguments_end(&m), NULL, NULL, &result, &err);
	buf_fini(&m.mp);
	if (r != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	*s = (struct share_state){
		.trouble = view_cstr(cli->arena, view_get(result, "trouble"), ""),
		.away = view_cstr(cli->arena, view_get(result, "away"), ""),
		.missing = view_uint(view_get(result, "missing"), 0),
		.missing_bytes = view_uint(view_get(result, "missing_bytes"), 0),
		.unsent = view_uint(view_get(result, "unsent"), 0), .aside = view_uint(view_get(result, "aside"), 0),
		.settled = view_true(view_get(result, "settled")), .full = view_true(view_get(result, "full")),
	};
	return CLI_OK;
}

/* Until everything is there and here, or something is in the way. */
static int
share_wait(struct cli *cli, const char *remove, struct share_state *s)
{
	struct client c;
	int code;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	for (;;) {
		if ((code = share_ask(cli, &c, remove, s)) != CLI_OK || s->settled || s->away[0] != '\0')
			break;
		remove = NULL;
		term_progress(0.5,
		    s->missing > 0 ? "bringing files from the state store" : "sending files to the state store");
	}
	term_progress_end();
	client_close(&c);
	return code;
}

int
share_before(struct cli *cli, const struct config *cfg)
{
	struct share_state s;
	int code;

	if (cfg->state_url == NULL)
		return CLI_OK;
	if ((code = share_wait(cli, NULL, &s)) != CLI_OK)
		return code;
	aside_before = s.aside;
	if (s.away[0] != '\0')
		return cli_fail(CLI_FAILED, "%s; nothing was changed", s.away);
	if (s.missing > 0)
		return cli_fail(CLI_FAILED, "%llu shared files are not here yet, so that nothing was changed: %s",
		    (unsigned long long)s.missing, s.trouble[0] != '\0' ? s.trouble : "try again in a moment");
	return CLI_OK;
}

int
share_after(struct cli *cli, const struct config *cfg, bool *full)
{
	struct share_state s;
	int code;

	*full = false;
	if (cfg->state_url == NULL)
		return CLI_OK;
	if ((code = share_wait(cli, NULL, &s)) != CLI_OK)
		return code;
	if (s.away[0] != '\0') {
		cli_note("it is here, and not on the other nodes yet: %s. This node sends it when the store is back",
		    s.away);
		return CLI_OK;
	}
	*full = s.full;
	if (s.full)
		return cli_fail(CLI_FAILED, "nothing was kept. %s", s.trouble);
	if (s.trouble[0] != '\0' && (s.unsent > 0 || s.aside > aside_before))
		return cli_fail(CLI_FAILED, "the other nodes do not have all of what is here: %s", s.trouble);
	return CLI_OK;
}

int
share_remove(struct cli *cli, const struct config *cfg, const char *name)
{
	struct share_state s;

	return cfg->state_url == NULL ? CLI_OK : share_wait(cli, name, &s);
}

int
share_lock(const char *dir)
{
	char path[4096];
	struct timespec pause = { 0, 100000000 };
	int fd, tries = 0;

	if ((size_t)snprintf(path, sizeof(path), "%s/" CONFIG_IMPORTS_LOCK, dir) >= sizeof(path) ||
	    (fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0) {
		cli_fail(CLI_FAILED, "%s cannot be opened: %s", path, strerror(errno));
		return -1;
	}
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (++tries == LOCK_TRIES) {
			close(fd);
			cli_fail(CLI_FAILED, "another import is running; wait for its end");
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

bool
share_has_log(struct cli *cli, const char *dir)
{
	struct stat st;

	return stat(arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_FILE "-wal", dir), &st) == 0 && st.st_size > 0;
}

/* 0; -1: errno. */
static int
copy_all(int in, int out, off_t size)
{
	char bytes[65536];
	ssize_t n;

	if (ioctl(out, FICLONE, in) == 0)
		return 0;
	for (; size > 0; size -= n)
		if ((n = read(in, bytes, sizeof(bytes))) <= 0 || io_write(out, span_of(bytes, (size_t)n)) != 0)
			return -1;
	return 0;
}

/* Paths of imports.db in dir, with an ending. */
static void
path_of(const char *dir, const char *ending, char path[4096])
{
	snprintf(path, 4096, "%s/" CONFIG_IMPORTS_FILE "%s", dir, ending);
}

int
share_keep(const char *dir)
{
	char from[4096], to[4096];
	int in, out, left;
	struct stat st;

	path_of(dir, "", from);
	path_of(dir, KEPT, to);
	(void)unlink(to);
	if ((in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		return errno == ENOENT ? CLI_OK : cli_fail(CLI_FAILED, "%s: %s", from, strerror(errno));
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	left = out >= 0 && fstat(in, &st) == 0 ? copy_all(in, out, st.st_size) : -1;
	close(in);
	if (out >= 0)
		close(out);
	if (left == 0)
		return CLI_OK;
	(void)unlink(to);
	return cli_fail(CLI_FAILED, "a copy of %s cannot be made: %s", from, strerror(errno));
}

int
share_take_back(const char *dir)
{
	static const char *const logs[] = { "-wal", "-shm" };
	char from[4096], to[4096], log[4096];
	int r;

	path_of(dir, KEPT, from);
	path_of(dir, "", to);
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		path_of(dir, logs[i], log);
		(void)unlink(log);
	}
	/* Without a copy there was no file. */
	r = access(from, F_OK) == 0 ? rename(from, to) : unlink(to);
	return r == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s cannot be put back: %s", to, strerror(errno));
}

void
share_drop_kept(const char *dir)
{
	char path[4096];

	path_of(dir, KEPT, path);
	(void)unlink(path);
}
