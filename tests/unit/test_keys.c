// libs: carrel_project carrel_base PkgConfig::SODIUM
/* test_keys.c - keys by purpose (project/keys). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "project/keys.h"

static const uint8_t root[KEYS_ROOT] = "thirty-two bytes of a project's";

/* Digests of columns are in people's tables: this one never changes. */
static void
test_column_key_is_as_it_was(void **state)
{
	uint8_t got[32], expected[32];
	static const char use[] = "column digests";

	(void)state;
	keys_derive(root, KEYS_COLUMNS, got, sizeof(got));
	crypto_generichash(expected, sizeof(expected), (const uint8_t *)use, sizeof(use) - 1, root, sizeof(root));
	assert_memory_equal(got, expected, sizeof(got));
}

/* Who has one of them has no other, not even by deriving again from what it has. */
static void
test_no_key_leads_to_another(void **state)
{
	static const char *const purposes[] = { KEYS_FRONT, KEYS_COLUMNS, "local clients of sql",
		"local clients of search", "local clients of memory" };
	uint8_t keys[5][32], again[32];

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		keys_derive(root, purposes[i], keys[i], 32);
		assert_memory_not_equal(keys[i], root, 32);
	}
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++) {
			assert_true(i == j || memcmp(keys[i], keys[j], 32) != 0);
			keys_derive(keys[i], purposes[j], again, 32);
			assert_memory_not_equal(again, keys[j], 32);
		}
	keys_derive_local(root, "memory", again, 32);
	assert_memory_equal(again, keys[4], 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_column_key_is_as_it_was),
		cmocka_unit_test(test_no_key_leads_to_another),
	};

	return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
