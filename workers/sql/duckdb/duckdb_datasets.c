/*
 * duckdb_datasets.c - statements over published tables: each has its views in the connection of the call, which are
 * temporary and end with it, and the guard lets no other name pass.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text/sqltext.h"
#include "policy/datasets_names.h"
#include "workers/sql/duckdb/duckdb.h"
#include "workers/sql/duckdb/duckdb_datasets.h"
#include "workers/sql/duckdb/duckdb_db.h"

static int
make_view(struct sql_db *db, struct duckdb_names *names, const struct sql_dataset *one, bool dashes, struct err *err)
{
	char name[DATASETS_NAME] = { 0 };
	struct buf sql = { 0 };
	int rc;

	datasets_name(one->id, dashes, name);
	buf_str(&sql, "CREATE TEMP VIEW ");
	sqltext_put_name(&sql, span_str(name));
	buf_str(&sql, " AS SELECT * FROM ");
	sqltext_put_name(&sql, one->db.len > 0 ? one->db : SPAN(DUCKDB_SCHEMA));
	buf_byte(&sql, '.');
	sqltext_put_name(&sql, one->table);
	rc = duckdb_session_run(db, buf_view(&sql), false, err);
	buf_fini(&sql);
	duckdb_names_add(names, SPAN(DUCKDB_SCHEMA), span_str(name));
	duckdb_columns_also(db->columns, name, one->db, one->table);
	return rc;
}

static int
make_views(struct sql_db *db, struct duckdb_names *names, const struct sql_published *p, struct err *err)
{
	struct err why;

	for (size_t i = 0; i < p->n; i++)
		if (make_view(db, names, &p->datasets[i], false, &why) == -1 ||
		    make_view(db, names, &p->datasets[i], true, &why) == -1) {
			err_set(err, ERR_DATABASE_ERROR,
			    "a dataset of this statement cannot be read any more: its owner can look with `carrel "
			    "dataset "
			    "show`, and publish it again");
			return err_detail(err, "%s", why.message);
		}
	return 0;
}

int
duckdb_datasets_run(struct sql_db *db, struct call *c, const struct sql_query *q, struct err *err)
{
	struct duckdb_names names = { .database = NULL };
	struct sqltext s = { .dialect = SQLTEXT_PLAIN, .text = q->text };
	struct sqltext_token first = sqltext_next(&s);
	int rc;

	if (sqltext_is(&first, "EXPLAIN"))
		return err_set(err, ERR_FORBIDDEN_SQL, "EXPLAIN is not allowed on datasets; write a SELECT");
	names.database = mem_text(SPAN(""));
	/* A macro of the file takes the place of a function that is allowed, and reads whatever table it wants. */
	for (size_t i = 0; i < db->names.n; i++)
		if (db->names.v[i].schema == NULL)
			duckdb_names_add_macro(&names, span_str(db->names.v[i].name));
	rc = make_views(db, &names, q->published, err);
	db->guard.names = &names;
	db->guard.published = true;
	if (rc == 0)
		rc = duckdb_judge(db, c, q->text, err);
	db->guard.published = false;
	db->guard.names = &db->names;
	if (rc == 0)
		rc = duckdb_session_only_read(db, err);
	if (rc == 0)
		rc = duckdb_session_run(db, q->text, true, err);
	duckdb_names_fini(&names);
	duckdb_columns_also_none(db->columns);
	return rc;
}
