#include <stdlib.h>

#include "base/buf.h"
#include "base/text/sqltext.h"
#include "workers/sql/overlap.h"
#include "workers/sql/sqlite/sqlite.h"
#include "workers/sql/sqlite/sqlite_errors.h"
#include "workers/sql/sqlite/sqlite_relate.h"

static void
put_columns(struct buf *out, const struct relate_side *side, size_t width, bool numbered)
{
	for (size_t i = 0; i < width; i++) {
		buf_str(out, i > 0 ? ", " : "");
		sqltext_put_name(out, span_str(side->columns[i]));
		if (numbered)
			buf_printf(out, " AS k%zu", i);
	}
}

/* name: the sample; by: the sample grouped by its values. */
static void
put_sample(struct buf *out, const struct sql_db *db, const struct relate_ask *a, const struct relate_side *side,
    const char *name, const char *by)
{
	unsigned long long rows = a->rows > (uint64_t)1 << 40 ? 1ULL << 40 : a->rows;

	buf_printf(out, "%s AS MATERIALIZED (SELECT ", name);
	put_columns(out, side, a->width, true);
	buf_printf(out, " FROM %s.", sqlite_schema(db, side->table));
	sqltext_put_name(out, span_str(side->table));
	buf_printf(out, " LIMIT %llu), %s AS MATERIALIZED (SELECT ", rows, by);
	overlap_put_keys(out, a->width, "", ", ");
	buf_printf(out, ", count(*) AS n FROM %s WHERE ", name);
	overlap_put_keys(out, a->width, " IS NOT NULL", " AND ");
	buf_str(out, " GROUP BY ");
	overlap_put_keys(out, a->width, "", ", ");
	buf_byte(out, ')');
}

static void
put_alone(struct buf *out, const struct sql_db *db, const struct relate_side *side)
{
	struct buf name = { 0 }, table = { 0 };

	sqltext_put_name(&name, span_str(side->columns[0]));
	buf_printf(&table, "%s.", sqlite_schema(db, side->table));
	sqltext_put_name(&table, span_str(side->table));
	overlap_put_alone(out, "count", buf_view(&name), buf_view(&table));
	buf_fini(&name);
	buf_fini(&table);
}

/* IN uses an index, or builds one once; EXISTS would read the parent for each value. */
static void
put_statement(struct buf *out, const struct sql_db *db, const struct relate_ask *a)
{
	buf_str(out, "WITH ");
	put_sample(out, db, a, &a->child, "c", "d");
	buf_str(out, ", ");
	put_sample(out, db, a, &a->parent, "q", "u");
	buf_str(out,
	    " SELECT (SELECT count(*) FROM c), (SELECT sum(n) FROM d), (SELECT count(*) FROM d), sum(n), count(*),"
	    " (SELECT count(*) FROM q), (SELECT sum(n) FROM u), (SELECT count(*) FROM u) FROM d WHERE (");
	overlap_put_keys(out, a->width, "", ", ");
	buf_str(out, ") IN (SELECT ");
	put_columns(out, &a->parent, a->width, false);
	buf_printf(out, " FROM %s.", sqlite_schema(db, a->parent.table));
	sqltext_put_name(out, span_str(a->parent.table));
	buf_byte(out, ')');
}

static int
ask_counts(struct sql_db *db, struct call *c, const char *sql, struct overlap_counts *n, struct err *err)
{
	uint64_t *const places[] = { &n->child_rows, &n->child_filled, &n->child_distinct, &n->found_rows,
		&n->found_distinct, &n->parent_rows, &n->parent_filled, &n->parent_distinct };
	sqlite3_stmt *stmt = NULL;
	int rc;

	sqlite_guard_reset(&db->guard);
	rc = sqlite3_prepare_v2(db->db, sql, -1, &stmt, NULL);
	if (rc != SQLITE_OK)
		return sqlite_explain(db, c, SPAN(""), rc, false, err);
	if ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < 8; i++)
			*places[i] = sqlite3_column_int64(stmt, i) < 0 ? 0 : (uint64_t)sqlite3_column_int64(stmt, i);
		rc = sqlite3_step(stmt);
	}
	rc = rc == SQLITE_DONE ? 0 : sqlite_explain(db, c, SPAN(""), rc, true, err);
	sqlite3_finalize(stmt);
	return rc;
}

int
sqlite_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n,
    struct err *err)
{
	struct buf sql = { 0 };
	int rc;

	if (!sqlite_file_is_same(&db->file))
		leave_process("the database file was replaced");
	sqlite_watch_begin(db, c, a->deadline_ns);
	if ((rc = sqlite_apply_policy(db, COLUMNS_ANYBODY, err)) == 0) {
		if (a->parent.table == NULL)
			put_alone(&sql, db, &a->child);
		else
			put_statement(&sql, db, a);
		rc = ask_counts(db, c, buf_cstr(&sql), n, err);
	}
	sqlite_watch_end(db);
	buf_fini(&sql);
	if (db->file.immutable && !sqlite_file_is_same(&db->file))
		leave_process("the database file was written to while it was read");
	return rc;
}
