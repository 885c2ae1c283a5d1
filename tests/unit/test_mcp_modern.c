// libs: carrel_front_rig
/* test_mcp_modern.c - revision 2026-07-28 over HTTP: the ladder of refusals, and what results carry. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"

static struct rig *r;
static int fd;

static int
begin(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SEARCH, "");
	fd = rig_connect(r);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	close(fd);
	rig_stop(r);
	return 0;
}

#define VERSION		"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define CAPS		"\"io.modelcontextprotocol/clientCapabilities\":{}"
#define LIST		RPC("1", "tools/list", META)
#define SQL(text)	RPC("1", "tools/call", META ",\"name\":\"sql_execution\",\"arguments\":" \
	"{\"connectionId\":\"warehouse\",\"sql\":\"" text "\"}")
#define V		"MCP-Protocol-Version: 2026-07-28\r\n"
#define M(method)	"Mcp-Method: " method "\r\n"
#define N(name)		"Mcp-Name: " name "\r\n"

struct row {
	const char	*headers, *body;
	int		 status, code;	/* code 0: a result */
	const char	*holds;
};

static const struct row rows[] = {
	{ V M("tools/list"), LIST, 200, 0, "\"resultType\":\"complete\",\"tools\":[" },
	{ V M("server/discover"), RPC("\"a\"", "server/discover", META), 200, 0,
	  "\"supportedVersions\":[\"2026-07-28\"]" },
	/* header names and white space around values do not matter, values do */
	{ "mcp-protocol-version:2026-07-28\r\nMCP-METHOD: \t tools/list  \r\n", LIST, 200, 0, NULL },
	{ V M("TOOLS/LIST"), LIST, 400, -32020, "\"id\":1" },
	/* M1 */
	{ V M("tools/list"), RPC("1", "tools/list", ""), 400, -32602, "\"id\":1" },
	{ V M("tools/list"), RPC("1", "tools/list", "\"_meta\":{}"), 400, -32602, NULL },
	{ V M("tools/list"), RPC("1", "tools/list", "\"_meta\":{" VERSION "}"), 400, -32602, NULL },
	{ V M("tools/list"), RPC("1", "tools/list", "\"_meta\":{" VERSION ",\"io.modelcontextprotocol/clientCapabilities\":[]}"),
	  400, -32602, NULL },
	{ V M("tools/list"), RPC("1", "tools/list", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7," CAPS "}"),
	  400, -32602, NULL },
	{ V M("tools/list"), RPC("1", "tools/list", "\"_meta\":{" VERSION "," CAPS
	  ",\"io.modelcontextprotocol/clientInfo\":{\"name\":\"x\"}}"), 400, -32602, NULL },
	{ V M("tools/list"), RPC("1", "tools/list", "\"_meta\":{" VERSION "," CAPS
	  ",\"io.modelcontextprotocol/logLevel\":\"loud\"}"), 400, -32602, NULL },
	/* M2 before M3 before M4 to M6 */
	{ V M("tools/list"), RPC("1", "tools/list", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
	  "\"v999.0.0\"," CAPS "}"), 400, -32020, NULL },
	{ "MCP-Protocol-Version: v999.0.0\r\n", RPC("1", "tools/list", "\"_meta\":{"
	  "\"io.modelcontextprotocol/protocolVersion\":\"v999.0.0\"," CAPS "}"), 400, -32022,
	  "\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"v999.0.0\"}" },
	{ "MCP-Protocol-Version: 2025-11-25\r\n", RPC("1", "tools/list", "\"_meta\":{"
	  "\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\"," CAPS "}"), 400, -32022, NULL },
	{ M("tools/list"), LIST, 400, -32020, NULL },
	{ V, LIST, 400, -32020, NULL },
	{ V M("tools/call"), LIST, 400, -32020, NULL },
	{ V M("tools/call"), SQL("one"), 400, -32020, NULL },
	{ V M("tools/call") N("connection_list"), SQL("one"), 400, -32020, NULL },
	{ V M("tools/call") N("sql_execution"), SQL("one"), 200, 0, "\"rows\":[[0,\"x\"]]" },
	{ V M("tools/call") N("=?base64?c3FsX2V4ZWN1dGlvbg==?="), SQL("one"), 200, 0, NULL },
	{ V M("tools/call") N("=?base64?c3FsX2V4ZWN1dGlvbg?="), SQL("one"), 400, -32020, NULL },
	{ V M("tools/call") N("=?base64?c3FsX2V4ZWN1dGlvbh==?="), SQL("one"), 400, -32020, NULL },
	{ V M("tools/call") N("=?BASE64?c3FsX2V4ZWN1dGlvbg==?="), SQL("one"), 400, -32020, NULL },
	{ V M("tools/call") N("c3FsX2V4ZWN1dGlvbg==?="), SQL("one"), 400, -32020, NULL },
	/* M7: methods of the other era are unknown ones */
	{ V M("no/such"), RPC("7", "no/such", META), 404, -32601, "\"id\":7" },
	{ V M("ping"), RPC("7", "ping", META), 404, -32601, NULL },
	{ V M("initialize"), RPC("7", "initialize", META), 404, -32601, NULL },
	{ V M("logging/setLevel"), RPC("7", "logging/setLevel", META), 404, -32601, NULL },
	{ V, RPC("7", "initialize", "\"protocolVersion\":\"2025-11-25\""), 400, -32020, NULL },
	/* M10: in the body of a 200 */
	{ V M("tools/call") N("nope"), RPC("1", "tools/call", META ",\"name\":\"nope\""), 200, -32602, NULL },
	{ V M("tools/call"), RPC("1", "tools/call", META), 200, -32602, NULL },
	{ V M("tools/list"), RPC("1", "tools/list", META ",\"cursor\":\"x\""), 200, -32602, NULL },
	/* a session header means nothing here, a claim wins over it */
	{ V M("tools/list") "Mcp-Session-Id: guess\r\n", LIST, 200, 0, NULL },
	/* not this era, not that one either */
	{ "MCP-Protocol-Version: 2099-01-01\r\n", RPC("1", "tools/list", ""), 400, -32600, NULL },
	{ V, "[" LIST "]", 400, -32600, NULL },
	{ V, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 400, -32600, NULL },
	{ V M("resources/read"), RPC("1", "resources/read", "\"uri\":\"wiki://../../etc/passwd\""), 400, -32602, NULL },
};

static void
test_ladder(void **state)
{
	char code[32];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a = rig_post(fd, rows[i].headers, rows[i].body);

		snprintf(code, sizeof(code), "\"code\":%d,", rows[i].code);
		if (a.status != rows[i].status || (rows[i].code != 0 && strstr(a.body, code) == NULL) ||
		    (rows[i].code == 0 && strstr(a.body, "\"result\":{\"resultType\":\"complete\"") == NULL) ||
		    (rows[i].holds != NULL && strstr(a.body, rows[i].holds) == NULL))
			fail_msg("row %zu: %d %s", i, a.status, a.body);
		assert_null(rig_header(&a, "Mcp-Session-Id"));
	}
}

static void
test_what_results_carry(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, V M("tools/call") N("sql_execution"), SQL("one"));
	assert_non_null(strstr(a.body, "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"carrel\""));
	a = rig_post(fd, V M("tools/call") N("sql_execution"), SQL("fail busy"));
	assert_non_null(strstr(a.body, "\"resultType\":\"complete\""));
	assert_non_null(strstr(a.body, "\"isError\":true"));
	assert_non_null(strstr(a.body, "serverInfo"));
	a = rig_post(fd, V M("tools/list"), LIST);
	assert_non_null(strstr(a.body, "\"ttlMs\":60000,\"cacheScope\":\"private\""));
	assert_non_null(strstr(a.body, "serverInfo"));
	a = rig_post(fd, V M("server/discover"), RPC("1", "server/discover", META));
	assert_non_null(strstr(a.body, "\"ttlMs\":"));
	assert_non_null(strstr(a.body, "\"cacheScope\":"));
	a = rig_post(fd, V M("tools/call") N("sql_execution"),
	    RPC("1", "tools/call", META ",\"name\":\"sql_execution\",\"arguments\":{}"));
	assert_non_null(strstr(a.body, "\"code\":\"invalid_arguments\""));
}

static void
test_notifications(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, V,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
	assert_int_equal(a.status, 202);
	assert_int_equal(a.len, 0);
	assert_string_equal(rig_header(&a, "Content-Length"), "0");
	a = rig_post(fd, "", "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{" META "}}");
	assert_int_equal(a.status, 202);
}

/* A caller's trace is found again in the log; what is none is passed over. */
static void
test_trace(void **state)
{
	static const char *const none[] = {
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x", "",
	};
	static const char call[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":{" VERSION "," CAPS
	    ",\"traceparent\":\"";
	static const char rest[] =
	    "\",\"tracestate\":\"a=b\"},\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\","
	    "\"sql\":\"fail internal_error\"}}}";
	char body[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(body, sizeof(body), "%s%s%s", call, none[i], rest);
		assert_int_equal(rig_post(fd, V M("tools/call") N("sql_execution"), body).status, 200);
	}
	assert_true(rig_logged(r, "a call failed"));
	assert_null(strstr(buf_cstr(&r->said), "trace_id"));
	snprintf(body, sizeof(body), "%s%s%s", call, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", rest);
	assert_int_equal(rig_post(fd, V M("tools/call") N("sql_execution"), body).status, 200);
	assert_true(rig_logged(r, "\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\""));
}

static void
test_progress(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, V M("tools/call") N("sql_execution"),
	    RPC("1", "tools/call",
		"\"_meta\":{" VERSION "," CAPS
		",\"progressToken\":\"t\\\"1\"},\"name\":\"sql_execution\",\"arguments\":"
		"{\"connectionId\":\"warehouse\",\"sql\":\"progress\"}"));
	assert_string_equal(rig_header(&a, "Content-Type"), "text/event-stream");
	assert_non_null(strstr(a.body, "\"progressToken\":\"t\\\"1\""));
	assert_non_null(strstr(a.body, "\"id\":1,\"result\":{\"resultType\":\"complete\""));
	assert_null(strstr(a.body, "\nid:"));
	assert_null(strstr(a.body, "retry:"));
}

static void
test_other_verbs(void **state)
{
	struct reply a;

	(void)state;
	rig_send(fd, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" V "\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 405);
	rig_send(fd,
	    "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
	    "Last-Event-ID: 1\r\nMcp-Session-Id: guess\r\n" V "\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 405);
	assert_string_equal(rig_header(&a, "Allow"), "POST");
	rig_send(fd, "PUT /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 405);
	assert_string_equal(rig_header(&a, "Allow"), "GET, POST, DELETE");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ladder, begin, end),
		cmocka_unit_test_setup_teardown(test_what_results_carry, begin, end),
		cmocka_unit_test_setup_teardown(test_notifications, begin, end),
		cmocka_unit_test_setup_teardown(test_trace, begin, end),
		cmocka_unit_test_setup_teardown(test_progress, begin, end),
		cmocka_unit_test_setup_teardown(test_other_verbs, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
