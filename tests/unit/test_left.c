// libs: carrel_supervisor carrel_base
/* test_left.c - server processes that were left behind: noted, seen again, stuck, gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json_write.h"
#include "base/mp.h"
#include "supervisor/state/left.h"

static uint8_t print[LEFT_PRINT];
static unsigned nstuck;
static uint64_t last_pid;
static bool last_known;

static void
on_stuck(void *arg, const struct left_behind *l)
{
	(void)arg;
	nstuck++;
	last_pid = l->pid;
	last_known = l->known;
}

/* Pairs of pid and overdue, -1 at the end. */
static void
see(struct left *left, const char *connection, bool waited, const int *pairs)
{
	struct buf list = { 0 };
	size_t mark = mp_open_array(&list), n = 0;

	for (; pairs[2 * n] != -1; n++) {
		mp_put_map(&list, 3);
		mp_pair_uint(&list, "pid", (uint64_t)pairs[2 * n]);
		mp_pair_uint(&list, "sinceMs", 1000);
		mp_pair_bool(&list, "overdue", pairs[2 * n + 1] != 0);
	}
	mp_close(&list, mark, n);
	left_seen(left, connection, buf_view(&list), waited, on_stuck, NULL);
	buf_fini(&list);
}

#define SEE(left, connection, waited, ...)	see(left, connection, waited, (const int[]){ __VA_ARGS__ __VA_OPT__(,) -1 })

/* The member "stuck" as JSON. */
static const char *
shown(const struct left *left, const char *connection)
{
	static char text[8192];
	struct buf map = { 0 }, json = { 0 };
	struct mp_value v;

	mp_put_map(&map, 1);
	left_put(&map, left, connection);
	assert_true(mp_value(buf_view(&map), &v));
	json_write(&json, &v);
	snprintf(text, sizeof(text), "%s", buf_cstr(&json));
	buf_fini(&map);
	buf_fini(&json);
	return text;
}

static int
setup(void **state)
{
	static struct left left;

	memset(&left, 0, sizeof(left));
	memset(print, 0xab, sizeof(print));
	nstuck = 0;
	*state = &left;
	return 0;
}

static void
test_has_time_to_end(void **state)
{
	struct left *left = *state;

	left_note(left, "w", 7, 1000, span_of(print, sizeof(print)));
	SEE(left, "w", false, 7, 0);
	assert_int_equal(nstuck, 0);
	assert_string_equal(shown(left, "w"), "{\"stuck\":[]}");
	/* It had the time, and is there: told once. */
	SEE(left, "w", true, 7, 0);
	SEE(left, "w", true, 7, 1);
	assert_int_equal(nstuck, 1);
	assert_true(last_pid == 7 && last_known);
	assert_string_equal(shown(left, "w"),
	    "{\"stuck\":[{\"pid\":7,\"since\":\"1970-01-01T00:00:01.000Z\",\"fingerprint\":\"abababababababab\"}]}");
	SEE(left, "w", false);
	assert_string_equal(shown(left, "w"), "{\"stuck\":[]}");
	/* The same number later is somebody else. */
	SEE(left, "w", true, 7, 0);
	assert_int_equal(nstuck, 1);
}

static void
test_overdue_needs_no_note(void **state)
{
	struct left *left = *state;

	SEE(left, "w", false, 5, 0, 6, 1);
	assert_int_equal(nstuck, 1);
	assert_true(last_pid == 6 && !last_known);
	assert_non_null(strstr(shown(left, "w"), "\"fingerprint\":null"));
	/* Which statement it runs may be heard later. */
	left_note(left, "w", 6, 1000, span_of(print, sizeof(print)));
	SEE(left, "w", false, 6, 1);
	assert_int_equal(nstuck, 2);
	assert_true(last_known);
}

static void
test_connections_are_apart(void **state)
{
	struct left *left = *state;

	left_note(left, "a", 7, 1000, span_of(print, sizeof(print)));
	left_note(left, "b", 7, 1000, span_of(print, sizeof(print)));
	SEE(left, "a", false);
	SEE(left, "a", true, 7, 0);
	assert_int_equal(nstuck, 0);
	SEE(left, "b", true, 7, 0);
	assert_int_equal(nstuck, 1);
	assert_string_equal(shown(left, "a"), "{\"stuck\":[]}");
	/* No connection's name stands for a free place. */
	SEE(left, "", true, 7, 1);
	assert_int_equal(nstuck, 1);
}

static void
count(void *arg, const struct left_behind *l)
{
	(void)l;
	++*(unsigned *)arg;
}

static void
test_new_fronts_are_told_of_known_ones(void **state)
{
	struct left *left = *state;
	unsigned n = 0;

	left_note(left, "w", 1, 1000, span_of(print, sizeof(print)));
	left_note(left, "w", 2, 1000, span_of(print, 4));
	left_note(left, "w", 3, 1000, span_of(print, sizeof(print)));
	SEE(left, "w", true, 1, 0, 2, 0);
	left_each_known(left, count, &n);
	assert_int_equal(n, 1);
}

static void
test_the_oldest_makes_room(void **state)
{
	struct left *left = *state;
	int all[2 * (LEFT_MAX + 1) + 1];

	for (unsigned i = 0; i <= LEFT_MAX; i++) {
		left_note(left, "w", i + 1, 1000 + i, span_of(print, sizeof(print)));
		all[2 * i] = (int)i + 1;
		all[2 * i + 1] = 0;
	}
	all[2 * (LEFT_MAX + 1)] = -1;
	see(left, "w", true, all);
	assert_int_equal(nstuck, LEFT_MAX);
	assert_null(strstr(shown(left, "w"), "{\"pid\":1,"));
}

static void
test_strange_lists(void **state)
{
	static const uint8_t not_array[] = { 0x80 }, odd[] = { 0x93, 0x01, 0x80, 0x81, 0xa3, 'p', 'i', 'd', 0xa1, 'x' };
	struct left *left = *state;

	left_note(left, "w", 7, 1000, span_of(print, sizeof(print)));
	left_seen(left, "w", span_of(NULL, 0), true, on_stuck, NULL);
	left_seen(left, "w", span_of(not_array, sizeof(not_array)), true, on_stuck, NULL);
	SEE(left, "w", true, 7, 0);
	assert_int_equal(nstuck, 1);
	left_seen(left, "w", span_of(odd, sizeof(odd)), true, on_stuck, NULL);
	assert_int_equal(nstuck, 1);
	assert_string_equal(shown(left, "w"), "{\"stuck\":[]}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_has_time_to_end, setup),
		cmocka_unit_test_setup(test_overdue_needs_no_note, setup),
		cmocka_unit_test_setup(test_connections_are_apart, setup),
		cmocka_unit_test_setup(test_new_fronts_are_told_of_known_ones, setup),
		cmocka_unit_test_setup(test_the_oldest_makes_room, setup),
		cmocka_unit_test_setup(test_strange_lists, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
