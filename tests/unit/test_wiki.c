// libs: carrel_project carrel_base
/* test_wiki.c - pages with and without front matter, with either line ends, and half of one. */
#include "tests/unit/harness.h"

#include "project/model/wiki.h"

static struct arena *a;
static struct wiki_page page;
static struct err err;

static int
parse(const char *text)
{
	err = (struct err){ 0 };
	return wiki_parse(a, span_str(text), &page, &err);
}

static void
assert_span(struct span s, const char *text)
{
	if (!span_is_str(s, text))
		fail_msg("\"%.*s\" is not \"%s\"", SPAN_FMT(s), text);
}

static void
a_page_is_matter_and_body(void **state)
{
	(void)state;
	assert_int_equal(
	    parse("---\nsummary: \"  what: it is \"\ntags: [a, 'b c', 7, true, \"8\", [x]]\n"
		  "refs: [other]\nsl_refs:\n  - orders.total\nusage_mode: auto\n---\n\n# Title\n\nText.\n\n"),
	    0);
	assert_span(page.summary, "what: it is");
	assert_int_equal(page.tags.n, 3);
	assert_span(page.tags.v[0], "a");
	assert_span(page.tags.v[1], "b c");
	assert_span(page.tags.v[2], "8");
	assert_int_equal(page.refs.n, 1);
	assert_span(page.sl_refs.v[0], "orders.total");
	assert_span(page.body, "# Title\n\nText.");
	assert_false(page.has_provenance);
}

static void
line_ends_do_not_matter(void **state)
{
	(void)state;
	assert_int_equal(parse("---\r\nsummary: s\r\ntags:\r\n  - t\r\n---\r\nOne\r\n\r\nTwo\rThree\r\n"), 0);
	assert_span(page.summary, "s");
	assert_span(page.tags.v[0], "t");
	assert_span(page.body, "One\n\nTwo\rThree");
	assert_int_equal(parse("\xef\xbb\xbf---\nsummary: s\n---\nB"), 0);
	assert_span(page.summary, "s");
	assert_span(page.body, "B");
}

static void
no_matter_is_fine(void **state)
{
	(void)state;
	assert_int_equal(parse("\n  Just text.\n---\nand a rule\n"), 0);
	assert_span(page.body, "Just text.\n---\nand a rule");
	assert_int_equal(page.summary.len, 0);
	assert_int_equal(parse("---\n---\nonly a body"), 0);
	assert_span(page.body, "only a body");
	assert_int_equal(parse("--- \nnot matter"), 0);
	assert_span(page.body, "--- \nnot matter");
	assert_int_equal(parse(""), 0);
	assert_int_equal(page.body.len, 0);
}

/* The first line that begins with dashes ends the matter, whatever follows them. */
static void
the_matter_ends_at_the_first_dashes(void **state)
{
	(void)state;
	assert_int_equal(parse("---\nsummary: s\n--- tail\nbody\n---\n"), 0);
	assert_span(page.body, "tail\nbody\n---");
}

static void
what_is_no_text_is_no_summary(void **state)
{
	(void)state;
	assert_int_equal(parse("---\nsummary: 2024\ntags: nothing\nrefs: {a: b}\n---\n"), 0);
	assert_int_equal(page.summary.len, 0);
	assert_int_equal(page.tags.n + page.refs.n, 0);
	assert_int_equal(parse("---\nsummary: no\n---\n"), 0);
	assert_span(page.summary, "no");
}

static void
provenance_is_what_a_run_wrote(void **state)
{
	(void)state;
	assert_int_equal(parse("---\nsummary: s\nauthor: local:1000\nat: 2026-03-01T10:00:00Z\n"
			       "run_id: 42\nstatus: proposed\n---\n"),
	    0);
	assert_true(page.has_provenance);
	assert_span(page.author, "local:1000");
	assert_span(page.at, "2026-03-01T10:00:00Z");
	assert_span(page.run_id, "42");
	assert_span(page.status, "proposed");
}

static void
half_a_page_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "---\nsummary: s\n", "closing" },
		{ "---\n", "closing" },
		{ "---", "closing" },
		{ "---\nsummary: [a\n---\nbody", "line" },
		{ "---\n- a\n---\nbody", "mapping" },
		{ "---\nsummary: a\nsummary: b\n---\n", "twice" },
		{ "caf\xe9", "UTF-8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (parse(rows[i].text) != -1)
			fail_msg("accepted: %s", rows[i].text);
		if (strstr(err.message, rows[i].why) == NULL)
			fail_msg("%s: %s", rows[i].text, err.message);
	}
}

static void
keys_are_suggested(void **state)
{
	static const char *const rows[][2] = {
		{ "../outside", "outside" }, { "reports/Q1 notes", "reports-Q1-notes" }, { " a//b\\c ", "a-b-c" },
		{ "global/revenue", "global-revenue" }, { "--x__", "x" }, { "\xc3\xbc\xc3\xa4", "page-key" },
		{ "", "page-key" }, { "a.md", "a-md" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b = { 0 };

		wiki_suggest_key(span_str(rows[i][0]), &b);
		assert_string_equal(buf_cstr(&b), rows[i][1]);
		buf_fini(&b);
	}
}

static int
set_up(void **state)
{
	(void)state;
	a = arena_new(1 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(a);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_is_matter_and_body),
		cmocka_unit_test(line_ends_do_not_matter),
		cmocka_unit_test(no_matter_is_fine),
		cmocka_unit_test(the_matter_ends_at_the_first_dashes),
		cmocka_unit_test(what_is_no_text_is_no_summary),
		cmocka_unit_test(provenance_is_what_a_run_wrote),
		cmocka_unit_test(half_a_page_is_refused),
		cmocka_unit_test(keys_are_suggested),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
