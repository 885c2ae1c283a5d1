// libs: carrel_project carrel_base
/* test_wiki_words.c - words that wiki pages declare in tables. */
#include "tests/unit/harness.h"

#include "base/buf.h"
#include "project/model/wiki_words.h"

static const char *
words(const char *body)
{
	static struct buf out;
	struct wiki_words w;
	struct span word, means;

	buf_reset(&out, SIZE_MAX);
	wiki_words_begin(&w, &(struct wiki_page){ .body = span_str(body) });
	while (wiki_words_next(&w, &word, &means))
		buf_printf(&out, "%.*s=%.*s\n", SPAN_FMT(word), SPAN_FMT(means));
	return buf_cstr(&out);
}

#define HEAD	"| word | means |\n|---|---|\n"

static void
tables_are_read(void **state)
{
	static const char *const rows[][2] = {
		{ "# Glossary\n\n" HEAD "| revenue, Erlöse | `orders.revenue` |\n| rep | `owner` |\n\nText | `x` |\n",
		    "revenue=orders.revenue\nErlöse=orders.revenue\nrep=owner\n" },
		{ "|Word|MEANS|\n|:--|--:|\n|a|the measure `m.a` of m|\n", "a=m.a\n" },
		{ HEAD "| a | `m.a` or `m.b` |", "a=m.a\na=m.b\n" },
		{ HEAD "| a | m.a |\n| b |\n|  | `m.c` |\n| d | `` |\n| e | `m.e\n", "" },
		{ HEAD "| a | `m.a` |\nplain\n| b | `m.b` |\n", "a=m.a\n" },
		{ HEAD "| a | `x|y` |\n| b \\| c | `m.b` |\n", "a=x|y\nb \\| c=m.b\n" },
		{ "```\n" HEAD "| a | `m.a` |\n```\n" HEAD "| b | `m.b` |\n", "b=m.b\n" },
		{ "| word | means |\n| a | `m.a` |\n", "" },
		{ "| word | meaning |\n|---|---|\n| a | `m.a` |\n", "" },
		{ "  " HEAD "  | a | `m.a` | more |\n", "a=m.a\n" },
		{ HEAD HEAD "| a | `m.a` |\n", "a=m.a\n" },
		{ "", "" },
		{ "|", "" },
		{ HEAD, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(words(rows[i][0]), rows[i][1]);
}

static void
words_are_bounded(void **state)
{
	struct buf body = { 0 };
	struct wiki_words w;
	struct span word, means;
	unsigned n = 0;

	(void)state;
	buf_str(&body, HEAD);
	for (unsigned i = 0; i < 2 * WIKI_WORDS_MAX; i++)
		buf_printf(&body, "| w%u | `m.w` |\n", i);
	wiki_words_begin(&w, &(struct wiki_page){ .body = buf_view(&body) });
	while (wiki_words_next(&w, &word, &means))
		n++;
	assert_int_equal(n, WIKI_WORDS_MAX);
	body.len = 0;
	buf_str(&body, HEAD "| ");
	for (unsigned i = 0; i <= WIKI_WORD_BYTES_MAX; i++)
		buf_byte(&body, 'x');
	buf_str(&body, ", y | `m.y` |\n");
	assert_string_equal(words(buf_cstr(&body)), "y=m.y\n");
	buf_fini(&body);
}

/* What a run wrote is an agent's until a person approves it; what it added to a page, to the page's end. */
static void
agents_are_told_apart(void **state)
{
	static const char body[] = "# G\n\n" HEAD "| a | `m.a` |\n\n## N\n\n"
				   "*Added 2026-01-02 by local:1 (run mem-17-ab), about the connection w.*\n\n" HEAD
				   "| b | `m.b` |\n\n# Mine\n\n" HEAD "| c | `m.c` |\n";
	static const struct {
		const char *run, *status, *agents;
	} pages[] = { { "", "", "bc" }, { "mem-1", "", "abc" }, { "mem-1", "proposed", "abc" },
		{ "mem-1", "approved", "bc" } };

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		const struct wiki_page page = { .body = span_str(body), .run_id = span_str(pages[i].run),
			.status = span_str(pages[i].status) };
		struct buf agents = { 0 };
		struct span word, means;
		struct wiki_words w;

		wiki_words_begin(&w, &page);
		while (wiki_words_next(&w, &word, &means))
			if (w.agent)
				buf_span(&agents, word);
		assert_string_equal(buf_cstr(&agents), pages[i].agents);
		buf_fini(&agents);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_read),
		cmocka_unit_test(words_are_bounded), cmocka_unit_test(agents_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
