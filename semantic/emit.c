#include "semantic/emit.h"
#include "semantic/fact.h"
#include "semantic/kind.h"
#include "semantic/names_row.h"
#include "semantic/ranked.h"
#include "semantic/related.h"

/* Where an expression's names are resolved, and for whom it is printed. */
struct emit_row {
	struct plan_fact	*fact;
	struct span		 text;
	uint32_t		 scope;
	bool			 user;
	unsigned		 depth;		/* computed columns inside computed columns */
	uint32_t		 via;		/* the text is the model's, about rows of this node; SEM_NONE: it is the query's */
	bool			 stored;	/* columns as the database has them: nothing around them */
};

static int emit_row(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *e);

static int
too_large(struct sem_plan *c, struct span text)
{
	return sem_fail(c->problem, SEM_PARSE_ERROR, text,
	    "The query makes a statement of more than %d bytes; ask for less at once.", SEM_SQL_MAX);
}

/* Append text[from, to) of an expression, of which nothing but the database's words for it are known. */
static int
emit_verbatim(struct sem_plan *c, struct buf *out, struct span text, size_t from, size_t to)
{
	struct span part = span_of(text.p + from, to - from);

	if (c->dialect->respell == NULL)
		buf_span(out, part);
	else if (!c->dialect->respell(out, part))
		return sem_fail(c->problem, SEM_UNSUPPORTED_FUNCTION, text,
		    "\"%.*s\" has something that %s does not have or means otherwise; write it with its functions.",
		    SPAN_FMT(text), dialect_name(c->dialect));
	return out->full ? too_large(c, text) : 0;
}

static int
emit_computed(struct sem_plan *c, struct buf *out, const struct emit_row *r, uint32_t node,
    const struct source_column *column)
{
	struct emit_row inner = { r->fact, span_str(column->expr), node, false, r->depth + 1, node, false };
	const struct expr *e;

	if (r->depth > 16)
		return sem_fail(c->problem, SEM_INVALID_SOURCE, span_str(column->name),
		    "The computed column \"%s\" is defined in terms of itself.", column->name);
	if ((e = expr_parse(c->arena, inner.text, c->problem)) == NULL)
		return -1;
	if (e->kind == EXPR_REF && e->nparts == 1 && span_is_str(e->parts[0], column->name)) {
		dialect_identifier(c->dialect, out, sem_model_node(c->model, node)->label);
		buf_byte(out, '.');
		dialect_identifier(c->dialect, out, e->parts[0]);
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

/* What stands around a column, so that its values mix and compare as they do everywhere; NULL: nothing. */
static const struct dialect_around *
around_column(const struct sem_plan *c, const struct sem_node *n, const struct source_column *column, struct span name)
{
	struct span type = SPAN_NONE;

	if (c->dialect->column == NULL)
		return NULL;
	if (c->query->type_of != NULL && n->table.len > 0 && (column == NULL || column->expr == NULL))
		type = c->query->type_of(c->query->type_arg, n->table, name);
	return c->dialect->column(type, kind_of_column(column) == KIND_TEXT);
}

/* label.column, wherever that is to be had. */
static int
emit_stored(struct sem_plan *c, struct buf *out, struct plan_fact *fact, struct span label, struct span column)
{
	struct buf name = BUF_MAX(SEM_SQL_MAX);
	int r = 0;

	dialect_identifier(c->dialect, &name, label);
	buf_byte(&name, '.');
	dialect_identifier(c->dialect, &name, column);
	if (ranked_outside(c, fact))
		r = ranked_put_column(c, out, fact, buf_view(&name));
	else
		buf_span(out, buf_view(&name));
	buf_fini(&name);
	return r;
}

static int
emit_name(struct sem_plan *c, struct buf *out, const struct emit_row *r, uint32_t node,
    const struct source_column *column, struct span name)
{
	const struct sem_node *n = sem_model_node(c->model, node);
	struct span plain = column != NULL ? span_str(column->name) : name;
	const struct dialect_around *around = r->stored ? NULL : around_column(c, n, column, plain);

	if (node != r->fact->root && fact_need(c, r->fact, node) == -1)
		return -1;
	if (r->via != SEM_NONE && !is_same_row(c, r->fact, node, r->via))
		return leads_past(c, node, r->via, name);
	buf_str(out, around != NULL ? around->open : "");
	if (column != NULL && column->expr != NULL) {
		if (emit_computed(c, out, r, node, column) == -1)
			return -1;
	} else if (emit_stored(c, out, r->fact, n->label, plain) == -1)
		return -1;
	buf_str(out, around != NULL ? around->close : "");
	return 0;
}

int
emit_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t node,
    const struct source_column *column, struct span name)
{
	struct emit_row r = { .fact = fact, .scope = node, .via = SEM_NONE };

	return emit_name(c, out, &r, node, column, name);
}

int
emit_stored_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, uint32_t node,
    const struct source_column *column, struct span name)
{
	struct emit_row r = { .fact = fact, .scope = node, .via = SEM_NONE, .stored = true };

	return emit_name(c, out, &r, node, column, name);
}

int
emit_dimension(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const struct plan_dimension *d)
{
	struct buf x = BUF_MAX(SEM_SQL_MAX);
	int r = emit_column(c, &x, fact, d->node, d->column, SPAN_NONE);

	if (r == 0)
		c->dialect->bucket(out, d->grain, buf_view(&x));
	buf_fini(&x);
	return r;
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
		if (emit_verbatim(c, out, r->text, at, x->start) == -1 || emit_row(c, out, r, x) == -1)
			return -1;
		at = x->end;
	}
	return emit_verbatim(c, out, r->text, at, to);
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
		if (emit_verbatim(c, out, r->text, at, x->start) == -1 || emit_row(c, out, r, x) == -1)
			return -1;
		at = x->end;
	}
	return emit_verbatim(c, out, r->text, at, e->end);
}

/* Whether e is a || b and the database has a function in its place. */
static bool
is_concat(const struct sem_plan *c, struct span text, const struct expr *e)
{
	return c->dialect->concat != NULL && e->kind == EXPR_BINARY && e->op == 0 && text.p[e->op_start] == '|' &&
	    text.p[e->op_start + 1] == '|';
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
		if (!is_concat(c, r->text, e))
			break;
		buf_printf(out, "%s(", c->dialect->concat);
		if (emit_row(c, out, r, e->first) == -1)
			return -1;
		buf_str(out, ", ");
		if (emit_row(c, out, r, e->last) == -1)
			return -1;
		buf_byte(out, ')');
		return 0;
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
		if (emit_row_expr(c, out, fact, k->text, k->ast, k->scope, k->scope == SEM_NONE) == -1)
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

bool
emit_is_percentile(const struct expr *call)
{
	static const char *const names[] = { "median", "percentile", NULL };

	return span_is_any(call->parts[0], names);
}

/*
 * The percentile by ranks: the value, how many of its group are before it, and how many are before the percentile
 * become columns of the fact's rows.
 */
static int
emit_ranked(struct sem_plan *c, struct buf *out, struct plan_fact *fact, struct span x, struct span p)
{
	const struct dialect_around *number = &c->dialect->mean;
	struct buf group = BUF_MAX(SEM_SQL_MAX), expr[3], column[3];
	int r = 0;

	c->inside = true;
	for (size_t i = 0; i < c->ndimensions && r == 0; i++) {
		buf_str(&group, i == 0 ? "PARTITION BY " : ", ");
		r = emit_dimension(c, &group, fact, &c->dimensions[i]);
	}
	c->inside = false;
	buf_str(&group, c->ndimensions > 0 ? " " : "");
	for (size_t i = 0; i < 3; i++)
		expr[i] = column[i] = BUF_MAX(SEM_SQL_MAX);
	buf_printf(&expr[0], "%s%.*s%s", number->argument_open, SPAN_FMT(x), number->argument_close);
	buf_printf(&expr[1], "ROW_NUMBER() OVER (%.*sORDER BY %.*s IS NULL, %.*s) - 1", SPAN_FMT(buf_view(&group)),
	    SPAN_FMT(buf_view(&expr[0])), SPAN_FMT(buf_view(&expr[0])));
	buf_printf(&expr[2], "%s%.*s%s * (COUNT(%.*s) OVER (%.*s) - 1)", number->argument_open, SPAN_FMT(p),
	    number->argument_close, SPAN_FMT(x), SPAN_FMT(buf_view(&group)));
	for (size_t i = 0; i < 3 && r == 0; i++)
		r = ranked_put_column(c, &column[i], fact, buf_view(&expr[i]));
	if (r == 0)
		c->dialect->ranked(out, buf_view(&column[0]), buf_view(&column[1]), buf_view(&column[2]));
	for (size_t i = 0; i < 3; i++) {
		buf_fini(&expr[i]);
		buf_fini(&column[i]);
	}
	buf_fini(&group);
	return r;
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
	c->inside = r->fact->ranked;
	if (emit_argument(c, &x, r, call->first, conds, presence) == 0 &&
	    (median || emit_row(c, &p, r, call->first->next) == 0))
		rc = 0;
	c->inside = false;
	if (median)
		buf_str(&p, "0.5");
	if (rc == 0 && r->fact->ranked)
		rc = emit_ranked(c, out, r->fact, buf_view(&x), buf_view(&p));
	else if (rc == 0)
		c->dialect->percentile(out, buf_view(&x), buf_view(&p));
	buf_fini(&x);
	buf_fini(&p);
	return rc;
}

/* The rest of an aggregate behind its arguments: its bracket, and FILTER where that is no condition of the argument. */
static int
emit_call_end(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *call, size_t from)
{
	bool whole = c->dialect->has_filter || (call->flags & EXPR_FILTER) == 0;

	return emit_children(c, out, r, call, from, whole ? call->end : call->args_end + 1);
}

/* GROUP_CONCAT(x ORDER BY y SEPARATOR ','), for which the call has the separator behind x. */
static int
emit_separated(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct expr *call,
    const struct plan_cond *conds, bool presence)
{
	const struct expr *separator = call->first->next;

	if (emit_verbatim(c, out, r->text, call->start, call->args_start) == -1 ||
	    emit_argument(c, out, r, call->first, conds, presence) == -1 ||
	    emit_children(c, out, r, call, separator->end, call->args_end) == -1)
		return -1;
	buf_str(out, c->dialect->separator);
	if (emit_row(c, out, r, separator) == -1)
		return -1;
	return emit_call_end(c, out, r, call, call->args_end);
}

/* An argument with what is to be around it, unless that is around it already. */
static int
emit_around(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct dialect_around *around,
    const struct expr *arg, const struct plan_cond *conds, bool presence)
{
	struct buf x = BUF_MAX(SEM_SQL_MAX);
	int rc = emit_argument(c, &x, r, arg, conds, presence);
	struct span text = buf_view(&x);
	bool has = span_begins(text, around->argument_open) && span_ends(text, around->argument_close);

	buf_printf(out, "%s%.*s%s", has ? "" : around->argument_open, SPAN_FMT(text),
	    has ? "" : around->argument_close);
	buf_fini(&x);
	return rc;
}

/* The call as written, its first argument (or the ordered one) guarded. */
static int
emit_plain_call(struct sem_plan *c, struct buf *out, const struct emit_row *r, const struct plan_measure *m,
    const struct expr *call, const struct plan_cond *conds, bool presence)
{
	static const struct dialect_around none = { "", "", "", "" };
	static const char *const means[] = { "avg", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop",
		"var_samp", NULL };
	bool text = call->nargs == 1 && (span_is_str(call->parts[0], "min") || span_is_str(call->parts[0], "max")) &&
	    kind_of_measure(c, m, call->first) == KIND_TEXT;
	const struct dialect_around *around = text ? &c->dialect->extreme :
	    span_is_any(call->parts[0], means)     ? &c->dialect->mean :
						     &none;
	const struct expr *guarded = (call->flags & EXPR_WITHIN) != 0 ? NULL : call->first;
	size_t at = call->args_start;

	if ((call->flags & EXPR_WITHIN) != 0)
		for (guarded = call->first; guarded != NULL && guarded->start < call->args_end; guarded = guarded->next)
			;
	buf_str(out, around->open);
	if (emit_verbatim(c, out, r->text, call->start, call->args_start) == -1)
		return -1;
	if (guarded != NULL) {
		if (emit_children(c, out, r, call, at, guarded->start) == -1)
			return -1;
		if (emit_around(c, out, r, around, guarded, conds, presence) == -1)
			return -1;
		at = guarded->end;
	}
	if (emit_call_end(c, out, r, call, at) == -1)
		return -1;
	buf_str(out, around->close);
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
	return emit_call_end(c, out, r, call, call->args_end);
}

static int
emit_aggregate(struct sem_plan *c, struct buf *out, struct plan_fact *fact, const struct plan_measure *m,
    const struct expr *call, const struct plan_cond *given)
{
	static const char *const distinct[] = { "count_distinct", "approx_count_distinct", "approx_distinct", NULL };
	static const char *const count_ifs[] = { "count_if", "countif", NULL };
	static const char *const joined[] = { "string_agg", "group_concat", "listagg", NULL };
	struct emit_row r = { .fact = fact, .text = m->text, .scope = m->scope, .user = m->scope == SEM_NONE,
		.via = m->scope };
	const struct plan_cond *conds = all_conds(c, fact, given);
	/* FILTER as a condition of the argument: where the database has no such clause, or another call is written. */
	const struct plan_cond filter = { .text = m->text, .ast = call->last, .scope = m->scope, .next = conds };
	const struct plan_cond *filtered = (call->flags & EXPR_FILTER) != 0 ? &filter : conds;
	struct span name = call->parts[0];
	bool presence = c->nfacts == 1 && c->anchor != SEM_NONE && c->anchor != fact->root &&
	    !is_own_column(c, fact, m, call->first);

	if (emit_is_percentile(call))
		return emit_percentile(c, out, &r, m, call, filtered, presence);
	if (span_is_any(name, count_ifs) && call->nargs == 1)
		return emit_count_if(c, out, &r, call, filtered, presence);
	if (span_is_any(name, distinct) && call->nargs == 1) {
		buf_str(out, "COUNT(DISTINCT ");
		if (emit_argument(c, out, &r, call->first, filtered, presence) == -1)
			return -1;
		buf_byte(out, ')');
		return 0;
	}
	if (!span_is_any(name, c->dialect->aggregates))
		return unsupported(c, m, call);
	conds = c->dialect->has_filter ? conds : filtered;
	if ((call->flags & EXPR_STAR) != 0)
		return span_is_str(name, "count") ? emit_count_star(c, out, &r, call, conds, presence) :
						    unsupported(c, m, call);
	if (c->dialect->separator != NULL && call->nargs == 2 && span_is_any(name, joined))
		return emit_separated(c, out, &r, call, conds, presence);
	return emit_plain_call(c, out, &r, m, call, conds, presence);
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
	if (is_concat(c, m->text, e)) {
		buf_printf(out, "%s(", c->dialect->concat);
		if (emit_arithmetic(c, out, m, e->first, conds, leaf, arg) == -1)
			return -1;
		buf_str(out, ", ");
		if (emit_arithmetic(c, out, m, e->last, conds, leaf, arg) == -1)
			return -1;
		buf_byte(out, ')');
		return 0;
	}
	for (const struct expr *x = e->first; x != NULL && e->kind != EXPR_SUBQUERY; x = x->next) {
		if (emit_verbatim(c, out, m->text, at, x->start) == -1 ||
		    emit_arithmetic(c, out, m, x, conds, leaf, arg) == -1)
			return -1;
		at = x->end;
	}
	return emit_verbatim(c, out, m->text, at, e->end);
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
	dialect_identifier(c->dialect, out, column->name);
	buf_byte(out, ')');
}

static int
emit_fact_column(struct sem_plan *c, struct buf *out, uint32_t fact, const struct plan_measure *m,
    const struct expr *part, const struct plan_cond *conds, bool stays)
{
	struct sem_column *column = fact_column(c, fact, m, part, conds, SPAN_NONE);
	bool zero;

	if (column == NULL)
		return -1;
	/* A fact without rows in the group counts as 0; text and times have no such value and stay NULL. */
	zero = column->kind != KIND_TEXT && column->kind != KIND_TIME && !stays;
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
	bool stays = m->def != NULL && m->def->missing_stays;
	const struct plan_measure *to;

	(void)arg;
	if (e->kind == EXPR_CALL) {
		uint32_t fact = SEM_NONE;

		for (const struct plan_atom *a = m->atoms; a != NULL; a = a->next)
			if (a->call == e)
				fact = fact_of(c, a->base);
		return fact == SEM_NONE ? -1 : emit_fact_column(c, out, fact, m, e, conds, stays);
	}
	to = linked(m, e);
	if ((to->facts & (to->facts - 1)) == 0)
		return emit_fact_column(c, out, (uint32_t)__builtin_ctz(to->facts), to, NULL, conds, stays);
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
