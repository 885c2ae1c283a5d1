#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/process.h"
#include "cli/datasets/importer.h"
#include "cli/show/term.h"
#include "cli/say.h"


/* Start words[0] with these descriptors; *says gets the other end of its standard output. */
static int
start_program(struct cli *cli, const char *const *words, int file, int rejects, pid_t *pid, int *says)
{
	const char *program = cli_program(cli, words[0]);
	char *none[] = { NULL };
	int pipes[2];

	if (program == NULL)
		return cli_fail(CLI_FAILED, "%s is missing next to carrel; install Carrel again", words[0]);
	if (pipe2(pipes, O_CLOEXEC) != 0 || (*pid = fork()) < 0)
		return cli_fail(CLI_FAILED, "no process could be started: %s", strerror(errno));
	if (*pid == 0) {
		/* Above the target numbers, so that no dup2() closes another one. */
		int in = fcntl(file, F_DUPFD, 10), out = fcntl(pipes[1], F_DUPFD, 10),
		    bad = fcntl(rejects, F_DUPFD, 10);

		/* The terminal is the owner's: what reads strangers' files sends it no codes. */
		if (isatty(STDERR_FILENO))
			dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
		if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(bad, 3) == 3 && close_range(4, ~0u, 0) == 0)
			execve(program, (char *const *)(uintptr_t)words, none);
		_exit(127);
	}
	close(pipes[1]);
	*says = pipes[0];
	return CLI_OK;
}

int
importer_start(struct cli *cli, struct importer *im, int file, int rejects, const char *const *words)
{
	int says, code = start_program(cli, words, file, rejects, &im->pid, &says);

	if (code == CLI_OK)
		im->says = fdopen(says, "r");
	return code;
}

int
importer_unpack(struct cli *cli, const struct config *cfg, int *file, pid_t *unpacker)
{
	const char *library = config_library(cfg, "duckdb");
	const char *const words[] = { "carrel-sql-duckdb", "parquet", library != NULL ? library : "-",
		cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT ? "best-effort" : "-", NULL };
	int rows, code, none = open("/dev/null", O_WRONLY | O_CLOEXEC);

	code = none < 0 ? cli_fail(CLI_FAILED, "/dev/null: %s", strerror(errno)) :
			  start_program(cli, words, *file, none, unpacker, &rows);
	if (none >= 0)
		close(none);
	if (code != CLI_OK)
		return code;
	close(*file);
	*file = rows;
	return CLI_OK;
}

const char *
importer_unpacked(pid_t unpacker)
{
	int status = unpacker > 0 ? process_wait(unpacker) : 0;

	if (!WIFSIGNALED(status) || WTERMSIG(status) == SIGPIPE)
		return NULL;
	return WTERMSIG(status) == SIGXCPU ?
	    "reading the Parquet file took too long" :
	    "the process that reads the Parquet file failed on it: the file is damaged, or needs too much memory";
}

/* The next line.  False if none, or it is longer than a report may be. */
static bool
read_line(struct importer *im, struct buf *line)
{
	int c;

	buf_reset(line, IMPORTER_SAYS_MAX);
	while ((c = getc_unlocked(im->says)) != EOF && c != '\n' && !line->full)
		buf_byte(line, (uint8_t)c);
	return !line->full && (c != EOF || line->len > 0);
}

void
importer_follow(struct importer *im, struct buf *report)
{
	struct buf line = BUF_MAX(IMPORTER_SAYS_MAX), message = { 0 };

	while (read_line(im, &line)) {
		struct view v = view_of(span_trim(buf_view(&line)));

		if (view_get(v, "permille").kind == VIEW_NONE) {
			buf_reset(report, IMPORTER_SAYS_MAX);
			buf_span(report, span_trim(buf_view(&line)));
			continue;
		}
		buf_reset(&message, IMPORTER_SAYS_MAX);
		view_text(view_get(v, "message"), &message);
		term_progress((double)view_uint(view_get(v, "permille"), 0) / 1000, buf_cstr(&message));
	}
	if (line.full)
		(void)kill(im->pid, SIGKILL);
	term_progress_end();
	buf_fini(&line);
	buf_fini(&message);
}

bool
importer_end(struct importer *im, struct view report, const char *name, struct buf *why)
{
	int status;

	fclose(im->says);
	status = process_wait(im->pid);
	im->killed = WIFSIGNALED(status);
	if (view_get(report, name).kind == VIEW_OBJECT)
		return true;
	view_text(view_get(report, "error.message"), why);
	if (why->len == 0 && im->killed)
		buf_printf(why, "the process that reads it was stopped by signal %d", WTERMSIG(status));
	else if (why->len == 0)
		buf_str(why, "the import process ended without a message");
	return false;
}
