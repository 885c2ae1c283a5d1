#include "workers/sql/dataset.h"

#include "base/arena.h"
#include "base/system/clock.h"
#include "base/mp.h"
#include "policy/columns.h"
#include "workers/sql/asker.h"
#include "workers/sql/tools.h"
#include "workers/sql/worker.h"
#include "workers/shared/call.h"

#define SAMPLE_MOST	100
#define TEXT_ROWS	20000u			/* of one page */
#define TEXT_ALL	1000000u		/* of a table that cannot be read in pages */
#define TEXT_BYTES	((uint64_t)4 << 20)	/* of one page */
#define TEXT_WHOLE	((uint64_t)16 << 20)	/* of such a table */
#define TEXT_CHARACTERS	60000u			/* of one text: no cell is cut at VALUE_CELL_MAX */
#define TEXT_KEYS	16u			/* columns of a key */

/* Puts the table's name, with its schema if the engine has schemas. */
static void
put_table_name(struct buf *out, const struct mp_value *args)
{
	struct span db = mp_get_str(args, "db", SPAN(""));

	if (db.len > 0 && sql_driver.schemas) {
		buf_quoted(out, db, sql_driver.quote);
		buf_byte(out, '.');
	}
	buf_quoted(out, mp_get_str(args, "table", SPAN("")), sql_driver.quote);
}

/* Renames the members of a driver's head for the dataset tools: columns, and types on request. */
static void
rename_head(struct result *r, bool types)
{
	struct mp_value head, columns, kinds;
	struct buf was = { 0 };

	buf_span(&was, buf_view(row_stream_head(r)));
	buf_reset(row_stream_head(r), SIZE_MAX);
	if (!mp_value(buf_view(&was), &head) || !mp_get(&head, "headers", &columns)) {
		mp_put_map(row_stream_head(r), 0);
		buf_fini(&was);
		return;
	}
	types = types && mp_get(&head, "headerTypes", &kinds);
	mp_put_map(row_stream_head(r), 1u + types);
	mp_pair_raw(row_stream_head(r), "columns", columns.raw);
	if (types)
		mp_pair_raw(row_stream_head(r), "types", kinds.raw);
	buf_fini(&was);
}

int
dataset_sample_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	bool count = mp_get_bool(args, "count", false);
	uint64_t rows = mp_get_uint(args, "rows", 0);
	struct sql_query q = { .max_rows = count ? 1 : rows < SAMPLE_MOST ? rows : SAMPLE_MOST };
	struct buf text = { 0 };
	int result;

	if (asker_of(c, &q.as, err) == -1)
		return -1;
	buf_str(&text, count ? "SELECT count(*) AS n FROM " : "SELECT * FROM ");
	put_table_name(&text, args);
	if (!count)
		buf_printf(&text, " LIMIT %llu", (unsigned long long)q.max_rows);
	q.text = buf_view(&text);
	q.deadline_ns = call_deadline(c);
	row_stream_begin(&w->result, c, q.max_rows, w->cfg.result_bytes);
	if ((result = sql_driver.execute(w->db, c, &q, &w->result, err)) == 0) {
		rename_head(&w->result, true);
		result = row_stream_end(&w->result, "rows", MP_EMPTY_MAP, err);
	}
	buf_fini(&text);
	return result;
}

struct text_page {
	struct span	 column;
	struct span	 keys[TEXT_KEYS];	/* the order of the rows */
	size_t		 nkeys;
	bool		 named;			/* keys are columns of the table, not the engine's row number */
};

static int
protected_column(struct span column, enum columns_action action, struct err *err)
{
	static const char *const done[] = {
		[COLUMNS_HASH] = "replaces its values by digests", [COLUMNS_MASK] = "masks it",
		[COLUMNS_HIDE] = "hides it",
	};

	return err_set(err, ERR_COLUMN_NOT_FOUND,
	    "the texts of column \"%.*s\" cannot be searched: the column policy of its connection %s", SPAN_FMT(column),
	    done[action]);
}

/* The strictest action of the column for any caller: an index is shared by everybody who may search. */
static int
column_of_anybody(struct call *c, const struct mp_value *args, struct span column, enum columns_action *action,
    struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct span db = mp_get_str(args, "db", SPAN(""));
	const char *schema = db.len == 0 ? NULL : arena_cstr(call_arena(c), db),
		   *table = arena_cstr(call_arena(c), mp_get_str(args, "table", SPAN(""))),
		   *name = arena_cstr(call_arena(c), column);

	if (table == NULL || name == NULL || (db.len > 0 && schema == NULL))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the name of a table or a column cannot be used");
	return sql_column_action(w->db, &w->cfg, c, COLUMNS_ANYBODY, schema, table, name, action, err);
}

/* Reads the key's columns; a key with a protected column is not used. */
static int
read_keys(struct call *c, const struct mp_value *args, struct text_page *p, struct err *err)
{
	const struct sql_worker *w = call_state(c);
	enum columns_action action;
	struct mp_value list, one;
	struct mp_iter it;

	p->named = true;
	for (it = mp_iter(mp_get(args, "keys", &list) ? &list : &(struct mp_value){ .class = MP_NIL });
	     p->nkeys < TEXT_KEYS && mp_next(&it, &one);) {
		if (one.class != MP_STR || column_of_anybody(c, args, one.s, &action, err) != 0)
			return one.class == MP_STR ? -1 : err_set(err, ERR_INVALID_ARGUMENTS, "keys are names");
		if (action != COLUMNS_CLEAR) {
			p->nkeys = 0;
			return 0;
		}
		p->keys[p->nkeys++] = one.s;
	}
	/* Under a policy the engine reads a stand-in for the table, which has no row number. */
	if (p->nkeys == 0 && sql_driver.row_number != NULL && mp_get_bool(args, "numbered", false) &&
	    columns_is_empty(w->cfg.columns)) {
		p->named = false;
		p->keys[p->nkeys++] = span_str(sql_driver.row_number);
	}
	return 0;
}

static void
put_list(struct buf *out, const struct text_page *p)
{
	for (size_t i = 0; i < p->nkeys; i++) {
		if (i > 0)
			buf_byte(out, ',');
		if (p->named)
			buf_quoted(out, p->keys[i], sql_driver.quote);
		else
			buf_span(out, p->keys[i]);
	}
}

static void
put_string(struct buf *out, struct span s)
{
	struct buf escaped = { 0 };

	for (size_t i = 0; i < s.len; i++) {
		if (sql_driver.escapes && s.p[i] == '\\')
			buf_byte(&escaped, '\\');
		buf_byte(&escaped, s.p[i]);
	}
	buf_quoted(out, buf_view(&escaped), '\'');
	buf_fini(&escaped);
}

static void
put_literal(struct buf *out, const struct mp_value *v)
{
	if (v->class == MP_BOOL)
		buf_str(out, v->boolean ? "TRUE" : "FALSE");
	else if (v->class == MP_FLOAT) /* compared as the column's type, which may have fewer digits */
		buf_printf(out, "'%.17g'", v->f);
	else if (v->class == MP_UINT)
		buf_printf(out, "%llu", (unsigned long long)v->u);
	else if (v->class == MP_INT)
		buf_printf(out, "%lld", (long long)v->i);
	else
		put_string(out, v->class == MP_STR ? v->s : SPAN(""));
}

/* Puts the condition for the rows after the previous page, in the order of the key. */
static int
put_behind(struct buf *out, const struct mp_value *args, const struct text_page *p, struct err *err)
{
	struct mp_value list, one;
	struct mp_iter it;

	if (!mp_get(args, "after", &list) || list.n == 0)
		return 0;
	if (list.class != MP_ARRAY || list.n != p->nkeys)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the key of the table changed meanwhile; read it again");
	buf_str(out, " WHERE (");
	put_list(out, p);
	buf_str(out, ") > (");
	it = mp_iter(&list);
	for (size_t i = 0; mp_next(&it, &one); i++) {
		if (i > 0)
			buf_byte(out, ',');
		put_literal(out, &one);
	}
	buf_byte(out, ')');
	return 0;
}

static int
put_text_query(struct buf *out, const struct mp_value *args, const struct text_page *p, struct err *err)
{
	buf_str(out, "SELECT ");
	put_list(out, p);
	buf_str(out, p->nkeys > 0 ? ", substr(CAST(" : "substr(CAST(");
	buf_quoted(out, p->column, sql_driver.quote);
	buf_printf(out, " AS text), 1, %u) AS carrel_text FROM ", TEXT_CHARACTERS);
	put_table_name(out, args);
	if (put_behind(out, args, p, err) != 0)
		return -1;
	if (p->nkeys > 0) {
		buf_str(out, " ORDER BY ");
		put_list(out, p);
		buf_printf(out, " LIMIT %u", TEXT_ROWS + 1);
	}
	return 0;
}

static int
send_texts(struct call *c, const struct mp_value *args, const struct text_page *p, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct sql_query q = { .max_rows = p->nkeys > 0 ? TEXT_ROWS : TEXT_ALL, .deadline_ns = call_deadline(c) };
	struct buf text = { 0 }, tail = { 0 };
	int result = put_text_query(&text, args, p, err);

	q.text = buf_view(&text);
	row_stream_begin(&w->result, c, q.max_rows, p->nkeys > 0 ? TEXT_BYTES : TEXT_WHOLE);
	if (result == 0 && (result = sql_driver.execute(w->db, c, &q, &w->result, err)) == 0) {
		rename_head(&w->result, false);
		mp_put_pairs(&tail, mp_uint("row_count", w->result.nrows),
		    mp_bool("truncated", w->result.cut != RESULT_WHOLE), mp_bool("named", p->named && p->nkeys > 0));
		result = row_stream_end(&w->result, "rows", buf_view(&tail), err);
	}
	buf_fini(&tail);
	buf_fini(&text);
	return result;
}

int
dataset_texts_run(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct sql_worker *w = call_state(c);
	struct text_page p = { .column = mp_get_str(args, "column", SPAN("")) };
	enum columns_action action;

	if (w->cfg.semantic_only)
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "the database of this dataset shows no rows (query_policy: semantic-layer-only)");
	if (w->cfg.identity != NULL)
		return err_set(err, ERR_COLUMN_NOT_FOUND,
		    "the texts of column \"%.*s\" cannot be searched: its connection shows each caller rows of its "
		    "own, and "
		    "an index is shared by all",
		    SPAN_FMT(p.column));
	if (column_of_anybody(c, args, p.column, &action, err) != 0)
		return -1;
	if (action != COLUMNS_CLEAR)
		return protected_column(p.column, action, err);
	if (mp_get_bool(args, "check", false)) {
		call_result(c, MP_EMPTY_MAP);
		return 0;
	}
	return read_keys(c, args, &p, err) != 0 ? -1 : send_texts(c, args, &p, err);
}

static int
read_published(struct call *c, const struct mp_value *args, struct sql_published *out, struct err *err)
{
	struct mp_value list, one;
	struct sql_dataset *v;
	struct mp_iter it;

	if (!mp_get(args, "datasets", &list) || list.class != MP_ARRAY ||
	    (v = arena_alloc(call_arena(c), (list.n + 1) * sizeof(*v))) == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "datasets is no list that can be used");
	*out = (struct sql_published){ .datasets = v, .memory_max = mp_get_uint(args, "memory", UINT64_C(256) << 20),
		.threads = mp_get_uint(args, "threads", 1) };
	for (it = mp_iter(&list); mp_next(&it, &one); out->n++)
		v[out->n] = (struct sql_dataset){ mp_get_str(&one, "id", SPAN("")), mp_get_str(&one, "db", SPAN("")),
			mp_get_str(&one, "table", SPAN("")) };
	return 0;
}

static void
put_answer(struct call *c, const struct sql_query *q, uint64_t since, struct buf *out)
{
	const struct sql_worker *w = call_state(c);

	mp_put_map(out, 5);
	mp_pair_uint(out, "row_count", w->result.nrows);
	mp_pair_bool(out, "truncated", w->result.cut != RESULT_WHOLE);
	mp_pair_uint(out, "execution_ms", (clock_ns() - since + CLOCK_MS / 2) / CLOCK_MS);
	mp_put_cstr(out, "limits_applied");
	mp_put_pairs(out, mp_uint("max_rows", q->max_rows), mp_uint("max_runtime_ms", q->limit.ms),
	    mp_uint("max_memory_mb", q->published->memory_max >> 20));
	mp_pair_str(out, "request_id", call_request(c));
}

static uint64_t
the_less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int
dataset_execution_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	uint64_t since = clock_ns(), ms = mp_get_uint(args, "ms", 1), until = mp_get_uint(args, "until", UINT64_MAX);
	struct sql_published published;
	struct sql_query q = { .published = &published,
		.max_rows = the_less(mp_get_uint(args, "max_rows", 1), w->cfg.max_rows),
		.limit = { the_less(ms, w->cfg.timeout_ms),
		    ms < w->cfg.timeout_ms ? "connectivity.sql_timeout_s" : LATE_LIMIT_KEY } };
	struct buf tail = { 0 };
	int result;

	if (w->cfg.semantic_only)
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "the database of this dataset takes no SQL (query_policy: semantic-layer-only); "
		    "carrel_get_schema shows its columns and some of their values");
	if (sql_read_statement(args, &q.text, err) == -1 || read_published(c, args, &published, err) == -1)
		return -1;
	published.memory_max =
	    sql_driver.published_limits ? the_less(published.memory_max, w->cfg.memory_max) : w->cfg.memory_max;
	if (call_export_rows(c) > 0)
		q.max_rows = the_less(q.max_rows, call_export_rows(c));
	if (sql_offer_file(c, q.max_rows, err) == -1 || asker_of(c, &q.as, err) == -1)
		return -1;
	if (until <= since)
		return late_query(q.limit.ms * CLOCK_MS, &q.limit, err);
	q.deadline_ns = the_less(the_less(call_deadline(c), until), since + q.limit.ms * CLOCK_MS);
	sql_begin_rows(c, &w->result, q.max_rows);
	if (sql_driver.execute(w->db, c, &q, &w->result, err) == -1)
		return -1;
	rename_head(&w->result, false);
	put_answer(c, &q, since, &tail);
	result = row_stream_end(&w->result, "rows", buf_view(&tail), err);
	buf_fini(&tail);
	return result;
}
