// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/* test_search_resources.c - the confined worker's rows for MCP's resources, over the fixture projects. */
#include "tests/unit/search_rig.h"

#include "project/format/atomic.h"

/* A page of the list; its URIs one a line are appended to all, the position of the next into position. */
static bool
page(unsigned limit, struct buf *all, struct buf *position)
{
	struct buf args = { 0 }, answer = { 0 };
	struct mp_value v, list, one;
	struct mp_iter it;
	struct span next;
	size_t at;

	buf_printf(&args, "{\"limit\":%u", limit);
	if (position->len > 0) {
		buf_str(&args, ",\"position\":");
		json_write_string(&args, buf_view(position));
	}
	buf_byte(&args, '}');
	assert_int_equal(json_read(span_str(rig_call("resources_list", buf_cstr(&args))), &answer, &at), JSON_OK);
	assert_true(mp_value(buf_view(&answer), &v));
	assert_true(mp_get(&v, "resources", &list));
	assert_true(list.n <= limit);
	it = mp_iter(&list);
	while (mp_next(&it, &one))
		buf_printf(all, "%.*s\n", SPAN_FMT(mp_get_str(&one, "uri", SPAN("?"))));
	next = mp_get_str(&v, "next", (struct span){ 0 });
	position->len = 0;
	buf_span(position, next);
	buf_fini(&args);
	buf_fini(&answer);
	return next.p != NULL;
}

static void
pages_of_any_size_give_the_same_list(void **state)
{
	struct buf whole = { 0 }, all = { 0 }, position = { 0 };

	(void)state;
	assert_false(page(200, &whole, &position));
	assert_holds(buf_cstr(&whole), "carrel://wiki/");
	assert_holds(buf_cstr(&whole), "carrel://semantic-layer/warehouse/");
	assert_holds(buf_cstr(&whole), "carrel://schema/warehouse/");
	assert_holds(buf_cstr(&whole), "carrel://dialect/warehouse\n");
	assert_holds(buf_cstr(&whole), "carrel://ontologies\n");
	assert_holds(buf_cstr(&whole), "/datasets/orders\n");
	for (unsigned limit = 1; limit < 8; limit++) {
		all.len = position.len = 0;
		while (page(limit, &all, &position))
			;
		assert_string_equal(buf_cstr(&all), buf_cstr(&whole));
	}
	buf_fini(&whole);
	buf_fini(&all);
	buf_fini(&position);
}

/* Everything that is listed can be read, under the URI it is listed with. */
static void
what_is_listed_is_read(void **state)
{
	struct buf whole = { 0 }, position = { 0 }, args = { 0 };
	char *uri, *rest;

	(void)state;
	assert_false(page(200, &whole, &position));
	rest = (char *)(uintptr_t)buf_cstr(&whole);
	while ((uri = strsep(&rest, "\n")) != NULL && *uri != '\0') {
		args.len = 0;
		buf_printf(&args, "{\"uri\":\"%s\"}", uri);
		assert_holds(rig_call("resource_read", buf_cstr(&args)), uri);
	}
	buf_fini(&whole);
	buf_fini(&position);
	buf_fini(&args);
}

static void
nothing_else_is_read(void **state)
{
	static const char *const uris[] = {
		"", "carrel", "carrel:", "carrel://", "carrel://wiki", "carrel://wiki/", "carrel://wiki/no-such",
		"carrel://wiki/../../../etc/passwd", "carrel://wiki/..%2f..%2f..%2fetc%2fpasswd", "carrel://wiki/%2e%2e",
		"carrel://wiki/revenue/", "carrel://wiki/revenue?x=1", "carrel://wiki/revenue#x", "carrel://wiki/revenu%65%",
		"carrel://wiki/%ff", "carrel://wiki/revenue%00", "carrel://wiki//revenue", "file:///etc/passwd",
		"wiki://../../etc/passwd", "other://wiki/revenue", "carrel://WIKI/revenue", "carrel://semantic-layer/warehouse",
		"carrel://semantic-layer/nowhere/orders", "carrel://semantic-layer/warehouse/no_such",
		"carrel://ontologies/", "carrel://ontologies/x",
		"carrel://ontologies/x/datasets", "carrel://ontologies/x/datasets/", "carrel://ontologies/x/other/y",
		"carrel://ontologies/x/datasets/orders/y",
		"carrel://dialect", "carrel://dialect/nowhere", "carrel://dialect/warehouse/orders", "carrel://dialect/..",
		"carrel://schema/warehouse/no_such", "carrel://schema/nowhere/orders",
		"carrel://schema/warehouse/..%2f..%2forders"
	};
	struct buf args = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
		const struct driver_answer *a;

		args.len = 0;
		buf_printf(&args, "{\"uri\":\"%s\"}", uris[i]);
		a = driver_call(driver, "resource_read", "", buf_cstr(&args));
		if (a->kind != DRIVER_FAIL || strstr(a->code, "not_found") == NULL)
			fail_msg("%s: %s %s", uris[i], a->code, a->result);
	}
	buf_fini(&args);
}

/* Every answer says on which scan it stands: of one connection by its id alone, of several each with its connection. */
static void
answers_name_their_scans(void **state)
{
#define OF_WAREHOUSE	"2026-03-02-080000-local-new"
#define OF_LOCAL	"2026-02-01-120000-local-a"
	static const struct {
		const char *tool, *args, *snapshot;
	} rows[] = {
		{ "resource_read", "{\"uri\":\"carrel://schema/warehouse/public.orders\"}", OF_WAREHOUSE },
		{ "resource_read", "{\"uri\":\"carrel://semantic-layer/warehouse/orders\"}", OF_WAREHOUSE },
		{ "resource_read", "{\"uri\":\"carrel://wiki/revenue\"}", "" },
		{ "resource_read", "{\"uri\":\"carrel://dialect/warehouse\"}", "" },
		{ "resource_read", "{\"uri\":\"carrel://ontologies\"}", "" },
		{ "entity_details", "{\"connectionId\":\"warehouse\",\"entities\":[{\"table\":\"orders\"}]}",
		    OF_WAREHOUSE },
		{ "dictionary_search", "{\"connectionId\":\"local\",\"values\":[\"shipped\"]}", OF_LOCAL },
		{ "dictionary_search", "{\"values\":[\"shipped\"]}", "local:" OF_LOCAL ", warehouse:" OF_WAREHOUSE },
		{ "discover_data", "{\"query\":\"orders\",\"kinds\":[\"table\"]}", OF_WAREHOUSE },
		{ "discover_data", "{\"query\":\"revenue\",\"kinds\":[\"wiki\"]}", "" },
		{ "sl_query", "{\"connectionId\":\"warehouse\",\"measures\":[\"orders.total_revenue\"]}",
		    OF_WAREHOUSE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct driver_answer *a = driver_call(driver, rows[i].tool, "", rows[i].args);

		if ((a->kind != DRIVER_RESULT && a->kind != DRIVER_CONTINUE) ||
		    strcmp(a->snapshot, rows[i].snapshot) != 0)
			fail_msg("%s %s: \"%s\" (%s)", rows[i].tool, rows[i].args, a->snapshot,
			    a->kind == DRIVER_FAIL ? a->message : "ok");
	}
}

static void
templates_are_listed(void **state)
{
	const char *answer;

	(void)state;
	answer = rig_call("resource_templates_list", "{}");
	assert_holds(answer, "\"uriTemplate\":\"carrel://wiki/{key}\"");
	assert_holds(answer, "\"uriTemplate\":\"carrel://semantic-layer/{connection}/{source}\"");
	assert_holds(answer, "\"uriTemplate\":\"carrel://schema/{connection}/{table}\"");
	assert_holds(answer, "\"uriTemplate\":\"carrel://dialect/{connection}\"");
	assert_holds(answer, "\"uriTemplate\":\"carrel://ontologies/{id}\"");
	assert_holds(answer, "\"uriTemplate\":\"carrel://ontologies/{id}/datasets/{name}\"");
	assert_holds(answer, "\"title\"");
	assert_lacks(rig_call("resource_templates_list", "{\"basic\":true}"), "\"title\"");
	assert_lacks(rig_call("resources_list", "{\"basic\":true}"), "\"annotations\"");
}

/* The id of the first ontology that is listed. */
static const char *
first_ontology(void)
{
	static char id[37];
	const char *all = rig_call("resource_read", "{\"uri\":\"carrel://ontologies\"}"),
		   *at = strstr(all, "\\\"id\\\":\\\"");

	if (at == NULL)
		fail_msg("no ontology in %s", all);
	snprintf(id, sizeof(id), "%.36s", at + 9);
	return id;
}

static const char *
ontology_read(const char *id, const char *rest)
{
	static char args[200];

	snprintf(args, sizeof(args), "{\"uri\":\"carrel://ontologies/%s%s\"}", id, rest);
	return rig_call("resource_read", args);
}

static void
ontologies_are_read(void **state)
{
	const char *id = first_ontology(), *answer;
	char args[200];

	(void)state;
	answer = rig_call("resource_read", "{\"uri\":\"carrel://ontologies\"}");
	assert_holds(answer,
	    "\\\"name\\\":\\\"Warehouse\\\",\\\"description\\\":\\\"orders and so on\\\",\\\"datasetCount\\\":");
	answer = ontology_read(id, "");
	assert_holds(answer, "{\\\"ontology\\\":{\\\"id\\\":");
	assert_holds(answer, "\\\"datasets\\\":[{\\\"name\\\":");
	answer = ontology_read(id, "/datasets/orders");
	assert_holds(answer, "\"mimeType\":\"text/yaml\"");
	assert_holds(answer,
	    "name: \\\"orders\\\"\\ndescription: \\\"Customer orders, one row each\\\"\\nsource:\\n  table: ");
	assert_holds(answer, "    source_column: \\\"status\\\"\\n");
	assert_holds(answer, "    expression: \\\"amount >= 100\\\"\\n");
	assert_holds(answer, "    expression: \\\"count(*)\\\"\\n");
	assert_lacks(answer, "internal_note"); /* hidden */
	snprintf(args, sizeof(args), "{\"uri\":\"carrel://ontologies/%s/datasets/nothing\"}", id);
	rig_fail("resource_read", args, "dataset_not_found", "no dataset");
	rig_fail("resource_read", "{\"uri\":\"carrel://ontologies/x\"}", "ontology_not_found", "no such ontology");
}

static void
ontologies_are_completed(void **state)
{
	const char *id = first_ontology();
	char args[400];

	(void)state;
	assert_holds(rig_call("complete",
			 "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"carrel://ontologies/{id}\"},"
			 "\"argument\":{\"name\":\"id\",\"value\":\"\"},\"context\":{}}"),
	    id);
	snprintf(args, sizeof(args),
	    "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"carrel://ontologies/{id}/datasets/{name}\"},"
	    "\"argument\":{\"name\":\"name\",\"value\":\"ord\"},\"context\":{\"arguments\":{\"id\":\"%s\"}}}",
	    id);
	assert_holds(rig_call("complete", args), "\"orders\"");
	assert_holds(rig_call("complete",
			 "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"carrel://ontologies/{id}/datasets/{name}\"},"
			 "\"argument\":{\"name\":\"name\",\"value\":\"\"},\"context\":{\"arguments\":{\"id\":\"x\"}}}"),
	    "\"values\":[]");
}

static void
ontologies_need_their_scope(void **state)
{
	(void)state;
	driver_set_scopes(driver, POLICY_SCOPE_RESEARCH_READ);
	rig_fail("resource_read", "{\"uri\":\"carrel://ontologies\"}", "scope_denied", "ontologies:read");
	assert_lacks(rig_call("resources_list", "{}"), "ontologies");
	assert_lacks(rig_call("resource_templates_list", "{}"), "ontologies");
	assert_holds(rig_call("complete",
			 "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"carrel://ontologies/{id}\"},"
			 "\"argument\":{\"name\":\"id\",\"value\":\"\"},\"context\":{}}"),
	    "\"values\":[]");
	driver_set_scopes(driver, POLICY_SCOPES_ASK);
	rig_fail("resource_read", "{\"uri\":\"carrel://dialect/warehouse\"}", "scope_denied", "research:read");
	rig_fail("resource_read", "{\"uri\":\"carrel://wiki/nothing\"}", "scope_denied", "research:read");
	assert_holds(rig_call("resource_read", "{\"uri\":\"carrel://ontologies\"}"), "datasetCount");
	assert_holds(rig_call("resources_list", "{}"), "carrel://ontologies/");
	assert_lacks(rig_call("resources_list", "{}"), "carrel://schema");
	assert_lacks(rig_call("resource_templates_list", "{}"), "carrel://wiki");
	assert_holds(rig_call("complete",
			 "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"carrel://dialect/{connection}\"},"
			 "\"argument\":{\"name\":\"connection\",\"value\":\"ware\"}}"),
	    "\"values\":[]");
	driver_set_scopes(driver, 0);
	assert_holds(rig_call("resources_list", "{}"), "\"resources\":[]");
	driver_set_scopes(driver, UINT32_MAX);
}

/* What is said of a connection's SQL is that of its database, and short. */
static void
dialects_are_of_their_database(void **state)
{
	const char *answer;

	(void)state;
	answer = rig_call("resource_read", "{\"uri\":\"carrel://dialect/warehouse\"}");
	assert_holds(answer, "text/markdown");
	assert_holds(answer, "date_trunc('month'");
	assert_lacks(answer, "strftime");
	assert_true(strlen(answer) < 3500);
	assert_holds(rig_call("complete",
			 "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"carrel://dialect/{connection}\"},"
			 "\"argument\":{\"name\":\"connection\",\"value\":\"ware\"}}"),
	    "\"warehouse\"");
}

/* --- odd names ------------------------------------------------------------------------------- */

#define ODD_LIVE(c)	"raw-sources/" c "/live-database/2026-01-01-000000-local-a/"

static const char *const odd_names[] = {
	"a.b", "a", "b", "quo\\\"te", "[br]", "UPPER", "upper", " lead", "x/y", "é", "two\\nlines", "..", "a b", "100%", "q?r#s", "s.t.u",
	"\\\"q\\\"", "`tick`", "{key}", "+"
};

#define NODD	(sizeof(odd_names) / sizeof(odd_names[0]))

static int
odd(void **state)
{
	static const char *const schemas[] = { "s", "s.t" };
	char path[128], table[512];

	(void)state;
	rig_make_project();
	rig_mkdir(ODD_LIVE("lite") "tables");
	rig_mkdir(ODD_LIVE("pg") "tables");
	for (size_t i = 0; i < NODD; i++) {
		snprintf(path, sizeof(path), ODD_LIVE("lite") "tables/%zu.json", i);
		snprintf(table, sizeof(table),
		    "{\"catalog\":null,\"db\":null,\"name\":\"%s\",\"kind\":\"table\",\"columns\":[]}", odd_names[i]);
		rig_write(path, table);
		for (size_t k = 0; k < 2; k++) {
			snprintf(path, sizeof(path), ODD_LIVE("pg") "tables/%zu-%zu.json", i, k);
			snprintf(table, sizeof(table),
			    "{\"catalog\":null,\"db\":\"%s\",\"name\":\"%s\",\"kind\":\"table\",\"columns\":[]}",
			    schemas[k], odd_names[i]);
			rig_write(path, table);
		}
	}
	rig_write(ODD_LIVE("lite") "scan-report.json",
	    "{\"connectionId\":\"lite\",\"driver\":\"sqlite\",\"syncId\":\"2026-01-01-000000-local-a\"}");
	rig_write(ODD_LIVE("pg") "scan-report.json",
	    "{\"connectionId\":\"pg\",\"driver\":\"postgres\",\"syncId\":\"2026-01-01-000000-local-a\"}");
	rig_start(rig_project,
	    "[{\"id\":\"lite\",\"driver\":\"sqlite\",\"name\":\"l\",\"schemas\":[]},"
	    "{\"id\":\"pg\",\"driver\":\"postgres\",\"name\":\"p\",\"schemas\":[]}]");
	return 0;
}

/* Whatever a table is called, its URI means this table and no other. */
static void
odd_names_come_back(void **state)
{
	struct buf whole = { 0 }, position = { 0 }, args = { 0 }, answer = { 0 }, text = { 0 }, texts = { 0 };
	struct mp_value v, list, one;
	struct mp_iter it;
	char *uri, *rest;
	size_t n = 0, at;

	(void)state;
	assert_false(page(1000, &whole, &position));
	rest = (char *)(uintptr_t)buf_cstr(&whole);
	while ((uri = strsep(&rest, "\n")) != NULL && *uri != '\0') {
		args.len = answer.len = 0;
		if (strstr(uri, "ontologies") != NULL)
			continue; /* of these sources none can be used */
		buf_printf(&args, "{\"uri\":\"%s\"}", uri);
		assert_int_equal(json_read(span_str(rig_call("resource_read", buf_cstr(&args))), &answer, &at),
		    JSON_OK);
		assert_true(mp_value(buf_view(&answer), &v));
		assert_true(mp_get(&v, "contents", &list));
		it = mp_iter(&list);
		assert_true(mp_next(&it, &one));
		text.len = 0;
		buf_span(&text, mp_get_str(&one, "text", SPAN("")));
		assert_true(text.len > 0);
		/* no two of them give the same table */
		if (strstr(buf_cstr(&texts), buf_cstr(&text)) != NULL)
			fail_msg("%s: %s", uri, buf_cstr(&text));
		buf_span(&texts, buf_view(&text));
		n++;
	}
	assert_int_equal(n, 3 * NODD + 2); /* and what is to be known of each dialect */
	buf_fini(&whole);
	buf_fini(&position);
	buf_fini(&args);
	buf_fini(&answer);
	buf_fini(&text);
	buf_fini(&texts);
}

/* --- bounds ---------------------------------------------------------------------------------- */

#define LIVE	"raw-sources/w/live-database/2026-01-01-000000-local-a/"
#define TABLES	700

/* Many tables with long names, and one whose name is too long for a URI. */
static int
long_names(void **state)
{
	char path[128], table[4096], name[3000];

	(void)state;
	rig_make_project();
	rig_mkdir(LIVE "tables");
	for (int i = 0; i <= TABLES; i++) {
		size_t n = i < TABLES ? 1900 : 2100;

		memset(name, 'a', n);
		snprintf(name + n, sizeof(name) - n, "%04d", i);
		snprintf(path, sizeof(path), LIVE "tables/%d.json", i);
		snprintf(table, sizeof(table),
		    "{\"catalog\":null,\"db\":null,\"name\":\"%s\",\"kind\":\"table\",\"columns\":[]}", name);
		rig_write(path, table);
	}
	rig_write(LIVE "scan-report.json",
	    "{\"connectionId\":\"w\",\"driver\":\"sqlite\",\"syncId\":\"2026-01-01-000000-local-a\"}");
	rig_start(rig_project, "[{\"id\":\"w\",\"driver\":\"sqlite\",\"name\":\"w\",\"schemas\":[]}]");
	return 0;
}

static int
clear(void **state)
{
	(void)state;
	rig_stop();
	return atomic_remove(AT_FDCWD, rig_project, NULL);
}

static void
pages_are_bounded_in_bytes(void **state)
{
	struct buf all = { 0 }, position = { 0 };
	unsigned pages = 1, lines = 0;

	(void)state;
	while (page(1000, &all, &position)) {
		assert_true(all.len < (size_t)pages * (1u << 20));
		pages++;
	}
	for (size_t i = 0; i < all.len; i++)
		lines += all.p[i] == '\n';
	assert_int_equal(lines, TABLES + 2); /* and the dialect, and the list of ontologies */
	assert_true(pages > 2);
	buf_fini(&all);
	buf_fini(&position);
}

int
main(void)
{
#define SHOP(test)	cmocka_unit_test_setup_teardown(test, shop, stop)
	const struct CMUnitTest tests[] = {
		SHOP(pages_of_any_size_give_the_same_list),
		SHOP(what_is_listed_is_read),
		SHOP(nothing_else_is_read),
		SHOP(answers_name_their_scans),
		SHOP(templates_are_listed),
		SHOP(dialects_are_of_their_database),
		SHOP(ontologies_are_read),
		SHOP(ontologies_are_completed),
		SHOP(ontologies_need_their_scope),
		cmocka_unit_test_setup_teardown(odd_names_come_back, odd, clear),
		cmocka_unit_test_setup_teardown(pages_are_bounded_in_bytes, long_names, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
