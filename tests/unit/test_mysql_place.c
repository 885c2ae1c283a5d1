// libs: carrel_sql_mysql carrel_sql carrel_base
/* test_mysql_place.c - connection URLs and keys of MariaDB and MySQL, and what a refused one tells. */
#include "base/err.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/mysql_place.h"

static const char *
or_none(const char *text)
{
	return text == NULL ? "-" : text;
}

static void
urls_are_read(void **state)
{
	static const struct {
		const char *target, *user, *password, *host, *socket, *database, *authorities;
		unsigned port;
		enum mysql_tls tls;
		bool any_method;
	} cases[] = {
		{ "url=mysql://u:p@db.example:3307/shop\n", "u", "p", "db.example", "-", "shop", "system", 3307,
		    MYSQL_TLS_VERIFY, true },
		{ "url=mariadb://u@127.0.0.1/shop\n", "u", "-", "127.0.0.1", "-", "shop", "system", 0,
		    MYSQL_TLS_DISABLE, false },
		{ "url=mysql://u:p%40ss%3A%2F@[::1]:3306/a%20b?sslmode=require\n", "u", "p@ss:/", "::1", "-", "a b",
		    "system", 3306, MYSQL_TLS_REQUIRE, false },
		{ "url=mysql://localhost/x?socket=/run/s&ssl-mode=PREFERRED\n", "-", "-", "localhost", "/run/s", "x",
		    "system", 0, MYSQL_TLS_PREFER, true },
		{ "url=mysql://u:@h/x?sslrootcert=/ca.pem\n", "u", "", "h", "-", "x", "/ca.pem", 0, MYSQL_TLS_VERIFY,
		    true },
		{ "url=mysql://h\nsslmode=disable\n", "-", "-", "h", "-", "-", "system", 0, MYSQL_TLS_DISABLE, false },
		{ "host=/run/mysqld/s\nuser=u\npassword=a=b%41\ndatabase=x\nport=3306\n", "u", "a=b%41", "-",
		    "/run/mysqld/s", "x", "system", 3306, MYSQL_TLS_DISABLE, true },
		{ "host=10.0.0.1\nsslmode=verify-ca\nport=1\n", "-", "-", "10.0.0.1", "-", "-", "system", 1,
		    MYSQL_TLS_VERIFY, true },
		{ "host=h\nsslmode=verify-ca\nsslrootcert=/ca.pem\n", "-", "-", "h", "-", "-", "/ca.pem", 0,
		    MYSQL_TLS_VERIFY_CA, true },
	};
	struct mysql_place p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (mysql_place_read(&p, cases[i].target, &err) == -1)
			fail_msg("%s: %s", cases[i].target, err.message);
		assert_string_equal(or_none(p.user), cases[i].user);
		assert_string_equal(or_none(p.password), cases[i].password);
		assert_string_equal(or_none(p.host), cases[i].host);
		assert_string_equal(or_none(p.socket), cases[i].socket);
		assert_string_equal(or_none(p.database), cases[i].database);
		if (strcmp(cases[i].authorities, "system") != 0)
			assert_string_equal(p.authorities, cases[i].authorities);
		assert_int_equal(p.port, cases[i].port);
		assert_int_equal(p.tls, cases[i].tls);
		assert_int_equal(strstr(mysql_place_methods(&p), "sha2") != NULL, cases[i].any_method);
		mysql_place_fini(&p);
	}
}

/* Nothing of them is told: any part may be one of a password. */
static void
others_are_refused(void **state)
{
	static const char *const urls[] = {
		"url=postgres://u:secret@h/x\n", "url=mysql://u:se@cret@h/x\n", "url=mysql://u:sec/ret@h/x\n",
		"url=mysql://u:secret%zz@h/x\n", "url=mysql://u:secret%00@h/x\n", "url=mysql://u:secret@h:port/x\n",
		"url=mysql://u:secret@h:99999/x\n", "url=mysql://u:secret@h:0/x\n", "url=mysql://h/x?secret=1\n",
		"url=mysql://h/x?password=secret\n", "url=mysql://h/x?sslmode=secret\n", "url=secret\n",
	};
	struct mysql_place p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		if (mysql_place_read(&p, urls[i], &err) != -1)
			fail_msg("%s", urls[i]);
		assert_int_equal(err.code, ERR_DATABASE_UNAVAILABLE);
		assert_lacks(err.message, "secret");
		assert_lacks(err.message, "cret@");
		mysql_place_fini(&p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_are_read),
		cmocka_unit_test(others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
