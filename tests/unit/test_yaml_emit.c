// libs: carrel_project carrel_base
/* test_yaml_emit.c - what is written is read back as the same, and looks as people write it. */
#include "tests/unit/harness.h"

#include "base/mp.h"
#include "base/text/safe_text.h"
#include "project/format/yaml_emit.h"

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
		   " sql: \"select 1\\nfrom t\\n\", deep: [[a, b], {}], flag: true, none: ~}",
	    &out);
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
	static const char *const plain[] = { "a", "orders", "sum(amount)", "a.b = c.d", "x:y", "count(*)", "a#b",
		"r\xc3\xa9sum\xc3\xa9" };
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

/* UTF-8 of c; returns its length. */
static size_t
encode(uint32_t c, uint8_t out[4])
{
	if (c < 0x80)
		return out[0] = (uint8_t)c, 1;
	if (c < 0x800)
		return out[0] = (uint8_t)(0xc0 | c >> 6), out[1] = (uint8_t)(0x80 | (c & 63)), 2;
	if (c < 0x10000)
		return out[0] = (uint8_t)(0xe0 | c >> 12), out[1] = (uint8_t)(0x80 | (c >> 6 & 63)),
		       out[2] = (uint8_t)(0x80 | (c & 63)), 3;
	return out[0] = (uint8_t)(0xf0 | c >> 18), out[1] = (uint8_t)(0x80 | (c >> 12 & 63)),
	       out[2] = (uint8_t)(0x80 | (c >> 6 & 63)), out[3] = (uint8_t)(0x80 | (c & 63)), 4;
}

/* Written as a key, a word and a block of lines: nothing deceives, and it is read as it was. */
static void
hides_nothing(const char *before, uint32_t c, const char *after, bool kept)
{
	struct buf text = { 0 }, lines = { 0 }, out = { 0 };
	struct arena *a = arena_new(1 << 20);
	struct yaml_node items[2] = { { .kind = YAML_SCALAR, .quoted = true },
		{ .kind = YAML_SCALAR, .quoted = true } };
	struct yaml_node keys[2] = { { .kind = YAML_SCALAR, .quoted = true },
		{ .kind = YAML_SCALAR, .text = SPAN("lines") } };
	struct yaml_node map = { .kind = YAML_MAPPING, .n = 2, .items = items, .keys = keys };
	const struct yaml_node *read;
	struct err err = { 0 };
	uint8_t bytes[4];
	size_t n = encode(c, bytes);
	uint32_t found;

	buf_str(&text, before);
	buf_append(&text, bytes, n);
	buf_str(&text, after);
	buf_printf(&lines, "first\n");
	buf_span(&lines, buf_view(&text));
	buf_str(&lines, "\nlast");
	keys[0].text = items[0].text = buf_view(&text);
	items[1].text = buf_view(&lines);
	yaml_emit(&map, &out);
	for (size_t i = 0; i < out.len && !kept; i++)
		if ((out.p[i] < ' ' && out.p[i] != '\n') || out.p[i] == 0x7f ||
		    safe_text_hidden(out.p + i, out.len - i, &found) != 0)
			fail_msg("U+%04X stands in %s", (unsigned)c, buf_cstr(&out));
	if ((read = yaml_parse(a, buf_view(&out), &err)) == NULL)
		fail_msg("U+%04X: %s", (unsigned)c, err.message);
	assert_true(read->n == 2 && span_is(read->keys[0].text, buf_view(&text)) &&
	    span_is(read->items[0].text, buf_view(&text)) && span_is(read->items[1].text, buf_view(&lines)));
	buf_fini(&text);
	buf_fini(&lines);
	buf_fini(&out);
	arena_free(a);
}

static void
nothing_deceives(void **state)
{
	size_t n = 0;

	(void)state;
	for (uint32_t c = 1; c < 0x110000; c++) {
		if (!safe_text_deceives(c) || c == '\n' || c == '\t')
			continue;
		hides_nothing("a", c, "b", false);
		if (c % 16 == 2) {
			hides_nothing("", c, "", false);
			hides_nothing("\xd9\x85 ", c, "# x: ", false);
		}
		n++;
	}
	assert_true(n > 4000);
	/* between Persian letters a joiner is spelling */
	hides_nothing("\xd9\x85\xdb\x8c", 0x200c, "\xd8\xb1\xd9\x88\xd8\xaf", true);
	assert_true(yaml_is_plain_text(SPAN("\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb1")));
	assert_false(yaml_is_plain_text(SPAN("ad\xe2\x80\x8cmin")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_as_people_do),
		cmocka_unit_test(everything_survives),
		cmocka_unit_test(nothing_deceives),
		cmocka_unit_test(plain_text_is_plain_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
