// libs: carrel_guard_mysql carrel_policy carrel_base
/* test_mysql_parse.c - statements of MariaDB and MySQL: what is read, what is printed of it, what is refused. */
#include <stdio.h>

#include "base/buf.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/grammar/mysql_functions.h"
#include "workers/sql/mysql/grammar/mysql_lex.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"

static struct arena *arena;

/* What is printed of sql; the tree reads as itself again, and is printed so again. */
static void
assert_printed(const char *sql, const char *want)
{
	struct err err = { 0 };
	struct buf out = { 0 }, again = { 0 };
	const struct mysql_node *tree, *other;
	size_t at;

	arena_reset(arena);
	if ((tree = mysql_parse(arena, span_str(sql), &at, &err)) == NULL)
		fail_msg("%s: %s", sql, err.message);
	mysql_print(&out, tree);
	if (want != NULL)
		assert_string_equal(buf_cstr(&out), want);
	if ((other = mysql_parse(arena, buf_view(&out), &at, &err)) == NULL)
		fail_msg("%s: %s", buf_cstr(&out), err.message);
	if (!mysql_tree_equal(tree, other))
		fail_msg("%s is another tree", buf_cstr(&out));
	mysql_print(&again, other);
	assert_string_equal(buf_cstr(&again), buf_cstr(&out));
	buf_fini(&out);
	buf_fini(&again);
}

static void
put_number(void *arg, struct mysql_node *leaf)
{
	buf_printf(arg, "%.*s ", SPAN_FMT(leaf->text));
}

/* Where a literal or the number of LIMIT can stand, and only in statements that may have them; printed in order. */
static void
parameters_are_marks(void **state)
{
	static const struct {
		const char *sql, *printed, *order; /* printed NULL: refused */
	} cases[] = {
		{ "SELECT a FROM t WHERE b = :2 AND c IN (:1, :2) LIMIT :3 OFFSET :1",
		    "SELECT `a` FROM `t` WHERE (`b` = ?) AND (`c` IN ( ? , ? )) LIMIT ? OFFSET ?", ":2 :1 :2 :3 :1 " },
		{ "SELECT ':1', \":2\", :1 # :2", "SELECT ':1' , ':2' , ?", ":1 " },
		{ "SELECT a FROM t ORDER BY a LIMIT :1, :2", "SELECT `a` FROM `t` ORDER BY `a` LIMIT ? , ?", ":1 :2 " },
		{ "SELECT a FROM :1", NULL, NULL },
		{ "SELECT :a", NULL, NULL },
		{ "SELECT ?", NULL, NULL },
		{ "SELECT CAST(a AS DECIMAL(:1)) FROM t", NULL, NULL },
		{ "SELECT a AS :1 FROM t", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = { 0 }, order = { 0 };
		struct mysql_node *tree;
		struct err err;
		size_t at;

		arena_reset(arena);
		tree = mysql_parse_bound(arena, span_str(cases[i].sql), &at, &err);
		if ((tree == NULL) != (cases[i].printed == NULL))
			fail_msg("%s: %s", cases[i].sql, tree == NULL ? err.message : "is read");
		if (tree != NULL) {
			mysql_print(&out, tree);
			mysql_tree_each(tree, MYSQL_NODE_PARAMETER, put_number, &order);
			assert_string_equal(buf_cstr(&out), cases[i].printed);
			assert_string_equal(buf_cstr(&order), cases[i].order);
			assert_null(mysql_parse(arena, span_str(cases[i].sql), &at, &err));
			assert_int_equal(err.code, ERR_FORBIDDEN_SQL);
		}
		buf_fini(&out);
		buf_fini(&order);
	}
}

static void
statements_are_printed_in_one_way(void **state)
{
	static const char *const cases[][2] = {
		{ "select 1", "SELECT 1" },
		{ "SELECT a.b AS `c``d` FROM t AS a;", "SELECT `a`.`b` AS `c``d` FROM `t` AS `a`" },
		{ "select 'it''s \\' \\\\ \\n\\%', \"x\"\"y\"", "SELECT 'it''s '' \\\\ \\n\\\\%' , 'x\"y'" },
		{ "select N'a' 'b', _latin1 x'41', .5, 1e3, 0x1f",
		    "SELECT _utf8mb3 'a' 'b' , _latin1 x'41' AS '_latin1 x''41''' , .5 , 1e3 , 0x1f AS '0x1f'" },
		{ "select a or b and c from t", "SELECT `a` OR (`b` AND `c`) AS 'a or b and c' FROM `t`" },
		{ "select (a or b) and c x from t", "SELECT (`a` OR `b`) AND `c` AS `x` FROM `t`" },
		{ "select a || b && !c x from t", "SELECT `a` OR (`b` AND (! `c`)) AS `x` FROM `t`" },
		{ "select 1-2-3 x, 1-(2-3) y", "SELECT (1 - 2) - 3 AS `x` , 1 - (2 - 3) AS `y`" },
		{ "select not a = b is null x from t", "SELECT NOT ((`a` = `b`) IS NULL) AS `x` FROM `t`" },
		{ "select a between 1 and 2 and b x from t", "SELECT (`a` BETWEEN 1 AND 2) AND `b` AS `x` FROM `t`" },
		{ "select - - 1 x, 5--1 y, +a from t", "SELECT - (- 1) AS `x` , 5 - (- 1) AS `y` , `a` FROM `t`" },
		{ "select count( * ) n, Abs (1) m", "SELECT COUNT( * ) AS `n` , ABS( 1 ) AS `m`" },
		{ "select ((1)), ((select 1))", "SELECT 1 , ( SELECT 1 ) AS '((select 1))'" },
		{ "select (((select 1) + 1) * 2) x", "SELECT (( SELECT 1 ) + 1) * 2 AS `x`" },
		{ "select (1, 2) in ((1, 2), row(3, 4)) x", "SELECT ( 1 , 2 ) IN ( ( 1 , 2 ) , ( 3 , 4 ) ) AS `x`" },
		{ "select 1 in (1) x, 1 in (select 1) y, 1 in ((select 1)) z",
		    "SELECT 1 IN ( 1 ) AS `x` , 1 IN ( SELECT 1 ) AS `y` , 1 IN ( ( SELECT 1 ) ) AS `z`" },
		{ "((select 1) union (select 2)) order by 1", "( ( SELECT 1 ) UNION ( SELECT 2 ) ) ORDER BY 1" },
		{ "select * from ((select 1) union (select 2)) x, (t join u)",
		    "SELECT * FROM ( ( SELECT 1 ) UNION ( SELECT 2 ) ) AS `x` , ( `t` JOIN `u` )" },
		{ "select * from ((t))", "SELECT * FROM ( ( `t` ) )" },
		{ "select * from t natural left join u", "SELECT * FROM `t` NATURAL LEFT JOIN `u`" },
		{ "select * from t join u on 1 left join v using (a, b)",
		    "SELECT * FROM `t` JOIN `u` ON 1 LEFT JOIN `v` USING ( `a` , `b` )" },
		{ "select d + interval (1) day x, interval(1, 2) y from t",
		    "SELECT `d` + INTERVAL 1 DAY AS `x` , INTERVAL( 1 , 2 ) AS `y` FROM `t`" },
		{ "select date '2024-01-01', date from t",
		    "SELECT DATE '2024-01-01' AS 'date ''2024-01-01''' , `date` FROM `t`" },
		{ "with recursive x(a) as (select 1) select * from x",
		    "WITH RECURSIVE `x` ( `a` ) AS ( SELECT 1 ) SELECT * FROM `x`" },
		{ "select 1 -- x\n + /* y */ 2", "SELECT 1 + 2 AS '1 -- x\\n + /* y */ 2'" },
		{ "select /* z */ -1, '\\b\\t\\r\\Z\\0\\q'", "SELECT - 1 AS '-1' , '\\b\\t\\r\\Z\\0q'" },
		{ "select 1, /* z */ -1", "SELECT 1 , - 1 AS '/* z */ -1'" },
		{ "select 1 - interval 1 day / 5 x", "SELECT (1 - INTERVAL 1 DAY) / 5 AS `x`" },
		{ "select - interval 1 day + d x from t", "SELECT - INTERVAL 1 DAY + `d` AS `x` FROM `t`" },
		{ "select position((1 in (1)) in '1') x", "SELECT POSITION( (1 IN ( 1 )) IN '1' ) AS `x`" },
		{ "explain select 1", "EXPLAIN SELECT 1" },
		{ "desc t a", "DESC `t` `a`" },
		{ "show full columns from t from s like 'x%'", "SHOW FULL COLUMNS FROM `t` FROM `s` LIKE 'x%'" },
		{ "values (1, 2), (3, 4)", "VALUES ( 1 , 2 ) , ( 3 , 4 )" },
		{ "select `select`, t.select from t", "SELECT `select` , `t`.`select` FROM `t`" },
		{ "select f(1), s.f(2)", "SELECT `f` ( 1 ) AS 'f(1)' , `s`.`f` ( 2 ) AS 's.f(2)'" },
		{ "select 'a' \"b\" c", "SELECT 'a' 'b' AS `c`" },
		{ "select trim(leading from a), trim('x' from a) from t",
		    "SELECT TRIM( LEADING FROM `a` ) AS 'trim(leading from a)' , "
		    "TRIM( 'x' FROM `a` ) AS 'trim(''x'' from a)' FROM `t`" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_printed(cases[i][0], cases[i][1]);
}

static void
what_is_no_statement_here_is_refused_at_its_place(void **state)
{
	static const struct {
		const char *sql;
		enum err_code code;
		size_t at;
		const char *said;
	} cases[] = {
		{ "", ERR_INVALID_SQL, MYSQL_PARSE_NOWHERE, "no statement" },
		{ "-- x", ERR_INVALID_SQL, MYSQL_PARSE_NOWHERE, "no statement" },
		{ "insert into t values (1)", ERR_FORBIDDEN_SQL, 0, "insert is not allowed" },
		{ "select 1; select 2", ERR_FORBIDDEN_SQL, 8, "several statements" },
		{ "select 1 into outfile 'x'", ERR_FORBIDDEN_SQL, 9, "INTO" },
		{ "select a from t for update", ERR_FORBIDDEN_SQL, 20, "FOR UPDATE" },
		{ "select 1 /*! + 1 */", ERR_FORBIDDEN_SQL, 9, "executable" },
		{ "select @a", ERR_FORBIDDEN_SQL, 7, "variables" },
		{ "select ?", ERR_FORBIDDEN_SQL, 7, "placeholders" },
		{ "select 'a", ERR_INVALID_SQL, 7, "does not end" },
		{ "select 'a\\'", ERR_INVALID_SQL, 7, "does not end" },
		{ "select 1 /* a", ERR_INVALID_SQL, 9, "does not end" },
		{ "select (1", ERR_INVALID_SQL, 9, "too early" },
		{ "select 1a", ERR_INVALID_SQL, 7, "invalid number" },
		{ "select x'4'", ERR_INVALID_SQL, 7, "invalid literal" },
		{ "select 1 from t where", ERR_INVALID_SQL, 21, "too early" },
		{ "select a b c from t", ERR_INVALID_SQL, 11, "not expected" },
		{ "select 1 = not 1", ERR_INVALID_SQL, 11, "not expected" },
		{ "select '\xff'", ERR_INVALID_SQL, 8, "UTF-8" },
		{ "select 1\x01", ERR_INVALID_SQL, 8, "control character" },
		{ "select 1 as ``", ERR_INVALID_SQL, 12, "empty" },
		{ "select row(1)+2", ERR_INVALID_SQL, 13, "not expected" },
		{ "show status", ERR_FORBIDDEN_SQL, 5, "SHOW status" },
	};
	struct err err;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		arena_reset(arena);
		err = (struct err){ 0 };
		assert_null(mysql_parse(arena, span_str(cases[i].sql), &at, &err));
		if (err.code != cases[i].code || at != cases[i].at || strstr(err.message, cases[i].said) == NULL)
			fail_msg("%s: %s at %zu: %s", cases[i].sql, err_name(err.code), at, err.message);
	}
}

/* n times before, then middle, then n times behind. */
static enum err_code
nested(size_t n, const char *before, const char *middle, const char *behind)
{
	struct buf sql = { 0 };
	struct err err = { 0 };
	size_t at;

	arena_reset(arena);
	buf_str(&sql, "SELECT ");
	for (size_t i = 0; i < n; i++)
		buf_str(&sql, before);
	buf_str(&sql, middle);
	for (size_t i = 0; i < n; i++)
		buf_str(&sql, behind);
	if (mysql_parse(arena, buf_view(&sql), &at, &err) != NULL)
		assert_printed(buf_cstr(&sql), NULL);
	buf_fini(&sql);
	return err.code;
}

static void
nesting_is_bounded_and_length_is_not(void **state)
{
	static const char *const around[][3] = { { "(", "1", ")" }, { "(SELECT ", "1", ")" }, { "-", "1", "" },
		{ "NOT ", "1", "" }, { "1 + (", "1", ")" }, { "CASE WHEN ", "1", " THEN 1 END" }, { "ABS(", "1", ")" },
		{ "(SELECT ", "1", " UNION SELECT 2)" }, { "1 IN (", "1", ")" }, { "", "1", " - 1 + 1" },
		{ "((SELECT 1) + ", "1", ")" }, { "((SELECT ", "1", ") + 1)" } };

	(void)state;
	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
		if (nested(30, around[i][0], around[i][1], around[i][2]) != ERR_NONE)
			fail_msg("30 times %s", around[i][0]);
		if (nested(4000, around[i][0], around[i][1], around[i][2]) != ERR_FORBIDDEN_SQL)
			fail_msg("4000 times %s", around[i][0]);
	}
	assert_int_equal(nested(4000, "INTERVAL ", "1", ""), ERR_FORBIDDEN_SQL);
	assert_int_equal(nested(8000, "", "1", " OR 1"), ERR_NONE);
	assert_int_equal(nested(8000, "", "1", ", 1"), ERR_NONE);
	assert_int_equal(nested(2000, "", "1", " UNION SELECT 1"), ERR_NONE);
	assert_int_equal(nested(8000, "", "'a'", " 'b'"), ERR_NONE);
}

/* The collation of the same name alone, not a column, wherever it stands. */
static void
collations_are_renamed(void **state)
{
	struct buf out = { 0 };
	struct mysql_node *tree;
	struct err err;
	size_t at;

	(void)state;
	arena_reset(arena);
	tree = mysql_parse(arena,
	    SPAN("SELECT MAX(CONVERT(a USING utf8mb4) COLLATE UTF8MB4_nopad_bin) x, utf8mb4_nopad_bin FROM t "
		 "WHERE b COLLATE utf8mb4_bin = (SELECT c COLLATE 'utf8mb4_nopad_bin' y FROM t)"),
	    &at, &err);
	assert_non_null(tree);
	mysql_tree_rename(tree, MYSQL_NODE_collation, "utf8mb4_nopad_bin", "utf8mb4_0900_bin");
	mysql_print(&out, tree);
	assert_string_equal(buf_cstr(&out),
	    "SELECT MAX( CONVERT( `a` USING `utf8mb4` ) COLLATE `utf8mb4_0900_bin` ) AS `x` , `utf8mb4_nopad_bin` "
	    "FROM `t` WHERE (`b` COLLATE `utf8mb4_bin`) = ( SELECT `c` COLLATE 'utf8mb4_0900_bin' AS `y` FROM `t` )");
	buf_fini(&out);
}

static void
draw(struct buf *out, uint64_t *seed, unsigned depth)
{
	static const char *const leaves[] = { "1", "a", "t.b", "'x'", "NULL", "(SELECT 1)", "now()", ".5", "x'41'" };
	static const char *const infix[] = { " OR ", " XOR ", " AND ", " = ", " <=> ", " LIKE ", " IS NULL = ",
		" | ", " << ",
		" - ", " + ", " * ", " DIV ", " ^ ", " NOT REGEXP ", "||", "&&", " BETWEEN 1 AND " };
	static const char *const around[][2] = { { "(", ")" }, { "NOT (", ")" }, { "-", "" }, { "~", "" }, { "!", "" },
		{ "abs(", ")" }, { "CASE ", " WHEN 1 THEN 2 END" }, { "(1, ", ")" }, { "(SELECT ", ")" },
		{ "EXISTS (SELECT ", ")" }, { "1 IN (", ", 2)" }, { "cast(", " AS CHAR)" },
		{ "1 + INTERVAL ", " DAY" } };
	uint64_t kind = depth == 0 ? 0 : test_random(seed) % 3, which = test_random(seed);

	if (kind == 0) {
		buf_str(out, leaves[which % (sizeof(leaves) / sizeof(leaves[0]))]);
	} else if (kind == 1) {
		draw(out, seed, depth - 1);
		buf_str(out, infix[which % (sizeof(infix) / sizeof(infix[0]))]);
		draw(out, seed, depth - 1);
	} else {
		buf_str(out, around[which % (sizeof(around) / sizeof(around[0]))][0]);
		draw(out, seed, depth - 1);
		buf_str(out, around[which % (sizeof(around) / sizeof(around[0]))][1]);
	}
}

/* Most of them are statements; of those, the printed text is the same tree. */
static void
drawn_expressions_read_as_themselves(void **state)
{
	uint64_t seed = 41;
	unsigned read = 0;
	struct err err;
	size_t at;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		struct buf sql = { 0 };

		buf_str(&sql, "SELECT ");
		draw(&sql, &seed, 5);
		buf_str(&sql, " FROM t");
		arena_reset(arena);
		if (mysql_parse(arena, buf_view(&sql), &at, &err) != NULL) {
			assert_printed(buf_cstr(&sql), NULL);
			read++;
		}
		buf_fini(&sql);
	}
	assert_true(read > 2500);
}

/* The tables that are searched by halves. */
static void
tables_are_sorted(void **state)
{
	static const char *const functions[] = {
#define FUNCTION(name, properties, form)	name,
#include "workers/sql/mysql/grammar/mysql_functions.def"
#undef FUNCTION
	};
	static const char *const words[] = {
#define RESERVED(word)		word,
#define EXPRESSION(word)	word,
#define CHARSET(name)
#include "workers/sql/mysql/grammar/mysql_words.def"
#undef RESERVED
#undef EXPRESSION
#undef CHARSET
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (mysql_functions_find(span_str(functions[i])) == NULL)
			fail_msg("%s is not found", functions[i]);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!mysql_lex_is_reserved(span_str(words[i])))
			fail_msg("%s is not found", words[i]);
	assert_false(mysql_lex_is_reserved(SPAN("SELEC")));
	assert_false(mysql_lex_is_reserved(SPAN("SELECTS")));
	assert_null(mysql_functions_find(SPAN("SLEEP")));
	assert_null(mysql_functions_find(SPAN("AB")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_marks),
		cmocka_unit_test(statements_are_printed_in_one_way),
		cmocka_unit_test(what_is_no_statement_here_is_refused_at_its_place),
		cmocka_unit_test(nesting_is_bounded_and_length_is_not),
		cmocka_unit_test(collations_are_renamed),
		cmocka_unit_test(drawn_expressions_read_as_themselves),
		cmocka_unit_test(tables_are_sorted),
	};
	int failed;

	arena = arena_new(64u << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return failed;
}
