// libs: carrel_project carrel_base
/* test_source.c - a connection's files as one model: flavours, composition, and what one bad file does not do. */
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json/json_write.h"
#include "project/format/files.h"
#include "project/model/source.h"

static struct source_set *set;
static struct buf changes;	/* "+name ", "~name ", "-name " */

static void
note(void *arg, const struct source *before, const struct source *after)
{
	(void)arg;
	buf_printf(&changes, "%c%s ",
	    before == NULL    ? '+' :
		after == NULL ? '-' :
				'~',
	    after != NULL ? after->name : before->name);
}

static const char *
compose(void)
{
	changes.len = 0;
	source_set_compose(set, note, NULL);
	return buf_cstr(&changes);
}

static void
put(const char *path, const char *text)
{
	struct err err = { 0 };

	if (source_set_put(set, path, span_str(text), &err) != 0)
		fail_msg("%s: %s", path, err.message);
}

static const struct source *
get(const char *name)
{
	const struct source *s = source_set_get(set, span_str(name));

	if (s == NULL)
		fail_msg("there is no source %s", name);
	return s;
}

/* All troubles as "path: reason\n". */
static const char *
troubles(void)
{
	static struct buf b;

	b.len = 0;
	for (size_t i = 0; i < source_set_troubles(set); i++) {
		struct source_trouble t = source_set_trouble(set, i);

		buf_printf(&b, "%s: %s\n", t.path, t.reason);
	}
	return buf_cstr(&b);
}

static void
load(const char *project)
{
	char path[512];
	struct arena *a = arena_new(1 << 20);
	static const char *const below[] = { ".", "_schema", "marts" };
	struct buf text = { 0 };
	int dir = open(SOURCE_DIR "/tests/fixtures/projects", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t k = 0; k < 3; k++) {
		struct files_list list = { 0 };
		int fd;

		snprintf(path, sizeof(path), "%s/semantic-layer/warehouse%s%s", project, k > 0 ? "/" : "",
		    k > 0 ? below[k] : "");
		if (files_open_dir(dir, path, &fd) != FILES_OK)
			continue;
		assert_int_equal(files_list(fd, a, &list), FILES_OK);
		for (size_t i = 0; i < list.n; i++) {
			if (list.entries[i].is_dir)
				continue;
			text.len = 0;
			assert_int_equal(files_read(fd, list.entries[i].name, 1 << 20, &text, NULL), FILES_OK);
			snprintf(path, sizeof(path), "%s%s%s", k > 0 ? below[k] : "", k > 0 ? "/" : "",
			    list.entries[i].name);
			(void)source_set_put(set, path, buf_view(&text), NULL);
		}
		close(fd);
	}
	close(dir);
	buf_fini(&text);
	arena_free(a);
	compose();
}

static void
assert_yaml(const char *name, const char *text)
{
	struct buf b = { 0 };

	source_set_yaml(set, get(name), &b);
	if (strcmp(buf_cstr(&b), text) != 0)
		fail_msg("%s is\n%s\nnot\n%s", name, buf_cstr(&b), text);
	buf_fini(&b);
}

static int
set_up(void **state)
{
	(void)state;
	set = source_set_new();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	source_set_free(set);
	set = NULL;
	buf_fini(&changes);
	changes = (struct buf){ 0 };
	return 0;
}

/* --- the flavours --------------------------------------------------------------- */

static void
all_flavours_are_one_model(void **state)
{
	const struct source *s;
	struct err err;

	(void)state;
	load("shop");
	assert_string_equal(troubles(), "");
	assert_int_equal(source_set_count(set), 6);
	assert_string_equal(source_set_at(set, 0)->name, "clients");
	assert_string_equal(source_set_at(set, 5)->name, "unnamed");

	s = get("customers");
	assert_int_equal(s->flavour, SOURCE_MANIFEST);
	assert_string_equal(s->table, "public.customers");
	assert_int_equal(s->ngrain, 1);
	assert_string_equal(s->grain[0], "id");
	assert_true(s->columns[2].time);
	assert_int_equal(s->joins[0].relationship, SOURCE_ONE_TO_MANY);

	/* Without a primary key every column is the grain. */
	assert_int_equal(get("events")->ngrain, 2);
	assert_true(get("events")->keyless);
	/* An overlay keeps that, unless it says the grain: also one of all columns is a key then. */
	assert_int_equal(source_set_put(set, "events.yaml",
			     SPAN("name: events\nmeasures: [{name: n, expr: count(*)}]\n"), &err),
	    0);
	source_set_compose(set, NULL, NULL);
	assert_int_equal(get("events")->flavour, SOURCE_OVERLAID);
	assert_true(get("events")->keyless);
	assert_int_equal(source_set_put(set, "events.yaml", SPAN("name: events\ngrain: [kind, at]\n"), &err), 0);
	source_set_compose(set, NULL, NULL);
	assert_int_equal(get("events")->ngrain, 2);
	assert_false(get("events")->keyless);
	source_set_remove(set, "events.yaml");
	source_set_compose(set, NULL, NULL);

	s = get("customer_summary");
	assert_int_equal(s->flavour, SOURCE_STANDALONE);
	assert_null(s->table);
	assert_non_null(strstr(s->sql, "group by 1"));
	assert_true(span_is_str(s->description, "generated"));
	assert_string_equal(s->path, "marts/customer_summary.yml");

	/* `on:` without quotes, and a file without a name. */
	assert_string_equal(get("unnamed")->joins[0].on, "order_id = orders.id");
}

static void
an_overlay_builds_on_the_scan(void **state)
{
	const struct source *s;

	(void)state;
	load("shop");
	s = get("orders");
	assert_int_equal(s->flavour, SOURCE_OVERLAID);
	assert_string_equal(s->path, "orders.yaml");
	assert_true(span_is_str(s->description, "Customer orders, one row each"));
	assert_int_equal(s->ncolumns, 7);
	assert_string_equal(s->columns[2].name, "status");
	assert_true(span_is_str(s->columns[2].description, "where the order stands"));
	assert_int_equal(s->columns[5].visibility, SOURCE_HIDDEN);
	assert_string_equal(s->columns[6].expr, "amount >= 100");
	/* The scan's join to legacy is disabled, the one to customers is there once. */
	assert_int_equal(s->njoins, 1);
	assert_string_equal(s->joins[0].to, "customers");
	assert_int_equal(s->nmeasures, 2);
	assert_string_equal(s->measures[1].filter, "status = 'shipped'");
	assert_string_equal(s->measures[1].segments[0], "paid");
	assert_true(span_is_str(s->measures[0].description, "How many orders"));
	assert_string_equal(s->segments[0].expr, "paid_at is not null");
}

/* An overlay says what the rows of a scanned join do; the join stays one, as the scan has it. */
static void
overlay_adds_verbs_to_a_join(void **state)
{
	static const char scan[] =
	    "tables:\n  orders:\n    table: orders\n    columns:\n      - {name: id, type: number, pk: true}\n"
	    "      - {name: customer_id, type: number}\n    joins:\n      - {to: customers, \"on\": orders.customer_id "
	    "= "
	    "customers.id, relationship: many_to_one}\n",
			  overlay[] =
			      "name: orders\njoins:\n  - {to: customers, \"on\": orders.customer_id = customers.id,"
			      " relationship: one_to_many, verbs: [place, bought]}\n";
	const struct source *s;

	(void)state;
	put("_schema/public.yaml", scan);
	put("orders.yaml", overlay);
	(void)compose();
	s = get("orders");
	assert_int_equal(s->njoins, 1);
	assert_int_equal(s->joins[0].relationship, SOURCE_MANY_TO_ONE);
	assert_int_equal(s->joins[0].nverbs, 2);
	assert_string_equal(s->joins[0].verbs[1], "bought");
}

static void
blanks_are_inherited(void **state)
{
	const struct source *s;

	(void)state;
	load("shop");
	s = get("clients");
	assert_string_equal(s->columns[0].type, "number");
	assert_string_equal(s->columns[1].type, "string");
	assert_true(span_is_str(s->columns[1].description, "The name we print"));
	assert_string_equal(s->columns[2].type, "string");
}

static void
yaml_is_verbatim_or_composed(void **state)
{
	(void)state;
	load("shop");
	assert_yaml("unnamed",
	    "table: public.refunds\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\njoins:\n"
	    "  - {to: orders, on: order_id = orders.id, relationship: many_to_one}\nmeasures: []\n");
	assert_yaml("events",
	    "name: events\ntable: public.events\ngrain:\n  - kind\n  - at\ncolumns:\n"
	    "  - name: kind\n    type: string\n  - name: at\n    type: time\n    role: time\njoins: []\nmeasures: "
	    "[]\n");
	assert_yaml("orders",
	    "name: orders\n"
	    "table: public.orders\n"
	    "descriptions:\n"
	    "  db: orders table\n"
	    "  user: Customer orders, one row each\n"
	    "columns:\n"
	    "  - name: id\n    type: number\n"
	    "  - name: customer_id\n    type: number\n"
	    "  - name: status\n    type: string\n    descriptions:\n      db: order status\n"
	    "      ai: state of the order\n      user: where the order stands\n"
	    "  - name: amount\n    type: number\n"
	    "  - name: paid_at\n    type: time\n    role: time\n"
	    "  - name: internal_note\n    type: string\n    visibility: hidden\n"
	    "  - name: is_large\n    type: boolean\n    expr: amount >= 100\n"
	    "joins:\n"
	    "  - to: customers\n    \"on\": orders.customer_id = customers.id\n    relationship: many_to_one\n"
	    "measures:\n"
	    "  - name: order_count\n    expr: count(*)\n    description: How many orders\n"
	    "  - name: total_revenue\n    expr: sum(amount)\n    filter: status = 'shipped'\n"
	    "    segments:\n      - paid\n"
	    "grain:\n  - id\n"
	    "segments:\n  - name: paid\n    expr: paid_at is not null\n");
}

static void
the_parsed_source_is_the_same(void **state)
{
	struct buf b = { 0 }, json = { 0 };
	struct mp_value v;

	(void)state;
	load("shop");
	source_mp(get("events"), &b);
	assert_true(mp_value(buf_view(&b), &v));
	assert_int_equal(mp_scan(buf_view(&b)), MP_OK);
	json_write(&json, &v);
	assert_string_equal(buf_cstr(&json),
	    "{\"name\":\"events\",\"table\":\"public.events\",\"grain\":[\"kind\",\"at\"],"
	    "\"columns\":[{\"name\":\"kind\",\"type\":\"string\"},{\"name\":\"at\",\"type\":\"time\",\"role\":\"time\"}"
	    "],"
	    "\"joins\":[],\"measures\":[]}");
	buf_fini(&b);
	buf_fini(&json);
}

/* --- what is wrong --------------------------------------------------------------- */

static void
one_bad_file_takes_nothing_down(void **state)
{
	(void)state;
	load("broken");
	assert_int_equal(get("good")->nmeasures, 1);
	/* The overlay does not fit; the scanned table stays. */
	assert_int_equal(get("customers")->flavour, SOURCE_MANIFEST);
	/* Of two files with one name the later one counts. */
	assert_string_equal(get("twice")->table, "public.b");
	assert_string_equal(get("lonely")->table, "public.lonely");
	assert_null(source_set_get(set, SPAN("orphan")));
	assert_null(source_set_get(set, SPAN("syntax")));
	assert_string_equal(troubles(),
	    "_schema/broken.yaml: line 2: did not find expected node content while parsing a flow node\n"
	    "_schema/public.yaml: line 6: the entry \"strange\" is not a mapping\n"
	    "both.yaml: has both table and sql; exactly one is wanted\n"
	    "list.yaml: line 1: the file is not a mapping\n"
	    "lonely.yaml: inherits_columns_from names no scanned table\n"
	    "misfit.yaml: column_overrides names \"no_such_column\" which is no column of the table\n"
	    "orphan.yaml: there is no scanned table of this name, and neither table nor sql is given\n"
	    "syntax.yaml: line 3: did not find expected ',' or ']' while parsing a flow sequence\n"
	    "twice_a.yaml: another file further down defines the same name\n");
}

/* What was imported comes before files by hand, whatever their names: these win, entry by entry. */
static void
files_by_hand_win_over_imports(void **state)
{
	const struct source *t;

	(void)state;
	put("_schema/main.yaml", "tables: {t: {columns: [{name: a, type: string}]}}");
	put("A.yaml",
	    "name: t\ncolumns: [{name: c, expr: mine}]\n"
	    "measures: [{name: m, expr: mine}, {name: n, expr: n}]\n");
	put("_imported/dbt-p/t.yaml",
	    "name: t\ngrain: [a]\ncolumns: [{name: c, expr: theirs}, {name: d, expr: d}]\n"
	    "measures: [{name: m, expr: theirs, missing: stays}, {name: o, expr: o, missing: stays}]\n");
	compose();
	assert_string_equal(troubles(), "");
	t = get("t");
	assert_int_equal(t->ncolumns, 3);
	assert_int_equal(t->nmeasures, 3);
	for (size_t i = 0; i < t->ncolumns; i++)
		if (strcmp(t->columns[i].name, "c") == 0)
			assert_string_equal(t->columns[i].expr, "mine");
	for (size_t i = 0; i < t->nmeasures; i++) {
		assert_string_equal(t->measures[i].expr,
		    strcmp(t->measures[i].name, "m") == 0 ? "mine" : t->measures[i].name);
		assert_int_equal(t->measures[i].missing_stays, strcmp(t->measures[i].name, "o") == 0);
	}
	assert_string_equal(t->path, "A.yaml");
}

static void
overlays_that_do_not_fit_say_why(void **state)
{
	static const char *const rows[][2] = {
		{ "name: t\ncolumns: [{name: a, expr: x}]\n", "exists in the table already" },
		{ "name: t\ncolumns: [{name: n, type: string}]\n", "needs a name and an expr" },
		{ "name: t\ncolumn_overrides: [{name: z}]\n", "no column of the table" },
		{ "name: t\ncolumn_overrides: [{name: a, type: x}]\n", "may not change type or expr" },
		{ "name: t\nexclude_columns: [a]\ncolumn_overrides: [{name: a}]\n", "both excluded and overridden" },
	};

	(void)state;
	put("_schema/main.yaml", "tables: {t: {columns: [{name: a, type: string}, {name: B, type: number}]}}");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put("t.yaml", rows[i][0]);
		compose();
		if (strstr(troubles(), rows[i][1]) == NULL)
			fail_msg("%s: %s", rows[i][0], troubles());
		assert_int_equal(get("t")->flavour, SOURCE_MANIFEST);
	}
	/* A column may be replaced by excluding it first. */
	put("t.yaml", "name: t\nexclude_columns: [a]\ncolumns: [{name: a, expr: upper(B)}]\n");
	compose();
	assert_string_equal(troubles(), "");
	assert_int_equal(get("t")->ncolumns, 2);
	assert_string_equal(get("t")->columns[1].expr, "upper(B)");
	assert_string_equal(get("t")->table, "t");
}

/* --- changes ---------------------------------------------------------------------- */

static void
only_what_changed_is_composed(void **state)
{
	(void)state;
	put("a.yaml", "name: a\ntable: a\n");
	put("b.yaml", "name: b\ntable: b\n");
	assert_string_equal(compose(), "+a +b ");
	assert_string_equal(compose(), "");
	put("b.yaml", "name: b\ntable: b2\n");
	assert_string_equal(compose(), "~b ");
	assert_string_equal(get("b")->table, "b2");
	put("b.yaml", "name: c\ntable: b2\n");
	assert_string_equal(compose(), "-b +c ");
	source_set_remove(set, "a.yaml");
	source_set_remove(set, "never.yaml");
	assert_string_equal(compose(), "-a ");
	assert_int_equal(source_set_count(set), 1);
}

static void
a_broken_version_leaves_the_last_good_one(void **state)
{
	(void)state;
	put("a.yaml", "name: a\ntable: a\n");
	compose();
	assert_int_equal(source_set_put(set, "a.yaml", SPAN("name: a\ntable: [\n"), NULL), -1);
	assert_string_equal(compose(), "");
	assert_string_equal(get("a")->table, "a");
	assert_yaml("a", "name: a\ntable: a\n");
	assert_int_equal(source_set_troubles(set), 1);
	source_set_fail(set, "a.yaml", "is too large");
	compose();
	assert_string_equal(troubles(), "a.yaml: is too large\n");
	put("a.yaml", "name: a\ntable: a2\n");
	assert_string_equal(compose(), "~a ");
	assert_string_equal(troubles(), "");
	assert_int_equal(source_set_put(set, "a.yaml", SPAN(""), NULL), -1);
	source_set_remove(set, "a.yaml");
	assert_string_equal(compose(), "-a ");
	assert_string_equal(troubles(), "");
}

/* What people call things is read, kept through overlays, and shown. */
static void
labels_and_synonyms(void **state)
{
	const struct source *s;
	struct buf text = { 0 };

	(void)state;
	put("_schema/main.yaml",
	    "tables: {t: {label: Tee, columns: [{name: a, synonyms: [aa, AA]}, {name: b, visibility: hidden}]}}");
	put("t.yaml",
	    "name: t\nsynonyms: [thé, чай]\nowner: somebody\nmeasures:\n"
	    "  - {name: m, expr: count(a), label: Anzahl, synonyms: how many, unit: EUR, additive: [a], none_over: "
	    "[a]}\n"
	    "segments:\n  - {name: s, expr: a = 1, label: eins}\ndefault_time_dimension: a\n");
	compose();
	assert_string_equal(troubles(), "");
	s = get("t");
	assert_int_equal(s->flavour, SOURCE_OVERLAID);
	assert_true(span_is_str(s->words.label, "Tee"));
	assert_int_equal(s->words.nsynonyms, 2);
	assert_string_equal(s->words.synonyms[1], "чай");
	assert_true(span_is_str(s->measures[0].words.label, "Anzahl"));
	assert_string_equal(s->measures[0].words.synonyms[0], "how many");
	assert_string_equal(s->columns[0].words.synonyms[1], "AA");
	assert_int_equal(s->columns[1].visibility, SOURCE_HIDDEN);
	assert_true(span_is_str(s->segments[0].words.label, "eins"));
	source_set_yaml(set, s, &text);
	for (size_t i = 0; i < 5; i++)
		assert_non_null(strstr(buf_cstr(&text), ((const char *const[]){ "label: Tee", "unit: EUR", "none_over:", "owner: somebody",
		    "default_time_dimension: a" })[i]));
	buf_fini(&text);
}

static void
an_overlay_that_stops_fitting_keeps_what_was_composed(void **state)
{
	(void)state;
	put("_schema/main.yaml", "tables: {t: {columns: [{name: a}]}}");
	put("t.yaml", "name: t\nmeasures: [{name: m, expr: count(a)}]\n");
	compose();
	put("t.yaml",
	    "name: t\nmeasures: [{name: m2, expr: count(a)}]\nexclude_columns: [a]\ncolumn_overrides: [{name: a}]\n");
	assert_string_equal(compose(), "");
	assert_string_equal(get("t")->measures[0].name, "m");
	put("t.yaml", "name: t\nmeasures: [{name: m3, expr: count(a)}]\n");
	assert_string_equal(compose(), "~t ");
	assert_string_equal(get("t")->measures[0].name, "m3");
	source_set_remove(set, "_schema/main.yaml");
	assert_string_equal(compose(), "-t ");
	assert_non_null(strstr(troubles(), "no scanned table"));
}

static void
a_new_scan_reaches_overlays_and_heirs(void **state)
{
	(void)state;
	put("_schema/main.yaml", "tables: {t: {table: x.t, columns: [{name: a, type: string}]}}");
	put("t.yaml", "name: t\ndescriptions: {user: mine}\n");
	put("heir.yaml", "name: heir\ntable: h\ninherits_columns_from: X.T\ncolumns: [{name: a}]\n");
	assert_string_equal(compose(), "+heir +t ");
	assert_string_equal(get("heir")->columns[0].type, "string");
	put("_schema/main.yaml", "tables: {t: {table: x.t, columns: [{name: a, type: number}]}}");
	assert_string_equal(compose(), "~heir ~t ");
	assert_string_equal(get("heir")->columns[0].type, "number");
	assert_string_equal(get("t")->columns[0].type, "number");
	assert_true(span_is_str(get("t")->description, "mine"));
}

static void
two_overlays_stack_and_a_file_replaces_the_scan(void **state)
{
	(void)state;
	put("_schema/main.yaml", "tables: {t: {columns: [{name: a}, {name: b}]}, u: {columns: [{name: z}]}}");
	put("one.yaml",
	    "name: t\nexclude_columns: [b]\nmeasures: [{name: m, expr: count(a)}]\n"
	    "segments: [{name: p, expr: a > 1}, {name: q, expr: a > 2}]\n");
	put("two.yaml",
	    "name: t\ncolumns: [{name: c, expr: a}]\nmeasures: [{name: n, expr: count(c)}]\n"
	    "segments: [{name: q, expr: a > 3}]\n");
	put("u.yaml", "name: u\nsql: select 1 as z\n");
	compose();
	assert_int_equal(get("t")->ncolumns, 2);
	assert_int_equal(get("t")->nmeasures, 2);
	assert_int_equal(get("t")->nsegments, 2);
	assert_string_equal(get("t")->segments[0].expr, "a > 1");
	assert_string_equal(get("t")->segments[1].expr, "a > 3");
	assert_string_equal(get("t")->path, "two.yaml");
	assert_string_equal(get("u")->sql, "select 1 as z");
}

static void
files_are_told_by_their_names(void **state)
{
	(void)state;
	assert_true(source_is_file("a.yaml") && source_is_file("d/b.yml") && source_is_shard("_schema/x.yaml"));
	assert_false(source_is_file("a.yaml~") || source_is_file("yaml") || source_is_file(".yml") ||
	    source_is_shard("a/_schema/x.yaml"));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_flavours_are_one_model),
		TEST(an_overlay_builds_on_the_scan),
		TEST(overlay_adds_verbs_to_a_join),
		TEST(blanks_are_inherited),
		TEST(yaml_is_verbatim_or_composed),
		TEST(the_parsed_source_is_the_same),
		TEST(one_bad_file_takes_nothing_down),
		TEST(files_by_hand_win_over_imports),
		TEST(overlays_that_do_not_fit_say_why),
		TEST(only_what_changed_is_composed),
		TEST(a_broken_version_leaves_the_last_good_one),
		TEST(an_overlay_that_stops_fitting_keeps_what_was_composed), TEST(labels_and_synonyms),
		TEST(a_new_scan_reaches_overlays_and_heirs),
		TEST(two_overlays_stack_and_a_file_replaces_the_scan),
		TEST(files_are_told_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
