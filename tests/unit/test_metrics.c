// libs: carrel_policy
/* test_metrics.c - sums of metrics over processes, and the bytes of a process that lies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "policy/metrics.h"
#include "tests/unit/harness.h"

#define SQL	SPAN("sql_execution")

static struct metrics *a, *sum;
static struct buf text, packed;

static int
set_up(void **state)
{
	(void)state;
	a = metrics_new();
	sum = metrics_new();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	metrics_free(a);
	metrics_free(sum);
	buf_fini(&text);
	buf_fini(&packed);
	return 0;
}

static void
take(struct metrics *from, unsigned sources, enum metric_part part)
{
	buf_reset(&packed, SIZE_MAX);
	metrics_pack(from, &packed);
	metrics_take(sum, buf_view(&packed), sources, part);
}

static bool
tells(const char *line)
{
	buf_reset(&text, SIZE_MAX);
	metrics_text(sum, true, &text);
	return strstr(buf_cstr(&text), line) != NULL;
}

static void
test_sum(void **state)
{
	const struct policy_tool *tool = policy_tool(SQL);

	(void)state;
	metric_add(a, METRIC_CALLS, metric_row_of_call(tool, AUDIT_OUTCOME_OK), 3);
	metric_observe(a, METRIC_CALL_DURATION, metric_row_of_tool(tool), 1500 * CLOCK_MS);
	metric_observe(a, METRIC_CALL_DURATION, metric_row_of_tool(tool), 1 * CLOCK_MS);
	metric_observe(a, METRIC_CALL_DURATION, metric_row_of_tool(tool), 3600 * CLOCK_SECOND);
	metric_set(a, METRIC_IN_FLIGHT, 0, 5);
	metric_set(a, METRIC_POOL_QUEUE, metric_row_of_pool(a, IPC_SQL, SPAN("a \"b\"\\c\n")), 2);
	take(a, METRIC_BY_FRONT, METRIC_ALL);
	take(a, METRIC_BY_FRONT, METRIC_COUNTERS); /* one that has ended */
	assert_true(tells("\ncarrel_calls_total{tool=\"sql_execution\",outcome=\"ok\"} 6\n"));
	assert_true(tells("\ncarrel_call_duration_seconds_bucket{tool=\"sql_execution\",le=\"0.001\"} 2\n"));
	assert_true(tells("\ncarrel_call_duration_seconds_bucket{tool=\"sql_execution\",le=\"1.0\"} 2\n"));
	assert_true(tells("\ncarrel_call_duration_seconds_bucket{tool=\"sql_execution\",le=\"2.5\"} 4\n"));
	assert_true(tells("\ncarrel_call_duration_seconds_bucket{tool=\"sql_execution\",le=\"60.0\"} 4\n"));
	assert_true(tells("\ncarrel_call_duration_seconds_bucket{tool=\"sql_execution\",le=\"+Inf\"} 6\n"));
	assert_true(tells("\ncarrel_call_duration_seconds_sum{tool=\"sql_execution\"} 7203.002\n"));
	assert_true(tells("\ncarrel_call_duration_seconds_count{tool=\"sql_execution\"} 6\n"));
	assert_true(tells("\ncarrel_calls_in_flight 5\n"));
	assert_true(tells("\ncarrel_pool_queued_calls{role=\"sql\",connection=\"a \\\"b\\\"\\\\c\\n\"} 2\n"));
}

/* A front can say nothing of what the supervisor counts. */
static void
test_source(void **state)
{
	(void)state;
	metric_add(a, METRIC_SANDBOX_KILLS, metric_row_of_role(IPC_SQL), 1);
	metric_add(a, METRIC_POOL_PROCESSES, metric_row_of_pool(a, IPC_SQL, SPAN("warehouse")), 1);
	take(a, METRIC_BY_FRONT, METRIC_ALL);
	assert_false(tells("carrel_sandbox_kills_total{"));
	assert_false(tells("warehouse"));
	take(a, METRIC_BY_SUPERVISOR, METRIC_ALL);
	assert_true(tells("\ncarrel_sandbox_kills_total{role=\"sql\"} 1\n"));
	assert_true(tells("\ncarrel_pool_processes{role=\"sql\",connection=\"warehouse\"} 1\n"));
}

/* No bytes lead out of the numbers: every place, order and kind of value that is wrong is left out. */
static void
test_lies(void **state)
{
	static const uint64_t numbers[] = { 0, 1, 5, 1 << 10, 1 << 20, UINT32_MAX, UINT64_MAX };

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		size_t n = (size_t)(rand() % 9);

		buf_reset(&packed, SIZE_MAX);
		mp_put_map(&packed, 2);
		for (unsigned part = 0; part < 2; part++) {
			mp_put_cstr(&packed, part == 0 ? "cells" : "pools");
			if (rand() % 20 == 0) {
				mp_put_nil(&packed);
				continue;
			}
			mp_put_array(&packed, n);
			for (size_t k = 0; k < n; k++)
				if (rand() % 4 == 0)
					mp_put_cstr(&packed, "warehouse");
				else
					mp_put_uint(&packed, numbers[(size_t)rand() % 7]);
		}
		metrics_take(sum, buf_view(&packed), METRIC_BY_FRONT, METRIC_ALL);
	}
	metrics_take(sum, SPAN("\xc0"), METRIC_BY_FRONT, METRIC_ALL);
	metrics_take(sum, (struct span){ NULL, 0 }, METRIC_BY_FRONT, METRIC_ALL);
	assert_false(tells("carrel_sandbox_kills_total{"));
	assert_true(tells("\n# EOF\n"));
	/* Nor does it have more pools than it may. */
	for (unsigned i = 0; i < 2 * METRICS_POOLS_MAX; i++) {
		char name[32];

		snprintf(name, sizeof(name), "c%u", i);
		metric_set(sum, METRIC_POOL_QUEUE, metric_row_of_pool(sum, IPC_SQL, span_str(name)), 7);
	}
	assert_false(tells("\"c2000\""));
}

static void
test_report(void **state)
{
	(void)state;
	mp_put_map(&packed, 3);
	mp_pair_uint(&packed, "documents", 12);
	mp_pair_uint(&packed, "buildMs", 1234);
	mp_pair_uint(&packed, "elsewhere", 1);
	metrics_take_report(sum, METRIC_BY_SEARCH, buf_view(&packed));
	assert_true(tells("\ncarrel_index_documents 12\n"));
	assert_true(tells("\ncarrel_index_build_seconds 1.234\n"));
	metrics_take_report(sum, METRIC_BY_SEARCH, SPAN("\x01"));
	assert_true(tells("\ncarrel_index_documents 12\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_source, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_lies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_report, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
