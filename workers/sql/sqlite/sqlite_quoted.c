#include "workers/sql/sqlite/sqlite_quoted.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"
#include "workers/sql/sqlite/sqlite_columns_virtual.h"
#include "workers/sql/sqlite/sqlite_text.h"

#define LONGEST		128u	/* bytes of the longest names that are compared by letter */

static char
next_letter(const char **p)
{
	while (**p == '_' || **p == ' ' || **p == '-')
		(*p)++;
	return **p == '\0' ? '\0' : (char)ascii_lower((uint8_t) * (*p)++);
}

static bool
is_same_but_spelling(const char *a, const char *b)
{
	char x, y;

	do {
		x = next_letter(&a);
		y = next_letter(&b);
	} while (x == y && x != '\0');
	return x == y;
}

static bool
is_same_letter(char a, char b)
{
	return ascii_lower((uint8_t)a) == ascii_lower((uint8_t)b);
}

static size_t
quoted_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The edit distance: inserted, missing, wrong letters, and letters swapped with the next one. */
static size_t
edits(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][LONGEST + 1];

	for (size_t k = 0; k <= nb; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t k = 1; k <= nb; k++) {
			row[k] = quoted_least(above[k - 1] + !is_same_letter(a[i - 1], b[k - 1]),
			    1 + quoted_least(above[k], row[k - 1]));
			if (i > 1 && k > 1 && is_same_letter(a[i - 1], b[k - 2]) && is_same_letter(a[i - 2], b[k - 1]))
				row[k] = quoted_least(row[k], before[k - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

/* Whether text may be a misspelling of name: few edits, or only case, underscores and blanks differ. */
static bool
sqlite_quoted_is_near(const char *text, const char *name)
{
	size_t nt = strlen(text), nn = strlen(name), longer = nt > nn ? nt : nn;
	/* Names of one or two letters would be near to each other: they need to be equal. */
	size_t most = longer < 3 ? 0 : longer < 8 ? 1 : 2;

	if (nt == 0)
		return false;
	if (is_same_but_spelling(text, name))
		return true;
	return longer <= LONGEST && longer - quoted_least(nt, nn) <= most && edits(text, nt, name, nn) <= most;
}

static void
add_name(struct sqlite_quoted *q, char *name)
{
	q->names = mem_grow(q->names, q->n, &q->cap, sizeof(*q->names));
	q->names[q->n++] = name;
}

static bool
quoted_mentions(struct span sql, const char *name)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;

	do {
		t = sqltext_next(&s);
		if (sqltext_names(&t, name))
			return true;
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	return false;
}

static void
add_columns(struct sqlite_quoted *q, sqlite3 *db, const char *table)
{
	char *sql = sqlite3_mprintf("PRAGMA main.table_xinfo(%Q)", table);
	sqlite3_stmt *stmt = NULL;

	if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
		while (sqlite3_step(stmt) == SQLITE_ROW)
			if (sqlite3_column_text(stmt, 1) != NULL)
				add_name(q, mem_text(span_str((const char *)sqlite3_column_text(stmt, 1))));
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

static void
add_tables(struct sqlite_quoted *q, sqlite3 *db, struct span sql)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db, "SELECT name, sql FROM main.sqlite_schema WHERE type IN ('table', 'view')", -1,
		&stmt, NULL) != SQLITE_OK)
		return;
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0),
			   *text = (const char *)sqlite3_column_text(stmt, 1);
		struct sqlite_object o = { .sql = (char *)(uintptr_t)text };

		/* A module that must not be used is not connected for its columns either. */
		if (name != NULL && text != NULL && quoted_mentions(sql, name) &&
		    (sqlite3_strnicmp(text, "CREATE VIRTUAL", 14) != 0 || sqlite_columns_virtual_is_allowed(&o)))
			add_columns(q, db, name);
	}
	sqlite3_finalize(stmt);
}

/* The names that the statement itself defines. */
static void
add_aliases(struct sqlite_quoted *q, struct span sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;
	bool behind_as = false;

	do {
		t = sqltext_next(&s);
		if (behind_as && (t.kind == SQLTEXT_WORD || t.kind == SQLTEXT_QUOTED)) {
			bool quoted = t.kind == SQLTEXT_QUOTED;

			add_name(q, mem_text(quoted ? span_of(t.text.p + 1, t.text.len - 2) : t.text));
		}
		behind_as = sqltext_is(&t, "AS");
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
}

static void
read_names(struct sqlite_quoted *q, struct sql_db *db, struct span sql)
{
	enum sqlite_guard_mode mode = db->guard.mode;

	db->guard.mode = GUARD_TRUSTED;
	add_tables(q, db->db, sql);
	db->guard.mode = mode;
	add_aliases(q, sql);
	q->read = true;
}

void
sqlite_quoted_fini(struct sqlite_quoted *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->names[i]);
	free(q->names);
	memset(q, 0, sizeof(*q));
}

static bool
is_word(const struct sqltext_token *t, const char *name)
{
	return t->kind == SQLTEXT_QUOTED && t->text.p[0] == '"' && sqltext_names(t, name);
}

/*
 * In an ON clause SQLite does not say which word it did not find: takes the
 * first one with this name, unless the statement defines the name.
 */
static bool
find_word(struct span sql, int at, const char *name, struct sqltext_token *found)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;
	bool any = false, behind_as = false;

	do {
		t = sqltext_next(&s);
		if (is_word(&t, name)) {
			if (at >= 0 && t.text.p == sql.p + at) {
				*found = t;
				return true;
			}
			if (at < 0 && behind_as)
				return false;
			if (!any)
				*found = t;
			any = true;
		}
		behind_as = sqltext_is(&t, "AS");
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	return any && at < 0;
}

static char *
write_as_text(struct span sql, const struct sqltext_token *word)
{
	size_t begin = (size_t)(word->text.p - sql.p), end = begin + word->text.len;
	struct buf out = { 0 };
	char *text;

	buf_span(&out, span_of(sql.p, begin));
	buf_byte(&out, '\'');
	for (size_t i = begin + 1; i + 1 < end; i++) {
		buf_byte(&out, sql.p[i]);
		if (sql.p[i] == '\'')
			buf_byte(&out, '\'');
		i += sql.p[i] == '"'; /* a doubled quote */
	}
	buf_byte(&out, '\'');
	buf_span(&out, span_of(sql.p + end, sql.len - end));
	text = mem_text(buf_view(&out));
	buf_fini(&out);
	return text;
}

static bool
could_be_a_column(const struct sqlite_quoted *q, const char *word)
{
	for (size_t i = 0; i < q->n; i++)
		if (sqlite_quoted_is_near(word, q->names[i]))
			return true;
	return false;
}

char *
sqlite_quoted_as_text(struct sqlite_quoted *q, struct sql_db *db, struct span sql)
{
	static const char no_column[] = "no such column: ";
	int at = sqlite3_error_offset(db->db);
	char *message = mem_text(span_str(sqlite3_errmsg(db->db))), *word = message + sizeof(no_column) - 1,
	     *text = NULL;
	struct sqltext_token t = { .kind = SQLTEXT_END };
	struct err err;

	if (strncmp(message, no_column, sizeof(no_column) - 1) == 0 && find_word(sql, at, word, &t) &&
	    (db->columns == NULL || !sqlite_columns_explain(db->columns, message, &err))) {
		if (!q->read)
			read_names(q, db, sql);
		if (!could_be_a_column(q, word))
			text = write_as_text(sql, &t);
	}
	free(message);
	return text;
}
