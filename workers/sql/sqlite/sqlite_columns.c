#include "workers/sql/sqlite/sqlite_columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/sql/digest.h"
#include "workers/sql/sqlite/sqlite_columns_db.h"
#include "workers/sql/sqlite/sqlite_columns_text.h"
#include "workers/sql/sqlite/sqlite_text.h"

#define BODY		"carrel_body:"		/* the file's own view, over the temporary ones */
/* The body of a view that cannot be made again: the authorizer refuses to read it. */
#define REFUSED		"AS SELECT * FROM temp.sqlite_schema"
#define MASK		"carrel_protected_mask"
#define DIGEST		"carrel_protected_digest"

struct sqlite_columns {
	const struct columns		*policy;
	const char			*key;
	sqlite3				*db;
	struct sqlite_guard		*guard;
	struct sqlite_columns_db	 known;
	size_t				 nalso;		/* the last entries of known are names of
                                                         * sqlite_columns_also() */
	uint32_t			 view;
	bool				 ready;
	sqlite3_int64			 schema_version;
	sqlite3_stmt			*version;
	char				**made;		/* temporary views, to be dropped from the last to the first */
	size_t				 nmade;
};

static void
mask(sqlite3_context *context, int n, sqlite3_value **values)
{
	(void)n;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		sqlite3_result_null(context);
	else
		sqlite3_result_text(context, COLUMNS_MASKED, -1, SQLITE_STATIC);
}

static void
digest(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *key = sqlite3_user_data(context);
	char out[DIGEST_TEXT];
	const void *text;

	(void)n;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL) {
		sqlite3_result_null(context);
		return;
	}
	text = sqlite3_value_text(values[0]);
	digest_text(key, span_of(text == NULL ? "" : text, (size_t)sqlite3_value_bytes(values[0])), out);
	sqlite3_result_text(context, out, -1, SQLITE_TRANSIENT);
}

bool
sqlite_columns_is_function(const char *name)
{
	return sqlite3_stricmp(name, MASK) == 0 || sqlite3_stricmp(name, DIGEST) == 0;
}

bool
sqlite_columns_is_trusted(const char *accessor)
{
	return accessor != NULL && strncmp(accessor, SQLITE_COLUMNS_TRUSTED, strlen(SQLITE_COLUMNS_TRUSTED)) == 0;
}

static int
run_sql(struct sqlite_columns *p, char *sql)
{
	int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(p->db, sql, NULL, NULL, NULL);

	sqlite3_free(sql);
	return rc;
}

static int
make_object(struct sqlite_columns *p, const char *prefix, const char *name, const char *body)
{
	char *full = sqlite3_mprintf("%s%s", prefix, name);
	int rc = full == NULL ? SQLITE_NOMEM : run_sql(p, sqlite3_mprintf("CREATE TEMP VIEW \"%w\" %s", full, body));

	if (rc == SQLITE_OK) {
		p->made = mem_resize(p->made, p->nmade + 1, sizeof(*p->made));
		p->made[p->nmade++] = full;
	} else
		sqlite3_free(full);
	return rc;
}

static int
unmake_all(struct sqlite_columns *p)
{
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK && p->nmade > 0) {
		rc = run_sql(p, sqlite3_mprintf("DROP VIEW IF EXISTS temp.\"%w\"", p->made[p->nmade - 1]));
		if (rc == SQLITE_OK)
			sqlite3_free(p->made[--p->nmade]);
	}
	return rc;
}

static void
put_column(struct buf *out, const struct sqlite_object_column *c)
{
	bool wrapped = c->action != COLUMNS_CLEAR && !c->derived;

	if (c->action == COLUMNS_HIDE || c->inner)
		return;
	buf_str(out, out->len > 0 ? ", " : "");
	if (wrapped)
		buf_str(out, c->action == COLUMNS_MASK ? MASK "(" : DIGEST "(");
	sqltext_put_name(out, span_str(c->name));
	buf_str(out, wrapped ? ") AS " : "");
	if (wrapped)
		sqltext_put_name(out, span_str(c->name));
}

/*
 * An order of the rows that reveals no protected column.  LIMIT keeps the
 * order, and keeps conditions on the view from being pushed down into a virtual
 * table, where they could search other columns.
 */
static void
put_order(struct buf *out, const struct sqlite_object *o, bool values)
{
	unsigned n = 0;

	/* For tables without row ids NOT INDEXED has no effect: name their own index. */
	if (o->kind == SQLITE_OBJECT_TABLE && o->ordered && o->own_index != NULL) {
		buf_str(out, " INDEXED BY ");
		sqltext_put_name(out, span_str(o->own_index));
	} else if (o->kind == SQLITE_OBJECT_TABLE && o->ordered)
		buf_str(out, " NOT INDEXED");
	if (o->kind == SQLITE_OBJECT_VIEW || (o->kind == SQLITE_OBJECT_TABLE && !o->sorted))
		return;
	if (!o->sorted || !values)
		buf_str(out, o->sorted ? "" : " ORDER BY rowid");
	else
		for (size_t i = 0; i < o->n; i++)
			if (o->columns[i].action != COLUMNS_HIDE && !o->columns[i].inner) {
				n++;
				buf_printf(out, "%s%u COLLATE BINARY", n > 1 ? ", " : " ORDER BY ", n);
			}
	buf_str(out, " LIMIT -1");
}

/* Makes the trusted view over source, and over that the view with the object's own name. */
static int
make_pair(struct sqlite_columns *p, const struct sqlite_object *o, const char *schema, const char *prefix)
{
	struct buf list = { 0 }, body = { 0 };
	char *source = sqlite3_mprintf("%s.\"%w%w\"", schema, prefix, o->name);
	char *trusted = sqlite3_mprintf("AS SELECT * FROM temp.\"" SQLITE_COLUMNS_TRUSTED "%w\"", o->name);
	int rc = SQLITE_NOMEM;

	for (size_t i = 0; i < o->n; i++)
		put_column(&list, &o->columns[i]);
	/* A table without visible columns still has a row count. */
	buf_str(&body, "AS SELECT ");
	buf_str(&body, list.len > 0 ? buf_cstr(&list) : "NULL AS \"nothing\"");
	buf_str(&body, " FROM ");
	if (source != NULL && trusted != NULL) {
		buf_str(&body, source);
		put_order(&body, o, list.len > 0);
		rc = make_object(p, SQLITE_COLUMNS_TRUSTED, o->name, buf_cstr(&body));
		if (rc == SQLITE_OK)
			rc = make_object(p, "", o->name, trusted);
	}
	sqlite3_free(source);
	sqlite3_free(trusted);
	buf_fini(&list);
	buf_fini(&body);
	return rc;
}

/* The text after the name in "CREATE VIEW name …", as SQLite stores it. */
static const char *
view_body(const struct sqlite_object *o)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = span_str(o->sql) };
	struct sqltext_token t = sqltext_next(&s);

	if (!sqltext_is(&t, "CREATE"))
		return NULL;
	t = sqltext_next(&s);
	if (!sqltext_is(&t, "VIEW"))
		return NULL;
	(void)sqltext_next(&s);
	return o->sql + s.at;
}

static int
make_view(struct sqlite_columns *p, const struct sqlite_object *o)
{
	const char *body = view_body(o);
	char *temporary;
	bool protected = false;
	int rc;

	for (size_t i = 0; i < o->n; i++)
	protected = protected || (o->columns[i].action != COLUMNS_CLEAR && !o->columns[i].derived);
	if (body == NULL || strcasestr(o->sql, SQLITE_COLUMNS_RESERVED) != NULL ||
	    sqlite_columns_text_joins_unseen(&p->known, span_str(body)))
		return SQLITE_ERROR;
	temporary = sqlite_columns_text_temporary(&p->known, span_str(body));
	if (temporary != NULL)
		body = temporary;
	if (!protected)
		rc = make_object(p, "", o->name, body);
	else if ((rc = make_object(p, BODY, o->name, body)) == SQLITE_OK)
		rc = make_pair(p, o, "temp", BODY);
	free(temporary);
	return rc;
}

/* Makes a view in front of an object that must not be read. */
static int
make_refused(struct sqlite_columns *p, struct sqlite_object *o)
{
	o->fronted = o->refused = true;
	return make_object(p, "", o->name, REFUSED);
}

/* SQLite does not accept a view with such a name. */
static bool
is_reserved(const struct sqlite_object *o)
{
	return sqlite3_strnicmp(o->name, "sqlite_", 7) == 0;
}

static int
make_all(struct sqlite_columns *p)
{
	bool any = false;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < p->known.n && rc == SQLITE_OK; i++) {
		struct sqlite_object *o = &p->known.objects[i];

		any = any || o->protected;
		if (!o->protected || is_reserved(o) ||
		    (o->kind != SQLITE_OBJECT_TABLE && o->kind != SQLITE_OBJECT_VIRTUAL))
			continue;
		o->fronted = true;
		rc = o->refused ? make_refused(p, o) : make_pair(p, o, "main", "");
	}
	/* All views, because an unprotected view may read protected tables; each must know which names are replaced. */
	for (size_t i = 0; i < p->known.n; i++)
		if (p->known.objects[i].kind == SQLITE_OBJECT_VIEW)
			p->known.objects[i].fronted = any;
	for (size_t i = 0; i < p->known.n && rc == SQLITE_OK; i++) {
		struct sqlite_object *o = &p->known.objects[i];

		if (o->kind == SQLITE_OBJECT_VIEW && any && make_view(p, o) != SQLITE_OK)
			rc = make_refused(p, o);
	}
	return rc;
}

/* Only the temporary schema is written, and it is in memory. */
static int
make_again(struct sqlite_columns *p)
{
	enum sqlite_guard_mode mode = p->guard->mode;
	int rc;

	p->guard->mode = GUARD_TRUSTED;
	p->ready = false;
	rc = sqlite3_exec(p->db, "PRAGMA query_only=0", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = unmake_all(p);
	if (rc == SQLITE_OK)
		rc = sqlite_columns_db_read(&p->known, p->db, p->guard, p->policy, p->view);
	if (rc == SQLITE_OK)
		rc = make_all(p);
	if (sqlite3_exec(p->db, "PRAGMA query_only=1", NULL, NULL, NULL) != SQLITE_OK)
		rc = SQLITE_ERROR;
	p->guard->mode = mode;
	p->ready = rc == SQLITE_OK;
	return rc;
}

static int
columns_cannot(struct sqlite_columns *p, const char *what, struct err *err)
{
	err_set(err, ERR_DATABASE_UNAVAILABLE, "the column policy cannot be applied to this database: %s", what);
	return err_detail(err, "%s", sqlite3_errmsg(p->db));
}

int
sqlite_columns_open(struct sqlite_columns **out, sqlite3 *db, struct sqlite_guard *guard,
    const struct columns *policy, const char *key, struct err *err)
{
	struct sqlite_columns *p = mem_new(1, sizeof(*p));
	int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

	*out = p;
	p->policy = policy;
	p->key = key;
	p->db = db;
	p->guard = guard;
	if (sqlite3_create_function_v2(db, MASK, 1, flags, NULL, mask, NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_create_function_v2(db, DIGEST, 1, flags, (void *)(uintptr_t)key, digest, NULL, NULL, NULL) !=
		SQLITE_OK)
		return columns_cannot(p, "its functions cannot be registered", err);
	return 0;
}

void
sqlite_columns_close(struct sqlite_columns *p)
{
	if (p == NULL)
		return;
	sqlite3_finalize(p->version);
	for (size_t i = 0; i < p->nmade; i++)
		sqlite3_free(p->made[i]);
	free(p->made);
	sqlite_columns_db_fini(&p->known);
	free(p);
}

/* -1 if it is unknown; no schema has that version. */
static sqlite3_int64
schema_version(struct sqlite_columns *p)
{
	enum sqlite_guard_mode mode = p->guard->mode;
	sqlite3_int64 version = -1;

	p->guard->mode = GUARD_TRUSTED;
	if (p->version != NULL ||
	    sqlite3_prepare_v3(p->db, "PRAGMA main.schema_version", -1, SQLITE_PREPARE_PERSISTENT, &p->version, NULL) ==
		SQLITE_OK) {
		if (sqlite3_step(p->version) == SQLITE_ROW)
			version = sqlite3_column_int64(p->version, 0);
		sqlite3_reset(p->version);
	}
	p->guard->mode = mode;
	return version;
}

int
sqlite_columns_prepare(struct sqlite_columns *p, uint32_t scopes, bool *changed, struct err *err)
{
	uint32_t view = columns_view(p->policy, scopes);
	sqlite3_int64 version = schema_version(p);

	*changed = false;
	if (p->ready && view == p->view && version == p->schema_version)
		return 0;
	*changed = true;
	p->view = view;
	if (make_again(p) != SQLITE_OK)
		return columns_cannot(p, "its views cannot be made", err);
	p->schema_version = version;
	return 0;
}

void
sqlite_columns_forget(struct sqlite_columns *p)
{
	if (p != NULL)
		p->ready = false;
}

bool
sqlite_columns_is_fronted(const struct sqlite_columns *p, const char *table)
{
	const struct sqlite_object *o = sqlite_columns_db_object(&p->known, table);

	return o != NULL && o->fronted;
}

bool
sqlite_columns_is_refused(const struct sqlite_columns *p, const char *table)
{
	const struct sqlite_object *o = table == NULL ? NULL : sqlite_columns_db_object(&p->known, table);

	return o != NULL &&
	    (o->refused ||
		(o->kind == SQLITE_OBJECT_SHADOW && (o = sqlite_columns_db_owner(&p->known, table)) != NULL &&
		    o->refused));
}

enum columns_action
sqlite_columns_action(const struct sqlite_columns *p, const char *table, const char *column)
{
	const struct sqlite_object *o = sqlite_columns_db_object(&p->known, table);

	if (o != NULL && o->refused)
		return COLUMNS_HIDE;
	if (o != NULL && sqlite_columns_db_column(o, column) != NULL)
		return sqlite_columns_db_action(o, column);
	/* Newer than the known schema: decide by its name. */
	return columns_decide(p->policy, p->view, SPAN("main"), span_str(table), span_str(column));
}

enum columns_action
sqlite_columns_named(const struct sqlite_columns *p, const char *table, const char *sql)
{
	const struct sqlite_object *o = sqlite_columns_db_object(&p->known, table);

	/* Newer than the known schema: show nothing. */
	return o == NULL ? COLUMNS_HIDE : sqlite_columns_db_named(o, sql);
}

bool
sqlite_columns_names_any(const struct sqlite_columns *p, struct span sql)
{
	char *copy = mem_text(sql);
	bool any = false;

	for (size_t i = 0; i < p->known.n && !any; i++) {
		const struct sqlite_object *o = &p->known.objects[i];

		any = o->protected && sqlite_columns_db_names_table(o, copy) &&
		    sqlite_columns_db_named(o, copy) != COLUMNS_CLEAR;
	}
	free(copy);
	return any;
}

bool
sqlite_columns_may_read(const struct sqlite_columns *p, const char *table, const char *column,
    const char *database, const char *accessor)
{
	const struct sqlite_object *o;

	if (table == NULL || sqlite_columns_is_trusted(accessor))
		return true;
	/* Tables with samples and counts of values, and with the text of our views. */
	if (strncasecmp(table, "sqlite_temp_", 12) == 0 || strncasecmp(table, "sqlite_stat", 11) == 0)
		return false;
	if (database != NULL && sqlite3_stricmp(database, "main") != 0)
		return true;
	o = sqlite_columns_db_object(&p->known, table);
	if (o != NULL && o->kind == SQLITE_OBJECT_SHADOW)
		return !sqlite_columns_db_is_closed(&p->known, o);
	if (o != NULL && o->refused)
		return false;
	if (column == NULL || *column == '\0')
		return true;
	/*
	 * Without the view not even the open columns may be read: an index on a protected column could order the rows,
	 * and a text index is searched through them.
	 */
	if (o != NULL && o->kind != SQLITE_OBJECT_VIEW && o->protected)
		return false;
	return sqlite_columns_action(p, table, column) == COLUMNS_CLEAR;
}

bool
sqlite_columns_matches(const struct sqlite_columns *p, size_t rule)
{
	for (size_t i = 0; i < p->known.n; i++) {
		const struct sqlite_object *o = &p->known.objects[i];

		for (size_t k = 0; k < o->n; k++)
			if (columns_fits(p->policy, rule, SPAN("main"), span_str(o->name),
				span_str(o->columns[k].name)))
				return true;
	}
	return false;
}

void
sqlite_columns_also(struct sqlite_columns *p, const char *name, const char *table)
{
	struct sqlite_columns_db *d = &p->known;
	const struct sqlite_object *o = sqlite_columns_db_object(d, table);

	if (o == NULL)
		return;
	d->objects = mem_resize(d->objects, d->n + 1, sizeof(*d->objects));
	o = sqlite_columns_db_object(d, table);
	d->objects[d->n++] = (struct sqlite_object){ .kind = SQLITE_OBJECT_VIEW, .name = mem_text(span_str(name)),
		.n = o->n, .columns = o->columns };
	p->nalso++;
}

void
sqlite_columns_also_none(struct sqlite_columns *p)
{
	for (; p->nalso > 0; p->nalso--)
		free(p->known.objects[--p->known.n].name);
}

int
sqlite_columns_check(const struct sqlite_columns *p, struct span sql, size_t *at, struct err *err)
{
	static const char reserved[] = SQLITE_COLUMNS_RESERVED;

	*at = SIZE_MAX;
	for (size_t i = 0; i + sizeof(reserved) - 1 <= sql.len; i++)
		if (strncasecmp((const char *)sql.p + i, reserved, sizeof(reserved) - 1) == 0) {
			*at = i;
			return err_set(err, ERR_FORBIDDEN_SQL,
			    "the text \"%s\" is not allowed in a statement (character %zu): "
			    "names that begin so belong to the column policy",
			    reserved, utf8_count(span_of(sql.p, i)) + 1);
		}
	if (sqlite_columns_text_joins_unseen(&p->known, sql))
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "a table that keeps values of columns with a column policy (a shadow table, "
		    "sqlite_sequence, sqlite_stat1) cannot be named in a statement with USING or NATURAL JOIN; leave "
		    "it out");
	return sqlite_columns_text_check(&p->known, sql, at, err);
}

char *
sqlite_columns_unqualified(const struct sqlite_columns *p, struct span sql)
{
	return sqlite_columns_text_temporary(&p->known, sql);
}

bool
sqlite_columns_explain(const struct sqlite_columns *p, const char *message, struct err *err)
{
	static const char no_column[] = "no such column: ";
	const char *name = strstr(message, no_column), *dot;

	if (name == NULL)
		return false;
	name += strlen(no_column);
	if ((dot = strrchr(name, '.')) != NULL)
		name = dot + 1;
	for (size_t i = 0; i < p->known.n; i++)
		for (size_t k = 0; k < p->known.objects[i].n; k++) {
			const struct sqlite_object_column *c = &p->known.objects[i].columns[k];

			if (c->action != COLUMNS_HIDE || sqlite3_stricmp(c->name, name) != 0)
				continue;
			err_set(err, ERR_FORBIDDEN_SQL,
			    "the column %s is hidden: this connection's column policy does not let it be "
			    "read, compared or named, here or in a view; leave it out",
			    name);
			return true;
		}
	return false;
}
