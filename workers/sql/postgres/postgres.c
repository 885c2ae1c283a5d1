#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/mp.h"
#include "workers/sql/postgres/guard/columns_pg.h"
#include "workers/shared/child.h"
#include "workers/sql/postgres/postgres.h"
#include "workers/sql/postgres/postgres_audit.h"
#include "workers/sql/postgres/postgres_datasets.h"
#include "workers/sql/postgres/postgres_errors.h"
#include "workers/sql/postgres/postgres_fingerprint.h"
#include "workers/sql/postgres/postgres_grants.h"
#include "workers/sql/postgres/postgres_introspect.h"
#include "workers/sql/postgres/postgres_memory.h"
#include "workers/sql/postgres/postgres_pool.h"
#include "workers/sql/postgres/postgres_profile.h"
#include "workers/sql/postgres/postgres_relate.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/sql/postgres/postgres_test.h"
#include "workers/sql/postgres/postgres_text.h"
#include "workers/sql/postgres/postgres_values.h"
#include "workers/sql/value.h"
#include "workers/shared/call.h"

#define ROW_KEEP_MAX	((size_t)8 << 20)	/* libpq never frees the buffer of its largest row */

static struct late_limit
own_limit(const struct sql_config *cfg)
{
	return (struct late_limit){ cfg->timeout_ms, LATE_LIMIT_KEY };
}

static int
postgres_init(const struct sql_config *cfg, struct sql_db **out, struct err *err)
{
	struct sql_db *db = mem_new(1, sizeof(*db));

	*out = db;
	db->cfg = cfg;
	db->finder = columns_pg_new();
	db->limit = own_limit(cfg);
	if (cfg->target[0] == '\0' && !cfg->stand_in)
		return err_set(err, ERR_INTERNAL, "a PostgreSQL connection needs a url");
	return 0;
}

static int
open_nothing(struct sql_db *db, struct err *err)
{
	(void)db, (void)err; /* connected before confinement, warmed by reading the catalogue */
	return 0;
}

static int
postgres_watch(struct sql_db *db)
{
	return db->session.conn == NULL || db->session.dead || db->session.asleep ? -1 : PQsocket(db->session.conn);
}

void
pg_write_query(struct sql_db *db, const struct pg_statement *st, uint64_t max_rows, struct pg_round_trip *trip)
{
	struct buf *b = &db->wrapped;

	buf_reset(b, 256 * 1024);
	if (st->kind == STATEMENT_QUERY)
		buf_str(b, pg_wrapped_from(db));
	buf_span(b, st->text);
	if (st->kind == STATEMENT_QUERY) /* the line break ends a comment at the statement's end */
		buf_printf(b, "\n) SELECT * FROM q LIMIT %llu", (unsigned long long)max_rows + 1);
	trip->text = buf_cstr(b);
}

/* Names of users' and extensions' types are asked for once, on their first occurrence. */
static void
learn_types(struct sql_db *db, struct call *c, const PGresult *columns)
{
	struct buf list = { 0 };
	const char *params[1];
	struct err ignored;
	PGresult *res;
	bool any = false;

	for (int i = 0; i < PQnfields(columns); i++)
		if (pg_types_name(&db->types, PQftype(columns, i)) == NULL) {
			buf_printf(&list, "%s%u", any ? "," : "{", PQftype(columns, i));
			any = true;
		}
	if (any && !db->session.dead) {
		buf_byte(&list, '}');
		params[0] = buf_cstr(&list);
		res = pg_ask(db, c,
		    "SELECT oid, pg_catalog.format_type(oid, NULL) FROM pg_catalog.pg_type "
		    "WHERE oid = ANY ($1::pg_catalog.oid[])",
		    1, params, &ignored);
		if (res != NULL)
			pg_types_learn(&db->types, res);
		PQclear(res);
	}
	buf_fini(&list);
}

static void
put_head(struct sql_db *db, struct call *c, struct buf *out, const PGresult *columns)
{
	int n = PQnfields(columns);

	learn_types(db, c, columns);
	mp_put_map(out, 2);
	mp_pair_array(out, "headers", (size_t)n);
	for (int i = 0; i < n; i++)
		value_label(out, PQfname(columns, i));
	mp_pair_array(out, "headerTypes", (size_t)n);
	for (int i = 0; i < n; i++) {
		const char *name = pg_types_name(&db->types, PQftype(columns, i));
		char number[32];

		snprintf(number, sizeof(number), "oid:%u", PQftype(columns, i));
		/* The internal type of masked values means nothing to a caller. */
		if (!columns_is_empty(db->cfg->columns) && PQftype(columns, i) == PG_COLUMNS_MASK_TYPE)
			name = "text";
		value_label(out, name == NULL ? number : name);
	}
}

/* libpq describes every row, always in the same way: the first description counts. */
static void
note_columns(struct sql_db *db, const PGresult *row)
{
	int n = PQnfields(row);

	if (n > db->column_cap) {
		free(db->column_types);
		db->column_types = mem_new((size_t)n, sizeof(*db->column_types));
		db->column_cap = n;
	}
	for (int i = 0; i < n; i++)
		db->column_types[i] = PQftype(row, i);
	db->ncolumns = n;
}

/* The names of an export's columns, before its first row. */
static void
put_names(struct result *r, const PGresult *columns)
{
	int n = PQnfields(columns);
	struct buf *out = row_stream_names(r, (size_t)n);

	for (int i = 0; i < n; i++)
		value_label(out, PQfname(columns, i));
}

/* Adds one row to the result.  RESULT_STOP also for the row beyond the cap. */
static enum result_added
add_row(struct sql_db *db, struct result *r, const PGresult *row, struct err *err)
{
	size_t size = 0;
	struct buf *out;

	if (!row_stream_wants(r))
		return RESULT_STOP;
	if (r->nrows == 0)
		note_columns(db, row);
	if (row_stream_wants_names(r))
		put_names(r, row);
	out = row_stream_row(r, (size_t)db->ncolumns);
	for (int i = 0; i < db->ncolumns; i++) {
		size_t len = (size_t)PQgetlength(row, 0, i);

		size += len;
		if (row_stream_hopeless(r))
			continue;
		if (len == 0 && PQgetisnull(row, 0, i))
			mp_put_nil(out);
		else if (pg_put_value(out, db->column_types[i], db->money_decimals,
			     span_of(PQgetvalue(row, 0, i), len)))
			row_stream_note_text(r, (unsigned)i);
	}
	if (size > db->row_most)
		db->row_most = size;
	return row_stream_row_done(r, err);
}

/*
 * Rows beyond a cap are already on their way and cannot be cancelled.  After
 * the byte cap the process ends and a spare takes over; after the row cap the
 * server sends a few more rows at most (LIMIT, or the lines of EXPLAIN).
 */
static int
postgres_fetch(struct sql_db *db, struct call *c, const struct pg_statement *st, const struct pg_round_trip *trip,
    struct result *r, struct err *err)
{
	enum result_added added = RESULT_GO_ON;
	bool came = false, again;
	PGresult *res;
	int rc;

	for (;;) {
		switch (pg_next(db, c, true, &res, err)) {
		case PG_ROW:
			came = true;
			if (added == RESULT_GO_ON)
				added = add_row(db, r, res, err);
			if (added == RESULT_FAILED || r->cut == RESULT_CUT_BYTES) {
				pg_give_up(db, EXIT_RECYCLE, "a query passed its byte cap");
				if (added != RESULT_FAILED)
					put_head(db, c, row_stream_head(r), res);
				PQclear(res);
				return added == RESULT_FAILED ? -1 : 0;
			}
			PQclear(res);
			break;
		case PG_COMPLETE:
			if (row_stream_wants_names(r))
				put_names(r, res);
			put_head(db, c, row_stream_head(r), res);
			PQclear(res);
			return 0;
		case PG_REFUSED:
			again = !came && postgres_prepared_is_stale(&db->session.prepared, res);
			rc = again ? pg_send(db, c, trip, err) : pg_explain(db, c, res, st, err);
			PQclear(res);
			if (!again || rc == -1)
				return rc;
			break;
		case PG_FAILED:
			return -1;
		}
	}
}

static const struct sql_bound_style numbers = { SQLTEXT_POSTGRES, "$", NULL, '$' };

/*
 * The types by which the server resolves operators and functions.  0: a text is whatever it is compared with, as a
 * literal is; where :name IS NULL is asked first the server would not find out.
 */
static Oid
type_of(const struct sql_parameter *p)
{
	static const Oid types[PARAMETER_TYPES] = { [PARAMETER_STRING] = 0, [PARAMETER_INTEGER] = 20,
		[PARAMETER_NUMBER] = 1700, [PARAMETER_BOOLEAN] = 16, [PARAMETER_DATE] = 1082,
		[PARAMETER_TIMESTAMP] = 1114 };

	return p->small ? 23 : p->type == PARAMETER_STRING && p->optional ? 25 : types[p->type];
}

/* The values of a statement, as they are sent with it. */
struct bound_values {
	const char	*values[PARAMETERS_MOST];
	Oid		 types[PARAMETERS_MOST];
};

static void
bind_values(const struct sql_bound *bound, struct bound_values *v, struct pg_round_trip *trip)
{
	for (size_t i = 0; i < bound->n; i++) {
		v->values[i] = bound->v[i].text;
		v->types[i] = type_of(&bound->v[i]);
	}
	trip->nparams = (int)bound->n;
	trip->params = v->values;
	trip->types = v->types;
}

/* The caller's text, of a statement with parameters with placeholders in their place. */
static int
write_text(struct sql_db *db, const struct sql_query *q, struct span *text, struct err *err)
{
	*text = q->text;
	if (q->bound == NULL)
		return 0;
	buf_reset(&db->numbered, SQL_TEXT_MAX);
	db->numbered.max = SQL_TEXT_MAX;
	if (sql_bound_write(&numbers, q->text, q->bound, &db->numbered, err) == -1)
		return -1;
	*text = buf_view(&db->numbered);
	return 0;
}

/* Whether the statement may be sent.  *st: the statement in the form that is sent. */
static int
check_query(struct sql_db *db, struct call *c, const struct sql_query *q, struct pg_statement *st, struct err *err)
{
	struct span text;

	if (write_text(db, q, &text, err) == -1 ||
	    pg_statement_check_check(db->statements, db, c, text, q->bound != NULL, st, err) == -1 ||
	    (q->published != NULL && pg_datasets_define(db, c, q->published, st, err) == -1))
		return -1;
	return db->columns == NULL ? 0 : pg_columns_apply(db->columns, db, c, st, err);
}

/* The rows that a plan counts are those of everybody: the server's statistics do not know row security. */
static int
check_identity(const struct sql_db *db, const struct sql_query *q, const struct pg_statement *st, struct err *err)
{
	if (db->cfg->identity == NULL)
		return 0;
	if (q->check)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "EXPLAIN is left out: the statement is allowed, and runs as those who ask");
	return st->kind != STATEMENT_EXPLAIN ? 0 :
					       err_set(err, ERR_FORBIDDEN_SQL,
						   "EXPLAIN is not allowed on a connection that runs statements as the "
						   "one who asks: what a plan estimates "
						   "is of all rows; run the query itself");
}

static int
run_query(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r, struct err *err)
{
	struct pg_round_trip trip = { 0 };
	char settings[PG_SETTINGS];
	struct bound_values values;
	struct pg_statement st;

	if (check_query(db, c, q, &st, err) == -1 || check_identity(db, q, &st, err) == -1)
		return -1;
	pool_note(&db->asked, q->bound != NULL ? q->bound->tool : q->text);
	trip.deadline_ns = pg_memory_deadline(db, c, &st, q->as, q->deadline_ns);
	pg_write_query(db, &st, q->max_rows, &trip);
	trip.as = q->as;
	trip.alone = st.plain && q->published == NULL && db->cfg->identity == NULL &&
	    columns_is_empty(db->cfg->columns) && !pg_session_check_is_due(&db->session.check);
	trip.reset = !trip.alone;
	if (q->bound != NULL)
		bind_values(q->bound, &values, &trip);
	if (q->published != NULL) {
		pg_datasets_settings(db, q->published, settings);
		trip.settings = settings;
	}
	if (pg_send(db, c, &trip, err) == -1)
		return -1;
	call_progress(c, 300, "Executing");
	return postgres_fetch(db, c, &st, &trip, r, err);
}

static int
postgres_execute(struct sql_db *db, struct call *c, const struct sql_query *q, struct result *r,
    struct err *err)
{
	int rc;

	db->brief_ms = 0;
	db->limit = q->limit.key != NULL ? q->limit : own_limit(db->cfg);
	rc = run_query(db, c, q, r, err);
	db->brief_ms = 0;
	db->limit = own_limit(db->cfg);
	pg_datasets_forget(db);
	if (db->row_most > ROW_KEEP_MAX)
		pg_give_up(db, EXIT_RECYCLE, "a large row was read");
	return rc;
}

static int
postgres_column(struct sql_db *db, struct call *c, uint32_t scopes, const char *schema, const char *table,
    const char *name, enum columns_action *action, struct err *err)
{
	return pg_columns_decide(db->columns, db, c, scopes, schema, table, name, action, err);
}

static bool
postgres_matches(struct sql_db *db, size_t rule)
{
	return pg_columns_matches(db->columns, rule);
}

static void
close_database(struct sql_db *db)
{
	if (db == NULL)
		return;
	PQfinish(db->session.conn);
	pg_session_check_fini(&db->session.check);
	postgres_prepared_fini(&db->session.prepared);
	pg_types_fini(&db->types);
	pg_statement_check_close(db->statements);
	pg_columns_close(db->columns);
	columns_pg_free(db->finder);
	buf_fini(&db->wrapped);
	buf_fini(&db->asked.text);
	buf_fini(&db->defined);
	buf_fini(&db->identity);
	buf_fini(&db->numbered);
	free(db->column_types);
	free(db);
}

const struct sql_driver sql_driver = {
	.name = "postgres",
	.binary = "carrel-sql-postgres",
	.profile = "sql-postgres",
	.schemas = true,
	.published_limits = true,
	.quote = '"',
	.init = postgres_init,
	.connect = pg_connect,
	.open = open_nothing,
	.idle = pg_settle_idle,
	.watch = postgres_watch,
	.execute = postgres_execute,
	.introspect = pg_introspect,
	.sample = pg_profile,
	.relate = pg_relate,
	.fingerprint = pg_fingerprint,
	.column = postgres_column,
	.matches = postgres_matches,
	.grants = pg_grants,
	.test = pg_test,
	.audit = pg_audit,
	.close = close_database,
};
