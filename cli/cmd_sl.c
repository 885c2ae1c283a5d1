/* cmd_sl.c - carrel sl list: the semantic layer's files, read as the search worker reads them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "project/files.h"
#include "project/source.h"

#define DEPTH_MAX	8	/* directories below a connection's */
#define FILE_MAX	((size_t)4 << 20)

/* All source files below dir/path into set; what cannot be read becomes a trouble of the set. */
static void
load_directory(struct cli *cli, int dir, const char *path, unsigned depth, struct source_set *set)
{
	struct files_list list = { 0 };
	int fd;

	if (files_open_dir(dir, *path ? path : ".", &fd) != FILES_OK)
		return;
	if (files_list(fd, cli->arena, &list) != FILES_OK)
		list.n = 0;
	close(fd);
	for (size_t i = 0; i < list.n; i++) {
		const char *each = arena_printf(cli->arena, "%s%s%s", path, *path ? "/" : "", list.entries[i].name);
		struct buf text = { 0 };
		enum files_fault fault;

		if (list.entries[i].is_dir && depth > 0)
			load_directory(cli, dir, each, depth - 1, set);
		if (list.entries[i].is_dir || !source_is_file(each))
			continue;
		if ((fault = files_read(dir, each, FILE_MAX, &text, NULL)) != FILES_OK)
			source_set_fail(set, each, files_fault_text(fault));
		else
			source_set_put(set, each, buf_view(&text), NULL);
		buf_fini(&text);
	}
}

static void
take_sources(const char *connection, const struct source_set *set, struct table *t, struct buf *mp, size_t *n)
{
	for (size_t i = 0; i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);

		table_row(t);
		table_cell(t, span_str(connection));
		table_cell(t, span_str(s->name));
		table_cellf(t, "%zu", s->nmeasures);
		table_cell(t, s->description);
		mp_put_map(mp, 5);
		mp_put_cstr(mp, "connectionId");
		mp_put_cstr(mp, connection);
		mp_put_cstr(mp, "sourceName");
		mp_put_cstr(mp, s->name);
		mp_put_cstr(mp, "path");
		mp_put_cstr(mp, s->path);
		mp_put_cstr(mp, "measures");
		mp_put_uint(mp, s->nmeasures);
		mp_put_cstr(mp, "description");
		if (s->description.len > 0)
			mp_put_str(mp, s->description);
		else
			mp_put_nil(mp);
		(*n)++;
	}
	for (size_t i = 0; i < source_set_troubles(set); i++) {
		struct source_trouble trouble = source_set_trouble(set, i);

		cli_note("semantic-layer/%s/%s: %s", connection, trouble.path, trouble.reason);
	}
}

static void
list_connection(struct cli *cli, const char *project, const char *connection, struct table *t,
    struct buf *mp, size_t *n)
{
	const char *path = arena_printf(cli->arena, "%s/semantic-layer/%s", project, connection);
	struct source_set *set;
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	set = source_set_new();
	load_directory(cli, dir, "", DEPTH_MAX, set);
	source_set_compose(set, NULL, NULL);
	take_sources(connection, set, t, mp, n);
	source_set_free(set);
	close(dir);
}

int
cmd_sl_list(struct cli *cli)
{
	static const char *const headers[] = { "CONNECTION", "SOURCE", "MEASURES", "ABOUT", NULL };
	const char *wanted = cli_option(cli, "connection");
	struct table *t = table_new(cli->arena, headers);
	struct config cfg = { 0 };
	struct buf mp = { 0 };
	size_t n = 0, mark;
	int code;

	if (!cli_config(cli, false, &cfg) || (wanted != NULL && cli_connection(&cfg, wanted) == NULL))
		return CLI_FAILED;
	mp_put_map(&mp, 1);
	mp_put_cstr(&mp, "sources");
	mark = mp_open_array(&mp);
	for (size_t i = 0; i < cfg.nconnections; i++)
		if (wanted == NULL || strcmp(wanted, cfg.connections[i].id) == 0)
			list_connection(cli, cfg.project_dir, cfg.connections[i].id, t, &mp, &n);
	mp_close(&mp, mark, n);
	if (cli->json)
		code = cli_json_mp(buf_view(&mp));
	else if (n == 0)
		code = cli_print("There are no sources; `carrel scan` makes one for every table, "
		    "your own go to semantic-layer/<connection>/.\n");
	else
		code = cli_table(t);
	buf_fini(&mp);
	return code;
}
