#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workers/import/document_text.h"
#include "workers/import/pdf_read.h"

#define COMPLAINTS_MAX	4096

/* Read up to size - 1 bytes until the end, as a string. */
static void
read_string(int fd, char *text, size_t size)
{
	size_t have = 0;
	ssize_t n;

	while (have < size - 1 && (n = read(fd, text + have, size - 1 - have)) > 0)
		have += (size_t)n;
	text[have] = '\0';
}

static int
fail_stopped(int sig, struct err *err)
{
	static const struct {
		int sig;
		const char *why;
	} stops[] = {
		{ SIGALRM, "reading it took longer than 5 minutes" },
		{ SIGXCPU, "reading it took more than 2 minutes of computing" },
		{ SIGKILL, "reading it took more memory or computing than there is for it" },
		{ SIGSYS, "pdftotext tried what it is not allowed to, as if the file was made for that" },
		{ SIGABRT, "reading it takes more than 1 GiB of memory, or it is damaged" },
	};

	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		if (stops[i].sig == sig)
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s; save it as text", stops[i].why);
	return err_set(err, ERR_INVALID_ARGUMENTS, "pdftotext cannot read it (signal %d); save it as text", sig);
}

static int
fail_complaint(char *said, struct err *err)
{
	if (strstr(said, "Incorrect password") != NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "it is encrypted; save it without a password first");
	if (strstr(said, "not allowed") != NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "its author does not allow to copy text; save it as text");
	if (strstr(said, "Out of memory") != NULL || strstr(said, "bad_alloc") != NULL)
		return fail_stopped(SIGABRT, err);
	if (strncmp(said, "it cannot be ", 13) == 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "pdftotext, which reads it: %.900s; see `carrel doctor`",
		    said);
	return err_set(err, ERR_INVALID_ARGUMENTS, "it is no whole PDF: it is damaged, or cut off");
}

int
pdf_read(const struct pdf *pdf, struct chunker *c, uint32_t *pages, struct err *err)
{
	char said[COMPLAINTS_MAX];
	int status = 0;

	if (document_read_pages(pdf->text, PDF_TEXT_MAX, c, pages, err) != 0)
		return -1;
	/* pdftotext still writes; it ends with this process. */
	if (chunker_is_over(c))
		return 0;
	read_string(pdf->complaints, said, sizeof(said));
	if (read(pdf->status, &status, sizeof(status)) != (ssize_t)sizeof(status))
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "pdftotext, which reads it, could not be started; try again");
	if (WIFSIGNALED(status))
		return fail_stopped(WTERMSIG(status), err);
	return WEXITSTATUS(status) == 0 ? 0 : fail_complaint(said, err);
}
