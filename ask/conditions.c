#include "ask/conditions.h"

bool
conditions_are_joined(const struct plan *p, const struct ask_entry *a, struct plan_column at)
{
	const struct ask_entry *b = &(struct ask_entry){ .source = at.node, .index = at.column };

	for (uint32_t n = 0; n < p->m->nnodes; n++)
		for (size_t k = 0; k < p->m->nodes[n].nedges; k++) {
			const struct ask_edge *e = &p->m->nodes[n].edges[k];
			const struct ask_entry *here = p->m->nodes[n].source == a->source ? a : b,
					       *there = here == a ? b : a;

			if (p->m->nodes[n].source == here->source && p->m->nodes[e->to].source == there->source &&
			    e->here.len > 0 &&
			    span_is(e->here, p->m->sources[here->source].columns[here->index].names.name) &&
			    span_is(e->there, p->m->sources[there->source].columns[there->index].names.name))
				return true;
		}
	return false;
}

bool
conditions_is_of_another(const struct plan *p)
{
	uint32_t root = plan_root(p);

	for (size_t i = 0; i < p->q.n; i++)
		if (plan_names_of(p, i, ASK_KIND_SOURCE, root))
			return false;
	for (size_t i = 0; i < p->q.n; i++) {
		const struct ask_item *it = &p->q.items[i];

		for (size_t k = 0; k < it->nhits; k++)
			if ((span_begins(it->consumed_by, "measure ") || span_begins(it->consumed_by, "column ")) &&
			    (it->hits[k]->kind == ASK_KIND_COLUMN || it->hits[k]->kind == ASK_KIND_MEASURE) &&
			    it->hits[k]->source != root && !p->m->sources[it->hits[k]->source].covered)
				return true;
	}
	return false;
}

struct span
conditions_nothing(const struct plan *p, struct plan_column at)
{
	const struct ask_source *s = plan_source(p, at.node);

	for (size_t k = 0; p->known != NULL && k < p->known->nvalues; k++) {
		const struct ask_value *v = &p->known->values[k];

		if (!span_is(v->source, s->names.name) || !span_is(v->column, s->columns[at.column].names.name))
			continue;
		for (size_t n = 0; ask_nothings[n] != NULL; n++)
			if (span_is_folded(v->value, span_str(ask_nothings[n])) ||
			    (n == 0 && v->value.len > 3 && span_is_folded(span_of(v->value.p, 3), SPAN("no "))))
				return v->value;
	}
	return span_of("", 0);
}
