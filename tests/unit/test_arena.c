// libs: carrel_base
/* test_arena.c - request memory: alignment, ceiling, reset. */
#include <stdalign.h>

#include "base/arena.h"
#include "tests/unit/harness.h"

static void
zeroed_and_aligned(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t size = 0; size < 200; size++) {
		uint8_t *p = arena_alloc(a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
	}
	arena_free(a);
}

static void
ceiling_is_held(void **state)
{
	struct arena *a = arena_new(100000);

	(void)state;
	assert_null(arena_alloc(a, 100001));
	assert_null(arena_alloc(a, SIZE_MAX));
	assert_non_null(arena_alloc(a, 90000));
	assert_null(arena_alloc(a, 20000));
	assert_non_null(arena_alloc(a, 9000));
	assert_null(arena_alloc(a, 2000));
	arena_free(a);
}

static void
array_overflow(void **state)
{
	struct arena *a = arena_new(SIZE_MAX / 2);

	(void)state;
	assert_null(arena_array(a, SIZE_MAX / 2, 3));
	assert_non_null(arena_array(a, 3, 5));
	arena_free(a);
}

static void
reset_starts_over(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (int round = 0; round < 50; round++) {
		uint8_t *p = arena_alloc(a, 300000);

		assert_non_null(p);
		assert_int_equal(p[299999], 0);
		p[299999] = 1;
		assert_non_null(arena_alloc(a, 60000));
		arena_reset(a);
	}
	arena_free(a);
	arena_free(NULL);
}

static void
copies(void **state)
{
	struct arena *a = arena_new(4096);
	char word[] = "word";
	struct span s;
	char *c;

	(void)state;
	s = arena_span(a, span_str(word));
	c = arena_cstr(a, span_str(word));
	word[0] = 'W';
	assert_true(span_is_str(s, "word"));
	assert_string_equal(c, "word");
	assert_null(arena_cstr(a, SPAN("a\0b")));
	assert_string_equal(arena_cstr(a, span_of(NULL, 0)), "");
	s = arena_span(a, span_of(NULL, 0));
	assert_non_null(s.p);
	assert_int_equal(s.len, 0);
	assert_string_equal(arena_printf(a, "%s-%d", "x", 7), "x-7");
	assert_null(arena_printf(a, "%5000d", 7));
	s = arena_span(a, span_of(arena_alloc(a, 100), 100000 - 100000));
	assert_int_equal(s.len, 0);
	arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_and_aligned),
		cmocka_unit_test(ceiling_is_held),
		cmocka_unit_test(array_overflow),
		cmocka_unit_test(reset_starts_over),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
