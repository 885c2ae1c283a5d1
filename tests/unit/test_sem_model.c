// libs: carrel_semantic carrel_project carrel_base
/* The join graph, what is wrong with models, the shapes of a query's arguments. */
#include "tests/unit/harness.h"

#include <stdio.h>

#include "base/json/json_read.h"
#include "semantic/compile.h"
#include "semantic/validate.h"
#include "semantic/named.h"

#define SOURCES_MAX	16

struct world {
	struct source_set	*set;
	struct sem_model	*model;
	struct arena		*arena;
};

/* A model of these files; NULL ends the list. */
static struct world
make(const char *const *files)
{
	const struct source *list[SOURCES_MAX];
	struct world w = { source_set_new(), NULL, arena_new((size_t)32 << 20) };

	for (size_t i = 0; files[i] != NULL; i++) {
		char path[32];

		snprintf(path, sizeof(path), "f%zu.yaml", i);
		source_set_put(w.set, strncmp(files[i], "tables:", 7) == 0 ? "_schema/public.yaml" : path,
		    span_str(files[i]), NULL);
	}
	source_set_compose(w.set, NULL, NULL);
	assert_true(source_set_count(w.set) <= SOURCES_MAX);
	for (size_t i = 0; i < source_set_count(w.set); i++)
		list[i] = source_set_at(w.set, i);
	w.model = sem_model_new(list, source_set_count(w.set));
	assert_non_null(w.model);
	return w;
}

static void
unmake(struct world *w)
{
	sem_model_free(w->model);
	source_set_free(w->set);
	arena_free(w->arena);
}

static uint32_t
node(const struct world *w, const char *name)
{
	bool ambiguous;
	uint32_t id = sem_find_node(w->model, span_str(name), &ambiguous);

	assert_int_not_equal(id, SEM_NONE);
	return id;
}

static uint32_t
distance(const struct world *w, const char *from, const char *to)
{
	const struct sem_paths *p = sem_paths(w->model, w->arena, node(w, from));

	assert_non_null(p);
	return p->distance[node(w, to)];
}

#define COLUMNS	"grain: [id]\ncolumns:\n  - {name: id, type: number}\n  - {name: b_id, type: number}\n  - {name: name, type: string}\n"

static void
on_is_read_by_its_qualifiers(void **state)
{
	static const char *const ons[] = { "b_id = b.id", "a.b_id = b.id", "b.id = a.b_id", "b.id = b_id", "(b_id = b.id)",
		"\"b_id\" = \"b\".\"id\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(ons) / sizeof(ons[0]); i++) {
		char a[512];
		const char *files[] = { a, "name: b\ntable: b\n" COLUMNS, NULL };
		const struct sem_edge *e;
		struct world w;

		snprintf(a, sizeof(a),
		    "name: a\ntable: a\n" COLUMNS "joins:\n  - to: b\n    on: '%s'\n    relationship: many_to_one\n",
		    ons[i]);
		w = make(files);
		assert_int_equal(sem_model_troubles(w.model), 0);
		assert_int_equal(sem_model_node(w.model, node(&w, "a"))->nedges, 1);
		e = sem_model_node(w.model, node(&w, "a"))->edges;
		assert_true(span_is_str(e->join->pairs[0].local, "b_id"));
		assert_true(span_is_str(e->join->pairs[0].target, "id"));
		assert_int_equal(distance(&w, "b", "a"), SEM_NONE);
		unmake(&w);
	}
}

static void
other_conditions_are_refused(void **state)
{
	static const char *const ons[] = { "b_id > b.id", "b_id = b.id AND b.name = 5", "b_id = b.id OR b_id = 1",
		"lower(b_id) = b.id", "b_id = c.id", "b.id = b.b_id", "b_id =", "b_id = b.id AND b.name LIKE 'x'" };

	(void)state;
	for (size_t i = 0; i < sizeof(ons) / sizeof(ons[0]); i++) {
		char a[512];
		const char *files[] = { a, "name: b\ntable: b\n" COLUMNS, NULL };
		struct world w;

		snprintf(a, sizeof(a),
		    "name: a\ntable: a\n" COLUMNS "joins:\n  - to: b\n    on: \"%s\"\n    relationship: many_to_one\n",
		    ons[i]);
		w = make(files);
		if (sem_model_troubles(w.model) != 1)
			fail_msg("%s was taken", ons[i]);
		assert_int_equal(sem_model_trouble(w.model, 0)->category, SEM_INVALID_JOIN);
		assert_null(sem_node_trouble(w.model, node(&w, "b"))); /* the others work */
		unmake(&w);
	}
}

static void
mirrored_declarations_are_one_join(void **state)
{
	static const char *const files[] = {
		"name: a\ntable: a\n" COLUMNS "joins:\n  - {to: b, on: b_id = b.id, relationship: many_to_one}\n"
		"  - {to: b, on: b_id = boss.id, relationship: many_to_one, alias: boss}\n",
		"name: b\ntable: b\n" COLUMNS "joins:\n  - {to: a, on: id = a.b_id, relationship: one_to_many}\n"
		"  - {to: c, on: b_id = c.id, relationship: one_to_one}\n",
		"name: c\ntable: c\n" COLUMNS, NULL };
	struct sem_problem p = { 0 };
	const struct sem_paths *paths;
	struct world w = make(files);

	(void)state;
	assert_int_equal(sem_model_node(w.model, node(&w, "a"))->nedges, 2);
	assert_int_equal(distance(&w, "a", "b"), 1);
	assert_int_equal(distance(&w, "c", "b"), 1);    /* one-to-one leads both ways */
	assert_int_equal(distance(&w, "boss", "c"), 1); /* what b reaches, its second name does */
	assert_int_equal(distance(&w, "b", "a"), SEM_NONE);
	paths = sem_paths(w.model, w.arena, node(&w, "a"));
	assert_int_equal(sem_path_check(w.model, paths, node(&w, "b"), &p), 0);
	assert_int_equal(sem_path_check(w.model, paths, node(&w, "c"), &p), -1); /* over b, or over boss */
	assert_int_equal(p.category, SEM_AMBIGUOUS_JOIN_PATH);
	unmake(&w);
}

static void
names_belong_to_one_source(void **state)
{
	static const char *const files[] = { "name: a\ntable: a\n" COLUMNS "measures:\n  - {name: m, expr: count(*)}\n",
		"name: b\ntable: s.bees\n" COLUMNS "measures:\n  - {name: m, expr: count(*)}\n  - {name: k, expr: count(*)}\n", NULL };
	struct world w = make(files);
	struct sem_owners owners;

	(void)state;
	assert_int_equal(sem_only(sem_owners_of_measure(w.model, SPAN("k"))), node(&w, "b"));
	owners = sem_owners_of_measure(w.model, SPAN("m"));
	assert_int_equal(sem_only(owners), SEM_NONE);
	assert_int_equal(owners.n, 2);
	assert_int_equal(owners.first[1], node(&w, "b"));
	assert_int_equal(sem_owners_of_column(w.model, SPAN("nothing")).n, 0);
	assert_int_equal(sem_find_table(w.model, SPAN("BEES")), node(&w, "b"));
	assert_non_null(sem_find_column(sem_model_node(w.model, 0), SPAN("NAME")));
	unmake(&w);
}

/* --- tables of the scan ---------------------------------------------------------------- */

#define SCANNED(name, table)	"  " name ":\n    table: '" table "'\n    columns:\n      - {name: id, pk: true}\n"

static const char odd_tables[] = "tables:\n" SCANNED("g", "public.Group") SCANNED("oi", "public.OrderItems")
    SCANNED("lines", "\"Sales Data\".Order-Lines") SCANNED("dotted", "public.\"a.b\"") SCANNED("o1", "public.orders")
    SCANNED("o2", "sales.orders") SCANNED("both1", "x.Both") SCANNED("both2", "y.Both") SCANNED("lite", "Select");

/*
 * However its author wrote it, a table is spelt as the scan has it; an unknown one
 * is as its author wrote it, where a database can read that.
 */
static void
tables_are_spelt_as_scanned(void **state)
{
	static const struct {
		const char *written, *from, *covers;
	} rows[] = {
		{ "Group", "FROM \"Group\" AS s1", "g" },
		{ "group", "FROM \"Group\" AS s1", "g" },
		{ "public.Group", "FROM public.\"Group\" AS s1", "g" },
		{ "PUBLIC.GROUP", "FROM public.\"Group\" AS s1", "g" },
		{ "'\"Group\"'", "FROM \"Group\" AS s1", "g" },
		{ "'[OrderItems]'", "FROM \"OrderItems\" AS s1", "oi" },
		{ "OrderItems", "FROM \"OrderItems\" AS s1", "oi" },
		{ "Sales Data.Order-Lines", "FROM \"Sales Data\".\"Order-Lines\" AS s1", "lines" },
		{ "a.b", "FROM \"a.b\" AS s1", "dotted" },
		{ "orders", "FROM orders AS s1", "o1" },
		{ "ORDERS", "FROM orders AS s1", "o1" },
		{ "sales.orders", "FROM sales.orders AS s1", "o2" },
		{ "Both", "FROM \"Both\" AS s1", NULL },
		{ "main.Select", "FROM main.\"Select\" AS s1", "lite" },
		{ "crm.orders", "FROM crm.orders AS s1", NULL },
		{ "Unknown", "FROM Unknown AS s1", NULL },
		{ "Table", "FROM \"Table\" AS s1", NULL },
		{ "generate_series(1, 3)", "FROM generate_series(1, 3) AS s1", NULL },
		{ "'\"Group'", "FROM \"Group AS s1", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char written[256];
		const char *files[] = { odd_tables, written, NULL };
		struct sem_dimension_item d = { .field = SPAN("s1.id") };
		struct sem_query q = { .dimensions = &d, .ndimensions = 1, .limit = 1 };
		struct sem_compiled out;
		struct sem_problem p;
		struct world w;

		snprintf(written, sizeof(written), "name: s1\ntable: %s\n" COLUMNS, rows[i].written);
		w = make(files);
		if (sem_compile(w.model, &dialect_postgres, &q, w.arena, &out, &p) != 0)
			fail_msg("%s: %s", rows[i].written, p.message);
		if (memmem(out.sql.p, out.sql.len, rows[i].from, strlen(rows[i].from)) == NULL)
			fail_msg("%s: %.*s", rows[i].written, SPAN_FMT(out.sql));
		for (uint32_t k = 0; k < sem_model_nodes(w.model); k++) {
			const struct sem_node *n = sem_model_node(w.model, k);
			bool covered = rows[i].covers != NULL && span_is_str(n->name, rows[i].covers);

			assert_int_equal(n->covered_by, covered ? node(&w, "s1") : SEM_NONE);
		}
		unmake(&w);
	}
}

static struct span
type_of_fee(const void *arg, struct span table, struct span column)
{
	(void)arg;
	return span_is_str(table, "fees") && span_is_str(column, "fee") ? SPAN("money") : SPAN("");
}

/* PostgreSQL's money, as the scan says, is read as a number; a dimension may be called as a word of SQL. */
static void
columns_of_any_type_and_name(void **state)
{
	static const char source[] = "name: fees\ntable: fees\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
				     "  - {name: fee, type: number}\n"
				     "  - {name: group, type: string}\n  - {name: waited, type: time}\n";
	static const struct {
		const char *measure;
		const struct dialect *dialect;
		const char *holds;
	} cases[] = {
		{ "avg(fees.fee)", &dialect_postgres,
		    "(avg(CAST(fees.fee AS numeric)) * CAST(1 AS double precision))" },
		{ "sum(fees.fee + fees.id)", &dialect_postgres, "sum(CAST(fees.fee AS numeric) + fees.id)" },
		{ "sum(fees.id)", &dialect_postgres, "sum(fees.id)" },
		{ "avg(fees.waited)", &dialect_postgres, "(avg(fees.waited) * CAST(1 AS double precision))" },
		{ "avg(fees.fee)", &dialect_sqlite, "avg(fees.fee)" },
	};
	const char *files[] = { source, NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sem_dimension_item d = { .field = SPAN("group") };
		struct sem_measure_item m = { .expr = span_str(cases[i].measure) };
		struct sem_query q = { .dimensions = &d, .ndimensions = 1, .measures = &m, .nmeasures = 1, .limit = 1,
			.type_of = type_of_fee };
		struct world w = make(files);
		struct sem_compiled out;
		struct sem_problem p;

		if (sem_compile(w.model, cases[i].dialect, &q, w.arena, &out, &p) != 0)
			fail_msg("%s: %s", cases[i].measure, p.message);
		if (memmem(out.sql.p, out.sql.len, cases[i].holds, strlen(cases[i].holds)) == NULL)
			fail_msg("%s: %.*s", cases[i].measure, SPAN_FMT(out.sql));
		unmake(&w);
	}
}

/* --- the linter ------------------------------------------------------------------------ */

static void
finds(const char *const *files, const char *category, const char *word, bool warning)
{
	struct world w = make(files);
	const struct sem_finding *f;
	bool found = false;
	size_t n;

	f = sem_validate(w.model, &dialect_sqlite, w.arena, &n);
	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		found = found ||
		    (strcmp(f[i].category, category) == 0 && strstr(f[i].text, word) != NULL &&
			f[i].warning == warning);
	if (!found) {
		for (size_t i = 0; i < n; i++)
			print_message("%s:%u %s: %s\n", f[i].path, f[i].line, f[i].category, f[i].text);
		fail_msg("nothing about %s (%s)", word, category);
	}
	unmake(&w);
}

#define ALONE(text)	((const char *const[]){ "name: a\ntable: a\n" COLUMNS text, NULL })
#define PAIR(text)	((const char *const[]){ "name: a\ntable: a\n" COLUMNS text, "name: b\ntable: b\n" COLUMNS, NULL })

static void
what_is_wrong_is_found(void **state)
{
	(void)state;
	finds(ALONE("measures:\n  - {name: m, expr: sum(id)}\n  - {name: m, expr: max(id)}\n"), "ambiguous_name",
	    "defined twice", false);
	finds(ALONE("measures:\n  - {name: m, expr: sum(id)}\n  - {name: k, expr: sum(id)}\n"), "ambiguous_name",
	    "the same", true);
	finds(ALONE("measures:\n  - {name: m, expr: k + 1}\n  - {name: k, expr: m + 1}\n"), "circular_measure",
	    "itself", false);
	finds(ALONE("measures:\n  - {name: m, expr: sum(ghost)}\n"), "unknown_column", "ghost", true);
	finds(ALONE("measures:\n  - {name: m, expr: sum(id), filter: spooky = 1}\n"), "unknown_column", "spooky", true);
	finds(ALONE("measures:\n  - {name: m, expr: sum(id), segments: [none]}\n"), "unknown_segment", "none", false);
	finds(ALONE("measures:\n  - {name: m, expr: sum(id}\n"), "parse_error", "\"m\"", false);
	finds(ALONE("measures:\n  - {name: m, expr: mode(id)}\n"), "unsupported_function", "mode", false);
	finds(ALONE("segments:\n  - {name: s, expr: x.y = 1}\n"), "unknown_source", "\"s\"", false);
	finds(PAIR("joins:\n  - {to: b, on: wrong = b.id, relationship: many_to_one}\n"), "unknown_column", "wrong",
	    false);
	finds(PAIR("joins:\n  - {to: b, on: b_id = b.b_id, relationship: many_to_one}\n"), "invalid_join", "grain",
	    true);
	finds(PAIR("joins:\n  - {to: b, on: name = b.id, relationship: many_to_one}\n"), "invalid_join",
	    "text for people", true);
	finds(PAIR("joins:\n  - {to: b, on: b_id = b.id, relationship: many_to_many}\n"), "invalid_join",
	    "relationship", false);
	finds(PAIR("joins:\n  - {to: c, on: b_id = c.id, relationship: many_to_one}\n"), "unknown_join_target", "\"c\"",
	    false);
	finds(PAIR("joins:\n  - {to: b, on: b_id = b.id, relationship: many_to_one, alias: b}\n"), "ambiguous_name",
	    "alias", false);
	finds(PAIR(""), "no_join_path", "No join connects a", true);
	finds((const char *const[]){ "name: a\ntable: a\ngrain: [nr, a.id]\ncolumns:\n  - {name: id, type: number}\n", NULL },
	    "unknown_column", "nr", false);
	finds((const char *const[]){ "name: a\ntable: a\ngrain: [a.id]\ncolumns:\n  - {name: id, type: number}\n", NULL },
	    "invalid_source", "qualified", false);
	finds((const char *const[]){ "name: a\ntable: a\nsql: SELECT 1\ngrain: [id]\ncolumns:\n  - {name: id}\n", NULL },
	    "invalid_source", "exactly one", false);
	finds((const char *const[]){ "name: a\ntable: a\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	    "  - {name: x, type: number, expr: x2 + 1}\n  - {name: x2, type: number, expr: x + 1}\n", NULL },
	    "invalid_source", "itself", false);
}

/* A join that nothing could name, and keys of a later version, cost themselves and nothing else. */
static void
what_is_passed_over(void **state)
{
	static const char *const standalone[] = { "name: a\ntable: a\ncolour: red\n" COLUMNS "joins:\n"
	    "  - {to: a, on: a.b_id = a.id, relationship: many_to_one}\n  - {to: a, on: a.id = a.b_id, relationship: one_to_many}\n"
	    "measures:\n  - {name: m, expr: count(*), format: '0.0', label: Zahl, synonyms: [n], unit: EUR, additive: full, none_over: [id]}\n",
	    NULL };
	static const char *const scanned[] = { "tables:\n  a:\n    columns:\n      - {name: id, type: number, pk: true}\n"
	    "      - {name: b_id, type: number}\n    joins:\n"
	    "      - {to: a, on: a.b_id = a.id, relationship: many_to_one, source: formal}\n", NULL };
	static const char *const overlaid[] = { scanned[0],
		"name: a\ntribe: x\nmeasures:\n  - {name: m, expr: count(*)}\n", NULL };
	static const struct {
		const char *const *files;
		const char *words[3];
		unsigned lines[3];
	} rows[] = {
		{ standalone, { "\"colour\"", "\"format\"", "join of it to itself (a.b_id = a.id)" }, { 3, 13, 10 } },
		{ scanned, { "join of it to itself (a.b_id = a.id)" }, { 7 } },
		{ overlaid, { "\"tribe\"", "join of it to itself" }, { 2, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct world w = make(rows[i].files);
		struct sem_dimension_item d = { .field = SPAN("a.id") };
		struct sem_query q = { .dimensions = &d, .ndimensions = 1, .limit = 1 };
		struct sem_compiled out;
		struct sem_problem p;
		size_t n = 0;

		assert_null(sem_node_trouble(w.model, node(&w, "a")));
		if (sem_compile(w.model, &dialect_sqlite, &q, w.arena, &out, &p) != 0)
			fail_msg("%zu: %s", i, p.message);
		for (; n < 3 && rows[i].words[n] != NULL; n++) {
			bool found = false;

			for (size_t k = 0; k < sem_model_troubles(w.model); k++) {
				const struct sem_trouble *t = sem_model_trouble(w.model, k);

				found = found ||
				    (t->passed_over && strstr(t->text, rows[i].words[n]) != NULL &&
					t->line == rows[i].lines[n]);
			}
			if (!found)
				fail_msg("%zu: nothing about %s in line %u", i, rows[i].words[n], rows[i].lines[n]);
		}
		assert_int_equal(sem_model_troubles(w.model), n);
		unmake(&w);
	}
	finds(standalone, "invalid_join", "itself", true);
	finds(standalone, "invalid_source", "passed over", true);
}

/* A key that is nearly one that keeps something out was meant to; and a known key has a known shape. */
static void
what_is_not_passed_over(void **state)
{
	(void)state;
	finds(ALONE("measures:\n  - {name: m, expr: count(*), filters: id > 1}\n"), "invalid_source",
	    "\"filters\" in line", false);
	finds(ALONE("measures:\n  - {name: m, expr: count(*), segment: [x]}\n"), "invalid_source",
	    "\"segment\" in line", false);
	finds((const char *const[]){ "name: a\ntable: a\ngrain: [id]\ncolumns:\n  - {name: id, type: number, visiblity: hidden}\n", NULL },
	    "invalid_source", "\"visiblity\" in line", false);
	finds(ALONE("label: [a]\n"), "invalid_source", "`label`", false);
	finds(PAIR("joins:\n  - {to: b, on: b_id = b.id, relationship: many_to_one, verbs: {a: b}}\n"),
	    "invalid_source", "`verbs`", false);
	finds(ALONE("measures:\n  - {name: m, expr: count(*), synonyms: {a: b}}\n"), "invalid_source", "`synonyms`",
	    false);
	finds(ALONE("measures:\n  - {name: m, expr: count(*), unit: [EUR]}\n"), "invalid_source", "`unit`", false);
	finds(ALONE("measures:\n  - {name: m, expr: count(*), additive: sometimes}\n"), "invalid_source", "`additive`",
	    false);
}

/* What the scan does not know is said, also of a source that has the scanned table's own name. */
static void
what_the_scan_lacks_is_found(void **state)
{
	static const char scan[] = "tables:\n" SCANNED("orders", "public.orders");

	(void)state;
	finds((const char *const[]){ scan, "name: a\ntable: oders\n" COLUMNS, NULL }, "invalid_source", "\"oders\"",
	    true);
	finds((const char *const[]){ scan, "name: a\ntable: orders\n" COLUMNS, NULL }, "unknown_column", "\"b_id\"",
	    true);
	finds((const char *const[]){ scan, "name: orders\ntable: Orders\n" COLUMNS, NULL }, "unknown_column",
	    "\"b_id\"", true);
}

static void
a_sound_model_is_silent(void **state)
{
	static const char *const files[] = {
		"tables:\n  orders:\n    table: main.orders\n    columns:\n      - {name: id, type: number, pk: true}\n"
		"      - {name: b_id, type: number}\n    joins:\n      - {to: b, on: orders.b_id = b.id, relationship: many_to_one, source: formal}\n"
		"  b:\n    table: main.b\n    columns:\n      - {name: id, type: number, pk: true}\n",
		"name: orders\nmeasures:\n  - {name: m, expr: count(*)}\n  - {name: k, expr: m / 2, filter: orders.id > 1}\n"
		"segments:\n  - {name: s, expr: b_id = 1}\n",
		"name: big\ntable: orders\ngrain: [id]\ncolumns:\n  - {name: ID, type: number}\n"
		"  - {name: half, type: number, expr: id / 2}\njoins:\n"
		"  - {to: b, on: ID = b.id, relationship: many_to_one}\n",
		NULL };
	struct world w = make(files);
	size_t n;

	(void)state;
	assert_non_null(sem_validate(w.model, &dialect_postgres, w.arena, &n));
	assert_int_equal(n, 0);
	unmake(&w);
}

/* --- the arguments ------------------------------------------------------------------------ */

static struct sem_query
read_query(struct arena *a, const char *json, struct buf *doc)
{
	struct sem_problem p = { 0 };
	struct mp_value args;
	struct sem_query q;
	size_t at;

	assert_int_equal(json_read(span_str(json), doc, &at), JSON_OK);
	assert_true(mp_value(buf_view(doc), &args));
	if (sem_query_read(a, &args, &q, &p) != 0)
		fail_msg("%s: %s", json, p.message);
	return q;
}

static void
arguments_have_aliases(void **state)
{
	struct arena *a = arena_new((size_t)1 << 20);
	struct buf doc = { 0 };
	struct sem_query q = read_query(a,
	    "{\"measures\":[\" a.m \",{\"expr\":\"sum(a.x)\",\"name\":\"s\"}],"
	    "\"dimensions\":[\"a.d\",{\"field\":\"a.t\",\"granularity\":\"month\"},{\"dimension\":\"a.u\","
	    "\"granularity\":\"day\"}],"
	    "\"order_by\":[\"s\",\"a.t  DESC\",{\"field\":\"a.d\",\"direction\":\"desc\"},{\"id\":\"s\",\"desc\":true},"
	    "{\"id\":\"s\",\"desc\":false},{\"dimension\":\"a.t\",\"granularity\":\"month\",\"direction\":\"ASC\"}],"
	    "\"filters\":[\"\",\"  \",\"a.x > 1\"],\"include_empty\":false,\"limit\":0}",
	    &doc);
	static const bool descending[] = { false, true, true, true, false, false };

	(void)state;
	assert_int_equal(q.nmeasures, 2);
	assert_true(span_is_str(q.measures[0].expr, "a.m") && q.measures[0].name.len == 0);
	assert_true(span_is_str(q.measures[1].name, "s"));
	assert_int_equal(q.ndimensions, 3);
	assert_true(span_is_str(q.dimensions[2].field, "a.u") && span_is_str(q.dimensions[2].granularity, "day"));
	assert_int_equal(q.norder, 6);
	for (size_t i = 0; i < q.norder; i++)
		assert_int_equal(q.order[i].descending, descending[i]);
	assert_true(span_is_str(q.order[1].field, "a.t"));
	assert_true(span_is_str(q.order[5].field, "a.t") && span_is_str(q.order[5].granularity, "month"));
	assert_int_equal(q.nfilters, 1);
	assert_false(q.include_empty);
	assert_int_equal(q.limit, 0);
	buf_fini(&doc);
	doc = (struct buf){ 0 };
	q = read_query(a, "{\"measures\":[\"m\"]}", &doc);
	assert_int_equal(q.limit, SEM_LIMIT_DEFAULT);
	assert_true(q.include_empty);
	buf_fini(&doc);
	arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_is_read_by_its_qualifiers),
		cmocka_unit_test(columns_of_any_type_and_name),
		cmocka_unit_test(other_conditions_are_refused),
		cmocka_unit_test(mirrored_declarations_are_one_join),
		cmocka_unit_test(names_belong_to_one_source),
		cmocka_unit_test(tables_are_spelt_as_scanned),
		cmocka_unit_test(what_the_scan_lacks_is_found),
		cmocka_unit_test(what_is_wrong_is_found),
		cmocka_unit_test(a_sound_model_is_silent), cmocka_unit_test(what_is_passed_over), cmocka_unit_test(what_is_not_passed_over),
		cmocka_unit_test(arguments_have_aliases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
