#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json_put.h"
#include "cli/daemon/client.h"
#include "cli/cmd_connection_edit.h"
#include "cli/cmd_scan.h"
#include "cli/research/cmd_sl_new.h"
#include "cli/places.h"
#include "cli/say.h"
#include "cli/scans_project.h"
#include "cli/show/term.h"
#include "cli/args.h"

static void
show_progress(void *arg, double fraction, const char *message)
{
	char line[512];

	snprintf(line, sizeof(line), "%s: %s", (const char *)arg, message);
	term_progress(fraction, line);
}

/* Whether the connection's owner expects scans to leave something out. */
static bool
expects_partial(struct cli *cli, const char *connection)
{
	struct config cfg = { 0 };
	const struct config_connection *c = cli_config(cli, false, &cfg) ? cli_connection(&cfg, connection) : NULL;

	return c != NULL && c->expect_partial;
}

/* told: what the scan before left out, which is said once; NULL: nothing. */
static void
show_warnings(struct cli *cli, const char *connection, struct view result, const char *told)
{
	struct view_iter it = view_iter(view_get(result, "warnings"));
	struct view warning;
	size_t again = 0;

	while (view_next(&it, &warning)) {
		struct view text = warning.kind == VIEW_OBJECT ? view_get(warning, "message") : warning;
		const char *message = view_cstr(cli->arena, text, "");

		if (told != NULL && strstr(told, message) != NULL)
			again++;
		else
			cli_note("%s: %s", connection, message);
	}
	if (again > 0 && !expects_partial(cli, connection))
		cli_note("%s: not everything was taken, as before; `carrel doctor` says what", connection);
}

/* "14 tables", "1 view". */
static void
put_count(struct view result, const char *member, const char *one, struct buf *out)
{
	unsigned long long n = view_uint(view_get(result, member), 0);

	buf_printf(out, "%s%llu %s%s", out->len > 0 ? ", " : "", n, one, n == 1 ? "" : "s");
}

/* The results of a deep scan besides the foreign keys. */
static void
put_relationships(struct view result, struct buf *out)
{
	unsigned long long review = view_uint(view_get(result, "relationships.review"), 0);

	if (view_get(result, "relationships").kind != VIEW_OBJECT)
		return;
	put_count(result, "inferredRelationships", "inferred relationship", out);
	if (review > 0)
		buf_printf(out, " and %llu to review", review);
}

static int
show_result(struct cli *cli, const char *connection, struct view result, const char *told)
{
	struct buf counts = { 0 };
	int code;

	show_warnings(cli, connection, result, told);
	put_count(result, "tables", "table", &counts);
	put_count(result, "views", "view", &counts);
	put_count(result, "columns", "column", &counts);
	put_count(result, "foreignKeys", "foreign key", &counts);
	put_relationships(result, &counts);
	code = cli_print("%s%s%s: %s%s\n", cli_colour(TERM_BOLD), connection, cli_colour(TERM_PLAIN), buf_cstr(&counts),
	    view_true(view_get(result, "changed")) ? "" : " (nothing changed since the last scan)");
	buf_fini(&counts);
	return code;
}

int
scan_connection(struct cli *cli, struct client *c, const char *connection, bool deep, struct buf *json)
{
	const char *project = json == NULL ? cli_project(cli) : NULL;
	const char *told = project == NULL ? NULL : scan_left_out(cli, project, connection);
	struct buf arguments = { 0 };
	struct view result;
	struct err err;
	int r;

	mp_put_pairs(&arguments, mp_cstr("connectionId", connection), mp_when(deep, mp_bool("deep", true)));
	r = client_tool(c, "scan", buf_view(&arguments), show_progress, (void *)(uintptr_t)connection, &result, &err);
	buf_fini(&arguments);
	term_progress_end();
	if (r != 0 && err.code == ERR_QUERY_CANCELLED)
		return cli_fail(CLI_FAILED,
		    "%s: cancelled; unless it had just ended, the last complete scan stays in force, and the "
		    "next scan continues this one",
		    connection);
	if (r != 0)
		return fail_connection(connection, &err);
	if (json == NULL)
		return show_result(cli, connection, result, told);
	json_put_raw(json, NULL, result.raw);
	return CLI_OK;
}

/* One failing connection does not prevent the scan of others. */
static int
scan_all(struct cli *cli, struct client *c, const struct config *cfg, struct buf *json)
{
	int worst = CLI_OK;

	for (size_t i = 0; i < cfg->nconnections; i++) {
		const struct config_connection *each = &cfg->connections[i];

		if (each->driver == NULL)
			cli_note("%s is passed over: %s", each->id, each->unusable);
		else if (scan_connection(cli, c, each->id, cli_flag(cli, "deep"), json) != CLI_OK)
			worst = CLI_FAILED;
	}
	return worst;
}

int
scan_put_next(struct cli *cli, const char *project, const char *connection, bool deep)
{
	const char *table = sl_first_table(cli, project, connection);

	return cli_print("  carrel discover WORDS\n%s%s%s%s  carrel mcp start\n",
	    table == NULL ? "" : arena_printf(cli->arena, "  carrel sl new %s", table),
	    table == NULL ? "" : "    # a first measure, which `carrel ask` answers (docs/first-measure.md)\n",
	    deep ? "" : arena_printf(cli->arena, "  carrel scan %s --deep", connection),
	    deep ? "" : "    # values too, for `carrel values` and words of questions\n");
}

/* What comes after a scan, once: where it found something new. */
static int
say_next(struct cli *cli, const struct config *cfg, const char *name, const char *const *before)
{
	for (size_t i = 0; !cli->json && i < cfg->nconnections; i++) {
		const char *id = cfg->connections[i].id, *now = last_scan(cli, cfg->project_dir, id);

		if ((name == NULL || strcmp(name, id) == 0) && now != NULL &&
		    (before[i] == NULL || strcmp(now, before[i]) != 0))
			return cli_print("Next:\n") != CLI_OK ?
			    CLI_FAILED :
			    scan_put_next(cli, cfg->project_dir, id, cli_flag(cli, "deep"));
	}
	return CLI_OK;
}

int
cmd_scan(struct cli *cli)
{
	const char *name = cli_operand(cli, 0);
	struct config cfg = { 0 };
	struct buf results = { 0 };
	const char **before;
	struct client c;
	int code;

	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	if ((name != NULL || cfg.nconnections == 0) && cli_connection(&cfg, name) == NULL)
		return CLI_FAILED;
	if (cli_flag(cli, "schemas") || cli_flag(cli, "all-schemas")) {
		const struct config_connection *one = cli_connection(&cfg, name);

		if (one == NULL)
			return CLI_FAILED;
		name = one->id;
		if ((code = connection_take_schemas(cli, name)) != CLI_OK)
			return code;
	}
	make_places(cli);
	if ((before = arena_array(cli->arena, cfg.nconnections + 1, sizeof(*before))) == NULL)
		abort();
	for (size_t i = 0; i < cfg.nconnections; i++)
		before[i] = last_scan(cli, cfg.project_dir, cfg.connections[i].id);
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	client_cancellable(&c);
	if (name != NULL)
		code = scan_connection(cli, &c, name, cli_flag(cli, "deep"), cli->json ? &results : NULL);
	else
		code = scan_all(cli, &c, &cfg, cli->json ? &results : NULL);
	client_close(&c);
	if (cli->json && (results.len > 0 || code == CLI_OK)) {
		struct buf out = { 0 };

		json_put_object(&out, NULL);
		json_put_list(&out, "scans");
		json_put_members(&out, buf_view(&results));
		json_end_list(&out);
		json_end_object(&out);
		if (cli_json(buf_view(&out)) != CLI_OK)
			code = CLI_FAILED;
		buf_fini(&out);
	}
	buf_fini(&results);
	return code != CLI_OK ? code : say_next(cli, &cfg, name, before);
}
