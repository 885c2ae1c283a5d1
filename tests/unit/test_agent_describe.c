// libs: carrel_agent
/* test_agent_describe.c - what was computed, told in English and German, and the lineage of an answer. */
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "tests/unit/harness.h"
#include "workers/agent/answer/answer.h"
#include "workers/agent/answer/describe.h"

static struct arena *arena;

static int
set_up(void **state)
{
	(void)state;
	arena = arena_new((size_t)4 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static struct answer_brief
revenue(void)
{
	struct answer_brief b = { .shape = ASK_GROUPS, .connection = SPAN("shop"), .nqueries = 1 };
	struct ask_query *q = &b.queries[0];

	q->nmeasures = 1;
	q->measures[0] = (struct ask_measure){ .expr = SPAN("orders.revenue"), .label = SPAN("revenue") };
	q->ndimensions = 1;
	q->dimensions[0] = (struct ask_dimension){ .field = SPAN("customers.country"), .label = SPAN("country") };
	return b;
}

static void
assert_told(struct answer_brief b, const char *english, const char *german)
{
	b.german = false;
	assert_string_equal(arena_cstr(arena, describe_brief(arena, &b)), english);
	b.german = true;
	assert_string_equal(arena_cstr(arena, describe_brief(arena, &b)), german);
}

static void
briefs_are_told_in_both_languages(void **state)
{
	struct answer_brief b = revenue();
	struct ask_query *q = &b.queries[0];

	(void)state;
	assert_told(b, "revenue by country", "revenue nach country");
	q->dimensions[0] = (struct ask_dimension){ .field = SPAN("orders.day"), .label = SPAN("month"),
		.granularity = SPAN("month"),
		.time = true };
	q->window =
	    (struct ask_window){ .field = SPAN("orders.day"), .start = SPAN("2024-02-01"), .end = SPAN("2024-03-01") };
	assert_told(b, "revenue by month, orders.day from 1 February 2024 to 29 February 2024",
	    "revenue nach Monat, orders.day vom 1. Februar 2024 bis 29. Februar 2024");
	q->window.end = SPAN("");
	assert_told(b, "revenue by month, orders.day since 1 February 2024",
	    "revenue nach Monat, orders.day seit 1. Februar 2024");
	q->window = (struct ask_window){ .field = SPAN("orders.day"), .start = SPAN(""), .end = SPAN("2024-01-01") };
	assert_told(b, "revenue by month, orders.day until 31 December 2023",
	    "revenue nach Monat, orders.day bis 31. Dezember 2023");
	/* The same of a date that carries no window, whose period is two filters; not of two other conditions. */
	b = revenue();
	q->nfilters = 2;
	q->filters[0] =
	    (struct ask_filter){ .field = SPAN("orders.day"), .operator= SPAN(">="), .value = SPAN("2024-02-01") };
	q->filters[1] =
	    (struct ask_filter){ .field = SPAN("orders.day"), .operator= SPAN("<"), .value = SPAN("2024-03-01") };
	assert_told(b, "revenue by country, orders.day from 1 February 2024 to 29 February 2024",
	    "revenue nach country, orders.day vom 1. Februar 2024 bis 29. Februar 2024");
	q->filters[0].value = SPAN("5");
	q->filters[1].value = SPAN("9");
	assert_told(b, "revenue by country, orders.day >= 5, orders.day < 9",
	    "revenue nach country, orders.day >= 5, orders.day < 9");
	b = revenue();
	q->limit = 5;
	q->descending = true;
	q->nfilters = 5;
	q->filters[0] =
	    (struct ask_filter){ .field = SPAN("orders.status"), .operator= SPAN("="), .value = SPAN("paid and sent") };
	q->filters[1] =
	    (struct ask_filter){ .field = SPAN("orders.size"), .operator= SPAN("IN"), .value = SPAN("S or M") };
	q->filters[2] = (struct ask_filter){
		.field = SPAN("orders.items"), .operator= SPAN("not between"), .value = SPAN("2 and 3")
	};
	q->filters[3] =
	    (struct ask_filter){ .field = SPAN("customers.email"), .operator= SPAN("is missing"), .value = SPAN("") };
	q->filters[4] = (struct ask_filter){ .field = SPAN(""), .operator= SPAN(""), .value = SPAN("a = 1 or b = 2") };
	assert_told(b,
	    "revenue by country, highest 5, orders.status = paid and sent, orders.size in S or M, orders.items not "
	    "between 2 and 3, "
	    "customers.email is missing, a = 1 or b = 2",
	    "revenue nach country, die 5 höchsten Werte, orders.status = paid and sent, orders.size in S oder M, "
	    "orders.items nicht zwischen 2 "
	    "und 3, customers.email fehlt, a = 1 or b = 2");
}

static void
shares_lists_and_sides_are_told(void **state)
{
	struct answer_brief b = revenue();

	(void)state;
	b.shape = ASK_SHARE;
	b.nqueries = 2;
	b.queries[1] = b.queries[0];
	b.queries[1].role = ASK_TOTAL;
	assert_told(b, "share of revenue by country", "Anteil an revenue nach country");
	b = revenue();
	b.shape = ASK_PERIODS;
	b.nqueries = 2;
	b.queries[0].ndimensions = 0;
	b.queries[0].window =
	    (struct ask_window){ .field = SPAN("d"), .start = SPAN("2024-01-01"), .end = SPAN("2025-01-01") };
	b.queries[1] = b.queries[0];
	b.queries[1].role = ASK_SECOND;
	b.queries[1].window =
	    (struct ask_window){ .field = SPAN("d"), .start = SPAN("2023-01-01"), .end = SPAN("2024-01-01") };
	assert_told(b,
	    "revenue, d from 1 January 2024 to 31 December 2024; compared with, d from 1 January 2023 to 31 December "
	    "2023",
	    "revenue, d vom 1. Januar 2024 bis 31. Dezember 2024; verglichen mit, d vom 1. Januar 2023 bis 31. "
	    "Dezember 2023");
	b = revenue();
	b.shape = ASK_LIST;
	b.queries[0].nmeasures = 0;
	assert_told(b, "values of customers.country", "Werte von customers.country");
}

/* The grain has the question's word, the source is a table, the window stands among the filters. */
static void
lineage_is_of_tables_and_days(void **state)
{
	struct answer_brief b = revenue();
	struct data_rows rows = { .sql = SPAN("SELECT 1") };
	struct answer a = { .status = ANSWER_ANSWERED, .brief = &b, .rows = &rows, .nwords = 1,
		.words = { { SPAN("region"), SPAN("by customers.country") } } };
	struct buf plan = { 0 }, out = { 0 }, json = { 0 };
	struct sheet *s = sheet_new(arena, 2, 0);
	struct mp_value v;
	size_t at;

	(void)state;
	s->columns[0] = (struct sheet_column){ .name = SPAN("country"), .role = SHEET_KEY };
	s->columns[1] = (struct sheet_column){ .name = SPAN("revenue"), .role = SHEET_VALUE };
	a.sheet = s;
	b.queries[0].window =
	    (struct ask_window){ .field = SPAN("orders.day"), .start = SPAN("2025-01-01"), .end = SPAN("2026-01-01") };
	assert_int_equal(
	    json_read(
		SPAN("{\"sources\":[\"orders\",\"daily\"],\"tables\":{\"orders\":\"sales.orders\",\"daily\":null},"
		     "\"joins\":[]}"),
		&plan, &at),
	    JSON_OK);
	assert_true(mp_value(buf_view(&plan), &rows.plan));
	answer_put_lineage(&out, &a);
	assert_true(mp_value(buf_view(&out), &v));
	json_write(&json, &v);
	assert_holds(buf_cstr(&json),
	    "{\"name\":\"orders\",\"source\":\"sales.orders\"},{\"name\":\"daily\",\"source\":\"daily\"}");
	assert_holds(buf_cstr(&json),
	    "\"filters\":[{\"field\":\"orders.day\",\"operator\":\"between\",\"value\":\"2025-01-01 and "
	    "2025-12-31\"}]");
	assert_holds(buf_cstr(&json), "\"timeWindow\":{\"start\":\"2025-01-01\",\"end\":\"2026-01-01\"}");
	assert_holds(buf_cstr(&json), "\"grain\":\"region\"");
	buf_fini(&plan);
	buf_fini(&out);
	buf_fini(&json);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(briefs_are_told_in_both_languages),
		cmocka_unit_test(shares_lists_and_sides_are_told),
		cmocka_unit_test(lineage_is_of_tables_and_days),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
