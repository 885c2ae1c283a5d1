// libs: carrel_search carrel_base
/* test_search_derive.c - nouns made from verbs, and the verbs of nouns. */
#include "tests/unit/harness.h"

#include "workers/search/derive.h"

static bool
gives(const char *word, const char *other)
{
	struct derived d;

	derive(span_str(word), &d);
	for (size_t i = 0; i < d.n; i++)
		if (span_is_str(span_of(d.v[i].text, d.v[i].len), other))
			return true;
	return false;
}

static void
verbs_give_nouns_and_nouns_verbs(void **state)
{
	static const char *const pairs[][2] = {
		{ "ship", "shipment" }, { "pay", "payment" }, { "deliver", "delivery" }, { "subscribe", "subscription" },
		{ "register", "registration" }, { "admit", "admission" }, { "expire", "expiry" }, { "maintain", "maintenance" },
		{ "lose", "loss" }, { "weigh", "weight" }, { "complain", "complaint" }, { "consume", "consumption" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!gives(pairs[i][0], pairs[i][1]) || !gives(pairs[i][1], pairs[i][0]))
			fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
}

static void
forms_of_a_verb_do_as_well(void **state)
{
	(void)state;
	assert_true(gives("shipping", "shipment"));
	assert_true(gives("shipped", "shipment"));
	assert_true(gives("subscribing", "subscription"));
	assert_true(gives("subscribes", "subscription"));
	assert_true(gives("sold", "sale"));
	assert_true(gives("sold", "sell"));
	assert_true(gives("paid", "payment"));
}

static void
what_looks_alike_by_chance_is_left_out(void **state)
{
	(void)state;
	assert_false(gives("depart", "department"));
	assert_false(gives("apartment", "apart"));
	assert_false(gives("state", "statement"));
}

static void
no_word_is_too_short_or_too_long(void **state)
{
	char text[TEXT_WORD_MAX + 2];
	struct derived d;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		memset(text, 'e', n);
		text[n] = '\0';
		derive(span_of(text, n), &d);
		for (size_t i = 0; i < d.n; i++)
			assert_true(d.v[i].len > 0 && d.v[i].len <= TEXT_WORD_MAX);
		if (n > 3)
			memcpy(text + n - 3, "ing", 3);
		derive(span_of(text, n), &d);
		assert_true(d.n <= DERIVE_MAX);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verbs_give_nouns_and_nouns_verbs),
		cmocka_unit_test(forms_of_a_verb_do_as_well),
		cmocka_unit_test(what_looks_alike_by_chance_is_left_out),
		cmocka_unit_test(no_word_is_too_short_or_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
