#include "base/mem.h"
#include "workers/sql/sqlite/sqlite_columns_db.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "workers/sql/sqlite/sqlite_columns_virtual.h"
#include "workers/sql/sqlite/sqlite_sql.h"
#include "workers/sql/sqlite/sqlite_text.h"

#define SCHEMA		SPAN("main")
#define EXPRESSION	(-2)	/* in place of a column's number, in an index */

static char *
copy_of(const void *s)
{
	return mem_text(span_str(s));
}

static void *
grown(void *array, size_t n, size_t size)
{
	return (n & (n - 1)) != 0 ? array : mem_resize(array, n * 2, size); /* at powers of two */
}

static struct sqlite_object *
find_object(const struct sqlite_columns_db *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (sqlite3_stricmp(d->objects[i].name, name) == 0)
			return &d->objects[i];
	return NULL;
}

const struct sqlite_object *
sqlite_columns_db_object(const struct sqlite_columns_db *d, const char *name)
{
	return find_object(d, name);
}

/* docs_content belongs to docs: the owner's name is before the last underscore, as in SQLite. */
const struct sqlite_object *
sqlite_columns_db_owner(const struct sqlite_columns_db *d, const char *shadow)
{
	const char *last = strrchr(shadow, '_');
	size_t len = last == NULL ? 0 : (size_t)(last - shadow);

	for (size_t i = 0; i < d->n && len > 0; i++) {
		const struct sqlite_object *o = &d->objects[i];

		if (o->kind == SQLITE_OBJECT_VIRTUAL && strlen(o->name) == len &&
		    strncasecmp(o->name, shadow, len) == 0)
			return o;
	}
	return NULL;
}

bool
sqlite_columns_db_is_closed(const struct sqlite_columns_db *d, const struct sqlite_object *o)
{
	const struct sqlite_object *owner =
	    o->kind == SQLITE_OBJECT_SHADOW ? sqlite_columns_db_owner(d, o->name) : NULL;

	return owner != NULL && (owner->protected || owner->laid_out);
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
		free(d->objects[i].own_index);
	}
	free(d->objects);
	memset(d, 0, sizeof(*d));
}

static int
read_objects(struct sqlite_columns_db *d, sqlite3 *db)
{
	static const struct {
		const char *type;
		enum sqlite_object_kind kind;
	} kinds[] = {
		{ "view", SQLITE_OBJECT_VIEW },
		{ "virtual", SQLITE_OBJECT_VIRTUAL },
		{ "shadow", SQLITE_OBJECT_SHADOW },
	};
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sqlite_columns_objects_sql, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct sqlite_object o = { .name = copy_of(sqlite3_column_text(stmt, 0)),
			.sql = copy_of(sqlite3_column_text(stmt, 2)), .without_rowid = sqlite3_column_int(stmt, 3) != 0 };
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

/* A view over a dropped table has no columns, and cannot be read either. */
static void
read_columns(struct sqlite_object *o, sqlite3 *db)
{
	char *sql = sqlite3_mprintf("PRAGMA main.table_xinfo(%Q)", o->name);
	sqlite3_stmt *stmt = NULL;

	if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
		while (sqlite3_step(stmt) == SQLITE_ROW) {
			int hidden = sqlite3_column_int(stmt, 6);
			const char *type = (const char *)sqlite3_column_text(stmt, 2);

			o->columns = grown(o->columns, o->n, sizeof(*o->columns));
			o->columns[o->n++] = (struct sqlite_object_column){ .name = copy_of(sqlite3_column_text(stmt, 1)),
				.generated = hidden >= 2, .inner = hidden == 1, .key = sqlite3_column_int(stmt, 5) > 0,
				.integer = type != NULL && sqlite3_stricmp(type, "INTEGER") == 0 };
		}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

struct sqlite_object_column *
sqlite_columns_db_column(const struct sqlite_object *o, const char *name)
{
	for (size_t i = 0; o != NULL && i < o->n; i++)
		if (sqlite3_stricmp(o->columns[i].name, name) == 0)
			return &o->columns[i];
	return NULL;
}

enum columns_action
sqlite_columns_db_action(const struct sqlite_object *o, const char *column)
{
	const struct sqlite_object_column *c = sqlite_columns_db_column(o, column);

	return c == NULL ? COLUMNS_CLEAR : c->action;
}

bool
sqlite_columns_db_is_row_id(const struct sqlite_object *o, const struct sqlite_object_column *c)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->columns[i].key && &o->columns[i] != c)
			return false;
	return c->key && c->integer && !o->without_rowid;
}

enum columns_action
sqlite_columns_db_row_id_action(const struct sqlite_object *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (sqlite_columns_db_is_row_id(o, &o->columns[i]))
			return o->columns[i].action;
	return COLUMNS_CLEAR;
}

/* The strictest action of the columns with this name. */
static enum columns_action
action_named(const struct sqlite_object *o, const struct sqltext_token *t, enum columns_action action)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->columns[i].action > action && t->kind != SQLTEXT_STRING && sqltext_names(t, o->columns[i].name))
			action = o->columns[i].action;
	return action;
}

enum columns_action
sqlite_columns_db_strictest(const struct sqlite_object *o)
{
	enum columns_action action = COLUMNS_CLEAR;

	for (size_t i = 0; i < o->n; i++)
		if (o->columns[i].action > action)
			action = o->columns[i].action;
	return action;
}

/*
 * The strictest action in the definition of one column: from its name to the
 * next comma of the table's list.
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
			within = sqltext_names(&t, column);
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
	return found ? action : sqlite_columns_db_strictest(o);
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

/* Columns of a view that show a table's column unchanged. */
static void
spread_to_view(struct sqlite_columns_db *d, struct sqlite_object *o, sqlite3 *db)
{
	char *sql = sqlite3_mprintf("SELECT * FROM main.\"%w\"", o->name);
	sqlite3_stmt *stmt = NULL;

	if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
		for (int i = 0; i < sqlite3_column_count(stmt) && (size_t)i < o->n; i++) {
			const char *table = sqlite3_column_table_name(stmt, i),
				   *column = sqlite3_column_origin_name(stmt, i);
			const struct sqlite_object_column *from = table == NULL || column == NULL ?
			    NULL :
			    sqlite_columns_db_column(find_object(d, table), column);

			if (from == NULL || from->action == COLUMNS_CLEAR)
				continue;
			o->columns[i].derived = from->action >= o->columns[i].action;
			if (from->action > o->columns[i].action)
				o->columns[i].action = from->action;
		}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

enum columns_action
sqlite_columns_db_named(const struct sqlite_object *o, const char *sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str(sql) };
	enum columns_action action = COLUMNS_CLEAR;
	struct sqltext_token t;

	if (sql == NULL)
		return sqlite_columns_db_strictest(o);
	do {
		t = sqltext_next(&s);
		action = action_named(o, &t, action);
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	return action;
}

bool
sqlite_columns_db_names_table(const struct sqlite_object *o, const char *sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str(sql) };
	struct sqltext_token t;

	do {
		t = sqltext_next(&s);
		if (sqltext_names(&t, o->name))
			return true;
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	return false;
}

/*
 * An index returns rows in its order, and only the rows of its WHERE.  Does
 * an index contain or name a protected column, also through the primary key
 * that SQLite adds?
 */
static void
look_at_indexes(struct sqlite_object *o, sqlite3 *db)
{
	char *sql = sqlite3_mprintf(sqlite_columns_indexes_sql, o->name);
	sqlite3_stmt *stmt = NULL;

	o->ordered = true; /* if it cannot be determined */
	if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
		o->ordered = false;
		while (sqlite3_step(stmt) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(stmt, 1);
			const char *origin = (const char *)sqlite3_column_text(stmt, 4);

			if (o->without_rowid && o->own_index == NULL && origin != NULL && strcmp(origin, "pk") == 0)
				o->own_index = copy_of(sqlite3_column_text(stmt, 5));
			o->ordered = o->ordered ||
			    (name != NULL && sqlite_columns_db_action(o, name) != COLUMNS_CLEAR) ||
			    ((sqlite3_column_int(stmt, 0) == EXPRESSION || sqlite3_column_int(stmt, 2) != 0) &&
				(sqlite3_column_type(stmt, 3) == SQLITE_NULL ||
				    sqlite_columns_db_named(o, (const char *)sqlite3_column_text(stmt, 3)) !=
					COLUMNS_CLEAR));
		}
	}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
}

static void
look_at_rows(struct sqlite_object *o)
{
	o->sorted = sqlite_columns_db_row_id_action(o) != COLUMNS_CLEAR;
	for (size_t i = 0; o->without_rowid && i < o->n; i++)
		o->sorted = o->sorted || (o->columns[i].key && o->columns[i].action != COLUMNS_CLEAR);
}

/* sqlite_sequence shows the largest number of an AUTOINCREMENT column. */
static void
spread_to_sequence(struct sqlite_columns_db *d)
{
	struct sqlite_object *sequence = find_object(d, "sqlite_sequence");

	for (size_t i = 0; sequence != NULL && i < d->n && !sequence->refused; i++)
		sequence->refused = d->objects[i].kind == SQLITE_OBJECT_TABLE &&
		    sqlite_columns_db_row_id_action(&d->objects[i]) != COLUMNS_CLEAR;
	for (size_t i = 0; sequence != NULL && sequence->refused && i < sequence->n; i++)
		sequence->columns[i].action = COLUMNS_HIDE;
}

static void
decide_on_columns(struct sqlite_columns_db *d, sqlite3 *db, const struct columns *policy, uint32_t view)
{
	for (size_t i = 0; i < d->n; i++) {
		struct sqlite_object *o = &d->objects[i];

		for (size_t k = 0; k < o->n; k++)
			o->columns[k].action =
			    columns_decide(policy, view, SCHEMA, span_str(o->name), span_str(o->columns[k].name));
		spread_to_generated(o);
		if (o->kind == SQLITE_OBJECT_TABLE && sqlite_columns_db_strictest(o) != COLUMNS_CLEAR) {
			look_at_indexes(o, db);
			look_at_rows(o);
		}
	}
	spread_to_sequence(d);
}

/* Virtual tables may read each other: repeat until no action becomes stricter. */
static void
decide_on_virtual_tables(struct sqlite_columns_db *d, sqlite3 *db, struct sqlite_guard *guard)
{
	bool any = false;

	for (size_t i = 0; i < d->n; i++)
		any = any || sqlite_columns_db_strictest(&d->objects[i]) != COLUMNS_CLEAR;
	/* Without protected columns, virtual tables cannot show any. */
	for (bool again = any; again;) {
		again = false;
		for (size_t i = 0; i < d->n; i++)
			if (d->objects[i].kind == SQLITE_OBJECT_VIRTUAL)
				again = sqlite_columns_virtual_decide(d, &d->objects[i], db, guard) || again;
	}
}

int
sqlite_columns_db_read(struct sqlite_columns_db *d, sqlite3 *db, struct sqlite_guard *guard,
    const struct columns *policy, uint32_t view)
{
	int rc;

	sqlite_columns_db_fini(d);
	if ((rc = read_objects(d, db)) != SQLITE_OK)
		return rc;
	for (size_t i = 0; i < d->n; i++)
		/* A module that must not be used is not connected for its columns either. */
		if (d->objects[i].kind != SQLITE_OBJECT_VIRTUAL || sqlite_columns_virtual_is_allowed(&d->objects[i]))
			read_columns(&d->objects[i], db);
	decide_on_columns(d, db, policy, view);
	decide_on_virtual_tables(d, db, guard);
	for (size_t i = 0; i < d->n; i++) {
		struct sqlite_object *o = &d->objects[i];

		if (o->kind == SQLITE_OBJECT_VIEW)
			spread_to_view(d, o, db);
		o->protected = o->refused || sqlite_columns_db_strictest(o) != COLUMNS_CLEAR;
		if (o->protected && o->kind == SQLITE_OBJECT_VIRTUAL)
			o->sorted = o->n > 0 && o->columns[0].action != COLUMNS_CLEAR;
	}
	return SQLITE_OK;
}
