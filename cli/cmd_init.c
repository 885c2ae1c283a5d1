#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/system/io.h"
#include "base/text/percent.h"
#include "cli/cmd_init.h"
#include "cli/cmd_scan.h"
#include "cli/engine_library.h"
#include "demo/create.h"
#include "project/letters.h"
#include "project/paths.h"
#include "cli/args.h"
#include "cli/cmd_connection_edit.h"
#include "cli/say.h"
#include "project/config/secret.h"

static const char configuration[] =
    "# Carrel's configuration. `carrel doctor --config-reference` lists every key,\n"
    "# `carrel connection add` adds to this file and keeps your comments.\n"
    "connections: {}\n";

static const char ignored[] = "# State, logs and secrets of this machine.\n/.carrel/\n";

static volatile sig_atomic_t interrupted;

static void
note_interrupt(int signo)
{
	interrupted = signo;
}

static int
make_directory(const char *dir, int fd, const char *name, mode_t mode)
{
	if (paths_make(fd, name, mode) == 0)
		return CLI_OK;
	if (errno == ELOOP || errno == ENOTDIR)
		return cli_fail(CLI_FAILED,
		    "%s/%s is a link or no directory; links may lead out of the project and are not followed: "
		    "put a directory in its place",
		    dir, name);
	return cli_fail(CLI_FAILED, "cannot create %s/%s: %s; choose a directory you may write to", dir, name,
	    strerror(errno));
}

/* Write a new file; an existing one is not changed. */
static int
make_file(const char *dir, int top, const char *name, const char *text)
{
	bool ok;
	int fd;

	if ((fd = openat(top, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640)) < 0)
		return errno == EEXIST ? CLI_OK :
					 cli_fail(CLI_FAILED, "cannot create %s/%s: %s", dir, name, strerror(errno));
	ok = io_write(fd, span_str(text)) == 0;
	if (close(fd) != 0 || !ok)
		return cli_fail(CLI_FAILED, "cannot write %s/%s: %s", dir, name, strerror(errno));
	return CLI_OK;
}

static int
begin_project(const char *dir)
{
	int top = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), code;

	if (top < 0)
		return cli_fail(CLI_FAILED, "cannot open %s: %s", dir, strerror(errno));
	code = make_file(dir, top, "carrel.yaml", configuration);
	close(top);
	return code;
}

static bool
directory_holds(struct cli *cli, const char *dir, const char *name)
{
	struct stat st;

	return lstat(arena_printf(cli->arena, "%s/%s", dir, name), &st) == 0;
}

/* Creates the directories and files that every project has besides its configuration. */
static int
scaffold(const char *dir)
{
	static const char *const places[] = { "wiki", "wiki/global", "semantic-layer", "raw-sources" };
	int code = CLI_OK, top = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (top < 0)
		return cli_fail(CLI_FAILED, "cannot open %s: %s", dir, strerror(errno));
	for (size_t i = 0; code == CLI_OK && i < sizeof(places) / sizeof(places[0]); i++)
		code = make_directory(dir, top, places[i], strcmp(places[i], "raw-sources") == 0 ? 0750 : 0755);
	if (code == CLI_OK)
		code = make_directory(dir, top, ".carrel", 0700);
	if (code == CLI_OK)
		code = make_file(dir, top, ".gitignore", ignored);
	close(top);
	return code;
}

static int
scan_demo(struct cli *cli, const char *dir)
{
	struct config cfg = { 0 };
	struct client c;
	int code = CLI_OK;

	cli->project_option = dir;
	if (!cli_config(cli, false, &cfg) || client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	for (size_t i = 0; i < cfg.nconnections && code == CLI_OK; i++) {
		struct buf result = { 0 };

		code = scan_connection(cli, &c, cfg.connections[i].id, true, cli->json ? &result : NULL);
		buf_fini(&result);
	}
	client_close(&c);
	return code;
}

/* The library that writes the warehouse; NULL with CLI_OK: SQLite, which is linked. */
static int
demo_library(struct cli *cli, const char **library)
{
	const char *engine = cli_option(cli, "engine");
	const struct db_driver *d = engine == NULL ? NULL : drivers_served(span_str(engine));
	struct engine_library l;

	*library = NULL;
	if (engine == NULL || strcmp(engine, "sqlite") == 0)
		return CLI_OK;
	if (d == NULL || d->library == NULL)
		return cli_fail(CLI_USAGE, "the demo is made for sqlite or duckdb, not for %s", engine);
	engine_library_find(cli, NULL, d, &l);
	*library = l.path;
	return l.version != NULL ?
	    CLI_OK :
	    cli_fail(CLI_FAILED, "%s; `carrel engine add %s --from FILE` puts the library in place", l.reason, engine);
}

static int
write_files(struct cli *cli, const char *dir)
{
	const char *source = cli_share(cli, "demo"), *library;
	struct err err;
	int code;

	if (source == NULL)
		return CLI_FAILED;
	if ((code = demo_library(cli, &library)) != CLI_OK)
		return code;
	if (demo_create(dir, source, library, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (scaffold(dir) != CLI_OK || interrupted != 0)
		return interrupted != 0 ? cli_fail(CLI_FAILED, "interrupted; nothing was kept") : CLI_FAILED;
	return scan_demo(cli, dir);
}

/* A path as a shell takes it. */
static const char *
quoted(struct cli *cli, const char *path)
{
	struct buf out = { 0 };
	const char *text;

	if (strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%") == strlen(path))
		return path;
	buf_byte(&out, '\'');
	for (; *path != '\0'; path++)
		if (*path == '\'')
			buf_str(&out, "'\\''");
		else
			buf_byte(&out, (uint8_t)*path);
	buf_byte(&out, '\'');
	text = arena_cstr(cli->arena, buf_view(&out));
	buf_fini(&out);
	return text;
}

/* The lines to type next, from where the person is. */
static int
say_next(struct cli *cli, const char *dir, bool demo, const char *connection)
{
	char here[PATH_MAX];
	bool elsewhere = getcwd(here, sizeof(here)) == NULL || strcmp(here, dir) != 0;

	if (cli->json) {
		struct buf mp = { 0 };
		int code;

		mp_put_pairs(&mp, mp_cstr("projectDir", dir), mp_bool("demo", demo));
		code = cli_json_mp(buf_view(&mp));
		buf_fini(&mp);
		return code;
	}
	if (connection != NULL)
		(void)cli_print("The connection is called %s; --name calls it otherwise.\n", connection);
	if (cli_print("The project is in %s. Next:\n%s%s%s", dir, elsewhere ? "  cd " : "",
		elsewhere ? quoted(cli, dir) : "", elsewhere ? "\n" : "") != CLI_OK)
		return CLI_FAILED;
	if (connection != NULL)
		return scan_put_next(cli, dir, connection, false);
	return cli_print("%s",
	    demo ? "  carrel discover \"revenue by country\"\n"
		   "  carrel mcp start\n" :
		   "  carrel connection add NAME --path FILE.db     # or --files DIRECTORY, or --url env:NAME\n"
		   "  carrel scan\n"
		   "  carrel mcp start\n");
}

static int
take_away(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type;
	if (at->level > 0)
		(void)remove(path);
	return 0;
}

static bool
is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	bool empty = d != NULL;

	while (empty && (e = readdir(d)) != NULL)
		empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	if (d != NULL)
		closedir(d);
	return empty;
}

/* A demo that does not come about, or is interrupted, leaves an empty directory empty, and none that it made. */
static int
make_demo(struct cli *cli, const char *dir, bool made)
{
	struct sigaction sa = { .sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND };
	bool empty = is_empty(dir);
	int code;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	code = write_files(cli, dir);
	if (code == CLI_OK && interrupted == 0)
		return CLI_OK;
	if (empty)
		(void)nftw(dir, take_away, 16, FTW_DEPTH | FTW_PHYS);
	if (made)
		(void)rmdir(dir);
	return code != CLI_OK ? code : cli_fail(CLI_FAILED, "interrupted; nothing was kept");
}

/* The database that the URL names, also one that is referred to; "": it names none, or cannot be read here. */
static const char *
database_of_url(struct cli *cli, const char *url)
{
	struct buf value = { 0 }, name = { 0 };
	const char *text = "", *at;
	struct err err;
	int c;

	if (config_secret(url, CONFIG_HOLDS_URL, ".", NULL, cli_getenv, NULL, &value, &err) == 0 &&
	    (at = strstr(buf_cstr(&value), "://")) != NULL && (at = strchr(at + 3, '/')) != NULL) {
		struct span coded = span_of(at + 1, strcspn(at + 1, "?"));

		for (size_t i = 0; i < coded.len && (c = percent_next(coded, &i)) >= 0;)
			buf_byte(&name, (uint8_t)c);
		text = arena_cstr(cli->arena, buf_view(&name));
	}
	buf_fini(&name);
	buf_wipe(&value);
	return text;
}

/*
 * A connection is called as --name says, else as its database: "shop" for data/shop.db and postgres://HOST/shop,
 * "umsaetze" for umsätze.db; "db" where no database is named.
 */
static const char *
name_of_database(struct cli *cli)
{
	const char *name = cli_option(cli, "name"), *path = cli_option(cli, "path"), *slash;
	struct span plain;
	char text[64];
	size_t n = 0;

	if (name != NULL)
		return name;
	if (path == NULL)
		path = database_of_url(cli, cli_option(cli, "url"));
	slash = strrchr(path, '/');
	path = slash == NULL ? path : slash + 1;
	plain = letters_plain(cli->arena, span_of(path, strcspn(path, ".")), NULL);
	path = arena_printf(cli->arena, "%.*s", SPAN_FMT(plain));
	for (; path != NULL && *path != '\0' && n + 1 < sizeof(text); path++)
		if (ascii_is_alnum((uint8_t)*path) || (n > 0 && (*path == '-' || *path == '_')))
			text[n++] = *path;
	text[n] = '\0';
	return n == 0 ? "db" : arena_printf(cli->arena, "%s", text);
}

static int
scan_quietly(struct cli *cli, const char *id)
{
	struct buf result = { 0 };
	struct client c;
	int code;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	code = scan_connection(cli, &c, id, false, cli->json || cli->quiet ? &result : NULL);
	client_close(&c);
	buf_fini(&result);
	return code;
}

int
project_connect(struct cli *cli, const char *dir)
{
	const char *id = name_of_database(cli);

	cli->project_option = dir;
	cli->noperands = 1;
	cli->operands[0] = id;
	cli->quiet = true;
	return cmd_connection_add(cli);
}

int
project_options(struct cli *cli)
{
	static const char *const options[] = { "name", "schema", "schemas", "all-schemas" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (cli_flag(cli, options[i]))
			return cli_fail(CLI_USAGE, "--%s describes a connection: give --url or --path as well",
			    options[i]);
	return CLI_OK;
}

int
project_make(const char *dir)
{
	int code = scaffold(dir);

	return code != CLI_OK ? code : begin_project(dir);
}

int
project_scan(struct cli *cli, const char *id)
{
	return scan_quietly(cli, id);
}

/* The project stays also when the database cannot be reached: then there is something to correct. */
static int
connect_and_scan(struct cli *cli, const char *dir)
{
	int code = project_connect(cli, dir);

	if (code != CLI_OK) {
		(void)cli_fail(code, "the project in %s has no connection yet; `carrel connection add` there makes one",
		    dir);
		return code;
	}
	cli->quiet = false;
	return scan_quietly(cli, cli->operands[0]) == CLI_OK ?
	    CLI_OK :
	    cli_fail(CLI_FAILED,
		"the project is in %s, its connection %s is not scanned: correct it with `carrel connection "
		"edit %s` there, then `carrel scan`",
		dir, cli->operands[0], cli->operands[0]);
}

/*
 * Finds the directory on the path to dir that root can only enter by privilege: Carrel's processes drop it, even when
 * root starts them.  Shortens dir to it; false if absent.
 */
static bool
is_closed_to_root(char *dir, uid_t *owner)
{
	struct stat st;
	char *slash;

	if (geteuid() != 0)
		return false;
	do {
		if (stat(dir, &st) == 0 && st.st_uid != 0 && (st.st_mode & S_IXOTH) == 0 &&
		    (st.st_gid != 0 || (st.st_mode & S_IXGRP) == 0)) {
			*owner = st.st_uid;
			return true;
		}
		if ((slash = strrchr(dir, '/')) != NULL)
			*slash = '\0';
	} while (slash != NULL && dir[0] != '\0');
	return false;
}

/* CLI_OK, or the exit code after a message; a directory that was just made is removed again. */
static int
check_owner(struct cli *cli, const char *dir, bool made)
{
	char *way = arena_printf(cli->arena, "%s", dir);
	uid_t owner;

	if (!is_closed_to_root(way, &owner))
		return CLI_OK;
	if (made)
		(void)rmdir(dir);
	return cli_fail(CLI_FAILED,
	    "only its owner may open %s, and Carrel's processes have no privileges of root; run this command as the "
	    "owner: "
	    "`sudo -u '#%u' carrel init %s`",
	    way, (unsigned)owner, dir);
}

int
cmd_init(struct cli *cli)
{
	const char *wanted = cli_operand(cli, 0) != NULL ? cli_operand(cli, 0) :
	    cli->project_option != NULL                  ? cli->project_option :
							   ".";
	char dir[PATH_MAX];
	bool demo = cli_flag(cli, "demo"), connect = cli_flag(cli, "url") || cli_flag(cli, "path"), made;
	struct stat st;
	int code;

	if (demo && connect)
		return cli_fail(CLI_USAGE, "the demo has a database of its own; give --demo, or --url or --path");
	if (!demo && cli_flag(cli, "engine"))
		return cli_fail(CLI_USAGE, "--engine is the demo's; --url and --path say of which database they are");
	if (!connect && (code = project_options(cli)) != CLI_OK)
		return code;
	made = stat(wanted, &st) != 0;
	if (mkdir(wanted, 0755) != 0 && errno != EEXIST)
		return cli_fail(CLI_FAILED, "cannot create %s: %s; choose a directory you may write to", wanted,
		    strerror(errno));
	if (realpath(wanted, dir) == NULL)
		return cli_fail(CLI_FAILED, "cannot use %s: %s", wanted, strerror(errno));
	if ((code = check_owner(cli, dir, made)) != CLI_OK)
		return code;
	if (directory_holds(cli, dir, "carrel.yaml") || directory_holds(cli, dir, "ktx.yaml"))
		return cli_fail(CLI_FAILED,
		    "%s is a project already; `carrel --project-dir %s status` shows it, "
		    "or choose another directory",
		    dir, dir);
	if (demo)
		code = make_demo(cli, dir, made);
	else if ((code = project_make(dir)) == CLI_OK && connect)
		code = connect_and_scan(cli, dir);
	return code != CLI_OK ? code : say_next(cli, dir, demo, connect ? cli_operand(cli, 0) : NULL);
}
