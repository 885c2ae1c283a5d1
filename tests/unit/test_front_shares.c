// libs: carrel_front_rig
/* test_front_shares.c - what all principals share: what one of them takes costs another one nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "front/wire/share.h"
#include "tests/unit/front_rig.h"

#define TOKEN	"Authorization: Bearer secret\r\n"	/* the greedy one; the other one is the owner without a token */
#define MODERN(method)	"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " method "\r\n"
#define TASKS	"\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}"
#define MODERN_META "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","		\
	"\"io.modelcontextprotocol/clientCapabilities\":{" TASKS "}}"
#define SQL(text) RPC("5", "tools/call", "\"name\":\"sql_execution\",\"arguments\":{"			\
	"\"connectionId\":\"warehouse\",\"sql\":\"" text "\"},\"_meta\":{\"progressToken\":0}")

static struct rig *r;

static int
begin(void **state)
{
	static const char tools[] =
	    "[{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},"
	    "\"hints\":1,\"budgetMs\":20000},"
	    "{\"name\":\"resources_list\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}]";

	(void)state;
	r = rig_start(&(struct rig_options){ .token = "secret", .open_too = true });
	rig_offer(r, IPC_SEARCH, tools);
	rig_worker(r, IPC_SEARCH, "");
	rig_worker(r, IPC_SQL, "warehouse");
	return 0;
}

static int
end(void **state)
{
	(void)state;
	rig_stop(r);
	return 0;
}

static void
test_rule(void **state)
{
	uint64_t own[4] = { 0 }, all = 0;

	(void)state;
	assert_true(share_allows(0, 0, 1, 1));
	assert_false(share_allows(0, 0, 2, 1));
	assert_false(share_allows(0, 1, 1, 1));
	assert_false(share_allows(0, 2, 0, 1));
	assert_false(share_allows(UINT64_MAX, 0, 1, 10));
	assert_false(share_allows(0, 0, UINT64_MAX, 10));
	/* four greedy ones, each for as long as it gets something: the last still gets its part */
	for (size_t i = 0; i < 4; i++) {
		for (; share_allows(own[i], all, 1, 1000); all++)
			own[i]++;
		assert_in_range(own[i], 1000u >> (i + 1), 1000);
	}
	assert_in_range(all, 900, 999);
}

/* --- streams -------------------------------------------------------------------------------- */

static void
post(int fd, const char *session, const char *who, const char *body)
{
	struct buf b = { .max = 0 };

	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: text/event-stream\r\nContent-Length: %zu\r\n%s%s\r\n%s",
	    strlen(body), session, who, body);
	rig_send_n(fd, b.p, b.len);
	buf_fini(&b);
}

/* A session of whoever this header is. */
static void
open_session(const char *who, char header[128])
{
	int fd = rig_connect(r);
	char fields[256];
	struct reply a;

	snprintf(fields, sizeof(fields), "%s", who);
	a = rig_post(fd, fields,
	    RPC("0", "initialize",
		"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
		"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}"));
	assert_int_equal(a.status, 200);
	snprintf(header, 128, "Mcp-Session-Id: %s\r\n", rig_header(&a, "Mcp-Session-Id"));
	close(fd);
}

/* The first event's id of the stream on fd. */
static void
first_id(int fd, char id[64])
{
	struct reply a = rig_head(fd);
	const char *event;

	assert_int_equal(a.status, 200);
	event = rig_event(fd);
	assert_true(strncmp(event, "id: ", 4) == 0);
	snprintf(id, 64, "%.*s", (int)strcspn(event + 4, "\n"), event + 4);
}

/* What follows that event on its stream; "" when nothing is kept. */
static const char *
come_back(const char *session, const char *who, const char *id, int *fd)
{
	char text[512];

	*fd = rig_connect(r);
	snprintf(text, sizeof(text),
	    "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
	    "Last-Event-ID: %s\r\n%s%s\r\n",
	    id, session, who);
	rig_send(*fd, text);
	assert_int_equal(rig_head(*fd).status, 200);
	return rig_event(*fd);
}

static void
test_streams(void **state)
{
	char theirs[128], own[128], id[64], ids[8][64];
	int fds[8], fd = rig_connect(r);

	(void)state;
	open_session("", own);
	open_session(TOKEN, theirs);
	post(fd, own, "", SQL("progress"));
	first_id(fd, id);
	close(fd);
	/* more than all may keep, which nobody reads */
	for (size_t i = 0; i < 8; i++) {
		fds[i] = rig_connect(r);
		post(fds[i], theirs, TOKEN, SQL("rows 7000 1000"));
		first_id(fds[i], ids[i]);
	}
	rig_pump(r, 300);
	assert_holds(come_back(own, "", id, &fd), "progress");
	close(fd);
	/* it is the greedy one's first that had to go */
	assert_string_equal(come_back(theirs, TOKEN, ids[0], &fd), "");
	close(fd);
	for (size_t i = 0; i < 8; i++)
		close(fds[i]);
}

/* --- tasks ------------------------------------------------------------------------------------ */

static struct reply
ask(int fd, const char *who, const char *method, const char *name, const char *params)
{
	struct buf head = { .max = 0 }, body = { .max = 0 };
	struct reply a;

	buf_printf(&head, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\nMcp-Name: %s\r\n%s", method, name,
	    who);
	buf_printf(&body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s," MODERN_META "}}", method,
	    params);
	a = rig_post(fd, buf_cstr(&head), buf_cstr(&body));
	buf_fini(&head);
	buf_fini(&body);
	return a;
}

static void
make_task(int fd, const char *who, const char *key, char id[64])
{
	char params[256];
	struct reply a;
	const char *p;

	snprintf(params, sizeof(params), "\"name\":\"wiki_read\",\"arguments\":{\"key\":\"%s\"}", key);
	a = ask(fd, who, "tools/call", "wiki_read", params);
	p = strstr(a.body, "\"taskId\":\"");
	assert_non_null(p);
	snprintf(id, 64, "%.*s", (int)strcspn(p + 10, "\""), p + 10);
}

/* On a connection of its own: a large outcome is not read to its end. */
static bool
has_outcome(const char *who, const char *id)
{
	char params[128];
	struct reply a = { .body = NULL };
	bool has = false;

	snprintf(params, sizeof(params), "\"taskId\":\"%s\"", id);
	for (unsigned i = 0; i < RIG_PATIENCE_MS / 50; i++) {
		int fd = rig_connect(r);

		a = ask(fd, who, "tasks/get", id, params);
		close(fd);
		if (strstr(a.body, "\"status\":\"working\"") == NULL)
			break;
		rig_pump(r, 50);
	}
	has = strstr(a.body, "\"result\":{\"content") != NULL;
	assert_true(has || strstr(a.body, "\"code\":-32602") != NULL);
	return has;
}

static void
test_tasks(void **state)
{
	int own = rig_connect(r), fd = rig_connect(r);
	char id[64], ids[12][64];

	(void)state;
	make_task(own, "", "long", id);
	assert_true(has_outcome("", id));
	for (size_t i = 0; i < 12; i++) {
		make_task(fd, TOKEN, "long rows 7000 1000", ids[i]);
		assert_true(has_outcome(TOKEN, ids[i]));
	}
	rig_pump(r, 1200);
	assert_true(has_outcome("", id));
	assert_false(has_outcome(TOKEN, ids[0]));
	assert_true(has_outcome(TOKEN, ids[11]));
	close(fd);
	close(own);
}

/* --- subscriptions ------------------------------------------------------------------------------ */

/* A listen stream of 256 resources.  False: refused. */
static bool
listen_for_many(const char *who, int *fd)
{
	struct buf body = { .max = 0 }, b = { .max = 0 };
	struct reply a;
	bool done;

	buf_str(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{" META
	    ",\"notifications\":{\"resourceSubscriptions\":[");
	for (unsigned i = 0; i < 256; i++)
		buf_printf(&body, "%s\"carrel://wiki/%u\"", i > 0 ? "," : "", i);
	buf_str(&body, "]}}}");
	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\n" MODERN(
		"subscriptions/listen") "%sContent-Length: %zu\r\n\r\n",
	    who, body.len);
	buf_span(&b, buf_view(&body));
	*fd = rig_connect(r);
	rig_send_n(*fd, b.p, b.len);
	a = rig_head(*fd);
	done = a.chunked;
	if (done)
		assert_holds(rig_event(*fd), "notifications/subscriptions/acknowledged");
	else
		close(*fd);
	buf_fini(&body);
	buf_fini(&b);
	return done;
}

static void
test_subscriptions(void **state)
{
	int fds[400], own[8];
	size_t n = 0;

	(void)state;
	while (n < 300 && listen_for_many(TOKEN, &fds[n]))
		n++;
	assert_in_range(n, 100, 256);
	for (size_t i = 0; i < 8; i++)
		assert_true(listen_for_many("", &own[i]));
	/* what is given back is there again, for either */
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	rig_pump(r, 300);
	for (n = 0; n < 100; n++)
		assert_true(listen_for_many(TOKEN, &fds[n]));
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	for (size_t i = 0; i < 8; i++)
		close(own[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule),
		cmocka_unit_test_setup_teardown(test_streams, begin, end),
		cmocka_unit_test_setup_teardown(test_tasks, begin, end),
		cmocka_unit_test_setup_teardown(test_subscriptions, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
