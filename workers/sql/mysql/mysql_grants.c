#include "workers/sql/mysql/mysql_grants.h"

#include <inttypes.h>

#include "workers/sql/mysql/mysql_profile.h"
#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/mysql/mysql_statement.h"

#define WORKERS_USUAL	3u	/* workers and the spare, if the pool's size is unknown */
#define CONNECTIONS	2u	/* of a worker: one is kept to end statements of the other */

struct script {
	const struct sql_db	*db;
	const char		*role;	/* NAME or NAME@HOST */
	struct buf		*out;
};

/* 'name'@'host'. */
static void
put_account(const struct script *s)
{
	struct span role = span_str(s->role), host = SPAN("%");
	size_t at = role.len;

	while (at > 0 && role.p[at - 1] != '@')
		at--;
	if (at > 0) {
		host = span_of(role.p + at, role.len - at);
		role.len = at - 1;
	}
	mysql_statement_put_string(s->out, role);
	buf_byte(s->out, '@');
	mysql_statement_put_string(s->out, host);
}

/*
 * Twice the workers, as during a reload, and two for commands that run next to the daemon.  MySQL has no limit of the time
 * of an account's statements.
 */
static void
put_bounds(const struct script *s)
{
	uint64_t workers = s->db->cfg->pool_size == 0 ? WORKERS_USUAL : s->db->cfg->pool_size;

	buf_printf(s->out, " WITH MAX_USER_CONNECTIONS %" PRIu64, CONNECTIONS * (2 * workers + 2));
	if (mysql_session_is_mariadb(s->db->session))
		buf_printf(s->out, " MAX_STATEMENT_TIME %" PRIu64, (s->db->cfg->timeout_ms + 999) / 1000);
	buf_str(s->out, ";\n");
}

static void
put_grant(const struct script *s, const char *what, const char *schema, const char *table)
{
	buf_printf(s->out, "GRANT %s ON ", what);
	mysql_put_name(s->out, schema);
	buf_byte(s->out, '.');
	if (table == NULL)
		buf_byte(s->out, '*');
	else
		mysql_put_name(s->out, table);
	buf_str(s->out, " TO ");
	put_account(s);
	buf_str(s->out, ";\n");
}

/* With enabled_tables each table has a grant of its own, else each database. */
static void
put_tables(const struct script *s, MYSQL_RES *tables)
{
	enum { SCHEMA, TABLE, IS_VIEW };
	const struct sql_config *cfg = s->db->cfg;
	MYSQL_ROW row;

	for (size_t i = 0; cfg->nenabled == 0 && i < s->db->guard.nschemas; i++)
		put_grant(s, "SELECT, SHOW VIEW", (const char *)s->db->guard.schemas[i].p, NULL);
	while (cfg->nenabled > 0 && (row = mysql_fetch_row(tables)) != NULL)
		if (catalog_is_enabled(cfg->enabled, cfg->nenabled, row[SCHEMA], row[TABLE]))
			put_grant(s, row[IS_VIEW][0] == '1' ? "SELECT, SHOW VIEW" : "SELECT", row[SCHEMA], row[TABLE]);
}

int
mysql_grants(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err)
{
	const struct script s = { .db = db, .role = role, .out = script };
	MYSQL_RES *tables = mysql_statement_ask_of_schemas(db, c, mysql_tables_sql, err);

	if (tables == NULL)
		return -1;
	buf_str(script, "-- Give the account a password first: replace it here.\nCREATE USER IF NOT EXISTS ");
	put_account(&s);
	buf_str(script, " IDENTIFIED BY 'change-this-password'");
	put_bounds(&s);
	put_tables(&s, tables);
	mysql_free_result(tables);
	return 0;
}
