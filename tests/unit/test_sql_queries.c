// libs: carrel_sql_postgres carrel_base
/* test_sql_queries.c - the .sql files as they are built in, and what is put into them. */
#include <string.h>

#include "tests/unit/harness.h"
#include "workers/sql/postgres/postgres_query.h"

static void
given_texts_are_put_in(void **state)
{
	static const struct {
		const char *query, *text;
	} rows[] = {
		{ "SELECT 1", "SELECT 1" },
		{ "", "" },
		{ "${a}", "x" },
		{ "a${a}${b}${a}b", "axyyxb" },
		{ "$1 ${none} $a {a}", "$1  $a {a}" },
		{ "${a", "${a" },
		{ "$", "$" },
		{ "~ '^x$' ${b}", "~ '^x$' yy" },
	};
	static const struct pg_given given[] = { { "a", "x" }, { "b", "yy" }, { NULL, NULL } };
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_reset(&out, 1024);
		pg_query_put(&out, rows[i].query, given);
		assert_string_equal(buf_cstr(&out), rows[i].text);
	}
	buf_fini(&out);
}

/* No comment, no unresolved part and no line break is sent. */
static void
check_text(const char *text)
{
	assert_null(strstr(text, "{{"));
	assert_null(strstr(text, "\n"));
	assert_null(strstr(text, "{1}"));
	assert_true(strncmp(text, "--", 2) != 0 && text[0] != ' ' && text[0] != '\0');
}

static void
files_become_text(void **state)
{
	(void)state;
	check_text(postgres_introspect_tables_sql);
	check_text(postgres_introspect_columns_sql);
	check_text(postgres_introspect_indexes_sql);
	check_text(postgres_columns_policy_sql);
	check_text(postgres_statement_check_catalogue_sql);
	check_text(postgres_session_check_brief_sql);
	check_text(postgres_plain_sql);
	/* Backslashes and quotes arrive as they were written, and what looks like a comment within a text stays. */
	assert_non_null(strstr(postgres_columns_policy_sql, "b.body ~ '--|/\\*'"));
	assert_non_null(strstr(postgres_columns_policy_sql,
	    "'is\\s+(not\\s+)?distinct\\s+from|extract\\s*\\(\\s*\\w+\\s+from'"));
	assert_non_null(strstr(postgres_introspect_tables_sql, "n.nspname COLLATE \"C\""));
	assert_non_null(strstr(postgres_statement_check_stamp_sql, "pg_catalog.pg_proc"));
	assert_non_null(strstr(postgres_session_check_brief_sql,
	    "pg_catalog.current_setting('TimeZone'), session_user"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_texts_are_put_in),
		cmocka_unit_test(files_become_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
