/* test_hash.c - the hash is the published one: files hold its values. */
#include "base/hash.h"
#include "tests/unit/harness.h"

/* From the test suite of draft-eastlake-fnv, appendix C. */
static void
published_values(void **state)
{
	(void)state;
	assert_int_equal(hash_of(SPAN("")), UINT64_C(0xcbf29ce484222325));
	assert_int_equal(hash_of(SPAN("a")), UINT64_C(0xaf63dc4c8601ec8c));
	assert_int_equal(hash_of(SPAN("foobar")), UINT64_C(0x85944171f73967e8));
}

static void
in_pieces_as_at_once(void **state)
{
	uint64_t h = hash_more(HASH_START, "foo", 3);

	(void)state;
	h = hash_step(hash_more(h, "ba", 2), 'r');
	assert_int_equal(h, hash_of(SPAN("foobar")));
	assert_int_equal(hash_more(h, NULL, 0), h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_values),
		cmocka_unit_test(in_pieces_as_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
