/* mysql.c - the MariaDB and MySQL driver: connects, confines itself, and runs one statement at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "workers/shared/call.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/mysql_audit.h"
#include "workers/sql/mysql/mysql_bound.h"
#include "workers/sql/mysql/mysql_datasets.h"
#include "workers/sql/mysql/mysql_db.h"
#include "workers/sql/mysql/mysql_grants.h"
#include "workers/sql/mysql/mysql_introspect.h"
#include "workers/sql/mysql/mysql_policy.h"
#include "workers/sql/mysql/mysql_pool.h"
#include "workers/sql/mysql/mysql_profile.h"
#include "workers/sql/mysql/mysql_relate.h"
#include "workers/sql/mysql/mysql_routines.h"
#include "workers/sql/mysql/mysql_statement.h"
#include "workers/sql/mysql/mysql_test.h"
#include "workers/sql/value.h"

#define PRINTED_MAX	((size_t)1 << 20)	/* bytes of a statement as sent; names and operators are written out */
#define PRINTED_KEEP	((size_t)256 << 10)
#define SERVER_MS	1000u	/* how much later than this process the server ends a statement by itself */

/*
 * The databases that are served: those of the configuration, or that of the connection.  Names without a database are
 * of the default one, which therefore is served.
 */
static void
choose_schemas(struct sql_db *db)
{
	const struct sql_config *cfg = db->cfg;
	struct span *schemas = mem_new(cfg->nschemas + 1, sizeof(*schemas));
	const char *chosen = db->place.database;
	bool served = false;

	for (size_t i = 0; i < cfg->nschemas; i++)
		if (cfg->schemas[i][0] != '\0') {
			schemas[db->guard.nschemas++] = span_str(cfg->schemas[i]);
			served = served || (chosen != NULL && strcmp(chosen, cfg->schemas[i]) == 0);
		}
	if (!served && db->guard.nschemas > 0)
		chosen = (const char *)schemas[0].p;
	db->place.database = chosen;
	db->database = mem_text(span_str(chosen));
	if (db->guard.nschemas == 0 && chosen != NULL)
		schemas[db->guard.nschemas++] = span_str(db->database);
	db->guard.schemas = schemas;
}

static int
mysql_init_db(const struct sql_config *cfg, struct sql_db **out, struct err *err)
{
	struct sql_db *db = mem_new(1, sizeof(*db));

	*out = db;
	db->cfg = cfg;
	db->limit = (struct late_limit){ cfg->timeout_ms, LATE_LIMIT_KEY };
	db->printed.max = PRINTED_MAX;
	if (cfg->target[0] == '\0' && !cfg->stand_in)
		return err_set(err, ERR_INTERNAL, "a MariaDB or MySQL connection needs a url");
	return 0;
}

static int
connect_database(struct sql_db *db, struct err *err)
{
	int rc = mysql_place_read(&db->place, db->cfg->target, err);

	explicit_bzero(db->cfg->target, strlen(db->cfg->target));
	if (rc == 0) {
		choose_schemas(db);
		if (db->guard.nschemas == 0)
			rc = err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the connection names no database; add it to the url (mysql://HOST/DATABASE), or name "
			    "databases "
			    "with schemas");
	}
	db->place.key = columns_has(db->cfg->columns, COLUMNS_HASH) ? db->cfg->column_key : NULL;
	if (rc == 0 && (db->session = mysql_session_open(&db->place, db->cfg->timeout_ms + SERVER_MS, err)) == NULL)
		rc = -1;
	mysql_place_fini(&db->place);
	if (rc == 0 && mysql_pool_enter(db, err) == -1)
		rc = -1;
	if (rc == 0) {
		db->guard.mariadb = mysql_session_is_mariadb(db->session);
		db->guard.version = mysql_get_server_version(mysql_session_handle(db->session));
		db->guard.folded = mysql_session_name_case(db->session) != 0;
		db->guard.counted = db->cfg->identity != NULL;
	}
	return rc;
}

static int
open_nothing(struct sql_db *db, struct err *err)
{
	(void)db, (void)err; /* connected before confinement */
	return 0;
}

static int
watch_session(struct sql_db *db)
{
	return db->session == NULL || db->dead || db->asleep ? -1 : mysql_get_socket(mysql_session_handle(db->session));
}

/* The position in the message's details, for callers that mark it in the text. */
static void
put_place(struct call *c, struct span sql, size_t at)
{
	struct buf *out = call_details(c);

	if (at > sql.len)
		return;
	buf_reset(out, 4096);
	mp_put_pairs(out, mp_uint("position", 1 + utf8_count(span_of(sql.p, at))));
}

static struct mysql_node *
parse(struct call *c, const struct sql_query *q, struct span *sql, size_t *at, struct err *err)
{
	struct mysql_node *tree;

	*sql = q->text;
	if (q->bound == NULL)
		return mysql_parse(call_arena(c), *sql, at, err);
	if (mysql_bound_write(call_arena(c), q->bound, sql, err) == -1)
		return NULL;
	tree = mysql_parse_bound(call_arena(c), *sql, at, err);
	return tree == NULL || mysql_bound_measure(tree, q->bound, err) == -1 ? NULL : tree;
}

/* The tree of a caller's statement, which may be sent; NULL with *err and the position in the call's details. */
static struct mysql_node *
judge(struct sql_db *db, struct call *c, const struct sql_query *q, struct err *err)
{
	size_t at = MYSQL_PARSE_NOWHERE;
	struct span sql;
	struct mysql_node *tree = parse(c, q, &sql, &at, err);

	if (tree != NULL && mysql_routines_judge(db, c, tree, &at, err) == 0)
		return tree;
	put_place(c, sql, at);
	return NULL;
}

static void
put_head(struct sql_db *db, struct buf *out, MYSQL_RES *result)
{
	const MYSQL_FIELD *fields = mysql_fetch_fields(result);
	struct buf type = { 0 };

	size_t mark = mp_open_map(out);

	mp_pair_array(out, "headers", db->ncolumns);
	for (size_t i = 0; i < db->ncolumns; i++)
		value_label(out, fields[i].name);
	mp_pair_array(out, "headerTypes", db->ncolumns);
	for (size_t i = 0; i < db->ncolumns; i++) {
		buf_reset(&type, 256);
		mysql_values_put_type(&type, &fields[i]);
		if (db->headers[i].zero_dates)
			buf_str(&type, " with zero dates");
		value_label(out, buf_cstr(&type));
	}
	mp_end(out, mark);
	buf_fini(&type);
}

static void
note_columns(struct sql_db *db, MYSQL_RES *result)
{
	const MYSQL_FIELD *fields = mysql_fetch_fields(result);

	db->ncolumns = mysql_num_fields(result);
	if (db->ncolumns > db->column_cap) {
		free(db->headers);
		db->headers = mem_new(db->ncolumns, sizeof(*db->headers));
		db->column_cap = db->ncolumns;
	}
	for (size_t i = 0; i < db->ncolumns; i++)
		db->headers[i] = mysql_values_column(&fields[i]);
}

static enum result_added
add_row(struct sql_db *db, struct result *r, MYSQL_RES *result, MYSQL_ROW row, struct err *err)
{
	const unsigned long *lengths = mysql_fetch_lengths(result);
	struct buf *out = row_stream_row(r, db->ncolumns);

	for (size_t i = 0; i < db->ncolumns && !row_stream_hopeless(r); i++) {
		if (row[i] == NULL)
			mp_put_nil(out);
		else if (mysql_values_put(out, &db->headers[i], span_of(row[i], lengths[i])))
			row_stream_note_text(r, (unsigned)i);
	}
	return row_stream_row_done(r, err);
}

/* The names of an export's columns, before its first row. */
static void
put_names(struct result *r, MYSQL_RES *result, size_t n)
{
	const MYSQL_FIELD *fields = mysql_fetch_fields(result);
	struct buf *out = row_stream_names(r, n);

	for (size_t i = 0; i < n; i++)
		value_label(out, fields[i].name);
}

/* *whole: all rows were read. */
static int
fetch_rows(struct sql_db *db, struct call *c, MYSQL_RES *result, struct result *r, bool *whole, struct err *err)
{
	enum result_added added;
	MYSQL_ROW row;
	int got;

	*whole = false;
	while ((got = mysql_statement_row(db, c, result, &row, err)) == 1 && row_stream_wants(r))
		if ((added = add_row(db, r, result, row, err)) != RESULT_GO_ON)
			return added == RESULT_FAILED ? -1 : 0;
	*whole = got != 1;
	return got == -1 ? -1 : 0;
}

static int
send_bound(struct sql_db *db, struct call *c, const struct sql_query *q, struct mysql_node *tree, MYSQL_RES **result,
    struct err *err)
{
	struct buf set = { 0 }, text = { 0 }, execute = { 0 };
	struct mysql_prepared prepared = { .n = q->bound->n };
	int rc;

	for (size_t i = 0; i < q->bound->n; i++)
		prepared.texts[i] = q->bound->v[i].text;
	mysql_bound_put_set(&set, q->bound);
	mysql_bound_put_prepare(&text, buf_view(&db->printed));
	mysql_bound_put_execute(&execute, tree);
	prepared.set = buf_cstr(&set);
	prepared.prepare = buf_cstr(&text);
	rc = mysql_statement_run_bound(db, c, &prepared, buf_view(&execute), q->deadline_ns, result, err);
	buf_fini(&set);
	buf_fini(&text);
	buf_fini(&execute);
	return rc;
}

static int
send_tree(struct sql_db *db, struct call *c, const struct sql_query *q, struct mysql_node *tree,
    MYSQL_RES **result, struct err *err)
{
	if (!mysql_session_is_mariadb(db->session))
		mysql_tree_rename(tree, MYSQL_NODE_collation, MYSQL_BY_BYTES, MYSQL8_BY_BYTES);
	buf_reset(&db->printed, PRINTED_KEEP);
	mysql_print(&db->printed, tree);
	if (db->printed.full)
		return err_set(err, ERR_SQL_TOO_LONG, "the statement is too long once its names are written out");
	call_progress(c, 300, "Executing");
	return q->bound != NULL ? send_bound(db, c, q, tree, result, err) :
				  mysql_statement_run(db, c, buf_view(&db->printed), q->deadline_ns, result, err);
}

/* What the tables stand for, and what this caller may see of their columns. */
static int
protect(struct sql_db *db, struct call *c, const struct sql_query *q, struct mysql_node *tree, struct err *err)
{
	const struct mysql_columns *policy;
	size_t at = SIZE_MAX;

	if ((q->published == NULL || mysql_datasets_define(db, call_arena(c), q->published, tree, &at, err) == 0) &&
	    mysql_policy_enter(db, c, call_scopes(c), &policy, err) == 0 &&
	    mysql_columns_apply(policy, call_arena(c), tree, &at, err) == 0)
		return 0;
	put_place(c, q->text, at);
	return -1;
}

/* The rows that a plan counts are those of all callers. */
static int
check_identity(const struct sql_db *db, const struct sql_query *q, const struct mysql_node *tree, struct err *err)
{
	if (db->cfg->identity == NULL)
		return 0;
	if (q->check)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "EXPLAIN is left out: the statement is allowed, and runs as those who ask");
	if (q->as == NULL)
		return err_set(err, ERR_INTERNAL, "a statement does not say as whom it runs");
	return tree->first == NULL || tree->first->kind != MYSQL_NODE_explain ?
	    0 :
	    err_set(err, ERR_FORBIDDEN_SQL,
		"EXPLAIN is not allowed on a connection that runs statements as "
		"the one who asks: what a plan estimates "
		"is of all rows; run the query itself");
}

static int
run_query(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r, struct err *err)
{
	struct mysql_node *tree = judge(db, c, q, err);
	MYSQL_RES *result = NULL;
	bool whole, without;
	int rc;

	if (tree == NULL || protect(db, c, q, tree, err) == -1 || check_identity(db, q, tree, err) == -1)
		return -1;
	db->as = q->as;
	without = mysql_settled_goes_without(db, tree);
	rc = send_tree(db, c, q, tree, &result, err);
	db->as = NULL;
	if (rc == -1)
		return -1;
	if (result == NULL)
		return err_set(err, ERR_FORBIDDEN_SQL, "the statement does not return rows; write a SELECT");
	note_columns(db, result);
	if (row_stream_wants_names(r))
		put_names(r, result, db->ncolumns);
	rc = fetch_rows(db, c, result, r, &whole, err);
	put_head(db, row_stream_head(r), result);
	mysql_statement_end(db, result, whole);
	if (without && whole && rc == 0 && !db->dead)
		mysql_settled_note(db);
	return rc == 0 && whole ? mysql_statement_check_lists(db, c, err) : rc;
}

static int
execute_query(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r, struct err *err)
{
	int rc;

	if (q->limit.key != NULL)
		db->limit = q->limit;
	pool_note(&db->asked, q->bound != NULL ? q->bound->tool : q->text);
	rc = run_query(db, c, q, r, err);
	db->limit = (struct late_limit){ db->cfg->timeout_ms, LATE_LIMIT_KEY };
	pool_note(&db->asked, SPAN_NONE);
	return rc;
}

static void
close_database(struct sql_db *db)
{
	if (db == NULL)
		return;
	mysql_session_close(db->session);
	mysql_place_fini(&db->place);
	mysql_routines_forget(db);
	mysql_policy_free(db->policy);
	free((void *)(uintptr_t)db->guard.schemas);
	free(db->database);
	free(db->headers);
	buf_fini(&db->printed);
	buf_fini(&db->asked.text);
	free(db);
}

const struct sql_driver sql_driver = {
	.name = "mysql",
	.binary = "carrel-sql-mysql",
	.profile = "sql-mysql",
	.schemas = true,
	.quote = '`',
	.escapes = true,
	.init = mysql_init_db,
	.connect = connect_database,
	.open = open_nothing,
	.idle = mysql_statement_idle,
	.watch = watch_session,
	.execute = execute_query,
	.introspect = mysql_introspect,
	.sample = mysql_profile,
	.relate = mysql_relate,
	.fingerprint = mysql_fingerprint,
	.column = mysql_policy_column,
	.matches = mysql_policy_matches,
	.grants = mysql_grants,
	.test = mysql_test,
	.audit = mysql_audit,
	.close = close_database,
};
