/* duckdb_profile.c - statistics of one column from a sample of a table of DuckDB. */
#include <stdlib.h>
#include <string.h>

#include "base/text/sqltext.h"
#include "workers/shared/call.h"
#include "workers/sql/duckdb/duckdb.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_profile.h"
#include "workers/sql/sample.h"

#define SAMPLE	"carrel_sample"

static void
put_rows(struct buf *out, const struct profile_ask *a)
{
	sqltext_put_name(out, span_str(a->db != NULL ? a->db : DUCKDB_SCHEMA));
	buf_byte(out, '.');
	sqltext_put_name(out, span_str(a->table));
	buf_str(out, " LIMIT ");
	buf_uint(out, a->rows > UINT64_C(1) << 40 ? UINT64_C(1) << 40 : a->rows);
}

void
duckdb_profile_begin(struct sql_db *db, struct call *c, const struct profile_ask *a)
{
	const struct duckdb_files_table *texts = duckdb_files_texts(&db->files, a->table);
	struct buf sql = { 0 };
	struct err ignored;
	int rc;

	if (texts == NULL)
		return;
	buf_str(&sql, "CREATE TEMP TABLE " SAMPLE " AS SELECT * FROM ");
	put_rows(&sql, a);
	duckdb_session_begin(db, c, a->deadline_ns);
	rc = duckdb_reopen(db, c, &ignored);
	if (rc == 0)
		rc = duckdb_columns_enter(db, COLUMNS_ANYBODY, &ignored);
	if (rc == 0)
		rc = duckdb_session_run(db, buf_view(&sql), false, &ignored);
	while (rc == 0 && (rc = duckdb_session_next(db, &ignored)) == 1)
		rc = 0;
	if (rc == 0 && duckdb_files_check(texts, &ignored) == 0)
		duckdb_session_swap(db);
	duckdb_session_end(db);
	buf_fini(&sql);
}

void
duckdb_profile_end(struct sql_db *db, struct call *c)
{
	if (db->session.aside == NULL)
		return;
	duckdb_session_begin(db, c, call_deadline(c));
	duckdb_session_swap(db);
	duckdb_session_end(db);
}

/* A row at least, with NULL if the table is empty; values are compared as texts.  Bytes are counted and not shown. */
static void
put_statement(struct buf *out, const struct profile_ask *a, bool sampled)
{
	uint64_t few = a->values < PROFILE_FEW ? a->values : PROFILE_FEW;
	uint64_t many = a->values > PROFILE_DISTINCT ? a->values : PROFILE_DISTINCT;

	buf_str(out, "WITH s AS MATERIALIZED (SELECT left(CAST(c AS VARCHAR), ");
	buf_uint(out, PROFILE_TEXT_SEEN);
	buf_str(out, ") AS v, length(CAST(c AS VARCHAR)) AS l, typeof(c) AS t FROM (SELECT ");
	sqltext_put_name(out, span_str(a->column));
	buf_str(out, " AS c FROM ");
	if (sampled)
		buf_str(out, SAMPLE);
	else
		put_rows(out, a);
	buf_printf(out,
	    ")), g AS MATERIALIZED (SELECT v, count(*) AS n, min(l) AS lo, max(l) AS hi, any_value(t) AS t FROM s"
	    " WHERE v IS NOT NULL GROUP BY v), k AS (SELECT v, n FROM g WHERE hi <= %u AND t <> 'BLOB'"
	    " ORDER BY n DESC, v LIMIT (SELECT CASE WHEN (SELECT count(*) FROM g) <= %llu THEN %llu ELSE %llu END))"
	    " SELECT (SELECT count(*) FROM s), (SELECT count(*) FROM s WHERE v IS NULL), (SELECT count(*) FROM g),"
	    " (SELECT min(lo) FROM g), (SELECT max(hi) FROM g), k.v, (SELECT any_value(t) FROM s)"
	    " FROM (SELECT 1) LEFT JOIN k ON true ORDER BY k.n DESC, k.v",
	    PROFILE_TEXT_MAX, (unsigned long long)many, (unsigned long long)a->values, (unsigned long long)few);
}

static int
read_profile(struct sql_db *db, struct profile_column *p, struct err *err)
{
	uint64_t *const places[] = { &p->rows, &p->nulls, &p->distinct, &p->shortest, &p->longest };
	const char *type;
	int rc;

	while ((rc = duckdb_session_next(db, err)) == 1) {
		const char *value = duckdb_session_text(db, 5);

		for (uint64_t i = 0; i < 5; i++)
			*places[i] = (uint64_t)duckdb_session_number(db, i, 0);
		if (value != NULL)
			profile_add(p, span_str(value));
		type = duckdb_session_text(db, 6);
		p->is_enum = type != NULL && strncmp(type, "ENUM(", 5) == 0;
	}
	return rc;
}

int
duckdb_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err)
{
	struct buf sql = { 0 };
	bool sampled;
	int rc;

	duckdb_session_begin(db, c, a->deadline_ns);
	rc = duckdb_reopen(db, c, err);
	if ((sampled = db->session.aside != NULL))
		duckdb_session_swap(db);
	else if (rc == 0)
		rc = duckdb_columns_enter(db, COLUMNS_ANYBODY, err);
	put_statement(&sql, a, sampled);
	if (rc == 0)
		rc = duckdb_session_run(db, buf_view(&sql), false, err);
	if (rc == 0)
		rc = read_profile(db, p, err);
	if (rc == 0 && !sampled)
		rc = duckdb_files_check(duckdb_files_texts(&db->files, a->table), err);
	if (sampled)
		duckdb_session_swap(db);
	duckdb_session_end(db);
	buf_fini(&sql);
	return rc;
}
