// libs: carrel_sql_postgres carrel_base
/* test_postgres_values.c - PostgreSQL's amounts are numbers, however lc_monetary writes them. */
#include "tests/unit/harness.h"

#include "base/json/json_write.h"
#include "base/mp.h"
#include "workers/sql/postgres/postgres_values.h"

static struct buf cell, text;

static void
assert_amount(const char *amount, int decimals, const char *as_json)
{
	struct mp_value v;

	buf_reset(&cell, SIZE_MAX);
	buf_reset(&text, SIZE_MAX);
	(void)pg_put_value(&cell, 790, decimals, span_str(amount));
	assert_int_equal(mp_scan(buf_view(&cell)), MP_OK);
	assert_true(mp_value(buf_view(&cell), &v));
	json_write_cell(&text, &v);
	assert_string_equal(buf_cstr(&text), as_json);
}

static void
amounts_are_numbers(void **state)
{
	(void)state;
	assert_amount("$1,234.50", 2, "1234.50");
	assert_amount("-$0.05", 2, "-0.05");
	assert_amount("($3.10)", 2, "-3.10");
	assert_amount("1.234,50 €", 2, "1234.50");
	assert_amount("-1'234.50 CHF", 2, "-1234.50");
	assert_amount("¥1,000", 0, "1000");
	assert_amount("1,000.125 KD", 3, "1000.125");
	assert_amount("-$92,233,720,368,547,758.08", 2, "\"-92233720368547758.08\"");
	/* The form is not known. */
	assert_amount("$1.00", -1, "\"$1.00\"");
	assert_amount("$1", 2, "\"$1\"");
	assert_amount("", 0, "\"\"");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(amounts_are_numbers) };
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	buf_fini(&cell);
	buf_fini(&text);
	return r;
}
