// libs: carrel_sql carrel_base
/* test_sql_value.c - values as cells, whatever bytes they are; names of enabled tables. */
#include "tests/unit/harness.h"

#include "base/arena.h"
#include "base/json/json_write.h"
#include "base/mp.h"
#include "workers/sql/catalog.h"
#include "workers/sql/value.h"

static struct buf cell, text;

static const char *
json(void)
{
	struct mp_value v;

	assert_int_equal(mp_scan(buf_view(&cell)), MP_OK);
	assert_true(mp_value(buf_view(&cell), &v));
	buf_reset(&text, SIZE_MAX);
	json_write_cell(&text, &v);
	buf_reset(&cell, SIZE_MAX);
	return buf_cstr(&text);
}

static void
decimals_keep_the_servers_digits(void **state)
{
	static const char *const cases[][2] = {
		{ "0", "0" }, { "1.50", "1.50" }, { "-0.001", "-0.001" }, { "123456789012345", "123456789012345" },
		{ "1234567890123456", "\"1234567890123456\"" }, { "0.123456789012345", "0.123456789012345" },
		{ "0.1234567890123456", "\"0.1234567890123456\"" },
		{ "100000000000000", "100000000000000" }, { "1000000000000000", "\"1000000000000000\"" },
		{ "NaN", "\"NaN\"" }, { "-Infinity", "\"-Infinity\"" }, { "", "\"\"" }, { "-", "\"-\"" },
		{ "1.", "\"1.\"" }, { ".5", "\".5\"" }, { "1.2.3", "\"1.2.3\"" }, { "1e5", "\"1e5\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value_decimal(&cell, span_str(cases[i][0]));
		assert_string_equal(json(), cases[i][1]);
	}
}

static void
text_that_is_none_becomes_bytes(void **state)
{
	(void)state;
	value_text(&cell, SPAN("gr\xC3\xBC\xC3\x9F"));
	assert_string_equal(json(), "\"grüß\"");
	value_text(&cell, SPAN("\xFF\x41"));
	assert_string_equal(json(), "{\"base64\":\"/0E=\"}");
	value_text(&cell, span_of(NULL, 0));
	assert_string_equal(json(), "\"\"");
	value_bytes(&cell, span_of(NULL, 0));
	assert_string_equal(json(), "{\"base64\":\"\"}");
}

static void
labels_are_always_text(void **state)
{
	struct arena *a = arena_new(65536);

	(void)state;
	value_label(&cell, NULL);
	assert_string_equal(json(), "null");
	value_label(&cell, "a\xFF\xC3\xBC\xC3");
	assert_string_equal(json(), "\"a\xEF\xBF\xBDü\xEF\xBF\xBD\"");
	assert_string_equal(value_clean(a, "\xE2\x82x"), "\xEF\xBF\xBD\xEF\xBF\xBDx");
	assert_string_equal(value_clean(a, NULL), "");
	arena_free(a);
}

static void
long_values_are_cut_between_characters(void **state)
{
	static uint8_t large[VALUE_CELL_MAX + 2];
	struct mp_value v, start;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(large); i += 2)
		memcpy(large + i, "\xC3\xBC", 2);
	value_text(&cell, span_of(large, VALUE_CELL_MAX));
	assert_true(mp_value(buf_view(&cell), &v));
	assert_int_equal(v.class, MP_STR);
	buf_reset(&cell, SIZE_MAX);
	memmove(large + 1, large, sizeof(large) - 1);
	large[0] = 'x';
	large[sizeof(large) - 1] = 'y';
	value_text(&cell, span_of(large, sizeof(large)));
	assert_true(mp_value(buf_view(&cell), &v));
	assert_int_equal(mp_get_uint(&v, "fullLength", 0), sizeof(large));
	assert_true(mp_get(&v, "start", &start));
	assert_int_equal(start.s.len, VALUE_START_MAX - 1);
	buf_reset(&cell, SIZE_MAX);
	/* The whole of it is no text, so neither is its start. */
	large[sizeof(large) - 1] = 0xFF;
	value_text(&cell, span_of(large, sizeof(large)));
	assert_true(mp_value(buf_view(&cell), &v));
	assert_true(mp_get(&v, "start", &start));
	assert_int_equal(start.class, MP_BIN);
	buf_reset(&cell, SIZE_MAX);
}

static void
enabled_tables_are_matched_by_their_parts(void **state)
{
	static char *const list[] = { (char *)(uintptr_t) "orders", (char *)(uintptr_t) "public.customers" };

	(void)state;
	assert_true(catalog_is_enabled(NULL, 0, "public", "x"));
	assert_true(catalog_is_enabled(list, 2, "any", "orders"));
	assert_true(catalog_is_enabled(list, 2, "public", "customers"));
	assert_false(catalog_is_enabled(list, 2, "other", "customers"));
	assert_false(catalog_is_enabled(list, 2, "public", "Orders"));
	assert_true(catalog_entry_fits("db.public.orders", "public", "orders"));
	assert_false(catalog_entry_fits("db.notpublic.orders", "public", "orders"));
	assert_true(catalog_entry_fits("public.a.b", "public", "a.b"));
	assert_false(catalog_entry_fits(".orders", "public", "orders"));
}

static int
tear_down(void **state)
{
	(void)state;
	buf_fini(&cell);
	buf_fini(&text);
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_keep_the_servers_digits),
		cmocka_unit_test(text_that_is_none_becomes_bytes),
		cmocka_unit_test(labels_are_always_text),
		cmocka_unit_test(long_values_are_cut_between_characters),
		cmocka_unit_test(enabled_tables_are_matched_by_their_parts),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
