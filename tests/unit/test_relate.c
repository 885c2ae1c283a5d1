// libs: carrel_memory
/* test_relate.c - which relationships names, types and values suggest, before the database is asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "tests/unit/harness.h"
#include "workers/memory/scan/pace.h"
#include "workers/memory/scan/relate_find.h"
#include "workers/memory/scan/relate_names.h"

/* --- names -------------------------------------------------------------------------- */

static void
names_are_folded(void **state)
{
	static const struct {
		const char *name, *folded, *singular, *base;
	} cases[] = {
		{ "customer_id", "customer_id", "customer_id", "customer" },
		{ "customerId", "customer_id", "customer_id", "customer" },
		{ "CustomerID", "customer_id", "customer_id", "customer" },
		{ "CUSTOMER_ID", "customer_id", "customer_id", "customer" },
		{ "HTTPServerKey", "http_server_key", "http_server_key", "http_server" },
		{ "KD_NR", "kd_nr", "kd_nr", "kd" },
		{ "Order Items", "order_items", "order_item", "" },
		{ "categories", "categories", "category", "" },
		{ "statuses", "statuses", "status", "" },
		{ "status", "status", "status", "" },
		{ "boxes", "boxes", "box", "" },
		{ "address", "address", "address", "" },
		{ "addresses", "addresses", "address", "" },
		{ "id", "id", "id", "" },
		{ "_id", "id", "id", "" },
		{ "fk_order", "fk_order", "fk_order", "order" },
		{ "departmentid", "departmentid", "departmentid", "department" },
		{ "custkey", "custkey", "custkey", "cust" },
		{ "paid", "paid", "paid", "" },
		{ "alias", "alias", "alias", "" },
		{ "x.y\"z", "x_y_z", "x_y_z", "" },
		{ "größe_id", "größe_id", "größe_id", "größe" },
		{ "", "", "", "" },
		{ "___", "", "", "" },
		{ "s", "s", "s", "" },
	};
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span folded = relate_fold(a, span_str(cases[i].name)), singular = relate_singular(a, folded);
		struct span base = relate_base(folded);

		if (!span_is_str(folded, cases[i].folded) || !span_is_str(singular, cases[i].singular) ||
		    !span_is_str(base, cases[i].base))
			fail_msg("%s: %.*s, %.*s, %.*s", cases[i].name, SPAN_FMT(folded), SPAN_FMT(singular),
			    SPAN_FMT(base));
	}
	assert_true(span_is_str(relate_fold_table(a, SPAN("dim_Customers")), "customers"));
	assert_true(relate_is_self(SPAN("manager_id")) && !relate_is_self(SPAN("customer_id")));
	assert_true(relate_is_generic(SPAN("id")) && !relate_is_generic(SPAN("sku")));
	assert_true(span_is_str(relate_unnumbered(SPAN("concept_id_12")), "concept_id"));
	assert_true(span_is_str(relate_unnumbered(SPAN("_1")), "_1"));
	assert_true(relate_is_role(SPAN("approved_by")) && relate_is_role(SPAN("resource_owner")));
	assert_false(relate_is_role(SPAN("owners")) || relate_is_role(SPAN("by_name")));
	arena_free(a);
}

/* --- candidates ------------------------------------------------------------------------ */

struct world {
	struct manifest	 manifest;
	struct profile	 profile;
	struct relate	 relate;
	struct buf	 mp[1200];
	size_t		 n;
};

/* A table from "name type distinct [pk]; …", of so many rows; keys is JSON. */
static void
table(struct world *w, const char *db, const char *name, unsigned rows, const char *columns, const char *keys)
{
	struct buf shape = { 0 }, result = { 0 };
	char copy[1024], *at = copy, *one;
	struct mp_value v;
	struct buf *mp = &w->mp[w->n++];
	struct profile_table *t;
	size_t offset = 0;
	bool first = true;

	snprintf(copy, sizeof(copy), "%s", columns);
	buf_printf(&shape,
	    "{\"catalog\":null,\"db\":%s%s%s,\"name\":\"%s\",\"kind\":\"table\",\"comment\":null,"
	    "\"estimatedRows\":%u,\"columns\":[",
	    db == NULL ? "" : "\"", db == NULL ? "null" : db, db == NULL ? "" : "\"", name, rows);
	buf_printf(&result, "{\"sampledRows\":%u,\"failures\":[],\"columns\":[", rows);
	while ((one = strsep(&at, ";")) != NULL) {
		char column[64], type[64], pk[8] = "";
		unsigned distinct;

		assert_true(sscanf(one, " %63s %63s %u %7s", column, type, &distinct, pk) >= 3);
		buf_printf(&shape,
		    "%s{\"name\":\"%s\",\"nativeType\":\"%s\",\"normalizedType\":\"%s\",\"dimensionType\":\"string\","
		    "\"nullable\":true,\"primaryKey\":%s,\"comment\":null}",
		    first ? "" : ",", column, type, type, pk[0] != '\0' ? "true" : "false");
		buf_printf(&result,
		    "%s{\"column\":\"%s\",\"nativeType\":\"%s\",\"normalizedType\":\"%s\",\"rowCount\":%u,"
		    "\"nullCount\":0,\"distinctCount\":%u,\"sampleValues\":[]}",
		    first ? "" : ",", column, type, type, rows, distinct);
		first = false;
	}
	buf_printf(&shape, "],\"foreignKeys\":%s}", keys == NULL ? "[]" : keys);
	buf_str(&result, "]}");
	assert_int_equal(json_read(buf_view(&shape), mp, &offset), JSON_OK);
	assert_true(mp_value(buf_view(mp), &v));
	manifest_add(&w->manifest, &v);
	profile_plan(&w->profile, &v, SPAN("v1"));
	t = &w->profile.v[w->profile.n - 1];
	t->state = PROFILE_DONE;
	t->result_at = w->profile.results.len;
	assert_int_equal(json_read(buf_view(&result), &w->profile.results, &offset), JSON_OK);
	t->result_len = w->profile.results.len - t->result_at;
	buf_fini(&shape);
	buf_fini(&result);
}

static struct world *
begin(void)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	manifest_init(&w->manifest);
	w->profile.limits = (struct profile_limits){ 1000, 20, 1000 };
	return w;
}

static void
look(struct world *w)
{
	assert_int_equal(manifest_close(&w->manifest), 0);
	relate_init(&w->relate, &w->manifest, &w->profile);
	assert_int_equal(relate_find(&w->relate, NULL, NULL), 0);
}

static void
end(struct world *w)
{
	relate_fini(&w->relate);
	profile_fini(&w->profile);
	manifest_fini(&w->manifest);
	for (size_t i = 0; i < w->n; i++)
		buf_fini(&w->mp[i]);
	free(w);
}

/* "orders.customer_id>customers.id" and so on, the best first for each column; to be freed. */
static char *
candidates(const struct world *w)
{
	const struct relate *r = &w->relate;
	struct buf out = { 0 };
	char *text;

	for (size_t i = 0; i < r->n; i++) {
		const struct relate_edge *e = &r->edges[i];
		const struct relate_table *child = &r->tables[e->child], *parent = &r->tables[e->parent];

		buf_printf(&out, "%s%.*s.", i > 0 ? " " : "", SPAN_FMT(child->m->name));
		for (size_t k = 0; k < e->width; k++)
			buf_printf(&out, "%s%.*s", k > 0 ? "+" : "", SPAN_FMT(child->columns[e->from[k]].name));
		buf_printf(&out, ">%.*s.", SPAN_FMT(parent->m->name));
		for (size_t k = 0; k < e->width; k++)
			buf_printf(&out, "%s%.*s", k > 0 ? "+" : "", SPAN_FMT(parent->columns[e->to[k]].name));
	}
	text = strdup(buf_cstr(&out));
	buf_fini(&out);
	return text;
}

static void
expect(struct world *w, const char *expected)
{
	char *got;

	look(w);
	got = candidates(w);
	assert_string_equal(got, expected);
	free(got);
	end(w);
}

static void
names_point_to_tables(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "customers", 100, "id int 100 pk; name text 90", NULL);
	table(w, NULL, "categories", 10, "id int 10 pk; parent_id int 5", NULL);
	table(w, NULL, "orders", 900,
	    "id int 900 pk; customer_id bigint 80; category_id int 9; note text 3; paid_at timestamp 5", NULL);
	table(w, NULL, "dim_store", 20, "id int 20 pk; store_id int 20", NULL);
	table(w, NULL, "t_1", 20, "id int 20 pk; store_id int 9", NULL);
	table(w, NULL, "t_2", 20, "id int 20 pk; t_1_id int 9", NULL);
	table(w, NULL, "invoices", 900, "id int 900 pk; billingCustomerId int 80; doc_id text 9", NULL);
	expect(w,
	    "categories.parent_id>categories.id invoices.billingCustomerId>customers.id "
	    "orders.customer_id>customers.id "
	    "orders.category_id>categories.id t_1.store_id>dim_store.id t_1.store_id>dim_store.store_id "
	    "t_2.t_1_id>t_1.id");
}

/* As PostgreSQL keeps names that were not quoted. */
static void
words_are_run_together(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "department", 20, "departmentid int 20; name text 20", NULL);
	table(w, NULL, "employee", 150, "employee_no int 150; departmentid int 20; paid int 20", NULL);
	table(w, NULL, "customer", 150, "c_id int 150; c_name text 20", NULL);
	table(w, NULL, "address", 90, "addressid int 90 pk", NULL);
	table(w, NULL, "orders", 300, "o_orderkey int 300; o_billtoaddressid int 80; o_custkey int 100", NULL);
	table(w, NULL, "lineitem", 900, "l_orderkey int 290; l_linenumber int 7", NULL);
	expect(w,
	    "employee.departmentid>department.departmentid lineitem.l_orderkey>orders.o_orderkey "
	    "orders.o_billtoaddressid>address.addressid orders.o_custkey>customer.c_id");
}

/* The table that the column names comes before every key column of that name, and before the table's own key. */
static void
the_named_table_comes_first(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "area", 200, "id int 200 pk; name text 200", NULL);
	table(w, NULL, "country_area", 200, "area int 200 pk", NULL);
	table(w, NULL, "area_alias", 150, "id int 150 pk; area int 140", NULL);
	table(w, NULL, "medium", 200, "id int 200; name text 200", NULL);
	table(w, NULL, "alternative_medium", 150, "id int 150; medium int 140", NULL);
	table(w, NULL, "film", 90, "film_id int 90; title text 90", NULL);
	table(w, NULL, "film_text", 90, "film_id int 90; body text 90", NULL);
	expect(w,
	    "alternative_medium.medium>medium.id area_alias.area>area.id area_alias.area>country_area.area "
	    "country_area.area>area.id film_text.film_id>film.film_id");
}

static void
names_are_read_where_they_stand(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "users", 100, "id int 100 pk", NULL);
	table(w, NULL, "area", 200, "id int 200 pk; type int 5; parent int 40", NULL);
	table(w, NULL, "area_type", 5, "id int 5 pk", NULL);
	table(w, NULL, "current_nodes", 200, "id int 200 pk", NULL);
	table(w, NULL, "current_node_tags", 300, "node_id int 150; v text 5; approved_by int 20; area_id_1 int 9",
	    NULL);
	table(w, NULL, "gpx_files", 90, "id int 90 pk; version int 3", NULL);
	table(w, NULL, "gpx_file_tags", 300, "gpx_id int 80; seq int 3", NULL);
	table(w, NULL, "note_versions", 50, "id int 50 pk", NULL);
	expect(w,
	    "area.type>area_type.id area.parent>area.id current_node_tags.node_id>current_nodes.id "
	    "current_node_tags.approved_by>users.id current_node_tags.area_id_1>area.id "
	    "gpx_file_tags.gpx_id>gpx_files.id");
}

/* A table without rows: names alone lead to the table that is called so. */
static void
empty_tables_have_names(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "customers", 100, "customer_id int 100", NULL);
	table(w, NULL, "kinds", 5, "kind_id int 5", NULL);
	table(w, NULL, "customer_demo", 0, "customer_id int 0; kind_id int 0; billing_customer_id int 0", NULL);
	table(w, NULL, "customer_notes", 9, "customer_id int 0; body text 9", NULL);
	expect(w, "customer_demo.customer_id>customers.customer_id customer_demo.kind_id>kinds.kind_id");
}

static void
types_must_agree(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "customers", 100, "id uuid 100 pk", NULL);
	table(w, NULL, "orders", 900,
	    "id int 900 pk; customer_id int 80; customer_uuid uuid 80; customer_key text 80; "
	    "customer_no int[] 80",
	    NULL);
	expect(w, "orders.customer_uuid>customers.id");
}

static void
columns_point_to_keys_of_their_name(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "KUNDE", 100, "KD_NR int 100 pk; NAME text 90", NULL);
	table(w, NULL, "AUFTRAG", 900, "AUF_NR int 900 pk; KD_NR int 80; PLZ text 50", NULL);
	table(w, NULL, "ORTE", 700, "PLZ text 700 pk; ORT text 600", NULL);
	/* Unique by chance: it is a way to another table itself. */
	table(w, NULL, "LIEFERUNG", 90, "LF_NR int 90 pk; AUFTRAG_NR int 90", NULL);
	table(w, NULL, "RETOURE", 9, "RT_NR int 9 pk; AUFTRAG_NR int 9", NULL);
	expect(w,
	    "AUFTRAG.KD_NR>KUNDE.KD_NR AUFTRAG.PLZ>ORTE.PLZ LIEFERUNG.AUFTRAG_NR>AUFTRAG.AUF_NR "
	    "RETOURE.AUFTRAG_NR>AUFTRAG.AUF_NR");
}

static void
keys_of_several_columns(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, NULL, "orders", 300, "id int 300 pk", NULL);
	table(w, NULL, "items", 600, "order_id int 300 pk; line_no int 2 pk; qty int 5", NULL);
	table(w, NULL, "shipments", 300, "id int 300 pk; order_id int 300; line_no int 2", NULL);
	table(w, NULL, "rates", 300, "currency text 10; period text 30; rate numeric 99", NULL);
	table(w, NULL, "sales", 500, "id int 500 pk; currency text 9; period text 20", NULL);
	/* Too few values for every row to have its own. */
	table(w, NULL, "totals", 300, "country text 10; year int 3", NULL);
	table(w, NULL, "visits", 500, "id int 500 pk; country text 9; year int 3", NULL);
	expect(w,
	    "items.order_id>orders.id shipments.order_id>orders.id shipments.order_id+line_no>items.order_id+line_no "
	    "sales.currency+period>rates.currency+period");
}

static void
what_is_declared_is_no_candidate(void **state)
{
	struct world *w = begin();

	(void)state;
	table(w, "a", "customers", 100, "id int 100 pk", NULL);
	table(w, "a", "orders", 900, "id int 900 pk; customer_id int 80; client_id int 80",
	    "[{\"fromColumn\":\"customer_id\","
	    "\"toCatalog\":null,\"toDb\":\"a\",\"toTable\":\"customers\",\"toColumn\":\"id\",\"constraintName\":\"fk\"}"
	    "]");
	table(w, "a", "clients", 70, "id int 70 pk", NULL);
	expect(w, "orders.client_id>clients.id");
}

/* A schema per customer, of more than an index finds of one name: each finds its own. */
static void
schemas_keep_to_themselves(void **state)
{
	struct world *w = begin();
	size_t wide = 0;
	char db[16];

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		snprintf(db, sizeof(db), "s%03u", i);
		table(w, db, "customers", 100, "id int 100 pk", NULL);
		table(w, db, "orders", 900, "id int 900 pk; customer_id int 80", NULL);
		table(w, db, "rates", 300, "currency text 10; period text 30; rate numeric 99", NULL);
		table(w, db, "sales", 500, "id int 500 pk; currency text 9; period text 20", NULL);
	}
	look(w);
	assert_int_equal(w->relate.n, 600);
	for (size_t i = 0; i < 600; i++) {
		wide += w->relate.edges[i].width == 2;
		assert_true(span_is(w->relate.tables[w->relate.edges[i].child].m->db,
		    w->relate.tables[w->relate.edges[i].parent].m->db));
	}
	assert_int_equal(wide, 300);
	end(w);
}

/* Very many tables without a key that share six columns: what is looked at stays bounded, and single columns come first. */
static void
many_alike_are_bounded(void **state)
{
	struct world *w = begin();
	char name[32], columns[160];

	(void)state;
	table(w, NULL, "region", 9, "id int 9 pk", NULL);
	for (unsigned i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "facts%u", i);
		snprintf(columns, sizeof(columns),
		    "region_id int 9; year int 40; month int 12; day int 31; period text 30; currency text 30; of%u "
		    "text 9",
		    i);
		table(w, NULL, name, 300, columns, NULL);
	}
	look(w);
	for (size_t i = 0; i < 60; i++)
		assert_int_equal(w->relate.edges[i].width, 1);
	assert_true(w->relate.n <= 60 + 5000);
	assert_true(w->relate.ndropped > 0);
	end(w);
}

/* --- time left ---------------------------------------------------------------------------- */

static void
the_time_left_is_told(void **state)
{
	char text[64];

	(void)state;
	const double tenth = 1e8;

	pace_left(CLOCK_SECOND, 100, tenth, 100, text, sizeof(text));
	assert_string_equal(text, ""); /* too early */
	pace_left(10 * CLOCK_SECOND, 2, tenth, 100, text, sizeof(text));
	assert_string_equal(text, "");
	pace_left(10 * CLOCK_SECOND, 100, tenth, 333, text, sizeof(text));
	assert_string_equal(text, "about 40 s");
	pace_left(10 * CLOCK_SECOND, 100, tenth, 70, text, sizeof(text));
	assert_string_equal(text, "about 7 s");
	pace_left(10 * CLOCK_SECOND, 100, tenth, 1, text, sizeof(text));
	assert_string_equal(text, "about 1 s");
	pace_left(10 * CLOCK_SECOND, 100, tenth, 1201, text, sizeof(text));
	assert_string_equal(text, "about 3 min");
	pace_left(10 * CLOCK_SECOND, 100, tenth, 78000, text, sizeof(text));
	assert_string_equal(text, "about 2 h 10 min");
	pace_left(10 * CLOCK_SECOND, 100, tenth, 0, text, sizeof(text));
	assert_string_equal(text, "");
}

/* A rate follows what is measured: at once in the beginning, not at every outlier, and never stays behind. */
static void
the_rate_is_smoothed(void **state)
{
	double rate = 0, before;

	(void)state;
	for (size_t i = 1; i <= 4; i++)
		rate = pace_smooth(rate, i, i * CLOCK_SECOND);
	assert_true(rate > 2.49e9 && rate < 2.51e9); /* the mean of the first ones */
	for (size_t i = 5; i <= 50; i++)
		rate = pace_smooth(rate, i, CLOCK_SECOND);
	assert_true(rate > 0.99e9 && rate < 1.2e9);
	before = rate;
	rate = pace_smooth(rate, 51, 9 * CLOCK_SECOND);
	assert_true(rate > before && rate < 2 * before);
	for (size_t i = 52; i <= 150; i++)
		rate = pace_smooth(rate, i, CLOCK_SECOND / 10);
	assert_true(rate < 0.12e9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_folded), cmocka_unit_test(names_point_to_tables),
		cmocka_unit_test(words_are_run_together), cmocka_unit_test(the_named_table_comes_first),
		cmocka_unit_test(names_are_read_where_they_stand), cmocka_unit_test(empty_tables_have_names),
		cmocka_unit_test(types_must_agree),
		cmocka_unit_test(columns_point_to_keys_of_their_name), cmocka_unit_test(keys_of_several_columns),
		cmocka_unit_test(what_is_declared_is_no_candidate), cmocka_unit_test(schemas_keep_to_themselves), cmocka_unit_test(many_alike_are_bounded),
		cmocka_unit_test(the_time_left_is_told), cmocka_unit_test(the_rate_is_smoothed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
