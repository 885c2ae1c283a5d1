// libs: carrel_project carrel_base
/* test_type_family.c - types of several databases in common words. */
#include <string.h>

#include "project/scan/type_family.h"
#include "tests/unit/harness.h"

struct sample {
	const char	*type, *family;
};

static void
expect(const char *driver, const struct sample *s)
{
	for (; s->type != NULL; s++)
		if (strcmp(type_family(span_str(driver), span_str(s->type)), s->family) != 0)
			fail_msg("%s %s is %s, expected %s", driver, s->type,
			    type_family(span_str(driver), span_str(s->type)), s->family);
}

static void
postgres(void **state)
{
	static const struct sample samples[] = {
		{ "integer", "integer" }, { "bigint", "integer" }, { "numeric(10,2)", "decimal" }, { "money",
		    "decimal" },
		{ "double precision", "float" }, { "real", "float" }, { "character varying(80)", "text" },
		{ "character(3)", "text" }, { "\"char\"", "text" }, { "public.citext", "text" }, { "boolean",
		    "boolean" },
		{ "date", "date" }, { "time without time zone", "time" }, { "time(3) with time zone", "time" },
		{ "timestamp without time zone", "timestamp" }, { "timestamp(3) with time zone", "timestamptz" },
		{ "interval", "interval" }, { "interval day to second(3)", "interval" }, { "uuid", "uuid" },
		    { "jsonb", "json" },
		{ "bytea", "binary" }, { "text[]", "array" }, { "\"we.ird\".mood[]", "array" },
		    { "public.geometry(Point,4326)", "other" },
		{ "int4range", "other" }, { "point", "other" }, { "tsvector", "other" }, { "public.\"text\"", "other" },
		{ "bit varying(8)", "other" }, { "inet", "other" }, { "", "" }, { NULL, NULL }
	};

	(void)state;
	expect("postgres", samples);
}

static void
mysql(void **state)
{
	static const struct sample samples[] = {
		{ "int(11) unsigned", "integer" }, { "tinyint(1)", "boolean" }, { "tinyint(4)", "integer" },
		{ "year(4)", "integer" }, { "decimal(12,2)", "decimal" }, { "double", "float" }, { "varchar(80)",
		    "text" },
		{ "mediumtext", "text" }, { "enum('a','b(1)')", "enum" }, { "set('a','b')", "text" },
		{ "datetime(6)", "timestamp" }, { "timestamp", "timestamp" }, { "time", "time" }, { "longblob",
		    "binary" },
		{ "varbinary(16)", "binary" }, { "json", "json" }, { "uuid", "uuid" },
		{ "bit(1)", "other" }, { "geometry", "other" }, { NULL, NULL }
	};

	(void)state;
	expect("mysql", samples);
}

static void
sqlite(void **state)
{
	static const struct sample samples[] = {
		{ "INTEGER", "integer" }, { "INT(11)", "integer" }, { "UNSIGNED BIG INT", "integer" },
		    { "VARCHAR(12)", "text" },
		{ "NVARCHAR(100)", "text" }, { "native character(70)", "text" }, { "DOUBLE PRECISION", "float" },
		{ "DECIMAL(10,5)", "decimal" }, { "BOOLEAN", "boolean" }, { "DATE", "date" }, { "DATETIME",
		    "timestamp" },
		{ "TIMESTAMP", "timestamp" }, { "TIMESTAMP WITH TIME ZONE", "timestamptz" }, { "BLOB", "binary" },
		/* By affinity: words nobody knows. */
		{ "FLOATING POINT", "integer" }, { "MYTEXT", "text" }, { "XBLOBX", "binary" }, { "STRINGY", "decimal" },
		{ "REALLY", "float" }, { "", "other" }, { "JSON", "json" }, { "UUID", "uuid" }, { NULL, NULL }
	};

	(void)state;
	expect("sqlite", samples);
}

static void
bare(void **state)
{
	(void)state;
	assert_true(span_is(type_bare(SPAN("public.citext")), SPAN("citext")));
	assert_true(span_is(type_bare(SPAN("\"we.ird\".mood[]")), SPAN("mood[]")));
	assert_true(span_is(type_bare(SPAN("\"a\"\".b\".\"c.d\"")), SPAN("\"c.d\"")));
	assert_true(span_is(type_bare(SPAN("numeric(10.2)")), SPAN("numeric(10.2)")));
	assert_true(span_is(type_bare(SPAN("")), SPAN("")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(postgres), cmocka_unit_test(mysql), cmocka_unit_test(sqlite), cmocka_unit_test(bare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
