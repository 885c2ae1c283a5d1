/* expr_call.c - see expr_call.h. */
#include "base/ascii.h"
#include "semantic/expr.h"
#include "semantic/expr_call.h"

void
parser_skip_brackets(struct parser *ps)
{
	unsigned depth = 0;

	if (!parser_at_op(ps, "("))
		return;
	do {
		if (parser_at_op(ps, "("))
			depth++;
		else if (parser_at_op(ps, ")"))
			depth--;
		if (ps->at->kind == LEX_END) {
			parser_fail(ps, "a closing bracket");
			return;
		}
		ps->at++;
	} while (depth > 0);
}

/* ORDER BY a [ASC|DESC] [NULLS FIRST|LAST], … inside a call or WITHIN GROUP. */
static void
parse_order(struct parser *ps, struct expr *e)
{
	if (!parser_take_word(ps, "order"))
		return;
	if (!parser_take_word(ps, "by")) {
		parser_fail(ps, "BY");
		return;
	}
	do {
		parser_adopt(e, parser_or(ps));
		if (!parser_take_word(ps, "asc"))
			parser_take_word(ps, "desc");
		if (parser_take_word(ps, "nulls") && !parser_take_word(ps, "first") && !parser_take_word(ps, "last"))
			parser_fail(ps, "FIRST or LAST");
	} while (!ps->failed && parser_take_op(ps, ","));
}

/* The arguments up to the ')', with the separators that EXTRACT, TRIM, SUBSTRING … use. */
static void
parse_arguments(struct parser *ps, struct expr *e)
{
	static const char *const separators[] = { "from", "for", "using", "placing", NULL };

	if (span_is_word(e->parts[0], "extract") && ps->at->kind == LEX_NAME && parser_next_word(ps, "from"))
		ps->at += 2; /* a field name, not a column */
	while (parser_at_word(ps, "both") || parser_at_word(ps, "leading") || parser_at_word(ps, "trailing"))
		ps->at++;
	while (!ps->failed && !parser_at_op(ps, ")")) {
		if (parser_at_op(ps, "*") && parser_token_is(ps, ps->at + 1, ")")) {
			e->flags |= EXPR_STAR;
			ps->at++;
			break;
		}
		if (ps->at->kind == LEX_NAME && span_is_any_word(ps->at->name, separators)) {
			ps->at++;
			continue;
		}
		if (parser_at_word(ps, "order")) {
			parse_order(ps, e);
			break;
		}
		parser_adopt(e, parser_or(ps));
		e->nargs++;
		if (parser_at_word(ps, "as")) { /* CAST(x AS type) */
			ps->at++;
			while (ps->at->kind == LEX_NAME || parser_at_op(ps, "[") || parser_at_op(ps, "]") ||
			    ps->at->kind == LEX_NUMBER)
				ps->at++;
			parser_skip_brackets(ps);
			while (ps->at->kind == LEX_NAME || parser_at_op(ps, "[") || parser_at_op(ps, "]"))
				ps->at++;
		}
		if (!parser_take_op(ps, ",") && !parser_at_op(ps, ")") && !parser_at_word(ps, "order") &&
		    !(ps->at->kind == LEX_NAME && span_is_any_word(ps->at->name, separators)))
			parser_fail(ps, "a comma or a closing bracket");
		else if (parser_at_op(ps, ")") && parser_token_is(ps, ps->at - 1, ","))
			parser_fail(ps, "another argument");
	}
}

struct expr *
parser_call(struct parser *ps, struct span name, size_t start)
{
	struct expr *e = parser_node(ps, EXPR_CALL, start);
	uint8_t *low = arena_alloc(ps->arena, name.len + 1);

	if (e == NULL || low == NULL)
		return parser_fail(ps, "a shorter expression");
	for (size_t i = 0; i < name.len; i++)
		low[i] = ascii_lower(name.p[i]);
	e->parts[0] = span_of(low, name.len);
	e->nparts = 1;
	ps->at++; /* ( */
	if (parser_take_word(ps, "distinct"))
		e->flags |= EXPR_DISTINCT;
	else
		parser_take_word(ps, "all");
	e->args_start = ps->at->start;
	parse_arguments(ps, e);
	if (ps->failed)
		return NULL;
	if (!parser_at_op(ps, ")"))
		return parser_fail(ps, "a closing bracket");
	e->args_end = ps->at->start;
	ps->at++;
	if (expr_is_aggregate(e->parts[0], e->nargs))
		e->flags |= EXPR_AGGREGATE;
	if (parser_at_word(ps, "within") && parser_next_word(ps, "group")) {
		ps->at += 2;
		if (!parser_take_op(ps, "("))
			return parser_fail(ps, "(");
		parse_order(ps, e);
		if (!parser_take_op(ps, ")"))
			return parser_fail(ps, "a closing bracket");
		e->flags |= EXPR_WITHIN | EXPR_AGGREGATE;
	}
	if (parser_at_word(ps, "filter") && parser_token_is(ps, ps->at + 1, "(")) {
		ps->at += 2;
		if (!parser_take_word(ps, "where"))
			return parser_fail(ps, "WHERE");
		parser_adopt(e, parser_or(ps));
		if (!parser_take_op(ps, ")"))
			return parser_fail(ps, "a closing bracket");
		e->flags |= EXPR_FILTER;
	}
	if (parser_at_word(ps, "over")) {
		ps->at++;
		if (parser_at_op(ps, "("))
			parser_skip_brackets(ps);
		else if (ps->at->kind == LEX_NAME)
			ps->at++;
		e->flags |= EXPR_OVER;
	}
	if (ps->failed)
		return NULL;
	e->end = parser_taken(ps);
	return e;
}
