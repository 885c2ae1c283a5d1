#include <string.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "workers/shared/child.h"
#include "workers/shared/serve.h"
#include "workers/sql/asker.h"
#include "workers/sql/dataset.h"
#include "workers/sql/team.h"
#include "workers/sql/tools.h"
#include "workers/sql/value.h"
#include "workers/sql/tools_text.h"
#include "workers/shared/call.h"

#define ROWS_DEFAULT	1000
#define ROWS_MOST	10000
#define AUDIT_MS	120000
#define INTROSPECT_MS	600000	/* for a warehouse with 100,000 tables */
#define DETAILS		2	/* SNAPSHOT_DETAILS of project/scan/snapshot.h */

/* Counts one served call, and ends the process after the configured number of them. */
static void
count_call(struct sql_worker *w)
{
	if (++w->served >= w->cfg.max_requests)
		serve_stop_after_call(EXIT_RECYCLE, "served its number of requests");
}

double
sql_elapsed_ms(uint64_t since)
{
	uint64_t micros = (clock_ns() - since) / 1000; /* whole microseconds keep the number short */

	return (double)micros / 1000.0;
}

int
sql_read_statement(const struct mp_value *args, struct span *sql, struct err *err)
{
	*sql = mp_get_str(args, "sql", SPAN_NONE);
	if (sql->len == 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "sql is missing or empty");
	if (sql->len > SQL_TEXT_MAX)
		return err_set(err, ERR_SQL_TOO_LONG,
		    "the statement has %zu bytes, at most %u are accepted; "
		    "replace long lists of values by a join or a range",
		    sql->len, SQL_TEXT_MAX);
	if (memchr(sql->p, '\0', sql->len) != NULL)
		return err_set(err, ERR_FORBIDDEN_SQL, "the statement contains a NUL character; remove it");
	return 0;
}

static uint64_t
read_max_rows(const struct sql_worker *w, const struct mp_value *args)
{
	uint64_t n = mp_get_uint(args, "maxRows", ROWS_DEFAULT);

	/* Only sl_query sends 0, to learn whether there are any rows. */
	if (n > ROWS_MOST)
		n = ROWS_MOST;
	return n < w->cfg.max_rows ? n : w->cfg.max_rows;
}

/* For a semantic query only the members that its reader needs: totalRows is rowCount, as ktx calls it. */
static void
put_tail(struct buf *out, const struct result *r, uint64_t since, bool semantic)
{
	bool cut = r->cut != RESULT_WHOLE;

	mp_put_map(out, semantic ? (size_t)3 + cut : 4);
	mp_pair_uint(out, "rowCount", r->nrows);
	if (semantic)
		mp_pair_uint(out, "totalRows", r->nrows);
	mp_pair_bool(out, "truncated", cut);
	if (cut || !semantic)
		mp_pair_cstr(out, "truncatedBy", r->cut == RESULT_CUT_ROWS ? "rows" : cut ? "bytes" : NULL);
	if (!semantic)
		mp_pair_double(out, "elapsedMs", sql_elapsed_ms(since));
}

/* Of a semantic query maxRows is a part of the question, where it is given; else it bounds what is told at once. */
static uint64_t
read_export_rows(struct call *c, const struct mp_value *args, bool semantic)
{
	uint64_t export = call_export_rows(c), asked = mp_get_uint(args, "maxRows", UINT64_MAX);

	return semantic && asked < export ? asked : export;
}

int
sql_offer_file(struct call *c, uint64_t rows, struct err *err)
{
	const struct sql_worker *w = call_state(c);

	call_exports(c, rows, sql_driver.parquet);
	if (!call_export_parquet(c) || sql_driver.parquet)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "Parquet files are written of DuckDB connections only; \"%s\" has another engine: open the link with .csv "
	    "or .jsonl in place of .parquet",
	    w->cfg.connection);
}

void
sql_begin_rows(struct call *c, struct result *r, uint64_t max_rows)
{
	const struct sql_worker *w = call_state(c);

	row_stream_begin(r, c, max_rows, w->cfg.result_bytes);
	if (call_export_parquet(c))
		row_stream_parquet(r);
	else if (call_export_rows(c) > 0)
		row_stream_export(r);
}

/* q has the statement and the number of its rows; its time is set here. */
static int
run_query(struct call *c, struct sql_query *q, bool semantic, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct result *r = &w->result;
	bool export = call_export_rows(c) > 0;
	uint64_t since = clock_ns(), own = export ? UINT64_MAX : since + w->cfg.timeout_ms * CLOCK_MS;
	struct buf tail = { 0 };
	int rc;

	if (!q->check && asker_of(c, &q->as, err) == -1)
		return -1;
	q->deadline_ns = call_deadline(c) < own ? call_deadline(c) : own;
	sql_begin_rows(c, r, q->max_rows);
	if (export)
		q->limit = (struct late_limit){ (call_deadline(c) - since) / CLOCK_MS, "limits.export_s" };
	call_progress(c, 0, "Validating SQL");
	if (sql_driver.execute(w->db, c, q, r, err) == -1)
		return -1;
	call_progress(c, 1000, "Fetched %llu rows", (unsigned long long)r->nrows);
	put_tail(&tail, r, since, semantic);
	rc = row_stream_end(r, "rows", buf_view(&tail), err);
	buf_fini(&tail);
	return rc;
}

static int
tools_execute(struct call *c, const struct mp_value *args, bool semantic, struct err *err)
{
	bool export = call_export_rows(c) > 0;
	struct sql_query q = {
		.max_rows = export ? read_export_rows(c, args, semantic) : read_max_rows(call_state(c), args)
	};

	count_call(call_state(c));
	if (sql_read_statement(args, &q.text, err) == -1 || sql_offer_file(c, 0, err) == -1)
		return -1;
	return run_query(c, &q, semantic, err);
}

static int
run_team(struct call *c, const struct mp_value *args, bool semantic, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct sql_query q = { .text = SPAN_NONE };
	struct sql_bound bound;

	count_call(w);
	if (team_read(c, buf_view(&w->cfg.team), args, &q, &bound, err) == -1)
		return -1;
	q.check = mp_get_bool(args, "check", false);
	q.max_rows = q.max_rows < w->cfg.max_rows ? q.max_rows : w->cfg.max_rows;
	if (call_export_rows(c) > 0 && call_export_rows(c) < q.max_rows)
		q.max_rows = call_export_rows(c);
	if (sql_offer_file(c, q.max_rows, err) == -1)
		return -1;
	if (run_query(c, &q, semantic, err) == 0)
		return 0;
	/* A column policy or an identity may refuse any plan: nothing is known against the statement. */
	if (!q.check || !span_begins(span_str(err->message), "EXPLAIN"))
		return -1;
	call_result(c, MP_EMPTY_MAP);
	return 0;
}

/* Runs a statement that the owner wrote for callers, with their values. */
static int
team_tool(struct call *c, const struct mp_value *args, struct err *err)
{
	return run_team(c, args, false, err);
}

/* The same of a query of the owner's, as the semantic layer compiled it. */
static int
team_execution(struct call *c, const struct mp_value *args, struct err *err)
{
	return run_team(c, args, true, err);
}

/* Runs SQL that the semantic layer compiled. */
static int
sl_execution(struct call *c, const struct mp_value *args, struct err *err)
{
	return tools_execute(c, args, true, err);
}

static int
sql_execution(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct sql_worker *w = call_state(c);

	if (w->cfg.semantic_only)
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "Connection \"%s\" takes no SQL, only questions to its semantic layer "
		    "(query_policy: semantic-layer-only): use sl_query with measures that discover_data finds.",
		    w->cfg.connection);
	return tools_execute(c, args, false, err);
}

static void
put_metadata(struct buf *out, const struct catalog *cat, const char *policy)
{
	size_t mark;

	mp_put_cstr(out, "metadata");
	mark = mp_open_map(out);
	buf_span(out, buf_view(&cat->metadata));
	mp_pair_uint(out, "table_count", cat->ntables);
	mp_pair_uint(out, "total_columns", cat->total_columns);
	mp_pair_cstr(out, "schema_fingerprint", cat->fingerprint);
	mp_pair_uint(out, "details", DETAILS);
	mp_put_cstr(out, "column_policy");
	value_label(out, policy[0] == '\0' ? NULL : policy);
	mp_end(out, mark);
}

static void
put_catalog_head(struct buf *out, const struct catalog *cat, const char *policy)
{
	size_t mark;

	mp_put_map(out, 6);
	mp_pair_cstr(out, "driver", sql_driver.name);
	mp_put_cstr(out, "serverVersion");
	value_label(out, cat->server_version);
	mp_put_cstr(out, "scope");
	mark = mp_open_map(out);
	buf_span(out, buf_view(&cat->scope));
	mp_end(out, mark);
	put_metadata(out, cat, policy);
	mp_pair_array(out, "warnings", cat->nwarnings);
	buf_span(out, buf_view(&cat->warnings));
	mp_pair_uint(out, "tableCount", cat->ntables);
}

static int
tools_introspect(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct result *r = &w->result;
	struct catalog cat;
	int rc = -1;

	(void)args;
	count_call(w);
	/* A description is streamed; only a single table has a cap. */
	row_stream_begin(r, c, UINT64_MAX, IPC_RAW_MAX);
	r->max_bytes = UINT64_MAX;
	catalog_begin(&cat, r, call_arena(c), w->cfg.enabled, w->cfg.nenabled);
	if (sql_driver.introspect(w->db, c, &cat, err) == -1)
		goto out;
	catalog_warn_missing(&cat);
	put_catalog_head(row_stream_head(r), &cat, w->cfg.policy);
	rc = row_stream_end(r, "tables", MP_EMPTY_MAP, err);
out:
	catalog_fini(&cat);
	return rc;
}

static int
profile(struct call *c, const struct mp_value *args, struct err *err)
{
	count_call(call_state(c));
	return profile_run(c, args, err);
}

static int
relate(struct call *c, const struct mp_value *args, struct err *err)
{
	count_call(call_state(c));
	return relate_run(c, args, err);
}

static int
dataset_sample(struct call *c, const struct mp_value *args, struct err *err)
{
	count_call(call_state(c));
	return dataset_sample_run(c, args, err);
}

static int
dataset_texts(struct call *c, const struct mp_value *args, struct err *err)
{
	count_call(call_state(c));
	return dataset_texts_run(c, args, err);
}

static int
dataset_execution(struct call *c, const struct mp_value *args, struct err *err)
{
	count_call(call_state(c));
	return dataset_execution_run(c, args, err);
}

static int
fingerprint(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	char text[FINGERPRINT_TEXT];
	struct fingerprint f;
	struct buf out = { 0 };

	(void)args;
	count_call(w);
	fingerprint_begin(&f);
	if (sql_driver.fingerprint(w->db, c, &f, err) == -1)
		return -1;
	fingerprint_text(&f, text);
	mp_put_pairs(&out, mp_cstr("fingerprint", text));
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

/* Reports rules that match nothing, and columns that the account can read although the policy hides them. */
static void
put_policy(struct buf *out, const struct sql_worker *w, const struct sql_test *t)
{
	const struct columns *policy = w->cfg.columns;
	size_t mark;

	mp_put_cstr(out, "columnPolicy");
	if (columns_is_empty(policy)) {
		mp_put_nil(out);
		return;
	}
	mp_put_map(out, 4);
	mp_pair_uint(out, "rules", columns_count(policy));
	mark = mp_pair_open_array(out, "matchNothing");
	for (size_t i = 0; i < columns_count(policy); i++)
		if (!sql_driver.matches(w->db, i))
			mp_put_str(out, columns_pattern(policy, i));
	mp_end(out, mark);
	mp_pair_uint(out, "accountReadsCount", t->nreadable);
	mp_put_cstr(out, "accountReads");
	value_label(out, t->readable);
}

/* {tables, readable, refused?, otherTables, otherSchemas, moreSchemas, leftOut}; refused and leftOut are sentences or empty. */
static void
put_reach(struct buf *out, const struct sql_worker *w, const struct sql_reach *r)
{
	struct buf text = { 0 };

	mp_put_cstr(out, "reach");
	if (!r->known) {
		mp_put_nil(out);
		return;
	}
	mp_put_map(out, 7);
	mp_pair_uint(out, "tables", r->ntables);
	mp_pair_uint(out, "readable", r->nreadable);
	reach_put_refused(r, w->cfg.connection, &text);
	mp_pair_str(out, "refused", buf_view(&text));
	mp_pair_uint(out, "otherTables", r->nother_tables);
	mp_pair_array(out, "otherSchemas", r->nothers);
	for (size_t i = 0; i < r->nothers; i++)
		mp_put_cstr(out, r->others[i]);
	buf_reset(&text, SIZE_MAX);
	mp_pair_bool(out, "moreSchemas", r->more_others);
	reach_put_others(r, w->cfg.connection, &text);
	mp_pair_str(out, "leftOut", buf_view(&text));
	buf_fini(&text);
}

/* {settings, roles, neutral, weakened?}; null: statements run as the account. */
static void
put_identity(struct buf *out, const struct sql_worker *w, const struct sql_test *t)
{
	const struct identity *id = w->cfg.identity;
	size_t mark, all;

	mp_put_cstr(out, "identity");
	if (id == NULL) {
		mp_put_nil(out);
		return;
	}
	all = mp_open_map(out);
	mark = mp_pair_open_array(out, "settings");
	for (size_t i = 0; i < identity_settings(id); i++)
		mp_put_cstr(out, identity_setting(id, i));
	mp_end(out, mark);
	mark = mp_pair_open_array(out, "roles");
	for (size_t i = 0; i < identity_roles(id); i++)
		value_label(out, identity_role(id, i));
	mp_end(out, mark);
	mp_pair_bool(out, "neutral", identity_has_neutral(id));
	mp_put_cstr(out, "weakened");
	value_label(out, t->identity[0] == '\0' ? NULL : t->identity);
	mp_end(out, all);
}

static void
put_test(struct buf *out, const struct sql_worker *w, const struct sql_test *t)
{
	mp_put_map(out, 12);
	mp_pair_cstr(out, "connection", w->cfg.connection);
	mp_pair_cstr(out, "driver", sql_driver.name);
	mp_pair_bool(out, "reachable", true);
	mp_put_cstr(out, "serverVersion");
	value_label(out, t->server_version);
	mp_put_cstr(out, "user");
	value_label(out, t->user[0] == '\0' ? NULL : t->user);
	mp_put_cstr(out, "canWrite");
	if (t->can_write == SQL_WRITE_UNKNOWN)
		mp_put_nil(out);
	else
		mp_put_bool(out, t->can_write == SQL_WRITE_YES);
	mp_put_cstr(out, "canWriteWhy");
	value_label(out, t->can_write_why);
	mp_pair_bool(out, "readOnlySession", t->read_only_session);
	mp_pair_double(out, "latencyMs", t->latency_ms);
	put_policy(out, w, t);
	put_reach(out, w, &t->reach);
	put_identity(out, w, t);
}

static int
connection_test(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct sql_test test = { 0 };
	struct buf out = { 0 };

	(void)args;
	count_call(w);
	if (sql_driver.test(w->db, c, &test, err) == -1)
		return -1;
	put_test(&out, w, &test);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

static int
connection_grants(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	const char *role = arena_cstr(call_arena(c), mp_get_str(args, "role", SPAN("")));
	struct buf script = { 0 }, out = { 0 };
	int rc;

	count_call(w);
	if (sql_driver.grants == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s", sql_driver.no_grants);
	if (role == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the role's name cannot be used");
	if ((rc = sql_driver.grants(w->db, c, role, &script, err)) == 0) {
		mp_put_map(&out, 2);
		mp_pair_cstr(&out, "connection", w->cfg.connection);
		mp_put_cstr(&out, "script");
		value_text(&out, buf_view(&script));
		call_result(c, buf_view(&out));
	}
	buf_fini(&script);
	buf_fini(&out);
	return rc;
}

static void
put_audit_head(struct buf *out, const struct sql_worker *w, const struct sql_test *t)
{
	mp_put_map(out, 4);
	mp_pair_cstr(out, "connection", w->cfg.connection);
	mp_pair_cstr(out, "driver", sql_driver.name);
	mp_put_cstr(out, "serverVersion");
	value_label(out, t->server_version);
	mp_put_cstr(out, "user");
	value_label(out, t->user[0] == '\0' ? NULL : t->user);
}

static int
audit_sql(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct result *r = &w->result;
	struct sql_test test = { 0 };

	(void)args;
	count_call(w);
	if (sql_driver.test(w->db, c, &test, err) == -1)
		return -1;
	row_stream_begin(r, c, UINT64_MAX, IPC_RAW_MAX);
	put_audit_head(row_stream_head(r), w, &test);
	if (sql_driver.audit(w->db, c, r, err) == -1)
		return -1;
	return row_stream_end(r, "inputs", MP_EMPTY_MAP, err);
}

#define READS	(TOOL_READ_ONLY | TOOL_IDEMPOTENT)

const struct tool sql_tools[] = {
	{ TOOL_sql_execution .hints = READS, .budget_ms = 30000, .run = sql_execution },
	{ TOOL_sl_execution .hints = READS, .budget_ms = 30000, .run = sl_execution },
	{ TOOL_ask_execution .hints = READS, .budget_ms = 30000, .run = sl_execution },
	{ TOOL_team_tool .hints = READS, .budget_ms = 30000, .run = team_tool },
	{ TOOL_team_execution .hints = READS, .budget_ms = 30000, .run = team_execution },
	{ TOOL_introspect .hints = READS, .budget_ms = INTROSPECT_MS, .run = tools_introspect },
	{ TOOL_profile .hints = READS, .budget_ms = INTROSPECT_MS, .run = profile },
	{ TOOL_relate .hints = READS, .budget_ms = INTROSPECT_MS, .run = relate },
	{ TOOL_dataset_sample .hints = READS, .budget_ms = 10000, .run = dataset_sample },
	{ TOOL_dataset_texts .hints = READS, .budget_ms = 30000, .run = dataset_texts },
	{ TOOL_dataset_execution .hints = READS, .budget_ms = 30000, .run = dataset_execution },
	{ TOOL_fingerprint .hints = READS, .budget_ms = 10000, .run = fingerprint },
	{ TOOL_connection_test .hints = READS, .budget_ms = 15000, .run = connection_test },
	{ TOOL_connection_grants .hints = READS, .budget_ms = 60000, .run = connection_grants },
	{ TOOL_audit_sql .hints = READS, .budget_ms = AUDIT_MS, .run = audit_sql },
	{ .name = NULL },
};
