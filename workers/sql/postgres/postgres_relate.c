#include <stdlib.h>

#include "base/text/sqltext.h"
#include "workers/sql/postgres/postgres_profile.h"
#include "workers/sql/postgres/postgres_relate.h"
#include "workers/sql/overlap.h"

/* "a.\"x\" AS k0, a.\"y\" AS k1" and the like: one piece per column; %s is its name, %zu its number. */
static void
put_each(const struct relate_side *side, size_t width, const char *before, const char *after, const char *between,
    struct buf *out)
{
	for (size_t i = 0; i < width; i++) {
		buf_str(out, i > 0 ? between : "");
		buf_str(out, before);
		sqltext_put_name(out, span_str(side->columns[i]));
		buf_printf(out, "%s%zu", after, i);
	}
}

/* "k0, k1" */
static void
put_keys(size_t width, const char *before, const char *after, const char *between, struct buf *out)
{
	for (size_t i = 0; i < width; i++)
		buf_printf(out, "%s%s%zu%s", i > 0 ? between : "", before, i, after);
}

/*
 * Samples the child's values and counts those that the whole parent has: one
 * index scan, or one pass over the parent.
 */
static void
put_child(const struct sql_db *db, const struct relate_ask *a, struct buf *out)
{
	buf_str(out, "WITH c AS MATERIALIZED (SELECT ");
	put_each(&a->child, a->width, "", " AS k", ", ", out);
	buf_str(out, " FROM ");
	pg_put_scanned(db, a->child.db, a->child.table, out);
	buf_printf(out, " LIMIT %llu), d AS MATERIALIZED (SELECT ", (unsigned long long)a->rows);
	put_keys(a->width, "c.k", "", ", ", out);
	buf_str(out, ", pg_catalog.count(*) AS n FROM c WHERE ");
	put_keys(a->width, "c.k", " IS NOT NULL", " AND ", out);
	buf_str(out, " GROUP BY ");
	put_keys(a->width, "c.k", "", ", ", out);
	buf_str(out,
	    "), m AS (SELECT pg_catalog.count(*) AS n, pg_catalog.sum(d.n) AS r FROM d WHERE EXISTS (SELECT FROM ");
	pg_put_table(a->parent.db, a->parent.table, out);
	buf_str(out, " AS p WHERE ");
	put_each(&a->parent, a->width, "p.", " = d.k", " AND ", out);
	buf_str(out, "))");
}

static void
put_parent(const struct sql_db *db, const struct relate_ask *a, struct buf *out)
{
	buf_str(out, ", q AS MATERIALIZED (SELECT ");
	put_each(&a->parent, a->width, "", " AS k", ", ", out);
	buf_str(out, " FROM ");
	pg_put_scanned(db, a->parent.db, a->parent.table, out);
	buf_printf(out, " LIMIT %llu), u AS (SELECT pg_catalog.count(*) AS n FROM q WHERE ",
	    (unsigned long long)a->rows);
	put_keys(a->width, "q.k", " IS NOT NULL", " AND ", out);
	buf_str(out, " GROUP BY ");
	put_keys(a->width, "q.k", "", ", ", out);
	buf_byte(out, ')');
}

static void
put_statement(const struct sql_db *db, const struct relate_ask *a, struct buf *out)
{
	put_child(db, a, out);
	put_parent(db, a, out);
	buf_str(out,
	    " SELECT (SELECT pg_catalog.count(*) FROM c), (SELECT pg_catalog.sum(d.n) FROM d),"
	    " (SELECT pg_catalog.count(*) FROM d), m.r, m.n, (SELECT pg_catalog.count(*) FROM q),"
	    " (SELECT pg_catalog.sum(u.n) FROM u), (SELECT pg_catalog.count(*) FROM u) FROM m");
}

static void
put_alone(const struct relate_side *side, struct buf *out)
{
	struct buf name = { 0 }, table = { 0 };

	sqltext_put_name(&name, span_str(side->columns[0]));
	pg_put_table(side->db, side->table, &table);
	overlap_put_alone(out, "pg_catalog.count", buf_view(&name), buf_view(&table));
	buf_fini(&name);
	buf_fini(&table);
}

static void
read_counts(const PGresult *res, struct overlap_counts *n)
{
	uint64_t *const places[] = { &n->child_rows, &n->child_filled, &n->child_distinct, &n->found_rows,
		&n->found_distinct, &n->parent_rows, &n->parent_filled, &n->parent_distinct };

	for (int i = 0; i < 8 && PQntuples(res) == 1; i++)
		*places[i] = PQgetisnull(res, 0, i) ? 0 : strtoull(PQgetvalue(res, 0, i), NULL, 10);
}

int
pg_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n, struct err *err)
{
	struct buf text = { 0 };
	PGresult *res = NULL;
	int rc;

	if (a->parent.table == NULL)
		put_alone(&a->child, &text);
	else
		put_statement(db, a, &text);
	rc = pg_sample(db, c, &(struct pg_round_trip){ .deadline_ns = a->deadline_ns, .text = buf_cstr(&text),
	    .reset = true, .as = a->as }, &res, err);
	if (rc == 0)
		read_counts(res, n);
	PQclear(res);
	buf_fini(&text);
	return rc;
}
