// libs: carrel_import carrel_child carrel_policy carrel_base
/* test_pdf.c - what becomes of a PDF by what its reader says, and which files are given to it. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/harness.h"
#include "policy/profiles.h"
#include "workers/import/document_text.h"
#include "workers/import/pdf_read.h"
#include "workers/import/pdf_start.h"
#include "workers/shared/confine.h"

#define MOST	64

static uint32_t on_pages[MOST];
static size_t passages;

static int
keep(void *arg, struct span text, uint32_t page)
{
	(void)arg;
	assert_true(passages < MOST && text.len > 0);
	on_pages[passages++] = page;
	return 0;
}

/* A pipe from which text is read to its end. */
static int
pipe_of(const void *text, size_t len)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, len), (ssize_t)len);
	close(ends[1]);
	return ends[0];
}

static int
read_said(const char *text, const char *complaints, const int *status, uint32_t *pages, struct err *err)
{
	const struct pdf pdf = { pipe_of(text, strlen(text)), pipe_of(complaints, strlen(complaints)),
		pipe_of(status, status != NULL ? sizeof(*status) : 0) };
	struct chunker *c = chunker_new(keep, NULL);
	int result;

	passages = 0;
	*pages = 0;
	result = pdf_read(&pdf, c, pages, err);
	if (result == 0)
		assert_int_equal(chunker_end(c), 0);
	chunker_free(c);
	close(pdf.text);
	close(pdf.complaints);
	close(pdf.status);
	return result;
}

static void
passages_have_their_page(void **state)
{
	char text[32768] = "", *at = text;
	struct err err;
	uint32_t pages;

	(void)state;
	for (int page = 0; page < 5; page++) {
		for (int i = 0; page != 1 && i < 300; i++)
			at += sprintf(at, "Word %d on it.%s", page, i % 9 == 8 ? "\n" : " ");
		*at++ = '\f';
	}
	*at = '\0';
	assert_int_equal(read_said(text, "", &(int){ 0 }, &pages, &err), 0);
	assert_int_equal(pages, 5);
	assert_true(passages > 10);
	assert_int_equal(on_pages[0], 1);
	for (size_t i = 1; i < passages; i++)
		assert_true(on_pages[i] >= on_pages[i - 1] && on_pages[i] != 2);
	assert_int_equal(on_pages[passages - 1], 5);
	assert_int_equal(read_said("\f\f", "", &(int){ 0 }, &pages, &err), 0);
	assert_true(pages == 2 && passages == 0);
}

static void
ends_have_reasons(void **state)
{
	static const struct {
		const char *complaints;
		int status;
		const char *why;
	} ends[] = {
		{ "Command Line Error: Incorrect password\n", 1 << 8, "encrypted" },
		{ "Error: Copying of text from this document is not allowed.\n", 3 << 8, "allow to copy" },
		{ "Syntax Error: Couldn't read xref table\n", 1 << 8, "damaged" },
		{ "", 99 << 8, "damaged" },
		{ "Out of memory\n", 1 << 8, "1 GiB of memory" },
		{ "it cannot be run: Permission denied", 1 << 8, "Permission denied; see `carrel doctor`" },
		{ "terminate called after throwing an instance of 'std::bad_alloc'\n", SIGABRT, "1 GiB of memory" },
		{ "", SIGXCPU, "2 minutes of computing" },
		{ "", SIGALRM, "5 minutes" },
		{ "", SIGKILL, "more memory or computing" },
		{ "", SIGSYS, "not allowed to" },
		{ "", SIGSEGV, "signal 11" },
	};
	struct err err;
	uint32_t pages;

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		assert_int_equal(read_said("half of it\n", ends[i].complaints, &ends[i].status, &pages, &err), -1);
		if (strstr(err.message, ends[i].why) == NULL)
			fail_msg("end %zu: %s", i, err.message);
	}
	assert_int_equal(read_said("all of it\n\f", "", NULL, &pages, &err), -1);
	assert_non_null(strstr(err.message, "try again"));
	assert_int_equal(read_said("all of it\n\f", "Syntax Warning: something\n", &(int){ 0 }, &pages, &err), 0);
}

static void
texts_have_an_end(void **state)
{
	static char line[60000];
	struct chunker *c = chunker_new(keep, NULL);
	uint32_t pages = 0;
	struct err err;
	int fd;

	(void)state;
	passages = 0;
	memset(line, 'x', sizeof(line));
	fd = pipe_of(line, sizeof(line));
	assert_int_equal(document_read_pages(fd, sizeof(line) - 1, c, &pages, &err), -1);
	assert_non_null(strstr(err.message, "MiB of text"));
	close(fd);
	chunker_free(c);
}

static int
file_of(const char *text, size_t len)
{
	char path[] = "/tmp/carrel-pdf-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	return fd;
}

static void
files_are_known(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} files[] = {
		{ "%PDF-1.7\n", true },
		{ "\n %PDF-1.4", true },
		{ "\xef\xbb\xbf%PDF-2.0", true },
		{ "", false },
		{ "%PDF", false },
		{ "A text about %PDF-1.4", false },
		{ "\xef\xbb", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd = file_of(files[i].text, strlen(files[i].text));

		assert_int_equal(pdf_is(fd), files[i].is);
		close(fd);
	}
}

static void
what_cannot_be_read_is_told(void **state)
{
	int fd = file_of("%PDF-1.4", 8);
	struct pdf pdf;
	struct err err;

	(void)state;
	assert_int_equal(pdf_start(&pdf, "/nonexistent/pdftotext", fd, false, &err), -1);
	assert_non_null(strstr(err.message, "install the package poppler-utils"));
	assert_int_equal(pdf.text, -1);
	assert_int_equal(ftruncate(fd, PDF_FILE_MAX + 1), 0);
	assert_int_equal(pdf_start(&pdf, "/bin/true", fd, false, &err), -1);
	assert_non_null(strstr(err.message, "larger than 256 MiB"));
	close(fd);
}

/* Run in place of pdftotext: says that it has begun, and reads what never ends. */
static int
read_forever(void)
{
	char byte;

	return write(STDOUT_FILENO, "x", 1) == 1 && read(STDIN_FILENO, &byte, 1) < 0;
}

/* Start such a reader, confine as carrel-import does, and wait to be killed. */
__attribute__((noreturn)) static void
import_forever(const char *program, int input, int told)
{
	const struct confine_places places = { 0 };
	struct confine_report report;
	struct pdf pdf;
	struct err err;
	char byte;

	if (pdf_start(&pdf, program, input, false, &err) == 0 && read(pdf.text, &byte, 1) == 1 &&
	    confine_files(policy_profile("import"), &places, UINT64_C(1) << 32, false, 0, &report, &err) == 0)
		(void)!write(told, "x", 1);
	pause();
	_exit(1);
}

/* The kernel sends no signal out of a Landlock domain that keeps its signals, not even for a parent's death. */
static void
a_reader_ends_with_its_import(void **state)
{
	char self[512] = "", byte;
	int input[2], told[2];
	struct pollfd p;
	pid_t pid;

	(void)state;
#ifdef CARREL_SANITIZED
	skip(); /* what a sanitizer asks for is not in the list of pdftotext */
#endif
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	if ((pid = fork()) == 0)
		import_forever(self, input[0], told[1]);
	assert_true(pid > 0);
	close(input[0]);
	close(told[1]);
	p = (struct pollfd){ told[0], POLLIN, 0 };
	assert_int_equal(poll(&p, 1, 20000), 1);
	assert_int_equal(read(told[0], &byte, 1), 1);
	p = (struct pollfd){ input[1], 0, 0 };
	assert_int_equal(poll(&p, 1, 0), 0); /* it is read */
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(poll(&p, 1, 10000), 1); /* by none any more */
	close(input[1]);
	close(told[0]);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passages_have_their_page),
		cmocka_unit_test(ends_have_reasons),
		cmocka_unit_test(texts_have_an_end),
		cmocka_unit_test(files_are_known),
		cmocka_unit_test(what_cannot_be_read_is_told),
		cmocka_unit_test(a_reader_ends_with_its_import),
	};

	if (argc > 1 && strcmp(argv[1], "-enc") == 0)
		return read_forever();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
