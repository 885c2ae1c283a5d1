#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "project/format/files.h"
#include "project/model/wiki.h"
#include "cli/research/cmd_wiki.h"
#include "cli/say.h"

const char *const wiki_places[] = {"wiki/user/local", "wiki/global", NULL};

struct wiki_listing {
	struct cli *cli;
	struct text_table *table;
	struct buf mp;
	size_t n;
};

/* Words with ", " between, as they go into a cell. */
static void
put_joined(struct text_table *t, const struct wiki_strings *words)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < words->n; i++)
		buf_printf(&text, "%s%.*s", i > 0 ? ", " : "", SPAN_FMT(words->v[i]));
	table_cell(t, buf_view(&text));
	buf_fini(&text);
}

static void
put_page(struct wiki_listing *l, const char *path, const struct span key, const struct wiki_page *page)
{
	bool proposed = span_is_str(page->status, "proposed");

	table_row(l->table);
	table_cell(l->table, key);
	put_joined(l->table, &page->tags);
	put_joined(l->table, &page->connections);
	table_cellf(l->table, "%s%.*s", proposed ? "(unreviewed) " : "", SPAN_FMT(page->summary));
	mp_put_pairs(&l->mp, mp_maybe("key", key), mp_cstr("path", path),
	    mp_cstr("scope", strncmp(path, "wiki/user/", 10) == 0 ? "USER" : "GLOBAL"),
	    mp_some("summary", page->summary), mp_strs("tags", page->tags.v, page->tags.n),
	    mp_strs("connections", page->connections.v, page->connections.n), mp_bool("proposed", proposed));
	l->n++;
}

/* A page that cannot be read is reported and not listed: search does not find the page either. */
static void
read_page(struct wiki_listing *l, int dir, const char *place, const char *name)
{
	const char *path = arena_printf(l->cli->arena, "%s/%s", place, name);
	struct arena *a = arena_new(4 * WIKI_BYTES_MAX);
	struct buf text = { 0 };
	struct wiki_page page;
	enum files_fault fault;
	struct err err;

	if ((fault = files_read(dir, name, WIKI_BYTES_MAX, &text, NULL)) != FILES_OK)
		cli_note("%s: %s", path, files_fault_text(fault));
	else if (wiki_parse(a, buf_view(&text), &page, &err) != 0)
		cli_note("%s: %s", path, err.message);
	else
		put_page(l, path, span_of(name, strlen(name) - 3), &page);
	buf_fini(&text);
	arena_free(a);
}

static void
list_place(struct wiki_listing *l, int project, const char *place)
{
	struct files_list list = { 0 };
	int dir;

	if (files_open_dir(project, place, &dir) != FILES_OK)
		return;
	if (files_list(dir, l->cli->arena, &list) != FILES_OK)
		cli_note("%s cannot be listed", place);
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.entries[i].name;
		size_t n = strlen(name);

		if (!list.entries[i].is_dir && n > 3 && strcmp(name + n - 3, ".md") == 0 &&
		    files_is_id(span_of(name, n - 3)))
			read_page(l, dir, place, name);
	}
	close(dir);
}

int
cmd_wiki_list(struct cli *cli)
{
	static const char *const headers[] = { "KEY", "TAGS", "CONNECTIONS", "SUMMARY", NULL };
	struct wiki_listing l = { .cli = cli, .table = table_new(cli->arena, headers) };
	const char *dir = cli_project(cli);
	int project, code;
	size_t mark;

	if (dir == NULL)
		return CLI_FAILED;
	mp_put_map(&l.mp, 1);
	mark = mp_pair_open_array(&l.mp, "pages");
	if ((project = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return cli_fail(CLI_FAILED, "the project's directory %s cannot be opened", dir);
	for (size_t i = 0; wiki_places[i] != NULL; i++)
		list_place(&l, project, wiki_places[i]);
	close(project);
	mp_close(&l.mp, mark, l.n);
	if (cli->json)
		code = cli_json_mp(buf_view(&l.mp));
	else if (l.n == 0)
		code = cli_print("There are no pages; write one to wiki/global/KEY.md, or `carrel ingest text`.\n");
	else
		code = cli_table(l.table);
	buf_fini(&l.mp);
	return code;
}
