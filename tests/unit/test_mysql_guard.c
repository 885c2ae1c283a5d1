// libs: carrel_guard_mysql carrel_policy carrel_base
/* test_mysql_guard.c - what may be sent to MariaDB and MySQL: the corpus of attacks, names and positions. */
#include <stdio.h>

#include "base/buf.h"
#include "policy/attacks.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/guard/mysql_guard.h"

static const struct audit_input inputs[] = {
#include "workers/sql/mysql/guard/attacks_mysql.def"
};

static const struct span schemas[] = { { (const uint8_t *)"shop", 4 }, { (const uint8_t *)"archive", 7 } };
static const struct mysql_routine routines[] = { { { (const uint8_t *)"shop", 4 }, { (const uint8_t *)"tax", 3 } } };
static const struct mysql_guard guard = { .nschemas = 2, .schemas = schemas, .nroutines = 1, .routines = routines };

static struct arena *arena;

static enum err_code
judge(const struct mysql_guard *g, const char *sql, size_t *at, struct err *err)
{
	const struct mysql_node *tree;

	arena_reset(arena);
	*err = (struct err){ 0 };
	tree = mysql_parse(arena, span_str(sql), at, err);
	if (tree == NULL || mysql_guard_judge(g, tree, at, err) == -1) {
		assert_int_not_equal(err->code, ERR_NONE);
		return err->code;
	}
	return ERR_NONE;
}

static void
hostile_inputs_are_refused_and_honest_ones_pass(void **state)
{
	struct err err;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		enum err_code code = judge(&guard, inputs[i].sql, &at, &err);

		if ((code == ERR_NONE) != (inputs[i].kind == AUDIT_HONEST))
			fail_msg("%s: %s", inputs[i].sql, code == ERR_NONE ? "passed" : err.message);
	}
}

static void
names_are_resolved_with_their_schema(void **state)
{
	static const struct {
		const char *sql;
		enum err_code code;
		size_t at;
	} cases[] = {
		{ "SELECT * FROM shop.orders", ERR_NONE, 0 },
		{ "SELECT * FROM SHOP.orders o, archive.orders", ERR_NONE, 0 },
		{ "SELECT mysql.user.host FROM shop.orders", ERR_NONE, 0 },
		{ "SELECT * FROM other.orders", ERR_FORBIDDEN_SQL, 14 },
		{ "SELECT 1 WHERE 1 IN (SELECT 1 FROM other.t)", ERR_FORBIDDEN_SQL, 35 },
		{ "SHOW TABLES FROM shop", ERR_NONE, 0 },
		{ "SHOW TABLES FROM other", ERR_FORBIDDEN_SQL, 17 },
		{ "SHOW COLUMNS FROM t FROM shop", ERR_NONE, 0 },
		{ "SELECT shop.tax(1), shop.TAX(2)", ERR_NONE, 0 },
		{ "SELECT tax(1)", ERR_FORBIDDEN_SQL, 7 },
		{ "SELECT archive.tax(1)", ERR_FORBIDDEN_SQL, 7 },
		{ "SELECT shop.abs(1)", ERR_FORBIDDEN_SQL, 7 },
		{ "SELECT a, shop.tax.x(1)", ERR_FORBIDDEN_SQL, 10 },
		{ "SELECT `abs`(1)", ERR_FORBIDDEN_SQL, 7 },
	};
	struct err err;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum err_code code = judge(&guard, cases[i].sql, &at, &err);

		if (code != cases[i].code || (code != ERR_NONE && at != cases[i].at))
			fail_msg("%s: %s at %zu %s", cases[i].sql, err_name(code), at, err.message);
	}
}

static void
layers_judge_by_themselves(void **state)
{
	const struct mysql_guard form = { .mode = MYSQL_GUARD_ONLY_FORM };
	const struct mysql_guard functions = { .mode = MYSQL_GUARD_ONLY_FUNCTIONS };
	struct err err;
	size_t at;

	(void)state;
	assert_int_equal(judge(&form, "SELECT SLEEP(1)", &at, &err), ERR_NONE);
	assert_int_equal(judge(&functions, "SELECT SLEEP(1)", &at, &err), ERR_FORBIDDEN_SQL);
	assert_int_equal(judge(&form, "SELECT * FROM mysql.user", &at, &err), ERR_FORBIDDEN_SQL);
	assert_int_equal(judge(&functions, "SELECT * FROM mysql.user", &at, &err), ERR_NONE);
}

static void
set_operations_are_counted(void **state)
{
	struct buf sql = { 0 };
	struct err err;
	size_t at;

	(void)state;
	buf_str(&sql, "SELECT 1");
	for (size_t i = 0; i < MYSQL_SETS_MAX; i++)
		buf_str(&sql, " UNION SELECT 1");
	assert_int_equal(judge(&guard, buf_cstr(&sql), &at, &err), ERR_NONE);
	buf_str(&sql, " UNION SELECT 1");
	assert_int_equal(judge(&guard, buf_cstr(&sql), &at, &err), ERR_FORBIDDEN_SQL);
	buf_fini(&sql);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_inputs_are_refused_and_honest_ones_pass),
		cmocka_unit_test(names_are_resolved_with_their_schema),
		cmocka_unit_test(layers_judge_by_themselves),
		cmocka_unit_test(set_operations_are_counted),
	};
	int failed;

	arena = arena_new(16u << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return failed;
}
