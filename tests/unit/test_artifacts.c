// libs: carrel_project carrel_base
/* test_artifacts.c - the files of a scan: names, shapes, differences. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "project/scan/artifacts.h"
#include "project/scan/artifacts_shape.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "project/format/json_pretty.h"

#define NOON	UINT64_C(1767268800000)	/* 2026-01-01T12:00:00Z */

static char place[64];
static int raw = -1;

static int
setup(void **state)
{
	(void)state;
	snprintf(place, sizeof(place), "/tmp/carrel-artifacts-XXXXXX");
	if (mkdtemp(place) == NULL)
		return -1;
	raw = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return raw >= 0 ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	close(raw);
	return atomic_remove(AT_FDCWD, place, NULL);
}

/* JSON as a value; b holds it. */
static struct mp_value
value(struct buf *b, const char *json)
{
	struct mp_value v;
	size_t at;

	buf_reset(b, SIZE_MAX);
	if (json_read(span_str(json), b, &at) != JSON_OK)
		fail_msg("at %zu of %s", at, json);
	assert_true(mp_value(buf_view(b), &v));
	return v;
}

static void
file_names(void **state)
{
	struct span null = { NULL, 0 };
	struct buf a = { 0 }, b = { 0 };
	char name[400];

	(void)state;
	artifacts_file_name(null, null, SPAN("orders"), &a);
	assert_string_equal(buf_cstr(&a), "Xw.Xw.b3JkZXJz.json");
	buf_reset(&a, 0);
	artifacts_file_name(SPAN("c"), SPAN("public"), SPAN("größe/../x"), &a);
	assert_string_equal(buf_cstr(&a), "Yw.cHVibGlj.Z3LDtsOfZS8uLi94.json");
	/* Too long for a file name: cut, told apart by a digest, the same every time. */
	memset(name, 'x', sizeof(name));
	buf_reset(&a, 0);
	artifacts_file_name(null, null, span_of(name, 399), &a);
	artifacts_file_name(null, null, span_of(name, 400), &b);
	assert_true(a.len <= ATOMIC_NAME_MAX && b.len <= ATOMIC_NAME_MAX);
	assert_false(span_is(buf_view(&a), buf_view(&b)));
	buf_reset(&b, 0);
	artifacts_file_name(null, null, span_of(name, 399), &b);
	assert_true(span_is(buf_view(&a), buf_view(&b)));
	buf_fini(&a);
	buf_fini(&b);
}

static void
pretty(void **state)
{
	struct buf mp = { 0 }, out = { 0 };
	struct mp_value v =
	    value(&mp, "{\"a\":[],\"b\":{},\"c\":[1,\"x\\n\",null,true,1.5],\"d\":{\"e\":[{\"f\":1}]}}");

	(void)state;
	json_pretty(&out, &v);
	assert_string_equal(buf_cstr(&out),
	    "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    \"x\\n\",\n    null,\n    true,\n    1.5\n  ],\n"
	    "  \"d\": {\n    \"e\": [\n      {\n        \"f\": 1\n      }\n    ]\n  }\n}\n");
	buf_fini(&mp);
	buf_fini(&out);
}

#define COLUMN	"{\"name\":\"id\",\"nativeType\":\"int\",\"normalizedType\":\"int\",\"dimensionType\":\"number\"," \
	"\"nullable\":false,\"primaryKey\":true,\"comment\":null}"
#define TABLE(name, column)	"{\"name\":" name ",\"kind\":\"table\",\"columns\":[" column "],\"foreignKeys\":[]}"

/* What ktx's format does not have. */
#define EXTENDED(labels, indexes, definition)	CHECKED(labels, indexes, definition, "null", "null")
#define CHECKED(labels, indexes, definition, origin, checks)                                  \
	"{\"name\":\"t\",\"kind\":\"table\",\"columns\":[{\"name\":\"id\",\"dimensionType\":" \
	"\"string\",\"nullable\":true,\"primaryKey\":false,\"enumLabels\":" labels            \
	",\"default\":" origin ",\"generated\":" origin ",\"identity\":" origin "}],\"checks\":" checks            \
	",\"foreignKeys\":[],\"indexes\":" indexes ",\"definition\":" definition "}"

/* It stands in the files where there is something, and nowhere else. */
static void
what_is_added_is_left_out_where_it_is_nothing(void **state)
{
	struct buf mp = { 0 }, out = { 0 }, text = { 0 };
	struct mp_value v = value(&mp, EXTENDED("null", "[]", "null"));
	struct err err;

	(void)state;
	assert_int_equal(shape_table(&v, &out, &err), 0);
	assert_true(mp_value(buf_view(&out), &v));
	json_write(&text, &v);
	assert_string_equal(buf_cstr(&text),
	    "{\"catalog\":null,\"db\":null,\"name\":\"t\",\"kind\":\"table\",\"comment\":null,"
	    "\"estimatedRows\":null,\"columns\":[{\"name\":\"id\",\"nativeType\":null,\"normalizedType\":null,"
	    "\"dimensionType\":\"string\",\"nullable\":true,\"primaryKey\":false,\"comment\":null}],\"foreignKeys\":[]"
	    "}");
	v = value(&mp,
	    CHECKED("[\"a\"]",
		"[{\"name\":\"i\",\"columns\":[\"id\",null],\"unique\":true,\"primary\":false,"
		"\"definition\":null}]",
		"\"SELECT 1\"", "\"x\"",
		"[{\"name\":null,\"expression\":\"a\"},{\"name\":\"c\",\"expression\":\"b\"}]"));
	buf_reset(&out, SIZE_MAX);
	buf_reset(&text, SIZE_MAX);
	assert_int_equal(shape_table(&v, &out, &err), 0);
	assert_true(mp_value(buf_view(&out), &v));
	json_write(&text, &v);
	assert_non_null(strstr(buf_cstr(&text),
	    "\"comment\":null,\"enumLabels\":[\"a\"],\"default\":\"x\",\"generated\":\"x\",\"identity\":\"x\"}],"
	    "\"foreignKeys\":[],\"definition\":\"SELECT 1\","
	    "\"indexes\":[{\"name\":\"i\",\"columns\":[\"id\",null],\"unique\":true,\"primary\":false}],"
	    "\"checks\":[{\"expression\":\"a\"},{\"name\":\"c\",\"expression\":\"b\"}]}"));
	buf_fini(&mp);
	buf_fini(&out);
	buf_fini(&text);
}

static void
shapes(void **state)
{
	static const char *const bad[] = {
		"[]",
		TABLE("\"\"", COLUMN),
		TABLE("null", COLUMN),
		TABLE("7", COLUMN),
		TABLE("\"t\"", "7"),
		TABLE("\"t\"", "{\"name\":\"x\"}"),
		"{\"name\":\"t\",\"kind\":\"index\",\"columns\":[],\"foreignKeys\":[]}",
		"{\"name\":\"t\",\"kind\":\"table\",\"columns\":{},\"foreignKeys\":[]}",
		"{\"name\":\"t\",\"kind\":\"table\",\"columns\":[]}",
		"{\"name\":\"t\",\"kind\":\"table\",\"estimatedRows\":1.5,\"columns\":[],\"foreignKeys\":[]}",
		"{\"name\":\"t\",\"kind\":\"table\",\"columns\":[],\"foreignKeys\":[{\"fromColumn\":\"a\"}]}",
		EXTENDED("7", "[]", "null"),
		EXTENDED("[7]", "[]", "null"),
		EXTENDED("[null]", "[]", "null"),
		EXTENDED("null", "{}", "null"),
		EXTENDED("null", "[7]", "null"),
		EXTENDED("null", "[]", "7"),
		EXTENDED("null", "[{\"name\":\"i\",\"columns\":[7],\"unique\":true,\"primary\":false}]", "null"),
		EXTENDED("null", "[{\"name\":\"i\",\"columns\":[\"a\"],\"primary\":false}]", "null"),
		CHECKED("null", "[]", "null", "7", "[]"),
		CHECKED("null", "[]", "null", "null", "{}"),
		CHECKED("null", "[]", "null", "null", "[{\"name\":\"c\",\"expression\":null}]"),
	};
	struct buf mp = { 0 }, out = { 0 };
	struct mp_value v;
	struct err err;

	(void)state;
	v = value(&mp, TABLE("\"t\"", COLUMN));
	assert_int_equal(shape_table(&v, &out, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		v = value(&mp, bad[i]);
		if (shape_table(&v, &out, &err) != -1)
			fail_msg("%s", bad[i]);
	}
	buf_fini(&mp);
	buf_fini(&out);
}

static void
secrets_are_redacted(void **state)
{
	struct buf mp = { 0 }, out = { 0 }, text = { 0 };
	struct mp_value v = value(&mp,
	    "{\"host\":\"h\",\"DB_PASSWORD\":\"p\",\"list\":[{\"apiKey\":\"k\",\"n\":1}],"
	    "\"url\":null,\"connection_url\":{\"x\":1}}");

	(void)state;
	shape_redacted(&v, &out);
	assert_true(mp_value(buf_view(&out), &v));
	json_write(&text, &v);
	assert_string_equal(buf_cstr(&text),
	    "{\"host\":\"h\",\"DB_PASSWORD\":\"<redacted>\","
	    "\"list\":[{\"apiKey\":\"<redacted>\",\"n\":1}],\"url\":null,\"connection_url\":\"<redacted>\"}");
	buf_fini(&mp);
	buf_fini(&out);
	buf_fini(&text);
}

/* One scan of these tables, published when something changed; its sync id goes to id. */
static struct artifacts_diff
scan(const char *const *tables, uint64_t at_ms, char id[ARTIFACTS_SYNC_MAX])
{
	struct buf mp = { 0 }, head = { 0 }, none = { 0 };
	struct mp_value v, h = value(&head, "{\"driver\":\"sqlite\",\"scope\":{},\"metadata\":{}}"),
			   w = value(&none, "[]");
	struct artifacts_diff diff;
	struct err err = { 0 };
	struct artifacts *a = artifacts_begin(raw, "c", &err);

	assert_non_null(a);
	for (; *tables != NULL; tables++) {
		v = value(&mp, *tables);
		if (artifacts_table(a, &v, NULL, &err) != 0)
			fail_msg("%s", err.message);
	}
	assert_int_equal(artifacts_close(a, &h, &w, at_ms, &err), 0);
	diff = *artifacts_diff(a);
	if (artifacts_changed(a)) {
		v = value(&mp, "{\"connectionId\":\"c\"}");
		if (artifacts_publish(a, &v, &err) != 0)
			fail_msg("%s", err.message);
		snprintf(id, ARTIFACTS_SYNC_MAX, "%s", artifacts_sync_id(a));
	} else
		snprintf(id, ARTIFACTS_SYNC_MAX, "%s", artifacts_previous(a));
	artifacts_free(a);
	buf_fini(&mp);
	buf_fini(&head);
	buf_fini(&none);
	return diff;
}

static void
differences(void **state)
{
	static const char *const first[] = { TABLE("\"a\"", COLUMN), TABLE("\"b\"", COLUMN), NULL };
	static const char *const second[] = { TABLE("\"b\"", COLUMN ",{\"name\":\"n\",\"nativeType\":null,"
	    "\"normalizedType\":null,\"dimensionType\":\"string\",\"nullable\":true,\"primaryKey\":false}"),
		TABLE("\"c\"", COLUMN), NULL };
	char one[ARTIFACTS_SYNC_MAX], two[ARTIFACTS_SYNC_MAX];
	struct artifacts_diff d;

	(void)state;
	d = scan(first, NOON, one);
	assert_string_equal(one, "2026-01-01-120000-local-mjve7pc0");
	assert_int_equal(d.tables_added, 2);
	assert_int_equal(d.columns_added, 2);
	d = scan(first, NOON + 5000, two);
	assert_string_equal(one, two);
	assert_int_equal(d.tables_unchanged, 2);
	d = scan(second, NOON, two); /* the clock stood still */
	assert_string_equal(two, "2026-01-01-120001-local-mjve7pc0");
	assert_int_equal(d.tables_added, 1);
	assert_int_equal(d.tables_deleted, 1);
	assert_int_equal(d.tables_modified, 1);
	assert_int_equal(d.tables_unchanged, 0);
	assert_int_equal(d.columns_added, 2);
	assert_int_equal(d.columns_deleted, 1);
	assert_int_equal(d.columns_modified, 0);
}

/* What is not published leaves no trace, and debris of a crash goes at the next beginning. */
static void
nothing_is_left(void **state)
{
	struct files_stamp stamp;
	struct artifacts *a, *b;
	struct err err;

	(void)state;
	a = artifacts_begin(raw, "c", &err);
	assert_non_null(a);
	artifacts_free(a);
	assert_int_equal(files_stat(raw, "c/live-database", &stamp, NULL), FILES_OK);
	assert_int_equal(unlinkat(raw, "c/live-database", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(raw, "c", AT_REMOVEDIR), 0);

	assert_int_equal(mkdirat(raw, "c", 0755), 0);
	assert_int_equal(mkdirat(raw, "c/" ATOMIC_PREFIX "99-1", 0755), 0);
	assert_int_equal(artifacts_sweep(raw, "c", &err), 0);
	assert_int_equal(artifacts_sweep(raw, "never", &err), 0);
	assert_int_equal(files_stat(raw, "c/" ATOMIC_PREFIX "99-1", &stamp, NULL), FILES_MISSING);
	b = artifacts_begin(raw, "c", &err);
	assert_non_null(b);
	artifacts_free(b);
}

/* A directory without a report, or with a broken one, is no sync. */
static void
only_what_has_a_report_counts(void **state)
{
	static const char *const tables[] = { TABLE("\"a\"", COLUMN), NULL };
	char one[ARTIFACTS_SYNC_MAX], two[ARTIFACTS_SYNC_MAX];
	int fd;

	(void)state;
	(void)scan(tables, NOON, one);
	assert_int_equal(mkdirat(raw, "c/live-database/2027-01-01-000000-half", 0755), 0);
	assert_int_equal(mkdirat(raw, "c/live-database/2027-02-01-000000-broken", 0755), 0);
	fd = openat(raw, "c/live-database/2027-02-01-000000-broken/scan-report.json", O_WRONLY | O_CREAT | O_CLOEXEC,
	    0644);
	assert_int_equal(write(fd, "{\"x\":", 5), 5);
	close(fd);
	assert_int_equal(scan(tables, NOON + 1000, two).tables_unchanged, 1);
	assert_string_equal(one, two);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(file_names),
		TEST(pretty),
		TEST(shapes),
		TEST(what_is_added_is_left_out_where_it_is_nothing),
		TEST(secrets_are_redacted),
		TEST(differences),
		TEST(nothing_is_left),
		TEST(only_what_has_a_report_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
