#include "workers/sql/sqlite/sqlite_columns_virtual.h"
#include "workers/sql/sqlite/sqlite_text.h"

#include <string.h>
#include <strings.h>

enum family {
	FAMILY_OWN,		/* has its own content: its columns are decided by their names */
	FAMILY_INDEX3,		/* full-text index; content= names its content table */
	FAMILY_INDEX5,
	FAMILY_VOCABULARY,	/* the words of the index that it names */
	FAMILY_UNKNOWN
};

static const struct {
	const char	*module;
	enum family	 family;
} families[] = {
	{ "fts3", FAMILY_INDEX3 }, { "fts4", FAMILY_INDEX3 }, { "fts5", FAMILY_INDEX5 }, { "fts4aux", FAMILY_VOCABULARY },
	{ "fts5vocab", FAMILY_VOCABULARY }, { "geopoly", FAMILY_OWN }, { "rtree", FAMILY_OWN }, { "rtree_i32", FAMILY_OWN },
};

/* Reads up to the arguments. */
static enum family
read_module(const struct sqlite_object *o, struct sqltext *s)
{
	struct sqltext_token t;

	*s = (struct sqltext){ .dialect = SQLTEXT_SQLITE, .text = span_str(o->sql) };
	for (int i = 0; i < 4; i++) /* the name is the fourth word, whatever its spelling */
		t = sqltext_next(s);
	t = sqltext_next(s);
	if (!sqltext_is(&t, "USING"))
		return FAMILY_UNKNOWN;
	t = sqltext_next(s);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (sqltext_names(&t, families[i].module))
			return families[i].family;
	return FAMILY_UNKNOWN;
}

static struct span
trimmed(struct span s)
{
	while (s.len > 0 && (s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r')))
		s = span_of(s.p + 1, s.len - 1);
	while (s.len > 0 && (s.p[s.len - 1] == ' ' || (s.p[s.len - 1] >= '\t' && s.p[s.len - 1] <= '\r')))
		s.len--;
	return s;
}

/*
 * Reads the next argument; false behind the last one.  *s is in front of it, or at the parenthesis
 * that opens the list.
 */
static bool
next_argument(struct sqltext *s, struct span *argument)
{
	struct sqltext_token t = { .kind = SQLTEXT_END };
	size_t begin = SIZE_MAX, end = s->at;
	unsigned depth = 0;

	for (;;) {
		t = sqltext_next(s);
		if (t.kind == SQLTEXT_END || t.kind == SQLTEXT_BROKEN || (depth == 0 && sqltext_is_punct(&t, ')')))
			break;
		if (begin == SIZE_MAX && sqltext_is_punct(&t, '(')) {
			begin = end = s->at;
			continue;
		}
		if (depth == 0 && sqltext_is_punct(&t, ','))
			break;
		if (begin == SIZE_MAX)
			begin = (size_t)(t.text.p - s->text.p);
		depth += sqltext_is_punct(&t, '(');
		depth -= sqltext_is_punct(&t, ')');
		end = s->at;
	}
	*argument = begin == SIZE_MAX ? SPAN_NONE : trimmed(span_of(s->text.p + begin, end - begin));
	return begin != SIZE_MAX;
}

/* "key = value"; a module accepts the value with or without quotes, and with blanks around it. */
static bool
split_option(struct span argument, struct span *key, struct span *value)
{
	const uint8_t *equals = argument.len == 0 ? NULL : memchr(argument.p, '=', argument.len);

	if (equals == NULL)
		return false;
	*key = trimmed(span_of(argument.p, (size_t)(equals - argument.p)));
	*value = trimmed(span_of(equals + 1, (size_t)(argument.p + argument.len - equals - 1)));
	return true;
}

static bool
value_names(struct span value, const char *name)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = value };
	struct sqltext_token t = sqltext_next(&s);

	return (t.text.len == value.len && sqltext_names(&t, name)) || span_is_word(value, name);
}

/* fts5 accepts a prefix of a key. */
static bool
is_key(enum family family, struct span key, const char *name)
{
	if (family == FAMILY_INDEX5)
		return key.len > 0 && key.len <= strlen(name) && strncasecmp(name, (const char *)key.p, key.len) == 0;
	return span_is_word(key, name);
}

static bool
is_protected(const struct sqlite_columns_db *d, const struct sqlite_object *o)
{
	if (o->kind == SQLITE_OBJECT_SHADOW && (o = sqlite_columns_db_owner(d, o->name)) == NULL)
		return false;
	return o->refused || sqlite_columns_db_strictest(o) != COLUMNS_CLEAR;
}

/* Whether the order of its rows, or the layout of its bytes, may reveal protected columns. */
static bool
lies_as_protected(const struct sqlite_columns_db *d, const struct sqlite_object *o)
{
	const struct sqlite_object *owner = o->kind == SQLITE_OBJECT_SHADOW ? sqlite_columns_db_owner(d, o->name) : o;

	return is_protected(d, o) || (owner != NULL && owner->laid_out);
}

/* The columns that a view reads. */
struct touch {
	const struct sqlite_columns_db	*d;
	bool				 protected, table;	/* protected: it reads a protected column; table: a
                                                                 * table with one, or laid out by one */
	bool				 joins;			/* it joins by columns that the authorizer is not
                                                                 * asked about */
	bool				 ordered;		/* it reads a table whose rows may come in the order
                                                                 * of a protected column */
	const struct sqlite_object	*first;			/* the first table that is read */
	bool				 several;
};

static bool
joins_by_name(const char *sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str(sql) };
	struct sqltext_token t;

	do {
		t = sqltext_next(&s);
		if (sqltext_is(&t, "NATURAL") || sqltext_is(&t, "USING"))
			return true;
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
	return false;
}

static void
page_note_read(void *arg, const char *table, const char *column, const char *accessor)
{
	struct touch *t = arg;
	const struct sqlite_object *o = sqlite_columns_db_object(t->d, table);
	const struct sqlite_object *by = accessor == NULL ? NULL : sqlite_columns_db_object(t->d, accessor);

	if (by != NULL && by->kind == SQLITE_OBJECT_VIEW) {
		t->joins = t->joins || joins_by_name(by->sql);
		t->protected = t->protected || is_protected(t->d, by);
	}
	t->protected = t->protected || strncasecmp(table, "sqlite_stat", 11) == 0;
	if (o != NULL && o->kind != SQLITE_OBJECT_VIEW) {
		t->several = t->several || (t->first != NULL && t->first != o);
		t->first = o;
	}
	t->table = t->table || (o != NULL && lies_as_protected(t->d, o));
	if (o == NULL || !is_protected(t->d, o))
		return;
	t->ordered = t->ordered || o->ordered || o->sorted;
	t->protected = t->protected || o->kind != SQLITE_OBJECT_TABLE ||
	    sqlite_columns_db_action(o, column == NULL ? "" : column) != COLUMNS_CLEAR;
}

/* Whether the view's column that the index uses as row id is the row id of the only table that the view reads. */
static bool
has_row_id_of(const struct sqlite_object *table, sqlite3_stmt *stmt, struct span row_id)
{
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const char *name = sqlite3_column_name(stmt, i), *origin = sqlite3_column_origin_name(stmt, i);
		const struct sqlite_object_column *c = origin == NULL ? NULL : sqlite_columns_db_column(table, origin);

		if (name != NULL && value_names(row_id, name))
			return c != NULL && sqlite_columns_db_is_row_id(table, c) && c->action == COLUMNS_CLEAR;
	}
	return false;
}

/*
 * The statement is compiled and never run; a view that does not compile counts
 * as protected.  An index is read in the order of its row ids: if these are
 * not the table's own, they follow the order in which the table was read,
 * which may reveal protected columns.
 */
static bool
view_is_protected(const struct sqlite_columns_db *d, const struct sqlite_object *view, struct span row_id, sqlite3 *db,
    struct sqlite_guard *guard, bool *lies_so)
{
	struct touch t = { .d = d, .joins = joins_by_name(view->sql) };
	char *sql = sqlite3_mprintf("SELECT * FROM main.\"%w\"", view->name);
	sqlite3_stmt *stmt = NULL;
	int rc = SQLITE_NOMEM;

	guard->seen = page_note_read;
	guard->seen_arg = &t;
	if (sql != NULL)
		rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
	guard->seen = NULL;
	if (rc == SQLITE_OK && t.ordered)
		t.protected = t.protected || t.several || !has_row_id_of(t.first, stmt, row_id);
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	*lies_so = t.table;
	return rc != SQLITE_OK || is_protected(d, view) || t.protected || (t.joins && t.table);
}

static bool
mark_refused(struct sqlite_object *o)
{
	bool before = o->refused;

	o->refused = true;
	for (size_t i = 0; i < o->n; i++)
		o->columns[i].action = COLUMNS_HIDE;
	return !before;
}

/*
 * An index of open columns shows nothing protected, but it was filled in the order in which its content was read: its
 * segments and nodes may reflect an index on a protected column.
 */
static bool
lay_out(struct sqlite_object *o, bool lies_so)
{
	bool stricter = lies_so && !o->laid_out;

	o->laid_out = o->laid_out || lies_so;
	return stricter;
}

/*
 * The order of rows shows the column that replaces the row id.  If it is not
 * the table's row id, which row gets which number depends on how the table was
 * read.
 */
static bool
row_id_tells(enum family family, const struct sqlite_object *content, struct span row_id)
{
	for (size_t i = 0; family == FAMILY_INDEX5 && row_id.len > 0 && i < content->n; i++) {
		const struct sqlite_object_column *c = &content->columns[i];

		if (value_names(row_id, c->name) && !sqlite_columns_db_is_row_id(content, c))
			return c->action != COLUMNS_CLEAR || content->ordered || content->sorted;
	}
	return sqlite_columns_db_row_id_action(content) != COLUMNS_CLEAR;
}

static bool
take_from_table(struct sqlite_object *o, const struct sqlite_object *content)
{
	enum columns_action strictest = sqlite_columns_db_strictest(content);
	bool stricter = false;

	for (size_t i = 0; i < o->n; i++) {
		const struct sqlite_object_column *c = sqlite_columns_db_column(content, o->columns[i].name);
		enum columns_action action = o->columns[i].inner ? COLUMNS_CLEAR : c != NULL ? c->action : strictest;

		if (action > o->columns[i].action) {
			o->columns[i].action = action;
			stricter = true;
		}
	}
	return stricter;
}

static bool
decide_index(struct sqlite_columns_db *d, struct sqlite_object *o, sqlite3 *db, struct sqlite_guard *guard,
    enum family family, struct sqltext *s)
{
	struct span argument, key, value, content = SPAN_NONE, row_id = SPAN_NONE;
	const struct sqlite_object *source = NULL;
	bool stricter, protected, lies_so;

	while (next_argument(s, &argument)) {
		if (!split_option(argument, &key, &value))
			continue;
		if (is_key(family, key, "content"))
			content = value;
		else if (is_key(family, key, "content_rowid"))
			row_id = value;
	}
	/* Without content=, or with an empty one, the index has its own content. */
	if (content.len == 0 || value_names(content, ""))
		return false;
	for (size_t i = 0; i < d->n; i++)
		if (value_names(content, d->objects[i].name))
			source = &d->objects[i];
	if (source == NULL)
		return mark_refused(o);
	if (source->kind == SQLITE_OBJECT_VIEW)
	protected = view_is_protected(d, source, family == FAMILY_INDEX5 ? row_id : SPAN("rowid"), db, guard, &lies_so);
	else
	{
		protected = source->kind == SQLITE_OBJECT_TABLE ? row_id_tells(family, source, row_id) :
								  is_protected(d, source);
		lies_so = lies_as_protected(d, source);
	}
	stricter = lay_out(o, lies_so);
	if (protected)
		return mark_refused(o) || stricter;
	return (source->kind == SQLITE_OBJECT_TABLE && take_from_table(o, source)) || stricter;
}

static bool
decide_vocabulary(struct sqlite_columns_db *d, struct sqlite_object *o, struct sqltext *s)
{
	bool known = false, protected = false;
	struct span argument;

	while (next_argument(s, &argument))
		for (size_t i = 0; i < d->n; i++)
			if (d->objects[i].kind == SQLITE_OBJECT_VIRTUAL && value_names(argument, d->objects[i].name)) {
				known = true;
				protected = protected || is_protected(d, &d->objects[i]);
			}
	return (!known || protected) && mark_refused(o);
}

bool
sqlite_columns_virtual_decide(struct sqlite_columns_db *d, struct sqlite_object *o, sqlite3 *db,
    struct sqlite_guard *guard)
{
	struct sqltext s;
	enum family family = read_module(o, &s);

	switch (family) {
	case FAMILY_OWN:
		return false;
	case FAMILY_INDEX3:
	case FAMILY_INDEX5:
		return decide_index(d, o, db, guard, family, &s);
	case FAMILY_VOCABULARY:
		return decide_vocabulary(d, o, &s);
	case FAMILY_UNKNOWN:
		break;
	}
	return mark_refused(o);
}

bool
sqlite_columns_virtual_is_allowed(const struct sqlite_object *o)
{
	struct sqltext s;

	return read_module(o, &s) != FAMILY_UNKNOWN;
}
