#include "workers/sql/mysql/mysql_relate.h"

#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/mysql_profile.h"
#include "workers/sql/mysql/mysql_statement.h"
#include "workers/sql/overlap.h"

static void
put_columns(struct buf *out, const struct relate_side *side, size_t width, bool numbered)
{
	for (size_t i = 0; i < width; i++) {
		buf_str(out, i > 0 ? ", " : "");
		mysql_print_name(out, side->columns[i]);
		if (numbered)
			buf_printf(out, " AS k%zu", i);
	}
}

/* A row for each value of the sample: the value, how often it occurs, and whether it is whole. */
static void
put_sample(struct buf *out, const struct relate_ask *a, const struct relate_side *side)
{
	buf_str(out, "SELECT ");
	overlap_put_keys(out, a->width, "", ", ");
	buf_str(out, ", COUNT(*) AS n, (");
	overlap_put_keys(out, a->width, " IS NOT NULL", " AND ");
	buf_str(out, ") AS filled FROM (SELECT ");
	put_columns(out, side, a->width, true);
	buf_str(out, " FROM ");
	mysql_print_table(out, side->db, side->table);
	buf_printf(out, " LIMIT %llu) s GROUP BY ", (unsigned long long)a->rows);
	overlap_put_keys(out, a->width, "", ", ");
}

/* Each sample is read once: the servers would read a WITH query once for each reference to it. */
static void
put_statement(struct buf *out, const struct relate_ask *a)
{
	buf_str(out,
	    "SELECT x.a, x.b, x.c, x.d, x.e, y.a, y.b, y.c FROM (SELECT SUM(f.n) AS a, SUM(IF(f.filled, f.n, 0)) AS b, "
	    "SUM(f.filled) AS c, SUM(IF(f.found, f.n, 0)) AS d, SUM(f.found) AS e FROM (SELECT d.n, d.filled, d.filled "
	    "AND "
	    "EXISTS (SELECT 1 FROM ");
	mysql_print_table(out, a->parent.db, a->parent.table);
	buf_str(out, " p WHERE ");
	for (size_t i = 0; i < a->width; i++) {
		buf_str(out, i > 0 ? " AND p." : "p.");
		mysql_print_name(out, a->parent.columns[i]);
		buf_printf(out, " = d.k%zu", i);
	}
	buf_str(out, ") AS found FROM (");
	put_sample(out, a, &a->child);
	buf_str(out, ") d) f) x, (SELECT SUM(u.n) AS a, SUM(IF(u.filled, u.n, 0)) AS b, SUM(u.filled) AS c FROM (");
	put_sample(out, a, &a->parent);
	buf_str(out, ") u) y");
}

static void
put_alone(struct buf *out, const struct relate_side *side)
{
	struct buf name = { 0 }, table = { 0 };

	mysql_print_name(&name, side->columns[0]);
	mysql_print_table(&table, side->db, side->table);
	overlap_put_alone(out, "COUNT", buf_view(&name), buf_view(&table));
	buf_fini(&name);
	buf_fini(&table);
}

int
mysql_relate(struct sql_db *db, struct call *c, const struct relate_ask *a, struct overlap_counts *n, struct err *err)
{
	uint64_t *const places[] = { &n->child_rows, &n->child_filled, &n->child_distinct, &n->found_rows,
		&n->found_distinct, &n->parent_rows, &n->parent_filled, &n->parent_distinct };
	struct buf sql = { 0 };
	MYSQL_RES *result;

	if (a->parent.table == NULL)
		put_alone(&sql, &a->child);
	else
		put_statement(&sql, a);
	db->as = a->as;
	result = mysql_statement_ask_until(db, c, buf_view(&sql), "........", a->deadline_ns, err);
	db->as = NULL;
	buf_fini(&sql);
	if (result != NULL)
		mysql_profile_counts(result, places, sizeof(places) / sizeof(places[0]));
	return result == NULL ? -1 : 0;
}
