// libs: carrel_test_support carrel_ipc carrel_base
/* test_search_worker.c - the confined worker over the fixture projects: every tool, found and not found. */
#include "tests/unit/search_rig.h"

static int
broken(void **state)
{
	(void)state;
	rig_start(PROJECTS "broken", "[{\"id\":\"warehouse\",\"driver\":\"postgres\",\"name\":\"w\",\"schemas\":[]}]");
	return 0;
}

static void
every_tool_is_announced(void **state)
{
	static const char *const names[] = {
		"connection_list", "discover_data", "wiki_search", "wiki_read", "entity_details",
		"dictionary_search", "sl_read_source", "sl_query"
	};
	struct mp_value all, row;

	(void)state;
	assert_true(mp_value(buf_view(&rig_tools), &all));
	assert_int_equal(all.n,
	    8 + 7 + 6 + 7); /* and discover_explain, sl_compile, those for workers, MCP's other methods, datasets */
	for (size_t i = 0; i < 8; i++) {
		rig_tool(names[i], &row);
		assert_holds(driver_tools(driver), "Example: ");
		assert_int_equal(mp_get_uint(&row, "hints", 0), 1 | 4);
		assert_true(mp_get_uint(&row, "budgetMs", 0) > 0);
		assert_true(mp_get_str(&row, "title", SPAN("")).len > 0);
	}
	rig_tool("entity_details", &row);
	assert_true(span_is_str(mp_get_str(&row, "aliases", SPAN("")),
	    "entities[].table.schema=db entities[].table.table=name"));
}

static void
connections_are_listed(void **state)
{
	(void)state;
	driver_state(driver, "warehouse", 1, "");
	driver_state(driver, "local", 3, "the file does not exist");
	assert_string_equal(rig_call("connection_list", "{}"),
	    "{\"connections\":["
	    "{\"id\":\"local\",\"name\":\"local\",\"connectionType\":\"SQLITE\",\"driver\":\"sqlite\",\"readOnly\":"
	    "true,"
	    "\"state\":\"unavailable\",\"stateReason\":\"the file does not exist\","
	    "\"lastScan\":{\"syncId\":\"2026-02-01-120000-local-a\",\"extractedAt\":\"2026-02-01T12:00:00.000Z\"},"
	    "\"dictionary\":\"no_profile_artifact\"},"
	    "{\"id\":\"warehouse\",\"name\":\"Warehouse\",\"connectionType\":\"POSTGRESQL\",\"driver\":\"postgres\","
	    "\"description\":\"orders and so "
	    "on\",\"readOnly\":true,\"state\":\"ready\",\"schemas\":[\"public\",\"crm\"],"
	    "\"lastScan\":{\"syncId\":\"2026-03-02-080000-local-new\",\"extractedAt\":\"2026-03-02T08:00:00.000Z\"},"
	    "\"dictionary\":\"ready\"}]}");
	driver_state(driver, "warehouse", 2, "");
	assert_holds(rig_call("connection_list", "{}"), "\"state\":\"connecting\"");
}

static void
unknown_connections_are_answered_with_known_ones(void **state)
{
	static const char *const calls[][2] = {
		{ "discover_data", "{\"query\":\"x\",\"connectionId\":\"nope\"}" },
		{ "entity_details", "{\"connectionId\":\"nope\",\"entities\":[{\"table\":\"t\"}]}" },
		{ "dictionary_search", "{\"values\":[\"x\"],\"connectionId\":\"nope\"}" },
		{ "sl_read_source", "{\"connectionId\":\"nope\",\"sourceName\":\"orders\"}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const struct driver_answer *a =
		    rig_fail(calls[i][0], calls[i][1], "connection_not_found", "There is: local, warehouse.");

		assert_string_equal(a->details, "{\"connections\":[\"local\",\"warehouse\"]}");
	}
}

/* --- wiki -------------------------------------------------------------------------------- */

static void
pages_are_read(void **state)
{
	(void)state;
	assert_string_equal(rig_call("wiki_read", "{\"key\":\"revenue\"}"),
	    "{\"key\":\"revenue\","
	    "\"path\":\"wiki/global/revenue.md\",\"scope\":\"GLOBAL\","
	    "\"summary\":\"Revenue is recognised when an order is shipped, net of refunds\","
	    "\"content\":\"# Revenue\\n\\nWe count an order when it ships. Gross amounts are in cents.\\n\\n"
	    "Refunds reduce the month of the order.\",\"tags\":[\"finance\",\"revenue\"],\"refs\":[\"refund-policy\"],"
	    "\"slRefs\":[\"orders.total_revenue\"],\"provenance\":null}");
	assert_string_equal(rig_call("wiki_read", "{\"key\":\"refund-policy\"}"),
	    "{\"key\":\"refund-policy\","
	    "\"path\":\"wiki/global/refund-policy.md\",\"scope\":\"GLOBAL\",\"summary\":\"Refunds are paid within 30 "
	    "days\","
	    "\"content\":\"Customers may return goods.\\n\\nThe money goes back to the card.\","
	    "\"tags\":[\"finance\",\"2025\"],\"refs\":[],\"slRefs\":[],\"provenance\":null}");
	assert_holds(rig_call("wiki_read", "{\"key\":\"plain\"}"), "\"summary\":\"\",\"content\":\"# Shipping zones");
	assert_holds(rig_call("wiki_read", "{\"key\":\"empty-matter\"}"), "\"content\":\"Only a body.\"");
	assert_holds(rig_call("wiki_read", "{\"key\":\"reviewed\"}"),
	    "\"provenance\":{\"author\":\"local:1000\","
	    "\"at\":\"2026-03-01T10:00:00Z\",\"runId\":\"run-7\",\"status\":\"proposed\"}");
}

static void
own_pages_stand_before_global_ones(void **state)
{
	const char *found;

	(void)state;
	assert_holds(rig_call("wiki_read", "{\"key\":\"shadowed\"}"),
	    "\"path\":\"wiki/user/local/shadowed.md\",\"scope\":\"USER\"");
	assert_holds(rig_call("wiki_read", "{\"key\":\"private-note\"}"), "ask Dana");
	found = rig_call("discover_data", "{\"query\":\"shadowed\",\"kinds\":[\"wiki\"]}");
	assert_holds(found, "\"summary\":\"for me\"");
	assert_lacks(found, "for everybody");
	/* The search lists both, each with its path. */
	found = rig_call("wiki_search", "{\"query\":\"shadowed\"}");
	assert_holds(found, "\"wiki/user/local/shadowed.md\"");
	assert_holds(found, "\"wiki/global/shadowed.md\"");
	assert_holds(found, "\"totalFound\":2");
}

static void
unknown_pages_are_answered_with_close_ones(void **state)
{
	const struct driver_answer *a;

	(void)state;
	a = rig_fail("wiki_read", "{\"key\":\"refund\"}", "page_not_found", "Did you mean refund-policy");
	assert_holds(a->details, "\"candidates\":[\"refund-policy\"");
	rig_fail("wiki_read", "{\"key\":\"global/revenue\"}", "page_not_found", "use \"global-revenue\"");
	rig_fail("wiki_read", "{\"key\":\"../../etc/passwd\"}", "page_not_found", "use \"etc-passwd\"");
	rig_fail("wiki_read", "{\"key\":\"hidden\"}", "page_not_found", "There is no wiki page");
	rig_fail("wiki_read", "{\"key\":\"wiki/global/revenue.md\"}", "page_not_found", "Did you mean revenue");
	rig_fail("wiki_read", "{\"key\":\"zzz\"}", "page_not_found", "wiki_search finds pages");
}

static void
pages_are_found(void **state)
{
	(void)state;
	assert_string_equal(rig_call("wiki_search", "{\"query\":\"shipping zone\",\"limit\":1}"),
	    "{\"results\":["
	    "{\"key\":\"plain\",\"path\":\"wiki/global/plain.md\",\"scope\":\"GLOBAL\",\"summary\":null,\"score\":1,"
	    "\"snippet\":\"# Shipping zones No front matter here: zone A is domestic.\",\"tags\":[],"
	    "\"matchReasons\":[\"lexical\"],\"provenance\":null}],\"totalFound\":2}");
	assert_holds(rig_call("wiki_search", "{\"query\":\"refnud\"}"), "\"matchReasons\":[\"fuzzy\"]");
	assert_string_equal(rig_call("wiki_search", "{\"query\":\"xyzzy\"}"), "{\"results\":[],\"totalFound\":0}");
	assert_string_equal(rig_call("wiki_search", "{\"query\":\" ?! \"}"), "{\"results\":[],\"totalFound\":0}");
}

/* --- discover_data -------------------------------------------------------------------------- */

static size_t
count_refs(const char *args)
{
	size_t n = 0;

	for (const char *at = rig_call("discover_data", args); (at = strstr(at, "{\"kind\":")) != NULL; at++)
		n++;
	return n;
}

/* Without a limit an answer is brief; with one it is as long as was asked for. */
static void
answers_are_brief_unless_asked(void **state)
{
	size_t brief = count_refs("{\"query\":\"customer orders\"}");

	(void)state;
	assert_in_range(brief, 1, 10);
	assert_in_range(count_refs("{\"query\":\"customer orders\",\"limit\":15}"), brief + 1, 15);
	assert_int_equal(count_refs("{\"query\":\"customer orders\",\"limit\":2}"), 2);
}

static void
refs_say_where_they_come_from(void **state)
{
	(void)state;
	assert_string_equal(rig_call("discover_data", "{\"query\":\"order_totals\",\"limit\":1,\"kinds\":[\"table\"]}"),
	    "{\"refs\":[{\"kind\":\"table\",\"id\":\"public.order_totals\",\"score\":1,\"summary\":null,"
	    "\"snippet\":\"customer_id, total\",\"matchedOn\":\"name\",\"connectionId\":\"warehouse\","
	    "\"tableRef\":{\"catalog\":null,\"db\":\"public\",\"name\":\"order_totals\"}}],\"confident\":true}");
	assert_string_equal(rig_call("discover_data",
				"{\"query\":\"orders amount\",\"limit\":1,\"kinds\":[\"column\"]}"),
	    "{\"refs\":[{\"kind\":\"column\",\"id\":\"public.orders.amount\",\"score\":1,"
	    "\"summary\":\"Total in euros, tax included\",\"snippet\":\"numeric(10,2)\",\"matchedOn\":\"display\","
	    "\"connectionId\":\"warehouse\",\"tableRef\":{\"catalog\":null,\"db\":\"public\",\"name\":\"orders\"},"
	    "\"columnName\":\"amount\"}],\"confident\":true}");
	assert_string_equal(rig_call("discover_data", "{\"query\":\"total_revenue\",\"limit\":1}"),
	    "{\"refs\":[{\"kind\":\"sl_measure\",\"id\":\"orders.total_revenue\",\"score\":1,\"summary\":null,"
	    "\"snippet\":\"sum(amount)\",\"matchedOn\":\"name\",\"connectionId\":\"warehouse\"}],\"confident\":true}");
	assert_string_equal(rig_call("discover_data", "{\"query\":\"customer_summary\",\"limit\":1}"),
	    "{\"refs\":[{\"kind\":\"sl_source\",\"id\":\"customer_summary\",\"score\":1,\"summary\":\"generated\","
	    "\"snippet\":\"customer_summary: customers, customer_id, orders\",\"matchedOn\":\"name\","
	    "\"connectionId\":\"warehouse\"}],\"confident\":true}");
	assert_string_equal(rig_call("discover_data",
				"{\"query\":\"signup date\",\"limit\":1,\"kinds\":[\"sl_dimension\"]}"),
	    "{\"refs\":[{\"kind\":\"sl_dimension\",\"id\":\"customers.signup_date\",\"score\":1,\"summary\":null,"
	    "\"snippet\":\"signup_date (time)\",\"matchedOn\":\"name\",\"connectionId\":\"warehouse\","
	    "\"sameAs\":\"public.customers.signup_date\"}],\"confident\":true}");
	assert_string_equal(rig_call("discover_data", "{\"query\":\"domestic\",\"limit\":1}"),
	    "{\"refs\":[{\"kind\":\"wiki\",\"id\":\"plain\",\"score\":1,\"summary\":null,"
	    "\"snippet\":\"# Shipping zones No front matter here: zone A is "
	    "domestic.\",\"matchedOn\":\"body\"}],\"confident\":true}");
	/* Among many answers, few words around what matched. */
	assert_holds(rig_call("discover_data", "{\"query\":\"reduce month\",\"limit\":1}"),
	    "\"snippet\":\"in cents. Refunds reduce the month of the order.\"");
	/* Alone, sixty characters before it. */
	assert_holds(rig_call("wiki_search", "{\"query\":\"reduce month\",\"limit\":1}"),
	    "\"snippet\":\"n order when it ships. Gross amounts are in cents. Refunds reduce the month of the "
	    "order.\"");
}

static size_t
count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

static void
one_thing_is_one_ref(void **state)
{
	const char *found;

	(void)state;
	/* A column and the dimension a scan made of it: the column, unless dimensions were asked for. */
	found = rig_call("discover_data", "{\"query\":\"signup date\",\"limit\":50}");
	assert_holds(found, "{\"refs\":[{\"kind\":\"column\",\"id\":\"public.customers.signup_date\",\"score\":1,");
	assert_holds(found, "\"columnName\":\"signup_date\",\"sameAs\":\"customers.signup_date\"}");
	assert_lacks(found, "\"id\":\"customers.signup_date\"");
	found = rig_call("discover_data", "{\"query\":\"customers\",\"limit\":50}");
	assert_int_equal(count(found, "\"id\":\"public.customers\""), 1);
	assert_int_equal(count(found, "\"sameAs\":\"customers\""), 1);
	assert_lacks(found, "\"id\":\"customers\"");
	found = rig_call("discover_data", "{\"query\":\"customers\",\"limit\":50,\"kinds\":[\"sl_source\"]}");
	assert_holds(found, "\"sameAs\":\"public.customers\"}");
	/* Fifteen hits with doubles are fewer things, and so many are given to who did not say how many. */
	assert_in_range(count(rig_call("discover_data", "{\"query\":\"customer\"}"), "\"kind\":"), 1, 14);
	/* What people wrote, or wrote on, is a thing of its own. */
	found = rig_call("discover_data", "{\"query\":\"orders\",\"limit\":50}");
	assert_holds(found, "\"kind\":\"sl_source\",\"id\":\"orders\"");
	assert_holds(found, "\"kind\":\"table\",\"id\":\"public.orders\"");
	assert_lacks(found, "\"sameAs\":\"orders\"");
}

static void
scores_have_three_decimals(void **state)
{
	const char *p = rig_call("discover_data", "{\"query\":\"customer orders revenue\",\"limit\":50}");
	size_t n = 0;

	(void)state;
	for (; (p = strstr(p, "\"score\":0.")) != NULL; n++) {
		p += strlen("\"score\":0.");
		assert_true(strspn(p, "0123456789") <= 3);
	}
	assert_true(n > 5);
}

static void
snippets_follow_what_matched(void **state)
{
	(void)state;
	assert_holds(rig_call("discover_data", "{\"query\":\"returned\",\"kinds\":[\"column\"]}"),
	    "\"summary\":\"new, shipped or returned\",\"snippet\":\"new, shipped or returned\","
	    "\"matchedOn\":\"comment\"");
	assert_holds(rig_call("discover_data", "{\"query\":\"KB-200\",\"kinds\":[\"column\"],\"limit\":1}"),
	    "\"summary\":\"stock keeping unit\",\"snippet\":\"TEXT \xc2\xb7 samples: KB-100, "
	    "KB-200\",\"matchedOn\":\"sample_value\"");
	assert_holds(rig_call("discover_data", "{\"query\":\"acme\",\"kinds\":[\"column\"],\"limit\":1}"),
	    "\"snippet\":\"text \xc2\xb7 samples: Acme GmbH, ACME Retail, M\xc3\xbcller & S\xc3\xb6hne, Shipshape "
	    "Ltd\"");
	assert_holds(rig_call("discover_data", "{\"query\":\"accounts sales team\",\"kinds\":[\"table\"],\"limit\":1}"),
	    "\"id\":\"crm.customers\",\"score\":1,\"summary\":\"Accounts as the sales team sees them\","
	    "\"snippet\":\"Accounts as the sales team sees them\",\"matchedOn\":\"description\"");
}

static void
filters_are_kept(void **state)
{
	const char *found;

	(void)state;
	found = rig_call("discover_data", "{\"query\":\"inventory warehouse\",\"connectionId\":\"warehouse\"}");
	assert_lacks(found, "\"connectionId\":\"local\"");
	found = rig_call("discover_data",
	    "{\"query\":\"orders customers revenue\",\"kinds\":[\"wiki\",\"table\"],\"limit\":50}");
	assert_lacks(found, "\"sl_");
	assert_lacks(found, "\"column\"");
	assert_string_equal(rig_call("discover_data", "{\"query\":\"orders\",\"kinds\":[]}"),
	    "{\"refs\":[],\"confident\":false}");
	assert_string_equal(rig_call("discover_data", "{\"query\":\"?\"}"), "{\"refs\":[],\"confident\":false}");
	/* Hidden columns do not exist; neither does an unfinished scan, or an older one. */
	assert_lacks(rig_call("discover_data", "{\"query\":\"internal_note\",\"kinds\":[\"sl_dimension\"]}"),
	    "internal_note");
	assert_lacks(rig_call("discover_data", "{\"query\":\"half\",\"kinds\":[\"table\"]}"), "public.half");
	assert_lacks(rig_call("discover_data", "{\"query\":\"orders_old\",\"kinds\":[\"table\"],\"limit\":50}"),
	    "orders_old");
}

static void
the_same_question_has_the_same_answer(void **state)
{
	char first[20000];

	(void)state;
	snprintf(first, sizeof(first), "%s", rig_call("discover_data", "{\"query\":\"customer orders\",\"limit\":50}"));
	for (int i = 0; i < 5; i++)
		assert_string_equal(rig_call("discover_data", "{\"query\":\"customer orders\",\"limit\":50}"), first);
}

/* --- entity_details ----------------------------------------------------------------------------- */

static void
a_table_is_described_whole(void **state)
{
	(void)state;
	assert_string_equal(rig_call("entity_details",
				"{\"connectionId\":\"warehouse\",\"entities\":["
				"{\"table\":\"public.orders\",\"columns\":[\"AMOUNT\",\"id\"]}]}"),
	    "{\"results\":[{\"ok\":true,"
	    "\"connectionId\":\"warehouse\",\"tableRef\":{\"catalog\":null,\"db\":\"public\",\"name\":\"orders\"},"
	    "\"display\":\"public.orders\",\"kind\":\"table\",\"comment\":\"Orders placed in the shop\","
	    "\"description\":\"One row per order in the web shop\",\"estimatedRows\":120000,\"columns\":["
	    "{\"name\":\"id\",\"nativeType\":\"bigint\",\"normalizedType\":\"integer\",\"dimensionType\":\"number\","
	    "\"nullable\":false,\"primaryKey\":true,\"comment\":null,\"description\":null},"
	    "{\"name\":\"amount\",\"nativeType\":\"numeric(10,2)\",\"normalizedType\":\"decimal\","
	    "\"dimensionType\":\"number\",\"nullable\":true,\"primaryKey\":false,\"comment\":null,"
	    "\"description\":\"Total in euros, tax included\"}],\"foreignKeys\":[{\"fromColumn\":\"customer_id\","
	    "\"toCatalog\":null,\"toDb\":\"public\",\"toTable\":\"customers\",\"toColumn\":\"id\","
	    "\"constraintName\":\"orders_customer_fk\"}],\"snapshot\":{\"syncId\":\"2026-03-02-080000-local-new\","
	    "\"extractedAt\":\"2026-03-02T08:00:00.000Z\",\"scanRunId\":\"run-42\",\"stale\":null}}]}");
}

static void
every_way_of_writing_a_table_is_understood(void **state)
{
	static const char *const ways[] = {
		"\"orders\"", "\"ORDERS\"", "\" public . orders \"", "\"\\\"public\\\".\\\"orders\\\"\"", "\"[public].[orders]\"",
		"\"`orders`\"", "\"shopdb.public.orders\"", "\"'Public'.Orders\"",
		"{\"catalog\":null,\"db\":\"public\",\"name\":\"orders\"}", "{\"name\":\"Orders\"}",
		"{\"db\":\"PUBLIC\",\"name\":\"orders\"}", "{\"catalog\":\"shopdb\",\"db\":null,\"name\":\"orders\"}",
	};
	char args[300];

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(args, sizeof(args),
		    "{\"connectionId\":\"warehouse\",\"entities\":[{\"table\":%s,"
		    "\"columns\":[\"id\"]}]}",
		    ways[i]);
		assert_holds(rig_call("entity_details", args), "\"display\":\"public.orders\"");
	}
	assert_holds(rig_call("entity_details",
			 "{\"connectionId\":\"local\",\"entities\":[{\"table\":\"main.Inventory\"}]}"),
	    "\"display\":\"inventory\"");
}

static void
one_bad_entity_does_not_fail_the_others(void **state)
{
	const char *r;

	(void)state;
	r = rig_call("entity_details",
	    "{\"connectionId\":\"warehouse\",\"entities\":[{\"table\":\"customers\"},"
	    "{\"table\":\"ordrs\"},{\"table\":\"crm.customers\",\"columns\":[]},{\"table\":\"public.orders\","
	    "\"columns\":[\"stat\",\"id\",\"amout\"]},{\"table\":\"xyzzy\"}]}");
	/* Each record says whose it is. */
	assert_holds(r,
	    "{\"results\":[{\"ok\":false,\"connectionId\":\"warehouse\",\"table\":\"customers\",\"snapshot\":{"
	    "\"syncId\":");
	assert_holds(r,
	    "\"error\":{\"code\":\"ambiguous_table\",\"message\":\"2 tables are called "
	    "customers; pass one of the candidates as {catalog, db, name}.\",\"candidates\":["
	    "{\"tableRef\":{\"catalog\":null,\"db\":\"crm\",\"name\":\"customers\"},\"display\":\"crm.customers\"},"
	    "{\"tableRef\":{\"catalog\":null,\"db\":\"public\",\"name\":\"customers\"},\"display\":\"public."
	    "customers\"}]}}");
	assert_holds(r,
	    "\"code\":\"table_not_found\",\"message\":\"The latest scan of \\\"warehouse\\\" has no table ordrs. "
	    "The nearest is public.orders.");
	assert_holds(r,
	    "\"candidates\":[{\"tableRef\":{\"catalog\":null,\"db\":\"public\",\"name\":\"orders\"},\"display\":"
	    "\"public.orders\"}");
	assert_holds(r, "\"display\":\"crm.customers\",\"kind\":\"external\"");
	assert_holds(r, "\"name\":\"Account Owner\"");
	assert_holds(r, "\"candidates\":[\"amount\",\"status\",");
	assert_holds(r,
	    "\"error\":{\"code\":\"column_not_found\",\"message\":\"public.orders has no column stat, "
	    "amout. It has: amount, status, ");
	assert_holds(r, "has no table xyzzy. discover_data finds");
	assert_holds(r, "\"estimatedRows\":-1");
}

static void
older_formats_say_as_much(void **state)
{
	const char *r;

	(void)state;
	r = rig_call("entity_details", "{\"connectionId\":\"local\",\"entities\":[{\"table\":\"inventory\"}]}");
	assert_holds(r, "\"description\":\"What lies in the warehouse\"");
	assert_holds(r, "\"description\":\"stock keeping unit\"");
	/* The key is in foreign-keys.json only and names no column: the primary key is meant. */
	assert_holds(r,
	    "\"foreignKeys\":[{\"fromColumn\":\"warehouseId\",\"toCatalog\":null,\"toDb\":null,"
	    "\"toTable\":\"warehouses\",\"toColumn\":\"id\",\"constraintName\":null}]");
	assert_holds(r, "\"scanRunId\":null");
	r = rig_call("entity_details", "{\"connectionId\":\"warehouse\",\"entities\":[{\"table\":\"order_totals\"}]}");
	assert_holds(r, "\"kind\":\"view\"");
	assert_holds(r, "\"estimatedRows\":null");
}

/* --- dictionary_search ----------------------------------------------------------------------------- */

static void
values_are_found_with_their_coverage(void **state)
{
	(void)state;
	assert_string_equal(rig_call("dictionary_search",
				"{\"values\":[\"ship\",\"M\xc3\x9cLLER\",\"nobody@example.org\"]}"),
	    "{\"searched\":[{\"connectionId\":\"local\",\"coverage\":{\"sampledRows\":null,\"valuesPerColumn\":null,"
	    "\"profiledColumns\":0,\"syncId\":null,\"profiledAt\":null,\"leftOut\":[]},"
	    "\"status\":\"no_profile_artifact\"},"
	    "{\"connectionId\":\"warehouse\",\"coverage\":{\"sampledRows\":10000,\"valuesPerColumn\":200,"
	    "\"profiledColumns\":3,\"syncId\":\"2026-03-02-080000-local-new\",\"profiledAt\":\"2026-03-02T08:01:00."
	    "000Z\",\"leftOut\":[{\"reason\":\"more_values_than_kept\",\"columns\":1,\"examples\":["
	    "\"orders.internal_note\"]},{\"reason\":\"column_not_profiled\",\"columns\":1,\"examples\":[]}]},"
	    "\"status\":\"ready\"}],\"results\":[{\"value\":\"ship\",\"totalMatches\":3,\"truncated\":false,"
	    "\"matches\":["
	    "{\"connectionId\":\"warehouse\",\"sourceName\":\"orders\",\"columnName\":\"status\","
	    "\"matchedValue\":\"Shipped \",\"cardinality\":4},"
	    "{\"connectionId\":\"warehouse\",\"sourceName\":\"orders\",\"columnName\":\"status\","
	    "\"matchedValue\":\"shipped\",\"cardinality\":4},"
	    "{\"connectionId\":\"warehouse\",\"sourceName\":\"customers\",\"columnName\":\"name\","
	    "\"matchedValue\":\"Shipshape Ltd\",\"cardinality\":150}],"
	    "\"misses\":[{\"connectionId\":\"local\",\"reason\":\"no_profile_artifact\"}]},"
	    "{\"value\":\"M\xc3\x9cLLER\",\"totalMatches\":1,\"truncated\":false,\"matches\":["
	    "{\"connectionId\":\"warehouse\",\"sourceName\":\"customers\",\"columnName\":\"name\","
	    "\"matchedValue\":\"M\xc3\xbcller & S\xc3\xb6hne\",\"cardinality\":150}],"
	    "\"misses\":[{\"connectionId\":\"local\",\"reason\":\"no_profile_artifact\"}]},"
	    "{\"value\":\"nobody@example.org\",\"totalMatches\":0,\"truncated\":false,\"matches\":[],\"misses\":["
	    "{\"connectionId\":\"local\",\"reason\":\"no_profile_artifact\"},"
	    "{\"connectionId\":\"warehouse\",\"reason\":\"more_values_than_kept\"}]}]}");
	assert_holds(rig_call("dictionary_search", "{\"values\":[\"Muller & Soehne\"]}"), "\"totalMatches\":0");
	assert_holds(rig_call("dictionary_search", "{\"values\":[\"Mueller & Soehne\"]}"),
	    "\"matchedValue\":\"M\xc3\xbcller & S\xc3\xb6hne\",\"cardinality\":150,\"folded\":true}");
	assert_holds(rig_call("dictionary_search", "{\"values\":[\"shpiped\"]}"),
	    "\"closeSpellings\":[{\"connectionId\":\"warehouse\",\"sourceName\":\"orders\",\"columnName\":\"status\","
	    "\"matchedValue\":\"Shipped \",\"cardinality\":4},");
	assert_holds(rig_call("dictionary_search", "{\"values\":[\"e\"],\"limit\":1,\"connectionId\":\"warehouse\"}"),
	    "\"totalMatches\":9,\"truncated\":true");
}

/* --- sl_read_source ----------------------------------------------------------------------------------- */

static void
sources_are_read(void **state)
{
	const char *r;

	(void)state;
	r = rig_call("sl_read_source", "{\"connectionId\":\"warehouse\",\"sourceName\":\"unnamed\"}");
	assert_holds(r, "\"yaml\":\"table: public.refunds\\ngrain: [id]\\n");
	assert_holds(r, "\"source\":{\"table\":\"public.refunds\",\"grain\":[\"id\"],");
	r = rig_call("sl_read_source", "{\"connectionId\":\"warehouse\",\"sourceName\":\"orders\"}");
	assert_holds(r, "\"yaml\":\"name: orders\\ntable: public.orders\\n");
	assert_holds(r, "{\"name\":\"is_large\",\"type\":\"boolean\",\"expr\":\"amount >= 100\"}");
	rig_fail("sl_read_source", "{\"connectionId\":\"warehouse\",\"sourceName\":\"Orders\"}", "source_not_found",
	    "Did you mean orders");
	rig_fail("sl_read_source", "{\"connectionId\":\"local\",\"sourceName\":\"orders\"}", "source_not_found",
	    "Connection \"local\" has no semantic-layer source");
}

/* --- the broken project ---------------------------------------------------------------------------------- */

static void
what_is_broken_is_named_and_the_rest_works(void **state)
{
	static const char *const bad[] = {
		"wiki/global/bad-yaml.md", "wiki/global/empty.md", "wiki/global/list-matter.md",
		"wiki/global/not-utf8.md", "wiki/global/unclosed.md", "semantic-layer/warehouse/_schema/broken.yaml",
		"semantic-layer/warehouse/syntax.yaml", "semantic-layer/warehouse/misfit.yaml",
		"raw-sources/warehouse/live-database/2026-01-01-000000-local-a/tables/half.json",
		"raw-sources/warehouse/live-database/2026-01-01-000000-local-a/tables/nameless.json",
		"raw-sources/warehouse/live-database/2026-01-01-000000-local-a/enrichment/descriptions.json",
		"raw-sources/warehouse/live-database/2026-01-02-000000-local-b/scan-report.json",
		"raw-sources/warehouse/live-database/2026-01-02-000000-local-b/enrichment/relationship-profile.json",
	};
	const char *r;

	(void)state;
	r = rig_call("connection_list", "{}");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_holds(r, bad[i]);
	assert_holds(r, "\"stateReason\":\"not used as it stands: ");
	assert_holds(r, "\"lastScan\":{\"syncId\":\"2026-01-01-000000-local-a\"");
	assert_holds(rig_call("wiki_read", "{\"key\":\"good\"}"), "Still here.");
	/* The text of a broken file can be read, to be mended. */
	r = rig_call("wiki_read", "{\"key\":\"unclosed\"}");
	assert_holds(r, "\"content\":\"---\\nsummary: the closing line is missing");
	assert_holds(r, "\"problem\":\"the front matter has no closing --- line\"");
	rig_fail("wiki_read", "{\"key\":\"not-utf8\"}", "page_not_found",
	    "Its file wiki/global/not-utf8.md cannot be used: ");
	assert_holds(rig_call("sl_read_source", "{\"connectionId\":\"warehouse\",\"sourceName\":\"good\"}"),
	    "public.good");
	r = rig_call("sl_read_source", "{\"connectionId\":\"warehouse\",\"sourceName\":\"syntax\"}");
	assert_holds(r, "\"source\":{},\"problem\":\"line 3");
	assert_holds(r, "\"yaml\":\"");
	rig_fail("sl_read_source", "{\"connectionId\":\"warehouse\",\"sourceName\":\"elsewhere\"}", "source_not_found",
	    " or another file, which cannot be used: ");
	assert_holds(rig_call("entity_details",
			 "{\"connectionId\":\"warehouse\",\"entities\":[{\"table\":\"orders\"}]}"),
	    "\"ok\":true");
	assert_holds(rig_call("discover_data", "{\"query\":\"goods\"}"), "\"id\":\"good.goods\"");
}

static bool
has_report(struct driver *d, void *arg)
{
	return strstr(driver_report(d), arg) != NULL;
}

static void
the_report_counts_and_names(void **state)
{
	(void)state;
	rig_call("connection_list", "{}");
	assert_true(driver_until(driver, has_report, (void *)(uintptr_t) "\"problemCount\":"));
	assert_holds(driver_report(driver),
	    "\"path\":\"wiki/global/unclosed.md\",\"reason\":\"the front matter has no closing --- line\"");
	assert_holds(driver_report(driver), "\"tables\":2,\"columns\":10");
}

#define CENTURY \
	"Nothing of this was ever asked by anybody who came to the shop in all of the years since it was opened. "

/* Of a page, among many answers, what was asked for and the words beside it; longer where it stands far apart. */
static void
snippets_of_pages_are_brief(void **state)
{
	(void)state;
	rig_make_project();
	rig_mkdir("wiki");
	rig_mkdir("wiki/global");
	rig_write("wiki/global/near.md",
	    "---\nsummary: A page\n---\n" CENTURY "Our walrus eats a herring each night. " CENTURY);
	rig_write("wiki/global/apart.md",
	    "---\nsummary: Another\n---\n" CENTURY "The pelican came " CENTURY "and met a flamingo. " CENTURY);
	rig_write("wiki/global/said.md",
	    "---\nsummary: The heron waits for a tench at the pond\n---\nThe heron waits for a tench\n");
	/* What nobody has approved stands behind what somebody has; equal scores go by key. */
	rig_write("wiki/global/draft.md", "---\nsummary: A bittern\nstatus: proposed\n---\nbittern\n");
	rig_write("wiki/global/final.md", "---\nsummary: A bittern\n---\nbittern\n");
	rig_start(rig_project, "[]");
	assert_string_equal(rig_call("discover_data", "{\"query\":\"walrus herring\"}"),
	    "{\"refs\":[{\"kind\":\"wiki\",\"id\":\"near\",\"score\":1,\"summary\":\"A page\",\"snippet\":\"it was "
	    "opened. Our walrus eats "
	    "a herring each night. Nothing of this was ever as\",\"matchedOn\":\"body\"}],\"confident\":true}");
	assert_holds(rig_call("discover_data", "{\"query\":\"pelican flamingo\"}"), "and met a flamingo.");
	assert_holds(rig_call("discover_data", "{\"query\":\"heron tench\"}"),
	    "\"summary\":\"The heron waits for a tench at the pond\",\"snippet\":\"The heron waits for a tench\"");
	assert_holds(rig_call("discover_data", "{\"query\":\"bittern\"}"),
	    "{\"refs\":[{\"kind\":\"wiki\",\"id\":\"final\"");
	assert_holds(rig_call("wiki_search", "{\"query\":\"walrus herring\"}"),
	    "in all of the years since it was opened. Our walrus");
	rig_stop();
	unlink(rig_path("wiki/global/near.md"));
	unlink(rig_path("wiki/global/apart.md"));
	unlink(rig_path("wiki/global/said.md"));
	unlink(rig_path("wiki/global/draft.md"));
	unlink(rig_path("wiki/global/final.md"));
	rmdir(rig_path("wiki/global"));
	rmdir(rig_path("wiki"));
	assert_int_equal(rmdir(rig_project), 0);
}

static void
no_project_at_all_is_served(void **state)
{
	(void)state;
	rig_make_project();
	rig_start(rig_project, "[{\"id\":\"a\",\"driver\":\"snowflake\",\"name\":\"\",\"schemas\":[]}]");
	assert_string_equal(rig_call("connection_list", "{}"),
	    "{\"connections\":[{\"id\":\"a\",\"name\":\"a\","
	    "\"connectionType\":\"SNOWFLAKE\",\"driver\":\"snowflake\",\"readOnly\":true,\"state\":\"connecting\","
	    "\"lastScan\":null,\"dictionary\":\"no_profile_artifact\"}]}");
	assert_string_equal(rig_call("discover_data", "{\"query\":\"orders\"}"), "{\"refs\":[],\"confident\":false}");
	assert_holds(rig_call("entity_details", "{\"connectionId\":\"a\",\"entities\":[{\"table\":\"t\"}]}"),
	    "\"code\":\"scan_missing\",\"message\":\"Connection \\\"a\\\" has not been scanned, and this version does "
	    "not serve its driver, snowflake; what ktx scans");
	rig_stop();
	rmdir(rig_project);
}

/* How near the page is to a title, in thousandths; -1: it is not named. */
static long
nearness_of(const char *title, const char *key)
{
	const struct driver_answer *a;
	char args[160], wanted[96];
	const char *found;

	snprintf(args, sizeof(args), "{\"title\":\"%s\",\"limit\":8}", title);
	snprintf(wanted, sizeof(wanted), "{\"key\":\"%s\",\"near\":", key);
	a = driver_call(driver, "same_subject", "", args);
	assert_int_equal(a->kind, DRIVER_RESULT);
	found = strstr(a->result, wanted);
	return found == NULL ? -1 : strtol(found + strlen(wanted), NULL, 10);
}

/* What decides whether a note extends a page: the threshold is 600 unless memory.same_subject says otherwise. */
static void
nearness_tells_the_same_subject(void **state)
{
	(void)state;
	assert_int_equal(nearness_of("Refund policy", "refund-policy"), 1000);
	assert_int_equal(nearness_of("the refund policies", "refund-policy"), 1000); /* inflected */
	assert_int_equal(nearness_of("Shipping zone", "plain"), 1000);               /* by its heading */
	assert_in_range(nearness_of("Refunds", "refund-policy"), 600, 999);          /* most of it */
	assert_true(nearness_of("Revenue of the web shop in the last year", "revenue") < 600);
	assert_true(nearness_of("Shipping costs of returned goods", "plain") < 600); /* one word of many */
	assert_true(nearness_of("Weather", "refund-policy") <= 0);
	/* A word that stands in a page and not in its name is no subject. */
	assert_true(nearness_of("Customers", "refund-policy") <= 0);
	/* Beside a word of the name it brings near, but the page is called otherwise. */
	assert_in_range(nearness_of("Refund policy of customers", "refund-policy"), 600, 999);
}

#define SHOP(name)	cmocka_unit_test_setup_teardown(name, shop, stop)
#define BROKEN(name)	cmocka_unit_test_setup_teardown(name, broken, stop)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		SHOP(every_tool_is_announced),
		SHOP(connections_are_listed),
		SHOP(unknown_connections_are_answered_with_known_ones),
		SHOP(pages_are_read),
		SHOP(own_pages_stand_before_global_ones),
		SHOP(unknown_pages_are_answered_with_close_ones),
		SHOP(pages_are_found),
		SHOP(answers_are_brief_unless_asked),
		SHOP(refs_say_where_they_come_from),
		SHOP(one_thing_is_one_ref),
		SHOP(scores_have_three_decimals),
		SHOP(snippets_follow_what_matched),
		cmocka_unit_test(snippets_of_pages_are_brief),
		SHOP(filters_are_kept),
		SHOP(the_same_question_has_the_same_answer),
		SHOP(a_table_is_described_whole),
		SHOP(every_way_of_writing_a_table_is_understood),
		SHOP(one_bad_entity_does_not_fail_the_others),
		SHOP(older_formats_say_as_much),
		SHOP(values_are_found_with_their_coverage),
		SHOP(sources_are_read),
		SHOP(nearness_tells_the_same_subject),
		BROKEN(what_is_broken_is_named_and_the_rest_works),
		BROKEN(the_report_counts_and_names),
		cmocka_unit_test(no_project_at_all_is_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
