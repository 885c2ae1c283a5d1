/* mysql_columns.c - see mysql_columns.h. */
#include "workers/sql/mysql/guard/mysql_columns.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "workers/sql/mysql/guard/mysql_lineage.h"
#include "workers/sql/mysql/guard/mysql_shown.h"

#define VIEW_MEMORY	((size_t)64 << 20)	/* of the trees of one view and those that it reads */

struct mysql_columns {
	const struct columns		*policy;
	uint32_t			 view;
	const struct mysql_catalogue	*catalogue;
	struct mysql_seen		*seen;		/* of each relation of the catalogue */
	const struct mysql_seen	       **sorted;	/* the same by name and schema, without case */
};

static bool
is_system(struct span schema)
{
	return span_is_word(schema, "information_schema");
}

static bool
is_called(const struct mysql_columns *p, struct span name, struct span called, bool folded)
{
	return folded || p->catalogue->folded ? span_is_folded(name, called) : span_is(name, called);
}

static int
compare_folded(struct span a, struct span b)
{
	for (size_t i = 0; i < a.len && i < b.len; i++)
		if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
			return ascii_lower(a.p[i]) < ascii_lower(b.p[i]) ? -1 : 1;
	return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

static int
compare_relation(const struct mysql_relation *r, struct span schema, struct span name)
{
	int order = compare_folded(r->name, name);

	return order != 0 ? order : compare_folded(r->schema, schema);
}

static int
compare_seen(const void *a, const void *b)
{
	const struct mysql_relation *other = (*(const struct mysql_seen *const *)b)->relation;

	return compare_relation((*(const struct mysql_seen *const *)a)->relation, other->schema, other->name);
}

static const struct mysql_seen *
find_seen(const struct mysql_columns *p, struct span schema, struct span name)
{
	size_t from = 0, to = p->catalogue->n;

	if (schema.len == 0)
		schema = p->catalogue->schema;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_relation(p->sorted[middle]->relation, schema, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < p->catalogue->n && compare_relation(p->sorted[from]->relation, schema, name) == 0; from++) {
		const struct mysql_relation *r = p->sorted[from]->relation;
		bool system = is_system(r->schema);

		if (is_called(p, r->name, name, system) && is_called(p, r->schema, schema, system))
			return p->sorted[from];
	}
	return NULL;
}

static const struct mysql_seen *
find_for(void *arg, struct span schema, struct span name)
{
	return find_seen(arg, schema, name);
}

static const struct mysql_seen *
next_for(void *arg, const struct mysql_seen *after)
{
	const struct mysql_columns *p = arg;

	for (size_t i = after == NULL ? 0 : (size_t)(after - p->seen) + 1; i < p->catalogue->n; i++)
		if (p->seen[i].protects)
			return &p->seen[i];
	return NULL;
}

static void
hide_all(struct mysql_seen *seen)
{
	seen->protects = seen->refused = true;
	for (size_t i = 0; i < seen->relation->ncolumns; i++)
		seen->actions[i] = COLUMNS_HIDE;
}

static enum columns_action
strictest_action(const struct mysql_seen *seen)
{
	enum columns_action worst = COLUMNS_CLEAR;

	for (size_t i = 0; i < seen->relation->ncolumns; i++)
		if (seen->actions[i] > worst)
			worst = seen->actions[i];
	return worst;
}

/* Columns that are computed from protected ones are protected as the strictest of them.  True: one was found. */
static bool
protect_computed(struct mysql_seen *seen, struct arena *a)
{
	bool any = false;

	for (size_t i = 0; i < seen->relation->ncolumns; i++) {
		struct span computed = seen->relation->columns[i].computed;
		enum columns_action named = computed.len == 0 ? COLUMNS_CLEAR : mysql_shown_named(a, seen, computed);

		if (named > seen->actions[i]) {
			seen->actions[i] = named;
			any = true;
		}
	}
	return any;
}

/* By the rules; a view is taken to read protected tables until it was looked at. */
static void
decide_relation(struct mysql_columns *p, struct mysql_seen *seen, struct arena *a)
{
	const struct mysql_relation *r = seen->relation;

	seen->actions = mem_new(r->ncolumns + 1, sizeof(*seen->actions));
	if (is_system(r->schema))
		return;
	for (size_t i = 0; i < r->ncolumns; i++) {
		seen->actions[i] = columns_decide(p->policy, p->view, r->schema, r->name, r->columns[i].name);
		/* Only a mask is shown without reading the column. */
		if (r->columns[i].unread && !r->is_view && seen->actions[i] != COLUMNS_MASK)
			seen->actions[i] = COLUMNS_HIDE;
	}
	while (protect_computed(seen, a))
		;
	arena_reset(a);
	seen->protects = r->is_view || strictest_action(seen) != COLUMNS_CLEAR;
	if (r->elsewhere)
		hide_all(seen);
}

static void
look_at_view(struct mysql_columns *p, struct mysql_seen *seen, struct arena *a)
{
	size_t at = SIZE_MAX;
	struct err err = { 0 };
	struct mysql_shape shape = { .n = 0 };
	struct mysql_lineage l = {
		.arena = a, .at = &at, .err = &err, .find = find_for, .next = next_for, .arg = p
	};

	if (mysql_lineage_view(&l, seen->relation, &shape) == -1)
		hide_all(seen);
	else
		for (size_t i = 0; i < shape.n; i++)
			if (shape.columns[i].action > seen->actions[i])
				seen->actions[i] = shape.columns[i].action;
	seen->protects = seen->refused || l.reached || strictest_action(seen) != COLUMNS_CLEAR;
	arena_reset(a);
}

struct mysql_columns *
mysql_columns_new(const struct columns *policy, uint32_t scopes, const struct mysql_catalogue *catalogue)
{
	struct mysql_columns *p;
	struct arena *a;

	if (columns_is_empty(policy))
		return NULL;
	a = arena_new(VIEW_MEMORY);
	p = mem_new(1, sizeof(*p));
	*p = (struct mysql_columns){ policy, columns_view(policy, scopes), catalogue,
		mem_new(catalogue->n + 1, sizeof(*p->seen)), mem_new(catalogue->n + 1, sizeof(struct mysql_seen *)) };
	for (size_t i = 0; i < catalogue->n; i++) {
		p->seen[i].relation = &catalogue->relations[i];
		p->sorted[i] = &p->seen[i];
		decide_relation(p, &p->seen[i], a);
	}
	qsort((void *)p->sorted, catalogue->n, sizeof(struct mysql_seen *), compare_seen);
	for (size_t i = 0; i < catalogue->n; i++)
		if (catalogue->relations[i].is_view && !is_system(catalogue->relations[i].schema))
			look_at_view(p, &p->seen[i], a);
	arena_free(a);
	return p;
}

void
mysql_columns_free(struct mysql_columns *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->catalogue->n; i++)
		free(p->seen[i].actions);
	free(p->seen);
	free((void *)p->sorted);
	free(p);
}

int
mysql_columns_apply(const struct mysql_columns *p, struct arena *a, struct mysql_node *tree, size_t *at,
    struct err *err)
{
	struct mysql_lineage l = {
		.arena = a, .at = at, .err = err, .find = find_for, .next = next_for, .arg = (void *)(uintptr_t)p
	};

	*at = SIZE_MAX;
	return p == NULL ? 0 : mysql_lineage_statement(&l, tree);
}

enum columns_action
mysql_columns_action(const struct mysql_columns *p, struct span schema, struct span relation, struct span column)
{
	const struct mysql_seen *seen = p == NULL ? NULL : find_seen(p, schema, relation);

	if (p == NULL)
		return COLUMNS_CLEAR;
	for (size_t i = 0; seen != NULL && i < seen->relation->ncolumns; i++)
		if (span_is_folded(seen->relation->columns[i].name, column))
			return seen->actions[i];
	return seen == NULL ? columns_decide(p->policy, p->view, schema, relation, column) : COLUMNS_HIDE;
}

bool
mysql_columns_shows_any(const struct mysql_columns *p, struct span schema, struct span relation)
{
	const struct mysql_seen *seen = p == NULL ? NULL : find_seen(p, schema, relation);

	return seen != NULL && seen->protects;
}

bool
mysql_columns_names_any(const struct mysql_columns *p, struct span sql)
{
	struct arena *a = p == NULL ? NULL : arena_new(VIEW_MEMORY);
	bool any = false;

	for (size_t i = 0; p != NULL && i < p->catalogue->n && !any; i++) {
		any = strictest_action(&p->seen[i]) != COLUMNS_CLEAR &&
		    mysql_shown_named(a, &p->seen[i], sql) != COLUMNS_CLEAR;
		arena_reset(a);
	}
	arena_free(a);
	return any;
}

bool
mysql_columns_matches(const struct mysql_columns *p, size_t rule)
{
	for (size_t i = 0; p != NULL && i < p->catalogue->n; i++)
		for (size_t k = 0; k < p->catalogue->relations[i].ncolumns; k++) {
			const struct mysql_relation *r = &p->catalogue->relations[i];

			if (columns_fits(p->policy, rule, r->schema, r->name, r->columns[k].name))
				return true;
		}
	return false;
}
