// libs: carrel_guard_pg carrel_policy carrel_base
/* test_guard_plan.c - how much time a statement has, by plans as the server writes them. */
#include "workers/sql/postgres/guard/guard_plan.h"
#include "tests/unit/harness.h"

#define ALL	GUARD_PLAN_UNBOUNDED

static const struct guard_memory gathering = { .gathers = true, .doubt = 1, .made = 1 };

static uint64_t
ms_of(const char *plan, struct guard_memory m)
{
	return guard_plan_ms(span_str(plan), &m, NULL, 0);
}

/* A step of a plan, with what stands below it. */
#define STEP(type, more, rows, width, below)	"{\n  \"Node Type\": \"" type "\",\n" more "  \"Total Cost\": 100.00,\n  \"Plan Rows\": " \
    rows ",\n  \"Plan Width\": " width ",\n  \"Plans\": [\n" below "\n ]\n }"
#define LEAF(type, more, cost, rows, width)	"{\n  \"Node Type\": \"" type "\",\n" more "  \"Total Cost\": " cost ",\n  \"Plan Rows\": " rows \
    ",\n  \"Plan Width\": " width "\n }"
#define PLAN(step)	"[\n {\n \"Plan\": " step "\n }\n]\n"
#define GATHERS		"  \"Strategy\": \"Plain\",\n  \"Output\": [\"array_agg(a)\"],\n"

static void
many_rows_have_less_time_the_wider_they_are(void **state)
{
	(void)state;
	assert_true(ms_of(PLAN(STEP("Aggregate", GATHERS, "1", "32", LEAF("Seq Scan", "", "1000.00", "10000", "4"))),
			gathering) == ALL);
	assert_int_equal(ms_of(PLAN(STEP("Aggregate", GATHERS, "1", "32",
				   LEAF("Seq Scan", "", "1e6", "100000000", "4"))),
			     gathering),
	    3906);
	assert_int_equal(ms_of(PLAN(STEP("Aggregate", GATHERS, "1", "32",
				   LEAF("Seq Scan", "", "1e6", "100000000", "400"))),
			     gathering),
	    1000);
	assert_int_equal(ms_of(PLAN(STEP("Aggregate", "  \"Filter\": \"(cardinality(array_agg(a)) > 0)\",\n", "1", "32",
				   LEAF("Seq Scan", "", "1e6", "100000000", "400"))),
			     gathering),
	    1000);
	/* What counts only keeps nothing. */
	assert_true(ms_of(PLAN(STEP("Aggregate", "  \"Output\": [\"count(*)\"],\n", "1", "8",
			      LEAF("Seq Scan", "", "1e6", "100000000", "400"))),
			gathering) == ALL);
}

static void
doubt_goes_as_far_as_there_are_rows(void **state)
{
	struct guard_memory m = { .gathers = true, .doubt = 1e9, .made = 1 };
	static const char join[] = PLAN(STEP("Aggregate", GATHERS, "1", "32",
	    STEP("Nested Loop", "", "1", "40",
		LEAF("Seq Scan", "", "200.00", "3", "40") ",\n" LEAF("Index Scan", "", "200.00", "3", "40"))));

	(void)state;
	assert_true(ms_of(PLAN(STEP("Aggregate", GATHERS, "1", "32", LEAF("Seq Scan", "", "200.00", "3", "40"))), m) ==
	    ALL);
	assert_int_equal(ms_of(join, m), 1201); /* 20,000 by 20,000 */
	m.doubt = 200;
	assert_true(ms_of(join, m) == ALL);
	m.made = 1e5;
	assert_int_equal(
	    ms_of(PLAN(STEP("Aggregate", GATHERS, "1", "32", LEAF("Function Scan", "", "10", "1000", "8"))), m), 3125);
}

static void
what_was_gathered_is_gathered_again(void **state)
{
	(void)state;
	assert_int_equal(
	    ms_of(PLAN(STEP("Aggregate", GATHERS, "1", "32",
		      STEP("Nested Loop", "", "100000", "32",
			  STEP("Aggregate", "  \"Strategy\": \"Hashed\",\n  \"Output\": [\"a.x\", \"array_agg(y)\"],\n",
			      "100", "32", LEAF("Seq Scan", "", "1e4", "1000000", "8")) ",\n" LEAF("Seq Scan", "", "50",
			      "1000", "0")))),
		gathering),
	    1000);
}

static void
other_things_are_kept_too(void **state)
{
	struct guard_memory m = { .hashes = true, .doubt = 1, .made = 1 },
			    d = { .distinct = true, .recurs = true, .doubt = 1, .made = 1 };
	static const char recursion[] = PLAN(STEP("Recursive Union", "", "101", "4",
	    LEAF("Result", "", "0.01", "1", "4") ",\n" LEAF("WorkTable Scan", "  \"Output\": [\"(t.n + 1)\"],\n",
		"0.23", "10", "4")));
	static const char join[] = PLAN(STEP("Hash Join", "  \"Hash Cond\": \"(lower(a.x) = b.y)\",\n", "10", "4",
	    LEAF("Seq Scan", "", "9", "9", "4") ",\n" STEP("Hash", "", "10000000", "40",
		LEAF("Seq Scan", "", "1e5", "10000000", "40"))));
	static const char columns[] = PLAN(STEP("Hash Join", "  \"Hash Cond\": \"((a.x)::text = b.y)\",\n", "10", "4",
	    LEAF("Seq Scan", "", "9", "9", "4") ",\n" STEP("Hash", "", "10000000", "40",
		LEAF("Seq Scan", "", "1e5", "10000000", "40"))));

	(void)state;
	assert_int_equal(ms_of(PLAN(STEP("SetOp", "  \"Strategy\": \"Hashed\",\n", "10", "8",
				   LEAF("Seq Scan", "", "1e6", "100000000", "8"))),
			     m),
	    3125);
	assert_true(ms_of(PLAN(STEP("SetOp", "  \"Strategy\": \"Sorted\",\n", "10", "8",
			      LEAF("Seq Scan", "", "1e6", "100000000", "8"))),
			m) == ALL);
	assert_int_equal(ms_of(PLAN(STEP("Seq Scan", "  \"Filter\": \"(NOT (hashed SubPlan 1))\",\n", "10", "8",
				   LEAF("Seq Scan", "  \"Parent Relationship\": \"SubPlan\",\n", "1e6", "100000000",
				       "8"))),
			     m),
	    3125);
	assert_int_equal(ms_of(recursion, d), 3906);
	assert_true(ms_of(recursion, m) == ALL);
	assert_int_equal(ms_of(join, m), 1201);
	assert_true(ms_of(columns, m) == ALL);
}

static void
what_stands_out_of_line_counts(void **state)
{
	static const struct guard_plan_stored stored[] = { { SPAN("papers"), 100000 } };
	static const char wide[] = PLAN(STEP("Aggregate", GATHERS, "1", "32",
	    LEAF("Seq Scan", "  \"Relation Name\": \"papers\",\n", "1e3", "50000", "18")));
	static const char narrow[] = PLAN(STEP("Aggregate", GATHERS, "1", "32",
	    LEAF("Seq Scan", "  \"Relation Name\": \"papers\",\n", "1e3", "50000", "4")));
	struct buf names = { 0 };

	(void)state;
	assert_true(ms_of(wide, gathering) == ALL);
	assert_int_equal(guard_plan_ms(span_str(wide), &gathering, stored, 1), 1000);
	assert_true(guard_plan_ms(span_str(narrow), &gathering, stored, 1) == ALL);
	guard_plan_relations(span_str(wide), &names);
	assert_string_equal(buf_cstr(&names), "\"papers\"");
	buf_fini(&names);
}

/* A statement's own text is in the plan, as strings of JSON: it opens and closes nothing. */
static void
text_in_a_plan_is_no_plan(void **state)
{
	(void)state;
	assert_int_equal(ms_of(PLAN(STEP("Aggregate", GATHERS, "1", "32",
				   LEAF("Seq Scan",
				       "  \"Filter\": \"(x <> '\\n }\\n ]\\n }\\n \\\"Plan Rows\\\": 1,\\n')\",\n",
				       "1e6", "100000000", "400"))),
			     gathering),
	    1000);
	assert_int_equal(ms_of("[\n {\n \"Plan\": {\n \"Node Type\": \"Aggregate\",\n", gathering),
	    GUARD_PLAN_LEAST_MS);
	assert_true(ms_of("", gathering) == ALL);
	assert_true(ms_of("}\n}\n]\n,\n\"\n\":\n\"\": \n{", gathering) <= GUARD_PLAN_LEAST_MS);
}

static void
depth_is_bounded(void **state)
{
	struct buf plan = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_str(&plan, "{\n");
	assert_int_equal(guard_plan_ms(buf_view(&plan), &gathering, NULL, 0), GUARD_PLAN_LEAST_MS);
	buf_fini(&plan);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_rows_have_less_time_the_wider_they_are),
		cmocka_unit_test(doubt_goes_as_far_as_there_are_rows),
		cmocka_unit_test(what_was_gathered_is_gathered_again),
		cmocka_unit_test(other_things_are_kept_too),
		cmocka_unit_test(what_stands_out_of_line_counts),
		cmocka_unit_test(text_in_a_plan_is_no_plan),
		cmocka_unit_test(depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
