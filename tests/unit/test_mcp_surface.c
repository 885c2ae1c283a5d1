// libs: carrel_front_rig
/*
 * test_mcp_surface.c - resources, prompts and completion of both eras over
 * HTTP: what a worker's rows make of a front, cursors, errors, changes.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"

#define ROW(name)	"{\"name\":\"" name "\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}"
#define RESOURCES	ROW("resources_list") "," ROW("resource_templates_list") "," ROW("resource_read")
#define PROMPTS		ROW("prompts_list") "," ROW("prompt_get")

#define HEADERS		"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%s"

static struct rig *r;
static int fd;

static int
begin(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SEARCH, "");
	rig_offer(r, IPC_SEARCH, "[" RESOURCES "," PROMPTS "," ROW("complete") "]");
	rig_sync(r);
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

/* A modern request; named is the Mcp-Name header line or "". */
static struct reply
ask(const char *method, const char *params, const char *named)
{
	struct buf body = { .max = 0 }, headers = { .max = 0 };
	struct reply a;

	buf_printf(&headers, HEADERS, method, named);
	buf_printf(&body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{" META "%s%s}}", method,
	    params[0] != '\0' ? "," : "", params);
	a = rig_post(fd, buf_cstr(&headers), buf_cstr(&body));
	buf_fini(&headers);
	buf_fini(&body);
	return a;
}

static void
assert_answer(const struct reply *a, int status, const char *text)
{
	if (a->status != status || strstr(a->body, text) == NULL)
		fail_msg("no %s in %d %s", text, a->status, a->body);
}

/* The nextCursor of a; static. */
static const char *
next_cursor(const struct reply *a)
{
	static char cursor[512];
	const char *at = strstr(a->body, "\"nextCursor\":\"");

	assert_non_null(at);
	assert_int_equal(sscanf(at, "\"nextCursor\":\"%511[^\"]\"", cursor), 1);
	return cursor;
}

static struct reply
list_from(const char *method, const char *cursor)
{
	char params[700];

	snprintf(params, sizeof(params), "\"cursor\":\"%s\"", cursor);
	return ask(method, params, "");
}

/* --- what is there ------------------------------------------------------------------------ */

static void
test_methods_are_there_when_their_rows_are(void **state)
{
	struct reply a;

	(void)state;
	a = ask("server/discover", "", "");
	assert_answer(&a, 200,
	    "\"resources\":{\"subscribe\":true,\"listChanged\":true},\"prompts\":{\"listChanged\":true},"
	    "\"completions\":{}");
	rig_offer(r, IPC_SEARCH, "[" RESOURCES "]");
	rig_sync(r);
	a = ask("server/discover", "", "");
	assert_answer(&a, 200, "\"resources\"");
	assert_lacks(a.body, "prompts");
	assert_lacks(a.body, "completions");
	a = ask("prompts/list", "", "");
	assert_answer(&a, 404, "-32601");
	a = ask("completion/complete", "", "");
	assert_answer(&a, 404, "-32601");
	rig_offer(r, IPC_SEARCH, "[]");
	rig_sync(r);
	a = ask("resources/list", "", "");
	assert_answer(&a, 404, "-32601");
	a = ask("resources/read", "\"uri\":\"fake:one\"", "Mcp-Name: fake:one\r\n");
	assert_answer(&a, 404, "-32601");
}

/* The rows are no tools. */
static void
test_rows_cannot_be_called_by_name(void **state)
{
	struct reply a;

	(void)state;
	a = ask("tools/list", "", "");
	assert_answer(&a, 200, "\"tools\":");
	assert_lacks(a.body, "resources_list");
	a = ask("tools/call", "\"name\":\"resources_list\",\"arguments\":{}", "Mcp-Name: resources_list\r\n");
	assert_answer(&a, 200, "\"code\":-32602");
}

static void
test_what_results_carry(void **state)
{
	struct reply a;

	(void)state;
	a = ask("resources/list", "", "");
	assert_answer(&a, 200, "\"result\":{\"resultType\":\"complete\",\"resources\":[");
	assert_answer(&a, 200,
	    "\"ttlMs\":10000,\"cacheScope\":\"private\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\"");
	assert_answer(&a, 200, "\"args\":{\"limit\":1000,\"basic\":false}");
	a = ask("resources/templates/list", "", "");
	assert_answer(&a, 200, "\"ttlMs\":");
	a = ask("prompts/list", "", "");
	assert_answer(&a, 200, "\"ttlMs\":");
	a = ask("resources/read", "\"uri\":\"fake:one\"", "Mcp-Name: fake:one\r\n");
	assert_answer(&a, 200, "\"contents\":[{\"text\":\"x\"}],\"ttlMs\":0,\"cacheScope\":\"private\"");
	a = ask("prompts/get", "\"name\":\"p\",\"arguments\":{\"a\":\"b\"}", "Mcp-Name: p\r\n");
	assert_answer(&a, 200,
	    "\"resultType\":\"complete\",\"args\":{\"name\":\"p\",\"arguments\":{\"a\":\"b\"},\"basic\":false}");
	assert_lacks(a.body, "ttlMs");
	a = ask("completion/complete",
	    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":\"a\","
	    "\"value\":\"v\"},\"context\":{\"arguments\":{\"b\":\"c\"}}",
	    "");
	assert_answer(&a, 200,
	    "\"args\":{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":\"a\","
	    "\"value\":\"v\"},\"context\":{\"arguments\":{\"b\":\"c\"}}}");
	assert_lacks(a.body, "ttlMs");
}

static void
test_malformed_parameters(void **state)
{
	static const char *const rows[][3] = {
		{ "resources/list", "\"cursor\":7", "" },
		{ "resources/list", "\"cursor\":null", "" },
		{ "resources/read", "", "" },
		{ "resources/read", "\"uri\":7", "" },
		{ "resources/read", "\"uri\":\"\"", "Mcp-Name: \r\n" },
		{ "prompts/get", "", "" },
		{ "prompts/get", "\"name\":\"p\",\"arguments\":[]", "Mcp-Name: p\r\n" },
		{ "prompts/get", "\"name\":\"p\",\"arguments\":{\"a\":1}", "Mcp-Name: p\r\n" },
		{ "completion/complete", "", "" },
		{ "completion/complete", "\"ref\":{\"type\":\"ref/tool\",\"name\":\"x\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}", "" },
		{ "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"uri\":\"x\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}", "" },
		{ "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"}", "" },
		{ "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},\"argument\":{\"name\":\"a\"}", "" },
		{ "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},\"argument\":{\"name\":\"a\",\"value\":\"\"},"
		  "\"context\":[]", "" },
		{ "completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},\"argument\":{\"name\":\"a\",\"value\":\"\"},"
		  "\"context\":{\"arguments\":{\"a\":[]}}", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a = ask(rows[i][0], rows[i][1], rows[i][2]);

		if (a.status != 200 || strstr(a.body, "\"code\":-32602") == NULL)
			fail_msg("row %zu: %d %s", i, a.status, a.body);
	}
}

/* --- pages --------------------------------------------------------------------------------- */

static void
test_pages_follow_each_other(void **state)
{
	struct reply a;

	(void)state;
	a = ask("resources/list", "", "");
	assert_answer(&a, 200, "\"uri\":\"0\"");
	a = list_from("resources/list", next_cursor(&a));
	assert_answer(&a, 200, "\"uri\":\"1\"");
	assert_answer(&a, 200, "\"position\":\"1\"");
	assert_answer(&a, 200, "\"cacheScope\":\"private\"");
	a = list_from("resources/list", next_cursor(&a));
	assert_answer(&a, 200, "\"uri\":\"2\"");
	assert_lacks(a.body, "nextCursor");
}

static void
test_no_other_cursor_is_one(void **state)
{
	struct reply a;
	char mine[512], other[600];
	size_t n;

	(void)state;
	a = ask("resources/list", "", "");
	n = (size_t)snprintf(mine, sizeof(mine), "%s", next_cursor(&a));
	a = list_from("resources/list", "");
	assert_answer(&a, 200, "\"code\":-32602");
	/* of another list */
	a = list_from("prompts/list", mine);
	assert_answer(&a, 200, "\"code\":-32602");
	a = list_from("tools/list", mine);
	assert_answer(&a, 200, "\"code\":-32602");
	/* every character changed, cut short, continued */
	for (size_t i = 0; i < n; i++) {
		memcpy(other, mine, n + 1);
		other[i] = other[i] == 'A' ? 'B' : 'A';
		a = list_from("resources/list", other);
		assert_answer(&a, 200, "\"code\":-32602");
	}
	snprintf(other, sizeof(other), "%.*s", (int)n - 1, mine);
	a = list_from("resources/list", other);
	assert_answer(&a, 200, "\"code\":-32602");
	snprintf(other, sizeof(other), "%sAAAA", mine);
	a = list_from("resources/list", other);
	assert_answer(&a, 200, "\"code\":-32602");
	/* and this one still is */
	a = list_from("resources/list", mine);
	assert_answer(&a, 200, "\"uri\":\"1\"");
}

static void
test_a_cursor_is_its_principals(void **state)
{
	char line[1024];
	struct reply a;
	int local = rig_local(r);

	(void)state;
	a = ask("resources/list", "", "");
	snprintf(line, sizeof(line),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"carrel/hello\",\"params\":{\"client\":\"cli\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/list\",\"params\":{\"cursor\":\"%s\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/list\",\"params\":{}}\n",
	    next_cursor(&a));
	rig_send(local, line);
	(void)rig_line(local);
	assert_non_null(strstr(rig_line(local), "\"code\":-32602"));
	assert_non_null(strstr(rig_line(local), "nextCursor"));
	close(local);
}

/* --- what goes wrong ------------------------------------------------------------------------- */

static void
test_errors_of_the_modern_era(void **state)
{
	struct reply a;

	(void)state;
	a = ask("resources/read", "\"uri\":\"fake:fail/page_not_found\"", "Mcp-Name: fake:fail/page_not_found\r\n");
	assert_answer(&a, 200,
	    "\"error\":{\"code\":-32602,\"message\":\"it is not there on purpose\",\"data\":{\"code\":"
	    "\"page_not_found\",\"uri\":\"fake:fail/page_not_found\",\"hint\":\"more\",\"request_id\":\"r-");
	assert_lacks(a.body, "\"contents\"");
	a = ask("resources/read", "\"uri\":\"fake:fail/busy\"", "Mcp-Name: fake:fail/busy\r\n");
	assert_answer(&a, 200, "\"code\":-32603,");
	assert_answer(&a, 200, "\"data\":{\"code\":\"busy\"");
	a = ask("resources/read", "\"uri\":\"fake:fail/internal_error\"", "Mcp-Name: fake:fail/internal_error\r\n");
	assert_lacks(a.body, "on purpose");
	a = ask("resources/read", "\"uri\":\"fake:nothing\"", "Mcp-Name: fake:nothing\r\n");
	assert_answer(&a, 200, "\"code\":-32603,");
	a = ask("resources/read", "\"uri\":\"fake:one\"", "Mcp-Name: fake:two\r\n");
	assert_answer(&a, 400, "-32020");
	a = ask("resources/read", "\"uri\":\"fake:one\"", "");
	assert_answer(&a, 400, "-32020");
}

static void
test_legacy_sessions(void **state)
{
	static const char *const revisions[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" };
	char body[512], session[160];
	struct reply a;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		snprintf(body, sizeof(body),
		    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
		    "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}"
		    "}",
		    revisions[i]);
		a = rig_post(fd, "", body);
		assert_answer(&a, 200, "\"resources\":{\"subscribe\":true,\"listChanged\":true}");
		/* the capability is younger than the oldest revision */
		assert_int_equal(strstr(a.body, "completions") != NULL, i > 0);
		snprintf(session, sizeof(session), "Mcp-Session-Id: %s\r\n", rig_header(&a, "Mcp-Session-Id"));

		a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}");
		assert_answer(&a, 200, i < 2 ? "\"basic\":true" : "\"basic\":false");
		assert_answer(&a, 200, "\"nextCursor\":\"");
		assert_answer(&a, 200, "\"result\":{\"resources\":[");
		assert_lacks(a.body, "ttlMs");
		assert_lacks(a.body, "serverInfo");
		a = rig_post(fd, session,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
		    "\"params\":{\"uri\":\"fake:fail/source_not_found\"}}");
		assert_answer(&a, 200, "\"error\":{\"code\":-32002,");
		assert_answer(&a, 200, "\"uri\":\"fake:fail/source_not_found\"");
		a = rig_post(fd, session,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\","
		    "\"params\":{\"uri\":\"fake:one\"}}");
		assert_answer(&a, 200, "\"id\":1,\"result\":{}}");
		a = rig_post(fd, session,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/unsubscribe\","
		    "\"params\":{\"uri\":\"fake:one\"}}");
		assert_answer(&a, 200, "\"id\":1,\"result\":{}}");
		a = rig_post(fd, session,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\","
		    "\"params\":{\"name\":\"p\"}}");
		assert_answer(&a, 200, "\"arguments\":{}");
	}
}

/* --- changes ----------------------------------------------------------------------------------- */

static int
listen_for(const char *notifications)
{
	struct buf body = { .max = 0 }, head = { .max = 0 };
	int stream = rig_connect(r);
	struct reply a;

	buf_printf(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"subscriptions/listen\",\"params\":{" META
	    ",\"notifications\":{%s}}}",
	    notifications);
	buf_printf(&head,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\n" HEADERS "Content-Length: %zu\r\n\r\n",
	    "subscriptions/listen", "", body.len);
	buf_span(&head, buf_view(&body));
	rig_send_n(stream, head.p, head.len);
	a = rig_head(stream);
	assert_int_equal(a.status, 200);
	assert_non_null(strstr(rig_event(stream), notifications));
	buf_fini(&body);
	buf_fini(&head);
	return stream;
}

/* Let the worker say CHANGED and wait until the front has read it. */
static void
change(const char *what)
{
	char params[200], named[200];
	struct reply a;

	snprintf(params, sizeof(params), "\"uri\":\"fake:changed/%s\"", what);
	snprintf(named, sizeof(named), "Mcp-Name: fake:changed/%s\r\n", what);
	a = ask("resources/read", params, named);
	assert_int_equal(a.status, 200);
}

static void
assert_event(int stream, const char *text)
{
	const char *event = rig_event(stream);

	if (strstr(event, text) == NULL)
		fail_msg("no %s in %s", text, event);
}

#define UPDATED(uri)	"\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"" uri "\""
#define LIST_CHANGED(list)	"\"method\":\"notifications/" list "/list_changed\""

static void
test_changes_reach_who_subscribed(void **state)
{
	int lists, one;

	(void)state;
	lists = listen_for("\"promptsListChanged\":true,\"resourcesListChanged\":true");
	one = listen_for("\"resourceSubscriptions\":[\"r:a\",\"r:b\"]");
	change("0/0/7/r:a");
	change("2/0/8/r:none");
	change("4/0/9/r:b");
	assert_event(one, UPDATED("r:a"));
	assert_event(one, UPDATED("r:b"));
	assert_event(lists, LIST_CHANGED("resources"));
	assert_event(lists, LIST_CHANGED("prompts"));
	/* everything: whatever is subscribed to */
	change("0/1/10/-");
	assert_event(one, UPDATED("r:a"));
	assert_event(one, UPDATED("r:b"));
	assert_event(lists, LIST_CHANGED("resources"));
	close(lists);
	close(one);
}

/* A greeting with another digest is of a worker that has something else to say. */
static void
test_another_worker_is_heard_only_when_it_differs(void **state)
{
	int lists;

	(void)state;
	lists = listen_for("\"resourcesListChanged\":true,\"resourceSubscriptions\":[\"r:a\",\"r:b\"]");
	change("0/0/7/-"); /* the first one is only remembered */
	change("0/0/7/-");
	change("0/0/7/r:b");
	assert_event(lists, UPDATED("r:b"));
	change("0/0/8/-");
	assert_event(lists, LIST_CHANGED("resources"));
	assert_event(lists, UPDATED("r:a"));
	assert_event(lists, UPDATED("r:b"));
	close(lists);
}

/* A worker that says what CHANGED cannot say is complained about, and the call served by another. */
static void
test_a_malformed_change_breaks_the_protocol(void **state)
{
	(void)state;
	rig_send(fd,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
	    "resources/read\r\n"
	    "Mcp-Name: fake:changed-map\r\nContent-Length: 199\r\n\r\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{" META
	    ",\"uri\":\"fake:changed-map\"}}");
	for (int i = 0; i < 200 && r->complaints == 0; i++)
		rig_pump(r, 100);
	assert_int_equal(r->complaints, 1);
	assert_int_equal(r->complaint_reason, 1);
}

int
main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		T(test_methods_are_there_when_their_rows_are),
		T(test_rows_cannot_be_called_by_name),
		T(test_what_results_carry),
		T(test_malformed_parameters),
		T(test_pages_follow_each_other),
		T(test_no_other_cursor_is_one),
		T(test_a_cursor_is_its_principals),
		T(test_errors_of_the_modern_era),
		T(test_legacy_sessions),
		T(test_changes_reach_who_subscribed),
		T(test_another_worker_is_heard_only_when_it_differs),
		T(test_a_malformed_change_breaks_the_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
