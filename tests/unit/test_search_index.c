// libs: carrel_search carrel_base
/* test_search_index.c - segments, their merging, and what a question finds in them in which order. */
#include "tests/unit/harness.h"

#include <stdio.h>
#include <stdlib.h>

#include "workers/search/rank/rank.h"
#include "workers/search/index/tiers.h"
#include "workers/search/rank/matched.h"
#include "workers/search/rank/question.h"
#include "workers/search/index/builder.h"
#include "workers/search/index/builder_finish.h"

/* A shelf whose documents are called by a table in the test. */
struct toy {
	struct shelf	 shelf;
	const char	*names[64];	/* by item */
};

static struct vocab *v;
static struct arena *a;
static bool with_families;

static void
toy_name(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out)
{
	buf_str(out, ((const struct toy *)shelf)->names[s->item[doc]]);
}

static void
toy_id(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out)
{
	if (s->parent[doc] != doc) {
		toy_name(shelf, s, s->parent[doc], out);
		buf_byte(out, '.');
	}
	toy_name(shelf, s, doc, out);
}

static const struct shelf_ops toy_ops = { .name = toy_name, .id = toy_id };

/* One document as a test writes it down. */
struct doc {
	enum kind	 kind;
	bool		 child;
	const char	*name, *description, *body;
};

static struct segment *
build(struct toy *toy, const struct doc *docs, size_t n, bool forward)
{
	struct builder *b = builder_new(v, forward);
	uint32_t parent = VOCAB_NONE, doc;
	struct segment *s;

	toy->shelf.ops = &toy_ops;
	for (uint32_t i = 0; i < n; i++) {
		toy->names[i] = docs[i].name;
		doc = builder_doc(b, docs[i].kind, docs[i].child ? parent : VOCAB_NONE, i);
		if (!docs[i].child)
			parent = doc;
		builder_text(b, FIELD_NAME, span_str(docs[i].name));
		builder_text(b, FIELD_DESCRIPTION, span_str(docs[i].description));
		builder_text(b, FIELD_BODY, span_str(docs[i].body));
		if (with_families && docs[i].child && (i + 1 == n || !docs[i + 1].child))
			builder_family(b, parent);
	}
	s = builder_finish(b);
	builder_free(b);
	return s;
}

static struct question q;
static struct match_result result;
static struct ranked ranked[50];

/* The ids found, best first, joined by blanks. */
static const char *
ask(const char *text, const struct part *parts, size_t nparts, unsigned kinds)
{
	static struct buf b;
	uint64_t ndocs = 0;
	size_t n;

	for (size_t i = 0; i < nparts; i++)
		ndocs += parts[i].segment->nlive;
	arena_reset(a);
	question_read(&q, v, a, span_str(text), parts, nparts, kinds, ndocs);
	match(&q, parts, nparts, kinds, MATCH_HITS_MAX, true, &result);
	n = rank_answers(a, &q, span_str(text), parts, kinds, &result, 50, ranked);
	b.len = 0;
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? " " : "", SPAN_FMT(ranked[i].id));
	return buf_cstr(&b);
}

static int
set_up(void **state)
{
	(void)state;
	v = vocab_new();
	a = arena_new(16 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	vocab_free(v);
	arena_free(a);
	return 0;
}

static const struct doc shop[] = {
	{ KIND_TABLE, false, "orders", "one row per order", NULL },
	{ KIND_COLUMN, true, "id", NULL, NULL },
	{ KIND_COLUMN, true, "customer_id", NULL, NULL },
	{ KIND_COLUMN, true, "amount", "total in euros", NULL },
	{ KIND_TABLE, false, "customers", "people who buy", NULL },
	{ KIND_COLUMN, true, "id", NULL, NULL },
	{ KIND_COLUMN, true, "amount", "credit limit", NULL },
	{ KIND_WIKI, false, "refund-policy", "when money goes back", "Customers may return an order within 30 days." },
	{ KIND_SL_SOURCE, false, "orders", NULL, NULL },
	{ KIND_SL_MEASURE, true, "total_revenue", "what we earn", NULL },
	{ KIND_SL_DIMENSION, true, "orderDate", NULL, NULL },
};
#define SHOP	(sizeof(shop) / sizeof(shop[0]))

static void
identifiers_find_each_other(void **state)
{
	static const char *const ways[] = {
		"customer_id", "customerId", "Customer ID", "customerid", "CUSTOMER-IDS", "the customer id"
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, shop, SHOP, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strncmp(ask(ways[i], &part, 1, KINDS_ALL), "orders.customer_id", 18) != 0)
			fail_msg("%s finds %s", ways[i], ask(ways[i], &part, 1, KINDS_ALL));
	segment_free(s, v);
}

static void
a_child_is_found_through_its_parent(void **state)
{
	struct toy toy = { 0 };
	struct segment *s = build(&toy, shop, SHOP, false);
	struct part part = { s, &toy.shelf };
	const char *found;

	(void)state;
	found = ask("orders amount", &part, 1, KIND_BIT(KIND_COLUMN));
	assert_int_equal(strncmp(found, "orders.amount", 13), 0);
	assert_int_equal(match_field(&q, s, ranked[0].doc), FIELD_DISPLAY);
	found = ask("customers amount", &part, 1, KIND_BIT(KIND_COLUMN));
	assert_int_equal(strncmp(found, "customers.amount", 16), 0);
	/* All columns of a table answer to its name; ties go by id. */
	assert_string_equal(ask("customers", &part, 1, KIND_BIT(KIND_COLUMN)),
	    "orders.customer_id customers.amount customers.id");
	assert_string_equal(ask("orders revenue", &part, 1, KIND_BIT(KIND_SL_MEASURE)), "orders.total_revenue");
	segment_free(s, v);
}

static void
kinds_take_part_or_not(void **state)
{
	struct toy toy = { 0 };
	struct segment *s = build(&toy, shop, SHOP, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_string_equal(ask("orders", &part, 1, KIND_BIT(KIND_TABLE)), "orders");
	assert_int_equal(ranked[0].kind, KIND_TABLE);
	assert_string_equal(ask("orders", &part, 1, KIND_BIT(KIND_WIKI)), "refund-policy");
	assert_string_equal(ask("orders", &part, 1, 0), "");
	segment_free(s, v);
}

/* What matches equally well comes in the order of the kinds. */
static void
equals_are_ordered_by_kind(void **state)
{
	static const struct doc docs[] = {
		{ KIND_COLUMN, false, "revenue", NULL, NULL }, { KIND_TABLE, false, "revenue", NULL, NULL },
		{ KIND_SL_DIMENSION, false, "revenue", NULL, NULL }, { KIND_SL_MEASURE, false, "revenue", NULL, NULL },
		{ KIND_SL_SOURCE, false, "revenue", NULL, NULL }, { KIND_WIKI, false, "revenue", NULL, NULL },
	};
	static const enum kind order[] = {
		KIND_WIKI, KIND_SL_SOURCE, KIND_SL_MEASURE, KIND_SL_DIMENSION, KIND_TABLE, KIND_COLUMN
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, 6, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	ask("revenue", &part, 1, KINDS_ALL);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(ranked[i].kind, order[i]);
	segment_free(s, v);
}

static void
misspellings_are_forgiven(void **state)
{
	struct toy toy = { 0 };
	struct segment *s = build(&toy, shop, SHOP, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_string_equal(ask("cutsomers", &part, 1, KIND_BIT(KIND_TABLE)), "customers");
	assert_int_equal(match_found_by(&q, s, ranked[0].doc), MATCH_IN(MATCH_FUZZY));
	assert_string_equal(ask("customers", &part, 1, KIND_BIT(KIND_TABLE)), "customers");
	assert_int_equal(match_found_by(&q, s, ranked[0].doc), MATCH_IN(MATCH_LEXICAL));
	assert_int_equal(strncmp(ask("refnud polcy", &part, 1, KINDS_ALL), "refund-policy", 13), 0);
	assert_int_equal(strncmp(ask("rfnd plcy", &part, 1, KINDS_ALL), "refund-policy", 13), 0);
	segment_free(s, v);
}

/* The German word for a material's number is that of an article's first of all. */
static void
german_words_are_their_parts(void **state)
{
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "COUNTS", "number of things, numbers of counts", NULL },
		{ KIND_COLUMN, true, "COUNTED", NULL, NULL },
		{ KIND_TABLE, false, "INVLIN", NULL, NULL },
		{ KIND_COLUMN, true, "ITMNO", NULL, NULL },
		{ KIND_COLUMN, true, "INVAMT", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_int_equal(strncmp(ask("Artikelnummer", &part, 1, KINDS_ALL), "INVLIN.ITMNO", 12), 0);
	assert_int_equal(strncmp(ask("Artikelnummern", &part, 1, KINDS_ALL), "INVLIN.ITMNO", 12), 0);
	segment_free(s, v);
}

/* What comes apart into words may all the same be a name with two letters swapped, or one missing. */
static void
misspellings_that_come_apart_are_forgiven(void **state)
{
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "PADECK", "covers", NULL },
		{ KIND_COLUMN, true, "RSKNR", NULL, NULL },
		{ KIND_TABLE, false, "PARISK", "what is insured", NULL },
		{ KIND_COLUMN, true, "started_on", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_int_equal(strncmp(ask("aprisk", &part, 1, KINDS_ALL), "PARISK", 6), 0);
	if (strncmp(ask("tsarted on", &part, 1, KINDS_ALL), "PARISK.started_on", 17) != 0)
		fail_msg("%s", ask("tsarted on", &part, 1, KINDS_ALL));
	assert_int_equal(strncmp(ask("startd on", &part, 1, KINDS_ALL), "PARISK.started_on", 17), 0);
	segment_free(s, v);
}

static void
nothing_asked_or_nothing_there_finds_nothing(void **state)
{
	static const char *const rows[] = { "", "   ", "?!,.;", "xyzzy", "xyzzy plugh qwertz" };
	struct toy toy = { 0 };
	struct segment *s = build(&toy, shop, SHOP, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ask(rows[i], &part, 1, KINDS_ALL)[0] != '\0')
			fail_msg("\"%s\" finds %s", rows[i], ask(rows[i], &part, 1, KINDS_ALL));
	assert_string_equal(ask("orders", NULL, 0, KINDS_ALL), "");
	segment_free(s, v);
}

static void
stray_words_do_not_enter(void **state)
{
	static const struct doc docs[] = {
		{ KIND_WIKI, false, "revenue-by-region", "monthly revenue of each region", "The revenue per region and month." },
		{ KIND_WIKI, false, "office-plants", "who waters them", "Each month somebody else by the list of the office." },
		{ KIND_WIKI, false, "holidays", NULL, "What is closed in which region." },
		{ KIND_WIKI, false, "revenue", "what we earn", NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, 4, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_string_equal(ask("monthly revenue by region", &part, 1, KINDS_ALL), "revenue-by-region revenue");
	/* Words that carry nothing find nothing next to one that does. */
	assert_string_equal(ask("what is the xyzzy of each", &part, 1, KINDS_ALL), "");
	segment_free(s, v);
}

/* One name of a long question's seven is no stray word, though beside six of them; one in a text is. */
static void
a_word_of_a_long_question_is_not_stray(void **state)
{
	static const struct doc docs[] = {
		{ KIND_WIKI, false, "voyage-harbour-captain-cargo-anchor-sailor", NULL, NULL },
		{ KIND_WIKI, false, "lighthouse", NULL, NULL },
		{ KIND_WIKI, false, "holidays", NULL, "What the lighthouse is closed for." },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, 3, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_string_equal(ask("voyage harbour captain cargo anchor sailor lighthouse", &part, 1, KINDS_ALL),
	    "voyage-harbour-captain-cargo-anchor-sailor lighthouse");
	segment_free(s, v);
}

/* Each word stands in another column: only all of them together tell which table is meant. */
static void
a_table_is_what_its_columns_say(void **state)
{
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "t1", NULL, NULL },
		{ KIND_COLUMN, true, "voyage", NULL, NULL }, { KIND_COLUMN, true, "harbour", NULL, NULL },
		{ KIND_TABLE, false, "t2", NULL, NULL },
		{ KIND_COLUMN, true, "voyage", NULL, NULL }, { KIND_COLUMN, true, "captain", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s;
	struct part part;

	(void)state;
	with_families = true;
	s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	with_families = false;
	part = (struct part){ s, &toy.shelf };
	assert_string_equal(ask("voyage of a captain", &part, 1, KIND_BIT(KIND_TABLE)), "t2 t1");
	assert_string_equal(ask("harbour of a voyage", &part, 1, KIND_BIT(KIND_TABLE)), "t1 t2");
	/* A column knows its table. */
	assert_int_equal(strncmp(ask("captain voyage", &part, 1, KIND_BIT(KIND_COLUMN)), "t2.", 3), 0);
	segment_free(s, v);
}

/* Words of asking, a value and a word nobody knows take nothing from the subject. */
static void
what_is_unknown_empties_nothing(void **state)
{
	static const char *const ways[] = {
		"captain", "return the top 5 by total number of captain", "captain named Xyzzy Plugh in QWERTZ",
		"what is the total number of each captain showing zorkmids",
	};
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "ships", NULL, NULL }, { KIND_COLUMN, true, "captain", NULL, NULL },
		{ KIND_TABLE, false, "statistics", NULL, NULL }, { KIND_COLUMN, true, "number", NULL, NULL },
		{ KIND_COLUMN, true, "of", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strncmp(ask(ways[i], &part, 1, KINDS_ALL), "ships.captain", 13) != 0)
			fail_msg("%s finds %s", ways[i], ask(ways[i], &part, 1, KINDS_ALL));
	segment_free(s, v);
}

static void
scores_are_fused_and_normalised(void **state)
{
	struct toy toy = { 0 };
	struct segment *s = build(&toy, shop, SHOP, false);
	struct part part = { s, &toy.shelf };
	const double expect[] = { 1.0, 0.983871, 0.968254 };

	(void)state;
	ask("customers", &part, 1, KIND_BIT(KIND_COLUMN));
	for (size_t i = 0; i < 3; i++)
		assert_true(ranked[i].score > expect[i] - 1e-9 && ranked[i].score < expect[i] + 1e-9);
	segment_free(s, v);
}

/* A name that is exactly what was asked goes before one that says it twice. */
static void
exact_names_come_first(void **state)
{
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "order_order_items", "orders and orders of order items", NULL },
		{ KIND_TABLE, false, "orders_archive", NULL, NULL },
		{ KIND_TABLE, false, "orders", NULL, NULL },
		{ KIND_TABLE, false, "order_items", NULL, NULL },
		{ KIND_TABLE, false, "item_orders", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, 5, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_int_equal(strncmp(ask("orders", &part, 1, KINDS_ALL), "orders ", 7), 0);
	assert_int_equal(strncmp(ask("order items", &part, 1, KINDS_ALL), "order_items ", 12), 0);
	assert_int_equal(strncmp(ask("order_item", &part, 1, KINDS_ALL), "order_items ", 12), 0);
	segment_free(s, v);
}

/* What is to be done with the answers of a long question is not what it is about, nor is a number. */
static void
words_of_asking_are_no_subject(void **state)
{
	static const char *const ways[] = {
		"what is the total number of publications in each journal, ordered by the number in descending order",
		"return the top 30 journals with the highest number of publications, sorted in ascending order",
		"zeige die publications je journal, sortiert nach number of publications absteigend",
	};
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "orders", "orders, one row per ordered item", NULL },
		{ KIND_COLUMN, true, "order_number", "number in ascending order", NULL },
		{ KIND_COLUMN, true, "total_number_sorted", "total number, descending", NULL },
		{ KIND_COLUMN, true, "last_30_days", "highest of the last 30 days", NULL },
		{ KIND_TABLE, false, "publication", NULL, NULL },
		{ KIND_COLUMN, true, "journal", NULL, NULL },
		{ KIND_TABLE, false, "publication_keyword", NULL, NULL },
		{ KIND_COLUMN, true, "publication_id", NULL, NULL },
		{ KIND_TABLE, false, "journal", NULL, NULL },
		{ KIND_COLUMN, true, "journal_id", NULL, NULL },
		{ KIND_TABLE, false, "domain_journal", NULL, NULL },
		{ KIND_COLUMN, true, "journal_id", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strncmp(ask(ways[i], &part, 1, KINDS_ALL), "publication", 11) != 0 &&
		    strncmp(ask(ways[i], &part, 1, KINDS_ALL), "journal", 7) != 0)
			fail_msg("%s finds %s", ways[i], ask(ways[i], &part, 1, KINDS_ALL));
	/* Of a short one they are what it asks for. */
	assert_int_equal(strncmp(ask("order number", &part, 1, KINDS_ALL), "orders.order_number", 19), 0);
	assert_int_equal(strncmp(ask("last 30 days", &part, 1, KINDS_ALL), "orders.last_30_days", 19), 0);
	segment_free(s, v);
}

/* What it is said outright to be called, and whose to be, goes before a name that holds all of it. */
static void
whose_it_is_comes_first(void **state)
{
	static const char *const ways[] = {
		"orders.id", "ORDERS.ID", "id of the order", "ids of orders", "id in orders", "id in the table orders"
	};
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "order_items", NULL, NULL },
		{ KIND_COLUMN, true, "orders_position", NULL, NULL },
		{ KIND_COLUMN, true, "orders_ids_of_items", NULL, NULL },
		{ KIND_TABLE, false, "payments", NULL, NULL },
		{ KIND_COLUMN, true, "orders_ids", "orders by their id", NULL },
		{ KIND_TABLE, false, "orders", NULL, NULL },
		{ KIND_COLUMN, true, "id", NULL, NULL },
		{ KIND_COLUMN, true, "status", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strncmp(ask(ways[i], &part, 1, KINDS_ALL), "orders.id ", 10) != 0)
			fail_msg("%s finds %s", ways[i], ask(ways[i], &part, 1, KINDS_ALL));
	segment_free(s, v);
}

/* Names that say nothing have comments that do; a column that has nothing else is none of it. */
static void
whose_it_is_may_be_said_about_it(void **state)
{
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "PTADR", "addresses", NULL },
		{ KIND_COLUMN, true, "CHGDAT", NULL, NULL },
		{ KIND_TABLE, false, "PTBANK", "bank accounts", NULL },
		{ KIND_COLUMN, true, "XQMAND", NULL, NULL },
		{ KIND_COLUMN, true, "CHGDAT", NULL, NULL },
		{ KIND_TABLE, false, "XQHEAD", "claims", NULL },
		{ KIND_COLUMN, true, "CHGDAT", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_int_equal(strncmp(ask("change date of a bank account", &part, 1, KIND_BIT(KIND_COLUMN)),
			     "PTBANK.CHGDAT ", 14),
	    0);
	assert_int_equal(strncmp(ask("claims change date", &part, 1, KIND_BIT(KIND_COLUMN)), "XQHEAD.CHGDAT ", 14), 0);
	assert_string_equal(ask("claims", &part, 1, KINDS_ALL), "XQHEAD");
	segment_free(s, v);
}

/* The same where names are only short for the words. */
static void
whose_it_is_may_be_meant(void **state)
{
	static const char *const ways[] = { "status of the customer", "customer status", "status customer" };
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "ORDHDR", NULL, NULL },
		{ KIND_COLUMN, true, "CUSSTS", "customer status at the time of the order", NULL },
		{ KIND_TABLE, false, "CUSTADR", "customer addresses and their status", NULL },
		{ KIND_COLUMN, true, "STS", NULL, NULL },
		{ KIND_TABLE, false, "CSTMR", NULL, NULL },
		{ KIND_COLUMN, true, "STS", NULL, NULL },
		{ KIND_COLUMN, true, "CUSNO", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const char *found = ask(ways[i], &part, 1, KIND_BIT(KIND_COLUMN)), *mine = strstr(found, "CSTMR.STS");

		if (mine == NULL || mine > strstr(found, "CUSTADR.STS"))
			fail_msg("%s finds %s", ways[i], found);
		if (i == 0 && mine != found)
			fail_msg("%s finds %s", ways[i], found);
	}
	assert_int_equal(q.nowned, 2);
	segment_free(s, v);
}

/* 600 documents of 200 names, some with another name or a comment behind it. */
static struct segment *
build_names(bool known)
{
	struct builder *b = builder_new(v, false);
	struct segment *s;

	for (uint32_t i = 0; i < 600; i++) {
		uint32_t key = i * 7 % 200;
		char name[60];

		builder_doc(b, KIND_COLUMN, VOCAB_NONE, i);
		snprintf(name, sizeof(name), "customer_order_%c%c_total", (int)('a' + key % 20), (int)('a' + key / 20));
		if (known)
			builder_name(b, key, span_str(name));
		else
			builder_text(b, FIELD_NAME, span_str(name));
		if (i % 3 == 0)
			builder_text(b, FIELD_NAME, span_str(i % 2 == 0 ? name : "invoice line amount"));
		if (i % 5 == 0)
			builder_text(b, FIELD_COMMENT, SPAN("the total of all orders a customer has"));
	}
	s = builder_finish(b);
	builder_free(b);
	return s;
}

/* A name taken apart once gives every document what taking it apart there would. */
static void
known_names_are_those_taken_apart(void **state)
{
	struct segment *plain = build_names(false), *known = build_names(true);
	size_t n = plain->starts[plain->nterms];

	(void)state;
	assert_int_equal(known->nterms, plain->nterms);
	assert_memory_equal(known->terms, plain->terms, plain->nterms * sizeof(*plain->terms));
	assert_memory_equal(known->starts, plain->starts, (plain->nterms + 1) * sizeof(*plain->starts));
	assert_memory_equal(known->docs, plain->docs, n * sizeof(*plain->docs));
	assert_memory_equal(known->weights, plain->weights, n);
	assert_memory_equal(known->masks, plain->masks, n);
	segment_free(plain, v);
	segment_free(known, v);
}

/* The best hits found by passing over postings are those found by looking at all of them. */
static void
nothing_is_lost_by_passing_over(void **state)
{
	enum { DOCS = 6000, WORDS = 40 };
	static struct match_result all, best;
	static char text[200];
	struct builder *b = builder_new(v, false);
	uint64_t seed = 3;
	uint32_t parent = VOCAB_NONE;
	struct segment *s;
	struct part part;

	(void)state;
	for (uint32_t i = 0; i < DOCS; i++) {
		bool child = parent != VOCAB_NONE && test_random(&seed) % 8 != 0;
		uint32_t doc = builder_doc(b, child ? KIND_COLUMN : KIND_TABLE, child ? parent : VOCAB_NONE, i);

		parent = child ? parent : doc;
		for (unsigned f = 0; f < 3; f++) {
			size_t at = 0, n = test_random(&seed) % 4;

			text[0] = '\0';
			while (n-- > 0)
				/* Few words are everywhere, most are rare. */
				at += (size_t)snprintf(text + at, sizeof(text) - at, "%c%c ", 'a',
				    (int)('a' + (test_random(&seed) % 26) * (test_random(&seed) % 26) / 26));
			builder_text(b, f == 0 ? FIELD_NAME : f == 1 ? FIELD_DISPLAY : FIELD_COMMENT, span_str(text));
		}
	}
	s = builder_finish(b);
	builder_free(b);
	part = (struct part){ s, NULL };
	for (unsigned round = 0; round < 300; round++) {
		static const unsigned kinds[] = { KINDS_ALL, KIND_BIT(KIND_COLUMN), KIND_BIT(KIND_TABLE) };
		size_t at = 0, n = 1 + test_random(&seed) % 4;

		while (n-- > 0)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "a%c ",
			    (int)('a' + test_random(&seed) % 26));
		question_read(&q, v, a, span_str(text), &part, 1, kinds[round % 3], s->nlive);
		match(&q, &part, 1, kinds[round % 3], 20, true, &all);
		match(&q, &part, 1, kinds[round % 3], 20, false, &best);
		assert_int_equal(all.lists[MATCH_LEXICAL].n, best.lists[MATCH_LEXICAL].n);
		for (size_t i = 0; i < all.lists[MATCH_LEXICAL].n; i++) {
			bool found = false;

			for (size_t k = 0; k < best.lists[MATCH_LEXICAL].n && !found; k++)
				found = all.lists[MATCH_LEXICAL].v[i].doc == best.lists[MATCH_LEXICAL].v[k].doc &&
				    memcmp(&all.lists[MATCH_LEXICAL].v[i].score, &best.lists[MATCH_LEXICAL].v[k].score,
					sizeof(float)) == 0;
			if (!found)
				fail_msg("\"%s\": document %u is missing", text, all.lists[MATCH_LEXICAL].v[i].doc);
		}
		arena_reset(a);
	}
	segment_free(s, v);
}

/* --- changing ---------------------------------------------------------------------------- */

static void
put(struct tiers *t, uint32_t unit, const char *name, const char *body)
{
	struct builder *b = tiers_put(t, unit);
	uint32_t doc = builder_doc(b, KIND_WIKI, VOCAB_NONE, unit);

	builder_text(b, FIELD_NAME, span_str(name));
	builder_text(b, FIELD_BODY, span_str(body));
	builder_doc(b, KIND_SL_MEASURE, doc, unit);
	builder_text(b, FIELD_NAME, SPAN("child"));
	builder_close(b);
}

static uint32_t
documents(const char *word)
{
	uint32_t t = vocab_find(v, span_str(word));

	return t == VOCAB_NONE ? 0 : vocab_documents(v, t);
}

static void
units_change_alone(void **state)
{
	struct tiers t;

	(void)state;
	tiers_init(&t, v);
	put(&t, 0, "alpha", "first text");
	put(&t, 1, "beta", "second text");
	assert_int_equal(documents("text"), 0);
	tiers_commit(&t);
	assert_int_equal(documents("text"), 2);
	assert_int_equal(tiers_documents(&t), 4);
	put(&t, 0, "alpha", "third version");
	tiers_commit(&t);
	assert_int_equal(documents("text"), 1);
	assert_int_equal(documents("first"), 0);
	assert_int_equal(documents("child"), 2);
	/* Twice before a commit: the last one counts, once. */
	put(&t, 0, "alpha", "fourth");
	put(&t, 0, "alpha", "fifth");
	tiers_commit(&t);
	assert_int_equal(documents("alpha"), 1);
	assert_int_equal(documents("fourth"), 0);
	tiers_remove(&t, 1);
	tiers_remove(&t, 1);
	tiers_remove(&t, 99);
	tiers_commit(&t);
	assert_int_equal(documents("beta") + documents("second"), 0);
	assert_int_equal(tiers_documents(&t), 2);
	tiers_fini(&t);
	assert_int_equal(documents("alpha"), 0);
}

static void
many_changes_stay_few_segments(void **state)
{
	struct tiers t;
	uint64_t seed = 7;
	char name[32];

	(void)state;
	tiers_init(&t, v);
	for (unsigned i = 0; i < 2000; i++) {
		uint32_t unit = (uint32_t)(test_random(&seed) % 300);

		snprintf(name, sizeof(name), "page%u", unit);
		if (test_random(&seed) % 4 == 0)
			tiers_remove(&t, unit);
		else
			put(&t, unit, name, "common words in it");
		tiers_commit(&t);
		assert_true(t.n <= 12);
	}
	for (uint32_t unit = 0; unit < 300; unit++) {
		struct tier_place p = t.places[unit];

		snprintf(name, sizeof(name), "page%u", unit);
		assert_int_equal(p.segment != NULL,
		    vocab_find_exact(v, span_str(name)) != VOCAB_NONE &&
			vocab_documents(v, vocab_find(v, SPAN("page"))) > 0 && p.segment != NULL);
		if (p.segment != NULL)
			assert_int_equal(p.segment->item[p.doc], unit);
	}
	assert_int_equal(documents("common") * 2, tiers_documents(&t));
	tiers_fini(&t);
	assert_int_equal(documents("common"), 0);
}

/* However it came about, the same documents give the same answer. */
static void
history_does_not_change_answers(void **state)
{
	static const char *const names[] = { "alpha revenue", "beta revenue", "gamma revenue orders", "orders",
		"delta" };
	struct toy toy = { .shelf = { .ops = &toy_ops } };
	struct tiers once, often;
	struct part parts[16];
	char first[256];

	(void)state;
	for (size_t i = 0; i < 5; i++)
		toy.names[i] = names[i];
	tiers_init(&once, v);
	for (uint32_t i = 0; i < 5; i++)
		put(&once, i, names[i], "revenue of orders");
	tiers_commit(&once);
	parts[0] = (struct part){ once.segments[0], &toy.shelf };
	snprintf(first, sizeof(first), "%s", ask("revenue orders", parts, once.n, KIND_BIT(KIND_WIKI)));
	tiers_fini(&once);

	tiers_init(&often, v);
	for (uint32_t round = 0; round < 20; round++) {
		put(&often, (4 - round % 5), names[4 - round % 5], round < 15 ? "something else" : "revenue of orders");
		tiers_commit(&often);
	}
	for (size_t i = 0; i < often.n; i++)
		parts[i] = (struct part){ often.segments[i], &toy.shelf };
	assert_string_equal(ask("revenue orders", parts, often.n, KIND_BIT(KIND_WIKI)), first);
	tiers_fini(&often);
}

/* A verb and what belongs to it, in any form, with what it is about between them. */
static void
verbs_of_two_words_are_found_apart(void **state)
{
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "clothes", NULL, NULL },
		{ KIND_TABLE, false, "returns", NULL, NULL },
		{ KIND_TABLE, false, "newsletters", NULL, NULL },
	};
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, sizeof(docs) / sizeof(docs[0]), false);
	struct part part = { s, &toy.shelf };

	(void)state;
	assert_string_equal(ask("what do they send back", &part, 1, KINDS_ALL), "returns");
	assert_string_equal(ask("who sent something back", &part, 1, KINDS_ALL), "returns");
	assert_string_equal(ask("do they send gloves back", &part, 1, KINDS_ALL), "returns");
	assert_string_equal(ask("who sends gloves of many sizes back", &part, 1, KINDS_ALL), "");
	segment_free(s, v);
}

/* The forms of a word, irregular ones too, are the word itself; what means the same is not. */
static void
only_forms_are_the_word_itself(void **state)
{
	static const struct doc docs[] = {
		{ KIND_TABLE, false, "buy purchase procurement", NULL, NULL }, { KIND_TABLE, false, "sell sale", NULL, NULL },
		{ KIND_TABLE, false, "pay settle", NULL, NULL }, { KIND_TABLE, false, "child kid", NULL, NULL },
	};
	static const char *const words[] = { "bought", "sold", "paid", "children" };
	struct toy toy = { 0 };
	struct segment *s = build(&toy, docs, 4, false);
	struct part part = { s, &toy.shelf };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct match_group *g = &q.groups[0];

		ask(words[i], &part, 1, KINDS_ALL);
		assert_true(g->nown > 0);
		for (size_t k = 0; k < g->nown; k++)
			if (g->variants[k].relation != RELATION_FORM)
				fail_msg("%.*s is %s", SPAN_FMT(vocab_text(v, g->variants[k].term)), words[i]);
	}
	segment_free(s, v);
}

/* A page has neither family nor connection: for each it gets less than it matches itself. */
static void
a_page_stands_behind_tables_that_match_alike(void **state)
{
	static const struct doc tables[] = {
		{ KIND_TABLE, false, "voyage_map", NULL, NULL }, { KIND_COLUMN, true, "captain", NULL, NULL },
		{ KIND_TABLE, false, "voyage_log", NULL, NULL }, { KIND_COLUMN, true, "harbour", NULL, NULL },
		{ KIND_TABLE, false, "voyage_leg", NULL, NULL }, { KIND_COLUMN, true, "berth", NULL, NULL },
	};
	static const struct doc pages[] = { { KIND_WIKI, false, "voyage-act", NULL, NULL } };
	struct toy base = { .shelf.connection = "fleet" }, wiki = { 0 };
	struct segment *segments[2];
	struct part parts[2];

	(void)state;
	with_families = true;
	segments[0] = build(&base, tables, 6, false);
	with_families = false;
	segments[1] = build(&wiki, pages, 1, false);
	parts[0] = (struct part){ segments[0], &base.shelf };
	parts[1] = (struct part){ segments[1], &wiki.shelf };
	assert_string_equal(ask("voyage", parts, 2, KIND_BIT(KIND_TABLE) | KIND_BIT(KIND_WIKI)),
	    "voyage_leg voyage_log voyage_map voyage-act");
	segment_free(segments[0], v);
	segment_free(segments[1], v);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(identifiers_find_each_other),
		TEST(a_child_is_found_through_its_parent),
		TEST(kinds_take_part_or_not),
		TEST(equals_are_ordered_by_kind),
		TEST(misspellings_are_forgiven),
		TEST(german_words_are_their_parts),
		TEST(misspellings_that_come_apart_are_forgiven),
		TEST(nothing_asked_or_nothing_there_finds_nothing),
		TEST(stray_words_do_not_enter),
		TEST(a_word_of_a_long_question_is_not_stray),
		TEST(a_table_is_what_its_columns_say),
		TEST(what_is_unknown_empties_nothing),
		TEST(scores_are_fused_and_normalised),
		TEST(exact_names_come_first),
		TEST(words_of_asking_are_no_subject),
		TEST(whose_it_is_comes_first),
		TEST(whose_it_is_may_be_meant),
		TEST(whose_it_is_may_be_said_about_it),
		TEST(known_names_are_those_taken_apart),
		TEST(nothing_is_lost_by_passing_over),
		TEST(units_change_alone),
		TEST(many_changes_stay_few_segments),
		TEST(history_does_not_change_answers),
		TEST(verbs_of_two_words_are_found_apart),
		TEST(only_forms_are_the_word_itself),
		TEST(a_page_stands_behind_tables_that_match_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
