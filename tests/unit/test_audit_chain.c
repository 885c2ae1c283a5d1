// libs: carrel_auth carrel_project carrel_policy carrel_base sodium
/* test_audit_chain.c - whatever is done to the entries of an audit is found, wherever it is done. */
#include <stdio.h>
#include <stdlib.h>

#include <sodium.h>

#include "base/json/json_write.h"
#include "base/mp.h"
#include "project/audit_chain.h"
#include "tests/unit/harness.h"
#include "workers/auth/audit/audit_entry.h"

#define LENGTH	2345u
#define ROOM	(LENGTH + 8)
#define ZEROS	"0000000000000000000000000000000000000000000000000000000000000000"

struct row {
	uint64_t	key;
	char		text[AUDIT_ENTRY_MAX + 1];
	size_t		len;
	char		hash[AUDIT_HASH_TEXT + 1];
};

static struct row *original, *rows;
static unsigned nrows, found, kinds[AUDIT_HEAD + 1];
static uint64_t first_found;
static uint8_t seed[32], mac_key[32];
static struct audit_expected expected;

static void
row_hash(struct row *r, const uint8_t prev[AUDIT_HASH], uint8_t hash[AUDIT_HASH])
{
	struct buf hex = { .max = 0 };

	audit_hash(prev, span_of(r->text, r->len), hash);
	audit_hex(&hex, hash, AUDIT_HASH);
	memcpy(r->hash, buf_cstr(&hex), sizeof(r->hash));
	buf_fini(&hex);
}

static void
put_signature(struct buf *policy, const uint8_t *key, uint64_t seq, const uint8_t prev[AUDIT_HASH], uint64_t first,
    const uint8_t *seal)
{
	uint8_t public[AUDIT_PUBLIC], signature[AUDIT_SIGNATURE];
	struct buf hex = { .max = 0 };

	audit_sign(key, seq, prev, public, signature);
	mp_put_map(policy, seal == NULL ? 3 : 4);
	audit_hex(&hex, public, sizeof(public));
	mp_pair_str(policy, "public_key", buf_view(&hex));
	buf_reset(&hex, SIZE_MAX);
	audit_hex(&hex, signature, sizeof(signature));
	mp_pair_str(policy, "signature", buf_view(&hex));
	mp_pair_uint(policy, "first_seq", first);
	buf_reset(&hex, SIZE_MAX);
	if (seal != NULL) {
		audit_hex(&hex, seal, AUDIT_SIGNATURE);
		mp_pair_str(policy, "seal", buf_view(&hex));
	}
	buf_fini(&hex);
}

static bool sealing; /* checkpoints have a seal: of former versions they have none */

static void
put_policy(struct buf *policy, const uint8_t *key, uint64_t seq, const uint8_t prev[AUDIT_HASH], uint64_t first)
{
	struct buf plain = { .max = 0 }, text = { .max = 0 };
	uint8_t seal[AUDIT_SIGNATURE];
	struct mp_value map;

	put_signature(&plain, key, seq, prev, first, NULL);
	assert_true(mp_value(buf_view(&plain), &map));
	json_write(&text, &map);
	audit_chain_seal(key, seq, prev, buf_view(&text), seal);
	put_signature(policy, key, seq, prev, first, sealing ? seal : NULL);
	buf_fini(&text);
	buf_fini(&plain);
}

/* Write entry seq behind prev, which becomes its hash. */
static void
make_row(struct row *r, uint64_t seq, uint8_t prev[AUDIT_HASH], const uint8_t *key, uint64_t first, const char *target)
{
	bool checkpoint = seq % AUDIT_CHECKPOINT_EVERY == 0 || seq == LENGTH;
	struct audit_entry e =
	    audit_entry_of(checkpoint ? AUDIT_ACTION_CHECKPOINT : AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
	struct buf text = { .max = 0 }, policy = { .max = 0 };

	e.seq = seq;
	e.at_unix_ms = UINT64_C(1763847256000) + seq;
	e.target = span_str(target);
	memcpy(e.prev, prev, AUDIT_HASH);
	if (checkpoint) {
		put_policy(&policy, key, seq, prev, first);
		e.policy = buf_view(&policy);
	}
	audit_entry_put(&text, &e);
	r->key = seq;
	r->len = text.len;
	memcpy(r->text, text.p, text.len);
	row_hash(r, prev, prev);
	buf_fini(&text);
	buf_fini(&policy);
}

static void
make_chain(struct row *out, const uint8_t *key, uint64_t from, uint64_t first, const char *target)
{
	uint8_t prev[AUDIT_HASH] = { 0 };

	if (from > 1)
		assert_true(audit_unhex(span_str(out[from - 2].hash), prev, AUDIT_HASH));
	for (uint64_t seq = from; seq <= LENGTH; seq++)
		make_row(&out[seq - 1], seq, prev, key, first, target);
}

static void
on_problem(void *arg, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	(void)arg;
	assert_true(message[0] != '\0' && strlen(message) < 256);
	if (found++ == 0)
		first_found = seq;
	kinds[kind]++;
}

static void
check(const struct audit_expected *e)
{
	struct audit_check k = { .expected = *e, .problem = on_problem };

	found = 0;
	memset(kinds, 0, sizeof(kinds));
	for (unsigned i = 0; i < nrows; i++)
		audit_check_entry(&k, rows[i].key, span_of(rows[i].text, rows[i].len), span_str(rows[i].hash));
	audit_check_end(&k);
	assert_int_equal(k.problems, found);
}

static void
restore(void)
{
	memcpy(rows, original, LENGTH * sizeof(*rows));
	nrows = LENGTH;
}

static void
row_remove(unsigned at)
{
	memmove(&rows[at], &rows[at + 1], (nrows - at - 1) * sizeof(*rows));
	nrows--;
}

static void
row_insert(unsigned at, const struct row *r)
{
	struct row copy = *r;

	memmove(&rows[at + 1], &rows[at], (nrows - at) * sizeof(*rows));
	rows[at] = copy;
	nrows++;
}

static int
set_up(void **state)
{
	uint8_t signature[AUDIT_SIGNATURE], zeros[AUDIT_HASH] = { 0 };

	(void)state;
	if (sodium_init() < 0)
		return -1;
	memset(seed, 7, sizeof(seed));
	memset(mac_key, 9, sizeof(mac_key));
	original = calloc(ROOM, sizeof(*original));
	rows = calloc(ROOM, sizeof(*rows));
	make_chain(original, seed, 1, 1, "sql_execution");
	expected = (struct audit_expected){
		.whole = true, .has_key = true,
		.ends = { .heads = 1, .head_is = AUDIT_SOUND, .head.seq = LENGTH, .mark_is = AUDIT_SOUND, .mark = 1,
		    .copy_is = AUDIT_SOUND },
	};
	audit_sign(seed, 1, zeros, expected.key, signature);
	audit_unhex(span_str(original[LENGTH - 1].hash), expected.ends.head.hash, AUDIT_HASH);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	free(original);
	free(rows);
	return 0;
}

/* --- tests ----------------------------------------------------------------------------------- */

static void
an_untouched_chain_is_sound(void **state)
{
	(void)state;
	restore();
	check(&expected);
	assert_int_equal(found, 0);
}

static void
a_changed_byte_is_found_anywhere(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (unsigned n = 0; n < 120; n++) {
		unsigned at = n == 0 ? 0 : n == 1 ? LENGTH - 1 : (unsigned)(test_random(&random) % LENGTH);
		size_t byte = test_random(&random) % rows[at].len;

		restore();
		rows[at].text[byte] ^= (char)(1 + test_random(&random) % 7);
		check(&expected);
		assert_true(found > 0);
		assert_true(kinds[AUDIT_CHANGED] + kinds[AUDIT_MOVED] + kinds[AUDIT_MISSING] > 0);
	}
}

static void
a_changed_hash_is_found(void **state)
{
	uint64_t random = 2;

	(void)state;
	for (unsigned n = 0; n < 40; n++) {
		unsigned at = n == 0 ? 0 : n == 1 ? LENGTH - 1 : (unsigned)(test_random(&random) % LENGTH);

		restore();
		rows[at].hash[test_random(&random) % AUDIT_HASH_TEXT] = 'x';
		check(&expected);
		assert_int_equal(found, 1);
		assert_int_equal(kinds[AUDIT_CHANGED], 1);
		assert_int_equal(first_found, at + 1);
	}
}

/* Who changes an entry may give it the hash that it has then. */
static void
a_changed_entry_with_its_new_hash_is_found(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (unsigned n = 0; n < 40; n++) {
		unsigned at = n == 0 ? 0 : n == 1 ? LENGTH - 1 : (unsigned)(test_random(&random) % LENGTH);
		uint8_t prev[AUDIT_HASH] = { 0 }, hash[AUDIT_HASH];
		char *place;

		restore();
		place = strstr(rows[at].text, "\"duration_ms\":0");
		assert_non_null(place);
		place[sizeof("\"duration_ms\":") - 1] = '5';
		if (at > 0)
			audit_unhex(span_str(rows[at - 1].hash), prev, AUDIT_HASH);
		row_hash(&rows[at], prev, hash);
		check(&expected);
		assert_int_equal(found, 1);
		assert_int_equal(kinds[AUDIT_CHANGED], 1);
		assert_int_equal(first_found, at + 1);
	}
}

static void
a_removed_entry_is_found_and_named(void **state)
{
	uint64_t random = 4;

	(void)state;
	for (unsigned n = 0; n < 60; n++) {
		unsigned at = n == 0 ? 0 : n == 1 ? LENGTH - 1 : (unsigned)(test_random(&random) % LENGTH);

		restore();
		row_remove(at);
		if (n % 2 == 1) /* and those behind it are stored under one number less */
			for (unsigned i = at; i < nrows; i++)
				rows[i].key--;
		check(&expected);
		assert_true(kinds[AUDIT_MISSING] >= 1);
		assert_int_equal(found, 1);
		assert_int_equal(first_found, at + 1);
	}
}

static void
an_inserted_entry_is_found_and_named(void **state)
{
	uint64_t random = 5;

	(void)state;
	for (unsigned n = 0; n < 60; n++) {
		unsigned at = n == 0 ? LENGTH : 1 + (unsigned)(test_random(&random) % LENGTH);
		uint8_t prev[AUDIT_HASH];
		struct row forged;

		restore();
		audit_unhex(span_str(rows[at - 1].hash), prev, AUDIT_HASH);
		make_row(&forged, at + 1, prev, seed, 1, "forged");
		row_insert(at, &forged);
		for (unsigned i = at + 1; i < nrows; i++)
			rows[i].key++;
		check(&expected);
		assert_int_equal(kinds[AUDIT_INSERTED], 1);
		assert_int_equal(first_found, at + 1);
		assert_int_equal(found, 1);
	}
}

/* In an export entries have no keys: their lines may be in any order. */
static void
moved_entries_are_found(void **state)
{
	uint64_t random = 6;

	(void)state;
	for (unsigned n = 0; n < 60; n++) {
		unsigned a = (unsigned)(test_random(&random) % LENGTH), b = (unsigned)(test_random(&random) % LENGTH);
		struct row keep;

		if (a == b)
			continue;
		restore();
		keep = rows[a];
		rows[a] = rows[b];
		rows[b] = keep;
		for (unsigned i = 0; i < nrows; i++)
			rows[i].key = n % 2 == 0 ? 0 : i + 1;
		check(&expected);
		assert_true(kinds[AUDIT_MOVED] > 0);
		/* Where the first of all moved, the others begin with what was in its place. */
		assert_true(found > 0);
	}
}

/* Who can write the file, and has no key, may write all of it anew. */
static void
a_rewritten_chain_fits_neither_signatures_nor_head(void **state)
{
	uint8_t other[32] = { 1 };
	struct audit_expected e = expected;

	(void)state;
	restore();
	make_chain(rows, other, 1, 1, "forged");
	check(&e);
	assert_int_equal(kinds[AUDIT_CHECKPOINT], 3);
	assert_int_equal(kinds[AUDIT_CHANGED], 1);
	e.ends.head_is = AUDIT_FORGED;
	check(&e);
	assert_int_equal(kinds[AUDIT_HEAD], 1);
	restore();
	make_chain(rows, other, 1500, 1, "forged");
	check(&e);
	assert_int_equal(kinds[AUDIT_CHECKPOINT], 2);
	e.ends.heads = 0;
	e.ends.head_is = AUDIT_ABSENT;
	check(&e);
	assert_int_equal(kinds[AUDIT_HEAD], 1);
}

static enum audit_trust trusts[3];
static unsigned ntrusts;

static void
on_checkpoint(void *arg, uint64_t seq, const uint8_t hash[AUDIT_HASH], enum audit_trust trust,
    const struct mp_value *policy)
{
	(void)arg, (void)seq, (void)hash;
	assert_int_equal(policy->class, MP_MAP);
	trusts[ntrusts++] = trust;
}

/* Whether the newest of the three checkpoints seals the one before, and whether the end follows the newest one. */
static void
check_trust(enum audit_trust second, enum audit_trust third, bool linked)
{
	struct audit_check k = { .problem = on_problem, .checkpoint = on_checkpoint };

	ntrusts = 0;
	for (unsigned i = 0; i < nrows; i++)
		audit_check_entry(&k, 0, span_of(rows[i].text, rows[i].len), span_str(rows[i].hash));
	assert_int_equal(ntrusts, 3);
	assert_int_equal(trusts[1], second);
	assert_int_equal(trusts[2], third);
	assert_int_equal(k.linked, linked);
}

/* A checkpoint's own policy is not what it signs: another one that follows it unbroken says that it is as it was. */
static void
a_checkpoint_is_sealed_by_an_unbroken_chain_to_the_next(void **state)
{
	uint8_t prev[AUDIT_HASH];
	char *at;

	(void)state;
	restore();
	check_trust(AUDIT_SEALS, AUDIT_SEALS, true);
	/* Its policy is changed, and its hash fits: the next entry names another one. */
	assert_non_null(at = strstr(rows[999].text, "\"first_seq\":1"));
	at[12] = '2';
	assert_true(audit_unhex(span_str(rows[998].hash), prev, AUDIT_HASH));
	row_hash(&rows[999], prev, prev);
	check_trust(AUDIT_SIGNED, AUDIT_SEALS, true);
	/* So that nothing contradicts it, what follows is removed: no better. */
	row_remove(1000);
	check_trust(AUDIT_SIGNED, AUDIT_SEALS, true);
	/* What is no entry. */
	restore();
	rows[2100].len = 7;
	check_trust(AUDIT_SEALS, AUDIT_SIGNED, true);
	restore();
	rows[1999].hash[0] = rows[1999].hash[0] == 'a' ? 'b' : 'a';
	check_trust(AUDIT_UNSIGNED, AUDIT_SEALS, true);
}

/* Replace a part of the last entry's text, and give it a hash that fits: as anybody can. */
static void
forge_last(const char *part, size_t len, const char *by)
{
	struct row *last = &rows[LENGTH - 1];
	char *at = strstr(last->text, part), rest[AUDIT_ENTRY_MAX + 1];
	uint8_t prev[AUDIT_HASH];

	assert_non_null(at);
	snprintf(rest, sizeof(rest), "%s", at + len);
	last->len = (size_t)(at - last->text) +
	    (size_t)snprintf(at, sizeof(last->text) - (size_t)(at - last->text), "%s%s", by, rest);
	assert_true(audit_unhex(span_str(rows[LENGTH - 2].hash), prev, AUDIT_HASH));
	row_hash(last, prev, prev);
}

static void
check_forged(const struct audit_expected *e, unsigned problems)
{
	check(e);
	assert_int_equal(found, problems);
	assert_int_equal(kinds[AUDIT_CHECKPOINT], problems);
	if (problems > 0)
		assert_int_equal(first_found, LENGTH);
	restore();
}

/* Of the last checkpoint of a file, whose hash nothing names. */
static void
what_the_last_checkpoint_says_cannot_be_forged(void **state)
{
	struct audit_expected file = { .whole = false }, named = { .named = true };
	struct row *keep = original;
	char nested[AUDIT_ENTRY_MAX + 1], *from, *to;

	(void)state;
	sealing = true;
	restore();
	make_chain(rows, seed, 1, 1, "sealed");
	original = malloc(ROOM * sizeof(*original));
	memcpy(original, rows, ROOM * sizeof(*original));
	check_forged(&file, 0);
	forge_last("\"first_seq\":1", 13, "\"first_seq\":2");
	check_forged(&file, 1);
	/* The seal taken off. */
	forge_last(",\"seal\":\"", 9 + 2 * AUDIT_SIGNATURE + 1, "");
	check_forged(&file, 1);
	forge_last(",\"seal\":\"", 9 + 2 * AUDIT_SIGNATURE + 1, "");
	check_forged(&named, 0);
	/* That of another one, and what is no seal. */
	from = strstr(original[1999].text, ",\"seal\"");
	snprintf(nested, sizeof(nested), "%.*s", 9 + 2 * AUDIT_SIGNATURE + 1, from);
	forge_last(",\"seal\":\"", 9 + 2 * AUDIT_SIGNATURE + 1, nested);
	check_forged(&file, 1);
	forge_last(",\"seal\":\"", 12, ",\"seal\":\"xy");
	check_forged(&file, 1);
	/* What was sealed stands before what is read. */
	from = strstr(original[LENGTH - 1].text, "\"policy\":");
	to = strstr(from, "},");
	snprintf(nested, sizeof(nested), "\"x\":{%.*s},\"policy\":{\"node\":\"evil\",", (int)(to + 1 - from), from);
	forge_last("\"policy\":{", 10, nested);
	check_forged(&file, 1);
	/* Former versions wrote the first part. */
	sealing = false;
	make_chain(rows, seed, 1, 1, "unsealed");
	memcpy(original, rows, ROOM * sizeof(*original));
	check_forged(&file, 0);
	free(original);
	original = keep;
}

static void
newest_entries_that_were_cut_off_are_found(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= LENGTH; n += 333) {
		restore();
		nrows -= n;
		check(&expected);
		assert_int_equal(found, 1);
		assert_int_equal(kinds[AUDIT_MISSING], 1);
		assert_int_equal(first_found, LENGTH - n + 1);
	}
	restore();
	nrows = 0;
	check(&expected);
	assert_int_equal(kinds[AUDIT_MISSING], 1);
}

/* What retention removes ends at a checkpoint, and the next checkpoint says so. */
static void
what_retention_left_is_sound_and_nothing_less(void **state)
{
	struct audit_expected e = expected;

	(void)state;
	restore();
	make_chain(rows, seed, 1001, 1000, "sql_execution");
	audit_unhex(span_str(rows[LENGTH - 1].hash), e.ends.head.hash, AUDIT_HASH);
	e.ends.mark = 1000;
	memmove(rows, rows + 999, (LENGTH - 999) * sizeof(*rows));
	nrows = LENGTH - 999;
	check(&e);
	assert_int_equal(found, 0);
	row_remove(0); /* one more */
	check(&e);
	assert_true(kinds[AUDIT_MISSING] > 0);
	for (unsigned i = 1; i < 1000; i++) /* up to the next checkpoint */
		row_remove(0);
	assert_int_equal(rows[0].key, 2000);
	check(&e);
	assert_int_equal(found, 1);
	assert_int_equal(kinds[AUDIT_MISSING], 1);
	restore(); /* up to a checkpoint, without retention */
	memmove(rows, rows + 999, (LENGTH - 999) * sizeof(*rows));
	nrows = LENGTH - 999;
	check(&expected);
	assert_int_equal(kinds[AUDIT_MISSING], 1);
}

static void
a_checkpoint_that_is_none_is_found(void **state)
{
	uint8_t prev[AUDIT_HASH];
	struct audit_expected e = { .whole = false };

	(void)state;
	restore();
	audit_unhex(span_str(rows[998].hash), prev, AUDIT_HASH);
	{
		struct audit_entry plain = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
		struct buf text = { .max = 0 };

		plain.seq = 1000;
		memcpy(plain.prev, prev, AUDIT_HASH);
		audit_entry_put(&text, &plain);
		memcpy(rows[999].text, text.p, text.len);
		rows[999].len = text.len;
		row_hash(&rows[999], prev, prev);
		buf_fini(&text);
	}
	nrows = 1000;
	check(&e);
	assert_int_equal(kinds[AUDIT_CHECKPOINT], 1);
	assert_int_equal(first_found, 1000);
}

static void
a_line_of_an_export_is_taken_apart_as_it_was_put_together(void **state)
{
	struct buf line = { .max = 0 }, text = { .max = 0 };
	struct span hash;

	(void)state;
	audit_line_put(&line, span_of(original[3].text, original[3].len), span_str(original[3].hash));
	assert_true(audit_line_read(buf_view(&line), &text, &hash));
	assert_true(span_is(buf_view(&text), span_of(original[3].text, original[3].len)));
	assert_true(span_is_str(hash, original[3].hash));
	for (size_t n = 0; n < line.len; n++)
		assert_false(audit_line_read(span_of(line.p, n), &text, &hash));
	buf_fini(&line);
	buf_fini(&text);
}

/* What is in the file need not be an audit at all. */
static void
bytes_of_any_kind_are_problems_and_nothing_worse(void **state)
{
	static const char *const texts[] = { "", "{}", "[1]", "null", "{\"seq\":0}", "{\"seq\":\"1\"}", "{\"seq\":1}",
		"{\"seq\":18446744073709551615,\"prev\":\"" ZEROS "\"}",
		"\xff\xfe", "{\"seq\":1,\"seq\":2}" };
	struct audit_expected e = { .whole = true };

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		nrows = 3;
		for (unsigned n = 0; n < 3; n++) {
			rows[n].key = i % 2 == 0 ? 0 : UINT64_MAX - 2 + n;
			rows[n].len = strlen(texts[i]);
			memcpy(rows[n].text, texts[i], rows[n].len);
			snprintf(rows[n].hash, sizeof(rows[n].hash), "%s", n == 1 ? "00" : original[0].hash);
		}
		check(&e);
		assert_true(found >= 3);
	}
}

static void
hexadecimal_is_that_of_any_bytes(void **state)
{
	uint8_t bytes[256], read[256];
	struct buf hex = { .max = 0 };
	char two[3];

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		bytes[i] = (uint8_t)i;
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		buf_reset(&hex, SIZE_MAX);
		audit_hex(&hex, bytes + (sizeof(bytes) - n), n);
		assert_int_equal(hex.len, 2 * n);
		for (size_t i = 0; i < n; i++) {
			snprintf(two, sizeof(two), "%02x", bytes[sizeof(bytes) - n + i]);
			assert_memory_equal(hex.p + 2 * i, two, 2);
		}
		assert_true(audit_unhex(buf_view(&hex), read, n));
	}
	buf_fini(&hex);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hexadecimal_is_that_of_any_bytes),
		cmocka_unit_test(an_untouched_chain_is_sound),
		cmocka_unit_test(a_changed_byte_is_found_anywhere),
		cmocka_unit_test(a_changed_hash_is_found),
		cmocka_unit_test(a_changed_entry_with_its_new_hash_is_found),
		cmocka_unit_test(a_removed_entry_is_found_and_named),
		cmocka_unit_test(an_inserted_entry_is_found_and_named),
		cmocka_unit_test(moved_entries_are_found),
		cmocka_unit_test(a_rewritten_chain_fits_neither_signatures_nor_head),
		cmocka_unit_test(a_checkpoint_is_sealed_by_an_unbroken_chain_to_the_next),
		cmocka_unit_test(newest_entries_that_were_cut_off_are_found),
		cmocka_unit_test(what_the_last_checkpoint_says_cannot_be_forged),
		cmocka_unit_test(what_retention_left_is_sound_and_nothing_less),
		cmocka_unit_test(a_checkpoint_that_is_none_is_found),
		cmocka_unit_test(a_line_of_an_export_is_taken_apart_as_it_was_put_together),
		cmocka_unit_test(bytes_of_any_kind_are_problems_and_nothing_worse),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
