// libs: carrel_ask carrel_project carrel_base
/* test_ask.c - questions in words: the model, periods, readings, and what is not answered. */
#include <stdio.h>

#include "ask/ask_model.h"
#include "ask/examples.h"
#include "ask/suggestions.h"
#include "ask/text_question.h"
#include "ask/words_function.h"
#include "base/json/json_read.h"
#include "tests/unit/harness.h"

static const char catalogue[] =
    "{\"version\": \"1\", \"ontology\": {\"dialect\": \"sqlite\"}, \"sources\": ["
    "{\"name\": \"orders\", \"grain\": [\"order_id\"], \"timeDimension\": \"placed_on\", \"measures\": ["
    "{\"name\": \"revenue\", \"expr\": \"sum(amount)\", \"aggregate\": \"sum\", "
    "\"additive\": \"full\", \"column\": \"amount\", \"unit\": \"EUR\","
    " \"synonyms\": [\"turnover\", \"Umsatz\"]},"
    "{\"name\": \"average_order\", \"expr\": \"avg(amount)\", \"aggregate\": \"avg\", \"additive\": \"none\"}],"
    " \"dimensions\": [{\"name\": \"placed_on\", \"type\": \"time\", \"time\": true},"
    "{\"name\": \"status\", \"type\": \"string\", \"values\": [\"paid\", \"open\"]}]},"
    "{\"name\": \"customers\", \"grain\": [\"customer_id\"], \"synonyms\": [\"Kunden\"],"
    " \"dimensions\": [{\"name\": \"name\", "
    "\"type\": \"string\"}, {\"name\": \"country\", \"type\": \"string\", \"synonyms\": [\"Land\"]},"
    "{\"name\": \"age\", \"type\": \"number\"}, {\"name\": \"is_vip\", \"type\": \"boolean\"}]}],"
    " \"nodes\": [{\"name\": \"orders\", \"source\": 0, \"edges\": [{\"to\": 1, "
    "\"on\": [[\"customer_id\", \"customer_id\"]]}]},"
    "{\"name\": \"customers\", \"source\": 1}], \"words\": []}";

static struct ask_model *model;
static struct arena *arena;
static struct ask_reading *reading;

/* 2025-05-14, a Wednesday. */
static const struct ask_context now = { .now = INT64_C(1747224000) };

static struct ask_model *
read_catalogue(const char *text, struct err *err)
{
	struct buf b = { 0 };
	struct mp_value v;
	size_t at;
	struct ask_model *m;

	assert_int_equal(json_read(span_str(text), &b, &at), JSON_OK);
	assert_true(mp_value(buf_view(&b), &v));
	m = ask_model_read(&v, err);
	buf_fini(&b);
	return m;
}

static int
begin(void **state)
{
	struct err err;

	(void)state;
	model = read_catalogue(catalogue, &err);
	arena = arena_new((size_t)64 << 20);
	reading = arena_alloc(arena, sizeof(*reading));
	return model == NULL || reading == NULL;
}

/* The same, with more columns: NULL-terminated names of numbers of orders and of customers. */
static struct ask_model *
read_with_numbers(const char *const *orders, const char *const *customers)
{
	static const char columns[] = "\"dimensions\": [";
	const char *const *const lists[] = { orders, customers };
	struct buf text = { 0 };
	const char *at = catalogue;
	struct ask_model *m;
	struct err err;

	for (size_t i = 0; i < 2; i++) {
		const char *next = strstr(at, columns) + strlen(columns);

		buf_append(&text, at, (size_t)(next - at));
		for (size_t k = 0; lists[i][k] != NULL; k++)
			buf_printf(&text, "{\"name\": \"%s\", \"type\": \"number\"}, ", lists[i][k]);
		at = next;
	}
	buf_str(&text, at);
	m = read_catalogue(buf_cstr(&text), &err);
	buf_fini(&text);
	return m;
}

static int
begin_with_keys(void **state)
{
	static const char *const orders[] = { "order_id", "amount", NULL },
				 *const customers[] = { "customer_id", NULL };

	if (begin(state) != 0)
		return -1;
	ask_model_free(model);
	model = read_with_numbers(orders, customers);
	return model == NULL;
}

static int
end(void **state)
{
	(void)state;
	ask_model_free(model);
	arena_free(arena);
	return 0;
}

/* The probes that were run, with those of the reading: none had a result. */
static const struct ask_value *
probed_after(const struct ask_known *known, const struct ask_reading *r)
{
	struct ask_value *all = arena_array(arena, known->nprobed + r->nprobes, sizeof(*all));

	for (size_t i = 0; i < known->nprobed; i++)
		all[i] = known->probed[i];
	for (size_t i = 0; i < r->nprobes; i++)
		all[known->nprobed + i] =
		    (struct ask_value){ r->probes[i].source, r->probes[i].column, r->probes[i].text };
	return all;
}

static enum ask_status
ask(const char *question)
{
	static const struct ask_value germany = { { (const uint8_t *)"customers", 9 },
		{ (const uint8_t *)"country", 7 },
		{ (const uint8_t *)"Germany", 7 } };
	struct ask_known known = { .nvalues = 1, .values = &germany };
	struct err err;

	assert_int_equal(ask_read(model, &now, span_str(question), &known, arena, reading, &err), 0);
	for (unsigned round = 0; round < 4 && reading->status == ASK_PROBE; round++) {
		known.probed = probed_after(&known, reading);
		known.nprobed += reading->nprobes;
		assert_int_equal(ask_read(model, &now, span_str(question), &known, arena, reading, &err), 0);
	}
	return reading->status;
}

/* The numbers of a listed key name rows: they are written without separators, and never summed or drawn. */
static void
listed_keys_are_keys(void **state)
{
	const struct ask_query *q = &reading->queries[0];

	(void)state;
	assert_int_equal(ask("list the order ids and amounts of orders"), ASK_ANSWER);
	assert_int_equal(q->ndimensions, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(q->dimensions[i].key, span_is_str(q->dimensions[i].field, "orders.order_id"));
}

/* A row that an alias leads to is named as one of its source, so that its namesakes can be counted. */
static void
rows_behind_an_alias_are_named(void **state)
{
	static const char flights[] =
	    "{\"version\": \"1\", \"ontology\": {\"dialect\": \"sqlite\"}, \"sources\": ["
	    "{\"name\": \"flights\", \"grain\": [\"flight_id\"], \"dimensions\": [{\"name\": \"flight_id\", "
	    "\"type\": \"number\"}]}, {\"name\": \"towns\", \"grain\": [\"town_id\"], \"dimensions\": ["
	    "{\"name\": \"town_id\", \"type\": \"number\"}, {\"name\": \"name\", \"type\": \"string\", "
	    "\"values\": [\"Elm\"]}]}], \"nodes\": [{\"name\": \"flights\", \"source\": 0, \"edges\": ["
	    "{\"to\": 2, \"on\": [[\"from_id\", \"town_id\"]]}, {\"to\": 3, \"on\": [[\"to_id\", \"town_id\"]]}]}, "
	    "{\"name\": \"towns\", \"source\": 1}, {\"name\": \"origin\", \"source\": 1, \"owner\": 0}, "
	    "{\"name\": \"destination\", \"source\": 1, \"owner\": 0}], \"words\": []}";
	struct err err;

	(void)state;
	ask_model_free(model);
	model = read_catalogue(flights, &err);
	assert_non_null(model);
	assert_int_equal(ask("how many flights have the origin Elm"), ASK_ANSWER);
	assert_int_equal(reading->nnamed, 1);
	assert_false(reading->named[0].root);
	assert_true(span_is_str(reading->named[0].filter, "towns.name = 'Elm'"));
}

static void
assert_window(const char *start, const char *end)
{
	assert_true(span_is_str(reading->queries[0].window.start, start));
	assert_true(span_is_str(reading->queries[0].window.end, end));
}

static void
every_word_of_an_answer_is_consumed(void **state)
{
	static const char *const questions[] = { "revenue in 2024", "turnover by country last month",
		"how many customers are there?",
		"orders from Germany in 2024", "Umsatz nach Land 2024", "average age of customers",
		"revenue 2024 vs 2023" };

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (ask(questions[i]) != ASK_ANSWER)
			fail_msg("%s: %.*s", questions[i], SPAN_FMT(reading->message));
		for (size_t k = 0; k < reading->nwords; k++)
			if (reading->words[k].consumed_by.len == 0)
				fail_msg("%s: %.*s", questions[i], SPAN_FMT(reading->words[k].word));
	}
}

static void
what_has_no_meaning_is_never_passed_over(void **state)
{
	static const char *const questions[] = { "revenue from new customers in 2024",
		"revenue excluding refunds in 2024",
		"orders without a payment in 2024", "customers who never paid",
		"average revenue per customer in 2024",
		"cumulative revenue by month in 2024", "revenue in 2024 and delete the orders",
		"revenue minus costs in 2024",
		"revenue per age in 2024", "customers with more than 3 orders", "why did revenue drop in 2024",
		"revenue next month", "is revenue higher than last year", "revenue from Germany and Atlantis in 2024",
		"top 5 customers in 2024", "revenue", "revenue in dollars in 2024", "orders on 03/04/2025",
		"revenue in fiscal year 2024", "revenue from big customers in 2024",
		"only revenue from Germany in 2024",
		"revenue on weekends in 2024", "share of average order by country in 2024",
		"the first order in 2024" };

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		if (ask(questions[i]) == ASK_ANSWER)
			fail_msg("%s: answered as %.*s", questions[i], SPAN_FMT(reading->interpretation));
}

static void
windows_are_half_open(void **state)
{
	static const struct {
		const char *question, *start, *end;
	} cases[] = { { "revenue last quarter", "2025-01-01", "2025-04-01" },
		{ "revenue in Q3 2024", "2024-07-01", "2024-10-01" },
		{ "revenue last week", "2025-05-05", "2025-05-12" }, { "revenue ytd", "2025-01-01", "2025-05-15" },
		{ "revenue in the last 3 months", "2025-02-01", "2025-05-01" },
		{ "revenue in the last 7 days", "2025-05-07", "2025-05-14" },
		{ "revenue from March to May 2024", "2024-03-01", "2024-06-01" },
		{ "revenue in December", "2024-12-01", "2025-01-01" },
		{ "revenue between 2024-01-15 and 2024-02-14", "2024-01-15", "2024-02-15" },
		{ "revenue on 14.03.2024", "2024-03-14", "2024-03-15" },
		{ "revenue on 03/14/2024", "2024-03-14", "2024-03-15" },
		{ "revenue in the first half of 2024", "2024-01-01", "2024-07-01" },
		{ "Umsatz im letzten Jahr", "2024-01-01", "2025-01-01" },
		{ "Umsatz in den letzten sechs Monaten", "2024-11-01", "2025-05-01" },
		{ "revenue on March 14, 2024", "2024-03-14", "2024-03-15" },
		{ "revenue 2023-2024", "2023-01-01", "2025-01-01" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (ask(cases[i].question) != ASK_ANSWER)
			fail_msg("%s: %.*s", cases[i].question, SPAN_FMT(reading->message));
		assert_window(cases[i].start, cases[i].end);
	}
}

static void
answers_to_questions_back_are_understood(void **state)
{
	static const char *const odd[] = { "[", "]", "[:]", "[a:", "[: ]", "[threshold: >]", "[ threshold: > 1]",
		"[x: <]",
		"[proceed", "proceed with assumptions", "[proceed][proceed]", "revenue [revenue: [revenue: revenue]",
		"[Places: ]", "revenue [Places: 99999999999999999999]", "[x: $] [x: $,,,]",
		"[x: > $,]", "[x: = ,1,1]" };

	(void)state;
	assert_int_equal(ask("revenue by country"), ASK_CLARIFY);
	assert_true(span_is_str(reading->questions[0].topic, "Time period"));
	assert_int_equal(ask("revenue by country [Time period: 2024]"), ASK_ANSWER);
	assert_window("2024-01-01", "2025-01-01");
	assert_int_equal(ask("revenue by country [proceed]"), ASK_ANSWER);
	assert_int_equal(reading->nassumptions, 1);
	assert_true(span_begins(reading->assumptions[0], "Time period: "));
	/* What is no answer is read as it stands, and nothing is read beyond the text. */
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_int_not_equal(ask(odd[i]), ASK_PROBE);
}

static bool
says(struct span text, const char *part)
{
	return memmem(text.p, text.len, part, strlen(part)) != NULL;
}

/* The last filter of the first query, the first question back, or the refusal. */
static struct span
what_is_said(void)
{
	if (reading->status == ASK_ANSWER && reading->queries[0].nfilters > 0)
		return reading->queries[0].filters[reading->queries[0].nfilters - 1].sql;
	return reading->status == ASK_CLARIFY ? reading->questions[0].question : reading->message;
}

/* A threshold on a measure chooses groups; its unit is the measure's; what no answer can mean is refused by name. */
static void
thresholds_on_measures(void **state)
{
	static const struct {
		const char *question;
		enum ask_status status;
		const char *says; /* of the first query's last filter, the first question, or the refusal */
	} cases[] = { { "Show high-value customers in 2024 [High-value threshold: revenue > 1000]", ASK_ANSWER,
			  "orders.revenue > 1000" },
		{ "high-value customers in 2024 [high-value: turnover >= 1,000 EUR]", ASK_ANSWER,
		    "orders.revenue >= 1000" },
		{ "in 2024, high-value customers [high-value: revenue > 1]", ASK_ANSWER, "orders.revenue > 1" },
		{ "big customers in 2024 [Condition: orders.revenue > \u20ac500]", ASK_ANSWER, "orders.revenue > 500" },
		{ "große Kunden 2024 [Große: Umsatz > 500]", ASK_ANSWER, "orders.revenue > 500" },
		{ "which big orders in 2024 [Big: revenue >= 5]", ASK_ANSWER, "orders.revenue >= 5" },
		{ "how many big customers [Big: age > 30]", ASK_ANSWER, "customers.age > 30" },
		{ "which big orders in 2024 [Big: revenue >= 1E3]", ASK_ANSWER, "orders.revenue >= 1000" },
		{ "which big orders in 2024 [Big: revenue >= -\u20ac 5]", ASK_CLARIFY, "Groups without any row" },
		{ "which big orders in 2024 [Big: revenue >= \u22125 EUR]", ASK_CLARIFY, "Groups without any row" },
		{ "große Kunden 2024 [Große: Umsatz > \u20ac 10.000]", ASK_ANSWER, "orders.revenue > 10000" },
		{ "big customers in 2024 [Big: revenue < 5]", ASK_CLARIFY, "Groups without any row" },
		{ "customers with revenue over $500 in 2024", ASK_CLARIFY, "in euros" },
		{ "customers with revenue over \u20ac500 in 2024", ASK_ANSWER, "orders.revenue > 500" },
		{ "customers with revenue over 1E3 in 2024", ASK_ANSWER, "orders.revenue > 1000" },
		{ "customers with revenue over -\u20ac5 in 2024", ASK_CLARIFY, "Groups without any row" },
		{ "customers with revenue over \u22125 euros in 2024", ASK_CLARIFY, "Groups without any row" },
		{ "Kunden mit einem Umsatz über \u20ac 10.000 in 2024", ASK_ANSWER, "orders.revenue > 10000" },
		{ "high-value customers in 2024 [High-value threshold: revenue > $1,000]", ASK_CLARIFY, "in euros" },
		{ "high-value customers in 2024 [High-value threshold: profit > 1000]", ASK_CLARIFY,
		    "\"profit\" is no column and no measure" },
		{ "how many old customers [old: customers older than 30]", ASK_ANSWER, "customers.age > 30" },
		{ "paid orders in 2024", ASK_ANSWER, "orders.status = 'paid'" },
		{ "how many high-value customers in 2024 [High-value: revenue > 1000]", ASK_REFUSE,
		    "only the list is answered: \"show high-value customers\"" },
		{ "revenue by country and number of customers by country in 2024", ASK_REFUSE,
		    "\"revenue by country\" and \"number of customers by country in 2024\"" },
		{ "amount of orders", ASK_REFUSE, "ask for what is measured or counted" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum ask_status status = ask(cases[i].question);

		if (status != cases[i].status || !says(what_is_said(), cases[i].says))
			fail_msg("%s: %d %.*s", cases[i].question, (int)status, SPAN_FMT(what_is_said()));
	}
	/* A measure is suggested where its condition is answered: for the list alone. */
	assert_int_equal(ask("high-value customers"), ASK_CLARIFY);
	assert_true(span_is_str(reading->questions[0].suggestions[0], "revenue > 1000"));
	assert_int_equal(ask("revenue from high-value customers in 2024"), ASK_CLARIFY);
	for (size_t i = 0; i < reading->questions[0].nsuggestions; i++)
		assert_false(span_is_str(reading->questions[0].suggestions[i], "revenue > 1000"));
}

/* What is suggested is understood when it comes back. */
static void
suggestions_are_answers(void **state)
{
	static const struct {
		const char *question, *suggested, *answered;
	} cases[] = {
		{ "recent orders", "last month", "recent orders [Time period: last month]" },
		{ "top 5 customers in 2024", "revenue", "top 5 customers in 2024 [Measure: revenue]" },
		{ "turnover for the board in 2024", "revenue", "turnover for the board in 2024 [Measure: revenue]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool suggested = false;

		assert_int_equal(ask(cases[i].question), ASK_CLARIFY);
		for (size_t k = 0; k < reading->questions[0].nsuggestions; k++)
			suggested |= span_is_str(reading->questions[0].suggestions[k], cases[i].suggested);
		if (!suggested || ask(cases[i].answered) != ASK_ANSWER)
			fail_msg("%s: %.*s", cases[i].question, SPAN_FMT(what_is_said()));
	}
	assert_int_equal(ask("turnover for the board in 2024 [Measure: average order]"), ASK_CLARIFY);
}

/* Only "open" and "open too" lead on: to a question that is answered in words of one's own. */
static int
read_open_only(const struct plan *p, struct span question, struct arena *a, struct ask_reading *out)
{
	(void)p;
	*out = (struct ask_reading){ .status = ASK_REFUSE, .message = SPAN("dead") };
	if (span_ends(question, "[Kind: open]") || span_ends(question, "[Kind: open too]")) {
		out->status = ASK_CLARIFY;
		out->nquestions = 1;
		out->questions[0] = (struct ask_clarification){ .question = SPAN("Since?"), .topic = SPAN("Since") };
	}
	return a == NULL ? -1 : 0;
}

static void
dead_suggestions_go_beside_open_ones(void **state)
{
	static const char *const shown[] = { "dead", "open", "dead too", "open too" };
	struct plan p = { .m = model, .c = &now, .a = arena, .out = reading };
	struct ask_clarification *q = &reading->questions[0];

	(void)state;
	*reading = (struct ask_reading){ .status = ASK_CLARIFY, .nquestions = 1 };
	q->topic = SPAN("Kind");
	q->assumption = SPAN("dead");
	for (q->nsuggestions = 0; q->nsuggestions < 4; q->nsuggestions++)
		q->suggestions[q->nsuggestions] = span_str(shown[q->nsuggestions]);
	suggestions_prove(&p, SPAN("old orders"), read_open_only);
	assert_int_equal(reading->status, ASK_CLARIFY);
	assert_int_equal(q->nsuggestions, 2);
	assert_true(span_is_str(q->suggestions[0], "open"));
	assert_true(span_is_str(q->suggestions[1], "open too"));
	assert_int_equal(q->assumption.len, 0);
}

/* A measure may be called as its source is; what stands between "how many" and the noun is read all the same. */
static void
count_called_as_its_source(void **state)
{
	static const char average[] = "{\"name\": \"average_order\"";
	static const struct {
		const char *question, *says;
	} cases[] = { { "how many orders in 2024", "orders.orders_n" },
		{ "how many paid orders in 2024", "orders.status = 'paid'" },
		{ "number of open orders by country in 2024", "orders.status = 'open'" } };
	const char *at = strstr(catalogue, average);
	struct buf text = { 0 };
	struct err err;

	(void)state;
	buf_printf(&text,
	    "%.*s{\"name\": \"orders_n\", \"expr\": \"count(*)\", \"aggregate\": \"count\", "
	    "\"additive\": \"full\", \"label\": \"Orders\"}, %s",
	    (int)(at - catalogue), catalogue, at);
	ask_model_free(model);
	model = read_catalogue(buf_cstr(&text), &err);
	buf_fini(&text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(ask(cases[i].question), ASK_ANSWER);
		assert_true(span_is_str(reading->queries[0].measures[0].expr, "orders.orders_n"));
		if (i > 0)
			assert_true(says(what_is_said(), cases[i].says));
	}
	assert_int_not_equal(ask("how many mauve orders in 2024"), ASK_ANSWER);
}

/* A measure that is called as the column it sums: the average is the column's. Any other has none. */
static void
average_of_a_summed_column(void **state)
{
	static const char average[] = "{\"name\": \"average_order\"", placed[] = "{\"name\": \"placed_on\"";
	static const char *const questions[] = { "average order amount in 2024", "average amount in 2024" };
	const char *measure = strstr(catalogue, average), *column = strstr(catalogue, placed);
	const char *rest = measure + sizeof(average) - 1;
	struct buf text = { 0 };
	struct err err;

	(void)state;
	buf_printf(&text,
	    "%.*s{\"name\": \"amounts\", \"expr\": \"sum(amount)\", \"aggregate\": \"sum\", \"column\": \"amount\", "
	    "\"additive\": \"full\", \"label\": \"Order amount\", \"synonyms\": [\"amount\", \"takings\"], "
	    "\"unit\": \"EUR\"}, {\"name\": \"basket\"%.*s{\"name\": \"amount\", \"type\": \"number\"}, %s",
	    (int)(measure - catalogue), catalogue, (int)(column - rest), rest, column);
	ask_model_free(model);
	model = read_catalogue(buf_cstr(&text), &err);
	buf_fini(&text);
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		assert_int_equal(ask(questions[i]), ASK_ANSWER);
		if (!span_is_str(reading->queries[0].measures[0].expr, "avg(orders.amount)") ||
		    !span_is_str(reading->queries[0].measures[0].unit, "EUR"))
			fail_msg("%s: %.*s", questions[i], SPAN_FMT(reading->queries[0].measures[0].expr));
	}
	assert_int_not_equal(ask("average takings in 2024"), ASK_ANSWER);
}

/* What is asked by is no value, and a refusal names the source that leads to both. */
static void
groups_out_of_reach(void **state)
{
	(void)state;
	assert_int_equal(ask("Umsatz nach Rasse 2024"), ASK_REFUSE);
	assert_true(says(reading->message, "\"Rasse\""));
	assert_int_equal(ask("number of customers by status"), ASK_REFUSE);
	assert_true(says(reading->message, "cannot be reached from customers"));
	assert_true(says(reading->message, "a measure of orders"));
}

/* highValueThreshold is money: of the only such measure or column of the entity, else the user is asked. */
static void
high_value_is_money(void **state)
{
	static const struct ask_threshold high = { SPAN("high value"), SPAN(">= 500") };
	static const char *const orders[] = { "order_id", NULL },
				 *const customers[] = { "customer_id", "balance", NULL };
	static const struct {
		const char *question;
		enum ask_status status;
		const char *says;
	} cases[] = { { "high-value customers in 2024", ASK_ANSWER, "orders.revenue >= 500" },
		{ "high-value orders in 2024", ASK_ANSWER, "orders.revenue >= 500" },
		{ "how many high-value orders in 2024", ASK_ANSWER, "orders.amount >= 500" },
		{ "how many high-value customers", ASK_REFUSE, "\"revenue >= 500\"" },
		{ "number of customers with high-value orders", ASK_REFUSE, "" },
		/* with a balance of customers */
		{ "high-value customers in 2024", ASK_CLARIFY, "\"high-value\" is >= 500: of what?" } };
	const struct ask_context asker = { .now = now.now, .preferences = { .nthresholds = 1, .thresholds = &high } };
	const size_t n = sizeof(cases) / sizeof(cases[0]);
	struct err err;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		if (i + 1 == n) {
			ask_model_free(model);
			model = read_with_numbers(orders, customers);
		}
		assert_int_equal(ask_read(model, &asker, span_str(cases[i].question), NULL, arena, reading, &err), 0);
		if (reading->status != cases[i].status || !says(what_is_said(), cases[i].says))
			fail_msg("%s: %d %.*s", cases[i].question, (int)reading->status, SPAN_FMT(what_is_said()));
		if (reading->status == ASK_ANSWER)
			assert_true(reading->ncaveats == 1 && says(reading->caveats[0], ">= 500 by your preferences"));
	}
	/* the customers' own number has no date, so that it answers nothing about 2024 */
	assert_int_equal(reading->questions[0].nsuggestions, 1);
	assert_true(span_is_str(reading->questions[0].suggestions[0], "revenue >= 500"));
}

/* A number alone is read in one way only, whatever its decimals; suggestions are written as the question is. */
static void
thresholds_are_written_in_a_language(void **state)
{
	static const char *const orders[] = { "order_id", NULL }, *const customers[] = { "balance", NULL };
	const char *const answered = "alte Kunden [alte: > 1.000,5]";
	struct ask_context asker = { .now = now.now };
	struct buf b = { 0 };
	struct mp_value v;
	struct err err;
	size_t at;

	(void)state;
	assert_int_equal(json_read(SPAN("{\"thresholds\": {\"old\": 1.125}}"), &b, &at), JSON_OK);
	assert_true(mp_value(buf_view(&b), &v));
	ask_preferences_read(arena, &v, &asker.preferences);
	assert_int_equal(ask_read(model, &asker, SPAN("how many old customers"), NULL, arena, reading, &err), 0);
	assert_true(says(what_is_said(), "customers.age >= 1.125"));
	buf_fini(&b);
	ask_model_free(model);
	model = read_with_numbers(orders, customers);
	assert_int_equal(ask(answered), ASK_CLARIFY);
	assert_true(span_is_str(reading->questions[0].suggestions[0], "balance > 1000,5"));
	/* What is suggested is read in one way only. */
	assert_int_equal(ask("how many old customers [old: > 1.2340]"), ASK_CLARIFY);
	assert_true(span_is_str(reading->questions[0].suggestions[0], "balance > 1.2340"));
	assert_int_equal(ask("how many old customers [old: balance > 1.2340]"), ASK_ANSWER);
	assert_true(says(what_is_said(), "balance > 1.234"));
}

static void
fiscal_year_is_said_to_be_preferred(void **state)
{
	struct ask_context asker = { .now = now.now, .preferences = { .fiscal_month = 7, .fiscal_day = 1 } };
	struct err err;

	(void)state;
	assert_int_equal(ask_read(model, &asker, SPAN("revenue in fiscal year 2024"), NULL, arena, reading, &err), 0);
	assert_int_equal(reading->status, ASK_ANSWER);
	assert_true(reading->ncaveats == 1 && says(reading->caveats[0], "begins on 2023-07-01, by your preferences"));
}

static void
probes_come_once(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(ask_read(model, &now, SPAN("revenue of Harrow Stores in 2024"), NULL, arena, reading, &err),
	    0);
	assert_int_equal(reading->status, ASK_PROBE);
	assert_true(span_is_str(reading->probes[0].text, "Harrow Stores"));
	assert_int_not_equal(ask("revenue of Harrow Stores in 2024"), ASK_PROBE);
}

static void
what_is_no_catalogue_is_refused(void **state)
{
	static const char *const texts[] = { "[]", "{\"sources\": [{}]}", "{\"sources\": [], "
	"\"nodes\": [{\"name\": \"a\", \"source\": 0}]}",
		"{\"sources\": [{\"name\": \"a\"}], \"nodes\": []}",
		"{\"sources\": [{\"name\": \"a\"}], \"nodes\": [{\"name\": \"a\", \"source\": 0, "
		"\"edges\": [{\"to\": 7}]}]}" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_null(read_catalogue(texts[i], &err));
}

/* SQLite keeps 'T' where a boolean is declared. */
static void
a_boolean_may_be_written_as_a_letter(void **state)
{
	static const struct {
		const char *question, *condition;
	} cases[] = {
		{ "how many vip customers", "lower(CAST(customers.is_vip AS text)) IN ('1', 't', 'true', 'y', 'yes')" },
		{ "how many customers are not vip",
		    "lower(CAST(customers.is_vip AS text)) IN ('0', 'f', 'false', 'n', 'no')" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(ask(cases[i].question), ASK_ANSWER);
		assert_int_equal(reading->queries[0].nfilters, 1);
		assert_true(span_is_str(reading->queries[0].filters[0].sql, cases[i].condition));
	}
}

static void
plurals_are_folded_lightly(void **state)
{
	size_t n;
	struct ask_token *t = ask_tokens(arena,
	    SPAN("countries boxes status Länder 10,000 what's O'Hara statuses houses movie movies"), false, 20, &n);

	(void)state;
	assert_int_equal(n, 12);
	assert_true(span_is(t[10].stem, t[11].stem));
	assert_true(span_is_str(t[8].stem, "status"));
	assert_true(span_is_str(t[9].stem, "house"));
	assert_true(span_is_str(t[0].stem, "country"));
	assert_true(span_is_str(t[1].stem, "box"));
	assert_true(span_is_str(t[2].stem, "status"));
	assert_true(span_is_str(t[3].german, "land"));
	assert_true(t[4].number);
	assert_true(span_is_str(t[5].folded, "what"));
	assert_int_equal(ask_distance(SPAN("revnue"), SPAN("revenue"), 2), 1);
	assert_int_equal(ask_distance(SPAN("abc"), SPAN("xyz"), 1), 2);
}

/* A singular may end like a plural does; both must come to one stem, and different words must not. */
static void
german_singulars_meet_their_plurals(void **state)
{
	static const char *const pairs[] = { "Station Stationen", "Region Regionen", "Preis Preise",
		"Ergebnis Ergebnisse",
		"Betreuer Betreuern", "Kunde Kunden", "Land Länder", "Rechnung Rechnungen", "Person Personen" };
	static const char *const others[] = { "Station Staat", "Preis Prämie", "Region Regel", "Bestand Bestellung" };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) + sizeof(others) / sizeof(others[0]); i++) {
		bool same = i < sizeof(pairs) / sizeof(pairs[0]);
		const char *text = same ? pairs[i] : others[i - sizeof(pairs) / sizeof(pairs[0])];
		size_t n = 0;
		struct ask_token *t = ask_tokens(arena, span_of(text, strlen(text)), false, 20, &n);

		assert_non_null(t);
		assert_int_equal(n, 2);
		if (span_is(t[0].german, t[1].german) != same)
			fail_msg("%s", text);
	}
}

/* Agents declare words of every kind that the model, its values, the language or the asker's preferences know. */
static const char *const seized[][2] = {
	{ "revenue", "orders.average_order" }, { "revenue in", "orders.average_order" },
	{ "turnover", "orders.average_order" }, { "turnover by country", "orders.average_order" },
	{ "Umsatz", "orders.average_order" }, { "country", "customers.name" }, { "by country", "customers.name" },
	{ "Land", "customers.name" }, { "Germany", "orders.status" }, { "from Germany", "orders.status" },
	{ "paid", "customers.is_vip" }, { "vip", "orders.status" }, { "last month", "orders.status" },
	{ "2024", "orders.status" }, { "in 2024", "orders.status" }, { "in", "orders.status" },
	{ "quarter", "orders.status" }, { "average", "orders.revenue" }, { "buyer", "customers.is_vip" },
	{ "big", "orders.status" }, { "big customers", "orders.status" }, { "sold", "orders.status" },
	{ "Norway", "orders.average_order" }, { "how many", "orders.revenue" }, { "why", "orders.revenue" },
	/* and words that nothing else knows */
	{ "profit", "orders.revenue" }, { "takings of the shop", "orders.revenue" },
	{ "land of origin", "customers.country" },
	{ "homeland", "customers.country" }, { "Erl\u00f6s", "orders.revenue" },
};

/* The model with these words of agents, and with a join of its own name; then without them. */
static struct ask_model *
read_words(bool agents)
{
	struct buf text = { 0 };
	struct ask_model *m;
	struct err err;

	buf_append(&text, catalogue, strlen(catalogue) - strlen("], \"words\": []}"));
	buf_str(&text,
	    ", {\"name\": \"buyer\", \"source\": 1, \"owner\": 0}], \"words\": ["
	    "{\"word\": \"sold\", \"kind\": \"measure\", \"means\": \"orders.revenue\", \"page\": \"mine\"}");
	for (size_t i = 0; agents && i < sizeof(seized) / sizeof(seized[0]); i++)
		buf_printf(&text, ", {\"word\": \"%s\", \"means\": \"%s\", \"page\": \"kept-%zu\", \"agent\": true}",
		    seized[i][0], seized[i][1], i);
	buf_str(&text, "]}");
	m = read_catalogue(buf_cstr(&text), &err);
	assert_non_null(m);
	buf_fini(&text);
	return m;
}

static void
words_of_agents_replace_no_meaning(void **state)
{
	static const char *const questions[] = { "revenue in 2024", "turnover by country last month",
		"Umsatz nach Land 2024", "orders from Germany in 2024", "paid orders in 2024",
		"how many vip customers", "revenue last quarter",
		"average order in 2024", "how many customers are there?", "sold in 2024", "revenue of Norway in 2024",
		"customers of the buyer", "revenue from big customers in 2024", "why did revenue drop in 2024",
		"which measures are there?", "what does turnover mean?" };
	static const struct ask_threshold big = { SPAN("big"), SPAN("customers.age >= 40") };
	const struct ask_context asker = { .now = now.now, .preferences = { .nthresholds = 1, .thresholds = &big } };
	static const struct ask_value values[] = { { SPAN("customers"), SPAN("country"), SPAN("Germany") },
		{ SPAN("customers"), SPAN("country"), SPAN("Norway") } };
	const struct ask_known known = { .nvalues = 2, .values = values };
	struct ask_model *plain = read_words(false), *seizing = read_words(true);
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		struct ask_reading *with = arena_alloc(arena, sizeof(*with));

		assert_int_equal(ask_read(plain, &asker, span_str(questions[i]), &known, arena, reading, &err), 0);
		assert_int_equal(ask_read(seizing, &asker, span_str(questions[i]), &known, arena, with, &err), 0);
		if (with->status != reading->status || !span_is(with->interpretation, reading->interpretation) ||
		    !span_is(with->message, reading->message) || with->ncaveats != reading->ncaveats)
			fail_msg("%s: %d %.*s, and with agents %d %.*s", questions[i], (int)reading->status,
			    SPAN_FMT(reading->interpretation), (int)with->status, SPAN_FMT(with->interpretation));
	}
	ask_model_free(plain);
	ask_model_free(seizing);
}

static void
words_of_agents_are_told(void **state)
{
	static const struct {
		const char *question, *page;
	} cases[] = { { "profit in 2024", "\"kept-25\"" }, { "revenue by homeland in 2024", "\"kept-28\"" },
		{ "Erl\xc3\xb6s nach Land im Jahr 2024", "\"kept-29\"" } };

	(void)state;
	ask_model_free(model);
	model = read_words(true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (ask(cases[i].question) != ASK_ANSWER || reading->ncaveats != 1)
			fail_msg("%s: %d %.*s", cases[i].question, (int)reading->status, SPAN_FMT(reading->message));
		assert_non_null(memmem(reading->caveats[0].p, reading->caveats[0].len, cases[i].page,
		    strlen(cases[i].page)));
	}
	/* It holds no word that the question needs otherwise, and it is no example. */
	assert_int_not_equal(ask("takings of the shop in 2024"), ASK_ANSWER);
	assert_int_not_equal(ask("revenue by land of origin in 2024"), ASK_ANSWER);
	for (size_t i = 0, n; i < 1; i++) {
		struct span texts[10];

		n = ask_examples(model, &now, 0, arena, texts, 10);
		assert_true(n > 0);
		while (n-- > 0)
			assert_null(memmem(texts[n].p, texts[n].len, "profit", 6));
	}
}

/* A model's meanings: of unknown words alone, said among the assumptions, and nothing else changes. */
static void
meanings_of_a_model(void **state)
{
#define MEANS(w, m) { .word = SPAN(w), .means = SPAN(m) }
	static const struct ask_meaning all[] = { MEANS("takings", "orders.revenue"), MEANS("patrons", "customers"),
		MEANS("homeland", "customers.country"), MEANS("revenue", "orders.average_order"),
		MEANS("country", "customers.name"), MEANS("2024", "orders.status"), MEANS("not", "customers"),
		MEANS("in", "customers.name"), MEANS("paid", "customers.is_vip"),
		{ SPAN("Teutons"), SPAN("customers.country"), SPAN("Germany") } };
#undef MEANS
	static const struct {
		const char *question, *same; /* same: in the catalogue's own words; NULL: it stays unread */
		size_t assumed;
	} cases[] = { { "takings in 2024", "revenue in 2024", 1 },
		{ "takings by homeland in 2024", "revenue by country in 2024", 2 },
		{ "how many patrons are there", "how many customers are there", 1 },
		{ "Wie viele patrons gibt es?", "Wie viele Kunden gibt es?", 1 },
		{ "revenue by country in 2024", "revenue by country in 2024", 0 },
		{ "paid orders in 2024", "paid orders in 2024", 0 },
		{ "takings for Teutons in 2024", "revenue for Germany in 2024", 2 },
		{ "takings of the bar in 2024", NULL, 0 }, { "takings flurbs in 2024", NULL, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ask_known known = { .nmeanings = sizeof(all) / sizeof(all[0]), .meanings = all };
		struct ask_reading *with = arena_alloc(arena, sizeof(*with));
		struct err err;

		for (unsigned round = 0; round < 4; round++) {
			assert_int_equal(ask_read(model, &now, span_str(cases[i].question), &known, arena, with, &err),
			    0);
			if (with->status != ASK_PROBE)
				break;
			known.probed = probed_after(&known, with);
			known.nprobed += with->nprobes;
		}
		if (cases[i].same == NULL) {
			assert_int_not_equal(with->status, ASK_ANSWER);
			continue;
		}
		assert_int_equal(ask(cases[i].same), ASK_ANSWER);
		if (with->status != ASK_ANSWER || with->nassumptions != reading->nassumptions + cases[i].assumed ||
		    !span_is(with->queries[0].measures[0].expr, reading->queries[0].measures[0].expr) ||
		    with->queries[0].ndimensions != reading->queries[0].ndimensions)
			fail_msg("%s: %d %.*s", cases[i].question, (int)with->status, SPAN_FMT(with->interpretation));
	}
}

/* Examples are about the year that they are given, and say several things in the plural. */
static void
examples_read_well(void **state)
{
	struct span texts[10];
	size_t n = ask_examples(model, &now, 2021, arena, texts, 10), plural = 0;

	(void)state;
	assert_true(n > 3);
	assert_true(span_is_str(ask_examples_date(model, arena), "orders.placed_on"));
	for (size_t i = 0; i < n; i++) {
		assert_false(says(texts[i], "last year"));
		plural += says(texts[i], "Top 3 statuses by revenue in 2021");
	}
	assert_int_equal(plural, 1);
}

/* One place that is asked for is shared by all that have its figure; a unit may be denied; long numbers are refused. */
static void
places_units_and_digits(void **state)
{
	(void)state;
	assert_int_equal(ask("country with the highest revenue in 2024"), ASK_ANSWER);
	assert_true(reading->queries[0].limit == 1 && reading->queries[0].ties);
	assert_int_equal(ask("top 3 countries by revenue in 2024"), ASK_ANSWER);
	assert_true(reading->queries[0].limit == 3 && !reading->queries[0].ties);
	assert_int_equal(ask_unit_of(arena, SPAN("EUROS, not cents")), ASK_EURO);
	assert_int_equal(ask_unit_of(arena, SPAN("euro cents")), ASK_CENTS);
	assert_int_equal(ask("customers with age over 123456789012345"), ASK_ANSWER);
	assert_int_not_equal(ask("customers with age over 1234567890123456789"), ASK_ANSWER);
}

/* A question without function words of its own language has the language of its nouns; units have none. */
static void
nouns_decide_a_language_in_doubt(void **state)
{
	static const struct {
		const char *question;
		bool german;
	} cases[] = { { "Umsatz", true }, { "Umsatz 2025 vs 2024", true }, { "Umsatz in Norway 2024", true },
		{ "Neukunden 2024", true }, { "Rechnungen in Berlin", true }, { "\u00e4ltester Hund", true },
		{ "Behandlungen 2018", true }, { "revenue", false }, { "revenue 2025 vs 2024", false },
		{ "meter reading in 2024", false }, { "revenue in K\u00f6ln", false }, { "Umsatz by country", false },
		{ "revenue nach Land", true } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)ask(cases[i].question);
		if (reading->german != cases[i].german)
			fail_msg("\"%s\" is read as %s", cases[i].question, reading->german ? "German" : "English");
	}
}

/* Questions back and refusals are in the language of the question, their suggestions and topics, too. */
static void
questions_back_are_in_the_language_of_the_question(void **state)
{
	static const struct {
		const char *english, *german;
	} says[] = {
#define SAYS(NAME, english, german) { english, german },
#include "ask/says.def"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++)
		for (char place[] = "{1}"; place[1] <= '9'; place[1]++)
			if ((strstr(says[i].english, place) == NULL) != (strstr(says[i].german, place) == NULL))
				fail_msg("%s: %s has another place", says[i].english, place);
	assert_int_equal(ask("Umsatz"), ASK_CLARIFY);
	assert_true(span_is_str(reading->questions[0].question, "Welcher Zeitraum ist gemeint?"));
	assert_true(span_is_str(reading->questions[0].topic, "Zeitraum"));
	for (size_t i = 0; i < reading->questions[0].nsuggestions; i++) {
		char text[64];

		snprintf(text, sizeof(text), "Umsatz [Zeitraum: %.*s]", SPAN_FMT(reading->questions[0].suggestions[i]));
		assert_int_equal(ask(text), ASK_ANSWER);
		(void)ask("Umsatz");
	}
	(void)ask("Warum ist der Umsatz gesunken?");
	assert_true(span_is_str(reading->message,
	    "\"Warum\": Dar\u00fcber sagen weder die Daten noch die semantische Schicht etwas."));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_word_of_an_answer_is_consumed, begin, end),
		cmocka_unit_test_setup_teardown(what_has_no_meaning_is_never_passed_over, begin, end),
		cmocka_unit_test_setup_teardown(windows_are_half_open, begin, end),
		cmocka_unit_test_setup_teardown(answers_to_questions_back_are_understood, begin, end),
		cmocka_unit_test_setup_teardown(thresholds_on_measures, begin_with_keys, end),
		cmocka_unit_test_setup_teardown(thresholds_are_written_in_a_language, begin_with_keys, end),
		cmocka_unit_test_setup_teardown(suggestions_are_answers, begin_with_keys, end),
		cmocka_unit_test_setup_teardown(dead_suggestions_go_beside_open_ones, begin, end),
		cmocka_unit_test_setup_teardown(count_called_as_its_source, begin, end),
		cmocka_unit_test_setup_teardown(average_of_a_summed_column, begin, end),
		cmocka_unit_test_setup_teardown(groups_out_of_reach, begin, end),
		cmocka_unit_test_setup_teardown(examples_read_well, begin, end),
		cmocka_unit_test_setup_teardown(high_value_is_money, begin_with_keys, end),
		cmocka_unit_test_setup_teardown(fiscal_year_is_said_to_be_preferred, begin, end),
		cmocka_unit_test_setup_teardown(probes_come_once, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_catalogue_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(a_boolean_may_be_written_as_a_letter, begin, end),
		cmocka_unit_test_setup_teardown(plurals_are_folded_lightly, begin, end),
		cmocka_unit_test_setup_teardown(german_singulars_meet_their_plurals, begin, end),
		cmocka_unit_test_setup_teardown(words_of_agents_replace_no_meaning, begin, end),
		cmocka_unit_test_setup_teardown(words_of_agents_are_told, begin, end),
		cmocka_unit_test_setup_teardown(meanings_of_a_model, begin, end),
		cmocka_unit_test_setup_teardown(places_units_and_digits, begin, end),
		cmocka_unit_test_setup_teardown(listed_keys_are_keys, begin_with_keys, end),
		cmocka_unit_test_setup_teardown(rows_behind_an_alias_are_named, begin, end),
		cmocka_unit_test_setup_teardown(nouns_decide_a_language_in_doubt, begin, end),
		cmocka_unit_test_setup_teardown(questions_back_are_in_the_language_of_the_question, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
