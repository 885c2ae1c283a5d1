/* cmd_sandbox.c - carrel sandbox verify: carreld tries, this shows. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/term.h"
#include "cli/view.h"

static void
read_all(int fd, struct buf *out)
{
	ssize_t n;

	while ((n = read(fd, buf_reserve(out, 65536), 65536)) > 0 || (n < 0 && errno == EINTR))
		out->len += n > 0 ? (size_t)n : 0;
}

struct tally {
	size_t	tried, refused;
};

/* Each line is {"process","act","what","expected","outcome","ok"}. */
static void
take_act(struct cli *cli, struct view act, struct table *t, struct tally *tally)
{
	bool ok = view_true(view_get(act, "ok"));

	tally->tried++;
	tally->refused += ok;
	table_row(t);
	table_cell(t, span_str(view_cstr(cli->arena, view_get(act, "process"), "")));
	table_cell(t, span_str(view_cstr(cli->arena, view_get(act, "what"), "")));
	table_cellf(t, "%s%s", ok ? "refused: " : "NOT REFUSED: ",
	    view_cstr(cli->arena, view_get(act, "outcome"), "?"));
}

static int
show_acts(struct cli *cli, struct span text, struct tally *tally)
{
	static const char *const headers[] = { "PROCESS", "ACT", "OUTCOME", NULL };
	struct table *t = table_new(cli->arena, headers);
	struct buf json = { 0 };
	struct span line;
	int code;

	while (span_line(&text, &line)) {
		struct view act = view_of(line);

		if (act.kind != VIEW_OBJECT)
			continue;
		buf_str(&json, json.len == 0 ? "{\"acts\":[" : ",");
		buf_span(&json, act.raw);
		take_act(cli, act, t, tally);
	}
	buf_printf(&json, "%s],\"refused\":%zu,\"tried\":%zu}", json.len == 0 ? "{\"acts\":[" : "",
	    tally->refused, tally->tried);
	if (cli->json)
		code = cli_json(buf_view(&json));
	else if ((code = cli_table(t)) == CLI_OK)
		code = cli_print("\n%s%zu of %zu forbidden acts were refused.%s\n",
		    cli_colour(tally->refused == tally->tried ? TERM_GREEN : TERM_RED),
		    tally->refused, tally->tried, cli_colour(TERM_PLAIN));
	buf_fini(&json);
	return code;
}

int
cmd_sandbox_verify(struct cli *cli)
{
	struct launch l = { .kind = LAUNCH_VERIFY };
	struct buf document = { 0 }, output = { 0 };
	struct tally tally = { 0 };
	struct config cfg = { 0 };
	struct err err;
	int ends[2], status = 0, code;
	pid_t pid;

	if (!cli_config(cli, false, &cfg) || (l.program = cli_program(cli, "carreld")) == NULL)
		return CLI_FAILED;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return cli_fail(CLI_FAILED, "cannot make a pipe: %s", strerror(errno));
	launch_document(&cfg, NULL, &document);
	l.project_dir = cfg.project_dir;
	l.document = buf_view(&document);
	l.out_fd = ends[1];
	pid = launch_start(&l, NULL, &err);
	buf_wipe(&document);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return cli_fail(CLI_FAILED, "%s", err.message);
	}
	read_all(ends[0], &output);
	close(ends[0]);
	waitpid(pid, &status, 0);
	code = show_acts(cli, buf_view(&output), &tally);
	buf_fini(&output);
	if (code != CLI_OK)
		return code;
	if (tally.tried == 0)
		return cli_fail(CLI_FAILED, "nothing could be tried; `carrel doctor` says what this machine lacks");
	if (tally.refused != tally.tried || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return cli_fail(CLI_FAILED, "the sandbox does not hold on this machine; do not serve before "
		    "`carrel doctor` finds nothing");
	return CLI_OK;
}
