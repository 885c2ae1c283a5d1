/* postgres_relate.c - counting how far the values of one table are found in another of PostgreSQL. */
#include <stdlib.h>
#include <string.h>

#include "workers/sql/postgres_db.h"
#include "workers/sql/relate.h"

/* "a.\"x\" AS k0, a.\"y\" AS k1" and the like: one piece per column, %s its name, %zu its number. */
static bool
put_each(struct sql_db *db, const struct relate_side *side, size_t width, const char *before, const char *after,
    const char *between, struct buf *out)
{
	for (size_t i = 0; i < width; i++) {
		buf_str(out, i > 0 ? between : "");
		buf_str(out, before);
		if (!pg_put_name(db, side->columns[i], out))
			return false;
		buf_printf(out, "%s%zu", after, i);
	}
	return true;
}

/* "k0, k1" */
static void
put_keys(size_t width, const char *before, const char *after, const char *between, struct buf *out)
{
	for (size_t i = 0; i < width; i++)
		buf_printf(out, "%s%s%zu%s", i > 0 ? between : "", before, i, after);
}

/*
 * A sample of the child by its values, and which of those the whole parent
 * has: one index scan, or one pass over it.
 */
static bool
put_child(struct sql_db *db, const struct relate_ask *a, struct buf *out)
{
	buf_str(out, "WITH c AS MATERIALIZED (SELECT ");
	if (!put_each(db, &a->child, a->width, "", " AS k", ", ", out))
		return false;
	buf_str(out, " FROM ");
	if (!pg_put_table(db, a->child.db, a->child.table, out))
		return false;
	buf_printf(out, " LIMIT %llu), d AS MATERIALIZED (SELECT ", (unsigned long long)a->rows);
	put_keys(a->width, "c.k", "", ", ", out);
	buf_str(out, ", pg_catalog.count(*) AS n FROM c WHERE ");
	put_keys(a->width, "c.k", " IS NOT NULL", " AND ", out);
	buf_str(out, " GROUP BY ");
	put_keys(a->width, "c.k", "", ", ", out);
	buf_str(out, "), m AS (SELECT pg_catalog.count(*) AS n, pg_catalog.sum(d.n) AS r FROM d WHERE EXISTS (SELECT FROM ");
	if (!pg_put_table(db, a->parent.db, a->parent.table, out))
		return false;
	buf_str(out, " AS p WHERE ");
	if (!put_each(db, &a->parent, a->width, "p.", " = d.k", " AND ", out))
		return false;
	buf_str(out, "))");
	return true;
}

static bool
put_parent(struct sql_db *db, const struct relate_ask *a, struct buf *out)
{
	buf_str(out, ", q AS MATERIALIZED (SELECT ");
	if (!put_each(db, &a->parent, a->width, "", " AS k", ", ", out))
		return false;
	buf_str(out, " FROM ");
	if (!pg_put_table(db, a->parent.db, a->parent.table, out))
		return false;
	buf_printf(out, " LIMIT %llu), u AS (SELECT pg_catalog.count(*) AS n FROM q WHERE ", (unsigned long long)a->rows);
	put_keys(a->width, "q.k", " IS NOT NULL", " AND ", out);
	buf_str(out, " GROUP BY ");
	put_keys(a->width, "q.k", "", ", ", out);
	buf_byte(out, ')');
	return true;
}

static bool
put_statement(struct sql_db *db, const struct relate_ask *a, struct buf *out)
{
	if (!put_child(db, a, out) || !put_parent(db, a, out))
		return false;
	buf_str(out, " SELECT (SELECT pg_catalog.count(*) FROM c), (SELECT pg_catalog.sum(d.n) FROM d),"
	    " (SELECT pg_catalog.count(*) FROM d), m.r, m.n, (SELECT pg_catalog.count(*) FROM q),"
	    " (SELECT pg_catalog.sum(u.n) FROM u), (SELECT pg_catalog.count(*) FROM u) FROM m");
	return true;
}

static void
take(const PGresult *res, struct relate_counts *n)
{
	uint64_t *const places[] = { &n->child_rows, &n->child_filled, &n->child_distinct, &n->found_rows,
		&n->found_distinct, &n->parent_rows, &n->parent_filled, &n->parent_distinct };

	for (int i = 0; i < 8 && PQntuples(res) == 1; i++)
		*places[i] = PQgetisnull(res, 0, i) ? 0 : strtoull(PQgetvalue(res, 0, i), NULL, 10);
}

int
pg_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct relate_counts *n, struct err *err)
{
	struct buf text = { 0 };
	PGresult *res = NULL;
	int rc;

	if (!put_statement(db, a, &text))
		rc = err_set(err, ERR_DATABASE_ERROR, "a name cannot be written in the server's encoding");
	else {
		rc = pg_sample(db, c, &(struct pg_trip){ .deadline_ns = a->deadline_ns, .text = buf_cstr(&text),
		    .reset = true }, &res, err);
		if (rc == 0)
			take(res, n);
	}
	PQclear(res);
	buf_fini(&text);
	return rc;
}
