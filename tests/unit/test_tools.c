// libs: carrel_child carrel_policy carrel_base
/* test_tools.c - who may call what (policy/tools) and how a table is announced (workers/shared/tool). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json_write.h"
#include "policy/tools.h"
#include "workers/shared/tool.h"

static void
test_finds_exact_names_only(void **state)
{
	const struct policy_tool *t = policy_tool(SPAN("sql_execution"));

	(void)state;
	assert_non_null(t);
	assert_string_equal(t->name, "sql_execution");
	assert_int_equal(t->role, IPC_SQL);
	assert_int_equal(t->scopes, POLICY_SCOPE_RESEARCH_QUERY);
	assert_int_equal(t->effect, POLICY_READS);
	assert_int_equal(t->toolset, POLICY_TOOLSET_RESEARCH);
	assert_null(policy_tool(SPAN("sql_executio")));
	assert_null(policy_tool(SPAN("sql_execution ")));
	assert_null(policy_tool(SPAN("sql_execution\0")));
	assert_null(policy_tool(SPAN("SQL_EXECUTION")));
	assert_null(policy_tool(SPAN("")));
}

static void
test_order_is_that_of_the_table(void **state)
{
	static const char *const names[] = {
		"connection_list", "discover_data", "wiki_search", "wiki_read", "entity_details",
		"dictionary_search", "sl_read_source", "sl_query", "sql_execution", "memory_ingest",
		"memory_ingest_status"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(policy_tool(span_str(names[i]))->order, i);
		assert_int_equal(policy_tool(span_str(names[i]))->toolset, POLICY_TOOLSET_RESEARCH);
	}
	assert_int_equal(policy_tool(SPAN("memory_ingest"))->effect, POLICY_WRITES);
}

/* Listed are the tools for agents and administrators, each for whoever has its scope alone. */
static void
test_toolsets_that_are_listed(void **state)
{
	static const char *const names[] = {
		"carrel_list_datasets", "carrel_get_schema", "carrel_search", "carrel_sql", "connectivity_status",
		"connectivity_enable", "connectivity_disable", "connectivity_create_token",
		"connectivity_revoke_token", "connectivity_generate_setup", "connectivity_test"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct policy_tool *t = policy_tool(span_str(names[i]));
		uint32_t admin = i < 4 ? 0 : POLICY_SCOPE_CONNECTIVITY_ADMIN;

		assert_true(policy_tool_listed(t));
		assert_int_equal(t->order, 11 + i);
		assert_int_equal(t->scopes & ~(uint32_t)POLICY_SCOPES_EXT, admin);
		assert_false(policy_tool_allowed(t, POLICY_SCOPES_OPEN));
		assert_int_equal(policy_tool_allowed(t, POLICY_SCOPES_TOKEN), i < 4);
		assert_true(policy_tool_allowed(t, POLICY_SCOPES_ADMIN));
		assert_int_equal(policy_tool_takes_sql(t), strcmp(t->name, "carrel_sql") == 0);
	}
	assert_true(policy_tool_listed(policy_tool(SPAN("sql_execution"))));
	assert_false(policy_tool_listed(policy_tool(SPAN("scan"))));
	assert_false(policy_tool_listed(policy_tool(SPAN("introspect"))));
	assert_false(policy_tool_listed(policy_tool(SPAN("complete"))));
}

/* Rows for MCP's other methods read; a prompt needs what the tools that read need, a resource the scope of its kind. */
static void
test_the_surface_is_no_toolset_for_callers(void **state)
{
	static const char *const names[] = {
		"resources_list", "resource_templates_list", "resource_read", "prompts_list", "prompt_get", "complete"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct policy_tool *t = policy_tool(span_str(names[i]));

		assert_non_null(t);
		assert_int_equal(t->toolset, POLICY_TOOLSET_SURFACE);
		assert_int_equal(t->scopes, strncmp(names[i], "prompt", 6) == 0 ? POLICY_SCOPE_RESEARCH_READ : 0);
		assert_int_equal(t->effect, POLICY_READS);
	}
}

static void
test_all_scopes_are_needed(void **state)
{
	struct policy_tool both = {
		.scopes = POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_RESEARCH_QUERY
	};

	(void)state;
	assert_false(policy_tool_allowed(&both, 0));
	assert_false(policy_tool_allowed(&both, POLICY_SCOPE_RESEARCH_READ));
	assert_false(policy_tool_allowed(&both, POLICY_SCOPE_RESEARCH_QUERY));
	assert_true(policy_tool_allowed(&both, POLICY_SCOPES_RESEARCH));
	/* No token carries the local scope, and research does not hold it. */
	assert_false(policy_tool_allowed(policy_tool(SPAN("scan")), POLICY_SCOPES_RESEARCH));
	assert_true(policy_tool_allowed(policy_tool(SPAN("scan")), POLICY_SCOPE_LOCAL));
}

/* Who may ask whom; a new tool is nobody's to ask for until it says so here as well. */
static void
test_askers(void **state)
{
	static const struct {
		const char *tool;
		enum ipc_role asker;
	} allowed[] = {
		{ "ask_model", IPC_AGENT },
		{ "ask_values", IPC_AGENT },
		{ "dataset_execution", IPC_SEARCH },
		{ "dataset_sample", IPC_SEARCH },
		{ "dataset_texts", IPC_SEARCH },
		{ "datasets", IPC_SEARCH },
		{ "embed", IPC_SEARCH },
		{ "fingerprint", IPC_SEARCH },
		{ "ask_query", IPC_AGENT },
		{ "ask_execution", IPC_SEARCH },
		{ "handover_ask", IPC_MEMORY },
		{ "handover_step", IPC_MEMORY },
		{ "introspect", IPC_MEMORY },
		{ "note_look", IPC_MEMORY },
		{ "note_offer", IPC_MEMORY },
		{ "note_step", IPC_MEMORY },
		{ "preferences", IPC_AGENT },
		{ "profile", IPC_MEMORY },
		{ "relate", IPC_MEMORY },
		{ "sl_execution", IPC_SEARCH },
		{ "sl_execution", IPC_MEMORY },
		{ "sl_query", IPC_MEMORY },
		{ "sql_execution", IPC_MEMORY },
		{ "team_execution", IPC_SEARCH },
		{ "same_subject", IPC_MEMORY },
	};
	static const enum ipc_role roles[] = { IPC_FRONT, IPC_SQL, IPC_SEARCH, IPC_MEMORY, IPC_AGENT, IPC_GIT, IPC_AUTH,
		IPC_SUPERVISOR, IPC_NOBODY, IPC_ASKER, IPC_ROLE_ALL, (enum ipc_role)POLICY_ASKER_GOES_ON };

	(void)state;
	for (size_t i = 0; i < policy_ntools; i++)
		for (size_t j = 0; j < sizeof(roles) / sizeof(roles[0]); j++) {
			const struct policy_tool *t = &policy_tools[i];
			bool expected = false;

			for (size_t k = 0; k < sizeof(allowed) / sizeof(allowed[0]); k++)
				expected =
				    expected || (strcmp(allowed[k].tool, t->name) == 0 && allowed[k].asker == roles[j]);
			if (policy_tool_askable(t, roles[j], UINT32_MAX) != expected)
				fail_msg("%s asked for by %s", t->name, ipc_role_name(roles[j]));
			/* What only the owner may call no worker may ask for, and nobody without the scopes. */
			assert_false(expected && t->toolset == POLICY_TOOLSET_LOCAL);
			assert_true(!expected || t->scopes == 0 || !policy_tool_askable(t, roles[j], 0));
			/* These need no scope: only search or memory can name them. */
			bool texts = (strcmp(t->name, "dataset_texts") == 0 && roles[j] == IPC_SEARCH) ||
			    ((strcmp(t->name, "note_offer") == 0 || strcmp(t->name, "note_look") == 0) &&
				roles[j] == IPC_MEMORY);

			assert_int_equal(policy_tool_continues(t, roles[j], POLICY_SCOPES_RESEARCH),
			    texts || (strcmp(t->name, "sl_execution") == 0 && roles[j] == IPC_SEARCH));
			assert_int_equal(policy_tool_continues(t, roles[j], POLICY_SCOPES_ASK),
			    texts || (strcmp(t->name, "ask_execution") == 0 && roles[j] == IPC_SEARCH));
			assert_int_equal(policy_tool_continues(t, roles[j], POLICY_SCOPE_RESEARCH_READ), texts);
		}
}

static void
check_text(uint32_t scopes, const char *text)
{
	struct buf b = { .max = 0 };

	policy_scopes_text(scopes, &b);
	assert_string_equal(buf_cstr(&b), text);
	buf_fini(&b);
}

static void
test_scopes_as_text(void **state)
{
	(void)state;
	check_text(0, "");
	check_text(POLICY_SCOPE_RESEARCH_QUERY, "research:query");
	check_text(POLICY_SCOPES_RESEARCH, "research:read research:query memory:write");
	check_text(POLICY_SCOPE_LOCAL | POLICY_SCOPE_RESEARCH_READ, "research:read local");
	check_text(POLICY_SCOPES_EXT, "ext:datasets ext:schema ext:search ext:sql");
	check_text(POLICY_SCOPES_OPEN,
	    "research:read research:query memory:write ontologies:read data_agent:read data_agent:write");
}

static void
test_scopes_as_json(void **state)
{
	struct buf b = { .max = 0 };

	(void)state;
	policy_scopes_json(0, &b);
	assert_string_equal(buf_cstr(&b), "[]");
	buf_reset(&b, SIZE_MAX);
	policy_scopes_json(POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL, &b);
	assert_string_equal(buf_cstr(&b), "[\"research:read\",\"ext:sql\"]");
	buf_fini(&b);
}

/* Every scope has one bit and one name, and each name finds its bit. */
static void
test_scopes_named(void **state)
{
	uint32_t seen = 0;

	(void)state;
#define SCOPE(name, bit, text)                                                 \
	assert_int_equal(policy_scope_named(SPAN(text)), POLICY_SCOPE_##name); \
	assert_int_equal(seen &POLICY_SCOPE_##name, 0);                        \
	seen |= POLICY_SCOPE_##name;
#include "policy/scopes.def"
#undef SCOPE
	assert_int_equal(seen, POLICY_SCOPES_ALL | POLICY_SCOPES_TOKEN | POLICY_SCOPE_LOCAL);
	assert_int_equal(policy_scope_named(SPAN("ext:*")), 0);
	assert_int_equal(policy_scope_named(SPAN("Research:read")), 0);
	assert_int_equal(policy_scope_named(SPAN("")), 0);
}

static void
test_named_tools(void **state)
{
	struct policy_named a = { "" }, b = { "" };
	struct buf text = { 0 }, many = { 0 };
	const char *at = a.text;
	struct span name;
	size_t n = 0;

	(void)state;
	policy_named_read(&a,
	    SPAN(
		"tools:stock research:read  tools:stock tools:orders tools: tools:Bad tools:a-b xtools:c tools:x\xc3"));
	assert_string_equal(a.text, " stock orders ");
	assert_true(policy_named_has(a.text, SPAN("stock")) && policy_named_has(a.text, SPAN("orders")));
	assert_false(policy_named_has(a.text, SPAN("stoc")) || policy_named_has(a.text, SPAN("tock")) ||
	    policy_named_has(a.text, SPAN("stock orders ")) || policy_named_has(NULL, SPAN("stock")));
	policy_named_text(a.text, &text);
	assert_string_equal(buf_cstr(&text), "tools:stock tools:orders");
	policy_named_read(&b, SPAN("tools:orders tools:more"));
	assert_false(policy_named_within(b.text, a.text));
	policy_named_limit(&b, a.text);
	assert_string_equal(b.text, " orders ");
	assert_true(policy_named_within(b.text, a.text) && policy_named_within("", a.text));
	policy_named_drop(&a, b.text);
	assert_string_equal(a.text, " stock ");
	policy_named_drop(&a, " stock ");
	assert_string_equal(a.text, "");
	policy_named_join(&a, b.text);
	assert_string_equal(a.text, " orders ");
	for (int i = 0; i < 100; i++)
		buf_printf(&many, "tools:tool_of_a_long_name_which_takes_much_room_%02d ", i);
	policy_named_read(&a, buf_view(&many));
	while (policy_named_next(&at, &name))
		n++;
	assert_true(n > 10 && n <= POLICY_NAMED_MAX && strlen(a.text) <= POLICY_NAMED_BYTES);
	buf_fini(&text);
	buf_fini(&many);
}

static void
test_roles(void **state)
{
	struct buf names = { 0 };
	uint32_t viewer = policy_role_scopes(SPAN("viewer")), more = policy_role_scopes(SPAN("contributor")),
		 admin = policy_role_scopes(SPAN("admin"));

	(void)state;
	policy_roles_text(&names);
	assert_string_equal(buf_cstr(&names), "viewer, contributor or admin");
	assert_string_equal(policy_role_name(POLICY_ROLE_ADMIN), "admin");
	buf_fini(&names);
	check_text(viewer, "research:read ontologies:read data_agent:read");
	check_text(more & ~viewer, "research:query memory:write data_agent:write");
	check_text(admin & ~more, "ext:datasets ext:schema ext:search ext:sql connectivity:admin");
	assert_int_equal(viewer & ~more, 0);
	assert_int_equal(more & ~admin, 0);
	assert_int_equal(policy_role_scopes(SPAN("Admin")), 0);
	assert_int_equal(policy_role_scopes(SPAN("")), 0);
	/* nothing that is granted to anybody is the owner's own */
	assert_int_equal((POLICY_SCOPES_ALL | POLICY_SCOPES_OPEN | POLICY_SCOPES_TOKEN) & POLICY_SCOPE_LOCAL, 0);
	assert_int_equal(POLICY_SCOPES_TOKEN & (POLICY_SCOPE_MEMORY_WRITE | POLICY_SCOPE_CONNECTIVITY_ADMIN), 0);
}

/* --- announcing --------------------------------------------------------------------- */

static int
announce(const struct tool *t, struct buf *json, struct err *err)
{
	const struct tool table[2] = { *t };
	struct buf mp = { .max = 0 };
	struct mp_value v;
	int r = tool_announce(table, &mp, err);

	if (r == 0) {
		assert_int_equal(mp_scan(buf_view(&mp)), MP_OK);
		assert_true(mp_value(buf_view(&mp), &v));
		json_write(json, &v);
	}
	buf_fini(&mp);
	return r;
}

static void
test_announces_what_the_row_says(void **state)
{
	struct tool t = {
		.name = "n", .title = "N", .description = "does n", .input_schema = "{\"type\": \"object\"}",
		.hints = TOOL_READ_ONLY | TOOL_IDEMPOTENT, .budget_ms = 5000
	};
	struct buf json = { .max = 0 };
	struct err err;

	(void)state;
	assert_int_equal(announce(&t, &json, &err), 0);
	assert_string_equal(buf_cstr(&json),
	    "[{\"name\":\"n\",\"title\":\"N\",\"description\":\"does n\","
	    "\"inputSchema\":{\"type\":\"object\"},\"hints\":5,\"budgetMs\":5000,\"waits\":false}]");
	buf_reset(&json, 0);
	t.output_schema = "{\"type\": \"object\", \"required\": [\"x\"]}";
	t.aliases = "a=b";
	t.waits = true;
	assert_int_equal(announce(&t, &json, &err), 0);
	assert_string_equal(buf_cstr(&json),
	    "[{\"name\":\"n\",\"title\":\"N\",\"description\":\"does n\","
	    "\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"type\":\"object\",\"required\":[\"x\"]},"
	    "\"aliases\":\"a=b\",\"hints\":5,\"budgetMs\":5000,\"waits\":true}]");
	buf_fini(&json);
}

static void
check_refused(const char *input, const char *output, const char *why)
{
	struct tool t = {
		.name = "broken", .title = "N", .description = "d", .input_schema = input, .output_schema = output
	};
	struct buf json = { .max = 0 };
	struct err err;

	assert_int_equal(announce(&t, &json, &err), -1);
	assert_non_null(strstr(err.message, "broken"));
	if (strstr(err.message, why) == NULL)
		fail_msg("%s", err.message);
	buf_fini(&json);
}

static void
test_refuses_schemas_that_would_not_be_enforced(void **state)
{
	(void)state;
	check_refused("{\"type\": ", NULL, "the input schema is no JSON");
	check_refused("{}{}", NULL, "the input schema is no JSON");
	check_refused("{\"pattern\": \"x\"}", NULL, "the input schema uses what is not enforced");
	check_refused("{}", "{\"format\": \"uuid\"}", "the output schema uses what is not enforced");
}

static void
test_table_must_fit_its_message(void **state)
{
	struct tool table[2] = { { .name = "n", .title = "N", .description = "long enough", .input_schema = "{}" } };
	struct buf small = BUF_MAX(16);
	struct err err;

	(void)state;
	assert_int_equal(tool_announce(table, &small, &err), -1);
	buf_fini(&small);
}

/* What lets somebody in, and what writes into a database or reads one freely, stays with the command line. */
static void
test_the_page_has_tools_of_the_table_and_no_link_of_its_own(void **state)
{
	static const char *const of_page[] = {
#define PAGE_TOOL(name)	#name,
#include "policy/page.def"
#undef PAGE_TOOL
	};
	static const char *const never[] = {
		"admin_link", "setup_link", "scan", "audit_sql", "dataset_remove", "sql_execution", "memory_ingest",
		"introspect", "datasets"
	};
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(of_page) / sizeof(of_page[0]); i++) {
		const struct policy_tool *t = policy_tool(span_str(of_page[i]));

		assert_non_null(t);
		assert_true(policy_tool_of_page(t));
		assert_true(t->toolset == POLICY_TOOLSET_LOCAL || t->effect == POLICY_READS);
	}
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_false(policy_tool_of_page(policy_tool(span_str(never[i]))));
	for (size_t i = 0; i < policy_ntools; i++)
		n += policy_tool_of_page(&policy_tools[i]);
	assert_int_equal(n, sizeof(of_page) / sizeof(of_page[0]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_exact_names_only),
		cmocka_unit_test(test_order_is_that_of_the_table),
		cmocka_unit_test(test_toolsets_that_are_listed),
		cmocka_unit_test(test_the_surface_is_no_toolset_for_callers),
		cmocka_unit_test(test_all_scopes_are_needed),
		cmocka_unit_test(test_askers),
		cmocka_unit_test(test_scopes_as_text),
		cmocka_unit_test(test_scopes_as_json),
		cmocka_unit_test(test_scopes_named),
		cmocka_unit_test(test_named_tools),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_the_page_has_tools_of_the_table_and_no_link_of_its_own),
		cmocka_unit_test(test_announces_what_the_row_says),
		cmocka_unit_test(test_refuses_schemas_that_would_not_be_enforced),
		cmocka_unit_test(test_table_must_fit_its_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
