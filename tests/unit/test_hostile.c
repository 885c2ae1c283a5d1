// libs: carrel_policy carrel_base
/* test_hostile.c - which hostile words are said with which tools, and that none is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "policy/acts.h"
#include "policy/hostile.h"
#include "policy/profiles.h"

static const struct hostile *
row(unsigned number)
{
	for (const struct hostile *h = hostile_rows; h->number != 0; h++)
		if (h->number == number)
			return h;
	fail_msg("no row %u", number);
	return NULL;
}

static void
test_numbers_are_apart(void **state)
{
	bool seen[256] = { false };

	(void)state;
	for (const struct hostile *h = hostile_rows; h->number != 0; h++) {
		assert_true(h->number < 256 && !seen[h->number]);
		seen[h->number] = true;
		/* What PROBE asks for is an act or a word, never both. */
		assert_int_equal(h->hearer == HOSTILE_TO_SUPERVISOR, h->number >= HOSTILE_PROBE_FIRST);
	}
	for (const struct policy_act *a = policy_acts; a->number != 0; a++)
		assert_true(a->number < HOSTILE_PROBE_FIRST);
}

/* For every tool of the owner's each false proof, for every other one each lack of a right. */
static void
test_every_tool_is_tried(void **state)
{
	(void)state;
	for (size_t i = 0; i < policy_ntools; i++) {
		const struct policy_tool *t = &policy_tools[i];
		bool local = t->toolset == POLICY_TOOLSET_LOCAL;

		for (unsigned n = HOSTILE_NO_PROOF; n <= HOSTILE_OLD_PROOF; n++)
			assert_int_equal(hostile_concerns(row(n), t, t->role), local);
		assert_int_equal(hostile_concerns(row(HOSTILE_INNER_TOOL), t, t->role),
		    t->toolset == POLICY_TOOLSET_INNER);
		assert_true(hostile_concerns(row(HOSTILE_WRONG_ASKER), t, t->role));
		assert_true(local || t->scopes == 0 || hostile_concerns(row(HOSTILE_NO_SCOPE), t, t->role));
		assert_false(hostile_concerns(row(HOSTILE_WRONG_ASKER), t, IPC_FRONT));
		/* A sub-call is hostile or allowed. */
		assert_int_equal(hostile_concerns(row(HOSTILE_SUBCALL), t, IPC_SEARCH),
		    (t->askers & POLICY_ASKER_SEARCH) == 0);
		assert_int_equal(hostile_concerns(row(HOSTILE_SUBCALL), t, IPC_MEMORY),
		    (t->askers & POLICY_ASKER_MEMORY) == 0);
		assert_false(hostile_concerns(row(HOSTILE_SUBCALL), t, IPC_SQL));
	}
}

/* One proof is used twice with each role, and with a tool that changes nothing. */
static void
test_proofs_are_used_with_readers(void **state)
{
	static const enum ipc_role roles[] = { IPC_SQL, IPC_SEARCH, IPC_MEMORY };

	(void)state;
	for (size_t r = 0; r < 3; r++) {
		unsigned n = 0;

		for (size_t i = 0; i < policy_ntools; i++)
			if (hostile_concerns(row(HOSTILE_USED_PROOF), &policy_tools[i], roles[r])) {
				assert_int_equal(policy_tools[i].effect, POLICY_READS);
				n++;
			}
		assert_int_equal(n, 1);
	}
}

static void
test_all_speak(void **state)
{
	static const char *const speakers[] = { "sql-sqlite", "search", "memory", "auth", "agent" };

	(void)state;
	for (size_t i = 0; i < sizeof(speakers) / sizeof(speakers[0]); i++)
		for (unsigned n = HOSTILE_COMPLAINT; n <= HOSTILE_LOG; n++)
			assert_true(hostile_speaks(row(n), policy_profile(speakers[i])));
	assert_true(hostile_speaks(row(HOSTILE_LOG), policy_profile("front")));
	assert_int_equal(hostile_role(policy_profile("sql-postgres")), IPC_SQL);
	assert_int_equal(hostile_role(policy_profile("import")), IPC_NOBODY);
	assert_true(hostile_count() > 200);
}

/* Whoever may have tools called speaks to the front, in a call of a tool of its own, and one that may not does. */
static void
test_askers_have_rows(void **state)
{
	unsigned askers = 0, silent = 0;

	(void)state;
	for (unsigned i = 0; i < HOSTILE_PEERS; i++) {
		const struct hostile_peer *p = &hostile_peers[i];

		assert_int_equal((p->role & IPC_ASKER) != 0, p->tool != NULL);
		if (p->tool != NULL) {
			askers |= p->role;
			assert_int_equal(policy_tool(span_str(p->tool))->role, p->role);
		} else
			silent++;
	}
	assert_int_equal(askers, IPC_ASKER);
	assert_int_equal(silent, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_apart),
		cmocka_unit_test(test_every_tool_is_tried),
		cmocka_unit_test(test_proofs_are_used_with_readers),
		cmocka_unit_test(test_all_speak),
		cmocka_unit_test(test_askers_have_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
