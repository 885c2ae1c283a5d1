#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/research/cmd_sl.h"
#include "project/format/files.h"
#include "project/model/source_walk.h"
#include "project/format/yaml.h"
#include "semantic/validate.h"
#include "cli/args.h"
#include "cli/say.h"

/* The files of a connection, being read into a set; what cannot be read becomes a trouble of the set. */
struct loading {
	int			 dir;
	struct source_set	*set;
};

static bool
load_file(void *arg, const char *path, bool is_link)
{
	const struct loading *l = arg;
	struct buf text = { 0 };
	enum files_fault fault = files_read(l->dir, path, YAML_BYTES_MAX, &text, NULL);

	(void)is_link;
	if (fault != FILES_OK)
		source_set_fail(l->set, path, files_fault_text(fault));
	else
		source_set_put(l->set, path, buf_view(&text), NULL);
	buf_fini(&text);
	return true;
}

static void
take_sources(const char *connection, const struct source_set *set, struct text_table *t, struct buf *mp, size_t *n)
{
	for (size_t i = 0; i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);

		table_row(t);
		table_cell(t, span_str(connection));
		table_cell(t, span_str(s->name));
		table_cellf(t, "%zu", s->nmeasures);
		table_cell(t, s->description);
		mp_put_pairs(mp, mp_cstr("connectionId", connection), mp_cstr("sourceName", s->name),
		    mp_cstr("path", s->path), mp_uint("measures", s->nmeasures),
		    mp_some("description", s->description));
		(*n)++;
	}
	for (size_t i = 0; i < source_set_troubles(set); i++) {
		struct source_trouble trouble = source_set_trouble(set, i);

		cli_note("semantic-layer/%s/%s: %s", connection, trouble.path, trouble.reason);
	}
}

struct source_set *
sl_load(struct cli *cli, const char *project, const char *connection)
{
	const char *path = arena_printf(cli->arena, "%s/semantic-layer/%s", project, connection);
	struct loading l = { .dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };

	if (l.dir < 0)
		return NULL;
	l.set = source_set_new();
	source_walk(l.dir, &(struct source_visitor){ .arg = &l, .file = load_file });
	source_set_compose(l.set, NULL, NULL);
	close(l.dir);
	return l.set;
}

static void
list_connection(struct cli *cli, const char *project, const char *connection, struct text_table *t,
    struct buf *mp, size_t *n)
{
	struct source_set *set = sl_load(cli, project, connection);

	if (set == NULL)
		return;
	take_sources(connection, set, t, mp, n);
	source_set_free(set);
}

int
cmd_sl_list(struct cli *cli)
{
	static const char *const headers[] = { "CONNECTION", "SOURCE", "MEASURES", "ABOUT", NULL };
	const char *wanted = cli_option(cli, "connection");
	struct text_table *t = table_new(cli->arena, headers);
	struct config cfg = { 0 };
	struct buf mp = { 0 };
	size_t n = 0, mark;
	int code;

	if (!cli_config(cli, false, &cfg) || (wanted != NULL && cli_connection(&cfg, wanted) == NULL))
		return CLI_FAILED;
	mp_put_map(&mp, 1);
	mark = mp_pair_open_array(&mp, "sources");
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

struct query_report {
	struct cli	*cli;
	const char	*connection;
	const char	*only;		/* a source's name; NULL: all */
	size_t		 seen;		/* sources of that name */
	struct buf	 lines, mp;
	size_t		 errors, warnings;
};

static void
cmd_sl_report(struct query_report *r, const char *path, unsigned line, bool warning, const char *category,
    const char *text)
{
	/* In the form of compilers: FILE:LINE: severity: message. */
	buf_printf(&r->lines, "semantic-layer/%s/%s:", r->connection, path);
	if (line > 0)
		buf_printf(&r->lines, "%u:", line);
	buf_printf(&r->lines, " %s: %s\n", warning ? "warning" : "error", text);
	*(warning ? &r->warnings : &r->errors) += 1;
	mp_put_pairs(&r->mp, mp_cstr("connectionId", r->connection), mp_cstr("path", path),
	    mp_known("line", line > 0, line), mp_cstr("severity", warning ? "warning" : "error"),
	    mp_cstr("category", category), mp_cstr("message", text));
}

/* "source"."name", as in a query. */
static void
put_field(struct buf *mp, const char *source, const char *name)
{
	struct buf text = { 0 };

	buf_quoted(&text, span_str(source), '"');
	buf_byte(&text, '.');
	buf_quoted(&text, span_str(name), '"');
	mp_put_str(mp, buf_view(&text));
	buf_fini(&text);
}

/*
 * Run a query of one measure or one dimension, without rows.  False when the account may not read the
 * table: then no query works.
 */
static bool
cmd_sl_probe(struct query_report *r, struct client *c, const struct source *s, const char *key, const char *name)
{
	struct buf mp = { 0 };
	bool may = true;
	struct view result;
	struct err err;

	mp_put_map(&mp, strcmp(key, "measures") == 0 ? 3 : 4);
	mp_pair_cstr(&mp, "connectionId", r->connection);
	if (strcmp(key, "measures") != 0) { /* the tool wants them, if only to be none */
		mp_pair_array(&mp, "measures", 0);
	}
	mp_pair_array(&mp, key, 1);
	put_field(&mp, s->name, name);
	mp_pair_uint(&mp, "limit", 0);
	if (client_tool(c, "sl_query", buf_view(&mp), NULL, NULL, &result, &err) != 0) {
		/* Not an error in the file: a scan by an account with more rights may have written the source. */
		may = strstr(err.message, "has no privilege for this") == NULL;
		cmd_sl_report(r, s->path, 0, !may, "live",
		    may ? arena_printf(r->cli->arena, "%s.%s does not run: %s", s->name, name, err.message) :
			  arena_printf(r->cli->arena, "%s cannot be asked: %s", s->name, err.message));
	}
	buf_fini(&mp);
	return may;
}

static void
probe_source(struct query_report *r, struct client *c, const struct source *s)
{
	bool may = true;

	for (size_t i = 0; i < s->ncolumns && may; i++)
		if (s->columns[i].visibility != SOURCE_HIDDEN)
			may = cmd_sl_probe(r, c, s, "dimensions", s->columns[i].name);
	for (size_t i = 0; i < s->nmeasures && may; i++)
		if (s->measures[i].name != NULL)
			may = cmd_sl_probe(r, c, s, "measures", s->measures[i].name);
}

static void
lint(struct query_report *r, const struct source_set *set, const struct dialect *d, struct client *live)
{
	size_t n = source_set_count(set), nfindings = 0;
	const struct source **list = arena_array(r->cli->arena, n + 1, sizeof(struct source *));
	const struct sem_finding *f;
	struct sem_model *m;

	for (size_t i = 0; i < source_set_troubles(set); i++) {
		struct source_trouble t = source_set_trouble(set, i);

		if (r->only == NULL || strstr(t.path, r->only) != NULL)
			cmd_sl_report(r, t.path, 0, false, "invalid_source", t.reason);
	}
	for (size_t i = 0; i < n; i++)
		list[i] = source_set_at(set, i);
	r->seen += r->only != NULL && source_set_get(set, span_str(r->only)) != NULL;
	if ((m = sem_model_new(list, n)) == NULL)
		return;
	f = sem_validate(m, d, r->cli->arena, &nfindings);
	for (size_t i = 0; f != NULL && i < nfindings; i++)
		if (r->only == NULL || strcmp(f[i].source, r->only) == 0)
			cmd_sl_report(r, f[i].path, f[i].line, f[i].warning, f[i].category, f[i].text);
	for (uint32_t i = 0; live != NULL && i < sem_model_nodes(m); i++)
		if (!sem_model_node(m, i)->alias && sem_node_trouble(m, i) == NULL &&
		    (r->only == NULL || span_is_str(sem_model_node(m, i)->name, r->only)))
			probe_source(r, live, sem_model_node(m, i)->source);
	sem_model_free(m);
}

static bool
is_connection(const struct config *cfg, const char *name)
{
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (strcmp(cfg->connections[i].id, name) == 0)
			return true;
	return false;
}

/* Directories that no connection reads, because none has their name. */
static void
report_strays(struct query_report *r, const struct config *cfg)
{
	const char *path = arena_printf(r->cli->arena, "%s/semantic-layer", cfg->project_dir), *names = "";
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct files_list list = { 0 };

	for (size_t i = 0; i < cfg->nconnections; i++)
		names = arena_printf(r->cli->arena, "%s%s%s", names, i > 0 ? ", " : "", cfg->connections[i].id);
	if (fd >= 0 && files_list(fd, r->cli->arena, &list) == FILES_OK)
		for (size_t i = 0; i < list.n; i++) {
			r->connection = list.entries[i].name;
			if (list.entries[i].is_dir && !is_connection(cfg, r->connection))
				cmd_sl_report(r, "", 0, true, "unknown_connection",
				    arena_printf(r->cli->arena,
					"no connection is called %s, so its files are not read; the project has %s",
					r->connection, *names != '\0' ? names : "no connection"));
		}
	if (fd >= 0)
		close(fd);
}

static int
show_report(struct query_report *r, size_t mark)
{
	size_t n = r->errors + r->warnings;
	struct buf safe = { 0 };
	int code;

	mp_close(&r->mp, mark, n);
	if (r->cli->json)
		code = cli_json_mp(buf_view(&r->mp));
	else if (n == 0)
		code = cli_print("Nothing is wrong.\n");
	else {
		table_safe(buf_view(&r->lines), true, &safe);
		buf_printf(&safe, "%zu error%s, %zu warning%s\n", r->errors, r->errors == 1 ? "" : "s", r->warnings,
		    r->warnings == 1 ? "" : "s");
		code = cli_write(buf_view(&safe));
	}
	buf_fini(&safe);
	return code != CLI_OK ? code : r->errors > 0 ? CLI_FAILED : CLI_OK;
}

int
cmd_sl_validate(struct cli *cli)
{
	const char *wanted = cli_option(cli, "connection");
	struct query_report r = { .cli = cli, .only = cli_operand(cli, 0) };
	bool live = cli_flag(cli, "live");
	struct config cfg = { 0 };
	struct client c;
	size_t mark;
	int code;

	if (!cli_config(cli, false, &cfg) || (wanted != NULL && cli_connection(&cfg, wanted) == NULL) ||
	    (live && client_open(cli, &c, CLIENT_CLI, NULL, false) != 0))
		return CLI_FAILED;
	mp_put_map(&r.mp, 1);
	mark = mp_pair_open_array(&r.mp, "findings");
	for (size_t i = 0; i < cfg.nconnections; i++) {
		const struct dialect *d = dialect_find(span_str(cfg.connections[i].driver_name));
		struct source_set *set;

		if ((wanted != NULL && strcmp(wanted, cfg.connections[i].id) != 0) ||
		    (set = sl_load(cli, cfg.project_dir, cfg.connections[i].id)) == NULL)
			continue;
		r.connection = cfg.connections[i].id;
		lint(&r, set, d != NULL ? d : dialect_find(span_str(drivers[0]->name)), live && d != NULL ? &c : NULL);
		source_set_free(set);
	}
	if (live)
		client_close(&c);
	if (wanted == NULL && r.only == NULL)
		report_strays(&r, &cfg);
	if (r.only != NULL && r.seen == 0 && r.errors == 0)
		code =
		    cli_fail(CLI_FAILED, "there is no source \"%s\"; `carrel sl list` shows those there are", r.only);
	else
		code = show_report(&r, mark);
	buf_fini(&r.mp);
	buf_fini(&r.lines);
	return code;
}
