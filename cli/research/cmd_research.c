#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/daemon/client.h"
#include "cli/research/cmd_research.h"
#include "cli/input.h"
#include "cli/research/explain.h"
#include "cli/show/term.h"
#include "cli/daemon/tool_words.h"
#include "cli/args.h"
#include "cli/say.h"

#define SQL_MAX	((size_t)1 << 20)	/* of standard input; the tool's own bound is far lower and says so */

static void
put_words(struct buf *mp, const char *const *words, size_t n)
{
	mp_put_array(mp, n);
	for (size_t i = 0; i < n; i++)
		mp_put_cstr(mp, words[i]);
}

/* Arguments from the shell may be any bytes; the tools accept valid text only. */
static bool
words_are_text(const struct cli *cli)
{
	for (size_t i = 0; i < cli->noperands; i++)
		if (!utf8_valid((const uint8_t *)cli->operands[i], strlen(cli->operands[i]))) {
			cli_fail(CLI_USAGE, "argument %zu is not valid UTF-8; check the terminal's encoding", i + 1);
			return false;
		}
	return true;
}

/* The operands with blanks between, as they were typed; NULL: there are none. */
static const char *
joined_operands(struct cli *cli)
{
	const char *text = cli->operands[0];

	for (size_t i = 1; i < cli->noperands; i++)
		text = arena_printf(cli->arena, "%s %s", text, cli->operands[i]);
	return text;
}

static bool
put_limit(struct cli *cli, struct arguments *m, const char *option, const char *key, uint64_t high)
{
	uint64_t n = 0;

	if (!cli_number(cli, option, 1, high, &n))
		return false;
	if (n > 0)
		mp_put_uint(arguments_key(m, key), n);
	return true;
}

/* The named connection, or the project's only one when the tool needs a connection. */
static bool
put_connection(struct cli *cli, struct arguments *m, bool needed)
{
	const char *name = cli_option(cli, "connection");
	const struct config_connection *c;
	struct config cfg = { 0 };

	if (name == NULL && !needed)
		return true;
	if (!cli_config(cli, false, &cfg) || (c = cli_connection(&cfg, name)) == NULL)
		return false;
	mp_put_cstr(arguments_key(m, "connectionId"), c->id);
	return true;
}

static int
call_and_show(struct cli *cli, const char *tool, struct arguments *m, int (*show)(struct cli *cli, struct view result),
    int (*verdict)(struct view result))
{
	int code = client_run(cli, tool, arguments_end(m), show, verdict);

	buf_fini(&m->mp);
	return code;
}

/* The first of the members that has text. */
static struct view
first_of(struct view v, const char *a, const char *b)
{
	struct view found = view_get(v, a);

	return found.kind == VIEW_STRING && found.raw.len > 2 ? found : view_get(v, b);
}

/* Print text of several lines, escaped for the terminal. */
static int
show_text(struct view v)
{
	struct buf text = { 0 };

	view_text(v, &text);
	if (text.len == 0 || text.p[text.len - 1] != '\n')
		buf_byte(&text, '\n');
	return cli_write_safe(&text);
}

/* Whether the page still waits for a review. */
static bool
is_proposed(struct cli *cli, struct view page)
{
	return strcmp(view_cstr(cli->arena, view_get(view_get(page, "provenance"), "status"), ""), "proposed") == 0;
}

static void
put_summary(struct cli *cli, struct text_table *t, struct view page)
{
	table_cellf(t, "%s%s", is_proposed(cli, page) ? "(unreviewed) " : "",
	    view_cstr(cli->arena, first_of(page, "summary", "snippet"), ""));
}

static int
show_refs(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "KIND", "ID", "CONNECTION", "SCORE", "SUMMARY", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "refs"));
	struct view ref;

	while (view_next(&it, &ref)) {
		table_row(t);
		view_cell(view_get(ref, "kind"), "", t);
		view_cell(view_get(ref, "id"), "", t);
		view_cell(view_get(ref, "connectionId"), "", t);
		table_cellf(t, "%.2f", view_number(view_get(ref, "score"), 0));
		put_summary(cli, t, ref);
	}
	if (table_rows(t) == 0)
		return cli_print("Nothing found; try other words, or `carrel scan` when the database is new.\n");
	return cli_table(t);
}

int
cmd_sl_search(struct cli *cli)
{
	static const char *kinds[] = { "sl_source", "sl_measure", "sl_dimension" };
	struct arguments m;

	if (!words_are_text(cli))
		return CLI_USAGE;
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "query"), joined_operands(cli));
	put_words(arguments_key(&m, "kinds"), kinds, 3);
	if (!put_connection(cli, &m, false) || !put_limit(cli, &m, "limit", "limit", 50)) {
		buf_fini(&m.mp);
		return CLI_FAILED;
	}
	return call_and_show(cli, "discover_data", &m, show_refs, NULL);
}

int
cmd_discover(struct cli *cli)
{
	bool explain = cli_flag(cli, "explain");
	const char **kinds;
	struct arguments m;
	size_t n;

	if (!words_are_text(cli))
		return CLI_USAGE;
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "query"), joined_operands(cli));
	if (!put_connection(cli, &m, false)) {
		buf_fini(&m.mp);
		return CLI_FAILED;
	}
	kinds = cli_options(cli, "kind", &n);
	if (n > 0)
		put_words(arguments_key(&m, "kinds"), kinds, n);
	if (!put_limit(cli, &m, "limit", "limit", 50)) {
		buf_fini(&m.mp);
		return CLI_USAGE;
	}
	return call_and_show(cli, explain ? "discover_explain" : "discover_data", &m,
	    explain ? explain_show : show_refs, NULL);
}

/* A column's description, the values of an enumeration, and where its own values come from. */
static struct span
column_about(struct cli *cli, struct view column)
{
	static const char *const origins[][2] = { { "default", "default " }, { "generated", "generated as " },
		{ "identity", "identity " } };
	struct view_iter it = view_iter(view_get(column, "enumLabels"));
	const char *about = view_cstr(cli->arena, first_of(column, "description", "comment"), "");
	struct buf text = { 0 };
	struct span kept;
	struct view label;
	const char *comma = "one of ";

	buf_printf(&text, "%s%s", about, *about != '\0' && view_count(view_get(column, "enumLabels")) > 0 ? "; " : "");
	while (view_next(&it, &label)) {
		buf_str(&text, comma);
		view_text(label, &text);
		comma = ", ";
	}
	if (view_true(view_get(column, "moreLabels")))
		buf_str(&text, ", …");
	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
		if (view_get(column, origins[i][0]).kind == VIEW_STRING) {
			buf_printf(&text, "%s%s", text.len > 0 ? "; " : "", origins[i][1]);
			view_text(view_get(column, origins[i][0]), &text);
		}
	kept = arena_span(cli->arena, buf_view(&text));
	buf_fini(&text);
	return kept;
}

/* A key that is declared, or a column that a deep scan found unique. */
static struct span
column_key(struct cli *cli, struct view column)
{
	struct buf rows = { 0 };
	struct span key = SPAN("");

	view_text(view_get(column, "measuredUniqueRows"), &rows);
	if (view_true(view_get(column, "primaryKey")))
		key = SPAN("primary");
	else if (rows.len > 0)
		key = span_str(arena_printf(cli->arena, "measured unique in %.*s rows", SPAN_FMT(buf_view(&rows))));
	buf_fini(&rows);
	return key;
}

static int
show_columns(struct cli *cli, struct view entity)
{
	static const char *const headers[] = { "COLUMN", "TYPE", "KEY", "NULL", "ABOUT", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(entity, "columns"));
	struct view column;

	while (view_next(&it, &column)) {
		table_row(t);
		view_cell(view_get(column, "name"), "", t);
		view_cell(view_get(column, "nativeType"), "", t);
		table_cell(t, column_key(cli, column));
		table_cell(t, view_true(view_get(column, "nullable")) ? SPAN("null") : SPAN("not null"));
		table_cell(t, column_about(cli, column));
	}
	return cli_table(t);
}

static int
show_keys(struct cli *cli, struct view entity)
{
	struct view_iter it = view_iter(view_get(entity, "foreignKeys"));
	struct buf line = { 0 };
	struct view key;

	(void)cli;
	while (view_next(&it, &key)) {
		view_text(view_get(key, "fromColumn"), &line);
		buf_str(&line, " → ");
		if (view_get(key, "toDb").kind == VIEW_STRING) {
			view_text(view_get(key, "toDb"), &line);
			buf_byte(&line, '.');
		}
		view_text(view_get(key, "toTable"), &line);
		buf_byte(&line, '.');
		view_text(view_get(key, "toColumn"), &line);
		buf_byte(&line, '\n');
	}
	return cli_write_safe(&line);
}

static void
put_index(struct view index, struct buf *out)
{
	struct view_iter it = view_iter(view_get(index, "columns"));
	struct view column, definition = view_get(index, "definition");
	const char *comma = "";

	view_text(view_get(index, "name"), out);
	if (definition.kind == VIEW_STRING) {
		buf_str(out, ": ");
		view_text(definition, out);
		buf_byte(out, '\n');
		return;
	}
	buf_str(out, " (");
	while (view_next(&it, &column)) {
		buf_str(out, comma);
		view_text(column, out);
		comma = ", ";
	}
	buf_printf(out, ")%s\n",
	    view_true(view_get(index, "primary"))    ? " primary key" :
		view_true(view_get(index, "unique")) ? " unique" :
						       "");
}

static void
put_checks(struct view entity, struct buf *out)
{
	struct view_iter it = view_iter(view_get(entity, "checks"));
	struct view check;

	if (view_count(view_get(entity, "checks")) > 0)
		buf_str(out, "\nchecks\n");
	while (view_next(&it, &check)) {
		buf_str(out, "  ");
		if (view_get(check, "name").kind == VIEW_STRING) {
			view_text(view_get(check, "name"), out);
			buf_str(out, ": ");
		}
		view_text(view_get(check, "expression"), out);
		buf_byte(out, '\n');
	}
}

/* Indexes and checks a line each, and a view's own words. */
static int
show_structure(struct view entity)
{
	struct view_iter it = view_iter(view_get(entity, "indexes"));
	struct view index, definition = view_get(entity, "definition");
	struct buf text = { 0 };

	if (view_count(view_get(entity, "indexes")) > 0)
		buf_str(&text, "\nindexes\n");
	while (view_next(&it, &index)) {
		buf_str(&text, "  ");
		put_index(index, &text);
	}
	put_checks(entity, &text);
	if (definition.kind == VIEW_STRING) {
		buf_str(&text, "\ndefinition\n");
		view_text(definition, &text);
		buf_byte(&text, '\n');
	}
	return cli_write_safe(&text);
}

static int
show_entity(struct cli *cli, struct view entity)
{
	const char *name, *kind, *about, *rows;
	struct buf head = { 0 };
	int code;

	name = view_cstr(cli->arena, view_get(entity, "display"), "");
	kind = view_cstr(cli->arena, view_get(entity, "kind"), "");
	rows = view_cstr(cli->arena, view_get(entity, "estimatedRows"), NULL);
	about = view_cstr(cli->arena, first_of(entity, "description", "comment"), NULL);
	buf_printf(&head, "%s (%s%s%s)\n", name, kind, rows != NULL ? ", about " : "", rows != NULL ? rows : "");
	if (rows != NULL) {
		head.len -= 2;
		buf_str(&head, " rows)\n");
	}
	if (about != NULL)
		buf_printf(&head, "%s\n", about);
	buf_byte(&head, '\n');
	if ((code = cli_write_safe(&head)) == CLI_OK)
		code = show_columns(cli, entity);
	if (code == CLI_OK && view_count(view_get(entity, "foreignKeys")) > 0 &&
	    (code = cli_write(SPAN("\n"))) == CLI_OK)
		code = show_keys(cli, entity);
	return code == CLI_OK ? show_structure(entity) : code;
}

static void
note_refused(struct cli *cli, struct view entity)
{
	struct buf text = { 0 };

	words_translate(span_str(view_cstr(cli->arena, view_get(entity, "error.message"), "the table cannot be shown")),
	    &text);
	cli_note("%s", buf_cstr(&text));
	buf_fini(&text);
}

static int
show_entities(struct cli *cli, struct view result)
{
	struct view_iter it = view_iter(view_get(result, "results"));
	struct view entity;
	int code = CLI_OK;
	bool first = true, stale = false;
	const char *note = NULL;

	while (code == CLI_OK && view_next(&it, &entity)) {
		if (!view_true(view_get(entity, "ok"))) {
			note_refused(cli, entity);
			continue;
		}
		if (!first)
			code = cli_write(SPAN("\n"));
		first = false;
		if (code == CLI_OK)
			code = show_entity(cli, entity);
		stale = stale || view_true(view_get(entity, "snapshot.stale"));
		note = view_cstr(cli->arena, view_get(entity, "snapshot.note"), note);
	}
	if (note != NULL)
		cli_note("the scan is %s", note);
	if (stale)
		cli_note(
		    "the database's schema has changed since it was scanned; `carrel scan` brings this up to date");
	return code;
}

/* A missing table makes the command fail after the other tables were shown. */
static int
all_found(struct view result)
{
	struct view_iter it = view_iter(view_get(result, "results"));
	struct view entity;

	while (view_next(&it, &entity))
		if (!view_true(view_get(entity, "ok")))
			return CLI_FAILED;
	return CLI_OK;
}

int
cmd_details(struct cli *cli)
{
	const char **columns;
	struct buf *mp;
	struct arguments m;
	size_t n;

	if (!words_are_text(cli))
		return CLI_USAGE;
	columns = cli_options(cli, "column", &n);
	arguments_begin(&m);
	if (!put_connection(cli, &m, true)) {
		buf_fini(&m.mp);
		return CLI_FAILED;
	}
	mp = arguments_key(&m, "entities");
	mp_put_array(mp, cli->noperands);
	for (size_t i = 0; i < cli->noperands; i++) {
		mp_put_map(mp, n > 0 ? 2 : 1);
		mp_pair_cstr(mp, "table", cli->operands[i]);
		if (n > 0) {
			mp_put_cstr(mp, "columns");
			put_words(mp, columns, n);
		}
	}
	return call_and_show(cli, "entity_details", &m, show_entities, all_found);
}

static void
put_matches(struct text_table *t, struct view value, struct view matches, const char *how)
{
	struct view_iter it = view_iter(matches);
	struct view match;

	while (view_next(&it, &match)) {
		table_row(t);
		view_cell(value, "", t);
		view_cell(view_get(match, "matchedValue"), "", t);
		table_cell(t,
		    span_str(how != NULL                         ? how :
			    view_true(view_get(match, "folded")) ? "but for accents" :
								   ""));
		view_cell(view_get(match, "connectionId"), "", t);
		view_cell(view_get(match, "sourceName"), "", t);
		view_cell(view_get(match, "columnName"), "", t);
		view_cell(view_get(match, "cardinality"), "", t);
	}
}

static int
show_matches(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "VALUE", "FOUND", "HOW", "CONNECTION", "SOURCE", "COLUMN", "DISTINCT",
		NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "results"));
	struct view each;

	while (view_next(&it, &each)) {
		put_matches(t, view_get(each, "value"), view_get(each, "matches"), NULL);
		put_matches(t, view_get(each, "value"), view_get(each, "closeSpellings"), "a close spelling");
	}
	if (table_rows(t) == 0)
		return cli_print("Not among the sampled values, which proves nothing: ask the database with "
				 "`carrel sql`, or sample again with `carrel scan --deep`.\n");
	return cli_table(t);
}

int
cmd_values(struct cli *cli)
{
	struct arguments m;

	if (!words_are_text(cli))
		return CLI_USAGE;
	arguments_begin(&m);
	put_words(arguments_key(&m, "values"), cli->operands, cli->noperands);
	if (!put_connection(cli, &m, false)) {
		buf_fini(&m.mp);
		return CLI_FAILED;
	}
	if (!put_limit(cli, &m, "limit", "limit", 200)) {
		buf_fini(&m.mp);
		return CLI_USAGE;
	}
	return call_and_show(cli, "dictionary_search", &m, show_matches, NULL);
}

static void
result_cell(struct text_table *t, struct view v)
{
	if (v.kind == VIEW_NULL)
		table_cell_faint(t, SPAN("NULL"));
	else
		view_cell(v, "", t);
}

int
show_result_rows(struct cli *cli, struct view result)
{
	struct text_table *t = table_new(cli->arena, NULL);
	struct view_iter it = view_iter(view_get(result, "headers"));
	struct view v, each;
	const char *by, *ms;
	uint64_t n;
	int code;

	while (view_next(&it, &v)) {
		struct buf name = { 0 };

		view_text(v, &name);
		table_column(t, name.len > 0 ? buf_view(&name) : SPAN(" "));
		buf_fini(&name);
	}
	it = view_iter(view_get(result, "rows"));
	while (view_next(&it, &v)) {
		struct view_iter cells = view_iter(v);

		table_row(t);
		while (view_next(&cells, &each))
			result_cell(t, each);
	}
	if ((code = cli_table(t)) != CLI_OK)
		return code;
	if (cli->format == FORMAT_CSV && view_true(view_get(result, "truncated")))
		cli_note("there are more rows than these");
	n = view_uint(view_get(result, "rowCount"), 0);
	by = view_cstr(cli->arena, view_get(result, "truncatedBy"), "rows");
	ms = view_cstr(cli->arena, view_get(result, "elapsedMs"), NULL);
	return cli_print("%s(%llu row%s%s%s%s%s%s)%s\n", cli_colour(TERM_FAINT), (unsigned long long)n,
	    n == 1 ? "" : "s", view_true(view_get(result, "truncated")) ? ", there are more: cut by the limit of " : "",
	    view_true(view_get(result, "truncated")) ? by : "", ms != NULL ? ", " : "", ms != NULL ? ms : "",
	    ms != NULL ? " ms" : "", cli_colour(TERM_PLAIN));
}

/* Reads a file, or standard input ("-"), to its end; NULL: after a message. */
static const char *
read_statement(struct cli *cli, const char *file)
{
	const char *shown = input_name(file), *sql = NULL;
	struct buf text = { 0 };
	int error = input_read(file, SQL_MAX, &text);

	if (error == EFBIG)
		cli_fail(CLI_FAILED, "%s is longer than a statement may be; give it a single statement", shown);
	else if (error != 0)
		cli_fail(CLI_FAILED, "cannot read %s: %s", shown, strerror(error));
	else if (memchr(text.p == NULL ? (const uint8_t *)"" : text.p, '\0', text.len) != NULL)
		cli_fail(CLI_FAILED, "%s holds a NUL byte, which no statement may", shown);
	else if (!utf8_valid(text.p, text.len) || (sql = arena_cstr(cli->arena, buf_view(&text))) == NULL)
		cli_fail(CLI_FAILED, "the statement is not UTF-8 text; check the file's encoding");
	buf_fini(&text);
	return sql;
}

int
cmd_sql(struct cli *cli)
{
	const char *sql, *file = cli_option(cli, "file");
	struct arguments m;

	if (!words_are_text(cli))
		return CLI_USAGE;
	sql = joined_operands(cli);
	if (sql != NULL && file != NULL)
		return cli_fail(CLI_USAGE, "give the statement once: as an argument, or with --file");
	if (sql == NULL && file == NULL && isatty(STDIN_FILENO))
		return cli_fail(CLI_USAGE,
		    "give a statement, as in `carrel sql \"SELECT 1\"`, with --file FILE, or on standard input");
	if (sql == NULL && file == NULL)
		file = "-";
	else if (sql != NULL && strcmp(sql, "-") == 0)
		file = sql;
	if (file != NULL && (sql = read_statement(cli, file)) == NULL)
		return CLI_FAILED;
	arguments_begin(&m);
	if (!put_connection(cli, &m, true)) {
		buf_fini(&m.mp);
		return CLI_FAILED;
	}
	mp_put_cstr(arguments_key(&m, "sql"), sql);
	if (!put_limit(cli, &m, "max-rows", "maxRows", 10000)) {
		buf_fini(&m.mp);
		return CLI_USAGE;
	}
	return call_and_show(cli, "sql_execution", &m, show_result_rows, NULL);
}

static int
show_pages(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "KEY", "SCORE", "SUMMARY", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "results"));
	struct view page;
	uint64_t total;
	int code;

	while (view_next(&it, &page)) {
		table_row(t);
		view_cell(view_get(page, "key"), "", t);
		table_cellf(t, "%.2f", view_number(view_get(page, "score"), 0));
		put_summary(cli, t, page);
	}
	if (table_rows(t) == 0)
		return cli_print("No page found; try other words.\n");
	code = cli_table(t);
	total = view_uint(view_get(result, "totalFound"), 0);
	if (code == CLI_OK && total > table_rows(t))
		code = cli_print("%s(%llu more; --limit shows more)%s\n", cli_colour(TERM_FAINT),
		    (unsigned long long)(total - table_rows(t)), cli_colour(TERM_PLAIN));
	return code;
}

int
cmd_wiki_search(struct cli *cli)
{
	struct arguments m;

	if (!words_are_text(cli))
		return CLI_USAGE;
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "query"), joined_operands(cli));
	if (!put_limit(cli, &m, "limit", "limit", 50)) {
		buf_fini(&m.mp);
		return CLI_USAGE;
	}
	return call_and_show(cli, "wiki_search", &m, show_pages, NULL);
}

static int
show_page(struct cli *cli, struct view result)
{
	if (is_proposed(cli, result) &&
	    cli_print("%s(proposed, not reviewed)%s\n\n", cli_colour(TERM_FAINT), cli_colour(TERM_PLAIN)) != CLI_OK)
		return CLI_FAILED;
	return show_text(view_get(result, "content"));
}

int
cmd_wiki_read(struct cli *cli)
{
	struct arguments m;

	if (!words_are_text(cli))
		return CLI_USAGE;
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "key"), cli->operands[0]);
	return call_and_show(cli, "wiki_read", &m, show_page, NULL);
}

static int
show_source(struct cli *cli, struct view result)
{
	(void)cli;
	return show_text(view_get(result, "yaml"));
}

int
cmd_sl_read(struct cli *cli)
{
	struct arguments m;

	if (!words_are_text(cli))
		return CLI_USAGE;
	arguments_begin(&m);
	if (!put_connection(cli, &m, true)) {
		buf_fini(&m.mp);
		return CLI_FAILED;
	}
	mp_put_cstr(arguments_key(&m, "sourceName"), cli->operands[0]);
	return call_and_show(cli, "sl_read_source", &m, show_source, NULL);
}
