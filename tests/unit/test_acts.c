// libs: carrel_policy carrel_base
/* test_acts.c - what counts as a refusal in `carrel sandbox verify`, and that the table is whole. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "policy/acts.h"
#include "policy/profiles.h"

#define ANSWER(e)	{ .asked = true, .answered = true, .error = (e) }
#define DEATH(s)	{ .asked = true, .signal = (s) }

static void
test_only_the_claimed_refusal_counts(void **state)
{
	static const struct {
		struct policy_trial trial;
		enum policy_judgement acces, perm, kill;
	} rows[] = {
		{ ANSWER(EACCES), POLICY_REFUSED, POLICY_FAILED, POLICY_FAILED },
		{ ANSWER(EPERM), POLICY_FAILED, POLICY_REFUSED, POLICY_FAILED },
		{ DEATH(SIGSYS), POLICY_FAILED, POLICY_FAILED, POLICY_REFUSED },
		{ ANSWER(0), POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ ANSWER(EROFS), POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ ANSWER(ENOSYS), POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ ANSWER(EISDIR), POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ DEATH(SIGKILL), POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ DEATH(SIGSEGV), POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ DEATH(0), POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		/* An answer, whatever became of the process afterwards. */
		{ { .asked = true, .answered = true, .error = 0, .signal = SIGSYS }, POLICY_FAILED, POLICY_FAILED,
		    POLICY_FAILED },
		/* It never got so far: a sandbox that cannot be made is no sandbox. */
		{ { .asked = false, .signal = SIGSYS }, POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ { .asked = false }, POLICY_FAILED, POLICY_FAILED, POLICY_FAILED },
		{ ANSWER(ENOENT), POLICY_NOT_TRIED, POLICY_NOT_TRIED, POLICY_NOT_TRIED },
		{ ANSWER(ENOTDIR), POLICY_NOT_TRIED, POLICY_NOT_TRIED, POLICY_NOT_TRIED },
		{ { .nothing = true }, POLICY_NOT_TRIED, POLICY_NOT_TRIED, POLICY_NOT_TRIED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(policy_judge(POLICY_CLAIM_ACCES, &rows[i].trial), rows[i].acces);
		assert_int_equal(policy_judge(POLICY_CLAIM_PERM, &rows[i].trial), rows[i].perm);
		assert_int_equal(policy_judge(POLICY_CLAIM_KILL, &rows[i].trial), rows[i].kill);
	}
}

/* Each exception is one: of a profile and an act that there are, once, and with another claim than the others have. */
static void
test_exceptions_are_exceptions(void **state)
{
	(void)state;
	for (const struct policy_exception *e = policy_exceptions; e->profile != NULL; e++) {
		assert_non_null(policy_profile(e->profile));
		assert_non_null(policy_act(e->number));
		assert_int_not_equal(e->claim, policy_act(e->number)->claim);
		for (const struct policy_exception *f = policy_exceptions; f < e; f++)
			assert_false(f->number == e->number && strcmp(f->profile, e->profile) == 0);
	}
	/* What nothing is said of is refused. */
	for (const struct policy_act *a = policy_acts; a->number != 0; a++)
		assert_int_not_equal(a->claim, POLICY_CLAIM_ALLOWED);
	assert_int_equal(policy_act_claim(policy_profile("memory"), POLICY_ACT_WRITE_WIKI), POLICY_CLAIM_ALLOWED);
	assert_int_equal(policy_act_claim(policy_profile("git"), POLICY_ACT_READ_GIT), POLICY_CLAIM_ALLOWED);
	assert_int_equal(policy_act_claim(policy_profile("front"), POLICY_ACT_EXECVE), POLICY_CLAIM_KILL);
}

static void
test_numbers_are_unique(void **state)
{
	bool seen[256] = { false };

	(void)state;
	for (const struct policy_act *a = policy_acts; a->number != 0; a++) {
		assert_true(a->number < 256 && !seen[a->number]);
		seen[a->number] = true;
		assert_ptr_equal(policy_act(a->number), a);
	}
	assert_null(policy_act(255));
	assert_true(policy_acts_count() > 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_claimed_refusal_counts),
		cmocka_unit_test(test_exceptions_are_exceptions),
		cmocka_unit_test(test_numbers_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
