// libs: carrel_search carrel_base
/* test_search_kinds.c - what things are kinds of. */
#include "tests/unit/harness.h"

#include "base/buf.h"
#include "workers/search/kinds.h"

/* The kinds of a word, joined by commas. */
static const char *
kinds(const char *word)
{
	static struct buf b;
	struct span found[KINDS_OF_MAX];
	size_t n = kinds_of(span_str(word), found);

	b.len = 0;
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? "," : "", SPAN_FMT(found[i]));
	return buf_cstr(&b);
}

static void
things_have_kinds(void **state)
{
	(void)state;
	assert_string_equal(kinds("red"), "colour");
	assert_string_equal(kinds("grün"), "colour");
	assert_string_equal(kinds("mondays"), "weekday");
	assert_string_equal(kinds("comedy"), "genre");
	assert_string_equal(kinds("comedies"), "genre");
	assert_string_equal(kinds("android"), "os,platform");
	assert_string_equal(kinds("colour"), "");
	assert_string_equal(kinds("xyzzy"), "");
	assert_string_equal(kinds(""), "");
}

static void
no_more_than_there_is_room_for(void **state)
{
	struct span found[KINDS_OF_MAX];

	(void)state;
	assert_true(kinds_of(SPAN("card"), found) <= KINDS_OF_MAX);
	assert_true(kinds_of(SPAN("letter"), found) <= KINDS_OF_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_have_kinds),
		cmocka_unit_test(no_more_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
