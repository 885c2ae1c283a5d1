// libs: carrel_semantic carrel_project carrel_base
/* test_sem_shown.c - what discover_data calls a column or a measure can be asked for, dots and spaces and all. */
#include "tests/unit/harness.h"

#include <stdio.h>

#include "base/json/json_read.h"
#include "semantic/compile.h"

static const char *const sources[] = {
	"name: My Table\ntable: '\"My Table\"'\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: a b, type: string}\n  - {name: 'say \"hi\"', type: string}\n  - {name: c-d, type: number}\n"
	"measures:\n  - {name: all rows, expr: count(*)}\nsegments:\n  - {name: with d, expr: '\"c-d\" > 1'}\n",
	"name: dot.ted\ntable: '\"dot.ted\"'\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: status, type: string}\nmeasures:\n  - {name: n, expr: count(*)}\n",
	"name: x\ntable: x\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\nmeasures:\n  - {name: y.z, expr: count(*)}\n",
	"name: x.y\ntable: xy\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\nmeasures:\n  - {name: z, expr: count(*)}\n",
	"name: plain\ntable: plain\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n  - {name: a, type: number}\n"
	"measures:\n  - {name: n, expr: count(*)}\n",
};

#define SOURCES	(sizeof(sources) / sizeof(sources[0]))

static struct source_set *set;
static struct sem_model *model;

static int
open_model(void **state)
{
	static const struct source *list[SOURCES + 4];

	(void)state;
	set = source_set_new();
	for (size_t i = 0; i < SOURCES; i++) {
		char path[32];

		snprintf(path, sizeof(path), "%zu.yaml", i);
		source_set_put(set, path, span_str(sources[i]), NULL);
	}
	source_set_put(set, "_schema/public.yaml",
	    SPAN("tables:\n"
		 "  day.total: {table: '\"Sales.EU\".\"day.total\"', columns: [{name: id, type: number}]}\n"
		 "  say: {table: 'Main.\"\"', columns: [{name: id, type: number}]}\n"
		 "  half: {table: 'Main.\"open', columns: [{name: id, type: number}]}\n"
		 "  both: {table: '\"a.\"\"b\".c\"d', columns: [{name: id, type: number}]}\n"),
	    NULL);
	source_set_compose(set, NULL, NULL);
	for (size_t i = 0; i < source_set_count(set); i++)
		list[i] = source_set_at(set, i);
	model = sem_model_new(list, source_set_count(set));
	return 0;
}

static int
close_model(void **state)
{
	(void)state;
	sem_model_free(model);
	source_set_free(set);
	return 0;
}

/* The SQL of a query in JSON, or the sentence it is refused with; holds part. */
static void
gives(const char *json, const char *part)
{
	struct arena *a = arena_new((size_t)16 << 20);
	struct sem_problem p = { 0 };
	struct buf doc = { 0 };
	struct sem_compiled out;
	struct mp_value args;
	struct sem_query q;
	const char *text;
	size_t at;

	assert_int_equal(json_read(span_str(json), &doc, &at), JSON_OK);
	assert_true(mp_value(buf_view(&doc), &args));
	text = sem_query_read(a, &args, &q, &p) == 0 && sem_compile(model, &dialect_sqlite, &q, a, &out, &p) == 0 ?
	    arena_cstr(a, out.sql) :
	    p.message;
	if (strstr(text, part) == NULL)
		fail_msg("%s\nis not in\n%s", part, text);
	buf_fini(&doc);
	arena_free(a);
}

static void
shown_names_are_taken(void **state)
{
	(void)state;
	gives("{\"measures\":[\"My Table.all rows\"],\"dimensions\":[\"My Table.a b\"]}", "\"a b\"");
	gives("{\"measures\":[\"My Table.all rows\"],\"dimensions\":[{\"field\":\"My Table.say \\\"hi\\\"\"}]}",
	    "\"say \"\"hi\"\"\"");
	gives("{\"measures\":[\"My Table.all rows\"],\"segments\":[\"My Table.with d\"]}", "> 1");
	gives(
	    "{\"measures\":[\"dot.ted.n\"],\"dimensions\":[\"dot.ted.status\"],\"order_by\":[\"dot.ted.status desc\"]}",
	    "DESC");
	gives("{\"measures\":[{\"expr\":\"dot.ted.n\",\"name\":\"many\"}]}", "AS many");
	gives("{\"measures\":[\"My Table.all rows\"],\"dimensions\":[\"My Table.c-d\"]}", "\"c-d\"");
}

static void
the_quoted_form_is_as_good(void **state)
{
	(void)state;
	gives("{\"measures\":[\"\\\"dot.ted\\\".n\"],\"dimensions\":[\"\\\"dot.ted\\\".status\"]}", "GROUP BY 1");
}

static void
what_could_be_two_names_is_none(void **state)
{
	(void)state;
	gives("{\"measures\":[\"x.y.z\"]}", "There is no source or join alias");
	gives("{\"dimensions\":[\"dot.ted.nothing\"]}", "There is no source or join alias");
}

static void
expressions_stay_expressions(void **state)
{
	(void)state;
	gives("{\"measures\":[\"sum(plain.a - plain.id)\"],\"dimensions\":[\"plain.a\"]}", "sum(");
	gives("{\"measures\":[\"plain.n\"],\"dimensions\":[\"plain.a\"],\"order_by\":[\"plain.n desc\"]}", "COUNT(*)");
}

/* What a scan says of a table is its name in the database, part by part. */
static void
scanned_names_have_their_parts(void **state)
{
	(void)state;
	gives("{\"dimensions\":[\"day.total.id\"]}", "FROM \"Sales.EU\".\"day.total\" AS \"day.total\"");
	gives("{\"dimensions\":[\"both.id\"]}", "FROM \"a.\"\"b\".\"c\"\"d\" AS ");
	gives("{\"dimensions\":[\"half.id\"]}", "FROM \"Main\".\"\"\"open\" AS ");
	gives("{\"dimensions\":[\"say.id\"]}", "FROM \"Main\".\"\"\"\"\"\" AS ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shown_names_are_taken), cmocka_unit_test(the_quoted_form_is_as_good),
		cmocka_unit_test(what_could_be_two_names_is_none), cmocka_unit_test(expressions_stay_expressions),
		cmocka_unit_test(scanned_names_have_their_parts),
	};

	return cmocka_run_group_tests(tests, open_model, close_model);
}
