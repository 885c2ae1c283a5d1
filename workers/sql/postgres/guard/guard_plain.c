#include "workers/sql/postgres/guard/guard_plain.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_text.h"

#define NAME_MAX_BYTES	62	/* the server may have truncated a longer name */

/* Texts are offsets, because the buffer moves when it grows. */
struct plain_relation {
	uint32_t	schema, name;
	bool		visible, table;
};

struct guard_plain {
	struct buf	 text;		/* NUL-terminated names */
	struct plain_relation	*relations;	/* sorted by name once sealed */
	size_t		 nrelations, cap;
	uint32_t	*types;		/* likewise */
	size_t		 ntypes, type_cap;
	bool		 spoiled;
};

struct guard_plain *
guard_plain_new(void)
{
	return mem_new(1, sizeof(struct guard_plain));
}

void
guard_plain_free(struct guard_plain *p)
{
	if (p == NULL)
		return;
	buf_fini(&p->text);
	free(p->relations);
	free(p->types);
	free(p);
}

void
guard_plain_spoil(struct guard_plain *p)
{
	p->spoiled = true;
}

void
guard_plain_add_relation(struct guard_plain *p, struct span schema, struct span name, bool visible, bool table)
{
	p->relations = mem_grow(p->relations, p->nrelations, &p->cap, sizeof(*p->relations));
	p->relations[p->nrelations++] = (struct plain_relation){ guard_text_keep(&p->text, schema),
		guard_text_keep(&p->text, name), visible, table };
}

void
guard_plain_add_type(struct guard_plain *p, struct span name)
{
	p->types = mem_grow(p->types, p->ntypes, &p->type_cap, sizeof(*p->types));
	p->types[p->ntypes++] = guard_text_keep(&p->text, name);
}

static int
compare_relations(const void *a, const void *b, void *arg)
{
	const struct guard_plain *p = arg;
	const struct plain_relation *x = a, *y = b;

	return span_cmp(guard_text_at(&p->text, x->name), guard_text_at(&p->text, y->name));
}

static int
compare_types(const void *a, const void *b, void *arg)
{
	const struct guard_plain *p = arg;
	const uint32_t *x = a, *y = b;

	return span_cmp(guard_text_at(&p->text, *x), guard_text_at(&p->text, *y));
}

void
guard_plain_seal(struct guard_plain *p)
{
	if (p->nrelations > 1)
		qsort_r(p->relations, p->nrelations, sizeof(*p->relations), compare_relations, p);
	if (p->ntypes > 1)
		qsort_r(p->types, p->ntypes, sizeof(*p->types), compare_types, p);
}

/* libpg_query truncates and folds names as UTF-8; a server with another encoding may not. */
static bool
is_certain_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.p[i] >= 0x80)
			return false;
	return name.len > 0 && name.len <= NAME_MAX_BYTES;
}

/* The first relation with that name, or the end of the list. */
static size_t
first_relation(const struct guard_plain *p, struct span name)
{
	return guard_text_first(&p->text, p->relations, p->nrelations, sizeof(*p->relations),
	    offsetof(struct plain_relation, name), name);
}

static bool
names_a_cte(const struct guard_tree *t, struct span name)
{
	for (uint32_t v = 0; v < t->n; v++)
		if (t->values[v].type == GUARD_VALUE_OBJECT && t->values[v].key == GUARD_CommonTableExpr &&
		    span_is(guard_tree_string(t, v, GUARD_ctename), name))
			return true;
	return false;
}

/* A name that may be a WITH query must not also name a relation that is not a plain table. */
static bool
is_plain_relation(const struct guard_plain *p, const struct guard_tree *t, uint32_t v)
{
	struct span schema = guard_tree_string(t, v, GUARD_schemaname), name = guard_tree_string(t, v, GUARD_relname);

	if (!is_certain_name(name) || guard_tree_get(t, v, GUARD_catalogname) != GUARD_NIL)
		return false;
	for (size_t i = first_relation(p, name); i < p->nrelations; i++) {
		const struct plain_relation *r = &p->relations[i];

		if (!span_is(guard_text_at(&p->text, r->name), name))
			break;
		if (schema.len > 0 ? span_is(guard_text_at(&p->text, r->schema), schema) : r->visible)
			return r->table;
	}
	return schema.len == 0 && names_a_cte(t, name);
}

static bool
is_plain_type(const struct guard_plain *p, const struct guard_tree *t, uint32_t v)
{
	uint32_t first = guard_tree_first(t, v, GUARD_names), last, body;
	struct span schema = span_of("", 0), name = span_of("", 0);
	size_t i;

	for (last = first; last != GUARD_NIL; last = t->values[last].next) {
		schema = name;
		name = guard_tree_kind(t, last, &body) == GUARD_String ? guard_tree_string(t, body, GUARD_sval) :
									 span_of("", 0);
	}
	if (schema.len > 0)
		return span_is_str(schema, "pg_catalog") && t->values[first].next != GUARD_NIL &&
		    t->values[t->values[first].next].next == GUARD_NIL;
	i = guard_text_first(&p->text, p->types, p->ntypes, sizeof(*p->types), 0, name);
	return i < p->ntypes && span_is(guard_text_at(&p->text, p->types[i]), name);
}

static bool
is_servers_call(const struct guard_catalogue *c, const struct guard_tree *t, uint32_t v)
{
	struct span schema = span_of("", 0), name = span_of("", 0);
	uint32_t body;

	for (uint32_t i = guard_tree_first(t, v, GUARD_funcname); i != GUARD_NIL; i = t->values[i].next) {
		schema = name;
		name = guard_tree_kind(t, i, &body) == GUARD_String ? guard_tree_string(t, body, GUARD_sval) :
								      span_of("", 0);
	}
	return guard_catalogue_is_servers(c, schema, name);
}

/* x.name and (x).name may be the call name(x). */
static bool
selects_no_function(const struct guard_catalogue *c, const struct guard_tree *t, uint32_t list, bool first_too)
{
	uint32_t body;

	if (!first_too && list != GUARD_NIL)
		list = t->values[list].next;
	for (; list != GUARD_NIL; list = t->values[list].next)
		if (guard_tree_kind(t, list, &body) == GUARD_String &&
		    guard_catalogue_has_attribute(c, guard_tree_string(t, body, GUARD_sval)))
			return false;
	return true;
}

static bool
is_plain_node(const struct guard_plain *p, const struct guard_catalogue *c, const struct guard_tree *t, uint32_t v)
{
	switch (t->values[v].key) {
	case GUARD_RangeVar:
		return is_plain_relation(p, t, v);
	case GUARD_TypeName:
	case GUARD_typeName:
		return is_plain_type(p, t, v);
	case GUARD_FuncCall:
		return is_servers_call(c, t, v);
	case GUARD_ColumnRef:
		return selects_no_function(c, t, guard_tree_first(t, v, GUARD_fields), false);
	case GUARD_A_Indirection:
		return selects_no_function(c, t, guard_tree_first(t, v, GUARD_indirection), true);
	default:
		return true;
	}
}

bool
guard_plain_tree(const struct guard_plain *p, const struct guard_catalogue *c, const struct guard_tree *t)
{
	if (p->spoiled)
		return false;
	for (uint32_t v = 0; v < t->n; v++)
		if (t->values[v].type == GUARD_VALUE_OBJECT && !is_plain_node(p, c, t, v))
			return false;
	return true;
}
