#include "base/ascii.h"
#include "semantic/expr.h"
#include "semantic/expr_call.h"

void
expr_skip_brackets(struct parser *ps)
{
	unsigned depth = 0;

	if (!expr_at_op(ps, "("))
		return;
	do {
		if (expr_at_op(ps, "("))
			depth++;
		else if (expr_at_op(ps, ")"))
			depth--;
		if (ps->at->kind == LEX_END) {
			expr_fail(ps, "a closing bracket");
			return;
		}
		ps->at++;
	} while (depth > 0);
}

/* ORDER BY a [ASC|DESC] [NULLS FIRST|LAST], … inside a call or WITHIN GROUP. */
static void
parse_order(struct parser *ps, struct expr *e)
{
	if (!expr_take_word(ps, "order"))
		return;
	if (!expr_take_word(ps, "by")) {
		expr_fail(ps, "BY");
		return;
	}
	do {
		expr_adopt(e, expr_or(ps));
		if (!expr_take_word(ps, "asc"))
			expr_take_word(ps, "desc");
		if (expr_take_word(ps, "nulls") && !expr_take_word(ps, "first") && !expr_take_word(ps, "last"))
			expr_fail(ps, "FIRST or LAST");
	} while (!ps->failed && expr_take_op(ps, ","));
}

/* The arguments up to the ')', with the separators that EXTRACT, TRIM, SUBSTRING … use. */
static void
parse_arguments(struct parser *ps, struct expr *e)
{
	static const char *const separators[] = { "from", "for", "using", "placing", NULL };

	if (span_is_word(e->parts[0], "extract") && ps->at->kind == LEX_NAME && expr_next_word(ps, "from"))
		ps->at += 2; /* a field name, not a column */
	while (expr_at_word(ps, "both") || expr_at_word(ps, "leading") || expr_at_word(ps, "trailing"))
		ps->at++;
	while (!ps->failed && !expr_at_op(ps, ")")) {
		if (expr_at_op(ps, "*") && expr_token_is(ps, ps->at + 1, ")")) {
			e->flags |= EXPR_STAR;
			ps->at++;
			break;
		}
		if (ps->at->kind == LEX_NAME && span_is_any_word(ps->at->name, separators)) {
			ps->at++;
			continue;
		}
		if (expr_at_word(ps, "order")) {
			parse_order(ps, e);
			break;
		}
		expr_adopt(e, expr_or(ps));
		e->nargs++;
		if (expr_at_word(ps, "as")) { /* CAST(x AS type) */
			ps->at++;
			while (ps->at->kind == LEX_NAME || expr_at_op(ps, "[") || expr_at_op(ps, "]") ||
			    ps->at->kind == LEX_NUMBER)
				ps->at++;
			expr_skip_brackets(ps);
			while (ps->at->kind == LEX_NAME || expr_at_op(ps, "[") || expr_at_op(ps, "]"))
				ps->at++;
		}
		if (!expr_take_op(ps, ",") && !expr_at_op(ps, ")") && !expr_at_word(ps, "order") &&
		    !(ps->at->kind == LEX_NAME && span_is_any_word(ps->at->name, separators)))
			expr_fail(ps, "a comma or a closing bracket");
		else if (expr_at_op(ps, ")") && expr_token_is(ps, ps->at - 1, ","))
			expr_fail(ps, "another argument");
	}
}

struct expr *
expr_read_call(struct parser *ps, struct span name, size_t start)
{
	struct expr *e = expr_node(ps, EXPR_CALL, start);
	uint8_t *low = arena_alloc(ps->arena, name.len + 1);

	if (e == NULL || low == NULL)
		return expr_fail(ps, "a shorter expression");
	for (size_t i = 0; i < name.len; i++)
		low[i] = ascii_lower(name.p[i]);
	e->parts[0] = span_of(low, name.len);
	e->nparts = 1;
	ps->at++; /* ( */
	if (expr_take_word(ps, "distinct"))
		e->flags |= EXPR_DISTINCT;
	else
		expr_take_word(ps, "all");
	e->args_start = ps->at->start;
	parse_arguments(ps, e);
	if (ps->failed)
		return NULL;
	if (!expr_at_op(ps, ")"))
		return expr_fail(ps, "a closing bracket");
	e->args_end = ps->at->start;
	ps->at++;
	if (expr_is_aggregate(e->parts[0], e->nargs))
		e->flags |= EXPR_AGGREGATE;
	if (expr_at_word(ps, "within") && expr_next_word(ps, "group")) {
		ps->at += 2;
		if (!expr_take_op(ps, "("))
			return expr_fail(ps, "(");
		parse_order(ps, e);
		if (!expr_take_op(ps, ")"))
			return expr_fail(ps, "a closing bracket");
		e->flags |= EXPR_WITHIN | EXPR_AGGREGATE;
	}
	if (expr_at_word(ps, "filter") && expr_token_is(ps, ps->at + 1, "(")) {
		ps->at += 2;
		if (!expr_take_word(ps, "where"))
			return expr_fail(ps, "WHERE");
		expr_adopt(e, expr_or(ps));
		if (!expr_take_op(ps, ")"))
			return expr_fail(ps, "a closing bracket");
		e->flags |= EXPR_FILTER;
	}
	if (expr_at_word(ps, "over")) {
		ps->at++;
		if (expr_at_op(ps, "("))
			expr_skip_brackets(ps);
		else if (ps->at->kind == LEX_NAME)
			ps->at++;
		e->flags |= EXPR_OVER;
	}
	if (ps->failed)
		return NULL;
	e->end = expr_taken(ps);
	return e;
}
