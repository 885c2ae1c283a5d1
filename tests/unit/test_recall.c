// libs: carrel_memory
/* test_recall.c - what scans remember: it comes back, also from a file that was cut, changed, or is no such file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mp.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "tests/unit/harness.h"
#include "workers/memory/scan/recall.h"

#define NOW	UINT64_C(1750000000000)
#define HOUR	UINT64_C(3600000)

static char path[] = "/tmp/carrel-recall-XXXXXX";
static int dir = -1;

static int
setup(void **state)
{
	(void)state;
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	if (mkdtemp(path) == NULL)
		return -1;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -1 : 0;
}

static int
teardown(void **state)
{
	(void)state;
	close(dir);
	return atomic_remove(AT_FDCWD, path, NULL);
}

static void
key_of(const char *name, uint8_t key[RECALL_KEY])
{
	recall_key(key, "test", span_str(name), SPAN(""));
}

/* {"v": n} */
static void
add(struct recall *r, const char *name, bool lasting, uint64_t n)
{
	struct buf b = { 0 };
	uint8_t key[RECALL_KEY];

	mp_put_map(&b, 1);
	mp_pair_uint(&b, "v", n);
	key_of(name, key);
	recall_add(r, key, lasting, buf_view(&b));
	buf_fini(&b);
}

/* What is known of name; UINT64_MAX: nothing. */
static uint64_t
find(struct recall *r, const char *name)
{
	uint8_t key[RECALL_KEY];
	struct mp_value v;
	struct span s;

	key_of(name, key);
	return recall_find(r, key, &s) && mp_value(s, &v) ? mp_get_uint(&v, "v", 0) : UINT64_MAX;
}

static void
comes_back(void **state)
{
	struct recall r;
	char name[16];

	(void)state;
	recall_open(&r, dir, "w.recall", NOW);
	assert_int_equal(find(&r, "a"), UINT64_MAX);
	for (uint64_t i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "n%llu", (unsigned long long)i);
		add(&r, name, true, i);
	}
	add(&r, "n7", true, 70); /* the latest counts */
	assert_int_equal(find(&r, "n7"), 70);
	recall_fini(&r); /* as a process does that is killed: nothing is settled */
	recall_open(&r, dir, "w.recall", NOW + HOUR);
	assert_int_equal(find(&r, "n0"), 0);
	assert_int_equal(find(&r, "n7"), 70);
	assert_int_equal(find(&r, "n1999"), 1999);
	assert_int_equal(find(&r, "n2000"), UINT64_MAX);
	assert_int_equal(r.nreused, 3);
	recall_fini(&r);
}

static void
keys_are_told_apart(void **state)
{
	uint8_t a[RECALL_KEY], b[RECALL_KEY];

	(void)state;
	recall_key(a, "profile", SPAN("ab"), SPAN("c"));
	recall_key(b, "profile", SPAN("a"), SPAN("bc"));
	assert_memory_not_equal(a, b, RECALL_KEY);
	recall_key(b, "relate", SPAN("ab"), SPAN("c"));
	assert_memory_not_equal(a, b, RECALL_KEY);
	recall_key(b, "profile", SPAN("ab"), SPAN("c"));
	assert_memory_equal(a, b, RECALL_KEY);
}

/* Nothing vouches for what does not last but its age, and only until a scan is complete. */
static void
some_do_not_last(void **state)
{
	struct recall r;

	(void)state;
	recall_open(&r, dir, "w.recall", NOW);
	add(&r, "old", false, 1);
	add(&r, "good", true, 2);
	add(&r, "unused", true, 3);
	recall_fini(&r);
	recall_open(&r, dir, "w.recall", NOW + HOUR);
	assert_int_equal(find(&r, "old"), 1);
	recall_fini(&r);
	recall_open(&r, dir, "w.recall", NOW + (RECALL_HOURS + 1) * HOUR);
	assert_int_equal(find(&r, "old"), UINT64_MAX);
	assert_int_equal(find(&r, "good"), 2);
	recall_fini(&r);
	recall_open(&r, dir, "w.recall", NOW - HOUR); /* a clock that was set back */
	assert_int_equal(find(&r, "old"), UINT64_MAX);
	assert_int_equal(find(&r, "good"), 2);
	recall_settle(&r);
	recall_fini(&r);
	recall_open(&r, dir, "w.recall", NOW);
	assert_int_equal(find(&r, "old"), UINT64_MAX);
	assert_int_equal(find(&r, "good"), 2);
	assert_int_equal(find(&r, "unused"), UINT64_MAX);
	recall_fini(&r);
}

/* Whatever the file is, what comes back was put there, and more can be added. */
static void
damage_costs_what_is_damaged(void **state)
{
	struct recall r;
	struct buf whole = { 0 };

	(void)state;
	recall_open(&r, dir, "w.recall", NOW);
	for (uint64_t i = 0; i < 5; i++)
		add(&r, (const char *[]){ "a", "b", "c", "d", "e" }[i], true, i);
	recall_fini(&r);
	assert_int_equal(files_read(dir, "w.recall", 1 << 20, &whole, NULL), FILES_OK);
	for (size_t at = 0; at < whole.len * 2; at++) {
		size_t n = at < whole.len ? at : whole.len; /* first cut, then with one bit changed */
		bool intact = true;

		if (at >= whole.len)
			whole.p[at - whole.len] ^= 0x10;
		assert_int_equal(atomic_replace(dir, "w.recall", span_of(whole.p, n), NULL), 0);
		if (at >= whole.len)
			whole.p[at - whole.len] ^= 0x10;
		recall_open(&r, dir, "w.recall", NOW);
		for (uint64_t i = 0; i < 5; i++) {
			uint64_t got = find(&r, (const char *[]){ "a", "b", "c", "d", "e" }[i]);

			if (got != UINT64_MAX)
				assert_int_equal(got, i);
			intact = intact && got != UINT64_MAX;
		}
		assert_false(intact);
		add(&r, "f", true, 5);
		recall_fini(&r);
		recall_open(&r, dir, "w.recall", NOW);
		assert_int_equal(find(&r, "f"), 5);
		recall_fini(&r);
	}
	buf_fini(&whole);
}

static void
a_place_that_cannot_be_written(void **state)
{
	struct recall r;

	(void)state;
	assert_int_equal(symlinkat("/etc/passwd", dir, "w.recall"), 0);
	recall_open(&r, dir, "w.recall", NOW);
	add(&r, "a", true, 1);
	assert_int_equal(find(&r, "a"), 1);
	recall_settle(&r);
	recall_fini(&r);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(comes_back), TEST(keys_are_told_apart), TEST(some_do_not_last), TEST(damage_costs_what_is_damaged),
		TEST(a_place_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
