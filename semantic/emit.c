#include "semantic/emit.h"
#include "semantic/fact.h"
#include "semantic/kind.h"
#include "semantic/names_row.h"
#include "semantic/related.h"

/* Where an expression's names are resolved, and for whom it is printed. */
struct emit_row {
	struct plan_fact	*fact;
	struct span		 text;
	uint32_t		 scope;
	bool			 user;
	unsigned		 depth;		/* computed columns inside computed columns */
	uint32_t		 via;		/* the text is the model's, about rows of this node; SEM_NONE: it is the query's */
};

static int emit_row(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *e);

static int
too_large(struct sem_plan *c, struct span text)
{
	return sem_fail(c->problem, SEM_PARSE_ERROR, text,
	    "The query makes a statement of more than %d bytes; ask for less at once.", SEM_SQL_MAX);
}

static int
emit_computed(struct sem_plan *c, struct buf *out, const struct emit_row *r, uint32_t node,
    const struct source_column *column)
{
	struct emit_row inner = { r->fact, span_str(column->expr), node, false, r->depth + 1, node };
	const struct expr *e;

	if (r->depth > 16)
		return sem_fail(c->problem, SEM_INVALID_SOURCE, span_str(column->name),
		    "The computed column \"%s\" is defined in terms of itself.", column->name);
	if ((e = expr_parse(c->arena, inner.text, c->problem)) == NULL)
		return -1;
	if (e->kind == EXPR_REF && e->nparts == 1 && span_is_str(e->parts[0], column->name)) {
		dialect_identifier(out, sem_model_node(c->model, node)->label);
		buf_byte(out, '.');
		dialect_identifier(out, e->parts[0]);
		return 0;
	}
	buf_byte(out, '(');
	if (emit_row(c, out, &inner, e) == -1)
		return -1;
	buf_byte(out, ')');
	return 0;
}

static bool
is_reached_through(const struct plan_fact *fact, uint32_t node, uint32_t via)
{
	while (node != via && node != fact->root)
		node = fact->paths->parent[node];
	return node == via;
}

/* Whether node lies on the fact's way to via, and via's own way to node is that way back. */
static bool
is_way_back(struct sem_plan *c, const struct plan_fact *fact, uint32_t node, uint32_t via)
{
	const struct sem_paths *own = sem_paths(c->model, c->arena, via), *paths = fact->paths;
	uint32_t next;

	if (own == NULL || own->distance[node] == SEM_NONE)
		return false;
	for (uint32_t at = node; at != via; at = next) {
		next = own->parent[at];
		if (next == fact->root || paths->distance[next] == SEM_NONE || paths->parent[next] != at ||
		    paths->via[next]->join != own->via[at]->join)
			return false;
	}
	return true;
}

/*
 * Whether a row of the fact meets the same row of node as its row of via does.
 * Joins are walked by the shortest way from the fact, which need not pass by
 * the source whose expression names the other.
 */
static bool
is_same_row(struct sem_plan *c, const struct plan_fact *fact, uint32_t node, uint32_t via)
{
	return is_reached_through(fact, node, via) ||
	    (!sem_model_node(c->model, via)->alias && is_way_back(c, fact, node, via));
}

static int
leads_past(struct sem_plan *c, uint32_t node, uint32_t via, struct span name)
{
	const struct sem_node *v = sem_model_node(c->model, via), *n = sem_model_node(c->model, node);

	return sem_fail(c->problem, SEM_NO_JOIN_PATH, name,
	    "A column of \"%.*s\" is made of %.*s, which is joined to another row "
	    "than that of \"%.*s\"; name the joins by their columns, as in %.*s(%s(column).column).column.",
	    SPAN_FMT(v->name), SPAN_FMT(n->name), SPAN_FMT(v->name), SPAN_FMT(n->name), v->source->name);
}

static bool
is_money(const struct sem_plan *c, const struct sem_node *n, struct span column)
{
	return c->dialect->money != NULL && c->query->type_of != NULL && n->table.len > 0 &&
	    span_is_word(c->query->type_of(c->query->type_arg, n->table, column), c->dialect->money);
}

static int
emit_name(struct sem_plan *c, struct buf *out, const struct emit_row *r, uint32_t node,
    const struct source_column *column, struct span name)
{
	const struct sem_node *n = sem_model_node(c->model, node);
	struct span plain = column != NULL ? span_str(column->name) : name;
	bool money;

	if (node != r->fact->root && fact_need(c, r->fact, node) == -1)
		return -1;
	if (r->via != SEM_NONE && !is_same_row(c, r->fact, node, r->via))
		return leads_past(c, node, r->via, name);
	if (column != NULL && column->expr != NULL)
		return emit_computed(c, out, r, node, column);
	money = is_money(c, n, plain);
	buf_str(out, money ? "CAST(" : "");
	dialect_identifier(out, n->label);
	buf_byte(out, '.');
	dialect_identifier(out, plain);
	buf_str(out, money ? " AS numeric)" : "");
	return 0;
}

int
emit_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t node,
    const struct source_column *column, struct span name)
{
	struct emit_row r = { .fact = fact, .scope = node, .via = SEM_NONE };

	return emit_name(c, out, &r, node, column, name);
}

/* Append e's text: its children by emit_row(), the text between them verbatim. */
static int
emit_children(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *e,
    size_t from, size_t to)
{
	size_t at = from;

	for (const struct expr *x = e->first; x != NULL; x = x->next) {
		if (x->start < from || x->end > to)
			continue;
		buf_append(out, r->text.p + at, x->start - at);
		if (emit_row(c, out, r, x) == -1)
			return -1;
		at = x->end;
	}
	buf_append(out, r->text.p + at, to - at);
	return out->full ? too_large(c, r->text) : 0;
}

/* True when e is a number other than 0: a divisor that needs no guard. */
static bool
is_nonzero_number(struct span text, const struct expr *e)
{
	bool digit = false;

	if (e->kind != EXPR_OTHER || e->first != NULL)
		return false;
	for (size_t i = e->start; i < e->end; i++) {
		if (text.p[i] >= '1' && text.p[i] <= '9')
			digit = true;
		else if (text.p[i] != '0' && text.p[i] != '.')
			return false;
	}
	return digit;
}

static int
emit_subquery(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *e)
{
	size_t at = e->start;
	bool own, ambiguous;

	for (const struct expr *x = e->first; x != NULL; x = x->next) {
		own = sem_find_node(c->model, x->parts[0], &ambiguous) == SEM_NONE;
		for (size_t i = 0; i < e->naliases && !own; i++)
			own = span_is(e->aliases[i], x->parts[0]);
		if (own)
			continue;
		buf_append(out, r->text.p + at, x->start - at);
		if (emit_row(c, out, r, x) == -1)
			return -1;
		at = x->end;
	}
	buf_append(out, r->text.p + at, e->end - at);
	return 0;
}

static int
emit_division(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *left,
    struct span right_text, const struct expr *right)
{
	struct emit_row rr = *r;

	if (emit_row(c, out, r, left) == -1)
		return -1;
	buf_str(out, c->dialect->divide);
	rr.text = right_text;
	if (is_nonzero_number(right_text, right))
		return emit_row(c, out, &rr, right);
	buf_str(out, "NULLIF(");
	if (emit_row(c, out, &rr, right) == -1)
		return -1;
	buf_str(out, ", 0)");
	return 0;
}

/* A condition inside related rows, read as the expression around it. */
static int
emit_related(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const void *arg, const struct expr *e)
{
	struct emit_row inner = *(const struct emit_row *)arg;

	inner.fact = fact;
	inner.scope = inner.via = inner.user ? SEM_NONE : fact->root;
	return emit_row(c, out, &inner, e);
}

static int
emit_row(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *e)
{
	const struct source_column *column;
	struct span verbatim;
	uint32_t node;

	switch (e->kind) {
	case EXPR_REF:
		if (names_row_name(c, e, r->scope, r->user, &node, &column, &verbatim) == -1)
			return -1;
		return emit_name(c, out, r, node, column, verbatim);
	case EXPR_SUBQUERY:
		return emit_subquery(c, out, r, e);
	case EXPR_BINARY:
		if (e->op == '/')
			return emit_division(c, out, r, e->first, r->text, e->last);
		break;
	case EXPR_CALL:
		if (related_is(e))
			return related_put(c, out, r->fact, r->scope != SEM_NONE ? r->scope : r->fact->root, e,
			    emit_related, r);
		if (span_is_str(e->parts[0], "safe_divide") && e->nargs == 2) {
			buf_byte(out, '(');
			if (emit_division(c, out, r, e->first, r->text, e->last) == -1)
				return -1;
			buf_byte(out, ')');
			return 0;
		}
		break;
	default:
		break;
	}
	return emit_children(c, out, r, e, e->start, e->end);
}

int
emit_row_expr(struct sem_plan *c, struct buf *out, struct plan_fact *fact, struct span text,
    const struct expr *e, uint32_t scope, bool user)
{
	struct emit_row r = { .fact = fact, .text = text, .scope = scope, .user = user,
		.via = scope };

	return emit_row(c, out, &r, e) == -1 || out->full ? (out->full ? too_large(c, text) : -1) : 0;
}

/* The column of the fact that is NULL exactly in the rows that stand for empty groups.  False: there are no such rows. */
static bool
emit_presence(struct sem_plan *c, struct buf *out, struct plan_fact *fact)
{
	const struct sem_edge *edge;
	uint32_t at = c->anchor;
	struct span key;

	if (c->nfacts > 1 || at == SEM_NONE || at == fact->root)
		return false;
	while (fact->paths->parent[at] != fact->root)
		at = fact->paths->parent[at];
	edge = fact->paths->via[at];
	key = edge->inverse ? edge->join->pairs[0].target : edge->join->pairs[0].local;
	emit_column(c, out, fact, fact->root, sem_find_column(sem_model_node(c->model, fact->root), key), key);
	return true;
}

/* True when the argument is a plain column of the fact: NULL by itself in rows that keep empty groups. */
static bool
is_own_column(struct sem_plan *c, const struct plan_fact *fact, const struct plan_measure *m, const struct expr *arg)
{
	const struct source_column *column;
	struct span verbatim;
	uint32_t node;

	return arg != NULL && arg->kind == EXPR_REF &&
	    names_row_name(c, arg, m->scope, m->scope == SEM_NONE, &node, &column, &verbatim) == 0 &&
	    node == fact->root && (column == NULL || column->expr == NULL);
}

/* The list of conds followed by more. */
static const struct plan_cond *
in_front(struct sem_plan *c, const struct plan_cond *conds, const struct plan_cond *more)
{
	struct plan_cond *copy;

	if (more == NULL)
		return conds;
	if (conds == NULL)
		return more;
	for (const struct plan_cond *k = more; k != NULL; k = k->next)
		if (k->ast == conds->ast)
			return in_front(c, conds->next, more);
	if ((copy = arena_alloc(c->arena, sizeof(*copy))) == NULL)
		return NULL;
	*copy = *conds;
	copy->next = in_front(c, conds->next, more);
	return copy;
}

static int
emit_condition(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const struct plan_cond *conds,
    bool presence)
{
	bool first = true;

	for (const struct plan_cond *k = conds; k != NULL; k = k->next) {
		uint32_t list[PLAN_SOURCES_MAX];
		size_t n = 0;

		if (names_row_sources(c, k->text, k->ast, k->scope, false, list, &n) == -1)
			return -1;
		for (size_t i = 0; i < n; i++)
			if (fact->paths->distance[list[i]] == SEM_NONE)
				return sem_fail(c->problem, SEM_FAN_OUT_FILTER, k->text,
				    "The condition \"%.*s\" needs %.*s, which %.*s cannot reach without multiplying "
				    "its rows.",
				    SPAN_FMT(k->text), SPAN_FMT(sem_model_node(c->model, list[i])->name),
				    SPAN_FMT(sem_model_node(c->model, fact->root)->name));
		buf_str(out, first ? "(" : " AND (");
		if (emit_row_expr(c, out, fact, k->text, k->ast, k->scope, false) == -1)
			return -1;
		buf_byte(out, ')');
		first = false;
	}
	if (presence) {
		if (!first)
			buf_str(out, " AND ");
		emit_presence(c, out, fact);
		buf_str(out, " IS NOT NULL");
	}
	return 0;
}

/* The conditions that act inside an aggregate of the fact: those given, then the query's segments. */
static const struct plan_cond *
all_conds(struct sem_plan *c, const struct plan_fact *fact, const struct plan_cond *conds)
{
	const struct plan_cond *all = NULL, **tail = &all;

	for (const struct plan_filter *s = c->segments; s != NULL; s = s->next) {
		struct plan_cond *copy;

		if ((s->applied & 1u << (fact - c->facts)) == 0 ||
		    (copy = arena_alloc(c->arena, sizeof(*copy))) == NULL)
			continue;
		*copy = *s->cond;
		*tail = copy;
		tail = (const struct plan_cond **)(uintptr_t)&copy->next;
	}
	return in_front(c, conds, all);
}

static int
unsupported(struct sem_plan *c, const struct plan_measure *m, const struct expr *call)
{
	return sem_fail(c->problem, SEM_UNSUPPORTED_FUNCTION, m->text,
	    "%s has no aggregate %.*s; use sum, avg, count, count_distinct, min or max.", dialect_name(c->dialect),
	    SPAN_FMT(call->parts[0]));
}

/* An argument that is NULL unless the conditions hold. */
static int
emit_argument(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *arg,
    const struct plan_cond *conds, bool presence)
{
	bool guard = conds != NULL || presence;

	if (guard) {
		buf_str(out, "CASE WHEN ");
		if (emit_condition(c, out, r->fact, conds, presence) == -1)
			return -1;
		buf_str(out, " THEN ");
	}
	if (arg == NULL)
		buf_byte(out, '1');
	else if (emit_row(c, out, r, arg) == -1)
		return -1;
	if (guard)
		buf_str(out, " END");
	return 0;
}

/* count_if(x): the condition itself is the argument. */
static int
emit_count_if(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *call,
    const struct plan_cond *conds, bool presence)
{
	buf_str(out, "COUNT(CASE WHEN ");
	if (conds != NULL || presence) {
		if (emit_condition(c, out, r->fact, conds, presence) == -1)
			return -1;
		buf_str(out, " AND ");
	}
	buf_byte(out, '(');
	if (emit_row(c, out, r, call->first) == -1)
		return -1;
	buf_str(out, ") THEN 1 END)");
	return 0;
}

static int
emit_percentile(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct plan_measure *m,
    const struct expr *call, const struct plan_cond *conds, bool presence)
{
	struct buf x = BUF_MAX(SEM_SQL_MAX), p = BUF_MAX(SEM_SQL_MAX);
	bool median = span_is_str(call->parts[0], "median");
	int rc = -1;

	if (call->nargs != (median ? 1 : 2))
		return unsupported(c, m, call);
	if (emit_argument(c, &x, r, call->first, conds, presence) == 0 &&
	    (median || emit_row(c, &p, r, call->first->next) == 0)) {
		if (median)
			buf_str(&p, "0.5");
		c->dialect->percentile(out, buf_view(&x), buf_view(&p));
		rc = 0;
	}
	buf_fini(&x);
	buf_fini(&p);
	return rc;
}

/* The call as written, its first argument (or the ordered one) guarded. */
static int
emit_plain_call(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct plan_measure *m,
    const struct expr *call, const struct plan_cond *conds, bool presence)
{
	bool text = call->nargs == 1 && (span_is_str(call->parts[0], "min") || span_is_str(call->parts[0], "max")) &&
	    kind_of_measure(c, m, call->first) == KIND_TEXT;
	const struct expr *guarded = (call->flags & EXPR_WITHIN) != 0 ? NULL : call->first;
	size_t at = call->args_start;

	if ((call->flags & EXPR_WITHIN) != 0)
		for (guarded = call->first; guarded != NULL && guarded->start < call->args_end; guarded = guarded->next)
			;
	buf_append(out, r->text.p + call->start, call->args_start - call->start);
	for (const struct expr *x = call->first; x != NULL; x = x->next) {
		buf_append(out, r->text.p + at, x->start - at);
		if (text && x == guarded)
			buf_str(out, c->dialect->text_open);
		if (x == guarded ? emit_argument(c, out, r, x, conds, presence) == -1 : emit_row(c, out, r, x) == -1)
			return -1;
		if (text && x == guarded)
			buf_str(out, c->dialect->text_close);
		at = x->end;
	}
	buf_append(out, r->text.p + at, call->end - at);
	return 0;
}

static int
emit_count_star(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *call,
    const struct plan_cond *conds, bool presence)
{
	buf_str(out, "COUNT(");
	if (conds == NULL && presence)
		emit_presence(c, out, r->fact);
	else if (conds == NULL)
		buf_byte(out, '*');
	else if (emit_argument(c, out, r, NULL, conds, presence) == -1)
		return -1;
	/* FILTER (WHERE …), if any, follows the bracket. */
	return emit_children(c, out, r, call, call->args_end, call->end);
}

static int
emit_aggregate(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const struct plan_measure *m,
    const struct expr *call, const struct plan_cond *given)
{
	static const char *const percentiles[] = { "median", "percentile", NULL };
	static const char *const distinct[] = { "count_distinct", "approx_count_distinct", "approx_distinct", NULL };
	static const char *const count_ifs[] = { "count_if", "countif", NULL };
	struct emit_row r = { .fact = fact, .text = m->text, .scope = m->scope, .user = m->scope == SEM_NONE,
		.via = m->scope };
	const struct plan_cond *conds = all_conds(c, fact, given);
	struct span name = call->parts[0];
	bool presence = c->nfacts == 1 && c->anchor != SEM_NONE && c->anchor != fact->root &&
	    !is_own_column(c, fact, m, call->first);

	if (span_is_any(name, percentiles))
		return emit_percentile(c, out, &r, m, call, conds, presence);
	if (span_is_any(name, count_ifs) && call->nargs == 1)
		return emit_count_if(c, out, &r, call, conds, presence);
	if (span_is_any(name, distinct) && call->nargs == 1) {
		buf_str(out, "COUNT(DISTINCT ");
		if (emit_argument(c, out, &r, call->first, conds, presence) == -1)
			return -1;
		buf_byte(out, ')');
		return 0;
	}
	if (!span_is_any(name, c->dialect->aggregates))
		return unsupported(c, m, call);
	if ((call->flags & EXPR_STAR) != 0)
		return span_is_str(name, "count") ? emit_count_star(c, out, &r, call, conds, presence) :
						    unsupported(c, m, call);
	if (span_is_str(name, "avg"))
		buf_str(out, c->dialect->avg_open);
	if (emit_plain_call(c, out, &r, m, call, conds, presence) == -1)
		return -1;
	if (span_is_str(name, "avg"))
		buf_str(out, c->dialect->avg_close);
	return 0;
}

static struct plan_measure *
linked(const struct plan_measure *m, const struct expr *ref)
{
	for (const struct plan_link *l = m->links; l != NULL; l = l->next)
		if (l->ref == ref)
			return l->to;
	return NULL;
}

/* Append one node of a measure; the caller's functions append names and aggregates. */
typedef int emit_leaf(struct sem_plan *c, struct buf *out, void *arg, const struct plan_measure *m,
    const struct expr *e, const struct plan_cond *conds);

static int
emit_arithmetic(struct sem_plan *c, struct buf *out, const struct plan_measure *m, const struct expr *e,
    const struct plan_cond *conds, emit_leaf *leaf, void *arg)
{
	size_t at = e->start;

	if (e->kind == EXPR_REF || (e->kind == EXPR_CALL && (e->flags & EXPR_AGGREGATE) != 0))
		return leaf(c, out, arg, m, e, conds);
	if ((e->kind == EXPR_BINARY && e->op == '/') ||
	    (e->kind == EXPR_CALL && e->nargs == 2 && span_is_str(e->parts[0], "safe_divide"))) {
		bool call = e->kind == EXPR_CALL, guard = !is_nonzero_number(m->text, e->last);

		if (call)
			buf_byte(out, '(');
		if (emit_arithmetic(c, out, m, e->first, conds, leaf, arg) == -1)
			return -1;
		buf_str(out, c->dialect->divide);
		if (guard)
			buf_str(out, "NULLIF(");
		if (emit_arithmetic(c, out, m, e->last, conds, leaf, arg) == -1)
			return -1;
		if (guard)
			buf_str(out, ", 0)");
		if (call)
			buf_byte(out, ')');
		return 0;
	}
	for (const struct expr *x = e->first; x != NULL && e->kind != EXPR_SUBQUERY; x = x->next) {
		buf_append(out, m->text.p + at, x->start - at);
		if (emit_arithmetic(c, out, m, x, conds, leaf, arg) == -1)
			return -1;
		at = x->end;
	}
	buf_append(out, m->text.p + at, e->end - at);
	return out->full ? too_large(c, m->text) : 0;
}

static int
leaf_in_fact(struct sem_plan *c, struct buf *out, void *arg, const struct plan_measure *m,
    const struct expr *e, const struct plan_cond *conds)
{
	struct plan_fact *fact = arg;
	const struct plan_measure *to;
	bool simple;

	if (e->kind == EXPR_CALL)
		return emit_aggregate(c, out, fact, m, e, conds);
	to = linked(m, e);
	simple = to->ast->kind == EXPR_CALL;
	if (!simple)
		buf_byte(out, '(');
	if (emit_arithmetic(c, out, to, to->ast, in_front(c, conds, to->conds), leaf_in_fact, fact) == -1)
		return -1;
	if (!simple)
		buf_byte(out, ')');
	return out->full ? too_large(c, m->text) : 0;
}

int
emit_measure(struct sem_plan *c, struct buf *out, struct plan_fact *fact,
    const struct plan_measure *m, const struct expr *e, const struct plan_cond *conds)
{
	return emit_arithmetic(c, out, m, e, in_front(c, conds, m->conds), leaf_in_fact, fact);
}

void
emit_side(struct sem_plan *c, struct buf *out, const struct sem_column *column)
{
	buf_str(out, column->kind == KIND_BOOLEAN ? c->dialect->boolean_side : "MAX");
	buf_byte(out, '(');
	dialect_identifier(out, column->name);
	buf_byte(out, ')');
}

static int
emit_fact_column(struct sem_plan *c, struct buf *out, uint32_t fact, const struct plan_measure *m,
    const struct expr *part, const struct plan_cond *conds)
{
	struct sem_column *column = fact_column(c, fact, m, part, conds, SPAN_NONE);
	bool zero;

	if (column == NULL)
		return -1;
	/* A fact without rows in the group counts as 0; text and times have no such value and stay NULL. */
	zero = column->kind != KIND_TEXT && column->kind != KIND_TIME;
	if (zero)
		buf_str(out, "COALESCE(");
	emit_side(c, out, column);
	if (zero)
		buf_str(out, column->kind == KIND_BOOLEAN ? ", FALSE)" : ", 0)");
	return 0;
}

static int
leaf_combined(struct sem_plan *c, struct buf *out, void *arg, const struct plan_measure *m,
    const struct expr *e, const struct plan_cond *conds)
{
	const struct plan_measure *to;

	(void)arg;
	if (e->kind == EXPR_CALL) {
		uint32_t fact = SEM_NONE;

		for (const struct plan_atom *a = m->atoms; a != NULL; a = a->next)
			if (a->call == e)
				fact = fact_of(c, a->base);
		return fact == SEM_NONE ? -1 : emit_fact_column(c, out, fact, m, e, conds);
	}
	to = linked(m, e);
	if ((to->facts & (to->facts - 1)) == 0)
		return emit_fact_column(c, out, (uint32_t)__builtin_ctz(to->facts), to, NULL, conds);
	buf_byte(out, '(');
	if (emit_arithmetic(c, out, to, to->ast, in_front(c, conds, to->conds), leaf_combined, NULL) == -1)
		return -1;
	buf_byte(out, ')');
	return out->full ? too_large(c, m->text) : 0;
}

int
emit_combined(struct sem_plan *c, struct buf *out, const struct plan_measure *m,
    const struct expr *e, const struct plan_cond *conds)
{
	return emit_arithmetic(c, out, m, e, in_front(c, conds, m->conds), leaf_combined, NULL);
}
