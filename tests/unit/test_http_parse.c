// libs: carrel_front
/* test_http_parse.c - what is a request and what is refused, also byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/wire/http_parse.h"

#define HOST	"Host: localhost\r\n"
#define END	"\r\n"

/* What the head comes to: 0 or a status; -1 when it is not complete. */
static int
verdict(struct span bytes, struct http_request *q)
{
	struct http_scan scan = { 0, 0 };
	int n = http_scan_head(&scan, bytes);

	if (n == 0)
		return -1;
	if (n < 0)
		return -n;
	return http_parse_head(span_of(bytes.p, (size_t)n), q);
}

/* The same, growing by one byte at a time, each time in memory of exactly that size. */
static int
verdict_dripping(struct span bytes)
{
	struct http_scan scan = { 0, 0 };
	struct http_request q;

	for (size_t n = 1; n <= bytes.len; n++) {
		uint8_t *exact = malloc(n);
		int status;

		memcpy(exact, bytes.p, n);
		status = http_scan_head(&scan, span_of(exact, n));
		if (status > 0) {
			assert_int_equal(status, n);
			status = http_parse_head(span_of(exact, n), &q);
			free(exact);
			return status;
		}
		free(exact);
		if (status < 0)
			return -status;
	}
	return -1;
}

struct row {
	const char	*bytes;
	size_t		 len;
	int		 status;
};

#define ROW(status, text)	{ text, sizeof(text) - 1, status }

static const struct row rows[] = {
	ROW(0, "GET / HTTP/1.1\r\n" HOST END),
	ROW(0, "GET / HTTP/1.0\r\n" HOST END),
	ROW(0, "POST /mcp?a=b&c HTTP/1.1\r\nhost: [::1]:7878\r\n" END),
	ROW(0, "GET http://localhost/mcp HTTP/1.1\r\n" HOST END),
	ROW(0, "OPTIONS * HTTP/1.1\r\n" HOST END),
	ROW(0, "GET /a%20b HTTP/1.1\r\n" HOST END),
	ROW(0, "POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n" END),
	ROW(0, "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n" END),
	ROW(0, "POST / HTTP/1.1\r\n" HOST "transfer-encoding:   Chunked  \r\n" END),
	ROW(0, "GET / HTTP/1.1\r\n" HOST "X-Any: \t a b\xff \r\n" END),
	ROW(0, "GET / HTTP/1.1\r\n" HOST "X-Empty:\r\n" END),
	ROW(0, "BREW / HTTP/1.1\r\n" HOST END),
	ROW(-1, "GET / HTTP/1.1\r\n" HOST),
	ROW(-1, "GET / HTTP/1.1\r\n" HOST "\r"),
	ROW(-1, ""),
	/* line ends */
	ROW(400, "GET / HTTP/1.1\nHost: localhost\n\n"),
	ROW(400, "GET / HTTP/1.1\r\nHost: localhost\n\r\n"),
	ROW(400, "GET / HTTP/1.1\r\nHost: local\rhost\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\r\n" HOST END),
	/* request line */
	ROW(400, "GET  / HTTP/1.1\r\n" HOST END),
	ROW(400, "GET / HTTP/1.1 \r\n" HOST END),
	ROW(400, " GET / HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /\r\n" HOST END),
	ROW(400, "GET / http/1.1\r\n" HOST END),
	ROW(400, "GET / HTTP/11\r\n" HOST END),
	ROW(400, "G\x01T / HTTP/1.1\r\n" HOST END),
	ROW(400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
	ROW(505, "GET / HTTP/2.0\r\n" HOST END),
	ROW(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
	ROW(505, "GET / HTTP/1.2\r\n" HOST END),
	/* targets */
	ROW(400, "GET mcp HTTP/1.1\r\n" HOST END),
	ROW(400, "GET * HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /a%00b HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /api/v1/connections/%00admin HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /a%2 HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /a%zz HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /a\\b HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /a#b HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /a\x80 HTTP/1.1\r\n" HOST END),
	ROW(400, "GET /a\x00b HTTP/1.1\r\n" HOST END),
	ROW(400, "CONNECT localhost:80 HTTP/1.1\r\n" HOST END),
	ROW(400, "GET http://evil/mcp HTTP/1.1\r\n" HOST END),
	ROW(400, "GET https://localhost/mcp HTTP/1.1\r\n" HOST END),
	ROW(400, "GET http://localhost HTTP/1.1\r\n" HOST END),
	/* fields */
	ROW(400, "POST /mcp HTTP/1.1\r\nHost : localhost\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST " folded\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "\tfolded\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST ": no name\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "no colon\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "X: a\x00b\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "X: a\x7f\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "X@Y: a\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST HOST END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "hOST: other\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "Authorization: a\r\nAuthorization: b\r\n" END),
	ROW(400, "GET / HTTP/1.1\r\n" HOST "Origin: http://a\r\nOrigin: http://a\r\n" END),
	/* framing */
	ROW(400, "POST /mcp HTTP/1.1\r\n" HOST "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n" END),
	ROW(400, "POST /mcp HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\nContent-Length: 4\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 4, 4\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length: +4\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 0x4\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 4 4\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length:\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551616\r\n" END),
	ROW(400, "POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n" END),
	ROW(400, "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n" END),
	ROW(501, "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n" END),
	ROW(501, "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: identity\r\n" END),
	ROW(501, "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: xchunked\r\n" END),
	ROW(417, "POST / HTTP/1.1\r\n" HOST "Expect: 200-ok\r\n" END),
};

static void
test_table(void **state)
{
	struct http_request q;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct span bytes = span_of(rows[i].bytes, rows[i].len);

		if (verdict(bytes, &q) != rows[i].status || verdict_dripping(bytes) != rows[i].status)
			fail_msg("row %zu: %d and %d, not %d: %s", i, verdict(bytes, &q), verdict_dripping(bytes),
			    rows[i].status, rows[i].bytes);
	}
}

static void
parse(struct http_request *q, const char *text)
{
	assert_int_equal(verdict(span_str(text), q), 0);
}

static void
test_what_is_read(void **state)
{
	struct http_request q;

	(void)state;
	parse(&q,
	    "POST /mcp?x=%41 HTTP/1.1\r\nHost:localhost:7878\r\nORIGIN: http://a\r\n"
	    "Content-Type: application/json; charset=utf-8\r\nContent-Length: 17\r\n"
	    "Mcp-Session-Id:  abc \r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/call\r\n"
	    "mcp-name: =?base64?eA==?=\r\nLast-Event-ID: 9\r\nExpect: 100-Continue\r\n\r\n");
	assert_int_equal(q.method, HTTP_POST);
	assert_int_equal(q.framing, HTTP_LENGTH);
	assert_int_equal(q.length, 17);
	assert_true(span_is_str(q.path, "/mcp"));
	assert_true(span_is_str(q.query, "x=%41"));
	assert_true(span_is_str(q.field[HTTP_HOST], "localhost:7878"));
	assert_true(span_is_str(q.field[HTTP_ORIGIN], "http://a"));
	assert_true(span_is_str(q.field[HTTP_SESSION_ID], "abc"));
	assert_true(span_is_str(q.field[HTTP_PROTOCOL_VERSION], "2025-11-25"));
	assert_true(span_is_str(q.field[HTTP_MCP_METHOD], "tools/call"));
	assert_true(span_is_str(q.field[HTTP_MCP_NAME], "=?base64?eA==?="));
	assert_true(span_is_str(q.field[HTTP_LAST_EVENT_ID], "9"));
	assert_null(q.field[HTTP_AUTHORIZATION].p);
	assert_true(http_media_type_is(q.field[HTTP_CONTENT_TYPE], "application/json"));
	assert_true(q.expect_continue);
	assert_false(q.close);
	assert_true(q.accepts_json && !q.accepts_stream);
}

static void
test_connection_and_accept(void **state)
{
	struct http_request q;

	(void)state;
	parse(&q, "GET / HTTP/1.0\r\n" HOST "\r\n");
	assert_true(q.close);
	parse(&q, "GET / HTTP/1.0\r\n" HOST "Connection: Keep-Alive\r\n\r\n");
	assert_false(q.close);
	parse(&q, "GET / HTTP/1.1\r\n" HOST "Connection: upgrade, close\r\n\r\n");
	assert_true(q.close);
	parse(&q, "GET / HTTP/1.1\r\n" HOST "Accept: text/event-stream;q=1\r\n\r\n");
	assert_true(q.accepts_stream && !q.accepts_json);
	parse(&q, "GET / HTTP/1.1\r\n" HOST "Accept: application/json\r\nAccept: text/event-stream\r\n\r\n");
	assert_true(q.accepts_stream && q.accepts_json);
	parse(&q, "GET / HTTP/1.1\r\n" HOST "Accept: */*\r\n\r\n");
	assert_true(!q.accepts_stream && q.takes_stream && q.accepts_json);
	parse(&q, "GET / HTTP/1.1\r\n" HOST "Accept: text/*\r\n\r\n");
	assert_true(!q.accepts_stream && q.takes_stream && !q.accepts_json);
	parse(&q, "GET / HTTP/1.1\r\n" HOST "Accept: text/html\r\n\r\n");
	assert_true(!q.takes_stream);
	parse(&q, "GET / HTTP/1.1\r\n" HOST "\r\n");
	assert_true(q.takes_stream && q.accepts_json);
}

/* A head that never ends is refused at its limit, whatever it is made of. */
static void
test_limits(void **state)
{
	static uint8_t text[4 * HTTP_HEAD_MAX];
	struct http_scan scan = { 0, 0 };
	struct http_request q;
	size_t n;
	int status;

	(void)state;
	/* a flood of small fields */
	n = (size_t)sprintf((char *)text, "GET / HTTP/1.1\r\n" HOST);
	for (int i = 0; i < 2000; i++) {
		memcpy(text + n, "X-a: b\r\n", 8);
		n += 8;
	}
	status = http_scan_head(&scan, span_of(text, n));
	assert_int_equal(status, -431);
	/* exactly as many as are allowed */
	n = (size_t)sprintf((char *)text, "GET / HTTP/1.1\r\n" HOST);
	for (unsigned i = 1; i < HTTP_FIELDS_MAX; i++)
		n += (size_t)sprintf((char *)text + n, "X-a: b\r\n");
	n += (size_t)sprintf((char *)text + n, "\r\n");
	assert_int_equal(verdict(span_of(text, n), &q), 0);
	/* one long field */
	n = (size_t)sprintf((char *)text, "GET / HTTP/1.1\r\nX: ");
	memset(text + n, 'a', sizeof(text) - n);
	scan = (struct http_scan){ 0, 0 };
	assert_int_equal(http_scan_head(&scan, span_of(text, HTTP_HEAD_MAX - 1)), 0);
	assert_int_equal(http_scan_head(&scan, span_of(text, HTTP_HEAD_MAX)), -431);
	/* one long target, complete or not */
	memset(text, 'a', sizeof(text));
	memcpy(text, "GET /", 5);
	assert_int_equal(verdict(span_of(text, HTTP_HEAD_MAX), &q), 414);
	memcpy(text + HTTP_TARGET_MAX + 100, " HTTP/1.1\r\nHost: a\r\n\r\n", 22);
	assert_int_equal(verdict(span_of(text, HTTP_TARGET_MAX + 122), &q), 414);
}

/* --- chunks --------------------------------------------------------------------------- */

static int
unchunk(struct span in, size_t step, size_t max, struct buf *out, size_t *used)
{
	struct http_chunked c = { 0 };
	int status = 0;

	*used = 0;
	buf_reset(out, SIZE_MAX);
	for (size_t at = 0; at < in.len && status == 0;) {
		size_t n = in.len - at < step ? in.len - at : step, took;

		status = http_chunked_read(&c, span_of(in.p + at, n), &took, out, max);
		at += took;
		*used = at;
	}
	return status;
}

static const struct {
	const char *bytes;
	int status;
	const char *body;
} chunked[] = {
	{ "0\r\n\r\n", 1, "" },
	{ "3\r\nabc\r\n0\r\n\r\n", 1, "abc" },
	{ "3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n", 1, "abc0123456789" },
	{ "3;ext=\"x\"\r\nabc\r\n0;y\r\n\r\n", 1, "abc" },
	{ "0\r\nTrailer: a\r\nMore: b\r\n\r\n", 1, "" },
	{ "3\r\nabc\r\n", 0, "abc" },
	{ "3\nabc\r\n0\r\n\r\n", -400, NULL },
	{ "3\r\nabcd\r\n0\r\n\r\n", -400, NULL },
	{ "3\r\nabc\n0\r\n\r\n", -400, NULL },
	{ "\r\n", -400, NULL },
	{ "-1\r\n", -400, NULL },
	{ "0x3\r\nabc\r\n0\r\n\r\n", -400, NULL },
	{ "3 \r\nabc\r\n0\r\n\r\n", -400, NULL },
	{ "g\r\n", -400, NULL },
	{ "3;\x01\r\n", -400, NULL },
	{ "0\r\n folded\r\n\r\n", -400, NULL },
	{ "0\r\nA: \x01\r\n\r\n", -400, NULL },
	{ "ffffffff\r\n", -413, NULL },
	{ "000000000\r\n", -413, NULL },
	{ "41\r\n", -413, NULL },	/* one more than the 64 the test allows */
};

static void
test_chunked(void **state)
{
	struct buf out = { .max = 0 };
	size_t used;

	(void)state;
	for (size_t i = 0; i < sizeof(chunked) / sizeof(chunked[0]); i++)
		for (size_t step = 1; step < 40; step += 13) {
			int status = unchunk(span_str(chunked[i].bytes), step, 64, &out, &used);

			if (status != chunked[i].status)
				fail_msg("row %zu in steps of %zu: %d", i, step, status);
			if (chunked[i].body != NULL)
				assert_string_equal(buf_cstr(&out), chunked[i].body);
		}
	/* what follows the body is not touched */
	assert_int_equal(unchunk(span_str("1\r\na\r\n0\r\n\r\nGET /"), 99, 64, &out, &used), 1);
	assert_int_equal(used, 11);
	buf_fini(&out);
}

/* Endless size lines and endless trailers cost no memory and end. */
static void
test_chunked_floods(void **state)
{
	static uint8_t text[3 * HTTP_HEAD_MAX];
	struct buf out = { .max = 0 };
	size_t used;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[0] = '1';
	text[1] = ';';
	assert_int_equal(unchunk(span_of(text, sizeof(text)), 7, 64, &out, &used), -400);
	assert_true(used < 400);
	memcpy(text, "0\r\n", 3);
	assert_int_equal(unchunk(span_of(text, sizeof(text)), 7, 64, &out, &used), -431);
	assert_int_equal(out.cap, 0);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_what_is_read),
		cmocka_unit_test(test_connection_and_accept),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_chunked),
		cmocka_unit_test(test_chunked_floods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
