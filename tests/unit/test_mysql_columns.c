// libs: carrel_guard_mysql carrel_policy carrel_base
/* test_mysql_columns.c - what is sent in place of statements under a column policy, without a server. */
#include <stdio.h>

#include "base/buf.h"
#include "base/mp.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/guard/mysql_columns.h"

#define S(text)	{ (const uint8_t *)(text), sizeof(text) - 1 }

static const struct mysql_column people[] = {
	{ .name = S("id") }, { .name = S("name") }, { .name = S("mail") }, { .name = S("ssn") },
	{ .name = S("tail"), .computed = S("right(`SSN`, 4)") }, { .name = S("initial"),
	    .computed = S("left(`name`, 1)") },
	{ .name = S("now_and_then"), .invisible = true },
};
static const struct mysql_part indexes[] = {
	{ S("PRIMARY"), S("id") }, { S("by ` mail"), S("name") }, { S("by ` mail"), S("mail") }, { S("by_name"),
	    S("name") }, { S("expr"), { NULL, 0 } },	/* of an expression, which is not told */
};
static const struct mysql_column two[] = { { .name = S("a") }, { .name = S("b") } };
static const struct mysql_column pins[] = { { .name = S("pin") }, { .name = S("owner") } };
static const struct mysql_part pin_parts[] = { { S("PRIMARY"), S("pin") } };
static const struct mysql_column described[] = { { .name = S("TABLE_SCHEMA") }, { .name = S("TABLE_NAME") },
	{ .name = S("COLUMN_NAME") }, { .name = S("COLUMN_TYPE") } };

#define TABLE(in, called, list, ...)	\
	{ .schema = S(in), .name = S(called), .columns = list, .ncolumns = sizeof(list) / sizeof(list[0]), __VA_ARGS__ }

static const struct mysql_relation relations[] = {
	/* Before the view that it reads. */
	TABLE("shop", "outer_view", two, .is_view = true, .definition = S("select `shop`.`v`.`a` AS `a`,1 AS `b` "
	    "from `shop`.`v`")),
	TABLE("shop", "people", people, .parts = indexes, .nparts = 5),
	TABLE("archive", "people", two, .nparts = 0),
	TABLE("shop", "pins", pins, .parts = pin_parts, .nparts = 1),
	TABLE("shop", "OPEN", pins, .nparts = 0),
	TABLE("shop", "open", two, .nparts = 0),
	TABLE("shop", "v", two, .is_view = true, .definition = S("select `shop`.`people`.`mail` AS "
	    "`a`,`shop`.`people`.`id` AS `b` from `shop`.`people`")),
	TABLE("shop", "open_view", two, .is_view = true, .definition = S("select `a` AS `a`,`b` AS `b` from "
	    "`shop`.`open`")),
	TABLE("shop", "own", two, .is_view = true, .definition = S("select `a` AS `a`,`b` AS `b` from `shop`.`open`")),
	TABLE("shop", "bad_view", two, .is_view = true, .definition = S("select 1 AS `a`,`shop`.`people`.`ssn` AS "
	    "`b` from `shop`.`people`")),
	TABLE("shop", "dark_view", two, .is_view = true),
	TABLE("shop", "loop", two, .is_view = true, .definition = S("select `a` AS `a`,`b` AS `b` from `shop`.`loop`")),
	TABLE("information_schema", "COLUMNS", described, .is_view = true),
};

static const struct mysql_catalogue catalogue = { .schema = S("shop"), .n = sizeof(relations) / sizeof(relations[0]),
	.relations = relations };

static struct arena *arena;
static struct columns *policy;
static struct mysql_columns *columns;

static int
set_up(void **state)
{
	static const char *const rules[][2] = { { "hide", "people.ssn" }, { "mask", "people.mail" }, { "hide",
	    "pins.pin" },
		{ "mask", "own.b" } };
	struct buf b = { 0 };
	struct err err;

	(void)state;
	mp_put_array(&b, 4);
	for (size_t i = 0; i < 4; i++) {
		mp_put_map(&b, 2);
		mp_put_cstr(&b, "action");
		mp_put_cstr(&b, rules[i][0]);
		mp_put_cstr(&b, "pattern");
		mp_put_cstr(&b, rules[i][1]);
	}
	if (columns_new(&policy, buf_view(&b), &err) == -1)
		return -1;
	buf_fini(&b);
	arena = arena_new(16u << 20);
	columns = mysql_columns_new(policy, 0, &catalogue);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	mysql_columns_free(columns);
	columns_free(policy);
	arena_free(arena);
	return 0;
}

/* What is sent, or the code of the refusal and its place. */
static void
send(const char *sql, struct buf *out)
{
	struct mysql_node *tree;
	struct err err = { 0 };
	size_t at;

	arena_reset(arena);
	out->len = 0;
	tree = mysql_parse(arena, span_str(sql), &at, &err);
	if (tree == NULL || mysql_columns_apply(columns, arena, tree, &at, &err) == -1)
		buf_printf(out, "%s %zu", err_name(err.code), at);
	else
		mysql_print(out, tree);
}

#define PEOPLE(as)	"( SELECT `id` , `name` , IF( `mail` IS NULL , NULL , '***' ) AS `mail` , `initial` FROM "	\
    "`shop`.`people` IGNORE INDEX ( `by `` mail` , `expr` ) ) AS `" as "`"

static void
tables_are_replaced(void **state)
{
	static const char *const cases[][2] = {
		{ "SELECT a FROM open", "SELECT `a` FROM `open`" },
		{ "SELECT name FROM people", "SELECT `name` FROM " PEOPLE("people") },
		{ "SELECT shop.people.name, shop.p.* FROM shop.people p",
		    "SELECT `shop`.`people`.`name` , `p`.* FROM " PEOPLE("p") },
		{ "SELECT shop.people.name FROM shop.people USE INDEX (by_name)",
		    "SELECT `people`.`name` FROM " PEOPLE("people") },
		{ "SELECT owner FROM pins", "SELECT `owner` FROM ( SELECT `owner` FROM `shop`.`pins` IGNORE INDEX ( "
		    "`PRIMARY` ) "
		  "ORDER BY 1 , CRC32( `owner` ) LIMIT 18446744073709551615 ) AS `pins`" },
		{ "TABLE people", "SELECT * FROM " PEOPLE("people") },
		{ "SELECT name FROM people FOR SYSTEM_TIME ALL x",
		    "SELECT `name` FROM ( SELECT `id` , `name` , IF( `mail` IS NULL , "
		  "NULL , '***' ) AS `mail` , `initial` FROM `shop`.`people` FOR SYSTEM_TIME ALL IGNORE INDEX ( `by "
		      "`` mail` , `expr` ) ) AS `x`" },
		{ "WITH people AS (SELECT 1 AS ssn) SELECT ssn FROM People",
		    "WITH `carrel with 1` AS ( SELECT 1 AS `ssn` ) SELECT "
		  "`ssn` FROM `carrel with 1` AS `People`" },
		{ "SELECT a FROM open_view", "SELECT `a` FROM `open_view`" },
		{ "SELECT a FROM v x", "SELECT `a` FROM ( SELECT `people`.`mail` AS `a` , `people`.`id` AS `b` FROM "
		    "" PEOPLE("people")
		  " ) AS `x`" },
		{ "SELECT a FROM own", "SELECT `a` FROM ( SELECT `a` , IF( `b` IS NULL , NULL , '***' ) AS `b` FROM "
		    "( SELECT `a` AS `a` , "
		  "`b` AS `b` FROM `shop`.`open` ) AS `own` ) AS `own`" },
		{ "SELECT * FROM information_schema.columns",
		    "SELECT * FROM ( SELECT `TABLE_SCHEMA` , `TABLE_NAME` , `COLUMN_NAME` , IF( ( `TABLE_SCHEMA` , "
"`TABLE_NAME` , `COLUMN_NAME` ) IN ( ( 'shop' , 'outer_view' , 'a' ) , ( 'shop' , 'people' , 'mail' ) "
", ( 'shop' , 'people' , 'ssn' ) , ( 'shop' , 'people' , 'tail' ) , ( 'shop' , 'pins' , 'pin' ) , ( "
"'shop' , 'v' , 'a' ) , ( 'shop' , 'own' , 'b' ) , ( 'shop' , 'bad_view' , 'a' ) , ( 'shop' , "
"'bad_view' , 'b' ) , ( 'shop' , 'dark_view' , 'a' ) , ( 'shop' , 'dark_view' , 'b' ) , ( 'shop' , "
"'loop' , 'a' ) , ( 'shop' , 'loop' , 'b' ) ) , NULL , `COLUMN_TYPE` ) AS `COLUMN_TYPE` FROM "
"`information_schema`.`COLUMNS` ) AS `columns`" },
		{ "EXPLAIN SELECT 1 FROM people", "EXPLAIN FORMAT = `TRADITIONAL` SELECT 1 FROM " PEOPLE("people") },
		{ "EXPLAIN FORMAT = JSON SELECT 1 FROM open", "EXPLAIN FORMAT = `JSON` SELECT 1 FROM `open`" },
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		send(cases[i][0], &out);
		if (!span_is_str(buf_view(&out), cases[i][1]))
			fail_msg("%s\nis sent as %s\nnot       %s", cases[i][0], buf_cstr(&out), cases[i][1]);
	}
	buf_fini(&out);
}

static void
refusals_say_where(void **state)
{
	static const char *const cases[][2] = {
		{ "SELECT ssn FROM people", "forbidden_sql 7" },
		{ "SELECT name, UPPER(mail) FROM people", "forbidden_sql 19" },
		{ "SELECT tail FROM people", "forbidden_sql 7" },
		{ "SELECT now_and_then FROM people WHERE name IN (SELECT mail FROM people)", "forbidden_sql 47" },
		{ "SELECT 1 FROM people, (SELECT * FROM bad_view) x", "forbidden_sql 37" },
		{ "SELECT 1 FROM dark_view", "forbidden_sql 14" },
		{ "SELECT 1 FROM `loop`", "forbidden_sql 14" },
		{ "SELECT UPPER(a) FROM outer_view", "forbidden_sql 13" },
		{ "SELECT 1 FROM nothing", "table_not_found 14" },
		{ "SELECT 1 FROM PEOPLE", "table_not_found 14" },
		{ "SELECT shop.f(1)", "forbidden_sql 7" },
		{ "DESCRIBE v", "forbidden_sql 9" },
		{ "SHOW COLUMNS FROM archive.people FROM shop", "forbidden_sql 18" },
		{ "SHOW INDEX FROM archive.people IN shop", "forbidden_sql 16" },
		{ "SELECT DEFAULT(name) FROM people", "forbidden_sql 7" },
		{ "SELECT name, UPPER(VALUE(name)) FROM people", "forbidden_sql 19" },
		{ "SHOW TABLE STATUS", "forbidden_sql 11" },
		{ "EXPLAIN FORMAT = JSON SELECT 1 FROM people", "forbidden_sql 0" },
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		send(cases[i][0], &out);
		if (!span_is_str(buf_view(&out), cases[i][1]))
			fail_msg("%s: %s, not %s", cases[i][0], buf_cstr(&out), cases[i][1]);
	}
	buf_fini(&out);
}

static void
what_callers_see_is_told(void **state)
{
	(void)state;
	assert_int_equal(mysql_columns_action(columns, SPAN(""), SPAN("people"), SPAN("MAIL")), COLUMNS_MASK);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("people"), SPAN("tail")), COLUMNS_HIDE);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("people"), SPAN("initial")), COLUMNS_CLEAR);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("outer_view"), SPAN("a")), COLUMNS_MASK);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("outer_view"), SPAN("b")), COLUMNS_CLEAR);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("bad_view"), SPAN("a")), COLUMNS_HIDE);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("open"), SPAN("a")), COLUMNS_CLEAR);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("OPEN"), SPAN("a")), COLUMNS_HIDE);
	assert_int_equal(mysql_columns_action(columns, SPAN("shop"), SPAN("OPEN"), SPAN("owner")), COLUMNS_CLEAR);
	assert_int_equal(mysql_columns_action(NULL, SPAN("shop"), SPAN("people"), SPAN("ssn")), COLUMNS_CLEAR);
	assert_true(mysql_columns_shows_any(columns, SPAN("shop"), SPAN("v")));
	assert_false(mysql_columns_shows_any(columns, SPAN("shop"), SPAN("open_view")));
	assert_true(mysql_columns_names_any(columns, SPAN("x > 0 and `Ssn` <> 'a'")));
	assert_false(mysql_columns_names_any(columns, SPAN("name <> 'ssn'")));
	assert_true(mysql_columns_names_any(columns, SPAN("not to be read '")));
	assert_true(mysql_columns_matches(columns, 2));
}

static void
an_empty_policy_changes_nothing(void **state)
{
	struct columns *none;
	struct err err;

	(void)state;
	assert_int_equal(columns_new(&none, SPAN_NONE, &err), 0);
	assert_null(mysql_columns_new(none, 0, &catalogue));
	columns_free(none);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_replaced),
		cmocka_unit_test(refusals_say_where),
		cmocka_unit_test(what_callers_see_is_told),
		cmocka_unit_test(an_empty_policy_changes_nothing),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
