#include "cli/admin_commands.h"
#include "cli/cmd_cluster.h"
#include "cli/say.h"

static int
show_nodes(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "NODE", "LEASE", "HAS ACTED UPON", NULL };
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
