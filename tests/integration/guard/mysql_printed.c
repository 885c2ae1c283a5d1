/*
 * mysql_printed.c - a MariaDB server must answer what is printed of a statement as it answers the statement: the names
 * and types of its columns, and its rows.  Statements of a list, on tables with the types and names that there are, and
 * expressions that are drawn without brackets, so that the server's precedence says what they mean.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "policy/attacks.h"
#include "tests/support/mysql_answer.h"
#include "tests/unit/harness.h"
#include "workers/sql/mysql/grammar/mysql_functions.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"

#define DRAWN		3000u
#define ACCEPTED	800u	/* of the drawn ones at least, or the test tests nothing */

static MYSQL *server;
static struct arena *arena;

static const char *const tables[] = {
	"SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
	"SET time_zone = '+00:00', timestamp = 1700000000, rand_seed1 = 1",
	"CREATE DATABASE shop CHARACTER SET utf8mb4",
	"USE shop",
	"CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20), c DECIMAL(10, 2), d DATETIME(3), e ENUM('x', "
	"'y'), f BIT(5), "
	"g JSON, h BLOB, `odd ``name` DOUBLE, `select` BIGINT UNSIGNED, l VARCHAR(9) CHARACTER SET latin1, "
	"FULLTEXT (b))",
	"CREATE TABLE u (a INT PRIMARY KEY, t_a INT, y YEAR, s SET('m', 'n'), w TIME, KEY i (t_a)) "
	"PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (2), PARTITION p1 VALUES LESS THAN MAXVALUE)",
	"CREATE TABLE v (a INT) WITH SYSTEM VERSIONING",
	"INSERT INTO t VALUES (1, 'one', 1.50, '2024-01-31 10:00:00.125', 'x', 5, '{\"k\": [1, 2]}', "
	"x'00ff', 1.5, 1, 'é'), "
	"(2, 'it''s \\\\', NULL, NULL, 'y', NULL, NULL, NULL, NULL, 18446744073709551615, NULL), "
	"(3, 'ünï 😀', -3, '1999-12-31', NULL, 0, '[]', '', -0.5, 0, 'z')",
	"INSERT INTO u VALUES (1, 1, 1999, 'm,n', '-838:59:59'), (2, 1, 2024, '', '25:00:00'), (3, 3, NULL, "
	"NULL, NULL)",
	"INSERT INTO v VALUES (1)",
	"CREATE TABLE g (p POINT)",
	"INSERT INTO g VALUES (POINT(1, 2))",
};

static const char *const statements[] = {
	"SELECT * FROM t ORDER BY a",
	"select t.*, u.y from shop.t left join u on t.a = u.t_a order by t.a, u.a",
	"SELECT a+b, a + -- x\n c, `odd ``name`, `select`, t.select, 'it''s', \"x\"\"y\", 'a\\nb', "
	"_latin1'e', N'x' FROM t",
	"SELECT (a), ((b)), (a+1), +a, -a, - -a, 1, 1.50, 'x' 'y', NULL, TRUE, x'41', 0x41, b'01', "
	"DATE'2024-01-01' FROM t",
	"SELECT CASE a WHEN 1 THEN 'x' ELSE b END, CASE WHEN a > 1 THEN c END, IF(a, b, c), COALESCE(c, 0), "
	"NULLIF(a, 1) FROM t",
	"SELECT COUNT(*), COUNT(DISTINCT b, e), SUM(c), AVG(DISTINCT a), GROUP_CONCAT(DISTINCT b ORDER BY a "
	"DESC SEPARATOR '; ' ), "
	"STD(a), BIT_OR(a), JSON_ARRAYAGG(a ORDER BY a), JSON_OBJECTAGG(a, b) FROM t",
	"SELECT e, COUNT(*) n FROM t GROUP BY e DESC WITH ROLLUP",
	"SELECT a, ROW_NUMBER() OVER (ORDER BY a DESC) r, SUM(a) OVER w, LAG(a, 1) OVER (PARTITION BY e ORDER BY a), "
	"AVG(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING), NTILE(2) OVER w FROM t "
	"WINDOW w AS (ORDER BY a)",
	"SELECT DISTINCT MEDIAN(a) OVER (), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) OVER () FROM t",
	"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5), m AS (SELECT * FROM "
	"n) SELECT SUM(i) FROM m",
	"(SELECT 1 a) UNION ALL (SELECT 2) UNION SELECT 3 EXCEPT SELECT 2 ORDER BY a DESC LIMIT 1, 2",
	"((SELECT a FROM t ORDER BY a LIMIT 1) UNION (SELECT 9)) ORDER BY 1",
	"SELECT * FROM ((SELECT 1 x) UNION (SELECT 2)) d, (SELECT a+1 FROM t WHERE a = 1) e",
	"SELECT `a+1` FROM (SELECT a+1 FROM t) d ORDER BY `a+1`",
	"SELECT * FROM (t JOIN u ON t.a = u.t_a), (v) ORDER BY u.a",
	"SELECT * FROM t NATURAL JOIN v",
	"SELECT t.a FROM t STRAIGHT_JOIN u ON t.a = u.t_a RIGHT JOIN v USING (a)",
	"SELECT a FROM t WHERE a IN (1, 2) AND NOT b LIKE 'o%' OR (a, b) = (3, 'x') OR a BETWEEN 2 AND 3 "
	"AND c IS NOT NULL",
	"SELECT a FROM t WHERE a = ANY (SELECT t_a FROM u) AND EXISTS (SELECT 1 FROM u WHERE u.t_a = t.a) "
	"AND (SELECT 1) = 1",
	"SELECT a FROM t WHERE b SOUNDS LIKE 'won' OR b REGEXP '^o' OR b NOT RLIKE 'x' OR b LIKE 'a|%' ESCAPE '|'",
	"SELECT MATCH (b) AGAINST ('one' IN BOOLEAN MODE) FROM t USE INDEX (PRIMARY)",
	"SELECT a FROM u PARTITION (p0, p1) AS x FORCE INDEX FOR ORDER BY (i) ORDER BY a LIMIT 1 OFFSET 1",
	"SELECT a FROM v FOR SYSTEM_TIME ALL",
	"SELECT a FROM t ORDER BY a OFFSET 1 ROW FETCH NEXT 1 ROWS ONLY",
	"SELECT DATE_ADD(d, INTERVAL 1 MONTH), d - INTERVAL '1:2' HOUR_MINUTE, INTERVAL 2 DAY + d, "
	"EXTRACT(YEAR_MONTH FROM d), "
	"TIMESTAMPDIFF(DAY, d, '2024-03-01'), TIMESTAMPADD(WEEK, 1, d), DATE_FORMAT(d, '%Y-%m'), "
	"GET_FORMAT(DATE, 'EUR'), "
	"CURRENT_DATE, NOW(3), UTC_TIMESTAMP(), INTERVAL(2, 1, 3) FROM t",
	"SELECT CAST(a AS CHAR(3) CHARACTER SET latin1), CAST(b AS BINARY(2)), CAST('1.5' AS DECIMAL(5, "
	"2)), CAST(a AS SIGNED INTEGER), "
	"CONVERT(b USING utf8mb4), CONVERT(a, CHAR), BINARY b, b COLLATE utf8mb4_bin, CHAR(65, 66 USING "
	"latin1) FROM t",
	"SELECT TRIM(b), TRIM('o' FROM b), TRIM(LEADING 'o' FROM b), SUBSTRING(b FROM 2 FOR 1), SUBSTR(b, "
	"2), POSITION('n' IN b), "
	"LEFT(b, 1), REPLACE(b, 'o', 'x'), INSERT(b, 1, 1, 'y'), WEIGHT_STRING(b AS CHAR(2)), REPEAT(b, 2), "
	"MOD(a, 2) FROM t",
	"SELECT JSON_EXTRACT(g, '$.k[0]'), JSON_VALUE(g, '$.k[1]'), j.* FROM t, JSON_TABLE(COALESCE(t.g, "
	"'[]'), '$.k[*]' COLUMNS "
	"(n FOR ORDINALITY, x INT PATH '$' DEFAULT '0' ON EMPTY NULL ON ERROR, NESTED PATH '$' COLUMNS (z "
	"INT EXISTS PATH '$'))) AS j",
	"SELECT * FROM JSON_TABLE('{\"x\": 1}', _utf8mb4'$' COLUMNS (a BIT(9) PATH '$.x', b TINYTEXT PATH '$.y' "
	"DEFAULT -1 ON EMPTY, c LONGBLOB PATH '$.z', NESTED PATH _utf8mb4'$' COLUMNS (d MEDIUMTEXT PATH '$.x'))) j",
	"SELECT ST_AsText(p), ST_X(p), y, s, w, f + 0 FROM g, u, t WHERE t.a = u.a",
	"SELECT COLUMN_GET(COLUMN_CREATE('k', 1 AS INTEGER), 'k' AS CHAR)",
	"SELECT DEFAULT(a) FROM v",
	"SELECT 1 FROM DUAL WHERE 1 LIMIT 0",
	"VALUES (1, 'a'), (2, 'b')",
	"SELECT /* x */ a + 1, /* y */ a + 2, /* z */ 0x41, '\\b\\t\\Z\\0' FROM t",
	"SELECT -INTERVAL 1 DAY + d, POSITION((a IN (1)) IN b), a + d - INTERVAL 1 DAY / 5, INTERVAL 1 DAY + d, "
	"CAST(a AS DEC(5, 1)) FROM t",
	"SELECT SQL_CALC_FOUND_ROWS DISTINCTROW SQL_BIG_RESULT e FROM t",
	"EXPLAIN SELECT * FROM t WHERE a = 1",
	"DESCRIBE t",
	"SHOW FULL COLUMNS FROM t FROM shop WHERE Field IN ('a', 'b')",
	"SHOW CREATE TABLE shop.u",
	"SHOW INDEX FROM u",
	"SHOW TABLES LIKE 't%'",
	"SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY 1",
};

#define HONEST_ROWS	(sizeof(honest) / sizeof(honest[0]))
static const struct audit_input honest[] = {
#include "workers/sql/mysql/guard/attacks_mysql.def"
};

/* False: a syntax error. */
static bool
ask(struct span sql, struct buf *out)
{
	return mysql_answer(server, sql, out) || mysql_errno(server) != 1064;
}

/* Both answers are alike.  True: the statement is one for the server; false: for neither. */
static bool
answers_alike(const char *sql)
{
	struct buf asked = { 0 }, answered = { 0 }, printed = { 0 };
	struct err err;
	size_t at;
	bool valid = ask(span_str(sql), &asked);
	const struct mysql_node *tree;

	arena_reset(arena);
	tree = mysql_parse(arena, span_str(sql), &at, &err);
	if (valid && tree == NULL)
		fail_msg("%s is refused: %s", sql, err.message);
	if (tree != NULL) {
		mysql_print(&printed, tree);
		ask(buf_view(&printed), &answered);
	}
	if (valid && !span_is(buf_view(&asked), buf_view(&answered)))
		fail_msg("%s\nis sent as %s\nand answered %s\nnot %s", sql, buf_cstr(&printed), buf_cstr(&answered),
		    buf_cstr(&asked));
	buf_fini(&asked);
	buf_fini(&answered);
	buf_fini(&printed);
	return valid;
}

static void
statements_are_answered_alike(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (!answers_alike(statements[i]))
			fail_msg("%s: %s", statements[i], mysql_error(server));
}

static void
honest_inputs_are_statements(void **state)
{
	(void)state;
	for (size_t i = 0; i < HONEST_ROWS; i++)
		if (honest[i].kind == AUDIT_HONEST && !answers_alike(honest[i].sql))
			fail_msg("%s: %s", honest[i].sql, mysql_error(server));
}

static const char *const functions[] = {
#define FUNCTION(name, properties, form)	name,
#include "workers/sql/mysql/grammar/mysql_functions.def"
#undef FUNCTION
};

/* What the server does not know by itself it takes for a stored function. */
static void
functions_are_the_servers(void **state)
{
	static const char *const arguments[] = { "", "1", "1, 2", "1, 2, 3", "NULL" };
	struct buf sql = { 0 };
	struct err err;
	size_t at;

	(void)state;
	for (size_t i = 0; i < 5 * (sizeof(functions) / sizeof(functions[0])); i++) {
		const char *name = functions[i / 5];

		sql.len = 0;
		buf_printf(&sql, "DO %s(%s)", name, arguments[i % 5]);
		arena_reset(arena);
		if (!mysql_functions_has(span_str(name), true, mysql_get_server_version(server)) ||
		    mysql_parse(arena, span_str(arena_printf(arena, "SELECT %s", buf_cstr(&sql) + 3)), &at, &err) ==
			NULL)
			continue;
		mysql_query(server, buf_cstr(&sql));
		if (mysql_errno(server) == 1305 || mysql_errno(server) == 1630)
			fail_msg("%s: %s", buf_cstr(&sql), mysql_error(server));
	}
	buf_fini(&sql);
}

static const char *const operators[] = {
	"OR", "XOR", "AND", "||", "&&", "=", "<=>", "<", ">=", "!=", "<>", "LIKE", "NOT LIKE", "REGEXP",
	"NOT REGEXP", "|", "&", "<<", ">>", "+", "-", "*", "/", "%", "DIV", "MOD", "^", "IN (1, 2) +",
	"NOT IN (0, 3) =", "BETWEEN 0 AND", "NOT BETWEEN 1 AND", "IS NULL =", "IS NOT TRUE <", "IS FALSE AND",
	"ESCAPE", "COLLATE utf8mb4_bin =", "SOUNDS LIKE", "= ANY (SELECT 1) =",
};
static const char *const prefixes[] = { "", "", "", "", "", "-", "~", "!", "NOT ", "BINARY ", "- -", "!~", "+" };
static const char *const leaves[] = { "1", "0", "2", "3", "'1'", "'a'", "NULL", "5", "1.5", "'2'" };

#define DRAW(list, seed)	(list)[test_random(seed) % (sizeof(list) / sizeof((list)[0]))]

static void
drawn_expressions_are_answered_alike(void **state)
{
	struct buf sql = { 0 };
	uint64_t seed = 41;
	unsigned accepted = 0;

	(void)state;
	for (unsigned i = 0; i < DRAWN; i++) {
		sql.len = 0;
		buf_printf(&sql, "SELECT %s%s", DRAW(prefixes, &seed), DRAW(leaves, &seed));
		for (uint64_t n = test_random(&seed) % 5; n > 0; n--) {
			buf_printf(&sql, " %s ", DRAW(operators, &seed));
			buf_printf(&sql, "%s%s", DRAW(prefixes, &seed), DRAW(leaves, &seed));
		}
		accepted += answers_alike(buf_cstr(&sql));
	}
	buf_fini(&sql);
	assert_true(accepted > ACCEPTED);
}

static int
set_up(void **state)
{
	const char *dir = getenv("MY_DIR");
	char path[4096];

	(void)state;
	if (dir == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/run/socket", dir);
	arena = arena_new(64u << 20);
	server = mysql_init(NULL);
	mysql_options(server, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (mysql_real_connect(server, NULL, "root", NULL, NULL, 0, path, 0) == NULL) {
		fprintf(stderr, "%s\n", mysql_error(server));
		return -1;
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (mysql_query(server, tables[i]) != 0) {
			fprintf(stderr, "%s: %s\n", tables[i], mysql_error(server));
			return -1;
		}
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	mysql_close(server);
	mysql_library_end();
	arena_free(arena);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements_are_answered_alike),
		cmocka_unit_test(honest_inputs_are_statements),
		cmocka_unit_test(functions_are_the_servers),
		cmocka_unit_test(drawn_expressions_are_answered_alike),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
