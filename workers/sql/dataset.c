/* dataset.c - see dataset.h. */
#include "workers/sql/dataset.h"

#include <string.h>

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

/* The table's own name: the schema where the engine has schemas. */
static void
put_table_name(struct buf *out, const struct mp_value *args)
{
	struct span db = mp_get_str(args, "db", SPAN(""));

	if (db.len > 0 && strcmp(sql_driver.name, "sqlite") != 0) {
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
