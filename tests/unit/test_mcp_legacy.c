// libs: carrel_front_rig
/* test_mcp_legacy.c - revisions up to 2025-11-25 over HTTP: sessions, tools, batches, progress. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"

static struct rig *r;
static int fd;

static int
begin(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SEARCH, "");
	rig_worker(r, IPC_MEMORY, "");
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
test_initialize(void **state)
{
	static const char *const rows[][2] = {
		{ "2024-11-05", "2024-11-05" }, { "2025-03-26", "2025-03-26" },
		{ "2025-06-18", "2025-06-18" }, { "2025-11-25", "2025-11-25" },
		{ "2026-07-28", "2025-11-25" }, { "1999-01-01", "2025-11-25" },
	};
	char body[256], expected[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a;

		snprintf(body, sizeof(body),
		    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
		    "{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{}}}",
		    rows[i][0]);
		a = rig_post(fd, "", body);
		assert_int_equal(a.status, 200);
		snprintf(expected, sizeof(expected), "\"protocolVersion\":\"%s\"", rows[i][1]);
		assert_holds(a.body, expected);
		assert_holds(a.body, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{");
		assert_null(strstr(a.body, "resultType"));
	}
}

static void
test_sessions(void **state)
{
	char session[128], wrong[256];
	struct reply a;

	(void)state;
	snprintf(session, sizeof(session), "%s", rig_session(fd, "2025-11-25"));
	a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	assert_int_equal(a.status, 202);
	assert_int_equal(a.len, 0);
	a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(a.status, 200);
	assert_string_equal(a.body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	/* an answer to what was never asked */
	a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	assert_int_equal(a.status, 400);
	/* none, an invented one, a bent one */
	a = rig_post(fd, "", "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/list\"}");
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "\"id\":\"x\"");
	a = rig_post(fd, "Mcp-Session-Id: mine\r\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(a.status, 404);
	memcpy(wrong, session, sizeof(session));
	wrong[30] = wrong[30] == 'A' ? 'B' : 'A';
	a = rig_post(fd, wrong, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(a.status, 404);
	a = rig_post(fd, wrong, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
	assert_int_equal(a.status, 404);
	/* the header names a revision */
	snprintf(wrong, sizeof(wrong), "%sMCP-Protocol-Version: 2025-11-25\r\n", session);
	a = rig_post(fd, wrong, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(a.status, 200);
	snprintf(wrong, sizeof(wrong), "%sMCP-Protocol-Version: 2099-01-01\r\n", session);
	a = rig_post(fd, wrong, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(a.status, 400);
	/* DELETE ends it, everywhere */
	snprintf(wrong, sizeof(wrong), "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n", session);
	rig_send(fd, wrong);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_string_equal(a.body, "{\"message\":\"Session terminated\"}");
	a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(a.status, 404);
	rig_send(fd, wrong);
	a = rig_read(fd);
	assert_int_equal(a.status, 404);
	for (int i = 0; i < 100 && r->ended == 0; i++)
		rig_pump(r, 50);
	assert_int_equal(r->ended, 1);
}

/* Sessions end faster than the supervisor listens: it is told of each later. */
static void
test_many_end(void **state)
{
	enum { MANY = 700 }; /* more messages than the channel has room for */
	unsigned ended = r->ended;
	char text[256];

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n",
		    rig_session(fd, "2025-11-25"));
		rig_send(fd, text);
		assert_int_equal(rig_read(fd).status, 200);
	}
	for (int i = 0; i < 1000 && r->ended < ended + MANY; i++)
		rig_pump(r, 50);
	assert_int_equal(r->ended, ended + MANY);
}

/* What the supervisor tells of an ended session holds for a front that never saw it end. */
static void
test_ended_elsewhere(void **state)
{
	char session[128];
	struct reply a;
	uint8_t raw[64];
	size_t n = 0;

	(void)state;
	snprintf(session, sizeof(session), "%s", rig_session(fd, "2025-11-25"));
	/* the body is the first 26 bytes of what the id encodes */
	for (const char *p = session + 16; *p != '\r' && n < 56; p++, n++) {
		const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
		unsigned v = (unsigned)(strchr(digits, *p) - digits);

		for (unsigned bit = 0; bit < 6; bit++) {
			size_t at = n * 6 + bit;

			if (bit == 0 || at % 8 == 0)
				raw[at / 8] &= (uint8_t)(0xff00u >> (at % 8));
			raw[at / 8] |= (uint8_t)((v >> (5 - bit) & 1) << (7 - at % 8));
		}
	}
	rig_say(r, IPC_MSG_SESSION_ENDED, &(struct ipc_session_ended){ .id = span_of(raw, 26),
	    .expires_unix_s = UINT64_MAX });
	for (int i = 0; i < 100; i++) {
		a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
		if (a.status == 404)
			break;
		rig_pump(r, 10);
	}
	assert_int_equal(a.status, 404);
}

static void
test_tools_list(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, rig_session(fd, "2025-11-25"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	assert_int_equal(a.status, 200);
	/* in the order of policy/tools.def, only what is known, only of the right role, nothing local */
	assert_holds(a.body, "\"result\":{\"tools\":[{\"name\":\"connection_list\"");
	assert_true(strstr(a.body, "\"sl_query\"") < strstr(a.body, "\"sql_execution\""));
	assert_true(strstr(a.body, "\"sql_execution\"") < strstr(a.body, "\"memory_ingest\""));
	assert_null(strstr(a.body, "invented"));
	assert_null(strstr(a.body, "not ours"));
	assert_null(strstr(a.body, "connection_test"));
	assert_holds(a.body, "\"outputSchema\"");
	assert_holds(a.body,
	    "\"annotations\":{\"title\":\"SQL Execution\",\"readOnlyHint\":true,"
	    "\"idempotentHint\":true,\"openWorldHint\":false}");
	assert_holds(a.body,
	    "\"annotations\":{\"title\":\"Memory Ingest\",\"readOnlyHint\":false,"
	    "\"destructiveHint\":false,\"openWorldHint\":false}");
	assert_null(strstr(a.body, "ttlMs"));
	a = rig_post(fd, rig_session(fd, "2024-11-05"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	assert_null(strstr(a.body, "outputSchema"));
	a = rig_post(fd, rig_session(fd, "2025-11-25"),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}");
	assert_holds(a.body, "-32602");
}

#define CALL(name, args) "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"" \
	name "\",\"arguments\":" args "}}"
#define SQL(text) CALL("sql_execution", "{\"connectionId\":\"warehouse\",\"sql\":\"" text "\"}")

/* Every result ends with the id of its request, which is another one each time. */
static void
drop_receipt(char *body)
{
	char *meta = strstr(body, ",\"_meta\":{\"carrel/receipt\":\"r-"), *end;

	assert_non_null(meta);
	end = strstr(meta, "\"}");
	assert_non_null(end);
	memmove(meta, end + 2, strlen(end + 2) + 1);
}

static void
test_call(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, rig_session(fd, "2025-11-25"), SQL("one"));
	assert_int_equal(a.status, 200);
	drop_receipt(a.body);
	assert_string_equal(a.body,
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[{\"type\":\"text\","
	    "\"text\":\"{\\\"headers\\\":[\\\"n\\\",\\\"t\\\"],\\\"rows\\\":[[0,\\\"x\\\"]],\\\"rowCount\\\":1,"
	    "\\\"truncated\\\":false}\"}],\"structuredContent\":{\"headers\":[\"n\",\"t\"],\"rows\":[[0,\"x\"]],"
	    "\"rowCount\":1,\"truncated\":false}}}");
	a = rig_post(fd, rig_session(fd, "2025-11-25"), SQL("cells"));
	assert_holds(a.body,
	    "\"rows\":[[null,true,-1,9007199254740991,\"9223372036854775808\",0.1,"
	    "\"q\\\"\\\\\\n\xc3\xa9\",{\"base64\":\"AP8=\"},12.50,{\"truncated\":true}]]");
}

static void
test_call_errors(void **state)
{
	char session[128], old[128];
	struct reply a;

	(void)state;
	snprintf(session, sizeof(session), "%s", rig_session(fd, "2025-11-25"));
	snprintf(old, sizeof(old), "%s", rig_session(fd, "2025-06-18"));
	a = rig_post(fd, session, CALL("no_such_tool", "{}"));
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"error\":{\"code\":-32602");
	a = rig_post(fd, session, CALL("connection_test", "{}")); /* not for this caller: as if it were not there */
	assert_holds(a.body, "\"error\":{\"code\":-32602");
	a = rig_post(fd, session, CALL("connection_list", "[]"));
	assert_holds(a.body, "\"error\":{\"code\":-32602");
	a = rig_post(fd, session, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"no/such\"}");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "-32601");
	/* arguments: in-band from 2025-11-25 on, with the same data before */
	a = rig_post(fd, session, CALL("sql_execution", "{\"sql\":\"one\",\"limit\":5}"));
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"isError\":true");
	assert_holds(a.body, "\"code\":\"invalid_arguments\"");
	assert_holds(a.body, "\"issues\":[{");
	assert_holds(a.body, "connectionId");
	assert_holds(a.body, "limit");
	assert_holds(a.body, "\"request_id\":\"r-");
	a = rig_post(fd, old, CALL("sql_execution", "{\"sql\":\"one\",\"limit\":5}"));
	assert_holds(a.body, "\"error\":{\"code\":-32602");
	assert_holds(a.body, "\"data\":{\"issues\":[{");
	/* after validation */
	a = rig_post(fd, session, CALL("sql_execution", "{\"sql\":\"one\",\"connectionId\":\"nope\"}"));
	assert_holds(a.body, "\"code\":\"connection_not_found\"");
	assert_holds(a.body, "\"warehouse\"");
	a = rig_post(fd, session, SQL("fail forbidden_sql"));
	assert_holds(a.body,
	    "\"structuredContent\":{\"error\":{\"code\":\"forbidden_sql\","
	    "\"message\":\"it went wrong on "
	    "purpose\",\"details\":{\"hint\":\"more\",\"dialect\":\"carrel://dialect/warehouse\"}},"
	    "\"request_id\":\"r-");
	assert_holds(a.body, "\"isError\":true");
	a = rig_post(fd, session, SQL("fail internal_error"));
	assert_null(strstr(a.body, "on purpose"));
}

static void
test_aliases(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, rig_session(fd, "2025-11-25"),
	    CALL("entity_details",
		"{\"entities\":[{\"table\":{\"schema\":\"s\",\"table\":\"t\"}},{\"table\":\"s.t\"},"
		"{\"table\":{\"name\":\"t\"}}]}"));
	assert_holds(a.body,
	    "\"entities\":[{\"table\":{\"db\":\"s\",\"name\":\"t\"}},{\"table\":\"s.t\"},"
	    "{\"table\":{\"name\":\"t\"}}]");
	/* an alias beside its real name is an unknown argument */
	a = rig_post(fd, rig_session(fd, "2025-11-25"),
	    CALL("entity_details", "{\"entities\":[{\"table\":{\"name\":\"a\",\"table\":\"t\"}}]}"));
	assert_holds(a.body, "invalid_arguments");
}

/* The text block and structuredContent of a large result are the same, and arrive whole. */
static void
test_large_result(void **state)
{
	struct reply a;
	const char *structured;
	unsigned quotes = 0;

	(void)state;
	a = rig_post(fd, rig_session(fd, "2025-11-25"), SQL("rows 5000 100"));
	assert_int_equal(a.status, 200);
	assert_true(a.chunked);
	structured = strstr(a.body, "\"structuredContent\":");
	assert_non_null(structured);
	assert_non_null(strstr(structured, "[4999,\"xxx"));
	drop_receipt(a.body);
	assert_non_null(strstr(structured, "\"rowCount\":5000,\"truncated\":false}}}"));
	assert_true(structured > strstr(a.body, "[4999,\\\"xxx"));
	for (const char *p = structured; (p = strstr(p, "\"xxxx")) != NULL; p++)
		quotes++;
	assert_int_equal(quotes, 5000);
}

static void
test_progress(void **state)
{
	struct reply a;
	const char *p;

	(void)state;
	a = rig_post(fd, rig_session(fd, "2025-11-25"),
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\","
	    "\"params\":{\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":"
	    "\"progress\"},\"_meta\":{\"progressToken\":0}}}");
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "text/event-stream");
	assert_non_null(strstr(a.body, "-0\nretry: 2000\ndata: \n\nid: ")); /* how to come back, first of all */
	p = strstr(a.body,
	    "-1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
	    "\"params\":{\"progressToken\":0,\"progress\":0.000,\"total\":1,\"message\":\"step\"}}\n\n");
	assert_non_null(p);
	p = strstr(p, "\"progress\":0.300");
	assert_non_null(p);
	assert_null(strstr(a.body, "\"progress\":0.100")); /* never backwards */
	p = strstr(p, "\"progress\":1.000");
	assert_non_null(p);
	p = strstr(p, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":");
	assert_non_null(p);
	assert_string_equal(a.body + a.len - 2, "\n\n");
	/* the connection goes on */
	a = rig_post(fd, rig_session(fd, "2025-11-25"), SQL("one"));
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "application/json");
}

static void
test_subcall_and_continuation(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, rig_session(fd, "2025-11-25"), CALL("discover_data", "{\"query\":\"rows 2500 10\"}"));
	assert_holds(a.body, "\"structuredContent\":{\"counted\":2500}");
	a = rig_post(fd, rig_session(fd, "2025-11-25"), CALL("discover_data", "{\"query\":\"fail database_error\"}"));
	assert_holds(a.body, "\"code\":\"database_error\"");
	/* Search may ask for the fingerprint and nothing else, however open the tool is to the caller itself. */
	a = rig_post(fd, rig_session(fd, "2025-11-25"), CALL("discover_data", "{\"query\":\"ask sql_execution\"}"));
	assert_holds(a.body, "\"code\":\"scope_denied\"");
	a = rig_post(fd, rig_session(fd, "2025-11-25"), CALL("discover_data", "{\"query\":\"ask introspect\"}"));
	assert_holds(a.body, "\"code\":\"scope_denied\"");
	a = rig_post(fd, rig_session(fd, "2025-11-25"), CALL("discover_data", "{\"query\":\"ask memory_approve\"}"));
	assert_holds(a.body, "\"code\":\"scope_denied\"");
	a = rig_post(fd, rig_session(fd, "2025-11-25"), CALL("sl_query", "{}"));
	/* the continuation's members first, and none of them twice */
	assert_holds(a.body,
	    "\"structuredContent\":{\"plan\":\"p\",\"headers\":[\"m\"],\"rows\":[[0,\"x\"]],"
	    "\"rowCount\":1,\"truncated\":false}");
}

#define PINGS "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}," \
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]"

static void
test_batches(void **state)
{
	char session[128], other[128];
	struct buf b = { .max = 0 };
	struct reply a;

	(void)state;
	snprintf(session, sizeof(session), "%s", rig_session(fd, "2025-03-26"));
	snprintf(other, sizeof(other), "%s", rig_session(fd, "2025-06-18"));
	a = rig_post(fd, session,
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}," SQL(
		"one") ","
		       "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\"},{\"id\":4}]");
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
	assert_holds(a.body, "\"id\":5,\"result\":{\"content\"");
	assert_holds(a.body, "\"id\":3,\"error\":{\"code\":-32600");
	assert_holds(a.body, "\"id\":4,\"error\":{\"code\":-32600");
	/* a client that reads no events gets an array */
	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json\r\nContent-Length: %zu\r\n%s\r\n%s",
	    sizeof(PINGS) - 1, session, PINGS);
	rig_send_n(fd, b.p, b.len);
	buf_fini(&b);
	a = rig_read(fd);
	assert_string_equal(a.body,
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]");
	a = rig_post(fd, session, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]");
	assert_int_equal(a.status, 202);
	a = rig_post(fd, session, "[]");
	assert_int_equal(a.status, 400);
	a = rig_post(fd, other, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]");
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600");
	a = rig_post(fd, "", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]");
	assert_int_equal(a.status, 400);
}

/* Cancelled by message from another connection: the work stops, the stream ends without an answer. */
static void
test_cancel_by_message(void **state)
{
	char session[128];
	int other = rig_connect(r), cancels = fake_shared->cancels;
	struct reply a;
	struct buf b = { .max = 0 };

	(void)state;
	snprintf(session, sizeof(session), "%s", rig_session(fd, "2025-11-25"));
	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n%s\r\n%s",
	    strlen(SQL("wait")), session, SQL("wait"));
	rig_send_n(other, b.p, b.len);
	buf_fini(&b);
	for (int i = 0; i < 200 && fake_shared->cancels == cancels; i++) {
		/* another id is not it; then the right one, until the request has been seen */
		a = rig_post(fd, session,
		    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		    "\"params\":{\"requestId\":\"5\"}}");
		assert_int_equal(a.status, 202);
		a = rig_post(fd, session,
		    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		    "\"params\":{\"requestId\":5}}");
		assert_int_equal(a.status, 202);
		rig_pump(r, 10);
	}
	assert_int_equal(fake_shared->cancels, cancels + 1);
	a = rig_read(other);
	assert_int_equal(a.status, 200);
	assert_int_equal(a.len, 0);
	close(other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_initialize, begin, end),
		cmocka_unit_test_setup_teardown(test_sessions, begin, end),
		cmocka_unit_test_setup_teardown(test_many_end, begin, end),
		cmocka_unit_test_setup_teardown(test_ended_elsewhere, begin, end),
		cmocka_unit_test_setup_teardown(test_tools_list, begin, end),
		cmocka_unit_test_setup_teardown(test_call, begin, end),
		cmocka_unit_test_setup_teardown(test_call_errors, begin, end),
		cmocka_unit_test_setup_teardown(test_aliases, begin, end),
		cmocka_unit_test_setup_teardown(test_large_result, begin, end),
		cmocka_unit_test_setup_teardown(test_progress, begin, end),
		cmocka_unit_test_setup_teardown(test_subcall_and_continuation, begin, end),
		cmocka_unit_test_setup_teardown(test_batches, begin, end),
		cmocka_unit_test_setup_teardown(test_cancel_by_message, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
