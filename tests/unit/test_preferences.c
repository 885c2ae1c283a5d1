// libs: carrel_project carrel_base
/* test_preferences.c - what preferences may be, how they are changed, and whose stand before whose. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "project/config/preferences.h"

/* text as a map, in out. */
static struct mp_value
read(const char *text, struct buf *out)
{
	struct mp_value v = { .class = MP_NIL };
	size_t at;

	buf_reset(out, SIZE_MAX);
	if (text != NULL) {
		assert_int_equal(json_read(span_str(text), out, &at), JSON_OK);
		assert_true(mp_value(buf_view(out), &v));
	}
	return v;
}

static void
check(struct buf *out, const char *expected)
{
	struct buf text = { 0 };
	struct mp_value v;

	assert_int_equal(mp_scan(buf_view(out)), MP_OK);
	assert_true(mp_value(buf_view(out), &v));
	json_write(&text, &v);
	assert_string_equal(buf_cstr(&text), expected);
	buf_fini(&text);
	buf_fini(out);
}

static void
changed(const char *own, const char *change, const char *expected)
{
	struct buf a = { 0 }, b = { 0 }, out = { 0 };
	struct mp_value was = read(own, &a), to = read(change, &b);
	struct err err;
	int result = preferences_change(&was, &to, &out, &err);

	if (expected != NULL) {
		assert_int_equal(result, 0);
		check(&out, expected);
	} else {
		assert_int_equal(result, -1);
		assert_int_equal(err.code, ERR_INVALID_ARGUMENTS);
		assert_int_equal(out.len, 0);
	}
	buf_fini(&a);
	buf_fini(&b);
	buf_fini(&out);
}

static void
changes_are_those_of_a_merge_patch(void **state)
{
	(void)state;
	changed(NULL, "{}", "{}");
	changed(NULL, "{\"weekStart\":\"sunday\"}", "{\"weekStart\":\"sunday\"}");
	changed("{\"weekStart\":\"sunday\",\"timeZone\":\"UTC\"}", "{\"weekStart\":null}", "{\"timeZone\":\"UTC\"}");
	changed("{\"thresholds\":{\"large\":\"> 10\",\"small\":3}}",
	    "{\"thresholds\":{\"large\":null,\"old\":\"> 1 year\"}}",
	    "{\"thresholds\":{\"old\":\"> 1 year\",\"small\":3}}");
	changed("{\"thresholds\":{\"large\":\"> 10\"}}", "{\"thresholds\":{\"large\":null}}", "{}");
	changed("{\"thresholds\":{\"large\":\"> 10\"}}", "{\"thresholds\":null}", "{}");
	changed(NULL, "{\"highValueThreshold\":1000,\"defaultOntology\":\"shop\",\"dateOrder\":\"mdy\"}",
	    "{\"highValueThreshold\":1000,\"defaultOntology\":\"shop\",\"dateOrder\":\"mdy\"}");
}

static void
what_will_not_do_changes_nothing(void **state)
{
	static const char *const bad[] = {
		"{\"weekstart\":\"sunday\"}", "{\"weekStart\":\"tuesday\"}", "{\"weekStart\":1}",
		"{\"fiscalYearStart\":\"4-1\"}", "{\"fiscalYearStart\":\"02-30\"}", "{\"fiscalYearStart\":\"00-10\"}",
		"{\"fiscalYearStart\":\"13-01\"}", "{\"timeZone\":\"\"}", "{\"timeZone\":\"../etc/passwd\"}",
		"{\"timeZone\":\"Europe/Berlin\\n\"}", "{\"dateOrder\":\"ymd\"}", "{\"defaultTimePeriod\":\"\"}",
		"{\"defaultTimePeriod\":\"a\\u0007\"}", "{\"thresholds\":[]}", "{\"thresholds\":{\"large\":{}}}",
		"{\"thresholds\":{\"\":1}}", "{\"highValueThreshold\":true}", "{\"highValueThreshold\":\"abc\"}",
		"{\"thresholds\":{\"large\":\"many\"}}", "{\"dataAgent\":{}}", "[]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		changed("{\"weekStart\":\"sunday\"}", bad[i], NULL);
	changed(NULL, "{\"fiscalYearStart\":\"02-29\"}", "{\"fiscalYearStart\":\"02-29\"}");
}

static void
words_are_bounded_together(void **state)
{
	struct buf first = { 0 }, second = { 0 };

	(void)state;
	buf_str(&first, "{\"thresholds\":{");
	buf_str(&second, "{\"thresholds\":{");
	for (int i = 0; i < PREFERENCES_WORDS; i++)
		buf_printf(&first, "%s\"w%d\":1", i > 0 ? "," : "", i);
	buf_str(&first, "}}");
	buf_str(&second, "\"one more\":1}}");
	changed(NULL, buf_cstr(&first), buf_cstr(&first));
	changed(buf_cstr(&first), buf_cstr(&second), NULL);
	buf_fini(&first);
	buf_fini(&second);
}

static void
merged(const char *project, const char *own, const char *expected)
{
	struct buf a = { 0 }, b = { 0 }, out = { 0 };
	struct mp_value theirs = read(project, &a), mine = read(own, &b);

	preferences_merge(&theirs, &mine, &out);
	check(&out, expected);
	buf_fini(&a);
	buf_fini(&b);
}

static void
ones_own_stand_before_the_projects(void **state)
{
	(void)state;
	merged("{\"weekStart\":\"monday\",\"timeZone\":\"UTC\"}", NULL,
	    "{\"defaultProvider\":null,"
	    "\"defaultTimePeriod\":null,\"thresholds\":{},\"highValueThreshold\":null,"
	    "\"defaultOntology\":null,"
	    "\"fiscalYearStart\":null,\"weekStart\":\"monday\",\"timeZone\":\"UTC\",\"dateOrder\":null}");
	merged("{\"weekStart\":\"monday\",\"thresholds\":{\"large\":\"> 1\",\"old\":\"> 2\"}}",
	    "{\"weekStart\":\"sunday\",\"thresholds\":{\"large\":9}}",
	    "{\"defaultProvider\":null,"
	    "\"defaultTimePeriod\":null,\"thresholds\":{\"large\":9,\"old\":\"> "
	    "2\"},\"highValueThreshold\":null,"
	    "\"defaultOntology\":null,\"fiscalYearStart\":null,\"weekStart\":\"sunday\",\"timeZone\":null,"
	    "\"dateOrder\":null}");
}

static void
typed(const char *key, const char *value, const char *expected)
{
	struct buf out = { 0 };
	struct err err;

	mp_put_map(&out, 1);
	if (expected == NULL) {
		assert_int_equal(preferences_put_text(span_str(key), span_str(value), &out, &err), -1);
		buf_fini(&out);
		return;
	}
	assert_int_equal(preferences_put_text(span_str(key), span_str(value), &out, &err), 0);
	check(&out, expected);
}

static void
a_command_line_names_them(void **state)
{
	(void)state;
	typed("weekStart", "sunday", "{\"weekStart\":\"sunday\"}");
	typed("weekStart", "", "{\"weekStart\":null}");
	typed("thresholds.very large", "> 5", "{\"thresholds\":{\"very large\":\"> 5\"}}");
	typed("thresholds.large", "1000", "{\"thresholds\":{\"large\":1000}}");
	typed("thresholds", "", "{\"thresholds\":null}");
	typed("thresholds", "5", NULL);
	typed("highValueThreshold", "12.5", "{\"highValueThreshold\":12.5}");
	typed("week_start", "sunday", NULL);
}

static void
the_projects_come_from_its_configuration(void **state)
{
	struct config_preferences cfg = { .week_start = "monday", .time_zone = "UTC", .fiscal_year_start = "04-01" };
	struct buf out = { 0 };

	(void)state;
	preferences_of_project(&cfg, &out);
	check(&out, "{\"fiscalYearStart\":\"04-01\",\"weekStart\":\"monday\",\"timeZone\":\"UTC\"}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_those_of_a_merge_patch),
		cmocka_unit_test(what_will_not_do_changes_nothing),
		cmocka_unit_test(words_are_bounded_together),
		cmocka_unit_test(ones_own_stand_before_the_projects),
		cmocka_unit_test(a_command_line_names_them),
		cmocka_unit_test(the_projects_come_from_its_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
