// libs: carrel_base
/* test_log.c - each line one JSON object, never longer than promised. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/system/log.h"
#include "tests/unit/harness.h"

static int out[2], saved;

static int
capture(void **state)
{
	(void)state;
	saved = dup(STDERR_FILENO);
	return saved == -1 || pipe(out) == -1 || dup2(out[1], STDERR_FILENO) == -1 ? -1 : 0;
}

static int
release(void **state)
{
	(void)state;
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(out[0]);
	close(out[1]);
	return 0;
}

/* What was written since the last call; it fits a pipe. */
static struct span
written(void)
{
	static char bytes[4 * LOG_LINE_MAX];
	ssize_t n;

	assert_int_equal(write(out[1], "", 1), 1); /* so that read() does not wait */
	n = read(out[0], bytes, sizeof(bytes));
	assert_true(n > 0);
	return span_of(bytes, (size_t)n - 1);
}

/* The one line as a value; the buffer owns it. */
static struct mp_value
line(struct buf *b)
{
	struct span s = written();
	struct mp_value v = { .class = MP_NIL };
	size_t at;

	assert_true(s.len > 0 && s.len <= LOG_LINE_MAX);
	assert_int_equal(s.p[s.len - 1], '\n');
	/* whatever it says, a terminal that shows it obeys nothing */
	assert_null(memchr(s.p, 0x7f, s.len));
	assert_null(memmem(s.p, s.len, "\xc2\x9b", 2));
	assert_null(memmem(s.p, s.len, "\xe2\x80\xae", 3));
	assert_null(memmem(s.p, s.len, "\xf3\xa0\x81\x81", 4));
	b->len = 0;
	assert_int_equal(json_read(span_of(s.p, s.len - 1), b, &at), JSON_OK);
	assert_true(mp_value(buf_view(b), &v));
	return v;
}

static void
fields(void **state)
{
	struct buf b = BUF_MAX(0);
	struct mp_value v;

	(void)state;
	log_init("front");
	log_request(span_str(NULL));
	log_warn("worker %d is \"gone\"\n\t\x01\\", 7);
	v = line(&b);
	assert_int_equal(v.n, 5);
	assert_int_equal(mp_get_str(&v, "at", SPAN("")).len, 24);
	assert_true(span_is_str(mp_get_str(&v, "level", SPAN("")), "warn"));
	assert_true(span_is_str(mp_get_str(&v, "role", SPAN("")), "front"));
	assert_int_equal(mp_get_uint(&v, "pid", 0), getpid());
	assert_true(span_is_str(mp_get_str(&v, "message", SPAN("")), "worker 7 is \"gone\"\n\t\x01\\"));

	log_request(SPAN("r-1\"x"));
	log_error("%s", "");
	v = line(&b);
	assert_true(span_is_str(mp_get_str(&v, "request_id", SPAN("")), "r-1\"x"));
	assert_true(span_is_str(mp_get_str(&v, "message", SPAN("?")), ""));
	assert_int_equal(v.n, 6);
	log_trace(SPAN("4bf92f3577b34da6a3ce929d0e0e4736"));
	log_error("traced");
	v = line(&b);
	assert_true(span_is_str(mp_get_str(&v, "trace_id", SPAN("")), "4bf92f3577b34da6a3ce929d0e0e4736"));
	log_request(span_str(NULL));
	log_error("no more");
	v = line(&b);
	assert_int_equal(v.n, 5);
	buf_fini(&b);
}

static void
threshold(void **state)
{
	struct buf b = BUF_MAX(0);
	struct mp_value v;

	(void)state;
	log_debug("not written");
	assert_int_equal(written().len, 0);
	log_threshold(LOG_DEBUG);
	log_debug("written");
	v = line(&b);
	assert_true(span_is_str(mp_get_str(&v, "level", SPAN("")), "debug"));
	log_threshold(LOG_ERROR);
	log_warn("not written");
	assert_int_equal(written().len, 0);
	log_threshold(LOG_INFO);
	buf_fini(&b);
}

/* Long, escaped and broken text: still one line of valid JSON. */
static void
long_lines(void **state)
{
	static const char *const pieces[] = { "x", "\"", "\x01", "\xe2\x82\xac", "\xf0\x9f\x93\x96", "\xff", "\xe2\x82", "\x7f", "\xc2\x9b",
		"\xe2\x80\xae", "\xf3\xa0\x81\x81" };
	struct buf b = BUF_MAX(0), text = BUF_MAX(0);

	(void)state;
	for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++)
		for (size_t shift = 0; shift < 6; shift++) {
			struct mp_value v;

			text.len = 0;
			buf_append(&text, "abcdef", shift);
			while (text.len < 6000)
				buf_str(&text, pieces[p]);
			log_info("%s", buf_cstr(&text));
			v = line(&b);
			assert_true(mp_get_str(&v, "message", SPAN("")).len > 300);
		}
	buf_fini(&b);
	buf_fini(&text);
}

static size_t
count_of(struct span s, const char *text)
{
	size_t n = 0, len = strlen(text);

	for (size_t i = 0; i + len <= s.len; i++)
		n += memcmp(s.p + i, text, len) == 0;
	return n;
}

/* More than one write() takes: each line whole, and all of them. */
static void
lines_of_calls(void **state)
{
	struct span s;

	(void)state;
	for (int i = 0; i < 60; i++)
		log_call("r-1", "", "\"message\":\"a call\"");
	assert_int_equal(written().len, 0);
	log_flush();
	s = written();
	assert_true(s.len > PIPE_BUF);
	assert_int_equal(count_of(s, LOG_CALL_BEGIN), 60);
	assert_int_equal(count_of(s, "\"message\":\"a call\"}\n"), 60);
	assert_int_equal(s.p[s.len - 1], '\n');
}

/* Nobody reads: lines of calls are left out without waiting, and their number is told when there is room. */
static void
lines_of_calls_without_room(void **state)
{
	static const char fill[PIPE_BUF];
	static char drain[1 << 20];
	struct span s;

	(void)state;
	assert_int_equal(fcntl(out[1], F_SETFL, O_NONBLOCK), 0);
	while (write(out[1], fill, sizeof(fill)) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(fcntl(out[1], F_SETFL, 0), 0);
	alarm(10); /* one that waits ends the test */
	for (int i = 0; i < 1000; i++)
		log_call("r-1", "", "\"message\":\"a call\"");
	log_flush();
	log_flush();
	alarm(0);
	assert_int_equal(fcntl(out[0], F_SETFL, O_NONBLOCK), 0);
	while (read(out[0], drain, sizeof(drain)) > 0)
		;

	log_call("r-2", "", "\"message\":\"a call\"");
	log_flush();
	s = written();
	assert_int_equal(count_of(s, "\"message\":\"a call\"}\n"), 1);
	assert_int_equal(count_of(s, "\"message\":\"1000 lines of calls were left out"), 1);
	log_flush();
	assert_int_equal(written().len, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fields, capture, release),
		cmocka_unit_test_setup_teardown(threshold, capture, release),
		cmocka_unit_test_setup_teardown(long_lines, capture, release),
		cmocka_unit_test_setup_teardown(lines_of_calls, capture, release),
		cmocka_unit_test_setup_teardown(lines_of_calls_without_room, capture, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
