#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mp.h"
#include "base/text/sqltext.h"
#include "base/utf8.h"
#include "policy/datasets_names.h"
#include "workers/sql/postgres/guard/datasets_pg.h"
#include "workers/sql/postgres/postgres_datasets.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/shared/call.h"

#define NODES	16u	/* sorts and hashes at the same time; each gets a part of the statement's memory */

/* Puts SELECT * FROM schema.table, as this caller may see it. */
static int
put_source(struct sql_db *db, struct call *c, const struct sql_dataset *d, struct buf *out, struct err *err)
{
	struct buf text = { 0 };
	struct pg_statement st = { .kind = STATEMENT_QUERY };
	int result;

	buf_str(&text, "SELECT * FROM ");
	if (d->db.len > 0) {
		sqltext_put_name(&text, d->db);
		buf_byte(&text, '.');
	}
	sqltext_put_name(&text, d->table);
	st.text = buf_view(&text);
	result = db->columns == NULL ? 0 : pg_columns_apply(db->columns, db, c, &st, err);
	if (result == 0)
		buf_span(out, st.text);
	buf_fini(&text);
	return result;
}

/* Puts "name AS (SELECT …), "; the planner treats it as a sub-select. */
static void
put_definition(struct sql_db *db, struct span id, bool dashes, struct span source)
{
	char name[DATASETS_NAME];

	datasets_name(id, dashes, name);
	buf_str(&db->defined, db->defined.len == 0 ? "WITH " : ", ");
	sqltext_put_name(&db->defined, span_str(name));
	buf_str(&db->defined, PQserverVersion(db->session.conn) < 120000 ? " AS (" : " AS NOT MATERIALIZED (");
	buf_span(&db->defined, source);
	buf_byte(&db->defined, ')');
}

static int
define_all(struct sql_db *db, struct call *c, const struct sql_published *p, const unsigned *used, struct err *err)
{
	static const char name[] = "WITH ";
	struct buf source = { 0 };
	const char *wrapped;
	int result = 0;

	pg_datasets_forget(db);
	wrapped = pg_wrapped_from(db) + sizeof(name) - 1;
	for (size_t i = 0; i < p->n && result == 0; i++) {
		if (used[i] == 0)
			continue;
		buf_reset(&source, SIZE_MAX);
		if ((result = put_source(db, c, &p->datasets[i], &source, err)) == -1)
			break;
		if (used[i] & DATASETS_PG_PLAIN)
			put_definition(db, p->datasets[i].id, false, buf_view(&source));
		if (used[i] & DATASETS_PG_DASHES)
			put_definition(db, p->datasets[i].id, true, buf_view(&source));
	}
	buf_fini(&source);
	if (db->defined.len == 0 || result == -1)
		return result;
	db->ndefined = db->defined.len;
	buf_printf(&db->defined, ", %s", wrapped);
	db->from = buf_cstr(&db->defined);
	return 0;
}

static void
put_place(struct call *c, size_t position)
{
	struct buf *out = call_details(c);

	if (position == 0)
		return;
	buf_reset(out, 4096);
	mp_put_pairs(out, mp_uint("position", position));
}

int
pg_datasets_define(struct sql_db *db, struct call *c, const struct sql_published *p, struct pg_statement *st,
    struct err *err)
{
	struct span *ids = mem_new(p->n + 1, sizeof(*ids));
	unsigned *used = mem_new(p->n + 1, sizeof(*used));
	struct datasets_pg check = { .catalogue = pg_statement_check_catalogue(db->statements), .finder = db->finder,
		.n = p->n, .ids = ids, .used = used };
	int result = 0;

	st->published = true;
	for (size_t i = 0; i < p->n; i++)
		ids[i] = p->datasets[i].id;
	if (st->kind != STATEMENT_QUERY)
		result =
		    err_set(err, ERR_FORBIDDEN_SQL, "EXPLAIN and SHOW are not allowed on datasets; write a SELECT");
	else if ((result = datasets_pg_check(&check, st->text, st->before, err)) == -1)
		put_place(c, check.position);
	else
		result = define_all(db, c, p, used, err);
	free(ids);
	free(used);
	return result;
}

void
pg_datasets_forget(struct sql_db *db)
{
	buf_reset(&db->defined, SIZE_MAX);
	db->ndefined = 0;
	db->from = NULL;
}

/* Stand-ins of a column policy contain definitions of views, whose names need the session's search path. */
void
pg_datasets_settings(const struct sql_db *db, const struct sql_published *p, char out[PG_SETTINGS])
{
	unsigned long long kb = (unsigned long long)(p->memory_max / 1024 / NODES);

	snprintf(out, PG_SETTINGS,
	    "%s, pg_catalog.set_config('work_mem', "
	    "LEAST(pg_catalog.pg_size_bytes(pg_catalog.current_setting('work_mem'))"
	    " / 1024, %llu)::pg_catalog.text, true)"
	    ", pg_catalog.set_config('max_parallel_workers_per_gather', LEAST(pg_catalog.current_setting("
	    "'max_parallel_workers_per_gather')::pg_catalog.int4, %llu)::pg_catalog.text, true)",
	    columns_is_empty(db->cfg->columns) ? ", pg_catalog.set_config('search_path', 'pg_catalog', true)" : "",
	    kb > 64 ? kb : 64, (unsigned long long)(p->threads > 0 ? p->threads - 1 : 0));
}

/* Explains errors that the caller cannot fix: in the text before the statement, or a missing privilege. */
bool
pg_datasets_explain(const struct sql_db *db, const PGresult *res, const char *state, struct err *err)
{
	const char *at = PQresultErrorField(res, PG_DIAG_STATEMENT_POSITION);
	bool ours = at != NULL && strtoul(at, NULL, 10) <= utf8_count(span_str(pg_wrapped_from(db)));

	if (!ours && strcmp(state, "42501") != 0)
		return false;
	err_set(err, ERR_DATABASE_ERROR,
	    "a dataset of this statement cannot be read any more: its owner can look with `carrel dataset show`, and "
	    "publish it again");
	err_detail(err, "%s", PQresultErrorMessage(res));
	return true;
}
