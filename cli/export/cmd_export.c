/* cmd_export.c - see cmd_export.h.  It reads the files of the project alone. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mp.h"
#include "cli/args.h"
#include "cli/research/cmd_sl.h"
#include "cli/export/cmd_export.h"
#include "cli/export/export_metricflow.h"
#include "cli/export/export_osi.h"
#include "cli/output.h"
#include "cli/say.h"

static const struct {
	const char	*name, *file;
	void		(*write)(struct export *x);
} formats[] = { { "osi", "osi.yaml", export_osi }, { "metricflow", "semantic_models.yml", export_metricflow } };

/* Each thing that is left out, on standard error: the file may go to standard output. */
static void
tell_left(struct export *x)
{
	struct buf list = { 0 };
	struct mp_value all, each;

	mp_put_array(&list, x->nleft);
	buf_span(&list, buf_view(&x->left));
	if (mp_value(buf_view(&list), &all))
		for (struct mp_iter it = mp_iter(&all); mp_next(&it, &each);)
			cli_note("left out: %.*s %.*s: %.*s", SPAN_FMT(mp_get_str(&each, "as", SPAN(""))),
			    SPAN_FMT(mp_get_str(&each, "name", SPAN(""))),
			    SPAN_FMT(mp_get_str(&each, "reason", SPAN(""))));
	buf_fini(&list);
}

/* The file's path and what is left out, as JSON. */
static int
show_json(struct export *x, const char *path)
{
	struct buf out = { 0 };
	size_t map = mp_open_pairs(&out, mp_cstr("connectionId", x->connection),
		   path != NULL ? mp_cstr("path", path) : mp_str("text", buf_view(&x->out))),
	       list;
	int code;

	list = mp_pair_open_array(&out, "leftOut");
	buf_span(&out, buf_view(&x->left));
	mp_close(&out, list, x->nleft);
	mp_end(&out, map);
	code = cli_json_mp(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
write_export(struct export *x, const char *file)
{
	const char *dir = cli_option(x->cli, "out"),
		   *path = dir == NULL ? NULL : mem_must(arena_printf(x->a, "%s/%s", dir, file));
	int code = path != NULL ? output_write(path, buf_view(&x->out)) : CLI_OK;

	if (code != CLI_OK)
		return code;
	if (x->cli->json)
		return show_json(x, path);
	tell_left(x);
	return path == NULL ? cli_write(buf_view(&x->out)) : cli_print("%s\n", path);
}

int
cmd_export_knowledge(struct cli *cli)
{
	struct export x = { .cli = cli, .a = cli->arena };
	const struct config_connection *connection;
	const char *name = cli_operand(cli, 0);
	const struct source **list;
	struct source_set *set;
	struct sem_model *model;
	struct config cfg = { 0 };
	size_t f = 0, n;
	int code = CLI_FAILED;

	while (f < sizeof(formats) / sizeof(formats[0]) && strcmp(formats[f].name, name) != 0)
		f++;
	if (f == sizeof(formats) / sizeof(formats[0]))
		return cli_fail(CLI_USAGE, "\"%s\" is no format that is written; there are osi and metricflow", name);
	if (!cli_config(cli, false, &cfg) || (connection = cli_connection(&cfg, cli_option(cli, "connection"))) == NULL)
		return CLI_FAILED;
	if ((set = sl_load(cli, cfg.project_dir, connection->id)) == NULL)
		return cli_fail(CLI_FAILED, "%s has no semantic layer; `carrel scan` makes one", connection->id);
	n = source_set_count(set);
	list = mem_new(n + 1, sizeof(struct source *));
	for (size_t i = 0; i < n; i++)
		list[i] = source_set_at(set, i);
	x.connection = connection->id;
	x.set = set;
	if ((model = sem_model_new(list, n)) == NULL)
		cli_fail(CLI_FAILED, "the semantic layer is too large");
	else {
		x.model = model;
		formats[f].write(&x);
		code = write_export(&x, formats[f].file);
	}
	sem_model_free(model);
	free(list);
	source_set_free(set);
	buf_fini(&x.out);
	buf_fini(&x.left);
	return code;
}
