#include "cli/admin_commands.h"
#include "cli/daemon/daemon.h"
#include "cli/admin/cmd_admin.h"
#include "cli/say.h"

/* Only the link goes to standard output, so that a program can open it. */
static int
show_link(struct cli *cli, struct view result)
{
	cli_note("open this link; it is good once, until %s:", admin_time(cli, view_get(result, "expires_at")));
	return cli_print("%s\n", view_cstr(cli->arena, view_get(result, "url"), "-"));
}

int
cmd_admin(struct cli *cli)
{
	static const uint8_t no_arguments[] = { 0x80 };
	struct daemon d;
	struct err err;
	const char *project = cli_project(cli);

	if (project == NULL)
		return CLI_FAILED;
	if (daemon_look(cli->arena, project, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (d.state != DAEMON_RUNNING)
		return cli_fail(CLI_NOT_RUNNING,
		    "the daemon is not running, and it serves the page; start it with `carrel mcp start`");
	return admin_run(cli, "admin_link", span_of(no_arguments, 1), show_link);
}
