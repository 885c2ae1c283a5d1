// libs: carrel_search carrel_base
/* test_search_dict.c - sampled values: which columns, in which order, and the same as looking at each one. */
#include "tests/unit/harness.h"

#include <stdio.h>
#include <stdlib.h>

#include "workers/search/index/dict_build.h"
#include "workers/search/index/dict_search.h"

static struct dict *
build_dict(const struct snapshot_profile *profile)
{
	struct dict_building *b = dict_begin(profile);

	while (!dict_step(b, UINT64_C(1) << 40))
		;
	return dict_end(b);
}

static struct arena *a;

static int
set_up(void **state)
{
	(void)state;
	a = arena_new(64 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(a);
	return 0;
}

static struct snapshot_profiled
column(const char *table, const char *name, const char *type, uint64_t distinct, size_t n, struct span *values)
{
	return (struct snapshot_profiled){
		.table = span_str(table), .column = span_str(name), .type = span_str(type),
		.has_distinct = distinct > 0, .distinct = distinct, .nvalues = n, .values = values
	};
}

/* What a column holds decides, whatever it is called. */
static void
columns_are_judged_by_what_they_hold(void **state)
{
	static char prose[DICT_LABEL_MAX + 1];
	struct span labels[] = { SPAN("K1XY"), SPAN("K2XY") };
	struct span texts[] = { SPAN("short"), { (const uint8_t *)prose, sizeof(prose) },
		{ (const uint8_t *)prose, sizeof(prose) } };
	static const struct {
		const char *name, *type;
		uint64_t distinct;
		enum dict_verdict verdict;
	} rows[] = {
		{ "status", "text", 4, DICT_TAKEN },
		{ "status", "VARCHAR(20)", 200, DICT_TAKEN },
		{ "status", "text", 201, DICT_MANY },
		{ "status", "text", 0, DICT_TAKEN },
		{ "flag", "boolean", 2, DICT_TAKEN },
		{ "kind", "enum('a')", 2, DICT_TAKEN },
		{ "amount", "numeric", 4, DICT_NO_TEXT },
		{ "at", "timestamp", 4, DICT_NO_TEXT },
		{ "customer_id", "character(5)", 91, DICT_TAKEN },
		{ "phonetic_code", "text", 4, DICT_TAKEN },
		{ "region_description", "text", 4, DICT_TAKEN },
		{ "banknote", "text", 4, DICT_TAKEN },
		{ "character", "character varying", 4, DICT_TAKEN },
		{ "x", "", 4, DICT_NO_TEXT },
		{ "city", "citext", 4, DICT_TAKEN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct snapshot_profiled p = column("t", rows[i].name, rows[i].type, rows[i].distinct, 2, labels);

		if (dict_judge(&p) != rows[i].verdict)
			fail_msg("%s %s %llu", rows[i].name, rows[i].type, (unsigned long long)rows[i].distinct);
	}
	memset(prose, 'x', sizeof(prose));
	assert_int_equal(dict_judge(&(struct snapshot_profiled){ .type = SPAN("text"), .nvalues = 2, .values = texts }),
	    DICT_TAKEN);
	texts[0] = texts[1];
	assert_int_equal(dict_judge(&(struct snapshot_profiled){ .type = SPAN("text"), .nvalues = 2, .values = texts }),
	    DICT_PROSE);
}

/* What is found, as "table.column=value|rank " and the total. */
static const char *
find(const struct dict *d, const char *value, size_t limit)
{
	static struct buf b;
	struct dict_match *v;
	size_t total, n;

	arena_reset(a);
	n = dict_search(d, a, span_str(value), limit, &v, &total);
	b.len = 0;
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%.*s.%.*s=%.*s|%u%s ", SPAN_FMT(v[i].table), SPAN_FMT(v[i].column),
		    SPAN_FMT(v[i].value), v[i].rank, v[i].folded ? "~" : "");
	buf_printf(&b, "%zu", total);
	return buf_cstr(&b);
}

static void
exact_then_beginnings_then_parts(void **state)
{
	struct span status[] = { SPAN("shipped"), SPAN("new"), SPAN(" Shipped "), SPAN(""), SPAN("  ") };
	struct span names[] = { SPAN("Shipshape Ltd"), SPAN("Wor ship co"), SPAN("M\xc3\xbcller"), SPAN("SHIP") };
	struct span few[] = { SPAN("ship it"), SPAN("shipped") };
	struct snapshot_profiled v[] = {
		column("orders", "status", "text", 4, 5, status), column("customers", "name", "text", 150, 4, names),
		column("jobs", "kind", "text", 2, 2, few), column("jobs", "notes", "text", 900, 2, few),
		column("empty", "kind", "text", 2, 0, NULL),
	};
	struct snapshot_profile p = { .n = 5, .v = v };
	struct dict *d = build_dict(&p);

	(void)state;
	assert_int_equal(dict_columns(d), 3);
	assert_int_equal(dict_values(d), 9);
	assert_string_equal(find(d, "ship", 50),
	    "customers.name=SHIP|0 jobs.kind=ship it|1 jobs.kind=shipped|1 "
	    "orders.status= Shipped |1 orders.status=shipped|1 customers.name=Shipshape Ltd|1 customers.name=Wor ship "
	    "co|2 7");
	/* Each spelling stands as the column has it. */
	assert_string_equal(find(d, "SHIPPED", 50),
	    "jobs.kind=shipped|0 orders.status= Shipped |0 orders.status=shipped|0 3");
	assert_string_equal(find(d, "M\xc3\x9cLLER", 50), "customers.name=M\xc3\xbcller|0 1");
	assert_string_equal(find(d, "ller", 50), "customers.name=M\xc3\xbcller|2 1");
	assert_string_equal(find(d, "ship", 2), "customers.name=SHIP|0 jobs.kind=ship it|1 7");
	assert_string_equal(find(d, "nowhere", 50), "0");
	assert_string_equal(find(d, "dnew", 50), "0");
	assert_string_equal(find(d, "", 50), "0");
	dict_free(d);
}

/* Accents and umlauts are folded on both sides; what is found so stands behind what is spelt so, once. */
static void
accents_are_folded_and_marked(void **state)
{
	struct span names[] = { SPAN("Mu\u00f1oz"), SPAN("M\u00fcller"), SPAN("MUELLER"), SPAN("Zo\u00eb M\u00fcller"),
		SPAN("Munoz"), SPAN("\u0141\u00f3d\u017a"), SPAN("S\u00e3o Paulo"), SPAN("Stra\u00dfe"),
		SPAN("\u0401\u043b\u043a\u0430"), SPAN("\u0915\u093f\u0924\u093e\u092c"),
		SPAN("\u00c5rhus"), SPAN("S\u00f8ren") };
	struct snapshot_profiled v[] = { column("p", "n", "text", 12, 12, names) };
	struct snapshot_profile p = { .n = 1, .v = v };
	struct dict *d = build_dict(&p);
	static const struct {
		const char *value, *found;
	} rows[] = {
		{ "Munoz", "p.n=Munoz|0 p.n=Mu\u00f1oz|0~ 2" },
		{ "mu\u00f1oz", "p.n=Mu\u00f1oz|0 p.n=Munoz|0~ 2" },
		{ "Muller", "p.n=M\u00fcller|0~ p.n=Zo\u00eb M\u00fcller|2~ 2" },
		{ "Mueller", "p.n=MUELLER|0 p.n=M\u00fcller|0~ p.n=Zo\u00eb M\u00fcller|2~ 3" },
		{ "m\u00fcller", "p.n=M\u00fcller|0 p.n=MUELLER|0~ p.n=Zo\u00eb M\u00fcller|2 3" },
		{ "zoe m", "p.n=Zo\u00eb M\u00fcller|1~ 1" },
		{ "ller", "p.n=MUELLER|2 p.n=M\u00fcller|2 p.n=Zo\u00eb M\u00fcller|2 3" },
		{ "lodz", "p.n=\u0141\u00f3d\u017a|0~ 1" },
		{ "Sao Paulo", "p.n=S\u00e3o Paulo|0~ 1" },
		{ "strasse", "p.n=Stra\u00dfe|0 1" },
		{ "\u0435\u043b\u043a\u0430", "p.n=\u0401\u043b\u043a\u0430|0~ 1" },
		{ "\u0915\u0924\u092c", "0" }, /* vowels are no accents */
		{ "Aarhus", "p.n=\u00c5rhus|0~ 1" },
		{ "arhus", "p.n=\u00c5rhus|0~ 1" },
		{ "Soren", "p.n=S\u00f8ren|0~ 1" },
		{ "Soeren", "p.n=S\u00f8ren|0~ 1" },
	};

	(void)state;
	assert_int_equal(dict_values(d), 12);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(find(d, rows[i].value, 50), rows[i].found);
	assert_string_equal(find(d, "mueller", 1), "p.n=MUELLER|0 3");
	dict_free(d);
}

/* Values of a fixed length are found with their blanks and without; blanks inside a value count. */
static void
padding_is_no_part_of_a_value(void **state)
{
	struct span codes[] = { SPAN("AB  "), SPAN("CDE "), SPAN("new york") };
	struct snapshot_profiled v[] = { column("t", "code", "character(4)", 3, 3, codes) };
	struct snapshot_profile p = { .n = 1, .v = v };
	struct dict *d = build_dict(&p);

	(void)state;
	assert_string_equal(find(d, "ab", 50), "t.code=AB|0 1");
	assert_string_equal(find(d, "AB  ", 50), "t.code=AB|0 1");
	assert_string_equal(find(d, " CDE ", 50), "t.code=CDE|0 1");
	assert_string_equal(find(d, "new ", 50), "t.code=new york|1 1");
	assert_string_equal(find(d, "   ", 50), "0");
	dict_free(d);
}

static const char *
near(const struct dict *d, const char *value)
{
	static struct buf b;
	struct dict_match *v;
	size_t n;

	arena_reset(a);
	n = dict_near(d, a, span_str(value), 8, &v);
	b.len = 0;
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%.*s ", SPAN_FMT(v[i].value));
	return buf_cstr(&b);
}

static void
one_edit_is_near(void **state)
{
	struct span names[] = { SPAN("shipped"), SPAN("Ship it"), SPAN("Jos\u00e9 Garc\u00eda"),
		SPAN("\u041c\u043e\u0441\u043a\u0432\u0430"),
		SPAN("2024"), SPAN("abc") };
	struct snapshot_profiled v[] = { column("p", "n", "text", 6, 6, names), column("q", "n", "text", 2, 2, names) };
	struct snapshot_profile p = { .n = 2, .v = v };
	struct dict *d = build_dict(&p);
	static const struct {
		const char *value, *found;
	} rows[] = {
		{ "shippde", "shipped shipped " },
		{ "hsipped", "shipped shipped " },
		{ "shiped", "shipped shipped " },
		{ "shippped", "shipped shipped " },
		{ "SHOPPED", "shipped shipped " },
		{ "xhipped", "shipped shipped " },
		{ "shippexd", "shipped shipped " },
		{ "hipped ", "shipped shipped " },
		{ "sihpepd", "" },
		{ "Jose Gracia", "Jos\u00e9 Garc\u00eda " },
		{ "Jos\u00e9 Garcya", "Jos\u00e9 Garc\u00eda " },
		{ "\u041c\u043e\u043a\u0441\u0432\u0430", "\u041c\u043e\u0441\u043a\u0432\u0430 " },
		{ "2042", "" },
		{ "acb", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(near(d, rows[i].value), rows[i].found);
	dict_free(d);
}

/* What a dictionary lacks is counted and named. */
static void
what_is_left_out_is_told(void **state)
{
	struct span value[] = { SPAN("x") }, examples[DICT_EXAMPLES];
	struct snapshot_profiled v[] = { column("t", "a", "text", 1, 1, value), column("t", "b", "text", 900, 1, value),
		column("t", "c", "integer", 1, 1, value) };
	struct snapshot_profile p = { .n = 3, .v = v };
	struct dict *d = build_dict(&p);
	size_t n;

	(void)state;
	assert_int_equal(dict_judged(d, DICT_TAKEN, examples, &n), 1);
	assert_int_equal(dict_judged(d, DICT_PROSE, examples, &n), 0);
	assert_int_equal(dict_judged(d, DICT_MANY, examples, &n), 1);
	assert_int_equal(n, 1);
	assert_true(span_is_str(examples[0], "t.b"));
	dict_free(d);
}

/* Two hundred distinct values are the bound, however many of them the scan kept (scan.values_per_column). */
static void
what_the_scan_kept_is_no_bound(void **state)
{
	static char text[1200][16];
	struct span many[1200];
	struct snapshot_profiled v[] = {
		column("t", "many", "text", 200, 1200, many), column("t", "more", "text", 201, 1200, many),
		column("t", "few", "text", 12, 5, many),
	};
	static const uint64_t kept[] = { 1, 5, 20, 200, 1000, 0 };
	struct snapshot_profile p = { .n = 3, .v = v, .has_values_per_column = true };

	(void)state;
	for (size_t i = 0; i < 1200; i++) {
		snprintf(text[i], sizeof(text[i]), i < 200 ? "value %04zu" : "VALUE %04zu", i % 200);
		many[i] = span_str(text[i]);
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		struct dict *d;

		p.has_values_per_column = kept[i] > 0;
		p.values_per_column = kept[i];
		d = build_dict(&p);
		assert_int_equal(dict_columns(d), 2);
		/* The same text is there once. */
		assert_int_equal(dict_values(d), 200 + 5);
		assert_string_equal(find(d, "value 0199", 50), "t.many=VALUE 0199|0 1");
		dict_free(d);
	}
}

static void
nothing_is_a_dictionary_too(void **state)
{
	struct snapshot_profile p = { 0 };
	struct dict *d = build_dict(&p);

	(void)state;
	assert_int_equal(dict_columns(d), 0);
	assert_string_equal(find(d, "x", 5), "0");
	dict_free(d);
}

/* Append up to `most` letters, of which one has an accent. */
static void
draw(uint64_t *seed, size_t most, char *out)
{
	static const char *const letters[] = { "a", "b", "c", "x", "e", "\u00e4" };

	for (size_t n = 1 + test_random(seed) % most; n > 0; n--)
		strcat(out, letters[test_random(seed) % 6]);
}

/* The text as it is, without its accents, or with them written out. */
static const char *
spelling(const char *text, int form, char out[64])
{
	size_t n = 0;

	for (const char *p = text; *p != '\0'; p++)
		if (form == 0 || *p != '\xc3')
			out[n++] = *p;
		else {
			p++;
			out[n++] = 'a';
			if (form == 2)
				out[n++] = 'e';
		}
	out[n] = '\0';
	return out;
}

static bool
contains(const char *text, const char *needle)
{
	char a1[64], b1[64];

	for (int i = 0; i < 9; i++)
		if (strstr(spelling(text, i / 3, a1), spelling(needle, i % 3, b1)) != NULL)
			return true;
	return false;
}

/* Thousands of values over several blocks, held against looking at every one. */
static void
every_needle_finds_what_is_there(void **state)
{
	enum { COLUMNS = 40, EACH = 100 };
	static char text[COLUMNS * EACH][24];
	static struct span spans[COLUMNS * EACH];
	static char names[COLUMNS][8];
	struct snapshot_profiled v[COLUMNS];
	struct snapshot_profile p = { .n = COLUMNS, .v = v };
	uint64_t seed = 11;
	struct dict *d;

	(void)state;
	for (size_t i = 0; i < COLUMNS * EACH; i++) {
		draw(&seed, 9, text[i]);
		spans[i] = span_str(text[i]);
	}
	for (size_t c = 0; c < COLUMNS; c++) {
		snprintf(names[c], sizeof(names[c]), "c%02zu", c);
		v[c] = column("t", names[c], "text", 1 + c % 7, EACH, spans + c * EACH);
	}
	d = build_dict(&p);
	for (unsigned round = 0; round < 400; round++) {
		size_t n, expect = 0, total;
		struct dict_match *m;
		char needle[24] = "";

		draw(&seed, 6, needle);
		for (size_t c = 0; c < COLUMNS; c++)
			for (size_t i = 0; i < EACH; i++) {
				bool twice = false;

				for (size_t k = 0; k < i && !twice; k++)
					twice = strcmp(text[c * EACH + k], text[c * EACH + i]) == 0;
				expect += !twice && contains(text[c * EACH + i], needle);
			}
		arena_reset(a);
		n = dict_search(d, a, span_str(needle), 200, &m, &total);
		if (total != (expect < DICT_TOTAL_MAX ? expect : DICT_TOTAL_MAX))
			fail_msg("%s: %zu, not %zu", needle, total, expect);
		assert_int_equal(n, expect < 200 ? expect : 200);
		for (size_t i = 0; i < n; i++) {
			char value[64];

			snprintf(value, sizeof(value), "%.*s", SPAN_FMT(m[i].value));
			assert_int_equal(m[i].folded, strstr(value, needle) == NULL);
			assert_true(i == 0 || m[i - 1].rank < m[i].rank ||
			    (m[i - 1].rank == m[i].rank &&
				(m[i].rank == 2 || m[i - 1].folded < m[i].folded || m[i].folded ||
				    m[i - 1].cardinality <= m[i].cardinality)));
		}
	}
	dict_free(d);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(columns_are_judged_by_what_they_hold),
		TEST(exact_then_beginnings_then_parts),
		TEST(accents_are_folded_and_marked), TEST(padding_is_no_part_of_a_value), TEST(one_edit_is_near),
		TEST(what_is_left_out_is_told),
		TEST(what_the_scan_kept_is_no_bound), TEST(nothing_is_a_dictionary_too),
		TEST(every_needle_finds_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
