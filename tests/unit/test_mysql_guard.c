// libs: carrel_guard_mysql carrel_policy carrel_base
/* test_mysql_guard.c - what may be sent to MariaDB and MySQL: the corpus of attacks, names and positions. */
#include <stdio.h>

#include "base/buf.h"
#include "policy/attacks.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/guard/mysql_guard.h"
#include "workers/sql/mysql/guard/mysql_plain.h"
#include "workers/sql/mysql/guard/mysql_weight.h"

static const struct audit_input inputs[] = {
#include "workers/sql/mysql/guard/attacks_mysql.def"
};

static const struct span schemas[] = { { (const uint8_t *)"shop", 4 }, { (const uint8_t *)"archive", 7 } };
static const struct mysql_routine routines[] = { { { (const uint8_t *)"shop", 4 }, { (const uint8_t *)"tax", 3 } } };
static const struct mysql_guard guard = { .mariadb = true,
	.version = 101119,
	.nschemas = 2,
	.schemas = schemas,
	.nroutines = 1,
	.routines = routines };

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
		{ "SELECT * FROM shop.orders o, archive.orders", ERR_NONE, 0 },
		{ "SELECT * FROM Shop.orders", ERR_FORBIDDEN_SQL, 14 },
		{ "SELECT * FROM INFORMATION_SCHEMA.columns", ERR_NONE, 0 },
		{ "SELECT Shop.tax(1)", ERR_FORBIDDEN_SQL, 7 },
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
schemas_are_folded_as_the_server_folds_them(void **state)
{
	struct mysql_guard folded = guard;
	struct err err;
	size_t at;

	(void)state;
	folded.folded = true;
	assert_int_equal(judge(&folded, "SELECT shop.TAX(1), SHOP.tax(1) FROM Shop.orders", &at, &err), ERR_NONE);
	assert_int_equal(judge(&folded, "SELECT * FROM shops.orders", &at, &err), ERR_FORBIDDEN_SQL);
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

static void
weights_are_bounded(void **state)
{
	static const struct {
		const char *sql;
		enum err_code code;
	} cases[] = {
		{ "SELECT REPLACE(REPEAT('x', 1000), 'x', 'y')", ERR_NONE },
		{ "SELECT REPLACE(REPEAT('x', 100001), 'x', 'y')", ERR_FORBIDDEN_SQL },
		{ "SELECT REPEAT('x', 100001)", ERR_NONE },
		{ "SELECT REPEAT('x', 500000), SPACE(500000)", ERR_NONE },
		{ "SELECT REPEAT('x', 500000), SPACE(500001)", ERR_FORBIDDEN_SQL },
		{ "SELECT REPEAT('xxx', 500000)", ERR_FORBIDDEN_SQL },
		{ "SELECT REPEAT(CONCAT('xx', REPEAT('y', 1000)), 1000)", ERR_FORBIDDEN_SQL },
		{ "SELECT LPAD('x', n, 'y') FROM t", ERR_FORBIDDEN_SQL },
		{ "SELECT CAST(a AS CHAR(2000)), CAST(b AS BINARY(2000)) FROM t", ERR_NONE },
		{ "SELECT (SELECT CONCAT(a, b, c, d, e, f) FROM t), (SELECT CONCAT(a, b, c, d, e, f) FROM t), "
		  "(SELECT CONCAT(a, b, c, d, e, f) FROM t), (SELECT CONCAT(a, b, c, d, e, f) FROM t), "
		  "(SELECT CONCAT(a, b, c, d, e, f) FROM t), (SELECT CONCAT(a, b, c, d, e, f) FROM t), "
		  "(SELECT CONCAT(a, b, c, d, e, f) FROM t), (SELECT CONCAT(a, b, c, d, e, f) FROM t)",
		    ERR_NONE },
		{ "SELECT a LIKE b, INSTR(a, b) FROM t", ERR_NONE },
		{ "SELECT GROUP_CONCAT(a) FROM t WHERE a LIKE CONCAT('%', b, '%')", ERR_NONE },
		{ "SELECT INSTR(GROUP_CONCAT(a), b) FROM t", ERR_FORBIDDEN_SQL },
		{ "SELECT INSTR(g, b) FROM (SELECT GROUP_CONCAT(a) g, b FROM t) d", ERR_FORBIDDEN_SQL },
		{ "SELECT INSTR(g, 'b') FROM (SELECT GROUP_CONCAT(a) g FROM t) d", ERR_NONE },
		{ "SELECT GROUP_CONCAT(a) g FROM t GROUP BY b LIKE c", ERR_FORBIDDEN_SQL },
		{ "SELECT CONCAT(a, b) n, ST_DISTANCE(p, q) d FROM t ORDER BY d", ERR_NONE },
		{ "SELECT CONCAT(x, ',', y) FROM (SELECT ST_X(p) x, ST_Y(p) y FROM t) d", ERR_NONE },
		{ "SELECT REPLACE(s, 'x', 'y') FROM (SELECT REPEAT('x', 1e9) s) d", ERR_FORBIDDEN_SQL },
		{ "SELECT REPLACE(REPEAT(REPEAT('x', 1000), 1000), 'x', 'y')", ERR_FORBIDDEN_SQL },
		{ "SELECT REPLACE(REPEAT('x', n), 'x', 'y') FROM t", ERR_FORBIDDEN_SQL },
		{ "SELECT REPLACE(REPEAT('x', LEAST(n, 100)), 'x', 'y') FROM t", ERR_NONE },
		{ "SELECT REPLACE(LPAD(a, 8, '0'), 'x', RPAD(b, 9, ' ')), SPACE(3) FROM t", ERR_NONE },
		{ "SELECT REPLACE(SPACE(1000000), ' ', 'y')", ERR_FORBIDDEN_SQL },
		{ "SELECT REGEXP_REPLACE(LPAD('x', 999999, 'x'), 'x', 'yy')", ERR_FORBIDDEN_SQL },
		{ "SELECT JSON_OBJECTAGG(a, RPAD('x', 1000000, 'x')) FROM t", ERR_FORBIDDEN_SQL },
		{ "SELECT ST_ASTEXT(p), CONCAT(ST_X(p), ' ', ST_Y(p)), ST_DISTANCE(p, ST_GEOMFROMTEXT('POINT(1 2)')) "
		  "FROM t",
		    ERR_NONE },
		{ "SELECT ST_ASTEXT(CONCAT(a, b)) FROM t", ERR_FORBIDDEN_SQL },
		{ "SELECT ST_ASTEXT(g) FROM (SELECT CONCAT(X'00', X'01') AS g) d", ERR_FORBIDDEN_SQL },
		{ "WITH d AS (SELECT GROUP_CONCAT(X'01' SEPARATOR '') AS g FROM t) SELECT AREA(g) FROM d",
		    ERR_FORBIDDEN_SQL },
		{ "WITH a AS (SELECT POINT(1, 1) g), b AS (SELECT GEOMETRYCOLLECTION(g) g FROM a) SELECT ST_ASTEXT(g) "
		  "FROM b",
		    ERR_FORBIDDEN_SQL },
		{ "SELECT GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(p)) FROM t", ERR_FORBIDDEN_SQL },
		{ "SELECT GEOMETRYCOLLECTION(p, POINT(1, 2)) FROM t", ERR_NONE },
		{ "SELECT INTERVAL(1, 2), shop.tax(1)", ERR_NONE },
		{ "SELECT EXTRACTVALUE('<a/>', '--1')", ERR_FORBIDDEN_SQL },
		{ "SELECT UPDATEXML('<a/>', '/a', 'b')", ERR_FORBIDDEN_SQL },
	};
	struct err err;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (judge(&guard, cases[i].sql, &at, &err) != cases[i].code)
			fail_msg("%s: %s", cases[i].sql, err.message);
}

/* Strings one behind the other are one text. */
static void
literals_are_measured_whole(void **state)
{
	static const char *const behind[] = { "')))", "') AS x HAVING ST_ASTEXT(ST_GEOMFROMWKB(x))" };

	(void)state;
	for (unsigned parts = 1; parts <= 2; parts++)
		for (size_t i = 0; i < 2; i++) {
			struct buf sql = { 0 };
			struct err err;
			size_t at;

			buf_str(&sql, i == 0 ? "SELECT ST_ASTEXT(ST_GEOMFROMWKB(UNHEX('" : "SELECT UNHEX('");
			for (unsigned k = 0; k < parts; k++)
				buf_printf(&sql, "%s%01600d", k == 0 ? "" : "' '", 0);
			buf_str(&sql, behind[i]);
			assert_int_equal(judge(&guard, buf_cstr(&sql), &at, &err),
			    parts == 1 ? ERR_NONE : ERR_FORBIDDEN_SQL);
			buf_fini(&sql);
		}
}

/* A function that the server does not have would be a stored one of the default database. */
static void
functions_are_those_of_the_server(void **state)
{
	static const struct {
		const char *sql;
		bool mariadb;
		unsigned long version;
		enum err_code code;
	} cases[] = {
		{ "SELECT REGEXP_LIKE('a', 'b')", true, 120000, ERR_FORBIDDEN_SQL },
		{ "SELECT regexp_like('a', 'b')", false, 80000, ERR_NONE },
		{ "SELECT NVL(1, 2), CHR(65)", true, 100400, ERR_NONE },
		{ "SELECT NVL(1, 2)", false, 80000, ERR_FORBIDDEN_SQL },
		{ "SELECT TO_CHAR(NOW())", true, 100500, ERR_FORBIDDEN_SQL },
		{ "SELECT TO_CHAR(NOW())", true, 100601, ERR_NONE },
		{ "SELECT X(p) FROM t", false, 80000, ERR_FORBIDDEN_SQL },
		{ "SELECT 1 FROM (SELECT 1 ORDER BY GROUPING(1)) d", true, 101119, ERR_FORBIDDEN_SQL },
	};
	struct err err;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mysql_guard one = guard;

		one.mariadb = cases[i].mariadb;
		one.version = cases[i].version;
		if (judge(&one, cases[i].sql, &at, &err) != cases[i].code)
			fail_msg("%s: %s", cases[i].sql, err.message);
	}
}

/*
 * WITH c0 AS (SELECT * FROM t), c1 AS (SELECT * FROM c0 a, c0 b), … SELECT * FROM cN; backwards: the other way round.
 */
static enum err_code
judge_doubled(unsigned n, bool backwards)
{
	struct buf sql = { 0 };
	struct err err;
	enum err_code code;
	size_t at;

	buf_str(&sql, backwards ? "WITH RECURSIVE " : "WITH ");
	for (unsigned i = 0; i < n; i++) {
		unsigned k = backwards ? n - 1 - i : i;

		buf_printf(&sql, i == 0 ? "c%u AS " : ", c%u AS ", k);
		if (k == 0)
			buf_str(&sql, "(SELECT * FROM t)");
		else
			buf_printf(&sql, "(SELECT * FROM c%u a, C%u b)", k - 1, k - 1);
	}
	buf_printf(&sql, " SELECT * FROM c%u", n - 1);
	code = judge(&guard, buf_cstr(&sql), &at, &err);
	buf_fini(&sql);
	return code;
}

static void
copies_of_queries_are_counted(void **state)
{
	(void)state;
	assert_int_equal(judge_doubled(8, false), ERR_NONE);
	assert_int_equal(judge_doubled(11, false), ERR_FORBIDDEN_SQL);
	assert_int_equal(judge_doubled(60, false), ERR_FORBIDDEN_SQL);
	assert_int_equal(judge_doubled(8, true), ERR_NONE);
	assert_int_equal(judge_doubled(11, true), ERR_FORBIDDEN_SQL);
	assert_int_equal(judge_doubled(65, true), ERR_FORBIDDEN_SQL);
}

static void
numbers_of_all_rows_are_refused_where_rows_are_hidden(void **state)
{
	static const char *const refused[] = { "SELECT * FROM information_schema.TABLES",
		"SELECT TABLE_NAME FROM information_schema.`tables`", "SELECT * FROM INFORMATION_SCHEMA.PARTITIONS",
		"SELECT 1 FROM t WHERE 1 < (SELECT max(CARDINALITY) FROM information_schema.statistics)",
		"SELECT * FROM information_schema.COLUMN_STATISTICS", "SHOW TABLE STATUS",
		"SHOW TABLE STATUS FROM shop",
		"SHOW INDEX FROM t", "SHOW INDEXES FROM t", "SHOW KEYS FROM t", "SHOW CREATE TABLE t" };
	static const char *const served[] = { "SELECT * FROM t", "SHOW TABLES", "SHOW FULL COLUMNS FROM t",
		"SHOW CREATE VIEW t", "SELECT * FROM information_schema.COLUMNS", "SHOW DATABASES" };
	struct mysql_guard counted = guard;
	struct err err;
	size_t at;

	(void)state;
	counted.counted = true;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(judge(&guard, refused[i], &at, &err), ERR_NONE);
		if (judge(&counted, refused[i], &at, &err) != ERR_FORBIDDEN_SQL)
			fail_msg("%s passed", refused[i]);
	}
	for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++)
		if (judge(&counted, served[i], &at, &err) != ERR_NONE)
			fail_msg("%s: %s", served[i], err.message);
}

/* What runs nothing that somebody wrote, if its tables are tables; and these, "-" for one that may be a WITH query. */
static void
plain_statements_call_the_servers_functions_alone(void **state)
{
	static const struct {
		const char *sql, *tables; /* NULL: it is not plain */
	} cases[] = {
		{ "SELECT 1", "" },
		{ "SELECT id, UPPER(name) FROM orders WHERE id = 4", "orders " },
		{ "SELECT COUNT(*) FROM shop.orders o JOIN archive.items USING (id)", "shop.orders archive.items " },
		{ "TABLE orders", "orders " },
		{ "SELECT (SELECT MAX(a) FROM b WHERE EXISTS (SELECT 1 FROM c)) FROM (SELECT 1 FROM d) e", "b c d " },
		{ "WITH Recent AS (SELECT * FROM orders) SELECT * FROM recent, shop.recent",
		    "orders recent- shop.recent " },
		{ "SELECT a FROM t UNION SELECT b FROM u ORDER BY RAND()", "t u " },
		{ "SELECT SUM(a) OVER (PARTITION BY b ORDER BY c) FROM t", "t " },
		{ "SELECT shop.tax(a) FROM orders", NULL },
		{ "SELECT a FROM orders WHERE b IN (SELECT shop.tax(1))", NULL },
		{ "SELECT a FROM orders ORDER BY shop.tax(a)", NULL },
		{ "SELECT a FROM t JOIN u ON shop.tax(t.a) = u.b", NULL },
		{ "SELECT DEFAULT(a) FROM t", NULL },
		{ "EXPLAIN SELECT 1", NULL },
		{ "SHOW TABLES", NULL },
		{ "SELECT 1 FROM a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p", "a b c d e f g h i j k l m n o p " },
		{ "SELECT 1 FROM a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q", NULL },
	};
	struct buf named = { .max = 0 };
	struct mysql_plain plain;
	struct err err;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct mysql_node *tree = mysql_parse(arena, span_str(cases[i].sql), &at, &err);

		if (tree == NULL)
			fail_msg("%s: %s", cases[i].sql, err.message);
		if (mysql_plain_read(tree, &plain) != (cases[i].tables != NULL))
			fail_msg("%s", cases[i].sql);
		if (cases[i].tables == NULL)
			continue;
		buf_reset(&named, SIZE_MAX);
		for (size_t k = 0; k < plain.n; k++)
			buf_printf(&named, "%.*s%s%.*s%s ", SPAN_FMT(plain.tables[k].schema),
			    plain.tables[k].schema.len > 0 ? "." : "", SPAN_FMT(plain.tables[k].name),
			    plain.tables[k].cte ? "-" : "");
		assert_string_equal(buf_cstr(&named), cases[i].tables);
	}
	buf_fini(&named);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_statements_call_the_servers_functions_alone),
		cmocka_unit_test(hostile_inputs_are_refused_and_honest_ones_pass),
		cmocka_unit_test(names_are_resolved_with_their_schema),
		cmocka_unit_test(schemas_are_folded_as_the_server_folds_them),
		cmocka_unit_test(layers_judge_by_themselves),
		cmocka_unit_test(set_operations_are_counted),
		cmocka_unit_test(weights_are_bounded),
		cmocka_unit_test(literals_are_measured_whole),
		cmocka_unit_test(functions_are_those_of_the_server),
		cmocka_unit_test(copies_of_queries_are_counted),
		cmocka_unit_test(numbers_of_all_rows_are_refused_where_rows_are_hidden),
	};
	int failed;

	arena = arena_new(16u << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return failed;
}
