// libs: carrel_project carrel_base
/* test_snapshot.c - scan artifacts: complete ones, older ones, and half written ones. */
#include <stdio.h>

#include "tests/unit/harness.h"

#include "project/scan/snapshot.h"
#include "project/scan/snapshot_plain.h"

static struct arena *a;
static struct buf scratch;
static struct err err;

static void
assert_span(struct span s, const char *text)
{
	if (!span_is_str(s, text) || s.p == NULL)
		fail_msg("\"%.*s\" is not \"%s\"", SPAN_FMT(s), text);
}

static void
a_report_names_the_scan(void **state)
{
	struct snapshot_head h;

	(void)state;
	assert_int_equal(snapshot_read_report(a,
			     SPAN("{\"syncId\":\"s1\",\"driver\":\"postgres\",\"runId\":\"r\","
				  "\"artifactPaths\":{\"rawSourcesDir\":\"raw-sources/w/live-database/s0\"},"
				  "\"createdAt\":\"2026-01-01T00:00:00.000Z\"}"),
			     "dir", "w", &h, &err),
	    0);
	assert_span(h.sync_id, "s1");
	assert_span(h.run_id, "r");
	assert_span(h.tables_dir, "s0");
	assert_span(h.extracted_at, "2026-01-01T00:00:00.000Z");
	assert_int_equal(snapshot_read_connection(a,
			     SPAN("{\"extractedAt\":\"2026-01-01T00:00:01.000Z\","
				  "\"driver\":\"sqlite\"}"),
			     &h, &err),
	    0);
	assert_span(h.extracted_at, "2026-01-01T00:00:01.000Z");
	assert_span(h.driver, "postgres");
}

static void
what_a_report_leaves_out_is_found_elsewhere(void **state)
{
	static const char *const strange[] = {
		"../../etc", "raw-sources/w/live-database/../x", "raw-sources/v/live-database/s0",
		"raw-sources/w/live-database/.git", "raw-sources/w/live-database/", "/abs"
	};
	struct snapshot_head h;

	(void)state;
	assert_int_equal(snapshot_read_report(a, SPAN("{}"), "2026-03-02-080910-local-x", "w", &h, &err), 0);
	assert_span(h.sync_id, "2026-03-02-080910-local-x");
	assert_span(h.tables_dir, "2026-03-02-080910-local-x");
	assert_span(h.extracted_at, "2026-03-02T08:09:10.000Z");
	assert_null(h.run_id.p);
	for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++) {
		struct buf json = { 0 };

		buf_printf(&json, "{\"artifactPaths\":{\"rawSourcesDir\":\"%s\"}}", strange[i]);
		assert_int_equal(snapshot_read_report(a, buf_view(&json), "dir", "w", &h, &err), 0);
		assert_span(h.tables_dir, "dir");
		buf_fini(&json);
	}
}

static void
a_table_has_everything(void **state)
{
	struct snapshot_table t;

	(void)state;
	assert_int_equal(
	    snapshot_read_table(a, &scratch,
		SPAN("{\"catalog\":null,\"db\":\"public\",\"name\":\"orders\","
		     "\"kind\":\"view\",\"comment\":\"c\",\"estimatedRows\":-1,\"descriptions\":{\"db\":\"x\",\"user\":"
		     "\"u\"},"
		     "\"columns\":[{\"name\":\"id\",\"nativeType\":\"bigint\",\"normalizedType\":\"bigint\","
		     "\"dimensionType\":\"number\",\"nullable\":false,\"primaryKey\":true,\"comment\":null,"
		     "\"sampleValues\":[\"a\",1,\"b\"]},{\"nativeType\":\"no "
		     "name\"},5,{\"name\":\"at\",\"dimensionType\":\"time\"}],"
		     "\"foreignKeys\":[{\"fromColumn\":\"id\",\"toCatalog\":null,\"toDb\":\"public\",\"toTable\":\"t\","
		     "\"toColumn\":null,\"constraintName\":\"fk\"},{\"fromColumn\":\"id\"}],\"future\":{}}"),
		&t, &err),
	    0);
	assert_null(t.catalog.p);
	assert_span(t.db, "public");
	assert_int_equal(t.kind, SNAPSHOT_VIEW);
	assert_true(t.has_rows);
	assert_int_equal(t.rows, -1);
	assert_span(t.description, "u");
	assert_int_equal(t.ncolumns, 2);
	assert_true(t.columns[0].primary_key && !t.columns[0].nullable);
	assert_int_equal(t.columns[0].nsamples, 2);
	assert_int_equal(t.columns[1].dimension, SNAPSHOT_TIME);
	assert_true(t.columns[1].nullable);
	assert_true(t.has_keys);
	assert_int_equal(t.nkeys, 1);
	assert_null(t.keys[0].to_column.p);
}

static bool
same_text(struct span x, struct span y)
{
	return span_is(x, y) && (x.p == NULL) == (y.p == NULL);
}

static void
same_index(const struct snapshot_index *x, const struct snapshot_index *y)
{
	assert_true(span_is(x->name, y->name) && same_text(x->definition, y->definition));
	assert_true(x->unique == y->unique && x->primary == y->primary);
	assert_int_equal(x->ncolumns, y->ncolumns);
	for (size_t i = 0; i < x->ncolumns; i++)
		assert_true(same_text(x->columns[i], y->columns[i]));
}

/* The quick reader and the strict one, which a member nobody knows calls for, agree; what is wrong is wrong for both. */
static void
both_readers_read_the_same(void **state)
{
	static const struct {
		const char *inside;
		bool good;
	} rows[] = {
		{ "\"name\":\"t\"", true },
		{ "\"name\" : \"t\" ,\n  \"comment\": \"\"", true },
		{ "\"name\":\"t\",\"estimatedRows\":0,\"columns\":[{\"name\":\"a\",\"sampleValues\":[\"x\",\"y\"]}]",
		    true },
		{ "\"name\":\"t\",\"columns\":[{\"nativeType\":\"x\"},{\"name\":\"b\",\"nullable\":false}]", true },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"sampleValues\":[]}],\"foreignKeys\":[{}]", true },
		{ "\"name\":\"t\",\"name\":\"t\"", false },
		{ "\"name\":\"t\",", false },
		{ ",\"name\":\"t\"", false },
		{ "\"name\":\"t\",\"estimatedRows\":007", false },
		{ "\"name\":\"t\",\"columns\":[{},]", false },
		{ "\"name\":\"t\",\"columns\":[,{}]", false },
		{ "\"name\":\"t\xc3\"", false },
		{ "\"name\":\"t\n\"", false },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"name\":\"b\"}]", false },
		{ "\"name\":\"t\"}", false },
		/* Columns like the one before, and almost like it. */
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"comment\":\"x\"}, {\"name\":\"b\",\"comment\":null},"
		  "{\"comment\":\"y\",\"name\":\"c\"},{\"name\":\"d\"}, { \"name\":\"e\",\"nativeType\":\"z\" }]",
		    true },
		{ "\"name\":\"t\",\"foreignKeys\":[{\"fromColumn\":\"a\",\"toTable\":\"x\"},"
		  "{\"fromColumn\":\"b\",\"toTable\":\"y\"},{\"toTable\":\"z\",\"fromColumn\":\"c\"}]",
		    true },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"comment\":\"x\"},{\"name\":\"b\",\"name\":\"c\"}]",
		    false },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"comment\":\"x\"},{\"comment\":\"b\",\"comment\":\"c\"}"
		  "]",
		    false },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"comment\":\"x\"},{\"name\":\"b\",\"comment\":}]",
		    false },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\"},{\"name\":\"b\",}]", false },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\"},{\"name\":\"b\"", false },
		/* Labels, indexes, definitions. */
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"enumLabels\":[\"x\",\"y\"]},{\"name\":\"b\","
		  "\"enumLabels\":[]},"
		  "{\"name\":\"c\"}],\"definition\":\"SELECT 1\"",
		    true },
		{ "\"name\":\"t\",\"definition\":null,\"indexes\":[{\"name\":\"i\",\"columns\":[\"a\",null],\"unique\":"
		  "true,\"primary\":false,"
		  "\"definition\":\"CREATE\"},{\"name\":\"j\",\"columns\":[],\"unique\":false,\"primary\":true},{"
		  "\"columns\":[\"x\"]}]",
		    true },
		{ "\"name\":\"t\",\"indexes\":[{\"name\":\"i\",\"columns\":[\"a\",]}]", false },
		{ "\"name\":\"t\",\"indexes\":[{\"name\":\"i\",\"name\":\"i\"}]", false },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"enumLabels\":[nul]}]", false },
		/* Defaults, generated and identity columns, checks; a column with all that it may have. */
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"default\":\"1\"},{\"name\":\"b\",\"generated\":\"a + "
		  "1\"},"
		  "{\"name\":\"c\",\"nativeType\":\"x\",\"normalizedType\":\"x\",\"dimensionType\":\"time\","
		  "\"nullable\":true,"
		  "\"primaryKey\":false,\"comment\":null,\"sampleValues\":[],\"enumLabels\":[],\"default\":null,"
		  "\"generated\":null,"
		  "\"identity\":\"always\"}],\"checks\":[{\"name\":\"x\",\"expression\":\"a > 1\"},{\"expression\":\"b "
		  "> 1\"},"
		  "{\"name\":\"y\"}]",
		    true },
		{ "\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"default\":\"1\",\"default\":\"1\"}]", false },
		{ "\"name\":\"t\",\"checks\":[{\"expression\":\"x\",}]", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf quick = { 0 }, strict = { 0 };
		struct snapshot_table t, other;
		int result;

		buf_printf(&quick, "{%s}", rows[i].inside);
		buf_printf(&strict, "{%s,\"unknown\":[1]}", rows[i].inside);
		result = snapshot_read_table(a, &scratch, buf_view(&quick), &t, &err);
		assert_int_equal(result == 0, rows[i].good);
		assert_int_equal(snapshot_read_table(a, &scratch, buf_view(&strict), &other, &err), result);
		if (result == 0) {
			assert_int_equal(t.ncolumns, other.ncolumns);
			assert_int_equal(t.nkeys, other.nkeys);
			assert_true(t.has_rows == other.has_rows && t.has_keys == other.has_keys);
			assert_true(span_is(t.name, other.name));
			for (size_t k = 0; k < t.ncolumns; k++) {
				assert_true(span_is(t.columns[k].name, other.columns[k].name));
				assert_true(span_is(t.columns[k].comment, other.columns[k].comment));
				assert_true(span_is(t.columns[k].native_type, other.columns[k].native_type));
				assert_int_equal(t.columns[k].nullable, other.columns[k].nullable);
				assert_int_equal(t.columns[k].nsamples, other.columns[k].nsamples);
				assert_int_equal(t.columns[k].is_enum, other.columns[k].is_enum);
				assert_int_equal(t.columns[k].nlabels, other.columns[k].nlabels);
				assert_true(same_text(t.columns[k].default_text, other.columns[k].default_text));
				assert_true(same_text(t.columns[k].generated, other.columns[k].generated));
				assert_true(same_text(t.columns[k].identity, other.columns[k].identity));
				for (size_t l = 0; l < t.columns[k].nlabels; l++)
					assert_true(span_is(t.columns[k].labels[l], other.columns[k].labels[l]));
			}
			assert_true(span_is(t.definition, other.definition));
			assert_int_equal(t.nindexes, other.nindexes);
			for (size_t k = 0; k < t.nindexes; k++)
				same_index(&t.indexes[k], &other.indexes[k]);
			assert_int_equal(t.nchecks, other.nchecks);
			for (size_t k = 0; k < t.nchecks; k++)
				assert_true(same_text(t.checks[k].name, other.checks[k].name) &&
				    same_text(t.checks[k].expression, other.checks[k].expression));
			for (size_t k = 0; k < t.nkeys; k++) {
				assert_true(span_is(t.keys[k].from_column, other.keys[k].from_column));
				assert_true(span_is(t.keys[k].to_table, other.keys[k].to_table));
			}
		}
		buf_fini(&quick);
		buf_fini(&strict);
	}
}

/* What the quick reader takes, and what it leaves to the strict one. */
static void
what_is_plain(void **state)
{
	static const struct {
		const char *text;
		bool plain;
	} rows[] = {
		{ "{\"name\":\"t\"}", true },
		{ "\t\r\n {\t\"name\"\r\n:                  \"t\" }\n", true },
		{ "{\"name\":\"t\",\"catalog\":null,\"estimatedRows\":123456789012345}", true },
		{ "{\"name\":\"t\",\"estimatedRows\":null,\"columns\":[],\"foreignKeys\":[ ],\"indexes\":[]}", true },
		{ "", false },
		{ "[]", false },
		{ "{}", false },
		{ "{\"name\":null}", false },
		{ "{\"name\":\"t\"} {}", false },
		{ "{\"name\":\"t\" \"comment\":\"x\"}", false },
		{ "{\"name\":\"\\u0074\"}", false },
		{ "{\"nam\\u0065\":\"t\"}", false },
		{ "{\"name\":\"t\",\"other\":1}", false },
		{ "{\"name\":\"t\",\"estimatedRows\":1234567890123456}", false },
		{ "{\"name\":\"t\",\"estimatedRows\":1e3}", false },
		{ "{\"name\":\"t\",\"estimatedRows\":1.5}", false },
		{ "{\"name\":\"t\",\"estimatedRows\":-1}", false },
		{ "{\"name\":\"t\",\"estimatedRows\":[1]}", false },
		{ "{\"name\":\"t\",\"estimatedRows\":", false },
		{ "{\"name\":\"t\",\"columns\":null}", false },
		{ "{\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"nullable\":null}]}", false },
		{ "{\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"sampleValues\":[null]}]}", false },
		{ "{\"name\":\"t\",\"columns\":[\"a\" \"b\"]}", false },
	};
	struct snapshot_table t;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(snapshot_plain_table(a, span_str(rows[i].text), &t), rows[i].plain);
}

/* More elements than there is room for at first, some left out. */
static void
long_lists(void **state)
{
	struct buf text = { 0 };
	struct snapshot_table t;
	char name[20];

	(void)state;
	buf_str(&text, "{\"name\":\"t\",\"columns\":[");
	buf_str(&text, "{\"name\":\"c0\",\"comment\":\"x\",\"enumLabels\":[\"l0\"");
	for (unsigned i = 1; i < 20; i++)
		buf_printf(&text, ",\"l%u\"", i);
	buf_str(&text, "]}");
	for (unsigned i = 1; i < 100; i++)
		buf_printf(&text, ",{\"comment\":\"left out\"},{\"name\":\"c%u\"}", i);
	buf_str(&text, "]}");
	assert_true(snapshot_plain_table(a, buf_view(&text), &t));
	assert_int_equal(t.ncolumns, 100);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		assert_true(span_is_str(t.columns[i].name, name));
		assert_true(t.columns[i].nullable && (t.columns[i].comment.p != NULL) == (i == 0));
	}
	assert_int_equal(t.columns[0].nlabels, 20);
	assert_true(span_is(t.columns[0].labels[19], SPAN("l19")));
	buf_fini(&text);
}

/* Others have written those members, too: what cannot be meant is as if it were not there. */
static void
labels_and_indexes_of_others_do_no_harm(void **state)
{
	static const char *const odd[] = { "7", "\"x\"", "{}", "null", "[7,null,{}]", "[[]]" };
	struct snapshot_table t;

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char json[400];

		snprintf(json, sizeof(json),
		    "{\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"enumLabels\":%s,\"default\":[%s]}],\"indexes\":%s,"
		    "\"checks\":%s,\"definition\":[]}",
		    odd[i], odd[i], odd[i], odd[i]);
		assert_int_equal(snapshot_read_table(a, &scratch, span_str(json), &t, &err), 0);
		assert_int_equal(t.ncolumns, 1);
		assert_int_equal(t.columns[0].nlabels, 0);
		assert_int_equal(t.nindexes, 0);
		assert_int_equal(t.nchecks, 0);
		assert_null(t.columns[0].default_text.p);
		assert_null(t.definition.p);
	}
}

static void
an_older_table_lists_no_keys(void **state)
{
	struct snapshot_table t;
	struct snapshot_keys keys;

	(void)state;
	assert_int_equal(snapshot_read_table(a, &scratch, SPAN("{\"name\":\"t\",\"columns\":[]}"), &t, &err), 0);
	assert_false(t.has_keys || t.has_rows);
	assert_int_equal(t.kind, SNAPSHOT_TABLE);
	assert_int_equal(snapshot_read_keys(a,
			     SPAN("{\"foreignKeys\":[{\"fromTable\":\"t\",\"fromTablePath\":\"p.t\","
				  "\"fromColumn\":\"a\",\"toTable\":\"u\",\"toColumn\":\"b\"},{\"fromTable\":\"t\"}]}"),
			     &keys, &err),
	    0);
	assert_int_equal(keys.n, 1);
	assert_span(keys.v[0].path, "p.t");
	assert_span(keys.v[0].key.to_table, "u");
}

static void
descriptions_name_tables_and_columns(void **state)
{
	struct snapshot_texts texts;

	(void)state;
	assert_int_equal(snapshot_read_descriptions(a,
			     SPAN("[{\"table\":{\"catalog\":null,\"db\":\"p\",\"name\":\"t\"},"
				  "\"tableDescription\":\"T\",\"columnDescriptions\":{\"a\":\"A\",\"b\":\" \"}},"
				  "{\"table\":\"p.u\",\"tableDescription\":null,\"columnDescriptions\":{\"c\":\"C\"}},"
				  "{\"tableDescription\":\"of nothing\"},7]"),
			     &texts, &err),
	    0);
	assert_int_equal(texts.n, 3);
	assert_span(texts.v[0].table, "t");
	assert_int_equal(texts.v[0].column.len, 0);
	assert_span(texts.v[1].column, "a");
	assert_span(texts.v[2].table, "u");
	assert_span(texts.v[2].text, "C");
}

static void
a_profile_names_columns_either_way(void **state)
{
	struct snapshot_profile p;

	(void)state;
	assert_int_equal(
	    snapshot_read_profile(a,
		SPAN("{\"profileSampleRows\":10000,\"profiledAt\":null,"
		     "\"extractedAt\":\"2026\",\"columns\":{"
		     "\"orders.status\":{\"table\":{\"catalog\":null,\"db\":\"p\",\"name\":\"orders\"},\"column\":"
		     "\"status\","
		     "\"nativeType\":\"TEXT\",\"normalizedType\":\"text\",\"distinctCount\":3,\"sampleValues\":[\"a\","
		     "null,\"b\"]},"
		     "\"my.table.kind\":{\"nativeType\":\"text\",\"distinctCount\":null},"
		     "\"nodot\":{\"distinctCount\":7,\"sampleValues\":[\"its\",\"values\",\"are\",\"nobody's\"]},"
		     "\"t.c\":{\"sampleValues\":[\"d\"]},\"x.y\":3}}"),
		&p, &err),
	    0);
	assert_true(p.has_sample_rows && !p.has_values_per_column);
	assert_int_equal(p.sample_rows, 10000);
	assert_span(p.profiled_at, "2026");
	assert_int_equal(p.n, 3);
	assert_span(p.v[0].type, "text");
	assert_span(p.v[0].db, "p");
	assert_int_equal(p.v[0].nvalues, 2);
	assert_true(p.v[0].has_distinct && !p.v[1].has_distinct);
	assert_span(p.v[1].table, "my.table");
	/* Nothing is left of the one that has no name. */
	assert_false(p.v[2].has_distinct);
	assert_int_equal(p.v[2].nvalues, 1);
	assert_span(p.v[2].values[0], "d");
	assert_span(p.v[1].column, "kind");
}

/* What databases hold and no JSON reader likes costs the value it stands in. */
static void
a_bad_value_costs_that_value(void **state)
{
	static const char *const bad[] = { "\"a\\u0000b\"", "\"\\ud800\"", "\"\\udc00x\"", "\"\\ud83d\\u0041\"", "\"a\001b\"", "\"a\tb\"", "\"\xff\xfe\"",
		"\"\xc3\"", "\"\\x41\"", "\"\\uZZZZ\"", "NaN", "-Infinity", "1e999", "99999999999999999999999999", "null", "{}" };
	struct snapshot_profile p;
	struct snapshot_table t;
	char json[600];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(json, sizeof(json),
		    "{\"columns\":{\"t.c\":{\"nativeType\":\"text\",\"distinctCount\":3,\"sampleValues\":"
		    "[\"first\",%s,\"last "
		    "\\ud83d\\ude00\"]},\"t.d\":{\"nativeType\":\"text\",\"nullRate\":%s,\"sampleValues\":[\"x\"]}}}",
		    bad[i], bad[i]);
		if (snapshot_read_profile(a, span_str(json), &p, &err) != 0)
			fail_msg("%s: %s", bad[i], err.message);
		assert_int_equal(p.n, 2);
		assert_int_equal(p.v[0].nvalues, 2);
		assert_span(p.v[0].values[0], "first");
		assert_span(p.v[0].values[1], "last \xf0\x9f\x98\x80");
		assert_int_equal(p.v[1].nvalues, 1);
	}
	/* A replacement character that is the data's own is data. */
	assert_int_equal(snapshot_read_profile(a,
			     SPAN("{\"columns\":{\"t.c\":{\"sampleValues\":[\"a\xef\xbf\xbd\"]}}}"), &p, &err),
	    0);
	assert_int_equal(p.v[0].nvalues, 1);
	/* A column nobody can name is left out, the others stay; a comment is shown as far as it can be. */
	assert_int_equal(
	    snapshot_read_profile(a,
		SPAN("{\"columns\":{\"t.c\\u0000\":{\"sampleValues\":[\"a\"]},\"t.d\":{\"sampleValues\":[\"b\"]}}}"),
		&p, &err),
	    0);
	assert_int_equal(p.n, 1);
	assert_span(p.v[0].column, "d");
	assert_int_equal(snapshot_read_table(a, &scratch,
			     SPAN("{\"name\":\"t\",\"comment\":\"a\\u0000b\",\"columns\":[{\"name\":\"c\"}]}"), &t,
			     &err),
	    0);
	assert_span(t.comment,
	    "a\xef\xbf\xbd"
	    "b");
	/* What is no JSON at all stays refused. */
	assert_int_equal(snapshot_read_profile(a, SPAN("{\"columns\":{\"t.c\":{\"sampleValues\":[\"\\u0000\"]}}"), &p,
			     &err),
	    -1);
	assert_int_equal(snapshot_read_profile(a, SPAN("{\"columns\":nonsense}"), &p, &err), -1);
}

/* Every file cut anywhere is refused with a reason, never half believed. */
static void
half_a_file_is_refused(void **state)
{
	static const char report[] = "{\"syncId\":\"s\",\"a\":[1,{\"b\":\"c\"}]}";
	static const char *const wrong[] = { "", "[]", "5", "\"x\"", "null", "{\"a\":1}x", "{'a':1}" };
	struct snapshot_profile profile;
	struct snapshot_texts texts;
	struct snapshot_table table;
	struct snapshot_keys keys;
	struct snapshot_head h;

	(void)state;
	for (size_t n = 0; n < sizeof(report) - 1; n++)
		assert_int_equal(snapshot_read_report(a, span_of(report, n), "d", "w", &h, &err), -1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct span s = span_str(wrong[i]);

		err.message[0] = '\0';
		assert_int_equal(snapshot_read_report(a, s, "d", "w", &h, &err), -1);
		assert_int_equal(snapshot_read_table(a, &scratch, s, &table, &err), -1);
		assert_int_equal(snapshot_read_keys(a, s, &keys, &err), -1);
		assert_int_equal(snapshot_read_profile(a, s, &profile, &err), -1);
		assert_true(err.message[0] != '\0');
		if (strcmp(wrong[i], "[]") != 0)
			assert_int_equal(snapshot_read_descriptions(a, s, &texts, &err), -1);
	}
	assert_int_equal(snapshot_read_table(a, &scratch, SPAN("{\"name\":\"\"}"), &table, &err), -1);
}

static void
a_display_string_leaves_out_what_is_null(void **state)
{
	static const struct {
		const char *driver, *catalog, *db, *name, *display;
	} rows[] = {
		{ "postgres", NULL, "public", "orders", "public.orders" },
		{ "bigquery", "c", "d", "t", "c.d.t" },
		{ "mysql", NULL, NULL, "t", "t" },
		{ "sqlite", "main", "main", "t", "t" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b = { 0 };

		snapshot_display(span_str(rows[i].driver), span_str(rows[i].catalog), span_str(rows[i].db),
		    span_str(rows[i].name), &b);
		assert_string_equal(buf_cstr(&b), rows[i].display);
		buf_fini(&b);
	}
}

static int
set_up(void **state)
{
	(void)state;
	a = arena_new(8 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(a);
	buf_fini(&scratch);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_names_the_scan),
		cmocka_unit_test(what_a_report_leaves_out_is_found_elsewhere),
		cmocka_unit_test(a_table_has_everything),
		cmocka_unit_test(both_readers_read_the_same),
		cmocka_unit_test(what_is_plain),
		cmocka_unit_test(long_lists),
		cmocka_unit_test(labels_and_indexes_of_others_do_no_harm),
		cmocka_unit_test(an_older_table_lists_no_keys),
		cmocka_unit_test(descriptions_name_tables_and_columns),
		cmocka_unit_test(a_profile_names_columns_either_way),
		cmocka_unit_test(half_a_file_is_refused),
		cmocka_unit_test(a_bad_value_costs_that_value),
		cmocka_unit_test(a_display_string_leaves_out_what_is_null),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
