/*
 * postgres_own.c - carrel-sql-postgres: what users have made for types of
 * their own does not stand in the way of everybody else's statements.
 */
#include "tests/integration/sql/postgres_worker.h"
#include "tests/integration/sql/sql_harness.h"

static struct driver *
start(void)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = url_of("reader", "secret", NULL) });
}

static const char own_operators[] =
    "CREATE TYPE money_in AS (amt numeric, cur text);"
    "CREATE FUNCTION money_eq(a money_in, b money_in) RETURNS boolean LANGUAGE plpgsql AS"
    "  $$ BEGIN RETURN (a).amt = (b).amt; END $$;"
    "CREATE OPERATOR = (LEFTARG = money_in, RIGHTARG = money_in, FUNCTION = money_eq);"
    "CREATE OPERATOR < (LEFTARG = money_in, RIGHTARG = money_in, FUNCTION = money_eq);"
    "CREATE OPERATOR <<<>>> (LEFTARG = money_in, RIGHTARG = money_in, FUNCTION = money_eq);"
    "CREATE TABLE prices AS SELECT 1 AS id, ROW(1, 'EUR')::money_in AS price;"
    "CREATE VIEW dearest AS SELECT price AS top FROM prices;"
    "CREATE FUNCTION price_of(i int) RETURNS money_in LANGUAGE sql STABLE AS $$ SELECT price FROM prices WHERE prices.id = i $$;"
    "CREATE DOMAIN cost AS money_in; CREATE TYPE offer AS (name text, cost cost);"
    "CREATE TABLE offers (o offer, alternatives money_in[]); INSERT INTO offers VALUES (NULL, NULL);"
    "CREATE TYPE coin AS ENUM ('cent', 'euro');"
    "CREATE FUNCTION coin_money(c coin) RETURNS money_in LANGUAGE sql IMMUTABLE AS $$ SELECT NULL::money_in $$;"
    "CREATE CAST (coin AS money_in) WITH FUNCTION coin_money AS IMPLICIT;"
    "CREATE TABLE purse AS SELECT 'cent'::coin AS c;"
    "GRANT SELECT ON prices, dearest, offers, purse TO PUBLIC";

static const char no_own_operators[] =
    "DROP CAST (coin AS money_in); DROP VIEW dearest; DROP TABLE prices, offers, purse; DROP FUNCTION price_of(int), coin_money(coin);"
    "DROP OPERATOR = (money_in, money_in); DROP OPERATOR < (money_in, money_in); DROP OPERATOR <<<>>> (money_in, money_in);"
    "DROP FUNCTION money_eq(money_in, money_in); DROP TYPE offer; DROP DOMAIN cost; DROP TYPE money_in; DROP TYPE coin";

static void
operand_types_decide_about_operators(void **state)
{
	static const struct sql_case cases[] = {
		{ "SELECT 1 = 1, 1 < 2, 'a' = 'b', 1.5 = 1, NULL = NULL, (1, 'a') = (1, 'a'), ARRAY[1] = ARRAY[1]", NULL,
		    "[[true,true,false,false,null,true,true]]" },
		{ "SELECT count(*) FROM customers WHERE id = 1 AND name IN ('name 1')", NULL, "[[1]]" },
		{ "SELECT count(*) FROM customers JOIN orders ON customers.id = orders.customer_id WHERE amount < 0", NULL, "[[0]]" },
		{ "SELECT id FROM prices", NULL, "[[1]]" },
		{ "SELECT OPERATOR(pg_catalog.-) (price).amt FROM prices WHERE id OPERATOR(pg_catalog.=) 1", NULL, "[[-1]]" },
		{ "SELECT price = price FROM prices", "forbidden_sql", "the operator = is not allowed (character 14): for a type" },
		{ "SELECT ROW(1, 'a')::money_in < '(1,a)'", "forbidden_sql", "for a type that this statement" },
		{ "SELECT price_of(1) = '(1,EUR)'", "forbidden_sql", "for a type that this statement" },
		{ "SELECT top = top FROM dearest", "forbidden_sql", "for a type that this statement" },
		{ "SELECT ((o).cost)::cost = '(1,EUR)' FROM offers", "forbidden_sql", "for a type that this statement" },
		{ "SELECT (o).cost = (o).cost FROM offers", "forbidden_sql", "for a type that this statement" },
		{ "SELECT alternatives[1] = alternatives[2] FROM offers", "forbidden_sql", "for a type that this statement" },
		{ "SELECT c = c FROM purse", "forbidden_sql", "for a type that this statement" },
		{ "SELECT 'a' <<<>>> 'b'", "forbidden_sql", "in this database a function" },
	};
	struct driver *d;

	(void)state;
	(void)super(own_operators);
	d = start();
	sql_expect_all(d, cases, sizeof(cases) / sizeof(cases[0]));
	sql_stop(d);
	/* With a way into the type that nobody writes, the name alone decides again. */
	(void)super(
	    "CREATE FUNCTION text_money(t text) RETURNS money_in LANGUAGE sql IMMUTABLE AS $$ SELECT NULL::money_in $$;"
	    "CREATE CAST (text AS money_in) WITH FUNCTION text_money AS IMPLICIT");
	d = start();
	sql_expect_fail(d, "SELECT 1 = 1", "forbidden_sql", "in this database a function");
	sql_stop(d);
	(void)super("DROP CAST (text AS money_in); DROP FUNCTION text_money(text)");
	(void)super(no_own_operators);
}

static void
what_the_server_makes_for_a_type_is_its_own(void **state)
{
	static const struct sql_case cases[] = {
		{ "SELECT '{[09:00,12:00)}'::time_multirange", NULL, "[[\"{[09:00:00,12:00:00)}\"]]" },
		{ "SELECT time_multirange(span), time_multirange(), span::time_multirange FROM shifts", NULL, "{[09:00:00,12:00:00)}" },
		{ "SELECT time_range('09:00', '10:00'), pair_range(NULL, NULL)", NULL, "[09:00:00,10:00:00)" },
		{ "SELECT uuid('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')", NULL, "a0eebc99" },
		{ "SELECT jsonb('{\"a\":1}'), json('[]'), inet('10.0.0.1'), bytea('x')", NULL, "10.0.0.1" },
		{ "SELECT tsquery('a & b'), tsvector('a b'), regtype('int4'), humour('glad'), time_range('[09:00,10:00)')", NULL, "glad" },
		{ "SELECT uuid_generate_v4() IS NULL", NULL, "[[false]]" },
		{ "SELECT odd('1')", "forbidden_sql", "odd" },
		{ "SELECT uuid_generate_v1()", "forbidden_sql", "VOLATILE" },
		{ "SELECT nobody_has_this('1')", "invalid_sql", "there is no function" },
		{ "SHOW work_mem", NULL, "[[\"" }, { "SHOW enable_seqscan", NULL, "[[\"on\"]]" },
		{ "SHOW Random_Page_Cost", NULL, "[[\"4\"]]" }, { "SELECT current_setting('jit')", NULL, "[[\"" },
		{ "SHOW data_directory", "forbidden_sql", "SHOW is allowed only for" },
		{ "SHOW enable_", "invalid_sql", "" }, { "SHOW listen_addresses", "forbidden_sql", "SHOW is allowed only for" },
	};
	struct driver *d;

	(void)state;
	(void)super(
	    "CREATE TYPE time_range AS RANGE (subtype = time); CREATE TYPE pair AS (a int, b int);"
	    "CREATE TYPE pair_range AS RANGE (subtype = pair); CREATE TYPE humour AS ENUM ('glad', 'sad');"
	    "CREATE TABLE shifts AS SELECT time_range('09:00', '12:00') AS span; GRANT SELECT ON shifts TO PUBLIC;"
	    "CREATE FUNCTION is_odd(i int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN i % 2 = 1; END $$;"
	    "CREATE DOMAIN odd AS int CHECK (is_odd(VALUE)); CREATE EXTENSION \"uuid-ossp\"");
	d = start();
	sql_expect_all(d, cases, sizeof(cases) / sizeof(cases[0]));
	sql_stop(d);
	(void)super("DROP EXTENSION \"uuid-ossp\"; DROP TABLE shifts; DROP DOMAIN odd; DROP FUNCTION is_odd(int);"
		    "DROP TYPE time_range; DROP TYPE pair_range; DROP TYPE pair; DROP TYPE humour");
}

static void
explain_analyze_is_behind_its_key(void **state)
{
	static const struct sql_case cases[] = {
		{ "EXPLAIN ANALYZE SELECT count(*) FROM orders", NULL, "actual time" },
		{ "EXPLAIN ANALYZE VERBOSE SELECT 1", NULL, "Output: 1" },
		{ "EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off) SELECT 1", NULL, "actual rows=1" },
		{ "EXPLAIN (\"analyze\") SELECT 1", NULL, "actual" },
		{ "EXPLAIN (ANALYZE, WAL) SELECT 1", "forbidden_sql", "this option of EXPLAIN" },
		{ "EXPLAIN (ANALYZE, SETTINGS) SELECT 1", "forbidden_sql", "this option of EXPLAIN" },
		{ "EXPLAIN ANALYZE DELETE FROM orders", "forbidden_sql", "DELETE is not allowed" },
		{ "EXPLAIN ANALYZE WITH x AS (DELETE FROM orders RETURNING 1) SELECT * FROM x", "forbidden_sql", "DELETE" },
		{ "EXPLAIN ANALYZE SELECT pg_sleep(1)", "forbidden_sql", "pg_sleep" },
		{ "EXPLAIN ANALYZE SELECT * INTO x FROM orders", "forbidden_sql", "SELECT INTO" },
	};
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "postgres",
	    .conninfo = url_of("owner", "secret", NULL), .explain_analyze = true });

	(void)state;
	sql_expect_all(d, cases, sizeof(cases) / sizeof(cases[0]));
	sql_stop(d);
	d = start();
	sql_expect_fail(d, "EXPLAIN ANALYZE SELECT 1", "forbidden_sql", "limits.explain_analyze");
	sql_stop(d);
}

int
postgres_run_own_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(operand_types_decide_about_operators),
		cmocka_unit_test(explain_analyze_is_behind_its_key),
		cmocka_unit_test(what_the_server_makes_for_a_type_is_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
