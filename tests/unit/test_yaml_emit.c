// libs: carrel_project carrel_base
/* test_yaml_emit.c - what is written is read back as the same, and looks as people write it. */
#include "tests/unit/harness.h"

#include "base/mp.h"
#include "project/yaml_emit.h"

/* The tree of text, written anew, into out; fails unless it reads as the same value. */
static void
round_trip(const char *text, struct buf *out)
{
	struct arena *a = arena_new(4 << 20);
	struct err err = { 0 };
	const struct yaml_node *once = yaml_parse(a, span_str(text), &err), *twice;
	struct buf x = { 0 }, y = { 0 };

	if (once == NULL)
		fail_msg("%s: %s", text, err.message);
	yaml_emit(once, out);
	twice = yaml_parse(a, buf_view(out), &err);
	if (twice == NULL)
		fail_msg("%s\nbecomes\n%s\n%s", text, buf_cstr(out), err.message);
	yaml_to_mp(once, &x);
	yaml_to_mp(twice, &y);
	if (!span_is(buf_view(&x), buf_view(&y)))
		fail_msg("%s\nis not the same as\n%s", text, buf_cstr(out));
	buf_fini(&x);
	buf_fini(&y);
	arena_free(a);
}

static void
writes_as_people_do(void **state)
{
	struct buf out = { 0 };

	(void)state;
	round_trip("{name: orders, grain: [id], joins: [], columns: [{name: id, type: number}, {name: 'on', m: 007}],"
	    " sql: \"select 1\\nfrom t\\n\", deep: [[a, b], {}], flag: true, none: ~}", &out);
	assert_string_equal(buf_cstr(&out),
	    "name: orders\n"
	    "grain:\n"
	    "  - id\n"
	    "joins: []\n"
	    "columns:\n"
	    "  - name: id\n"
	    "    type: number\n"
	    "  - name: \"on\"\n"
	    "    m: 007\n"
	    "sql: |\n"
	    "  select 1\n"
	    "  from t\n"
	    "deep:\n"
	    "  -\n"
	    "    - a\n"
	    "    - b\n"
	    "  - {}\n"
	    "flag: true\n"
	    "none: null\n");
	buf_fini(&out);
}

static void
everything_survives(void **state)
{
	static const char *const rows[] = {
		"a", "~", "[]", "{}", "- a\n- b", "'yes'", "\"no\"", "'12'", "12", "-1.5e3", "'-1'", "'1:30'",
		"'2024-01-01'", "'~'", "''", "' x '", "'a: b'", "'a #b'", "'#a'", "'- a'", "'[x'", "'{x'", "'*x'",
		"'&x'", "'!x'", "'|x'", "'>x'", "'%x'", "'@x'", "'`x'", "'\"x'", "\"'x\"", "'a:'", "'?'", "'? a'",
		"\"tab\\there\"", "\"bell\\a\"", "\"\\x7f\"", "\"nel\\N\"", "\"ls\\L ps\\P\"", "\"bom\\uFEFFx\"",
		"\"back\\\\slash \\\"quoted\\\"\"", "\"line one\\nline two\"", "\"line\\n\"", "\"line\\n\\n\"",
		"\"\\nfirst empty\"", "\"  indented\\nfirst\"", "\"a\\n\\n  b\\n c\"", "\"a \\nb\"", "\"x\\ty\\nz\"",
		"{\"on\": \"true\", \"1\": 2, \"a: b\": c, \"\": e}", "{a: {b: {c: [1, [2, [3]]]}}}",
		"[[[]]]", "[{a: 1, b: [x]}, {c: {d: 2}}]", "{t: \"trailing\\n\\n\", u: after}", "M\xc3\xbcller", "'0x1F'",
		"'.inf'", "'NaN'", "'='", "'<<'", "'n'", "'Y'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = { 0 };

		round_trip(rows[i], &out);
		buf_fini(&out);
	}
}

/* A reader of YAML 1.1 must not make something else of our plain text. */
static void
plain_text_is_plain_everywhere(void **state)
{
	static const char *const plain[] = { "a", "orders", "sum(amount)", "a.b = c.d", "x:y", "count(*)", "a#b", "r\xc3\xa9sum\xc3\xa9" };
	static const char *const quoted[] = {
		"", "on", "Off", "YES", "n", "~", "null", "1", "-x", "+1", ".5", "a: b", "a #b", "a:", " a", "a ", "@x",
		"\xc2\x85", "\xe2\x80\xa8", "a\nb", "=", "<<", "0o7", "12:30"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!yaml_is_plain_text(span_str(plain[i])))
			fail_msg("quoted for nothing: %s", plain[i]);
	for (size_t i = 0; i < sizeof(quoted) / sizeof(quoted[0]); i++)
		if (yaml_is_plain_text(span_str(quoted[i])))
			fail_msg("not quoted: %s", quoted[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_as_people_do),
		cmocka_unit_test(everything_survives),
		cmocka_unit_test(plain_text_is_plain_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
