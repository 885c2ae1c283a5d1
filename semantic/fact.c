#include "semantic/fact.h"
#include "semantic/kind.h"
#include "semantic/named.h"

int
fact_need(struct sem_plan *c, struct plan_fact *fact, uint32_t node)
{
	const struct sem_paths *p = fact->paths;

	if (p->distance[node] == SEM_NONE)
		return sem_fail(c->problem,
		    sem_model_node(c->model, node)->component == sem_model_node(c->model, fact->root)->component ?
			SEM_FAN_OUT :
			SEM_NO_JOIN_PATH,
		    sem_model_node(c->model, node)->name, "%.*s cannot reach %.*s without multiplying its rows.",
		    SPAN_FMT(sem_model_node(c->model, fact->root)->name),
		    SPAN_FMT(sem_model_node(c->model, node)->name));
	if (sem_path_check(c->model, p, node, c->problem) == -1)
		return -1;
	for (uint32_t at = node; at != fact->root; at = p->parent[at])
		fact->needed[at] = true;
	return 0;
}

static struct plan_fact *
fact_begin(struct sem_plan *c, uint32_t node)
{
	size_t n = sem_model_nodes(c->model);
	struct plan_fact *f;

	if (c->nfacts + c->nbeside == PLAN_FACTS_MAX) {
		sem_fail(c->problem, SEM_PARSE_ERROR, SPAN_NONE,
		    "A query may combine at most %d sources of measures and functions such as has(); ask for less at "
		    "once.",
		    PLAN_FACTS_MAX);
		return NULL;
	}
	f = &c->facts[c->nfacts + c->nbeside];
	*f = (struct plan_fact){ .root = node };
	f->tail = &f->columns;
	f->needed = arena_array(c->arena, n, sizeof(bool));
	f->inner = arena_array(c->arena, n, sizeof(bool));
	f->paths = sem_paths(c->model, c->arena, node);
	if (f->needed == NULL || f->inner == NULL || f->paths == NULL) {
		sem_fail(c->problem, SEM_PARSE_ERROR, SPAN_NONE, "The query is too large.");
		return NULL;
	}
	return f;
}

uint32_t
fact_of(struct sem_plan *c, uint32_t node)
{
	for (uint32_t i = 0; i < c->nfacts; i++)
		if (c->facts[i].root == node)
			return i;
	return fact_begin(c, node) != NULL ? (uint32_t)c->nfacts++ : SEM_NONE;
}

struct plan_fact *
fact_beside(struct sem_plan *c, uint32_t node)
{
	struct plan_fact *f = fact_begin(c, node);

	c->nbeside += f != NULL;
	return f;
}

static bool
same_conds(const struct plan_cond *a, const struct plan_cond *b)
{
	for (; a != NULL && b != NULL; a = a->next, b = b->next)
		if (a->ast != b->ast)
			return false;
	return a == b;
}

static bool
name_taken(const struct sem_plan *c, struct span name)
{
	for (size_t i = 0; i < c->ndimensions; i++)
		if (span_is(c->dimensions[i].header, name))
			return true;
	for (size_t i = 0; i < c->noutputs; i++)
		if (span_is(c->outputs[i].header, name))
			return true;
	for (size_t f = 0; f < c->nfacts; f++)
		for (const struct sem_column *k = c->facts[f].columns; k != NULL; k = k->next)
			if (span_is(k->name, name))
				return true;
	return false;
}

static struct span
generated_name(struct sem_plan *c, const struct plan_measure *m)
{
	const char *base = m->def != NULL ? m->def->name : "part", *name;
	struct span s = span_str(base);

	while (name_taken(c, s)) {
		if ((name = arena_printf(c->arena, "%s_%zu", base, ++c->ngenerated)) == NULL)
			break;
		s = span_str(name);
	}
	return s;
}

struct sem_column *
fact_column(struct sem_plan *c, uint32_t fact, const struct plan_measure *m,
    const struct expr *part, const struct plan_cond *conds, struct span name)
{
	struct plan_fact *f = &c->facts[fact];
	struct sem_column *k;

	for (k = f->columns; k != NULL; k = k->next)
		if (k->measure == m && k->part == part && same_conds(k->conds, conds) &&
		    (name.len == 0 || span_is(name, k->name)))
			return k;
	if ((k = arena_alloc(c->arena, sizeof(*k))) == NULL) {
		sem_fail(c->problem, SEM_PARSE_ERROR, m->text, "The query is too large.");
		return NULL;
	}
	k->measure = m;
	k->part = part;
	k->conds = conds;
	k->name = name.len > 0 ? name : generated_name(c, m);
	k->kind = kind_of_measure(c, m, part != NULL ? part : m->ast);
	*f->tail = k;
	f->tail = &k->next;
	return k;
}
