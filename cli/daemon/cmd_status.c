#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "cli/scans_project.h"
#include "cli/daemon/daemon.h"
#include "cli/show/term.h"
#include "cli/args.h"
#include "cli/daemon/cmd_status.h"
#include "cli/say.h"

static int
show_project(const struct config *cfg, const struct config_issues *issues)
{
	struct buf lines = { 0 };
	int code = cli_print("%sproject%s   %s (%s)\n", cli_colour(TERM_BOLD), cli_colour(TERM_PLAIN), cfg->project_dir,
	    cfg->file);

	config_issues_print(cfg, issues, &lines);
	if (code == CLI_OK && lines.len > 0)
		code = cli_write(buf_view(&lines));
	buf_fini(&lines);
	return code;
}

/* The state of a connection's pool as the daemon sees it; NONE when it does not run. */
static struct view
pool_of(struct view status, const char *connection)
{
	struct view_iter it = view_iter(view_get(status, "connections"));
	struct view each;

	while (view_next(&it, &each)) {
		struct view id = view_get(each, "id");

		if (id.kind == VIEW_STRING && span_is_str(span_of(id.raw.p + 1, id.raw.len - 2), connection))
			return each;
	}
	return (struct view){ VIEW_NONE, { NULL, 0 } };
}

/* The reasons why connections are not ready, in full below the table. */
static void
put_reason(struct cli *cli, const char *id, struct view pool, struct buf *out)
{
	const char *reason = view_cstr(cli->arena, view_get(pool, "reason"), NULL);
	struct buf line = { 0 };

	if (reason == NULL)
		return;
	buf_printf(&line, "%s: %s\n", id, reason);
	table_safe(buf_view(&line), true, out);
	buf_fini(&line);
}

/* Statements that the database server still runs although they were cancelled. */
static void
put_stuck(struct cli *cli, const char *id, struct view pool, struct buf *out)
{
	struct view_iter it = view_iter(view_get(pool, "stuck"));
	struct buf line = { 0 };
	struct view each;

	while (view_next(&it, &each))
		buf_printf(&line, "%s: server process %s has not ended since %s (statement %s); end it on the server\n",
		    id, view_cstr(cli->arena, view_get(each, "pid"), "?"),
		    view_cstr(cli->arena, view_get(each, "since"), "?"),
		    view_cstr(cli->arena, view_get(each, "fingerprint"), "unknown"));
	table_safe(buf_view(&line), true, out);
	buf_fini(&line);
}

static int
show_connections(struct cli *cli, const struct config *cfg, struct view status)
{
	static const char *const headers[] = { "CONNECTION", "DRIVER", "STATE", "LAST SCAN", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct buf reasons = { 0 };
	int code;

	for (size_t i = 0; i < cfg->nconnections; i++) {
		const struct config_connection *c = &cfg->connections[i];
		struct view pool = pool_of(status, c->id);
		const char *scan = last_scan(cli, cfg->project_dir, c->id);

		table_row(t);
		table_cell(t, span_str(c->id));
		table_cell(t, span_str(c->driver_name));
		table_cell(t, span_str(view_cstr(cli->arena, view_get(pool, "state"), "-")));
		table_cell(t, span_str(scan != NULL ? scan : "never"));
		put_reason(cli, c->id, pool, &reasons);
		put_stuck(cli, c->id, pool, &reasons);
		if (scan_missed(cli, cfg, c->id) != NULL)
			buf_printf(&reasons, "%s: the last scan left something out; `carrel doctor` says what\n",
			    c->id);
	}
	if (table_rows(t) == 0)
		return cli_print("no connections; add one with `carrel connection add`\n");
	if ((code = cli_table(t)) == CLI_OK)
		code = cli_write(buf_view(&reasons));
	buf_fini(&reasons);
	return code;
}

static int
show_daemon_line(struct cli *cli, const struct daemon *d, struct view status)
{
	const char *why = view_cstr(cli->arena, view_get(status, "front.reason"), NULL);

	if (d->state == DAEMON_RUNNING)
		return cli_print("%sdaemon%s    running at %s (pid %ld, since %s)\n%s%s%s%s\n", cli_colour(TERM_BOLD),
		    cli_colour(TERM_PLAIN), d->url, (long)d->pid, d->started_at, cli_colour(TERM_RED),
		    why == NULL ? "" : arena_printf(cli->arena, "health    degraded: %s", why), cli_colour(TERM_PLAIN),
		    why == NULL ? "" : "\n");
	return cli_print("%sdaemon%s    not running%s; start it with `carrel mcp start`\n\n", cli_colour(TERM_BOLD),
	    cli_colour(TERM_PLAIN), d->state == DAEMON_STALE ? " (its last run ended without cleaning up)" : "");
}

/* Whether the daemon runs with the present content of the configuration file. */
static int
show_age(struct cli *cli, const struct config *cfg, struct view status)
{
	const char *why = view_cstr(cli->arena, view_get(status, "reloadError"), NULL);
	uint64_t read = view_uint(view_get(status, "configurationModifiedMs"), 0);
	struct stat st;

	if (status.kind != VIEW_OBJECT ||
	    stat(arena_printf(cli->arena, "%s/%s", cfg->project_dir, cfg->file), &st) != 0)
		return CLI_OK;
	if (why != NULL)
		return cli_print("%s%s was not taken by the running daemon: %s%s\n\n", cli_colour(TERM_YELLOW),
		    cfg->file, why, cli_colour(TERM_PLAIN));
	if (read == 0 || read == (uint64_t)st.st_mtim.tv_sec * 1000 + (uint64_t)st.st_mtim.tv_nsec / 1000000)
		return CLI_OK;
	return cli_print(
	    "%s%s was changed since the running daemon read it; `carrel mcp reload` brings it up to date%s\n\n",
	    cli_colour(TERM_YELLOW), cfg->file, cli_colour(TERM_PLAIN));
}

/* How the process ended last, or why it does not run; short if its connection says the same, or it is ready again. */
static const char *
last_end(struct cli *cli, struct view status, struct view process)
{
	const char *reason = view_cstr(cli->arena, view_get(process, "reason"), ""),
		   *of = view_cstr(cli->arena, view_get(process, "connection"), NULL),
		   *said = of == NULL ? "" : view_cstr(cli->arena, view_get(pool_of(status, of), "reason"), "");

	const char *last = view_cstr(cli->arena, view_get(process, "lastExit"), reason);

	if (*said != '\0' && strstr(last, said) != NULL)
		return "see above";
	return strcmp(view_cstr(cli->arena, view_get(process, "state"), ""), "ready") == 0 ?
	    arena_printf(cli->arena, "%.*s", (int)strcspn(last, ":"), last) :
	    last;
}

static int
show_processes(struct cli *cli, struct view status)
{
	static const char *const headers[] = { "PROCESS", "CONNECTION", "PID", "STATE", "RESTARTS", "LAST END", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(status, "children"));
	struct view each;

	while (view_next(&it, &each)) {
		table_row(t);
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "role"), "")));
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "connection"), "")));
		table_cell_number(t, span_str(view_cstr(cli->arena, view_get(each, "pid"), "")));
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "state"), "")));
		table_cell_number(t, span_str(view_cstr(cli->arena, view_get(each, "restarts"), "")));
		table_cell(t, span_str(last_end(cli, status, each)));
	}
	return table_rows(t) == 0 ? CLI_OK : cli_table(t);
}

/* A figure's name in plain words: "problem count" for problemCount. */
static void
put_words(struct span key, struct buf *out)
{
	for (size_t i = 0; i < key.len; i++) {
		if (i > 0 && key.p[i] >= 'A' && key.p[i] <= 'Z')
			buf_byte(out, ' ');
		buf_byte(out, ascii_lower(key.p[i]));
	}
}

/* The single figures of one report, then its problems one a line. */
static void
put_report(struct span role, struct view report, struct buf *out)
{
	struct view_iter it = view_iter(report);
	struct view figure, problem;
	struct span key;
	const char *comma = "";

	buf_printf(out, "%-9.*s ", SPAN_FMT(role));
	while (report.kind == VIEW_OBJECT && view_next_member(&it, &key, &figure)) {
		if (figure.kind == VIEW_ARRAY || figure.kind == VIEW_OBJECT || figure.kind == VIEW_NULL)
			continue;
		/* Problems follow, one per line; zero problems are not mentioned. */
		if (span_is_str(key, "problemCount") &&
		    view_uint(figure, 0) <= view_count(view_get(report, "problems")))
			continue;
		buf_str(out, comma);
		put_words(key, out);
		buf_byte(out, ' ');
		view_text(figure, out);
		comma = ", ";
	}
	buf_byte(out, '\n');
	it = view_iter(view_get(report, "problems"));
	while (view_next(&it, &problem)) {
		buf_str(out, "          ");
		view_text(view_get(problem, "path"), out);
		buf_str(out, problem.kind == VIEW_OBJECT ? ": " : "");
		view_text(problem.kind == VIEW_OBJECT ? view_get(problem, "reason") : problem, out);
		buf_byte(out, '\n');
	}
}

/* The figures that workers report: "search  documents 12, words 140". */
static int
show_reports(struct view reports)
{
	struct view_iter it = view_iter(reports);
	struct buf text = { 0 };
	struct view report;
	struct span role;

	while (reports.kind == VIEW_OBJECT && view_next_member(&it, &role, &report))
		put_report(role, report, &text);
	return cli_write_safe(&text);
}

/* One line: how far the processes are confined, and what is missing in which. */
static int
show_sandbox(struct cli *cli, struct view status)
{
	struct view_iter it = view_iter(view_get(status, "children"));
	const char *note = NULL;
	struct view each, note_of;

	while (note == NULL && view_next(&it, &each)) {
		note_of = view_get(each, "sandbox.note");
		if (view_true(view_get(each, "sandbox.degraded")))
			note = view_cstr(cli->arena, note_of, "something is missing");
	}
	if (note != NULL)
		return cli_print("\n%ssandbox%s   DEGRADED: %s\n", cli_colour(TERM_RED), cli_colour(TERM_PLAIN), note);
	return cli_print("\n%ssandbox%s   every process is confined\n", cli_colour(TERM_BOLD), cli_colour(TERM_PLAIN));
}

static int
show_figures(struct cli *cli, struct view status)
{
	size_t held = view_count(view_get(status, "quarantine"));
	int code = show_sandbox(cli, status);

	if (code == CLI_OK)
		code = show_reports(view_get(status, "reports"));

	if (code == CLI_OK && held > 0)
		code = cli_print("%zu statement%s held back after stopping two workers; "
				 "`carrel status --clear-quarantine` lets them run\n",
		    held, held == 1 ? " is" : "s are");
	return code;
}

static int
ask_daemon(struct client *c, const char *method, struct view *result)
{
	struct buf params = { 0 };
	struct err err;
	int r;

	mp_put_map(&params, 0);
	r = client_call(c, method, buf_view(&params), NULL, NULL, result, &err);
	buf_fini(&params);
	return r == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s", err.message);
}

static void
put_issues(const struct config_issues *issues, struct buf *mp)
{
	mp_pair_array(mp, "issues", issues->n);
	for (size_t i = 0; i < issues->n; i++) {
		mp_put_pairs(mp, mp_cstr("severity", issues->list[i].fatal ? "error" : "warning"),
		    mp_uint("line", issues->list[i].line), mp_cstr("text", issues->list[i].text));
	}
}

static int
status_json(struct cli *cli, const struct config *cfg, const struct config_issues *issues,
    const struct daemon *d, struct view status)
{
	struct buf mp = { 0 }, out = { 0 };
	struct mp_value v;
	int code;

	mp_put_map(&mp, 5);
	mp_pair_cstr(&mp, "projectDir", cfg->project_dir);
	mp_pair_cstr(&mp, "configuration", cfg->file);
	put_issues(issues, &mp);
	mp_pair_array(&mp, "connections", cfg->nconnections);
	for (size_t i = 0; i < cfg->nconnections; i++) {
		mp_put_pairs(&mp, mp_cstr("id", cfg->connections[i].id),
		    mp_cstr("driver", cfg->connections[i].driver_name),
		    mp_cstr("lastScan", last_scan(cli, cfg->project_dir, cfg->connections[i].id)),
		    mp_cstr("leftOut", scan_missed(cli, cfg, cfg->connections[i].id)));
	}
	mp_pair_cstr(&mp, "state", daemon_state_name(d->state));
	if (!mp_value(buf_view(&mp), &v))
		return cli_fail(CLI_FAILED, "the status cannot be written");
	json_write(&out, &v);
	/* Insert the daemon's answer unchanged. */
	out.len--;
	json_put_raw(&out, "daemon", status.kind == VIEW_OBJECT ? status.raw : SPAN("null"));
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&mp);
	buf_fini(&out);
	return code;
}

static int
status_text(struct cli *cli, const struct config *cfg, const struct config_issues *issues,
    const struct daemon *d, struct view status)
{
	int code;

	if ((code = show_project(cfg, issues)) != CLI_OK || (code = show_daemon_line(cli, d, status)) != CLI_OK ||
	    (code = show_age(cli, cfg, status)) != CLI_OK || (code = show_connections(cli, cfg, status)) != CLI_OK)
		return code;
	if (status.kind != VIEW_OBJECT)
		return CLI_OK;
	if ((code = cli_print("\n")) != CLI_OK || (code = show_processes(cli, status)) != CLI_OK)
		return code;
	return show_figures(cli, status);
}

int
cmd_status(struct cli *cli)
{
	const char *dir = cli_project(cli);
	struct config_issues issues = { 0 };
	struct view status = { VIEW_NONE, { NULL, 0 } };
	struct client c = { .fd = -1, .status_fd = -1 };
	struct config cfg = { 0 };
	struct daemon d;
	struct err err;
	int code = CLI_OK;

	if (dir == NULL)
		return CLI_FAILED;
	if (config_load(cli->arena, dir, &cfg, &issues, &err) != 0 && issues.n == 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (daemon_look(cli->arena, dir, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (d.answers && client_open(cli, &c, CLIENT_CLI, NULL, true) == 0) {
		if (cli_flag(cli, "clear-quarantine"))
			code = ask_daemon(&c, "carrel/clear-quarantine", &status);
		if (code == CLI_OK)
			code = ask_daemon(&c, "carrel/status", &status);
	} else if (cli_flag(cli, "clear-quarantine"))
		code = cli_fail(CLI_NOT_RUNNING, "the daemon is not running, so nothing is held back");
	if (code == CLI_OK)
		code = cli->json ? status_json(cli, &cfg, &issues, &d, status) :
				   status_text(cli, &cfg, &issues, &d, status);
	client_close(&c);
	return code != CLI_OK ? code : issues.nfatal > 0 ? CLI_FAILED : CLI_OK;
}
