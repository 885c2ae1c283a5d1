// libs: carrel_front
/* test_front_tools.c - which offers are taken, what is listed to whom, arguments; quarantine; addresses. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "front/wire/address.h"
#include "front/calls/quarantine.h"
#include "front/calls/team_arguments.h"
#include "front/calls/team_values.h"
#include "front/calls/tools.h"

static struct buf packed;

static struct span
pack(const char *json)
{
	size_t at;

	buf_reset(&packed, SIZE_MAX);
	assert_int_equal(json_read(span_str(json), &packed, &at), JSON_OK);
	return buf_view(&packed);
}

#define OBJECT	"\"inputSchema\":{\"type\":\"object\"}"

static void
test_offers(void **state)
{
	static const struct {
		const char *offer;
		bool taken;
	} rows[] = {
		{ "[{\"name\":\"wiki_read\",\"description\":\"d\"," OBJECT "}]", true },
		{ "[{\"name\":\"wiki_read\",\"description\":\"d\"}]", false },
		{ "[{\"name\":\"wiki_read\"," OBJECT "}]", false },
		{ "[{\"name\":\"sql_execution\",\"description\":\"d\"," OBJECT "}]", false }, /* not its role */
		{ "[{\"name\":\"invented\",\"description\":\"d\"," OBJECT "}]", false },
		{ "[{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":{\"type\":\"array\"}}]", false },
		{ "[{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\",\"$ref\":\"x\"}}"
		  "]",
		    false },
		{ "[{\"name\":\"wiki_read\",\"description\":\"d\"," OBJECT ",\"outputSchema\":{\"type\":\"array\"}}]",
		    false },
		{ "[{\"name\":\"wiki_read\",\"description\":\"d\"," OBJECT ",\"aliases\":\"nonsense\"}]", false },
		{ "[{\"name\":\"wiki_read\",\"description\":\"d\"," OBJECT ",\"aliases\":\"a.b.c.d.e.f.g.h=x\"}]",
		    false },
		{ "[7]", false },
	};
	struct buf skipped = { .max = 0 };
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tools *t = tools_new(SPAN(""));

		buf_reset(&skipped, SIZE_MAX);
		assert_int_equal(tools_offer(t, IPC_SEARCH, pack(rows[i].offer), &skipped, &e), 0);
		if ((tools_find(t, SPAN("wiki_read"), UINT32_MAX) != NULL) != rows[i].taken ||
		    tools_find(t, SPAN("sql_execution"), UINT32_MAX) != NULL)
			fail_msg("row %zu: %s", i, buf_cstr(&skipped));
		tools_free(t);
	}
	struct tools *t = tools_new(SPAN(""));

	assert_int_equal(tools_offer(t, IPC_SEARCH, pack("{}"), NULL, &e), -1);
	tools_free(t);
	buf_fini(&skipped);
}

static const char search_offer[] =
    "[{\"name\":\"wiki_read\",\"title\":\"Wiki Read\",\"description\":\"d\"," OBJECT ",\"hints\":5},"
    "{\"name\":\"connection_list\",\"title\":\"C\",\"description\":\"d\"," OBJECT "},"
    "{\"name\":\"sl_query\",\"title\":\"S\",\"description\":\"d\"," OBJECT "}]";

static const char *
list_for(struct tools *t, uint32_t scopes, const char *named, enum tool_form form)
{
	static char text[4096];
	struct blob *b = tools_list(t, &(struct tool_caller){ scopes, named }, form);

	assert_true(b->len < sizeof(text));
	memcpy(text, b->bytes, b->len);
	text[b->len] = '\0';
	return text;
}

static const char *
list(struct tools *t, uint32_t scopes, enum tool_form form)
{
	return list_for(t, scopes, NULL, form);
}

/* A dataset tool has the prefix of the configuration wherever clients read its name, and no other name. */
static void
test_names(void **state)
{
	static const char offer[] =
	    "[{\"name\":\"carrel_search\",\"title\":\"S\",\"description\":"
	    "\"Then carrel_sql, (carrel_search).\"," OBJECT "},"
	    "{\"name\":\"carrel_sql\",\"title\":\"Q\",\"description\":\"xcarrel_sql carrel_sqlx carrel_ carrel_scan\","
	    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"sql\":{\"type\":\"string\","
	    "\"description\":\"From carrel_get_schema\"}}}},"
	    "{\"name\":\"wiki_read\",\"title\":\"W\",\"description\":\"d\"," OBJECT "}]";
	struct tools *t = tools_new(SPAN("shop"));
	const struct tool_entry *e;
	struct err err;
	const char *text;

	(void)state;
	assert_int_equal(tools_offer(t, IPC_SEARCH, pack(offer), NULL, &err), 0);
	text = list(t, UINT32_MAX, TOOL_FORM_FULL);
	assert_non_null(strstr(text, "\"name\":\"shop_search\""));
	assert_non_null(strstr(text, "Then shop_sql, (shop_search)."));
	assert_non_null(strstr(text, "From shop_get_schema"));
	assert_non_null(strstr(text, "xcarrel_sql carrel_sqlx carrel_ carrel_scan"));
	assert_non_null(strstr(text, "\"name\":\"wiki_read\""));
	e = tools_called(t, SPAN("shop_sql"), UINT32_MAX);
	assert_non_null(e);
	assert_true(span_is(e->name, SPAN("carrel_sql")) && span_is(e->shown, SPAN("shop_sql")));
	assert_ptr_equal(e, tools_find(t, SPAN("carrel_sql"), UINT32_MAX));
	assert_non_null(tools_called(t, SPAN("wiki_read"), UINT32_MAX));
	assert_null(tools_called(t, SPAN("carrel_sql"), UINT32_MAX));
	assert_null(tools_called(t, SPAN("shop_wiki_read"), UINT32_MAX));
	assert_null(tools_called(t, SPAN("shop"), UINT32_MAX));
	assert_null(tools_called(t, SPAN("shop_sqlx"), UINT32_MAX));
	err_set(&err, ERR_DATASET_NOT_FOUND, "carrel_list_datasets shows which there are");
	tools_put_names(t, &err);
	assert_string_equal(err.message, "shop_list_datasets shows which there are");
	assert_int_equal(err.code, ERR_DATASET_NOT_FOUND);
	tools_free(t);
}

static void
test_lists(void **state)
{
	struct tools *t = tools_new(SPAN(""));
	struct blob *first;
	struct err e;

	(void)state;
	assert_int_equal(tools_offer(t, IPC_SEARCH, pack(search_offer), NULL, &e), 0);
	/* exactly what the scopes allow, in the table's order */
	assert_non_null(strstr(list(t, POLICY_SCOPES_RESEARCH, TOOL_FORM_FULL), "sl_query"));
	assert_null(strstr(list(t, POLICY_SCOPE_RESEARCH_READ, TOOL_FORM_FULL), "sl_query"));
	assert_string_equal(list(t, 0, TOOL_FORM_FULL), "\"tools\":[]");
	assert_string_equal(list(t, POLICY_SCOPE_RESEARCH_READ, TOOL_FORM_BASIC),
	    "\"tools\":[{\"name\":\"connection_list\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},"
	    "\"annotations\":{\"title\":\"C\",\"readOnlyHint\":false,\"destructiveHint\":false,"
	    "\"openWorldHint\":false}},{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":"
	    "{\"type\":\"object\"},\"annotations\":{\"title\":\"Wiki Read\",\"readOnlyHint\":true,"
	    "\"idempotentHint\":true,\"openWorldHint\":false}}]");
	/* made once, until the next offer */
	first = blob_ref(tools_list(t, &(struct tool_caller){ POLICY_SCOPES_RESEARCH, NULL }, TOOL_FORM_MODERN));
	assert_ptr_equal(tools_list(t, &(struct tool_caller){ POLICY_SCOPES_RESEARCH, NULL }, TOOL_FORM_MODERN), first);
	for (uint32_t scopes = 0; scopes < 40; scopes++) /* more kinds of callers than are kept */
		assert_non_null(tools_list(t, &(struct tool_caller){ scopes, NULL }, TOOL_FORM_FULL));
	assert_int_equal(tools_offer(t, IPC_SEARCH, pack("[]"), NULL, &e), 0);
	assert_string_equal(list(t, POLICY_SCOPES_RESEARCH, TOOL_FORM_FULL), "\"tools\":[]");
	assert_true(first->len > 100); /* whoever still sends it keeps it */
	blob_unref(first);
	tools_free(t);
}

/* The team's tools stand behind the others, for callers with one of their scopes or their name; without faulty ones. */
static void
test_team(void **state)
{
	static const char team[] =
	    "[{\"name\":\"stock\",\"title\":\"Stock\",\"description\":\"d\",\"connection\":\"shop\",\"scopes\":"
	    "2," OBJECT "},{\"name\":\"stock_of\",\"description\":\"carrel_sql\",\"connection\":\"shop\",\"scopes\":0,"
	    "\"query\":{\"measures\":[]}," OBJECT "}]";
	struct tools *t = tools_new(SPAN("shop"));
	const struct tool_entry *stock, *of;
	unsigned changes;
	struct err e;

	(void)state;
	assert_int_equal(tools_take_team(t, pack(team), &e), 0);
	assert_int_equal(tools_offer(t, IPC_SEARCH, pack(search_offer), NULL, &e), 0);
	stock = tools_called(t, SPAN("stock"), 0);
	of = tools_team_named(t, SPAN("stock_of"));
	assert_true(stock != NULL && of != NULL && tools_team(t, 0) == stock && tools_team(t, 1) == of);
	assert_null(tools_team(t, 2));
	assert_null(tools_called(t, SPAN("team_tool"), UINT32_MAX));
	assert_null(tools_called(t, SPAN("stoc"), UINT32_MAX));
	assert_int_equal(tool_lacks(stock, &(struct tool_caller){ POLICY_SCOPES_ALL, NULL }),
	    POLICY_SCOPE_RESEARCH_QUERY);
	assert_int_equal(tool_lacks(stock, &(struct tool_caller){ POLICY_SCOPE_RESEARCH_READ, NULL }),
	    POLICY_SCOPE_RESEARCH_QUERY);
	assert_int_equal(tool_lacks(of, &(struct tool_caller){ POLICY_SCOPES_ALL, NULL }), 0);
	assert_int_equal(stock->role, IPC_SQL);
	assert_int_equal(of->role, IPC_SEARCH);
	assert_true(stock->query.len == 0 && of->query.len > 0);
	assert_true(tool_is_team(stock) && !tool_is_team(tools_find(t, SPAN("wiki_read"), 0)));
	assert_true(span_is_str(of->description, "carrel_sql")); /* the owner's words stay */
	assert_non_null(strstr(list(t, POLICY_SCOPES_RESEARCH, TOOL_FORM_FULL), "\"wiki_read\""));
	assert_non_null(strstr(list(t, POLICY_SCOPE_RESEARCH_QUERY, TOOL_FORM_FULL), "\"name\":\"stock\""));
	assert_null(strstr(list(t, POLICY_SCOPES_ALL, TOOL_FORM_FULL), "stock_of"));
	assert_null(strstr(list(t, POLICY_SCOPE_RESEARCH_READ, TOOL_FORM_FULL), "stock"));
	assert_non_null(strstr(list_for(t, 0, " x stock_of ", TOOL_FORM_FULL), "\"stock_of\""));
	assert_null(strstr(list_for(t, 0, " x stock_of ", TOOL_FORM_FULL), "\"stock\""));
	assert_string_equal(list_for(t, 0, " stock_o stock_off tock ", TOOL_FORM_FULL), "\"tools\":[]");
	changes = tools_changes(t);
	assert_true(tools_note_fault(t, stock, "no such table"));
	assert_false(tools_note_fault(t, stock, "no such table"));
	assert_int_equal(tools_changes(t), changes + 1);
	assert_null(strstr(list(t, POLICY_SCOPE_RESEARCH_QUERY, TOOL_FORM_FULL), "stock"));
	assert_string_equal(stock->fault, "no such table");
	assert_true(tools_note_fault(t, stock, NULL));
	assert_non_null(strstr(list(t, POLICY_SCOPE_RESEARCH_QUERY, TOOL_FORM_FULL), "stock"));
	/* One trial at a time, and another one behind it for whatever changed meanwhile. */
	assert_true(tools_begin_trial(t, stock));
	assert_false(tools_end_trial(t, stock));
	assert_true(tools_begin_trial(t, stock) && tools_begin_trial(t, of));
	assert_false(tools_begin_trial(t, stock) || tools_begin_trial(t, stock));
	assert_true(tools_end_trial(t, stock) && !tools_end_trial(t, of));
	assert_true(tools_begin_trial(t, stock) && !tools_end_trial(t, stock));
	tools_free(t);
	t = tools_new(SPAN(""));
	assert_int_equal(tools_take_team(t, pack("[]"), &e), 0);
	assert_int_equal(tools_take_team(t, pack("{}"), &e), -1);
	assert_int_equal(tools_take_team(t, pack("[{\"name\":\"x\",\"description\":\"d\"}]"), &e), -1);
	tools_free(t);
}

/* The queries behind a parameter are no tools; while one cannot be run, the tool is not listed. */
static void
test_team_values(void **state)
{
#define COMPANION(name)                                                         \
	"{\"name\":\"" name "\",\"description\":\"d\",\"connection\":\"shop\"," \
	"\"query\":{\"limit\":1}," OBJECT "}"
#define TEAM(values)                                                                              \
	"[{\"name\":\"stock\",\"description\":\"d\",\"connection\":\"shop\",\"scopes\":2," OBJECT \
	",\"values\":" values "}]"
	static const char team[] = TEAM("{\"region\":{\"dimension\":\"a.region\",\"all\":" COMPANION(
	    "stock.region") ",\"one\":" COMPANION("stock.region=") "}}");
	struct tools *t = tools_new(SPAN(""));
	const struct tool_values *values;
	struct mp_value sent, one;
	struct buf out = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(tools_take_team(t, pack(team), &e), 0);
	values = tool_values_of(tools_team_named(t, SPAN("stock")), SPAN("region"));
	assert_non_null(values);
	assert_true(span_is_str(values->dimension, "a.region") && values->all.role == IPC_SEARCH);
	assert_null(tool_values_of(tools_team_named(t, SPAN("stock")), SPAN("regio")));
	assert_null(tools_team(t, 1));
	assert_null(tools_team_named(t, SPAN("stock.region")));
	assert_null(tools_called(t, SPAN("stock.region="), UINT32_MAX));
	assert_null(strstr(list(t, POLICY_SCOPES_ALL, TOOL_FORM_FULL), "region"));
	assert_true(tools_note_fault(t, &values->all, "unknown column"));
	assert_null(strstr(list(t, POLICY_SCOPES_ALL, TOOL_FORM_FULL), "stock"));
	assert_string_equal(tool_fault(tools_team_named(t, SPAN("stock"))), "unknown column");
	assert_true(tools_begin_trial(t, &values->all) && !tools_end_trial(t, &values->all));
	assert_true(tools_note_fault(t, &values->all, NULL));
	assert_non_null(strstr(list(t, POLICY_SCOPES_ALL, TOOL_FORM_FULL), "stock"));
	team_values_put_call(&values->one, NULL, &out);
	assert_true(mp_value(buf_view(&out), &sent) && mp_get(&sent, "arguments", &one) && one.n == 0);
	assert_true(span_is_str(mp_get_str(&sent, "tool", SPAN_NONE), "stock.region="));
	buf_fini(&out);
	tools_free(t);
	static const char *const bad[] = { TEAM("[]"), TEAM("{\"region\":{}}"),
		TEAM("{\"region\":{\"all\":" COMPANION("a.b") "}}"),
		TEAM("{\"region\":{\"one\":" COMPANION("a.b") ",\"all\":{\"name\":\"x\","
		     "\"description\":\"d\"," OBJECT "}}}") };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		t = tools_new(SPAN(""));
		assert_int_equal(tools_take_team(t, pack(bad[i]), &e), -1);
		tools_free(t);
	}
}

static struct tool_result *
result_of(struct result_budget *budget, const char *rows, bool truncated)
{
	struct tool_result *r = result_new(budget, NULL);
	struct buf tail = { 0 };
	struct err e;

	mp_put_pairs(&tail, mp_bool("truncated", truncated));
	assert_int_equal(result_add_rows(r, pack(rows), &e), 0);
	assert_int_equal(result_add_rows(r, pack("[[\"EMEA\",1]]"), &e), 0);
	assert_int_equal(result_finish(r, MP_EMPTY_MAP, SPAN("rows"), buf_view(&tail), &e), 0);
	buf_fini(&tail);
	return r;
}

static void
test_values_found(void **state)
{
	static const struct {
		const char *typed, *found;
		bool truncated;
	} rows[] = {
		{ "", "{\"values\":[\"Northern Europe\",\"eu\",\"7\"],\"total\":4,\"hasMore\":true}", false },
		{ "E", "{\"values\":[\"eu\",\"EMEA\",\"Northern Europe\"],\"total\":3,\"hasMore\":false}", false },
		{ "Eu", "{\"values\":[\"eu\",\"Northern Europe\"],\"total\":2,\"hasMore\":true}", true },
		{ "x", "{\"values\":[],\"total\":0,\"hasMore\":false}", false },
		{ "a longer text than all of them", "{\"values\":[],\"total\":0,\"hasMore\":false}", false },
	};
	static const char all[] = "[[null],[\"Northern Europe\"],[\"eu\"],[7]]";
	struct result_budget budget = { .max = 1 << 20, .max_each = 1 << 20 };
	struct mp_value listed;
	struct buf list = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tool_result *r = result_of(&budget, all, rows[i].truncated);
		struct buf out = { 0 };

		buf_byte(&out, '{');
		team_values_put(r, span_str(rows[i].typed), 3, &out);
		buf_byte(&out, '}');
		assert_string_equal(buf_cstr(&out), rows[i].found);
		buf_fini(&out);
		result_free(r);
	}
	struct buf out = { 0 };
	buf_span(&list, pack("[\"EU\",\"US\",\"West\"]"));
	assert_true(mp_value(buf_view(&list), &listed));
	team_values_put_listed(&listed, SPAN("s"), 9, &out);
	assert_string_equal(buf_cstr(&out), "\"values\":[\"US\",\"West\"],\"total\":2,\"hasMore\":false");
	buf_fini(&out);
	buf_fini(&list);
	result_drain_pool(&budget);
}

/* The refusal of another value names the nearest ones, in the form that a schema's faults have. */
static void
test_values_near(void **state)
{
	static const struct {
		const char *asked, *problem, *example; /* problem NULL: it is a value */
	} rows[] = {
		{ "\"eu\"", NULL, NULL },
		{ "7", NULL, NULL },
		{ "\"EMEA\"", NULL, NULL },
		{ "\"Europe\"", "is not one of the values of a.region; near: \"Northern Europe\", \"eu\"",
		    "\"Northern Europe\"" },
		{ "\"EMAE\"", "is not one of the values of a.region; near: \"EMEA\"", "\"EMEA\"" },
		{ "\"zz\"",
		    "is not one of the values of a.region; such as \"Northern Europe\", \"eu\", \"7\", \"EMEA\"",
		    "\"Northern Europe\"" },
		{ "\"\"", "is not one of the values of a.region; such as \"Northern Europe\", \"eu\", \"7\", \"EMEA\"",
		    "\"Northern Europe\"" },
	};
	const struct tool_values of = { .parameter = SPAN("region"), .dimension = SPAN("a.region") };
	struct result_budget budget = { .max = 1 << 20, .max_each = 1 << 20 };
	struct schema_result issues;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tool_result *r = result_of(&budget, "[[\"Northern Europe\"],[\"eu\"],[7],[null]]", false);
		struct buf asked = { 0 };
		struct mp_value v;

		buf_span(&asked, pack(rows[i].asked));
		assert_true(mp_value(buf_view(&asked), &v));
		assert_int_equal(team_values_have(r, &of, &v, &issues), rows[i].problem == NULL);
		if (rows[i].problem != NULL) {
			assert_int_equal(issues.total, 1);
			assert_string_equal(issues.issues[0].path, "region");
			assert_string_equal(issues.issues[0].problem, rows[i].problem);
			assert_string_equal(issues.issues[0].example, rows[i].example);
		}
		buf_fini(&asked);
		result_free(r);
	}
	result_drain_pool(&budget);
}

/* What the worker of a team's tool gets: no null that stands for nothing, and whole numbers beyond 2^53 out of text. */
static void
test_team_arguments(void **state)
{
	static const char input[] =
	    "{\"type\":\"object\",\"required\":[\"n\",\"s\"],\"properties\":{\"n\":{\"type\":\"integer\"},"
	    "\"s\":{\"type\":\"string\"},\"o\":{\"type\":\"integer\"},\"t\":{\"type\":\"string\"}}}";
	static const char *const rows[][2] = {
		{ "{\"n\":1,\"s\":\"a\"}", "{\"n\":1,\"s\":\"a\"}" },
		{ "{\"n\":1,\"s\":\"a\",\"o\":null,\"t\":null}", "{\"n\":1,\"s\":\"a\"}" },
		{ "{\"t\":null,\"n\":null,\"s\":null}", "{\"n\":null,\"s\":null}" },
		{ "{\"more\":null}", "{\"more\":null}" },
		{ "{\"n\":\"7\",\"s\":\"7\",\"o\":\"-7\"}", "{\"n\":7,\"s\":\"7\",\"o\":-7}" },
		{ "{\"n\":\"9223372036854775807\"}", "{\"n\":9223372036854775807}" },
		{ "{\"n\":\"-9223372036854775808\"}", "{\"n\":-9223372036854775808}" },
		{ "{\"n\":\"9223372036854775808\",\"o\":\"1.0\"}", "{\"n\":\"9223372036854775808\",\"o\":\"1.0\"}" },
		{ "{\"n\":\"\",\"o\":\" 1\",\"t\":[1]}", "{\"n\":\"\",\"o\":\" 1\",\"t\":[1]}" },
	};
	struct buf schema = { 0 };
	struct mp_value map, args, expected;

	(void)state;
	buf_span(&schema, pack(input));
	assert_true(mp_value(buf_view(&schema), &map));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf given = { 0 }, out = { 0 };

		buf_span(&given, pack(rows[i][0]));
		assert_true(mp_value(buf_view(&given), &args));
		team_arguments_copy(&map, &args, &out);
		assert_true(mp_value(pack(rows[i][1]), &expected));
		if (!mp_value(buf_view(&out), &args) || !span_is(args.raw, expected.raw))
			fail_msg("%s", rows[i][0]);
		buf_fini(&given);
		buf_fini(&out);
	}
	buf_fini(&schema);
}

static void
test_find(void **state)
{
	struct tools *t = tools_new(SPAN(""));
	struct err e;

	(void)state;
	assert_int_equal(tools_offer(t, IPC_SQL,
			     pack("[{\"name\":\"introspect\",\"description\":\"d\"," OBJECT "},"
				  "{\"name\":\"connection_test\",\"description\":\"d\"," OBJECT "},"
				  "{\"name\":\"sql_execution\",\"description\":\"d\",\"inputSchema\":{\"type\":"
				  "\"object\",\"properties\":"
				  "{\"connectionId\":{\"type\":\"string\"}}}}]"),
			     NULL, &e),
	    0);
	assert_null(tools_find(t, SPAN("connection_test"), POLICY_SCOPES_RESEARCH));
	assert_non_null(tools_find(t, SPAN("connection_test"), POLICY_SCOPE_LOCAL));
	assert_null(tools_find_inner(t, SPAN("connection_test")));
	assert_null(tools_find(t, SPAN("introspect"), UINT32_MAX)); /* for workers alone */
	assert_non_null(tools_find_inner(t, SPAN("introspect")));
	assert_non_null(tools_find_inner(t, SPAN("sql_execution")));
	assert_non_null(tools_find(t, SPAN("sql_execution"), 0)); /* the scope is checked by whoever calls */
	assert_true(tools_find(t, SPAN("sql_execution"), 0)->takes_connection);
	assert_null(tools_find(t, SPAN("wiki_read"), POLICY_SCOPES_RESEARCH)); /* nobody offers it */
	assert_null(tools_find(t, SPAN("SQL_execution"), POLICY_SCOPES_RESEARCH));
	tools_free(t);
}

static void
test_aliases(void **state)
{
	static const struct {
		const char *args, *sent;
	} rows[] = {
		{ "{}", "{}" },
		{ "{\"e\":[{\"t\":{\"schema\":\"s\",\"table\":\"x\"}}]}",
		    "{\"e\":[{\"t\":{\"db\":\"s\",\"name\":\"x\"}}]}" },
		{ "{\"e\":[{\"t\":{\"schema\":\"s\",\"db\":\"d\"}}]}",
		    "{\"e\":[{\"t\":{\"schema\":\"s\",\"db\":\"d\"}}]}" },
		{ "{\"e\":[{\"t\":\"x\"},7,{\"schema\":1}]}", "{\"e\":[{\"t\":\"x\"},7,{\"schema\":1}]}" },
		{ "{\"e\":{\"t\":{\"schema\":1}}}", "{\"e\":{\"t\":{\"schema\":1}}}" },
		{ "{\"old\":1,\"e\":[]}", "{\"new\":1,\"e\":[]}" },
		{ "{\"schema\":1}", "{\"schema\":1}" },
	};
	struct tools *t = tools_new(SPAN(""));
	const struct tool_entry *tool;
	struct buf scratch = { .max = 0 }, text = { .max = 0 };
	struct schema_result issues;
	struct mp_value args, sent;
	struct err e;

	(void)state;
	assert_int_equal(tools_offer(t, IPC_SEARCH,
			     pack("[{\"name\":\"wiki_read\",\"description\":\"d\"," OBJECT
				  ",\"aliases\":\"e[].t.schema=db e[].t.table=name old=new\"}]"),
			     NULL, &e),
	    0);
	tool = tools_find(t, SPAN("wiki_read"), 0);
	assert_non_null(tool);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(mp_value(pack(rows[i].args), &args));
		assert_true(tools_check_args(tool, &args, &scratch, &sent, &issues));
		buf_reset(&text, SIZE_MAX);
		json_write(&text, &sent);
		assert_string_equal(buf_cstr(&text), rows[i].sent);
	}
	buf_fini(&scratch);
	buf_fini(&text);
	tools_free(t);
}

/* --- quarantine --------------------------------------------------------------------------- */

static void
die(struct quarantine *q, const char *connection, const char *sql, uint64_t now)
{
	static uint64_t generation;

	quarantine_bury(q, ++generation, span_str(connection), span_str(sql));
	quarantine_settle(q, generation, true, now);
	quarantine_settle(q, generation, true, now); /* once */
}

static void
test_quarantine(void **state)
{
	static struct quarantine q;
	struct buf out = { .max = 0 };
	uint64_t now = CLOCK_SECOND;
	struct print print;
	char sql[32];
	bool stuck;

	(void)state;
	die(&q, "a", "poison", now);
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("poison"), now, &stuck), 0);
	die(&q, "a", "poison", now);
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("poison"), now, &stuck), QUARANTINE_NS);
	assert_int_equal(quarantine_held(&q, SPAN("b"), SPAN("poison"), now, &stuck), 0);
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("poison "), now, &stuck), 0);
	quarantine_put(&q, now, &out);
	assert_non_null(strstr(buf_cstr(&out), "{\"connection\":\"a\",\"fingerprint\":\""));
	assert_non_null(strstr(buf_cstr(&out), "\"secondsLeft\":600"));
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("poison"), now + QUARANTINE_NS, &stuck), 0);
	/* two deaths ten minutes apart are two accidents */
	die(&q, "a", "slow", now);
	die(&q, "a", "slow", now + QUARANTINE_NS);
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("slow"), now + QUARANTINE_NS, &stuck), 0);
	assert_int_equal(quarantine_clear(&q, now), 0);
	die(&q, "a", "x", now);
	die(&q, "a", "x", now);
	assert_int_equal(quarantine_clear(&q, now), 1);
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("x"), now, &stuck), 0);
	/* workers that were stopped, and deaths of which nothing is known yet */
	for (unsigned i = 0; i < 3; i++) {
		quarantine_bury(&q, 1000 + i, SPAN("a"), SPAN("stopped"));
		quarantine_settle(&q, 1000 + i, false, now);
		quarantine_bury(&q, 2000 + i, SPAN("a"), SPAN("unknown"));
	}
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("stopped"), now, &stuck), 0);
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("unknown"), now, &stuck), 0);
	/* what the server does not end is held at once */
	statement_print(SPAN("a"), SPAN("endless"), &print);
	quarantine_hold(&q, &print, SPAN("a"), now);
	assert_int_equal(quarantine_held(&q, SPAN("a"), SPAN("endless"), now, &stuck), QUARANTINE_NS);
	assert_true(stuck);
	assert_int_equal(quarantine_held(&q, SPAN("b"), SPAN("endless"), now, &stuck), 0);
	assert_false(stuck);
	assert_int_equal(quarantine_clear(&q, now), 1);
	/* bounded */
	for (unsigned i = 0; i < 3 * QUARANTINE_MAX; i++) {
		snprintf(sql, sizeof(sql), "s%u", i);
		die(&q, "a", sql, now + i);
	}
	assert_int_equal(q.count, QUARANTINE_MAX);
	buf_fini(&out);
}

/* --- addresses ---------------------------------------------------------------------------- */

static struct address *
from_text(struct addresses *a, const char *text)
{
	uint8_t bytes[NET_ADDRESS];

	assert_true(net_address_read(span_str(text), bytes));
	return address_open(a, bytes);
}

static struct address *
from(struct addresses *a, unsigned host)
{
	return from_text(a, host == 1 ? "0.0.0.1" : "0.0.0.2");
}

#define FAILURES	7u
#define BLOCK_S		90u

/* A customer's whole network is one party, a user of this machine is one, and none is another. */
static void
test_parties(void **state)
{
	struct addresses *a = addresses_new(FAILURES, BLOCK_S);
	struct address *six = from_text(a, "2001:db8:1:2::1"), *same = from_text(a, "2001:db8:1:2:ffff::9"),
		       *next = from_text(a, "2001:db8:1:3::1"), *four = from_text(a, "10.0.0.1"),
		       *five = from_text(a, "10.0.0.2"), *root = address_open_user(a, 0),
		       *nobody = address_open_user(a, 65534), *unknown = address_open_unknown(a);
	struct address *all[] = { six, next, four, five, root, nobody, unknown };

	(void)state;
	assert_ptr_equal(six, same);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (size_t j = 0; j < i; j++)
			assert_ptr_not_equal(all[i], all[j]);
	address_charge(nobody, 100);
	address_charge(nobody, (size_t)0 - 40);
	assert_int_equal(address_charged(nobody), 60);
	assert_int_equal(address_charged(root), 0);
	address_close(a, same);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		address_close(a, all[i]);
	addresses_free(a);
}

/* What a party is called everywhere is the same party everywhere. */
static void
test_address_names(void **state)
{
	static const struct {
		const char *name, *back; /* back NULL: no name */
	} rows[] = {
		{ "192.0.2.1", "192.0.2.1" },
		{ "::ffff:192.0.2.1", "192.0.2.1" },
		{ "2001:db8:1:2::/64", "2001:db8:1:2::/64" },
		{ "2001:db8:1:2::7", "2001:db8:1:2::/64" },
		{ "user:0", "user:0" },
		{ "user:4294967295", "user:4294967295" },
		{ "unknown", "unknown" },
		{ "user:4294967296", NULL },
		{ "user:", NULL },
		{ "user:1x", NULL },
		{ "user:99999999999999999999", NULL },
		{ "", NULL },
		{ "somebody", NULL },
		{ "192.0.2", NULL },
	};
	struct addresses *all = addresses_new(FAILURES, BLOCK_S);
	char name[ADDRESS_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct address *a = address_named(all, span_str(rows[i].name));

		assert_int_equal(a == NULL, rows[i].back == NULL);
		if (a == NULL)
			continue;
		address_name(a, name);
		assert_string_equal(name, rows[i].back);
		address_close(all, a);
	}
	addresses_free(all);
}

static void
test_addresses(void **state)
{
	struct addresses *a = addresses_new(FAILURES, BLOCK_S);
	struct address *one = from(a, 1), *again = from(a, 1), *other = from(a, 2);
	uint64_t now = 100 * CLOCK_SECOND;

	(void)state;
	assert_ptr_equal(one, again);
	assert_int_equal(address_connections(one), 2);
	assert_int_equal(address_connections(other), 1);
	assert_ptr_equal(from_text(a, "::ffff:0.0.0.1"), one);
	for (unsigned i = 0; i < FAILURES - 1; i++)
		address_failed(a, one, now);
	assert_int_equal(address_blocked(one, now), 0);
	address_failed(a, one, now);
	assert_int_equal(address_blocked(one, now), BLOCK_S);
	assert_int_equal(address_blocked(other, now), 0);
	assert_int_equal(address_blocked(one, now + BLOCK_S * CLOCK_SECOND), 0);
	/* spread over more than a minute they do not count together */
	for (unsigned i = 0; i < 20; i++)
		address_failed(a, other, now + i * 20 * CLOCK_SECOND);
	assert_int_equal(address_blocked(other, now + 400 * CLOCK_SECOND), 0);
	/* a blocked address stays blocked when its last connection has gone */
	for (int i = 0; i < 3; i++)
		address_close(a, one);
	one = from(a, 1);
	assert_int_equal(address_blocked(one, now), BLOCK_S);
	address_close(a, one);
	address_close(a, other);
	addresses_sweep(a, now);
	one = from(a, 1);
	assert_int_equal(address_blocked(one, now), BLOCK_S);
	address_close(a, one);
	addresses_sweep(a, now + 1000 * CLOCK_SECOND);
	one = from(a, 1);
	assert_int_equal(address_blocked(one, now), 0);
	address_close(a, one);
	addresses_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_team), cmocka_unit_test(test_team_values),
		cmocka_unit_test(test_values_found), cmocka_unit_test(test_values_near),
		cmocka_unit_test(test_team_arguments),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_quarantine),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_address_names),
		cmocka_unit_test(test_parties),
	};
	int failed;

	if (sodium_init() < 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	buf_fini(&packed);
	return failed;
}
