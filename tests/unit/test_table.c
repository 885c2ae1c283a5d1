/* test_table.c - base/table.h beside a plain list. */
#include "base/hash.h"
#include "base/table.h"
#include "tests/unit/harness.h"

#define ROWS	5000

static uint32_t
find(const struct table *t, const uint64_t *keys, uint64_t hash, uint64_t key)
{
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(t, hash, &at)) != TABLE_NONE;)
		if (keys[row] == key)
			return row;
	return TABLE_NONE;
}

/* Every key is found under its row and no other is, at every size, however badly they are hashed. */
static void
finds_what_was_added(void **state)
{
	static const uint64_t masks[] = { UINT64_MAX, 0xff, 0, UINT64_C(0xff00000000000000) };
	static uint64_t keys[ROWS];

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		uint32_t rows = masks[m] == UINT64_MAX ? ROWS : 600;
		struct table t = { 0 };

		assert_int_equal(find(&t, keys, 7, 7), TABLE_NONE);
		for (uint32_t i = 0; i < rows; i++) {
			uint64_t hash;

			keys[i] = (uint64_t)i * i + 3;
			hash = hash_step(HASH_START, keys[i]) & masks[m];
			assert_int_equal(find(&t, keys, hash, keys[i]), TABLE_NONE);
			table_add(&t, hash, i);
			assert_int_equal(t.n, i + 1);
			assert_true(t.n * 4 <= t.cap * 3);
		}
		for (uint32_t i = 0; i < rows; i++) {
			assert_int_equal(find(&t, keys, hash_step(HASH_START, keys[i]) & masks[m], keys[i]), i);
			assert_int_equal(find(&t, keys, hash_step(HASH_START, 2) & masks[m], 2), TABLE_NONE);
		}
		table_free(&t);
		assert_int_equal(t.cap, 0);
	}
}

/* Rows of one key come in the order they were added in, also after the table has grown around its end. */
static void
keeps_the_order_of_one_hash(void **state)
{
	(void)state;
	for (uint64_t hash = 10; hash < 20; hash++) {
		struct table t = { 0 };
		uint32_t row, next = 0;

		for (uint32_t i = 0; i < 40; i++)
			table_add(&t, i % 2 == 0 ? hash : hash + 1, i);
		for (size_t at = table_start(hash); (row = table_next(&t, hash, &at)) != TABLE_NONE; next += 2)
			assert_int_equal(row, next);
		assert_int_equal(next, 40);
		table_free(&t);
	}
}

static void
room_is_made_once(void **state)
{
	struct table t = { 0 };
	const void *slots;

	(void)state;
	table_reserve(&t, 1000);
	slots = t.slots;
	for (uint32_t i = 0; i < 1000; i++)
		table_add(&t, hash_step(HASH_START, i), i);
	assert_ptr_equal(t.slots, slots);
	table_free(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_added),
		cmocka_unit_test(keeps_the_order_of_one_hash),
		cmocka_unit_test(room_is_made_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
