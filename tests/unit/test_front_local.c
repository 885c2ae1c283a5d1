// libs: carrel_front_rig
/* test_front_local.c - clients of control.sock and stdio: lines of JSON-RPC. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

static struct rig *r;
static int fd;

static void
start(const struct rig_options *o)
{
	struct timeval patience = { 1, 0 };

	r = rig_start(o);
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SEARCH, "");
	fd = rig_local(r);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

static void
stop(void)
{
	close(fd);
	rig_stop(r);
}

/* Say a line; the answer, with the control channel served meanwhile. */
static const char *
say(const char *line)
{
	const char *answer = "";

	rig_send(fd, line);
	rig_send(fd, "\n");
	for (int i = 0; i < 20 && answer[0] == '\0'; i++) {
		rig_pump(r, 20);
		answer = rig_line(fd);
	}
	return answer;
}

#define SQL(id, text)	RPC(id, "tools/call", "\"name\":\"sql_execution\",\"arguments\":" \
	"{\"connectionId\":\"warehouse\",\"sql\":\"" text "\"}")

static void
test_stdio(void **state)
{
	const char *a;

	(void)state;
	start(&(struct rig_options){ .token = "secret" }); /* a local client needs none */
	a = say(RPC("0", "initialize", "\"protocolVersion\":\"2025-06-18\""));
	assert_holds(a, "\"protocolVersion\":\"2025-06-18\"");
	rig_send(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n\r\n");
	a = say(RPC("1", "ping", ""));
	assert_string_equal(a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	a = say(RPC("2", "tools/list", ""));
	assert_holds(a, "\"sql_execution\"");
	a = say(SQL("3", "one"));
	assert_holds(a, "\"rowCount\":1");
	/* the session's revision: arguments are told as before 2025-11-25 */
	a = say(SQL("4", ""));
	assert_holds(a, "\"error\":{\"code\":-32602");
	a = say(RPC("5", "no/such", ""));
	assert_holds(a, "-32601");
	stop();
}

static void
test_modern(void **state)
{
	const char *a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	a = say(RPC("\"server-discover-probe-1\"", "server/discover", META));
	assert_holds(a, "\"id\":\"server-discover-probe-1\",\"result\":{\"resultType\":\"complete\"");
	a = say(RPC("1", "tools/list", META));
	assert_holds(a, "\"ttlMs\"");
	a = say(RPC("1", "ping", META));
	assert_holds(a, "-32601");
	a = say(RPC("1", "tools/list",
	    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"x\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{}}"));
	assert_holds(a, "-32022");
	/* the probe does not bind the process */
	a = say(RPC("2", "initialize", "\"protocolVersion\":\"2025-11-25\""));
	assert_holds(a, "\"protocolVersion\":\"2025-11-25\"");
	stop();
}

static void
test_bad_lines(void **state)
{
	const char *a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	a = say("{");
	assert_string_equal(strstr(a, "\"error\":{\"code\":-32700") != NULL ? "ok" : a, "ok");
	a = say("[" RPC("1", "ping", "") "]");
	assert_holds(a, "-32600");
	a = say("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}");
	assert_holds(a, "-32600");
	a = say(RPC("1", "ping", ""));
	assert_holds(a, "\"result\":{}");
	stop();
}

/* The command line of the same user may administer and call what is not for agents. */
static void
test_cli(void **state)
{
	const char *a;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	a = say(RPC("1", "carrel/hello", "\"client\":\"cli\""));
	assert_holds(a, "\"server\":\"carrel\"");
	a = say(RPC("2", "carrel/hello", "\"client\":\"cli\""));
	assert_holds(a, "\"error\"");
	a = say(RPC("3", "carrel/status", ""));
	assert_holds(a, "\"project\":\"shop\"");
	assert_holds(a, "\"front\":{\"connections\":");
	assert_holds(a, "\"pools\":[");
	assert_int_equal(r->status_asked, 1);
	a = say(RPC("4", "carrel/clear-quarantine", ""));
	assert_holds(a, "\"cleared\":0");
	/* which connection, for a tool that has no such argument; it never reaches the worker */
	a = say(RPC("5", "tools/call", "\"name\":\"connection_test\",\"arguments\":{\"connectionId\":\"warehouse\"}"));
	assert_holds(a, "\"structuredContent\":{\"args\":{}}");
	a = say(RPC("6", "tools/call", "\"name\":\"connection_test\",\"arguments\":{\"connectionId\":\"nope\"}"));
	assert_holds(a, "connection_not_found");
	/* still not listed */
	a = say(RPC("7", "tools/list", ""));
	assert_null(strstr(a, "connection_test"));
	stop();
}

static void
test_not_cli(void **state)
{
	const char *a;

	(void)state;
	start(&(struct rig_options){ .token = "secret" });
	a = say(RPC("1", "carrel/hello", "\"client\":\"stdio\""));
	assert_holds(a, "\"principal\":\"local:");
	a = say(RPC("2", "carrel/status", ""));
	assert_holds(a, "\"code\":-32001");
	assert_holds(a, "\"code\":\"FORBIDDEN\"");
	a = say(RPC("3", "tools/call", "\"name\":\"connection_test\",\"arguments\":{\"connectionId\":\"warehouse\"}"));
	assert_holds(a, "-32602");
	close(fd);
	/* a token decides alone */
	fd = rig_local(r);
	a = say(RPC("1", "carrel/hello", "\"client\":\"cli\",\"token\":\"secret\""));
	assert_holds(a, "\"principal\":\"static\"");
	a = say(RPC("2", "carrel/status", ""));
	assert_holds(a, "FORBIDDEN");
	close(fd);
	fd = rig_local(r);
	a = say(RPC("1", "carrel/hello", "\"client\":\"cli\",\"token\":\"wrong\""));
	assert_holds(a, "auth_invalid");
	assert_true(rig_closed(fd));
	stop();
}

static void
test_progress_and_cancel(void **state)
{
	const char *a;
	int before = fake_shared->cancels;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	a = say(RPC("1", "tools/call",
	    "\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\","
	    "\"sql\":\"progress\"},\"_meta\":{\"progressToken\":\"p\"}"));
	assert_holds(a, "\"method\":\"notifications/progress\"");
	for (int i = 0; i < 10 && strstr(a, "\"id\":1") == NULL; i++)
		a = rig_line(fd);
	assert_holds(a, "\"rowCount\":1");
	/* a cancelled call has no answer; those behind it are served */
	rig_send(fd, SQL("7", "wait") "\n");
	rig_send(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n");
	a = say(SQL("8", "one"));
	assert_holds(a, "\"id\":8,");
	for (int i = 0; i < 500 && fake_shared->cancels == before; i++)
		rig_pump(r, 10);
	stop();
}

/* Large results of several calls at once never mix. */
static void
test_whole_lines(void **state)
{
	bool seen[4] = { false };

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_send(fd,
	    SQL("0", "rows 3000 300") "\n" SQL("1", "rows 3000 300") "\n" SQL("2", "one") "\n" RPC("3", "tools/list",
		"") "\n");
	for (int i = 0; i < 4; i++) {
		const char *a = "";
		int id;

		for (int k = 0; k < 20 && a[0] == '\0'; k++) {
			rig_pump(r, 10);
			a = rig_line(fd);
		}
		assert_int_equal(sscanf(a, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{", &id), 1);
		assert_in_range(id, 0, 3);
		assert_false(seen[id]);
		seen[id] = true;
		assert_string_equal(a + strlen(a) - 2, "}}");
		if (id < 2)
			assert_true(strlen(a) > 2 * 3000 * 300);
	}
	stop();
}

/* The client leaves: its query is cancelled; a private front ends with it. */
static void
test_private(void **state)
{
	int before = fake_shared->cancels, begun = fake_shared->begun;

	(void)state;
	start(&(struct rig_options){ .private = true });
	rig_send(fd, SQL("1", "wait") "\n");
	rig_until(r, &fake_shared->begun, begun + 1);
	close(fd);
	assert_int_equal(rig_end(r, 0), EXIT_STOPPED);
	for (int i = 0; i < 500 && fake_shared->cancels == before; i++)
		rig_pump(r, 10);
	fd = -1;
	stop();
}

/* Batches: of 2025-03-26 alone; one line with all answers, whatever else is said meanwhile. */
static void
test_batch(void **state)
{
	const char *a, *p;

	(void)state;
	start(&(struct rig_options){ .token = NULL });
	a = say(RPC("0", "initialize", "\"protocolVersion\":\"2025-03-26\""));
	assert_holds(a, "2025-03-26");
	a = say("[" RPC("1", "ping", "") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}," SQL("2",
	    "one") "," RPC("\"3\"", "no/such", "") ",7," RPC("4", "initialize", "") "]");
	assert_true(a[0] == '[');
	assert_true(a[strlen(a) - 1] == ']');
	assert_holds(a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	assert_holds(a, "\"id\":2,\"result\":");
	assert_holds(a, "\"id\":\"3\",\"error\":{\"code\":-32601");
	assert_holds(a,
	    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a message must be an object\"}}");
	assert_holds(a, "\"id\":4,\"error\":{\"code\":-32600");
	p = a;
	for (size_t n = 0; n < 5; n++, p++)
		assert_non_null(p = strstr(p, "\"jsonrpc\""));
	/* nothing is owed for notices alone; what is cancelled is left out */
	a = say("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]\n" RPC("5", "ping", ""));
	assert_string_equal(a, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
	a = say("[" SQL("6", "wait") "," RPC("7", "ping",
	    "") "]\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":6}}");
	assert_string_equal(a, "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}]");
	a = say("[]");
	assert_holds(a, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600");
	/* a client that leaves in the middle of one takes it along */
	rig_send(fd, "[" SQL("8", "wait") "," RPC("9", "ping", "") "]\n");
	stop();

	start(&(struct rig_options){ .token = NULL });
	say(RPC("0", "initialize", "\"protocolVersion\":\"2025-06-18\""));
	a = say("[" RPC("1", "ping", "") "]");
	assert_holds(a, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600");
	stop();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stdio),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_modern),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_cli),
		cmocka_unit_test(test_not_cli),
		cmocka_unit_test(test_progress_and_cancel),
		cmocka_unit_test(test_whole_lines),
		cmocka_unit_test(test_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
