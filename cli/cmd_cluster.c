#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/admin_commands.h"
#include "cli/args.h"
#include "cli/cmd_cluster.h"
#include "cli/daemon/client.h"
#include "cli/daemon/daemon.h"
#include "cli/say.h"
#include "project/keys.h"
#include "project/paths.h"

/* Of the imported files and documents that the store has. */
static void
put_missing(struct text_table *t, struct view missing)
{
	if (missing.kind != VIEW_NUMBER)
		table_cell_faint(t, SPAN("-")); /* a node of a version that does not say */
	else if (view_uint(missing, 0) == 0)
		table_cell(t, SPAN("all"));
	else
		table_cellf(t, "%llu missing", (unsigned long long)view_uint(missing, 0));
}

static int
show_nodes(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "NODE", "LEASE", "HAS ACTED UPON", "LOAD BALANCER", "PROJECT",
		"REVISION", "AUDIT COPIED", "FILES", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "nodes"));
	struct view each;

	while (view_next(&it, &each)) {
		table_row(t);
		table_cellf(t, "%s%s", view_cstr(cli->arena, view_get(each, "name"), ""),
		    view_true(view_get(each, "own")) ? " (this one)" : "");
		table_cell(t, view_true(view_get(each, "lease")) ? SPAN("yes") : SPAN("ended"));
		table_cell(t,
		    view_true(view_get(each, "current")) ? SPAN("everything") : SPAN("not the newest change"));
		table_cell(t, view_true(view_get(each, "drained")) ? SPAN("drained") : SPAN("used"));
		table_cellf(t, "%s%s%s", view_true(view_get(each, "writes")) ? "writes it" : "reads it",
		    view_true(view_get(each, "behind")) ? ", and is behind" : "",
		    !view_true(view_get(each, "lease")) && view_uint(view_get(each, "holds"), 0) > 0 ?
			", and holds a note" :
			"");
		table_cellf(t, "%.12s", view_cstr(cli->arena, view_get(each, "project"), ""));
		if (view_get(each, "uncopied").kind != VIEW_NUMBER)
			table_cell_faint(t, SPAN("-")); /* a node of a version that copies nothing */
		else if (view_uint(view_get(each, "uncopied"), 0) == 0)
			table_cell(t, SPAN("everything"));
		else
			table_cellf(t, "%llu entries are not",
			    (unsigned long long)view_uint(view_get(each, "uncopied"), 0));
		put_missing(t, view_get(each, "missing"));
	}
	return table_rows(t) > 0 ? cli_table(t) : cli_print("The state store is this node's alone.\n");
}

int
cmd_cluster_status(struct cli *cli)
{
	struct arguments m;

	arguments_begin(&m);
	return admin_send(cli, "cluster_status", &m, show_nodes);
}

/* The node that writes the project, NULL: this one, or none does. */
static int
find_writer(struct cli *cli, const char **writer)
{
	struct view result, each;
	struct view_iter it;
	struct arguments m;
	struct client c;
	struct err err;
	int code = CLI_OK;

	*writer = NULL;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	arguments_begin(&m);
	if (client_tool(&c, "cluster_status", arguments_end(&m), NULL, NULL, &result, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		for (it = view_iter(view_get(result, "nodes")); view_next(&it, &each);)
			if (view_true(view_get(each, "writes")) && !view_true(view_get(each, "own")))
				*writer = view_cstr(cli->arena, view_get(each, "name"), "");
	buf_fini(&m.mp);
	client_close(&c);
	return code;
}

int
cmd_cluster_check_writer(struct cli *cli)
{
	const char *writer;
	int code = find_writer(cli, &writer);

	return code != CLI_OK || writer == NULL ?
	    code :
	    cli_fail(CLI_FAILED, "the node %s writes this project: do it there, or `carrel cluster drain %s` first",
		writer, writer);
}

bool
cmd_cluster_writes(struct cli *cli)
{
	const char *writer;

	return find_writer(cli, &writer) == CLI_OK && writer == NULL;
}

static int
show_drained(struct cli *cli, struct view result)
{
	const char *node = view_cstr(cli->arena, view_get(result, "node"), "");

	if (!view_true(view_get(result, "drained")))
		return cli_print("%s is used again, as soon as the load balancer looks at /health/ready\n", node);
	if (view_uint(view_get(result, "others"), 0) == 0)
		cli_note("no other node is left that the load balancer could use");
	return cli_print(
	    "%s is drained: /health/ready is false there, and what runs goes on. `carrel status` there shows "
	    "the calls in flight; `carrel cluster drain %s --end` ends it\n",
	    node, node);
}

int
cmd_cluster_drain(struct cli *cli)
{
	const char *node = cli_operand(cli, 0);
	struct arguments m;

	arguments_begin(&m);
	if (node != NULL)
		mp_put_cstr(arguments_key(&m, "node"), node);
	if (cli_flag(cli, "end"))
		mp_put_bool(arguments_key(&m, "end"), true);
	return admin_send(cli, "cluster_drain", &m, show_drained);
}

static int
show_released(struct cli *cli, struct view result)
{
	const char *node = view_cstr(cli->arena, view_get(result, "node"), "");

	return cli_print("%s: queued again, for the node that writes. If %s comes back, it takes back what it had "
			 "written of this\n",
	    view_cstr(cli->arena, view_get(result, "runs"), ""), node);
}

int
cmd_cluster_release(struct cli *cli)
{
	struct arguments m;

	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "node"), cli_operand(cli, 0));
	return admin_send(cli, "cluster_release", &m, show_released);
}

static int
show_accepted(struct cli *cli, struct view result)
{
	(void)cli, (void)result;
	return cli_print(
	    "The loss is accepted. When this node connects next, within seconds, it ends in the store what its "
	    "audit says was ended; `carrel audit tail` shows store.loss. The other nodes do the same.\n");
}

int
cmd_cluster_accept_loss(struct cli *cli)
{
	struct arguments m;

	arguments_begin(&m);
	return admin_send(cli, "cluster_accept_loss", &m, show_accepted);
}

static bool
has_file(int state, const char *name)
{
	return faccessat(state, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The audit that is there was made with the key that is there. */
static int
install_key(int state, struct span key)
{
	struct buf own = BUF_MAX(KEYS_ROOT + 1);
	struct err err;
	int code = CLI_OK;

	if (has_file(state, KEYS_FILE) && paths_read(state, KEYS_FILE, PATHS_SECRET, KEYS_ROOT + 1, &own, &err) == 0 &&
	    span_is(buf_view(&own), key))
		cli_note("this node has that key already");
	else if (has_file(state, "state.db"))
		code = cli_fail(CLI_FAILED,
		    "this node has an audit that was made with a key of its own: move .carrel/state.db and what begins "
		    "with "
		    "that name to where you keep it, with .carrel/signing.key, and join again");
	else if (paths_replace(state, KEYS_FILE, 0600, key, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		cli_note("this node has the key of the others; remove the copy that it came from");
	buf_wipe(&own);
	return code;
}

static int
open_state(const char *project)
{
	int dir = open(project, O_PATH | O_DIRECTORY | O_CLOEXEC), state = -1;

	if (dir < 0)
		return -1;
	if (mkdirat(dir, ".carrel", 0700) == 0 || errno == EEXIST)
		state = openat(dir, ".carrel", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(dir);
	return state;
}

static int
join_with(const char *project, const char *path)
{
	struct buf key = BUF_MAX(KEYS_ROOT + 1);
	struct err err;
	int code, state = open_state(project);

	if (state < 0)
		return cli_fail(CLI_FAILED, "%s/.carrel: %s", project, strerror(errno));
	if (paths_read(AT_FDCWD, path, PATHS_SECRET, KEYS_ROOT + 1, &key, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (key.len != KEYS_ROOT)
		code =
		    cli_fail(CLI_FAILED, "%s is no key: .carrel/signing.key of a node has %d bytes", path, KEYS_ROOT);
	else
		code = install_key(state, buf_view(&key));
	buf_wipe(&key);
	close(state);
	return code;
}

int
cmd_cluster_join(struct cli *cli)
{
	const char *path = cli_option(cli, "root-key-file");
	struct config cfg;
	struct daemon d;
	struct err err;

	if (path == NULL)
		return cli_fail(CLI_USAGE, "say --root-key-file FILE: a copy of .carrel/signing.key of another node");
	if (!cli_config(cli, true, &cfg))
		return CLI_FAILED;
	if (daemon_look(cli->arena, cfg.project_dir, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return d.state == DAEMON_RUNNING ?
	    cli_fail(CLI_FAILED, "carrel runs for this project: `carrel mcp stop` first") :
	    join_with(cfg.project_dir, path);
}
