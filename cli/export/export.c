/* export.c - what the writers of all tools share; see export.h. */
#include <string.h>

#include "base/mem.h"
#include "base/mp.h"
#include "cli/export/export.h"
#include "project/format/yaml_emit.h"

void
export_leave(struct export *x, const char *as, const char *source, const char *name, const char *why)
{
	const char *whole = source == NULL ? name : mem_must(arena_printf(x->a, "%s.%s", source, name));

	mp_put_pairs(&x->left, mp_cstr("as", as), mp_cstr("name", whole), mp_cstr("reason", why));
	x->nleft++;
}

const char *
export_metric_name(struct export *x, const struct source *s, const struct source_measure *m)
{
	const char *name;

	if (sem_owners_of_measure(x->model, span_str(m->name)).n < 2)
		return m->name;
	name = mem_must(arena_printf(x->a, "%s_%s", s->name, m->name));
	export_leave(x, "name", s->name, m->name,
	    mem_must(arena_printf(x->a, "another metric has it: it is %s", name)));
	return name;
}

bool
export_has_table(struct export *x, const struct source *s)
{
	bool ambiguous;
	uint32_t node = sem_find_node(x->model, span_str(s->name), &ambiguous);
	const struct sem_trouble *trouble = node == SEM_NONE ? NULL : sem_node_trouble(x->model, node);

	if (node != SEM_NONE && sem_model_node(x->model, node)->covered_by != SEM_NONE)
		return false; /* the source that takes its place is written */
	if (node == SEM_NONE || trouble != NULL)
		export_leave(x, "source", NULL, s->name, trouble != NULL ? trouble->text : "its file cannot be read");
	else if (s->table == NULL)
		export_leave(x, "source", NULL, s->name, "its rows are a statement's, not a table's");
	else
		return true;
	return false;
}

size_t
export_joins(struct export *x, const struct source *s, const struct export_join **out)
{
	bool ambiguous;
	const struct sem_node *n = sem_model_node(x->model, sem_find_node(x->model, span_str(s->name), &ambiguous));
	struct export_join *v = mem_must(arena_array(x->a, n->nedges + 1, sizeof(*v)));
	size_t count = 0;

	for (int aliased = 0; aliased < 2; aliased++)
		for (size_t i = 0; i < n->nedges; i++) {
			const struct sem_edge *e = &n->edges[i];
			const struct sem_node *to = sem_model_node(x->model, e->to);
			struct export_join *j = &v[count];

			if (to->alias != (aliased == 1) ||
			    (e->inverse && e->join->relationship != SOURCE_ONE_TO_MANY) || to->source->table == NULL)
				continue;
			*j = (struct export_join){ .to = to->source, .npairs = e->join->npairs,
				.single = e->join->relationship == SOURCE_ONE_TO_ONE,
				.alias = aliased == 1 ? mem_must(arena_cstr(x->a, to->name)) : NULL };
			for (size_t k = 0; k < j->npairs; k++)
				j->pairs[k] = e->inverse ? (struct sem_pair){ e->join->pairs[k].target,
								   e->join->pairs[k].local } :
							   e->join->pairs[k];
			count++;
		}
	*out = v;
	return count;
}

bool
export_is_time(const struct source_column *c)
{
	return c->time || (c->type != NULL && strcmp(c->type, "time") == 0);
}

void
export_leave_segments(struct export *x, const struct source *s)
{
	for (size_t i = 0; i < s->nsegments; i++)
		export_leave(x, "segment", s->name, s->segments[i].name, "there is no word for a named filter");
}

void
export_leave_meaning(struct export *x, const struct source *s, const struct source_measure *m)
{
	if (m->unit != NULL)
		export_leave(x, "unit", s->name, m->name, "a metric has no unit");
	if (m->additive != SOURCE_ADDITIVE_UNSAID || m->nnone_over > 0)
		export_leave(x, "additivity", s->name, m->name, "a metric does not say over what it may be summed");
}

void
export_key(struct buf *out, unsigned indent, const char *key, struct span text)
{
	buf_printf(out, "%*s%s: ", (int)indent, "", key);
	yaml_put_quoted(text, out);
	buf_byte(out, '\n');
}

void
export_line(struct export *x, unsigned indent, const char *key, struct span text)
{
	if (text.len > 0)
		export_key(&x->out, indent, key, text);
}

void
export_names(struct export *x, const char *const *names, size_t n)
{
	buf_byte(&x->out, '[');
	for (size_t i = 0; i < n; i++) {
		buf_str(&x->out, i > 0 ? ", " : "");
		yaml_put_quoted(span_str(names[i]), &x->out);
	}
	buf_byte(&x->out, ']');
}
