#include "semantic/report.h"

static void
put_node(struct sem_plan *c, struct buf *out, uint32_t node)
{
	mp_put_str(out, sem_model_node(c->model, node)->name);
}

static const char *
relationship_name(enum source_relationship r, bool inverse)
{
	if (r == SOURCE_ONE_TO_ONE)
		return "one_to_one";
	return (r == SOURCE_MANY_TO_ONE) != inverse ? "many_to_one" : "one_to_many";
}

/* Visit every join that some fact makes, once. */
static void
put_joins(struct sem_plan *c, struct buf *out)
{
	size_t mark = mp_open_array(out), n = 0;

	for (size_t f = 0; f < c->nfacts + c->nbeside; f++) {
		const struct plan_fact *fact = &c->facts[f];

		for (size_t i = 1; i < fact->paths->count; i++) {
			uint32_t at = fact->paths->order[i];
			const struct sem_edge *e = fact->paths->via[at];
			bool seen = false;
			size_t map;

			for (size_t k = 0; k < f && !seen; k++)
				seen = c->facts[k].needed[at] && c->facts[k].paths->via[at] == e;
			if (!fact->needed[at] || seen)
				continue;
			map = mp_open_map(out);
			mp_put_cstr(out, "from");
			put_node(c, out, fact->paths->parent[at]);
			mp_put_cstr(out, "to");
			put_node(c, out, at);
			mp_add_pairs(out, mp_cstr("on", e->join->declared->on),
			    mp_cstr("relationship", relationship_name(e->join->relationship, e->inverse)));
			mp_end(out, map);
			n++;
		}
	}
	mp_close(out, mark, n);
}

static bool
is_used(const struct sem_plan *c, uint32_t node)
{
	for (size_t f = 0; f < c->nfacts + c->nbeside; f++)
		if (c->facts[f].root == node || c->facts[f].needed[node])
			return true;
	return false;
}

static void
put_sources(struct sem_plan *c, struct buf *out)
{
	size_t mark = mp_open_array(out), n = 0;

	for (uint32_t i = 0; i < sem_model_nodes(c->model); i++)
		if (is_used(c, i)) {
			put_node(c, out, i);
			n++;
		}
	mp_close(out, mark, n);
}

/* The table of each source; nil for one that is a query. */
static void
put_tables(struct sem_plan *c, struct buf *out)
{
	size_t mark = mp_open_map(out), n = 0;

	for (uint32_t i = 0; i < sem_model_nodes(c->model); i++)
		if (is_used(c, i)) {
			const struct sem_node *node = sem_model_node(c->model, i);

			put_node(c, out, i);
			if (node->table.len > 0)
				mp_put_str(out, node->table);
			else
				mp_put_nil(out);
			n++;
		}
	mp_close(out, mark, n);
}

static void
put_facts(struct sem_plan *c, struct buf *out)
{
	mp_put_array(out, c->nfacts);
	for (uint32_t f = 0; f < c->nfacts; f++) {
		size_t mark;
		size_t map = mp_open_map(out);

		mp_put_cstr(out, "source");
		put_node(c, out, c->facts[f].root);
		mark = mp_pair_open_array(out, "measures");
		for (size_t i = 0; i < c->noutputs; i++)
			if ((c->outputs[i].measure->facts & 1u << f) != 0)
				mp_put_str(out, c->outputs[i].header);
		mp_end(out, mark);
		mp_pair_array(out, "keys", c->ndimensions);
		for (size_t i = 0; i < c->ndimensions; i++)
			mp_put_str(out, c->dimensions[i].header);
		mp_end(out, map);
	}
}

static void
put_filter(struct sem_plan *c, struct buf *out, const struct plan_filter *f)
{
	uint32_t applied = f->group ? f->measure->facts : f->applied;
	size_t mark;
	size_t map = mp_open_pairs(out, mp_str("text", span_of(f->text.p + f->ast->start, f->ast->end - f->ast->start)),
	    mp_cstr("kind", f->group ? "group" : "row"));

	mark = mp_pair_open_array(out, "appliedTo");
	for (uint32_t i = 0; i < c->nfacts; i++)
		if ((applied & 1u << i) != 0)
			put_node(c, out, c->facts[i].root);
	mp_end(out, mark);
	mp_end(out, map);
}

static void
put_filters(struct sem_plan *c, struct buf *out)
{
	size_t mark = mp_open_array(out), n = 0;

	for (const struct plan_filter *f = c->segments; f != NULL; f = f->next, n++)
		put_filter(c, out, f);
	for (const struct plan_filter *f = c->filters; f != NULL; f = f->next, n++)
		put_filter(c, out, f);
	mp_close(out, mark, n);
}

static void
put_derived_from(struct sem_plan *c, struct buf *out, const struct plan_measure *m)
{
	size_t mark = mp_open_array(out), n = 0;

	for (const struct plan_link *l = m->links; l != NULL; l = l->next) {
		if (l->to->def == NULL) {
			mp_put_str(out, l->to->text);
		} else {
			struct span node = sem_model_node(c->model, l->to->scope)->name;
			const char *name = arena_printf(c->arena, "%.*s.%s", SPAN_FMT(node), l->to->def->name);

			mp_put_cstr(out, name != NULL ? name : l->to->def->name);
		}
		n++;
	}
	mp_close(out, mark, n);
}

static void
put_measures(struct sem_plan *c, struct buf *out)
{
	mp_put_array(out, c->noutputs);
	for (size_t i = 0; i < c->noutputs; i++) {
		const struct plan_measure *m = c->outputs[i].measure;
		size_t map;

		/* A predefined measure is shown with its definition. */
		if (m->ast->kind == EXPR_REF && m->links != NULL && m->links->to->def != NULL)
			m = m->links->to;
		map = mp_open_pairs(out, mp_str("name", c->outputs[i].header), mp_str("expr", m->text));
		mp_put_cstr(out, "source");
		if (m->facts != 0 && (m->facts & (m->facts - 1)) == 0)
			put_node(c, out, c->facts[__builtin_ctz(m->facts)].root);
		else
			mp_put_nil(out);
		mp_put_cstr(out, "derivedFrom");
		put_derived_from(c, out, m);
		mp_end(out, map);
	}
}

static void
put_dimensions(struct sem_plan *c, struct buf *out)
{
	mp_put_array(out, c->ndimensions);
	for (size_t i = 0; i < c->ndimensions; i++) {
		const struct plan_dimension *d = &c->dimensions[i];
		size_t map = mp_open_pairs(out, mp_str("name", d->header));

		mp_put_cstr(out, "source");
		put_node(c, out, d->node);
		mp_add_pairs(out, mp_cstr("column", d->column->name),
		    mp_cstr("granularity", dialect_grain_name(d->grain)));
		mp_end(out, map);
	}
}

/* The grain of the result's rows. */
static void
put_grain(struct sem_plan *c, struct buf *out)
{
	mp_put_array(out, c->ndimensions);
	for (size_t i = 0; i < c->ndimensions; i++)
		mp_put_str(out, c->dimensions[i].header);
}

static void
put_fan_out(struct sem_plan *c, struct buf *out)
{
	mp_put_pairs(out, mp_bool("detected", c->nfacts > 1),
	    mp_cstr("description",
		c->nfacts > 1 ?
		    "Several sources are measured; each is aggregated on its own and the groups are combined, "
		    "so no row counts twice." :
		    "No fan-out: the measured source is joined to one row of each other source at most."));
}

int
report_put(struct sem_plan *c, struct buf *out)
{
	size_t map = mp_open_map(out);

	mp_put_cstr(out, "sources");
	put_sources(c, out);
	mp_put_cstr(out, "tables");
	put_tables(c, out);
	mp_put_cstr(out, "joins");
	put_joins(c, out);
	mp_put_cstr(out, "facts");
	put_facts(c, out);
	mp_put_cstr(out, "filters");
	put_filters(c, out);
	mp_put_cstr(out, "measures");
	put_measures(c, out);
	mp_put_cstr(out, "dimensions");
	put_dimensions(c, out);
	mp_put_cstr(out, "grain");
	put_grain(c, out);
	mp_put_cstr(out, "fanOut");
	put_fan_out(c, out);
	mp_pair_array(out, "notes", c->nnotes);
	for (size_t i = 0; i < c->nnotes; i++)
		mp_put_str(out, c->notes[i]);
	mp_end(out, map);
	return out->full ? sem_fail(c->problem, SEM_PARSE_ERROR, SPAN_NONE, "The query is too large.") : 0;
}
