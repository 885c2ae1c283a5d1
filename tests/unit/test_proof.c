// libs: carrel_policy carrel_base
/* test_proof.c - the keyed digest (base/siphash) and proofs that the owner asked (policy/proof). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policy/proof.h"

#define T0	UINT64_C(5000000000000)

static const uint8_t key[PROOF_KEY] = "sixteen bytes, k", other[PROOF_KEY] = "sixteen bytes, l";
#define ARGS	SPAN("\x81\xa5runId\xa1r")

static const struct proof_call *
call_of(const char *tool, const char *connection, struct span args)
{
	static struct proof_call call;

	call = (struct proof_call){ span_str(tool), span_str(connection), args };
	return &call;
}

#define CALL	call_of("memory_approve", "", ARGS)

static void
check_digest(size_t n, size_t step, const char *expected)
{
	uint8_t k[SIPHASH_KEY], message[64], out[SIPHASH_SIZE];
	char hex[2 * SIPHASH_SIZE + 1];
	struct siphash h;

	for (uint8_t i = 0; i < sizeof(message); i++)
		message[i] = i;
	memcpy(k, message, sizeof(k));
	siphash_begin(&h, k);
	for (size_t at = 0; at < n; at += step)
		siphash_more(&h, message + at, n - at < step ? n - at : step);
	siphash_end(&h, out);
	for (size_t i = 0; i < sizeof(out); i++)
		snprintf(hex + 2 * i, 3, "%02X", out[i]);
	assert_string_equal(hex, expected);
}

/* Against another implementation; the first two stand in the authors' own list. */
static void
test_digests(void **state)
{
	static const struct {
		size_t n;
		const char *expected;
	} rows[] = {
		{ 0, "A3817F04BA25A8E66DF67214C7550293" },
		{ 1, "DA87C1D86B99AF44347659119B22FC45" },
		{ 7, "A1F1EBBED8DBC153C0B84AA61FF08239" },
		{ 8, "3B62A9BA6258F5610F83E264F31497B4" },
		{ 15, "5493E99933B0A8117E08EC0F97CFC3D9" },
		{ 63, "5150D1772F50834A503E069A973FBD7C" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t step = 1; step < 20; step++)
			check_digest(rows[i].n, step, rows[i].expected);
}

struct shown {
	uint8_t			proof[PROOF_SIZE];
	struct proof_seen	seen;
};

static void
make(struct shown *s, uint8_t serial)
{
	uint8_t nonce[PROOF_NONCE] = { serial };

	proof_make(key, CALL, T0, nonce, s->proof);
}

static bool
show(struct shown *s, uint64_t now)
{
	return proof_accept(&s->seen, key, span_of(s->proof, PROOF_SIZE), CALL, now);
}

static void
test_holds_once_and_for_what_was_asked(void **state)
{
	struct shown s = { .seen = { .n = 0 } };
	struct span proof = span_of(s.proof, PROOF_SIZE);

	(void)state;
	make(&s, 1);
	assert_false(proof_accept(&s.seen, other, proof, CALL, T0));
	assert_false(proof_accept(&s.seen, key, proof, call_of("memory_revert", "", ARGS), T0));
	assert_false(proof_accept(&s.seen, key, proof, call_of("memory_approve", "", SPAN("\x81\xa5runId\xa1s")), T0));
	assert_false(proof_accept(&s.seen, key, proof, call_of("memory_approv", "e", ARGS), T0));
	assert_false(proof_accept(&s.seen, key, span_of(s.proof, PROOF_SIZE - 1), CALL, T0));
	assert_false(proof_accept(&s.seen, key, (struct span){ NULL, 0 }, CALL, T0));
	assert_true(show(&s, T0));
	assert_false(show(&s, T0));
	assert_false(show(&s, T0 + 1));
	make(&s, 2);
	assert_true(show(&s, T0));
}

/* The same arguments in other bytes are the same; a connection beside them stands for the one within, and no other. */
static void
test_arguments_count_by_value(void **state)
{
	static const struct {
		const char *connection;
		struct span args;
		bool same;
	} rows[] = {
#define ROW(connection, args, same)	{ connection, { (const uint8_t *)(args), sizeof(args) - 1 }, same }
		ROW("w",
		    "\x82\xac"
		    "connectionId\xa1w\xa1n\x01",
		    true),
		ROW("w", "\x81\xa1n\x01", true),
		ROW("w", "\xde\x00\x01\xd9\x01n\xcd\x00\x01", true),
		ROW("x", "\x81\xa1n\x01", false),
		ROW("",
		    "\x82\xac"
		    "connectionId\xa1w\xa1n\x01",
		    false),
		ROW("w",
		    "\x82\xac"
		    "connectionId\xa1x\xa1n\x01",
		    false),
		ROW("w",
		    "\x82\xac"
		    "connectionId\x01\xa1n\x01",
		    false),
		ROW("w", "\x81\xa1n\x02", false),
		ROW("w",
		    "\x81\xa1n\xa1"
		    "1",
		    false),
		ROW("w", "\x80", false),
		ROW("w", "\x82\xa1n\x01\xa1m\xc0", false),
		ROW("w", "\x91\x01", false),
		ROW("w", "", false),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct shown s = { .seen = { .n = 0 } };
		uint8_t nonce[PROOF_NONCE] = { 1 };

		proof_make(key,
		    call_of("audit_sql", "w",
			SPAN("\x82\xac"
			     "connectionId\xa1w\xa1n\x01")),
		    T0, nonce, s.proof);
		if (proof_accept(&s.seen, key, span_of(s.proof, PROOF_SIZE),
			call_of("audit_sql", rows[i].connection, rows[i].args), T0) != rows[i].same)
			fail_msg("row %zu", i);
	}
}

static void
test_every_bit_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < 8 * PROOF_SIZE; i++) {
		struct shown s = { .seen = { .n = 0 } };

		make(&s, 1);
		s.proof[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_false(show(&s, T0 + PROOF_AGE_NS / 2));
		s.proof[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_true(show(&s, T0 + PROOF_AGE_NS / 2));
	}
}

static void
test_grows_old(void **state)
{
	struct shown s = { .seen = { .n = 0 } };

	(void)state;
	make(&s, 1);
	assert_false(show(&s, T0 - 1)); /* made in the future: another machine's clock */
	assert_false(show(&s, T0 + PROOF_AGE_NS + 1));
	assert_true(show(&s, T0 + PROOF_AGE_NS));
}

/* More of them than are remembered: what was forgotten does not hold again. */
static void
test_nothing_forgotten_holds_again(void **state)
{
	struct proof_seen seen = { .n = 0 };
	uint8_t proofs[3 * PROOF_SEEN][PROOF_SIZE];

	(void)state;
	for (size_t i = 0; i < 3 * PROOF_SEEN; i++) {
		uint8_t nonce[PROOF_NONCE] = { (uint8_t)i };

		proof_make(key, CALL, T0 + i, nonce, proofs[i]);
		assert_true(proof_accept(&seen, key, span_of(proofs[i], PROOF_SIZE), CALL, T0 + i));
	}
	for (size_t i = 0; i < 3 * PROOF_SEEN; i++)
		assert_false(proof_accept(&seen, key, span_of(proofs[i], PROOF_SIZE), CALL, T0 + 3 * PROOF_SEEN));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digests),
		cmocka_unit_test(test_holds_once_and_for_what_was_asked),
		cmocka_unit_test(test_arguments_count_by_value),
		cmocka_unit_test(test_every_bit_counts),
		cmocka_unit_test(test_grows_old),
		cmocka_unit_test(test_nothing_forgotten_holds_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
