/*
 * export_expression.c - a measure's expression by itself: what measures, filters and segments stand for is written out.
 *
 * Everything that is not understood stays as it is written, as in the compiler (semantic/expr.h).
 */
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/text/sql_quote.h"
#include "cli/export/export_expression.h"
#include "semantic/expr.h"

#define DEPTH_MAX	16	/* measures of measures */

/* An expression that is being written, of a source. */
struct expr_writing {
	struct export		*x;
	const struct source	*home, *source;	/* whose measure is exported; whose text this is */
	struct span		 text;
	struct span		 condition;	/* on the rows of each aggregate; empty: none */
	bool			 bare, inside;	/* inside an aggregate, or of a condition */
	unsigned		 depth;
	const char		**why;
};

static bool put_node(const struct expr_writing *w, const struct expr *e, struct buf *out);

static bool
refuse_expression(const struct expr_writing *w, const char *why)
{
	*w->why = why;
	return false;
}

/* The text from one byte to another, with the children of e between them. */
static bool
put_between(const struct expr_writing *w, const struct expr *e, size_t from, size_t to, struct buf *out)
{
	for (const struct expr *c = e->first; c != NULL; c = c->next) {
		if (c->start < from || c->end > to)
			continue;
		buf_append(out, w->text.p + from, c->start - from);
		if (!put_node(w, c, out))
			return false;
		from = c->end;
	}
	buf_append(out, w->text.p + from, to - from);
	return true;
}

/* A text of a source as an expression of its own, in brackets if it is a part. */
static bool
put_text(const struct expr_writing *w, struct span text, bool brackets, struct buf *out)
{
	struct sem_problem p;
	const struct expr *e = expr_parse(w->x->a, text, &p);
	struct expr_writing inner = *w;
	bool whole;

	if (e == NULL)
		return refuse_expression(w, "it cannot be read");
	inner.text = text;
	if (brackets)
		buf_byte(out, '(');
	whole = put_node(&inner, e, out);
	if (brackets)
		buf_byte(out, ')');
	return whole;
}

static void
put_condition(const struct expr_writing *w, struct buf *text, struct span more, bool *whole)
{
	if (text->len > 0)
		buf_str(text, " AND ");
	*whole = *whole && put_text(w, more, true, text);
}

/* What a measure's filter and segments demand of a row, with what is demanded already. */
static bool
condition_of(const struct expr_writing *w, const struct source *s, const struct source_measure *m, struct span *out)
{
	struct expr_writing rows = *w;
	struct buf text = { 0 };
	bool whole = true;

	rows.source = s;
	rows.inside = true;
	buf_span(&text, w->condition);
	if (m->filter != NULL)
		put_condition(&rows, &text, span_str(m->filter), &whole);
	for (size_t i = 0; i < m->nsegments && whole; i++) {
		const char *expr = NULL;

		for (size_t j = 0; j < s->nsegments; j++)
			if (strcmp(s->segments[j].name, m->segments[i]) == 0)
				expr = s->segments[j].expr;
		if (expr == NULL)
			whole = refuse_expression(w, "it has a segment of another source");
		else
			put_condition(&rows, &text, span_str(expr), &whole);
	}
	*out = arena_span(w->x->a, buf_view(&text));
	buf_fini(&text);
	return whole;
}

static bool
put_measure(const struct expr_writing *w, const struct source *s, const struct source_measure *m, bool brackets,
    struct buf *out)
{
	struct expr_writing inner = *w;

	if (s != w->home)
		return refuse_expression(w,
		    "it has a measure of another source, which is read as 0 where it has no rows");
	if (++inner.depth == DEPTH_MAX)
		return refuse_expression(w, "its measures depend on each other too deeply");
	inner.source = s;
	return condition_of(w, s, m, &inner.condition) && put_text(&inner, span_str(m->expr), brackets, out);
}

static bool
put_column(const struct expr_writing *w, const struct source *s, const struct source_column *c, struct buf *out)
{
	if (c->visibility == SOURCE_HIDDEN)
		return refuse_expression(w, "it uses a hidden column");
	if (w->bare && s != w->home)
		return refuse_expression(w, "it reads another table");
	if (w->bare && c->expr != NULL) {
		struct expr_writing inner = *w;

		inner.source = s;
		return ++inner.depth < DEPTH_MAX ? put_text(&inner, span_str(c->expr), true, out) :
						   refuse_expression(w, "its columns depend on each other too deeply");
	}
	if (!w->bare) {
		sql_quote_name(out, span_str(s->name));
		buf_byte(out, '.');
	}
	sql_quote_name(out, span_str(c->name));
	return true;
}

/* A column within aggregates and conditions, a measure outside of them. */
static bool
put_reference(const struct expr_writing *w, const struct expr *e, struct buf *out)
{
	const struct source *s = w->source;
	const struct source_measure *m;
	const struct source_column *c;
	struct sem_owners owners;
	uint32_t node;
	bool ambiguous;

	if (e->named != NULL || e->nparts > 2)
		return refuse_expression(w, "it names a join by its columns");
	if (e->nparts == 2) {
		node = sem_find_node(w->x->model, e->parts[0], &ambiguous);
		if (node == SEM_NONE || sem_model_node(w->x->model, node)->alias)
			return refuse_expression(w, "it uses a join by its alias");
		s = sem_model_node(w->x->model, node)->source;
	}
	node = sem_find_node(w->x->model, span_str(s->name), &ambiguous);
	m = node == SEM_NONE ? NULL : sem_find_measure(sem_model_node(w->x->model, node), e->parts[e->nparts - 1]);
	c = node == SEM_NONE ? NULL : sem_find_column(sem_model_node(w->x->model, node), e->parts[e->nparts - 1]);
	if (!w->inside && m != NULL)
		return put_measure(w, s, m, true, out);
	if (c != NULL)
		return put_column(w, s, c, out);
	if (e->nparts == 1) {
		owners = w->inside ? sem_owners_of_column(w->x->model, e->parts[0]) :
				     sem_owners_of_measure(w->x->model, e->parts[0]);
		node = sem_only(owners);
		if (node != SEM_NONE && !w->inside)
			return refuse_expression(w,
			    "it has a measure of another source, which is read as 0 where it has no rows");
	}
	return refuse_expression(w, "it names what its source does not have");
}

/* A constant is counted in place of rows, for a source whose rows have a name only by their columns. */
static bool
put_count(const struct expr_writing *w, struct buf *out)
{
	const struct source *s = w->source;
	const struct source_column *c = NULL;

	if (w->condition.len > 0)
		buf_printf(out, "COUNT(CASE WHEN %.*s THEN 1 END)", SPAN_FMT(w->condition));
	else if (w->bare)
		buf_str(out, "COUNT(1)");
	else {
		for (size_t i = 0; i < s->ncolumns && c == NULL; i++)
			if (s->columns[i].visibility != SOURCE_HIDDEN && s->columns[i].expr == NULL &&
			    (!export_has_key(s) || strcmp(s->columns[i].name, s->grain[0]) == 0))
				c = &s->columns[i];
		if (c == NULL)
			return refuse_expression(w, "it counts rows, and the source has no column to name them by");
		buf_str(out, export_has_key(s) ? "COUNT(" : "COUNT(CASE WHEN ");
		(void)put_column(w, s, c, out);
		buf_str(out, export_has_key(s) ? ")" : " IS NULL THEN 1 ELSE 1 END)");
	}
	return true;
}

/* The argument of an aggregate, for the rows that meet the condition. */
static bool
put_argument(const struct expr_writing *w, const struct expr *e, struct buf *out)
{
	struct expr_writing inner = *w;
	bool whole;

	inner.inside = true;
	inner.condition = SPAN_NONE;
	if (w->condition.len == 0)
		return put_node(&inner, e, out);
	buf_printf(out, "CASE WHEN %.*s THEN ", SPAN_FMT(w->condition));
	whole = put_node(&inner, e, out);
	buf_str(out, " END");
	return whole;
}

static bool
put_aggregate(const struct expr_writing *w, const struct expr *e, struct buf *out)
{
	static const char *const distinct[] = { "count_distinct", "approx_count_distinct", "approx_distinct", NULL };
	struct expr_writing inner = *w;

	inner.inside = true;
	if ((e->flags & EXPR_OVER) != 0)
		return refuse_expression(w, "it has a window");
	if ((e->flags & (EXPR_WITHIN | EXPR_FILTER)) != 0)
		return refuse_expression(w, "its aggregate has a FILTER or an order of its own");
	if ((e->flags & EXPR_STAR) != 0)
		return span_is_str(e->parts[0], "count") ? put_count(w, out) :
							   refuse_expression(w, "it aggregates whole rows");
	if (e->nargs == 0)
		return refuse_expression(w, "its aggregate has no argument");
	if (span_is_str(e->parts[0], "percentile") && e->nargs == 2 && !w->bare) {
		buf_str(out, "PERCENTILE_CONT(");
		if (!put_node(&inner, e->first->next, out))
			return false;
		buf_str(out, ") WITHIN GROUP (ORDER BY ");
		if (!put_argument(w, e->first, out))
			return false;
		buf_byte(out, ')');
		return true;
	}
	if (span_is_any(e->parts[0], distinct) && e->nargs == 1)
		buf_str(out, "COUNT(DISTINCT ");
	else
		buf_append(out, w->text.p + e->start, e->first->start - e->start);
	return put_argument(w, e->first, out) && put_between(&inner, e, e->first->end, e->end, out);
}

/* Double precision, and NULL for a divisor of 0, as the semantic layer divides. */
static bool
put_division(const struct expr_writing *w, const struct expr *e, struct buf *out)
{
	const struct expr *left = e->first, *right = left->next;
	bool number = right->kind == EXPR_OTHER && right->first == NULL && ascii_is_digit(w->text.p[right->start]);

	if (!put_node(w, left, out))
		return false;
	buf_str(out, number ? " * 1.0 / " : " * 1.0 / NULLIF(");
	if (!put_node(w, right, out))
		return false;
	buf_str(out, number ? "" : ", 0)");
	return true;
}

static bool
put_node(const struct expr_writing *w, const struct expr *e, struct buf *out)
{
	if (e->kind == EXPR_REF)
		return put_reference(w, e, out);
	if (e->kind == EXPR_SUBQUERY)
		return refuse_expression(w, "it has a query of its own");
	if (e->kind == EXPR_CALL && (e->flags & EXPR_OVER) != 0)
		return refuse_expression(w, "it has a window");
	if (e->kind == EXPR_CALL && (e->flags & EXPR_AGGREGATE) != 0 && !w->inside)
		return put_aggregate(w, e, out);
	if (e->kind == EXPR_BINARY && e->op == '/' && e->nchildren == 2)
		return put_division(w, e, out);
	return put_between(w, e, e->start, e->end, out);
}

const char *
export_expression(struct export *x, const struct source *s, const struct source_measure *m, bool bare, const char **why)
{
	struct expr_writing w = { .x = x, .home = s, .source = s, .bare = bare, .why = why };
	struct buf out = { 0 };
	char *text = NULL;

	if (m->missing_stays)
		*why = "a source without rows stays NULL in it";
	else if (put_measure(&w, s, m, false, &out))
		text = mem_must(arena_cstr(x->a, buf_view(&out)));
	buf_fini(&out);
	return text;
}
