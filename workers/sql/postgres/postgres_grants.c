#include <inttypes.h>
#include <string.h>

#include "base/text/sqltext.h"
#include "workers/sql/postgres/postgres_fingerprint.h"
#include "workers/sql/postgres/postgres_grants.h"
#include "workers/sql/postgres/postgres_sql.h"

enum { SCHEMA, TABLE, KIND, COLUMN };

#define POOL_USUAL	3	/* workers and the spare, if the pool's size is unknown */

struct script {
	struct sql_db	*db;
	struct call	*call;
	const PGresult	*rows;
	const char	*role;
	struct buf	*out;
};

static const char *
grants_cell(const struct script *s, int row, int column)
{
	return PQgetvalue(s->rows, row, column);
}

static void
put_table(const struct script *s, int row)
{
	sqltext_put_name(s->out, span_str(grants_cell(s, row, SCHEMA)));
	buf_byte(s->out, '.');
	sqltext_put_name(s->out, span_str(grants_cell(s, row, TABLE)));
}

static void
put_end(const struct script *s, const char *preposition)
{
	buf_str(s->out, preposition);
	sqltext_put_name(s->out, span_str(s->role));
	buf_str(s->out, ";\n");
}

static bool
is_same_table(const struct script *s, int a, int b)
{
	return strcmp(grants_cell(s, a, SCHEMA), grants_cell(s, b, SCHEMA)) == 0 &&
	    strcmp(grants_cell(s, a, TABLE), grants_cell(s, b, TABLE)) == 0;
}

/* A name may contain line breaks, which would end a comment. */
static void
put_remark(const struct script *s, int row, const char *why)
{
	buf_str(s->out, "-- ");
	for (int i = SCHEMA; i <= TABLE; i++) {
		for (const char *p = grants_cell(s, row, i); *p != '\0'; p++)
			buf_byte(s->out, (uint8_t)*p < 0x20 ? '?' : (uint8_t)*p);
		buf_str(s->out, i == SCHEMA ? "." : why);
	}
}

/* Lists the columns of rows from..to that may be read.  Returns the number of columns left out; -1 with *err. */
static int
put_columns(const struct script *s, int from, int to, struct buf *list, struct err *err)
{
	int left = 0;

	for (int i = from; i < to; i++) {
		enum columns_action action = COLUMNS_CLEAR;

		if (s->db->columns != NULL &&
		    pg_columns_decide(s->db->columns, s->db, s->call, 0, grants_cell(s, i, SCHEMA),
			grants_cell(s, i, TABLE), grants_cell(s, i, COLUMN), &action, err) == -1)
			return -1;
		/* A digest is computed from the value and needs the right to read it; a mask does not. */
		if (action >= COLUMNS_MASK) {
			left++;
			continue;
		}
		buf_str(list, list->len > 0 ? ", " : "");
		sqltext_put_name(list, span_str(grants_cell(s, i, COLUMN)));
	}
	return left;
}

static int
put_relation(const struct script *s, int from, int to, struct err *err)
{
	char kind = grants_cell(s, from, KIND)[0];
	struct buf list = { 0 };
	int left = put_columns(s, from, to, &list, err);

	if (left == -1) {
		buf_fini(&list);
		return -1;
	}
	if ((kind == 'v' || kind == 'm') && s->db->columns != NULL &&
	    pg_columns_is_touched(s->db->columns, grants_cell(s, from, SCHEMA), grants_cell(s, from, TABLE))) {
		put_remark(s, from,
		    " would show protected columns with its owner's rights; it is read from the tables below it\n");
		list.len = 0;
		left = 1;
	}
	if (left > 0) {
		buf_str(s->out, "REVOKE SELECT ON TABLE ");
		put_table(s, from);
		put_end(s, " FROM ");
	}
	if (left == 0 || list.len > 0) {
		buf_str(s->out, "GRANT SELECT ");
		if (left > 0) {
			buf_byte(s->out, '(');
			buf_span(s->out, buf_view(&list));
			buf_str(s->out, ") ");
		}
		buf_str(s->out, "ON TABLE ");
		put_table(s, from);
		put_end(s, " TO ");
	}
	buf_fini(&list);
	return 0;
}

static int
put_all(const struct script *s, struct err *err)
{
	const struct sql_config *cfg = s->db->cfg;
	int n = PQntuples(s->rows), to;

	for (int from = 0; from < n; from = to) {
		if (from == 0 || strcmp(grants_cell(s, from, SCHEMA), grants_cell(s, from - 1, SCHEMA)) != 0) {
			buf_str(s->out, "GRANT USAGE ON SCHEMA ");
			sqltext_put_name(s->out, span_str(grants_cell(s, from, SCHEMA)));
			put_end(s, " TO ");
		}
		for (to = from + 1; to < n && is_same_table(s, from, to); to++)
			;
		if (catalog_is_enabled(cfg->enabled, cfg->nenabled, grants_cell(s, from, SCHEMA),
			grants_cell(s, from, TABLE)) &&
		    put_relation(s, from, to, err) == -1)
			return -1;
	}
	return 0;
}

/* Creates the role if the server does not have it, before any grant to it. */
static int
put_role(const struct script *s, struct err *err)
{
	PGresult *rows = pg_ask(s->db, s->call, postgres_grants_role_sql, 1, &s->role, err);
	bool missing = rows != NULL && PQntuples(rows) == 0;

	if (missing) {
		buf_str(s->out, "-- There is no such role yet. Give it a password, in psql: \\password NAME\n");
		buf_str(s->out, "CREATE ROLE ");
		sqltext_put_name(s->out, span_str(s->role));
		buf_str(s->out, " LOGIN;\n");
	}
	PQclear(rows);
	return rows == NULL ? -1 : 0;
}

/*
 * A connection limit for one caller: twice the pool, as during a reload, and
 * two for commands that run next to the daemon.  Only a superuser may limit the role's
 * use of the server's disk.
 */
static void
put_bounds(const struct script *s)
{
	uint64_t pool = s->db->cfg->pool_size == 0 ? POOL_USUAL : s->db->cfg->pool_size;

	buf_str(s->out, "ALTER ROLE ");
	sqltext_put_name(s->out, span_str(s->role));
	buf_printf(s->out, " CONNECTION LIMIT %" PRIu64 ";\nALTER ROLE ", 2 * pool + 2);
	sqltext_put_name(s->out, span_str(s->role));
	buf_str(s->out, " SET temp_file_limit = '1GB';\n");
}

int
pg_grants(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err)
{
	struct script s = { .db = db, .call = c, .role = role, .out = script };
	struct buf schemas = { 0 };
	const char *params[1];
	PGresult *rows;
	int rc;

	pg_put_schemas(&schemas, db->cfg);
	params[0] = buf_cstr(&schemas);
	rows = pg_ask(db, c, postgres_grants_columns_sql, 1, params, err);
	buf_fini(&schemas);
	if (rows == NULL)
		return -1;
	s.rows = rows;
	rc = put_role(&s, err) == 0 ? put_all(&s, err) : -1;
	if (rc == 0)
		put_bounds(&s);
	PQclear(rows);
	return rc;
}
