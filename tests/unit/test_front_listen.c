// libs: carrel_front_rig
/* test_front_listen.c - subscriptions/listen: who hears of what, and how a stream ends. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

#define HEADERS "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n"

static struct rig *r;

static void
send_listen(int fd, const char *id, const char *notifications)
{
	struct buf body = { .max = 0 }, b = { .max = 0 };

	buf_printf(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"subscriptions/listen\",\"params\":{" META
	    ",\"notifications\":%s}}",
	    id, notifications);
	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\n" HEADERS "Content-Length: %zu\r\n\r\n",
	    body.len);
	buf_span(&b, buf_view(&body));
	rig_send_n(fd, b.p, b.len);
	buf_fini(&body);
	buf_fini(&b);
}

/* An open stream; what it was acknowledged with holds granted. */
static int
listen_for(const char *id, const char *notifications, const char *granted)
{
	int fd = rig_connect(r);
	struct reply a;
	char tag[128];
	const char *event;

	send_listen(fd, id, notifications);
	a = rig_head(fd);
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "text/event-stream");
	event = rig_event(fd);
	assert_holds(event, "event: message\ndata: {");
	assert_holds(event, "notifications/subscriptions/acknowledged");
	assert_holds(event, granted);
	snprintf(tag, sizeof(tag), "\"io.modelcontextprotocol/subscriptionId\":%s}", id);
	assert_holds(event, tag);
	assert_null(strstr(event, "\nid:"));
	return fd;
}

static void
test_hears_of_changes(void **state)
{
	const char *event;
	int one, two;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	one = listen_for("1795292171343", "{\"toolsListChanged\":true,\"promptsListChanged\":true}",
	    "\"notifications\":{\"toolsListChanged\":true");
	two =
	    listen_for("\"listen:0\"", "{\"toolsListChanged\":true}", "\"notifications\":{\"toolsListChanged\":true}");

	/* the same offer again is no change: the next event is of the one after it */
	rig_offer(r, IPC_SEARCH, fake_search_tools);
	rig_sync(r);
	rig_offer(r, IPC_SEARCH, OTHER_TOOLS);
	event = rig_event(one);
	assert_holds(event,
	    "\"method\":\"notifications/tools/list_changed\",\"params\":{\"_meta\":"
	    "{\"io.modelcontextprotocol/subscriptionId\":1795292171343}}}");
	assert_holds(rig_event(two), "{\"io.modelcontextprotocol/subscriptionId\":\"listen:0\"}");
	rig_offer(r, IPC_SEARCH, fake_search_tools);
	assert_holds(rig_event(one), "tools/list_changed");
	assert_holds(rig_event(two), "tools/list_changed");

	/* the end: results, then the end of the streams */
	rig_say(r, IPC_MSG_SHUTDOWN, &(struct ipc_shutdown){ .grace_ms = 2000 });
	event = rig_event(one);
	assert_holds(event,
	    "{\"jsonrpc\":\"2.0\",\"id\":1795292171343,\"result\":{\"resultType\":\"complete\",\"_meta\":"
	    "{\"io.modelcontextprotocol/subscriptionId\":1795292171343,");
	assert_string_equal(rig_event(one), "");
	assert_true(rig_closed(one));
	assert_holds(rig_event(two), "\"id\":\"listen:0\",\"result\"");
	assert_string_equal(rig_event(two), "");
	close(one);
	close(two);
	assert_int_equal(rig_end(r, 0), 0);
	rig_stop(r);
}

/* Nothing that could be heard: acknowledged and ended at once. */
static void
test_nothing_granted(void **state)
{
	int fd;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	fd = listen_for("7", "{}", "\"notifications\":{}");
	assert_holds(rig_event(fd), "\"id\":7,\"result\":{\"resultType\":\"complete\"");
	assert_string_equal(rig_event(fd), "");
	close(fd);
	fd = listen_for("8", "{\"toolsListChanged\":false}", "\"notifications\":{}");
	assert_holds(rig_event(fd), "\"id\":8,\"result\"");
	close(fd);
	rig_stop(r);
}

static void
test_refused(void **state)
{
	static const char *const wrong[] = {
		"[]", "true", "{\"toolsListChanged\":1}", "{\"resourceSubscriptions\":\"carrel://wiki/a\"}",
		"{\"resourceSubscriptions\":[1]}",
	};
	struct reply a;
	int fd;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	fd = rig_connect(r);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		send_listen(fd, "3", wrong[i]);
		a = rig_read(fd);
		assert_int_equal(a.status, 200);
		assert_holds(a.body, "\"id\":3,\"error\":{\"code\":-32602");
	}
	/* the connection is as good as ever */
	close(fd);
	fd = listen_for("4", "{\"toolsListChanged\":true}", "true");
	close(fd);
	rig_stop(r);
}

/* --- lines ------------------------------------------------------------------------------- */

static const char *
line(int fd)
{
	const char *answer = "";

	for (int i = 0; i < 20 && answer[0] == '\0'; i++) {
		rig_pump(r, 20);
		answer = rig_line(fd);
	}
	return answer;
}

#define LINE(id, method, params)	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}\n"

static int
connect_local(void)
{
	struct timeval patience = { 1, 0 };
	int fd = rig_local(r);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* Over lines a client cancels a subscription by message; one client may have several. */
static void
test_lines(void **state)
{
	int fd;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	fd = connect_local();
	rig_send(fd, LINE("\"a\"", "subscriptions/listen", META ",\"notifications\":{\"toolsListChanged\":true}"));
	assert_holds(line(fd), "subscriptionId\":\"a\"");
	rig_send(fd, LINE("\"b\"", "subscriptions/listen", META ",\"notifications\":{\"toolsListChanged\":true}"));
	assert_holds(line(fd), "acknowledged");
	rig_offer(r, IPC_SEARCH, OTHER_TOOLS);
	assert_holds(line(fd), "list_changed");
	assert_holds(line(fd), "list_changed");
	rig_send(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"a\"}}\n");
	rig_send(fd, LINE("1", "server/discover", META));
	assert_holds(line(fd), "\"id\":1");
	rig_offer(r, IPC_SEARCH, fake_search_tools);
	assert_holds(line(fd), "subscriptionId\":\"b\"");
	rig_send(fd, LINE("2", "server/discover", META));
	assert_holds(line(fd), "\"id\":2");
	close(fd);
	rig_stop(r);
}

/* A legacy client hears of lists without asking, once it said that it is initialized. */
static void
test_legacy_lines(void **state)
{
	int fd;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	fd = connect_local();
	rig_send(fd, LINE("0", "initialize", "\"protocolVersion\":\"2025-11-25\""));
	assert_holds(line(fd), "\"tools\":{\"listChanged\":true}");
	rig_offer(r, IPC_SEARCH, OTHER_TOOLS);
	rig_send(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n" LINE("1", "ping", ""));
	assert_string_equal(line(fd), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	rig_offer(r, IPC_SEARCH, fake_search_tools);
	assert_string_equal(line(fd), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	close(fd);
	rig_stop(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hears_of_changes),
		cmocka_unit_test(test_nothing_granted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_legacy_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
