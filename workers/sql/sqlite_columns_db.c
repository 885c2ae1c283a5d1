/* sqlite_columns_db.c - see sqlite_columns_db.h. */
#include "base/mem.h"
#include "workers/sql/sqlite_columns_db.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "workers/sql/sqltext.h"

#define SCHEMA	SPAN("main")

static char *
copy_of(const void *s)
{
	return mem_text(span_str(s));
}

static void *
grown(void *array, size_t n, size_t size)
{
	return (n & (n - 1)) != 0 ? array : mem_resize(array, n * 2, size);	/* at powers of two */
}

static struct sqlite_object *
find(const struct sqlite_columns_db *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (sqlite3_stricmp(d->objects[i].name, name) == 0)
			return &d->objects[i];
	return NULL;
}

const struct sqlite_object *
sqlite_columns_db_object(const struct sqlite_columns_db *d, const char *name)
{
	return find(d, name);
}

/* docs_content belongs to docs: the longest name that fits. */
const struct sqlite_object *
sqlite_columns_db_owner(const struct sqlite_columns_db *d, const char *shadow)
{
	const struct sqlite_object *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct sqlite_object *o = &d->objects[i];
		size_t len = strlen(o->name);

		if (o->kind == SQLITE_OBJECT_VIRTUAL && len >= most && strncasecmp(o->name, shadow, len) == 0 &&
		    shadow[len] == '_') {
			best = o;
			most = len;
		}
	}
	return best;
}

void
sqlite_columns_db_fini(struct sqlite_columns_db *d)
{
	for (size_t i = 0; i < d->n; i++) {
		for (size_t k = 0; k < d->objects[i].n; k++)
			free(d->objects[i].columns[k].name);
		free(d->objects[i].columns);
		free(d->objects[i].name);
		free(d->objects[i].sql);
	}
	free(d->objects);
	memset(d, 0, sizeof(*d));
}

/* --- reading --------------------------------------------------------------------------- */

static int
read_objects(struct sqlite_columns_db *d, sqlite3 *db)
{
	static const struct {
		const char			*type;
		enum sqlite_object_kind		 kind;
	} kinds[] = {
		{ "view", SQLITE_OBJECT_VIEW }, { "virtual", SQLITE_OBJECT_VIRTUAL }, { "shadow", SQLITE_OBJECT_SHADOW },
	};
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT l.name, l.type, s.sql FROM pragma_table_list AS l JOIN main.sqlite_schema AS s"
	    " ON s.name = l.name AND s.type IN ('table', 'view') WHERE l.schema = 'main'", -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct sqlite_object o = { .name = copy_of(sqlite3_column_text(stmt, 0)),
			.sql = copy_of(sqlite3_column_text(stmt, 2)) };
		const char *type = (const char *)sqlite3_column_text(stmt, 1);

		for (size_t i = 0; type != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (strcmp(type, kinds[i].type) == 0)
				o.kind = kinds[i].kind;
		d->objects = grown(d->objects, d->n, sizeof(*d->objects));
		d->objects[d->n++] = o;
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* A view over what was dropped has no columns, and cannot be read either. */
static void
read_columns(struct sqlite_object *o, sqlite3 *db)
{
	char *sql = sqlite3_mprintf("PRAGMA main.table_xinfo(%Q)", o->name);
	sqlite3_stmt *stmt = NULL;

	if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
		while (sqlite3_step(stmt) == SQLITE_ROW) {
			int hidden = sqlite3_column_int(stmt, 6);

			o->columns = grown(o->columns, o->n, sizeof(*o->columns));
			o->columns[o->n++] = (struct sqlite_object_column){ .name = copy_of(sqlite3_column_text(stmt, 1)),
				.generated = hidden >= 2, .inner = hidden == 1 };
		}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

/* --- what follows from what ----------------------------------------------------------------- */

static struct sqlite_object_column *
column_of(const struct sqlite_object *o, const char *name)
{
	for (size_t i = 0; o != NULL && i < o->n; i++)
		if (sqlite3_stricmp(o->columns[i].name, name) == 0)
			return &o->columns[i];
	return NULL;
}

/* Whether the word is this name, quoted or not. */
static bool
says(const struct sqltext_token *t, const char *name)
{
	size_t skip = t->kind == SQLTEXT_WORD ? 0 : 1, len = strlen(name);

	return t->kind != SQLTEXT_PUNCT && t->kind != SQLTEXT_NUMBER && t->text.len == len + 2 * skip &&
	    strncasecmp((const char *)t->text.p + skip, name, len) == 0;
}

/* The strictest action of the columns that this word names. */
static enum columns_action
action_named(const struct sqlite_object *o, const struct sqltext_token *t, enum columns_action action)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->columns[i].action > action && says(t, o->columns[i].name))
			action = o->columns[i].action;
	return action;
}

static enum columns_action
strictest(const struct sqlite_object *o)
{
	enum columns_action action = COLUMNS_CLEAR;

	for (size_t i = 0; i < o->n; i++)
		if (o->columns[i].action > action)
			action = o->columns[i].action;
	return action;
}

/*
 * The strictest action in the definition of one column: what stands between
 * its name and the next comma of the table's list.
 */
static enum columns_action
action_in_definition(const struct sqlite_object *o, const char *column)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str(o->sql) };
	struct sqltext_token t = sqltext_next(&s);
	enum columns_action action = COLUMNS_CLEAR;
	bool first = false, within = false, found = false;
	unsigned depth = 0;

	for (; t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN; t = sqltext_next(&s)) {
		if (depth == 1 && first) {
			within = says(&t, column);
			found = found || within;
			first = false;
		} else if (within)
			action = action_named(o, &t, action);
		if (sqltext_is_punct(&t, '(')) {
			first = depth == 0;
			depth++;
		} else if (sqltext_is_punct(&t, ')'))
			depth -= depth > 0;
		else if (sqltext_is_punct(&t, ',') && depth == 1)
			first = true;
	}
	return found ? action : strictest(o);
}

static void
spread_to_generated(struct sqlite_object *o)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (size_t i = 0; i < o->n; i++) {
			enum columns_action action;

			if (!o->columns[i].generated)
				continue;
			action = action_in_definition(o, o->columns[i].name);
			moved = moved || action > o->columns[i].action;
			if (action > o->columns[i].action)
				o->columns[i].action = action;
		}
	}
}

/* content='table': the text index holds what that table's columns hold. */
static void
spread_to_index(struct sqlite_columns_db *d, struct sqlite_object *o)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str(o->sql) };
	struct sqltext_token t;
	const struct sqlite_object *content = NULL;

	do {
		t = sqltext_next(&s);
		if (!sqltext_is(&t, "content"))
			continue;
		t = sqltext_next(&s);
		if (!sqltext_is_punct(&t, '='))
			continue;
		t = sqltext_next(&s);
		for (size_t i = 0; i < d->n; i++)
			if (says(&t, d->objects[i].name))
				content = &d->objects[i];
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	for (size_t i = 0; content != NULL && i < o->n; i++) {
		const struct sqlite_object_column *c = column_of(content, o->columns[i].name);

		if (c != NULL && c->action > o->columns[i].action)
			o->columns[i].action = c->action;
	}
}

/* Columns of a view that show a table's column as it is. */
static void
spread_to_view(struct sqlite_columns_db *d, struct sqlite_object *o, sqlite3 *db)
{
	char *sql = sqlite3_mprintf("SELECT * FROM main.\"%w\"", o->name);
	sqlite3_stmt *stmt = NULL;

	if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
		for (int i = 0; i < sqlite3_column_count(stmt) && (size_t)i < o->n; i++) {
			const char *table = sqlite3_column_table_name(stmt, i), *column = sqlite3_column_origin_name(stmt, i);
			const struct sqlite_object_column *from = table == NULL || column == NULL ? NULL :
			    column_of(find(d, table), column);

			if (from == NULL || from->action == COLUMNS_CLEAR)
				continue;
			o->columns[i].derived = from->action >= o->columns[i].action;
			if (from->action > o->columns[i].action)
				o->columns[i].action = from->action;
		}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

/* An index on a protected column, or on an expression: rows read through it come in that order. */
static void
look_at_indexes(struct sqlite_object *o, sqlite3 *db)
{
	char *sql = sqlite3_mprintf("SELECT i.name FROM pragma_index_list(%Q, 'main') AS l, pragma_index_info(l.name, 'main') AS i",
	    o->name);
	sqlite3_stmt *stmt = NULL;

	o->ordered = true;	/* unless it can be told */
	if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
		o->ordered = false;
		while (sqlite3_step(stmt) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(stmt, 0);
			const struct sqlite_object_column *c = name == NULL ? NULL : column_of(o, name);

			o->ordered = o->ordered || name == NULL || (c != NULL && c->action != COLUMNS_CLEAR);
		}
	}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

int
sqlite_columns_db_read(struct sqlite_columns_db *d, sqlite3 *db, const struct columns *policy, uint32_t view)
{
	int rc;

	sqlite_columns_db_fini(d);
	if ((rc = read_objects(d, db)) != SQLITE_OK)
		return rc;
	for (size_t i = 0; i < d->n; i++) {
		struct sqlite_object *o = &d->objects[i];

		read_columns(o, db);
		for (size_t k = 0; k < o->n; k++)
			o->columns[k].action = columns_decide(policy, view, SCHEMA, span_str(o->name),
			    span_str(o->columns[k].name));
		spread_to_generated(o);
	}
	for (size_t i = 0; i < d->n; i++) {
		struct sqlite_object *o = &d->objects[i];

		if (o->kind == SQLITE_OBJECT_VIRTUAL)
			spread_to_index(d, o);
		else if (o->kind == SQLITE_OBJECT_VIEW)
			spread_to_view(d, o, db);
		o->protected = strictest(o) != COLUMNS_CLEAR;
		if (o->protected && o->kind == SQLITE_OBJECT_TABLE)
			look_at_indexes(o, db);
	}
	return SQLITE_OK;
}
