// libs: carrel_search carrel_base
/* test_search_brief.c - words that are short for longer ones, and letters that all names of a file begin with. */
#include "tests/unit/harness.h"

#include "workers/search/index/brief.h"
#include "words/prefix.h"

static float
likeness(const char *brief, const char *word)
{
	return brief_likeness(span_str(brief), span_str(word));
}

static void
letters_taken_out_leave_a_word_s_brief(void **state)
{
	static const char *const pairs[][2] = {
		{ "lohnabr", "lohnabrechnung" }, { "kuendfrist", "kuendigungsfrist" }, { "ueberstd", "ueberstunden" },
		{ "cstmr", "customer" }, { "dlvr", "delivery" }, { "steuerkl", "steuerklasse" }, { "shpmnt", "shipment" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (likeness(pairs[i][0], pairs[i][1]) < 0.5f)
			fail_msg("%s is not short for %s", pairs[i][0], pairs[i][1]);
}

static void
other_words_are_not_short_for_it(void **state)
{
	static const char *const pairs[][2] = {
		{ "restforf", "restforderung" }, { "customer", "customer" }, { "customers", "customer" }, { "cu", "customer" },
		{ "matkl", "material" }, { "tome", "customer" }, { "cute", "customer" }, { "aeiou", "axexixoxux" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (likeness(pairs[i][0], pairs[i][1]) > 0)
			fail_msg("%s is short for %s", pairs[i][0], pairs[i][1]);
}

/* A word without vowels is the one that has its consonants, rather than one that has others as well. */
static void
skeletons_mean_the_whole_word(void **state)
{
	static const char *const pairs[][3] = {
		{ "qntty", "quantity", "quantitymeasure" }, { "ptnt", "patient", "patentholder" }, { "tckt", "ticket", "tickethistory" },
		{ "msg", "message", "messaging" }, { "idntfr", "identifier", "identification" }, { "ssn", "session", "season2" },
	};
	static const char *const others[][2] = {
		{ "ptnt", "inpatient" }, { "ptnt", "planet" }, { "xml", "example" }, { "tckt", "tracking" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct span asked = span_str(pairs[i][0]);
		float whole = brief_expansion(asked, span_str(pairs[i][1]));

		assert_true(brief_is_skeleton(asked));
		if (whole < 0.7f || brief_expansion(asked, span_str(pairs[i][2])) >= whole)
			fail_msg("%s", pairs[i][0]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (brief_expansion(span_str(others[i][0]), span_str(others[i][1])) > 0)
			fail_msg("%s as %s", others[i][0], others[i][1]);
	assert_false(brief_is_skeleton(span_str("opera")));
	assert_false(brief_is_skeleton(span_str("pt")));
	assert_false(brief_is_skeleton(span_str("k9b")));
}

static void
what_is_listed_is_found_by_its_letters(void **state)
{
	struct briefs b = { 0 };
	uint32_t term;
	size_t at = 0;

	(void)state;
	assert_true(briefs_add(&b, 7, span_str("cstmr")));
	assert_true(briefs_add(&b, 8, span_str("cmpny")));
	assert_false(briefs_add(&b, 9, span_str("x1")));
	assert_false(briefs_add(&b, 9, span_str("prüfg")));
	assert_true(briefs_next(&b, span_str("customer"), &at, &term));
	assert_int_equal(term, 7);
	assert_false(briefs_next(&b, span_str("customer"), &at, &term));
	at = 0;
	assert_false(briefs_next(&b, span_str("42"), &at, &term));
	briefs_fini(&b);
}

static struct span
name_at(const void *of, size_t i)
{
	const char *const *names = of;

	return span_str(names[i]);
}

/* The prefix of the names, as text. */
static const char *
prefix(const char *const *names, size_t n)
{
	static char text[PREFIX_MOST + 1];
	uint8_t found[PREFIX_MOST];
	size_t len = prefix_find(name_at, names, n, found);

	memcpy(text, found, len);
	text[len] = '\0';
	return text;
}

static void
names_of_a_file_share_a_prefix(void **state)
{
	static const char *const items[] = { "IMITEM", "IMDESC", "IMWGHT", "IMUOM", "IMCRTD" };
	static const char *const mixed[] = { "USERID", "IMITEM", "IMDESC", "IMWGHT", "IMUOM", "IMCRTD" };
	static const char *const words[] = { "order_id", "order_no", "order_date", "order_state" };
	static const char *const humps[] = { "orderId", "orderNo", "orderDate", "orderState" };
	static const char *const others[] = { "id", "name", "status", "created_at", "updated_at" };
	static const char *const numbered[] = { "col1", "col2", "col3", "col4" };

	(void)state;
	assert_string_equal(prefix(items, 5), "im");
	assert_string_equal(prefix(mixed, 6), "im");
	assert_string_equal(prefix(items, 3), "");
	assert_string_equal(prefix(words, 4), "");
	assert_string_equal(prefix(humps, 4), "");
	assert_string_equal(prefix(others, 5), "");
	assert_string_equal(prefix(numbered, 4), "");
	assert_string_equal(prefix(items, 0), "");
}

static void
what_stands_behind_it_is_the_rest(void **state)
{
	(void)state;
	assert_true(span_is_str(prefix_rest(span_str("IMDESC"), (const uint8_t *)"im", 2), "DESC"));
	assert_int_equal(prefix_rest(span_str("IMD"), (const uint8_t *)"im", 2).len, 0);
	assert_int_equal(prefix_rest(span_str("CMDESC"), (const uint8_t *)"im", 2).len, 0);
	assert_int_equal(prefix_rest(span_str("IM_DESC"), (const uint8_t *)"im", 2).len, 0);
	assert_int_equal(prefix_rest(span_str(""), (const uint8_t *)"im", 2).len, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_taken_out_leave_a_word_s_brief),
		cmocka_unit_test(other_words_are_not_short_for_it),
		cmocka_unit_test(skeletons_mean_the_whole_word),
		cmocka_unit_test(what_is_listed_is_found_by_its_letters),
		cmocka_unit_test(names_of_a_file_share_a_prefix),
		cmocka_unit_test(what_stands_behind_it_is_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
