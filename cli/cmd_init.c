/* cmd_init.c - carrel init. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "demo/warehouse.h"

static const char configuration[] =
    "# Carrel's configuration. `carrel doctor --config-reference` lists every key,\n"
    "# `carrel connection add` adds to this file and keeps your comments.\n"
    "connections: {}\n";

static const char ignored[] = "# State, logs and secrets of this machine.\n/.carrel/\n";

static int
make_directory(struct cli *cli, const char *dir, const char *name, mode_t mode)
{
	const char *path = arena_printf(cli->arena, "%s%s%s", dir, *name ? "/" : "", name);

	if (mkdir(path, mode) == 0 || errno == EEXIST)
		return CLI_OK;
	return cli_fail(CLI_FAILED, "cannot create %s: %s; choose a directory you may write to", path, strerror(errno));
}

/* A new file; one that is there stays as it is. */
static int
make_file(struct cli *cli, const char *dir, const char *name, const char *text)
{
	const char *path = arena_printf(cli->arena, "%s/%s", dir, name);
	size_t len = strlen(text);
	bool ok;
	int fd;

	if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) < 0)
		return errno == EEXIST ? CLI_OK :
		    cli_fail(CLI_FAILED, "cannot create %s: %s", path, strerror(errno));
	ok = write(fd, text, len) == (ssize_t)len;
	if (close(fd) != 0 || !ok)
		return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
	return CLI_OK;
}

static bool
holds(struct cli *cli, const char *dir, const char *name)
{
	struct stat st;

	return lstat(arena_printf(cli->arena, "%s/%s", dir, name), &st) == 0;
}

/* What every project has, beside its configuration. */
static int
scaffold(struct cli *cli, const char *dir)
{
	static const char *const places[] = { "wiki", "wiki/global", "semantic-layer", "raw-sources" };
	int code = CLI_OK;

	for (size_t i = 0; code == CLI_OK && i < sizeof(places) / sizeof(places[0]); i++)
		code = make_directory(cli, dir, places[i], 0755);
	if (code == CLI_OK)
		code = make_directory(cli, dir, ".carrel", 0700);
	if (code == CLI_OK)
		code = make_file(cli, dir, ".gitignore", ignored);
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

static int
fill(struct cli *cli, const char *dir)
{
	const char *source = cli_share(cli, "demo");
	struct err err;

	if (source == NULL)
		return CLI_FAILED;
	if (demo_create(dir, source, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (scaffold(cli, dir) != CLI_OK)
		return CLI_FAILED;
	return scan_demo(cli, dir);
}

/* The lines to type next, from where the person is. */
static int
say_next(struct cli *cli, const char *dir, bool demo)
{
	char here[PATH_MAX];
	bool elsewhere = getcwd(here, sizeof(here)) == NULL || strcmp(here, dir) != 0;

	if (cli->json) {
		struct buf mp = { 0 };
		int code;

		mp_put_map(&mp, 2);
		mp_pair_cstr(&mp, "projectDir", dir);
		mp_pair_bool(&mp, "demo", demo);
		code = cli_json_mp(buf_view(&mp));
		buf_fini(&mp);
		return code;
	}
	return cli_print("The project is in %s. Next:\n%s%s%s%s", dir, elsewhere ? "  cd " : "",
	    elsewhere ? dir : "", elsewhere ? "\n" : "", demo ?
	    "  carrel discover \"revenue by country\"\n"
	    "  carrel mcp start\n" :
	    "  carrel connection add NAME --path FILE.db     # or --url env:NAME for PostgreSQL\n"
	    "  carrel scan\n"
	    "  carrel mcp start\n");
}

int
cmd_init(struct cli *cli)
{
	const char *wanted = cli_operand(cli, 0) != NULL ? cli_operand(cli, 0) :
	    cli->project_option != NULL ? cli->project_option : ".";
	char dir[PATH_MAX];
	bool demo = cli_flag(cli, "demo");
	int code;

	if (make_directory(cli, wanted, "", 0755) != CLI_OK)
		return CLI_FAILED;
	if (realpath(wanted, dir) == NULL)
		return cli_fail(CLI_FAILED, "cannot use %s: %s", wanted, strerror(errno));
	if (holds(cli, dir, "carrel.yaml") || holds(cli, dir, "ktx.yaml"))
		return cli_fail(CLI_FAILED, "%s is a project already; `carrel --project-dir %s status` shows it, "
		    "or choose another directory", dir, dir);
	if (demo)
		code = fill(cli, dir);
	else if ((code = scaffold(cli, dir)) == CLI_OK)
		code = make_file(cli, dir, "carrel.yaml", configuration);
	return code != CLI_OK ? code : say_next(cli, dir, demo);
}
