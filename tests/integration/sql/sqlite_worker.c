/* sqlite_worker.c - carrel-sql-sqlite: values, caps, refusals, time, memory, introspection. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/integration/sql/sql_harness.h"
#include "tests/integration/sql/sqlite_worker.h"

static char directory[64], path_buffer[4][256];

void
new_directory(void)
{
	strcpy(directory, "/tmp/carrel-sqlite-XXXXXX");
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chmod(directory, 0755), 0);
}

const char *
in_directory(const char *name)
{
	static unsigned turn;
	char *out = path_buffer[turn++ % 4];

	snprintf(out, sizeof(path_buffer[0]), "%s/%s", directory, name);
	return out;
}

void
remove_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	assert_int_equal(system(command), 0);
}

sqlite3 *
writer_open(const char *path, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 20000);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	return db;
}

void
change(const char *path, const char *sql)
{
	assert_int_equal(sqlite3_close(writer_open(path, sql)), SQLITE_OK);
}

static const char schema[] =
    "CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email VARCHAR(80));"
    "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, amount DECIMAL(10,2),"
    " created_at DATETIME, paid BOOLEAN, note, twice GENERATED ALWAYS AS (amount * 2) VIRTUAL);"
    "INSERT INTO customers VALUES (1,'Ada','a@x'),(2,'Bob',NULL),(3,'Cy','c@x');"
    "INSERT INTO orders(id, customer_id, amount, created_at, paid, note) VALUES"
    " (1,1,10.5,'2024-01-01',1,'x'),(2,1,20,'2024-01-02',0,NULL),(3,2,5.25,'2024-01-03',1,x'00ff');"
    "CREATE VIEW paid AS SELECT id, amount FROM orders WHERE paid;"
    "CREATE VIRTUAL TABLE words USING fts5(body);"
    "INSERT INTO words VALUES ('hello world'), ('good bye');"
    "CREATE TABLE pair(a INT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID;"
    "CREATE TABLE \"we\"\"ird.ü\"(\"k.1\" INT, x INT, y INT, FOREIGN KEY (x, y) REFERENCES PAIR);"
    "CREATE TABLE numbers(n INTEGER PRIMARY KEY, t TEXT);"
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000)"
    " INSERT INTO numbers SELECT n, printf('row %d', n) FROM c;"
    "CREATE VIEW dropped AS SELECT * FROM pair;";

static const char *
shop(void)
{
	new_directory();
	change(in_directory("shop.db"), schema);
	return in_directory("shop.db");
}

static struct driver *
start_shop(void)
{
	return sql_start(&(struct sql_setup){ .driver = "sqlite", .path = shop() });
}

static void
stop_shop(struct driver *d)
{
	sql_stop(d);
	remove_directory();
}

static void
every_kind_of_value_comes_out_right(void **state)
{
	struct driver *d = start_shop();

	(void)state;
	sql_expect(d, "SELECT 1, -1, 9007199254740991, 9007199254740992, -9223372036854775808",
	    "\"rows\":[[1,-1,9007199254740991,\"9007199254740992\",\"-9223372036854775808\"]]");
	sql_expect(d, "SELECT 1.5, 0.1, 1e300, 1e308 * 10, -1e308 * 10, 2.0",
	    "\"rows\":[[1.5,0.1,1e+300,\"Infinity\",\"-Infinity\",2");
	sql_expect(d, "SELECT NULL, 'tëxt', '', 'a' || char(10) || '\"'",
	    "\"rows\":[[null,\"tëxt\",\"\",\"a\\n\\\"\"]]");
	sql_expect(d, "SELECT x'00ff', x'', CAST(x'ff41' AS TEXT)",
	    "\"rows\":[[{\"base64\":\"AP8=\"},{\"base64\":\"\"},{\"base64\":\"/0E=\"}]]");
	sql_expect(d, "SELECT 'a' || char(0) || 'b'", "\"rows\":[[\"a\\u0000b\"]]");
	sql_expect(d, "SELECT id AS x, name AS x FROM customers LIMIT 1",
	    "{\"headers\":[\"x\",\"x\"],\"headerTypes\":[\"INTEGER\",\"TEXT\"],\"rows\":[[1,\"Ada\"]],"
	    "\"rowCount\":1,\"truncated\":false,\"truncatedBy\":null,\"elapsedMs\":");
	/* An expression has no declared type, so there is no list of types at all. */
	sql_expect(d, "SELECT id, amount + 1 FROM orders LIMIT 1",
	    "{\"headers\":[\"id\",\"amount + 1\"],\"rows\":[[1,11.5]]");
	sql_expect(d, "SELECT id FROM orders WHERE id < 0", "\"rows\":[],\"rowCount\":0,\"truncated\":false");
	stop_shop(d);
}

static void
a_large_cell_is_cut_and_says_so(void **state)
{
	struct driver *d = start_shop();
	const struct driver_answer *a;

	(void)state;
	a = sql_run(d, "SELECT printf('%.*c', 262144, 'x')", 0);
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_true(strlen(a->result) > 262144);
	a = sql_run(d, "SELECT printf('%.*c', 262145, 'x')", 0);
	assert_has(a->result, "[[{\"truncated\":true,\"fullLength\":262145,\"start\":\"xxx");
	assert_true(strlen(a->result) < 1400);
	/* 1,024 bytes end inside a three-byte character: it is left out. */
	a = sql_run(d, "SELECT replace(hex(zeroblob(100000)), '00', '€')", 0);
	assert_has(a->result, "\"fullLength\":300000,\"start\":\"€€");
	assert_has(a->result, "€\"}]]");
	sql_expect(d, "SELECT zeroblob(300000)",
	    "[[{\"truncated\":true,\"fullLength\":300000,\"start\":{\"base64\":\"AAAA");
	stop_shop(d);
}

static void
truncation_is_exact(void **state)
{
	struct driver *d = start_shop();

	(void)state;
	assert_has(sql_run(d, "SELECT * FROM customers", 3)->result, "\"rowCount\":3,\"truncated\":false,");
	assert_has(sql_run(d, "SELECT * FROM customers", 2)->result,
	    "\"rowCount\":2,\"truncated\":true,\"truncatedBy\":\"rows\"");
	/* The default of 1,000, and a LIMIT that is not ours. */
	assert_has(sql_run(d, "SELECT n FROM numbers", 0)->result,
	    "\"rowCount\":1000,\"truncated\":true,\"truncatedBy\":\"rows\"");
	assert_has(sql_run(d, "SELECT n FROM numbers LIMIT 1000", 0)->result, "\"rowCount\":1000,\"truncated\":false");
	assert_has(sql_run(d, "SELECT * FROM (SELECT 1 LIMIT 1), numbers", 10000)->result,
	    "\"rowCount\":5000,\"truncated\":false");
	stop_shop(d);
}

static void
the_byte_cap_keeps_what_fits(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = shop(),
	    .result_bytes = 20000 });
	const struct driver_answer *a;

	(void)state;
	a = sql_run(d, "SELECT n, printf('%.*c', 900, 'x') FROM numbers", 0);
	assert_has(a->result, "\"truncated\":true,\"truncatedBy\":\"bytes\"");
	assert_has(a->result, "\"rowCount\":22,");
	a = sql_run(d, "SELECT n, printf('%.*c', CASE n WHEN 3 THEN 30000 ELSE 9 END, 'x') FROM numbers", 0);
	assert_has(a->result, "\"rowCount\":2,\"truncated\":true,\"truncatedBy\":\"bytes\"");
	sql_expect_fail(d, "SELECT printf('%.*c', 20001, 'x')", "result_too_large", "20000 bytes");
	sql_expect(d, "SELECT 1", "[[1]]");
	stop_shop(d);
}

static void
a_configured_row_cap_is_the_lower_bound(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = shop(), .max_rows = 7 });

	(void)state;
	assert_has(sql_run(d, "SELECT n FROM numbers", 100)->result,
	    "\"rowCount\":7,\"truncated\":true,\"truncatedBy\":\"rows\"");
	stop_shop(d);
}

static void
what_only_reads_is_allowed(void **state)
{
	static const struct sql_case cases[] = {
		{ "SELECT 1;", NULL, "[[1]]" },
		{ " ; SELECT 1 ; ; -- end", NULL, "[[1]]" },
		{ "\xEF\xBB\xBFSELECT 1", NULL, "[[1]]" },
		{ "/* x */ SELECT 1 /* never closed", NULL, "[[1]]" },
		{ "VALUES (1, 'a'), (2, 'b')", NULL, "[[1,\"a\"],[2,\"b\"]]" },
		{ "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3) SELECT * FROM c", NULL,
		    "[[1],[2],[3]]" },
		{ "SELECT name, row_number() OVER (ORDER BY id) FROM customers LIMIT 1", NULL, "[[\"Ada\",1]]" },
		{ "SELECT value FROM json_each('[7,8]')", NULL, "[[7],[8]]" },
		{ "SELECT fullkey FROM json_tree('{\"a\":[1]}')", NULL, "[[\"$\"],[\"$.a\"],[\"$.a[0]\"]]" },
		{ "SELECT '{\"a\":5}' ->> '$.a', json_extract('[1,2]', '$[1]')", NULL, "[[5,2]]" },
		{ "SELECT snippet(words, 0, '<', '>', '', 4) FROM words WHERE words MATCH 'hello'", NULL,
		    "[[\"<hello> world\"]]" },
		{ "SELECT * FROM paid", NULL, "[[1,10.5],[3,5.25]]" },
		{ "SELECT strftime('%Y', created_at), round(sum(amount), 2) FROM orders", NULL, "[[\"2024\",35.75]]" },
		{ "SELECT \"delete\" FROM (SELECT 1 AS \"delete\")", NULL, "[[1]]" },
		{ "SELECT 'DROP TABLE customers; DELETE FROM orders'", NULL, "[[\"DROP" },
		{ "EXPLAIN QUERY PLAN SELECT * FROM customers WHERE id = 1", NULL, "SEARCH customers" },
		{ "EXPLAIN SELECT 1", NULL, "\"opcode\"" },
		{ "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1 LIMIT 1", NULL, "dropped" },
		{ "SELECT \"k.1\" FROM \"we\"\"ird.ü\"", NULL, "\"rows\":[]" },
		{ "SELECT name FROM customers WHERE name LIKE 'a%' AND name GLOB 'A*'", NULL, "[[\"Ada\"]]" },
	};
	struct driver *d = start_shop();

	(void)state;
	sql_expect_all(d, cases, sizeof(cases) / sizeof(cases[0]));
	stop_shop(d);
}

static void
what_does_more_is_refused_by_name(void **state)
{
	static const struct sql_case cases[] = {
		{ "INSERT INTO customers VALUES (9, 'x', 'y')", "forbidden_sql", "INSERT is not allowed" },
		{ "UPDATE customers SET name = 'x'", "forbidden_sql", "UPDATE is not allowed" },
		{ "WITH x AS (SELECT 1) DELETE FROM orders", "forbidden_sql", "DELETE is not allowed" },
		{ "EXPLAIN DELETE FROM orders", "forbidden_sql", "DELETE is not allowed" },
		{ "EXPLAIN CREATE TABLE t(x)", "forbidden_sql", "CREATE is not allowed" },
		{ "EXPLAIN QUERY PLAN WITH x AS (SELECT 1) UPDATE orders SET id = 1", "forbidden_sql",
		    "UPDATE is not" },
		{ "EXPLAIN ANALYZE SELECT 1", "forbidden_sql", "EXPLAIN QUERY PLAN shows" },
		{ "EXPLAIN ANALYZE orders", "forbidden_sql", "EXPLAIN QUERY PLAN shows" },
		{ "REPLACE INTO customers VALUES (1, 'x', 'y')", "forbidden_sql", "REPLACE is not allowed" },
		{ "CREATE TABLE t(x)", "forbidden_sql", "CREATE is not allowed" },
		{ "CREATE TEMP TABLE t AS SELECT 1", "forbidden_sql", "CREATE is not allowed" },
		{ "CREATE TEMP TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END", "forbidden_sql", "CREATE" },
		{ "DROP TABLE orders", "forbidden_sql", "DROP is not allowed" },
		{ "ALTER TABLE orders ADD COLUMN x", "forbidden_sql", "ALTER is not allowed" },
		{ "ATTACH '/etc/passwd' AS x", "forbidden_sql", "ATTACH is not allowed" },
		{ "DETACH main", "forbidden_sql", "DETACH is not allowed" },
		{ "PRAGMA query_only = 0", "forbidden_sql", "PRAGMA query_only is not allowed" },
		{ "PRAGMA table_info(orders)", "forbidden_sql", "entity_details" },
		{ "SELECT * FROM pragma_database_list", "forbidden_sql", "not available" },
		{ "SELECT * FROM dbstat", "forbidden_sql", "not available" },
		{ "SELECT * FROM sqlite_stmt", "forbidden_sql", "not available" },
		{ "VACUUM", "forbidden_sql", "only statements that read" },
		{ "VACUUM INTO '/tmp/stolen.db'", "forbidden_sql", "only statements that read" },
		{ "REINDEX", "forbidden_sql", "REINDEX is not allowed" },
		{ "ANALYZE", "forbidden_sql", "ANALYZE is not allowed" },
		{ "BEGIN", "forbidden_sql", "BEGIN is not allowed" },
		{ "ROLLBACK", "forbidden_sql", "ROLLBACK is not allowed" },
		{ "SAVEPOINT x", "forbidden_sql", "SAVEPOINT is not allowed" },
		{ "UPDATE sqlite_schema SET sql = 'x'", "forbidden_sql", "may not be modified" },
		{ "SELECT load_extension('/tmp/x.so')", "forbidden_sql", "load_extension()" },
		{ "SELECT hex(fts3_tokenizer('simple'))", "forbidden_sql", "fts3_tokenizer()" },
		{ "SELECT fts3_tokenizer('x', x'4141414141414141')", "forbidden_sql", "fts3_tokenizer()" },
		{ "SELECT sqlite_log(1, 'x')", "forbidden_sql", "sqlite_log()" },
		{ "SELECT rtreecheck('main', 'orders')", "forbidden_sql", "rtreecheck()" },
		{ "SELECT writefile('/tmp/o', 'x')", "invalid_sql", "no such function: writefile" },
		{ "SELECT readfile('/etc/passwd')", "invalid_sql", "no such function: readfile" },
		{ "SELECT 1; SELECT 2", "forbidden_sql", "several statements" },
		{ "SELECT 1; DROP TABLE orders", "forbidden_sql", "several statements" },
		{ "-- nothing", "invalid_sql", "no statement" },
		{ " ", "invalid_sql", "no statement" },
		{ "SELECT ?", "invalid_sql", "placeholders" },
		{ "SELECT :name", "invalid_sql", "placeholders" },
		{ "SELECT * FROM nope", "invalid_sql", "no such table: nope; find the right name with discover_data" },
		{ "SELECT nope FROM customers", "invalid_sql", "entity_details" },
		/* Misspelt, not the text 'nam'. */
		{ "SELECT \"nam\" FROM customers", "invalid_sql", "no such column: nam" },
		{ "SELECT 1 +", "invalid_sql", "incomplete input" },
		{ "SELEC 1", "invalid_sql", "near \"SELEC\"" },
		{ "SELECT json_extract('{', '$')", "database_error", "malformed JSON" },
		{ "SELECT hex(zeroblob(1000000000))", "database_error", "16 MiB" },
		/* SQLite's own answer to a format that grows too long. */
		{ "SELECT printf('%900000000d', 1)", "database_error", "too long" },
	};
	struct driver *d = start_shop();

	(void)state;
	sql_expect_all(d, cases, sizeof(cases) / sizeof(cases[0]));
	assert_has(sql_run(d, "SELECT 'é', nope FROM customers", 0)->details, "\"position\":13");
	sql_expect(d, "SELECT count(*) FROM customers", "[[3]]");
	stop_shop(d);
}

/* As SQLite's own tools take it: a string where no column has the name. */
static void
text_in_double_quotes_is_text(void **state)
{
	static const struct sql_case cases[] = {
		{ "SELECT id FROM customers WHERE name = \"Ada\"", NULL, "[[1]]" },
		{ "SELECT id FROM customers WHERE name IN (\"Ada\", 'Bob', \"Cy\") ORDER BY \"id\"", NULL,
		    "[[1],[2],[3]]" },
		{ "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id AND c.name = \"Bob\"", NULL,
		    "[[\"Bob\"]]" },
		{ "SELECT \"it's\" || \"\" || \" a \"\"b\"\"\"", NULL, "[[\"it's a \\\"b\\\"\"]]" },
		{ "SELECT strftime(\"%Y\", created_at) FROM orders WHERE id = 1", NULL, "[[\"2024\"]]" },
		{ "SELECT group_concat(name, \"; \") FROM customers WHERE name LIKE \"%a%\"", NULL, "[[\"Ada\"]]" },
		{ "SELECT \"name\" FROM customers WHERE name = \"Ada\"", NULL, "[[\"Ada\"]]" },
		{ "WITH q AS (SELECT name AS n FROM customers) SELECT count(*) FROM q WHERE n <> \"Ada L.\"", NULL,
		    "[[3]]" },
		{ "SELECT count(*) FROM customers WHERE name NOT IN (SELECT name FROM customers WHERE name > \"B\")",
		    NULL, "[[1]]" },
		{ "EXPLAIN QUERY PLAN SELECT * FROM customers WHERE name = \"Ada\"", NULL, "SCAN" },
		{ "SELECT body FROM words WHERE words MATCH \"good\"", NULL, "good bye" },
		/* Nearly a column of a table in the statement, or what the statement names itself. */
		{ "SELECT \"nmae\" FROM customers", "invalid_sql", "no such column: nmae" },
		{ "SELECT id FROM customers WHERE \"emails\" = 'x'", "invalid_sql", "no such column: emails" },
		{ "SELECT id FROM orders WHERE \"CustomerID\" = 1", "invalid_sql", "no such column: CustomerID" },
		{ "SELECT id FROM orders WHERE \"customer id\" = 1", "invalid_sql", "single quotes" },
		{ "SELECT id FROM orders WHERE \"custmer_di\" = 1", "invalid_sql", "no such column: custmer_di" },
		{ "SELECT \"boody\" FROM words", "invalid_sql", "no such column: boody" },
		{ "SELECT customer_id AS buyer FROM orders ORDER BY \"buyers\"", "invalid_sql",
		    "no such column: buyers" },
		{ "SELECT id FROM customers WHERE name = \"Ada\" AND \"nam\" = 'x'", "invalid_sql",
		    "no such column: nam" },
		/* Known, but not there. */
		{ "SELECT \"name\" FROM orders JOIN (SELECT id FROM customers) USING (id)", "invalid_sql",
		    "no such column: name" },
		{ "SELECT customers.\"Ada\" FROM customers", "invalid_sql", "no such column: customers.Ada" },
		{ "SELECT id FROM customers WHERE name = [Ada]", "invalid_sql", "no such column: Ada" },
		{ "SELECT id FROM customers WHERE name = `Ada`", "invalid_sql", "no such column: Ada" },
		{ "SELECT id FROM customers WHERE name = \"Ada\" AND nope", "invalid_sql", "no such column: nope" },
		{ "SELECT id FROM \"Ada\"", "invalid_sql", "no such table: Ada" },
		{ "SELECT \"Ada\"; SELECT 1", "forbidden_sql", "several statements" },
	};
	struct driver *d = start_shop();

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		sql_expect_all(d, cases, sizeof(cases) / sizeof(cases[0]));
	stop_shop(d);
}

/* A text that became a column's name is that column, also in a statement sent before. */
static void
text_in_double_quotes_follows_the_schema(void **state)
{
	struct driver *d = start_shop();

	(void)state;
	sql_expect(d, "SELECT \"zone\" FROM customers WHERE id = 1", "[[\"zone\"]]");
	sql_stop(d);
	change(in_directory("shop.db"), "PRAGMA journal_mode = WAL");
	d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = in_directory("shop.db") });
	sql_expect(d, "SELECT \"zone\" FROM customers WHERE id = 1", "[[\"zone\"]]");
	change(in_directory("shop.db"), "ALTER TABLE customers ADD COLUMN zone TEXT DEFAULT 'north'");
	sql_stop(d);
	d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = in_directory("shop.db") });
	sql_expect(d, "SELECT \"zone\" FROM customers WHERE id = 1", "[[\"north\"]]");
	stop_shop(d);
}

static void
positions_are_the_callers(void **state)
{
	static const struct {
		const char *sql, *place;
	} cases[] = {
		{ "SELECT nope FROM customers", "\"position\":8}" },
		{ "SELECT 'é', nope FROM customers", "\"position\":13}" },
		{ "\xEF\xBB\xBFSELECT nope FROM customers", "\"position\":9}" },
		{ "SELECT \"it's\", nope FROM customers", "\"position\":16}" },
		{ "SELECT load_extension('x')", "{\"position\":8}" },
		{ "SELECT 1, 'load_extension(', \"load_extension\" (1)", "{\"position\":30}" },
		{ "SELECT \"a'b\", load_extension(1)", "{\"position\":15}" },
		{ "  DROP TABLE orders", "{\"position\":3}" },
		{ "WITH x AS (SELECT 1) DELETE FROM orders", "{\"position\":22}" },
		{ "EXPLAIN INSERT INTO orders(id) VALUES (1)", "{\"position\":9}" },
		{ "/* é */ PRAGMA page_size", "{\"position\":16}" },
		{ "SELECT * FROM pragma_compile_options", "{\"position\":15}" },
		{ "SELECT 1; SELECT 2", "{\"position\":11}" },
		{ "SELECT 1 + ?", "{\"position\":12}" },
		{ "SELECT 1 + :x", "{\"position\":12}" },
		{ "BEGIN", "{\"position\":1}" },
	};
	struct driver *d = start_shop();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct driver_answer *a = sql_run(d, cases[i].sql, 0);

		if (a->details == NULL || strstr(a->details, cases[i].place) == NULL)
			fail_msg("%s: %s %s", cases[i].sql, a->details == NULL ? "answered" : a->details,
			    a->message == NULL ? "" : a->message);
	}
	stop_shop(d);
}

/* text times count, between two others. */
static const char *
repeated(const char *before, const char *text, unsigned count, const char *after)
{
	static struct buf b;

	buf_reset(&b, SIZE_MAX);
	buf_str(&b, before);
	while (count-- > 0)
		buf_str(&b, text);
	buf_str(&b, after);
	return buf_cstr(&b);
}

static void
length_and_complexity_are_bounded(void **state)
{
	struct driver *d = start_shop();

	(void)state;
	sql_expect(d, repeated("SELECT 1", " ", 65536 - 8, ""), "[[1]]");
	sql_expect_fail(d, repeated("SELECT 1", " ", 65537 - 8, ""), "sql_too_long", "65537 bytes");
	sql_expect(d, repeated("SELECT 5 IN (1", ",\"x y\"", 100, ")"), "[[0]]");
	sql_expect_fail(d, repeated("SELECT 5 IN (1", ",\"x y\"", 9000, ")"), "invalid_sql", "no such column: x y");
	sql_expect_fail(d, repeated("SELECT 1", "+1", 20000, ""), "invalid_sql", "Expression tree is too large");
	sql_expect_fail(d, repeated("SELECT 1", " UNION ALL SELECT 1", 200, ""), "invalid_sql", "compound");
	sql_expect(d, repeated("SELECT 5 IN (1", ",1", 30000, ")"), "[[0]]");
	sql_expect_fail(d, repeated("SELECT 'x' LIKE '", "%a", 24000, "'"), "database_error", "pattern too complex");
	sql_expect_fail(d, repeated("", "(", 30000, "SELECT 1"), "invalid_sql", "");
	sql_expect(d, "SELECT 1", "[[1]]");
	stop_shop(d);
}

static void
time_runs_out_and_the_worker_goes_on(void **state)
{
	static const char endless[] =
	    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = shop(),
	    .timeout_ms = 200 });

	(void)state;
	sql_expect_fail(d, endless, "query_timeout", "too long");
	sql_expect(d, "SELECT 1", "[[1]]");
	/* The call's own deadline may be nearer than the configured one. */
	driver_set_budget(d, 50);
	sql_expect_fail(d, endless, "query_timeout", "");
	driver_set_budget(d, DRIVER_BUDGET_MS);
	sql_expect(d, "SELECT 1", "[[1]]");
	stop_shop(d);
}

static bool
has_answered(struct driver *d, void *arg)
{
	(void)arg;
	return driver_watch(d)->deadline_ns != 0;
}

static bool
is_idle(struct driver *d, void *arg)
{
	(void)arg;
	return driver_watch(d)->deadline_ns == 0;
}

static void
cancel_and_hang_up_end_a_query(void **state)
{
	static const char endless[] =
	    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
	struct driver *d = start_shop();
	const struct driver_answer *a;
	unsigned second;
	uint64_t id;

	(void)state;
	id = sql_begin(d, endless, 0);
	assert_true(driver_until(d, has_answered, NULL));
	driver_cancel(d, id);
	a = driver_wait(d, id);
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "query_cancelled");

	second = driver_attach(d);
	(void)sql_begin(d, endless, 0);
	assert_true(driver_until(d, has_answered, NULL));
	driver_hang_up(d, second);
	assert_true(driver_until(d, is_idle, NULL));
	driver_use(d, 0);
	sql_expect(d, "SELECT 1", "[[1]]");
	stop_shop(d);
}

static void
memory_is_bounded_and_the_worker_survives(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = shop(),
	    .memory_max = (uint64_t)128 << 20 });

	(void)state;
	sql_expect_fail(d, "SELECT count(*) FROM (SELECT a.n, zeroblob(100000) AS z FROM numbers a ORDER BY random())",
	    "database_error", "memory");
	sql_expect(d, "SELECT count(*) FROM numbers", "[[5000]]");
	stop_shop(d);
}

static void
rows_wait_for_credit(void **state)
{
	struct driver *d = start_shop();
	const struct driver_answer *a;
	uint64_t id;

	(void)state;
	driver_set_credit(d, false);
	id = sql_begin(d, "SELECT n, printf('%.*c', 2000, 'x') FROM numbers LIMIT 1000", 0);
	for (int i = 0; i < 20; i++)
		driver_pump(d, 20);
	a = driver_peek(d, id);
	assert_int_equal(a->kind, DRIVER_OPEN);
	assert_int_equal(a->chunks, IPC_CREDIT_FIRST);
	driver_credit(d, id, 100);
	a = driver_wait(d, id);
	assert_has(a->result, "\"rowCount\":1000,\"truncated\":false");
	assert_true(a->chunks > 30);
	stop_shop(d);
}

static void
progress_is_told_in_order(void **state)
{
	struct driver *d = start_shop();

	(void)state;
	assert_string_equal(sql_run(d, "SELECT * FROM customers", 0)->progress,
	    "[[0,\"Validating SQL\"],[300,\"Executing\"],[1000,\"Fetched 3 rows\"]]");
	stop_shop(d);
}

static void
a_new_schema_is_seen_by_the_same_statement(void **state)
{
	struct driver *d = start_shop();

	(void)state;
	for (int i = 0; i < 3; i++)
		sql_expect(d, "SELECT * FROM pair", "\"headers\":[\"a\",\"b\"]");
	change(in_directory("shop.db"),
	    "ALTER TABLE pair ADD COLUMN c TEXT; INSERT INTO pair VALUES (1,2,'z');"
	    "CREATE VIRTUAL TABLE late USING fts5(body); INSERT INTO late VALUES ('new words');");
	sql_expect(d, "SELECT * FROM pair", "\"headers\":[\"a\",\"b\",\"c\"]");
	sql_expect(d, "SELECT * FROM pair", "[[1,2,\"z\"]]");
	/* A virtual table that came while the worker was running. */
	sql_expect(d, "SELECT body FROM late WHERE late MATCH 'words'", "new words");
	stop_shop(d);
}

static void
a_worker_is_replaced_after_its_number_of_requests(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = shop(), .max_requests = 3 });

	(void)state;
	sql_expect(d, "SELECT 1", "[[1]]");
	sql_expect(d, "SELECT 2", "[[2]]");
	sql_expect(d, "SELECT 3", "[[3]]");
	assert_int_equal(driver_exit_code(d), EXIT_RECYCLE);
	driver_free(d);
	remove_directory();
}

static void
many_statements_leave_nothing_behind(void **state)
{
	struct driver *d = start_shop();
	char sql[128];

	(void)state;
	driver_set_progress(d, false);
	for (int i = 0; i < 3000; i++) {
		snprintf(sql, sizeof(sql), "SELECT %d, t FROM numbers WHERE n = %d", i % 40, 1 + i % 40);
		sql_expect(d, sql, "row ");
	}
	stop_shop(d);
}

static void
tools_are_announced(void **state)
{
	struct driver *d = start_shop();

	(void)state;
	assert_has(driver_tools(d), "\"sql_execution\"");
	assert_has(driver_tools(d), "\"SQL Execution\"");
	assert_has(driver_tools(d), "\"introspect\"");
	assert_has(driver_tools(d), "\"connection_test\"");
	stop_shop(d);
}

static void
introspection_describes_everything(void **state)
{
	struct driver *d;
	const struct driver_answer *a;
	const char *path = shop();

	(void)state;
	/* A view whose table is gone is a warning, not the end of the scan. */
	change(path,
	    "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE VIEW dropped AS "
	    "SELECT * FROM gone' WHERE name = 'dropped'");
	d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path });
	a = driver_call(d, "introspect", "db", "{}");
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_has(a->result, "{\"driver\":\"sqlite\",\"serverVersion\":\"3.");
	assert_has(a->result, "\"metadata\":{\"file_path\":\"shop.db\",");
	assert_has(a->result, "\"tableCount\":7,");
	assert_has(a->result, "\"code\":\"table_unreadable\"");
	assert_has(a->rows,
	    "[{\"catalog\":null,\"db\":null,\"name\":\"customers\",\"kind\":\"table\",\"comment\":null,"
	    "\"estimatedRows\":3,\"columns\":[{\"name\":\"id\",\"nativeType\":\"INTEGER\",\"normalizedType\":"
	    "\"INTEGER\","
	    "\"dimensionType\":\"number\",\"nullable\":false,\"primaryKey\":true,\"comment\":null},"
	    "{\"name\":\"name\",\"nativeType\":\"TEXT\",\"normalizedType\":\"TEXT\",\"dimensionType\":\"string\","
	    "\"nullable\":false,\"primaryKey\":false,\"comment\":null}");
	assert_has(a->rows,
	    "\"name\":\"amount\",\"nativeType\":\"DECIMAL(10,2)\",\"normalizedType\":\"DECIMAL(10,2)\","
	    "\"dimensionType\":\"number\"");
	assert_has(a->rows,
	    "\"name\":\"created_at\",\"nativeType\":\"DATETIME\",\"normalizedType\":\"DATETIME\","
	    "\"dimensionType\":\"time\"");
	assert_has(a->rows,
	    "\"name\":\"paid\",\"nativeType\":\"BOOLEAN\",\"normalizedType\":\"BOOLEAN\","
	    "\"dimensionType\":\"boolean\"");
	assert_has(a->rows, "\"name\":\"twice\"");
	/* The key named only its table: the column is that one's primary key. */
	assert_has(a->rows,
	    "\"foreignKeys\":[{\"fromColumn\":\"customer_id\",\"toCatalog\":null,\"toDb\":null,"
	    "\"toTable\":\"customers\",\"toColumn\":\"id\",\"constraintName\":null}]");
	assert_has(a->rows,
	    "{\"fromColumn\":\"x\",\"toCatalog\":null,\"toDb\":null,\"toTable\":\"pair\",\"toColumn\":"
	    "\"a\",\"constraintName\":null},{\"fromColumn\":\"y\",\"toCatalog\":null,\"toDb\":null,\"toTable\":"
	    "\"pair\","
	    "\"toColumn\":\"b\",\"constraintName\":null}");
	assert_has(a->rows, "\"name\":\"we\\\"ird.ü\"");
	assert_has(a->rows, "\"name\":\"paid\",\"kind\":\"view\",\"comment\":null,\"estimatedRows\":null");
	assert_null(strstr(a->rows, "words_data"));
	stop_shop(d);
}

static void
introspection_keeps_to_enabled_tables(void **state)
{
	struct driver *d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = shop(),
	    .enabled = "[\"orders\",\"main.customers\",\"nothere\"]" });
	const struct driver_answer *a = driver_call(d, "introspect", "db", "{}");

	(void)state;
	assert_has(a->result, "\"tableCount\":2,");
	assert_has(a->result, "{\"code\":\"table_missing\",\"message\":\"enabled_tables names nothere");
	stop_shop(d);
}

static void
connection_test_tells_what_the_account_could_do(void **state)
{
	struct driver *d = start_shop();
	const struct driver_answer *a = driver_call(d, "connection_test", "db", "{}");

	(void)state;
	assert_has(a->result, "{\"connection\":\"db\",\"driver\":\"sqlite\",\"reachable\":true,\"serverVersion\":\"3.");
	assert_has(a->result, "\"user\":null,\"canWrite\":true,");
	assert_has(a->result, "\"readOnlySession\":true");
	stop_shop(d);
}

static void
a_value_of_100_megabytes_costs_only_its_own_statement(void **state)
{
	struct driver *d;
	const char *path = shop();

	(void)state;
	change(path, "CREATE TABLE large(id INTEGER, b BLOB); INSERT INTO large VALUES (7, zeroblob(100000000))");
	d = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = path });
	sql_expect_fail(d, "SELECT b FROM large", "database_error", "16 MiB");
	sql_expect(d, "SELECT id, length(b), typeof(b) FROM large", "[[7,100000000,\"blob\"]]");
	stop_shop(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_value_comes_out_right),
		cmocka_unit_test(a_large_cell_is_cut_and_says_so),
		cmocka_unit_test(truncation_is_exact),
		cmocka_unit_test(the_byte_cap_keeps_what_fits),
		cmocka_unit_test(a_configured_row_cap_is_the_lower_bound),
		cmocka_unit_test(what_only_reads_is_allowed),
		cmocka_unit_test(what_does_more_is_refused_by_name),
		cmocka_unit_test(text_in_double_quotes_is_text),
		cmocka_unit_test(text_in_double_quotes_follows_the_schema),
		cmocka_unit_test(positions_are_the_callers),
		cmocka_unit_test(length_and_complexity_are_bounded),
		cmocka_unit_test(time_runs_out_and_the_worker_goes_on),
		cmocka_unit_test(cancel_and_hang_up_end_a_query),
		cmocka_unit_test(memory_is_bounded_and_the_worker_survives),
		cmocka_unit_test(rows_wait_for_credit),
		cmocka_unit_test(progress_is_told_in_order),
		cmocka_unit_test(a_new_schema_is_seen_by_the_same_statement),
		cmocka_unit_test(a_worker_is_replaced_after_its_number_of_requests),
		cmocka_unit_test(many_statements_leave_nothing_behind),
		cmocka_unit_test(tools_are_announced),
		cmocka_unit_test(introspection_describes_everything),
		cmocka_unit_test(introspection_keeps_to_enabled_tables),
		cmocka_unit_test(connection_test_tells_what_the_account_could_do),
		cmocka_unit_test(a_value_of_100_megabytes_costs_only_its_own_statement),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed + sqlite_run_file_tests() + sqlite_run_profile_tests() + sqlite_run_scan_tests();
}
