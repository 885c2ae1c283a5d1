#include "workers/sql/mysql/mysql_grants.h"

#include <inttypes.h>
#include <string.h>

#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/mysql_catalogue.h"
#include "workers/sql/mysql/mysql_policy.h"
#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/mysql/mysql_statement.h"

#define WORKERS_USUAL	3u	/* workers and the spare, if the pool's size is unknown */
#define CONNECTIONS	2u	/* of a worker: one is kept to end statements of the other */

struct grant_script {
	const struct sql_db	*db;
	const struct mysql_columns *policy;	/* NULL: none */
	struct mysql_listing	 columns;	/* of all tables */
	const char		*role;		/* NAME or NAME@HOST */
	struct buf		*out;
};

/* 'name'@'host'. */
static void
put_account(const struct grant_script *s)
{
	struct span role = span_str(s->role), host = SPAN("%");
	size_t at = role.len;

	while (at > 0 && role.p[at - 1] != '@')
		at--;
	if (at > 0) {
		host = span_of(role.p + at, role.len - at);
		role.len = at - 1;
	}
	mysql_print_string(s->out, role);
	buf_byte(s->out, '@');
	mysql_print_string(s->out, host);
}

/*
 * Twice the workers, as during a reload, and two for commands that run next to the daemon.  MySQL has no limit of the
 * time of an account's statements.
 */
static void
put_bounds(const struct grant_script *s)
{
	uint64_t workers = s->db->cfg->pool_size == 0 ? WORKERS_USUAL : s->db->cfg->pool_size;

	buf_printf(s->out, " WITH MAX_USER_CONNECTIONS %" PRIu64, CONNECTIONS * (2 * workers + 2));
	if (mysql_session_is_mariadb(s->db->session))
		buf_printf(s->out, " MAX_STATEMENT_TIME %" PRIu64, (s->db->cfg->timeout_ms + 999) / 1000);
	buf_str(s->out, ";\n");
}

/* Where all of a database is granted its name is a pattern. */
static void
put_pattern(struct buf *out, const char *schema)
{
	struct buf pattern = { 0 };

	for (const char *p = schema; *p != '\0'; p++) {
		buf_str(&pattern, strchr("_%\\", *p) != NULL ? "\\" : "");
		buf_byte(&pattern, (uint8_t)*p);
	}
	mysql_print_name(out, buf_cstr(&pattern));
	buf_fini(&pattern);
}

/* what: "SELECT", or with columns; table NULL: all of the database. */
static void
put_grant(const struct grant_script *s, const char *what, const char *schema, const char *table)
{
	buf_printf(s->out, "GRANT %s ON ", what);
	if (table == NULL)
		put_pattern(s->out, schema);
	else
		mysql_print_name(s->out, schema);
	buf_byte(s->out, '.');
	if (table == NULL)
		buf_byte(s->out, '*');
	else
		mysql_print_name(s->out, table);
	buf_str(s->out, " TO ");
	put_account(s);
	buf_str(s->out, ";\n");
}

enum { SCHEMA, TABLE, IS_VIEW, COLUMN = 2 };

static void
put_column(struct buf *list, const char *privilege, const char *column)
{
	buf_str(list, list->len > 0 ? ", " : privilege);
	mysql_print_name(list, column);
}

/*
 * The columns of a table that may be read, and whether some may not.  A digest is computed from the
 * value and needs the right to read it; for a mask the account has to know of the column, which REFERENCES lets it.  A
 * view that is broken has no columns to decide on.
 */
static bool
put_columns(struct grant_script *s, const MYSQL_ROW table, struct buf *list)
{
	bool left = s->policy != NULL && mysql_catalogue_peek(&s->columns, table) == NULL;
	struct buf masked = { 0 };

	for (MYSQL_ROW row; (row = mysql_catalogue_take(&s->columns, table)) != NULL;) {
		enum columns_action action = mysql_columns_action(s->policy, span_str(table[SCHEMA]),
		    span_str(table[TABLE]), span_str(row[COLUMN]));

		left = left || action >= COLUMNS_MASK;
		if (action == COLUMNS_MASK)
			put_column(&masked, "REFERENCES (", row[COLUMN]);
		else if (action < COLUMNS_MASK)
			put_column(list, "SELECT (", row[COLUMN]);
	}
	if (list->len > 0 && masked.len > 0)
		buf_str(list, "), ");
	buf_span(list, buf_view(&masked));
	buf_byte(list, ')');
	buf_fini(&masked);
	return left;
}

/* A name may contain line breaks, which would end a comment. */
static void
put_remark(const struct grant_script *s, const MYSQL_ROW table)
{
	buf_str(s->out, "-- ");
	for (unsigned i = SCHEMA; i <= TABLE; i++) {
		for (const char *p = table[i]; *p != '\0'; p++)
			buf_byte(s->out, (uint8_t)*p < 0x20 ? '?' : (uint8_t)*p);
		buf_str(s->out,
		    i == SCHEMA ? "." :
				  " would show protected columns with its owner's rights; it is read from the "
				  "tables below it\n");
	}
}

static void
put_table(struct grant_script *s, const MYSQL_ROW table)
{
	bool is_view = table[IS_VIEW][0] == '1';
	struct buf list = { 0 };
	bool left = put_columns(s, table, &list);

	if (is_view && mysql_columns_shows_any(s->policy, span_str(table[SCHEMA]), span_str(table[TABLE])))
		put_remark(s, table);
	else if (!left)
		put_grant(s, is_view ? "SELECT, SHOW VIEW" : "SELECT", table[SCHEMA], table[TABLE]);
	else if (list.len > 1)
		put_grant(s, buf_cstr(&list), table[SCHEMA], table[TABLE]);
	buf_fini(&list);
}

/* With enabled_tables or a column policy each table has a grant of its own, else each database. */
static void
put_tables(struct grant_script *s, MYSQL_RES *tables)
{
	const struct sql_config *cfg = s->db->cfg;
	bool whole = cfg->nenabled == 0 && s->policy == NULL;
	MYSQL_ROW table;

	for (size_t i = 0; whole && i < s->db->guard.nschemas; i++)
		put_grant(s, "SELECT, SHOW VIEW", (const char *)s->db->guard.schemas[i].p, NULL);
	while (!whole && (table = mysql_fetch_row(tables)) != NULL)
		if (catalog_is_enabled(cfg->enabled, cfg->nenabled, table[SCHEMA], table[TABLE]))
			put_table(s, table);
}

int
mysql_grants(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err)
{
	struct grant_script s = { .db = db, .role = role, .out = script };
	MYSQL_RES *tables = NULL, *columns = NULL;
	int rc = -1;

	if (mysql_policy_enter(db, c, 0, &s.policy, err) == 0 &&
	    (tables = mysql_statement_ask_of_schemas(db, c, mysql_tables_sql, "!!!..", err)) != NULL &&
	    (columns = mysql_statement_ask_of_schemas(db, c, mysql_columns_sql, "!!!!!....!.", err)) != NULL) {
		buf_str(script, "-- Give the account a password of its own here.\nCREATE USER IF NOT EXISTS ");
		put_account(&s);
		buf_str(script, " IDENTIFIED BY 'change-this-password'");
		put_bounds(&s);
		s.columns = mysql_catalogue_list(columns);
		put_tables(&s, tables);
		rc = 0;
	}
	mysql_free_result(tables);
	mysql_free_result(columns);
	return rc;
}
