/* test_ended.c - what ended stays so, and is nobody else's business. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/system/ended.h"

static struct span
number(unsigned i)
{
	static char text[16];

	return span_of(text, (size_t)snprintf(text, sizeof(text), "%u", i));
}

static void
test_bounds(void **state)
{
	struct ended *e = ended_new(100, 150);

	(void)state;
	ended_add(e, 1, SPAN("mine"), 500);
	ended_add(e, 1, SPAN("mine"), 500);
	assert_int_equal(ended_count(e), 1);
	assert_true(ended_has(e, 1, SPAN("mine"), 500));
	assert_false(ended_has(e, 1, SPAN("other"), 499));
	/* one owner ends far more than there is room for */
	for (unsigned i = 0; i < 66000; i++)
		ended_add(e, 2, number(i), 1000 + i);
	assert_int_equal(ended_count(e), 101);
	assert_true(ended_has(e, 2, number(0), 1000)); /* dropped, ended all the same */
	assert_true(ended_has(e, 2, number(65999), 66999));
	assert_false(ended_has(e, 2, SPAN("new"), 67000));
	/* and the other's are what they were */
	assert_true(ended_has(e, 1, SPAN("mine"), 500));
	assert_false(ended_has(e, 1, SPAN("other"), 499));
	/* too many of all: the owner of the most makes room */
	for (unsigned i = 0; i < 60; i++)
		ended_add(e, 3, number(100000 + i), 70000);
	assert_int_equal(ended_count(e), 150);
	assert_false(ended_has(e, 3, SPAN("live"), 70000));
	assert_false(ended_has(e, 1, SPAN("other"), 499));
	ended_free(e);
}

struct told {
	struct ended	*next;
	unsigned	 n;
};

static void
tell(void *arg, uint64_t owner, struct span id, uint64_t expires)
{
	struct told *t = arg;

	t->n++;
	ended_add(t->next, owner, id, expires);
}

/* Who hears of it anew knows the same, what was dropped included. */
static void
test_told(void **state)
{
	struct ended *e = ended_new(10, 100);
	struct told t = { .next = ended_new(10, 100) };

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		ended_add(e, 7, number(i), 100 + i);
	ended_add(e, 8, SPAN("x"), 50);
	ended_each(e, 60, tell, &t);
	assert_int_equal(t.n, 11);
	for (unsigned i = 0; i < 20; i++)
		assert_true(ended_has(t.next, 7, number(i), 100 + i));
	assert_false(ended_has(t.next, 7, SPAN("live"), 120));
	assert_false(ended_has(t.next, 8, SPAN("x"), 50));
	ended_sweep(e, 115);
	assert_int_equal(ended_count(e), 4);
	assert_true(ended_has(e, 7, number(19), 119));
	ended_sweep(e, 200);
	assert_int_equal(ended_count(e), 0);
	assert_false(ended_has(e, 7, number(19), 119));
	ended_free(e);
	ended_free(t.next);
}

/* Owners are bounded, and ids of any length. */
static void
test_owners(void **state)
{
	struct ended *e = ended_new(10, 100000);
	char text[100];

	(void)state;
	memset(text, 'x', sizeof(text));
	ended_add(e, 1, span_of(text, sizeof(text)), 10);
	assert_int_equal(ended_count(e), 0);
	for (unsigned i = 0; i < ENDED_OWNERS_MAX + 5; i++)
		ended_add(e, i, number(i), 10);
	assert_int_equal(ended_count(e), ENDED_OWNERS_MAX);
	ended_free(e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
