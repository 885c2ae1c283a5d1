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
		dialect_table(c->dialect, out, n->table, n->exact);
		buf_str(out, " AS ");
	}
	dialect_identifier(c->dialect, out, n->label);
}

typedef int put_key(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t node,
    const struct source_column *column, struct span name);

/* A column of a row of one source. */
struct from_key {
	struct plan_fact	*fact;
	uint32_t		 node;
	struct span		 name;
};

static int
put_equal_by(put_key *key, struct sem_plan *c, struct buf *out, const struct from_key *a, const struct from_key *b)
{
	if (key(c, out, a->fact, a->node, sem_find_column(sem_model_node(c->model, a->node), a->name), a->name) == -1)
		return -1;
	buf_str(out, " = ");
	return key(c, out, b->fact, b->node, sem_find_column(sem_model_node(c->model, b->node), b->name), b->name);
}

/* Two keys are equal: as values, and where that is another comparison, as the index has them. */
static int
put_equal(struct sem_plan *c, struct buf *out, const struct from_key *a, const struct from_key *b)
{
	struct buf stored = BUF_MAX(SEM_SQL_MAX), values = BUF_MAX(SEM_SQL_MAX);
	int r = put_equal_by(emit_column, c, &values, a, b);

	if (r == 0 && c->dialect->keys_twice && (r = put_equal_by(emit_stored_column, c, &stored, a, b)) == 0 &&
	    !span_is(buf_view(&stored), buf_view(&values)))
		buf_printf(out, "%.*s AND ", SPAN_FMT(buf_view(&stored)));
	buf_span(out, buf_view(&values));
	buf_fini(&stored);
	buf_fini(&values);
	return r;
}

int
from_put_pairs(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t child, struct plan_fact *outer)
{
	const struct sem_edge *e = fact->paths->via[child];
	uint32_t parent = fact->paths->parent[child];

	for (size_t i = 0; i < e->join->npairs; i++) {
		const struct sem_pair *p = &e->join->pairs[i];
		const struct from_key near = { fact, parent, e->inverse ? p->target : p->local };
		const struct from_key far = { outer, child, e->inverse ? p->local : p->target };

		if (i > 0)
			buf_str(out, " AND ");
		if (put_equal(c, out, &near, &far) == -1)
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
