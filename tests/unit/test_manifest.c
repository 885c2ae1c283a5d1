// libs: carrel_project carrel_base
/* test_manifest.c - what a shard keeps, what the scan owns, and which joins keys give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "project/scan/manifest_merge.h"
#include "project/format/yaml.h"

static void
add(struct manifest *m, const char *json)
{
	struct buf b = { 0 };
	struct mp_value v;
	size_t at;

	if (json_read(span_str(json), &b, &at) != JSON_OK)
		fail_msg("at %zu: %s", at, json + at);
	assert_true(mp_value(buf_view(&b), &v));
	manifest_add(m, &v);
	buf_fini(&b);
}

/* db and keys are JSON; columns are the names, a leading '*' makes a key of it. */
static void
add_table(struct manifest *m, const char *db, const char *name, const char *columns, const char *keys)
{
	struct buf b = { 0 };
	const char *at = columns;

	buf_printf(&b, "{\"catalog\":null,\"db\":%s,\"name\":\"%s\",\"comment\":null,\"columns\":[", db, name);
	while (*at != '\0') {
		size_t n = strcspn(at, " ");
		bool key = *at == '*';

		buf_printf(&b, "%s{\"name\":\"%.*s\",\"dimensionType\":\"number\",\"nullable\":%s,\"primaryKey\":%s}",
		    at == columns ? "" : ",", (int)(n - key), at + key, key ? "false" : "true", key ? "true" : "false");
		at += n + (at[n] == ' ');
	}
	buf_printf(&b, "],\"foreignKeys\":%s}", keys);
	add(m, buf_cstr(&b));
	buf_fini(&b);
}

#define KEY(from, db, to, column, name)							\
	"{\"fromColumn\":\"" from "\",\"toCatalog\":null,\"toDb\":" db ",\"toTable\":\"" to	\
	"\",\"toColumn\":" column ",\"constraintName\":" name "}"

/* The merged text of shard `public`; freed by the caller. */
static char *
merge(struct manifest *m, const char *old, bool *changed)
{
	struct buf out = { 0 };
	struct err err = { 0 };
	char *text;

	if (manifest_merge(m, SPAN("sqlite"), "public", span_str(old), &out, changed, &err) != 0)
		fail_msg("%s", err.message);
	text = strdup(buf_cstr(&out));
	buf_fini(&out);
	return text;
}

static void
assert_merged(struct manifest *m, const char *old, const char *expected)
{
	bool changed;
	char *text = merge(m, old, &changed), *again;

	assert_string_equal(text, expected);
	/* What was written is left alone, and reads as YAML. */
	again = merge(m, text, &changed);
	assert_false(changed);
	assert_string_equal(again, text);
	free(text);
	free(again);
}

static int
setup(void **state)
{
	static struct manifest m;

	manifest_init(&m);
	*state = &m;
	return 0;
}

static int
teardown(void **state)
{
	manifest_fini(*state);
	return 0;
}

static void
nothing_before(void **state)
{
	add_table(*state, "null", "b", "x", "[]");
	add_table(*state, "null", "a", "*id", "[]");
	assert_int_equal(manifest_close(*state), 0);
	assert_merged(*state, "",
	    "tables:\n"
	    "  a:\n    table: a\n    columns:\n      - name: id\n        type: number\n        pk: true\n        "
	    "nullable: false\n"
	    "  b:\n    table: b\n    columns:\n      - name: x\n        type: number\n");
}

static void
no_tables(void **state)
{
	assert_int_equal(manifest_close(*state), 0);
	assert_merged(*state, "", "tables: {}\n");
	assert_merged(*state, "tables:\n  gone: {table: gone, columns: []}\nkept: [1, on]\n",
	    "tables: {}\nkept:\n  - 1\n  - \"on\"\n");
}

static void
what_is_not_the_scans_stays(void **state)
{
	add(*state,
	    "{\"catalog\":null,\"db\":null,\"name\":\"a\",\"comment\":\"neu\",\"columns\":["
	    "{\"name\":\"id\",\"dimensionType\":\"number\",\"nullable\":false,\"primaryKey\":true,\"comment\":null},"
	    "{\"name\":\"n\",\"dimensionType\":\"string\",\"nullable\":true,\"primaryKey\":false,\"comment\":\"Name\"}]"
	    ","
	    "\"foreignKeys\":[]}");
	assert_int_equal(manifest_close(*state), 0);
	assert_merged(*state,
	    "tables:\n"
	    "  a:\n"
	    "    table: old.a\n"
	    "    freshness: {dbt: {raw: 1d}}\n"
	    "    usage: {narrative: daily, frequencyTier: high}\n"
	    "    descriptions: {ai: guessed, db: alt, user: mine, dbt: theirs}\n"
	    "    columns:\n"
	    "      - {name: gone, type: number}\n"
	    "      - {name: n, type: time, pk: true, descriptions: {db: alt, user: 'yes'}, tests: {dbt: [unique]}, x: "
	    "01}\n"
	    "      - {name: id, type: string, descriptions: {db: alt}}\n",
	    "tables:\n"
	    "  a:\n"
	    "    table: a\n"
	    "    columns:\n"
	    "      - name: id\n        type: number\n        pk: true\n        nullable: false\n"
	    "      - name: \"n\"\n        type: string\n        descriptions:\n          db: Name\n          user: "
	    "\"yes\"\n"
	    "        tests:\n          dbt:\n            - unique\n        x: 01\n"
	    "    descriptions:\n      db: neu\n      ai: guessed\n      user: mine\n      dbt: theirs\n"
	    "    usage:\n      narrative: daily\n      frequencyTier: high\n"
	    "    freshness:\n      dbt:\n        raw: \"1d\"\n");
}

static void
keys_become_joins_both_ways(void **state)
{
	add_table(*state, "null", "orders", "*id customer_id",
	    "[" KEY("customer_id", "null", "customers", "\"id\"", "null") "]");
	add_table(*state, "null", "customers", "*id parent_id",
	    "[" KEY("parent_id", "null", "customers", "null", "null") "," /* names the table only */
	    KEY("parent_id", "null", "elsewhere", "\"id\"", "null") "]"); /* not scanned */
	assert_int_equal(manifest_close(*state), 0);
	assert_merged(*state, "",
	    "tables:\n"
	    "  customers:\n    table: customers\n    columns:\n"
	    "      - name: id\n        type: number\n        pk: true\n        nullable: false\n"
	    "      - name: parent_id\n        type: number\n"
	    "    joins:\n"
	    "      - to: customers\n        \"on\": customers.parent_id = customers.id\n        relationship: "
	    "many_to_one\n        alias: customers_parent\n        source: formal\n"
	    "      - to: orders\n        \"on\": orders.customer_id = customers.id\n        relationship: "
	    "one_to_many\n        source: formal\n"
	    "  orders:\n    table: orders\n    columns:\n"
	    "      - name: id\n        type: number\n        pk: true\n        nullable: false\n"
	    "      - name: customer_id\n        type: number\n"
	    "    joins:\n"
	    "      - to: customers\n        \"on\": orders.customer_id = customers.id\n        relationship: "
	    "many_to_one\n        source: formal\n");
}

static void
assert_on(struct manifest *m, const char *on);

/* Without an alias nothing could name the other row; older manifests get theirs, whoever made the join. */
static void
self_references_get_an_alias(void **state)
{
	static const char old[] =
	    "tables:\n  e:\n    table: e\n    columns: []\n    joins:\n"
	    "      - {to: e, on: e.boss = e.id, relationship: many_to_one, source: formal}\n"
	    "      - {to: e, on: e.id = e.deputyId, relationship: many_to_one, source: manual, note: mine}\n"
	    "      - {to: e, on: e.mentor_id = e.id, relationship: many_to_one, source: inferred}\n"
	    "      - {to: e, on: e.mentor_key = e.id, alias: guide, relationship: many_to_one, source: manual}\n";
	bool changed;
	char *text, *again;

	add_table(*state, "null", "e", "*id boss deputyId mentor_id mentor_key owner_id",
	    "[" KEY("boss", "null", "e", "\"id\"", "null") "," KEY("owner_id", "null", "e", "null", "null") "]");
	add_table(*state, "null", "e_owner", "*id", "[]");
	add_table(*state, "null", "part of", "*tenant *id tenant_up up",
	    "[" KEY("tenant", "null", "part of", "\"tenant\"", "\"k\"") "," KEY("up", "null", "part of", "\"id\"",
		"\"k\"") "]");
	assert_int_equal(manifest_close(*state), 0);
	assert_on(*state,
	    "\"on\": e.boss = e.id\n        relationship: many_to_one\n        alias: e_boss\n        source: "
	    "formal\n");
	assert_on(*state, "alias: e_owner_\n");   /* e_owner is a table */
	assert_on(*state, "alias: part_of_up\n"); /* the column that is not the same on both sides */
	text = merge(*state, old, &changed);
	assert_true(changed);
	assert_non_null(strstr(text,
	    "e.id = e.deputyId\n        relationship: many_to_one\n        source: manual\n        note: mine\n"
	    "        alias: e_deputy\n"));
	assert_non_null(strstr(text, "source: inferred\n        alias: e_mentor\n"));
	assert_non_null(strstr(text, "alias: guide\n"));
	assert_non_null(strstr(text, "alias: e_boss\n"));
	again = merge(*state, text, &changed);
	assert_false(changed);
	free(text);
	free(again);
}

static void
assert_on(struct manifest *m, const char *on)
{
	bool changed;
	char *text = merge(m, "", &changed);

	if (strstr(text, on) == NULL)
		fail_msg("%s\nis not in\n%s", on, text);
	free(text);
}

/* Columns of one constraint belong together; without names, those that make the whole key do. */
static void
composite_keys(void **state)
{
	add_table(*state, "null", "pair", "*a *b", "[]");
	add_table(*state, "null", "named", "x y z",
	    "[" KEY("x", "null", "pair", "\"a\"", "\"fk1\"") "," KEY("y", "null", "pair", "\"b\"",
		"\"fk1\"") "," KEY("z", "null", "pair", "\"a\"", "\"fk2\"") "]");
	add_table(*state, "null", "unnamed", "x y",
	    "[" KEY("x", "null", "pair", "\"b\"", "null") "," KEY("y", "null", "pair", "\"a\"", "null") "]");
	add_table(*state, "null", "half", "x y",
	    "[" KEY("x", "null", "pair", "\"a\"", "null") "," KEY("y", "null", "pair", "\"a\"", "null") "]");
	assert_int_equal(manifest_close(*state), 0);
	assert_on(*state, "\"on\": named.x = pair.a AND named.y = pair.b\n");
	assert_on(*state, "\"on\": named.z = pair.a\n");
	assert_on(*state, "\"on\": unnamed.x = pair.b AND unnamed.y = pair.a\n");
	assert_on(*state, "\"on\": half.x = pair.a\n");
	assert_on(*state, "\"on\": half.y = pair.a\n");
}

static void
joins_that_still_mean_something_stay(void **state)
{
	bool changed;
	char *text;

	add_table(*state, "null", "a", "*id b_id", "[" KEY("b_id", "null", "b", "\"id\"", "null") "]");
	add_table(*state, "null", "b", "*id", "[]");
	assert_int_equal(manifest_close(*state), 0);
	text = merge(*state,
	    "tables:\n  a:\n    table: a\n    columns: []\n    joins:\n"
	    "      - {to: b, on: a.b_id=b.id, relationship: one_to_one, source: manual}\n" /* instead of the key's */
	    "      - {to: b, on: b_id = id, relationship: many_to_one}\n"                  /* no provenance: by hand */
	    "      - {to: b, on: lower(a.gone) = b.id, relationship: many_to_one, source: manual}\n" /* not ours to
													judge */
	    "      - {to: b, on: a.gone = b.id, relationship: many_to_one, source: manual}\n"
	    "      - {to: b, on: a.id = b.gone, relationship: many_to_one, source: inferred}\n"
	    "      - {to: b, on: a.id = b.id AND gone = b.id, relationship: many_to_one, source: inferred}\n"
	    "      - {to: b, on: a.id = b.id, relationship: many_to_one, source: inferred, confidence: 0.91}\n"
	    "      - {to: c, on: a.id = c.id, relationship: many_to_one, source: manual}\n"
	    "      - {to: b, on: a.id = b.old, relationship: many_to_one, source: formal}\n",
	    &changed);
	assert_true(changed);
	assert_non_null(strstr(text,
	    "    joins:\n"
	    "      - to: b\n        \"on\": a.b_id=b.id\n        relationship: one_to_one\n        source: manual\n"
	    "      - to: b\n        \"on\": b_id = id\n        relationship: many_to_one\n"
	    "      - to: b\n        \"on\": lower(a.gone) = b.id\n        relationship: many_to_one\n        source: "
	    "manual\n"
	    "      - to: b\n        \"on\": a.id = b.id\n        relationship: many_to_one\n        source: inferred\n"
	    "        confidence: 0.91\n"
	    "  b:\n"));
	free(text);
}

/* Names that YAML would make something else of. */
static void
odd_names(void **state)
{
	static const char *const names[] = { "no", "123", "null", "a:b", "#x", "1e5", "0x1F" };
	struct arena *a = arena_new(1 << 20);
	const struct yaml_node *tables, *columns;
	struct err err;
	bool changed;
	char *text;

	add_table(*state, "null", "on", "*no 123 null a:b #x 1e5 0x1F", "[]");
	add_table(*state, "null", "2024-01-01", "y", "[]");
	assert_int_equal(manifest_close(*state), 0);
	text = merge(*state, "", &changed);
	tables = yaml_get(yaml_parse(a, span_str(text), &err), "tables");
	assert_non_null(yaml_get(tables, "2024-01-01"));
	assert_non_null(yaml_get(tables, "on"));
	columns = yaml_get(yaml_get(tables, "on"), "columns");
	assert_int_equal(columns->n, 7);
	for (size_t i = 0; i < 7; i++) {
		const struct yaml_node *name = yaml_get(&columns->items[i], "name");

		assert_true(span_is_str(name->text, names[i]));
		assert_int_equal(name->quoted, strcmp(names[i], "a:b") != 0);
	}
	free(text);
	arena_free(a);
}

static void
comments_alone_are_no_change(void **state)
{
	bool changed;
	char *text;

	add_table(*state, "null", "a", "x", "[]");
	assert_int_equal(manifest_close(*state), 0);
	text = merge(*state, "# by hand\ntables: {a: {table: a, columns: [{name: x, type: number}]}}\n", &changed);
	assert_false(changed);
	free(text);
}

static void
refuses_what_is_no_manifest(void **state)
{
	static const char *const bad[] = { "tables: [", "- a", "tables: [1]", "text", "a: &x 1" };
	struct buf out = { 0 };
	struct err err;
	bool changed;

	add_table(*state, "null", "a", "x", "[]");
	assert_int_equal(manifest_close(*state), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(manifest_merge(*state, SPAN("sqlite"), "public", span_str(bad[i]), &out, &changed,
				     &err),
		    -1);
		assert_int_equal(err.code, ERR_INVALID_ARGUMENTS);
		assert_int_equal(out.len, 0);
	}
	buf_fini(&out);
}

/* More than our own reader would take is not written. */
static void
too_large(void **state)
{
	struct buf out = { 0 };
	struct err err;
	char name[32];
	bool changed;

	for (int i = 0; i < 250000; i++) {
		snprintf(name, sizeof(name), "table_%06d", i);
		add_table(*state, "null", name, "*first_column second_column", "[]");
	}
	assert_int_equal(manifest_close(*state), 0);
	assert_int_equal(manifest_merge(*state, SPAN("sqlite"), "public", SPAN(""), &out, &changed, &err), -1);
	assert_int_equal(err.code, ERR_RESULT_TOO_LARGE);
	buf_fini(&out);
}

/* What was written of 20,000 tables is read again by the next scan, which finds it as it left it. */
static void
many_tables_twice(void **state)
{
	struct buf out = { 0 }, again = { 0 };
	struct err err = { 0 };
	bool changed;
	char name[32];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "shipment_%06d", i);
		add_table(*state, "null", name,
		    "*id *warehouse_id customer_name status amount created_at changed_at note flag", "[]");
	}
	assert_int_equal(manifest_close(*state), 0);
	if (manifest_merge(*state, SPAN("sqlite"), "public", SPAN(""), &out, &changed, &err) != 0 ||
	    manifest_merge(*state, SPAN("sqlite"), "public", buf_view(&out), &again, &changed, &err) != 0)
		fail_msg("%s", err.message);
	assert_false(changed);
	assert_true(span_is(buf_view(&out), buf_view(&again)));
	buf_fini(&out);
	buf_fini(&again);
}

static void
shard_keys(void **state)
{
	static const struct {
		const char *driver, *catalog, *db, *key;
	} cases[] = {
		{ "sqlite", NULL, NULL, "public" },
		{ "postgres", NULL, "sales", "sales" },
		{ "mysql", "c", NULL, "c" },
		{ "mysql", NULL, NULL, "default" },
		{ "bigquery", "c", "d", "d" },
		{ "snowflake", NULL, NULL, "default.public" },
		{ "snowflake", "C", "S", "C.S" },
		{ "postgres", NULL, "../etc", "%2E.%2Fetc" },
		{ "postgres", NULL, "a/b%", "a%2Fb%25" },
		{ "postgres", NULL, ".hidden", "%2Ehidden" },
		{ "postgres", NULL, "größe", "größe" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct manifest_table t = { .catalog = span_str(cases[i].catalog), .db = span_str(cases[i].db),
			.name = SPAN("t") };
		struct buf b = { 0 };

		manifest_shard(span_str(cases[i].driver), &t, &b);
		assert_string_equal(buf_cstr(&b), cases[i].key);
		buf_fini(&b);
	}
}

/* Each shard holds its own tables, and keys lead across. */
static void
several_shards(void **state)
{
	struct buf out = { 0 };
	struct err err;
	bool changed;

	add_table(*state, "\"hr\"", "people", "*id", "[]");
	add_table(*state, "\"sales\"", "deals", "*id owner",
	    "[" KEY("owner", "\"hr\"", "people", "\"id\"", "\"fk\"") "]");
	assert_int_equal(manifest_close(*state), 0);
	assert_int_equal(manifest_merge(*state, SPAN("postgres"), "hr", SPAN(""), &out, &changed, &err), 0);
	assert_non_null(strstr(buf_cstr(&out), "table: hr.people"));
	assert_non_null(strstr(buf_cstr(&out), "to: deals"));
	assert_null(strstr(buf_cstr(&out), "sales.deals"));
	buf_fini(&out);
}

/* As SQL would write them: the parts of a table's name are told apart again by whoever reads it. */
static void
dots_in_a_name_stand_in_quotes(void **state)
{
	static const char *const rows[][2] = {
		{ "orders", "table: Sales.orders" }, { "day.total", "table: Sales.\"day.total\"" },
		{ "a.\\\"b", "table: Sales.\"a.\"\"b\"" },
	};
	struct buf out = { 0 };
	struct err err;
	bool changed;

	for (size_t i = 0; i < 3; i++)
		add_table(*state, "\"Sales\"", rows[i][0], "*id", "[]");
	assert_int_equal(manifest_close(*state), 0);
	assert_int_equal(manifest_merge(*state, SPAN("postgres"), "Sales", SPAN(""), &out, &changed, &err), 0);
	for (size_t i = 0; i < 3; i++)
		if (strstr(buf_cstr(&out), rows[i][1]) == NULL)
			fail_msg("%s is not in\n%s", rows[i][1], buf_cstr(&out));
	buf_fini(&out);
}

static void
joins_of_odd_names_are_in_quotes(void **state)
{
	static const char old[] =
	    "tables:\n  a b:\n    table: a b\n    columns: []\n    joins:\n"
	    "      - {to: kinds, on: '\"a b\".id = kinds.id', relationship: many_to_one, source: inferred}\n"
	    "      - {to: kinds, on: '\"a b\".\"gone.x\" = kinds.id', relationship: many_to_one, source: inferred}\n"
	    "      - {to: kinds, on: '\"a b\".\"c.d\" = kinds.gone', relationship: many_to_one, source: inferred}\n"
	    "      - {to: kinds, on: '\"a b\".\"open = kinds.id', relationship: many_to_one, source: manual}\n";
	bool changed;
	char *text;

	add_table(*state, "null", "a b", "*id c.d", "[" KEY("c.d", "null", "kinds", "\"id\"", "\"fk\"") "]");
	add_table(*state, "null", "kinds", "*id", "[]");
	assert_int_equal(manifest_close(*state), 0);
	text = merge(*state, old, &changed);
	assert_non_null(strstr(text, "\"\\\"a b\\\".\\\"c.d\\\" = kinds.id\""));
	assert_non_null(strstr(text, "\"\\\"a b\\\".id = kinds.id\""));
	assert_non_null(strstr(text, "open = kinds.id"));
	assert_null(strstr(text, "gone"));
	free(text);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_before), TEST(no_tables), TEST(what_is_not_the_scans_stays), TEST(keys_become_joins_both_ways),
		TEST(composite_keys), TEST(self_references_get_an_alias), TEST(joins_that_still_mean_something_stay), TEST(odd_names),
		TEST(comments_alone_are_no_change), TEST(refuses_what_is_no_manifest), TEST(too_large), TEST(many_tables_twice), TEST(shard_keys),
		TEST(several_shards), TEST(dots_in_a_name_stand_in_quotes), TEST(joins_of_odd_names_are_in_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
