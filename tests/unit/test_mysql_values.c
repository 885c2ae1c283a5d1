// libs: carrel_sql_mysql carrel_sql carrel_base
/* test_mysql_values.c - cells of MariaDB's text protocol: numbers, bits, dates and geometries. */
#include "base/mp.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/mysql_bound.h"
#include "workers/sql/mysql/mysql_geometry.h"
#include "workers/sql/mysql/mysql_values.h"

#define SYSTEM	"\x00\x00\x00\x00"
#define ONE	"\x00\x00\x00\x00\x00\x00\xf0\x3f"
#define HALF	"\x00\x00\x00\x00\x00\x00\xe0\xbf"
#define POINT	"\x01\x01\x00\x00\x00" ONE HALF

static void
geometries_are_text(void **state)
{
	static const struct {
		struct span stored;
		const char *text;
	} cases[] = {
		{ SPAN(SYSTEM POINT), "POINT(1 -0.5)" },
		{ SPAN("\xe6\x10\x00\x00\x01\x02\x00\x00\x00\x02\x00\x00\x00" ONE HALF HALF ONE),
		    "LINESTRING(1 -0.5,-0.5 1)" },
		{ SPAN(SYSTEM "\x01\x03\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00" ONE ONE), "POLYGON((1 1))" },
		{ SPAN(SYSTEM "\x01\x04\x00\x00\x00\x02\x00\x00\x00" POINT POINT), "MULTIPOINT(1 -0.5,1 -0.5)" },
		{ SPAN(SYSTEM "\x01\x07\x00\x00\x00\x01\x00\x00\x00" POINT), "GEOMETRYCOLLECTION(POINT(1 -0.5))" },
		{ SPAN(SYSTEM "\x01\x07\x00\x00\x00\x00\x00\x00\x00"), "GEOMETRYCOLLECTION EMPTY" },
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out.len = 0;
		assert_true(mysql_geometry_text(&out, cases[i].stored));
		assert_string_equal(buf_cstr(&out), cases[i].text);
		for (size_t n = 0; n < cases[i].stored.len; n++) /* cut anywhere it is none */
			assert_false(mysql_geometry_text(&out, span_of(cases[i].stored.p, n)));
	}
	assert_false(mysql_geometry_text(&out, SPAN(SYSTEM POINT "x")));
	assert_false(mysql_geometry_text(&out, SPAN(SYSTEM "\x00\x00\x00\x00\x01" ONE ONE)));
	assert_false(mysql_geometry_text(&out, SPAN(SYSTEM "\x01\x02\x00\x00\x00\xff\xff\xff\xff")));
	buf_fini(&out);
}

/* A collection of collections ends at a depth, not with the stack. */
static void
depth_is_bounded(void **state)
{
	struct buf deep = { 0 }, out = { 0 };

	(void)state;
	buf_append(&deep, SYSTEM, 4);
	for (unsigned i = 0; i < 100000; i++)
		buf_append(&deep, "\x01\x07\x00\x00\x00\x01\x00\x00\x00", 9);
	buf_append(&deep, POINT, sizeof(POINT) - 1);
	assert_false(mysql_geometry_text(&out, buf_view(&deep)));
	buf_fini(&deep);
	buf_fini(&out);
}

static void
cells_are_exact(void **state)
{
	static const struct {
		MYSQL_FIELD field;
		struct span cell, packed;
		bool as_text, zero;
	} cases[] = {
		{ { .type = MYSQL_TYPE_LONG }, SPAN("-7"), SPAN("\xf9"), false, false },
		{ { .type = MYSQL_TYPE_LONG }, SPAN("000042"), SPAN("\x2a"), false, false },
		{ { .type = MYSQL_TYPE_LONGLONG }, SPAN("18446744073709551615"),
		    SPAN("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), true, false },
		{ { .type = MYSQL_TYPE_LONGLONG }, SPAN("-9223372036854775808"),
		    SPAN("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"), true, false },
		{ { .type = MYSQL_TYPE_NEWDECIMAL }, SPAN("001.50"),
		    SPAN("\x91\xa4"
			 "1.50"),
		    false, false },
		{ { .type = MYSQL_TYPE_NEWDECIMAL }, SPAN("0.5"),
		    SPAN("\x91\xa3"
			 "0.5"),
		    false, false },
		{ { .type = MYSQL_TYPE_BIT, .length = 5 }, SPAN("\x05"),
		    SPAN("\xa5"
			 "00101"),
		    false, false },
		{ { .type = MYSQL_TYPE_BIT, .length = 9 }, SPAN("\x01\x00"),
		    SPAN("\xa9"
			 "100000000"),
		    false, false },
		{ { .type = MYSQL_TYPE_DATE }, SPAN("2024-00-10"),
		    SPAN("\xaa"
			 "2024-00-10"),
		    false, true },
		{ { .type = MYSQL_TYPE_DATE }, SPAN("2000-10-10"),
		    SPAN("\xaa"
			 "2000-10-10"),
		    false, false },
		{ { .type = MYSQL_TYPE_BLOB, .charsetnr = 63 }, SPAN("ab"),
		    SPAN("\xc4\x02"
			 "ab"),
		    false, false },
		{ { .type = MYSQL_TYPE_BLOB, .charsetnr = 45 }, SPAN("ab"),
		    SPAN("\xa2"
			 "ab"),
		    false, false },
		{ { .type = MYSQL_TYPE_GEOMETRY }, SPAN("ab"),
		    SPAN("\xc4\x02"
			 "ab"),
		    false, false },
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mysql_header column = mysql_values_column(&cases[i].field);

		out.len = 0;
		assert_int_equal(mysql_values_put(&out, &column, cases[i].cell), cases[i].as_text);
		if (!span_is(buf_view(&out), cases[i].packed))
			fail_msg("%.*s", SPAN_FMT(cases[i].cell));
		assert_int_equal(column.zero_dates, cases[i].zero);
	}
	buf_fini(&out);
}

/* The text of a statement ends where its span does: digits in the memory behind it are not the parameter's. */
static void
parameters_end_with_the_text(void **state)
{
	static const char memory[] = "SELECT n FROM t WHERE n = :177777";
	const struct sql_bound bound = { .n = 1, .v = { { .name = { (const uint8_t *)"n", 1 }, .text = "7" } } };
	struct arena *a = arena_new(1 << 20);
	struct buf out = { 0 };
	struct err err;
	size_t at;
	struct mysql_node *tree = mysql_parse_bound(a, span_of(memory, sizeof(memory) - 6), &at, &err);

	(void)state;
	assert_non_null(tree);
	assert_int_equal(mysql_bound_measure(tree, &bound, &err), 0);
	mysql_bound_put_execute(&out, tree);
	assert_string_equal(buf_cstr(&out), "EXECUTE carrel_tool USING @carrel_1");
	buf_fini(&out);
	arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(geometries_are_text),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(cells_are_exact),
		cmocka_unit_test(parameters_end_with_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
