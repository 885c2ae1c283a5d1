#include "workers/sql/sqlite/sqlite_datasets.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/sqltext.h"
#include "policy/datasets_names.h"
#include "workers/shared/serve.h"
#include "workers/sql/sqlite/sqlite.h"
#include "workers/sql/sqlite/sqlite_errors.h"
#include "workers/sql/sqlite/sqlite_memory.h"
#include "workers/shared/call.h"

struct sqlite_datasets {
	char			 (*names)[DATASETS_NAME];	/* of the views that were made */
	size_t			 n;
	bool			 in_memory;	/* these are views of db->names */
};

int
sqlite_datasets_open(struct sql_db *db, struct err *err)
{
	struct sql_db *names = mem_new(1, sizeof(*names));

	db->names = names;
	names->cfg = db->cfg;
	names->published = true;
	if (sqlite3_open_v2(":memory:", &names->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL) != SQLITE_OK ||
	    sqlite_restrict(names->db) != SQLITE_OK)
		return err_set(err, ERR_INTERNAL, "the SQLite library could not be set up for datasets");
	sqlite3_extended_result_codes(names->db, 1);
	/* Room for an EXPLAIN in front. */
	sqlite3_limit(names->db, SQLITE_LIMIT_SQL_LENGTH, SQL_TEXT_MAX + 16);
	sqlite_guard_install(&names->guard, names->db);
	sqlite_connect_functions(names);
	names->guard.mode = GUARD_QUERY;
	return 0;
}

void
sqlite_datasets_close(struct sql_db *db)
{
	if (db->names == NULL)
		return;
	sqlite3_close(db->names->db);
	free(db->names);
	db->names = NULL;
}

static bool
is_view(const struct sqlite_datasets *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (sqlite3_stricmp(d->names[i], name) == 0)
			return true;
	return false;
}

static bool
is_function(const char *name)
{
	return sqlite3_stricmp(name, "json_each") == 0 || sqlite3_stricmp(name, "json_tree") == 0;
}

/*
 * A read without a column, as by count(*), may be of a WITH query; SQLite then only gives its name.  WITH queries must
 * not have names of SQLite's built-in tables.
 */
static bool
datasets_may_read(const void *arg, const char *table, const char *column, const char *accessor)
{
	const struct sqlite_datasets *d = arg;

	if (table == NULL)
		return false;
	if (is_view(d, table) || is_function(table))
		return true;
	if (d->in_memory)
		return (column == NULL || *column == '\0') && sqlite3_strnicmp(table, "sqlite_", 7) != 0 &&
		    sqlite3_strnicmp(table, "pragma_", 7) != 0;
	return accessor != NULL || column == NULL || *column == '\0';
}

static void
watch_reads(struct sql_db *db, const struct sqlite_datasets *d)
{
	db->guard.may_read = db->names->guard.may_read = d == NULL ? NULL : datasets_may_read;
	db->guard.may_read_arg = db->names->guard.may_read_arg = d;
}

/* Runs one of our own statements: in the file's connection it only writes the temporary schema, which is in memory. */
static int
datasets_run(struct sql_db *db, char *sql)
{
	int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(db->db, sql, NULL, NULL, NULL);

	sqlite3_free(sql);
	return rc;
}

static int
datasets_allow_writing(struct sql_db *db, bool allowed)
{
	return sqlite3_exec(db->db, allowed ? "PRAGMA query_only=0" : "PRAGMA query_only=1", NULL, NULL, NULL);
}

/* Puts SELECT NULL AS column, … with the columns of that view. */
static int
put_columns(struct sql_db *db, const char *name, struct buf *out)
{
	char *sql = sqlite3_mprintf("SELECT * FROM temp.\"%w\"", name);
	sqlite3_stmt *q = NULL;
	int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db->db, sql, -1, &q, NULL);

	buf_str(out, "SELECT");
	for (int i = 0; rc == SQLITE_OK && i < sqlite3_column_count(q); i++) {
		const char *column = sqlite3_column_name(q, i);

		if (column == NULL)
			rc = SQLITE_NOMEM;
		buf_str(out, i == 0 ? " NULL AS " : ", NULL AS ");
		sqltext_put_name(out, span_str(column == NULL ? "" : column));
	}
	sqlite3_finalize(q);
	sqlite3_free(sql);
	return rc;
}

static int
make_views(struct sqlite_datasets *d, struct sql_db *db, const char *table, const char *name)
{
	struct buf columns = { 0 };
	int rc = datasets_run(db,
	    sqlite3_mprintf("CREATE TEMP VIEW \"%w\" AS SELECT * FROM %s.\"%w\"", name, sqlite_schema(db, table),
		table));

	if (rc == SQLITE_OK) {
		memcpy(d->names[d->n++], name, DATASETS_NAME);
		if (db->columns != NULL)
			sqlite_columns_also(db->columns, name, table);
		rc = put_columns(db, name, &columns);
	}
	if (rc == SQLITE_OK)
		rc = datasets_run(db->names, sqlite3_mprintf("CREATE VIEW \"%w\" AS %s", name, buf_cstr(&columns)));
	buf_fini(&columns);
	return rc;
}

static int
make_dataset(struct sqlite_datasets *d, struct sql_db *db, const struct sql_dataset *one)
{
	char *table = mem_text(one->table), name[DATASETS_NAME] = { 0 };
	int rc;

	datasets_name(one->id, false, name);
	rc = make_views(d, db, table, name);
	datasets_name(one->id, true, name);
	if (rc == SQLITE_OK)
		rc = make_views(d, db, table, name);
	free(table);
	return rc;
}

int
sqlite_datasets_begin(struct sqlite_datasets **out, struct sql_db *db, const struct sql_published *p, struct err *err)
{
	struct sqlite_datasets *d = mem_new(1, sizeof(*d));
	enum sqlite_guard_mode mode = db->guard.mode;
	int rc;

	*out = d;
	d->names = mem_new(2 * p->n + 1, sizeof(*d->names));
	db->guard.mode = db->names->guard.mode = GUARD_TRUSTED;
	rc = datasets_allow_writing(db, true);
	for (size_t i = 0; rc == SQLITE_OK && i < p->n; i++)
		rc = make_dataset(d, db, &p->datasets[i]);
	if (rc != SQLITE_OK) {
		err_set(err, ERR_DATABASE_ERROR,
		    "a dataset of this statement cannot be read any more: its owner can look with `carrel dataset "
		    "show`, and publish it again");
		err_detail(err, "%s", sqlite3_errmsg(db->db));
	}
	if (datasets_allow_writing(db, false) != SQLITE_OK)
		leave_process("the connection cannot be made read-only again");
	db->guard.mode = db->names->guard.mode = mode;
	watch_reads(db, d);
	db->published = true;
	sqlite_memory_bound(p->memory_max);
	return rc == SQLITE_OK ? 0 : -1;
}

void
sqlite_datasets_end(struct sqlite_datasets *d, struct sql_db *db)
{
	enum sqlite_guard_mode mode = db->guard.mode;
	bool dropped;

	if (d == NULL)
		return;
	sqlite_memory_release();
	if (db->columns != NULL)
		sqlite_columns_also_none(db->columns);
	db->published = false;
	watch_reads(db, NULL);
	db->guard.mode = db->names->guard.mode = GUARD_TRUSTED;
	dropped = datasets_allow_writing(db, true) == SQLITE_OK;
	for (size_t i = 0; i < d->n && dropped; i++)
		dropped = datasets_run(db, sqlite3_mprintf("DROP VIEW temp.\"%w\"", d->names[i])) == SQLITE_OK &&
		    datasets_run(db->names, sqlite3_mprintf("DROP VIEW IF EXISTS \"%w\"", d->names[i])) == SQLITE_OK;
	dropped = datasets_allow_writing(db, false) == SQLITE_OK && dropped;
	db->guard.mode = db->names->guard.mode = mode;
	free(d->names);
	free(d);
	/* Views that are not dropped would be visible to the next statement. */
	if (!dropped)
		serve_stop_after_call(EXIT_RECYCLE, "the views of datasets cannot be dropped");
}

static const char no_table[] = "no such table: ";

static int
refuse_table(struct sql_db *db, struct call *c, struct span sql, struct err *err)
{
	const char *message = sqlite3_errmsg(db->db), *name = message;
	int at = sqlite3_error_offset(db->db);
	struct span id;

	if (at >= 0 && (size_t)at <= sql.len)
		sqlite_put_place(db, c, sql, (size_t)at);
	name = strncmp(message, no_table, sizeof(no_table) - 1) == 0 ? message + sizeof(no_table) - 1 : db->guard.what;
	if (strlen(name) == DATASETS_NAME - 1 && datasets_is_named_at(span_str(name), 0, &id))
		return err_set(err, ERR_DATASET_NOT_FOUND,
		    "%s is no published dataset; carrel_list_datasets shows which there are, carrel_get_schema the "
		    "name "
		    "of each in SQL",
		    name);
	return err_set(err, ERR_TABLE_NOT_FOUND,
	    "there is no table %.128s here: only published datasets can be read, each by its table_name from "
	    "carrel_get_schema (dataset_…)",
	    name);
}

/*
 * The authorizer is not asked about columns that USING and NATURAL JOIN compare.  But where all views are constants, a
 * compiled program opens no table, except to read the schema.
 */
static bool
opens_table(struct sql_db *names, struct span sql)
{
	struct buf text = { 0 };
	sqlite3_stmt *q = NULL;
	bool opens = false;

	buf_str(&text, "EXPLAIN ");
	buf_span(&text, sql);
	if (sqlite3_prepare_v2(names->db, buf_cstr(&text), -1, &q, NULL) != SQLITE_OK)
		opens = true;
	while (!opens && sqlite3_step(q) == SQLITE_ROW) {
		const char *opcode = (const char *)sqlite3_column_text(q, 1);

		opens = opcode == NULL || strcmp(opcode, "OpenRead") == 0 || strcmp(opcode, "OpenWrite") == 0 ||
		    strcmp(opcode, "ReopenIdx") == 0;
	}
	sqlite3_finalize(q);
	buf_fini(&text);
	return opens;
}

int
sqlite_datasets_check(struct sqlite_datasets *d, struct sql_db *db, struct call *c, struct span *sql, char **text,
    struct err *err)
{
	struct sql_db *names = db->names;
	struct buf *details = call_details(c);
	sqlite3_stmt *stmt = NULL;
	int result;

	d->in_memory = true;
	names->asked = db->asked;
	sqlite_guard_reset(&names->guard);
	result = sqlite_compile_quoted(names, c, sql, text, &stmt, err);
	if (result == -1 &&
	    (strncmp(sqlite3_errmsg(names->db), no_table, sizeof(no_table) - 1) == 0 ||
		(names->guard.denied && (names->guard.action == SQLITE_READ || names->guard.connecting)))) {
		buf_reset(details, SIZE_MAX);
		result = refuse_table(names, c, *sql, err);
	}
	if (result == 0 && sqlite3_stmt_isexplain(stmt) != 0)
		result = err_set(err, ERR_FORBIDDEN_SQL, "EXPLAIN is not allowed on datasets; write a SELECT");
	sqlite3_finalize(stmt);
	if (result == 0 && opens_table(names, *sql))
		result = err_set(err, ERR_TABLE_NOT_FOUND,
		    "the statement reads SQLite's own tables: only published datasets can be read, each by its "
		    "table_name from carrel_get_schema (dataset_…)");
	names->asked = SPAN("");
	d->in_memory = false;
	return result;
}
