// libs: carrel_front_rig
/* test_front_streams.c - streams of legacy sessions: GET, what is kept, coming back, the ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sodium.h>

#include "front/http/conn.h"
#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

static struct rig *r;
static int fd;
static char session[128];	/* header line */
static bool other;		/* what is offered is not what the rig offered first */

static int
begin(void **state)
{
	(void)state;
	other = false;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	fd = rig_connect(r);
	snprintf(session, sizeof(session), "%s", rig_session(fd, "2025-11-25"));
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
send_get(int s, const char *headers)
{
	char text[512];

	snprintf(text, sizeof(text), "GET /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n", headers);
	rig_send(s, text);
}

/* GET with the session and maybe the last event's id; the head was fine. */
static int
get(const char *header, const char *last)
{
	int s = rig_connect(r);
	char headers[400];
	struct reply a;

	snprintf(headers, sizeof(headers), "Accept: text/event-stream\r\n%s%s%s%s", header,
	    last[0] != '\0' ? "Last-Event-ID: " : "", last, last[0] != '\0' ? "\r\n" : "");
	send_get(s, headers);
	a = rig_head(s);
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "text/event-stream");
	return s;
}

/* The id of an event. */
static void
take_id(const char *event, char id[64])
{
	assert_true(strncmp(event, "id: ", 4) == 0);
	snprintf(id, 64, "%.*s", (int)strcspn(event + 4, "\n"), event + 4);
}

/* The front has gone through its loop once more: what it does at the end of a turn is done. */
static void
turn(void)
{
	struct reply a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");

	assert_int_equal(a.status, 200);
}

/* Bring a change about and wait until the front has told of it. */
static void
change(void)
{
	other = !other;
	rig_offer(r, IPC_SEARCH, other ? OTHER_TOOLS : fake_search_tools);
	rig_sync(r);
	turn();
}

static void
send_post(int s, const char *accept, const char *body)
{
	struct buf b = { .max = 0 };

	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: %s\r\nContent-Length: %zu\r\n%s\r\n%s",
	    accept, strlen(body), session, body);
	rig_send_n(s, b.p, b.len);
	buf_fini(&b);
}

#define BOTH "application/json, text/event-stream"
#define SQL(text) "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"sql_execution\"," \
	"\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"" text "\"},\"_meta\":{\"progressToken\":0}}}"

/* Go away with a reset, as a crashed client does. */
static void
vanish(int s)
{
	struct linger now = { 1, 0 };

	setsockopt(s, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(s);
}

/* --- GET ---------------------------------------------------------------------------------- */

static void
test_refused(void **state)
{
	static const struct {
		const char *headers;
		bool session;
		int status;
	} rows[] = {
		{ "Accept: text/event-stream\r\n", false, 400 },
		{ "Accept: text/event-stream\r\nMcp-Session-Id: guess\r\n", false, 404 },
		{ "Accept: text/event-stream\r\nLast-Event-ID: 1\r\nMcp-Session-Id: guess\r\n", false, 404 },
		{ "Accept: application/json\r\n", true, 406 },
		{ "Accept: text/html, image/*\r\n", true, 406 },
		{ "Accept: text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n", true, 405 },
		{ "Accept: text/event-stream\r\nMCP-Protocol-Version: 1999-01-01\r\n", true, 400 },
		{ "Accept: text/event-stream\r\nLast-Event-ID: 1\r\n", true, 400 },
		{ "Accept: text/event-stream\r\nLast-Event-ID: g0123456789abcdef-\r\n", true, 400 },
		{ "Accept: text/event-stream\r\nLast-Event-ID: g0123456789abcdef-99999999999\r\n", true, 400 },
	};
	struct reply a;
	char headers[400];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(headers, sizeof(headers), "%s%s", rows[i].headers, rows[i].session ? session : "");
		send_get(fd, headers);
		a = rig_read(fd);
		if (a.status != rows[i].status)
			fail_msg("row %zu: %d %s", i, a.status, a.body);
	}
}

/* One message goes on one stream; only clients of 2025-11-25 are told how to come back at once. */
static void
test_standing(void **state)
{
	char old[128], id[64], next[64];
	int one, two, before;
	const char *event;

	(void)state;
	snprintf(old, sizeof(old), "%s", rig_session(fd, "2025-06-18"));
	before = get(old, "");
	one = get(session, "");
	event = rig_event(one);
	take_id(event, id);
	assert_holds(event, "\nretry: 2000\ndata: \n\n");
	two = get(session, "");
	assert_holds(rig_event(two), "retry");
	change();
	event = rig_event(one);
	take_id(event, next);
	assert_string_not_equal(id, next);
	assert_holds(event,
	    "\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
	event = rig_event(before); /* its first: no priming */
	assert_holds(event, "list_changed");
	/* nothing came on the second; it is what is left when the first is gone */
	vanish(one);
	turn();
	change();
	event = rig_event(two);
	take_id(event, id);
	assert_holds(event, "-1\nevent: message");
	close(two);
	close(before);
}

/* What was missed comes again, in order, on that stream alone. */
static void
test_coming_back(void **state)
{
	char first[64], second[64], third[64], last[64];
	int s, again;

	(void)state;
	s = get(session, "");
	take_id(rig_event(s), first);
	change();
	take_id(rig_event(s), second);
	vanish(s);
	turn();
	change();
	change();
	/* after the one it saw last: two; after the first, all three */
	s = get(session, second);
	take_id(rig_event(s), third);
	take_id(rig_event(s), last);
	assert_string_not_equal(second, third);
	vanish(s);
	turn();
	s = get(session, first);
	take_id(rig_event(s), last);
	assert_string_equal(last, second);
	take_id(rig_event(s), last);
	assert_string_equal(last, third);
	rig_event(s);
	/* the client comes back although we still think it is there: the old connection ends */
	again = get(session, third);
	assert_true(rig_closed(s));
	assert_holds(rig_event(again), "list_changed");
	change();
	assert_holds(rig_event(again), "list_changed");
	close(s);
	vanish(again);
	turn();
	/* whoever lost the id as well still hears what nobody was told */
	change();
	s = get(session, "");
	assert_holds(rig_event(s), "retry");
	assert_holds(rig_event(s), "list_changed");
	close(s);
}

/* Of a session that is not the stream's, an id opens nothing. */
static void
test_foreign_stream(void **state)
{
	char own[64], foreign[128];
	struct reply a;
	int s;

	(void)state;
	send_post(fd, BOTH, SQL("progress"));
	a = rig_read(fd);
	take_id(a.body, own);
	snprintf(foreign, sizeof(foreign), "%s", rig_session(fd, "2025-11-25"));
	s = get(foreign, own);
	assert_string_equal(rig_event(s), "");
	close(s);
	s = get(session, own);
	assert_holds(rig_event(s), "progress");
	close(s);
}

static void
test_too_many(void **state)
{
	int s[5];

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		s[i] = get(session, "");
		assert_holds(rig_event(s[i]), "retry");
	}
	assert_string_equal(rig_event(s[0]), ""); /* the oldest ended */
	change();
	assert_holds(rig_event(s[1]), "list_changed");
	for (size_t i = 0; i < 5; i++)
		close(s[i]);
}

/* --- POST ----------------------------------------------------------------------------------- */

/* All of a finished stream can be had again; after its last event there is nothing. */
static void
test_replay_of_reply(void **state)
{
	char id[64], last[64];
	struct reply a;
	const char *p;
	int s;

	(void)state;
	send_post(fd, BOTH, SQL("progress"));
	a = rig_read(fd);
	take_id(a.body, id);
	p = strstr(a.body, "\"result\":");
	assert_non_null(p);
	while (strncmp(p, "id: ", 4) != 0)
		p--;
	take_id(p, last);
	s = get(session, id);
	assert_holds(rig_event(s), "\"progress\":0.000");
	assert_holds(rig_event(s), "\"progress\":0.300");
	assert_holds(rig_event(s), "\"progress\":1.000");
	assert_holds(rig_event(s), "\"id\":5,\"result\":");
	assert_string_equal(rig_event(s), "");
	close(s);
	s = get(session, last);
	assert_string_equal(rig_event(s), "");
	close(s);
}

/* A slow answer comes on a stream; losing that is no cancellation, and the answer waits. */
static void
test_lost_while_serving(void **state)
{
	int s = rig_connect(r), cancels = fake_shared->cancels, begun = fake_shared->begun;
	char id[64];
	struct reply a;

	(void)state;
	send_post(s, BOTH, SQL("wait"));
	rig_until(r, &fake_shared->begun, begun + 1);
	rig_wind(r, CONN_SLOW_MS);
	a = rig_head(s);
	assert_string_equal(rig_header(&a, "Content-Type"), "text/event-stream");
	take_id(rig_event(s), id);
	vanish(s);
	s = get(session, id);
	fake_shared->let = 1;
	assert_holds(rig_event(s), "\"id\":5,\"result\":");
	assert_string_equal(rig_event(s), "");
	close(s);
	assert_int_equal(fake_shared->cancels, cancels);
}

/* The client left before anything was sent: the work goes on, its answer is nobody's. */
static void
test_lost_before(void **state)
{
	int s = rig_connect(r), cancels = fake_shared->cancels, begun = fake_shared->begun;
	struct reply a;

	(void)state;
	send_post(s, BOTH, SQL("wait"));
	rig_until(r, &fake_shared->begun, begun + 1);
	vanish(s);
	send_post(fd, BOTH, SQL("one")); /* waits for the only worker */
	rig_sync(r);
	fake_shared->let = 1;
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	assert_int_equal(fake_shared->cancels, cancels);
}

/* A large answer that broke off in the middle comes again, whole. */
static void
test_large_answer(void **state)
{
	int s = rig_connect(r);
	char id[64];
	const char *event;

	(void)state;
	send_post(s, "text/event-stream", SQL("rows 40000 100"));
	rig_head(s);
	take_id(rig_event(s), id);
	vanish(s); /* megabytes unread */
	s = get(session, id);
	while (strstr(event = rig_event(s), "\"result\"") == NULL)
		assert_string_not_equal(event, "");
	assert_holds(event, "\\\"xxx");
	assert_holds(event, "[39999,\"xxx");
	assert_string_equal(rig_event(s), "");
	close(s);
}

/* --- ends -------------------------------------------------------------------------------------- */

static void
test_delete(void **state)
{
	int s = get(session, ""), busy = rig_connect(r), begun = fake_shared->begun, cancels = fake_shared->cancels;
	char text[400], id[64];
	struct reply a;

	(void)state;
	take_id(rig_event(s), id);
	send_post(busy, BOTH, SQL("wait"));
	rig_until(r, &fake_shared->begun, begun + 1);
	snprintf(text, sizeof(text), "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n", session);
	rig_send(fd, text);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_event(s), "");
	rig_until(r, &fake_shared->cancels, cancels + 1);
	snprintf(text, sizeof(text), "Accept: text/event-stream\r\nLast-Event-ID: %s\r\n%s", id, session);
	send_get(fd, text);
	a = rig_read(fd);
	assert_int_equal(a.status, 404);
	close(s);
	close(busy);
}

/* Ended by another front: its streams end here too. */
static void
test_ended_elsewhere(void **state)
{
	struct rig *first = r;
	char text[300];
	int s = get(session, "");

	(void)state;
	assert_holds(rig_event(s), "retry");
	snprintf(text, sizeof(text), "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n", session);
	r = rig_start(&(struct rig_options){ .token = NULL }); /* with the same key */
	close(fd);
	fd = rig_connect(r);
	rig_send(fd, text);
	assert_int_equal(rig_read(fd).status, 200);
	rig_sync(r);
	assert_int_equal(r->ended, 1);
	rig_say(first, IPC_MSG_SESSION_ENDED, &(struct ipc_session_ended){
	    .id = span_of(r->ended_id, r->ended_len), .expires_unix_s = UINT64_MAX });
	assert_string_equal(rig_event(s), "");
	close(s);
	rig_stop(first);
}

/* Another front asks whether a session is in use here: it is told so, and nothing of others. */
static void
test_asked_by_another(void **state)
{
	uint8_t raw[64];
	size_t n;

	(void)state;
	close(fd);
	rig_stop(r);
	r = rig_start(&(struct rig_options){ .token = NULL, .fronts = 2 });
	fd = rig_connect(r);
	snprintf(session, sizeof(session), "%s", rig_session(fd, "2025-11-25"));
	assert_int_equal(sodium_base642bin(raw, sizeof(raw), session + 16, strcspn(session + 16, "\r"), NULL, &n, NULL,
			     sodium_base64_VARIANT_URLSAFE_NO_PADDING),
	    0);
	rig_say(r, IPC_MSG_SESSION_USE, &(struct ipc_session_use){ .id = span_of(raw, 26), .asks = 1 });
	rig_sync(r);
	assert_int_equal(r->session_uses, 1);
	raw[25] ^= 1;
	rig_say(r, IPC_MSG_SESSION_USE, &(struct ipc_session_use){ .id = span_of(raw, 26), .asks = 1 });
	rig_say(r, IPC_MSG_SESSION_USE, &(struct ipc_session_use){ .id = span_of(raw, 26), .asks = 0 });
	rig_sync(r);
	assert_int_equal(r->session_uses, 1);
}

/* Another front, or the one after a crash: the session goes on, what was kept is gone. */
static void
test_new_front(void **state)
{
	struct rig *first = r;
	char id[64], reply[64];
	struct reply a;
	int s = get(session, "");

	(void)state;
	take_id(rig_event(s), id);
	send_post(fd, BOTH, SQL("progress"));
	a = rig_read(fd);
	take_id(a.body, reply);
	close(s);
	close(fd);
	rig_stop(first);
	other = false;
	r = rig_start(&(struct rig_options){ .token = NULL });
	fd = rig_connect(r);
	s = get(session, reply); /* nothing is known of it: it ends, it hangs nobody */
	assert_string_equal(rig_event(s), "");
	close(s);
	s = get(session, id); /* goes on as a new one */
	take_id(rig_event(s), reply);
	assert_string_not_equal(id, reply);
	change();
	assert_holds(rig_event(s), "list_changed");
	close(s);
}

static void
test_shutdown(void **state)
{
	int s = get(session, "");

	(void)state;
	assert_holds(rig_event(s), "retry");
	rig_say(r, IPC_MSG_SHUTDOWN, &(struct ipc_shutdown){ .grace_ms = 5000 });
	assert_string_equal(rig_event(s), "");
	assert_true(rig_closed(s));
	close(s);
	assert_int_equal(rig_end(r, 0), 0);
}

/* A client that does not read is cut off; the front holds no more than its ceiling for it. */
static void
test_never_reads(void **state)
{
	int s = rig_connect(r), small = 2048;
	struct buf b = { .max = 0 }, body = { .max = 0 };
	char name[1001];
	struct reply a;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	setsockopt(s, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	buf_printf(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"subscriptions/listen\",\"params\":{"
	    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{}},\"notifications\":{\"toolsListChanged\":true}}}",
	    name);
	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: " BOTH
	    "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: %zu\r\n\r\n",
	    body.len);
	buf_span(&b, buf_view(&body));
	rig_send_n(s, b.p, b.len);
	for (int i = 0; i < 20000 && strstr(buf_cstr(&r->said), "does not read") == NULL; i++)
		change();
	assert_holds(buf_cstr(&r->said), "cut off a client that does not read");
	/* everybody else is served */
	a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(a.status, 200);
	buf_fini(&b);
	buf_fini(&body);
	close(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_standing, begin, end),
		cmocka_unit_test_setup_teardown(test_coming_back, begin, end),
		cmocka_unit_test_setup_teardown(test_foreign_stream, begin, end),
		cmocka_unit_test_setup_teardown(test_too_many, begin, end),
		cmocka_unit_test_setup_teardown(test_replay_of_reply, begin, end),
		cmocka_unit_test_setup_teardown(test_lost_while_serving, begin, end),
		cmocka_unit_test_setup_teardown(test_lost_before, begin, end),
		cmocka_unit_test_setup_teardown(test_large_answer, begin, end),
		cmocka_unit_test_setup_teardown(test_delete, begin, end),
		cmocka_unit_test_setup_teardown(test_ended_elsewhere, begin, end),
		cmocka_unit_test_setup_teardown(test_asked_by_another, begin, end),
		cmocka_unit_test_setup_teardown(test_new_front, begin, end),
		cmocka_unit_test_setup_teardown(test_shutdown, begin, end),
		cmocka_unit_test_setup_teardown(test_never_reads, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
