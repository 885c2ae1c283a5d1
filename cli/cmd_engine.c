#include <unistd.h>

#include "cli/args.h"
#include "cli/cmd_engine.h"
#include "cli/engine_library.h"
#include "cli/say.h"

/* The project's configuration where there is a project: the commands also serve the whole installation. */
static const struct config *
configuration(struct cli *cli, struct config *cfg)
{
	const char *dir = cli_project(cli);

	return dir != NULL && access(arena_printf(cli->arena, "%s/carrel.yaml", dir), F_OK) == 0 &&
		cli_config(cli, false, cfg) ?
	    cfg :
	    NULL;
}

static void
put_engine(struct buf *mp, const struct db_driver *d, const struct engine_library *l)
{
	mp_put_pairs(mp, mp_cstr("engine", d->name), mp_cstr("version", l->version), mp_cstr("path", l->path),
	    mp_cstr("reads", l->version == NULL ? NULL : l->reads), mp_bool("known", l->known),
	    mp_cstr("sha256", l->digest), mp_cstr("reason", l->reason));
}

int
cmd_engine_list(struct cli *cli)
{
	static const char *const headers[] = { "ENGINE", "VERSION", "BUILD", "READS", "WHERE", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct config loaded = { 0 };
	const struct config *cfg = configuration(cli, &loaded);
	struct buf rows = { 0 }, list = { 0 }, mp = { 0 };
	size_t n = 0;
	int code;

	for (size_t i = 0; i < ndrivers; i++) {
		struct engine_library l;

		if (drivers[i]->library == NULL)
			continue;
		engine_library_find(cli, cfg, drivers[i], &l);
		put_engine(&rows, drivers[i], &l);
		n++;
		table_row(t);
		table_cell(t, span_str(drivers[i]->display));
		table_cell(t, span_str(l.version == NULL ? "none" : l.version));
		table_cell(t, span_str(l.digest == NULL ? "" : l.known ? "known" : "unknown"));
		table_cell(t, span_str(l.version == NULL ? "" : l.reads));
		table_cell(t, span_str(l.version == NULL ? l.reason : l.path));
	}
	mp_put_array(&list, n);
	buf_span(&list, buf_view(&rows));
	mp_put_pairs(&mp, mp_raw("engines", buf_view(&list)));
	code = cli->json ? cli_json_mp(buf_view(&mp)) : cli_table(t);
	buf_fini(&rows);
	buf_fini(&list);
	buf_fini(&mp);
	return code;
}

int
cmd_engine_add(struct cli *cli)
{
	const struct db_driver *d = drivers_served(span_str(cli_operand(cli, 0)));
	const char *from = cli_option(cli, "from");
	struct config loaded = { 0 };
	struct engine_library l;
	struct buf mp = { 0 };
	int code;

	if (d == NULL || d->library == NULL)
		return cli_fail(CLI_USAGE,
		    "%s is no engine whose library is loaded; `carrel engine list` shows which are",
		    cli_operand(cli, 0));
	if (from == NULL)
		return cli_fail(CLI_USAGE, "say with --from where the library is: a file %s, or %s as npm packs it",
		    d->library->file, d->library->package);
	code = engine_library_put(cli, configuration(cli, &loaded), d, from, cli_flag(cli, "trust"), &l);
	if (code != CLI_OK)
		return code;
	if (cli->json) {
		put_engine(&mp, d, &l);
		code = cli_json_mp(buf_view(&mp));
		buf_fini(&mp);
		return code;
	}
	return cli_print("%s %s is in %s and reads %s.\nRunning workers take it when they start again: "
			 "`carrel mcp restart`.\n",
	    d->display, l.version, l.path, l.reads);
}
