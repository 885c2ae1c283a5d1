// libs: carrel_front_rig
/* test_front_tasks.c - calls that outlive their request: how they begin, who may ask for them, how they end. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "front/mcp/tasks.h"
#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

#define TOOLS	"[{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},"		\
	"\"hints\":1,\"budgetMs\":20000}]"
#define TASKS	"\"extensions\":{\"io.modelcontextprotocol/tasks\":{}},\"elicitation\":{}"

static struct rig *r;
static int fd;

static int
begin(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .in_flight = 3 });
	rig_offer(r, IPC_SEARCH, TOOLS);
	rig_worker(r, IPC_SEARCH, "");
	rig_worker(r, IPC_SEARCH, "");
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

/* name stands in the Mcp-Name header; params without _meta. */
static void
send_ask(const char *method, const char *name, const char *caps, const char *params)
{
	struct buf head = { .max = 0 }, body = { .max = 0 };

	buf_printf(&head, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\nMcp-Name: %s\r\n", method, name);
	buf_printf(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s,\"_meta\":{"
	    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{%s}}}}",
	    method, params, caps);
	rig_send_post(fd, buf_cstr(&head), buf_cstr(&body));
	buf_fini(&head);
	buf_fini(&body);
}

static struct reply
ask(const char *method, const char *name, const char *caps, const char *params)
{
	send_ask(method, name, caps, params);
	return rig_read(fd);
}

static struct reply
call(const char *key, const char *caps)
{
	char params[256];

	snprintf(params, sizeof(params), "\"name\":\"wiki_read\",\"arguments\":{\"key\":\"%s\"}", key);
	return ask("tools/call", "wiki_read", caps, params);
}

/* tasks/<verb> for a task; more follows the id. */
static struct reply
about(const char *verb, const char *id, const char *more)
{
	char method[32], params[512];

	snprintf(method, sizeof(method), "tasks/%s", verb);
	snprintf(params, sizeof(params), "\"taskId\":\"%s\"%s", id, more);
	return ask(method, id, TASKS, params);
}

/* The id in an answer that made a task; kept for a few more. */
static const char *
task_of(struct reply a)
{
	static char ids[8][64];
	static unsigned turn;
	char *id = ids[turn++ % 8];
	const char *p = strstr(a.body, "\"taskId\":\"");

	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"resultType\":\"task\"");
	assert_non_null(p);
	snprintf(id, 64, "%.*s", (int)strcspn(p + 10, "\""), p + 10);
	assert_int_equal(strlen(id), 32);
	return id;
}

/* Until the task says this. */
static struct reply
until(const char *id, const char *status)
{
	char wanted[64];
	struct reply a;

	snprintf(wanted, sizeof(wanted), "\"status\":\"%s\"", status);
	for (unsigned i = 0; i < RIG_PATIENCE_MS / 20; i++) {
		a = about("get", id, "");
		assert_int_equal(a.status, 200);
		if (strstr(a.body, wanted) != NULL)
			return a;
		rig_pump(r, 20);
	}
	fail_msg("it never is %s: %s", status, a.body);
	return a;
}

static void
test_becomes_a_task(void **state)
{
	struct reply a = call("long wait", TASKS);
	const char *id = task_of(a);

	(void)state;
	assert_holds(a.body, "\"status\":\"working\",\"createdAt\":\"20");
	assert_holds(a.body, "\"ttlMs\":900000,\"pollIntervalMs\":1000");
	assert_lacks(a.body, "requestState");
	/* its connection is not needed any more */
	close(fd);
	fd = rig_connect(r);
	fake_shared->let = 1;
	a = until(id, "completed");
	assert_holds(a.body, "\"resultType\":\"complete\"");
	assert_holds(a.body,
	    "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],\"structuredContent\":{\"n\":7}}");
	/* and again */
	assert_holds(about("get", id, "").body, "\"structuredContent\":{\"n\":7}}");
}

static void
test_who_has_no_tasks(void **state)
{
	struct reply a;

	(void)state;
	a = call("long", "\"elicitation\":{}"); /* waits for it */
	assert_holds(a.body, "\"resultType\":\"complete\",\"content\"");
	a = call("only", "");
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "\"code\":-32021");
	assert_holds(a.body, "{\"requiredCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}");
	task_of(call("only", TASKS));
	a = ask("tasks/get", "x", "", "\"taskId\":\"x\"");
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "\"code\":-32021");
	assert_int_equal(ask("tasks/list", "x", TASKS, "\"taskId\":\"x\"").status, 404);
	assert_int_equal(ask("tasks/result", "x", TASKS, "\"taskId\":\"x\"").status, 404);
}

static void
test_other_principals(void **state)
{
	char line[1024];
	const char *id = task_of(call("long", TASKS));
	struct reply a;
	int local = rig_local(r);

	(void)state;
	a = about("get", "00000000000000000000000000000000", "");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"code\":-32602");
	assert_int_equal(ask("tasks/get", "other", TASKS, "\"taskId\":\"x\"").status, 400);
	rig_send(local, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"carrel/hello\",\"params\":{\"client\":\"cli\"}}\n");
	assert_holds(rig_line(local), "cli:");
	for (unsigned i = 0; i < 2; i++) {
		snprintf(line, sizeof(line),
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/%s\",\"params\":{\"taskId\":\"%s\","
		    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		    "\"io.modelcontextprotocol/clientCapabilities\":{" TASKS "}}}}\n",
		    i == 0 ? "get" : "cancel", id);
		rig_send(local, line);
		assert_holds(rig_line(local), "\"code\":-32602");
	}
	close(local);
	until(id, "completed");
}

static void
test_failures(void **state)
{
	struct reply a = until(task_of(call("long fail database_error", TASKS)), "completed");

	(void)state;
	assert_holds(a.body, "\"result\":{\"content\"");
	assert_holds(a.body, "\"code\":\"database_error\"");
	assert_holds(a.body, "\"isError\":true");
	a = until(task_of(call("long fail internal_error", TASKS)), "failed");
	assert_holds(a.body, "\"error\":{\"code\":-32603,\"message\"");
	assert_lacks(a.body, "on purpose");
	assert_lacks(a.body, "\"result\":{\"content");
}

/* The processes that worked at it are gone: the task says so, and the next one is worked at by others. */
static void
test_lost_worker(void **state)
{
	const char *id;
	struct reply a;

	(void)state;
	fake_shared->crashes = 2;
	id = task_of(call("long crash", TASKS));
	a = until(id, "failed");
	assert_holds(a.body, "\"error\":{\"code\":-32603,\"message\"");
	assert_lacks(a.body, "\"result\":{\"content");
	rig_worker(r, IPC_SEARCH, "");
	rig_worker(r, IPC_SEARCH, "");
	assert_holds(until(task_of(call("long", TASKS)), "completed").body, "\"n\":7");
}

static void
test_questions(void **state)
{
	const char *id = task_of(call("long ask", TASKS));
	struct reply a = until(id, "input_required");

	(void)state;
	assert_holds(a.body, "\"inputRequests\":{\"q0\":{\"method\":\"elicitation/create\"");
	a = about("update", id, ",\"inputResponses\":{\"q1\":{\"action\":\"decline\"},\"q0\":5,\"zz\":{}}");
	assert_holds(a.body, "\"result\":{\"resultType\":\"complete\",\"_meta\"");
	a = about("get", id, "");
	assert_holds(a.body, "\"status\":\"input_required\"");
	assert_holds(a.body, "\"inputRequests\":{\"q0\":");
	assert_lacks(a.body, "\"q1\"");
	/* what was answered stays so */
	about("update", id, ",\"inputResponses\":{\"q1\":{\"action\":\"accept\"}}");
	assert_holds(about("update", id, "").body, "-32602");
	about("update", id, ",\"inputResponses\":{\"q0\":{\"action\":\"accept\"}}");
	a = until(id, "completed");
	assert_holds(a.body,
	    "\"answers\":{\"q1\":{\"action\":\"decline\"},\"q0\":{\"action\":\"accept\"}},\"state\":\"kept\"");
	/* too late is no error */
	assert_holds(about("update", id, ",\"inputResponses\":{\"q0\":{}}").body, "\"resultType\":\"complete\"");
	/* nobody is asked what they did not say they can answer */
	a = call("long ask", "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}");
	assert_holds(until(task_of(a), "failed").body, "\"code\":-32021");
}

static void
test_cancel(void **state)
{
	const char *id = task_of(call("long wait", TASKS)), *other;
	int before = fake_shared->cancels;
	struct reply a = about("cancel", id, "");

	(void)state;
	assert_holds(a.body, "\"result\":{\"resultType\":\"complete\",\"_meta\"");
	rig_until(r, &fake_shared->cancels, before + 1);
	assert_holds(about("get", id, "").body, "\"status\":\"cancelled\"");
	assert_int_equal(about("cancel", id, "").status, 200);
	/* while it waits for the client */
	other = task_of(call("long ask", TASKS));
	until(other, "input_required");
	about("cancel", other, "");
	assert_holds(about("get", other, "").body, "\"status\":\"cancelled\"");
	about("update", other, ",\"inputResponses\":{\"q0\":{},\"q1\":{}}");
	assert_holds(about("get", other, "").body, "\"status\":\"cancelled\"");
}

/* Tasks count as calls in flight until they end. */
static void
test_limits(void **state)
{
	const char *ids[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		ids[i] = task_of(call("long ask", TASKS));
	assert_holds(call("long", TASKS).body, "\"code\":\"rate_limited\"");
	for (unsigned i = 0; i < 3; i++)
		about("cancel", ids[i], "");
	task_of(call("long", TASKS));
	/* running ones do not keep the front from ending: rig_stop() */
	task_of(call("long wait", TASKS));
}

/* A query that turns out long, without its worker saying so. */
static void
test_long_queries(void **state)
{
	int before = fake_shared->cancels, begun = fake_shared->begun;

	(void)state;
	send_ask("tools/call", "sql_execution", TASKS,
	    "\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"wait\"}");
	rig_until(r, &fake_shared->begun, begun + 1);
	rig_wind(r, TASK_AFTER_MS);
	about("cancel", task_of(rig_read(fd)), "");
	rig_until(r, &fake_shared->cancels, before + 1);
}

/* The result of a task is written as its call asked for, and as its client reads it, with the link to a file. */
static void
test_form_of_results(void **state)
{
	static const struct {
		const char *client;
		bool brief;
	} rows[] = { { "claude-code", true }, { "another", false } };
	char params[512];
	struct reply a;

	(void)state;
	close(fd);
	rig_stop(r);
	r = rig_start(&(struct rig_options){ .brief = true, .export_rows = 1000 });
	rig_worker(r, IPC_SQL, "warehouse");
	fd = rig_connect(r);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int begun = fake_shared->begun;

		fake_shared->let = 0;
		snprintf(params, sizeof(params),
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"sql_execution\","
		    "\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"wait\",\"format\":\"columns\"},\"_meta\":{"
		    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"%s\",\"version\":\"3.0.0\"},"
		    "\"io.modelcontextprotocol/clientCapabilities\":{" TASKS "}}}}",
		    rows[i].client);
		rig_send_post(fd,
		    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n",
		    params);
		rig_until(r, &fake_shared->begun, begun + 1);
		rig_wind(r, TASK_AFTER_MS);
		a = rig_read(fd);
		fake_shared->let = 1;
		a = until(task_of(a), "completed");
		assert_holds(a.body, "\"columns\":[[0],[\"x\"]]");
		assert_lacks(a.body, "\"rows\":[");
		assert_holds(a.body, "\"_meta\":{\"carrel/export\":{\"url\":\"http://");
		if (rows[i].brief)
			assert_holds(a.body, "\"text\":\"1 row: see structuredContent.\"");
		else
			assert_holds(a.body, "\"text\":\"{\\\"headers\\\"");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_becomes_a_task, begin, end),
		cmocka_unit_test_setup_teardown(test_who_has_no_tasks, begin, end),
		cmocka_unit_test_setup_teardown(test_other_principals, begin, end),
		cmocka_unit_test_setup_teardown(test_failures, begin, end),
		cmocka_unit_test_setup_teardown(test_lost_worker, begin, end),
		cmocka_unit_test_setup_teardown(test_questions, begin, end),
		cmocka_unit_test_setup_teardown(test_cancel, begin, end),
		cmocka_unit_test_setup_teardown(test_limits, begin, end),
		cmocka_unit_test_setup_teardown(test_long_queries, begin, end),
		cmocka_unit_test_setup_teardown(test_form_of_results, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
