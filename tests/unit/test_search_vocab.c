// libs: carrel_search carrel_base
/* test_search_vocab.c - numbered words, rings of one stem, and guesses at misspelt ones. */
#include "tests/unit/harness.h"

#include <stdio.h>

#include "workers/search/index/guess.h"

static struct vocab *v;

static uint32_t
add(const char *word)
{
	uint32_t t = vocab_add(v, span_str(word));

	if (vocab_documents(v, t) == 0)
		vocab_count_documents(v, t, 1);
	return t;
}

static int
set_up(void **state)
{
	(void)state;
	v = vocab_new();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	vocab_free(v);
	return 0;
}

static void
words_keep_their_numbers(void **state)
{
	struct vocab_scratch scratch;
	char word[32];

	(void)state;
	assert_int_equal(vocab_find(v, SPAN("a")), VOCAB_NONE);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(word, sizeof(word), "w%u", i);
		assert_int_equal(add(word), i);
	}
	scratch = vocab_scratch(v);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(word, sizeof(word), "w%u", i);
		assert_int_equal(vocab_find(v, span_str(word)), i);
		assert_true(span_is_str(vocab_text(v, i), word));
		assert_int_equal(*vocab_place(&scratch, i), 0);
	}
	assert_int_equal(vocab_count(v), 5000);
	assert_int_equal(vocab_count_exact(v), 0);
}

static void
forms_of_one_stem_make_a_ring(void **state)
{
	uint32_t order = add("order"), orders = add("orders"), ordering = add("ordering"), id = add("id"), t;
	unsigned n = 0;

	(void)state;
	t = vocab_stem(v, SPAN("ordered"));
	assert_true(t == order || t == orders || t == ordering);
	for (uint32_t at = t; n == 0 || at != t; at = vocab_next_form(v, at)) {
		assert_true(at == order || at == orders || at == ordering);
		n++;
	}
	assert_int_equal(n, 3);
	assert_int_equal(vocab_next_form(v, id), id);
	assert_int_equal(vocab_stem(v, SPAN("border")), VOCAB_NONE);
}

/* A name written in one is found as it is, but has no stem and is never guessed. */
static void
joined_names_are_found_exactly_only(void **state)
{
	struct vocab_guess g[VOCAB_GUESSES_MAX];
	uint32_t t = vocab_add_exact(v, vocab_exact_key(SPAN("orderitems"))), word;

	(void)state;
	vocab_count_documents(v, t, 1);
	assert_int_equal(vocab_add_exact(v, vocab_exact_key(SPAN("orderitems"))), t);
	assert_int_equal(vocab_find_exact(v, SPAN("orderitems")), t);
	assert_int_equal(vocab_find_exact(v, SPAN("orderitem")), VOCAB_NONE);
	assert_int_equal(vocab_find(v, SPAN("orderitems")), VOCAB_NONE);
	assert_int_equal(vocab_stem(v, SPAN("orderitems")), VOCAB_NONE);
	assert_int_equal(vocab_guess(v, SPAN("orderitesm"), g), 0);
	/* As a word of a text it is another one. */
	word = vocab_add(v, SPAN("orderitems"));
	assert_true(word != t);
	vocab_count_documents(v, word, 1);
	assert_int_equal(vocab_stem(v, SPAN("orderitems")), word);
	assert_int_equal(vocab_guess(v, SPAN("orderitesm"), g), 1);
}

static const char *
guesses(const char *word)
{
	static struct buf b;
	struct vocab_guess g[VOCAB_GUESSES_MAX];
	size_t n = vocab_guess(v, span_str(word), g);

	b.len = 0;
	for (size_t i = 0; i < n; i++) {
		assert_true(g[i].likeness > 0 && g[i].likeness <= 1);
		assert_true(i == 0 || g[i].likeness <= g[i - 1].likeness);
		buf_printf(&b, "%s%.*s", i > 0 ? " " : "", SPAN_FMT(vocab_text(v, g[i].term)));
	}
	return buf_cstr(&b);
}

static void
misspelt_words_are_guessed(void **state)
{
	static const char *const all[] = {
		"customer", "customers", "custom", "order", "border", "revenue", "received", "address", "refund",
		"refunds", "suborders", "müller", "id", "ip", "quarter", "churn"
	};
	static const char *const rows[][2] = {
		{ "cutsomer", "customer customers" }, { "custommer", "customer customers" },
		{ "revnue", "revenue" }, { "reveneu", "revenue" }, { "adress", "address" }, { "muller", "müller" },
		{ "recieved", "received" }, { "cust", "custom customer customers" }, { "ordr", "order" },
		{ "refnd", "refund" }, { "xyzzy", "" }, { "qq", "" }, { "ie", "" }, { "", "" },
		{ "hurn", "churn" }, { "qrtr", "quarter" }, { "rfnds", "refunds" }, { "cstmr", "customer customers" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		add(all[i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(guesses(rows[i][0]), rows[i][1]) != 0)
			fail_msg("%s gives \"%s\"", rows[i][0], guesses(rows[i][0]));
}

static void
words_without_documents_are_not_guessed(void **state)
{
	uint32_t t = add("customer");

	(void)state;
	assert_string_equal(guesses("custmer"), "customer");
	vocab_count_documents(v, t, -1);
	assert_string_equal(guesses("custmer"), "");
}

static void
only_the_best_guesses_are_kept(void **state)
{
	struct vocab_guess g[VOCAB_GUESSES_MAX];
	char word[32];

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		snprintf(word, sizeof(word), "prefix%03u%s", i, i % 2 ? "longer" : "");
		add(word);
	}
	add("prefixe");
	assert_int_equal(vocab_guess(v, SPAN("prefix"), g), VOCAB_GUESSES_MAX);
	assert_true(span_is_str(vocab_text(v, g[0].term), "prefixe"));
	assert_true(span_is_str(vocab_text(v, g[1].term), "prefix000"));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(words_keep_their_numbers),
		TEST(forms_of_one_stem_make_a_ring),
		TEST(joined_names_are_found_exactly_only),
		TEST(misspelt_words_are_guessed),
		TEST(words_without_documents_are_not_guessed),
		TEST(only_the_best_guesses_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
