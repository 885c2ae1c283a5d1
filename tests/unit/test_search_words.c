// libs: carrel_search carrel_base
/* test_search_words.c - the lists of words.def. */
#include "tests/unit/harness.h"

#include "words/words.h"

/* They are looked up by halves: what stands in the wrong place is not found. */
static void
every_word_is_found_in_its_list(void **state)
{
	(void)state;
	for (enum word_list list = 0; list < WORD_LISTS; list++) {
		size_t n = 0;

		for (const char *word; (word = words_at(list, n)) != NULL; n++)
			if (!words_has(list, span_str(word)))
				fail_msg("list %d, %s", (int)list, word);
		assert_true(n > 0);
	}
}

static void
lists_are_apart(void **state)
{
	static const char *const function[] = { "a", "the", "what", "you", "your", "of", "s", "by", "between", "will" };
	static const char *const none[] = { "order", "id", "", "zebra", "th", "theory", "number", "ordered" };

	(void)state;
	for (size_t i = 0; i < sizeof(function) / sizeof(function[0]); i++)
		assert_true(words_has(WORDS_FUNCTION, span_str(function[i])));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		for (enum word_list list = 0; list < WORD_LISTS; list++)
			if (words_has(list, span_str(none[i])))
				fail_msg("%s", none[i]);
	assert_true(words_has(WORDS_ASKING, SPAN("ordered by")));
	assert_false(words_has(WORDS_FUNCTION, SPAN("ordered by")));
	assert_false(words_has(WORDS_ASKING, SPAN("a word far longer than any of a list is")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_found_in_its_list),
		cmocka_unit_test(lists_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
