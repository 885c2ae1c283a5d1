// libs: carrel_front_rig carrel_policy
/* test_front_audit.c - what a front puts on record, and that nobody is answered before it is. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/front_worker.h"

#define CLIENT		"\"io.modelcontextprotocol/clientInfo\":{\"name\":\"probe\",\"version\":\"1.2\"}"
#define CALL_SQL(id, sql)	RPC(id, "tools/call",								\
	"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"" sql "\"}," META)
#define MODERN		"MCP-Protocol-Version: 2026-07-28\r\n"
#define SQL		MODERN "Mcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n"
#define SQL_AS(token)	SQL AS(token)
#define READ_AS(token)	MODERN "Mcp-Method: resources/read\r\nMcp-Name: fake:x\r\n" AS(token)
#define READ		RPC("5", "resources/read", "\"uri\":\"fake:x\"," META)
#define ROW(name)	"{\"name\":\"" name "\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}," \
	"\"hints\":5,\"budgetMs\":10000}"

static struct rig *r;
static int fd;

static void
set_up_with(const struct rig_options *o)
{
	fake_shared->cancels = fake_shared->begun = 0;
	r = rig_start(o);
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SEARCH, "");
	rig_offer(r, IPC_SEARCH,
	    "[" ROW("resources_list") "," ROW("resource_templates_list") "," ROW("resource_read") "]");
	auth_start(r);
	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	auth_token(r,
	    &(struct played_token){ .text = TOKEN_C, .scopes = POLICY_SCOPE_RESEARCH_READ, .keep_ms = 60000 });
	fd = rig_connect(r);
}

static int
set_up(void **state)
{
	(void)state;
	set_up_with(&(struct rig_options){ .token = "static", .audited = true });
	return 0;
}

static int
set_up_warning(void **state)
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
send_call(int to)
{
	static const char body[] = CALL_SQL("1", "one");
	char head[1024];

	snprintf(head, sizeof(head),
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json\r\nContent-Length: %zu\r\n%s\r\n",
	    sizeof(body) - 1, SQL_AS("static"));
	rig_send(to, head);
	rig_send(to, body);
}

/* Nothing comes within ms. */
static bool
is_silent(int from, unsigned ms)
{
	struct pollfd p = { from, POLLIN, 0 };

	rig_wind(r, ms);
	return poll(&p, 1, 0) == 0;
}

/* The receipt in an answer; empty: there is none. */
static const char *
receipt_of(const struct reply *a)
{
	static char receipt[64];
	const char *at = strstr(a->body, "\"carrel/receipt\":\"");

	receipt[0] = '\0';
	if (at != NULL)
		sscanf(at + 18, "%63[^\"]", receipt);
	return receipt;
}

/* --- what an entry says --------------------------------------------------------------------------- */

static void
test_call(void **state)
{
	char receipt[80];
	const char *entry;
	struct reply a;

	(void)state;
	a = rig_post(fd, SQL_AS(TOKEN_A),
	    RPC("1", "tools/call",
		"\"name\":\"sql_execution\",\"arguments\":"
		"{\"connectionId\":\"warehouse\",\"sql\":\"one\"},\"_meta\":{"
		"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		"\"io.modelcontextprotocol/clientCapabilities\":{}," CLIENT ","
		"\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"}"));
	assert_int_equal(a.status, 200);
	snprintf(receipt, sizeof(receipt), "\"receipt\":\"%s\"", receipt_of(&a));
	assert_true(strlen(receipt) > sizeof("\"receipt\":\"\""));
	entry = auth_entry(r, 1);
	assert_holds(entry, receipt);
	assert_holds(entry,
	    "\"principal\":\"token:aaaaaaaa\",\"surface\":\"mcp\",\"action\":\"mcp.tool.call\","
	    "\"target\":\"sql_execution\",\"outcome\":\"ok\",\"code\":null,\"duration_ms\":");
	assert_holds(entry,
	    ",\"rows\":1,\"truncated\":false,\"statement\":\"one\",\"connection\":\"warehouse\","
	    "\"policy\":{\"scope\":\"research:query\",\"statement_sha256\":"
	    /* printf one | sha256sum */
	    "\"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed\"},"
	    "\"client\":\"probe 1.2\",\"address\":\"127.0.0.1\","
	    "\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\"");
}

static void
test_refused_calls(void **state)
{
	struct reply a;

	(void)state;
	/* a scope that is missing */
	a = rig_post(fd, SQL_AS(TOKEN_C), CALL_SQL("1", "one"));
	assert_int_equal(a.status, 403);
	assert_holds(auth_entry(r, 1), "\"outcome\":\"refused\",\"code\":\"scope_denied\"");
	assert_holds(auth_entry(r, 1), "\"principal\":\"token:c3c3c3c3\"");
	assert_holds(auth_entry(r, 1), "\"statement\":\"one\"");
	/* arguments that do not fit */
	rig_post(fd, SQL_AS("static"), RPC("1", "tools/call", "\"name\":\"sql_execution\",\"arguments\":{}," META));
	assert_holds(auth_entry(r, 2), "\"outcome\":\"refused\",\"code\":\"invalid_arguments\"");
	assert_holds(auth_entry(r, 2), "\"principal\":\"static\"");
	/* no such tool */
	rig_post(fd, MODERN "Mcp-Method: tools/call\r\nMcp-Name: nothing\r\n" AS("static"),
	    RPC("1", "tools/call", "\"name\":\"nothing\",\"arguments\":{}," META));
	assert_holds(auth_entry(r, 3), "\"target\":\"nothing\",\"outcome\":\"refused\"");
	/* the rate */
	r->auth->admission = IPC_ADMISSION_RATE;
	rig_post(fd, SQL_AS(TOKEN_A), CALL_SQL("1", "one"));
	assert_holds(auth_entry(r, 4), "\"outcome\":\"refused\",\"code\":\"rate_limited\"");
	/* the worker says no */
	rig_post(fd, SQL_AS("static"), CALL_SQL("1", "fail"));
	assert_holds(auth_entry(r, 5), "\"outcome\":\"error\",\"code\":\"invalid_sql\"");
}

static void
test_resources_and_sessions(void **state)
{
	struct reply a;
	char session[256];

	(void)state;
	a = rig_post(fd, READ_AS(TOKEN_A), READ);
	assert_int_equal(a.status, 200);
	assert_holds(auth_entry(r, 1), "\"action\":\"mcp.resource.read\",\"target\":\"fake:x\",\"outcome\":\"ok\"");
	assert_true(receipt_of(&a)[0] != '\0');
	a = rig_post(fd, AS(TOKEN_A),
	    RPC("1", "initialize",
		"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
		"\"clientInfo\":{\"name\":\"old\",\"version\":\"7\"}"));
	assert_int_equal(a.status, 200);
	assert_holds(auth_entry(r, 2), "\"action\":\"mcp.session.created\",\"target\":null,\"outcome\":\"ok\"");
	assert_holds(auth_entry(r, 2), "\"client\":\"old 7\"");
	snprintf(session, sizeof(session), AS(TOKEN_A) "Mcp-Session-Id: %s\r\n", rig_header(&a, "Mcp-Session-Id"));
	/* lists and pings have no entry */
	rig_post(fd, session, RPC("1", "tools/list", ""));
	rig_post(fd, session, RPC("1", "ping", ""));
	assert_int_equal(r->auth->audits, 2);
	rig_send(fd, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n");
	rig_send(fd, session);
	rig_send(fd, "\r\n");
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(auth_entry(r, 3),
	    "\"principal\":\"token:aaaaaaaa\",\"surface\":\"mcp\",\"action\":"
	    "\"mcp.session.terminated\"");
}

static void
test_local_client(void **state)
{
	int local = rig_local(r);
	char id[64];

	(void)state;
	rig_send(local, CALL_SQL("1", "one") "\n");
	assert_holds(rig_line(local), "carrel/receipt");
	snprintf(id, sizeof(id), "\"principal\":\"local:%u\",\"surface\":\"stdio\"", (unsigned)getuid());
	assert_holds(auth_entry(r, 1), id);
	assert_lacks(auth_entry(r, 1), "address");
	close(local);
}

/* --- refused credentials ----------------------------------------------------------------------------- */

static void
test_refused_credentials(void **state)
{
	struct reply a;
	int audits;

	(void)state;
	a = rig_post(fd, SQL_AS("wrong"), CALL_SQL("1", "one"));
	assert_int_equal(a.status, 401);
	assert_holds(auth_entry(r, 1),
	    "\"action\":\"auth\",\"target\":\"/mcp\",\"outcome\":\"refused\","
	    "\"code\":\"auth_invalid\",\"address\":\"127.0.0.1\"");
	a = rig_post(fd, SQL, CALL_SQL("1", "one"));
	assert_int_equal(a.status, 401);
	assert_holds(rig_header(&a, "WWW-Authenticate"), "Bearer");
	(void)auth_entry(r, 2);
	/* a flood costs no more than a few entries */
	for (unsigned i = 0; i < 50; i++)
		assert_in_range(rig_post(fd, SQL_AS("wrong"), CALL_SQL("1", "one")).status, 401, 429);
	audits = r->auth->audits;
	assert_int_equal(audits, 5);
}

/* --- nobody is answered before ------------------------------------------------------------------------- */

static void
test_waits(void **state)
{
	struct reply a;

	(void)state;
	r->auth->unrecorded = true;
	send_call(fd);
	(void)auth_entry(r, 1);
	assert_true(is_silent(fd, 300));
	auth_say(r, IPC_MSG_AUDITED, 1, &(struct ipc_audited){ .written = 1 });
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"rowCount\":1");
	/* a refusal waits as well */
	rig_send(fd, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" AS("wrong") "\r\n");
	(void)auth_entry(r, 2);
	assert_true(is_silent(fd, 300));
	auth_say(r, IPC_MSG_AUDITED, 2, &(struct ipc_audited){ .written = 1 });
	a = rig_read(fd);
	assert_int_equal(a.status, 401);
	assert_int_equal(r->complaints, 0);
}

/* The process that was to write it is gone: the next one gets it, and is told that the first may have it. */
static void
test_sent_again(void **state)
{
	struct reply a;

	(void)state;
	r->auth->unrecorded = true;
	send_call(fd);
	(void)auth_entry(r, 1);
	auth_lose(r);
	assert_true(is_silent(fd, 300));
	r->auth->unrecorded = false;
	auth_start(r);
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	assert_int_equal(r->auth->audits, 2);
	assert_int_equal(r->auth->audits_again, 1);
	assert_int_equal(r->complaints, 0);
}

static void
test_withheld(void **state)
{
	uint64_t began;
	struct reply a;
	int begun;

	(void)state;
	r->auth->unwritable = true;
	send_call(fd);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":\"service_unavailable\"");
	assert_lacks(a.body, "rowCount");
	/* for a while no call is begun */
	begun = fake_shared->begun;
	send_call(fd);
	a = rig_read(fd);
	assert_holds(a.body, "\"code\":\"service_unavailable\"");
	assert_int_equal(fake_shared->begun, begun);
	/* then one tries again */
	r->auth->unwritable = false;
	began = clock_ns();
	do {
		rig_wind(r, 100);
		send_call(fd);
		a = rig_read(fd);
	} while (strstr(a.body, "rowCount") == NULL && clock_ns() - began < RIG_PATIENCE_MS * CLOCK_MS);
	assert_holds(a.body, "\"rowCount\":1");
}

static void
test_warned(void **state)
{
	struct reply a;

	(void)state;
	r->auth->unwritable = true;
	for (unsigned i = 0; i < 3; i++) {
		send_call(fd);
		a = rig_read(fd);
		assert_holds(a.body, "\"rowCount\":1");
	}
	auth_lose(r);
	send_call(fd);
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
}

/* A client that leaves gets no answer; what it asked for is on record. */
static void
test_client_leaves(void **state)
{
	(void)state;
	r->auth->unrecorded = true;
	send_call(fd);
	(void)auth_entry(r, 1);
	close(fd);
	rig_sync(r);
	auth_say(r, IPC_MSG_AUDITED, 1, &(struct ipc_audited){ .written = 1 });
	fd = rig_connect(r);
	r->auth->unrecorded = false;
	assert_holds(rig_post(fd, SQL_AS("static"), CALL_SQL("1", "one")).body, "\"rowCount\":1");
	/* one that leaves in the middle of its call */
	rig_send(fd,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
	    "application/json\r\n" SQL_AS("static") "Content-Length: ");
	{
		static const char body[] = CALL_SQL("1", "hang");
		char length[32];

		snprintf(length, sizeof(length), "%zu\r\n\r\n", sizeof(body) - 1);
		rig_send(fd, length);
		rig_send(fd, body);
	}
	rig_until(r, &fake_shared->begun, 3);
	close(fd);
	assert_holds(auth_entry(r, 3), "\"outcome\":\"cancelled\"");
	fd = rig_connect(r);
	assert_int_equal(r->complaints, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_call, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_resources_and_sessions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_local_client, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused_credentials, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sent_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_withheld, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_warned, set_up_warning, tear_down),
		cmocka_unit_test_setup_teardown(test_client_leaves, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
