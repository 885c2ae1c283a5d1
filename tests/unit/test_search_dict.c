// libs: carrel_search carrel_base
/* test_search_dict.c - sampled values: which columns, in which order, and the same as looking at each one. */
#include "tests/unit/harness.h"

#include <stdio.h>
#include <stdlib.h>

#include "workers/search/index/dict.h"

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

static void
columns_qualify_by_type_name_and_size(void **state)
{
	static const struct {
		const char *name, *type;
		uint64_t distinct;
		bool yes;
	} rows[] = {
		{ "status", "text", 4, true },
		{ "status", "VARCHAR(20)", 200, true },
		{ "status", "text", 201, false },
		{ "status", "text", 0, true },
		{ "flag", "boolean", 2, true },
		{ "kind", "enum('a')", 2, true },
		{ "amount", "numeric", 4, false },
		{ "at", "timestamp", 4, false },
		{ "customer_id", "text", 4, false },
		{ "id", "text", 4, false },
		{ "ID", "text", 4, false },
		{ "uuid", "char(36)", 4, false },
		{ "idea", "text", 4, true },
		{ "paid_at", "text", 4, false },
		{ "avatar_url", "text", 4, false },
		{ "email", "text", 4, false },
		{ "work_email", "text", 4, false },
		{ "phone_home", "text", 4, false },
		{ "description", "text", 4, false },
		{ "ShipAddress", "text", 4, false },
		{ "note", "text", 4, false },
		{ "denoted", "text", 4, true },
		{ "character", "character varying", 4, true },
		{ "x", "", 4, false },
		{ "city", "citext", 4, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct snapshot_profiled p = column("t", rows[i].name, rows[i].type, rows[i].distinct, 0, NULL);

		if (dict_qualifies(&p) != rows[i].yes)
			fail_msg("%s %s %llu", rows[i].name, rows[i].type, (unsigned long long)rows[i].distinct);
	}
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
		buf_printf(&b, "%.*s.%.*s=%.*s|%u ", SPAN_FMT(v[i].table), SPAN_FMT(v[i].column), SPAN_FMT(v[i].value),
		    v[i].rank);
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
		column("jobs", "kind", "text", 2, 2, few), column("jobs", "notes", "text", 2, 2, few),
		column("empty", "kind", "text", 2, 0, NULL),
	};
	struct snapshot_profile p = { .n = 5, .v = v };
	struct dict *d = build_dict(&p);

	(void)state;
	assert_int_equal(dict_columns(d), 3);
	assert_int_equal(dict_values(d), 8);
	assert_string_equal(find(d, "ship", 50),
	    "customers.name=SHIP|0 jobs.kind=ship it|1 jobs.kind=shipped|1 "
	    "orders.status=Shipped|1 customers.name=Shipshape Ltd|1 customers.name=Wor ship co|2 6");
	assert_string_equal(find(d, "SHIPPED", 50), "jobs.kind=shipped|0 orders.status=Shipped|0 2");
	assert_string_equal(find(d, "M\xc3\x9cLLER", 50), "customers.name=M\xc3\xbcller|0 1");
	assert_string_equal(find(d, "ller", 50), "customers.name=M\xc3\xbcller|2 1");
	assert_string_equal(find(d, "ship", 2), "customers.name=SHIP|0 jobs.kind=ship it|1 6");
	assert_string_equal(find(d, "nowhere", 50), "0");
	assert_string_equal(find(d, "dnew", 50), "0");
	assert_string_equal(find(d, "", 50), "0");
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
		/* A second spelling is no second value. */
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

/* Thousands of values over several blocks, held against looking at every one. */
static void
every_needle_finds_what_is_there(void **state)
{
	enum { COLUMNS = 40, EACH = 100 };
	static char text[COLUMNS * EACH][12];
	static struct span spans[COLUMNS * EACH];
	static char names[COLUMNS][8];
	struct snapshot_profiled v[COLUMNS];
	struct snapshot_profile p = { .n = COLUMNS, .v = v };
	uint64_t seed = 11;
	struct dict *d;

	(void)state;
	for (size_t i = 0; i < COLUMNS * EACH; i++) {
		size_t n = 1 + test_random(&seed) % 9;

		for (size_t k = 0; k < n; k++)
			text[i][k] = "abcx"[test_random(&seed) % 4];
		spans[i] = span_str(text[i]);
	}
	for (size_t c = 0; c < COLUMNS; c++) {
		snprintf(names[c], sizeof(names[c]), "c%02zu", c);
		v[c] = column("t", names[c], "text", 1 + c % 7, EACH, spans + c * EACH);
	}
	d = build_dict(&p);
	for (unsigned round = 0; round < 400; round++) {
		char needle[8] = "";
		size_t n = 1 + test_random(&seed) % 6, expect = 0, total;
		struct dict_match *m;

		for (size_t k = 0; k < n; k++)
			needle[k] = "abcx"[test_random(&seed) % 4];
		for (size_t c = 0; c < COLUMNS; c++)
			for (size_t i = 0; i < EACH; i++) {
				bool twice = false;

				for (size_t k = 0; k < i && !twice; k++)
					twice = strcmp(text[c * EACH + k], text[c * EACH + i]) == 0;
				expect += !twice && strstr(text[c * EACH + i], needle) != NULL;
			}
		arena_reset(a);
		n = dict_search(d, a, span_str(needle), 200, &m, &total);
		if (total != (expect < DICT_TOTAL_MAX ? expect : DICT_TOTAL_MAX))
			fail_msg("%s: %zu, not %zu", needle, total, expect);
		assert_int_equal(n, expect < 200 ? expect : 200);
		for (size_t i = 1; i < n; i++)
			assert_true(m[i - 1].rank < m[i].rank ||
			    (m[i - 1].rank == m[i].rank &&
				(m[i].rank == 2 || m[i - 1].cardinality <= m[i].cardinality)));
	}
	dict_free(d);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(columns_qualify_by_type_name_and_size),
		TEST(exact_then_beginnings_then_parts),
		TEST(what_the_scan_kept_is_no_bound), TEST(nothing_is_a_dictionary_too),
		TEST(every_needle_finds_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
