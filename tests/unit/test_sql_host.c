// libs: carrel_libpq carrel_base PkgConfig::PQ
/* test_sql_host.c - to whom a password may be given without channel binding. */
#include "tests/unit/harness.h"
#include "workers/libpq/libpq_url.h"

static bool
binds(const char *conninfo)
{
	char *why = NULL;
	PQconninfoOption *given = PQconninfoParse(conninfo, &why);
	bool required;

	if (given == NULL)
		fail_msg("%s: %s", conninfo, why);
	required = libpq_url_binds_channel(given);
	PQconninfoFree(given);
	return required;
}

static void
a_password_to_another_machine_is_bound_to_its_channel(void **state)
{
	static const struct {
		const char *conninfo;
		bool binds;
	} cases[] = {
		{ "postgres://a:b@db.example/x", true },
		{ "postgres://a:b@10.0.0.7:5433/x", true },
		{ "host=db.example user=a password=b", true },
		{ "postgres://a:b@[2001:db8::1]/x", true },
		{ "postgres://a:b@localhost,db.example/x", true },
		{ "postgres://a:b@128.0.0.1/x", true },
		{ "host=localhost hostaddr=192.0.2.1 password=b", true },
		{ "postgres://a:b@localhost.example/x", true },
		{ "postgres://a:b@127.0.0.1.example/x", true },
		{ "postgres://a:b@/x?service=far", true },
		{ "postgres://a:b@db.example/x?sslmode=require", false },
		{ "postgres://a:b@db.example/x?sslmode=disable", false },
		{ "postgres://a:b@db.example/x?channel_binding=prefer", false },
		{ "postgres://a@db.example/x", false },
		{ "postgres://a:b@localhost/x", false },
		{ "postgres://a:b@127.0.0.1/x", false },
		{ "postgres://a:b@127.9.8.7/x", false },
		{ "postgres://a:b@[::1]/x", false },
		{ "postgres://a:b@/x", false },
		{ "postgres://a:b@/x?host=/run/postgresql", false },
		{ "host=@abstract password=b", false },
		{ "host=db.example hostaddr=127.0.0.1 password=b", false },
		{ "host=localhost,127.0.0.1 password=b", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (binds(cases[i].conninfo) != cases[i].binds)
			fail_msg("%s", cases[i].conninfo);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_password_to_another_machine_is_bound_to_its_channel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
