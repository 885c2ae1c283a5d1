#include "semantic/from.h"
#include "semantic/emit.h"

static void
put_source(struct sem_plan *c, struct buf *out, uint32_t node)
{
	const struct sem_node *n = sem_model_node(c->model, node);

	if (n->source->sql != NULL) {
		struct span sql = span_str(n->source->sql);

		while (sql.len > 0 &&
		    (sql.p[sql.len - 1] == '\n' || sql.p[sql.len - 1] == ' ' || sql.p[sql.len - 1] == ';'))
			sql.len--;
		buf_printf(out, "(\n%.*s\n) AS ", SPAN_FMT(sql));
	} else {
		dialect_table(out, n->table, n->exact);
		buf_str(out, " AS ");
	}
	dialect_identifier(out, n->label);
}

int
from_put_pairs(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t child, struct plan_fact *outer)
{
	const struct sem_edge *e = fact->paths->via[child];
	uint32_t parent = fact->paths->parent[child];

	for (size_t i = 0; i < e->join->npairs; i++) {
		const struct sem_pair *p = &e->join->pairs[i];
		struct span near = e->inverse ? p->target : p->local, far = e->inverse ? p->local : p->target;

		if (i > 0)
			buf_str(out, " AND ");
		if (emit_column(c, out, fact, parent, sem_find_column(sem_model_node(c->model, parent), near), near) ==
		    -1)
			return -1;
		buf_str(out, " = ");
		if (emit_column(c, out, outer, child, sem_find_column(sem_model_node(c->model, child), far), far) == -1)
			return -1;
	}
	return 0;
}

static int
put_join(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t child, uint32_t joined)
{
	buf_str(out, fact->inner[child] && !c->query->include_empty ? "\nJOIN " : "\nLEFT JOIN ");
	put_source(c, out, joined);
	buf_str(out, " ON ");
	return from_put_pairs(c, out, fact, child, fact);
}

uint32_t
from_start(const struct sem_plan *c, const struct plan_fact *fact)
{
	return c->nfacts == 1 && c->anchor != SEM_NONE ? c->anchor : fact->root;
}

/* From the fact outwards; with an anchor, from the anchor to the fact and then outwards. */
int
from_put(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t start)
{
	const struct sem_paths *p = fact->paths;

	buf_str(out, "\nFROM ");
	put_source(c, out, start);
	for (uint32_t at = start; at != fact->root; at = p->parent[at])
		if (put_join(c, out, fact, at, p->parent[at]) == -1)
			return -1;
	for (size_t i = 1; i < p->count; i++) {
		uint32_t at = p->order[i], on;

		if (!fact->needed[at])
			continue;
		for (on = start; on != fact->root && on != at; on = p->parent[on])
			;
		if (on == at && at != fact->root)
			continue; /* already joined, on the path from the anchor */
		if (put_join(c, out, fact, at, at) == -1)
			return -1;
	}
	return 0;
}
