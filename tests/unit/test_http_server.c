// libs: carrel_front_rig
/* test_http_server.c - hostile and unusual HTTP against the whole program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/front_auth.h"
#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

static struct rig *r;

static int
begin(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .allowed_origin = "https://app.example" });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SEARCH, "");
	rig_worker(r, IPC_MEMORY, "");
	rig_worker(r, IPC_AGENT, "");
	auth_start(r);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	rig_stop(r);
	return 0;
}

#define PING	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{" \
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}}}"
#define PING_LEN	"175"
_Static_assert(sizeof(PING) - 1 == 175, "what PING_LEN says");
#define FIELDS	"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n" \
	"Content-Type: application/json\r\n"
#define GOOD	"POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Content-Length: " PING_LEN "\r\n\r\n" PING

/* One raw request on a connection of its own: the status, and whether the connection ended. */
static const struct {
	const char *bytes;
	int status;
	bool closes;
} raw[] = {
	{ GOOD, 200, false },
	{ "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, false },
	{ "\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, false },
	{ "GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n", 200, true },
	{ "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200, true },
	{ "GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, false },	/* "other" has no worker: its own affair */
	{ "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, false },
	{ "GET /mcp/../health HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, false },
	{ "PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, false },
	{ "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, false },
	{ "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", 405, false },
	/* Host and Origin come before the credential and the body */
	{ "POST /mcp HTTP/1.1\r\nHost: rebind.attacker.test:7878\r\nOrigin: http://rebind.attacker.test:7878\r\n"
	  "Authorization: Bearer x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{]", 403, false },
	{ "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:7878\r\nOrigin: https://evil.example\r\n"
	  "Content-Length: 0\r\n\r\n", 403, false },
	{ "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, false },
	{ "GET /health HTTP/1.1\r\n\r\n", 400, true },
	{ "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n", 400, false },
	/* a wrong credential never falls back to the open loopback */
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess\r\n" FIELDS
	  "Content-Length: " PING_LEN "\r\n\r\n" PING, 401, false },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic eDp5\r\n" FIELDS
	  "Content-Length: " PING_LEN "\r\n\r\n" PING, 401, false },
	/* bodies */
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415, false },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 415, false },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
	  "Content-Length: 2\r\n\r\n{}",
	    415, false },
	{ "POST /mcp/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	  "Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n[]",
	    400, false },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Content-Length: 0\r\n\r\n", 400, false },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "\r\n", 400, false },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Content-Length: 1\r\n\r\n[", 400, false },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Content-Length: 17825792\r\n\r\n   ", 413, true },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Content-Length: 4194305\r\nExpect: 100-continue\r\n\r\n",
	  413, true },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, true },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Transfer-Encoding: chunked\r\n\r\n400001\r\n", 413, true },
	/* smuggling */
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
	  "0\r\n\r\nGET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, true },
	{ "POST /mcp HTTP/1.1\r\nHost : localhost\r\n\r\n", 400, true },
	{ "GET /api/v1/connections/%00admin HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, true },
	{ "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501, true },
	{ "GET / HTTP/3.0\r\n\r\n", 505, true },
	{ "\x16\x03\x01 hello", 400, true },
};

static void
test_raw(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]); i++) {
		int fd = rig_connect(r);
		struct reply a;

		rig_send(fd, raw[i].bytes);
		a = rig_read(fd);
		if (a.status != raw[i].status)
			fail_msg("row %zu: %d, not %d: %s", i, a.status, raw[i].status, a.body);
		if (raw[i].closes) {
			if (strstr(a.head, "Connection: close") == NULL || !rig_closed(fd))
				fail_msg("row %zu stays open", i);
		} else {
			rig_send(fd, GOOD);
			a = rig_read(fd);
			if (a.status != 200)
				fail_msg("row %zu: then %d %s", i, a.status, a.body);
		}
		close(fd);
	}
}

static void
test_byte_by_byte(void **state)
{
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	for (const char *p = GOOD; *p != '\0'; p++)
		rig_send_n(fd, p, 1);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	close(fd);
}

static void
test_chunked_body(void **state)
{
	int fd = rig_connect(r);
	struct buf b = { .max = 0 };
	struct reply a;

	(void)state;
	for (size_t step = 1; step <= 179; step += 89) {
		buf_reset(&b, SIZE_MAX);
		buf_str(&b, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Transfer-Encoding: chunked\r\n\r\n");
		for (size_t at = 0; at < strlen(PING); at += step)
			buf_printf(&b, "%zx\r\n%.*s\r\n", strlen(PING) - at < step ? strlen(PING) - at : step,
			    (int)step, &PING[at]);
		buf_str(&b, "0\r\n\r\n");
		rig_send_n(fd, b.p, b.len);
		a = rig_read(fd);
		assert_int_equal(a.status, 200);
	}
	buf_fini(&b);
	close(fd);
}

static void
test_pipelining(void **state)
{
	int fd = rig_connect(r);
	struct buf b = { .max = 0 };
	struct reply a;

	(void)state;
	/* a slow call, then others behind it, in one write: answered in order */
	buf_str(&b, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
	for (int i = 0; i < 20; i++)
		buf_str(&b, GOOD);
	buf_str(&b, "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
	rig_send_n(fd, b.p, b.len);
	a = rig_read(fd);
	assert_non_null(strstr(a.body, "projectDir"));
	for (int i = 0; i < 20; i++) {
		a = rig_read(fd);
		assert_non_null(strstr(a.body, "supportedVersions"));
	}
	a = rig_read(fd);
	assert_int_equal(a.status, 404);
	buf_fini(&b);
	close(fd);
}

/* Behind a call that is still running only so much is kept. */
static void
test_too_far_ahead(void **state)
{
	static const char slow[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
	    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{}},\"name\":\"sql_execution\",\"arguments\":"
	    "{\"connectionId\":\"warehouse\",\"sql\":\"wait\"}}}";
	int fd = rig_connect(r), cancels = fake_shared->cancels;
	struct buf b = { .max = 0 };

	(void)state;
	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-Protocol-Version: 2026-07-28\r\n"
	    "Mcp-Method: tools/call\r\nMcp-Name: sql_execution\r\nContent-Type: application/json\r\n"
	    "Content-Length: %zu\r\n\r\n%s",
	    strlen(slow), slow);
	rig_send_n(fd, b.p, b.len);
	for (int i = 0; i < 2000; i++)
		rig_send(fd, GOOD);
	assert_true(rig_closed(fd));
	for (int i = 0; i < 500 && fake_shared->cancels == cancels; i++)
		rig_pump(r, 10);
	assert_int_equal(fake_shared->cancels, cancels + 1);
	buf_fini(&b);
	close(fd);
}

static void
test_header_flood(void **state)
{
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	rig_send(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n");
	for (int i = 0; i < 2000; i++)
		rig_send(fd, "X-a: b\r\n");
	rig_send(fd, "\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 431);
	assert_true(rig_closed(fd));
	close(fd);
}

static void
test_deep_json(void **state)
{
	struct buf b = { .max = 0 };
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	for (int i = 0; i < 200000; i++)
		buf_byte(&b, '[');
	a = rig_post(fd, "", buf_cstr(&b));
	assert_int_equal(a.status, 400);
	assert_non_null(strstr(a.body, "-32700"));
	a = rig_post(fd, "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"method\":\"b\",\"params\":{}}");
	assert_int_equal(a.status, 400);
	assert_non_null(strstr(a.body, "-32600"));
	a = rig_post(fd, "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc0\xaf\"}");
	assert_int_equal(a.status, 400);
	buf_fini(&b);
	close(fd);
}

/* The largest body there may be, mostly white space: read, and the connection goes on. */
static void
test_large_body(void **state)
{
	char *body = malloc((4 << 20) + 1);
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	memset(body, ' ', 4 << 20);
	memcpy(body, PING, strlen(PING));
	body[4 << 20] = '\0';
	a = rig_post(fd, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n", body);
	assert_int_equal(a.status, 200);
	rig_send(fd, GOOD);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	free(body);
	close(fd);
}

/* An honest 17 MiB body is refused unread, and the refusal reaches whoever still sends. */
static void
test_too_large_body(void **state)
{
	static char block[65536];
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	memset(block, ' ', sizeof(block));
	rig_send(fd, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Content-Length: 17825792\r\n\r\n");
	for (int i = 0; i < 272; i++)
		rig_send_n(fd, block, sizeof(block));
	a = rig_read(fd);
	assert_int_equal(a.status, 413);
	close(fd);
}

/* limits.body_bytes: smaller and larger than usual, announced and in chunks, and for local clients. */
static void
test_body_bytes(void **state)
{
	static const size_t bounds[] = { 65536, 6 << 20 };
	char *block = malloc(8 << 20), head[256];
	struct reply a;

	(void)state;
	assert_non_null(block);
	memset(block, ' ', 8 << 20);
	for (size_t i = 0; i < 2; i++) {
		struct rig *own = rig_start(&(struct rig_options){ .body_bytes = bounds[i] });

		for (size_t over = 0; over < 2; over++) {
			int fd = rig_connect(own), local;

			snprintf(head, sizeof(head),
			    "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS "Content-Length: %zu\r\n\r\n",
			    bounds[i] + over);
			rig_send(fd, head);
			rig_send_n(fd, block, bounds[i] + over);
			a = rig_read(fd);
			assert_int_equal(a.status, over ? 413 : 400); /* all blanks: no JSON */
			close(fd);
			fd = rig_connect(own);
			snprintf(head, sizeof(head),
			    "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" FIELDS
			    "Transfer-Encoding: chunked\r\n\r\n%zx\r\n",
			    bounds[i] + over);
			rig_send(fd, head);
			rig_send_n(fd, block, bounds[i] + over);
			rig_send(fd, "\r\n0\r\n\r\n");
			a = rig_read(fd);
			assert_int_equal(a.status, over ? 413 : 400);
			close(fd);
			local = rig_local(own);
			rig_send_n(local, block, bounds[i] + over * 65536 - 65);
			rig_send(local, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
			assert_holds(rig_line(local), over ? "limits.body_bytes" : "\"result\"");
			close(local);
		}
		rig_stop(own);
	}
	free(block);
}

static void
test_continue(void **state)
{
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	rig_send(fd,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n" FIELDS "Content-Length: " PING_LEN
	    "\r\n\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 100);
	rig_send(fd, PING);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	close(fd);
}

static void
test_head(void **state)
{
	char head[512];
	int fd = rig_connect(r);
	ssize_t n;

	(void)state;
	rig_send(fd, "HEAD /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	n = recv(fd, head, sizeof(head) - 1, MSG_WAITALL);
	assert_true(n > 4);
	head[n] = '\0';
	assert_non_null(strstr(head, "Content-Length: "));
	assert_string_equal(head + n - 4, "\r\n\r\n");
	close(fd);
}

static void
test_cors(void **state)
{
	int fd = rig_connect(r);
	struct reply a;

	(void)state;
	a = rig_post(fd,
	    "Origin: https://app.example\r\nMCP-Protocol-Version: 2026-07-28\r\n"
	    "Mcp-Method: server/discover\r\n",
	    PING);
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Access-Control-Allow-Origin"), "https://app.example");
	rig_send(fd,
	    "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n"
	    "Access-Control-Request-Method: POST\r\n\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 204);
	assert_non_null(rig_header(&a, "Access-Control-Allow-Headers"));
	a = rig_post(fd, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n", PING);
	assert_null(rig_header(&a, "Access-Control-Allow-Origin"));
	close(fd);
}

/* Wrong tokens are counted per address; the right one still passes. */
#define ALL_SCOPES									\
	"scope=\"research:read research:query memory:write ontologies:read data_agent:read data_agent:write "	\
	"ext:datasets ext:schema ext:search ext:sql connectivity:admin\""

static void
test_block(void **state)
{
	struct rig *guarded = rig_start(&(struct rig_options){ .token = "right" });
	int fd = rig_connect(guarded);
	struct reply a;

	(void)state;
	a = rig_post(fd, "", "{}");
	assert_int_equal(a.status, 401); /* a missing one does not count */
	assert_string_equal(rig_header(&a, "WWW-Authenticate"), "Bearer " ALL_SCOPES);
	for (int i = 0; i < 5; i++) {
		a = rig_post(fd, "Authorization: Bearer wrong\r\n", "{}");
		assert_int_equal(a.status, 401);
		assert_string_equal(rig_header(&a, "WWW-Authenticate"),
		    "Bearer error=\"invalid_token\", error_description=\"the token is not valid here\", " ALL_SCOPES);
		assert_non_null(strstr(a.body, "{\"error\":\"unauthorized\","));
		assert_non_null(strstr(a.body, "\"code\":\"auth_invalid\""));
	}
	a = rig_post(fd, "Authorization: Bearer wrong\r\n", "{}");
	assert_int_equal(a.status, 429);
	assert_non_null(strstr(a.body, "\"code\":\"ip_blocked\""));
	assert_non_null(rig_header(&a, "Retry-After"));
	a = rig_post(fd, "", "{}");
	assert_int_equal(a.status, 401);
	a = rig_post(fd,
	    "Authorization: bearer right\r\nMCP-Protocol-Version: 2026-07-28\r\n"
	    "Mcp-Method: server/discover\r\n",
	    PING);
	assert_int_equal(a.status, 200);
	close(fd);
	rig_stop(guarded);
}

/* Somebody else's front: our uid is not the owner's. */
static void
test_foreign_user(void **state)
{
	struct rig *theirs = rig_start(&(struct rig_options){ .owner_uid = (uint32_t)getuid() + 1 });
	int fd = rig_connect(theirs);
	char expected[64];
	struct reply a;

	(void)state;
	a = rig_post(fd, "", PING);
	assert_int_equal(a.status, 403);
	snprintf(expected, sizeof(expected), "you are user id %u", (unsigned)getuid());
	assert_non_null(strstr(a.body, expected));
	assert_non_null(strstr(a.body, "token"));
	close(fd);
	rig_stop(theirs);
}

/* What a trusted proxy passes on is somebody else's, and counted as such. */
static void
test_proxy(void **state)
{
	struct rig *behind = rig_start(&(struct rig_options){ .trusts_loopback = true });
	int fd = rig_connect(behind);
	struct reply a;

	(void)state;
	a = rig_post(fd, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n", PING);
	assert_int_equal(a.status, 200); /* the owner's own, not passed on */
	a = rig_post(fd,
	    "X-Forwarded-For: 203.0.113.9\r\nMCP-Protocol-Version: 2026-07-28\r\n"
	    "Mcp-Method: server/discover\r\n",
	    PING);
	assert_int_equal(a.status, 401);
	for (int i = 0; i < 5; i++) {
		a = rig_post(fd, "X-Forwarded-For: 198.51.100.1, 203.0.113.9\r\nAuthorization: Bearer x\r\n", "{}");
		assert_int_equal(a.status, 401);
	}
	a = rig_post(fd, "X-Forwarded-For: 203.0.113.9\r\nAuthorization: Bearer x\r\n", "{}");
	assert_int_equal(a.status, 429);
	a = rig_post(fd, "X-Forwarded-For: 198.51.100.1\r\nAuthorization: Bearer x\r\n", "{}");
	assert_int_equal(a.status, 401);
	a = rig_post(fd, "Authorization: Bearer x\r\n", "{}");
	assert_int_equal(a.status, 401);
	close(fd);
	rig_stop(behind);
	/* from anybody else the header is nothing */
	behind = rig_start(&(struct rig_options){ .token = NULL });
	fd = rig_connect(behind);
	a = rig_post(fd,
	    "X-Forwarded-For: 203.0.113.9\r\nMCP-Protocol-Version: 2026-07-28\r\n"
	    "Mcp-Method: server/discover\r\n",
	    PING);
	assert_int_equal(a.status, 200);
	close(fd);
	rig_stop(behind);
}

/* What a client sends that was answered before is read first, however many strangers have sent something earlier. */
static void
test_strangers_last(void **state)
{
	static const char nonsense[] = "NONSENSE\r\n\r\n";
	int strangers[12], regular = rig_connect(r), status;
	const char *said;

	(void)state;
	rig_send(regular, GOOD);
	assert_int_equal(rig_read(regular).status, 200);
	for (size_t i = 0; i < 12; i++)
		strangers[i] = rig_connect(r);
	rig_sync(r);
	rig_sync(r);
	assert_int_equal(kill(r->front, SIGSTOP), 0);
	assert_int_equal(waitpid(r->front, &status, WUNTRACED), r->front);
	assert_true(WIFSTOPPED(status));
	for (size_t i = 0; i < 12; i++)
		rig_send(strangers[i], nonsense);
	rig_send(regular, "GET /health HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n");
	assert_int_equal(kill(r->front, SIGCONT), 0);
	assert_int_equal(rig_read(regular).status, 403);
	for (size_t i = 0; i < 12; i++) {
		assert_int_equal(rig_read(strangers[i]).status, 400);
		close(strangers[i]);
	}
	close(regular);
	assert_true(rig_logged(r, "refused with 400"));
	said = strstr(buf_cstr(&r->said), "refused with");
	assert_non_null(said);
	assert_memory_equal(said, "refused with 403", 16);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_raw, begin, end),
		cmocka_unit_test_setup_teardown(test_byte_by_byte, begin, end),
		cmocka_unit_test_setup_teardown(test_chunked_body, begin, end),
		cmocka_unit_test_setup_teardown(test_pipelining, begin, end),
		cmocka_unit_test_setup_teardown(test_strangers_last, begin, end),
		cmocka_unit_test_setup_teardown(test_too_far_ahead, begin, end),
		cmocka_unit_test_setup_teardown(test_header_flood, begin, end),
		cmocka_unit_test_setup_teardown(test_deep_json, begin, end),
		cmocka_unit_test_setup_teardown(test_large_body, begin, end),
		cmocka_unit_test_setup_teardown(test_too_large_body, begin, end),
		cmocka_unit_test(test_body_bytes),
		cmocka_unit_test_setup_teardown(test_continue, begin, end),
		cmocka_unit_test_setup_teardown(test_head, begin, end),
		cmocka_unit_test_setup_teardown(test_cors, begin, end),
		cmocka_unit_test(test_block),
		cmocka_unit_test(test_foreign_user),
		cmocka_unit_test(test_proxy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
