// libs: carrel_search carrel_base
/* test_search_language.c - what is known of everyday English; nothing, where it was built without its sources. */
#include "tests/unit/harness.h"

#include "words/language.h"
#include "words/language_tables.h"
#include "words/text.h"

static bool
is_known(void)
{
	return language_rank(SPAN("the")) > 0;
}

static bool
gives(const char *word, const char *other, enum language_link link)
{
	struct language_word related[LANGUAGE_RELATED_MAX];
	size_t n = language_related(span_str(word), related);

	for (size_t i = 0; i < n; i++)
		if (span_is_str(related[i].text, other) && related[i].link == link)
			return true;
	return false;
}

static void
verbs_give_nouns_and_nouns_verbs(void **state)
{
	static const char *const pairs[][2] = {
		{ "pay", "payment" }, { "deliver", "delivery" }, { "subscribe", "subscription" },
		{ "register", "registration" }, { "admit", "admission" }, { "maintain", "maintenance" }, { "complain", "complaint" }, { "delivering", "delivery" },
	};

	(void)state;
	if (!is_known())
		skip();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!gives(pairs[i][0], pairs[i][1], LANGUAGE_MADE))
			fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
	assert_false(gives("depart", "department", LANGUAGE_MADE));
	assert_false(gives("apartment", "apart", LANGUAGE_MADE));
}

static void
irregular_forms_have_a_plain_one(void **state)
{
	static const char *const forms[][2] = { { "sold", "sell" }, { "bought", "buy" }, { "taken", "take" },
		{ "paid", "pay" }, { "chose", "choose" }, { "written", "write" } };
	static const char *const none[] = { "sell", "found", "saw", "left", "ordered", "", "zzz" };

	(void)state;
	if (!is_known())
		skip();
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!span_is_str(language_plain(span_str(forms[i][0])), forms[i][1]))
			fail_msg("%s", forms[i][0]);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (language_plain(span_str(none[i])).len > 0)
			fail_msg("%s is a form", none[i]);
}

static void
likenesses_are_shares_and_the_best_is_first(void **state)
{
	static const char *const words[] = { "car", "customers", "shipping", "price", "state", "paid" };
	struct language_word related[LANGUAGE_RELATED_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = language_related(span_str(words[i]), related);

		assert_true(n <= LANGUAGE_RELATED_MAX);
		for (size_t k = 0; k < n; k++) {
			assert_true(related[k].likeness > 0 && related[k].likeness <= 1);
			assert_true(k == 0 || related[k].likeness <= related[k - 1].likeness);
			assert_true(related[k].link < LANGUAGE_PLAIN);
		}
	}
}

/* In any form, umlauts and sharp s folded as names are; what English has as well stays English. */
static void
german_words_give_those_of_the_lexicon(void **state)
{
	(void)state;
	assert_true(gives("arbeitnehmer", "mitarbeiter", LANGUAGE_SAME));
	assert_true(gives("arbeitnehmern", "mitarbeiter", LANGUAGE_SAME));
	assert_false(language_has(SPAN("arbeitnehmer")));
	assert_true(language_has(SPAN("employee")));
	assert_false(gives("rate", "anteil", LANGUAGE_SAME));
}

static void
no_word_is_too_short_or_too_long(void **state)
{
	char text[TEXT_WORD_MAX + 2];
	struct language_word related[LANGUAGE_RELATED_MAX];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		memset(text, 'e', n);
		if (n > 3)
			memcpy(text + n - 3, "ing", 3);
		assert_int_equal(language_related(span_of(text, n), related), 0);
		assert_int_equal(language_plain(span_of(text, n)).len, 0);
	}
}

/* Also words of one letter and those that begin with none of a to z. */
static void
every_entry_is_found(void **state)
{
	uint32_t n = language_starts[LANGUAGE_PAIRS];

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		const struct language_entry *e = &language_entries[i];
		struct span text = span_of(language_pool + e->text, e->len);

		if (language_rank(text) != e->rank || language_has(text) == e->german)
			fail_msg("%.*s is not found", SPAN_FMT(text));
	}
	assert_false(language_has(SPAN("")));
	assert_false(language_has(SPAN("zzzzzz")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verbs_give_nouns_and_nouns_verbs),
		cmocka_unit_test(irregular_forms_have_a_plain_one),
		cmocka_unit_test(likenesses_are_shares_and_the_best_is_first),
		cmocka_unit_test(german_words_give_those_of_the_lexicon),
		cmocka_unit_test(no_word_is_too_short_or_too_long),
		cmocka_unit_test(every_entry_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
