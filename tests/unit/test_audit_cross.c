// libs: carrel_project carrel_base sodium
/* test_audit_cross.c - audits of several nodes against each other: who is contradicted, by whom, and who is not. */
#include <stdio.h>
#include <string.h>

#include "base/mp.h"
#include "project/audit_cross.h"
#include "tests/unit/harness.h"

static struct audit_cross *cross;
static char told[512];	/* "NODE SEQ KIND;" of each problem */

static int
set_up(void **state)
{
	(void)state;
	cross = audit_cross_new();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	audit_cross_free(cross);
	return 0;
}

static void
on_problem(void *arg, const char *node, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	size_t used = strlen(told);

	(void)arg;
	assert_true(message[0] != '\0');
	snprintf(told + used, sizeof(told) - used, "%s %llu %s;", node, (unsigned long long)seq,
	    audit_problem_name(kind));
}

static const char *
judge(bool absent)
{
	told[0] = '\0';
	(void)audit_cross_judge(cross, absent, on_problem, NULL);
	return told;
}

static void
put_hex(struct buf *out, const char *key, uint8_t byte, size_t n)
{
	uint8_t bytes[AUDIT_HASH];
	struct buf hex = { .max = 0 };

	memset(bytes, byte, sizeof(bytes));
	audit_hex(&hex, bytes, n);
	mp_pair_str(out, key, buf_view(&hex));
	buf_fini(&hex);
}

/* What a checkpoint says of another chain; node NULL: nothing. */
struct claim {
	const char	*node;
	uint8_t		 chain, hash;
	uint64_t	 seq;
};

/* A checkpoint of the chain whose hash has this byte, which names one other. */
static void
add_checkpoint(struct audit_cross_chain *c, uint64_t seq, uint8_t hash, const char *node, uint8_t chain,
    struct claim of)
{
	uint8_t bytes[AUDIT_HASH];
	struct buf policy = { .max = 0 };
	struct mp_value map;
	size_t at = mp_open_pairs(&policy, mp_cstr("node", node)), list, one;

	put_hex(&policy, "chain", chain, AUDIT_CHAIN);
	list = mp_pair_open_array(&policy, "others");
	if (of.node != NULL) {
		one = mp_open_pairs(&policy, mp_cstr("node", of.node), mp_uint("seq", of.seq));
		put_hex(&policy, "chain", of.chain, AUDIT_CHAIN);
		put_hex(&policy, "hash", of.hash, AUDIT_HASH);
		mp_end(&policy, one);
	}
	mp_end(&policy, list);
	mp_end(&policy, at);
	assert_true(mp_value(buf_view(&policy), &map));
	memset(bytes, hash, sizeof(bytes));
	audit_cross_checkpoint(c, seq, bytes, hash != 0, &map);
	buf_fini(&policy);
}

static const struct claim nothing;

/* north, to which south's checkpoint 20 was 0x22, and south as it is given. */
static void
add_two(uint8_t hash, uint64_t first, uint64_t last)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl"),
				 *south = audit_cross_begin(cross, NULL, "south.jsonl");

	add_checkpoint(north, 10, 0x11, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	audit_cross_ends(north, 1, 10);
	if (last >= 15 && first <= 15)
		add_checkpoint(south, 15, 0x21, "south", 2, nothing);
	if (last >= 20 && first <= 20)
		add_checkpoint(south, 20, hash, "south", 2, nothing);
	if (last >= 30)
		add_checkpoint(south, 30, 0x23, "south", 2, nothing);
	audit_cross_ends(south, first, last);
}

static void
test_whole(void **state)
{
	(void)state;
	add_two(0x22, 1, 30);
	assert_string_equal(judge(true), "");
}

static void
test_cut_off(void **state)
{
	(void)state;
	add_two(0x22, 1, 17);
	assert_string_equal(judge(true), "south 18 missing;");
}

static void
test_written_anew(void **state)
{
	(void)state;
	add_two(0x99, 1, 30);
	assert_string_equal(judge(true), "south 20 changed;");
}

static void
test_behind_retention(void **state)
{
	(void)state;
	add_two(0x22, 25, 30);
	assert_string_equal(judge(true), "");
}

static void
test_absent(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl");

	(void)state;
	add_checkpoint(north, 10, 0x11, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	add_checkpoint(north, 20, 0x12, "north", 1, (struct claim){ "south", 2, 0x24, 40 });
	audit_cross_ends(north, 1, 20);
	assert_string_equal(judge(false), "");
	assert_string_equal(judge(true), "south 1 missing;");
}

/* What a checkpoint without a good signature says is worth nothing. */
static void
test_unsigned(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl");

	(void)state;
	add_checkpoint(north, 10, 0, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	audit_cross_ends(north, 1, 10);
	assert_string_equal(judge(true), "");
	assert_string_equal(audit_cross_name(north), "north.jsonl");
}

/* A node under another name: one audit with two numbers.  What the other one is blamed for, it is not. */
static void
test_renamed(void **state)
{
	struct audit_cross_chain *west = audit_cross_begin(cross, NULL, "west.jsonl"), *copy;

	(void)state;
	add_checkpoint(west, 9, 0x31, "west", 3, (struct claim){ "south", 2, 0x22, 20 });
	audit_cross_ends(west, 1, 9);
	copy = audit_cross_begin(cross, NULL, "copy.jsonl");
	add_checkpoint(copy, 15, 0x21, "south", 2, nothing);
	add_checkpoint(copy, 20, 0x22, "south", 2, nothing);
	add_checkpoint(copy, 25, 0x55, "east", 5, nothing);
	audit_cross_ends(copy, 1, 25);
	assert_string_equal(judge(true), "");
	assert_string_equal(audit_cross_name(copy), "east");
	/* The claim of 20 is south's, of which there is one now: it has another entry, and east is not asked. */
	add_two(0x99, 1, 30);
	assert_string_equal(judge(true), "south 20 changed;");
}

/* A node's file and its copy: where both have a checkpoint, it is the same. */
static void
test_twins(void **state)
{
	uint8_t id[AUDIT_CHAIN];
	struct audit_cross_chain *own, *copy;

	(void)state;
	memset(id, 2, sizeof(id));
	own = audit_cross_begin(cross, id, "south");
	add_checkpoint(own, 10, 0x41, "south", 2, nothing);
	add_checkpoint(own, 20, 0x42, "south", 2, nothing);
	audit_cross_ends(own, 1, 20);
	copy = audit_cross_begin(cross, id, "south");
	add_checkpoint(copy, 10, 0x41, "south", 2, nothing);
	audit_cross_ends(copy, 1, 15); /* it is behind */
	assert_string_equal(judge(true), "");
	copy = audit_cross_begin(cross, id, "south");
	add_checkpoint(copy, 10, 0x77, "south", 2, nothing);
	audit_cross_ends(copy, 1, 15);
	assert_string_equal(judge(true), "south 10 changed;south 10 changed;");
}

int
main(void)
{
#define CROSS_TEST(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CROSS_TEST(test_whole),
		CROSS_TEST(test_cut_off),
		CROSS_TEST(test_written_anew),
		CROSS_TEST(test_behind_retention),
		CROSS_TEST(test_absent),
		CROSS_TEST(test_unsigned),
		CROSS_TEST(test_renamed),
		CROSS_TEST(test_twins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
