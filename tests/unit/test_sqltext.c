/* test_sqltext.c - cutting SQL into words, and finding the one statement. */
#include "base/utf8.h"
#include "tests/unit/harness.h"

#include "base/text/sqltext.h"
#include "workers/sql/mysql/mysql_text.h"
#include "workers/sql/postgres/postgres_text.h"
#include "workers/sql/sqlite/sqlite_text.h"

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
	for (size_t d = 0; d < 2; d++) {
		enum sqltext_dialect dialect = d == 0 ? SQLTEXT_SQLITE : SQLTEXT_POSTGRES;

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
mysql_is_read_as_mysql_reads_it(void **state)
{
	(void)state;
	assert_int_equal(shape(SQLTEXT_MYSQL, "SELECT 'a\\'; x', \"b\\\";\", `;`", NULL), SQLTEXT_ONE);
	assert_int_equal(shape(SQLTEXT_MYSQL, "SELECT 1 # ; x\n", NULL), SQLTEXT_ONE);
	assert_int_equal(shape(SQLTEXT_MYSQL, "SELECT 1 -- ; x", NULL), SQLTEXT_ONE);
	assert_int_equal(shape(SQLTEXT_MYSQL, "SELECT 1 --1; x", NULL), SQLTEXT_SEVERAL);
	assert_int_equal(shape(SQLTEXT_MYSQL, "SELECT `a\\`; x", NULL), SQLTEXT_SEVERAL);
	assert_int_equal(shape(SQLTEXT_MYSQL, "SELECT 1 --", NULL), SQLTEXT_ONE);
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

/* Each piece as the letter of its kind: a text, the rules, and what they make of it. */
static void
pieces_are_what_the_rules_say(void **state)
{
	static const char letters[] = {
		[SQLTEXT_SPACE] = ' ', [SQLTEXT_COMMENT] = 'c', [SQLTEXT_WORD] = 'w', [SQLTEXT_QUOTED] = 'q',
		[SQLTEXT_STRING] = 's', [SQLTEXT_NUMBER] = 'n', [SQLTEXT_PUNCT] = '.', [SQLTEXT_BROKEN] = '!',
	};
	static const struct {
		const char *text, *plain, *expression, *sqlite, *postgres;
	} cases[] = {
		{ "", "", "", "", "" },
		{ "a1 \n\t\v 2.5e3_", "w n", "w n", "w n", "w n" },
		{ "a.\"b\"='c'", "w.q.s", "w.q.s", "w.q.s", "w.q.s" },
		{ "1-- x\r2\n3", "nc n", "nc n", "nc n", "nc n n" },
		{ "/* a /* b */ c */", "c w ..", "c w ..", "c w ..", "c" },
		{ "1/* a /* b */", "nc", "nc", "nc", "n!" },
		{ "E'a\\''", "w!", "s", "w!", "s" },
		{ "E'a'\n'b\\''", "ws !", "s !", "ws !", "s" },
		{ "x'0a'B'1'N'n'", "wswsws", "sss", "wswsws", "wswsws" },
		{ "u&'a'", "w.s", "w.s", "w.s", "w.s" },
		{ "$q$'$q$", ".w!", "s", ".w!", "s" },
		{ "$1$q", ".n.w", ".n.w", ".n.w", ".n.w" },
		{ "$q$", ".w", "!", ".w", "!" },
		{ "`a`[b]", ".w..w.", "q.w.", "qq", ".w..w." },
		{ "\xEF\xBB\xBF", "w", "w", " ", "w" },
		{ "'a", "!", "!", "!", "!" },
		{ "\"a\"\"", "!", "!", "!", "!" },
	};
	static const enum sqltext_dialect dialects[] = { SQLTEXT_PLAIN, SQLTEXT_EXPRESSION, SQLTEXT_SQLITE,
		SQLTEXT_POSTGRES };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const wanted[] = { cases[i].plain, cases[i].expression, cases[i].sqlite,
			cases[i].postgres };

		for (size_t d = 0; d < 4; d++) {
			struct sqltext s = { .dialect = dialects[d], .text = span_str(cases[i].text) };
			char got[64] = { 0 };
			struct sqltext_token t;

			for (size_t n = 0; (t = sqltext_piece(&s)).kind != SQLTEXT_END; n++)
				got[n] = letters[t.kind];
			if (strcmp(got, wanted[d]) != 0)
				fail_msg("%s by the rules %zu: %s", cases[i].text, d, got);
		}
	}
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
		cmocka_unit_test(mysql_is_read_as_mysql_reads_it),
		cmocka_unit_test(words_are_compared_without_case),
		cmocka_unit_test(pieces_are_what_the_rules_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
