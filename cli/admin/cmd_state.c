#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sodium.h>

#include "cli/args.h"
#include "cli/audit/cmd_audit_log.h"
#include "cli/audit/cmd_audit_verify.h"
#include "cli/admin/cmd_state.h"
#include "cli/daemon/daemon.h"
#include "cli/datasets/importer.h"
#include "cli/say.h"
#include "project/config/secret.h"
#include "project/keys.h"
#include "project/paths.h"

/* Append the URL that an option names, and the end of its line. */
static int
put_url(struct cli *cli, const struct config *cfg, const char *option, struct buf *out)
{
	const char *ref = cli_option(cli, option);
	struct err err;

	if (ref != NULL && !config_is_reference(ref))
		return cli_fail(CLI_USAGE,
		    "--%s is env:NAME or file:PATH: the URL has a password, which others see in a "
		    "command",
		    option);
	switch (ref == NULL ?
		0 :
		config_secret(ref, CONFIG_HOLDS_URL, cfg->project_dir, NULL, cli_getenv, NULL, out, &err)) {
	case 0:
		buf_byte(out, '\n');
		return CLI_OK;
	case 1:
		return cli_fail(CLI_FAILED, "%s is not set", ref);
	default:
		return cli_fail(CLI_FAILED, "%s", err.message);
	}
}

/* Append what imported files are moved with, a line each; nothing if the project has no key yet. */
static void
put_files(struct cli *cli, const struct config *cfg, struct buf *out)
{
	int state = open(arena_printf(cli->arena, "%s/.carrel", cfg->project_dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct buf root = BUF_MAX(KEYS_ROOT + 1);
	uint8_t key[KEYS_ROOT];
	char hex[2 * sizeof(key) + 1];
	struct err err;

	if (state >= 0 && paths_read(state, KEYS_FILE, PATHS_SECRET, KEYS_ROOT + 1, &root, &err) == 0 &&
	    root.len == KEYS_ROOT) {
		keys_derive(root.p, KEYS_SEAL, key, sizeof(key));
		sodium_bin2hex(hex, sizeof(hex), key, sizeof(key));
		buf_printf(out, "%s\n%llu\n%s\n", cfg->project_dir, (unsigned long long)cfg->state_files_mb << 20, hex);
		sodium_memzero(key, sizeof(key));
		sodium_memzero(hex, sizeof(hex));
	}
	buf_wipe(&root);
	if (state >= 0)
		close(state);
}

/* A descriptor that reads as text. */
static int
descriptor_of(struct span text)
{
	int fd = memfd_create("urls", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, text.p, text.len) == (ssize_t)text.len && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int
move_rows(struct cli *cli, const struct config *cfg, struct span urls)
{
	const char *file =
	    cfg->state != NULL ? cfg->state : arena_printf(cli->arena, "%s/.carrel/state.db", cfg->project_dir);
	const char *const words[] = { "carrel-auth-postgres", "migrate", file, NULL };
	struct buf report = { 0 }, why = { 0 };
	int fd = descriptor_of(urls), none = open("/dev/null", O_WRONLY | O_CLOEXEC), code;
	struct importer im;

	if (fd < 0 || none < 0)
		code = cli_fail(CLI_FAILED, "%s", strerror(errno));
	else if ((code = importer_start(cli, &im, fd, none, words)) == CLI_OK) {
		importer_follow(&im, &report);
		if (!importer_end(&im, view_of(buf_view(&report)), "moved", &why))
			code = cli_fail(CLI_FAILED, "nothing was moved: %s", buf_cstr(&why));
		else
			cli_note("%llu rows were moved, and %llu imported files are there; the audit stays with this "
				 "project",
			    (unsigned long long)view_uint(view_get(view_of(buf_view(&report)), "moved.rows"), 0),
			    (unsigned long long)view_uint(view_get(view_of(buf_view(&report)), "moved.files"), 0));
	}
	if (fd >= 0)
		close(fd);
	if (none >= 0)
		close(none);
	buf_fini(&report);
	buf_fini(&why);
	return code;
}

int
cmd_state_migrate(struct cli *cli)
{
	struct buf urls = { 0 };
	struct config cfg;
	struct daemon d;
	struct err err;
	int code;

	if (cli_option(cli, "from") == NULL && cli_option(cli, "to") == NULL)
		return cli_fail(CLI_USAGE, "say --to or --from: the other one is this project's file");
	if (!cli_config(cli, true, &cfg))
		return CLI_FAILED;
	if (daemon_look(cli->arena, cfg.project_dir, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (d.state == DAEMON_RUNNING)
		return cli_fail(CLI_FAILED,
		    "carrel runs for this project: stop it first, here and on all nodes "
		    "(`carrel mcp stop`)");
	if ((code = put_url(cli, &cfg, "from", &urls)) == CLI_OK &&
	    (code = put_url(cli, &cfg, "to", &urls)) == CLI_OK) {
		put_files(cli, &cfg, &urls);
		code = move_rows(cli, &cfg, buf_view(&urls));
	}
	buf_wipe(&urls);
	return code == CLI_OK ? cmd_audit_verify(cli) : code;
}
