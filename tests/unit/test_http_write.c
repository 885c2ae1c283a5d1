// libs: carrel_front
/* test_http_write.c - heads against tests/golden/http-heads.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/wire/http_write.h"

#define GOLDEN	SOURCE_DIR "/tests/golden/http-heads.txt"

static const struct {
	const char *name;
	struct http_reply reply;
} rows[] = {
	{ "json", { .status = 200, .type = "application/json", .length = 17 } },
	{ "session", { .status = 200, .type = "application/json", .length = 5, .session = "abc" } },
	{ "chunked", { .status = 200, .type = "application/json", .body = HTTP_BODY_CHUNKED } },
	{ "events", { .status = 200, .type = "text/event-stream", .body = HTTP_BODY_CHUNKED, .stream = true } },
	{ "events to close", { .status = 200, .type = "text/event-stream", .body = HTTP_BODY_TO_CLOSE,
	  .stream = true, .close = true } },
	{ "accepted", { .status = 202 } },
	{ "health", { .status = 200, .type = "application/json", .length = 15, .no_store = true, .keep = true } },
	{ "secure", { .status = 200, .type = "application/json", .length = 5, .secure = true } },
	{ "no token", { .status = 401, .type = "application/json", .length = 1, .challenge = "Bearer" } },
	{ "scope", { .status = 403, .type = "application/json", .length = 1,
	  .challenge = "Bearer error=\"insufficient_scope\", scope=\"research:query\"" } },
	{ "verb", { .status = 405, .type = "application/json", .length = 1, .allow = "POST, DELETE" } },
	{ "busy", { .status = 503, .type = "application/json", .length = 1, .retry_after = 1, .close = true } },
	{ "rest", { .status = 429, .type = "application/json", .length = 1, .no_store = true, .retry_after = 7,
	  .receipt = "r-0f5a3c7e-2a", .quota = { .limit = 30, .remaining = 0, .reset_s = 42 } } },
	{ "preflight", { .status = 204, .body = HTTP_BODY_NONE, .preflight = true,
	  .cors_origin = { (const uint8_t *)"https://app.example", 19 } } },
};

static void
test_heads(void **state)
{
	struct buf out = { .max = 0 }, golden = { .max = 0 };
	struct http_date_line date = { 0 };
	char block[4096];
	size_t n;
	FILE *f = fopen(GOLDEN, "rb");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t begin;

		buf_printf(&out, "-- %s\n", rows[i].name);
		begin = out.len;
		http_put_head(&out, &rows[i].reply, &date, 784111777);
		assert_true(out.len - begin < HTTP_HEAD_ROOM);
		assert_memory_equal(out.p + out.len - 4, "\r\n\r\n", 4);
	}
	assert_non_null(f);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buf_append(&golden, block, n);
	fclose(f);
	/* The file has plain line ends, so that a diff of it can be read. */
	for (n = 0; n < out.len;)
		if (out.p[n] == '\r') {
			memmove(out.p + n, out.p + n + 1, out.len - n - 1);
			out.len--;
		} else
			n++;
	if (!span_is(buf_view(&out), buf_view(&golden))) {
		fwrite(out.p, 1, out.len, stderr);
		fail_msg("the heads differ from %s", GOLDEN);
	}
	buf_fini(&out);
	buf_fini(&golden);
}

static void
test_dates(void **state)
{
	static const struct {
		uint64_t unix_s;
		const char *text;
	} dates[] = {
		{ 0, "Thu, 01 Jan 1970 00:00:00 GMT" },
		{ 784111777, "Sun, 06 Nov 1994 08:49:37 GMT" },
		{ 951782400, "Tue, 29 Feb 2000 00:00:00 GMT" },
		{ 951868799, "Tue, 29 Feb 2000 23:59:59 GMT" },
		{ 1735689599, "Tue, 31 Dec 2024 23:59:59 GMT" },
		{ 4107542400, "Mon, 01 Mar 2100 00:00:00 GMT" },
	};
	char text[30];

	(void)state;
	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
		http_date(dates[i].unix_s, text);
		assert_string_equal(text, dates[i].text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
