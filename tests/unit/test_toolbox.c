// libs: carrel_cli carrel_project carrel_base
/* MCP Toolbox's configuration: which of its tools are tools here, with which statement, and why the others are not. */
#include "tests/unit/harness.h"

#include "cli/research/toolbox.h"

static struct arena *arena;

static struct toolbox_tool *
only_tool(const char *text)
{
	struct toolbox_tool *t;
	struct err err;
	size_t n;

	t = toolbox_read(arena, span_str(text), &n, &err);
	if (t == NULL)
		fail_msg("%s: %s", text, err.message);
	if (n != 1)
		fail_msg("%s: %zu tools", text, n);
	return t;
}

#define HEAD	"tools: {t: {source: s, description: d, "
#define N	", parameters: [{name: a, type: integer, description: d}, {name: bC, type: string, description: d}]}}"

static void
test_statements(void **state)
{
	static const struct {
		const char *text, *sql, *sample;
	} rows[] = {
		{ HEAD "kind: postgres-sql, statement: 'SELECT $1::int, $2, $1'" N, "SELECT :a::int, :b_c, :a",
		    "SELECT 1::int, NULL, 1" },
		{ HEAD "kind: postgres-sql, statement: 'SELECT $2||v[1:2], x::text, $1 ; ;'" N,
		    "SELECT :b_c||v[1: 2], x::text, :a", "SELECT NULL||v[1:2], x::text, 1" },
		{ HEAD "kind: postgres-sql, statement: \"SELECT '$1', $$ $1 $$, j ? 'k', $1, $2 -- $3\"" N,
		    "SELECT '$1', $$ $1 $$, j ? 'k', :a, :b_c -- $3", "SELECT '$1', $$ $1 $$, j ? 'k', 1, NULL -- $3" },
		{ HEAD "kind: sqlite-sql, statement: 'SELECT ? WHERE x=?AND 1'" N, "SELECT :a WHERE x=:b_c AND 1",
		    "SELECT 1 WHERE x=NULL AND 1" },
		{ HEAD "kind: sqlite-sql, statement: 'SELECT ?2, ?1, [?]'" N, "SELECT :b_c, :a, [?]",
		    "SELECT NULL, 1, [?]" },
		{ HEAD "kind: mysql-sql, statement: 'SELECT ?, `?`, ? # ?'" N, "SELECT :a, `?`, :b_c # ?",
		    "SELECT 1, `?`, NULL # ?" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct toolbox_tool *t = only_tool(rows[i].text);

		if (t->reason != NULL)
			fail_msg("%s: %s", rows[i].text, t->reason);
		assert_string_equal(t->sql, rows[i].sql);
		assert_string_equal(t->sample, rows[i].sample);
	}
}

#define P(more)	HEAD "kind: sqlite-sql, statement: 'SELECT ?', parameters: [{name: a, description: d, " more "}]}}"

static void
test_reasons(void **state)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{ HEAD "kind: bigquery-sql, statement: 'SELECT 1'}}", "of the kind bigquery-sql" },
		{ "tools: {t: {statement: 'SELECT 1'}}", "of the kind of none" },
		{ "tools: {t: {kind: sqlite-sql, statement: 'SELECT 1', description: d}}", "lacks statement, source" },
		{ "tools: {'ä': {kind: sqlite-sql, source: s, statement: 'SELECT 1', description: d}}",
		    "cannot be called" },
		{ HEAD "kind: sqlite-sql, statement: 'SELECT {{.t}}', templateParameters: []}}", "templateParameters" },
		{ HEAD "kind: sqlite-sql, statement: 'SELECT 1', authRequired: [a]}}", "authRequired" },
		{ HEAD "kind: sqlite-sql, statement: 'SELECT ?, ?, ?'" N, "placeholder without a parameter" },
		{ HEAD "kind: postgres-sql, statement: 'SELECT $3, $1, $2'" N, "placeholder without a parameter" },
		{ HEAD "kind: postgres-sql, statement: 'SELECT $0, $1, $2'" N, "placeholder without a parameter" },
		{ HEAD "kind: sqlite-sql, statement: 'SELECT ?'" N, "does not use the parameter b_c" },
		{ P("type: array"), "of the type array" },
		{ P("type: date"), "of the type date" },
		{ P("type: string, authServices: []"), "authServices" },
		{ P("type: string, excludedValues: [a]"), "excludedValues" },
		{ P("type: string, allowedValues: ['E.*']"), "patterns" },
		{ P("type: integer, allowedValues: [a]"), "not of its type" },
		{ P("type: integer, default: x"), "not of its type" },
		{ P("type: string, allowedValues: [a, b], default: c"), "default is not one of" },
		{ P("type: string, allowedValues: [a, b], default: b"), NULL },
		{ P("type: string, required: perhaps"), "required is neither" },
		{ P("type: string, allowedValues: [EU, 'US-1 a']"), NULL },
		{ P("type: float, minValue: 0.5, maxValue: 2, required: false"), NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct toolbox_tool *t = only_tool(rows[i].text);

		if (rows[i].reason == NULL ? t->reason != NULL :
					     t->reason == NULL || strstr(t->reason, rows[i].reason) == NULL)
			fail_msg("%s: %s", rows[i].text, t->reason);
	}
}

/* The newer form has a document for each thing. */
static void
test_documents(void **state)
{
	static const char text[] =
	    "# all\nkind: sources\nname: s\ntype: sqlite\n---\nkind: tools\nname: one-two\ntype: sqlite-sql\n"
	    "source: s\ndescription: d\nstatement: |\n  SELECT '\n  ---x'\n---\nkind: toolsets\nname: t\n";
	static const char *const others[] = { "", "a: 1", "[1]", "tools: [a]", "---\n---\n" };
	const struct toolbox_tool *t = only_tool(text);
	struct err err;
	size_t n;

	(void)state;
	assert_null(t->reason);
	assert_string_equal(t->name, "one_two");
	assert_string_equal(t->called, "one-two");
	assert_string_equal(t->driver, "sqlite");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_null(toolbox_read(arena, span_str(others[i]), &n, &err));
	assert_null(toolbox_read(arena, SPAN("tools: {a: *b}"), &n, &err));
}

/* One tool more than there is room for is an error, none is left out unsaid. */
static void
test_room(void **state)
{
	struct buf text = { 0 };
	struct err err;
	size_t n;

	(void)state;
	buf_str(&text, "tools:\n");
	for (size_t i = 0; i < 1000; i++)
		buf_printf(&text, "  t%zu: {kind: sqlite-sql, source: s, description: d, statement: SELECT 1}\n", i);
	assert_non_null(toolbox_read(arena, buf_view(&text), &n, &err));
	assert_int_equal(n, 1000);
	buf_str(&text, "  more: {kind: sqlite-sql, source: s, description: d, statement: SELECT 1}\n");
	assert_null(toolbox_read(arena, buf_view(&text), &n, &err));
	assert_non_null(strstr(err.message, "more than 1000 tools"));
	buf_fini(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_statements), cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_documents), cmocka_unit_test(test_room) };
	int failed;

	arena = arena_new((size_t)64 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return failed;
}
