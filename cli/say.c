#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "base/text/safe_text.h"
#include "cli/say.h"
#include "cli/show/term.h"
#include "cli/show/view.h"

static enum cli_format format;
static const char *rows;

void
cli_speak(enum cli_format wanted, const char *of)
{
	format = wanted;
	rows = of;
	table_whole(wanted == FORMAT_CSV || term_width(STDOUT_FILENO) == 0);
}

static void print_kind(const char *kind, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

static void
print_kind(const char *kind, const char *fmt, va_list ap)
{
	struct buf text = { 0 }, safe = { 0 };
	char line[4096];

	vsnprintf(line, sizeof(line), fmt, ap);
	table_safe(span_str(line), true, &safe);
	if (format == FORMAT_JSON || format == FORMAT_JSONL) {
		json_put_object(&text, NULL);
		json_put_object(&text, kind);
		json_put_str(&text, "message", buf_view(&safe));
		buf_str(&text, "}}\n");
	} else
		buf_printf(&text, "carrel: %s\n", buf_cstr(&safe));
	fwrite(text.p, 1, text.len, stderr);
	buf_fini(&safe);
	buf_fini(&text);
}

int
cli_fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_kind("error", fmt, ap);
	va_end(ap);
	return code;
}

int
fail_connection(const char *id, const struct err *err)
{
	char quoted[160];

	snprintf(quoted, sizeof(quoted), "\"%.150s\"", id);
	return strstr(err->message, quoted) != NULL ? cli_fail(CLI_FAILED, "%s", err->message) :
						      cli_fail(CLI_FAILED, "%s: %s", id, err->message);
}

void
cli_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_kind("note", fmt, ap);
	va_end(ap);
}

static int
write_text(struct span text)
{
	if ((text.len > 0 && fwrite(text.p, 1, text.len, stdout) != text.len) || fflush(stdout) != 0) {
		/* A closed pipe (head, less) is not reported as an error. */
		if (errno == EPIPE)
			return CLI_FAILED;
		return cli_fail(CLI_FAILED, "cannot write the output: %s", strerror(errno));
	}
	return CLI_OK;
}

/* Output contains file names and database text: everything but our own colour codes is escaped. */
static void
put_own(struct buf *out, struct span text)
{
	static const char *const own[] = { TERM_PLAIN, TERM_BOLD, TERM_FAINT, TERM_RED, TERM_GREEN, TERM_YELLOW };
	const uint8_t *escape;

	while (text.len > 0 && (escape = memchr(text.p, '\033', text.len)) != NULL) {
		size_t n = (size_t)(escape - text.p), skip = 1;

		table_safe(span_of(text.p, n), true, out);
		text = span_of(escape, text.len - n);
		for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && skip == 1; i++)
			if (strlen(own[i]) <= text.len && memcmp(own[i], text.p, strlen(own[i])) == 0)
				skip = strlen(own[i]);
		if (skip > 1)
			buf_append(out, text.p, skip);
		else
			table_safe(span_of(text.p, skip), true, out);
		text = span_of(text.p + skip, text.len - skip);
	}
	table_safe(text, true, out);
}

int
cli_write(struct span text)
{
	return format == FORMAT_CSV ? CLI_OK : write_text(text);
}

int
cli_write_safe(struct buf *lines)
{
	struct buf safe = { 0 };
	int code;

	safe_text_escape(&safe, buf_view(lines), true);
	code = cli_write(buf_view(&safe));
	buf_fini(lines);
	buf_fini(&safe);
	return code;
}

int
cli_print(const char *fmt, ...)
{
	struct buf out = { 0 };
	va_list ap;
	char *text;
	int n, code;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	put_own(&out, span_of(text, (size_t)n));
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	free(text);
	return code;
}

int
cli_table(const struct text_table *t)
{
	struct buf out = { 0 };
	int code;

	if (format == FORMAT_CSV)
		table_csv(t, &out);
	else
		table_print(t, term_width(STDOUT_FILENO), term_colour(STDOUT_FILENO), &out);
	code = write_text(buf_view(&out));
	buf_fini(&out);
	return code;
}

/* A row of cells and the names of their columns as an object; any other value unchanged. */
static void
put_line(struct view headers, struct view row, struct buf *out)
{
	struct view_iter names = view_iter(headers), cells = view_iter(row);
	struct view name, cell;
	const char *comma = "{";

	if (headers.kind != VIEW_ARRAY || row.kind != VIEW_ARRAY)
		buf_span(out, row.raw);
	else {
		while (view_next(&names, &name) && view_next(&cells, &cell)) {
			buf_str(out, comma);
			buf_span(out, name.raw);
			buf_byte(out, ':');
			buf_span(out, cell.raw);
			comma = ",";
		}
		buf_str(out, *comma == '{' ? "{}" : "}");
	}
	buf_byte(out, '\n');
}

static int
put_lines(struct view result)
{
	struct view headers = view_get(result, "headers"), row;
	struct view_iter it = view_iter(view_get(result, rows));
	struct buf out = { 0 };
	int code;

	while (view_next(&it, &row))
		put_line(headers, row, &out);
	code = write_text(buf_view(&out));
	buf_fini(&out);
	if (code == CLI_OK && view_true(view_get(result, "truncated")))
		cli_note("there are more rows than these");
	return code;
}

int
cli_json(struct span text)
{
	int code;

	if (format == FORMAT_JSONL && rows != NULL)
		return put_lines(view_of(text));
	code = cli_write(text);
	return code != CLI_OK ? code : cli_write(SPAN("\n"));
}

int
cli_json_mp(struct span mp)
{
	struct buf out = { 0 };
	struct mp_value v;
	int code;

	if (!mp_value(mp, &v))
		abort();
	json_write(&out, &v);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

const char *
cli_colour(const char *code)
{
	return term_colour(STDOUT_FILENO) ? code : "";
}

const char *
cli_token_variable(void)
{
	return getenv("CARREL_MCP_TOKEN") == NULL && getenv("KTX_MCP_TOKEN") != NULL ? "KTX_MCP_TOKEN" :
										       "CARREL_MCP_TOKEN";
}

const char *
cli_project(struct cli *cli)
{
	struct err err;
	const char *dir = config_find_project(cli->arena, cli->project_option, &err);

	if (dir == NULL)
		cli_fail(CLI_FAILED, "%s", err.message);
	return dir;
}

bool
cli_config(struct cli *cli, bool warn, struct config *cfg)
{
	struct config_issues issues = { 0 };
	struct buf lines = { 0 };
	struct err err;
	const char *dir = cli_project(cli);
	bool ok;

	if (dir == NULL)
		return false;
	ok = config_load(cli->arena, dir, cfg, &issues, &err) == 0;
	if (issues.n > 0 && (warn || !ok)) {
		config_issues_print(cfg, &issues, &lines);
		if (format == FORMAT_TABLE || format == FORMAT_CSV)
			fwrite(lines.p, 1, lines.len, stderr);
		else
			for (struct span rest = buf_view(&lines), line; span_line(&rest, &line);)
				cli_note("%.*s", SPAN_FMT(line));
		buf_fini(&lines);
	}
	if (!ok && issues.nfatal > 0)
		cli_fail(CLI_FAILED, "the configuration has %zu error%s, see above; correct %s and try again",
		    issues.nfatal, issues.nfatal == 1 ? "" : "s", cfg->file != NULL ? cfg->file : "it");
	else if (!ok)
		cli_fail(CLI_FAILED, "%s", err.message);
	return ok;
}

const char *
cli_driver_names(struct cli *cli)
{
	struct buf names = { 0 };
	const char *text;

	drivers_put_names(&names, 0, "and");
	text = arena_printf(cli->arena, "%s", buf_cstr(&names));
	buf_fini(&names);
	return text;
}

const struct config_connection *
cli_connection(const struct config *cfg, const char *name)
{
	const char *wanted = name != NULL ? name : config_default_connection(cfg);
	struct buf names = { 0 };

	for (size_t i = 0; i < cfg->nconnections; i++) {
		if (wanted != NULL && strcmp(cfg->connections[i].id, wanted) == 0) {
			buf_fini(&names);
			return &cfg->connections[i];
		}
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", cfg->connections[i].id);
	}
	if (cfg->nconnections == 0)
		cli_fail(CLI_FAILED, "the project has no connection; add one with `carrel connection add`");
	else if (wanted == NULL)
		cli_fail(CLI_USAGE,
		    "the project has several connections, say which with --connection, or once with default_connection "
		    "in carrel.yaml: %s",
		    buf_cstr(&names));
	else
		cli_fail(CLI_FAILED, "there is no connection \"%s\"%s; there are: %s", wanted,
		    name == NULL ? " (default_connection)" : "", buf_cstr(&names));
	buf_fini(&names);
	return NULL;
}

/* The directory of our own binary, so that a build tree and an installation work the same. */
static const char *
own_directory(struct cli *cli)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	if ((slash = strrchr(path, '/')) == NULL)
		return NULL;
	*slash = '\0';
	return arena_cstr(cli->arena, span_str(path));
}

const char *
cli_own_file(struct cli *cli, const char *name)
{
	const char *dir = own_directory(cli);

	return dir == NULL ? name : arena_printf(cli->arena, "%s/%s", dir, name);
}

static const char *
find_program(struct cli *cli, const char *name)
{
	const char *path = cli_own_file(cli, name);

	return path != NULL && access(path, X_OK) == 0 ? path : NULL;
}

bool
cli_has_program(struct cli *cli, const char *name)
{
	return find_program(cli, name) != NULL;
}

const char *
cli_getenv(void *arg, const char *name)
{
	(void)arg;
	return getenv(name);
}

const char *
cli_program(struct cli *cli, const char *name)
{
	const char *path = find_program(cli, name);

	if (path != NULL)
		return path;
	cli_fail(CLI_FAILED, "the program %s is missing next to carrel; build it with `make` or install again", name);
	return NULL;
}

/* build/bin/carrel: ../share; /usr/lib/carrel/carrel: ../../share. */
const char *
cli_share(struct cli *cli, const char *name)
{
	static const char *const ways[] = { "../share/carrel", "../../share/carrel" };
	const char *dir = own_directory(cli);

	for (size_t i = 0; dir != NULL && i < sizeof(ways) / sizeof(ways[0]); i++) {
		const char *path = arena_printf(cli->arena, "%s/%s/%s", dir, ways[i], name);

		if (path != NULL && access(path, R_OK) == 0)
			return path;
	}
	cli_fail(CLI_FAILED, "the shared files \"%s\" are missing; build with `make` or install again", name);
	return NULL;
}
