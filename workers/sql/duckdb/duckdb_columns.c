#include "workers/sql/duckdb/duckdb_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "workers/shared/call.h"
#include "workers/sql/digest.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_lineage.h"
#include "workers/sql/duckdb/duckdb_sql.h"
#include "workers/sql/duckdb/duckdb_text.h"

#define DIGEST		"carrel_digest"
#define NAMES_MEMORY	((size_t)64 << 20)	/* of the front's columns */
#define TREE_MEMORY	((size_t)32 << 20)	/* of one view's tree */

struct front_column {
	char			*name;
	char			*computed;	/* its default, or the expression of a generated one; NULL: neither */
	struct buf		 fields;	/* of a STRUCT or UNION in its type, each with a NUL */
	bool			 json, keyed;	/* its type is JSON; has JSON or a MAP, of unknown keys, in it */
	bool			 plain;		/* of JSON, values with keys are masked */
	enum columns_action	 action;
};

/* A relation of the file, and what the front has of it. */
struct front_relation {
	char			*schema, *name;
	char			*sql;		/* the definition of a view; NULL: a table */
	size_t			 n, cap;
	struct front_column	*columns;
	struct duckdb_seen	 seen;		/* in names */
};

struct duckdb_columns {
	const struct columns	*policy;
	const char		*key;
	char			*front;
	size_t			 n, cap;
	struct front_relation	*relations;
	bool			 ready;		/* the front is made, for that view */
	uint32_t		 view;
	struct arena		*names;		/* of the columns that seen has */
	struct arena		*tree;		/* of the view that is looked at */
	size_t			 nalso, also_cap;
	struct front_also {
		char			*name;
		const struct duckdb_seen *seen;
	}			*also;
};

/* Where a name is looked for. */
struct front_search {
	const struct duckdb_columns	*p;
	const char			*home;		/* the schema of a view, which comes first; NULL: none */
};

/* The name that DuckDB gives a file: up to its first dot.  These names are taken. */
static char *
name_of_file(const char *path)
{
	static const char *const taken[] = { "", "memory", "system", "temp", DUCKDB_SCHEMA, DUCKDB_COLUMNS_FILE, NULL };
	const char *slash = strrchr(path, '/');
	struct span name = span_str(slash == NULL ? path : slash + 1);

	name.len = strcspn((const char *)name.p, ".");
	return mem_printf("%.*s%s", SPAN_FMT(name), span_is_any_word(name, taken) ? "_db" : "");
}

struct duckdb_columns *
duckdb_columns_new(const struct columns *policy, const char *key, const char *path)
{
	struct duckdb_columns *p;

	if (columns_is_empty(policy))
		return NULL;
	p = mem_new(1, sizeof(*p));
	p->policy = policy;
	p->key = key;
	p->front = name_of_file(path);
	p->names = arena_new(NAMES_MEMORY);
	p->tree = arena_new(TREE_MEMORY);
	return p;
}

static void
drop_relations(struct duckdb_columns *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct front_relation *r = &p->relations[i];

		for (size_t k = 0; k < r->n; k++) {
			free(r->columns[k].name);
			free(r->columns[k].computed);
			buf_fini(&r->columns[k].fields);
		}
		free(r->columns);
		free(r->schema);
		free(r->name);
		free(r->sql);
	}
	p->n = 0;
	p->ready = false;
}

void
duckdb_columns_free(struct duckdb_columns *p)
{
	if (p == NULL)
		return;
	drop_relations(p);
	duckdb_columns_also_none(p);
	free(p->also);
	free(p->relations);
	free(p->front);
	arena_free(p->names);
	arena_free(p->tree);
	free(p);
}

const char *
duckdb_columns_front(const struct duckdb_columns *p)
{
	return p->front;
}

/* On the library's thread.  NULL is kept from it by the view; what it writes there is not seen. */
static void
digest_rows(void *info, struct duck_chunk *input, struct duck_vector *output)
{
	const char *key = duck.scalar_function_get_extra_info(info);
	struct duck_vector *vector = duck.data_chunk_get_vector(input, 0);
	const uint64_t *valid = duck.vector_get_validity(vector);
	const union duck_text *texts = duck.vector_get_data(vector);
	uint64_t n = duck.data_chunk_get_size(input);
	char out[DIGEST_TEXT];

	for (uint64_t i = 0; i < n; i++) {
		const union duck_text *t = &texts[i];
		bool is_null = valid != NULL && (valid[i / 64] >> (i % 64) & 1) == 0;
		const char *p = t->pointer.length <= DUCK_INLINED ? t->value.inlined : t->pointer.p;

		digest_text(key, is_null ? SPAN("") : span_of(p, t->pointer.length), out);
		duck.vector_assign_string_element_len(output, i, out, sizeof(out) - 1);
	}
}

int
duckdb_columns_register(struct duckdb_columns *p, struct duck_connection *c)
{
	struct duck_function *f = duck.create_scalar_function();
	struct duck_type *text = duck.create_logical_type(DUCK_VARCHAR);
	int rc;

	duck.scalar_function_set_name(f, DIGEST);
	duck.scalar_function_add_parameter(f, text);
	duck.scalar_function_set_return_type(f, text);
	duck.scalar_function_set_extra_info(f, (void *)(uintptr_t)p->key, NULL);
	duck.scalar_function_set_function(f, digest_rows);
	rc = duck.register_scalar_function(c, f);
	duck.destroy_logical_type(&text);
	duck.destroy_scalar_function(&f);
	return rc == 0 ? 0 : -1;
}

/* Text of the current row, on the heap; NULL for NULL. */
static char *
row_text(struct sql_db *db, uint64_t column)
{
	struct duckdb_session *s = &db->session;
	struct buf text = { 0 };
	char *kept = NULL;

	if (duckdb_values_text(&text, s->types[column], duck.data_chunk_get_vector(s->chunk, column), s->row - 1))
		kept = mem_text(buf_view(&text));
	buf_fini(&text);
	return kept;
}

static struct front_relation *
relation_of_row(struct duckdb_columns *p, char *schema, char *name, char *sql)
{
	struct front_relation *last = p->n == 0 ? NULL : &p->relations[p->n - 1];

	if (last != NULL && strcmp(last->schema, schema) == 0 && strcmp(last->name, name) == 0) {
		free(schema);
		free(name);
		free(sql);
		return last;
	}
	p->relations = mem_grow(p->relations, p->n, &p->cap, sizeof(*p->relations));
	p->relations[p->n] = (struct front_relation){ .schema = schema, .name = name, .sql = sql };
	return &p->relations[p->n++];
}

static bool
is_name(const struct sqltext_token *t)
{
	return t->kind == SQLTEXT_WORD || t->kind == SQLTEXT_QUOTED;
}

/* Whether a word of a type, which is no field's name, stands for values with keys that the type does not tell. */
static bool
is_keyed(const struct sqltext_token *t, const struct sqltext_token *next)
{
	return (sqltext_is(t, "JSON") && !is_name(next)) || (sqltext_is(t, "MAP") && sqltext_is_punct(next, '('));
}

/* The fields of a type, at any depth: "name TYPE" behind a parenthesis or a comma. */
static void
read_fields(struct duckdb_columns *p, struct span type, struct buf *fields, bool *keyed)
{
	struct sqltext s = { .dialect = SQLTEXT_DUCKDB, .text = type };
	struct sqltext_token t = sqltext_next(&s), next;
	bool begins = false;

	for (; t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN; t = next) {
		next = sqltext_next(&s);
		if (begins && is_name(&t) && is_name(&next) && !sqltext_is(&next, "WITH")) {
			buf_str(fields, sqltext_unquoted(p->tree, t.text));
			buf_byte(fields, '\0');
		}
		*keyed = *keyed || is_keyed(&t, &next);
		begins = sqltext_is_punct(&t, '(') || sqltext_is_punct(&t, ',');
	}
}

static void
add_row_column(struct sql_db *db, struct front_relation *r)
{
	struct front_column *c;
	char *type = row_text(db, 5);

	r->columns = mem_grow(r->columns, r->n, &r->cap, sizeof(*r->columns));
	c = &r->columns[r->n++];
	*c = (struct front_column){ .name = row_text(db, 2), .computed = row_text(db, 3) };
	arena_reset(db->columns->tree);
	read_fields(db->columns, span_str(type), &c->fields, &c->keyed);
	c->json = strcmp(type, "JSON") == 0;
	free(type);
}

int
duckdb_columns_read(struct sql_db *db, struct err *err)
{
	struct duckdb_columns *p = db->columns;
	int rc;

	if (p == NULL)
		return 0;
	drop_relations(p);
	if (duckdb_session_run(db, span_str(duckdb_policy_sql), false, err) == -1)
		return -1;
	while ((rc = duckdb_session_next(db, err)) == 1)
		add_row_column(db,
		    relation_of_row(p, row_text(db, 0), row_text(db, 1), db->files.n > 0 ? NULL : row_text(db, 4)));
	return rc;
}

/* Whether a file's column may be called so because another column of the file has its name: "SSN_1". */
static bool
is_renamed(const char *name, const char *of)
{
	const char *rest = name + strlen(of);

	return span_begins_word(span_str(name), of) && rest[0] == '_' && rest[1] != '\0' &&
	    rest[1 + strspn(rest + 1, "0123456789")] == '\0';
}

/* A column that is computed from a protected one, or has its name in a file, is protected alike.  True: one was. */
static bool
protect_alike(struct front_relation *r, bool of_files)
{
	bool any = false;

	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->n; k++) {
			struct front_column *c = &r->columns[i], *of = &r->columns[k];

			if (of->action <= c->action ||
			    !(of_files ?
				    is_renamed(c->name, of->name) :
				    c->computed != NULL && duckdb_names_in(span_str(c->computed), of->name, false)))
				continue;
			c->action = of->action;
			any = true;
		}
	return any;
}

/* The field at that place, and the place of the next one; NULL if none. */
static const char *
next_field(const struct buf *fields, size_t *at)
{
	const char *field = *at < fields->len ? (const char *)fields->p + *at : NULL;

	*at += field == NULL ? 0 : strlen(field) + 1;
	return field;
}

/* A rule may name a field like a column of the relation, or as column.field: then it hides the column. */
static enum columns_action
decide_column(const struct duckdb_columns *p, const struct front_relation *r, struct span name,
    const struct buf *fields)
{
	struct span schema = span_str(r->schema), relation = span_str(r->name);
	const char *field;

	for (size_t at = 0; (field = next_field(fields, &at)) != NULL;)
		if (columns_decide(p->policy, p->view, schema, relation, span_str(field)) != COLUMNS_CLEAR ||
		    columns_decide(p->policy, p->view, relation, name, span_str(field)) != COLUMNS_CLEAR)
			return COLUMNS_HIDE;
	return columns_decide(p->policy, p->view, schema, relation, name);
}

/*
 * What a file has where its values differ from row to row is JSON, or a MAP of many keys.  Any of them may be a field
 * that a rule names: of a column of JSON only what has no keys is shown, others are hidden.
 */
static void
decide_keyed(const struct duckdb_columns *p, const struct front_relation *r, struct front_column *c)
{
	struct span relation = span_str(r->name);

	if (!columns_binds(p->policy, p->view, span_str(r->schema), relation) &&
	    !columns_binds(p->policy, p->view, relation, span_str(c->name)))
		return;
	c->plain = c->json;
	c->action = c->json ? c->action : COLUMNS_HIDE;
}

static void
decide_columns(struct duckdb_columns *p, struct front_relation *r, bool of_files)
{
	for (size_t i = 0; i < r->n; i++) {
		struct front_column *c = &r->columns[i];

		c->action = decide_column(p, r, span_str(c->name), &c->fields);
		c->plain = false;
		if (of_files && c->keyed)
			decide_keyed(p, r, c);
	}
	while (r->sql == NULL && protect_alike(r, of_files))
		;
}

static int
run_text(struct sql_db *db, struct buf *sql, struct err *err)
{
	int rc = sql->full ? err_set(err, ERR_RESULT_TOO_LARGE, "the definition of a view is too long") :
			     duckdb_session_run(db, buf_view(sql), false, err);

	buf_fini(sql);
	return rc;
}

static void
put_relation(struct buf *out, const char *catalog, const struct front_relation *r)
{
	sqltext_put_name(out, span_str(catalog));
	buf_byte(out, '.');
	sqltext_put_name(out, span_str(r->schema));
	buf_byte(out, '.');
	sqltext_put_name(out, span_str(r->name));
}

/* The column as callers see it; nothing for a hidden one. */
static void
put_column(struct buf *out, struct span name, enum columns_action action)
{
	if (action == COLUMNS_HIDE)
		return;
	buf_str(out, out->len > 0 ? ", " : "");
	if (action != COLUMNS_CLEAR) {
		buf_str(out, "CASE WHEN ");
		sqltext_put_name(out, name);
		buf_str(out,
		    action == COLUMNS_MASK ? " IS NOT NULL THEN '" COLUMNS_MASKED "' END AS " :
					     " IS NOT NULL THEN CAST(" DIGEST "(CAST(");
	}
	sqltext_put_name(out, name);
	if (action == COLUMNS_HASH) {
		buf_str(out, " AS VARCHAR)) AS UUID) END AS ");
		sqltext_put_name(out, name);
	}
}

/* The column without what has keys. */
static void
put_plain(struct buf *out, struct span name)
{
	buf_str(out, out->len > 0 ? ", CASE WHEN json_type(" : "CASE WHEN json_type(");
	sqltext_put_name(out, name);
	buf_str(out, ") IN ('OBJECT', 'ARRAY') THEN CAST('\"" COLUMNS_MASKED "\"' AS JSON) ELSE ");
	sqltext_put_name(out, name);
	buf_str(out, " END AS ");
	sqltext_put_name(out, name);
}

static void
see_column(struct duckdb_columns *p, struct front_relation *r, struct span name, enum columns_action action)
{
	struct span kept = arena_span(p->names, name);

	if (action != COLUMNS_HIDE && kept.p != NULL)
		r->seen.shape.columns[r->seen.shape.n++] = (struct duckdb_shape_column){ kept, action };
}

static int
make_room(struct duckdb_columns *p, struct front_relation *r, size_t n, struct err *err)
{
	r->seen.shape = (struct duckdb_shape){ .cap = n,
		.columns = arena_array(p->names, n + 1, sizeof(struct duckdb_shape_column)) };
	return r->seen.shape.columns != NULL ?
	    0 :
	    err_set(err, ERR_RESULT_TOO_LARGE, "the database has too many columns for a column policy");
}

/* The view in front of a relation with such columns, which come from source. */
static int
make_view_over(struct sql_db *db, struct front_relation *r, const struct buf *list, const struct buf *source,
    struct err *err)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);

	buf_str(&sql, "CREATE OR REPLACE VIEW ");
	put_relation(&sql, db->columns->front, r);
	buf_str(&sql, " AS SELECT ");
	/* A relation without visible columns still has a number of rows. */
	buf_str(&sql, list->len > 0 ? "" : "NULL AS nothing");
	buf_span(&sql, buf_view(list));
	buf_str(&sql, " FROM ");
	buf_span(&sql, buf_view(source));
	return run_text(db, &sql, err);
}

static int
make_table(struct sql_db *db, struct front_relation *r, struct err *err)
{
	struct buf list = { 0 }, source = { 0 };
	int rc = make_room(db->columns, r, r->n, err);

	for (size_t i = 0; i < r->n && rc == 0; i++) {
		if (r->columns[i].plain && r->columns[i].action == COLUMNS_CLEAR)
			put_plain(&list, span_str(r->columns[i].name));
		else
			put_column(&list, span_str(r->columns[i].name), r->columns[i].action);
		see_column(db->columns, r, span_str(r->columns[i].name), r->columns[i].action);
	}
	put_relation(&source, DUCKDB_COLUMNS_FILE, r);
	if (rc == 0)
		rc = make_view_over(db, r, &list, &source, err);
	r->seen.state = DUCKDB_SEEN;
	buf_fini(&list);
	buf_fini(&source);
	return rc;
}

static const struct front_relation *
find_relation(const struct duckdb_columns *p, struct span schema, struct span name)
{
	for (size_t i = 0; i < p->n; i++)
		if (span_is_word(name, p->relations[i].name) && span_is_word(schema, p->relations[i].schema))
			return &p->relations[i];
	return NULL;
}

/* "a.b" may be a schema's or the database's table. */
static const struct duckdb_seen *
find_seen(void *arg, struct span schema, struct span name)
{
	const struct front_search *s = arg;
	const struct front_relation *r = NULL;

	for (size_t i = 0; i < s->p->nalso; i++)
		if (schema.len == 0 && span_is_word(name, s->p->also[i].name))
			return s->p->also[i].seen;
	if (schema.len > 0)
		r = find_relation(s->p, schema, name);
	else if (s->home != NULL)
		r = find_relation(s->p, span_str(s->home), name);
	if (r == NULL && (schema.len == 0 || span_is_word(schema, s->p->front)))
		r = find_relation(s->p, SPAN(DUCKDB_SCHEMA), name);
	return r == NULL ? NULL : &r->seen;
}

/*
 * "CREATE VIEW s.v (a, b) AS SELECT …;": what stands behind the name, and the query alone.  False: it is written
 * otherwise.
 */
static bool
cut_definition(const char *sql, struct span *rest, struct span *query)
{
	struct sqltext s = { .dialect = SQLTEXT_DUCKDB };
	struct sqltext_token t;
	struct span one;
	unsigned depth = 0;

	if (sqltext_statement(SQLTEXT_DUCKDB, span_str(sql), &one) != SQLTEXT_ONE)
		return false;
	s.text = one;
	t = sqltext_next(&s);
	if (!sqltext_is(&t, "CREATE") || (t = sqltext_next(&s), !sqltext_is(&t, "VIEW")))
		return false;
	do {
		(void)sqltext_next(&s);
		*rest = span_of(one.p + s.at, one.len - s.at);
		t = sqltext_next(&s);
	} while (sqltext_is_punct(&t, '.'));
	for (; t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN; t = sqltext_next(&s)) {
		depth += sqltext_is_punct(&t, '(');
		depth -= sqltext_is_punct(&t, ')') && depth > 0;
		if (depth == 0 && sqltext_is(&t, "AS")) {
			*query = span_of(one.p + s.at, one.len - s.at);
			return true;
		}
	}
	return false;
}

/* A view may be refused for what it is; otherwise the call is over. */
static bool
is_over(const struct sql_db *db, const struct err *err)
{
	return duckdb_runner_is_lost(db->runner) ||
	    (err->code != ERR_INVALID_SQL && err->code != ERR_FORBIDDEN_SQL && err->code != ERR_DATABASE_ERROR);
}

static enum columns_action
stricter(enum columns_action a, enum columns_action b)
{
	return a > b ? a : b;
}

/*
 * A rule may name a column of the view itself, where it is not protected already: then the view gets one around
 * it.
 */
static int
make_around(struct sql_db *db, struct front_relation *r, struct span query, const struct duckdb_shape *shape,
    struct err *err)
{
	struct duckdb_columns *p = db->columns;
	struct duckdb_session *s = &db->session;
	uint64_t n = s->ntypes;
	struct buf list = { 0 }, source = { 0 }, names = { 0 }, type = { 0 }, fields = { 0 };
	bool around = false, keyed = false;
	int rc = make_room(p, r, n, err);

	for (uint64_t i = 0; i < n && rc == 0; i++) {
		struct span name = span_str(duck.column_name(&s->result, i));
		enum columns_action own = COLUMNS_CLEAR, rule;

		buf_reset(&type, DUCKDB_SQL_MAX);
		buf_reset(&fields, DUCKDB_SQL_MAX);
		duckdb_types_put_name(&type, s->types[i]);
		read_fields(p, buf_view(&type), &fields, &keyed);
		rule = decide_column(p, r, name, &fields);
		if (!shape->open && shape->n == n)
			own = shape->columns[i].action;
		else
			for (size_t k = 0; k < shape->n; k++)
				if (span_is_folded(shape->columns[k].name, name))
					own = stricter(own, shape->columns[k].action);
		around = around || rule > own;
		put_column(&list, name, rule > own ? rule : COLUMNS_CLEAR);
		see_column(p, r, name, stricter(rule, own));
		buf_str(&names, i > 0 ? ", " : "");
		sqltext_put_name(&names, name);
	}
	buf_byte(&source, '(');
	buf_span(&source, query);
	buf_str(&source, ") AS carrel_query(");
	buf_span(&source, buf_view(&names));
	buf_byte(&source, ')');
	if (rc == 0 && around)
		rc = make_view_over(db, r, &list, &source, err);
	buf_fini(&type);
	buf_fini(&fields);
	buf_fini(&names);
	buf_fini(&list);
	buf_fini(&source);
	return rc;
}

static int
create_view(struct sql_db *db, const struct front_relation *r, struct span rest, struct err *err)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);

	buf_str(&sql, "CREATE VIEW ");
	put_relation(&sql, db->columns->front, r);
	buf_byte(&sql, ' ');
	buf_span(&sql, rest);
	if (run_text(db, &sql, err) == -1)
		return -1;
	buf_str(&sql, "FROM ");
	put_relation(&sql, db->columns->front, r);
	buf_str(&sql, " LIMIT 0");
	return run_text(db, &sql, err);
}

/* A copy of the shape's names, which borrow the tree. */
static void
keep_names(struct arena *a, struct duckdb_shape *shape)
{
	for (size_t i = 0; i < shape->n; i++)
		shape->columns[i].name = arena_span(a, shape->columns[i].name);
}

/*
 * What a statement may not read or call tells values of protected columns in a view, too.  -1 with *err: it cannot be
 * made, or (*later) not yet.
 */
static int
make_view(struct sql_db *db, struct front_relation *r, bool *later, struct err *err)
{
	const struct duckdb_guard guard = { .names = &db->names, .home = span_str(r->schema), .policed = true };
	struct front_search search = { db->columns, r->schema };
	struct duckdb_lineage l = { .find = find_seen, .arg = &search, .arena = db->columns->tree };
	struct duckdb_shape shape;
	struct span rest, query, tree;
	int rc;

	*later = false;
	if (!cut_definition(r->sql, &rest, &query))
		return err_set(err, ERR_FORBIDDEN_SQL, "the definition of a view cannot be read");
	if (duckdb_session_parse(db, query, &tree, err) == -1)
		return -1;
	arena_reset(l.arena);
	rc = duckdb_lineage_follow(&l, tree, &shape, err);
	*later = rc == -1 && l.later;
	if (rc == -1 || duckdb_guard_judge(&guard, l.arena, tree, query, &l.at, err) == -1)
		return -1;
	keep_names(l.arena, &shape);
	return create_view(db, r, rest, err) == -1 || make_around(db, r, query, &shape, err) == -1 ? -1 : 0;
}

/* Each view behind those that it reads.  One that cannot be made is refused to callers. */
static int
make_views(struct sql_db *db, struct err *err)
{
	struct duckdb_columns *p = db->columns;
	struct err why;
	bool more = true, later;

	while (more) {
		more = false;
		for (size_t i = 0; i < p->n; i++) {
			struct front_relation *r = &p->relations[i];

			if (r->seen.state != DUCKDB_SEEN_LATER)
				continue;
			if (make_view(db, r, &later, &why) == 0)
				r->seen.state = DUCKDB_SEEN;
			else if (is_over(db, &why)) {
				*err = why;
				return -1;
			} else if (!later)
				r->seen.state = DUCKDB_SEEN_NEVER;
			more = more || r->seen.state != DUCKDB_SEEN_LATER;
		}
	}
	return 0;
}

static int
run_named(struct sql_db *db, const char *before, const char *name, const char *schema, struct err *err)
{
	struct buf sql = { 0 };

	buf_str(&sql, before);
	sqltext_put_name(&sql, span_str(name));
	if (schema != NULL) {
		buf_byte(&sql, '.');
		sqltext_put_name(&sql, span_str(schema));
	}
	return run_text(db, &sql, err);
}

/* With its schema: one word is first the schema of that name of the database in use, which may be the file. */
static int
use_database(struct sql_db *db, const char *name, struct err *err)
{
	return run_named(db, "USE ", name, DUCKDB_SCHEMA, err);
}

static int
make_front(struct sql_db *db, struct err *err)
{
	struct duckdb_columns *p = db->columns;
	int rc = use_database(db, DUCKDB_COLUMNS_FILE, err);

	arena_reset(p->names);
	if (rc == 0)
		rc = run_named(db, "DETACH DATABASE IF EXISTS ", p->front, NULL, err);
	if (rc == 0)
		rc = run_named(db, "ATTACH ':memory:' AS ", p->front, NULL, err);
	for (size_t i = 0; i < p->n && rc == 0; i++) {
		struct front_relation *r = &p->relations[i];

		decide_columns(p, r, db->files.n > 0);
		r->seen = (struct duckdb_seen){ .state = DUCKDB_SEEN_LATER };
		if (i == 0 || strcmp(p->relations[i - 1].schema, r->schema) != 0)
			rc = run_named(db, "CREATE SCHEMA IF NOT EXISTS ", p->front, r->schema, err);
		if (rc == 0 && r->sql == NULL && make_table(db, r, err) == -1) {
			/* Files may have lost the columns of their view; the other tables are served. */
			rc = db->files.n == 0 || is_over(db, err) ? -1 : 0;
			r->seen.state = DUCKDB_SEEN_NEVER;
		}
	}
	if (rc == 0)
		rc = use_database(db, p->front, err);
	return rc == 0 ? make_views(db, err) : -1;
}

int
duckdb_columns_enter(struct sql_db *db, uint32_t scopes, struct err *err)
{
	struct duckdb_columns *p = db->columns;
	uint32_t view;

	if (p == NULL)
		return 0;
	view = columns_view(p->policy, scopes);
	if (p->ready && view == p->view)
		return use_database(db, p->front, err);
	p->ready = false;
	p->view = view;
	if (make_front(db, err) == -1) {
		struct err why = *err;

		if (is_over(db, err))
			return -1;
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the column policy cannot be applied to this database");
		return err_detail(err, "%s", why.message);
	}
	p->ready = true;
	return 0;
}

void
duckdb_columns_also(struct duckdb_columns *p, const char *name, struct span schema, struct span relation)
{
	const struct front_relation *r;

	if (p == NULL || (r = find_relation(p, schema.len > 0 ? schema : SPAN(DUCKDB_SCHEMA), relation)) == NULL)
		return;
	p->also = mem_grow(p->also, p->nalso, &p->also_cap, sizeof(*p->also));
	p->also[p->nalso++] = (struct front_also){ mem_text(span_str(name)), &r->seen };
}

void
duckdb_columns_also_none(struct duckdb_columns *p)
{
	while (p != NULL && p->nalso > 0)
		free(p->also[--p->nalso].name);
}

int
duckdb_columns_check(struct sql_db *db, struct span tree, size_t *at, struct err *err)
{
	struct front_search search = { db->columns, NULL };
	struct duckdb_lineage l = { .find = find_seen, .arg = &search, .arena = call_arena(db->session.call) };
	struct duckdb_shape shape;
	int rc;

	if (db->columns == NULL)
		return 0;
	rc = duckdb_lineage_follow(&l, tree, &shape, err);
	*at = l.at;
	return rc;
}

enum columns_action
duckdb_columns_action(const struct duckdb_columns *p, const char *schema, const char *relation,
    const char *column)
{
	struct span in = span_str(schema == NULL ? DUCKDB_SCHEMA : schema);
	const struct front_relation *r;

	if (p == NULL || relation == NULL || column == NULL)
		return COLUMNS_CLEAR;
	if ((r = find_relation(p, in, span_str(relation))) == NULL)
		return columns_decide(p->policy, p->view, in, span_str(relation), span_str(column));
	for (size_t i = 0; i < r->seen.shape.n && r->seen.state == DUCKDB_SEEN; i++)
		if (span_is_word(r->seen.shape.columns[i].name, column))
			return r->seen.shape.columns[i].action;
	return COLUMNS_HIDE;
}

bool
duckdb_columns_shows_any(const struct duckdb_columns *p, const char *schema, const char *relation)
{
	const struct front_relation *r = p == NULL ? NULL : find_relation(p, span_str(schema), span_str(relation));

	for (size_t i = 0; r != NULL && i < r->seen.shape.n; i++)
		if (r->seen.shape.columns[i].action != COLUMNS_CLEAR)
			return true;
	return r != NULL && r->seen.state != DUCKDB_SEEN;
}

bool
duckdb_columns_names_any(const struct duckdb_columns *p, const char *sql)
{
	for (size_t i = 0; p != NULL && i < p->n; i++)
		for (size_t k = 0; k < p->relations[i].n; k++) {
			const struct front_relation *r = &p->relations[i];
			enum columns_action action = duckdb_columns_action(p, r->schema, r->name, r->columns[k].name);

			if (action != COLUMNS_CLEAR && duckdb_names_in(span_str(sql), r->columns[k].name, false))
				return true;
		}
	return false;
}

bool
duckdb_columns_hides(const struct duckdb_columns *p, struct span column)
{
	for (size_t i = 0; p != NULL && i < p->n; i++)
		for (size_t k = 0; k < p->relations[i].n; k++)
			if (p->relations[i].columns[k].action == COLUMNS_HIDE &&
			    span_is_word(column, p->relations[i].columns[k].name))
				return true;
	return false;
}

static bool
rule_fits(const struct duckdb_columns *p, size_t rule, const struct front_relation *r, const struct front_column *c)
{
	struct span schema = span_str(r->schema), relation = span_str(r->name), name = span_str(c->name);
	const char *field;

	for (size_t at = 0; (field = next_field(&c->fields, &at)) != NULL;)
		if (columns_fits(p->policy, rule, schema, relation, span_str(field)) ||
		    columns_fits(p->policy, rule, relation, name, span_str(field)))
			return true;
	return columns_fits(p->policy, rule, schema, relation, name);
}

bool
duckdb_columns_matches(const struct duckdb_columns *p, size_t rule)
{
	for (size_t i = 0; p != NULL && i < p->n; i++)
		for (size_t k = 0; k < p->relations[i].n; k++)
			if (rule_fits(p, rule, &p->relations[i], &p->relations[i].columns[k]))
				return true;
	return false;
}
