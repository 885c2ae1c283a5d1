// libs: carrel_cli
/* test_cli_draw.c - charts in a terminal and as SVG, against tests/golden/charts; pages; texts that are no charts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/show/draw.h"
#include "cli/show/page_html.h"
#include "cli/show/svg.h"
#include "cli/show/table_text.h"
#include "tests/unit/harness.h"

#define GOLDEN SOURCE_DIR "/tests/golden/charts/"

static const char *const names[] = { "bars", "lying", "line", "lines", "slices", "points" };
static struct arena *arena;

static int
begin_test(void **state)
{
	(void)state;
	arena = arena_new(1u << 24);
	return arena == NULL;
}

static int
end_test(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static struct buf
read_golden(const char *name, const char *kind)
{
	struct buf text = { 0 };
	char path[256], block[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s%s.%s", GOLDEN, name, kind);
	if ((f = fopen(path, "rb")) == NULL)
		return text;
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buf_append(&text, block, n);
	fclose(f);
	return text;
}

/* CARREL_GOLDEN=write writes what is drawn now. */
static void
holds_golden(const char *name, const char *kind, const struct buf *drawn)
{
	struct buf golden = read_golden(name, kind);
	char path[256];

	if (getenv("CARREL_GOLDEN") != NULL) {
		FILE *f;

		snprintf(path, sizeof(path), "%s%s.%s", GOLDEN, name, kind);
		assert_non_null(f = fopen(path, "wb"));
		assert_int_equal(fwrite(drawn->p, 1, drawn->len, f), drawn->len);
		assert_int_equal(fclose(f), 0);
	} else if (!span_is(buf_view(drawn), buf_view(&golden)))
		fail_msg("%s.%s is drawn as\n%.*s", name, kind, SPAN_FMT(buf_view(drawn)));
	buf_fini(&golden);
}

static struct view
chart_of(const char *name)
{
	struct buf text = read_golden(name, "json");
	struct view chart = view_of(arena_span(arena, buf_view(&text)));

	assert_int_equal(chart.kind, VIEW_OBJECT);
	buf_fini(&text);
	return chart;
}

/* No line is wider, and nothing but text and line ends is in it. */
static void
fits(const struct buf *drawn, size_t width)
{
	const uint8_t *p = drawn->p, *end = p + drawn->len;

	while (p < end) {
		const uint8_t *stop = memchr(p, '\n', (size_t)(end - p));

		assert_non_null(stop);
		if (table_width(span_of(p, (size_t)(stop - p))) > width)
			fail_msg("wider than %zu: %.*s", width, (int)(stop - p), (const char *)p);
		for (; p < stop; p++)
			assert_true(*p >= 0x20);
		p++;
	}
}

static void
draws_in_terminals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		static const unsigned widths[] = { 72, 34, 16 };
		struct buf all = { 0 }, one = { 0 };

		for (size_t w = 0; w < 3; w++) {
			buf_reset(&one, 1u << 16);
			draw_chart(arena, chart_of(names[i]), false, widths[w], false, &one);
			assert_true(one.len > 0);
			buf_printf(&all, "--- %u columns\n", widths[w]);
			buf_span(&all, buf_view(&one));
		}
		holds_golden(names[i], "txt", &all);
		for (unsigned width = 1; width < 130; width++) {
			buf_reset(&one, 1u << 16);
			draw_chart(arena, chart_of(names[i]), false, width, false, &one);
			fits(&one, width < DRAW_WIDTH_LEAST ? DRAW_WIDTH_LEAST : width);
		}
		buf_fini(&all);
		buf_fini(&one);
	}
}

/* What is coloured is the same text between colours. */
static void
draws_in_colours(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buf plain = { 0 }, coloured = { 0 }, stripped = { 0 };

		draw_chart(arena, chart_of(names[i]), false, 60, false, &plain);
		draw_chart(arena, chart_of(names[i]), false, 60, true, &coloured);
		assert_true(coloured.len > plain.len);
		for (size_t j = 0; j < coloured.len; j++) {
			if (coloured.p[j] == 0x1b)
				while (coloured.p[j] != 'm')
					j++;
			else
				buf_byte(&stripped, coloured.p[j]);
		}
		assert_true(span_is(buf_view(&stripped), buf_view(&plain)));
		buf_fini(&plain);
		buf_fini(&coloured);
		buf_fini(&stripped);
	}
}

static void
draws_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct picture p;
		struct buf out = { 0 };

		assert_true(picture_read(&p, arena, chart_of(names[i]), false));
		svg_put(&out, &p, true);
		holds_golden(names[i], "svg", &out);
		assert_lacks(buf_cstr(&out), "<b>");
		assert_lacks(buf_cstr(&out), "\x1b");
		assert_lacks(buf_cstr(&out), "\xe2\x80\xae");
		assert_lacks(buf_cstr(&out), "nan");
		assert_lacks(buf_cstr(&out), "inf");
		assert_lacks(buf_cstr(&out), "script");
		buf_fini(&out);
	}
}

/* Digits that a double does not hold are shown as they are. */
static void
shows_digits_of_long_numbers(void **state)
{
	static const char *const charts[] = {
		"{\"type\":\"bar\",\"title\":\"t\",\"categories\":[\"a\",\"b\"],\"layout\":\"horizontal\",\"series\":"
		"[{\"label\":\"s\",\"data\":[9007199254740992,1],\"digits\":[\"9007199254740993\",null]}]}",
		"{\"type\":\"pie\",\"title\":\"t\",\"slices\":[{\"label\":\"a\",\"value\":9007199254740992,"
		"\"digits\":\"9007199254740993\"},{\"label\":\"b\",\"value\":1}]}",
		"{\"type\":\"scatter\",\"title\":\"t\",\"points\":[{\"x\":9007199254740992,\"xDigits\":"
		"\"9007199254740993\",\"y\":2},{\"x\":1,\"y\":9007199254740992,\"digits\":\"9007199254740993\"}]}" };

	(void)state;
	for (size_t i = 0; i < sizeof(charts) / sizeof(charts[0]); i++) {
		struct buf out = { 0 };
		struct picture p;

		assert_true(picture_read(&p, arena, view_of(span_str(charts[i])), false));
		svg_put(&out, &p, true);
		assert_holds(buf_cstr(&out), "9,007,199,254,740,993");
		out.len = 0;
		draw_chart(arena, view_of(span_str(charts[i])), false, 80, false, &out);
		if (p.type != PICTURE_POINTS)
			assert_holds(buf_cstr(&out), "9,007,199,254,740,993");
		buf_fini(&out);
	}
}

/* Figures of any size have a place on the drawing. */
static void
draws_any_figures(void **state)
{
	static const char *const figures[] = { "[0,0]", "[1e299,-1e299]", "[5e-324,0]", "[7,7]", "[-3,-3]", "[1e308,1]",
		"[0.1,0.2]", "[null,1]", "[1e15,1e15]" };
	static const char *const kinds[] = { "bar", "line" };

	(void)state;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		for (size_t k = 0; k < 2; k++) {
			const char *text = arena_printf(arena,
			    "{\"type\":\"%s\",\"title\":\"t\",\"categories\":[\"a\",\"b\"],\"layout\":\"%s\","
			    "\"series\":"
			    "[{\"label\":\"s\",\"data\":%s}]}",
			    kinds[k], i % 2 == 0 ? "horizontal" : "vertical", figures[i]);
			struct buf out = { 0 };
			struct picture p;

			assert_true(picture_read(&p, arena, view_of(span_str(text)), false));
			svg_put(&out, &p, true);
			assert_lacks(buf_cstr(&out), "nan");
			assert_lacks(buf_cstr(&out), "inf");
			out.len = 0;
			draw_chart(arena, view_of(span_str(text)), false, 16, false, &out);
			fits(&out, 16);
			buf_fini(&out);
		}
}

static void
draws_nothing_of_nothing(void **state)
{
	static const char *const texts[] = { "{}", "[]", "", "null", "{\"type\":\"bar\"}",
		"{\"type\":\"pie\",\"slices\":[]}",
		"{\"type\":\"scatter\",\"points\":{}}", "{\"type\":\"cube\",\"categories\":[\"a\"],\"series\":[]}",
		"{\"type\":\"line\",\"categories\":[\"a\"],\"series\":[{\"label\":\"x\",\"data\":[null]}]}",
		"{\"type\":\"bar\",\"categories\":[\"a\",\"b\"],\"series\":[{\"label\":\"x\",\"data\":\"1\"}]}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf out = { 0 };
		struct picture p;

		assert_false(picture_read(&p, arena, view_of(span_str(texts[i])), false));
		draw_chart(arena, view_of(span_str(texts[i])), false, 80, false, &out);
		assert_int_equal(out.len, 0);
		buf_fini(&out);
	}
}

/* Numbers, periods and headings are those of the question's language; keys are names. */
static void
pages_have_the_language_of_the_question(void **state)
{
	static const char answer[] = "{\"status\":\"answered\",\"interpretation\":{\"language\":\"de\",\"granularity\":"
				     "\"month\",\"grain\":[\"Monat\"]},"
				     "\"narrative\":\"x\",\"charts\":[{\"type\":\"bar\",\"title\":\"T\",\"categories\":"
				     "[\"a\",\"b\"],\"series\":[{\"label\":"
				     "\"n\",\"data\":[1234.5,2]}]}],\"rows\":{\"headers\":[\"Monat\",\"n\"],\"data\":[["
				     "\"2025-03-01\",\"12345678901234567.89\"],"
				     "[null,null],[\"2025-04-01\",-1234.5]],\"truncated\":true},\"caveats\":[\"c\"],"
				     "\"assumptions\":[\"a\"],\"lineage\":{"
				     "\"sql\":\"S\",\"connectionId\":\"w\"},"
				     "\"checks\":[{\"id\":\"V8\",\"outcome\":\"not_applicable\"}]}";
	struct buf page = { 0 };

	(void)state;
	page_put(arena, &page, SPAN("?"), view_of(span_str(answer)));
	assert_holds(buf_cstr(&page), "<html lang=\"de\">");
	assert_holds(buf_cstr(&page), "<td>März 2025</td><td class=\"n\">12.345.678.901.234.567,89</td>");
	assert_holds(buf_cstr(&page), "<td class=\"none\">(ohne)</td><td class=\"none\">–</td>");
	assert_holds(buf_cstr(&page), "<td>April 2025</td><td class=\"n\">-1.234,50</td>");
	assert_holds(buf_cstr(&page), "a: 1.234,50</title>");
	assert_holds(buf_cstr(&page), "<h2>Zu beachten</h2>");
	assert_holds(buf_cstr(&page), "<h2>Angenommen</h2>");
	assert_holds(buf_cstr(&page), "<h2>Zeilen</h2>");
	assert_holds(buf_cstr(&page), "Es gibt mehr Zeilen");
	assert_holds(buf_cstr(&page), "<h2>Wie es berechnet wurde</h2>");
	assert_holds(buf_cstr(&page), "Prüfungen: V8 entfällt.");
	buf_fini(&page);
}

/* Counts are drawn from zero, and their axis has no fractions. */
static void
axes_of_counts_are_whole(void **state)
{
	static const char
	    counts[] = "{\"type\":\"line\",\"title\":\"T\",\"categories\":[\"a\",\"b\",\"c\"],\"series\":[{\"label\":"
		       "\"n\",\"data\":[7,6,7]}]}",
	    prices[] = "{\"type\":\"line\",\"title\":\"T\",\"categories\":[\"a\",\"b\",\"c\"],\"series\":[{\"label\":"
		       "\"n\",\"data\":[7,6.5,7]}]}";
	struct picture p;
	struct buf out = { 0 };

	(void)state;
	assert_true(picture_read(&p, arena, view_of(span_str(counts)), false));
	svg_put(&out, &p, false);
	assert_holds(buf_cstr(&out), "class=\"end\">0</text>");
	assert_lacks(buf_cstr(&out), "6.20");
	buf_reset(&out, SIZE_MAX);
	assert_true(picture_read(&p, arena, view_of(span_str(prices)), false));
	svg_put(&out, &p, false);
	assert_lacks(buf_cstr(&out), "class=\"end\">0</text>");
	buf_fini(&out);
}

/* Texts of the answer are text in the page, whatever they hold. */
static void
makes_pages(void **state)
{
	static const char answer[] =
	    "{\"status\":\"answered\",\"narrative\":\"- **a\\\\*b**: <script>1</script>\\n- c\\n\\nend **open\","
	    "\"charts\":[],\"rows\":{\"headers\":[\"<i>\"],\"data\":[[\"</td>\"],[1234.5],[null]],\"truncated\":true},"
	    "\"caveats\":[\"\\\"&\\u0007\"],\"assumptions\":[],\"lineage\":{\"sql\":\"SELECT '<x>'\","
	    "\"connectionId\":\"w\"},\"checks\":[{\"id\":\"V1\",\"outcome\":\"passed\"}]}";
	struct buf page = { 0 };

	(void)state;
	page_put(arena, &page, SPAN("</title><script>alert(1)</script>"), view_of(span_str(answer)));
	assert_lacks(buf_cstr(&page), "<script");
	assert_lacks(buf_cstr(&page), "<i>");
	assert_lacks(buf_cstr(&page), "<x>");
	assert_lacks(buf_cstr(&page), "\a");
	assert_holds(buf_cstr(&page),
	    "<ul>\n<li><strong>a*b</strong>: &lt;script&gt;1&lt;/script&gt;</li>\n<li>c</li>\n</ul>\n");
	assert_holds(buf_cstr(&page), "<p>end <strong>open</strong></p>");
	assert_holds(buf_cstr(&page), "<td class=\"n\">1,234.50</td>");
	assert_holds(buf_cstr(&page), "<td>&lt;/td&gt;</td>");
	assert_holds(buf_cstr(&page), "There are more rows");
	assert_holds(buf_cstr(&page), "default-src 'none'");
	assert_holds(buf_cstr(&page), "Checks: V1 passed.");
	assert_false(page_put_svg(arena, &page, view_of(span_str(answer))));
	buf_fini(&page);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(draws_in_terminals, begin_test, end_test),
		cmocka_unit_test_setup_teardown(draws_in_colours, begin_test, end_test),
		cmocka_unit_test_setup_teardown(draws_files, begin_test, end_test),
		cmocka_unit_test_setup_teardown(draws_any_figures, begin_test, end_test),
		cmocka_unit_test_setup_teardown(shows_digits_of_long_numbers, begin_test, end_test),
		cmocka_unit_test_setup_teardown(draws_nothing_of_nothing, begin_test, end_test),
		cmocka_unit_test_setup_teardown(makes_pages, begin_test, end_test),
		cmocka_unit_test_setup_teardown(pages_have_the_language_of_the_question, begin_test, end_test),
		cmocka_unit_test_setup_teardown(axes_of_counts_are_whole, begin_test, end_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
