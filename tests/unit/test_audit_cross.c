// libs: carrel_project carrel_base sodium
/* test_audit_cross.c - audits of several nodes against each other: who is contradicted, by whom, and who is not. */
#include <stdio.h>
#include <string.h>

#include "base/mp.h"
#include "base/system/clock.h"
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
	audit_cross_checkpoint(c, seq, bytes, hash == 0 ? AUDIT_UNSIGNED : AUDIT_SEALS, &map);
	buf_fini(&policy);
}

/* The chain ends with an entry that a record names. */
static void
end(struct audit_cross_chain *c, uint64_t first, uint64_t last)
{
	audit_cross_ends(c, &(struct audit_check){ .first_seq = first, .last_seq = last, .linked = true }, true);
}

/* It is a file, signed with a key of these bytes. */
static void
end_file(struct audit_cross_chain *c, uint64_t last, uint8_t key)
{
	struct audit_check k = { .first_seq = 1, .last_seq = last, .linked = true, .has_key = true };

	memset(k.key, key, sizeof(k.key));
	audit_cross_ends(c, &k, false);
}

static const struct claim nothing;

/* north, to which south's checkpoint 20 was 0x22, and south as it is given. */
static void
add_two(uint8_t hash, uint64_t first, uint64_t last)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl"),
				 *south = audit_cross_begin(cross, NULL, "south.jsonl");

	add_checkpoint(north, 10, 0x11, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	end(north, 1, 10);
	if (last >= 15 && first <= 15)
		add_checkpoint(south, 15, 0x21, "south", 2, nothing);
	if (last >= 20 && first <= 20)
		add_checkpoint(south, 20, hash, "south", 2, nothing);
	if (last >= 30)
		add_checkpoint(south, 30, 0x23, "south", 2, nothing);
	end(south, first, last);
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
	end(north, 1, 20);
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
	end(north, 1, 10);
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
	end(west, 1, 9);
	copy = audit_cross_begin(cross, NULL, "copy.jsonl");
	add_checkpoint(copy, 15, 0x21, "south", 2, nothing);
	add_checkpoint(copy, 20, 0x22, "south", 2, nothing);
	add_checkpoint(copy, 25, 0x55, "east", 5, nothing);
	end(copy, 1, 25);
	assert_string_equal(judge(true), "");
	assert_string_equal(audit_cross_name(copy), "east");
	/* The claim of 20 is south's, of which there is one now: it has another entry, and east is not asked. */
	add_two(0x99, 1, 30);
	assert_string_equal(judge(true), "south 20 changed;south 20 changed;"); /* and it is a fork of east */
}

/* A file that was copied, or put back, goes on under another number, which nobody names. */
static void
test_fork(void **state)
{
	struct audit_cross_chain *south = audit_cross_begin(cross, NULL, "south.jsonl"), *fork;

	(void)state;
	add_checkpoint(south, 6, 0x21, "south", 2, nothing);
	add_checkpoint(south, 12, 0x22, "south", 2, nothing);
	add_checkpoint(south, 18, 0x23, "south", 2, nothing);
	end(south, 1, 20);
	fork = audit_cross_begin(cross, NULL, "renamed.jsonl");
	add_checkpoint(fork, 6, 0x21, "south", 2, nothing);
	add_checkpoint(fork, 12, 0x22, "east", 9, nothing);
	end(fork, 1, 15); /* it was renamed, and is behind */
	assert_string_equal(judge(true), "");
	fork = audit_cross_begin(cross, NULL, "fork.jsonl");
	add_checkpoint(fork, 6, 0x21, "south", 2, nothing);
	add_checkpoint(fork, 14, 0x77, "west", 8, nothing);
	end(fork, 1, 16);
	assert_string_equal(judge(true), "west 12 changed;west 12 changed;"); /* of each of the two */
}

/* What a machine had before it shared a store is in the audit of its clone as well: nothing is hidden by that. */
static void
test_clone(void **state)
{
	static const uint8_t hash[AUDIT_HASH] = { 5 };
	const struct mp_value policy = { .class = MP_NIL };

	(void)state;
	for (uint8_t i = 1; i <= 2; i++) {
		struct audit_cross_chain *c = audit_cross_begin(cross, NULL, "clone");

		audit_cross_checkpoint(c, 2, hash, AUDIT_SEALS, &policy);
		add_checkpoint(c, 6, (uint8_t)(0x40 + i), i == 1 ? "north" : "south", i, nothing);
		end(c, 1, 6);
	}
	assert_string_equal(judge(true), "");
}

/* What a checkpoint with a seal says counts at once. */
static void
test_sealed(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl");

	(void)state;
	add_checkpoint(north, 10, 0x11, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	audit_cross_sealed(north);
	end_file(north, 15, 1);
	assert_string_equal(audit_cross_name(north), "north");
	assert_string_equal(judge(true), "south 1 missing;");
}

/* Written anew, with the node's key, and from there on under another number, as if it had been renamed. */
static void
test_renumbered(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl"), *liar;

	(void)state;
	add_checkpoint(north, 10, 0x11, "north", 1, (struct claim){ "south", 2, 0x21, 6 });
	add_checkpoint(north, 20, 0x12, "north", 1, (struct claim){ "south", 2, 0x22, 12 });
	add_checkpoint(north, 30, 0x13, "north", 1, (struct claim){ "south", 2, 0x23, 18 });
	end(north, 1, 30);
	liar = audit_cross_begin(cross, NULL, "liar.jsonl");
	add_checkpoint(liar, 6, 0x21, "south", 2, nothing);
	add_checkpoint(liar, 12, 0x99, "south", 9, nothing);
	end(liar, 1, 12);
	assert_string_equal(judge(true), "south 12 changed;south 13 missing;");
}

/* What the last checkpoint of a file says may be anybody's word; a later one that follows it makes it count. */
static void
test_unsealed(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl");

	(void)state;
	add_checkpoint(north, 10, 0x11, "north", 1, nothing);
	add_checkpoint(north, 20, 0x12, "evil", 7, (struct claim){ "south", 2, 0x22, 20 });
	end_file(north, 25, 1);
	assert_string_equal(audit_cross_name(north), "north");
	assert_string_equal(judge(true), "");
	north = audit_cross_begin(cross, NULL, "north.jsonl");
	add_checkpoint(north, 10, 0x11, "north", 1, nothing);
	add_checkpoint(north, 20, 0x13, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	add_checkpoint(north, 30, 0x14, "north", 1, nothing);
	end_file(north, 30, 1);
	assert_string_equal(judge(true), "south 1 missing;north 20 changed;");
}

/* Its number is said by a file's only checkpoint: it is not missed, and held to what others say. */
static void
test_only_checkpoint(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl"),
				 *south = audit_cross_begin(cross, NULL, "south.jsonl");

	(void)state;
	add_checkpoint(north, 10, 0x11, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	add_checkpoint(north, 20, 0x12, "north", 1, nothing);
	end_file(north, 20, 1);
	add_checkpoint(south, 20, 0x22, "south", 2, (struct claim){ "north", 1, 0x77, 20 });
	end_file(south, 20, 1);
	assert_string_equal(audit_cross_name(south), "south");
	assert_string_equal(judge(true), "");
}

/* A file that somebody made with a key of his own accuses nobody. */
static void
test_other_key(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl"),
				 *south = audit_cross_begin(cross, NULL, "south.jsonl");

	(void)state;
	add_checkpoint(north, 10, 0x11, "north", 1, nothing);
	add_checkpoint(north, 20, 0x12, "north", 1, nothing);
	end_file(north, 20, 1);
	add_checkpoint(south, 10, 0x22, "south", 2, (struct claim){ "north", 1, 0x99, 10 });
	add_checkpoint(south, 20, 0x23, "south", 2, nothing);
	end_file(south, 20, 2);
	told[0] = '\0';
	assert_int_equal(audit_cross_keys(cross, on_problem, NULL), 1);
	assert_string_equal(told, "south 1 checkpoint;");
	assert_string_equal(judge(true), "");
}

/* Also if his is the first; those of one key go on contradicting each other. */
static void
test_other_key_first(void **state)
{
	struct audit_cross_chain *evil = audit_cross_begin(cross, NULL, "evil.jsonl"), *north, *south;

	(void)state;
	add_checkpoint(evil, 10, 0x33, "evil", 3, (struct claim){ "north", 1, 0x99, 10 });
	add_checkpoint(evil, 20, 0x34, "evil", 3, nothing);
	end_file(evil, 20, 2);
	north = audit_cross_begin(cross, NULL, "north.jsonl");
	add_checkpoint(north, 10, 0x11, "north", 1, (struct claim){ "south", 2, 0x22, 20 });
	add_checkpoint(north, 20, 0x12, "north", 1, nothing);
	end_file(north, 20, 1);
	south = audit_cross_begin(cross, NULL, "south.jsonl");
	add_checkpoint(south, 20, 0x99, "south", 2, nothing);
	add_checkpoint(south, 30, 0x23, "south", 2, nothing);
	end_file(south, 30, 1);
	assert_int_equal(audit_cross_keys(cross, on_problem, NULL), 2);
	assert_string_equal(judge(true), "south 20 changed;");
}

/* Many chains are named by many checkpoints: the time is that of reading them. */
static void
test_many(void **state)
{
	struct audit_cross_chain *north = audit_cross_begin(cross, NULL, "north.jsonl");
	uint64_t began = clock_ns();
	uint8_t hash[AUDIT_HASH] = { 1 };

	(void)state;
	for (uint32_t i = 1; i <= 100000; i++) {
		struct buf policy = { .max = 0 };
		struct mp_value map;
		char id[2 * AUDIT_CHAIN + 1];
		size_t at = mp_open_pairs(&policy, mp_cstr("node", "north")), list, one;

		snprintf(id, sizeof(id), "%032x", i);
		mp_pair_cstr(&policy, "chain", id);
		list = mp_pair_open_array(&policy, "others");
		one = mp_open_pairs(&policy, mp_uint("seq", 1), mp_cstr("chain", id));
		put_hex(&policy, "hash", 1, AUDIT_HASH);
		mp_end(&policy, one);
		mp_end(&policy, list);
		mp_end(&policy, at);
		assert_true(mp_value(buf_view(&policy), &map));
		audit_cross_checkpoint(north, i, hash, AUDIT_SEALS, &map);
		buf_fini(&policy);
	}
	end(north, 1, 100000);
	assert_string_equal(judge(false), "");
	assert_true(clock_ns() - began < 5 * CLOCK_SECOND);
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
	end(own, 1, 20);
	copy = audit_cross_begin(cross, id, "south");
	add_checkpoint(copy, 10, 0x41, "south", 2, nothing);
	end(copy, 1, 15); /* it is behind */
	assert_string_equal(judge(true), "");
	copy = audit_cross_begin(cross, id, "south");
	add_checkpoint(copy, 10, 0x77, "south", 2, nothing);
	end(copy, 1, 15);
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
		CROSS_TEST(test_fork),
		CROSS_TEST(test_clone),
		CROSS_TEST(test_sealed),
		CROSS_TEST(test_renumbered),
		CROSS_TEST(test_unsealed),
		CROSS_TEST(test_only_checkpoint),
		CROSS_TEST(test_other_key),
		CROSS_TEST(test_other_key_first),
		CROSS_TEST(test_many),
		CROSS_TEST(test_twins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
