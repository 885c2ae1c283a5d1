/* cmd_dataset.c - carrel dataset. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json/json_put.h"
#include "base/utf8.h"
#include "cli/admin_commands.h"
#include "cli/arguments.h"
#include "cli/cmd_cluster.h"
#include "cli/cmd_scan.h"
#include "cli/places.h"
#include "cli/datasets/cmd_document.h"
#include "cli/datasets/importer.h"
#include "cli/datasets/share.h"
#include "cli/daemon/reload.h"
#include "cli/show/term.h"
#include "project/letters.h"
#include "cli/args.h"
#include "cli/say.h"

#define TABLE_MAX	63	/* bytes of a table's name */
#define REPORT_MAX	((size_t)16 << 20)
#define LOG_TRIES	200	/* of a fifth of a second: longer than a statement takes */
#define SHOWN		10	/* rejected rows that are listed in a terminal */

/*
 * "Sales 2024.csv" is the table sales_2024, "Umsätze.csv" umsaetze, "2024.csv" t_2024: letters, digits and
 * underscores, and no digit in front, so that it needs no quotes.
 */
static const char *
table_name(struct cli *cli, const char *given, const char *file)
{
	const char *base = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file,
		   *from = given != NULL ? given : base;
	const char *dot = given == NULL ? strchr(base + 1, '.') : NULL;
	struct span text =
	    letters_plain(cli->arena, span_of(from, dot != NULL ? (size_t)(dot - from) : strlen(from)), NULL);
	char *name = arena_printf(cli->arena, "t_%.*s", SPAN_FMT(text)), *to;

	if (name == NULL)
		return NULL;
	to = name + 2;
	for (const char *p = name + 2; *p != '\0'; p++)
		if (ascii_is_alnum((uint8_t)*p) || (uint8_t)*p >= 0x80)
			*to++ = (char)ascii_lower((uint8_t)*p);
		else if (to > name + 2 && to[-1] != '_')
			*to++ = '_';
	to = name + 2 + utf8_cut((const uint8_t *)name + 2, (size_t)(to - name - 2), TABLE_MAX);
	while (to > name + 2 && to[-1] == '_')
		to--;
	*to = '\0';
	if (to == name + 2)
		return "imported";
	return ascii_is_digit((uint8_t)name[2]) ? name : name + 2;
}

/* The directory of imports, created if necessary.  NULL: after a message. */
static const char *
imports_directory(struct cli *cli, const char *project)
{
	const char *state = arena_printf(cli->arena, "%s/.carrel", project);
	const char *dir = arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_DIR, project);
	struct stat st;

	if ((mkdir(state, 0700) != 0 && errno != EEXIST) || (mkdir(dir, 0700) != 0 && errno != EEXIST)) {
		cli_fail(CLI_FAILED, "%s cannot be made: %s", dir, strerror(errno));
		return NULL;
	}
	if (lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
		cli_fail(CLI_FAILED, "%s is not a directory that you own; move or remove it", dir);
		return NULL;
	}
	return dir;
}

/* The report decides: a table that was reported as kept is kept, however the program ended. */
static int
end_import(struct importer *im, struct view report)
{
	struct buf why = { 0 };
	int code = importer_end(im, report, "rows", &why) ?
	    CLI_OK :
	    cli_fail(CLI_FAILED,
		im->killed ? "%s; nothing was kept, unless it was at its last step: then all of it" : "%s",
		buf_cstr(&why));

	buf_fini(&why);
	return code;
}

/* carrel-import without a file: drop the table, or recover what a killed import left. */
static int
run_on_imports(struct cli *cli, const struct config *cfg, const char *dir, const char *table, const char *what)
{
	const char *const words[] = { "carrel-import", arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_FILE, dir), table,
		what, cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT ? "best-effort" : "-", NULL };
	struct importer im = { .pid = -1 };
	struct buf report = { 0 };
	int code, none = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (none < 0)
		return cli_fail(CLI_FAILED, "/dev/null: %s", strerror(errno));
	if ((code = importer_start(cli, &im, none, none, words)) == CLI_OK) {
		importer_follow(&im, &report);
		code = end_import(&im, view_of(buf_view(&report)));
	}
	close(none);
	buf_fini(&report);
	return code;
}

/*
 * Nodes share the database's file alone: what SQLite keeps next to it while somebody reads is brought into it, once
 * the reader has ended.  lock: of share_lock(), closed; without a shared store nothing is done.
 */
static void
end_change(struct cli *cli, const struct config *cfg, const char *dir, int lock)
{
	struct timespec pause = { 0, 200000000 };

	if (lock < 0)
		return;
	for (int tries = 0; share_has_log(cli, dir) && tries < LOG_TRIES; tries++) {
		if (tries > 0)
			nanosleep(&pause, NULL);
		(void)run_on_imports(cli, cfg, dir, "-", "recover");
	}
	close(lock);
}

/* What an interrupted import left in SQLite's log keeps the file from going to other nodes and from coming here. */
static int
mend_log(struct cli *cli, const struct config *cfg, const char *dir)
{
	int lock;

	if (cfg->state_url == NULL || !share_has_log(cli, dir))
		return CLI_OK;
	if ((lock = share_lock(dir)) < 0)
		return CLI_FAILED;
	end_change(cli, cfg, dir, lock);
	return CLI_OK;
}

/* Begin a change of imports.db: *lock is -1 without a shared store. */
static int
begin_change(struct cli *cli, const struct config *cfg, const char *dir, int *lock)
{
	int code = CLI_OK;

	*lock = -1;
	if (cfg->state_url == NULL)
		return CLI_OK;
	if ((*lock = share_lock(dir)) < 0)
		return CLI_FAILED;
	if (share_has_log(cli, dir))
		code = run_on_imports(cli, cfg, dir, "-", "recover");
	if (code == CLI_OK)
		code = share_keep(dir);
	if (code != CLI_OK)
		close(*lock);
	return code;
}

/* Have it on the other nodes; where there is no room for it, it is undone. */
static int
share_change(struct cli *cli, const struct config *cfg, const char *dir)
{
	bool full = false;
	int lock, code = share_after(cli, cfg, &full);

	if (full && (lock = share_lock(dir)) >= 0) {
		(void)share_take_back(dir);
		close(lock);
	}
	if (cfg->state_url != NULL)
		share_drop_kept(dir);
	return code;
}

/* "csv, encoding utf-8, delimiter ;, header true": what was found out about the file. */
static const char *
file_text(struct cli *cli, struct view file)
{
	struct view_iter it = view_iter(file);
	const char *text = "";
	struct span key;
	struct view each;

	while (view_next_member(&it, &key, &each)) {
		const char *value = view_cstr(cli->arena, each, "none");

		text = span_is_str(key, "format") ?
		    value :
		    arena_printf(cli->arena, "%s, %.*s %s", text, SPAN_FMT(key), *value == '\t' ? "tab" : value);
	}
	return text;
}

/* A line on standard error for each of the first elements of a list with line, column and text. */
static void
note_places(struct cli *cli, struct view list, const char *text)
{
	struct view_iter it = view_iter(list);
	struct view each;

	for (unsigned i = 0; i < SHOWN && view_next(&it, &each); i++) {
		const char *line = view_cstr(cli->arena, view_get(each, "line"), NULL),
			   *column = view_cstr(cli->arena, view_get(each, "column"), NULL);

		cli_note("%s%s%s%s%s%s%s", line != NULL ? "line " : "", line != NULL ? line : "",
		    line != NULL && column != NULL ? ", " : "", column != NULL ? "column " : "",
		    column != NULL ? column : "", line != NULL || column != NULL ? ": " : "",
		    view_cstr(cli->arena, view_get(each, text), ""));
	}
	if (view_count(list) > SHOWN)
		cli_note("and %zu more, which --json lists", view_count(list) - SHOWN);
}

static int
show_import(struct cli *cli, const char *table, struct view report, const char *rejects_file)
{
	unsigned long long taken = view_uint(view_get(report, "rows.taken"), 0),
			   rejected = view_uint(view_get(report, "rows.rejected"), 0);
	struct view_iter it = view_iter(view_get(report, "columns"));
	static const char *const heads[] = { "column", "type", NULL };
	struct text_table *t = table_new(cli->arena, heads);
	struct view each;
	int code;

	code = cli_print("%s%s%s: %llu row%s imported%s (%s)\n\n", cli_colour(TERM_BOLD), table, cli_colour(TERM_PLAIN),
	    taken, taken == 1 ? "" : "s", rejected == 0 ? "" : arena_printf(cli->arena, ", %llu not", rejected),
	    file_text(cli, view_get(report, "file")));
	while (view_next(&it, &each)) {
		table_row(t);
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "name"), "")));
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "type"), "")));
	}
	if (code == CLI_OK)
		code = cli_table(t);
	note_places(cli, view_get(report, "notes"), "note");
	note_places(cli, view_get(report, "rejects"), "reason");
	if (rejected > 0)
		cli_note("%llu row%s could not be taken; all of them are listed in %s", rejected,
		    rejected == 1 ? "" : "s", rejects_file);
	return code;
}

static int
put_import(const char *table, struct span dataset, struct view report, const char *rejects_file)
{
	struct buf out = { 0 };
	int code;

	json_put_object(&out, NULL);
	json_put_raw(&out, "dataset", dataset.len > 0 ? dataset : SPAN("null"));
	json_put_cstr(&out, "connection", CONFIG_IMPORTS);
	json_put_cstr(&out, "table", table);
	/* The report is an object itself: its members follow ours. */
	json_put_members(&out, span_of(report.raw.p + 1, report.raw.len - 2));
	json_put_cstr(&out, "rejects_file", rejects_file);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

/*
 * A running daemon serves the new connection at once; search finds the table after the next scan.  imported: the new
 * table, NULL if one was dropped; type: the format of its file.
 */
static int
serve_import(struct cli *cli, bool first, const char *imported, const char *type)
{
	struct buf ignored = { 0 };
	struct arguments m;
	struct view none;
	struct err err;
	struct client c;
	int code;

	if (first && (code = reload_running(cli)) != CLI_OK)
		return code;
	make_places(cli);
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	code = scan_connection(cli, &c, CONFIG_IMPORTS, false, &ignored);
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "table"), imported != NULL ? imported : "");
	mp_put_cstr(arguments_key(&m, "type"), type);
	if (code == CLI_OK && imported != NULL &&
	    client_tool(&c, "dataset_imported", arguments_end(&m), NULL, NULL, &none, &err) != 0)
		cli_note("the import is not in the audit: %s", err.message);
	buf_fini(&m.mp);
	client_close(&c);
	buf_fini(&ignored);
	return code;
}

/* The tool with {"id": id}. */
static int
ask_with_id(struct client *c, const char *tool, const char *id, struct view *result)
{
	struct arguments m;
	struct err err;
	int code;

	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "id"), id);
	code = client_tool(c, tool, arguments_end(&m), NULL, NULL, result, &err);
	buf_fini(&m.mp);
	return code == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s", err.message);
}

int
dataset_shown(struct client *c, const char *id, struct buf *out)
{
	struct view result, each;
	struct view_iter it;
	int code = ask_with_id(c, "dataset_list", id, &result);

	if (code != CLI_OK)
		return code;
	it = view_iter(view_get(result, "datasets"));
	if (!view_next(&it, &each))
		return cli_fail(CLI_FAILED, "no dataset \"%s\" is published", id);
	buf_span(out, each.raw);
	return CLI_OK;
}

/* Publishes the table that the check returned. */
static int
publish_checked(struct cli *cli, struct client *c, struct view checked, const char *name, const char *description,
    const char **id)
{
	static const char *const members[] = { "connection", "db", "table", "type", NULL };
	struct arguments m;
	struct view result;
	struct err err;
	int code;

	arguments_begin(&m);
	for (size_t i = 0; members[i] != NULL; i++)
		mp_put_cstr(arguments_key(&m, members[i]), view_cstr(cli->arena, view_get(checked, members[i]), ""));
	if (name != NULL)
		mp_put_cstr(arguments_key(&m, "name"), name);
	if (description != NULL)
		mp_put_cstr(arguments_key(&m, "description"), description);
	code = client_tool(c, "dataset_publish", arguments_end(&m), NULL, NULL, &result, &err);
	buf_fini(&m.mp);
	if (code != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	*id = view_cstr(cli->arena, view_get(result, "id"), "");
	return CLI_OK;
}

/* Publish a table that the latest scan knows; its object into out, as JSON. */
static int
publish_table(struct cli *cli, const char *connection, const char *table, const char *name, const char *description,
    struct buf *out)
{
	const char *id = "";
	struct arguments m;
	struct view checked;
	struct client c;
	struct err err;
	int code;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "connectionId"), connection);
	mp_put_cstr(arguments_key(&m, "table"), table);
	if (client_tool(&c, "dataset_check", arguments_end(&m), NULL, NULL, &checked, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if ((code = publish_checked(cli, &c, checked, name, description, &id)) == CLI_OK)
		code = dataset_shown(&c, id, out);
	buf_fini(&m.mp);
	client_close(&c);
	return code;
}

bool
dataset_is_text(const char *text)
{
	return text == NULL || utf8_valid((const uint8_t *)text, strlen(text));
}

bool
dataset_open(struct cli *cli, struct client *c)
{
	if (dataset_is_text(cli_operand(cli, 0)))
		return client_open(cli, c, CLIENT_CLI, NULL, false) == 0;
	(void)cli_fail(CLI_FAILED, "name a dataset by its id or its name; `carrel dataset list` shows them");
	return false;
}

static int
print_dataset(struct cli *cli, struct view dataset)
{
	static const char *const members[] = { "id", "name", "description", "type", "connection", "table", "table_name",
		"row_count", "column_count", "created_at", NULL };
	struct buf text = { 0 };
	int code = CLI_OK;

	for (size_t i = 0; members[i] != NULL && code == CLI_OK; i++) {
		buf_reset(&text, SIZE_MAX);
		table_safe(span_str(view_cstr(cli->arena, view_get(dataset, members[i]), "-")), false, &text);
		code = cli_print("%-13s %s\n", members[i], buf_cstr(&text));
	}
	buf_fini(&text);
	return code;
}

/* {"dataset": …}, or a line for each member. */
static int
show_dataset(struct cli *cli, struct span dataset)
{
	struct buf out = { 0 };
	int code;

	if (!cli->json)
		return print_dataset(cli, view_of(dataset));
	json_put_object(&out, NULL);
	json_put_raw(&out, "dataset", dataset);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

int
cmd_dataset_publish(struct cli *cli)
{
	const char *name = cli_option(cli, "name"), *description = cli_option(cli, "description");
	struct buf dataset = { 0 };
	int code;

	if (!dataset_is_text(cli_operand(cli, 0)) || !dataset_is_text(cli_operand(cli, 1)) || !dataset_is_text(name) ||
	    !dataset_is_text(description))
		return cli_fail(CLI_USAGE, "names and descriptions are text in UTF-8");
	code = publish_table(cli, cli_operand(cli, 0), cli_operand(cli, 1), name, description, &dataset);
	if (code == CLI_OK)
		code = show_dataset(cli, buf_view(&dataset));
	buf_fini(&dataset);
	return code;
}

int
cmd_dataset_show(struct cli *cli)
{
	struct buf dataset = { 0 };
	struct client c;
	int code;

	if (!dataset_open(cli, &c))
		return CLI_FAILED;
	if ((code = dataset_shown(&c, cli_operand(cli, 0), &dataset)) == CLI_OK)
		code = show_dataset(cli, buf_view(&dataset));
	buf_fini(&dataset);
	client_close(&c);
	return code;
}

static int
show_datasets(struct cli *cli, struct view result)
{
	static const struct admin_column columns[] = { { "ID", "id", ADMIN_TEXT }, { "NAME", "name", ADMIN_TEXT },
		{ "TYPE", "type", ADMIN_TEXT }, { "ROWS", "row_count", ADMIN_TEXT },
		{ "COLUMNS", "column_count", ADMIN_TEXT }, { "CONNECTION", "connection", ADMIN_TEXT },
		{ "TABLE", "table", ADMIN_TEXT }, { NULL, NULL, ADMIN_TEXT } };

	return admin_list(cli, view_get(result, "datasets"), columns,
	    "Nothing is published; `carrel dataset publish CONNECTION TABLE` publishes a table.\n");
}

int
cmd_dataset_list(struct cli *cli)
{
	return admin_run(cli, "dataset_list", MP_EMPTY_MAP, show_datasets);
}

/* Reports what ended, as {"unpublished": true, "id": …, "calls": …}. */
static int
show_ended(struct cli *cli, const char *what, const char *id, uint64_t calls)
{
	if (cli->json) {
		struct buf json = { 0 };
		int code;

		json_put_object(&json, NULL);
		json_put_bool(&json, what, true);
		json_put_cstr(&json, "id", id);
		json_put_uint(&json, "calls", calls);
		json_end_object(&json);
		code = cli_json(buf_view(&json));
		buf_fini(&json);
		return code;
	}
	return cli_print("dataset %s is %s%s\n", id, what,
	    calls == 0 ?
		"" :
		arena_printf(cli->arena, "; %llu calls that read it were cancelled", (unsigned long long)calls));
}

int
cmd_dataset_unpublish(struct cli *cli)
{
	struct config cfg = { 0 };
	struct view result;
	struct client c;
	int code;

	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	if ((code = share_before(cli, &cfg)) != CLI_OK)
		return code;
	if (!dataset_open(cli, &c))
		return CLI_FAILED;
	if ((code = ask_with_id(&c, "dataset_unpublish", cli_operand(cli, 0), &result)) == CLI_OK) {
		const char *id = view_cstr(cli->arena, view_get(result, "id"), "");

		if ((code = documents_forget(cli, &cfg, id, true)) == CLI_OK)
			code = show_ended(cli, "unpublished", id, view_uint(view_get(result, "calls"), 0));
	}
	client_close(&c);
	return code;
}

/* The table of an import goes, by the process that made it. */
static int
drop_import(struct cli *cli, const struct config *cfg, const char *table)
{
	const char *project = cli_project(cli), *dir;
	int code, lock = -1;

	if (project == NULL)
		return CLI_FAILED;
	dir = arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_DIR, project);
	if ((code = begin_change(cli, cfg, dir, &lock)) != CLI_OK)
		return code;
	code = run_on_imports(cli, cfg, dir, table, "drop");
	end_change(cli, cfg, dir, lock);
	if (code == CLI_OK && (code = share_change(cli, cfg, dir)) == CLI_OK && cfg->state_url != NULL &&
	    !cmd_cluster_writes(cli)) {
		cli_note("the scan has the table still: run `carrel scan " CONFIG_IMPORTS
			 "` on the node that writes the project");
		return CLI_OK;
	}
	return code == CLI_OK ? serve_import(cli, false, NULL, NULL) : code;
}

int
cmd_dataset_remove(struct cli *cli)
{
	const char *id = "", *table = NULL;
	uint64_t calls = 0;
	struct config cfg = { 0 };
	struct view result;
	struct client c;
	int code;

	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	code = mend_log(cli, &cfg, arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_DIR, cfg.project_dir));
	if (code != CLI_OK || (code = share_before(cli, &cfg)) != CLI_OK)
		return code;
	if (!dataset_open(cli, &c))
		return CLI_FAILED;
	if ((code = ask_with_id(&c, "dataset_remove", cli_operand(cli, 0), &result)) == CLI_OK) {
		id = view_cstr(cli->arena, view_get(result, "id"), "");
		calls = view_uint(view_get(result, "calls"), 0);
		if (strcmp(view_cstr(cli->arena, view_get(result, "connection"), ""), CONFIG_IMPORTS) == 0)
			table = view_cstr(cli->arena, view_get(result, "table"), "");
	}
	client_close(&c);
	if (code == CLI_OK)
		code = documents_forget(cli, &cfg, id, false);
	if (code == CLI_OK && table != NULL)
		code = drop_import(cli, &cfg, table);
	return code == CLI_OK ? show_ended(cli, "removed", id, calls) : code;
}

/* The options that carrel-import takes as NAME=VALUE, and the values that an option may have; NULL: it sees to them. */
static const struct {
	const char	*name, *values, *says;
} wishes[] = {
	{ "type", NULL, NULL },
	{ "encoding", NULL, NULL },
	{ "sheet", NULL, NULL },
	{ "delimiter", NULL, NULL },
	{ "decimal", " . , ", "--decimal is . or ," },
	{ "header", " yes no ", "--header is yes or no" },
};

static bool
is_one_of(struct cli *cli, const char *value, const char *values)
{
	return strchr(value, ' ') == NULL && strstr(values, arena_printf(cli->arena, " %s ", value)) != NULL;
}

/* The one byte of --delimiter, which may be written tab or \\t; 0 if invalid. */
static char
delimiter_of(const char *text)
{
	if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
		return '\t';
	return text[0] > 0 && text[1] == '\0' && (text[0] == '\t' || text[0] >= ' ') &&
		!ascii_is_alnum((uint8_t)text[0]) && strchr("\"'\\.-", text[0]) == NULL ?
	    text[0] :
	    '\0';
}

/* The format of the file that is said, NULL when it is found out. */
static const char *
file_format(const struct cli *cli)
{
	const char *format = cli_option(cli, "input-format"), *older = cli_option(cli, "format");

	if (format != NULL || older == NULL || strcmp(older, "table") == 0 || strcmp(older, "json") == 0)
		return format;
	return older;
}

/* CLI_USAGE after a message if an option has a value that it cannot have. */
static int
check_options(struct cli *cli)
{
	static const char formats[] = " "
#define IMPORT_FORMAT(word, FORMAT)	word " "
#include "project/import_words.def"
	    ,
			  types[] = " "
#define IMPORT_TYPE(word, readings)	word " "
#include "project/import_words.def"
#include "cli/datasets/cmd_dataset.h"
	    ;
	const char *format = file_format(cli), *delimiter = cli_option(cli, "delimiter"), *value;
	size_t n;
	const char **given = cli_options(cli, "type", &n);

	if (format != NULL && !is_one_of(cli, format, formats))
		return cli_fail(CLI_USAGE,
		    "--input-format is the format of the file, one of%s; without it the format is found out", formats);
	if (delimiter != NULL && delimiter_of(delimiter) == '\0')
		return cli_fail(CLI_USAGE, "--delimiter is one character of punctuation, or tab");
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (wishes[i].values != NULL && (value = cli_option(cli, wishes[i].name)) != NULL &&
		    !is_one_of(cli, value, wishes[i].values))
			return cli_fail(CLI_USAGE, "%s", wishes[i].says);
	for (size_t i = 0; i < n; i++)
		if ((value = strrchr(given[i], '=')) == NULL || value == given[i] || !is_one_of(cli, value + 1, types))
			return cli_fail(CLI_USAGE, "--type is COLUMN=TYPE with a TYPE of%s", types);
	return CLI_OK;
}

/* Whether the file is Parquet, as it is said or as its first bytes have it. */
static bool
is_parquet(const struct cli *cli, int file)
{
	const char *format = file_format(cli);
	char head[4];

	return format != NULL ?
	    strcmp(format, "parquet") == 0 :
	    pread(file, head, sizeof(head), 0) == sizeof(head) && memcmp(head, "PAR1", sizeof(head)) == 0;
}

/* The words for carrel-import; size: bytes of a Parquet file. */
static const char *const *
import_words(struct cli *cli, const struct config *cfg, const char *dir, const char *table, const char *format,
    off_t size)
{
	const char *const fixed[] = { "carrel-import", arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_FILE, dir), table,
			   format != NULL ? format : "guess", cli_flag(cli, "replace") ? "replace" : "-",
			   cli_flag(cli, "strict") ? "strict" : "-",
			   cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT ? "best-effort" : "-" };
	size_t n = sizeof(fixed) / sizeof(fixed[0]), given;
	const char **words = arena_array(cli->arena, n + CLI_OPTIONS_MAX + 2, sizeof(*words));

	if (words == NULL)
		abort();
	memcpy(words, fixed, sizeof(fixed));
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		const char **values = cli_options(cli, wishes[i].name, &given);
		bool delimiter = strcmp(wishes[i].name, "delimiter") == 0;

		for (size_t k = 0; k < given; k++)
			words[n++] = delimiter ? arena_printf(cli->arena, "delimiter=%c", delimiter_of(values[k])) :
						 arena_printf(cli->arena, "%s=%s", wishes[i].name, values[k]);
	}
	words[n++] = arena_printf(cli->arena, "size=%lld", (long long)size);
	words[n] = NULL;
	return words;
}

/* Run carrel-import and what reads a Parquet file for it, whose failure is told, not the report.  Closes *file. */
static int
run_import(struct cli *cli, const struct config *cfg, struct importer *im, int *file, int rejects,
    const char *const *words, bool parquet, struct buf *report)
{
	const char *stopped;
	pid_t unpacker = -1;
	int code = parquet ? importer_unpack(cli, cfg, file, &unpacker) : CLI_OK;

	if (code != CLI_OK || (code = importer_start(cli, im, *file, rejects, words)) != CLI_OK)
		return code;
	/* So that a process that writes to it sees the end of carrel-import. */
	close(*file);
	*file = -1;
	importer_follow(im, report);
	if ((stopped = importer_unpacked(unpacker)) == NULL)
		return end_import(im, view_of(buf_view(report)));
	(void)importer_end(im, view_of(SPAN("{}")), "rows", report);
	return cli_fail(CLI_FAILED, "%s", stopped);
}

/* Run carrel-import; *rejected is where its list of rejects is, NULL when it is empty.  file is closed. */
static int
import_file(struct cli *cli, const struct config *cfg, int file, const char *dir, const char *table, struct buf *report,
    const char **rejected)
{
	const char *list = arena_printf(cli->arena, "%s/%s.rejects.jsonl", dir, table);
	bool parquet = is_parquet(cli, file);
	struct stat st = { .st_size = 0 };
	const char *const *words;
	struct importer im = { .pid = -1 };
	int code, rejects = open(list, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	*rejected = NULL;
	(void)fstat(file, &st);
	words = import_words(cli, cfg, dir, table, parquet ? "parquet" : file_format(cli), st.st_size);
	code = rejects < 0 ? cli_fail(CLI_FAILED, "%s cannot be written: %s", list, strerror(errno)) :
			     run_import(cli, cfg, &im, &file, rejects, words, parquet, report);
	if (file >= 0)
		close(file);
	if (rejects < 0)
		return code;
	/*
	 * If the program is killed while SQLite has a journal open, a process that may only read cannot open the
	 * database.
	 */
	if (im.killed && access(words[1], F_OK) == 0)
		(void)run_on_imports(cli, cfg, dir, "-", "recover");
	if (code == CLI_OK && fstat(rejects, &st) == 0 && st.st_size > 0)
		*rejected = list;
	else
		unlink(list);
	close(rejects);
	return code;
}

int
cmd_dataset_import(struct cli *cli)
{
	const char *path = cli_operand(cli, 0), *project, *dir, *table, *rejected;
	struct buf report = { 0 };
	struct config cfg = { 0 };
	struct stat st;
	struct buf dataset = { 0 };
	bool first, json = cli->json;
	int file, code, lock = -1;

	if ((code = check_options(cli)) != CLI_OK)
		return code;
	if ((project = cli_project(cli)) == NULL || !cli_config(cli, false, &cfg) ||
	    (dir = imports_directory(cli, project)) == NULL)
		return CLI_FAILED;
	if (cfg.state_url != NULL &&
	    ((code = cmd_cluster_check_writer(cli)) != CLI_OK || (code = mend_log(cli, &cfg, dir)) != CLI_OK ||
		(code = share_before(cli, &cfg)) != CLI_OK))
		return code;
	if ((file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return cli_fail(CLI_FAILED, "%s cannot be read: %s", path, strerror(errno));
	table = table_name(cli, cli_option(cli, "name"), path);
	if ((code = begin_change(cli, &cfg, dir, &lock)) != CLI_OK) {
		close(file);
		return code;
	}
	first = stat(arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_FILE, dir), &st) != 0;
	code = import_file(cli, &cfg, file, dir, table, &report, &rejected);
	end_change(cli, &cfg, dir, lock);
	if (code == CLI_OK)
		code = share_change(cli, &cfg, dir);
	if (code == CLI_OK)
		code = serve_import(cli, first, table,
		    view_cstr(cli->arena, view_get(view_of(buf_view(&report)), "file.format"), NULL));
	if (code == CLI_OK && cli_flag(cli, "publish"))
		code = publish_table(cli, CONFIG_IMPORTS, table, cli_option(cli, "name"), NULL, &dataset);
	if (code == CLI_OK)
		code = json ? put_import(table, buf_view(&dataset), view_of(buf_view(&report)), rejected) :
			      show_import(cli, table, view_of(buf_view(&report)), rejected);
	if (code == CLI_OK && !json && dataset.len > 0)
		cli_note("published as dataset %s; `carrel connectivity enable`, `carrel mcp start` and `carrel token "
			 "create "
			 "--label NAME` let an assistant read it",
		    view_cstr(cli->arena, view_get(view_of(buf_view(&dataset)), "id"), ""));
	buf_fini(&dataset);
	buf_fini(&report);
	return code;
}
