#include "base/system/clock.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "workers/sql/asker.h"
#include "workers/sql/worker.h"
#include "workers/sql/sample.h"
#include "workers/sql/value.h"
#include "workers/shared/call.h"

#define TABLE_TIMEOUTS	10			/* of one statement, for all columns of a table; the rest is left out */
#define VALUES_BYTES	((size_t)1 << 20)	/* for one column's values */

/* The table in progress. */
struct profiling {
	struct sql_worker	*w;
	struct call		*call;
	struct profile_ask	 ask;
	uint64_t		 timeout_ns, end_ns, values;
	uint64_t		 sampled;	/* rows of the last readable column */
	size_t			 ndone, nfailed;
	struct buf		 failures;	/* {column, message} */
	struct err		 first;
};

void
profile_add(struct profile_column *p, struct span value)
{
	if (value.len == 0 || value.len > (size_t)PROFILE_TEXT_MAX * 4 || !utf8_valid(value.p, value.len) ||
	    p->values.len + value.len > VALUES_BYTES)
		return;
	mp_put_str(&p->values, value);
	p->nvalues++;
}

static void
put_ratio(struct buf *out, const char *key, uint64_t part, uint64_t whole)
{
	mp_pair_double(out, key, whole == 0 ? 0 : (double)part / (double)whole);
}

static void
put_length(struct buf *out, const char *key, const struct profile_column *p, uint64_t n)
{
	mp_put_cstr(out, key);
	if (p->rows > p->nulls)
		mp_put_uint(out, n);
	else
		mp_put_nil(out);
}

static void
put_as_given(struct buf *out, const struct mp_value *column, const char *key)
{
	struct mp_value v;

	mp_put_cstr(out, key);
	if (mp_get(column, key, &v))
		buf_span(out, v.raw);
	else
		mp_put_nil(out);
}

static void
put_column(struct buf *out, const struct mp_value *column, const struct profile_column *p)
{
	mp_put_map(out, 11);
	mp_pair_str(out, "column", mp_get_str(column, "name", SPAN("")));
	put_as_given(out, column, "nativeType");
	if (p->is_enum) {
		mp_pair_cstr(out, "normalizedType", "enum");
	} else
		put_as_given(out, column, "normalizedType");
	mp_pair_uint(out, "rowCount", p->rows);
	mp_pair_uint(out, "nullCount", p->nulls);
	mp_pair_uint(out, "distinctCount", p->distinct);
	put_ratio(out, "uniquenessRatio", p->distinct, p->rows);
	put_ratio(out, "nullRate", p->nulls, p->rows);
	mp_pair_array(out, "sampleValues", p->nvalues);
	buf_span(out, buf_view(&p->values));
	put_length(out, "minTextLength", p, p->shortest);
	put_length(out, "maxTextLength", p, p->longest);
}

static void
note_failure(struct profiling *t, const char *column, const struct err *err)
{
	if (t->nfailed++ == 0)
		t->first = *err;
	mp_put_map(&t->failures, 2);
	mp_put_cstr(&t->failures, "column");
	value_label(&t->failures, column);
	mp_put_cstr(&t->failures, "message");
	value_label(&t->failures, err->message);
}

/* A column that the policy protects from any caller is not sampled: a scan's results are shown to all callers. */
static int
is_protected(struct profiling *t, bool *protected, struct err *err)
{
	enum columns_action action;

	if (sql_column_action(t->w->db, &t->w->cfg, t->call, COLUMNS_ANYBODY, t->ask.db, t->ask.table, t->ask.column,
		&action, err) == -1)
		return -1;
	*protected = action != COLUMNS_CLEAR;
	return 0;
}

static void
set_deadline(struct profiling *t)
{
	uint64_t own = clock_ns() + t->timeout_ns;

	t->ask.deadline_ns = own < call_deadline(t->call) ? own : call_deadline(t->call);
}

/*
 * Samples one column.  0: done, or only this column failed; 1: the table is too slow, skip the rest; -1: the call is
 * over.
 */
static int
look_at(struct profiling *t, const struct mp_value *column, struct err *err)
{
	struct profile_column p = { 0 };
	uint64_t wanted = mp_get_uint(column, "values", t->values);
	struct err why;
	bool protected;
	int rc = 0;

	t->ask.column = arena_cstr(call_arena(t->call), mp_get_str(column, "name", SPAN("")));
	if (t->ask.column == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "a column's name cannot be used");
	if (is_protected(t, &protected, err) == -1)
		return -1;
	if (protected)
		return 0;
	t->ask.values = wanted < t->values ? wanted : t->values;
	set_deadline(t);
	if (sql_driver.sample(t->w->db, t->call, &t->ask, &p, &why) == 0) {
		t->ndone++;
		t->sampled = p.rows;
		put_column(row_stream_row(&t->w->result, 1), column, &p);
		rc = row_stream_row_done(&t->w->result, err) == RESULT_GO_ON ? 0 : -1;
	} else if (!call_poll(t->call, err))
		rc = -1;
	else if (why.code == ERR_DATABASE_UNAVAILABLE || why.code == ERR_INTERNAL) {
		*err = why;
		rc = -1;
	} else {
		note_failure(t, t->ask.column, &why);
		rc = why.code == ERR_QUERY_TIMEOUT;
	}
	if (rc == 0 && clock_ns() > t->end_ns)
		rc = 1;
	buf_fini(&p.values);
	return rc;
}

static int
look_at_all(struct profiling *t, const struct mp_value *columns, struct err *err)
{
	struct mp_iter it = mp_iter(columns);
	struct mp_value column;
	struct err late;
	int rc = 0;

	while (rc == 0 && mp_next(&it, &column))
		rc = look_at(t, &column, err);
	if (rc == 1 && mp_next(&it, &column)) {
		err_set(&late, ERR_QUERY_TIMEOUT,
		    "it is left out with all columns behind it, %zu in all, because the table takes too long",
		    it.left + 1);
		t->ask.column = arena_cstr(call_arena(t->call), mp_get_str(&column, "name", SPAN("")));
		note_failure(t, t->ask.column, &late);
	}
	if (rc >= 0 && t->ndone == 0 && t->nfailed > 0) {
		*err = t->first;
		return -1;
	}
	return rc < 0 ? -1 : 0;
}

int
profile_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct profiling t = {
		.w = w, .call = c, .timeout_ns = mp_get_uint(args, "timeoutMs", 1) * CLOCK_MS,
		.values = mp_get_uint(args, "valuesPerColumn", 0),
		.ask.rows = mp_get_uint(args, "sampleRows", 0),
	};
	struct span db = mp_get_str(args, "db", SPAN_NONE);
	struct buf *head;
	struct mp_value columns;
	int rc = -1;

	t.ask.table = arena_cstr(call_arena(c), mp_get_str(args, "name", SPAN("")));
	t.ask.db = db.len == 0 ? NULL : arena_cstr(call_arena(c), db);
	if (t.ask.table == NULL || (db.len > 0 && t.ask.db == NULL))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the table's name cannot be used");
	if (asker_neutral(c, &t.ask.as, err) == -1)
		return -1;
	mp_get(args, "columns", &columns);
	t.end_ns = clock_ns() + TABLE_TIMEOUTS * t.timeout_ns;
	set_deadline(&t);
	if (sql_driver.sample_begin != NULL)
		sql_driver.sample_begin(w->db, c, &t.ask);
	row_stream_begin(&w->result, c, UINT64_MAX, IPC_RAW_MAX);
	w->result.max_bytes = UINT64_MAX;
	if (look_at_all(&t, &columns, err) == -1)
		goto out;
	head = row_stream_head(&w->result);
	mp_put_map(head, 2);
	mp_pair_uint(head, "sampledRows", t.sampled);
	mp_pair_array(head, "failures", t.nfailed);
	buf_span(head, buf_view(&t.failures));
	rc = row_stream_end(&w->result, "columns", MP_EMPTY_MAP, err);
out:
	if (sql_driver.sample_end != NULL)
		sql_driver.sample_end(w->db, c);
	buf_fini(&t.failures);
	return rc;
}
