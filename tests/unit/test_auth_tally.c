// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_tally.c - so many in so long, and who is forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/system/clock.h"
#include "workers/auth/oauth/tally.h"

#define START	(UINT64_C(123456) * CLOCK_SECOND)
#define ADA	SPAN("ada")

static void
so_many_may_come_and_no_more(void **state)
{
	struct tally *t = tally_new(60, 3);
	uint64_t now = START;
	unsigned wait;

	(void)state;
	for (int i = 0; i < 3; i++, now += 10 * CLOCK_SECOND) {
		assert_int_equal(tally_wait(t, ADA, now), 0);
		tally_add(t, ADA, now);
	}
	wait = tally_wait(t, ADA, now);
	assert_in_range(wait, 25, 40);
	assert_int_equal(tally_count(t, ADA, now), 3);
	assert_int_equal(tally_wait(t, SPAN("bob"), now), 0);
	assert_int_not_equal(tally_wait(t, ADA, now + (wait - 1) * CLOCK_SECOND), 0);
	assert_int_equal(tally_wait(t, ADA, now + wait * CLOCK_SECOND), 0);
	assert_int_equal(tally_count(t, ADA, now + 600 * CLOCK_SECOND), 0);
	tally_free(t);
}

static void
each_beyond_the_limit_waits_twice_as_long(void **state)
{
	struct tally *t = tally_new(900, 3);
	uint64_t now = START;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		tally_add(t, ADA, now);
	assert_int_equal(tally_delay(t, ADA, now), 0);
	for (unsigned wait = 1; wait <= 2 * TALLY_DELAY_MAX; wait *= 2) {
		tally_add(t, ADA, now);
		assert_int_equal(tally_delay(t, ADA, now), wait < TALLY_DELAY_MAX ? wait : TALLY_DELAY_MAX);
		now += wait * CLOCK_SECOND;
		assert_int_equal(tally_delay(t, ADA, now), 0);
	}
	assert_int_equal(tally_delay(t, SPAN("bob"), now), 0);
	assert_int_equal(tally_delay(t, ADA, now + 1000 * CLOCK_SECOND), 0);
	tally_free(t);
}

static void
what_did_not_come_is_taken_back(void **state)
{
	struct tally *t = tally_new(900, 1);

	(void)state;
	tally_take_back(t, ADA, START);
	tally_add(t, ADA, START);
	assert_in_range(tally_wait(t, ADA, START), 840, 960);
	tally_take_back(t, ADA, START + 300 * CLOCK_SECOND);
	assert_int_equal(tally_wait(t, ADA, START + 300 * CLOCK_SECOND), 0);
	tally_free(t);
}

static void
the_longest_unheard_of_is_forgotten(void **state)
{
	struct tally *t = tally_new(60, 1);
	char name[300];

	(void)state;
	for (unsigned i = 0; i <= TALLY_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		tally_add(t, span_str(name), START);
		tally_add(t, SPAN("n1"), START);
	}
	assert_int_equal(tally_count(t, SPAN("n0"), START), 0);
	assert_int_not_equal(tally_count(t, SPAN("n1"), START), 0);
	/* Names that differ only beyond what counts are one. */
	memset(name, 'x', sizeof(name));
	tally_add(t, span_of(name, 250), START);
	assert_int_equal(tally_count(t, span_of(name, 299), START), 1);
	tally_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(so_many_may_come_and_no_more),
		cmocka_unit_test(each_beyond_the_limit_waits_twice_as_long),
		cmocka_unit_test(what_did_not_come_is_taken_back),
		cmocka_unit_test(the_longest_unheard_of_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
