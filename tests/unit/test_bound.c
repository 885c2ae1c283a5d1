// libs: carrel_sql carrel_base
/* Statements with parameters: what becomes a placeholder, and which texts are values. */
#include "tests/unit/harness.h"

#include "workers/sql/bound.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/mysql/mysql_text.h"
#include "workers/sql/postgres/postgres_text.h"
#include "workers/sql/sqlite/sqlite_text.h"

static void
put_number(struct buf *out, size_t number, const struct sql_parameter *p)
{
	(void)p;
	buf_printf(out, "<%zu>", number);
}

static const struct sql_bound bound = { .n = 2, .v = { { .name = { (const uint8_t *)"a", 1 } },
							  { .name = { (const uint8_t *)"a_b", 3 } } } };

static void
test_write(void **state)
{
	static const struct {
		enum sqltext_dialect dialect;
		const char *marks, *sql, *written; /* written NULL: refused */
	} rows[] = {
		{ SQLTEXT_POSTGRES, "$", "SELECT :a, :a_b, :a", "SELECT <1>, <2>, <1>" },
		{ SQLTEXT_POSTGRES, "$", "SELECT x::a, :a::text, y :: a", "SELECT x::a, <1>::text, y :: a" },
		{ SQLTEXT_POSTGRES, "$", "SELECT ':a', \":a\", E'\\':a', $$:a$$, $q$ :a $q$",
		    "SELECT ':a', \":a\", E'\\':a', $$:a$$, $q$ :a $q$" },
		{ SQLTEXT_POSTGRES, "$", "SELECT 1 /* :x /* :y */ :z */ -- :w\n, :a",
		    "SELECT 1 /* :x /* :y */ :z */ -- :w\n, <1>" },
		{ SQLTEXT_POSTGRES, "$", "SELECT j #>> '{a}', j ? 'k', v[1: 2], f(x := :a)",
		    "SELECT j #>> '{a}', j ? 'k', v[1: 2], f(x := <1>)" },
		{ SQLTEXT_POSTGRES, "$", "SELECT v[1:2]", NULL },
		{ SQLTEXT_POSTGRES, "$", "SELECT $1", NULL },
		{ SQLTEXT_POSTGRES, "$", "SELECT :c", NULL },
		{ SQLTEXT_POSTGRES, "$", "SELECT :A", NULL },
		{ SQLTEXT_POSTGRES, "$", "SELECT :a_bc", NULL },
		{ SQLTEXT_POSTGRES, "$", "SELECT :", "SELECT :" },
		{ SQLTEXT_POSTGRES, "$", "SELECT ':a", "SELECT ':a" },
		{ SQLTEXT_SQLITE, "?$@", "SELECT [:a], `:a`, ':a', :a", "SELECT [:a], `:a`, ':a', <1>" },
		{ SQLTEXT_SQLITE, "?$@", "SELECT ?", NULL },
		{ SQLTEXT_SQLITE, "?$@", "SELECT ?1", NULL },
		{ SQLTEXT_SQLITE, "?$@", "SELECT @a", NULL },
		{ SQLTEXT_SQLITE, "?$@", "SELECT $a", NULL },
		{ SQLTEXT_SQLITE, "?$@", "SELECT :1", NULL },
		{ SQLTEXT_DUCKDB, "?$", "SELECT {'a': 1}, :a::INT, $$:a$$", "SELECT {'a': 1}, <1>::INT, $$:a$$" },
		{ SQLTEXT_DUCKDB, "?$", "SELECT {'k':a}", "SELECT {'k'<1>}" },
		{ SQLTEXT_DUCKDB, "?$", "SELECT $a", NULL },
		{ SQLTEXT_MYSQL, "", "SELECT 'it\\'s :a', \":a\", `:a`, :a # :x",
		    "SELECT 'it\\'s :a', \":a\", `:a`, <1> # :x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sql_bound_style style = { rows[i].dialect, rows[i].marks, put_number, 0 };
		struct buf out = { 0 };
		struct err err;
		int rc = sql_bound_write(&style, span_str(rows[i].sql), &bound, &out, &err);

		if (rc == -1)
			assert_int_equal(err.code, ERR_INVALID_SQL);
		if (rows[i].written == NULL ? rc != -1 : rc != 0 || strcmp(buf_cstr(&out), rows[i].written) != 0)
			fail_msg("%s: %s", rows[i].sql, rc == -1 ? err.message : buf_cstr(&out));
		buf_fini(&out);
	}
}

static void
test_room(void **state)
{
	const struct sql_bound_style style = { SQLTEXT_POSTGRES, "$", put_number, 0 };
	struct buf out = BUF_MAX(8);
	struct err err;

	(void)state;
	assert_int_equal(sql_bound_write(&style, SPAN("SELECT :a"), &bound, &out, &err), -1);
	assert_int_equal(err.code, ERR_SQL_TOO_LONG);
	buf_fini(&out);
}

static void
test_values(void **state)
{
	static const struct {
		enum parameter_type type;
		const char *good, *bad; /* separated by | */
	} rows[] = {
		{ PARAMETER_STRING, "|a|Größe 漢字", NULL },
		{ PARAMETER_INTEGER, "0|-1|007|9223372036854775807|-9223372036854775808",
		    "|-|1.0|1e3| 1|1 |+1|0x1|9223372036854775808|-9223372036854775809|10000000000000000000|1;" },
		{ PARAMETER_NUMBER, "0|-1.5|1e3|1.5E-7|12", "|.5|1.|1e|NaN|Infinity|1,5|0x1p3|1e+|--1" },
		{ PARAMETER_BOOLEAN, "true|false", "|1|TRUE|t" },
		{ PARAMETER_DATE, "2024-02-29|0001-01-01|9999-12-31",
		    "|2023-02-29|2024-2-1|2024-13-01|2024-00-01|2024-01-00|0000-01-01|2024-01-01 "
		    "|2024-01-01T00:00|now" },
		{ PARAMETER_TIMESTAMP, "2024-02-29T23:59|2024-02-29 23:59:59|2024-02-29T00:00:00.123456",
		    "|2024-02-29|2024-02-29T24:00|2024-02-29T00:60|2024-02-29T00:00:60|2024-02-29T00:00:00.|2024-02-"
		    "29T00:00:00.1234567|2024-02-29T00:00:00Z|2024-02-29_00:00" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int good = 0; good < 2; good++) {
			const char *at = good ? rows[i].good : rows[i].bad;

			for (size_t n; at != NULL; at = at[n] == '|' ? at + n + 1 : NULL) {
				n = strcspn(at, "|");
				if (parameter_fits(rows[i].type, span_of(at, n)) != (good == 1))
					fail_msg("%s: \"%.*s\"", parameter_kinds[rows[i].type].word, (int)n, at);
			}
		}
	assert_false(parameter_fits(PARAMETER_STRING, span_of("a\0b", 3)));
	assert_false(parameter_fits(PARAMETER_STRING, SPAN("\xff")));
	for (enum parameter_type type = 0; type < PARAMETER_TYPES; type++) {
		assert_int_equal(parameter_type_named(span_str(parameter_kinds[type].word)), type);
		if (parameter_kinds[type].sample != NULL)
			assert_true(parameter_fits(type, span_str(parameter_kinds[type].sample)));
	}
	assert_int_equal(parameter_type_named(SPAN("text")), PARAMETER_TYPES);
}

static void
test_names(void **state)
{
	static const char *const good[] = { "a", "revenue_by_region", "q2",
		"a123456789012345678901234567890123456789012345_7" };
	static const char *const bad[] = { "", "A", "1a", "_a", "a-b", "a b", "ä", "a\n",
		"a1234567890123456789012345678901234567890123456_8" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(parameter_is_name(span_str(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(parameter_is_name(span_str(bad[i])));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_write), cmocka_unit_test(test_room),
		cmocka_unit_test(test_values), cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
