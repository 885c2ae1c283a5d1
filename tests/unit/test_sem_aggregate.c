// libs: carrel_semantic carrel_project carrel_base
/* test_sem_aggregate.c - what kind of number a measure is. */
#include "tests/unit/harness.h"

#include "base/buf.h"
#include "semantic/aggregate.h"

static void
kinds_are_told(void **state)
{
	static const char *const rows[][2] = {
		{ "sum(net)", "sum net +" },
		{ "SUM( net )", "sum net +" },
		{ "sum(net + vat)", "sum  +" },
		{ "sum(\"Net Amount\")", "sum Net Amount +" },
		{ "sum(net) / 100.0", "sum net +" },
		{ "(0.01 * sum(net))", "sum net +" },
		{ "sum(o.net)", "sum  +" },
		{ "sum(distinct net)", "other net -" },
		{ "count(*)", "count  +" },
		{ "count(ended_on)", "count ended_on +" },
		{ "count(distinct account_id)", "count_distinct account_id -" },
		{ "count_distinct(account_id)", "count_distinct account_id -" },
		{ "avg(x)", "avg x -" },
		{ "min(x)", "min x -" },
		{ "max(x)", "max x -" },
		{ "median(x)", "median x -" },
		{ "percentile(x, 0.9)", "percentile x -" },
		{ "stddev(x)", "other x -" },
		{ "sum(a) - sum(b)", "derived  -" },
		{ "100.0 * sum(a) / count(*)", "derived  -" },
		{ "1 / sum(a)", "derived  -" },
		{ "revenue / orders", "derived  -" },
		{ "coalesce(sum(a), 0)", "derived  -" },
		{ "sum(a) over ()", "derived  -" },
		{ "not an expression (", "derived  -" },
		{ "", "derived  -" },
	};
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sem_aggregate g = sem_aggregate_of(a, span_str(rows[i][0]));
		struct buf out = { 0 };

		buf_printf(&out, "%s %.*s %s", sem_aggregate_name(g.kind), SPAN_FMT(g.column),
		    sem_aggregate_is_additive(g.kind) ? "+" : "-");
		assert_string_equal(buf_cstr(&out), rows[i][1]);
		buf_fini(&out);
	}
	arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kinds_are_told) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
