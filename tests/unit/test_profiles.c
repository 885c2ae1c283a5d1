// libs: carrel_policy carrel_base
/* test_profiles.c - the shape of the confinement tables and of the acts; what they do is tests/sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "policy/acts.h"
#include "policy/profiles.h"

static void
test_finds_profiles_by_name(void **state)
{
	static const char *const names[] = { "front", "sql-sqlite", "sql-postgres", "sql-duckdb", "search", "memory",
		"git", "git-keeper", "git-hand", "auth", "agent", "pwhash", "import", "fetch", "tunnel",
		"telemetry" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(policy_profile(names[i])->name, names[i]);
	assert_null(policy_profile("sql"));
	assert_null(policy_profile(""));
}

static void
test_sets_are_sorted(void **state)
{
	(void)state;
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		for (size_t i = 0; p->sets[i] != NULL; i++)
			for (const struct policy_rule *r = p->sets[i]; r[0].syscall != NULL && r[1].syscall != NULL;
			     r++)
				if (strcmp(r[0].syscall, r[1].syscall) > 0)
					fail_msg("%s: %s stands before %s", p->name, r[0].syscall, r[1].syscall);
}

static unsigned
access_to(const struct policy_profile *p, enum policy_place place)
{
	for (const struct policy_path *q = p->paths; q->place != POLICY_PLACE_END; q++)
		if (q->place == place)
			return q->access;
	return 0;
}

static void
test_only_memory_writes(void **state)
{
	static const enum policy_place places[] = {
		POLICY_PLACE_WIKI, POLICY_PLACE_SEMANTIC, POLICY_PLACE_RAW, POLICY_PLACE_DOCUMENTS,
		POLICY_PLACE_MEMORY_STATE,
		POLICY_PLACE_DATABASE
	};

	(void)state;
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			if ((access_to(p, places[i]) & (POLICY_WRITE_FILE | POLICY_MAKE)) != 0)
				assert_string_equal(p->name,
				    places[i] == POLICY_PLACE_DOCUMENTS ? "auth-nodes" : "memory");
	assert_int_equal(access_to(policy_profile("memory"), POLICY_PLACE_DATABASE), 0);
	/* A reader that cannot write has no use for file size either. */
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		assert_int_equal(p->limits.file_size == 0,
		    strcmp(p->name, "memory") != 0 && strncmp(p->name, "git", 3) != 0 &&
			strncmp(p->name, "auth", 4) != 0 && strcmp(p->name, "import") != 0);
}

/* Its files and no directory: it can make, move and remove nothing. */
static void
test_only_auth_opens_the_store(void **state)
{
	(void)state;
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		assert_int_equal(access_to(p, POLICY_PLACE_STATE),
		    strncmp(p->name, "auth", 4) == 0 ? POLICY_READ_FILE | POLICY_WRITE_FILE : 0);
	assert_int_equal(policy_profile("auth")->paths[1].place, POLICY_PLACE_END);
	/* Where nodes share it, also the files that they share, and none of the project's own. */
	for (const struct policy_path *path = policy_profile("auth-nodes")->paths; path->place != POLICY_PLACE_END;
	     path++)
		assert_true(path->place == POLICY_PLACE_STATE || path->place == POLICY_PLACE_SHARED_IMPORTS ||
		    path->place == POLICY_PLACE_DOCUMENTS);
}

static void
test_only_git_opens_the_repository(void **state)
{
	(void)state;
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		assert_int_equal(access_to(p, POLICY_PLACE_GIT) != 0, strncmp(p->name, "git", 3) == 0);
	assert_int_equal(access_to(policy_profile("git"), POLICY_PLACE_MEMORY_STATE),
	    POLICY_READ_FILE | POLICY_READ_DIR);
	assert_int_equal(access_to(policy_profile("git"), POLICY_PLACE_WIKI), 0);
}

static void
test_strangers_reach_no_file(void **state)
{
	(void)state;
	assert_int_equal(policy_profile("front")->paths[0].place, POLICY_PLACE_END);
	assert_int_equal(policy_profile("sql-postgres")->paths[0].place, POLICY_PLACE_END);
}

static void
test_acts(void **state)
{
	unsigned last = 0, permitted = 0;

	(void)state;
	for (const struct policy_act *a = policy_acts; a->number != 0; a++) {
		assert_true(a->number > last);
		last = a->number;
		assert_ptr_equal(policy_act(a->number), a);
		for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
			permitted += policy_act_permitted(p, a->number);
	}
	assert_null(policy_act(0));
	assert_null(policy_act(last + 1));
	/* The acts that somebody is there to do. */
	assert_true(policy_act_permitted(policy_profile("memory"), POLICY_ACT_WRITE_WIKI));
	assert_true(policy_act_permitted(policy_profile("memory"), POLICY_ACT_WRITE_PAGE));
	assert_true(policy_act_permitted(policy_profile("memory"), POLICY_ACT_WRITE_JOURNAL));
	assert_true(policy_act_permitted(policy_profile("auth"), POLICY_ACT_READ_STATE));
	assert_true(policy_act_permitted(policy_profile("auth"), POLICY_ACT_WRITE_STATE));
	assert_true(policy_act_permitted(policy_profile("auth-nodes"), POLICY_ACT_READ_STATE));
	assert_true(policy_act_permitted(policy_profile("auth-nodes"), POLICY_ACT_WRITE_STATE));
	assert_false(policy_act_permitted(policy_profile("auth"), POLICY_ACT_READ_KEY));
	assert_false(policy_act_permitted(policy_profile("auth-nodes"), POLICY_ACT_READ_KEY));
	assert_true(policy_act_permitted(policy_profile("git"), POLICY_ACT_READ_GIT));
	assert_false(policy_act_permitted(policy_profile("git"), POLICY_ACT_WRITE_HOOK));
	assert_false(policy_act_permitted(policy_profile("git"), POLICY_ACT_WRITE_GIT_CONFIG));
	assert_false(policy_act_permitted(policy_profile("git-keeper"), POLICY_ACT_MAKE_EXECUTABLE));
	assert_false(policy_act_permitted(policy_profile("git-hand"), POLICY_ACT_WRITE_GIT_CONFIG));
	if (policy_sanitizer_set == NULL)
		assert_int_equal(permitted, 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_profiles_by_name),
		cmocka_unit_test(test_sets_are_sorted),
		cmocka_unit_test(test_only_memory_writes),
		cmocka_unit_test(test_only_auth_opens_the_store),
		cmocka_unit_test(test_only_git_opens_the_repository),
		cmocka_unit_test(test_strangers_reach_no_file),
		cmocka_unit_test(test_acts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
