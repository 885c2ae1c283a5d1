// libs: carrel_front_rig carrel_policy
/* test_front_limits.c - calls that carrel-auth lets begin, and what ends with a credential. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "front/mcp/admission.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/front_worker.h"

#define CALL_SQL(id, sql)	RPC(id, "tools/call",								\
	"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"" sql "\"}," META)
#define OLD_SQL(id, sql)	RPC(id, "tools/call",								\
	"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"" sql "\"}")
#define MODERN		"MCP-Protocol-Version: 2026-07-28\r\n"
#define SQL_AS(token)	MODERN "Mcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n" AS(token)
#define READ_AS(token)	MODERN "Mcp-Method: resources/read\r\nMcp-Name: fake:x\r\n" AS(token)
#define ROW(name)	"{\"name\":\"" name "\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}," \
	"\"hints\":5,\"budgetMs\":10000}"
#define READ		RPC("5", "resources/read", "\"uri\":\"fake:x\"," META)

static struct rig *r;
static int fd;

static void
set_up_with(const struct rig_options *o)
{
	fake_shared->cancels = fake_shared->begun = 0;
	r = rig_start(o);
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SEARCH, "");
	rig_offer(r, IPC_SEARCH,
	    "[" ROW("resources_list") "," ROW("resource_templates_list") "," ROW("resource_read") "]");
	auth_start(r);
	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	auth_token(r, &(struct played_token){ .text = TOKEN_B, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	auth_token(r,
	    &(struct played_token){ .text = TOKEN_C, .scopes = POLICY_SCOPE_RESEARCH_READ, .keep_ms = 60000 });
	fd = rig_connect(r);
}

static int
set_up(void **state)
{
	(void)state;
	set_up_with(&(struct rig_options){ .token = "static" });
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	close(fd);
	rig_stop(r);
	return 0;
}

static void
await(_Atomic int *value, int wanted)
{
	rig_until(r, value, wanted);
	assert_int_equal(*value, wanted);
}

static void
post_at(int to, const char *path, const char *headers, const char *body)
{
	char head[1024];

	snprintf(head, sizeof(head),
	    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n%s\r\n",
	    path, strlen(body), headers);
	rig_send(to, head);
	rig_send(to, body);
}

static void
send_to(int to, const char *headers, const char *body)
{
	post_at(to, "/mcp", headers, body);
}

static struct reply
sql(void)
{
	return rig_post(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
}

/* --- admission ------------------------------------------------------------------------------ */

static void
test_admitted(void **state)
{
	(void)state;
	assert_holds(sql().body, "\"rowCount\":1");
	await(&r->auth->releases, 1);
	assert_int_equal(r->auth->admits, 1);
	assert_int_equal(r->auth->sql, 1);
	assert_int_equal(rig_post(fd, READ_AS(TOKEN_A), READ).status, 200);
	await(&r->auth->releases, 2);
	assert_int_equal(r->auth->sql, 1);
	/* the owner's own are not counted unless that is configured */
	assert_holds(rig_post(fd, SQL_AS("static"), CALL_SQL("1", "one")).body, "\"rowCount\":1");
	assert_int_equal(r->auth->admits, 2);
	/* who lacks the scope is told so, and nothing is counted; the rate comes before the arguments */
	assert_int_equal(rig_post(fd, SQL_AS(TOKEN_C), CALL_SQL("1", "one")).status, 403);
	assert_int_equal(r->auth->admits, 2);
	assert_holds(rig_post(fd, SQL_AS(TOKEN_A),
			 RPC("3", "tools/call", "\"name\":\"sql_execution\",\"arguments\":{}," META))
			 .body,
	    "invalid_arguments");
	await(&r->auth->releases, 3);
	assert_int_equal(r->auth->admits, 3);
}

static void
test_refused(void **state)
{
	struct reply a;

	(void)state;
	r->auth->admission = IPC_ADMISSION_RATE;
	r->auth->retry_after = 17;
	a = sql();
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"rate_limited\"");
	assert_holds(a.body, "\"details\":{\"retry_after_s\":17}");
	assert_holds(a.body, "\"isError\":true");
	a = rig_post(fd, READ_AS(TOKEN_A), READ);
	assert_int_equal(a.status, 429);
	assert_string_equal(rig_header(&a, "Retry-After"), "17");
	assert_holds(a.body, "\"code\":\"rate_limited\"");
	r->auth->admission = IPC_ADMISSION_IN_FLIGHT;
	assert_holds(sql().body, "\"code\":\"rate_limited\"");
	r->auth->admission = IPC_ADMISSION_ENDED;
	assert_holds(sql().body, "\"code\":\"auth_revoked\"");
	assert_int_equal(r->auth->releases, 0);
	assert_int_equal(fake_shared->begun, 0);
}

/* Older sessions, too: a session that is held back is told so with 429. */
static void
test_refused_legacy(void **state)
{
	char session[256];
	struct reply a;

	(void)state;
	a = rig_post(fd, AS(TOKEN_A),
	    RPC("1", "initialize",
		"\"protocolVersion\":\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":"
		"\"1\"}"));
	snprintf(session, sizeof(session), "Mcp-Session-Id: %s\r\n" AS(TOKEN_A), rig_header(&a, "Mcp-Session-Id"));
	/* a batch waits for all of its calls */
	r->auth->silent = true;
	send_to(fd, session, "[" OLD_SQL("1", "one") "," OLD_SQL("2", "rows 3 1") "]");
	await(&r->auth->admits, 2);
	for (uint64_t id = r->auth->last_id - 1; id <= r->auth->last_id; id++)
		auth_say(r, IPC_MSG_ADMITTED, id, &(struct ipc_admitted){ .admission = IPC_ADMISSION_GRANTED });
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"rowCount\":1");
	assert_holds(a.body, "\"rowCount\":3");
	await(&r->auth->releases, 2);
	r->auth->silent = false;
	r->auth->admission = IPC_ADMISSION_RATE;
	r->auth->retry_after = 3;
	assert_holds(rig_post(fd, session, OLD_SQL("1", "one")).body, "\"code\":\"rate_limited\"");
	a = rig_post(fd, session, RPC("5", "resources/read", "\"uri\":\"fake:x\""));
	assert_int_equal(a.status, 429);
	assert_string_equal(rig_header(&a, "Retry-After"), "3");
}

static void
test_waiting(void **state)
{
	(void)state;
	assert_int_equal(rig_post(fd, SQL_AS(TOKEN_A), RPC("1", "nothing", META)).status,
	    400); /* verified, and remembered */
	r->auth->silent = true;
	/* the message is gone when it goes on, its arguments are not */
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("77", "rows 5 3"));
	await(&r->auth->admits, 1);
	auth_say(r, IPC_MSG_ADMITTED, r->auth->last_id, &(struct ipc_admitted){ .admission = IPC_ADMISSION_GRANTED });
	assert_holds(rig_read(fd).body, "\"rowCount\":5");
	await(&r->auth->releases, 1);
	/* a client that leaves gives back what is granted too late */
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
	await(&r->auth->admits, 2);
	close(fd);
	rig_sync(r);
	auth_say(r, IPC_MSG_ADMITTED, r->auth->last_id, &(struct ipc_admitted){ .admission = IPC_ADMISSION_GRANTED });
	await(&r->auth->releases, 2);
	fd = rig_connect(r);
	/* the channel is lost: asked again */
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
	await(&r->auth->admits, 3);
	auth_lose(r);
	r->auth->silent = false;
	auth_start(r);
	assert_holds(rig_read(fd).body, "\"rowCount\":1");
	await(&r->auth->releases, 3);
	assert_int_equal(r->auth->admits, 4);
	/* the next carrel-auth is told what an older channel granted, and of its end */
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "wait"));
	await(&r->auth->admits, 5);
	await(&fake_shared->begun, 3);
	auth_lose(r);
	auth_start(r);
	await(&r->auth->held, 1);
	fake_shared->let = 1;
	assert_int_equal(rig_read(fd).status, 200);
	await(&r->auth->releases, 4);
	assert_int_equal(r->auth->held, 1);
	assert_int_equal(r->auth->admits, 5);
	assert_int_equal(r->complaints, 0);
}

static void
test_patience(void **state)
{
	struct reply a;

	(void)state;
	assert_holds(sql().body, "\"rowCount\":1");
	r->auth->silent = true;
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
	await(&r->auth->admits, 2);
	rig_wind(r, ADMIT_MS);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"service_unavailable\"");
	r->auth->silent = false;
	assert_holds(sql().body, "\"rowCount\":1");
}

/* No more wait than may be in flight. */
static void
test_waiting_limit(void **state)
{
	int fds[5];
	struct reply a;

	(void)state;
	set_up_with(&(struct rig_options){ .token = "static", .in_flight = 4 });
	r->auth->silent = true;
	for (int i = 0; i < 4; i++) {
		fds[i] = rig_connect(r);
		send_to(fds[i], SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
		if (i == 0) {
			await(&r->auth->verifies, 1);
			auth_say(r, IPC_MSG_VERIFIED, r->auth->last_id, &(struct ipc_verified){ .keep_ms = 60000,
			    .verdict = IPC_VERDICT_GOOD, .principal = SPAN("token:aaaaaaaa"),
			    .scopes = POLICY_SCOPES_TOKEN });
		}
	}
	await(&r->auth->admits, 4);
	a = sql();
	assert_holds(a.body, "\"code\":\"rate_limited\"");
	assert_int_equal(r->auth->admits, 4);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	r->auth->silent = false;
	rig_sync(r);
	assert_holds(sql().body, "\"rowCount\":1");
	tear_down(NULL);
}

/* Several fronts: what everybody may do is counted over all. */
static void
test_counted(void **state)
{
	(void)state;
	set_up_with(&(struct rig_options){ .token = "static", .fronts = 2 });
	assert_holds(rig_post(fd, SQL_AS("static"), CALL_SQL("1", "one")).body, "\"rowCount\":1");
	await(&r->auth->releases, 1);
	assert_int_equal(r->auth->admits, 1);
	tear_down(NULL);
}

/* --- the end of a credential ------------------------------------------------------------------- */

static void
revoke_token(const char *token, const char *principal)
{
	auth_set(r, token, IPC_VERDICT_REVOKED);
	auth_say(r, IPC_MSG_END, 9, &(struct ipc_end){ .principal = span_str(principal),
	    .verdict = IPC_VERDICT_REVOKED });
}

static void
test_revoked(void **state)
{
	int other = rig_connect(r), third = rig_connect(r);
	struct reply a;

	(void)state;
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "wait"));
	send_to(other, SQL_AS(TOKEN_B), CALL_SQL("1", "wait"));
	await(&fake_shared->begun, 2);
	/* its own connection, open and idle */
	a = rig_post(third, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n" AS(TOKEN_A),
	    RPC("2", "tools/list", META));
	assert_int_equal(a.status, 200);
	revoke_token(TOKEN_A, "token:aaaaaaaa");
	a = rig_read(fd);
	assert_holds(a.body, "\"code\":\"auth_revoked\"");
	assert_holds(a.body, "\"isError\":true");
	await(&fake_shared->cancels, 1);
	await(&r->auth->ended, 1);
	assert_int_equal(r->auth->last_ended.calls, 1);
	assert_int_equal(r->auth->last_ended.sessions, 0);
	/* the next request on every open connection */
	a = rig_post(third, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
	assert_int_equal(a.status, 401);
	assert_holds(a.body, "\"code\":\"auth_revoked\"");
	a = sql();
	assert_int_equal(a.status, 401);
	/* others never notice */
	fake_shared->let = 1;
	assert_int_equal(rig_read(other).status, 200);
	assert_holds(rig_post(other, SQL_AS(TOKEN_B), CALL_SQL("1", "one")).body, "\"rowCount\":1");
	assert_int_equal(fake_shared->cancels, 1);
	/* one that nobody knows here */
	revoke_token(TOKEN_C, "token:c3c3c3c3");
	await(&r->auth->ended, 2);
	assert_int_equal(r->auth->last_ended.calls, 0);
	close(other);
	close(third);
}

/* Sessions with a standing stream, HTTP+SSE, streams of changes, and lines. */
static void
test_revoked_streams(void **state)
{
	int stream = rig_connect(r), sse = rig_connect(r), listen = rig_connect(r), local = rig_local(r);
	char session[256], get[512];
	struct reply a;

	(void)state;
	a = rig_post(fd, AS(TOKEN_A),
	    RPC("1", "initialize",
		"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":"
		"\"1\"}"));
	snprintf(session, sizeof(session), "Mcp-Session-Id: %s\r\n", rig_header(&a, "Mcp-Session-Id"));
	snprintf(get, sizeof(get),
	    "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" AS(TOKEN_A) "%s\r\n", session);
	rig_send(stream, get);
	assert_int_equal(rig_head(stream).status, 200);
	rig_send(sse, "GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" AS(TOKEN_A) "\r\n");
	assert_int_equal(rig_head(sse).status, 200);
	assert_holds(rig_event(sse), "endpoint");
	send_to(listen, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n" AS(TOKEN_A),
	    RPC("8", "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}," META));
	assert_int_equal(rig_head(listen).status, 200);
	assert_holds(rig_event(listen), "acknowledged");
	rig_send(local, RPC("1", "carrel/hello", "\"client\":\"stdio\",\"token\":\"" TOKEN_A "\"") "\n");
	assert_holds(rig_line(local), "token:aaaaaaaa");
	rig_send(local, CALL_SQL("2", "wait") "\n");
	snprintf(get, sizeof(get), "%s" AS(TOKEN_A), session);
	send_to(fd, get, OLD_SQL("4", "wait"));
	await(&fake_shared->begun, 2);
	revoke_token(TOKEN_A, "token:aaaaaaaa");
	assert_holds(rig_read(fd).body, "\"code\":\"auth_revoked\"");
	assert_holds(rig_line(local), "\"code\":\"auth_revoked\"");
	assert_holds(rig_event(listen), "auth_revoked");
	assert_string_equal(rig_event(listen), "");
	assert_holds(rig_event(stream), "retry:"); /* its first, and its last */
	assert_string_equal(rig_event(stream), "");
	assert_true(rig_closed(sse));
	await(&fake_shared->cancels, 2);
	await(&r->auth->ended, 1);
	assert_int_equal(r->auth->last_ended.calls, 2);
	assert_int_equal(r->auth->last_ended.sessions, 2);
	assert_int_equal(r->auth->last_ended.streams, 3);
	/* the next message, on every one of them */
	assert_int_equal(rig_post(fd, get, RPC("1", "ping", "")).status, 401);
	rig_send(local, CALL_SQL("3", "one") "\n");
	assert_holds(rig_line(local), "\"code\":\"auth_revoked\"");
	assert_true(rig_closed(local));
	close(stream);
	close(sse);
	close(listen);
	close(local);
	assert_int_equal(r->complaints, 0);
}

/* The answer to a call goes out on its session's one stream before that ends. */
static void
test_revoked_sse(void **state)
{
	int sse = rig_connect(r);
	char path[256];
	const char *event;
	struct reply a;

	(void)state;
	rig_send(sse, "GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" AS(TOKEN_A) "\r\n");
	assert_int_equal(rig_head(sse).status, 200);
	event = strstr(rig_event(sse), "data: ") + 6;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(event, "\n"), event);
	post_at(fd, path, AS(TOKEN_A), OLD_SQL("4", "wait"));
	a = rig_read(fd);
	assert_int_equal(a.status, 202);
	await(&fake_shared->begun, 1);
	revoke_token(TOKEN_A, "token:aaaaaaaa");
	assert_holds(rig_event(sse), "\"code\":\"auth_revoked\"");
	assert_true(rig_closed(sse));
	await(&r->auth->ended, 1);
	assert_int_equal(r->auth->last_ended.calls, 1);
	assert_int_equal(r->auth->last_ended.sessions, 1);
	assert_int_equal(r->auth->last_ended.streams, 1);
	close(sse);
}

/* It ends while its call waits until it may begin, and while its request waits for a verdict. */
static void
test_revoked_waiting(void **state)
{
	struct reply a;

	(void)state;
	assert_holds(sql().body, "\"rowCount\":1");
	r->auth->silent = true;
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
	await(&r->auth->admits, 2);
	revoke_token(TOKEN_A, "token:aaaaaaaa");
	a = rig_read(fd);
	assert_int_equal(a.status, 401);
	assert_holds(a.body, "\"code\":\"auth_revoked\"");
	auth_say(r, IPC_MSG_ADMITTED, r->auth->last_id, &(struct ipc_admitted){ .admission = IPC_ADMISSION_GRANTED });
	await(&r->auth->releases, 2);
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
	await(&r->auth->verifies, 2);
	auth_say(r, IPC_MSG_VERIFIED, r->auth->last_id, &(struct ipc_verified){ .verdict = IPC_VERDICT_REVOKED });
	assert_int_equal(rig_read(fd).status, 401);
	assert_int_equal(fake_shared->begun, 1);
}

/* Its scopes are others from now on: sessions and calls stay. */
static void
test_changed_scopes(void **state)
{
	struct reply a;

	(void)state;
	send_to(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "wait"));
	await(&fake_shared->begun, 1);
	auth_say(r, IPC_MSG_END, 9, &(struct ipc_end){ .principal = SPAN("token:aaaaaaaa"),
	    .scopes = POLICY_SCOPE_RESEARCH_READ, .verdict = IPC_VERDICT_GOOD });
	fake_shared->let = 1;
	assert_int_equal(rig_read(fd).status, 200);
	assert_int_equal(fake_shared->cancels, 0);
	a = sql(); /* asked anew */
	assert_int_equal(r->auth->verifies, 2);
	assert_holds(a.body, "\"rowCount\":1");
}

/* --- a flood ---------------------------------------------------------------------------------------- */

/* Beside hundreds of wrong ones from the same address a good one is never refused. */
static void
test_flood(void **state)
{
	uint64_t until = clock_ns() + 60 * CLOCK_SECOND;
	unsigned served = 0;
	pid_t flood;

	(void)state;
	auth_say(r, IPC_MSG_BLOCK, 0, &(struct ipc_block){ .address = SPAN("unknown"), .seconds = 60 });
	if ((flood = fork()) == 0) {
		int to = rig_connect(r);

		for (unsigned i = 0;; i++) {
			char token[64], fields[128];

			snprintf(token, sizeof(token), "crlmcp_zzzzzzzz_%032x", i);
			snprintf(fields, sizeof(fields), "Authorization: Bearer %s\r\n", token);
			if (rig_post(to, fields, CALL_SQL("1", "one")).status == 0)
				_exit(1);
			if (i % 10 == 9)
				usleep(5000);
		}
	}
	for (; (r->auth->verifies <= 300 || served <= 100) && clock_ns() < until; served++)
		assert_holds(sql().body, "\"rowCount\":1");
	kill(flood, SIGKILL);
	waitpid(flood, NULL, 0);
	print_message("%d wrong ones, %u calls of a good one\n", r->auth->verifies - 1, served);
	assert_true(r->auth->verifies > 300);
	assert_true(served > 100);
	assert_int_equal(r->complaints, 0);
}

int
main(void)
{
#define ONE(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ONE(test_admitted), ONE(test_refused), ONE(test_refused_legacy), ONE(test_waiting), ONE(test_patience),
		cmocka_unit_test(test_waiting_limit), cmocka_unit_test(test_counted), ONE(test_revoked),
		ONE(test_revoked_streams), ONE(test_revoked_sse), ONE(test_revoked_waiting), ONE(test_changed_scopes),
		ONE(test_flood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
