// libs: carrel_search carrel_base
/* test_search_text.c - words out of text: splitting, folding, stems, distances, snippets. */
#include "tests/unit/harness.h"

#include <stdio.h>

#include "words/text.h"

/* The words of text, joined by blanks. */
static const char *
words(const char *text)
{
	static struct buf b;
	struct text_reader r;
	struct text_word w;

	b.len = 0;
	text_begin(&r, span_str(text));
	while (text_next(&r, &w)) {
		assert_true(w.at < w.end && w.end <= strlen(text));
		if (b.len > 0)
			buf_byte(&b, ' ');
		buf_span(&b, w.folded);
	}
	return buf_cstr(&b);
}

static void
identifiers_are_split_like_prose(void **state)
{
	static const char *const rows[][2] = {
		{ "order_id", "order id" },
		{ "orderId", "order id" },
		{ "OrderID", "order id" },
		{ "ORDER ID", "order id" },
		{ "order-id", "order id" },
		{ "HTTPServer", "http server" },
		{ "parseHTTP2Frame", "parse http 2 frame" },
		{ "KPIs and URLs", "kpis and urls" },
		{ "sales2024q1", "sales 2024 q 1" },
		{ "a.b.c", "a b c" },
		{ "", "" },
		{ " ,;!? ", "" },
		{ "x", "x" },
		{ "count(*)", "count" },
		{ "IDs", "ids" },
		{ "AxB", "ax b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(words(rows[i][0]), rows[i][1]) != 0)
			fail_msg("%s gives \"%s\"", rows[i][0], words(rows[i][0]));
}

static void
every_script_is_folded(void **state)
{
	static const char *const rows[][2] = {
		{ "STRASSE Straße", "strasse strasse" }, { "ÄRGER Müller", "ärger müller" },
		{ "cafe\xcc\x81 café", "café café" }, { "Ｏｒｄｅｒ＿ｉｄ", "order id" }, { "ﬁnance", "finance" },
		{ "ΣΊΣΥΦΟΣ", "σίσυφοσ" }, { "ПриветМир", "привет мир" }, { "売上高", "売上 上高" }, { "日", "日" },
		{ "売上 revenue月", "売上 revenue 月" }, { "한국어 매출", "한국어 매출" }, { "٣ items", "٣ items" },
		{ "naïveBayes", "naïve bayes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(words(rows[i][0]), rows[i][1]) != 0)
			fail_msg("%s gives \"%s\"", rows[i][0], words(rows[i][0]));
}

static void
long_words_are_cut_at_a_character(void **state)
{
	char text[300];
	struct text_reader r;
	struct text_word w;

	(void)state;
	for (size_t i = 0; i < 298; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text_begin(&r, span_of(text, 298));
	assert_true(text_next(&r, &w));
	assert_int_equal(w.folded.len, TEXT_WORD_MAX);
	assert_int_equal(w.end, 298);
	assert_false(text_next(&r, &w));
}

static void
stems_bring_forms_together(void **state)
{
	static const char *const rows[][2] = {
		{ "orders", "order" }, { "ordering", "order" }, { "customers", "custom" }, { "id", "id" },
		{ "refunded", "refund" }, { "straße", "straße" }, { "2024", "2024" }, { "as", "as" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t out[TEXT_WORD_MAX];
		size_t n = text_stem(span_str(rows[i][0]), out);

		if (!span_is_str(span_of(out, n), rows[i][1]))
			fail_msg("%s gives \"%.*s\"", rows[i][0], (int)n, out);
	}
}

static void
distances_count_swaps_as_one(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned max, d;
	} rows[] = {
		{ "customer", "cutsomer", 2, 1 },
		{ "customer", "customer", 2, 0 },
		{ "order", "border", 2, 1 },
		{ "order", "odrer", 1, 1 },
		{ "müller", "muller", 1, 1 },
		{ "abc", "xyz", 2, 3 },
		{ "a", "abcdef", 2, 3 },
		{ "", "ab", 3, 2 },
		{ "ab", "", 1, 2 },
		{ "kitten", "sitting", 5, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (text_distance(span_str(rows[i].a), span_str(rows[i].b), rows[i].max) != rows[i].d)
			fail_msg("%s %s: %u", rows[i].a, rows[i].b,
			    text_distance(span_str(rows[i].a), span_str(rows[i].b), rows[i].max));
}

static void
folding_compares_names(void **state)
{
	(void)state;
	assert_true(text_is_same(SPAN("Orders"), SPAN("ORDERS")));
	assert_true(text_is_same(SPAN("Stra\xc3\x9f"
				      "e"),
	    SPAN("STRASSE")));
	assert_true(text_is_same(SPAN(""), SPAN("")));
	assert_false(text_is_same(SPAN("order_id"), SPAN("orderid")));
	assert_false(text_is_same(SPAN("caf\xc3\xa9"), SPAN("cafe")));
}

static void
snippets_are_short_and_whole(void **state)
{
	char text[900];
	struct buf b = { 0 };

	(void)state;
	text_snippet(SPAN("  a \n\t b\xc2\xa0\xc2\xa0"
			  "c  "),
	    0, TEXT_SNIPPET_MAX, &b);
	assert_buf(&b, "a b c");
	b.len = 0;
	text_snippet(SPAN("one two three"), 3, TEXT_SNIPPET_MAX, &b);
	assert_buf(&b, "two three");
	b.len = 0;
	for (size_t i = 0; i < 800; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text_snippet(span_of(text, 800), 0, TEXT_SNIPPET_MAX, &b);
	assert_int_equal(b.len, 400);
	b.len = 0;
	memset(text, 'x', 199);
	memcpy(text + 199, " yyy", 4);
	text_snippet(span_of(text, 203), 0, TEXT_SNIPPET_MAX, &b);
	assert_int_equal(b.len, 199);
	b.len = 0;
	text_snippet(SPAN(" \n "), 0, TEXT_SNIPPET_MAX, &b);
	assert_int_equal(b.len, 0);
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identifiers_are_split_like_prose),
		cmocka_unit_test(every_script_is_folded),
		cmocka_unit_test(long_words_are_cut_at_a_character),
		cmocka_unit_test(stems_bring_forms_together),
		cmocka_unit_test(distances_count_swaps_as_one),
		cmocka_unit_test(folding_compares_names),
		cmocka_unit_test(snippets_are_short_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
