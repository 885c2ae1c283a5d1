#include "workers/sql/mysql/mysql_profile.h"

#include <stdlib.h>

#include "workers/sql/mysql/mysql_statement.h"

/* The columns of an answer: numbers, then one value, null if there is none. */
enum { ROWS, NULLS, DISTINCT, SHORTEST, LONGEST, IS_ENUM, VALUE };

void
mysql_put_name(struct buf *out, const char *name)
{
	buf_quoted(out, span_str(name), '`');
}

void
mysql_put_table(struct buf *out, const char *schema, const char *table)
{
	if (schema != NULL) {
		mysql_put_name(out, schema);
		buf_byte(out, '.');
	}
	mysql_put_name(out, table);
}

/*
 * One pass: the servers would read a WITH query once for each reference to it.  Values are compared by their characters,
 * not by the column's collation.
 */
static void
put_statement(struct buf *out, const struct sql_db *db, const struct profile_ask *a)
{
	buf_printf(out,
	    "SELECT SUM(g.n) OVER (), SUM(IF(g.v IS NULL, g.n, 0)) OVER (), COUNT(g.v) OVER (), MIN(g.lo) OVER (), "
	    "MAX(g.hi) OVER (), (SELECT DATA_TYPE = 'enum' FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ");
	mysql_statement_put_string(out, span_str(a->db == NULL ? db->database : a->db));
	buf_str(out, " AND TABLE_NAME = ");
	mysql_statement_put_string(out, span_str(a->table));
	buf_str(out, " AND COLUMN_NAME = ");
	mysql_statement_put_string(out, span_str(a->column));
	buf_printf(out,
	    "), IF(g.hi <= %d, g.v, NULL) FROM (SELECT s.v, COUNT(*) AS n, MIN(s.l) AS lo, MAX(s.l) AS hi FROM (SELECT "
	    "LEFT(q.t, %d) COLLATE utf8mb4_bin AS v, CHAR_LENGTH(q.t) AS l FROM (SELECT CAST(",
	    PROFILE_TEXT_MAX, PROFILE_TEXT_SEEN);
	mysql_put_name(out, a->column);
	buf_str(out, " AS CHAR CHARACTER SET utf8mb4) AS t FROM ");
	mysql_put_table(out, a->db, a->table);
	buf_printf(out,
	    " LIMIT %llu) q) s GROUP BY s.v) g ORDER BY g.v IS NULL OR g.hi > %d, g.n DESC, g.v LIMIT %llu",
	    (unsigned long long)a->rows, PROFILE_TEXT_MAX, (unsigned long long)(a->values > 0 ? a->values : 1));
}

static uint64_t
count_in(const char *cell)
{
	return cell == NULL ? 0 : strtoull(cell, NULL, 10);
}

static void
read_rows(MYSQL_RES *result, const struct profile_ask *a, uint64_t most, struct profile_column *p)
{
	uint64_t shown = a->values;
	MYSQL_ROW row;

	for (uint64_t i = 0; (row = mysql_fetch_row(result)) != NULL; i++) {
		const unsigned long *lengths = mysql_fetch_lengths(result);

		if (i == 0) {
			p->rows = count_in(row[ROWS]);
			p->nulls = count_in(row[NULLS]);
			p->distinct = count_in(row[DISTINCT]);
			p->shortest = count_in(row[SHORTEST]);
			p->longest = count_in(row[LONGEST]);
			p->is_enum = count_in(row[IS_ENUM]) == 1;
			if (p->distinct > most && shown > PROFILE_FEW)
				shown = PROFILE_FEW;
		}
		if (i < shown && row[VALUE] != NULL)
			profile_add(p, span_of(row[VALUE], lengths[VALUE]));
	}
}

int
mysql_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p, struct err *err)
{
	uint64_t most = a->values > PROFILE_DISTINCT ? a->values : PROFILE_DISTINCT;
	struct buf sql = { 0 };
	MYSQL_RES *result;

	put_statement(&sql, db, a);
	result = mysql_statement_ask_until(db, c, buf_view(&sql), a->deadline_ns, err);
	buf_fini(&sql);
	if (result == NULL)
		return -1;
	read_rows(result, a, most, p);
	mysql_free_result(result);
	return 0;
}
