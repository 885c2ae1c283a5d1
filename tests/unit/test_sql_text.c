// libs: carrel_sql carrel_base
/* test_sql_text.c - cutting SQL into words, and finding the one statement. */
#include "base/utf8.h"
#include "tests/unit/harness.h"

#include "workers/sql/sqltext.h"

static enum sqltext_shape
shape(enum sqltext_dialect dialect, const char *text, const char *want)
{
	struct span body;
	enum sqltext_shape s = sqltext_statement(dialect, span_str(text), &body);

	if (want != NULL) {
		assert_int_equal(body.len, strlen(want));
		assert_memory_equal(body.p, want, body.len);
	}
	return s;
}

static void
one_statement_is_found(void **state)
{
	static const char *const same[][2] = {
		{ "SELECT 1", "SELECT 1" },
		{ " SELECT 1;", "SELECT 1" },
		{ ";; SELECT 1 ;; -- end", "SELECT 1 " },
		{ "/* a */ SELECT ';', \";\" -- ;\n;", "SELECT ';', \";\" -- ;\n" },
		{ "SELECT 'it''s;'", "SELECT 'it''s;'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_int_equal(shape(SQLTEXT_POSTGRES, same[i][0], same[i][1]), SQLTEXT_ONE);
		assert_int_equal(shape(SQLTEXT_SQLITE, same[i][0], same[i][1]), SQLTEXT_ONE);
	}
}

static void
nothing_several_and_unended_are_told(void **state)
{
	(void)state;
	for (int d = SQLTEXT_SQLITE; d <= SQLTEXT_POSTGRES; d++) {
		enum sqltext_dialect dialect = (enum sqltext_dialect)d;

		assert_int_equal(shape(dialect, "", NULL), SQLTEXT_NONE);
		assert_int_equal(shape(dialect, " ;-- x\n ; /* y */", NULL), SQLTEXT_NONE);
		assert_int_equal(shape(dialect, "SELECT 1; SELECT 2", NULL), SQLTEXT_SEVERAL);
		assert_int_equal(shape(dialect, "SELECT 1; 'x'", NULL), SQLTEXT_SEVERAL);
		assert_int_equal(shape(dialect, "SELECT 'x", NULL), SQLTEXT_UNENDED);
		assert_int_equal(shape(dialect, "SELECT \"x", NULL), SQLTEXT_UNENDED);
	}
	assert_int_equal(shape(SQLTEXT_POSTGRES, "SELECT 1 /* x", NULL), SQLTEXT_UNENDED);
	assert_int_equal(shape(SQLTEXT_SQLITE, "SELECT 1 /* x", NULL), SQLTEXT_ONE);
}

static void
postgres_is_read_as_postgres_reads_it(void **state)
{
	static const struct {
		const char *text;
		enum sqltext_shape shape;
	} cases[] = {
		{ "/* outer /* inner */ ; */ SELECT 1", SQLTEXT_ONE },
		{ "SELECT $q$;$q$; DROP", SQLTEXT_SEVERAL },
		{ "SELECT $q$; $x$ ; $q$", SQLTEXT_ONE },
		{ "SELECT $$;$$", SQLTEXT_ONE },
		{ "SELECT $q$ $", SQLTEXT_UNENDED },
		{ "SELECT a$b$c, 1; x", SQLTEXT_SEVERAL }, /* one identifier */
		{ "SELECT $1; x", SQLTEXT_SEVERAL },       /* a parameter */
		{ "SELECT 1$q$;$q$", SQLTEXT_ONE },        /* a number has no dollar in it */
		{ "SELECT 'a\\'; DROP; --'", SQLTEXT_SEVERAL },
		{ "SELECT E'a\\'; DROP; --'", SQLTEXT_ONE },
		{ "SELECT e'a\\\\'; x", SQLTEXT_SEVERAL },
		{ "SELECT E'a'\n  'b\\'; c'", SQLTEXT_ONE }, /* goes on after a line break */
		{ "SELECT E'a' -- x\n 'b\\'; c'", SQLTEXT_ONE },
		{ "SELECT E'a' 'b\\'; c'", SQLTEXT_SEVERAL }, /* and not without one */
		{ "SELECT namee'a\\'; x'", SQLTEXT_SEVERAL },
		{ "SELECT U&'\\0061;' , U&\"a;\"", SQLTEXT_ONE },
		{ "SELECT \"a\"\";\"", SQLTEXT_ONE },
		{ "SELECT 1 -- x\r; y", SQLTEXT_SEVERAL },
		{ "SELECT `;", SQLTEXT_ONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (shape(SQLTEXT_POSTGRES, cases[i].text, NULL) != cases[i].shape)
			fail_msg("%s", cases[i].text);
}

static void
sqlite_is_read_as_sqlite_reads_it(void **state)
{
	(void)state;
	assert_int_equal(shape(SQLTEXT_SQLITE, "SELECT `;`, [;]", NULL), SQLTEXT_ONE);
	assert_int_equal(shape(SQLTEXT_SQLITE, "/* a /* b */ SELECT 1", "SELECT 1"), SQLTEXT_ONE);
	assert_int_equal(shape(SQLTEXT_SQLITE, "SELECT 'a\\'; x", NULL), SQLTEXT_SEVERAL);
	assert_int_equal(shape(SQLTEXT_SQLITE, "SELECT $$;$$", NULL), SQLTEXT_SEVERAL);
	assert_int_equal(shape(SQLTEXT_SQLITE, "SELECT 1 -- x\r; y", NULL), SQLTEXT_ONE);
}

static void
words_are_compared_without_case(void **state)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = SPAN(" Select \"select\" 1.5e3 (") };
	struct sqltext_token t = sqltext_next(&s);

	(void)state;
	assert_true(sqltext_is(&t, "SELECT"));
	assert_false(sqltext_is(&t, "SELEC"));
	t = sqltext_next(&s);
	assert_int_equal(t.kind, SQLTEXT_QUOTED);
	assert_false(sqltext_is(&t, "\"select\""));
	t = sqltext_next(&s);
	assert_int_equal(t.kind, SQLTEXT_NUMBER);
	t = sqltext_next(&s);
	assert_true(sqltext_is_punct(&t, '('));
	t = sqltext_next(&s);
	assert_int_equal(t.kind, SQLTEXT_END);
	assert_int_equal(utf8_count(SPAN("aé€")), 3);
}

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
		if (sqltext_operator_work(span_str(cases[i].text)) != cases[i].work)
			fail_msg("%s: %zu", cases[i].text, sqltext_operator_work(span_str(cases[i].text)));
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
		bool joined = sqltext_join_literals(&out, span_str(cases[i].text));

		assert_int_equal(joined, cases[i].joined != NULL);
		if (joined && !span_is_str(buf_view(&out), cases[i].joined))
			fail_msg("%s: %s", cases[i].text, buf_cstr(&out));
	}
	buf_fini(&out);
}

static bool
names(const char *text, const char *name)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str(text) };
	struct sqltext_token t = sqltext_next(&s);

	return sqltext_names(&t, name);
}

static void
test_names(void **state)
{
	(void)state;
	assert_true(names("Main.x", "main"));
	assert_true(names("\xEF\xBB\xBFmain", "main"));
	assert_true(names("/* c */ \"ta\"\"ble\"", "TA\"ble"));
	assert_true(names("`a``b`", "a`b"));
	assert_true(names("'it''s'", "it's"));
	assert_true(names("[a\"\"b]", "a\"\"b"));
	assert_true(names("\"\"", ""));
	assert_false(names("main\xEF\xBB\xBF", "main"));
	assert_false(names("\"table\"", "tabl"));
	assert_false(names("\"tabl\"", "table"));
	assert_false(names("\"ta\"\"ble\"", "ta\"\"ble"));
	assert_false(names("12", "12"));
	assert_false(names("\"open", "open"));
	assert_false(names("", ""));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(one_statement_is_found),
		cmocka_unit_test(nothing_several_and_unended_are_told),
		cmocka_unit_test(postgres_is_read_as_postgres_reads_it),
		cmocka_unit_test(sqlite_is_read_as_sqlite_reads_it),
		cmocka_unit_test(words_are_compared_without_case),
		cmocka_unit_test(long_rows_of_operators_are_work),
		cmocka_unit_test(literals_are_joined_over_comments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
