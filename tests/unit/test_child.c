// libs: carrel_test_support carrel_ipc carrel_base
/* test_child.c - the runtime every worker has in common, tried on the smallest worker. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/system/clock.h"
#include "tests/support/child_driver.h"

#define MANY	200

static char project[] = "/tmp/carrel-child-XXXXXX";

/* Test programs lie side by side. */
static const char *
worker(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);

	assert_true(n > 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, "echo_worker");
	return path;
}

static struct ipc_configure_search
configuration(const char *how)
{
	return (struct ipc_configure_search){
		.project_dir = span_str(project), .wiki_user = span_str(how), .resource_scheme = SPAN("carrel"),
		.connections = SPAN("\x90"), .memory_max = 1 << 30,
		.ontologies = SPAN("\x90"),
		.sql_ms = 10000, .sql_rows = 500, .sql_memory = 1 << 28, .sql_characters = 4096, .sql_threads = 2,
	};
}

static struct driver *
spawn(const char *how)
{
	struct ipc_configure_search conf = configuration(how);
	struct driver *d = driver_spawn(worker(), IPC_SEARCH, NULL);

	if (!driver_configure(d, IPC_MSG_CONFIGURE_SEARCH, &conf))
		fail_msg("not ready: %s\n%s", driver_reason(d), driver_log(d));
	return d;
}

static struct driver *
attached(void)
{
	struct driver *d = spawn("");

	(void)driver_attach(d);
	return d;
}

static void
end(struct driver *d)
{
	driver_shutdown(d, 1000);
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
}

static int
make_project(void **state)
{
	char path[64];

	(void)state;
	if (mkdtemp(project) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/wiki", project);
	return mkdir(path, 0755);
}

static int
remove_project(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/wiki", project);
	return rmdir(path) == 0 && rmdir(project) == 0 ? 0 : -1;
}

/* --- starting ------------------------------------------------------------------- */

static void
test_greets_and_serves(void **state)
{
	struct driver *d = spawn("");
	const struct driver_answer *a;

	(void)state;
	assert_true(driver_ready(d)->landlock_abi >= 2);
	assert_int_equal(driver_ready(d)->degraded, 0);
	assert_non_null(strstr(driver_tools(d), "{\"name\":\"echo\",\"title\":\"echo\""));
	assert_non_null(strstr(driver_tools(d), "\"waits\":true"));
	(void)driver_attach(d);
	a = driver_call(d, "echo", "db", "{\"q\": [1, \"two\", null]}");
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_string_equal(a->result,
	    "{\"args\":{\"q\":[1,\"two\",null]},\"principal\":\"test\","
	    "\"connection\":\"db\",\"scopes\":4294967295}");
	end(d);
}

static void
check_failing_start(const char *how, int code, const char *reason)
{
	struct ipc_configure_search conf = configuration(how);
	struct driver *d = driver_spawn(worker(), IPC_SEARCH, NULL);

	assert_false(driver_configure(d, IPC_MSG_CONFIGURE_SEARCH, &conf));
	assert_int_equal(driver_exit_code(d), code);
	assert_string_equal(driver_reason(d), reason);
	driver_free(d);
}

static void
test_says_why_it_cannot_start(void **state)
{
	(void)state;
	check_failing_start("bad-config", EXIT_CONFIG, "the configuration is bad on purpose");
	check_failing_start("bad-open", EXIT_CONFIG, "opening fails on purpose");
	check_failing_start("unavailable", EXIT_CONNECTION, "nothing there on purpose");
#ifndef CARREL_SANITIZED
	check_failing_start("greedy", EXIT_CONNECTION, "memory ends");
#endif
}

static void
test_refuses_the_wrong_configuration(void **state)
{
	struct ipc_configure_memory other = {
		.project_dir = span_str(project), .connections = SPAN("\x90"), .memory_max = 1 << 30
	};
	struct driver *d = driver_spawn(worker(), IPC_SEARCH, NULL);

	(void)state;
	assert_false(driver_configure(d, IPC_MSG_CONFIGURE_MEMORY, &other));
	assert_int_equal(driver_exit_code(d), EXIT_PEER);
	driver_free(d);
}

static void
test_stops_before_it_was_configured(void **state)
{
	struct driver *d = driver_spawn(worker(), IPC_SEARCH, NULL);

	(void)state;
	driver_shutdown(d, 1000);
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
}

static void
test_is_orphaned_early_and_late(void **state)
{
	struct driver *d = driver_spawn(worker(), IPC_SEARCH, NULL);

	(void)state;
	driver_orphan(d);
	assert_int_equal(driver_exit_code(d), EXIT_ORPHANED);
	driver_free(d);
	d = attached();
	driver_orphan(d);
	assert_int_equal(driver_exit_code(d), EXIT_ORPHANED);
	driver_free(d);
}

/* --- answers --------------------------------------------------------------------- */

static void
test_streams_rows_with_credit(void **state)
{
	struct driver *d = attached();
	const struct driver_answer *a = driver_call(d, "rows", "", "{\"chunks\": 30, \"per\": 2}");
	uint64_t id;

	(void)state;
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_int_equal(a->chunks, 30);
	assert_memory_equal(a->result, "{\"headers\":[\"n\",\"t\"],\"rows\":[[0,\"x\"],[1,\"x\"],", 45);
	assert_non_null(strstr(a->result, "[59,\"x\"]],\"rowCount\":60}"));

	driver_set_credit(d, false);
	id = driver_start(d, "rows", "", "{\"chunks\": 11, \"per\": 1}");
	/* A ping behind it shows that it has sent all it may, and is listening while it waits. */
	while (driver_peek(d, id)->chunks < IPC_CREDIT_FIRST)
		driver_pump(d, 100);
	driver_ping(d);
	while (driver_pongs(d) == 0)
		driver_pump(d, 100);
	assert_int_equal(driver_peek(d, id)->chunks, IPC_CREDIT_FIRST);
	assert_int_equal(driver_peek(d, id)->kind, DRIVER_OPEN);
	driver_credit(d, id, 2);
	while (driver_peek(d, id)->chunks < IPC_CREDIT_FIRST + 2)
		driver_pump(d, 100);
	assert_int_equal(driver_peek(d, id)->kind, DRIVER_OPEN);
	driver_credit(d, id, 1);
	a = driver_wait(d, id);
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_int_equal(a->chunks, 11);
	end(d);
}

static void
test_rows_larger_than_a_socket_buffer(void **state)
{
	struct driver *d = attached();
	const struct driver_answer *a = driver_call(d, "rows", "", "{\"chunks\": 12, \"per\": 3, \"size\": 200000}");

	(void)state;
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_int_equal(a->chunks, 12);
	assert_true(strlen(a->rows) > 36 * 200000);
	a = driver_call(d, "rows", "", "{\"chunks\": 1, \"per\": 1, \"size\": 9500000}");
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "result_too_large");
	a = driver_call(d, "echo", "", "{}");
	assert_int_equal(a->kind, DRIVER_RESULT);
	end(d);
}

static void
test_fails_with_code_and_details(void **state)
{
	struct driver *d = attached();
	const struct driver_answer *a =
	    driver_call(d, "fail", "", "{\"code\": \"table_not_found\", \"message\": \"no table x\"}");

	(void)state;
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "table_not_found");
	assert_string_equal(a->message, "no table x");
	assert_string_equal(a->details, "{\"hint\":\"try again\"}");
	assert_non_null(strstr(driver_log(d), "only the log sees this"));
	/* What a database says need not be UTF-8. */
	a = driver_call(d, "fail", "", "{\"message\": \"?bc\", \"badText\": true}");
	assert_string_equal(a->code, "busy");
	assert_string_equal(a->message, "?bc");
	/* Internals stay in the log. */
	a = driver_call(d, "fail", "", "{\"code\": \"internal_error\", \"message\": \"secret place\"}");
	assert_string_equal(a->code, "internal_error");
	assert_string_equal(a->message, "internal error");
	assert_non_null(strstr(driver_log(d), "secret place"));
	assert_non_null(strstr(driver_log(d), "test-request"));
	a = driver_call(d, "silent", "", "{}");
	assert_string_equal(a->code, "internal_error");
	a = driver_call(d, "nothing", "", "{}");
	assert_string_equal(a->code, "internal_error");
	end(d);
}

static void
test_continues_elsewhere(void **state)
{
	struct driver *d = attached();
	const struct driver_answer *a = driver_call(d, "go_on", "", "{}");

	(void)state;
	assert_int_equal(a->kind, DRIVER_CONTINUE);
	assert_string_equal(a->next,
	    "{\"tool\":\"other\",\"connection\":\"there\",\"args\":{\"x\":1},\"head\":{\"y\":2}}");
	end(d);
}

static void
test_arena_has_a_ceiling(void **state)
{
	struct driver *d = attached();
	const struct driver_answer *a = driver_call(d, "hoard", "", "{}");

	(void)state;
	assert_string_equal(a->code, "result_too_large");
	assert_string_equal(a->message, "the arena ends at 64 MiB");
	a = driver_call(d, "hoard", "", "{}");
	assert_string_equal(a->message, "the arena ends at 64 MiB");
	end(d);
}

static bool
is_serving(struct driver *d, void *arg)
{
	(void)arg;
	return atomic_load(&driver_watch(d)->deadline_ns) != 0;
}

static bool
complained(struct driver *d, void *arg)
{
	return driver_complaints(d) == *(unsigned *)arg;
}

/* --- many at once ------------------------------------------------------------------ */

static void
test_serves_many_queued_calls_in_order(void **state)
{
	struct driver *d = attached();
	uint64_t ids[MANY];
	char args[64];

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(args, sizeof(args), "{\"i\": %u}", i);
		ids[i] = driver_start(d, "echo", "", args);
	}
	/* When the last is answered all are. */
	assert_int_equal(driver_wait(d, ids[MANY - 1])->kind, DRIVER_RESULT);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(args, sizeof(args), "{\"args\":{\"i\":%u},", i);
		assert_int_equal(driver_peek(d, ids[i])->kind, DRIVER_RESULT);
		assert_memory_equal(driver_peek(d, ids[i])->result, args, strlen(args));
	}
	assert_int_equal(atomic_load(&driver_watch(d)->requests), MANY);
	assert_int_equal(atomic_load(&driver_watch(d)->answered), MANY);
	assert_int_equal(atomic_load(&driver_watch(d)->deadline_ns), 0);
	end(d);
}

static void
test_refuses_past_the_queue(void **state)
{
	struct driver *d = attached();
	uint64_t first, last = 0;

	(void)state;
	first = driver_start(d, "slow", "", "{\"ms\": 25000}");
	assert_true(driver_until(d, is_serving, NULL));
	for (unsigned i = 0; i < 1025; i++)
		last = driver_start(d, "echo", "", "{}");
	assert_int_equal(driver_wait(d, last)->kind, DRIVER_FAIL);
	assert_string_equal(driver_peek(d, last)->code, "busy");
	assert_int_equal(driver_peek(d, last - 1)->kind, DRIVER_OPEN);
	driver_cancel(d, first);
	assert_string_equal(driver_wait(d, first)->code, "query_cancelled");
	assert_int_equal(driver_wait(d, last - 1)->kind, DRIVER_RESULT);
	end(d);
}

/* Answers wait for each other while a call waits and others are queued behind it, but not for long. */
static void
test_answers_do_not_wait_for_a_long_call(void **state)
{
	struct driver *d = attached();
	uint64_t before, naps, behind[4];

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		(void)driver_start(d, "slow", "", "{\"ms\": 5}"); /* all of these are queued at its end */
		before = driver_start(d, "echo", "", "{}");
		naps = driver_start(d, "nap", "", "{\"ms\": 25000, \"quiet\": 1}");
		for (unsigned k = 0; k < 4; k++)
			behind[k] = driver_start(d, "echo", "", "{}");
		assert_int_equal(driver_wait(d, before)->kind, DRIVER_RESULT);
		assert_int_equal(driver_peek(d, naps)->kind, DRIVER_OPEN);
		driver_cancel(d, naps);
		assert_string_equal(driver_wait(d, naps)->code, "query_cancelled");
		assert_int_equal(driver_wait(d, behind[3])->kind, DRIVER_RESULT);
	}
	end(d);
}

/* A call that is taken back is refused while it is queued, and goes on when it has begun, as far as it has CREDIT. */
static void
test_taken_back(void **state)
{
	struct driver *d = attached();
	uint64_t running = driver_start(d, "nap", "", "{\"ms\": 300}"), queued, rows;

	(void)state;
	assert_true(driver_until(d, is_serving, NULL));
	queued = driver_start(d, "echo", "", "{}");
	driver_take_back(d, running);
	driver_take_back(d, queued);
	assert_string_equal(driver_wait(d, queued)->code, "query_cancelled");
	assert_int_equal(driver_peek(d, running)->kind, DRIVER_OPEN);
	assert_int_equal(driver_wait(d, running)->kind, DRIVER_RESULT);
	driver_set_credit(d, false);
	rows = driver_start(d, "rows", "", "{\"chunks\": 30}");
	while (driver_peek(d, rows)->chunks < IPC_CREDIT_FIRST)
		driver_pump(d, 100);
	driver_take_back(d, rows);
	assert_string_equal(driver_wait(d, rows)->code, "query_cancelled");
	driver_set_credit(d, true);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	assert_int_equal(driver_complaints(d), 0);
	end(d);
}

static void
test_two_fronts(void **state)
{
	struct driver *d = spawn("");
	unsigned a = driver_attach(d), b = driver_attach(d);
	uint64_t at_a, at_b;

	(void)state;
	driver_use(d, a);
	at_a = driver_start(d, "echo", "a", "{}");
	driver_use(d, b);
	at_b = driver_start(d, "echo", "b", "{}");
	assert_non_null(strstr(driver_wait(d, at_a)->result, "\"connection\":\"a\""));
	assert_non_null(strstr(driver_wait(d, at_b)->result, "\"connection\":\"b\""));
	/* One front's death touches only its own calls. */
	driver_use(d, a);
	at_a = driver_start(d, "slow", "", "{\"ms\": 25000}");
	driver_use(d, b);
	at_b = driver_start(d, "echo", "b", "{}");
	driver_hang_up(d, a);
	assert_int_equal(driver_wait(d, at_b)->kind, DRIVER_RESULT);
	assert_int_equal(driver_peek(d, at_a)->kind, DRIVER_LOST);
	end(d);
}

/* --- in the middle of a call ----------------------------------------------------------- */

static void
check_cancel(const char *tool)
{
	struct driver *d = attached();
	uint64_t running = driver_start(d, tool, "", "{\"ms\": 25000}");
	uint64_t queued = driver_start(d, "echo", "", "{}");
	uint64_t after = driver_start(d, "echo", "", "{}");

	driver_cancel(d, queued);
	assert_string_equal(driver_wait(d, queued)->code, "query_cancelled");
	assert_int_equal(driver_peek(d, running)->kind, DRIVER_OPEN);
	driver_cancel(d, running);
	assert_string_equal(driver_wait(d, running)->code, "query_cancelled");
	assert_int_equal(driver_wait(d, after)->kind, DRIVER_RESULT);
	/* Crossed the answer: no fault. */
	driver_cancel(d, running);
	driver_credit(d, running, 1);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	assert_int_equal(driver_complaints(d), 0);
	end(d);
}

static void
test_cancels(void **state)
{
	(void)state;
	check_cancel("slow");
	check_cancel("nap");
}

static void
test_answers_pings_while_busy(void **state)
{
	struct driver *d = attached();
	uint64_t id = driver_start(d, "slow", "", "{\"ms\": 25000}");

	(void)state;
	assert_true(driver_until(d, is_serving, NULL));
	driver_ping(d);
	while (driver_pongs(d) == 0)
		driver_pump(d, 100);
	assert_int_equal(driver_peek(d, id)->kind, DRIVER_OPEN);
	assert_true(atomic_load(&driver_watch(d)->deadline_ns) > clock_ns());
	driver_cancel(d, id);
	(void)driver_wait(d, id);
	end(d);
}

static void
test_keeps_deadlines(void **state)
{
	struct driver *d = attached();

	(void)state;
	driver_set_budget(d, 50);
	assert_string_equal(driver_call(d, "slow", "", "{\"ms\": 25000}")->code, "query_timeout");
	assert_string_equal(driver_call(d, "nap", "", "{\"ms\": 25000}")->code, "query_timeout");
	/* Past its deadline already when it is read. */
	driver_set_budget(d, 0);
	assert_string_equal(driver_call(d, "echo", "", "{}")->code, "query_timeout");
	end(d);
}

static void
test_tells_progress_only_when_wanted(void **state)
{
	struct driver *d = attached();

	(void)state;
	assert_string_equal(driver_call(d, "slow", "", "{}")->progress, "[[0,\"Starting\"]]");
	driver_set_progress(d, false);
	assert_string_equal(driver_call(d, "slow", "", "{}")->progress, "[]");
	end(d);
}

/* --- sub-calls -------------------------------------------------------------------------- */

struct asked {
	uint64_t	id;
	unsigned	calls;
	char		args[64], tool[64], connection[64];
};

static void
note_subcall(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection,
    const char *args_json)
{
	struct asked *q = arg;

	(void)d;
	q->id = id;
	q->calls++;
	snprintf(q->tool, sizeof(q->tool), "%s", tool);
	snprintf(q->connection, sizeof(q->connection), "%s", connection);
	snprintf(q->args, sizeof(q->args), "%s", args_json);
}

static uint64_t
ask(struct driver *d, struct asked *q, const char *args)
{
	unsigned before = q->calls;
	uint64_t id;

	driver_set_subcall(d, note_subcall, q);
	id = driver_start(d, "ask", "", args);
	while (q->calls == before)
		driver_pump(d, 100);
	return id;
}

static void
test_asks_another_worker(void **state)
{
	struct driver *d = attached();
	struct asked q = { .calls = 0 };
	uint64_t id = ask(d, &q, "{\"tool\": \"t\", \"connection\": \"c\", \"args\": {\"k\": 1}}");

	(void)state;
	assert_string_equal(q.tool, "t");
	assert_string_equal(q.connection, "c");
	assert_string_equal(q.args, "{\"k\":1}");
	assert_true((q.id & IPC_SUB) != 0);
	driver_sub_progress(d, q.id, 500, "half");
	for (int i = 0; i < 8; i++)
		driver_sub_rows(d, q.id, "[[1],[2]]");
	while (driver_sub_credit(d) < 8)
		driver_pump(d, 100);
	for (int i = 0; i < 8; i++)
		driver_sub_rows(d, q.id, "[[3]]");
	driver_sub_result(d, q.id, "{\"total\": 24}");
	assert_string_equal(driver_wait(d, id)->result, "{\"rows\":24,\"progress\":500,\"result\":{\"total\":24}}");

	id = ask(d, &q, "{}");
	driver_sub_fail(d, q.id, ERR_DATABASE_ERROR, "it said no");
	assert_string_equal(driver_wait(d, id)->code, "database_error");
	assert_string_equal(driver_wait(d, id)->message, "it said no");
	end(d);
}

static void
test_serves_others_while_one_waits(void **state)
{
	struct driver *d = attached();
	struct asked q = { .calls = 0 };
	uint64_t first = ask(d, &q, "{}"), second;

	(void)state;
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	assert_int_equal(driver_call(d, "rows", "", "{\"chunks\": 20}")->chunks, 20);
	/* But only one that waits: the second stays queued. */
	second = driver_start(d, "ask", "", "{}");
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	assert_int_equal(q.calls, 1);
	/* An answer that comes during another call is not lost. */
	(void)driver_start(d, "slow", "", "{\"ms\": 50}");
	driver_sub_rows(d, q.id, "[[1]]");
	driver_sub_result(d, q.id, "{}");
	assert_string_equal(driver_wait(d, first)->result, "{\"rows\":1,\"progress\":0,\"result\":{}}");
	while (q.calls == 1)
		driver_pump(d, 100);
	driver_sub_result(d, q.id, "{}");
	assert_int_equal(driver_wait(d, second)->kind, DRIVER_RESULT);
	end(d);
}

/* Sub-calls in the order in which they come, each with the k of its arguments. */
struct order {
	unsigned n, k[64];
	uint64_t id[64];
};

static void
note_order(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection, const char *args_json)
{
	struct order *o = arg;

	(void)d, (void)tool, (void)connection;
	assert_true(o->n < 64);
	assert_int_equal(sscanf(args_json, "{\"k\":%u}", &o->k[o->n]), 1);
	o->id[o->n++] = id;
}

static uint64_t
start_as(struct driver *d, const char *principal, unsigned k)
{
	char args[64];

	snprintf(args, sizeof(args), "{\"args\": {\"k\": %u}}", k);
	driver_set_principal(d, principal);
	return driver_start(d, "ask", "", args);
}

/* Until n sub-calls have come; a worker that makes more of them than it may is found by a call that it answers. */
static void
await_order(struct driver *d, const struct order *o, unsigned n)
{
	while (o->n < n)
		driver_pump(d, 100);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	assert_int_equal(o->n, n);
}

static void
test_serves_side_by_side(void **state)
{
	struct driver *d = spawn("side by side");
	struct order o = { .n = 0 };
	uint64_t id[6];

	(void)state;
	driver_attach(d);
	driver_set_subcall(d, note_order, &o);
	id[0] = start_as(d, "one", 0);
	id[1] = start_as(d, "one", 1);
	await_order(d, &o, 2);
	/* Half of the places are for others. */
	id[2] = start_as(d, "one", 2);
	await_order(d, &o, 2);
	id[3] = start_as(d, "two", 3);
	await_order(d, &o, 3);
	assert_int_equal(o.k[2], 3);
	/* The last one's answer comes first, and the first one is cancelled: neither touches the others. */
	driver_sub_progress(d, o.id[0], 100, "mine");
	driver_sub_result(d, o.id[2], "{\"of\": 3}");
	assert_string_equal(driver_wait(d, id[3])->result, "{\"rows\":0,\"progress\":0,\"result\":{\"of\":3}}");
	driver_cancel(d, id[0]);
	assert_string_equal(driver_wait(d, id[0])->code, "query_cancelled");
	driver_sub_fail(d, o.id[0], ERR_QUERY_CANCELLED, "cancelled");
	await_order(d, &o, 4);
	assert_int_equal(o.k[3], 2);
	driver_sub_rows(d, o.id[1], "[[1]]");
	driver_sub_fail(d, o.id[3], ERR_DATABASE_ERROR, "it said no");
	assert_string_equal(driver_wait(d, id[2])->message, "it said no");
	driver_sub_result(d, o.id[1], "{}");
	assert_string_equal(driver_wait(d, id[1])->result, "{\"rows\":1,\"progress\":0,\"result\":{}}");
	end(d);
}

static void
test_side_by_side_is_bounded(void **state)
{
	struct driver *d = spawn("side by side");
	struct order o = { .n = 0 };
	uint64_t id[21];

	(void)state;
	driver_attach(d);
	driver_set_subcall(d, note_order, &o);
	/* Four are under way, sixteen wait, one too many is told so. */
	for (unsigned k = 0; k < 4; k++)
		id[k] = start_as(d, k % 2 == 0 ? "one" : "two", k);
	await_order(d, &o, 4);
	for (unsigned k = 4; k < 21; k++)
		id[k] = start_as(d, "three", k);
	assert_string_equal(driver_wait(d, id[20])->code, "busy");
	await_order(d, &o, 4);
	/* All of them are answered in the end. */
	for (unsigned k = 0; k < 20; k++) {
		while (o.n <= k)
			driver_pump(d, 100);
		driver_sub_result(d, o.id[k], "{}");
	}
	for (unsigned k = 0; k < 20; k++)
		assert_int_equal(driver_wait(d, id[k])->kind, DRIVER_RESULT);
	/* A front dies while several wait; another one is served. */
	(void)start_as(d, "one", 0);
	(void)start_as(d, "two", 0);
	await_order(d, &o, 22);
	driver_hang_up(d, 0);
	(void)driver_attach(d);
	(void)start_as(d, "one", 0);
	await_order(d, &o, 23);
	/* Told to stop, it says so to who waits still. */
	end(d);
}

static void
note_many(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection, const char *args_json)
{
	struct asked *q = arg;
	unsigned k;

	(void)d, (void)tool, (void)connection;
	assert_int_equal(sscanf(args_json, "{\"k\":%u}", &k), 1);
	assert_int_equal(k, q->calls);
	q[q->calls + 1].id = id;
	q->calls++;
}

static void
test_asks_many_at_once(void **state)
{
	struct driver *d = attached();
	struct asked q[6] = { { .calls = 0 } };
	char expected[64];
	uint64_t id;

	(void)state;
	driver_set_subcall(d, note_many, q);
	id = driver_start(d, "ask_many", "", "{\"n\": 4, \"width\": 2}");
	while (q->calls < 2)
		driver_pump(d, 100);
	/* Others are served, and no more than two are asked. */
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	assert_int_equal(q->calls, 2);
	driver_sub_rows(d, q[1].id, "[[1]]");
	driver_sub_rows(d, q[2].id, "[[1],[2]]");
	driver_sub_result(d, q[2].id, "{\"total\": 22}");
	while (q->calls < 3)
		driver_pump(d, 100);
	driver_sub_fail(d, q[3].id, ERR_DATABASE_ERROR, "it said no");
	while (q->calls < 4)
		driver_pump(d, 100);
	driver_sub_result(d, q[1].id, "{\"total\": 11}");
	driver_sub_result(d, q[4].id, "{\"total\": 44}");
	assert_int_equal(driver_wait(d, id)->kind, DRIVER_RESULT);
	snprintf(expected, sizeof(expected), "{\"rows\":3,\"ends\":[22,%d,11,44]}", ERR_DATABASE_ERROR);
	assert_string_equal(driver_wait(d, id)->result, expected);
	end(d);
}

/* A call that ends takes with it what it has asked. */
static void
test_stops_many(void **state)
{
	struct driver *d = attached();
	struct asked q[6] = { { .calls = 0 } };
	uint64_t id;

	(void)state;
	driver_set_subcall(d, note_many, q);
	id = driver_start(d, "ask_many", "", "{\"n\": 4, \"width\": 2}");
	while (q->calls < 2)
		driver_pump(d, 100);
	driver_sub_fail(d, q[1].id, ERR_INTERNAL, "no");
	assert_string_equal(driver_wait(d, id)->code, "busy");
	while (!driver_sub_cancelled(d))
		driver_pump(d, 100);
	driver_sub_fail(d, q[2].id, ERR_QUERY_CANCELLED, "cancelled");
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	end(d);
}

static void
test_refuses_meanwhile(void **state)
{
	struct driver *d = attached();
	struct asked q = { .calls = 0 };
	uint64_t first;

	(void)state;
	driver_set_subcall(d, note_subcall, &q);
	first = driver_start(d, "ask_once", "", "{}");
	while (q.calls == 0)
		driver_pump(d, 100);
	assert_string_equal(driver_call(d, "ask_once", "", "{}")->code, "busy");
	assert_int_equal(q.calls, 1);
	driver_sub_result(d, q.id, "{}");
	assert_int_equal(driver_wait(d, first)->kind, DRIVER_RESULT);
	end(d);
}

static void
test_gives_up_a_subcall(void **state)
{
	struct driver *d = attached();
	struct asked q = { .calls = 0 };
	uint64_t id = ask(d, &q, "{\"stopAfter\": 1}");
	unsigned one = 1;

	(void)state;
	driver_sub_rows(d, q.id, "[[1]]");
	assert_string_equal(driver_wait(d, id)->code, "result_too_large");
	while (!driver_sub_cancelled(d))
		driver_pump(d, 100);
	/* What was on its way arrives and is dropped; only after the answer is the id gone. */
	driver_sub_rows(d, q.id, "[[1]]");
	driver_sub_fail(d, q.id, ERR_QUERY_CANCELLED, "cancelled");
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	assert_int_equal(driver_complaints(d), 0);
	driver_sub_fail(d, q.id, ERR_QUERY_CANCELLED, "twice");
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_LOST);
	assert_true(driver_until(d, complained, &one));
	end(d);
}

static void
test_cancel_while_waiting(void **state)
{
	struct driver *d = attached();
	struct asked q = { .calls = 0 };
	uint64_t id = ask(d, &q, "{}");

	(void)state;
	driver_cancel(d, id);
	assert_string_equal(driver_wait(d, id)->code, "query_cancelled");
	assert_true(driver_sub_cancelled(d));
	driver_sub_fail(d, q.id, ERR_QUERY_CANCELLED, "cancelled");
	/* Its front dies while it waits. */
	(void)ask(d, &q, "{}");
	driver_hang_up(d, 0);
	(void)driver_attach(d);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	end(d);
}

/* --- faults of a front ------------------------------------------------------------------- */

/* The bad front is cut off and reported; the worker serves others on. */
static void
check_fault(struct span bytes)
{
	struct driver *d = spawn("");
	unsigned good = driver_attach(d), bad = driver_attach(d), one = 1;

	driver_send_bytes(d, bytes);
	assert_true(driver_until(d, complained, &one));
	driver_pump(d, 100);
	assert_int_equal(driver_complaints(d), 1);
	driver_pump(d, 0);
	assert_false(driver_front_open(d, bad));
	driver_use(d, good);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	end(d);
}

static struct span
frame(uint32_t len, uint16_t type, uint64_t id, const char *body)
{
	static uint8_t bytes[256];
	uint16_t flags = 0;

	memcpy(bytes, &len, 4);
	memcpy(bytes + 4, &type, 2);
	memcpy(bytes + 6, &flags, 2);
	memcpy(bytes + 8, &id, 8);
	memcpy(bytes + IPC_HEAD_SIZE, body, strlen(body));
	return span_of(bytes, IPC_HEAD_SIZE + strlen(body));
}

static void
test_faults_of_a_front(void **state)
{
	(void)state;
	check_fault(frame(UINT32_MAX, IPC_MSG_CALL, 1, ""));          /* promises 4 GiB */
	check_fault(frame(1, 999, 1, "\x90"));                        /* no such message */
	check_fault(frame(1, IPC_MSG_SUBCALL, 1, "\x90"));            /* not for a front to send */
	check_fault(frame(1, IPC_MSG_SHUTDOWN, 1, "\x90"));           /* not on this channel */
	check_fault(frame(1, IPC_MSG_CALL, 1, "\xc1"));               /* no msgpack */
	check_fault(frame(1, IPC_MSG_CALL, 1, "\x90"));               /* too few fields */
	check_fault(frame(2, IPC_MSG_RESULT, 5, "\x90\x90"));         /* answers nothing that was asked */
	check_fault(frame(2, IPC_MSG_ROWS, IPC_SUB | 7, "\x91\x90")); /* nor this */
}

/* asker and scopes as a front that was taken over would put them; what the worker makes of it. */
static const char *
asked_as(struct driver *d, const char *tool, unsigned asker, uint32_t scopes)
{
	driver_set_scopes(d, scopes);
	driver_set_asker(d, asker);
	const struct driver_answer *a = driver_call(d, tool, "", "{}");

	return a->kind == DRIVER_RESULT ? "served" : a->kind == DRIVER_FAIL ? a->code : "lost";
}

static void
test_holds_to_the_policy_itself(void **state)
{
	const uint32_t query = POLICY_SCOPE_RESEARCH_QUERY;
	struct driver *d = attached();

	(void)state;
	assert_string_equal(asked_as(d, "guarded", 0, query), "served");
	assert_string_equal(asked_as(d, "guarded", 0, POLICY_SCOPE_RESEARCH_READ), "scope_denied");
	assert_string_equal(asked_as(d, "guarded", 0, 0), "scope_denied");
	assert_string_equal(asked_as(d, "guarded", IPC_MEMORY, query), "served");
	assert_string_equal(asked_as(d, "guarded", IPC_MEMORY, 0), "scope_denied");
	assert_string_equal(asked_as(d, "guarded", IPC_SEARCH, query), "scope_denied");
	assert_string_equal(asked_as(d, "guarded", IPC_FRONT, query), "scope_denied");
	assert_string_equal(asked_as(d, "guarded", IPC_MEMORY | IPC_SEARCH, query), "scope_denied");
	assert_string_equal(asked_as(d, "guarded", 255, UINT32_MAX), "scope_denied");
	/* Not even for somebody who may do everything. */
	assert_string_equal(asked_as(d, "inner", 0, UINT32_MAX), "scope_denied");
	assert_string_equal(asked_as(d, "inner", IPC_SEARCH, UINT32_MAX), "scope_denied");
	assert_string_equal(asked_as(d, "inner", IPC_MEMORY, 0), "served");
	/* Announced, but another role's. */
	assert_string_equal(asked_as(d, "foreign", 0, UINT32_MAX), "internal_error");
	assert_string_equal(asked_as(d, "echo", 0, 0), "served");
	assert_int_equal(driver_complaints(d), 0);
	end(d);
}

static void
prove(const uint8_t key[PROOF_KEY], struct span tool, struct span args, uint64_t at, uint8_t proof[PROOF_SIZE])
{
	static const uint8_t nonce[PROOF_NONCE] = { 1 };

	proof_make(key, &(struct proof_call){ .tool = tool, .args = args }, at, nonce, proof);
}

/* As from a front that was taken over: what the owner never asked for is not served, whatever the scopes. */
static void
test_owners_tools_need_the_owners_proof(void **state)
{
	static const uint8_t wrong[PROOF_KEY] = "not the owner's";
	const struct span empty = SPAN("\x80");
	struct driver *d = attached();
	uint8_t proof[PROOF_SIZE];

	(void)state;
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "served");
	assert_string_equal(asked_as(d, "owners", 0, POLICY_SCOPES_RESEARCH), "scope_denied");
	assert_string_equal(asked_as(d, "owners", IPC_MEMORY, UINT32_MAX), "scope_denied");
	driver_set_proof(d, SPAN("x"));
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "scope_denied");
	driver_set_proof(d, span_of(proof, sizeof(proof)));
	prove(wrong, SPAN("owners"), empty, clock_ns(), proof);
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "scope_denied");
	prove(driver_local_key, SPAN("echo"), empty, clock_ns(), proof);
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "scope_denied");
	prove(driver_local_key, SPAN("owners"),
	    SPAN("\x81\xa1"
		 "a\x01"),
	    clock_ns(), proof);
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "scope_denied");
	prove(driver_local_key, SPAN("owners"), empty, clock_ns() - 2 * PROOF_AGE_NS, proof);
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "scope_denied");
	/* Good, and good once. */
	prove(driver_local_key, SPAN("owners"), empty, clock_ns(), proof);
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "served");
	assert_string_equal(asked_as(d, "owners", 0, UINT32_MAX), "scope_denied");
	assert_int_equal(driver_complaints(d), 0);
	end(d);
}

static void
check_twice(uint64_t id, unsigned times)
{
	struct ipc_call msg = {
		.tool = SPAN("slow"), .principal = SPAN("p"), .deadline_ns = clock_ns() + 20 * CLOCK_SECOND,
		.request_id = SPAN("r"), .answers = SPAN("\x80"), .args = SPAN("\x81\xa2ms\xcd\x27\x10")
	};
	struct driver *d = attached();
	unsigned one = 1;

	for (unsigned i = 0; i < times; i++)
		assert_int_equal(driver_send(d, IPC_MSG_CALL, id, &msg), 0);
	assert_true(driver_until(d, complained, &one));
	end(d);
}

static void
test_ids_are_used_once_and_by_their_owner(void **state)
{
	(void)state;
	check_twice(7, 2);           /* running */
	check_twice(7, 3);           /* and queued */
	check_twice(IPC_SUB | 7, 1); /* the worker's own numbers */
}

static void
test_front_beyond_its_credit(void **state)
{
	struct driver *d = attached();
	struct asked q = { .calls = 0 };
	unsigned one = 1;
	uint64_t id;

	(void)state;
	(void)ask(d, &q, "{}");
	/* Keep the worker from taking rows while they come. */
	id = driver_start(d, "slow", "", "{\"ms\": 25000}");
	while (driver_peek(d, id)->steps == 0)
		driver_pump(d, 100);
	for (int i = 0; i < 9; i++)
		driver_sub_rows(d, q.id, "[[1]]");
	assert_true(driver_until(d, complained, &one));
	end(d);
}

/* --- deaths and ends ------------------------------------------------------------------------ */

static void
check_crash(const char *how, int code)
{
	struct driver *d = attached();
	char args[64];

	snprintf(args, sizeof(args), "{\"how\": \"%s\"}", how);
	assert_int_equal(driver_call(d, "crash", "", args)->kind, DRIVER_LOST);
	assert_int_equal(driver_exit_code(d), code);
	driver_free(d);
}

static void
test_dies_of_its_own_making(void **state)
{
	(void)state;
#ifndef CARREL_SANITIZED
	/* A sanitizer reports these two and exits by itself; ptrace is its tool. */
	check_crash("segv", -SIGSEGV);
	check_crash("call", -SIGSYS);
	check_crash("abort", -SIGABRT);
#else
	check_crash("abort", -SIGABRT);
#endif
}

static void
test_stops_after_the_call(void **state)
{
	struct driver *d = attached();
	uint64_t first = driver_start(d, "stop", "", "{}"), second = driver_start(d, "echo", "", "{}");

	(void)state;
	assert_int_equal(driver_wait(d, first)->kind, DRIVER_RESULT);
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	assert_int_equal(driver_peek(d, second)->kind, DRIVER_LOST);
	assert_string_equal(driver_reason(d), "asked to by a test");
	driver_free(d);
}

static void
test_drains(void **state)
{
	struct driver *d = attached();
	uint64_t running = driver_start(d, "slow", "", "{\"ms\": 100}");
	uint64_t queued = driver_start(d, "echo", "", "{}");

	(void)state;
	driver_shutdown(d, 20000);
	assert_int_equal(driver_wait(d, running)->kind, DRIVER_RESULT);
	assert_int_equal(driver_wait(d, queued)->kind, DRIVER_RESULT);
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
}

static void
test_drain_has_an_end(void **state)
{
	struct driver *d = attached();
	uint64_t running = driver_start(d, "nap", "", "{\"ms\": 25000}");

	(void)state;
	assert_true(driver_until(d, is_serving, NULL));
	driver_shutdown(d, 100);
	assert_string_equal(driver_wait(d, running)->code, "service_unavailable");
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
}

static bool
closed(struct driver *d, void *arg)
{
	return !driver_front_open(d, *(unsigned *)arg);
}

static void
test_detaches_after_the_last_answer(void **state)
{
	struct driver *d = attached();
	uint64_t running = driver_start(d, "slow", "", "{\"ms\": 100}");
	uint64_t queued = driver_start(d, "echo", "", "{}");
	unsigned zero = 0, one;

	(void)state;
	driver_detach(d, 0, 3);
	assert_int_equal(driver_wait(d, running)->kind, DRIVER_RESULT);
	assert_int_equal(driver_wait(d, queued)->kind, DRIVER_RESULT);
	assert_true(driver_until(d, closed, &zero));
	one = driver_attach(d);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	driver_detach(d, one, 1);
	assert_true(driver_until(d, closed, &one));
	/* Of a channel that is gone: nothing to do. */
	driver_detach(d, one, 1);
	end(d);
}

static void
test_breaks_with_a_broken_supervisor(void **state)
{
	struct ipc_configure_search again = configuration("");
	struct driver *d = attached();

	(void)state;
	driver_control(d, IPC_MSG_CONFIGURE_SEARCH, &again);
	assert_int_equal(driver_exit_code(d), EXIT_PEER);
	driver_free(d);
}

static bool
reported(struct driver *d, void *arg)
{
	(void)arg;
	return driver_report(d)[0] != '\0';
}

static void
test_between_calls(void **state)
{
	struct driver *d = attached();

	(void)state;
	driver_state(d, "a", 1, "");
	driver_state(d, "b", 3, "gone");
	driver_ping(d);
	while (driver_pongs(d) == 0)
		driver_pump(d, 100);
	assert_string_equal(driver_call(d, "seen", "", "{}")->result, "{\"states\":\"a=1 b=3 \"}");
	assert_true(driver_until(d, reported, NULL));
	assert_string_equal(driver_report(d), "{\"idles\":true,\"spins\":false}");
	end(d);
}

/* A connection that was closed stays readable. */
static void
test_rests_when_what_it_watched_has_ended(void **state)
{
	struct driver *d = spawn("ended");

	(void)state;
	(void)driver_attach(d);
	driver_pump(d, 200);
	(void)driver_call(d, "seen", "", "{}");
	assert_true(driver_until(d, reported, NULL));
	assert_string_equal(driver_report(d), "{\"idles\":true,\"spins\":false}");
	end(d);
}

static void
test_signals_of_the_group_do_not_end_it(void **state)
{
	struct driver *d = attached();

	(void)state;
	driver_kill(d, SIGINT);
	driver_kill(d, SIGTERM);
	driver_kill(d, SIGHUP);
	assert_int_equal(driver_call(d, "echo", "", "{}")->kind, DRIVER_RESULT);
	driver_kill(d, SIGKILL);
	assert_int_equal(driver_exit_code(d), -SIGKILL);
	driver_free(d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_greets_and_serves),
		cmocka_unit_test(test_says_why_it_cannot_start),
		cmocka_unit_test(test_refuses_the_wrong_configuration),
		cmocka_unit_test(test_stops_before_it_was_configured),
		cmocka_unit_test(test_is_orphaned_early_and_late),
		cmocka_unit_test(test_streams_rows_with_credit),
		cmocka_unit_test(test_rows_larger_than_a_socket_buffer),
		cmocka_unit_test(test_fails_with_code_and_details),
		cmocka_unit_test(test_continues_elsewhere),
		cmocka_unit_test(test_arena_has_a_ceiling),
		cmocka_unit_test(test_serves_many_queued_calls_in_order),
		cmocka_unit_test(test_answers_do_not_wait_for_a_long_call),
		cmocka_unit_test(test_taken_back),
		cmocka_unit_test(test_refuses_past_the_queue),
		cmocka_unit_test(test_two_fronts),
		cmocka_unit_test(test_cancels),
		cmocka_unit_test(test_answers_pings_while_busy),
		cmocka_unit_test(test_keeps_deadlines),
		cmocka_unit_test(test_tells_progress_only_when_wanted),
		cmocka_unit_test(test_asks_another_worker),
		cmocka_unit_test(test_serves_others_while_one_waits),
		cmocka_unit_test(test_serves_side_by_side),
		cmocka_unit_test(test_side_by_side_is_bounded),
		cmocka_unit_test(test_refuses_meanwhile),
		cmocka_unit_test(test_gives_up_a_subcall),
		cmocka_unit_test(test_asks_many_at_once),
		cmocka_unit_test(test_stops_many),
		cmocka_unit_test(test_cancel_while_waiting),
		cmocka_unit_test(test_faults_of_a_front),
		cmocka_unit_test(test_holds_to_the_policy_itself),
		cmocka_unit_test(test_owners_tools_need_the_owners_proof),
		cmocka_unit_test(test_ids_are_used_once_and_by_their_owner),
		cmocka_unit_test(test_front_beyond_its_credit),
		cmocka_unit_test(test_dies_of_its_own_making),
		cmocka_unit_test(test_stops_after_the_call),
		cmocka_unit_test(test_drains),
		cmocka_unit_test(test_drain_has_an_end),
		cmocka_unit_test(test_detaches_after_the_last_answer),
		cmocka_unit_test(test_breaks_with_a_broken_supervisor),
		cmocka_unit_test(test_between_calls),
		cmocka_unit_test(test_rests_when_what_it_watched_has_ended),
		cmocka_unit_test(test_signals_of_the_group_do_not_end_it),
	};

	return cmocka_run_group_tests(tests, make_project, remove_project);
}
