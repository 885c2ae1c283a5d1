#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json/json_put.h"
#include "base/system/process.h"
#include "cli/args.h"
#include "cli/audit/cmd_sandbox.h"
#include "cli/say.h"
#include "cli/daemon/start_daemon.h"
#include "cli/show/term.h"
#include "cli/show/view.h"
#include "policy/acts.h"
#include "policy/hostile.h"

struct sandbox_tally {
	size_t	refused, not_tried, failed;
};

struct sandbox_process {
	struct sandbox_tally	 tally;
	const char	*stand_in;	/* how it was stood in for; NULL: it was not */
};

/*
 * The output of carreld so far; each line is {process, act, what, at, path, expected, outcome, standIn, result, ok}.
 */
struct acts {
	struct cli	*cli;
	struct buf	 text;
	size_t		 taken;		/* bytes of text that were read as lines */
	struct sandbox_tally	 tally;
	struct sandbox_process	 processes[POLICY_PROFILES_MAX];
};

static size_t
tried(const struct sandbox_tally *t)
{
	return t->refused + t->not_tried + t->failed;
}

static void
cmd_sandbox_count(struct sandbox_tally *t, const char *result)
{
	if (strcmp(result, "refused") == 0)
		t->refused++;
	else if (strcmp(result, "not tried") == 0)
		t->not_tried++;
	else
		t->failed++;
}

static void
take_act(struct acts *a, struct view act)
{
	const char *name = view_cstr(a->cli->arena, view_get(act, "process"), "");
	const char *result = view_cstr(a->cli->arena, view_get(act, "result"), "failed");

	if (act.kind != VIEW_OBJECT)
		return;
	cmd_sandbox_count(&a->tally, result);
	for (size_t i = 0; policy_profiles[i].name != NULL; i++)
		if (strcmp(policy_profiles[i].name, name) == 0) {
			cmd_sandbox_count(&a->processes[i].tally, result);
			/* Taken from the process's own acts; lines about its messages to others have `at`. */
			if (view_get(act, "at").kind != VIEW_STRING)
				a->processes[i].stand_in = view_cstr(a->cli->arena, view_get(act, "standIn"), NULL);
		}
	term_progress((double)tried(&a->tally) / (double)(policy_acts_count() + hostile_count()), name);
}

/* Whole lines only: the rest is still being written. */
static void
take_lines(struct acts *a)
{
	const uint8_t *end;

	while (a->taken < a->text.len && (end = memchr(a->text.p + a->taken, '\n', a->text.len - a->taken)) != NULL) {
		size_t len = (size_t)(end - a->text.p) - a->taken;

		take_act(a, view_of(span_of(a->text.p + a->taken, len)));
		a->taken += len + 1;
	}
}

static void
read_acts(struct acts *a, int fd)
{
	ssize_t n;

	while ((n = read(fd, buf_reserve(&a->text, 65536), 65536)) > 0 || (n < 0 && errno == EINTR)) {
		a->text.len += n > 0 ? (size_t)n : 0;
		take_lines(a);
	}
	term_progress_end();
}

static int
show_json(const struct acts *a)
{
	struct span rest = span_of(a->text.p, a->taken), line;
	struct buf json = { 0 };
	int code;

	json_put_object(&json, NULL);
	json_put_list(&json, "acts");
	while (span_line(&rest, &line)) {
		struct view act = view_of(line);

		if (act.kind == VIEW_OBJECT)
			json_put_raw(&json, NULL, act.raw);
	}
	json_end_list(&json);
	json_put_uint(&json, "refused", a->tally.refused);
	json_put_uint(&json, "notTried", a->tally.not_tried);
	json_put_uint(&json, "failed", a->tally.failed);
	json_end_object(&json);
	code = cli_json(buf_view(&json));
	buf_fini(&json);
	return code;
}

static int
show_processes(const struct acts *a)
{
	static const char *const headers[] = { "PROCESS", "REFUSED", "NOT TRIED", "FAILED", "", NULL };
	struct text_table *t = table_new(a->cli->arena, headers);

	for (size_t i = 0; policy_profiles[i].name != NULL; i++) {
		const struct sandbox_process *p = &a->processes[i];
		const size_t counts[] = { p->tally.refused, p->tally.not_tried, p->tally.failed };
		char number[24];

		table_row(t);
		table_cell(t, span_str(policy_profiles[i].name));
		for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
			snprintf(number, sizeof(number), "%zu", counts[j]);
			table_cell_number(t, span_str(number));
		}
		table_cell_faint(t,
		    span_str(tried(&p->tally) == 0 && hostile_role(&policy_profiles[i]) == IPC_NOBODY ?
			    "not tried here: `carrel dataset import` starts it, confined, for one file" :
			    tried(&p->tally) == 0 ? "not tried at all" :
			    p->stand_in != NULL   ? p->stand_in :
						    ""));
	}
	return cli_table(t);
}

/* The outcome of an act that was not tried, or NULL. */
static const char *
untried_because(const struct acts *a, struct span line)
{
	struct view act = view_of(line);

	return act.kind == VIEW_OBJECT &&
		strcmp(view_cstr(a->cli->arena, view_get(act, "result"), ""), "not tried") == 0 ?
	    view_cstr(a->cli->arena, view_get(act, "outcome"), "?") :
	    NULL;
}

/* A line for each reason why acts were not tried. */
static int
show_untried(const struct acts *a)
{
	struct span rest = span_of(a->text.p, a->taken), line, others;
	struct buf out = { 0 };
	int code;

	while (span_line(&rest, &line)) {
		const char *why = untried_because(a, line), *other;
		size_t before = 0, n = 0;

		others = span_of(a->text.p, a->taken);
		for (struct span each; why != NULL && span_line(&others, &each);)
			if ((other = untried_because(a, each)) != NULL && strcmp(other, why) == 0) {
				before += each.p < line.p;
				n++;
			}
		if (n > 0 && before == 0)
			buf_printf(&out, "%s%zu not tried: %s\n", out.len == 0 ? "\n" : "", n, why);
	}
	code = out.len > 0 ? cli_write(buf_view(&out)) : CLI_OK;
	buf_fini(&out);
	return code;
}

/* The acts that were not refused as required; with all, every act. */
static int
show_details(const struct acts *a, bool all)
{
	static const char *const headers[] = { "PROCESS", "ACT", "AT", "RESULT", "BECAUSE", NULL };
	struct span rest = span_of(a->text.p, a->taken), line;
	struct text_table *t = table_new(a->cli->arena, headers);
	struct arena *arena = a->cli->arena;

	while (span_line(&rest, &line)) {
		struct view act = view_of(line);
		const char *result = view_cstr(arena, view_get(act, "result"), "failed");
		const char *expected = view_cstr(arena, view_get(act, "expected"), NULL);
		bool failed = strcmp(result, "refused") != 0 && strcmp(result, "not tried") != 0;

		if (act.kind != VIEW_OBJECT || (!all && !failed))
			continue;
		table_row(t);
		table_cell(t, span_str(view_cstr(arena, view_get(act, "process"), "")));
		table_cell(t, span_str(view_cstr(arena, view_get(act, "what"), "")));
		table_cell(t, span_str(view_cstr(arena, view_get(act, "at"), "")));
		table_cell(t, span_str(failed ? "NOT REFUSED" : result));
		if (failed && expected != NULL)
			table_cellf(t, "%s, not %s", view_cstr(arena, view_get(act, "outcome"), "?"), expected);
		else
			table_cell(t, span_str(view_cstr(arena, view_get(act, "outcome"), "?")));
	}
	if (table_rows(t) == 0)
		return CLI_OK;
	return cli_print("\n") == CLI_OK ? cli_table(t) : CLI_FAILED;
}

static int
show_people(const struct acts *a)
{
	int code = show_processes(a);

	if (code == CLI_OK)
		code = show_details(a, cli_flag(a->cli, "verbose"));
	if (code == CLI_OK && !cli_flag(a->cli, "verbose"))
		code = show_untried(a);
	if (code == CLI_OK)
		code = cli_print("\n%s%zu refused, %zu not tried, %zu failed%s\n",
		    cli_colour(a->tally.failed == 0 ? TERM_GREEN : TERM_RED), a->tally.refused, a->tally.not_tried,
		    a->tally.failed, cli_colour(TERM_PLAIN));
	return code;
}

/* Reads carreld's output; returns its exit code, or -1 after a message. */
static int
run_carreld(struct acts *a)
{
	struct daemon_launch l = { .kind = LAUNCH_VERIFY };
	struct buf document = { 0 };
	struct config cfg = { 0 };
	struct err err;
	int ends[2], status = 0;
	pid_t pid;

	if (!cli_config(a->cli, false, &cfg) || (l.program = cli_program(a->cli, "carreld")) == NULL)
		return -1;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		cli_fail(CLI_FAILED, "cannot make a pipe: %s", strerror(errno));
		return -1;
	}
	launch_document(&cfg, NULL, &document);
	l.project_dir = cfg.project_dir;
	l.document = buf_view(&document);
	l.out_fd = ends[1];
	pid = launch_start(&l, NULL, &err);
	buf_wipe(&document);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		cli_fail(CLI_FAILED, "%s", err.message);
		return -1;
	}
	read_acts(a, ends[0]);
	close(ends[0]);
	status = process_wait(pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Which rows a caller sees is decided in the database, where nothing was tried. */
static void
note_identities(struct cli *cli)
{
	struct config cfg = { 0 };

	if (!cli_config(cli, false, &cfg))
		return;
	for (size_t i = 0; i < cfg.nconnections; i++)
		if (cfg.connections[i].identity.set)
			cli_note("%s applies row security by caller, which the database has to hold: `carrel "
				 "connection test %s` says what does not, `carrel audit-sql %s` tries statements",
			    cfg.connections[i].id, cfg.connections[i].id, cfg.connections[i].id);
}

int
cmd_sandbox_verify(struct cli *cli)
{
	struct acts a = { .cli = cli };
	int status = run_carreld(&a), code;

	if (status < 0)
		return CLI_FAILED;
	code = cli->json ? show_json(&a) : show_people(&a);
	buf_fini(&a.text);
	if (code != CLI_OK)
		return code;
	if (a.tally.refused + a.tally.failed == 0)
		return cli_fail(CLI_FAILED, "nothing could be tried; `carrel doctor` says what this machine lacks");
	if (a.tally.failed > 0 || status != 0)
		return cli_fail(CLI_FAILED,
		    "the sandbox does not hold on this machine; do not serve before "
		    "`carrel doctor` finds nothing");
	note_identities(cli);
	return CLI_OK;
}
