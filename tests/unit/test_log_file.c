// libs: carrel_supervisor carrel_project carrel_ipc carrel_policy carrel_base
/* test_log_file.c - what children write into the log, and what they cannot write out of it (log_file.c). */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "supervisor/log/log_file.h"

struct home {
	char		dir[64];
	struct log_file	log;
	int		err;	/* our own stderr, which the log takes over */
};

static int
setup(void **state)
{
	struct home *h = calloc(1, sizeof(*h));

	snprintf(h->dir, sizeof(h->dir), "/tmp/carrel-log.XXXXXX");
	assert_non_null(mkdtemp(h->dir));
	h->err = dup(STDERR_FILENO);
	*state = h;
	return 0;
}

static int
teardown(void **state)
{
	struct home *h = *state;
	char command[128];

	log_file_close(&h->log);
	dup2(h->err, STDERR_FILENO);
	close(h->err);
	(void)umount(h->dir);
	snprintf(command, sizeof(command), "rm -rf %s", h->dir);
	assert_int_equal(system(command), 0);
	free(h);
	return 0;
}

static void
open_log(struct home *h)
{
	int fd = open(h->dir, O_RDONLY | O_DIRECTORY);

	log_file_open(&h->log, fd, false);
	close(fd);
	assert_true(h->log.fd >= 0);
}

/* A child that writes n lines of size bytes, and what its pipe holds taken in as it goes. */
static void
write_lines(struct home *h, struct log_lines *lines, const char *role, const char *line, unsigned n, bool final)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(write(ends[1], line, strlen(line)), strlen(line));
		assert_true(log_file_drain(&h->log, lines, ends[0], role, 7, false));
	}
	if (final)
		(void)log_file_drain(&h->log, lines, ends[0], role, 7, true);
	close(ends[0]);
	close(ends[1]);
}

static char *
kept(const struct home *h, const char *name, size_t *size)
{
	static char text[4 << 20];
	char path[128];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/logs/%s", h->dir, name);
	if ((f = fopen(path, "r")) != NULL) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	if (size != NULL)
		*size = n;
	return text;
}

#define LINE	"{\"at\":\"x\",\"level\":\"info\",\"role\":\"sql\",\"message\":\"0123456789012345678901234567890123456789\"}\n"

/* 100 MB of one child, over several lives: the lines of before and of another child stay. */
static void
test_nobody_writes_the_others_out(void **state)
{
	struct home *h = *state;
	struct log_lines loud = { .len = 0 }, quiet = { .len = 0 };
	struct stat st;
	char path[128];
	size_t size;

	open_log(h);
	write_lines(h, &quiet, "search", "{\"message\":\"first\"}\n", 1, false);
	for (unsigned life = 0; life < 10; life++) {
		write_lines(h, &loud, "sql", LINE, 10000, true);
		log_lines_end(&loud);
		log_file_tick(&h->log);
	}
	write_lines(h, &quiet, "search", "{\"message\":\"last\"}\n", 1, false);
	kept(h, "mcp.log", &size);
	assert_true(size < (size_t)LOG_ROOM + 65536);
	assert_non_null(strstr(kept(h, "mcp.log", NULL), "first"));
	assert_non_null(strstr(kept(h, "mcp.log", NULL), "last"));
	/* Each life says how much is missing. */
	assert_non_null(strstr(kept(h, "mcp.log", NULL), "lines dropped: this process writes more"));
	assert_non_null(strstr(strstr(kept(h, "mcp.log", NULL), "lines dropped") + 1, "lines dropped"));
	snprintf(path, sizeof(path), "%s/logs/mcp.log.1", h->dir);
	assert_int_equal(stat(path, &st), -1);
}

#define CALL	LOG_CALL_BEGIN "r-1-1\",\"tool\":\"sql_execution\",\"message\":\"012345678901234567890123456789\"}\n"

/* What fronts say of calls has a file of its own, which is turned over likewise; another process has no such right. */
static void
test_calls(void **state)
{
	struct home *h = *state;
	struct log_lines front = { .len = 0 }, other = { .len = 0 };
	unsigned many = (unsigned)(LOG_FILE_MAX / (off_t)strlen(CALL)) + 10;
	size_t size;

	open_log(h);
	write_lines(h, &front, "carrel-front", CALL, many, false);
	kept(h, "mcp.log", &size);
	assert_int_equal(size, 0);
	log_file_tick(&h->log);
	write_lines(h, &front, "carrel-front", CALL, 1, false);
	assert_string_equal(kept(h, "calls.log", NULL), CALL);
	kept(h, "calls.log.1", &size);
	assert_true(size > 1 << 20);
	write_lines(h, &other, "carrel-search", CALL, 1, false);
	assert_string_equal(kept(h, "calls.log", NULL), CALL);
	assert_string_equal(kept(h, "mcp.log", NULL), CALL);
	/* Only what is JSON. */
	write_lines(h, &front, "carrel-front", LOG_CALL_BEGIN "nonsense\n", 1, false);
	assert_string_equal(kept(h, "calls.log", NULL), CALL);
	assert_non_null(strstr(kept(h, "mcp.log", NULL), "nonsense"));
}

/* What is escaped takes six bytes of the file for one of the pipe: it is the file that counts. */
static void
test_room_is_that_of_the_file(void **state)
{
	struct home *h = *state;
	struct log_lines lines = { .len = 0 };
	char line[2000];
	size_t size;

	open_log(h);
	memset(line, 1, sizeof(line));
	line[sizeof(line) - 2] = '\n';
	line[sizeof(line) - 1] = '\0';
	write_lines(h, &lines, "sql", line, 1000, true);
	kept(h, "mcp.log", &size);
	assert_true(size < (size_t)LOG_ROOM + 65536);
}

/* The room comes back with time. */
static void
test_room_comes_back(void **state)
{
	struct home *h = *state;
	struct log_lines lines = { .len = 0 };

	open_log(h);
	write_lines(h, &lines, "sql", LINE, 5000, true);
	write_lines(h, &lines, "sql", "{\"message\":\"unheard\"}\n", 1, true);
	assert_null(strstr(kept(h, "mcp.log", NULL), "unheard"));
	lines.used_ns -= 3600 * UINT64_C(1000000000);
	write_lines(h, &lines, "sql", "{\"message\":\"heard\"}\n", 1, true);
	assert_non_null(strstr(kept(h, "mcp.log", NULL), "heard"));
}

/* A full disk loses whole lines, and the log says how many once there is room. */
static void
test_full_disk(void **state)
{
	struct home *h = *state;
	struct log_lines lines = { .len = 0 };
	char path[128], *text, *end;
	char filler[4096] = { 0 };
	int fd;

	if (mount("none", h->dir, "tmpfs", 0, "size=64k") != 0) {
		print_message("not tried: no tmpfs can be mounted here\n");
		skip();
	}
	open_log(h);
	snprintf(path, sizeof(path), "%s/filler", h->dir);
	assert_true((fd = open(path, O_WRONLY | O_CREAT, 0600)) >= 0);
	while (write(fd, filler, sizeof(filler)) == sizeof(filler))
		;
	close(fd);
	write_lines(h, &lines, "sql", LINE, 100, false);
	assert_true(h->log.lost > 0);
	assert_int_equal(unlink(path), 0);
	log_file_tick(&h->log);
	write_lines(h, &lines, "sql", "{\"message\":\"after\"}\n", 1, true);
	text = kept(h, "mcp.log", NULL);
	assert_non_null(strstr(text, "found no room on the disk"));
	assert_non_null(strstr(text, "\n{\"message\":\"after\"}\n"));
	assert_int_equal(h->log.lost, 0);
	/* Every line but a torn one is whole. */
	for (unsigned torn = 0; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		torn += end == text || text[0] != '{' || end[-1] != '}';
		assert_true(torn <= 1);
	}
}

/* Under systemd: the journal's lines bear their priority, those of the file do not. */
static void
test_journal(void **state)
{
	struct home *h = *state;
	struct log_lines lines = { .len = 0 };
	char path[128], stream[64], text[16384];
	struct stat st;
	ssize_t n;
	int fd, dir;

	snprintf(path, sizeof(path), "%s/journal", h->dir);
	assert_true((fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0600)) >= 0);
	dup2(fd, STDERR_FILENO);
	assert_int_equal(fstat(fd, &st), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	for (int given = 1; given >= 0; given--) {
		setenv("JOURNAL_STREAM", given ? stream : "1:1", 1);
		assert_true((dir = open(h->dir, O_RDONLY | O_DIRECTORY)) >= 0);
		log_file_open(&h->log, dir, true);
		close(dir);
		write_lines(h, &lines, "sql", "{\"at\":\"x\",\"level\":\"error\",\"message\":\"bad\"}\n", 1, true);
		write_lines(h, &lines, "sql", "no JSON\n", 1, true);
		write_lines(h, &lines, "carrel-front", LOG_CALL_BEGIN "r\",\"level\":\"info\"}\n", 1, true);
		log_error("our own");
		n = pread(fd, text, sizeof(text) - 1, 0);
		assert_true(n > 0);
		text[n] = '\0';
		assert_int_equal(strstr(text, "<3>{\"at\":\"x\",\"level\":\"error\"") != NULL, given);
		assert_int_equal(strstr(text, "<4>{\"at\"") != NULL, given);
		assert_int_equal(strstr(text, "<6>" LOG_CALL_BEGIN) != NULL, given);
		assert_int_equal(strstr(text, "<3>{\"at\":\"2") != NULL, given);
		assert_non_null(strstr(text, "our own"));
		assert_null(strchr(kept(h, "mcp.log", NULL), '<'));
		log_file_close(&h->log);
		assert_int_equal(ftruncate(fd, 0), 0);
	}
	unsetenv("JOURNAL_STREAM");
	close(fd);
}

/* The value of the field name in a datagram for the journal; empty: it has none. */
static struct span
field_of(struct span entry, const char *name)
{
	size_t len = strlen(name), n;

	while (entry.len > 0) {
		const uint8_t *end = memchr(entry.p, '\n', entry.len),
			      *is = memchr(entry.p, '=', (size_t)(end - entry.p));
		struct span key = span_of(entry.p, (size_t)((is != NULL ? is : end) - entry.p)), value;

		if (is != NULL)
			value = span_of(is + 1, (size_t)(end - is) - 1);
		else {
			n = 0;
			for (unsigned i = 0; i < 8; i++)
				n |= (size_t)end[1 + i] << (8 * i);
			value = span_of(end + 9, n);
		}
		if (key.len == len && memcmp(key.p, name, len) == 0)
			return value;
		assert_int_equal(value.p[value.len], '\n');
		n = (size_t)(value.p + value.len + 1 - entry.p);
		entry = span_of(entry.p + n, entry.len - n);
	}
	return span_of(NULL, 0);
}

static void
expect_field(struct span entry, const char *name, const char *value)
{
	struct span is = field_of(entry, name);

	assert_int_equal(is.len, strlen(value));
	assert_memory_equal(is.p, value, is.len);
}

static struct span
next_entry(int fd, char bytes[16384])
{
	ssize_t n = recv(fd, bytes, 16384, MSG_DONTWAIT);

	assert_true(n > 0);
	assert_int_equal(bytes[n - 1], '\n');
	return span_of(bytes, (size_t)n);
}

/* What the journal takes as entries has fields, and is not in its stream as well. */
static void
test_journal_fields(void **state)
{
	struct home *h = *state;
	struct log_lines lines = { .len = 0 };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	char bytes[16384], stream[64], path[128];
	struct span entry;
	struct stat st;
	int fd, dir, journal;

	snprintf(path, sizeof(path), "%s/stream", h->dir);
	assert_true((fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0600)) >= 0);
	dup2(fd, STDERR_FILENO);
	assert_int_equal(fstat(fd, &st), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_true((dir = open(h->dir, O_RDONLY | O_DIRECTORY)) >= 0);
	log_file_open(&h->log, dir, true);
	close(dir);
	snprintf(name.sun_path, sizeof(name.sun_path), "%s/socket", h->dir);
	log_file_journal(&h->log, name.sun_path);
	assert_int_equal(h->log.entries.fd, -1); /* nobody listens */
	assert_true((journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) >= 0);
	assert_int_equal(bind(journal, (struct sockaddr *)&name, sizeof(name)), 0);
	log_file_journal(&h->log, name.sun_path);
	assert_true(h->log.entries.fd >= 0);

	write_lines(h, &lines, "carrel-front",
	    LOG_CALL_BEGIN
	    "r-1\",\"level\":\"info\",\"role\":\"carrel-front\",\"trace_id\":\"4bf9\",\"principal\":\"token:abc\","
	    "\"duration_ms\":12,\"message\":\"sql_execution: ok\"}\n",
	    1, true);
	entry = next_entry(journal, bytes);
	expect_field(entry, "CARREL_REQUEST_ID", "r-1");
	expect_field(entry, "CARREL_TRACE_ID", "4bf9");
	expect_field(entry, "CARREL_PRINCIPAL", "token:abc");
	expect_field(entry, "CARREL_DURATION_MS", "12");
	expect_field(entry, "SYSLOG_IDENTIFIER", "carrel-front");
	expect_field(entry, "PRIORITY", "6");
	expect_field(entry, "MESSAGE", "sql_execution: ok");

	/* A child cannot name fields of its own choice, nor end one early. */
	write_lines(h, &lines, "sql",
	    "{\"level\":\"error\",\"message\":\"a\\nPRIORITY=0\",\"a=b\\nX\":\"y\",\"_PID\":\"1\",\"deep\":{\"a\":1},"
	    "\"yes\":true}\n",
	    1, true);
	entry = next_entry(journal, bytes);
	expect_field(entry, "MESSAGE", "a\nPRIORITY=0");
	expect_field(entry, "PRIORITY", "3");
	expect_field(entry, "CARREL_YES", "true");
	assert_null(field_of(entry, "X").p);
	assert_null(field_of(entry, "_PID").p);
	assert_null(field_of(entry, "CARREL_DEEP").p);

	log_error("our own");
	entry = next_entry(journal, bytes);
	expect_field(entry, "MESSAGE", "our own");
	expect_field(entry, "PRIORITY", "3");
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_non_null(strstr(kept(h, "mcp.log", NULL), "our own"));

	/* A journal that is not there any more: its stream has the lines. */
	close(journal);
	log_error("still said");
	write_lines(h, &lines, "sql", "{\"level\":\"warn\",\"message\":\"and this\"}\n", 1, true);
	assert_true(pread(fd, bytes, sizeof(bytes) - 1, 0) > 0);
	assert_int_equal(memcmp(bytes, "<3>{", 4), 0);
	bytes[sizeof(bytes) - 1] = '\0';
	assert_non_null(strstr(bytes, "<4>{\"level\":\"warn\",\"message\":\"and this\"}"));
	log_file_close(&h->log);
	unsetenv("JOURNAL_STREAM");
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nobody_writes_the_others_out, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_is_that_of_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_journal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_journal_fields, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
