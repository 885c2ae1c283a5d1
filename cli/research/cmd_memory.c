#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json_put.h"
#include "base/system/clock.h"
#include "base/utf8.h"
#include "cli/input.h"
#include "cli/args.h"
#include "cli/research/cmd_memory.h"
#include "cli/say.h"

#define TEXT_MAX	((size_t)256 << 10)
#define POLL_MS		10
#define WAIT_MS		120000	/* a run takes milliseconds; a scan in front of it, minutes */

/* The texts are untrusted: control characters must not reach the terminal. */
static void
put_text(struct buf *out, struct view v)
{
	struct buf text = { 0 };

	view_text(v, &text);
	table_safe(buf_view(&text), true, out);
	buf_fini(&text);
}

/* The effect of a step on a file, in words for the reverse direction if it was reverted. */
static const char *
action_of(struct cli *cli, struct view change, bool back)
{
	const char *action = view_cstr(cli->arena, view_get(change, "action"), "");

	if (!back)
		return action;
	return strcmp(action, "created") == 0 ? "removed" : strcmp(action, "skipped") == 0 ? action : "restored";
}

/* A line of its own, so that nothing is truncated. */
static void
put_line(struct buf *out, const char *before, struct view text)
{
	struct buf b = { 0 };

	view_text(text, &b);
	if (b.len > 0) {
		buf_str(out, before);
		table_safe(buf_view(&b), false, out);
		buf_byte(out, '\n');
	}
	buf_fini(&b);
}

static int
show_changes(struct cli *cli, struct view run)
{
	struct view_iter it = view_iter(view_get(run, "changes"));
	bool back = view_true(view_get(run, "reverted"));
	struct buf out = { 0 };
	struct view each;
	int code;

	while (view_next(&it, &each)) {
		buf_printf(&out, "%-8s ", action_of(cli, each, back));
		if (view_cstr(cli->arena, view_get(each, "path"), "")[0] != '\0')
			put_line(&out, "", view_get(each, "path"));
		else
			buf_printf(&out, "%s\n", view_cstr(cli->arena, view_get(each, "kind"), ""));
		put_line(&out, "         ", view_get(each, "summary"));
		if (!back)
			put_line(&out, "         why: ", view_get(each, "reason"));
	}
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

/* The status, and what a person has done about it since. */
static const char *
cmd_memory_standing(struct cli *cli, struct view run)
{
	const char *review = view_cstr(cli->arena, view_get(run, "review"), "none");

	return arena_printf(cli->arena, "%s%s", view_cstr(cli->arena, view_get(run, "status"), ""),
	    view_true(view_get(run, "reverted")) ? ", taken back" :
		strcmp(review, "proposed") == 0  ? ", proposed" :
		strcmp(review, "approved") == 0  ? ", approved" :
						   "");
}

static int
show_head(struct cli *cli, struct view run)
{
	struct buf out = { 0 };
	int code;

	buf_printf(&out, "%s  %s", view_cstr(cli->arena, view_get(run, "runId"), ""), cmd_memory_standing(cli, run));
	if (view_get(run, "error").kind == VIEW_STRING) {
		buf_str(&out, ": ");
		put_text(&out, view_get(run, "error"));
	}
	buf_byte(&out, '\n');
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
show_run(struct cli *cli, struct view run)
{
	int code = show_head(cli, run);

	return code == CLI_OK ? show_changes(cli, run) : code;
}

/* The tool with {"runId": id}, on a connection of its own. */
static int
call_with_run(struct cli *cli, const char *tool, int (*show)(struct cli *cli, struct view result))
{
	struct buf args = { 0 };
	struct view result;
	struct client c;
	struct err err;
	int code;

	if (!utf8_valid((const uint8_t *)cli_operand(cli, 0), strlen(cli_operand(cli, 0))))
		return cli_fail(CLI_USAGE, "a run's id is made of letters, digits and dashes");
	mp_put_pairs(&args, mp_str("runId", span_str(cli_operand(cli, 0))));
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		code = CLI_FAILED;
	else {
		if (client_tool(&c, tool, buf_view(&args), NULL, NULL, &result, &err) != 0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else
			code = cli->json ? cli_json(result.raw) : show(cli, result);
		client_close(&c);
	}
	buf_fini(&args);
	return code;
}

static int
show_texts(struct cli *cli, struct view run)
{
	static const char *const sides[] = { "before", "after" };
	struct view_iter it = view_iter(view_get(run, "signals")), changes = view_iter(view_get(run, "changes"));
	struct buf out = { 0 };
	struct view each;
	int code = show_run(cli, run);

	buf_printf(&out, "\nby %s", view_cstr(cli->arena, view_get(run, "principal"), ""));
	while (view_next(&it, &each))
		buf_printf(&out, "\nsignal %s, for %s: %s", view_cstr(cli->arena, view_get(each, "signal"), ""),
		    view_cstr(cli->arena, view_get(each, "votes"), ""),
		    view_cstr(cli->arena, view_get(each, "reason"), ""));
	buf_str(&out, "\n\n--- the text\n");
	put_text(&out, view_get(run, "content"));
	while (view_next(&changes, &each))
		for (size_t i = 0; i < 2; i++) {
			if (view_cstr(cli->arena, view_get(each, sides[i]), "")[0] == '\0')
				continue;
			buf_printf(&out, "\n--- %s %s\n", view_cstr(cli->arena, view_get(each, "path"), ""), sides[i]);
			put_text(&out, view_get(each, sides[i]));
		}
	buf_byte(&out, '\n');
	if (code == CLI_OK)
		code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

int
cmd_memory_show(struct cli *cli)
{
	return call_with_run(cli, "memory_show", show_texts);
}

int
cmd_memory_approve(struct cli *cli)
{
	return call_with_run(cli, "memory_approve", show_run);
}

int
cmd_memory_revert(struct cli *cli)
{
	return call_with_run(cli, "memory_revert", show_run);
}

/* An id must be copyable: a line of its own, whole, in any width. */
static int
show_log(struct cli *cli, struct view log)
{
	struct view_iter it = view_iter(view_get(log, "runs"));
	struct buf out = { 0 };
	struct view run, change;
	int code;

	while (view_next(&it, &run)) {
		struct view_iter changes = view_iter(view_get(run, "changes"));
		struct view about = { .kind = VIEW_NONE };
		size_t n = 0;

		while (view_next(&changes, &change)) {
			about = view_get(change, "summary");
			n++;
		}
		n += (size_t)view_uint(view_get(run, "changesLeftOut"), 0);
		buf_printf(&out, "%s  %s\n  %.16s  %zu %s", view_cstr(cli->arena, view_get(run, "runId"), ""),
		    cmd_memory_standing(cli, run), view_cstr(cli->arena, view_get(run, "startedAt"), ""), n,
		    n == 1 ? "change" : "changes");
		if (view_get(run, "node").kind == VIEW_STRING)
			buf_printf(&out, ", on %s", view_cstr(cli->arena, view_get(run, "node"), ""));
		buf_byte(&out, '\n');
		put_line(&out, "  ", about);
	}
	code = out.len > 0 ? cli_write(buf_view(&out)) : cli_print("There are no runs yet.\n");
	buf_fini(&out);
	return code;
}

int
cmd_memory_log(struct cli *cli)
{
	uint64_t limit = 20;
	struct buf args = { 0 };
	struct view result;
	struct client c;
	struct err err;
	int code;

	if (!cli_number(cli, "limit", 1, 1000, &limit))
		return CLI_USAGE;
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	mp_put_pairs(&args, mp_uint("limit", limit));
	if (client_tool(&c, "memory_log", buf_view(&args), NULL, NULL, &result, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		code = cli->json ? cli_json(result.raw) : show_log(cli, result);
	buf_fini(&args);
	client_close(&c);
	return code;
}

/* Whether the operand is a text: several words, without the ending of a file, and no file is called so. */
static bool
is_text(const char *operand)
{
	const char *end = strrchr(operand, '.');

	if (end != NULL && (strcmp(end, ".md") == 0 || strcmp(end, ".txt") == 0))
		return false;
	return strchr(operand, ' ') != NULL && access(operand, F_OK) != 0 && (errno == ENOENT || errno == ENAMETOOLONG);
}

/* name: a file's, "-", or the text itself. */
static int
read_text(const char *name, struct buf *text)
{
	bool itself = is_text(name);
	const char *shown = itself ? "the text" : input_name(name);
	int error = itself ? 0 : input_read(name, TEXT_MAX, text);

	if (itself)
		buf_str(text, name);
	if (error == EFBIG)
		return cli_fail(CLI_FAILED, "%s: the text is larger than %zu KiB; ingest it in several parts", shown,
		    TEXT_MAX >> 10);
	if (error != 0)
		return cli_fail(CLI_FAILED, "cannot read %s: %s", shown, strerror(error));
	if (text->len == 0 || memchr(text->p, '\0', text->len) != NULL || !utf8_valid(text->p, text->len))
		return cli_fail(CLI_FAILED, "%s: the text must be UTF-8 and must not be empty", shown);
	return CLI_OK;
}

/* Wait until the run has ended; result is its status. */
static int
await_run(struct client *c, struct span id, struct view *result)
{
	const uint64_t until = clock_ns() + WAIT_MS * CLOCK_MS;
	struct buf args = { 0 }, status = { 0 };
	struct err err;
	int code = CLI_OK;

	mp_put_pairs(&args, mp_str("runId", id));
	for (;;) {
		if (client_tool(c, "memory_ingest_status", buf_view(&args), NULL, NULL, result, &err) != 0) {
			code = cli_fail(CLI_FAILED, "%s", err.message);
			break;
		}
		buf_reset(&status, SIZE_MAX);
		view_text(view_get(*result, "status"), &status);
		if (!span_is_str(buf_view(&status), "running") || clock_ns() > until)
			break;
		poll(NULL, 0, POLL_MS);
	}
	buf_fini(&args);
	buf_fini(&status);
	return code;
}

/*
 * Keeps one text and waits until its run has ended; *run: the run's result, borrowed from c.  CLI_OK also for a failed
 * run.
 */
static int
ingest(struct cli *cli, struct client *c, struct span text, struct view *run)
{
	const char *connection = cli_option(cli, "connection");
	struct buf args = { 0 }, id = { 0 };
	struct err err;
	int code;

	mp_put_pairs(&args, mp_str("content", text), mp_when(connection != NULL, mp_cstr("connectionId", connection)));
	if (client_tool(c, "memory_ingest", buf_view(&args), NULL, NULL, run, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else {
		view_text(view_get(*run, "runId"), &id);
		code = await_run(c, buf_view(&id), run);
	}
	buf_fini(&args);
	buf_fini(&id);
	return code;
}

/* Several texts are shown each under its file's name, or as a JSON list. */
static int
show_text_kept(struct cli *cli, const char *name, struct view run, struct buf *json)
{
	struct buf head = { 0 };
	int code;

	if (cli->noperands < 2)
		return cli->json ? cli_json(run.raw) : show_run(cli, run);
	if (cli->json) {
		if (json->len == 0) {
			json_put_object(json, NULL);
			json_put_list(json, "runs");
		}
		json_put_raw(json, NULL, run.raw);
		return CLI_OK;
	}
	table_safe(span_str(name), false, &head);
	buf_str(&head, ":\n");
	code = cli_write(buf_view(&head));
	buf_fini(&head);
	return code == CLI_OK ? show_run(cli, run) : code;
}

static int
ingest_file(struct cli *cli, struct client *c, const char *name, struct buf *json)
{
	struct buf text = { 0 };
	struct view run;
	int code = read_text(name, &text);

	if (code == CLI_OK && (code = ingest(cli, c, buf_view(&text), &run)) == CLI_OK)
		code = show_text_kept(cli, name, run, json);
	buf_fini(&text);
	if (code == CLI_OK && strcmp(view_cstr(cli->arena, view_get(run, "status"), ""), "done") != 0)
		code = CLI_FAILED;
	return code;
}

int
cmd_ingest_text(struct cli *cli)
{
	bool fail_fast = cli_flag(cli, "fail-fast");
	struct buf json = { 0 };
	struct client c;
	int code = CLI_OK;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	if (cli->noperands == 0)
		code = ingest_file(cli, &c, "-", &json);
	for (size_t i = 0; i < cli->noperands && (code == CLI_OK || !fail_fast); i++)
		if (ingest_file(cli, &c, cli->operands[i], &json) != CLI_OK)
			code = CLI_FAILED;
	client_close(&c);
	if (json.len > 0) {
		json_end_list(&json);
		json_end_object(&json);
		if (cli_json(buf_view(&json)) != CLI_OK)
			code = CLI_FAILED;
	}
	buf_fini(&json);
	return code;
}
