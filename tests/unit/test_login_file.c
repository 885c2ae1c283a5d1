// libs: carrel_cli
/* test_login_file.c - what `carrel login` keeps: a file for each server, however alike their names are. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/remote/login_file.h"
#include "tests/unit/harness.h"

static void
servers_of_like_names_have_files_of_their_own(void **state)
{
	static const char *const issuers[] = { "https://carrel.example.org:8443", "https://carrel.example.org/8443",
		"https://carrel.example.org_8443", "https://carrel.example.org", "http://carrel.example.org",
		"https://carrel.example.org/_3a8443", "https://carrel.example.org//8443" };
	const size_t n = sizeof(issuers) / sizeof(issuers[0]);
	char dir[] = "/tmp/carrel-logins-XXXXXX", command[64];
	struct arena *a = arena_new(1 << 20);
	struct login_file l;
	struct err err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(setenv("XDG_CONFIG_HOME", dir, 1), 0);
	for (size_t i = 0; i < n; i++) {
		l = (struct login_file){ .issuer = issuers[i], .client_id = "c", .refresh_token = issuers[i],
			.access_token = "a", .scope = "s", .expires_unix_s = 1 };
		assert_int_equal(login_file_write(a, &l, &err), 0);
	}
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(login_file_read(a, issuers[i], &l, &err), 1);
		assert_string_equal(l.issuer, issuers[i]);
		assert_string_equal(l.refresh_token, issuers[i]);
	}
	assert_int_equal(login_file_remove(a, issuers[0], &err), 0);
	assert_int_equal(login_file_read(a, issuers[0], &l, &err), 0);
	assert_int_equal(login_file_read(a, issuers[1], &l, &err), 1);
	arena_free(a);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_of_like_names_have_files_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
