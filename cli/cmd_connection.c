#include <string.h>

#include "base/json/json_put.h"
#include "cli/cmd_connection.h"
#include "cli/say.h"
#include "cli/scans_project.h"
#include "cli/show/term.h"
#include "cli/args.h"

static const char *
where(struct cli *cli, const struct config_connection *c)
{
	const struct db_driver *d = drivers_served(span_str(c->driver_name));

	if (c->path_ref != NULL || c->path != NULL)
		return c->path_ref != NULL ? c->path_ref : c->path;
	return c->settings == NULL || d->where == NULL ? "" : d->where(c, cli->arena);
}

int
cmd_connection_list(struct cli *cli)
{
	static const char *const headers[] = { "CONNECTION", "DRIVER", "WHERE", "LAST SCAN", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct config cfg = { 0 };
	struct buf mp = { 0 };
	int code;

	if (!cli_config(cli, true, &cfg))
		return CLI_FAILED;
	mp_put_map(&mp, 1);
	mp_pair_array(&mp, "connections", cfg.nconnections);
	for (size_t i = 0; i < cfg.nconnections; i++) {
		const struct config_connection *c = &cfg.connections[i];
		const char *const members[][2] = { { "id", c->id }, { "driver", c->driver_name },
			{ "where", where(cli, c) }, { "lastScan", last_scan(cli, cfg.project_dir, c->id) } };

		table_row(t);
		mp_put_map(&mp, 4);
		for (size_t k = 0; k < 4; k++) {
			table_cell(t, span_str(members[k][1] != NULL ? members[k][1] : "never"));
			mp_put_cstr(&mp, members[k][0]);
			mp_put_cstr(&mp, members[k][1]);
		}
	}
	if (cli->json)
		code = cli_json_mp(buf_view(&mp));
	else if (cfg.nconnections == 0)
		code = cli_print("There are no connections; add one with `carrel connection add`.\n");
	else
		code = cli_table(t);
	buf_fini(&mp);
	return code;
}

/* One line about the column policy, and one for each of its faults. */
static int
show_policy(struct cli *cli, struct view policy)
{
	const char *reads = view_cstr(cli->arena, view_get(policy, "accountReads"), "");
	struct view_iter it = view_iter(view_get(policy, "matchNothing"));
	struct view one;
	int code;

	if (policy.kind != VIEW_OBJECT)
		return CLI_OK;
	code = cli_print("  column policy      %s rules\n", view_cstr(cli->arena, view_get(policy, "rules"), "?"));
	while (view_next(&it, &one))
		code |= cli_print("                     %sthe pattern %s fits no column%s\n", cli_colour(TERM_YELLOW),
		    view_cstr(cli->arena, one, ""), cli_colour(TERM_PLAIN));
	if (*reads != '\0')
		code |=
		    cli_print("                     the account itself can read %s: %s; see carrel connection grants\n",
			view_cstr(cli->arena, view_get(policy, "accountReadsCount"), "?"), reads);
	return code;
}

/* As whom statements run, and what of the database does not hold that; nothing for the account itself. */
static int
show_identity(struct cli *cli, struct view identity)
{
	const char *weakened = view_cstr(cli->arena, view_get(identity, "weakened"), "");
	int code;

	if (identity.kind != VIEW_OBJECT)
		return CLI_OK;
	code = cli_print("  statements run as  the one who asks; scans %s\n",
	    view_true(view_get(identity, "neutral")) ? "as the neutral identity" : "keep no values");
	if (*weakened != '\0')
		code |= cli_print("                     %s%s%s\n", cli_colour(TERM_YELLOW), weakened,
		    cli_colour(TERM_PLAIN));
	return code;
}

static int
show_test(struct cli *cli, struct view result)
{
	const char *why = view_cstr(cli->arena, view_get(result, "canWriteWhy"), "");
	struct view can = view_get(result, "canWrite");
	bool session = view_true(view_get(result, "readOnlySession"));

	return cli_print("%s%s%s\n"
			 "  reachable          yes, version %s, in %s ms\n"
			 "  account            %s\n"
			 "  account can write  %s%s%s%s%s\n"
			 "  read-only session  %s%s%s\n",
	    cli_colour(TERM_BOLD), view_cstr(cli->arena, view_get(result, "connection"), ""), cli_colour(TERM_PLAIN),
	    view_cstr(cli->arena, view_get(result, "serverVersion"), "?"),
	    view_cstr(cli->arena, view_get(result, "latencyMs"), "?"),
	    view_cstr(cli->arena, view_get(result, "user"), "none"), view_true(can) ? cli_colour(TERM_YELLOW) : "",
	    can.kind != VIEW_BOOL ? "unknown" :
		view_true(can)    ? "yes" :
				    "no",
	    view_true(can) ? cli_colour(TERM_PLAIN) : "", *why ? ": " : "", why, session ? "" : cli_colour(TERM_RED),
	    session ? "works" : "DOES NOT WORK, do not serve this database", session ? "" : cli_colour(TERM_PLAIN));
}

int
connection_request(struct client *c, const char *id, struct view *result, struct err *err)
{
	struct buf arguments = { 0 };
	int r;

	mp_put_pairs(&arguments, mp_cstr("connectionId", id));
	r = client_tool(c, "connection_test", buf_view(&arguments), NULL, NULL, result, err);
	buf_fini(&arguments);
	return r;
}

int
connection_ask(struct cli *cli, struct client *c, const char *id, struct view *result)
{
	struct err err;

	(void)cli;
	return connection_request(c, id, result, &err) != 0 ? fail_connection(id, &err) : CLI_OK;
}

/* The number of tables that are served and readable; a failure if it is 0. */
static int
show_reach(struct cli *cli, struct view reach)
{
	unsigned long long tables = view_uint(view_get(reach, "tables"), 0),
			   can = view_uint(view_get(reach, "readable"), 0);
	const char *refused = view_cstr(cli->arena, view_get(reach, "refused"), "");
	const char *left_out = view_cstr(cli->arena, view_get(reach, "leftOut"), "");
	int code;

	if (reach.kind != VIEW_OBJECT)
		return CLI_OK;
	if (cli->json)
		return tables > 0 && can == 0 ? cli_fail(CLI_FAILED, "%s", refused) : CLI_OK;
	code = cli_print("  can be read        %llu of %llu tables and views\n", can, tables);
	if (*left_out != '\0')
		cli_note("%s", left_out);
	if (tables > 0 && can == 0)
		return cli_fail(CLI_FAILED, "%s", refused);
	if (*refused != '\0')
		cli_note("%s", refused);
	return code;
}

static int
test_one(struct cli *cli, struct client *c, const char *id, struct buf *json)
{
	struct view result;
	int r;

	if ((r = connection_ask(cli, c, id, &result)) != CLI_OK)
		return r;
	json_put_raw(json, NULL, result.raw);
	if (!cli->json &&
	    ((r = show_test(cli, result)) != CLI_OK ||
		(r = show_policy(cli, view_get(result, "columnPolicy"))) != CLI_OK ||
		(r = show_identity(cli, view_get(result, "identity"))) != CLI_OK))
		return r;
	/* An engine without accounts has none to make. */
	if (!cli->json && view_true(view_get(result, "canWrite")) && view_get(result, "user").kind == VIEW_STRING)
		cli_note("an account that only reads is safer: `carrel connection grants %s` prints the script that "
			 "creates one",
		    id);
	return show_reach(cli, view_get(result, "reach"));
}

int
cmd_connection_test(struct cli *cli)
{
	const char *name = cli_operand(cli, 0);
	struct config cfg = { 0 };
	struct buf json = { 0 };
	struct client c;
	int code = CLI_OK;

	if (!cli_config(cli, true, &cfg))
		return CLI_FAILED;
	if ((name != NULL || cfg.nconnections == 0) && cli_connection(&cfg, name) == NULL)
		return CLI_FAILED;
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	for (size_t i = 0; i < cfg.nconnections; i++)
		if (name != NULL ? strcmp(cfg.connections[i].id, name) == 0 : cfg.connections[i].driver != NULL)
			if (test_one(cli, &c, cfg.connections[i].id, &json) != CLI_OK)
				code = CLI_FAILED;
	client_close(&c);
	if (cli->json && json.len > 0) {
		struct buf out = { 0 };

		json_put_object(&out, NULL);
		json_put_list(&out, "connections");
		json_put_members(&out, buf_view(&json));
		json_end_list(&out);
		json_end_object(&out);
		if (cli_json(buf_view(&out)) != CLI_OK)
			code = CLI_FAILED;
		buf_fini(&out);
	}
	buf_fini(&json);
	return code;
}

int
cmd_connection_grants(struct cli *cli)
{
	const char *name = cli_operand(cli, 0), *role = cli_option(cli, "to");
	struct buf arguments = { 0 }, script = { 0 };
	struct config cfg = { 0 };
	struct view result;
	struct client c;
	struct err err;
	int code = CLI_FAILED;

	if (!cli_config(cli, true, &cfg) || cli_connection(&cfg, name) == NULL ||
	    client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	mp_put_pairs(&arguments, mp_cstr("connectionId", name), mp_cstr("role", role != NULL ? role : "carrel_reader"));
	if (client_tool(&c, "connection_grants", buf_view(&arguments), NULL, NULL, &result, &err) != 0)
		(void)fail_connection(name, &err);
	else { /* a script, also for a pipe */
		view_text(view_get(result, "script"), &script);
		code = cli_print("%s", buf_cstr(&script));
	}
	client_close(&c);
	buf_fini(&arguments);
	buf_fini(&script);
	return code;
}
