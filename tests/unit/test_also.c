// libs: carrel_project carrel_base
/* test_also.c - other names of a thing out of its description. */
#include "tests/unit/harness.h"

#include "base/buf.h"
#include "project/model/also.h"

/* The names of text, each between bars. */
static const char *
names(const char *text)
{
	static struct buf out;
	struct also also;
	struct span name;

	buf_reset(&out, SIZE_MAX);
	also_begin(&also, span_str(text));
	while (also_next(&also, &name)) {
		buf_byte(&out, '|');
		buf_span(&out, name);
	}
	return buf_cstr(&out);
}

static const char *
rest(const char *text)
{
	static struct buf out;

	buf_reset(&out, SIZE_MAX);
	also_without(span_str(text), &out);
	return buf_cstr(&out);
}

static void
sentences_are_read(void **state)
{
	static const char *const rows[][3] = {
		{ "Accounts. Also called customers, clients, Kunden.", "|customers|clients|Kunden", "Accounts." },
		{ "Also called turnover.", "|turnover", "" },
		{ "also called turnover", "|turnover", "" },
		{ "Sold. Also called a, b. Net of tax. Also called c or d; e.", "|a|b|c|d|e", "Sold. Net of tax." },
		{ "Sold (also called turnover, sales) in euros.", "|turnover|sales", "Sold in euros." },
		{ "Sold.\nAlso called\n  gross\n  sales,\n  takings.", "|gross\n  sales|takings", "Sold." },
		{ "Sold. Also called U.S. revenue, No. 1.", "|U.S. revenue|No", "Sold. 1." },
		{ "Sold! Also called v1.2, \"quoted\", “typeset”, `code`. Rest", "|v1.2|quoted|typeset|code",
		    "Sold! Rest" },
		{ "Sold. Also called a, b, and c.", "|a|b|c", "Sold." },
		{ "Sold. Also called profit and loss.", "|profit and loss", "Sold." },
		{ "Sold. Also called Erlöse, fällig am.", "|Erlöse|fällig am", "Sold." },
		{ "Sold. Also called a,, b, .", "|a|b", "Sold." },
		{ "What is also called turnover.", "", "What is also called turnover." },
		{ "Falso called x.", "", "Falso called x." },
		{ "Also called", "", "Also called" },
		{ "Also called .", "", "" },
		{ "Also called a\n\nAnother paragraph.", "|a", "Another paragraph." },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(names(rows[i][0]), rows[i][1]);
		assert_string_equal(rest(rows[i][0]), rows[i][2]);
	}
}

static void
names_are_bounded(void **state)
{
	struct buf text = { 0 };
	struct also also;
	struct span name;
	unsigned n = 0;

	(void)state;
	buf_str(&text, "Also called ");
	for (unsigned i = 0; i < 1000; i++)
		buf_printf(&text, "name%u, ", i);
	also_begin(&also, buf_view(&text));
	while (also_next(&also, &name))
		n++;
	assert_int_equal(n, ALSO_NAMES_MAX);
	text.len = 0;
	buf_str(&text, "Also called ");
	for (unsigned i = 0; i < ALSO_NAME_MAX + 1; i++)
		buf_byte(&text, 'x');
	buf_str(&text, ", y.");
	assert_string_equal(names(buf_cstr(&text)), "|y");
	buf_fini(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences_are_read),
		cmocka_unit_test(names_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
