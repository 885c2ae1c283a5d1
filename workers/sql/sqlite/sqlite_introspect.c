#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "workers/sql/sqlite/sqlite.h"
#include "workers/sql/sqlite/sqlite_errors.h"
#include "workers/sql/sqlite/sqlite_fingerprint.h"
#include "workers/sql/sqlite/sqlite_introspect.h"
#include "workers/sql/sqlite/sqlite_types.h"
#include "workers/sql/sqlite/sqlite_sql.h"
#include "workers/sql/declared.h"
#include "workers/sql/sqlite/sqlite_text.h"
#include "workers/sql/value.h"
#include "workers/shared/call.h"

#define COUNT_FAST_MAX	(256 * 1024 * 1024)	/* file size up to which count(*) may run uninterrupted */
#define COUNT_NS	(500 * CLOCK_MS)	/* for counting one table of a larger file */

#define TABLE_TEXTS_MAX	((size_t)16 << 20)	/* bytes; texts beyond are left out */
#define INDEX_COLUMNS_MAX	64
#define SQLITE_INDEX_EXPRESSION	(-2)	/* instead of a column's number, in an index */

struct listed_table {
	const char	*name;
	bool		 view;
};

struct sqlite_survey {
	struct sql_db	*db;
	struct call	*call;
	struct catalog	*cat;
	struct arena	*arena;		/* for the table that is described */
	size_t		 n, cap;
	struct listed_table	*tables;
	char		 version[SQLITE_FILE_VERSION];	/* of the data, taken before it was read; empty: unknown */
};

static sqlite3_stmt *
prepare_query(struct sqlite_survey *s, struct err *err, const char *sql, const char *name)
{
	char *text = sqlite3_mprintf(sql, name);
	sqlite3_stmt *stmt = NULL;
	int rc = SQLITE_NOMEM;

	sqlite_guard_reset(&s->db->guard);
	if (text != NULL)
		rc = sqlite3_prepare_v2(s->db->db, text, -1, &stmt, NULL);
	sqlite3_free(text);
	if (rc == SQLITE_OK)
		return stmt;
	sqlite_explain(s->db, s->call, SPAN(""), rc, false, err);
	return NULL;
}

/* A text column, in the table's arena; NULL if it is null. */
static const char *
text_of(struct sqlite_survey *s, sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);

	return text == NULL ? NULL : arena_printf(s->arena, "%s", text);
}

static int
add_listed(struct sqlite_survey *s, const char *name, bool view, struct err *err)
{
	if (name == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the database has too many tables to describe");
	if (s->n == s->cap) {
		size_t cap = s->cap == 0 ? 64 : s->cap * 2;
		struct listed_table *more = arena_array(call_arena(s->call), cap, sizeof(*more));

		if (more == NULL)
			return err_set(err, ERR_RESULT_TOO_LARGE, "the database has too many tables to describe");
		if (s->n > 0)
			memcpy(more, s->tables, s->n * sizeof(*more));
		s->tables = more;
		s->cap = cap;
	}
	s->tables[s->n++] = (struct listed_table){ name, view };
	return 0;
}

/* Tables, views and virtual tables, without shadow tables, which belong to virtual tables. */
static int
list_tables(struct sqlite_survey *s, struct err *err)
{
	sqlite3_stmt *stmt = prepare_query(s, err, "PRAGMA main.table_list", NULL);
	int rc = SQLITE_OK, failed = 0;

	if (stmt == NULL)
		return -1;
	while (failed == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 1);
		const char *type = (const char *)sqlite3_column_text(stmt, 2);

		if (name == NULL || name[0] == '\0' || type == NULL || strcmp(type, "shadow") == 0 ||
		    strncasecmp(name, "sqlite_", 7) == 0)
			continue;
		if (catalog_serves(s->cat, "main", name))
			failed = add_listed(s, arena_cstr(call_arena(s->call), span_str(name)),
			    strcmp(type, "view") == 0, err);
	}
	if (failed == 0 && rc != SQLITE_DONE)
		failed = sqlite_explain(s->db, s->call, SPAN(""), rc, true, err);
	sqlite3_finalize(stmt);
	return failed;
}

static int
compare_listed(const void *a, const void *b)
{
	return strcmp(((const struct listed_table *)a)->name, ((const struct listed_table *)b)->name);
}

static int
decide_column(void *arg, const char *db, const char *table, const char *column, enum columns_action *action,
    struct err *err)
{
	const struct sqlite_survey *s = arg;

	(void)db, (void)err;
	*action = sqlite_columns_action(s->db->columns, table, column);
	return 0;
}

/* SQLite accepts any words as a type, also ENUM('a', 'b'): this is without values. */
static const char *
bare_type(struct sqlite_survey *s, const char *declared)
{
	return strpbrk(declared, "'\"") == NULL ?
	    declared :
	    arena_printf(s->arena, "%.*s", (int)strcspn(declared, "('\""), declared);
}

/* The statement that made the table or view; NULL: it is not kept. */
static int
read_statement(struct sqlite_survey *s, const struct listed_table *t, const char **sql, struct err *err)
{
	sqlite3_stmt *stmt = prepare_query(s, err, sqlite_introspect_statement_sql, t->name);
	int rc;

	*sql = NULL;
	if (stmt == NULL)
		return -1;
	if ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		*sql = text_of(s, stmt, 0);
		rc = SQLITE_DONE;
	}
	rc = rc == SQLITE_DONE ? 0 : sqlite_explain(s->db, s->call, SPAN(""), rc, true, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* The expression, unless it names a protected column of the table and may so tell what it holds. */
static const char *
shown_expression(struct sqlite_survey *s, const char *table, struct span expression)
{
	const char *text = expression.p == NULL ? NULL : arena_printf(s->arena, "%.*s", SPAN_FMT(expression));

	return text == NULL || s->db->columns == NULL ||
		sqlite_columns_named(s->db->columns, table, text) == COLUMNS_CLEAR ?
	    text :
	    NULL;
}

static void
describe_check(struct sqlite_survey *s, const char *table, const struct declared *d)
{
	struct catalog_check check = { .expression = shown_expression(s, table, d->expression) };

	if (d->name.p != NULL)
		check.name = sqltext_unquoted(s->arena, d->name);
	catalog_add_check(s->cat, &check);
}

/* The columns of the rows of PRAGMA table_xinfo. */
enum { XINFO_CID, XINFO_NAME, XINFO_TYPE, XINFO_NOT_NULL, XINFO_DEFAULT, XINFO_KEY, XINFO_HIDDEN };

/*
 * How column number cid gets its value.  The declarations of the table are read up to it, and the checks among them
 * described.
 */
static void
describe_origin(struct sqlite_survey *s, const struct listed_table *t, sqlite3_stmt *stmt, size_t cid,
    struct declared *d, struct catalog_column *column)
{
	int automatic = 0;

	for (; d->kind != DECLARED_END && d->column <= cid; (void)declared_next(d))
		if (d->kind == DECLARED_CHECK)
			describe_check(s, t->name, d);
		else if (d->column == cid)
			column->generated = shown_expression(s, t->name, d->expression);
	column->default_text =
	    shown_expression(s, t->name, span_str((const char *)sqlite3_column_text(stmt, XINFO_DEFAULT)));
	if (column->primary_key &&
	    sqlite3_table_column_metadata(s->db->db, "main", t->name, column->name, NULL, NULL, NULL, NULL,
		&automatic) == SQLITE_OK &&
	    automatic)
		column->identity = "by default";
}

static int
describe_columns(struct sqlite_survey *s, const struct listed_table *t, struct err *err)
{
	struct declared d = { 0 };
	sqlite3_stmt *stmt;
	const char *sql;
	int rc;

	if (!t->view) {
		if (read_statement(s, t, &sql, err) == -1)
			return -1;
		declared_begin(&d, SQLTEXT_SQLITE, span_str(sql));
		(void)declared_next(&d);
	}
	stmt = prepare_query(s, err, "PRAGMA main.table_xinfo(\"%w\")", t->name);
	if (stmt == NULL)
		return -1;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		/* 1: a virtual table's hidden column; 2 and 3: generated ones, which can be read. */
		bool hidden = sqlite3_column_int(stmt, XINFO_HIDDEN) == 1,
		     key = sqlite3_column_int(stmt, XINFO_KEY) > 0;
		const char *declared = (const char *)sqlite3_column_text(stmt, XINFO_TYPE);
		const char *type = declared == NULL ? "" : declared;
		struct catalog_column column = {
			.name = (const char *)sqlite3_column_text(stmt, XINFO_NAME),
			.native = type,
			.normalized = type,
			.bare = bare_type(s, type),
			.dimension = sqlite_dimension(type),
			.nullable = sqlite3_column_int(stmt, XINFO_NOT_NULL) == 0 && !key,
			.primary_key = key,
		};

		describe_origin(s, t, stmt, (size_t)sqlite3_column_int(stmt, XINFO_CID), &d, &column);
		/* SQLite accepts "" as a name; no other engine does. */
		if (!hidden && (column.name == NULL || column.name[0] == '\0'))
			catalog_warn(s->cat, "column_unnamed", t->name,
			    "a column of %s has an empty name and is left out", t->name);
		else if (!hidden)
			catalog_add_column(s->cat, &column);
	}
	for (; d.kind == DECLARED_CHECK; (void)declared_next(&d))
		describe_check(s, t->name, &d);
	if (rc != SQLITE_DONE)
		rc = sqlite_explain(s->db, s->call, SPAN(""), rc, true, err);
	else
		rc = 0;
	sqlite3_finalize(stmt);
	return rc;
}

/* The name as its table spells it: foreign keys may differ in case. */
static const char *
spelling(const struct sqlite_survey *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcasecmp(s->tables[i].name, name) == 0)
			return s->tables[i].name;
	return name;
}

/* A foreign key that names only the table means its primary key: returns the column at position seq. */
static const char *
primary_key_column(struct sqlite_survey *s, const char *table, int seq)
{
	struct err ignored;
	sqlite3_stmt *stmt = prepare_query(s, &ignored, "PRAGMA main.table_xinfo(\"%w\")", table);
	const char *name = NULL;

	if (stmt == NULL)
		return NULL;
	while (name == NULL && sqlite3_step(stmt) == SQLITE_ROW)
		if (sqlite3_column_int(stmt, 5) == seq + 1)
			name = text_of(s, stmt, 1);
	sqlite3_finalize(stmt);
	return name;
}

static int
describe_keys(struct sqlite_survey *s, const struct listed_table *t, struct err *err)
{
	sqlite3_stmt *stmt = prepare_query(s, err, sqlite_introspect_keys_sql, t->name);
	int rc;

	if (stmt == NULL)
		return -1;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *table = spelling(s, (const char *)sqlite3_column_text(stmt, 1));
		const char *to = (const char *)sqlite3_column_text(stmt, 3);
		struct catalog_key key = {
			.column = (const char *)sqlite3_column_text(stmt, 2),
			.to_table = table,
			.to_column = to != NULL ? to : primary_key_column(s, table,
			    sqlite3_column_int(stmt, 0)),
			.first = sqlite3_column_int(stmt, 0) == 0,
		};

		catalog_add_key(s->cat, &key);
	}
	rc = rc == SQLITE_DONE ? 0 : sqlite_explain(s->db, s->call, SPAN(""), rc, true, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* The columns of an index query's rows. */
enum { INDEX_NAME, INDEX_UNIQUE, INDEX_ORIGIN, INDEX_PARTIAL, INDEX_SQL, INDEX_COLUMN, INDEX_NUMBER, INDEX_DESC,
	INDEX_ORDER };

/* The current index, whose rows follow each other; texts are in the table's arena. */
struct indexed {
	struct catalog_index	 index;
	const char		*columns[INDEX_COLUMNS_MAX];
	bool			 computed;	/* it has an expression or a condition */
	bool			 plain;		/* its columns describe it completely */
};

static void
index_begin(struct sqlite_survey *s, sqlite3_stmt *stmt, struct indexed *x)
{
	const char *origin = (const char *)sqlite3_column_text(stmt, INDEX_ORIGIN);

	*x = (struct indexed){ .plain = true };
	x->computed = sqlite3_column_int(stmt, INDEX_PARTIAL) != 0;
	x->index = (struct catalog_index){ .name = text_of(s, stmt, INDEX_NAME),
		.definition = text_of(s, stmt, INDEX_SQL),
		.unique = sqlite3_column_int(stmt, INDEX_UNIQUE) != 0,
		.primary = origin != NULL && strcmp(origin, "pk") == 0 };
}

static void
index_take_column(struct sqlite_survey *s, sqlite3_stmt *stmt, struct indexed *x)
{
	const char *name = text_of(s, stmt, INDEX_COLUMN),
		   *order = (const char *)sqlite3_column_text(stmt, INDEX_ORDER);

	x->computed = x->computed || sqlite3_column_int(stmt, INDEX_NUMBER) == SQLITE_INDEX_EXPRESSION;
	x->plain = x->plain && !x->computed && sqlite3_column_int(stmt, INDEX_DESC) == 0 &&
	    (order == NULL || sqlite3_stricmp(order, "BINARY") == 0);
	if (x->index.ncolumns < INDEX_COLUMNS_MAX)
		x->columns[x->index.ncolumns++] = name;
}

static void
index_end(struct sqlite_survey *s, const char *table, struct indexed *x)
{
	if (x->index.name == NULL)
		return;
	if (s->db->columns != NULL && x->computed)
		x->index.named = sqlite_columns_named(s->db->columns, table, x->index.definition);
	if (x->plain)
		x->index.definition = NULL;
	x->index.columns = x->columns;
	catalog_add_index(s->cat, &x->index);
}

static int
describe_indexes(struct sqlite_survey *s, const struct listed_table *t, struct err *err)
{
	sqlite3_stmt *stmt = prepare_query(s, err, sqlite_introspect_indexes_sql, t->name);
	struct indexed x = { 0 };
	int rc;

	if (stmt == NULL)
		return -1;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, INDEX_NAME);

		if (x.index.name == NULL || name == NULL || strcmp(x.index.name, name) != 0) {
			index_end(s, t->name, &x);
			index_begin(s, stmt, &x);
		}
		index_take_column(s, stmt, &x);
	}
	index_end(s, t->name, &x);
	rc = rc == SQLITE_DONE ? 0 : sqlite_explain(s->db, s->call, SPAN(""), rc, true, err);
	sqlite3_finalize(stmt);
	return rc;
}

struct looking {
	const struct sqlite_survey	*s;
	bool			 protected;
};

/* Called while a view is compiled, for each column that it reads, directly or through another view. */
static void
page_note_read(void *arg, const char *table, const char *column, const char *accessor)
{
	struct looking *l = arg;

	(void)accessor;
	l->protected = l->protected || sqlite_columns_is_refused(l->s->db->columns, table) ||
	    (column != NULL && column[0] != '\0' &&
		sqlite_columns_action(l->s->db->columns, table, column) != COLUMNS_CLEAR);
}

/*
 * Whether the view reads protected columns: its text names them, and may
 * compare them with values.  An unused WITH query is not compiled, so it is
 * found by its words.
 */
static bool
looks_at_protected(struct sqlite_survey *s, const char *view, const char *sql)
{
	struct looking l = { .s = s };
	struct err ignored;
	sqlite3_stmt *stmt;

	if (s->db->columns == NULL)
		return false;
	if (sqlite_columns_names_any(s->db->columns, span_str(sql)))
		return true;
	s->db->guard.seen = page_note_read;
	s->db->guard.seen_arg = &l;
	stmt = prepare_query(s, &ignored, "SELECT * FROM main.\"%w\"", view);
	s->db->guard.seen = NULL;
	sqlite3_finalize(stmt);
	return stmt == NULL || l.protected;
}

/* The view's statement, if it may be shown. */
static int
describe_view(struct sqlite_survey *s, const struct listed_table *t, struct err *err)
{
	const char *sql;

	if (read_statement(s, t, &sql, err) == -1)
		return -1;
	if (sql != NULL && !looks_at_protected(s, t->name, sql))
		s->cat->table.definition = sql;
	return 0;
}

/* The row count of ANALYZE; -1 if it never ran. */
static int64_t
counted_by_analyze(struct sqlite_survey *s, const char *name)
{
	struct err ignored;
	sqlite3_stmt *stmt =
	    prepare_query(s, &ignored, "SELECT max(CAST(stat AS INTEGER)) FROM main.sqlite_stat1 WHERE tbl = %Q", name);
	int64_t n = -1;

	if (stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) == SQLITE_INTEGER)
		n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return n;
}

/*
 * The exact number of rows, unless counting takes long: count(*) alone is one
 * step of SQLite's machine that cannot be interrupted.  So a large file is
 * counted row by row and for a limited time; after that ANALYZE's estimate is
 * used.  Rows are counted under the column policy, as callers count them.
 */
static int64_t
count_rows(struct sqlite_survey *s, const char *name)
{
	bool fast = s->db->file.size <= COUNT_FAST_MAX;
	bool temporary = s->db->columns != NULL && sqlite_columns_is_fronted(s->db->columns, name);
	uint64_t deadline = s->db->watch.deadline_ns, own = clock_ns() + COUNT_NS;
	struct err ignored;
	sqlite3_stmt *stmt;
	int64_t n = -1;

	if (s->db->columns != NULL && sqlite_columns_is_refused(s->db->columns, name))
		return -1;
	s->db->guard.mode = GUARD_QUERY;
	if (fast)
		stmt = prepare_query(s, &ignored,
		    temporary ? "SELECT count(*) FROM temp.\"%w\"" : "SELECT count(*) FROM main.\"%w\"", name);
	else
		stmt = prepare_query(s, &ignored,
		    temporary ? "SELECT sum(1) FROM temp.\"%w\"" : "SELECT sum(1) FROM main.\"%w\"", name);
	if (!fast && own < deadline)
		s->db->watch.deadline_ns = own;
	if (stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW)
		n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	s->db->guard.mode = GUARD_INTROSPECT;
	s->db->watch.deadline_ns = deadline;
	if (n != -1)
		return n;
	if (s->db->watch.stopped && s->db->watch.why.code == ERR_QUERY_TIMEOUT && clock_ns() < deadline)
		s->db->watch.stopped = false;
	return counted_by_analyze(s, name);
}

static int
introspect_describe(struct sqlite_survey *s, const struct listed_table *t, struct err *err)
{
	struct catalog_table table = { .name = t->name, .kind = t->view ? "view" : "table", .rows = -1,
		.data_version = s->version[0] == '\0' ? NULL : s->version };
	struct err why;

	if (!call_poll(s->call, err))
		return -1;
	arena_reset(s->arena);
	catalog_table_begin(s->cat, &table);
	if (describe_columns(s, t, &why) == -1) {
		if (s->db->watch.stopped) {
			*err = why;
			return -1;
		}
		/* A view over a dropped table, or a table of an unknown module. */
		catalog_warn(s->cat, "table_unreadable", t->name, "%s cannot be described: %s", t->name, why.message);
		return 0;
	}
	if (t->view ? describe_view(s, t, err) == -1 :
		      describe_keys(s, t, err) == -1 || describe_indexes(s, t, err) == -1)
		return -1;
	if (!t->view)
		s->cat->table.rows = count_rows(s, t->name);
	if (s->db->watch.stopped) {
		*err = s->db->watch.why;
		return -1;
	}
	return catalog_table_end(s->cat, err);
}

static void
put_metadata(struct sqlite_survey *s)
{
	const char *slash = strrchr(s->db->file.path, '/');
	struct buf *out = &s->cat->metadata;

	/* The file's name without its directory: artifacts are committed and shared. */
	mp_put_cstr(out, "file_path");
	value_label(out, slash == NULL ? s->db->file.path : slash + 1);
	mp_pair_uint(out, "file_size", (uint64_t)s->db->file.size);
	snprintf(s->cat->server_version, sizeof(s->cat->server_version), "%s", sqlite3_libversion());
}

static int
survey_all(struct sqlite_survey *s, struct err *err)
{
	if (list_tables(s, err) == -1)
		return -1;
	if (s->n > 0)
		qsort(s->tables, s->n, sizeof(s->tables[0]), compare_listed);
	for (size_t i = 0; i < s->n; i++) {
		if (i % 16 == 0)
			call_progress(s->call, (unsigned)(i * 1000 / s->n), "Described %zu of %zu tables", i, s->n);
		if (introspect_describe(s, &s->tables[i], err) == -1)
			return -1;
	}
	put_metadata(s);
	return 0;
}

static void
note_version(struct sqlite_survey *s)
{
	uint8_t head[SQLITE_FILE_HEADER];
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(s->db->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file != NULL &&
	    file->pMethods->xRead(file, head, sizeof(head), 0) == SQLITE_OK)
		sqlite_file_version(&s->db->file, head, s->version);
}

int
sqlite_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err)
{
	struct sqlite_survey s = { .db = db, .call = c, .cat = cat };
	struct fingerprint f;
	int rc;

	/* Before the structure is read: a change in between shows as a difference later. */
	fingerprint_begin(&f);
	if (sqlite_fingerprint(db, c, &f, err) == -1)
		return -1;
	fingerprint_text(&f, cat->fingerprint);
	if (!sqlite_file_is_same(&db->file))
		leave_process("the database file was replaced");
	note_version(&s);
	if (sqlite_apply_policy(db, COLUMNS_ANYBODY, err) == -1)
		return -1;
	if (db->columns != NULL)
		catalog_protect(cat, decide_column, &s);
	sqlite_connect_modules(db);
	sqlite_watch_begin(db, c, call_deadline(c));
	db->guard.mode = GUARD_INTROSPECT;
	s.arena = arena_new(TABLE_TEXTS_MAX);
	rc = survey_all(&s, err);
	arena_free(s.arena);
	db->guard.mode = GUARD_QUERY;
	sqlite_watch_end(db);
	if (db->file.immutable && !sqlite_file_is_same(&db->file))
		leave_process("the database file was written to while it was read");
	return rc;
}
