// libs: carrel_sql carrel_base
/* test_declared.c - generated columns and checks out of the text of a CREATE TABLE statement. */
#include "tests/unit/harness.h"

#include "workers/sql/declared.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/sqlite/sqlite_text.h"

/* "column kind name expression|…": column - for the table, kind g or c. */
static void
assert_declares(enum sqltext_dialect dialect, const char *sql, const char *want)
{
	struct buf out = { 0 };
	struct declared d;

	declared_begin(&d, dialect, span_str(sql));
	while (declared_next(&d)) {
		if (d.column == DECLARED_TABLE)
			buf_byte(&out, '-');
		else
			buf_printf(&out, "%zu", d.column);
		buf_printf(&out, "%c%.*s %.*s|", d.kind == DECLARED_CHECK ? 'c' : 'g', SPAN_FMT(d.name),
		    SPAN_FMT(d.expression));
	}
	assert_int_equal(d.kind, DECLARED_END);
	assert_false(declared_next(&d));
	assert_string_equal(buf_cstr(&out), want);
	buf_fini(&out);
}

static void
what_is_declared(void **state)
{
	static const struct {
		const char *sql, *want;
	} rows[] = {
		{ "CREATE TABLE t(a,b)", "" },
		{ "create table t (a int check (a > 0), b as (a * 2))", "0c a > 0|1g a * 2|" },
		{ "CREATE TABLE main.t (a DECIMAL(10, 2) CHECK(a>(1)), \"b\" INT GENERATED ALWAYS AS (a+(1)) STORED "
		  "UNIQUE)",
		    "0c a>(1)|1g a+(1)|" },
		/* Names that contain what stands for something, and texts and comments that do. */
		{ "CREATE TABLE \"t (x)\" (\"check (\" TEXT DEFAULT 'check (' /* check (1) */, b CHECK (b <> ')') -- "
		  "check (2)\n, "
		  "c AS (1))",
		    "1c b <> ')'|2g 1|" },
		{ "CREATE TABLE t (a DEFAULT (1 + (2)) CHECK (a IN (1, 2)), generated INT, always INT AS (a))",
		    "0c a IN (1, 2)|2g a|" },
		{ "CREATE TABLE t (a CHECK (a) CHECK (CAST(a AS INT)), b)", "0c a|0c CAST(a AS INT)|" },
		/* A name holds up to the next comma. */
		{ "CREATE TABLE t (a CONSTRAINT x NOT NULL CHECK (1) CONSTRAINT \"y\" CHECK (2), b CHECK (3))",
		    "0cx 1|0c\"y\" 2|1c 3|" },
		{ "CREATE TABLE t (a, PRIMARY KEY (a), CONSTRAINT x UNIQUE (a) CHECK (1), CHECK (2) FOREIGN KEY (a) "
		  "REFERENCES b "
		  "(c) CHECK (3))",
		    "-cx 1|-c 2|-c 3|" },
		{ "CREATE TABLE t (a CHECK ( 1 ), CHECK(2)) STRICT, WITHOUT ROWID", "0c 1|-c 2|" },
		/* What is no table, or breaks off. */
		{ "", "" },
		{ "CREATE", "" },
		{ "CREATE TABLE t", "" },
		{ "CREATE TABLE t (", "" },
		{ "CREATE TABLE t (a CHECK", "" },
		{ "CREATE TABLE t (a CHECK (1", "" },
		{ "CREATE TABLE t (a CHECK 1, b CHECK (2))", "" },
		{ "CREATE TABLE t (a CHECK (1) DEFAULT (2", "0c 1|" },
		{ "CREATE VIRTUAL TABLE t USING fts5 (a, check (b))", "" },
		{ "CREATE VIEW t (a) AS SELECT 1", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_declares(SQLTEXT_SQLITE, rows[i].sql, rows[i].want);
	assert_declares(SQLTEXT_SQLITE, "CREATE TABLE t ([a, b] CHECK ([a, b] > 1), `c, d` AS (1))",
	    "0c [a, b] > 1|1g 1|");
	assert_declares(SQLTEXT_DUCKDB,
	    "CREATE TABLE c(id INTEGER DEFAULT(nextval('sq')) PRIMARY KEY, e ENUM('a', 'check ('), s STRUCT(a INTEGER, "
	    "b VARCHAR), "
	    "d INTEGER GENERATED ALWAYS AS((id * 2)), CHECK((id >= 0)), UNIQUE(id, d));",
	    "3g (id * 2)|-c (id >= 0)|");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_declared) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
