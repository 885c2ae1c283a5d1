// libs: carrel_sql carrel_base
/*
 * fuzz_bound.c - a statement with :name of any bytes, by the rules of each engine: what is written for the engine is
 * the statement with placeholders in the place of names, or nothing, and a statement without a colon stays as it is.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "workers/sql/bound.h"
#include "workers/sql/driver.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/mysql/mysql_text.h"
#include "workers/sql/postgres/postgres_text.h"
#include "workers/sql/sqlite/sqlite_text.h"

static size_t puts_seen;

static void
put_mark(struct buf *out, size_t number, const struct sql_parameter *p)
{
	require(number >= 1 && number <= 2 && p->name.len == number);
	buf_byte(out, '\x01');
	puts_seen++;
}

static const struct sql_bound bound = { .n = 2,
	.v = { { .name = { (const uint8_t *)"a", 1 } }, { .name = { (const uint8_t *)"ab", 2 } } } };

/* The statement again, with the names that stood where a mark is now. */
static void
check_written(struct span sql, struct span written)
{
	size_t at = 0;

	for (size_t i = 0; i < written.len; i++) {
		if (written.p[i] != '\x01' || at >= sql.len || sql.p[at] == '\x01') {
			require(at < sql.len && sql.p[at++] == written.p[i]);
			continue;
		}
		require(at + 1 < sql.len && sql.p[at] == ':' && sql.p[at + 1] == 'a');
		at += at + 2 < sql.len && sql.p[at + 2] == 'b' ? 3 : 2;
	}
	require(at == sql.len);
}

static void
write_as(enum sqltext_dialect dialect, const char *marks, struct span sql)
{
	const struct sql_bound_style style = { dialect, marks, put_mark, 0 };
	struct buf out = BUF_MAX(SQL_TEXT_MAX);
	struct err err = { .code = ERR_NONE };

	puts_seen = 0;
	if (sql_bound_write(&style, sql, &bound, &out, &err) == -1)
		require(err.code == ERR_INVALID_SQL || err.code == ERR_SQL_TOO_LONG);
	else
		check_written(sql, buf_view(&out));
	if (sql.len == 0 || memchr(sql.p, ':', sql.len) == NULL)
		require(puts_seen == 0);
	buf_fini(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span sql = span_of(data, size);

	write_as(SQLTEXT_POSTGRES, "$", sql);
	write_as(SQLTEXT_SQLITE, "?$@", sql);
	write_as(SQLTEXT_DUCKDB, "?$", sql);
	write_as(SQLTEXT_MYSQL, "", sql);
	return 0;
}
