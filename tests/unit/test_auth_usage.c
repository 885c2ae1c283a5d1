// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_usage.c - what tokens were used for: counts, percentiles, the last five; nobody else's calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json_write.h"
#include "workers/auth/tokens/usage.h"

static void
note(struct usage *u, enum audit_kind kind, enum audit_action action, const char *tool, uint64_t ms,
    enum audit_outcome outcome)
{
	struct audit_entry e = audit_entry_of(action, outcome);

	e.kind = kind;
	e.target = span_str(tool);
	e.duration_ms = ms;
	e.at_unix_ms = 1000 + ms;
	usage_note(u, &e);
}

static const char *
shown(const struct usage *u)
{
	static struct buf json;
	struct buf mp = { 0 };
	struct mp_value v;

	mp_put_map(&mp, 2);
	usage_put(u, 3, 7, &mp);
	assert_int_equal(mp_scan(buf_view(&mp)), MP_OK);
	assert_true(mp_value(buf_view(&mp), &v));
	buf_reset(&json, 1 << 16);
	json_write(&json, &v);
	buf_fini(&mp);
	return buf_cstr(&json);
}

static void
nothing_yet(void **state)
{
	static struct usage u;

	(void)state;
	note(&u, AUDIT_KIND_LOCAL, AUDIT_ACTION_TOOL_CALL, "sql_execution", 5, AUDIT_OUTCOME_OK);
	note(&u, AUDIT_KIND_TOKEN, AUDIT_ACTION_SESSION_CREATED, "", 5, AUDIT_OUTCOME_OK);
	assert_string_equal(shown(&u),
	    "{\"metrics\":{\"requests_total\":0,\"errors_total\":0,\"latency_ms\":{\"p50\":null,\"p95\":null,\"p99\":"
	    "null},"
	    "\"active_connections\":3,\"auth_failures\":7},\"recent_queries\":[]}");
}

static void
counts_and_the_last_five(void **state)
{
	static struct usage u;

	(void)state;
	for (unsigned i = 1; i <= 100; i++)
		note(&u, AUDIT_KIND_TOKEN, AUDIT_ACTION_TOOL_CALL, i % 2 == 0 ? "even" : "odd", i,
		    i % 10 == 0 ? AUDIT_OUTCOME_REFUSED : AUDIT_OUTCOME_OK);
	assert_non_null(strstr(shown(&u),
	    "{\"requests_total\":100,\"errors_total\":10,\"latency_ms\":{\"p50\":50,\"p95\":95,\"p99\":99},"));
	assert_non_null(strstr(shown(&u),
	    "\"recent_queries\":[{\"at\":\"1970-01-01T00:00:01.100Z\",\"tool\":\"even\",\"duration_ms\":100,\"ok\":"
	    "false},"
	    "{\"at\":\"1970-01-01T00:00:01.099Z\",\"tool\":\"odd\",\"duration_ms\":99,\"ok\":true},"));
	assert_null(strstr(shown(&u), ":95,\"ok\""));
}

/* Only the last calls count for the percentiles; a name too long is cut, and a time beyond all bounds is bounded. */
static void
bounds(void **state)
{
	static struct usage u;
	char name[300];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (unsigned i = 0; i < 50; i++)
		note(&u, AUDIT_KIND_TOKEN, AUDIT_ACTION_TOOL_CALL, name, UINT64_MAX, AUDIT_OUTCOME_ERROR);
	assert_non_null(strstr(shown(&u), "\"p50\":4294967295"));
	for (unsigned i = 0; i < USAGE_LATENCIES; i++)
		note(&u, AUDIT_KIND_TOKEN, AUDIT_ACTION_TOOL_CALL, "t", 2, AUDIT_OUTCOME_OK);
	assert_non_null(strstr(shown(&u), "\"p50\":2,\"p95\":2,\"p99\":2"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_yet),
		cmocka_unit_test(counts_and_the_last_five),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
