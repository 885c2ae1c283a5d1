#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/mem.h"
#include "workers/import/target.h"
#include "workers/import/value_text.h"

#define CACHE_KB	"-65536"	/* pages that are not written yet; the rest is in the log */

struct target {
	sqlite3			*db;
	sqlite3_stmt		*insert;
	const struct infer_columns	*columns;
	char			(*times)[VALUE_TIME_MAX];	/* for the current row, by column */
	char			*table;
	bool			 replace;
};

static int
target_fail(const struct target *t, struct err *err)
{
	int code = sqlite3_errcode(t->db);

	if (code == SQLITE_FULL || sqlite3_extended_errcode(t->db) == SQLITE_IOERR_WRITE)
		return err_set(err, ERR_DATABASE_ERROR, "the disk is full; nothing of the file was kept");
	if (code == SQLITE_BUSY)
		return err_set(err, ERR_BUSY, "another import is running; wait for its end");
	return err_set(err, ERR_DATABASE_ERROR, "the database of imports: %s", sqlite3_errmsg(t->db));
}

static int
target_run(struct target *t, const char *sql, struct err *err)
{
	return sqlite3_exec(t->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : target_fail(t, err);
}

static int
run_text(struct target *t, struct buf *sql, struct err *err)
{
	int result = target_run(t, buf_cstr(sql), err);

	buf_fini(sql);
	return result;
}

static bool
table_exists(struct target *t)
{
	sqlite3_stmt *s;
	bool there = false;

	if (sqlite3_prepare_v2(t->db, "SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE", -1, &s, NULL) !=
	    SQLITE_OK)
		return false;
	sqlite3_bind_text(s, 1, t->table, -1, SQLITE_STATIC);
	there = sqlite3_step(s) == SQLITE_ROW;
	sqlite3_finalize(s);
	return there;
}

static int
make_table(struct target *t, const struct span *names, struct err *err)
{
	struct buf sql = { .max = 0 }, insert = { .max = 0 };

	if (table_exists(t)) {
		if (!t->replace)
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "there is a table %s already; choose another name (--name), or --replace it", t->table);
		buf_str(&sql, "DROP TABLE ");
		buf_quoted(&sql, span_str(t->table), '"');
		if (run_text(t, &sql, err) != 0)
			return -1;
	}
	buf_str(&sql, "CREATE TABLE ");
	buf_quoted(&sql, span_str(t->table), '"');
	buf_str(&insert, "INSERT INTO ");
	buf_quoted(&insert, span_str(t->table), '"');
	buf_str(&insert, " VALUES");
	for (size_t i = 0; i < t->columns->n; i++) {
		buf_byte(&sql, i == 0 ? '(' : ',');
		buf_quoted(&sql, names[i], '"');
		buf_printf(&sql, " %s", infer_type_name(&t->columns->v[i]));
		buf_str(&insert, i == 0 ? "(?" : ",?");
	}
	buf_byte(&sql, ')');
	buf_byte(&insert, ')');
	if (run_text(t, &sql, err) != 0) {
		buf_fini(&insert);
		return -1;
	}
	if (sqlite3_prepare_v3(t->db, buf_cstr(&insert), -1, SQLITE_PREPARE_PERSISTENT, &t->insert, NULL) != SQLITE_OK)
		target_fail(t, err);
	buf_fini(&insert);
	return t->insert != NULL ? 0 : -1;
}

struct target *
target_begin(const char *path, const char *table, bool replace, const struct infer_columns *columns,
    const struct span *names, struct err *err)
{
	struct target *t = mem_new(1, sizeof(*t));

	t->columns = columns;
	t->times = mem_new(columns->n, sizeof(*t->times));
	t->table = mem_text(span_str(table));
	t->replace = replace;
	if (sqlite3_open_v2(path, &t->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		target_fail(t, err);
	/* WAL: readers are not blocked by an import.  Temporary files would be outside the sandbox. */
	else if (target_run(t,
		     "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA "
		     "temp_store = MEMORY; "
		     "PRAGMA cache_size = " CACHE_KB "; PRAGMA wal_autocheckpoint = 0; BEGIN IMMEDIATE",
		     err) == 0 &&
	    make_table(t, names, err) == 0)
		return t;
	target_close(t);
	return NULL;
}

/* A number without a fraction of zeros, which would make it a double. */
static struct span
without_zeros(struct span number)
{
	size_t len = number.len;

	while (len > 0 && number.p[len - 1] == '0')
		len--;
	return len > 0 && number.p[len - 1] == '.' ? span_of(number.p, len - 1) : number;
}

/* Bind f of a format that says its types.  SQLite has no NaN: it is null. */
static int
bind_fixed(sqlite3_stmt *s, int at, enum column_type type, const struct import_field *f)
{
	const char *text = (const char *)f->text.p;
	int len = (int)f->text.len;
	char number[64];
	double v;

	if (f->kind == FIELD_NULL)
		return sqlite3_bind_null(s, at);
	switch (type) {
	case COLUMN_BOOLEAN:
		return sqlite3_bind_int(s, at, value_flag(f->text));
	case COLUMN_BLOB:
		return sqlite3_bind_blob(s, at, text != NULL ? text : "", len, SQLITE_STATIC);
	case COLUMN_INTEGER:
	case COLUMN_DECIMAL:
		if (memchr(text, '.', without_zeros(f->text).len) == NULL)
			return sqlite3_bind_int64(s, at, value_integer(without_zeros(f->text)));
		/* fall through */
	case COLUMN_REAL:
		snprintf(number, sizeof(number), "%.*s", len, text);
		v = strtod(number, NULL);
		return sqlite3_bind_double(s, at, v);
	default:
		return sqlite3_bind_text(s, at, text, len, SQLITE_STATIC);
	}
}

/* Bind f as a value of the column's type; empty fields are null, except deliberately empty texts. */
static int
bind_field(sqlite3_stmt *s, int at, const struct infer_column *c, const struct import_field *f,
    char time[VALUE_TIME_MAX])
{
	struct span t = f->text;

	if (c->fixed)
		return bind_fixed(s, at, c->type, f);
	if (infer_is_null(c->type, f))
		return sqlite3_bind_null(s, at);
	if (c->type == COLUMN_TEXT)
		return sqlite3_bind_text(s, at, (const char *)t.p, (int)t.len, SQLITE_STATIC);
	t = span_trim(t);
	switch (c->type) {
	case COLUMN_BOOLEAN:
		return sqlite3_bind_int(s, at, value_flag(t));
	case COLUMN_INTEGER:
		return sqlite3_bind_int64(s, at, value_integer(t));
	case COLUMN_REAL:
		return sqlite3_bind_double(s, at, value_number(t, c->as));
	default:
		return sqlite3_bind_text(s, at, time, (int)value_time(t, c->as, time), SQLITE_STATIC);
	}
}

int
target_add(struct target *t, const struct import_row *row, struct err *err)
{
	static const struct import_field nothing = { .kind = FIELD_NULL };

	for (size_t i = 0; i < t->columns->n; i++)
		if (bind_field(t->insert, (int)i + 1, &t->columns->v[i], i < row->n ? &row->fields[i] : &nothing,
			t->times[i]) != SQLITE_OK)
			return target_fail(t, err);
	if (sqlite3_step(t->insert) != SQLITE_DONE) {
		target_fail(t, err);
		sqlite3_reset(t->insert);
		return -1;
	}
	sqlite3_reset(t->insert);
	return 0;
}

int
target_keep(struct target *t, struct err *err)
{
	sqlite3_finalize(t->insert);
	t->insert = NULL;
	return target_run(t, "COMMIT", err);
}

void
target_close(struct target *t)
{
	if (t == NULL)
		return;
	sqlite3_finalize(t->insert);
	/* A reader may hold the log; then a later import truncates it. */
	if (t->db != NULL && sqlite3_get_autocommit(t->db) != 0)
		(void)sqlite3_wal_checkpoint_v2(t->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	/* Closing rolls back an open transaction. */
	sqlite3_close(t->db);
	free(t->table);
	free(t->times);
	free(t);
}

/*
 * Run sql alone: opening for writing repairs what a killed import left; closing removes the journals of the database.
 */
static int
target_alone(const char *path, const char *sql, struct err *err)
{
	struct target t = { .replace = true };
	int result = -1;

	if (sqlite3_open_v2(path, &t.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		target_fail(&t, err);
	else
		result = target_run(&t, "PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON", err);
	if (result == 0)
		result = target_run(&t, sql, err);
	sqlite3_close(t.db);
	return result;
}

int
target_drop(const char *path, const char *table, struct err *err)
{
	struct buf sql = { 0 };
	int result;

	buf_str(&sql, "DROP TABLE IF EXISTS ");
	buf_quoted(&sql, span_str(table), '"');
	buf_str(&sql, "; PRAGMA incremental_vacuum");
	result = target_alone(path, buf_cstr(&sql), err);
	buf_fini(&sql);
	return result;
}

int
target_recover(const char *path, struct err *err)
{
	return target_alone(path, "PRAGMA wal_checkpoint(TRUNCATE); SELECT count(*) FROM sqlite_schema", err);
}
