#include <stdlib.h>

#include "base/text/sqltext.h"
#include "workers/sql/postgres/postgres_columns.h"
#include "workers/sql/postgres/postgres_errors.h"
#include "workers/sql/postgres/postgres_profile.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/sql/sample.h"

/* The columns of an answer: numbers, then one value, null if the column has none. */
enum { ROWS, NULLS, DISTINCT, SHORTEST, LONGEST, IS_ENUM, VALUE };

void
pg_put_table(const char *schema, const char *table, struct buf *out)
{
	if (schema != NULL) {
		sqltext_put_name(out, span_str(schema));
		buf_byte(out, '.');
	}
	sqltext_put_name(out, span_str(table));
}

void
pg_put_scanned(const struct sql_db *db, const char *schema, const char *table, struct buf *out)
{
	if (schema == NULL || db->columns == NULL || !pg_columns_put_sorted(db->columns, schema, table, out))
		pg_put_table(schema, table, out);
}

static void
put_statement(const struct profile_ask *a, const char *table, struct buf *out)
{
	unsigned long long rows = a->rows, values = a->values, few = values < PROFILE_FEW ? values : PROFILE_FEW;
	unsigned long long most = values > PROFILE_DISTINCT ? values : PROFILE_DISTINCT;

	buf_printf(out,
	    "WITH s AS (SELECT pg_catalog.\"left\"(q.t, %d) AS v, pg_catalog.length(q.t) AS l FROM (SELECT ",
	    PROFILE_TEXT_SEEN);
	sqltext_put_name(out, span_str(a->column));
	buf_printf(out,
	    "::pg_catalog.text AS t FROM %s LIMIT %llu) q), g AS (SELECT s.v COLLATE \"C\" AS v,"
	    " pg_catalog.count(*) AS n, pg_catalog.min(s.l) AS lo, pg_catalog.max(s.l) AS hi FROM s"
	    " WHERE s.v IS NOT NULL GROUP BY 1) SELECT (SELECT pg_catalog.count(*) FROM s),"
	    " (SELECT pg_catalog.count(*) FROM s WHERE s.v IS NULL), (SELECT pg_catalog.count(*) FROM g),"
	    " (SELECT pg_catalog.min(g.lo) FROM g), (SELECT pg_catalog.max(g.hi) FROM g),",
	    table, rows);
	/* A domain over an enum counts as an enum. */
	buf_str(out,
	    " (SELECT t.typtype = 'e' OR b.typtype = 'e' FROM pg_catalog.pg_attribute a"
	    " JOIN pg_catalog.pg_type t ON t.oid = a.atttypid LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype"
	    " WHERE a.attrelid = $1::pg_catalog.text::pg_catalog.regclass AND a.attname = $2::pg_catalog.text),");
	buf_printf(out,
	    " k.v FROM (SELECT 1) o LEFT JOIN (SELECT g.v FROM g WHERE g.hi <= %d ORDER BY g.n DESC, g.v"
	    " LIMIT (SELECT CASE WHEN pg_catalog.count(*) <= %llu THEN %llu ELSE %llu END FROM g)) k ON true",
	    PROFILE_TEXT_MAX, most, values, few);
}

static uint64_t
count_at(const PGresult *res, int column)
{
	return PQgetisnull(res, 0, column) ? 0 : strtoull(PQgetvalue(res, 0, column), NULL, 10);
}

static void
read_profile(const PGresult *res, struct profile_column *p)
{
	if (PQntuples(res) == 0)
		return;
	p->rows = count_at(res, ROWS);
	p->nulls = count_at(res, NULLS);
	p->distinct = count_at(res, DISTINCT);
	p->shortest = count_at(res, SHORTEST);
	p->longest = count_at(res, LONGEST);
	p->is_enum = !PQgetisnull(res, 0, IS_ENUM) && PQgetvalue(res, 0, IS_ENUM)[0] == 't';
	for (int i = 0; i < PQntuples(res); i++)
		if (!PQgetisnull(res, i, VALUE))
			profile_add(p, span_of(PQgetvalue(res, i, VALUE), (size_t)PQgetlength(res, i, VALUE)));
}

int
pg_sample(struct sql_db *db, struct call *c, const struct pg_round_trip *trip, PGresult **res, struct err *err)
{
	*res = NULL;
	if (pg_send(db, c, trip, err) == -1)
		return -1;
	switch (pg_next(db, c, false, res, err)) {
	case PG_COMPLETE:
		return 0;
	case PG_REFUSED:
		return pg_explain(db, c, *res, NULL, err);
	default:
		return -1;
	}
}

int
pg_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p,
    struct err *err)
{
	struct buf table = { 0 }, scanned = { 0 }, text = { 0 };
	const char *params[2];
	PGresult *res = NULL;
	int rc;

	pg_put_table(a->db, a->table, &table);
	pg_put_scanned(db, a->db, a->table, &scanned);
	put_statement(a, buf_cstr(&scanned), &text);
	params[0] = buf_cstr(&table);
	params[1] = a->column;
	rc = pg_sample(db, c, &(struct pg_round_trip){ .deadline_ns = a->deadline_ns, .text = buf_cstr(&text),
	    .nparams = 2, .params = params, .reset = true, .as = a->as }, &res, err);
	if (rc == 0)
		read_profile(res, p);
	PQclear(res);
	buf_fini(&table);
	buf_fini(&scanned);
	buf_fini(&text);
	return rc;
}
