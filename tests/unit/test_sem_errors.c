// libs: carrel_semantic carrel_project carrel_base
/* Every category a query or a model can be refused with, each by a query that earns it. */
#include "tests/unit/harness.h"

#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "semantic/compile.h"

static const char *const shop[] = {
	"name: orders\ntable: orders\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: customer_id, type: number}\n  - {name: status, type: string}\n  - {name: amount, type: number}\n"
	"  - {name: day, type: time}\n  - {name: twice, type: number, expr: amount * 2}\n"
	"joins:\n  - {to: customers, on: customer_id = customers.id, relationship: many_to_one}\n"
	"measures:\n  - {name: gross, expr: sum(amount)}\n  - {name: n, expr: count(*)}\n"
	"  - {name: loop, expr: pool + 1}\n  - {name: pool, expr: loop + 1}\n"
	"  - {name: odd, expr: sum(amount), segments: [nowhere]}\n"
	"  - {name: inner_sum, expr: sum(amount), filter: sum(amount) > 1}\n"
	"segments:\n  - {name: paid, expr: status = 'paid'}\n",
	"name: items\ntable: items\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: order_id, type: number}\n  - {name: quantity, type: number}\n"
	"joins:\n  - {to: orders, on: order_id = orders.id, relationship: many_to_one}\n"
	"measures:\n  - {name: sold, expr: sum(quantity)}\n",
	"name: customers\ntable: customers\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: segment, type: string}\n  - {name: ssn, type: string, visibility: hidden}\n"
	"  - {name: home_id, type: number}\n  - {name: work_id, type: number}\n  - {name: credit, type: number}\n"
	"joins:\n  - {to: cities, on: home_id = cities.id, relationship: many_to_one}\n"
	"  - {to: cities, on: work_id = cities.id, relationship: many_to_one}\n"
	"measures:\n  - {name: owed, expr: sum(credit)}\n",
	"name: tickets\ntable: tickets\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: customer_id, type: number}\n  - {name: priority, type: string}\n"
	"joins:\n  - {to: customers, on: customer_id = customers.id, relationship: many_to_one}\n"
	"measures:\n  - {name: opened, expr: count(id)}\n",
	"name: cities\ntable: cities\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n  - {name: city, type: string}\n",
	"name: island\ntable: island\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n  - {name: palm, type: string}\n",
	"name: calls\ntable: calls\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: by_id, type: number}\njoins:\n"
	"  - {to: island, on: by_id = island.id, relationship: many_to_one, alias: place}\n"
	"measures:\n  - {name: rung, expr: count(*)}\n",
	"name: letters\ntable: letters\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: isle id, type: number}\njoins:\n"
	"  - {to: island, on: '\"isle id\" = island.id', relationship: many_to_one, alias: place}\n",
	"name: nongrain\ntable: t\ncolumns:\n  - {name: id, type: number}\nmeasures:\n  - {name: k, expr: count(id)}\n",
	"name: adrift\ntable: t\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"joins:\n  - {to: ghost, on: id = ghost.id, relationship: many_to_one}\nmeasures:\n  - {name: k2, expr: count(id)}\n",
	"name: skewed\ntable: t\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"joins:\n  - {to: island, on: id > island.id, relationship: many_to_one}\nmeasures:\n  - {name: k3, expr: count(id)}\n",
	"name: double\ntable: t\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\nmeasures:\n  - {name: k4, expr: count(id)}\n",
	"name: double\ntable: u\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\nmeasures:\n  - {name: k4, expr: count(id)}\n",
	"name: typo\ntable: t\ngrain: [id]\ncolumns:\n  - {name: id, type: number, visibility: hiden}\nmeasures:\n  - {name: k5, expr: count(id)}\n",
	"name: twisted\ntable: t\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
	"  - {name: a, type: number, expr: b + 1}\n  - {name: b, type: number, expr: a + 1}\n"
	"  - {name: summed, type: number, expr: sum(id)}\n",
	"name: padded\ntable: t\ngrain: [id]\nfilters: [x]\ncolumns:\n  - {name: id, type: number}\nmeasures:\n  - {name: k6, expr: count(id)}\n",
};

#define SOURCES	(sizeof(shop) / sizeof(shop[0]))

static struct source_set *set;
static struct sem_model *model;

static int
open_model(void **state)
{
	static const struct source *list[SOURCES];

	(void)state;
	set = source_set_new();
	for (size_t i = 0; i < SOURCES; i++) {
		char path[32];

		snprintf(path, sizeof(path), "%zu.yaml", i);
		source_set_put(set, path, span_str(shop[i]), NULL);
	}
	source_set_compose(set, NULL, NULL);
	for (size_t i = 0; i < source_set_count(set); i++)
		list[i] = source_set_at(set, i);
	model = sem_model_new(list, source_set_count(set));
	return 0;
}

static int
close_model(void **state)
{
	(void)state;
	sem_model_free(model);
	source_set_free(set);
	return 0;
}

/* The category of a query in JSON. */
static enum sem_category
ask(const char *json, struct sem_problem *p)
{
	struct arena *a = arena_new((size_t)16 << 20);
	struct buf doc = { 0 };
	struct sem_compiled out;
	struct mp_value args;
	struct sem_query q;
	size_t at;

	*p = (struct sem_problem){ 0 };
	if (json_read(span_str(json), &doc, &at) != JSON_OK || !mp_value(buf_view(&doc), &args))
		fail_msg("%s is no JSON at %zu", json, at);
	if (sem_query_read(a, &args, &q, p) == 0 && ((q.governed = mp_get_bool(&args, "governed", false)), true) &&
	    sem_compile(model, &dialect_sqlite, &q, a, &out, p) == 0)
		p->category = SEM_OK;
	buf_fini(&doc);
	arena_free(a);
	return p->category;
}

static const struct {
	enum sem_category	category;
	const char		*query;
} refused[] = {
	{ SEM_UNKNOWN_SOURCE, "{'measures':['orders.gross'],'dimensions':['ghost.x']}" },
	{ SEM_UNKNOWN_SOURCE, "{'measures':['orders.gross'],'filters':['orders.id IN (SELECT id FROM secrets)']}" },
	{ SEM_UNKNOWN_SOURCE, "{'measures':['orders.gross'],'filters':['orders.id IN (SELECT 1 FROM (SELECT 1) x, secrets)']}" },
	{ SEM_UNKNOWN_COLUMN, "{'measures':['orders.gross'],'dimensions':['orders.gross']}" },
	{ SEM_UNKNOWN_COLUMN, "{'measures':['orders.gross'],'filters':['nothing = 1']}" },
	{ SEM_UNKNOWN_MEASURE, "{'measures':['orders.grosss']}" },
	{ SEM_NOT_AGGREGATED, "{'measures':['orders.amount']}" },
	{ SEM_NO_SOURCE, "{'measures':['count(*)']}" },
	{ SEM_NO_SOURCE, "{'measures':[{'expr':'1 + 1','name':'two'}]}" },
	{ SEM_NO_SOURCE, "{'measures':['orders.gross','tickets.opened'],'filters':['count(*) > 1']}" },
	{ SEM_NO_SOURCE, "{'measures':[],'dimensions':['orders.status'],'filters':['count(*) > 1']}" },
	{ SEM_EMPTY_QUERY, "{'measures':[],'dimensions':[]}" },
	{ SEM_AMBIGUOUS_NAME, "{'measures':['customers.owed'],'dimensions':['customer_id']}" },
	{ SEM_AMBIGUOUS_JOIN_PATH, "{'measures':['orders.gross'],'dimensions':['cities.city']}" },
	{ SEM_NO_JOIN_PATH, "{'measures':['orders.gross'],'dimensions':['island.palm']}" },
	{ SEM_NO_JOIN_PATH, "{'measures':['orders.gross'],'filters':['island.palm = 1']}" },
	{ SEM_FAN_OUT, "{'measures':['orders.gross'],'dimensions':['items.quantity']}" },
	{ SEM_FAN_OUT_FILTER, "{'measures':['orders.gross'],'filters':['items.quantity = 1']}" },
	{ SEM_ASYMMETRIC_DIMENSIONS, "{'measures':['orders.gross','tickets.opened'],'dimensions':['tickets.priority']}" },
	{ SEM_CROSS_FACT_EXPRESSION, "{'measures':['sum(items.quantity * tickets.customer_id)']}" },
	{ SEM_MIXED_FILTER, "{'measures':['orders.gross'],'filters':[\"orders.status = 'a' OR sum(orders.amount) > 1\"]}" },
	{ SEM_NESTED_AGGREGATE, "{'measures':['avg(sum(orders.amount))']}" },
	{ SEM_NESTED_AGGREGATE, "{'measures':['max(orders.gross)']}" },
	{ SEM_NESTED_AGGREGATE, "{'measures':['orders.inner_sum']}" },
	{ SEM_WINDOW_FUNCTION, "{'measures':[{'expr':'sum(orders.amount) over ()','name':'w'}]}" },
	{ SEM_WINDOW_FUNCTION, "{'measures':['orders.gross'],'filters':['row_number() over (order by orders.id) = 1']}" },
	{ SEM_CIRCULAR_MEASURE, "{'measures':['orders.loop']}" },
	{ SEM_CIRCULAR_MEASURE, "{'measures':[{'expr':'y + 1','name':'x'},{'expr':'x + 1','name':'y'}]}" },
	{ SEM_UNKNOWN_SEGMENT, "{'measures':['orders.gross'],'segments':['orders.nope']}" },
	{ SEM_UNKNOWN_SEGMENT, "{'measures':['orders.odd']}" },
	{ SEM_SEGMENT_NOT_QUALIFIED, "{'measures':['orders.gross'],'segments':['paid']}" },
	{ SEM_SEGMENT_NO_MATCHING_MEASURE, "{'measures':['tickets.opened'],'segments':['orders.paid']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'dimensions':['customers.ssn']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'dimensions':['SSN']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'filters':['length(customers.\\\"ssn\\\") > 1']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['count(customers.ssn)']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['customers.ssn']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'order_by':['customers.ssn']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'filters':['orders.customer_id IN (SELECT id FROM customers WHERE ssn > 1)']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'filters':['EXISTS (SELECT * FROM customers)']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'filters':['EXISTS (SELECT c.* FROM customers c)']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'filters':['1 < (SELECT count(c) FROM customers AS c)']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'filters':['1 < (SELECT max(z) FROM customers AS c(x, y, z))']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'filters':['1 < (SELECT count(C) FROM customers AS c)']}" },
	{ SEM_HIDDEN_COLUMN, "{'measures':['orders.gross'],'dimensions':['customers.segment'],'filters':['1 < (SELECT max(length(Customers)) FROM items)']}" },
	{ SEM_PARSE_ERROR, "{'measures':['orders.gross'],'filters':['1 < (SELECT max(U&\\\"ssm\\\") FROM customers)']}" },
	{ SEM_UNKNOWN_ORDER_FIELD, "{'measures':['orders.gross'],'order_by':['orders.status']}" },
	{ SEM_INVALID_LIMIT, "{'measures':['orders.gross'],'limit':-1}" },
	{ SEM_INVALID_LIMIT, "{'measures':['orders.gross'],'limit':1.5}" },
	{ SEM_INVALID_LIMIT, "{'measures':['orders.gross'],'limit':'many'}" },
	{ SEM_UNSUPPORTED_GRANULARITY, "{'measures':['orders.gross'],'dimensions':[{'field':'orders.day','granularity':'fortnight'}]}" },
	{ SEM_UNSUPPORTED_GRANULARITY, "{'measures':['orders.gross'],'dimensions':[{'field':'orders.amount','granularity':'day'}]}" },
	{ SEM_UNSUPPORTED_FUNCTION, "{'measures':['mode(orders.amount)']}" },
	{ SEM_PARSE_ERROR, "{'measures':['orders.gross'],'filters':['orders.status = ']}" },
	{ SEM_PARSE_ERROR, "{'measures':['orders.gross'],'filters':['orders.id = 1; DROP TABLE orders']}" },
	{ SEM_PARSE_ERROR, "{'measures':['orders.gross'],'filters':['orders.id = 1 -- all']}" },
	{ SEM_PARSE_ERROR, "{'measures':['orders.gross'],'filters':['orders.id = 1 /* all */']}" },
	{ SEM_PARSE_ERROR, "{'measures':['orders.gross'],'dimensions':['lower(orders.status)']}" },
	{ SEM_INVALID_SOURCE, "{'measures':['nongrain.k']}" },
	{ SEM_INVALID_SOURCE, "{'measures':['typo.k5']}" },
	{ SEM_INVALID_SOURCE, "{'measures':['padded.k6']}" },
	{ SEM_INVALID_SOURCE, "{'measures':[],'dimensions':['twisted.a']}" },
	{ SEM_INVALID_SOURCE, "{'measures':[{'expr':'max(twisted.summed)','name':'m'}]}" },
	{ SEM_DUPLICATE_SOURCE, "{'measures':['double.k4']}" },
	{ SEM_UNKNOWN_JOIN_TARGET, "{'measures':['adrift.k2']}" },
	{ SEM_INVALID_JOIN, "{'measures':['skewed.k3']}" },
	/* Where only the model's measures may be asked. */
	{ SEM_QUERY_POLICY, "{'governed':true,'measures':['sum(orders.amount)']}" },
	{ SEM_QUERY_POLICY, "{'governed':true,'measures':[{'expr':'orders.gross / 2','name':'half'}]}" },
	{ SEM_QUERY_POLICY, "{'governed':true,'measures':['orders.gross'],'filters':['orders.id IN (SELECT order_id FROM items)']}" },
	{ SEM_QUERY_POLICY, "{'governed':true,'measures':['orders.gross'],'filters':['sum(orders.amount) > 1']}" },
	{ SEM_QUERY_POLICY, "{'governed':true,'measures':['gross'],'filters':['number_of(items) > 1']}" },
	{ SEM_QUERY_POLICY,
	    "{'governed':true,'measures':['gross'],'filters':['highest_in(orders.amount, orders.status)']}" },
	{ SEM_QUERY_POLICY,
	    "{'governed':true,'measures':['gross'],'filters':['has(items, lowest_in(items.quantity, items.id))']}" },
	{ SEM_NESTED_AGGREGATE, "{'measures':['gross'],'filters':['has(items, count(*) > 1)']}" },
	{ SEM_NESTED_AGGREGATE, "{'measures':['gross'],'filters':['number_of(items, sum(items.quantity) > 1) > 1']}" },
	{ SEM_QUERY_POLICY, "{'governed':true,'measures':['gross'],'filters':['has(items, hex(items.id) = 1)']}" },
	{ SEM_QUERY_POLICY, "{'governed':true,'measures':['orders.gross'],'filters':[\"hex(orders.status) = 'a'\"]}" },
};

/* ' for ", so that the table can be read. */
static const char *
json_of(const char *text, char out[512])
{
	size_t n = strlen(text);
	bool inside = false;

	assert_true(n < 511);
	for (size_t i = 0; i <= n; i++) {
		if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
			inside = !inside; /* "…" holds quotes that are meant */
		out[i] = text[i] == '\'' && !inside ? '"' : text[i];
	}
	return out;
}

static void
each_refusal(void **state)
{
	char json[512];

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct sem_problem p;
		enum sem_category got = ask(json_of(refused[i].query, json), &p);

		if (got != refused[i].category)
			fail_msg("%s: %s (%s), not %s", json, sem_category_name(got), p.message,
			    sem_category_name(refused[i].category));
		assert_true(p.message[0] != '\0');
	}
}

static void
no_category_is_idle(void **state)
{
	(void)state;
	for (int k = SEM_OK + 1; k <= SEM_QUERY_POLICY; k++) {
		bool found = false;

		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]) && !found; i++)
			found = refused[i].category == (enum sem_category)k;
		if (!found)
			fail_msg("nothing is refused with %s", sem_category_name((enum sem_category)k));
	}
}

/* What looks like one of the above and is none. */
static void
honest_queries_pass(void **state)
{
	static const char *const queries[] = {
		"{'measures':['orders.gross'],'filters':['orders.id IN (SELECT order_id FROM items WHERE quantity > "
		"1)']}",
		"{'measures':['orders.gross'],'filters':[\"orders.id IN (SELECT o.id FROM orders o WHERE extract(year "
		"FROM day) = 2024)\"]}",
		"{'measures':['orders.gross'],'filters':[\"orders.customer_id IN (SELECT c.id FROM customers c, cities "
		"WHERE c.segment = 'a' AND substring(cities.city FROM 1 FOR 2) = 'ab')\"]}",
		"{'measures':['orders.gross'],'filters':[\"EXISTS (SELECT 1 FROM items i WHERE i.order_id = "
		"orders.id)\"]}",
		"{'measures':['orders.gross'],'filters':[\"orders.status = 'a; -- b' AND orders.status <> '/* c "
		"*/'\"]}",
		"{'measures':['items.sold'],'filters':['EXISTS (SELECT 1 FROM orders o WHERE o.id < orders.id)']}",
		"{'measures':['gross','gross']}",
		"{'measures':['gross'],'limit':999999}",
		"{'measures':[{'expr':'gross','name':'gross'}],'order_by':['gross desc']}",
		"{'measures':['orders.gross',{'expr':'gross / "
		"2','name':'half'}],'order_by':[{'id':'half','desc':true}]}",
		"{'measures':['n'],'dimensions':[{'dimension':'orders.day','granularity':'MONTH'}],'order_by':[{'"
		"dimension':'orders.day','granularity':'month','direction':'desc'}],'limit':0}",
		"{'measures':['orders.gross'],'dimensions':['orders.status'],'filters':['count(*) > 1']}",
		"{'measures':['orders.gross'],'dimensions':['orders.twice']}",
		"{'governed':true,'measures':['gross',{'expr':'orders.n','name':'x'}],'dimensions':['orders.twice'],'"
		"order_by':['x desc']}",
		"{'governed':true,'measures':['gross'],'segments':['orders.paid'],'filters':[\"lower(orders.status) "
		"LIKE 'a%' OR orders.day IS NULL\",'orders.n > 2']}",
		"{'governed':true,'measures':['gross'],'filters':['has(items, items.quantity > 2)']}",
		"{'measures':['customers.owed','orders.gross'],'filters':['orders.gross > 1 AND customers.owed < 5']}",
		"{'measures':['orders.gross'],'dimensions':['customer_id'],'filters':['id > 1']}",
	};
	char json[512];

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct sem_problem p;

		if (ask(json_of(queries[i], json), &p) != SEM_OK)
			fail_msg("%s: %s", json, p.message);
	}
}

static void
candidates_are_near(void **state)
{
	struct sem_problem p;

	(void)state;
	ask("{\"measures\":[\"orders.grosss\"]}", &p);
	assert_int_equal(p.ncandidates, 1);
	assert_string_equal(p.candidates[0], "gross");
	ask("{\"measures\":[\"orders.gross\"],\"dimensions\":[\"custommers.segment\"]}", &p);
	assert_string_equal(p.candidates[0], "customers");
	ask("{\"measures\":[\"items.sold\"],\"dimensions\":[\"customer_id\"]}", &p);
	assert_int_equal(p.ncandidates, 2);
	assert_string_equal(p.candidates[0], "orders.customer_id");
	assert_string_equal(p.candidates[1], "tickets.customer_id");
	ask("{\"measures\":[\"orders.gross\"],\"dimensions\":[\"customers.ss\"]}", &p);
	assert_int_equal(p.ncandidates, 0); /* hidden names are not offered */
}

/* What a refusal says to write in place of a name is what works. */
static void
ambiguous_ways_are_spelt_out(void **state)
{
	struct sem_problem p;
	char json[512], copy[sizeof(p.message)], *choice, *rest;
	size_t n = 0;

	(void)state;
	assert_int_equal(ask(json_of("{'measures':['orders.gross'],'dimensions':['cities.city']}", json), &p),
	    SEM_AMBIGUOUS_JOIN_PATH);
	assert_non_null(strstr(p.message, "write cities(home_id) or cities(work_id)."));
	memcpy(copy, p.message, sizeof(copy));
	rest = strstr(copy, "write ") + strlen("write ");
	*strrchr(rest, '.') = '\0';
	for (; (choice = rest) != NULL; n++) {
		char *next = strstr(rest, " or ");

		rest = next != NULL ? next + strlen(" or ") : NULL;
		if (next != NULL)
			*next = '\0';
		snprintf(json, sizeof(json),
		    "{\"measures\":[\"orders.gross\"],\"dimensions\":[\"%s.city\"],\"filters\":[\"%s.id > 1\"]}",
		    choice, choice);
		if (ask(json, &p) != SEM_OK)
			fail_msg("%s: %s", json, p.message);
	}
	assert_int_equal(n, 2);
	assert_int_equal(ask(json_of("{'measures':['orders.gross'],'dimensions':['cities(x_id).city']}", json), &p),
	    SEM_NO_JOIN_PATH);
	assert_non_null(strstr(p.message, "are cities(home_id) or cities(work_id)."));
	assert_int_equal(ask(json_of("{'measures':['orders.gross'],'dimensions':['tickets(id).priority']}", json), &p),
	    SEM_NO_JOIN_PATH);
	assert_non_null(strstr(p.message, "none leads to tickets"));
}

/* An alias that several joins share: each candidate is a name that works from where its join starts. */
static void
shared_aliases_name_their_joins(void **state)
{
	static const char *const facts[] = { "calls.rung", "count(letters.id)" };
	struct sem_problem p, again;
	char json[512];

	(void)state;
	assert_int_equal(ask(json_of("{'measures':['calls.rung'],'dimensions':['place.palm']}", json), &p),
	    SEM_AMBIGUOUS_NAME);
	assert_int_equal(p.ncandidates, 2);
	for (size_t i = 0; i < p.ncandidates; i++) {
		struct buf q = { 0 }, escaped = { 0 };

		for (const char *c = p.candidates[i]; *c != '\0'; c++)
			buf_printf(&escaped, *c == '"' ? "\\%c" : "%c", *c);
		buf_printf(&q, "{\"measures\":[\"%s\"],\"dimensions\":[\"%s.palm\"]}", facts[i], buf_cstr(&escaped));
		if (ask(buf_cstr(&q), &again) != SEM_OK)
			fail_msg("%s: %s", buf_cstr(&q), again.message);
		buf_fini(&q);
		buf_fini(&escaped);
	}
}

/* Names of joins in names of joins end somewhere. */
static void
nested_names_end(void **state)
{
	struct sem_problem p;

	(void)state;
	for (size_t depth = 1; depth <= 4096; depth *= 16) {
		struct buf json = { 0 };

		buf_str(&json, "{\"measures\":[\"orders.gross\"],\"dimensions\":[\"");
		for (size_t i = 0; i < depth; i++)
			buf_str(&json, "a(");
		for (size_t i = 0; i < depth; i++)
			buf_str(&json, "b).");
		buf_str(&json, "c\"]}");
		assert_int_not_equal(ask(buf_cstr(&json), &p), SEM_OK);
		buf_fini(&json);
	}
}

/* Measures that build on each other compile; a chain too deep is refused, not followed. */
static void
deep_chains_end(void **state)
{
	struct buf json = { 0 };
	struct sem_problem p;

	(void)state;
	for (int depth = 20; depth <= 100; depth += 40) {
		buf_reset(&json, SIZE_MAX);
		buf_str(&json, "{\"measures\":[{\"expr\":\"sum(orders.amount)\",\"name\":\"m0\"}");
		for (int i = 1; i < depth; i++)
			buf_printf(&json, ",{\"expr\":\"m%d + 1\",\"name\":\"m%d\"}", i - 1, i);
		buf_str(&json, "]}");
		assert_int_equal(ask(buf_cstr(&json), &p), SEM_OK);
	}
	/* Backwards: the first measure needs all the others. */
	buf_reset(&json, SIZE_MAX);
	buf_str(&json, "{\"measures\":[");
	for (int i = 0; i < 400; i++)
		buf_printf(&json, "{\"expr\":\"m%d + m%d\",\"name\":\"m%d\"},", i + 1, i + 1, i);
	buf_str(&json, "{\"expr\":\"sum(orders.amount)\",\"name\":\"m400\"}]}");
	assert_int_equal(ask(buf_cstr(&json), &p), SEM_PARSE_ERROR);
	buf_fini(&json);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal),
		cmocka_unit_test(no_category_is_idle),
		cmocka_unit_test(honest_queries_pass),
		cmocka_unit_test(candidates_are_near),
		cmocka_unit_test(ambiguous_ways_are_spelt_out),
		cmocka_unit_test(shared_aliases_name_their_joins),
		cmocka_unit_test(nested_names_end),
		cmocka_unit_test(deep_chains_end),
	};

	return cmocka_run_group_tests(tests, open_model, close_model);
}
