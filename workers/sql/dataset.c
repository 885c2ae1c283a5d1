/* dataset.c - see dataset.h. */
#include "workers/sql/dataset.h"

#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/mp.h"
#include "workers/sql/sqltext.h"

#define SAMPLE_MOST	100

const char dataset_sample_input[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"table\"],\"properties\":{"
    "\"db\":{\"type\":\"string\",\"maxLength\":128,\"description\":\"Its schema.\"},"
    "\"table\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,\"description\":\"Its name.\"},"
    "\"rows\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100,\"description\":\"How many at most.\"},"
    "\"count\":{\"type\":\"boolean\",\"description\":\"Only how many there are.\"}}}";

const char dataset_execution_input[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"sql\",\"datasets\",\"max_rows\",\"ms\","
    "\"memory\",\"threads\"],\"properties\":{"
    "\"sql\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The caller's statement.\"},"
    "\"datasets\":{\"type\":\"array\",\"maxItems\":1000,\"description\":\"What it may read.\",\"items\":{"
    "\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"id\",\"db\",\"table\"],\"properties\":{"
    "\"id\":{\"type\":\"string\",\"minLength\":36,\"maxLength\":36,\"description\":\"Its id.\"},"
    "\"db\":{\"type\":\"string\",\"maxLength\":128,\"description\":\"Its table's schema.\"},"
    "\"table\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,\"description\":\"Its table.\"}}}},"
    "\"max_rows\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How many rows at most.\"},"
    "\"ms\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How long at most.\"},"
    "\"memory\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Bytes at most.\"},"
    "\"threads\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Threads at most.\"}}}";

/* The table's own name: the schema where the engine has schemas. */
static void
put_table_name(struct buf *out, const struct mp_value *args)
{
	struct span db = mp_get_str(args, "db", SPAN(""));

	if (db.len > 0 && sql_driver.schemas) {
		sqltext_put_name(out, db);
		buf_byte(out, '.');
	}
	sqltext_put_name(out, mp_get_str(args, "table", SPAN("")));
}

/* The head that a driver wrote, as the tools of datasets name it: columns, and types if they are wanted. */
static void
rename_head(struct result *r, bool types)
{
	struct mp_value head, columns, kinds;
	struct buf was = { 0 };

	buf_span(&was, buf_view(result_head(r)));
	buf_reset(result_head(r), SIZE_MAX);
	if (!mp_value(buf_view(&was), &head) || !mp_get(&head, "headers", &columns)) {
		mp_put_map(result_head(r), 0);
		buf_fini(&was);
		return;
	}
	types = types && mp_get(&head, "headerTypes", &kinds);
	mp_put_map(result_head(r), 1u + types);
	mp_put_cstr(result_head(r), "columns");
	buf_span(result_head(r), columns.raw);
	if (types) {
		mp_put_cstr(result_head(r), "types");
		buf_span(result_head(r), kinds.raw);
	}
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

	buf_str(&text, count ? "SELECT count(*) AS n FROM " : "SELECT * FROM ");
	put_table_name(&text, args);
	if (!count)
		buf_printf(&text, " LIMIT %llu", (unsigned long long)q.max_rows);
	q.text = buf_view(&text);
	q.deadline_ns = call_deadline(c);
	result_begin(&w->result, c, q.max_rows, w->cfg.result_bytes);
	if ((result = sql_driver.execute(w->db, c, &q, &w->result, err)) == 0) {
		rename_head(&w->result, true);
		result = result_end(&w->result, "rows", SPAN("\x80"), err);
	}
	buf_fini(&text);
	return result;
}

/* --- carrel_sql -------------------------------------------------------------------------- */

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
	mp_pair_double(out, "execution_ms", sql_elapsed_ms(since));
	mp_put_cstr(out, "limits_applied");
	mp_put_map(out, 3);
	mp_pair_uint(out, "max_rows", q->max_rows);
	mp_pair_uint(out, "max_runtime_ms", q->limit.ms);
	mp_pair_uint(out, "max_memory_mb", q->published->memory_max >> 20);
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
	uint64_t since = clock_ns(), ms = mp_get_uint(args, "ms", 1);
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
	published.memory_max = the_less(published.memory_max, w->cfg.memory_max);
	q.deadline_ns = the_less(call_deadline(c), since + q.limit.ms * CLOCK_MS);
	result_begin(&w->result, c, q.max_rows, w->cfg.result_bytes);
	if (sql_driver.execute(w->db, c, &q, &w->result, err) == -1)
		return -1;
	rename_head(&w->result, false);
	put_answer(c, &q, since, &tail);
	result = result_end(&w->result, "rows", buf_view(&tail), err);
	buf_fini(&tail);
	return result;
}
