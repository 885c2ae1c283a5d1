// libs: carrel_search
/* test_search_sizes.c - when a database is asked again for numbers of rows, and how long one holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "workers/search/library/sizes.h"

#define ID	SPAN("5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11")
#define T0	(1000 * CLOCK_SECOND)

static void
numbers_hold_for_a_while(void **state)
{
	struct sizes s = { .cap = 0 };
	struct size_known *k = sizes_of(&s, ID, SIZES_ROWS, "1-a");

	(void)state;
	assert_true(size_is_due(k, T0));
	assert_false(size_holds(k, T0));
	size_said(k, 412, T0);
	k = sizes_of(&s, ID, SIZES_ROWS, "1-a");
	assert_int_equal(k->n, 412);
	assert_false(size_is_due(k, T0 + SIZES_FRESH_NS - 1));
	assert_true(size_is_due(k, T0 + SIZES_FRESH_NS));
	assert_true(size_holds(k, T0 + SIZES_KEPT_NS - 1));
	assert_false(size_holds(k, T0 + SIZES_KEPT_NS));
	/* Other callers' columns are a number of their own; under another policy nothing is known. */
	assert_false(size_holds(sizes_of(&s, ID, 0, "1-a"), T0));
	assert_true(size_holds(sizes_of(&s, ID, SIZES_ROWS, "1-a"), T0));
	assert_false(size_holds(sizes_of(&s, ID, SIZES_ROWS, "1-b"), T0));
	sizes_fini(&s);
}

/* What does not answer is asked less and less often, and keeps the number that it gave before. */
static void
slow_ones_are_asked_less(void **state)
{
	struct sizes s = { .cap = 0 };
	struct size_known *k = sizes_of(&s, ID, SIZES_ROWS, "");
	uint64_t now = T0, waited, before = 0;

	(void)state;
	size_said(k, 7, now);
	for (unsigned i = 0; i < 20; i++) {
		size_late(k, now);
		for (waited = 0; !size_is_due(k, now + waited); waited += CLOCK_SECOND)
			assert_true(waited < 2 * SIZES_KEPT_NS);
		assert_true(waited >= 10 * CLOCK_SECOND && waited >= before);
		assert_true(size_holds(k, now) == (now - T0 < SIZES_KEPT_NS));
		before = waited;
		now += waited;
	}
	assert_true(before > SIZES_KEPT_NS / 2);
	size_said(k, 8, now);
	assert_false(size_is_due(k, now + 20 * CLOCK_SECOND));
	assert_true(size_is_due(k, now + SIZES_FRESH_NS));
	sizes_fini(&s);
}

/* Names come and go without end. */
static void
room_is_bounded(void **state)
{
	struct sizes s = { .cap = 0 };
	char id[40];

	(void)state;
	for (unsigned i = 0; i < 30000; i++) {
		snprintf(id, sizeof(id), "%036u", i);
		size_said(sizes_of(&s, span_str(id), 0, ""), i, T0);
		assert_int_equal(sizes_of(&s, span_str(id), 0, "")->n, i);
	}
	assert_true(s.cap <= 16384);
	sizes_fini(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_hold_for_a_while),
		cmocka_unit_test(slow_ones_are_asked_less),
		cmocka_unit_test(room_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
