#include "workers/sql/sample.h"
#include "workers/sql/sqlite/sqlite.h"
#include "workers/sql/sqlite/sqlite_errors.h"
#include "workers/sql/sqlite/sqlite_profile.h"

/*
 * substr() returns a number as text and a blob as a blob, and removes the
 * column's collation, so that values are compared by their bytes.  Returns
 * one row at least, with NULL if the table is empty.
 */
static const char statement[] =
    "WITH s (v, l) AS MATERIALIZED (SELECT substr(c, 1, %d), length(c) FROM (SELECT \"%w\" AS c FROM %s.\"%w\""
    " LIMIT %lld)),"
    " g (v, n, lo, hi) AS MATERIALIZED (SELECT v, count(*), min(l), max(l) FROM s WHERE v IS NOT NULL GROUP BY v)"
    " SELECT (SELECT count(*) FROM s), (SELECT count(*) FROM s WHERE v IS NULL), (SELECT count(*) FROM g),"
    " (SELECT min(lo) FROM g), (SELECT max(hi) FROM g), k.v FROM (SELECT 1) LEFT JOIN"
    " (SELECT v FROM g WHERE hi <= %d AND typeof(v) <> 'blob' ORDER BY n DESC, v LIMIT"
    " (SELECT CASE WHEN (SELECT count(*) FROM g) <= %lld THEN %lld ELSE min(%lld, %d) END)) AS k ON 1";

static long long
profile_number(uint64_t n)
{
	return n > (uint64_t)1 << 40 ? 1LL << 40 : (long long)n;
}

static uint64_t
count_at(sqlite3_stmt *stmt, int i)
{
	sqlite3_int64 n = sqlite3_column_int64(stmt, i);

	return n < 0 ? 0 : (uint64_t)n;
}

static int
read_rows(sqlite3_stmt *stmt, struct profile_column *p)
{
	int rc = sqlite3_step(stmt);

	if (rc != SQLITE_ROW)
		return rc;
	p->rows = count_at(stmt, 0);
	p->nulls = count_at(stmt, 1);
	p->distinct = count_at(stmt, 2);
	p->shortest = count_at(stmt, 3);
	p->longest = count_at(stmt, 4);
	for (; rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
		const void *text = sqlite3_column_text(stmt, 5);

		if (text != NULL)
			profile_add(p, span_of(text, (size_t)sqlite3_column_bytes(stmt, 5)));
	}
	return rc;
}

static int
ask_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p, struct err *err)
{
	char *sql = sqlite3_mprintf(statement, PROFILE_TEXT_SEEN, a->column, sqlite_schema(db, a->table), a->table,
	    profile_number(a->rows), PROFILE_TEXT_MAX,
	    profile_number(a->values > PROFILE_DISTINCT ? a->values : PROFILE_DISTINCT), profile_number(a->values),
	    profile_number(a->values), PROFILE_FEW);
	sqlite3_stmt *stmt = NULL;
	int rc = SQLITE_NOMEM;

	sqlite_guard_reset(&db->guard);
	if (sql != NULL)
		rc = sqlite3_prepare_v2(db->db, sql, -1, &stmt, NULL);
	sqlite3_free(sql);
	if (rc != SQLITE_OK)
		return sqlite_explain(db, c, SPAN(""), rc, false, err);
	rc = read_rows(stmt, p);
	rc = rc == SQLITE_DONE ? 0 : sqlite_explain(db, c, SPAN(""), rc, true, err);
	sqlite3_finalize(stmt);
	return rc;
}

int
sqlite_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err)
{
	int rc;

	if (!sqlite_file_is_same(&db->file))
		leave_process("the database file was replaced");
	sqlite_watch_begin(db, c, a->deadline_ns);
	rc = sqlite_apply_policy(db, COLUMNS_ANYBODY, err);
	if (rc == 0)
		rc = ask_profile(db, c, a, p, err);
	sqlite_watch_end(db);
	if (db->file.immutable && !sqlite_file_is_same(&db->file))
		leave_process("the database file was written to while it was read");
	return rc;
}
