// libs: carrel_front_rig
/* test_front_sse.c - the HTTP+SSE transport of 2024-11-05: a stream, and POSTs beside it. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

#define SQL(id, text) RPC(id, "tools/call", "\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":" \
	"\"warehouse\",\"sql\":\"" text "\"}")

static struct rig *r;
static int fd;			/* for POSTs */
static char place[256];		/* where they go */

/* Open a stream; place is what it said. */
static int
open_accepting(const char *accept, const char *headers)
{
	int s = rig_connect(r);
	char text[256];
	const char *event;
	struct reply a;

	snprintf(text, sizeof(text), "GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n", accept, headers);
	rig_send(s, text);
	a = rig_head(s);
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "text/event-stream");
	assert_null(rig_header(&a, "Mcp-Session-Id"));
	event = rig_event(s);
	assert_true(strncmp(event, "event: endpoint\ndata: /mcp/messages?sessionId=", 46) == 0);
	snprintf(place, sizeof(place), "%.*s", (int)strcspn(event + 22, "\n"), event + 22);
	return s;
}

static int
open_stream(const char *headers)
{
	return open_accepting("Accept: text/event-stream\r\n", headers);
}

static struct reply
post(const char *headers, const char *body)
{
	struct buf b = { .max = 0 };

	buf_printf(&b,
	    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"
	    "Content-Length: %zu\r\n%s\r\n%s",
	    place, strlen(body), headers, body);
	rig_send_n(fd, b.p, b.len);
	buf_fini(&b);
	return rig_read(fd);
}

static void
say(const char *body)
{
	struct reply a = post("", body);

	assert_int_equal(a.status, 202);
	assert_int_equal(a.len, 0);
}

static int
begin(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
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

static void
initialize(int s, const char *revision)
{
	char body[256];

	snprintf(body, sizeof(body), RPC("0", "initialize", "\"protocolVersion\":\"%s\",\"capabilities\":{}"),
	    revision);
	say(body);
	snprintf(body, sizeof(body),
	    "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":"
	    "\"%s\"",
	    revision);
	assert_holds(rig_event(s), body);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static void
test_conversation(void **state)
{
	const char *event;
	int s = open_stream("");

	(void)state;
	initialize(s, "2024-11-05");
	say(RPC("1", "ping", ""));
	assert_string_equal(rig_event(s), "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
	say(SQL("2", "rows 5000 100"));
	event = rig_event(s);
	assert_holds(event, "\"id\":2,\"result\":");
	assert_holds(event, "[4999,\"xxx");
	say(RPC("3", "no/such", ""));
	assert_holds(rig_event(s), "\"id\":3,\"error\":{\"code\":-32601");
	/* arguments are told as the revision has it */
	say(SQL("4", ""));
	assert_holds(rig_event(s), "\"error\":{\"code\":-32602");
	/* the session hears of changes */
	rig_offer(r, IPC_SEARCH, OTHER_TOOLS);
	assert_holds(rig_event(s),
	    "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	close(s);
}

/* 2024-11-05 asks for no Accept header; bridges send a wildcard, curl as well. */
static void
test_any_accept(void **state)
{
	static const char *const accepts[] = { "", "Accept: */*\r\n", "Accept: text/*\r\n",
		"Accept: application/json, */*;q=0.5\r\n" };
	struct reply a;
	int s;

	(void)state;
	for (size_t i = 0; i < sizeof(accepts) / sizeof(accepts[0]); i++) {
		s = open_accepting(accepts[i], "");
		initialize(s, "2024-11-05");
		close(s);
	}
	s = rig_connect(r);
	rig_send(s, "GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n");
	a = rig_read(s);
	assert_int_equal(a.status, 406);
	close(s);
}

/* Clients normally settle on a newer revision inside the old transport. */
static void
test_newer_revision(void **state)
{
	int s = open_stream("");

	(void)state;
	initialize(s, "2025-11-25");
	assert_int_equal(post("MCP-Protocol-Version: 2025-11-25\r\n", SQL("1", "")).status, 202);
	assert_holds(rig_event(s), "\"isError\":true");
	assert_int_equal(post("MCP-Protocol-Version: 1999-01-01\r\n", SQL("1", "one")).status, 400);
	assert_int_equal(post("", "[" RPC("1", "ping", "") "]").status, 400);
	close(s);
	s = open_stream("");
	initialize(s, "2025-03-26");
	say("[" RPC("1", "ping", "") ",{}," RPC("2", "ping", "") "]");
	assert_holds(rig_event(s), "\"id\":1,\"result\":{}");
	assert_holds(rig_event(s), "data: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600");
	assert_holds(rig_event(s), "\"id\":2,\"result\":{}");
	close(s);
}

static void
test_refused(void **state)
{
	char kept[sizeof(place)];
	struct reply a;
	int s = open_stream("");

	(void)state;
	assert_int_equal(post("", "{").status, 400);
	assert_int_equal(post("", "[]").status, 400);
	assert_int_equal(post("", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}").status, 400);
	memcpy(kept, place, sizeof(place));
	place[strlen(place) - 1] = place[strlen(place) - 1] == 'A' ? 'B' : 'A';
	assert_int_equal(post("", RPC("1", "ping", "")).status, 404);
	snprintf(place, sizeof(place), "/mcp/messages");
	assert_int_equal(post("", RPC("1", "ping", "")).status, 404);
	snprintf(place, sizeof(place), "/mcp/messages?sessionId=");
	assert_int_equal(post("", RPC("1", "ping", "")).status, 404);
	memcpy(place, kept, sizeof(place));
	rig_send(fd, "GET /mcp/messages HTTP/1.1\r\nHost: localhost\r\n\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 405);
	assert_string_equal(rig_header(&a, "Allow"), "POST");
	rig_send(fd, "GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n");
	assert_int_equal(rig_read(fd).status, 406);
	say(RPC("1", "ping", ""));
	assert_holds(rig_event(s), "\"id\":1");
	close(s);
}

/* Several fronts would each get some of its POSTs. */
static void
test_one_of_many(void **state)
{
	(void)state;
	end(state);
	r = rig_start(&(struct rig_options){ .token = NULL, .fronts = 2 });
	fd = rig_connect(r);
	rig_send(fd, "GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
	assert_int_equal(rig_read(fd).status, 404);
}

/* A session is its principal's: under another it is none. */
static void
test_other_principal(void **state)
{
	static const char token[] = "Authorization: Bearer secret\r\n";
	int s;

	(void)state;
	end(state);
	r = rig_start(&(struct rig_options){ .token = "secret" });
	fd = rig_connect(r);
	s = open_stream(token);
	assert_int_equal(post("", RPC("1", "ping", "")).status, 401);
	assert_int_equal(post(token, RPC("1", "ping", "")).status, 202);
	assert_holds(rig_event(s), "\"id\":1");
	close(s);
}

/* The stream's end is the session's, and stops its work. */
static void
test_end(void **state)
{
	int s = open_stream(""), cancels = fake_shared->cancels, begun = fake_shared->begun;

	(void)state;
	initialize(s, "2024-11-05");
	say(SQL("1", "wait"));
	rig_until(r, &fake_shared->begun, begun + 1);
	close(s);
	rig_until(r, &fake_shared->cancels, cancels + 1);
	assert_int_equal(post("", RPC("2", "ping", "")).status, 404);
	rig_sync(r);
	assert_int_equal(r->ended, 1); /* the other fronts were told */
}

static void
test_cancel(void **state)
{
	int s = open_stream(""), cancels = fake_shared->cancels, begun = fake_shared->begun;

	(void)state;
	initialize(s, "2024-11-05");
	say(SQL("1", "wait"));
	rig_until(r, &fake_shared->begun, begun + 1);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
	rig_until(r, &fake_shared->cancels, cancels + 1);
	say(RPC("2", "ping", ""));
	assert_holds(rig_event(s), "\"id\":2"); /* and nothing of the first */
	close(s);
}

/* What is being served is answered before the stream ends. */
static void
test_shutdown(void **state)
{
	int s = open_stream(""), begun = fake_shared->begun;

	(void)state;
	initialize(s, "2024-11-05");
	say(SQL("1", "wait"));
	rig_until(r, &fake_shared->begun, begun + 1);
	rig_say(r, IPC_MSG_SHUTDOWN, &(struct ipc_shutdown){ .grace_ms = 5000 });
	rig_sync(r);
	fake_shared->let = 1;
	assert_holds(rig_event(s), "\"id\":1,\"result\":");
	assert_string_equal(rig_event(s), "");
	close(s);
	assert_int_equal(rig_end(r, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_conversation, begin, end),
		cmocka_unit_test_setup_teardown(test_any_accept, begin, end),
		cmocka_unit_test_setup_teardown(test_newer_revision, begin, end),
		cmocka_unit_test_setup_teardown(test_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_one_of_many, begin, end),
		cmocka_unit_test_setup_teardown(test_other_principal, begin, end),
		cmocka_unit_test_setup_teardown(test_end, begin, end),
		cmocka_unit_test_setup_teardown(test_cancel, begin, end),
		cmocka_unit_test_setup_teardown(test_shutdown, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
