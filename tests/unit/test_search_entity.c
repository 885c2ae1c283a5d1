// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/* test_search_entity.c - entity_details takes whatever another answer called a table, and says what was meant. */
#include "project/format/atomic.h"
#include "tests/unit/search_rig.h"

#define SYNC	"raw-sources/w/live-database/2026-01-01-000000-local-a/"
#define CONN	"[{\"id\":\"w\",\"driver\":\"postgres\",\"name\":\"w\",\"schemas\":[]}]"

static void
write_table(const char *file, const char *db, const char *name, const char *columns)
{
	char path[256], text[1024];

	snprintf(path, sizeof(path), SYNC "tables/%s.json", file);
	snprintf(text, sizeof(text),
	    "{\"catalog\":null,\"db\":\"%s\",\"name\":\"%s\",\"kind\":\"table\",\"columns\":[%s]}", db, name, columns);
	rig_write(path, text);
}

static int
setup(void **state)
{
	(void)state;
	rig_make_project();
	rig_mkdir(SYNC "tables");
	write_table("a", "public", "orders",
	    "{\"name\":\"id\"},{\"name\":\"c_bool\"},{\"name\":\"c_f4\"},"
	    "{\"name\":\"order_status\"},{\"name\":\"new\\nline\"}");
	write_table("b", "Sales.EU", "orders", "{\"name\":\"eu\"}");
	write_table("c", "EU", "stock.day", "{\"name\":\"n\"}");
	write_table("d", "x", "y.z", "{\"name\":\"n\"}");
	write_table("e", "x.y", "z", "{\"name\":\"n\"}");
	rig_write(SYNC "tables/f.json",
	    "{\"catalog\":null,\"db\":null,\"name\":\"plain\",\"kind\":\"table\","
	    "\"columns\":[{\"name\":\"p\"}]}");
	rig_write(SYNC "connection.json",
	    "{\"connectionId\":\"w\",\"driver\":\"postgres\","
	    "\"extractedAt\":\"2026-01-01T00:00:00.000Z\"}");
	rig_write(SYNC "scan-report.json", "{\"connectionId\":\"w\",\"driver\":\"postgres\"}");
	rig_start(rig_project, CONN);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_stop();
	return atomic_remove(AT_FDCWD, rig_project, NULL);
}

static const char *
ask(const char *table, const char *columns)
{
	char args[512];

	snprintf(args, sizeof(args), "{\"connectionId\":\"w\",\"entities\":[{\"table\":%s,\"columns\":%s}]}", table,
	    columns);
	return rig_call("entity_details", args);
}

static void
a_schema_with_dots_is_found_as_it_is_displayed(void **state)
{
	static const char *const ways[][2] = {
		{ "\"Sales.EU.orders\"", "Sales.EU.orders" }, { "\"sales.eu.ORDERS\"", "Sales.EU.orders" },
		{ "\"'Sales.EU'.orders\"", "Sales.EU.orders" }, { "\"[Sales.EU].[orders]\"", "Sales.EU.orders" },
		{ "{\"db\":\"Sales.EU\",\"name\":\"orders\"}", "Sales.EU.orders" },
		{ "{\"name\":\"Sales.EU.orders\"}", "Sales.EU.orders" },
		{ "{\"name\":\"public.orders\"}", "public.orders" }, { "\"public.orders\"", "public.orders" },
		{ "\"EU.stock.day\"", "EU.stock.day" }, { "\"stock.day\"", "EU.stock.day" },
		{ "\"EU.'stock.day'\"", "EU.stock.day" }, { "\"shop.EU.stock.day\"", "EU.stock.day" },
		{ "\"'x.y'.z\"", "x.y.z" }, { "\"x.'y.z'\"", "x.y.z" },
	};
	char want[64];

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(want, sizeof(want), "\"display\":\"%s\"", ways[i][1]);
		assert_holds(ask(ways[i][0], "[]"), want);
	}
	assert_holds(ask("\"'x.y'.z\"", "[]"), "\"db\":\"x.y\",\"name\":\"z\"");
	assert_holds(ask("\"x.'y.z'\"", "[]"), "\"db\":\"x\",\"name\":\"y.z\"");
}

/* A schema is asked for in earnest, also of a table that the scan knows none of. */
static void
a_schema_that_is_not_there_is_not_passed_over(void **state)
{
	static const char *const wrong[] = { "{\"db\":\"x\",\"name\":\"plain\"}", "\"x.plain\"", "\"nowhere.plain\"" };
	static const char *const right[] = { "{\"db\":null,\"name\":\"plain\"}", "{\"name\":\"plain\"}", "\"plain\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_holds(ask(wrong[i], "[]"), "\"code\":\"table_not_found\"");
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		assert_holds(ask(right[i], "[]"), "\"ok\":true");
}

static void
one_display_of_two_tables_is_ambiguous(void **state)
{
	(void)state;
	assert_holds(ask("\"x.y.z\"", "[]"), "\"code\":\"ambiguous_table\"");
}

static void
a_column_taken_for_a_table_is_told(void **state)
{
	const char *r;

	(void)state;
	r = ask("\"public.orders.c_bool\"", "[]");
	assert_holds(r, "\"code\":\"table_not_found\"");
	assert_holds(r,
	    "c_bool is a column of public.orders: ask for {\\\"table\\\": \\\"public.orders\\\", "
	    "\\\"columns\\\": [\\\"c_bool\\\"]}.");
	assert_holds(r,
	    "\"candidates\":[{\"tableRef\":{\"catalog\":null,\"db\":\"public\",\"name\":\"orders\"},\"display\":"
	    "\"public.orders\"}");
	r = ask("\"Sales.EU.orders.eu\"", "[]");
	assert_holds(r, "eu is a column of Sales.EU.orders");
	r = ask("\"public.orders.nothing\"", "[]");
	assert_lacks(r, "is a column of");
}

static void
the_nearest_columns_are_named_first(void **state)
{
	(void)state;
	assert_holds(ask("\"public.orders\"", "[\"xyzzy\",\"c_bol\"]"), "has no column xyzzy, c_bol. It has: c_bool, ");
	assert_holds(ask("\"public.orders\"", "[\"status\"]"), "has no column status. It has: order_status, ");
	assert_holds(ask("\"public.orders\"", "[\"\\\"c_bool\\\"\",\"`ID`\"]"), "\"columns\":[{\"name\":\"id\"");
}

/* The scan is older than the policy, and ktx writes a source's table without quotes. */
static void
what_is_hidden_in_a_schema_with_dots_is_not_there(void **state)
{
	const char *r;

	(void)state;
	rig_stop();
	rig_mkdir("semantic-layer/w");
	rig_write("semantic-layer/w/a.yaml",
	    "name: a\ntable: Sales.EU.orders\ngrain: [id]\ncolumns:\n"
	    "  - {name: id, type: number}\n  - {name: eu, type: string}\n");
	rig_write("semantic-layer/w/b.yaml",
	    "name: b\ntable: '\"Sales.EU\".orders'\ngrain: [id]\ncolumns:\n"
	    "  - {name: id, type: number}\n  - {name: eu, type: string}\n");
	rig_write("semantic-layer/w/c.yaml",
	    "name: c\ntable: public.orders\ngrain: [id]\ncolumns:\n"
	    "  - {name: id, type: number}\n  - {name: eu, type: string}\n");
	rig_start(rig_project,
	    "[{\"id\":\"w\",\"driver\":\"postgres\",\"name\":\"w\",\"schemas\":[\"public\"],"
	    "\"columns\":[{\"action\":\"hide\",\"pattern\":\"\\\"Sales.EU\\\".orders.eu\",\"scopes\":0}]}]");
	assert_lacks(ask("\"Sales.EU.orders\"", "[]"), "\"name\":\"eu\"");
	r = rig_call("discover_data", "{\"query\":\"eu\",\"kinds\":[\"column\",\"sl_dimension\"]}");
	assert_lacks(r, "\"Sales.EU.orders.eu\"");
	assert_lacks(r, "\"a.eu\"");
	assert_lacks(r, "\"b.eu\"");
	assert_holds(r, "\"c.eu\"");
}

static void
write_connection(const char *metadata)
{
	char text[400];

	snprintf(text, sizeof(text),
	    "{\"connectionId\":\"w\",\"driver\":\"postgres\","
	    "\"extractedAt\":\"2026-01-01T00:00:00.000Z\",\"metadata\":{%s}}",
	    metadata);
	rig_write(SYNC "connection.json", text);
}

static void
told(const char *text, bool is_told, const char *part)
{
	if (is_told)
		assert_holds(text, part);
	else
		assert_lacks(text, part);
}

/* Which scans say that they lack details, and which show theirs. */
static void
an_older_scan_says_what_it_lacks(void **state)
{
	static const char with_policy[] = "[{\"id\":\"w\",\"driver\":\"postgres\",\"name\":\"w\",\"schemas\":[],"
					  "\"columns\":[{\"action\":\"mask\",\"pattern\":\"*.email\",\"scopes\":0}]}]";
	static const struct {
		const char *metadata, *connections;
		bool note, shown;
	} rows[] = {
		{ "", CONN, false, true }, /* another program's */
		{ "\"schema_fingerprint\":\"2-aa\"", CONN, true, true },
		{ "\"schema_fingerprint\":\"3-aa\",\"details\":1,\"column_policy\":null", CONN, true, true },
		{ "\"schema_fingerprint\":\"3-aa\",\"details\":2,\"column_policy\":null", CONN, false, true },
		{ "\"schema_fingerprint\":\"3-aa\",\"details\":2,\"column_policy\":null", with_policy, true, false },
		{ "\"schema_fingerprint\":\"3-aa\",\"details\":2,\"column_policy\":\"1-other\"", with_policy, true,
		    false },
		{ "\"schema_fingerprint\":\"3-aa\",\"details\":2,\"column_policy\":\"1-other\"", CONN, true, true },
		{ "", with_policy, false, false },
	};

	(void)state;
	rig_stop();
	write_table("f", "public",
	    "visits\",\"definition\":\"SELECT 'boss'\",\"indexes\":[{\"name\":\"i\",\"columns\":[\"id\",null],"
	    "\"unique\":true,\"primary\":false,\"definition\":\"CREATE i\"}],\"checks\":[{\"expression\":\"id > 7\"},"
	    "{\"name\":\"c\",\"expression\":\"id < 9\"},{\"name\":\"empty\",\"expression\":\"\"}],\"comment\":\"",
	    "{\"name\":\"kind\",\"nativeType\":\"public.kind\",\"enumLabels\":[\"first\",\"last\"]},"
	    "{\"name\":\"d\",\"nativeType\":\"int\",\"default\":\"40 + 2\"},"
	    "{\"name\":\"g\",\"nativeType\":\"int\",\"generated\":\"d * 2\"},"
	    "{\"name\":\"i\",\"nativeType\":\"int\",\"identity\":\"always\",\"default\":null},"
	    "{\"name\":\"none\",\"nativeType\":\"public.kind\",\"enumLabels\":[]}");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *r;

		write_connection(rows[i].metadata);
		rig_start(rig_project, rows[i].connections);
		r = ask("\"visits\"", "[]");
		told(r, rows[i].note, "`carrel scan w` adds enum labels");
		told(r, rows[i].shown, "\"definition\":\"SELECT 'boss'\"");
		told(r, rows[i].shown, "\"enumLabels\":[\"first\",\"last\"]");
		told(r, rows[i].shown,
		    "\"indexes\":[{\"name\":\"i\",\"columns\":[\"id\",null],\"unique\":true,"
		    "\"definition\":\"CREATE i\"}],\"checks\":[{\"expression\":\"id > 7\"},"
		    "{\"name\":\"c\",\"expression\":\"id < 9\"}]");
		told(r, rows[i].shown, "\"default\":\"40 + 2\"}");
		told(r, rows[i].shown, "\"generated\":\"d * 2\"}");
		told(r, rows[i].shown, "\"identity\":\"always\"}");
		assert_holds(r, "\"name\":\"none\",\"nativeType\":\"public.kind\",\"normalizedType\":\"enum\"");
		assert_lacks(r, "\"enumLabels\":[]");
		if (i + 1 < sizeof(rows) / sizeof(rows[0]))
			rig_stop();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_schema_with_dots_is_found_as_it_is_displayed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_schema_that_is_not_there_is_not_passed_over, setup, teardown),
		cmocka_unit_test_setup_teardown(one_display_of_two_tables_is_ambiguous, setup, teardown),
		cmocka_unit_test_setup_teardown(a_column_taken_for_a_table_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(the_nearest_columns_are_named_first, setup, teardown),
		cmocka_unit_test_setup_teardown(an_older_scan_says_what_it_lacks, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_hidden_in_a_schema_with_dots_is_not_there, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
