// libs: carrel_test_support carrel_ipc carrel_base
/* test_ask_model.c - what carrel-agent is told of an ontology, and of values that were sampled. */
#include "tests/unit/search_rig.h"

#define BOTH	"[{\"id\":\"wh\",\"driver\":\"postgres\",\"name\":\"Warehouse\",\"schemas\":[\"public\"]}," \
    "{\"id\":\"empty\",\"driver\":\"sqlite\",\"name\":\"empty\",\"schemas\":[]}]"

static const char orders[] =
    "name: orders\n"
    "table: public.orders\n"
    "label: Sales orders\n"
    "synonyms: [purchases]\n"
    "descriptions: {user: \"Orders. Also called Bestellungen, purchases.\"}\n"
    "grain: [id]\n"
    "default_time_dimension: {dbt: placed_on}\n"
    "columns:\n"
    "  - {name: id, type: number, visibility: internal}\n"
    "  - {name: placed_on, type: time, role: time, natural_granularity: day}\n"
    "  - {name: status, type: string, synonyms: state}\n"
    "  - {name: secret, type: string, visibility: hidden}\n"
    "  - {name: customer_id, type: number}\n"
    "joins:\n"
    "  - {to: customers, on: orders.customer_id = customers.id, relationship: many_to_one, alias: buyer,"
    " verbs: [place, bought]}\n"
    "measures:\n"
    "  - {name: revenue, expr: sum(amount) / 100.0, unit: EUR,"
    " description: \"Paid. Also called turnover.\", segments: [paid]}\n"
    "  - {name: stock, expr: sum(stock), additive: [status], none_over: [placed_on]}\n"
    "  - {name: secrets, expr: count(secret), filter: status = 'x'}\n"
    "  - {name: share, expr: revenue / stock, additive: full}\n"
    "segments:\n"
    "  - {name: paid, expr: status = 'paid', label: Paid orders}\n";

static const char customers[] =
    "name: customers\ntable: customers\ngrain: [id]\ncolumns:\n"
    "  - {name: id, type: number}\n  - {name: name, type: string}\n"
    "measures: []\njoins: []\n";

static const char shard[] =
    "tables:\n"
    "  customers_raw:\n    table: public.customers\n"
    "    columns: [{name: id, type: number, measured_unique: 12}, {name: name, type: string}]\n"
    "  visits:\n    table: public.visits\n"
    "    columns: [{name: at, type: time}, {name: kind, type: string, enum_values: [web, app]}]\n";

static const char glossary[] =
    "---\nsummary: Words\n---\n| word | means |\n|---|---|\n"
    "| sales, Erlöse | `orders.revenue` |\n"
    "| purchaser | `buyer` |\n"
    "| hush | `orders.secret` |\n| nobody | `orders.nothing` |\n| open | `orders.paid` |\n| state | `orders.status` |\n"
    "| people | `customers` |\n";

/* Kept by agents: one page waits for approval, one does not have to. */
static const char proposed[] =
    "---\nsummary: W\nrun_id: mem-1\nstatus: proposed\n---\n"
    "| word | means |\n|---|---|\n| profit | `orders.revenue` |\n";
static const char kept[] =
    "---\nsummary: W\nrun_id: mem-2\n---\n| word | means |\n|---|---|\n| intake | `orders.revenue` |\n";

static int
made(void **state)
{
	(void)state;
	rig_make_project();
	rig_mkdir("semantic-layer/wh/_schema");
	rig_mkdir("wiki/global");
	rig_mkdir("raw-sources");
	rig_write("semantic-layer/wh/orders.yaml", orders);
	rig_write("semantic-layer/wh/customers.yaml", customers);
	rig_write("semantic-layer/wh/_schema/public.yaml", shard);
	rig_write("semantic-layer/wh/bad.yaml",
	    "name: bad\ntable: t\ngrain: [id]\ncolumns: [{name: id, type: number}]\n"
	    "default_time_dimension: nothing\n");
	rig_write("wiki/global/glossary.md", glossary);
	rig_write("wiki/global/later.md", proposed);
	rig_write("wiki/global/kept.md", kept);
	rig_start(rig_project, BOTH);
	return 0;
}

static int
gone(void **state)
{
	char command[128];

	(void)state;
	rig_stop();
	snprintf(command, sizeof(command), "rm -rf %s", rig_project);
	return system(command);
}

/* What an inner tool answers: it has no output schema. */
static const char *
told(const char *tool, const char *args)
{
	const struct driver_answer *a;

	rig_hold(tool, "inputSchema", args);
	a = driver_call(driver, tool, "", args);
	if (a->kind != DRIVER_RESULT)
		fail_msg("%s %s: %s: %s\n%s", tool, args, a->code, a->message, driver_log(driver));
	return a->result;
}

static const char *
model(const char *args)
{
	return told("ask_model", args);
}

/* The version that an answer names. */
static struct span
version_of(const char *answer)
{
	const char *at = strstr(answer, "\"version\":\"");

	assert_non_null(at);
	return span_of(at + 11, strcspn(at + 11, "\""));
}

static void
catalogues_are_whole(void **state)
{
	const char *all = model("{}");

	(void)state;
	assert_holds(all,
	    "\"name\":\"Warehouse\",\"description\":null,\"connection\":\"wh\",\"dialect\":\"postgres\","
	    "\"semanticOnly\":false}");
	assert_holds(all,
	    "{\"name\":\"orders\",\"label\":\"Sales orders\",\"synonyms\":[\"purchases\",\"Bestellungen\"],"
	    "\"description\":\"Orders.\",\"written\":true,\"coveredBy\":null,\"table\":\"public.orders\",\"grain\":["
	    "\"id\"],\"measuredRows\":0,\"timeDimension\":\"placed_on\",");
	/* A scan's own: what it measured, and a table of which nothing says what a row is. */
	assert_holds(all, "\"table\":\"public.customers\",\"grain\":[\"id\"],\"measuredRows\":12,");
	assert_holds(all, "\"table\":\"public.visits\",\"grain\":[],\"measuredRows\":0,");
	assert_holds(all,
	    "{\"name\":\"revenue\",\"label\":null,\"synonyms\":[\"turnover\"],\"description\":\"Paid.\","
	    "\"expr\":\"sum(amount) / "
	    "100.0\",\"filter\":null,\"segments\":[\"paid\"],\"aggregate\":\"sum\",\"column\":null,"
	    "\"unit\":\"EUR\",\"additive\":\"full\",\"noneOver\":[]}");
	assert_holds(all, "\"additive\":[\"status\"],\"noneOver\":[\"placed_on\"]}");
	assert_holds(all, "\"expr\":\"revenue / stock\",\"filter\":null,\"segments\":[],\"aggregate\":\"derived\"");
	assert_holds(all, "\"aggregate\":\"derived\",\"column\":null,\"unit\":null,\"additive\":\"full\"");
	assert_holds(all,
	    "{\"name\":\"status\",\"label\":null,\"synonyms\":[\"state\"],\"description\":null,\"type\":\"string\","
	    "\"time\":false,\"granularity\":null,\"computed\":false,\"internal\":false,\"masked\":false,\"values\":[]"
	    "}");
	assert_holds(all, "\"time\":true,\"granularity\":\"day\"");
	assert_holds(all, "{\"name\":\"paid\",\"label\":\"Paid orders\",\"synonyms\":[],\"description\":null,");
	assert_holds(all, "\"unusable\":[\"bad\"]}");
}

static void
hidden_columns_are_left_out(void **state)
{
	const char *all = model("{}");

	(void)state;
	assert_lacks(all, "\"name\":\"secret\"");
	assert_lacks(all, "\"column\":\"secret\"");
	assert_lacks(all, "hush");
}

static void
scanned_tables_that_are_written_on_are_marked(void **state)
{
	const char *all = model("{}");

	(void)state;
	assert_holds(all,
	    "\"name\":\"customers_raw\",\"label\":null,\"synonyms\":[],\"description\":null,\"written\":false,"
	    "\"coveredBy\":\"customers\"");
	assert_holds(all,
	    "\"name\":\"visits\",\"label\":null,\"synonyms\":[],\"description\":null,\"written\":false,"
	    "\"coveredBy\":null");
	assert_holds(all, "\"values\":[\"web\",\"app\"]");
}

static void
joins_are_a_graph(void **state)
{
	const char *all = model("{}");

	(void)state;
	/* customers, customers_raw, orders, visits; then the alias. */
	assert_holds(all,
	    "{\"name\":\"orders\",\"source\":2,\"owner\":null,\"edges\":[{\"to\":4,\"relationship\":"
	    "\"many_to_one\",\"inverse\":false,\"verbs\":[\"place\",\"bought\"],\"on\":[[\"customer_id\",\"id\"]]}]}");
	assert_holds(all, "{\"name\":\"buyer\",\"source\":0,\"owner\":2,\"edges\":");
}

static void
the_wiki_declares_words(void **state)
{
	const char *all = model("{}");

	(void)state;
	assert_holds(all,
	    "\"words\":["
	    "{\"word\":\"sales\",\"kind\":\"measure\",\"means\":\"orders.revenue\",\"page\":\"glossary\",\"agent\":"
	    "false},"
	    "{\"word\":\"Erlöse\",\"kind\":\"measure\",\"means\":\"orders.revenue\",\"page\":\"glossary\",\"agent\":"
	    "false},"
	    "{\"word\":\"purchaser\",\"kind\":\"join\",\"means\":\"buyer\",\"page\":\"glossary\",\"agent\":false},"
	    "{\"word\":\"open\",\"kind\":\"segment\",\"means\":\"orders.paid\",\"page\":\"glossary\",\"agent\":false},"
	    "{\"word\":\"state\",\"kind\":\"dimension\",\"means\":\"orders.status\",\"page\":\"glossary\",\"agent\":"
	    "false},"
	    "{\"word\":\"people\",\"kind\":\"source\",\"means\":\"customers\",\"page\":\"glossary\",\"agent\":false},"
	    "{\"word\":\"intake\",\"kind\":\"measure\",\"means\":\"orders.revenue\",\"page\":\"kept\",\"agent\":true}]"
	    ",");
	assert_lacks(all, "profit");
}

static void
versions_follow_the_files(void **state)
{
	char args[80], first[20];

	(void)state;
	snprintf(first, sizeof(first), "%.*s", SPAN_FMT(version_of(model("{}"))));
	snprintf(args, sizeof(args), "{\"have\":\"%s\"}", first);
	assert_true(span_is_str(version_of(model(args)), first));
	assert_holds(model(args), "\"unchanged\":true}");
	assert_lacks(model(args), "sources");
	rig_write("wiki/global/more.md", "| word | means |\n|---|---|\n| takings | `orders.revenue` |\n");
	for (unsigned i = 0; i < 100 && strstr(model(args), "takings") == NULL; i++)
		usleep(50000);
	assert_holds(model(args), "takings");
	assert_false(span_is_str(version_of(model(args)), first));
	unlink(rig_path("wiki/global/more.md"));
	for (unsigned i = 0; i < 100 && strstr(model(args), "unchanged") == NULL; i++)
		usleep(50000);
	assert_holds(model(args), "\"unchanged\":true}");
	rig_write("semantic-layer/wh/visits2.yaml",
	    "name: calls\ntable: public.calls\ngrain: [id]\ncolumns: [{name: id, type: number}]\nmeasures: []\n");
	for (unsigned i = 0; i < 100 && strstr(model(args), "public.calls") == NULL; i++)
		usleep(50000);
	assert_holds(model(args), "public.calls");
}

static void
unknown_ontologies_are_refused(void **state)
{
	const struct driver_answer *a;
	char args[80], id[40];
	const char *at = strstr(model("{}"), "\"ontology\":{\"id\":\"");

	(void)state;
	assert_non_null(at);
	snprintf(id, sizeof(id), "%.36s", at + 18);
	assert_int_equal(id[14], '8');
	snprintf(args, sizeof(args), "{\"ontologyId\":\"%s\"}", id);
	assert_holds(model(args), id);
	a = rig_fail("ask_model", "{\"ontologyId\":\"00000000-0000-0000-0000-000000000000\"}", "ontology_not_found",
	    "no such");
	assert_holds(a->details, id);
}

static void
workers_alone_ask(void **state)
{
	(void)state;
	driver_set_asker(driver, 0);
	assert_int_equal(driver_call(driver, "ask_model", "", "{}")->kind, DRIVER_FAIL);
	driver_set_asker(driver, IPC_MEMORY);
	assert_int_equal(driver_call(driver, "ask_model", "", "{}")->kind, DRIVER_FAIL);
	driver_set_asker(driver, IPC_AGENT);
	driver_set_scopes(driver, 0);
	assert_int_equal(driver_call(driver, "ask_model", "", "{}")->kind, DRIVER_FAIL);
	driver_set_scopes(driver, UINT32_MAX);
	assert_int_equal(driver_call(driver, "ask_model", "", "{}")->kind, DRIVER_RESULT);
}

static void
sampled_values_are_found(void **state)
{
	const char *found;

	(void)state;
	found =
	    told("ask_values", "{\"connection\":\"warehouse\",\"words\":[\"SHIPPED\",\"nothing like it\",\"ship\"]}");
	assert_string_equal(found,
	    "{\"values\":[{\"source\":\"orders\",\"column\":\"status\",\"value\":\"Shipped \",\"exact\":false},"
	    "{\"source\":\"orders\",\"column\":\"status\",\"value\":\"shipped\",\"exact\":false}],"
	    "\"sampled\":true}");
	assert_string_equal(told("ask_values", "{\"connection\":\"local\",\"words\":[\"x\"]}"),
	    "{\"values\":[],\"sampled\":false}");
	rig_fail("ask_values", "{\"connection\":\"nope\",\"words\":[\"x\"]}", "connection_not_found", "There is");
}

/* --- questions read what ontologies name ---------------------------------------------------------- */

#define DECLARED	"[{\"id\":\"00000000-0000-4000-8000-000000000001\",\"name\":\"Orders\"," \
    "\"connection\":\"warehouse\",\"sources\":[\"orders\"]}]"
#define QUERY(rest)	"{\"connectionId\":\"warehouse\",\"measures\":[\"orders.order_count\"]" rest "}"

static int
bounded(void **state)
{
	(void)state;
	rig_start_with(PROJECTS "shop", TWO, DECLARED);
	return 0;
}

static const struct driver_answer *
asked(const char *tool, const char *args)
{
	driver_set_asker(driver, strcmp(tool, "sl_query") == 0 ? 0 : IPC_AGENT);
	return driver_call(driver, tool, "", args);
}

/* Of a source outside of the ontologies as of one that is not there; for research it is there. */
static void
questions_read_what_ontologies_name(void **state)
{
	static const char *const outside[] = {
		QUERY(",\"dimensions\":[\"customers.name\"]"), QUERY(",\"filters\":[\"customers.name = 'x'\"]"),
		QUERY(",\"filters\":[\"customers.id IN (1, 2)\"]"),
		"{\"connectionId\":\"warehouse\",\"measures\":[\"count(customers.id)\"]}",
		"{\"connectionId\":\"warehouse\",\"dimensions\":[\"customers.name\"],\"measures\":[]}",
	};
	static const char *const subqueries[] = {
		QUERY(",\"filters\":[\"orders.id IN (SELECT id FROM customers)\"]"),
		QUERY(",\"filters\":[\"EXISTS (SELECT 1 FROM customers)\"]"),
		"{\"connectionId\":\"warehouse\","
		"\"measures\":[\"sum((SELECT max(id) FROM customers) + orders.amount)\"]}",
	};
	const struct driver_answer *a;

	(void)state;
	assert_int_equal(asked("ask_query", QUERY(",\"dimensions\":[\"orders.status\"]"))->kind, DRIVER_CONTINUE);
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		a = asked("ask_query", outside[i]);
		if (a->kind != DRIVER_FAIL || strcmp(a->code, "invalid_query") != 0 ||
		    strstr(a->message, "There is no source or join alias \"customers\"") == NULL)
			fail_msg("%s: %s", outside[i], a->kind == DRIVER_FAIL ? a->message : "answered");
		a = asked("sl_query", outside[i]);
		if (a->kind != DRIVER_CONTINUE)
			fail_msg("%s is refused for research: %s", outside[i], a->message);
	}
	for (size_t i = 0; i < sizeof(subqueries) / sizeof(subqueries[0]); i++) {
		a = asked("ask_query", subqueries[i]);
		if (a->kind != DRIVER_FAIL)
			fail_msg("%s is answered", subqueries[i]);
	}
	assert_int_equal(asked("sl_query", subqueries[0])->kind, DRIVER_CONTINUE);
	a = asked("ask_values", "{\"connection\":\"warehouse\",\"words\":[\"shipped\"]}");
	assert_holds(a->result, "\"source\":\"orders\"");
	/* Another connection has no ontology: nothing of it is read. */
	a = asked("ask_query", "{\"connectionId\":\"local\",\"measures\":[\"count(*)\"]}");
	assert_int_equal(a->kind, DRIVER_FAIL);
}

int
main(void)
{
	const struct CMUnitTest own[] = {
		cmocka_unit_test(catalogues_are_whole),
		cmocka_unit_test(hidden_columns_are_left_out),
		cmocka_unit_test(scanned_tables_that_are_written_on_are_marked),
		cmocka_unit_test(joins_are_a_graph),
		cmocka_unit_test(the_wiki_declares_words),
		cmocka_unit_test(unknown_ontologies_are_refused),
		cmocka_unit_test(workers_alone_ask),
		cmocka_unit_test(versions_follow_the_files),
	};
	const struct CMUnitTest fixture[] = { cmocka_unit_test(sampled_values_are_found) };
	const struct CMUnitTest declared[] = { cmocka_unit_test(questions_read_what_ontologies_name) };
	int failed = cmocka_run_group_tests(own, made, gone) + cmocka_run_group_tests(declared, bounded, stop);

	return failed + cmocka_run_group_tests(fixture, shop, stop);
}
