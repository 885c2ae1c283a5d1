// libs: carrel_front
/* test_origin.c - who may call: Host, Origin, the token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "base/buf.h"
#include "base/mp.h"
#include "front/wire/access.h"

static void
begin(struct access *a, const char *host, const char *extra_host, const char *origin)
{
	struct buf hosts = { .max = 0 }, origins = { .max = 0 };

	*a = (struct access){ .port = 7878 };
	snprintf(a->host, sizeof(a->host), "%s", host);
	a->loopback_bind = access_is_loopback_name(span_str(host));
	mp_put_array(&hosts, extra_host != NULL);
	if (extra_host != NULL)
		mp_put_cstr(&hosts, extra_host);
	mp_put_array(&origins, origin != NULL);
	if (origin != NULL)
		mp_put_cstr(&origins, origin);
	assert_int_equal(access_take_lists(a, buf_view(&hosts), buf_view(&origins), SPAN("\x90"), SPAN("\x90")), 0);
	buf_fini(&hosts);
	buf_fini(&origins);
}

static void
test_hosts(void **state)
{
	static const struct {
		const char *host;
		enum access_verdict loopback, everywhere;
	} rows[] = {
		{ "localhost", ACCESS_PASS, ACCESS_PASS },
		{ "LOCALHOST:1", ACCESS_PASS, ACCESS_PASS },
		{ "127.0.0.1:7878", ACCESS_PASS, ACCESS_PASS },
		{ "[::1]", ACCESS_PASS, ACCESS_PASS },
		{ "[::1]:7878", ACCESS_PASS, ACCESS_PASS },
		{ "Carrel.Example:443", ACCESS_PASS, ACCESS_PASS },
		{ "10.0.0.5:7878", ACCESS_FOREIGN_HOST, ACCESS_PASS },
		{ "127.0.0.2", ACCESS_FOREIGN_HOST, ACCESS_FOREIGN_HOST },
		{ "localhost.", ACCESS_FOREIGN_HOST, ACCESS_FOREIGN_HOST },
		{ "localhost.evil.example", ACCESS_FOREIGN_HOST, ACCESS_FOREIGN_HOST },
		{ "rebind.attacker.test:7878", ACCESS_FOREIGN_HOST, ACCESS_FOREIGN_HOST },
		{ "::1", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ "", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ ":80", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ "localhost:x", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ "localhost:123456", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ "[::1", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ "[::1]x", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ "a@localhost", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
		{ "localhost, evil", ACCESS_BAD_HOST, ACCESS_BAD_HOST },
	};
	struct access loopback, everywhere;

	(void)state;
	begin(&loopback, "127.0.0.1", "carrel.example", NULL);
	begin(&everywhere, "10.0.0.5", "carrel.example", NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (access_host(&loopback, span_str(rows[i].host)) != rows[i].loopback ||
		    access_host(&everywhere, span_str(rows[i].host)) != rows[i].everywhere)
			fail_msg("%s", rows[i].host);
	access_fini(&loopback);
	access_fini(&everywhere);
}

static void
test_origins(void **state)
{
	static const struct {
		const char *origin;
		bool loopback, everywhere, listed;
	} rows[] = {
		{ NULL, true, true, false },
		{ "http://localhost:7878", true, false, false },
		{ "http://127.0.0.1:7878", true, false, false },
		{ "http://[::1]:7878", true, false, false },
		{ "https://app.example", true, true, true },
		{ "https://app.example:443", false, false, false },
		{ "http://app.example", false, false, false },
		{ "http://localhost", false, false, false },
		{ "http://localhost:7879", false, false, false },
		{ "https://localhost:7878", false, false, false },
		{ "http://localhost:7878.evil.example", false, false, false },
		{ "http://localhost.evil.example:7878", false, false, false },
		{ "http://evil.example", false, false, false },
		{ "null", false, false, false },
		{ "", false, false, false },
	};
	struct access loopback, everywhere;
	bool listed;

	(void)state;
	begin(&loopback, "localhost", NULL, "https://app.example");
	begin(&everywhere, "0.0.0.0", NULL, "https://app.example");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct span origin = span_str(rows[i].origin);

		if ((access_origin(&loopback, origin, &listed) == ACCESS_PASS) != rows[i].loopback ||
		    listed != rows[i].listed ||
		    (access_origin(&everywhere, origin, &listed) == ACCESS_PASS) != rows[i].everywhere)
			fail_msg("%s", rows[i].origin);
	}
	loopback.port = 80;
	assert_int_equal(access_origin(&loopback, SPAN("http://localhost"), NULL), ACCESS_PASS);
	access_fini(&loopback);
	access_fini(&everywhere);
}

static void
test_lists_are_checked(void **state)
{
	struct access a = { .port = 1 };

	(void)state;
	assert_int_equal(access_take_lists(&a, SPAN("\x91\x01"), SPAN("\x90"), SPAN("\x90"), SPAN("\x90")), -1);
	assert_int_equal(access_take_lists(&a, SPAN("\x80"), SPAN("\x90"), SPAN("\x90"), SPAN("\x90")), -1);
	assert_int_equal(access_take_lists(&a, SPAN("\x90"), SPAN("\x91\xa1*"), SPAN("\x90"), SPAN("\x90")), -1);
	assert_int_equal(access_take_lists(&a, SPAN("\x90"), SPAN("\x91\xa9http://a/"), SPAN("\x90"), SPAN("\x90")),
	    -1);
	assert_int_equal(access_take_lists(&a,
			     SPAN("\x91\xa3"
				  "a b"),
			     SPAN("\x90"), SPAN("\x90"), SPAN("\x90")),
	    -1);
	assert_int_equal(access_take_lists(&a, SPAN("\x90"), SPAN("\x90"), SPAN("\x90"), SPAN("\x91\xa1x")), -1);
	assert_int_equal(access_take_lists(&a, SPAN("\x90"), SPAN("\x90"), SPAN("\x90"),
			     SPAN("\x91\xcf\0\0\0\1\0\0\0\0")),
	    -1);
	access_fini(&a);
}

static void
test_credentials(void **state)
{
	struct access a = { .has_token = true };
	struct span token;

	(void)state;
	crypto_hash_sha256(a.token_sha256, (const uint8_t *)"secret", 6);
	assert_int_equal(access_bearer((struct span){ NULL, 0 }, &token), ACCESS_NONE);
	assert_int_equal(access_bearer(SPAN("bEARER secret"), &token), ACCESS_BEARER);
	assert_true(access_token_matches(&a, token));
	assert_int_equal(access_bearer(SPAN("Bearer secre"), &token), ACCESS_BEARER);
	assert_false(access_token_matches(&a, token));
	assert_false(access_token_matches(&a, SPAN("secret ")));
	assert_false(access_token_matches(&a, SPAN("")));
	assert_int_equal(access_bearer(SPAN("Bearer   secret"), &token), ACCESS_BEARER);
	assert_true(span_is(token, SPAN("secret")));
	assert_int_equal(access_bearer(SPAN("Bearer   "), &token), ACCESS_UNUSABLE);
	assert_int_equal(access_bearer(SPAN("Bearer"), &token), ACCESS_UNUSABLE);
	assert_int_equal(access_bearer(SPAN(""), &token), ACCESS_UNUSABLE);
	assert_int_equal(access_bearer(SPAN("Bearer a b"), &token), ACCESS_UNUSABLE);
	assert_int_equal(access_bearer(SPAN("Basic c2VjcmV0"), &token), ACCESS_UNUSABLE);
	a.has_token = false;
	assert_false(access_token_matches(&a, SPAN("secret")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_lists_are_checked),
		cmocka_unit_test(test_credentials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
