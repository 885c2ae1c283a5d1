/* model.c - the join graph and its name indexes; see model.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "project/model/source_find.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "base/mem.h"
#include "semantic/check.h"
#include "semantic/expr.h"
#include "semantic/model.h"
#include "semantic/scanned.h"

#define MODEL_BYTES_MAX	((size_t)1 << 30)

uint64_t
model_hash(struct span s)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < s.len; i++)
		h = hash_step(h, ascii_lower(s.p[i]));
	return h;
}

static void
index_init(struct index *x, struct arena *a, size_t n)
{
	if ((x->owners = arena_array(a, n + 1, sizeof(x->owners[0]))) == NULL)
		abort();
	table_reserve(&x->names, n);
}

/* The first owner of the name, or SEM_NONE. */
static uint32_t
index_find(const struct index *x, struct span name, uint64_t hash)
{
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&x->names, hash, &at)) != TABLE_NONE;)
		if (span_is_folded(x->owners[row].name, name))
			return row;
	return SEM_NONE;
}

static void
index_add(struct index *x, struct span name, uint32_t node)
{
	uint64_t hash = model_hash(name);
	uint32_t first = index_find(x, name, hash), me = x->nowners++;

	x->owners[me] = (struct name_owner){ name, node, SEM_NONE, me };
	if (first == SEM_NONE) {
		table_add(&x->names, hash, me);
		return;
	}
	x->owners[x->owners[first].last].next = me;
	x->owners[first].last = me;
}

static uint32_t
index_first(const struct index *x, struct span name)
{
	return index_find(x, name, model_hash(name));
}

/* yield: a source that another one covers is found only where no other has the name. */
static struct sem_owners
index_owners(const struct sem_model *m, const struct index *x, struct span name, bool yield)
{
	struct sem_owners out = { 0 };

	for (unsigned pass = 0; pass < (yield ? 4 : 2) && out.n == 0; pass++)
		for (uint32_t i = index_first(x, name); i != SEM_NONE; i = x->owners[i].next) {
			bool later = yield && m->nodes[x->owners[i].node].covered_by != SEM_NONE;

			if (later != (pass >= 2) || (pass % 2 == 0 && !span_is(x->owners[i].name, name)))
				continue;
			if (out.n < SEM_CANDIDATES_MAX)
				out.first[out.n] = x->owners[i].node;
			out.n++;
		}
	return out;
}

uint32_t
sem_only(struct sem_owners owners)
{
	return owners.n == 1 ? owners.first[0] : SEM_NONE;
}

static void
index_columns(struct sem_node *node)
{
	table_reserve(&node->columns, node->source->ncolumns);
	for (uint32_t i = 0; i < node->source->ncolumns; i++)
		table_add(&node->columns, model_hash(span_str(node->source->columns[i].name)), i);
}

static void
add_trouble(struct sem_model *m, const struct sem_trouble *t)
{
	m->troubles = mem_grow(m->troubles, m->ntroubles, &m->troubles_cap, sizeof(*m->troubles));
	m->troubles[m->ntroubles++] = *t;
}

static void
pass_over(void *arg, const struct source *s, unsigned line, enum sem_category category, const char *text)
{
	if (text != NULL)
		add_trouble(arg, &(struct sem_trouble){ s, category, text, line, true });
}

static void __attribute__((format(printf, 4, 5)))
model_trouble(struct sem_model *m, const struct source *s, enum sem_category category, const char *fmt, ...)
{
	char text[640];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_trouble(m, &(struct sem_trouble){ s, category, arena_printf(m->arena, "%s", text), 0, false });
}

/* The side of the join that a name in its ON clause belongs to. */
enum side { SIDE_ANY, SIDE_LOCAL, SIDE_TARGET, SIDE_STRANGE };

static enum side
side_of(const struct sem_model *m, const struct source_join *j, uint32_t from, const struct expr *ref)
{
	struct span qualifier;

	if (ref->nparts < 2)
		return SIDE_ANY;
	qualifier = ref->parts[ref->nparts - 2];
	if (j->alias != NULL && span_is_str(qualifier, j->alias))
		return SIDE_TARGET;
	if (span_is(qualifier, m->nodes[from].name))
		return span_is_str(qualifier, j->to) ? SIDE_ANY : SIDE_LOCAL; /* a self-join: the other side decides */
	return span_is_str(qualifier, j->to) ? SIDE_TARGET : SIDE_STRANGE;
}

/* Read an "a = b" of an ON clause into a pair; NULL, or what is wrong. */
static const char *
read_pair(const struct sem_model *m, const struct source_join *j, uint32_t from, struct span on,
    const struct expr *e, struct sem_pair *pair)
{
	const struct expr *l, *r;
	enum side left, right;
	bool swap;

	while (e->kind == EXPR_PAREN && e->nchildren == 1)
		e = e->first;
	if (e->kind != EXPR_OTHER || e->nchildren != 2 || (l = e->first)->kind != EXPR_REF ||
	    (r = l->next)->kind != EXPR_REF)
		return "is no equality of two columns";
	for (size_t i = l->end; i < r->start; i++)
		if (on.p[i] != '=' && on.p[i] != ' ' && on.p[i] != '\t' && on.p[i] != '\n')
			return "is no equality of two columns";
	left = side_of(m, j, from, l);
	right = side_of(m, j, from, r);
	if (left == SIDE_STRANGE || right == SIDE_STRANGE)
		return "names a source that is on neither side of the join";
	if (left != SIDE_ANY && left == right)
		return "compares two columns of the same side";
	swap = left == SIDE_TARGET || right == SIDE_LOCAL;
	/* A self-join qualified on one side only: "manager_id = employees.id" has its target qualified. */
	if (left == SIDE_ANY && right == SIDE_ANY && l->nparts >= 2 && r->nparts < 2)
		swap = true;
	/* The expression is forgotten. */
	pair->local = arena_span(m->arena, (swap ? r : l)->parts[(swap ? r : l)->nparts - 1]);
	pair->target = arena_span(m->arena, (swap ? l : r)->parts[(swap ? l : r)->nparts - 1]);
	return pair->local.p == NULL || pair->target.p == NULL ? "is more than can be kept" : NULL;
}

static const char *
read_on(struct sem_model *m, const struct source_join *j, uint32_t from, struct sem_join *out)
{
	struct span on = span_str(j->on);
	struct sem_problem p = { 0 };
	const struct expr *e;

	arena_reset(m->scratch);
	if ((e = expr_parse(m->scratch, on, &p)) == NULL)
		return "cannot be read";
	while (e->kind == EXPR_PAREN && e->nchildren == 1)
		e = e->first;
	if (e->kind != EXPR_AND) {
		out->npairs = 1;
		return read_pair(m, j, from, on, e, &out->pairs[0]);
	}
	if (e->nchildren > SEM_KEYS_MAX)
		return "compares more columns than a key may have";
	for (const struct expr *c = e->first; c != NULL; c = c->next) {
		const char *why = read_pair(m, j, from, on, c, &out->pairs[out->npairs++]);

		if (why != NULL)
			return why;
	}
	return NULL;
}

static bool
same_join(const struct sem_join *a, const struct sem_join *b, bool mirrored)
{
	if (a->npairs != b->npairs || a->from != (mirrored ? b->to : b->from) || a->to != (mirrored ? b->from : b->to))
		return false;
	for (size_t i = 0; i < a->npairs; i++) {
		bool found = false;

		for (size_t k = 0; k < b->npairs && !found; k++)
			found = span_is(a->pairs[i].local, mirrored ? b->pairs[k].target : b->pairs[k].local) &&
			    span_is(a->pairs[i].target, mirrored ? b->pairs[k].local : b->pairs[k].target);
		if (!found)
			return false;
	}
	return true;
}

/* Of the nodes that it connects, whichever end declares it. */
static uint64_t
join_hash(const struct sem_join *j)
{
	return hash_step(hash_step(HASH_START, j->from < j->to ? j->from : j->to), j->from < j->to ? j->to : j->from);
}

/* The same join declared twice, or from both ends, is one join. */
static bool
is_known(struct sem_model *m, const struct sem_join *j)
{
	uint64_t hash = join_hash(j);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&m->known, hash, &at)) != TABLE_NONE;) {
		struct sem_join *o = &m->joins[row];

		if ((o->from == j->from && o->to == j->to && same_join(o, j, false)) ||
		    (o->from == j->to && o->to == j->from && same_join(o, j, true))) {
			o->verbs = o->verbs->nverbs == 0 ? j->declared : o->verbs;
			return true;
		}
	}
	return false;
}

static void
add_join(struct sem_model *m, uint32_t from, const struct source_join *j)
{
	const struct source *s = m->nodes[from].source;
	struct sem_join out = { .declared = j, .verbs = j, .from = from, .relationship = j->relationship };
	uint32_t target;
	const char *why;

	if (j->to == NULL || j->on == NULL || j->relationship == SOURCE_NO_RELATIONSHIP) {
		model_trouble(m, s, SEM_INVALID_JOIN,
		    "%s: a join needs `to`, `on` and a relationship of many_to_one, one_to_many or one_to_one.",
		    s->name);
		return;
	}
	target = sem_only(index_owners(m, &m->by_name, span_str(j->to), false));
	if (target == SEM_NONE) {
		model_trouble(m, s, SEM_UNKNOWN_JOIN_TARGET,
		    "%s: joins to \"%s\", which is no source of this connection; add it or remove the join.", s->name,
		    j->to);
		return;
	}
	if ((why = read_on(m, j, from, &out)) != NULL) {
		model_trouble(m, s, SEM_INVALID_JOIN,
		    "%s: the ON of the join to \"%s\" (%s) %s; write local_column = %s.column, AND-ed when there are "
		    "several.",
		    s->name, j->to, j->on, why, j->to);
		return;
	}
	out.to = target;
	if (j->alias != NULL && *j->alias != '\0') {
		struct sem_node *n = &m->nodes[m->nnodes];

		*n = m->nodes[target];
		n->name = n->label = span_str(j->alias);
		n->owner = from;
		n->alias = true;
		out.to = m->nnodes++;
	}
	if (is_known(m, &out))
		return;
	table_add(&m->known, join_hash(&out), (uint32_t)m->njoins);
	m->joins[m->njoins++] = out;
}

bool
sem_join_is_safe(const struct sem_join *j, bool inverse)
{
	return j->relationship == SOURCE_ONE_TO_ONE ||
	    j->relationship == (inverse ? SOURCE_ONE_TO_MANY : SOURCE_MANY_TO_ONE);
}

static uint32_t
root_of(uint32_t *up, uint32_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

/*
 * Builds the safe edges of every node.  An alias also has the edges of its source, except those that lead to the
 * node that declares the alias.
 */
static void
build_edges(struct sem_model *m)
{
	uint32_t *up = arena_array(m->arena, m->nnodes + 1, sizeof(*up));
	uint32_t *degree = arena_array(m->arena, m->nnodes + 1, sizeof(*degree));
	struct sem_edge **lists = arena_array(m->arena, m->nnodes + 1, sizeof(struct sem_edge *));

	if (up == NULL || degree == NULL || lists == NULL)
		abort();
	for (uint32_t i = 0; i < m->nnodes; i++)
		up[i] = i;
	for (size_t i = 0; i < m->njoins; i++) {
		const struct sem_join *j = &m->joins[i];

		if (j->from == j->to)
			continue;
		degree[j->from] += sem_join_is_safe(j, false);
		degree[j->to] += sem_join_is_safe(j, true);
		up[root_of(up, j->from)] = root_of(up, j->to);
	}
	for (uint32_t i = 0; i < m->nnodes; i++) {
		uint32_t base = degree[i];

		m->nodes[i].component = root_of(up, i);
		if (m->nodes[i].alias) {
			bool ambiguous;
			uint32_t source = sem_find_node(m, span_str(m->nodes[i].source->name), &ambiguous);

			base += degree[source];
		}
		if ((lists[i] = arena_array(m->arena, base + 1, sizeof(struct sem_edge))) == NULL)
			abort();
		m->nodes[i].edges = lists[i];
	}
	for (size_t i = 0; i < m->njoins; i++) {
		const struct sem_join *j = &m->joins[i];

		if (j->from == j->to) /* only a query can name it, see named.c */
			continue;
		if (sem_join_is_safe(j, false))
			lists[j->from][m->nodes[j->from].nedges++] = (struct sem_edge){ j->to, j, false };
		if (sem_join_is_safe(j, true))
			lists[j->to][m->nodes[j->to].nedges++] = (struct sem_edge){ j->from, j, true };
	}
	for (uint32_t i = m->nsources; i < m->nnodes; i++) {
		bool ambiguous;
		const struct sem_node *source =
		    &m->nodes[sem_find_node(m, span_str(m->nodes[i].source->name), &ambiguous)];

		for (size_t k = 0; k < source->nedges; k++)
			if (source->edges[k].to != m->nodes[i].owner)
				lists[i][m->nodes[i].nedges++] = source->edges[k];
	}
}

static struct span
last_part(const char *table)
{
	const char *last = table;
	struct span s;

	/* A dot in quotes is a part of the name. */
	for (const char *p = table, *quote = NULL; *p != '\0'; p++)
		if (*p == '"' || *p == '`')
			quote = quote == NULL ? p : *quote == *p ? NULL : quote;
		else if (*p == '.' && quote == NULL)
			last = p + 1;
	s = span_str(last);
	if (s.len >= 2 && (s.p[0] == '"' || s.p[0] == '`'))
		s = span_of(s.p + 1, s.len - 2);
	return s;
}

static void
add_names(struct sem_model *m, uint32_t id)
{
	const struct source *s = m->nodes[id].source;

	for (size_t i = 0; i < s->ncolumns; i++) {
		index_add(&m->columns, span_str(s->columns[i].name), id);
		if (s->columns[i].visibility == SOURCE_HIDDEN)
			index_add(&m->hidden, span_str(s->columns[i].name), id);
	}
	for (size_t i = 0; i < s->nmeasures; i++)
		if (s->measures[i].name != NULL)
			index_add(&m->measures, span_str(s->measures[i].name), id);
	if (s->table != NULL)
		index_add(&m->tables, last_part(s->table), id);
}

static void
build_forget(struct sem_model *m)
{
	table_free(&m->known);
	arena_free(m->scratch);
	m->scratch = NULL;
}

struct sem_model *
sem_model_new(const struct source *const *sources, size_t n)
{
	struct sem_model *m = mem_new(1, sizeof(*m));
	size_t njoins = 0, ncolumns = 0, nmeasures = 0;
	enum sem_category category;
	const char *fault;

	m->arena = arena_new(MODEL_BYTES_MAX);
	m->scratch = arena_new(MODEL_BYTES_MAX);
	for (size_t i = 0; i < n; i++) {
		njoins += sources[i]->njoins;
		ncolumns += sources[i]->ncolumns;
		nmeasures += sources[i]->nmeasures;
	}
	m->nodes = arena_array(m->arena, n + njoins + 1, sizeof(m->nodes[0]));
	m->joins = arena_array(m->arena, njoins + 1, sizeof(m->joins[0]));
	if (m->nodes == NULL || m->joins == NULL) {
		sem_model_free(m);
		return NULL;
	}
	index_init(&m->by_name, m->arena, n);
	index_init(&m->columns, m->arena, ncolumns);
	index_init(&m->measures, m->arena, nmeasures);
	index_init(&m->hidden, m->arena, ncolumns);
	index_init(&m->tables, m->arena, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = m->nnodes++;

		m->nodes[id] = (struct sem_node){ .name = span_str(sources[i]->name),
			.label = span_str(sources[i]->name), .source = sources[i], .owner = id,
			.covered_by = SEM_NONE };
		if ((fault = sem_source_fault(m->arena, sources[i], &category)) != NULL)
			add_trouble(m, &(struct sem_trouble){ sources[i], category, fault, 0, false });
		else
			sem_source_notes(m->arena, sources[i], pass_over, m);
		index_add(&m->by_name, m->nodes[id].name, id);
		index_columns(&m->nodes[id]);
		add_names(m, id);
	}
	m->nsources = m->nnodes;
	scanned_find(m);
	for (uint32_t i = 0; i < m->nsources; i++)
		for (size_t k = 0; k < m->nodes[i].source->njoins; k++)
			add_join(m, i, &m->nodes[i].source->joins[k]);
	build_edges(m);
	build_forget(m);
	return m;
}

void
sem_model_free(struct sem_model *m)
{
	if (m == NULL)
		return;
	for (uint32_t i = 0; i < m->nnodes; i++)
		if (!m->nodes[i].alias)
			table_free(&m->nodes[i].columns);
	table_free(&m->by_name.names);
	table_free(&m->columns.names);
	table_free(&m->measures.names);
	table_free(&m->hidden.names);
	table_free(&m->tables.names);
	build_forget(m);
	arena_free(m->arena);
	free(m->troubles);
	free(m);
}

size_t
sem_model_nodes(const struct sem_model *m)
{
	return m->nnodes;
}

const struct sem_node *
sem_model_node(const struct sem_model *m, uint32_t id)
{
	return &m->nodes[id];
}

size_t
sem_model_troubles(const struct sem_model *m)
{
	return m->ntroubles;
}

const struct sem_trouble *
sem_model_trouble(const struct sem_model *m, size_t i)
{
	return &m->troubles[i];
}

const struct sem_trouble *
sem_node_trouble(const struct sem_model *m, uint32_t node)
{
	for (size_t i = 0; i < m->ntroubles; i++)
		if (m->troubles[i].source == m->nodes[node].source && !m->troubles[i].passed_over)
			return &m->troubles[i];
	return NULL;
}

uint32_t
sem_find_node(const struct sem_model *m, struct span name, bool *ambiguous)
{
	uint32_t found = SEM_NONE;

	*ambiguous = false;
	for (uint32_t i = index_first(&m->by_name, name); i != SEM_NONE; i = m->by_name.owners[i].next)
		if (span_is(m->by_name.owners[i].name, name))
			return m->by_name.owners[i].node;
	for (uint32_t i = m->nsources; i < m->nnodes; i++)
		if (span_is(m->nodes[i].name, name)) {
			if (found != SEM_NONE)
				*ambiguous = true;
			found = i;
		}
	return *ambiguous ? SEM_NONE : found;
}

const struct source_column *
sem_find_column(const struct sem_node *node, struct span name)
{
	const struct source_column *columns = node->source->columns, *folded = NULL;
	uint64_t hash = model_hash(name);
	size_t matches = 0;
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&node->columns, hash, &at)) != TABLE_NONE;) {
		const struct source_column *c = &columns[row];

		if (span_is_str(name, c->name))
			return c;
		if (span_is_folded(name, span_str(c->name))) {
			folded = c;
			matches++;
		}
	}
	return matches == 1 ? folded : NULL;
}

const struct source_measure *
sem_find_measure(const struct sem_node *node, struct span name)
{
	return source_find_measure(node->source, name);
}

const struct source_segment *
sem_find_segment(const struct sem_node *node, struct span name)
{
	for (size_t i = 0; i < node->source->nsegments; i++)
		if (node->source->segments[i].name != NULL && span_is_str(name, node->source->segments[i].name))
			return &node->source->segments[i];
	return NULL;
}

struct sem_owners
sem_owners_of_column(const struct sem_model *m, struct span name)
{
	return index_owners(m, &m->columns, name, true);
}

struct sem_owners
sem_owners_of_measure(const struct sem_model *m, struct span name)
{
	return index_owners(m, &m->measures, name, false);
}

bool
sem_is_hidden_word(const struct sem_model *m, struct span name)
{
	return index_first(&m->hidden, name) != SEM_NONE;
}

uint32_t
sem_find_table(const struct sem_model *m, struct span name)
{
	uint32_t i = index_first(&m->tables, name);

	if (i != SEM_NONE)
		return m->tables.owners[i].node;
	i = index_first(&m->by_name, name);
	return i != SEM_NONE ? m->by_name.owners[i].node : SEM_NONE;
}

const struct sem_paths *
sem_paths(const struct sem_model *m, struct arena *a, uint32_t root)
{
	struct sem_paths *p = arena_alloc(a, sizeof(*p));
	uint32_t *queue = arena_array(a, m->nnodes, sizeof(*queue));
	size_t head = 0, tail = 0;

	if (p == NULL || queue == NULL || (p->distance = arena_array(a, m->nnodes, sizeof(uint32_t))) == NULL ||
	    (p->parent = arena_array(a, m->nnodes, sizeof(uint32_t))) == NULL ||
	    (p->rival = arena_array(a, m->nnodes, sizeof(uint32_t))) == NULL ||
	    (p->via = arena_array(a, m->nnodes, sizeof(const struct sem_edge *))) == NULL)
		return NULL;
	p->root = root;
	p->order = queue;
	memset(p->distance, 0xff, m->nnodes * sizeof(uint32_t));
	memset(p->parent, 0xff, m->nnodes * sizeof(uint32_t));
	memset(p->rival, 0xff, m->nnodes * sizeof(uint32_t));
	p->distance[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		uint32_t at = queue[head++];
		const struct sem_node *n = &m->nodes[at];

		for (size_t i = 0; i < n->nedges; i++) {
			const struct sem_edge *e = &n->edges[i];

			if (p->distance[e->to] == SEM_NONE) {
				p->distance[e->to] = p->distance[at] + 1;
				p->parent[e->to] = at;
				p->via[e->to] = e;
				queue[tail++] = e->to;
			} else if (p->distance[e->to] == p->distance[at] + 1 && p->via[e->to] != e)
				p->rival[e->to] = at;
		}
	}
	p->count = tail;
	return p;
}
