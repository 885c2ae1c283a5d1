// libs: carrel_sql_postgres carrel_base
/* test_postgres_scan.c - what PostgreSQL's scanner and libpg_query's make of a text. */
#include "tests/unit/harness.h"

#include "workers/sql/postgres/postgres_scan.h"

/* PostgreSQL's scanner takes seconds for the last ones. */
static void
long_rows_of_operators_are_work(void **state)
{
	static const struct {
		const char *text;
		size_t work;
	} cases[] = {
		{ "SELECT 1 + 2", 1 },
		{ "a <= b", 4 },
		{ "SELECT '++++++' \"++++\" $$+++$$ E'\\'+++'", 0 },
		{ "-- ++++++\nSELECT 1", 0 },
		{ "+-- ++++++", 1 },
		{ "/* x */", 8 },
		{ "/****/", 36 },
		{ "/**//**/", 64 },
		{ "/*/*/* x */*/*/", 72 },
		{ "/* ' */ +++ /* ' */", 4 + 4 + 9 + 4 + 4 },
		{ "  /**//**/ 'x'", 64 },
		{ "SELECT 1 /* + ++ */", 4 + 4 },
		{ "/* ----- */ /* x =====*/", 4 + 4 + 4 + 49 },
		{ "+-+-", 16 },
		{ "/* -- ++ */ ++", 4 + 4 + 4 },
		{ "/*+/*+x*/*/", 36 + 16 },
		{ "'", 0 },
		{ "/*", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (postgres_scan_work(span_str(cases[i].text)) != cases[i].work)
			fail_msg("%s: %zu", cases[i].text, postgres_scan_work(span_str(cases[i].text)));
}

static void
literals_are_joined_over_comments(void **state)
{
	static const struct {
		const char *text, *joined;
	} cases[] = {
		{ "SELECT 'a' -- x\n 'b'", "SELECT 'a'     \n 'b'" },
		{ "SELECT 'a'--\n--y'\n'b' -- z", "SELECT 'a'  \n    \n'b' -- z" },
		{ "SELECT U&'a' -- x\r'b', 'c'", "SELECT U&'a'     \r'b', 'c'" },
		{ "SELECT 'a' -- x\n, 'b'", NULL },
		{ "SELECT 'a' /* x */ 'b'", NULL },
		{ "SELECT 'a' -- x\n /* y */ 'b'", NULL },
		{ "SELECT '-- a'\n'b'", NULL },
		{ "SELECT 'a' -- x\n \"b\"", NULL },
		{ "SELECT 'a' -- x\n $$b$$", NULL },
		{ "SELECT 1 -- 'a' -- \n 'b'", NULL },
		{ "-- x", NULL },
		{ "", NULL },
		{ "SELECT 'a' -- x\n 'b", NULL },
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool joined = postgres_scan_join(&out, span_str(cases[i].text));

		assert_int_equal(joined, cases[i].joined != NULL);
		if (joined && !span_is_str(buf_view(&out), cases[i].joined))
			fail_msg("%s: %s", cases[i].text, buf_cstr(&out));
	}
	buf_fini(&out);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_rows_of_operators_are_work),
		cmocka_unit_test(literals_are_joined_over_comments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
