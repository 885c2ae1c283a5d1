#include "workers/sql/postgres/guard/columns_pg.h"

#include <pg_query.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_operators.h"
#include "workers/sql/postgres/guard/guard_tree.h"

struct columns_pg {
	struct guard_tree	 tree;
	struct buf		 text;		/* the statement with its NUL */
	PgQueryParseResult	 parsed;	/* the tree borrows from it */
	bool			 has_parsed;
	struct columns_pg_use	*uses;
	size_t			 n, cap;
	struct span		*ctes;		/* names of the WITH queries in scope, the innermost last */
	size_t			 nctes, ctes_cap;
};

/* One statement under examination. */
struct columns_search {
	struct columns_pg		*p;
	const struct guard_tree		*t;
	const struct columns_pg_names	*names;
	struct span			 sql;
	size_t				 before;
	struct err			*err;
};

struct columns_pg *
columns_pg_new(void)
{
	return mem_new(1, sizeof(struct columns_pg));
}

void
columns_pg_free(struct columns_pg *p)
{
	if (p == NULL)
		return;
	if (p->has_parsed)
		pg_query_free_parse_result(p->parsed);
	guard_tree_fini(&p->tree);
	buf_fini(&p->text);
	free(p->uses);
	free(p->ctes);
	free(p);
}

static size_t
offset_of(const struct columns_search *s, uint32_t v)
{
	int64_t at = guard_tree_number(s->t, v, GUARD_location);

	return at < 0 || (uint64_t)at > s->sql.len ? 0 : (size_t)at;
}

static size_t
position_of(const struct columns_search *s, uint32_t v)
{
	size_t n = 0, end = offset_of(s, v);

	for (size_t i = 0; i < end; i++)
		n += (s->sql.p[i] & 0xC0) != 0x80;
	return s->before + n + 1;
}

/* The last name in a list of String nodes; empty if it is another node. */
static struct span
last_name(const struct guard_tree *t, uint32_t first)
{
	struct span name = span_of("", 0);
	uint32_t body;

	for (; first != GUARD_NIL; first = t->values[first].next)
		name = guard_tree_kind(t, first, &body) == GUARD_String ? guard_tree_string(t, body, GUARD_sval) :
									  span_of("", 0);
	return name;
}

static int
check_reads(struct columns_search *s, uint32_t v, enum columns_pg_kind kind, struct span name)
{
	static const char *const what[] = { "the function", "the operator", "the type" };

	const char *why = name.len == 0 ? NULL : s->names->refuses(s->names->arg, kind, name);

	return why == NULL ? 0 :
			     err_set(s->err, ERR_FORBIDDEN_SQL,
				 "%s %.*s is not allowed (character %zu): this connection "
				 "has a column policy, and %s",
				 what[kind], SPAN_FMT(name), position_of(s, v), why);
}

static bool
is_cte(const struct columns_search *s, struct span name)
{
	for (size_t i = s->p->nctes; i-- > 0;)
		if (span_is(s->p->ctes[i], name))
			return true;
	return false;
}

static struct columns_pg_use *
add_use(struct columns_search *s, size_t at)
{
	struct columns_pg *p = s->p;

	p->uses = mem_grow(p->uses, p->n, &p->cap, sizeof(*p->uses));
	p->uses[p->n] = (struct columns_pg_use){ .at = at, .relation = -1 };
	return &p->uses[p->n++];
}

static int
look_at_relation(struct columns_search *s, uint32_t v, bool sampled)
{
	struct span schema = guard_tree_string(s->t, v, GUARD_schemaname);
	struct span name = guard_tree_string(s->t, v, GUARD_relname);
	uint32_t alias = guard_tree_get(s->t, v, GUARD_alias), inh = guard_tree_get(s->t, v, GUARD_inh);
	struct columns_pg_use *use;
	int relation;

	if (schema.len == 0 && is_cte(s, name))
		return 0;
	if (s->names->reads != NULL) {
		struct columns_pg_named named = { guard_tree_string(s->t, v, GUARD_catalogname), schema, name,
			position_of(s, v) };

		if (s->names->reads(s->names->arg, &named, s->err) == -1)
			return -1;
	}
	if ((relation = s->names->relation(s->names->arg, schema, name)) < 0)
		return 0;
	if (guard_tree_first(s->t, alias, GUARD_colnames) != GUARD_NIL)
		return err_set(s->err, ERR_FORBIDDEN_SQL,
		    "a list of column names behind the alias of %.*s is not allowed "
		    "(character %zu): the table has a column policy; rename columns in the SELECT list",
		    SPAN_FMT(name), position_of(s, v));
	use = add_use(s, offset_of(s, v));
	use->relation = relation;
	use->name = name;
	use->parts = 1u + (schema.len > 0) + (guard_tree_string(s->t, v, GUARD_catalogname).len > 0);
	use->only = inh == GUARD_NIL || s->t->values[inh].type != GUARD_VALUE_TRUE;
	use->aliased = alias != GUARD_NIL;
	use->sampled = sampled;
	return 0;
}

/* x.name may be the call name(x).  schema.table.column loses its schema, because a sub-select replaces the table. */
static int
look_at_column(struct columns_search *s, uint32_t v)
{
	struct span part[4] = { { 0 } };
	unsigned n = 0;
	uint32_t body, first = guard_tree_first(s->t, v, GUARD_fields);
	struct columns_pg_use *use;

	for (uint32_t i = first; i != GUARD_NIL; i = s->t->values[i].next, n++)
		if (n < 4 && guard_tree_kind(s->t, i, &body) == GUARD_String)
			part[n] = guard_tree_string(s->t, body, GUARD_sval);
	if (n >= 2 && check_reads(s, v, COLUMNS_PG_FUNCTION, last_name(s->t, first)) == -1)
		return -1;
	if (n < 3 || n > 4 || s->names->relation(s->names->arg, part[n - 3], part[n - 2]) < 0)
		return 0;
	use = add_use(s, offset_of(s, v));
	use->cut = n - 2;
	use->parts = n;
	use->name = part[n - 2];
	return 0;
}

static int
look_at_indirection(struct columns_search *s, uint32_t v)
{
	uint32_t body;

	for (uint32_t i = guard_tree_first(s->t, v, GUARD_indirection); i != GUARD_NIL; i = s->t->values[i].next)
		if (guard_tree_kind(s->t, i, &body) == GUARD_String &&
		    check_reads(s, guard_tree_get(s->t, v, GUARD_arg), COLUMNS_PG_FUNCTION,
			guard_tree_string(s->t, body, GUARD_sval)) == -1)
			return -1;
	return 0;
}

static int
look_at_operators(struct columns_search *s, enum guard_key kind, uint32_t v)
{
	struct guard_operator used[GUARD_OPERATORS_MAX];
	size_t n = guard_operators(s->t, kind, v, used);

	for (size_t i = 0; i < n; i++)
		if (check_reads(s, v, COLUMNS_PG_OPERATOR, used[i].name) == -1)
			return -1;
	return 0;
}

static int
look_at_node(struct columns_search *s, enum guard_key kind, uint32_t v)
{
	switch (kind) {
	case GUARD_FuncCall:
		return check_reads(s, v, COLUMNS_PG_FUNCTION,
		    last_name(s->t, guard_tree_first(s->t, v, GUARD_funcname)));
	case GUARD_A_Expr:
	case GUARD_SortBy:
	case GUARD_SubLink:
	case GUARD_CaseExpr:
	case GUARD_JoinExpr:
		return look_at_operators(s, kind, v);
	case GUARD_TypeName:
		return check_reads(s, v, COLUMNS_PG_TYPE, last_name(s->t, guard_tree_first(s->t, v, GUARD_names)));
	case GUARD_ColumnRef:
		return look_at_column(s, v);
	case GUARD_A_Indirection:
		return look_at_indirection(s, v);
	default:
		return 0;
	}
}

static int columns_pg_walk(struct columns_search *s, uint32_t v);

static void
push_cte(struct columns_search *s, uint32_t body)
{
	struct columns_pg *p = s->p;

	p->ctes = mem_grow(p->ctes, p->nctes, &p->ctes_cap, sizeof(*p->ctes));
	p->ctes[p->nctes++] = guard_tree_string(s->t, body, GUARD_ctename);
}

/*
 * A WITH query sees the queries before it; with RECURSIVE the whole list, including itself.  The main statement sees
 * all of them.
 */
static int
walk_with(struct columns_search *s, uint32_t with)
{
	uint32_t recursive = guard_tree_get(s->t, with, GUARD_recursive),
		 first = guard_tree_first(s->t, with, GUARD_ctes);
	bool all = recursive != GUARD_NIL && s->t->values[recursive].type == GUARD_VALUE_TRUE;
	uint32_t body;

	for (uint32_t c = first; all && c != GUARD_NIL; c = s->t->values[c].next) {
		(void)guard_tree_kind(s->t, c, &body);
		push_cte(s, body);
	}
	for (uint32_t c = first; c != GUARD_NIL; c = s->t->values[c].next) {
		(void)guard_tree_kind(s->t, c, &body);
		if (body != GUARD_NIL && columns_pg_walk(s, s->t->values[body].child) == -1)
			return -1;
		if (!all)
			push_cte(s, body);
	}
	return 0;
}

static int walk_one(struct columns_search *s, uint32_t v);

static int
walk_select(struct columns_search *s, uint32_t v)
{
	size_t mark = s->p->nctes;
	uint32_t with = guard_tree_get(s->t, v, GUARD_withClause);

	if (with != GUARD_NIL && walk_with(s, with) == -1)
		return -1;
	for (uint32_t m = s->t->values[v].child; m != GUARD_NIL; m = s->t->values[m].next)
		if (m != with && walk_one(s, m) == -1)
			return -1;
	s->p->nctes = mark;
	return 0;
}

static int
walk_sample(struct columns_search *s, uint32_t v)
{
	uint32_t relation = guard_tree_get(s->t, v, GUARD_relation), body;

	if (guard_tree_kind(s->t, relation, &body) != GUARD_RangeVar)
		return columns_pg_walk(s, s->t->values[v].child);
	for (uint32_t m = s->t->values[v].child; m != GUARD_NIL; m = s->t->values[m].next)
		if (m != relation && walk_one(s, m) == -1)
			return -1;
	return look_at_relation(s, body, true);
}

/* The kind of the node in v: from its wrapping, or SelectStmt under the two names that hold one unwrapped. */
static enum guard_key
kind_of(const struct guard_tree *t, uint32_t v)
{
	const struct guard_value *value = &t->values[v];

	if (value->type != GUARD_VALUE_OBJECT)
		return GUARD_OTHER_FIELD;
	if (value->key < GUARD_KINDS)
		return (enum guard_key)value->key;
	if ((value->key == GUARD_larg || value->key == GUARD_rarg) && value->child != GUARD_NIL &&
	    t->values[value->child].key >= GUARD_KINDS)
		return GUARD_SelectStmt;
	return value->key == GUARD_typeName ? GUARD_TypeName : GUARD_OTHER_FIELD;
}

static int
walk_one(struct columns_search *s, uint32_t v)
{
	const struct guard_value *value = &s->t->values[v];
	enum guard_key kind;

	if (value->type != GUARD_VALUE_OBJECT && value->type != GUARD_VALUE_ARRAY)
		return 0;
	switch (kind = kind_of(s->t, v)) {
	case GUARD_SelectStmt:
		return walk_select(s, v);
	case GUARD_RangeVar:
		return look_at_relation(s, v, false);
	case GUARD_RangeTableSample:
		return walk_sample(s, v);
	default:
		return look_at_node(s, kind, v) == -1 ? -1 : columns_pg_walk(s, value->child);
	}
}

/* Walks v and its siblings, at most GUARD_TREE_DEPTH_MAX deep. */
static int
columns_pg_walk(struct columns_search *s, uint32_t v)
{
	for (; v != GUARD_NIL; v = s->t->values[v].next)
		if (walk_one(s, v) == -1)
			return -1;
	return 0;
}

static int
compare_uses(const void *a, const void *b)
{
	const struct columns_pg_use *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static int
columns_pg_parse(struct columns_pg *p, struct span sql, size_t before, struct err *err)
{
	if (p->has_parsed)
		pg_query_free_parse_result(p->parsed);
	buf_reset(&p->text, COLUMNS_PG_TEXT_MAX);
	buf_span(&p->text, sql);
	p->parsed = pg_query_parse(buf_cstr(&p->text));
	p->has_parsed = true;
	if (p->parsed.error != NULL)
		return err_set(err, ERR_INVALID_SQL, "%s (character %zu)", p->parsed.error->message,
		    before + (size_t)(p->parsed.error->cursorpos > 0 ? p->parsed.error->cursorpos : 1));
	switch (guard_tree_read(&p->tree, p->parsed.parse_tree)) {
	case GUARD_TREE_OK:
		return 0;
	case GUARD_TREE_BROKEN:
		return err_set(err, ERR_INVALID_SQL, "the statement cannot be read");
	default:
		return err_set(err, ERR_FORBIDDEN_SQL, "the statement nests too deeply: simplify it");
	}
}

int
columns_pg_find(struct columns_pg *p, const struct columns_pg_names *names, struct span sql, size_t before,
    const struct columns_pg_use **uses, size_t *n, struct err *err)
{
	struct columns_search s = { .p = p, .t = &p->tree, .names = names, .sql = sql, .before = before, .err = err };

	p->n = p->nctes = 0;
	if (sql.len > COLUMNS_PG_TEXT_MAX)
		return err_set(err, ERR_SQL_TOO_LONG, "the statement and the views it names are too long together");
	if (sql.len > 0 && memchr(sql.p, '\0', sql.len) != NULL)
		return err_set(err, ERR_INVALID_SQL, "the statement holds a NUL character");
	if (columns_pg_parse(p, sql, before, err) == -1 || columns_pg_walk(&s, p->tree.values[0].child) == -1)
		return -1;
	if (p->n > 1)
		qsort(p->uses, p->n, sizeof(*p->uses), compare_uses);
	*uses = p->uses;
	*n = p->n;
	return 0;
}

const struct guard_tree *
columns_pg_tree(const struct columns_pg *p)
{
	return &p->tree;
}
