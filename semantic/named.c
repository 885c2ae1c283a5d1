#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/text/sql_quote.h"
#include "base/utf8.h"
#include "semantic/expr.h"
#include "semantic/model_inner.h"
#include "semantic/named.h"

#define LABEL_MAX	48	/* longest name made for a join: leaves room for a column's name in the 63 bytes of a PostgreSQL identifier */
#define NEAR_MAX	64	/* sources that a named join starts from */
#define WAYS_MAX	8	/* ways that a refusal spells out */

/* The join's columns on the side where the path starts. */
static struct span
near_column(const struct sem_join *j, bool inverse, size_t i)
{
	return inverse ? j->pairs[i].target : j->pairs[i].local;
}

static bool
same_columns(const struct sem_join *j, bool inverse, const struct expr_named *n)
{
	if (j->npairs != n->ncolumns)
		return false;
	for (size_t i = 0; i < n->ncolumns; i++) {
		bool found = false;

		for (size_t k = 0; k < j->npairs && !found; k++)
			found = span_is_folded(n->columns[i], near_column(j, inverse, k));
		if (!found)
			return false;
	}
	return true;
}

/* A join from one source to another that matches one row at most. */
struct join_step {
	size_t	join;
	bool	inverse;
};

/* The next join that leads to target from near (SEM_NONE: from anywhere), safely; false if none. */
static bool
next_step(const struct sem_model *m, const struct source *target, uint32_t near, struct join_step *at)
{
	for (; at->join < m->njoins; at->join += at->inverse, at->inverse = !at->inverse) {
		const struct sem_join *j = &m->joins[at->join];
		uint32_t start = at->inverse ? j->to : j->from, end = at->inverse ? j->from : j->to;

		if (sem_join_is_safe(j, at->inverse) && m->nodes[end].source == target &&
		    (near == SEM_NONE || start == near || m->nodes[start].source == m->nodes[near].source))
			return true;
	}
	return false;
}

static void
step_over(struct join_step *at)
{
	at->join += at->inverse;
	at->inverse = !at->inverse;
}

/* source(column, …), each column after `from.` when that is not empty. */
static void
put_named(struct buf *out, const char *source, struct span from, const struct sem_join *j, bool inverse)
{
	sql_quote_name(out, span_str(source));
	for (size_t i = 0; i < j->npairs; i++) {
		buf_str(out, i == 0 ? "(" : ", ");
		if (from.len > 0)
			buf_printf(out, "%.*s.", SPAN_FMT(from));
		sql_quote_name(out, near_column(j, inverse, i));
	}
	buf_byte(out, ')');
}

static bool
same_near_columns(const struct sem_edge *a, const struct sem_edge *b)
{
	if (a->join->npairs != b->join->npairs)
		return false;
	for (size_t i = 0; i < a->join->npairs; i++) {
		bool found = false;

		for (size_t k = 0; k < b->join->npairs && !found; k++)
			found =
			    span_is_folded(near_column(a->join, a->inverse, i), near_column(b->join, b->inverse, k));
		if (!found)
			return false;
	}
	return true;
}

static const struct sem_model *
too_large(struct sem_problem *p)
{
	sem_fail(p, SEM_PARSE_ERROR, SPAN_NONE, "The query is too large.");
	return NULL;
}

static const struct sem_model *
no_such_join(const struct sem_model *m, const struct expr_named *n, uint32_t target, uint32_t near,
    struct sem_problem *p)
{
	const struct source *source = m->nodes[target].source;
	struct buf ways = { 0 };
	struct join_step at = { 0, false };
	size_t count = 0;

	for (; count < WAYS_MAX && next_step(m, source, near, &at); step_over(&at)) {
		const struct sem_join *j = &m->joins[at.join];
		struct buf way = { 0 };

		put_named(&way, source->name, n->from != NULL ? n->from->name : SPAN_NONE, j, at.inverse);
		if (ways.len == 0 || memmem(ways.p, ways.len, way.p, way.len) == NULL) {
			buf_str(&ways, count++ == 0 ? "" : " or ");
			buf_span(&ways, buf_view(&way));
		}
		buf_fini(&way);
	}
	if (count > 0)
		sem_fail(p, SEM_NO_JOIN_PATH, n->name, "No join is called \"%.*s\"; those to %s are %.*s.",
		    SPAN_FMT(n->name), source->name, (int)(ways.len < 300 ? ways.len : 300), (const char *)ways.p);
	else
		sem_fail(p, SEM_NO_JOIN_PATH, n->name,
		    "\"%.*s\" names no join: none leads to %s%s%.*s without multiplying rows.", SPAN_FMT(n->name),
		    source->name, n->from != NULL ? " from " : "",
		    SPAN_FMT(n->from != NULL ? n->from->name : span_of("", 0)));
	buf_fini(&ways);
	return NULL;
}

static uint32_t
find_source(const struct sem_model *m, struct span name, struct sem_problem *p)
{
	bool ambiguous;
	uint32_t node = sem_find_node(m, name, &ambiguous);

	if (ambiguous)
		sem_alias_ambiguous(m, name, p);
	else if (node == SEM_NONE) {
		for (uint32_t i = 0; i < m->nnodes; i++)
			sem_candidate(p, name, m->nodes[i].name);
		sem_fail(p, SEM_UNKNOWN_SOURCE, name, SEM_UNKNOWN_SOURCE_TEXT, SPAN_FMT(name));
	}
	return node;
}

static bool
label_taken(const struct sem_model *m, struct span label)
{
	for (uint32_t i = 0; i < m->nnodes; i++)
		if (span_is_folded(m->nodes[i].label, label))
			return true;
	return false;
}

/* "stations(start_station_id)" is stations_start_station_id in statements, unless something is called so. */
static struct span
make_label(const struct sem_model *m, struct arena *a, struct span name)
{
	char *stem = arena_alloc(a, name.len + 1);
	const char *label = stem;
	size_t n = 0;

	if (stem == NULL)
		return SPAN_NONE;
	for (size_t i = 0; i < name.len; i++)
		if (ascii_is_alnum(name.p[i]) || name.p[i] >= 0x80)
			stem[n++] = (char)name.p[i];
		else if (n > 0 && stem[n - 1] != '_')
			stem[n++] = '_';
	while (n > 0 && stem[n - 1] == '_')
		n--;
	stem[utf8_cut((const uint8_t *)stem, n, LABEL_MAX)] = '\0';
	for (unsigned k = 2; label != NULL && label_taken(m, span_str(label)); k++)
		label = arena_printf(a, "%s_%u", stem, k);
	return label != NULL ? span_str(label) : SPAN_NONE;
}

static bool
add_edge(struct sem_model *m, struct arena *a, uint32_t near, struct sem_edge edge)
{
	struct sem_node *n = &m->nodes[near];
	struct sem_edge *edges = arena_array(a, n->nedges + 1, sizeof(*edges));

	if (edges == NULL)
		return false;
	if (n->nedges > 0)
		memcpy(edges, n->edges, n->nedges * sizeof(*edges));
	edges[n->nedges++] = edge;
	n->edges = edges;
	return true;
}

/* The edge from where the join starts; and, as aliases share their source's, from its aliases. */
static bool
add_edges(struct sem_model *m, struct arena *a, uint32_t near, uint32_t node, const struct join_step *at)
{
	const struct sem_join *j = &m->joins[at->join];
	struct sem_edge edge = { node, j, at->inverse };
	uint32_t start = at->inverse ? j->to : j->from;

	if (near != SEM_NONE)
		return add_edge(m, a, near, edge);
	for (uint32_t i = 0; i < node; i++)
		if (i == start ||
		    (start < m->nsources && m->nodes[i].alias && !m->nodes[i].named &&
			m->nodes[i].source == m->nodes[start].source))
			if (!add_edge(m, a, i, edge))
				return false;
	return true;
}

static struct sem_model *
copy_model(const struct sem_model *m, struct arena *a)
{
	struct sem_model *copy = arena_alloc(a, sizeof(*copy));

	if (copy == NULL)
		return NULL;
	*copy = *m;
	if ((copy->nodes = arena_array(a, m->nnodes + 1, sizeof(copy->nodes[0]))) == NULL)
		return NULL;
	memcpy(copy->nodes, m->nodes, m->nnodes * sizeof(copy->nodes[0]));
	return copy;
}

const struct sem_model *
sem_model_name(const struct sem_model *m, struct arena *a, const struct expr_named *named, struct sem_problem *p)
{
	uint32_t target, near = SEM_NONE, node;
	struct sem_model *copy;
	struct join_step at = { 0, false };
	size_t found = 0;
	bool ambiguous;

	if (sem_find_node(m, named->name, &ambiguous) != SEM_NONE)
		return m;
	if (named->from != NULL && named->from->ncolumns > 0 && (m = sem_model_name(m, a, named->from, p)) == NULL)
		return NULL;
	if ((target = find_source(m, named->source, p)) == SEM_NONE ||
	    (named->from != NULL && (near = find_source(m, named->from->name, p)) == SEM_NONE))
		return NULL;
	if ((copy = copy_model(m, a)) == NULL)
		return too_large(p);
	node = copy->nnodes++;
	copy->nodes[node] = m->nodes[target];
	copy->nodes[node].name = named->name;
	copy->nodes[node].label = make_label(m, a, named->name);
	copy->nodes[node].alias = copy->nodes[node].named = true;
	copy->nodes[node].edges = NULL;
	copy->nodes[node].nedges = 0;
	for (; next_step(m, m->nodes[target].source, near, &at); step_over(&at)) {
		const struct sem_join *j = &copy->joins[at.join];

		if (!same_columns(j, at.inverse, named))
			continue;
		if (found++ == 0)
			copy->nodes[node].owner = near != SEM_NONE ? near : at.inverse ? j->to : j->from;
		if (found > NEAR_MAX || !add_edges(copy, a, near, node, &at))
			return too_large(p);
	}
	if (copy->nodes[node].label.p == NULL)
		return too_large(p);
	return found > 0 ? copy : no_such_join(m, named, target, near, p);
}

/* A shortest path to a node: its last edge, and the edge's start. */
struct way {
	uint32_t		 parent;
	const struct sem_edge	*edge;
};

static size_t
ways_to(const struct sem_model *m, const struct sem_paths *paths, uint32_t node, struct way ways[static WAYS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < paths->count; i++) {
		const struct sem_node *from = &m->nodes[paths->order[i]];

		for (size_t k = 0; k < from->nedges && paths->distance[paths->order[i]] + 1 == paths->distance[node];
		     k++)
			if (from->edges[k].to == node && n < WAYS_MAX)
				ways[n++] = (struct way){ paths->order[i], &from->edges[k] };
	}
	return n;
}

/* How a query names the node when `way` is the path to `at`, a node before it. */
static void
put_way(const struct sem_model *m, const struct sem_paths *paths, uint32_t node, uint32_t at, const struct way *way,
    bool qualified, struct buf *out)
{
	struct buf from = { 0 };

	if (node == at) {
		if (qualified && m->nodes[way->parent].named)
			buf_span(&from, m->nodes[way->parent].name);
		else if (qualified)
			sql_quote_name(&from, m->nodes[way->parent].name);
		put_named(out, m->nodes[node].source->name, buf_view(&from), way->edge->join, way->edge->inverse);
	} else {
		const struct sem_edge *last = paths->via[node];

		put_way(m, paths, paths->parent[node], at, way, qualified, &from);
		put_named(out, m->nodes[node].source->name, buf_view(&from), last->join, last->inverse);
	}
	buf_fini(&from);
}

int
sem_alias_ambiguous(const struct sem_model *m, struct span alias, struct sem_problem *p)
{
	for (size_t i = 0; i < m->njoins; i++) {
		const struct sem_node *to = &m->nodes[m->joins[i].to];
		struct buf from = { 0 }, way = { 0 };

		if (!to->alias || !span_is(to->name, alias))
			continue;
		sql_quote_name(&from, m->nodes[to->owner].name);
		put_named(&way, to->source->name, buf_view(&from), &m->joins[i], false);
		sem_alternative(p, "%.*s", SPAN_FMT(buf_view(&way)));
		buf_fini(&from);
		buf_fini(&way);
	}
	return sem_ambiguous(p, alias, "Several joins have the alias \"%.*s\"", SPAN_FMT(alias));
}

static int
ambiguous_path(const struct sem_model *m, const struct sem_paths *paths, uint32_t node, uint32_t at,
    struct sem_problem *p)
{
	struct way ways[WAYS_MAX];
	size_t n = ways_to(m, paths, at, ways);
	struct buf choices = BUF_MAX(16384);
	bool qualified = false;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			if (!same_near_columns(ways[i].edge, ways[k].edge))
				continue;
			if (ways[i].parent == ways[k].parent)
				return sem_fail(p, SEM_AMBIGUOUS_JOIN_PATH, m->nodes[node].name,
				    "Two joins lead from %.*s to %s by the same columns; give each an alias in the "
				    "model and use alias.column.",
				    SPAN_FMT(m->nodes[ways[i].parent].name), m->nodes[at].source->name);
			qualified = true;
		}
	for (size_t i = 0; i < n; i++) {
		struct buf choice = BUF_MAX(8192);

		put_way(m, paths, node, at, &ways[i], qualified, &choice);
		if (choices.len + choice.len < 420) {
			buf_str(&choices, choices.len == 0 ? "" : " or ");
			buf_span(&choices, buf_view(&choice));
		}
		buf_fini(&choice);
	}
	sem_fail(p, SEM_AMBIGUOUS_JOIN_PATH, m->nodes[node].name,
	    choices.len > 0 ?
		"Several joins lead from %.*s to %.*s; in its place write %.*s." :
		"Several joins lead from %.*s to %.*s%.*s; give each an alias in the model and use alias.column.",
	    SPAN_FMT(m->nodes[paths->root].name), SPAN_FMT(m->nodes[node].name), SPAN_FMT(buf_view(&choices)));
	buf_fini(&choices);
	return -1;
}

int
sem_path_check(const struct sem_model *m, const struct sem_paths *paths, uint32_t node, struct sem_problem *p)
{
	for (uint32_t at = node; at != paths->root; at = paths->parent[at])
		if (paths->rival[at] != SEM_NONE)
			return ambiguous_path(m, paths, node, at, p);
	return 0;
}
