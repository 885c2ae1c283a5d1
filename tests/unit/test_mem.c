/* test_mem.c - memory that is there: copies, growth, and what happens when there is none. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "tests/unit/harness.h"

static void
none_is_a_block_as_well(void **state)
{
	uint32_t *v = mem_new(0, sizeof(*v));

	(void)state;
	assert_non_null(v);
	v = mem_resize(v, 0, sizeof(*v));
	assert_non_null(v);
	free(v);
	free(mem_alloc(0));
}

static void
new_elements_are_zero(void **state)
{
	uint64_t *v = mem_new(100, sizeof(*v));

	(void)state;
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(v[i], 0);
	free(v);
}

static void
an_array_grows_and_keeps_what_it_holds(void **state)
{
	size_t cap = 0, grown = 0;
	uint32_t *v = NULL, *was;

	(void)state;
	for (uint32_t n = 0; n < 10000; n++) {
		was = v;
		grown += n == cap;
		v = mem_grow(v, n, &cap, sizeof(*v));
		assert_true(n < cap);
		if (n != 0 && n < cap - 1 && grown == 1)
			assert_ptr_equal(v, was);
		v[n] = n;
	}
	assert_in_range(grown, 2, 30);
	for (uint32_t n = 0; n < 10000; n++)
		assert_int_equal(v[n], n);
	free(v);
}

#ifndef CARREL_SANITIZED
/* The end of the mapping that has the address; 0: there is none. */
static uintptr_t
mapping_end(const void *p)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uintptr_t from = 0, to = 0;
	bool found = false;

	assert_non_null(f);
	while (!found && fscanf(f, "%lx-%lx%*[^\n]", &from, &to) == 2)
		found = from <= (uintptr_t)p && (uintptr_t)p < to;
	fclose(f);
	return found ? to : 0;
}
#endif

/* On huge pages as well it is one mapping, so that it is moved when it grows, not copied. */
static void
a_large_array_is_one_mapping(void **state)
{
#ifdef CARREL_SANITIZED
	(void)state;
	skip();
#else
	(void)state;
	mallopt(M_MMAP_THRESHOLD, ARRAY_HUGE);
	/* With what malloc() adds these end just before, at and just behind the end of a page. */
	for (size_t n = 2 * ARRAY_HUGE - 64; n <= 2 * ARRAY_HUGE + 64; n += 8) {
		uint8_t *v = array_resize(NULL, n, 1);

		assert_in_range((uintptr_t)v + malloc_usable_size(v), (uintptr_t)v + n, mapping_end(v));
		free(v);
	}
#endif
}

static void
texts_are_copies(void **state)
{
	char *text = mem_text(span_of("carrels", 6)), *empty = mem_text(span_of(NULL, 0));
	char *made = mem_printf("%s/%u", text, 7u);

	(void)state;
	assert_string_equal(text, "carrel");
	assert_string_equal(empty, "");
	assert_string_equal(made, "carrel/7");
	free(text);
	free(empty);
	free(made);
}

/* More elements than a size_t can count, and NULL from a library. */
static void
having_none_ends_the_process(void **state)
{
	(void)state;
	for (int which = 0; which < 2; which++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			free(which == 0 ? mem_resize(NULL, SIZE_MAX / 2, 4) : mem_must(NULL));
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		/* A sanitizer ends it in its own way. */
		assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_a_block_as_well),
		cmocka_unit_test(new_elements_are_zero),
		cmocka_unit_test(an_array_grows_and_keeps_what_it_holds),
		cmocka_unit_test(a_large_array_is_one_mapping),
		cmocka_unit_test(texts_are_copies),
		cmocka_unit_test(having_none_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
