#include "semantic/names_row.h"
#include "semantic/named.h"
#include "semantic/related.h"

static int
unknown_column(struct sem_plan *c, uint32_t node, struct span name, struct span written)
{
	const struct sem_node *n = sem_model_node(c->model, node);

	for (size_t i = 0; i < n->source->ncolumns; i++)
		if (n->source->columns[i].visibility != SOURCE_HIDDEN)
			sem_candidate(c->problem, name, span_str(n->source->columns[i].name));
	return sem_fail(c->problem, SEM_UNKNOWN_COLUMN, written,
	    "%.*s has no column \"%.*s\"%s; sl_read_source shows its columns.", SPAN_FMT(n->name), SPAN_FMT(name),
	    sem_find_measure(n, name) != NULL ? " (it is a measure)" : "");
}

static int
unknown_source(struct sem_plan *c, struct span name, struct span written)
{
	for (uint32_t i = 0; i < sem_model_nodes(c->model); i++)
		sem_candidate(c->problem, name, sem_model_node(c->model, i)->name);
	return sem_fail(c->problem, SEM_UNKNOWN_SOURCE, written, SEM_UNKNOWN_SOURCE_TEXT, SPAN_FMT(name));
}

struct span
names_written(const struct expr *ref)
{
	return ref->nparts > 1 ? ref->written : ref->parts[ref->nparts - 1];
}

int
names_qualifier(struct sem_plan *c, struct span name, uint32_t scope, struct span text, uint32_t *node)
{
	bool ambiguous;

	if (scope != SEM_NONE &&
	    (span_is(sem_model_node(c->model, scope)->name, name) ||
		span_is_str(name, sem_model_node(c->model, scope)->source->name))) {
		*node = scope;
		return 0;
	}
	*node = sem_find_node(c->model, name, &ambiguous);
	if (ambiguous)
		return sem_alias_ambiguous(c->model, name, c->problem);
	return *node == SEM_NONE ? unknown_source(c, name, text) : 0;
}

int
names_hidden(struct sem_plan *c, uint32_t node, struct span name)
{
	return sem_fail(c->problem, SEM_HIDDEN_COLUMN, name,
	    "The column \"%.*s\" of %.*s is hidden and cannot be queried.", SPAN_FMT(name),
	    SPAN_FMT(sem_model_node(c->model, node)->name));
}

/* Refuse: the query reached this source by a join it named, and the model's expression on it needs a further source. */
static int
leads_elsewhere(struct sem_plan *c, uint32_t scope, uint32_t node, struct span name)
{
	const struct sem_node *n = sem_model_node(c->model, scope);

	return sem_fail(c->problem, SEM_NO_JOIN_PATH, name,
	    "\"%.*s\" of %.*s needs a column of %.*s, which is not reached through a join that a query names; give the "
	    "join an alias in the model.",
	    SPAN_FMT(name), SPAN_FMT(n->name), SPAN_FMT(sem_model_node(c->model, node)->name));
}

/*
 * Whether the alias of a source's join with itself is in that source's own
 * text while that is read for the alias: "boss" in the boss's row is the boss's
 * boss, to whom no join leads.
 */
static bool
is_alias_of_alias(const struct sem_plan *c, uint32_t scope, struct span qualifier)
{
	const struct sem_node *n = scope == SEM_NONE ? NULL : sem_model_node(c->model, scope);

	return n != NULL && n->alias && !n->named && span_is(n->name, qualifier) &&
	    sem_model_node(c->model, n->owner)->source == n->source;
}

static int
leads_on(struct sem_plan *c, uint32_t scope, struct span column)
{
	const struct sem_node *n = sem_model_node(c->model, scope);

	return sem_fail(c->problem, SEM_NO_JOIN_PATH, column,
	    "In a column of \"%.*s\", \"%.*s.%.*s\" is of the row that \"%.*s\" itself leads to, which "
	    "is not joined; name the joins by their columns, as in %s(%s(column).column).%.*s.",
	    SPAN_FMT(n->name), SPAN_FMT(n->name), SPAN_FMT(column), SPAN_FMT(n->name), n->source->name, n->source->name,
	    SPAN_FMT(column));
}

/* A bare name inside a model: the source's own column, else the nearest joined source's. */
static int
scoped_name(struct sem_plan *c, struct span name, uint32_t scope, uint32_t *node,
    const struct source_column **column, struct span *verbatim)
{
	const struct sem_node *own = sem_model_node(c->model, scope);
	const struct sem_paths *paths;
	bool ambiguous;

	*node = scope;
	if ((*column = sem_find_column(own, name)) != NULL)
		return 0;
	if ((paths = sem_paths(c->model, c->arena,
		 !own->named ? scope : sem_find_node(c->model, span_str(own->source->name), &ambiguous))) == NULL)
		return sem_fail(c->problem, SEM_PARSE_ERROR, name, "The query is too large.");
	for (size_t i = 1; i < paths->count; i++) {
		const struct sem_node *n = sem_model_node(c->model, paths->order[i]);

		if ((*column = sem_find_column(n, name)) != NULL) {
			*node = paths->order[i];
			return 0;
		}
	}
	/* A name that the model does not describe is taken for a column of the source's table. */
	*verbatim = c->undescribed = name;
	return 0;
}

/* The only source among those that the query's measures aggregate that has the column; SEM_NONE: none, or several. */
static uint32_t
asked_owner(const struct sem_plan *c, struct span name)
{
	uint32_t found = SEM_NONE;

	for (const struct plan_measure *m = c->asked; m != NULL; m = m->next)
		for (const struct plan_atom *a = m->atoms; a != NULL; a = a->next) {
			if (a->base == found || sem_find_column(sem_model_node(c->model, a->base), name) == NULL)
				continue;
			if (found != SEM_NONE)
				return SEM_NONE;
			found = a->base;
		}
	return found;
}

int
names_ambiguous(struct sem_plan *c, const char *what, struct span name, struct sem_owners owners)
{
	for (size_t i = 0; i < owners.n && i < SEM_CANDIDATES_MAX; i++)
		sem_alternative(c->problem, "%.*s.%.*s", SPAN_FMT(sem_model_node(c->model, owners.first[i])->name),
		    SPAN_FMT(name));
	return sem_ambiguous(c->problem, name, "%zu sources have a %s \"%.*s\"", owners.n, what, SPAN_FMT(name));
}

/* The source of a bare name in the query: the only one that has it, else the one that is measured. */
static int
bare_name(struct sem_plan *c, struct span name, uint32_t *node)
{
	struct sem_owners owners = sem_owners_of_column(c->model, name);

	if (owners.n == 0)
		return sem_fail(c->problem, SEM_UNKNOWN_COLUMN, name,
		    "No source has a column \"%.*s\"; discover_data finds columns.", SPAN_FMT(name));
	if ((*node = sem_only(owners)) != SEM_NONE || (*node = asked_owner(c, name)) != SEM_NONE)
		return 0;
	if (sem_is_hidden_word(c->model, name))
		return sem_fail(c->problem, SEM_HIDDEN_COLUMN, name,
		    "A column \"%.*s\" is hidden; qualify the one you mean with its source.", SPAN_FMT(name));
	return names_ambiguous(c, "column", name, owners);
}

int
names_row_name(struct sem_plan *c, const struct expr *ref, uint32_t scope, bool user,
    uint32_t *node, const struct source_column **column, struct span *verbatim)
{
	struct span name = ref->parts[ref->nparts - 1];

	*column = NULL;
	*verbatim = SPAN_NONE;
	if (ref->nparts >= 2) {
		if (is_alias_of_alias(c, scope, ref->parts[ref->nparts - 2]))
			return leads_on(c, scope, name);
		if (names_qualifier(c, ref->parts[ref->nparts - 2], scope, names_written(ref), node) == -1)
			return -1;
		*column = sem_find_column(sem_model_node(c->model, *node), name);
		if (*column == NULL)
			return unknown_column(c, *node, name, names_written(ref));
	} else if (scope != SEM_NONE) {
		if (scoped_name(c, name, scope, node, column, verbatim) == -1)
			return -1;
	} else {
		if (bare_name(c, name, node) == -1)
			return -1;
		*column = sem_find_column(sem_model_node(c->model, *node), name);
	}
	if (scope != SEM_NONE && *node != scope && sem_model_node(c->model, scope)->named)
		return leads_elsewhere(c, scope, *node, name);
	if (user && *column != NULL && (*column)->visibility == SOURCE_HIDDEN)
		return names_hidden(c, *node, name);
	return 0;
}

static int
add_source(struct sem_plan *c, uint32_t node, uint32_t *list, size_t *n)
{
	for (size_t i = 0; i < *n; i++)
		if (list[i] == node)
			return 0;
	if (*n == PLAN_SOURCES_MAX)
		return sem_fail(c->problem, SEM_PARSE_ERROR, SPAN_NONE, "An expression may mention at most %d sources.",
		    PLAN_SOURCES_MAX);
	list[(*n)++] = node;
	return 0;
}

static int
column_sources(struct sem_plan *c, uint32_t node, const struct source_column *column, unsigned depth,
    uint32_t *list, size_t *n);

static int
walk_sources(struct sem_plan *c, const struct expr *e, uint32_t scope, bool user, unsigned depth,
    uint32_t *list, size_t *n)
{
	if (related_is(e))
		return 0;
	if (e->kind == EXPR_REF) {
		const struct source_column *column;
		struct span verbatim;
		uint32_t node;

		if (names_row_name(c, e, scope, user, &node, &column, &verbatim) == -1 ||
		    add_source(c, node, list, n) == -1)
			return -1;
		return column != NULL ? column_sources(c, node, column, depth, list, n) : 0;
	}
	for (const struct expr *x = e->first; x != NULL; x = x->next) {
		if (e->kind == EXPR_SUBQUERY) {
			bool own = false, ambiguous;

			for (size_t i = 0; i < e->naliases && !own; i++)
				own = span_is(e->aliases[i], x->parts[0]);
			if (own || sem_find_node(c->model, x->parts[0], &ambiguous) == SEM_NONE)
				continue;
		}
		if (walk_sources(c, x, scope, user, depth, list, n) == -1)
			return -1;
	}
	return 0;
}

static int
column_sources(struct sem_plan *c, uint32_t node, const struct source_column *column, unsigned depth,
    uint32_t *list, size_t *n)
{
	const struct expr *e;

	if (column->expr == NULL)
		return 0;
	if (depth > 16)
		return sem_fail(c->problem, SEM_INVALID_SOURCE, span_str(column->name),
		    "The computed column \"%s\" is defined in terms of itself.", column->name);
	if ((e = expr_parse(c->arena, span_str(column->expr), c->problem)) == NULL)
		return -1;
	if (expr_find(e, EXPR_AGGREGATE | EXPR_OVER) != NULL)
		return sem_fail(c->problem, SEM_INVALID_SOURCE, span_str(column->name),
		    "The computed column \"%s\" aggregates rows; make it a measure of its source.", column->name);
	/* Inside a computed column of the same name, the name means the table's column. */
	if (e->kind == EXPR_REF && e->nparts == 1 && span_is_str(e->parts[0], column->name))
		return 0;
	return walk_sources(c, e, node, false, depth + 1, list, n);
}

static bool
has_hidden(const struct source *s)
{
	for (size_t k = 0; k < s->ncolumns; k++)
		if (s->columns[k].visibility == SOURCE_HIDDEN)
			return true;
	return false;
}

/* A source's name where a column could stand: the outer query's whole row. */
static bool
is_whole_row(const struct sem_plan *c, struct span word)
{
	bool ambiguous;
	uint32_t node = sem_find_node(c->model, word, &ambiguous);

	if (node == SEM_NONE)
		node = sem_find_table(c->model, word);
	return ambiguous || (node != SEM_NONE && has_hidden(sem_model_node(c->model, node)->source));
}

int
names_check_subqueries(struct sem_plan *c, const struct expr *e)
{
	if (e->kind == EXPR_SUBQUERY) {
		for (size_t i = 0; i < e->ntables; i++)
			if (sem_find_table(c->model, e->tables[i]) == SEM_NONE)
				return unknown_source(c, e->tables[i], e->tables[i]);
		for (size_t i = 0; i < e->nwords; i++)
			if (sem_is_hidden_word(c->model, e->words[i]))
				return sem_fail(c->problem, SEM_HIDDEN_COLUMN, e->words[i],
				    "The sub-query names \"%.*s\", which is hidden and cannot be queried.",
				    SPAN_FMT(e->words[i]));
		for (size_t i = 0; i < e->nwords; i++)
			if (is_whole_row(c, e->words[i]))
				return sem_fail(c->problem, SEM_HIDDEN_COLUMN, e->words[i],
				    "The sub-query names \"%.*s\" where a column could stand, which would read its "
				    "hidden columns; name the column.",
				    SPAN_FMT(e->words[i]));
		for (size_t i = 0; (e->flags & (EXPR_SUB_STAR | EXPR_SUB_ROW)) != 0 && i < e->ntables; i++) {
			const struct source *s =
			    sem_model_node(c->model, sem_find_table(c->model, e->tables[i]))->source;

			if (has_hidden(s))
				return sem_fail(c->problem, SEM_HIDDEN_COLUMN, span_str(s->name),
				    "Whole rows of %s in a sub-query would show its hidden columns; name the columns.",
				    s->name);
		}
		return 0;
	}
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		if (names_check_subqueries(c, x) == -1)
			return -1;
	return 0;
}

int
names_row_sources(struct sem_plan *c, struct span text, const struct expr *e, uint32_t scope, bool user,
    uint32_t *list, size_t *n)
{
	(void)text;
	if (user && names_check_subqueries(c, e) == -1)
		return -1;
	return walk_sources(c, e, scope, user, 0, list, n);
}

int
names_check_hidden(struct sem_plan *c, struct span name)
{
	struct sem_problem ignored = { 0 };
	const struct expr *e = expr_parse(c->arena, name, &ignored);
	const struct source_column *column;
	uint32_t node;
	bool ambiguous;

	if (e == NULL || e->kind != EXPR_REF)
		return 0;
	node = e->nparts >= 2 ? sem_find_node(c->model, e->parts[e->nparts - 2], &ambiguous) :
				sem_only(sem_owners_of_column(c->model, e->parts[0]));
	if (node == SEM_NONE ||
	    (column = sem_find_column(sem_model_node(c->model, node), e->parts[e->nparts - 1])) == NULL)
		return 0;
	return column->visibility == SOURCE_HIDDEN ? names_hidden(c, node, e->parts[e->nparts - 1]) : 0;
}

/* Before a dot, only the name of a join ends with a bracket. */
static bool
may_name(struct span text)
{
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.p[i] == ')') {
			size_t k = i + 1;

			while (k < text.len &&
			    (text.p[k] == ' ' || text.p[k] == '\t' || text.p[k] == '\n' || text.p[k] == '\r'))
				k++;
			if (k < text.len && text.p[k] == '.')
				return true;
		}
	return false;
}

static int
name_joins(struct sem_plan *c, const struct expr *e)
{
	if (e->kind == EXPR_REF && e->named != NULL) {
		const struct sem_model *more = sem_model_name(c->model, c->arena, e->named, c->problem);

		if (more == NULL)
			return -1;
		c->model = more;
	}
	for (const struct expr *x = e->first; x != NULL; x = x->next)
		if (name_joins(c, x) == -1)
			return -1;
	return 0;
}

static int
name_joins_of(struct sem_plan *c, struct span text)
{
	const struct expr *e;

	if (!may_name(text))
		return 0;
	return (e = expr_parse(c->arena, text, c->problem)) != NULL ? name_joins(c, e) : -1;
}

int
names_resolve(struct sem_plan *c)
{
	const struct sem_query *q = c->query;

	for (size_t i = 0; i < q->ndimensions; i++)
		if (name_joins_of(c, q->dimensions[i].field) == -1)
			return -1;
	for (size_t i = 0; i < q->nmeasures; i++)
		if (name_joins_of(c, q->measures[i].expr) == -1)
			return -1;
	for (size_t i = 0; i < q->nfilters; i++)
		if (name_joins_of(c, q->filters[i]) == -1)
			return -1;
	for (size_t i = 0; i < q->nsegments; i++)
		if (name_joins_of(c, q->segments[i]) == -1)
			return -1;
	return 0;
}

struct span
names_order(struct sem_plan *c, struct span field)
{
	struct sem_problem ignored = { 0 };
	const struct expr *e = may_name(field) ? expr_parse(c->arena, field, &ignored) : NULL;
	const char *name;

	if (e == NULL || e->kind != EXPR_REF || e->named == NULL)
		return field;
	name = arena_printf(c->arena, "%.*s.%.*s", SPAN_FMT(e->named->name), SPAN_FMT(e->parts[e->nparts - 1]));
	return name != NULL ? span_str(name) : field;
}
