/* duckdb_relate.c - counts how many values of one table occur in another one of a DuckDB database. */
#include "base/text/sqltext.h"
#include "workers/sql/duckdb/duckdb.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_relate.h"
#include "workers/sql/overlap.h"

static void
put_table(struct buf *out, const struct relate_side *side)
{
	sqltext_put_name(out, span_str(side->db != NULL ? side->db : DUCKDB_SCHEMA));
	buf_byte(out, '.');
	sqltext_put_name(out, span_str(side->table));
}

static void
put_keys(struct buf *out, size_t width, const char *between)
{
	buf_str(out, "k0");
	for (size_t i = 1; i < width; i++)
		buf_printf(out, "%sk%zu", between, i);
}

/* name: the sample; by: the sample grouped by its values. */
static void
put_sample(struct buf *out, const struct relate_ask *a, const struct relate_side *side, const char *name,
    const char *by)
{
	buf_printf(out, "%s AS MATERIALIZED (SELECT ", name);
	for (size_t i = 0; i < a->width; i++) {
		buf_str(out, i > 0 ? ", " : "");
		sqltext_put_name(out, span_str(side->columns[i]));
		buf_printf(out, " AS k%zu", i);
	}
	buf_str(out, " FROM ");
	put_table(out, side);
	buf_str(out, " LIMIT ");
	buf_uint(out, a->rows > UINT64_C(1) << 40 ? UINT64_C(1) << 40 : a->rows);
	buf_printf(out, "), %s AS MATERIALIZED (SELECT ", by);
	put_keys(out, a->width, ", ");
	buf_printf(out, ", count(*) AS n FROM %s WHERE ", name);
	put_keys(out, a->width, " IS NOT NULL AND ");
	buf_str(out, " IS NOT NULL GROUP BY ");
	put_keys(out, a->width, ", ");
	buf_byte(out, ')');
}

static void
put_alone(struct buf *out, const struct relate_side *side)
{
	struct buf name = { 0 }, table = { 0 };

	sqltext_put_name(&name, span_str(side->columns[0]));
	put_table(&table, side);
	overlap_put_alone(out, "count", buf_view(&name), buf_view(&table));
	buf_fini(&name);
	buf_fini(&table);
}

static void
put_statement(struct buf *out, const struct relate_ask *a)
{
	if (a->parent.table == NULL) {
		put_alone(out, &a->child);
		return;
	}
	buf_str(out, "WITH ");
	put_sample(out, a, &a->child, "c", "d");
	buf_str(out, ", ");
	put_sample(out, a, &a->parent, "q", "u");
	buf_str(out,
	    " SELECT (SELECT count(*) FROM c), (SELECT sum(n) FROM d), (SELECT count(*) FROM d), sum(n), count(*),"
	    " (SELECT count(*) FROM q), (SELECT sum(n) FROM u), (SELECT count(*) FROM u) FROM d WHERE EXISTS"
	    " (SELECT 1 FROM ");
	put_table(out, &a->parent);
	buf_str(out, " AS p WHERE ");
	for (size_t i = 0; i < a->width; i++) {
		buf_str(out, i > 0 ? " AND p." : "p.");
		sqltext_put_name(out, span_str(a->parent.columns[i]));
		buf_printf(out, " = d.k%zu", i);
	}
	buf_byte(out, ')');
}

int
duckdb_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n,
    struct err *err)
{
	uint64_t *const places[] = { &n->child_rows, &n->child_filled, &n->child_distinct, &n->found_rows,
		&n->found_distinct, &n->parent_rows, &n->parent_filled, &n->parent_distinct };
	struct buf sql = { 0 };
	int rc;

	put_statement(&sql, a);
	duckdb_session_begin(db, c, a->deadline_ns);
	rc = duckdb_reopen(db, c, err);
	if (rc == 0)
		rc = duckdb_columns_enter(db, COLUMNS_ANYBODY, err);
	if (rc == 0)
		rc = duckdb_session_run(db, buf_view(&sql), false, err);
	if (rc == 0 && (rc = duckdb_session_next(db, err)) == 1) {
		for (uint64_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			*places[i] = (uint64_t)duckdb_session_number(db, i, 0);
		rc = 0;
	}
	duckdb_session_end(db);
	buf_fini(&sql);
	return rc;
}
