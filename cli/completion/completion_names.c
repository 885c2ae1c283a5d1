#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/research/cmd_sl.h"
#include "cli/completion/completion_names.h"
#include "project/format/files.h"

static void
put_name(struct buf *out, struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.p[i] < 0x20 || name.p[i] == 0x7f)
			return;
	if (name.len == 0 || !utf8_valid(name.p, name.len))
		return;
	buf_span(out, name);
	buf_byte(out, '\n');
}

/* The names of the files in a directory of the project, without their suffix. */
static void
put_files(struct cli *cli, const char *project, const char *path, const char *suffix, struct buf *out)
{
	int top = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir = -1;
	size_t n = strlen(suffix);
	struct files_list list = { 0 };

	if (top >= 0 && files_open_dir(top, path, &dir) == FILES_OK && files_list(dir, cli->arena, &list) == FILES_OK)
		for (size_t i = 0; i < list.n; i++) {
			struct span name = span_str(list.entries[i].name);

			if (list.entries[i].is_dir || list.entries[i].is_link || name.len <= n ||
			    memcmp(name.p + name.len - n, suffix, n) != 0)
				continue;
			name.len -= n;
			put_name(out, name);
		}
	if (dir >= 0)
		close(dir);
	if (top >= 0)
		close(top);
}

static void
put_connections(struct cli *cli, const struct config *cfg, struct buf *out)
{
	(void)cli;
	for (size_t i = 0; i < cfg->nconnections; i++)
		put_name(out, span_str(cfg->connections[i].id));
}

static void
put_sources(struct cli *cli, const struct config *cfg, struct buf *out)
{
	for (size_t i = 0; i < cfg->nconnections; i++) {
		struct source_set *set = sl_load(cli, cfg->project_dir, cfg->connections[i].id);

		for (size_t k = 0; set != NULL && k < source_set_count(set); k++)
			put_name(out, span_str(source_set_at(set, k)->name));
		source_set_free(set);
	}
}

static void
put_pages(struct cli *cli, const struct config *cfg, struct buf *out)
{
	for (size_t i = 0; wiki_places[i] != NULL; i++)
		put_files(cli, cfg->project_dir, wiki_places[i], ".md", out);
}

static void
put_runs(struct cli *cli, const struct config *cfg, struct buf *out)
{
	put_files(cli, cfg->project_dir, ".carrel/memory/runs", ".json", out);
}

static void
put_tools(struct cli *cli, const struct config *cfg, struct buf *out)
{
	(void)cli;
	for (size_t i = 0; i < cfg->tools.n; i++)
		put_name(out, span_str(cfg->tools.v[i].name));
}

bool
completion_names(struct cli *cli, const char *kind, struct buf *out)
{
	static const struct {
		const char *kind;
		void (*put)(struct cli *cli, const struct config *cfg, struct buf *out);
	} kinds[] = { { "connections", put_connections }, { "sources", put_sources }, { "pages", put_pages },
		{ "runs", put_runs }, { "tools", put_tools } };
	struct config_issues issues = { 0 };
	struct config cfg = { 0 };
	struct err err;
	const char *dir;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].kind, kind) != 0)
			continue;
		/* Errors are not printed: completion shows only names. */
		if ((dir = config_find_project(cli->arena, cli->project_option, &err)) != NULL &&
		    config_load(cli->arena, dir, &cfg, &issues, &err) == 0)
			kinds[i].put(cli, &cfg, out);
		return true;
	}
	return false;
}
