/* importer.c - see importer.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/datasets/importer.h"
#include "cli/show/term.h"
#include "cli/say.h"

#define REPORT_MAX	((size_t)16 << 20)

int
importer_start(struct cli *cli, struct importer *im, int file, int rejects, const char *const *words)
{
	const char *program = cli_program(cli, "carrel-import");
	char *none[] = { NULL };
	int pipes[2];

	if (program == NULL)
		return cli_fail(CLI_FAILED, "carrel-import is missing next to carrel; install Carrel again");
	if (pipe2(pipes, O_CLOEXEC) != 0 || (im->pid = fork()) < 0)
		return cli_fail(CLI_FAILED, "no process could be started: %s", strerror(errno));
	if (im->pid == 0) {
		/* Above the target numbers, so that no dup2() closes another one. */
		int in = fcntl(file, F_DUPFD, 10), out = fcntl(pipes[1], F_DUPFD, 10),
		    bad = fcntl(rejects, F_DUPFD, 10);

		if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(bad, 3) == 3 && close_range(4, ~0u, 0) == 0)
			execve(program, (char *const *)(uintptr_t)words, none);
		_exit(127);
	}
	close(pipes[1]);
	im->says = fdopen(pipes[0], "r");
	return CLI_OK;
}

void
importer_follow(struct cli *cli, struct importer *im, struct buf *report)
{
	struct view v;
	ssize_t n;

	while ((n = getline(&im->line, &im->cap, im->says)) > 0) {
		v = view_of(span_trim(span_of(im->line, (size_t)n)));
		if (view_get(v, "permille").kind == VIEW_NONE) {
			buf_reset(report, REPORT_MAX);
			buf_span(report, span_trim(span_of(im->line, (size_t)n)));
		} else
			term_progress((double)view_uint(view_get(v, "permille"), 0) / 1000,
			    view_cstr(cli->arena, view_get(v, "message"), ""));
	}
	term_progress_end();
}

bool
importer_end(struct importer *im, struct view report, const char *name, struct buf *why)
{
	int status = 0;

	fclose(im->says);
	free(im->line);
	while (waitpid(im->pid, &status, 0) < 0 && errno == EINTR)
		;
	im->killed = WIFSIGNALED(status);
	if (view_get(report, name).kind == VIEW_OBJECT)
		return true;
	view_text(view_get(report, "error.message"), why);
	if (why->len == 0 && im->killed)
		buf_printf(why, "the process that reads it was stopped by signal %d", WTERMSIG(status));
	else if (why->len == 0)
		buf_str(why, "the process that reads it ended without a word");
	return false;
}
