// libs: carrel_semantic carrel_project carrel_policy carrel_base
/* test_drivers.c - every row of drivers.def fits what it speaks of: profiles, dialects, programs. */
#include <stdio.h>
#include <unistd.h>

#include "policy/profiles.h"
#include "project/config/config_value.h"
#include "project/config/drivers.h"
#include "semantic/dialect.h"
#include "tests/unit/harness.h"

static void
every_row_fits(void **state)
{
	char path[1024];

	(void)state;
	for (size_t i = 0; i < ndrivers; i++) {
		const struct db_driver *d = drivers[i];
		const struct policy_profile *p = policy_profile(d->profile);

		assert_ptr_equal(drivers_find(span_str(d->name)), d);
		assert_true((d->place == DRIVER_NOT_SERVED) == (dialect_find(span_str(d->name)) == NULL));
		if (d->place == DRIVER_NOT_SERVED)
			continue;
		assert_ptr_equal(drivers_of_profile(d->profile), d);
		assert_non_null(p);
		assert_string_equal(p->binary, d->binary);
		assert_string_equal(dialect_name(dialect_find(span_str(d->name))), d->name);
		assert_non_null(d->notes[0]);
		assert_true(d->place == DRIVER_FILE ? d->magic != NULL : d->target != NULL && d->where != NULL);
		snprintf(path, sizeof(path), "%s/%s", BIN_DIR, d->binary);
		assert_int_equal(access(path, X_OK), 0);
	}
}

static void
names_aliases_and_schemes(void **state)
{
	const struct db_driver *pg = drivers_served(SPAN("postgres")), *file = drivers_at(DRIVER_FILE);
	struct buf names = { 0 };

	(void)state;
	assert_non_null(pg);
	assert_ptr_equal(drivers_served(SPAN("postgresql")), pg);
	assert_ptr_equal(dialect_find(SPAN("postgresql")), dialect_find(SPAN("postgres")));
	assert_null(drivers_find(SPAN("")));
	assert_null(drivers_find(SPAN("postgre")));
	assert_null(drivers_served(SPAN("snowflake")));
	assert_string_equal(drivers_find(SPAN("snowflake"))->type, "SNOWFLAKE");
	assert_ptr_equal(drivers_served(SPAN("mariadb")), drivers_served(SPAN("mysql")));
	assert_int_equal(drivers_scheme(pg, "postgres://h/d"), 11);
	assert_int_equal(drivers_scheme(pg, "postgresql://h/d"), 13);
	assert_int_equal(drivers_scheme(pg, "mysql://h/d") + drivers_scheme(pg, "postgres"), 0);
	assert_int_equal(drivers_scheme(file, "file:a.db"), 5);
	assert_int_equal(drivers_scheme(file, "postgres://h/d") + drivers_scheme(file, "a.db"), 0);
	assert_true(drivers_has_schemas(SPAN("postgres")) && drivers_has_schemas(SPAN("mysql")) &&
	    drivers_has_schemas(SPAN("anything")));
	assert_false(drivers_has_schemas(SPAN("sqlite")));
	assert_ptr_equal(drivers_of_url("postgresql://h/d"), pg);
	assert_ptr_equal(drivers_of_url("mariadb://h/d"), drivers_served(SPAN("mysql")));
	assert_null(drivers_of_url("snowflake://h/d"));
	assert_ptr_equal(drivers_of_file(SPAN("SQLite format 3\0")), file);
	assert_null(drivers_of_file(SPAN("SQLite")));
	drivers_put_names(&names, 0, "and");
	assert_true(strncmp(buf_cstr(&names), "sqlite", 6) == 0 && strstr(buf_cstr(&names), "postgres") != NULL);
	assert_ptr_equal(strstr(strstr(buf_cstr(&names), " and ") + 1, " and "), NULL);
	buf_reset(&names, 64);
	drivers_put_names(&names, DRIVER_FUNCTIONS, "or");
	assert_string_equal(buf_cstr(&names), "postgres or mysql");
	buf_fini(&names);
}

/* Of a key that several drivers have, one is in the list. */
static void
every_key_once(void **state)
{
	size_t n = 0, first = 0;

	(void)state;
	for (size_t i = 0; i < ndrivers; i++)
		for (const struct config_key *k = drivers[i]->keys; k != NULL && k->key != NULL; k++) {
			size_t found = 0, before = 0;

			for (n = 0; drivers_key(n) != NULL; n++)
				found += strcmp(drivers_key(n)->key, k->key) == 0;
			assert_int_equal(found, 1);
			for (size_t j = 0; j < i; j++)
				before += drivers_key_of(drivers[j], span_str(k->key)) != NULL;
			first += before == 0;
			for (const struct config_key *c = config_connection_keys; c->key != NULL; c++)
				assert_string_not_equal(c->key, k->key);
		}
	assert_int_equal(n, first);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_fits),
		cmocka_unit_test(names_aliases_and_schemes),
		cmocka_unit_test(every_key_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
