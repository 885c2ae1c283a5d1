#include "base/text/sql_quote.h"
#include "semantic/expr.h"
#include "semantic/expr_named.h"

bool
expr_is_named(const struct parser *ps, const struct lex_token *t)
{
	unsigned depth = 0;

	if (!lex_is_name(t) || !expr_token_is(ps, ++t, "("))
		return false;
	for (; t->kind != LEX_END; t++)
		if (expr_token_is(ps, t, "("))
			depth++;
		else if (expr_token_is(ps, t, ")") && --depth == 0)
			return expr_token_is(ps, t + 1, ".") && lex_is_name(t + 2);
	return false;
}

static struct span
written(struct parser *ps, const struct expr_named *n)
{
	struct buf out = { 0 };
	struct span s;

	sql_quote_name(&out, n->source);
	for (size_t i = 0; i < n->ncolumns; i++) {
		buf_byte(&out, i == 0 ? '(' : ',');
		if (n->from != NULL)
			buf_printf(&out, "%.*s.", SPAN_FMT(n->from->name));
		sql_quote_name(&out, n->columns[i]);
	}
	if (n->ncolumns > 0)
		buf_byte(&out, ')');
	s = arena_span(ps->arena, buf_view(&out));
	buf_fini(&out);
	return s;
}

/* Sort the columns: (b, a) names the same join as (a, b). */
static void
add_column(struct expr_named *n, struct span column)
{
	size_t at = n->ncolumns++;

	for (; at > 0 && span_cmp(n->columns[at - 1], column) > 0; at--)
		n->columns[at] = n->columns[at - 1];
	n->columns[at] = column;
}

/* What comes before a column's dot: a source's or alias's name, or a join's. */
static const struct expr_named *
parse_from(struct parser *ps)
{
	struct expr_named *n;

	if (expr_is_named(ps, ps->at))
		return expr_read_named(ps);
	if ((n = arena_alloc(ps->arena, sizeof(*n))) == NULL) {
		expr_fail(ps, "a shorter expression");
		return NULL;
	}
	n->source = ps->at++->name;
	n->name = written(ps, n);
	return n;
}

static void
parse_column(struct parser *ps, struct expr_named *n)
{
	const struct expr_named *from = NULL;

	if (expr_is_named(ps, ps->at) || (lex_is_name(ps->at) && expr_token_is(ps, ps->at + 1, "."))) {
		if ((from = parse_from(ps)) == NULL)
			return;
		ps->at++; /* . */
	}
	if (!lex_is_name(ps->at) || n->ncolumns == EXPR_NAMED_MAX) {
		expr_fail(ps, "the columns of one join");
		return;
	}
	if (n->ncolumns > 0 && (from == NULL) != (n->from == NULL)) {
		expr_fail(ps, "columns that all say their source, or none");
		return;
	}
	if (n->ncolumns > 0 && from != NULL && !span_is(from->name, n->from->name)) {
		expr_fail(ps, "columns of one source");
		return;
	}
	n->from = from;
	add_column(n, ps->at++->name);
}

const struct expr_named *
expr_read_named(struct parser *ps)
{
	struct expr_named *n = arena_alloc(ps->arena, sizeof(*n));

	if (n == NULL || ++ps->nodes > EXPR_NODES_MAX || ++ps->depth > EXPR_DEPTH_MAX) {
		expr_fail(ps, "a shorter expression");
		return NULL;
	}
	n->source = ps->at->name;
	ps->at += 2; /* its name, ( */
	do
		parse_column(ps, n);
	while (!ps->failed && expr_take_op(ps, ","));
	if (!ps->failed && !expr_take_op(ps, ")"))
		expr_fail(ps, "a closing bracket");
	ps->depth--;
	n->name = written(ps, n);
	return ps->failed || n->name.p == NULL ? NULL : n;
}
