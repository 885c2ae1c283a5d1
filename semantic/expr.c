/*
 * expr.c - precedence climbing over the tokens; see expr.h.
 *
 * Loosest to tightest: OR, AND, NOT, comparison and its relatives (IN,
 * BETWEEN, LIKE, IS …), any other operator, + -, * / %, ^, sign, postfix.
 */
#include <string.h>

#include "semantic/expr.h"
#include "semantic/expr_call.h"
#include "semantic/expr_named.h"
#include "semantic/expr_subquery.h"

static struct expr *parse_operators(struct parser *ps, int floor);

bool
expr_at_word(const struct parser *ps, const char *word)
{
	return ps->at->kind == LEX_NAME && span_is_word(ps->at->name, word);
}

bool
expr_next_word(const struct parser *ps, const char *word)
{
	return ps->at->kind != LEX_END && ps->at[1].kind == LEX_NAME && span_is_word(ps->at[1].name, word);
}

bool
expr_token_is(const struct parser *ps, const struct lex_token *t, const char *op)
{
	return t->kind == LEX_OPERATOR && t->end - t->start == strlen(op) &&
	    memcmp(ps->text.p + t->start, op, t->end - t->start) == 0;
}

bool
expr_at_op(const struct parser *ps, const char *op)
{
	return expr_token_is(ps, ps->at, op);
}

struct expr *
expr_fail(struct parser *ps, const char *expected)
{
	if (!ps->failed) {
		struct span got = { ps->text.p + ps->at->start, ps->at->end - ps->at->start };

		if (ps->at->kind == LEX_END)
			sem_fail(ps->problem, SEM_PARSE_ERROR, ps->text,
			    "The expression \"%.*s\" ends too early: expected %s.", SPAN_FMT(ps->text), expected);
		else
			sem_fail(ps->problem, SEM_PARSE_ERROR, ps->text,
			    "In \"%.*s\", found \"%.*s\" at character %zu where %s was expected.", SPAN_FMT(ps->text),
			    SPAN_FMT(got), ps->at->start + 1, expected);
	}
	ps->failed = true;
	return NULL;
}

struct expr *
expr_node(struct parser *ps, enum expr_kind kind, size_t start)
{
	struct expr *e = arena_alloc(ps->arena, sizeof(*e));

	if (e == NULL || ++ps->nodes > EXPR_NODES_MAX)
		return expr_fail(ps, "a shorter expression");
	e->kind = kind;
	e->start = e->end = start;
	return e;
}

void
expr_adopt(struct expr *parent, struct expr *child)
{
	if (parent == NULL || child == NULL)
		return;
	if (parent->last != NULL)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->nchildren++;
	if (child->end > parent->end)
		parent->end = child->end;
}

bool
expr_take_word(struct parser *ps, const char *word)
{
	if (!expr_at_word(ps, word))
		return false;
	ps->at++;
	return true;
}

bool
expr_take_op(struct parser *ps, const char *op)
{
	if (!expr_at_op(ps, op))
		return false;
	ps->at++;
	return true;
}

size_t
expr_taken(const struct parser *ps)
{
	return ps->at[-1].end;
}

/* Words that end an operand rather than name a column. */
static const char *const reserved[] = { "and", "or", "not", "in", "between", "like", "ilike",
	"similar", "is", "then", "else", "end", "when", "as", "from", "where", "group", "order",
	"having", "limit", "union", "except", "intersect", "on", "join", "using", "asc", "desc",
	"select", "with", "over", "filter", "within", "escape", "collate", "glob", "regexp",
	"match", "rlike", "isnull", "notnull", "for", "into", "offset", "fetch", NULL };

/* Words that are values on their own. */
static const char *const constants[] = { "null", "true", "false", "current_date",
	"current_time", "current_timestamp", "localtime", "localtimestamp", "current_user",
	"session_user", "user", NULL };

/* Words before a string that make a typed literal. */
static const char *const literal_types[] = { "date", "time", "timestamp", "timestamptz",
	"interval", NULL };

static const char *const units[] = { "year", "years", "quarter", "quarters", "month", "months",
	"week", "weeks", "day", "days", "hour", "hours", "minute", "minutes", "second", "seconds",
	"microsecond", NULL };

bool
expr_is_aggregate(struct span name, size_t nargs)
{
	static const char *const names[] = { "sum", "avg", "count", "total", "median",
		"percentile", "percentile_cont", "percentile_disc", "count_distinct",
		"approx_count_distinct", "approx_distinct", "stddev", "stddev_pop", "stddev_samp",
		"var_pop", "var_samp", "variance", "any_value", "array_agg", "string_agg",
		"group_concat", "listagg", "json_agg", "jsonb_agg", "bool_and", "bool_or", "every",
		"logical_and", "logical_or", "count_if", "countif", "corr", "covar_pop",
		"covar_samp", "regr_slope", "regr_intercept", "regr_r2", "mode", "quantile",
		"max_by", "min_by", "arg_max", "arg_min", "bit_and", "bit_or", "bit_xor", NULL };

	/* With two arguments SQLite's min and max compare values of one row. */
	if (span_is_word(name, "min") || span_is_word(name, "max"))
		return nargs <= 1;
	return span_is_any_word(name, names);
}

static struct expr *
parse_case(struct parser *ps)
{
	struct expr *e = expr_node(ps, EXPR_OTHER, ps->at->start);

	ps->at++;
	if (!expr_at_word(ps, "when"))
		expr_adopt(e, expr_or(ps));
	if (!ps->failed && !expr_at_word(ps, "when"))
		return expr_fail(ps, "WHEN");
	while (!ps->failed && expr_take_word(ps, "when")) {
		expr_adopt(e, expr_or(ps));
		if (!ps->failed && !expr_take_word(ps, "then"))
			return expr_fail(ps, "THEN");
		if (!ps->failed)
			expr_adopt(e, expr_or(ps));
	}
	if (!ps->failed && expr_take_word(ps, "else"))
		expr_adopt(e, expr_or(ps));
	if (ps->failed)
		return NULL;
	if (!expr_take_word(ps, "end"))
		return expr_fail(ps, "END");
	e->end = expr_taken(ps);
	return e;
}

static struct expr *
parse_ref(struct parser *ps)
{
	struct expr *e = expr_node(ps, EXPR_REF, ps->at->start);

	if (e == NULL)
		return NULL;
	for (;;) {
		const struct expr_named *named = NULL;

		if (ps->at->kind != LEX_NAME && ps->at->kind != LEX_QUOTED)
			return expr_fail(ps, "a name after the dot");
		if (e->named != NULL && e->parts[e->nparts - 1].p != e->named->name.p)
			return expr_fail(ps, "one column after the join");
		if (expr_is_named(ps, ps->at) && (named = expr_read_named(ps)) == NULL)
			return NULL;
		if (e->nparts == EXPR_PARTS_MAX) { /* of a.b.c.d the last three are kept */
			e->parts[0] = e->parts[1];
			e->parts[1] = e->parts[2];
			e->nparts--;
		}
		if (named != NULL)
			e->named = named;
		else
			ps->at++;
		e->parts[e->nparts++] = named != NULL ? named->name : ps->at[-1].name;
		if (!expr_at_op(ps, "."))
			break;
		ps->at++;
	}
	if (expr_at_op(ps, "(") && ps->at[-1].kind == LEX_NAME)
		return expr_read_call(ps, e->parts[e->nparts - 1], e->start);
	e->end = expr_taken(ps);
	e->written = span_of(ps->text.p + e->start, e->end - e->start);
	return e;
}

static bool
at_subquery(const struct parser *ps)
{
	return expr_at_op(ps, "(") &&
	    (expr_next_word(ps, "select") || expr_next_word(ps, "with") || expr_next_word(ps, "values"));
}

static struct expr *
parse_bracketed(struct parser *ps)
{
	struct expr *e;

	if (at_subquery(ps))
		return expr_read_subquery(ps);
	e = expr_node(ps, EXPR_PAREN, ps->at->start);
	ps->at++;
	expr_adopt(e, expr_or(ps));
	while (!ps->failed && expr_take_op(ps, ",")) /* a row value: (a, b) */
		expr_adopt(e, expr_or(ps));
	if (ps->failed)
		return NULL;
	if (!expr_take_op(ps, ")"))
		return expr_fail(ps, "a closing bracket");
	if (e != NULL)
		e->end = expr_taken(ps);
	return e;
}

static struct expr *
parse_literal(struct parser *ps)
{
	struct expr *e = expr_node(ps, EXPR_OTHER, ps->at->start);

	if (e == NULL)
		return NULL;
	ps->at++;
	e->end = expr_taken(ps);
	return e;
}

/* DATE '…', INTERVAL '…' day, INTERVAL 90 day. */
static struct expr *
parse_typed_literal(struct parser *ps)
{
	struct expr *e = expr_node(ps, EXPR_OTHER, ps->at->start);

	if (e == NULL)
		return NULL;
	ps->at += 2;
	if (ps->at->kind == LEX_NAME && span_is_any_word(ps->at->name, units))
		ps->at++;
	e->end = expr_taken(ps);
	return e;
}

/* INTERVAL (expression) day: a call, with the unit behind it. */
static struct expr *
parse_interval(struct parser *ps)
{
	const struct lex_token *k = ps->at++;
	struct expr *call = expr_read_call(ps, k->name, k->start), *e;

	if (call == NULL || ps->failed || ps->at->kind != LEX_NAME || !span_is_any_word(ps->at->name, units))
		return call;
	if ((e = expr_node(ps, EXPR_OTHER, k->start)) == NULL)
		return NULL;
	expr_adopt(e, call);
	ps->at++;
	e->end = expr_taken(ps);
	return e;
}

/* :name, of a parameter that the text may have. */
static struct expr *
parse_parameter(struct parser *ps)
{
	const struct lex_token *name = ps->at + 1;
	struct expr *e;

	for (size_t i = 0; i < ps->parameters->n; i++) {
		if (name->kind != LEX_NAME || name->start != ps->at->end ||
		    !span_is(name->name, ps->parameters->names[i]))
			continue;
		if ((e = expr_node(ps, EXPR_OTHER, ps->at->start)) == NULL)
			return NULL;
		ps->at += 2;
		e->end = expr_taken(ps);
		return e;
	}
	return expr_fail(ps, "a parameter of the tool behind the colon");
}

static struct expr *
parse_primary(struct parser *ps)
{
	const struct lex_token *k = ps->at;

	if (k->kind == LEX_STRING || k->kind == LEX_NUMBER)
		return parse_literal(ps);
	if (ps->parameters != NULL && expr_at_op(ps, ":"))
		return parse_parameter(ps);
	if (expr_at_op(ps, "("))
		return parse_bracketed(ps);
	if (k->kind == LEX_QUOTED)
		return parse_ref(ps);
	if (k->kind != LEX_NAME)
		return expr_fail(ps, "a value");
	if (span_is_word(k->name, "case"))
		return parse_case(ps);
	if (span_is_word(k->name, "exists") && expr_token_is(ps, k + 1, "(")) {
		struct expr *e = expr_node(ps, EXPR_OTHER, k->start);

		ps->at++;
		expr_adopt(e, parse_bracketed(ps));
		return ps->failed ? NULL : e;
	}
	if (span_is_word(k->name, "array") && expr_token_is(ps, k + 1, "[")) {
		struct expr *e = expr_node(ps, EXPR_OTHER, k->start);

		ps->at += 2;
		do
			expr_adopt(e, expr_or(ps));
		while (!ps->failed && expr_take_op(ps, ","));
		if (!ps->failed && !expr_take_op(ps, "]"))
			return expr_fail(ps, "]");
		if (e != NULL)
			e->end = expr_taken(ps);
		return ps->failed ? NULL : e;
	}
	if (span_is_any_word(k->name, literal_types) &&
	    (k[1].kind == LEX_STRING || (span_is_word(k->name, "interval") && k[1].kind == LEX_NUMBER)))
		return parse_typed_literal(ps);
	if (expr_token_is(ps, k + 1, "(") && span_is_word(k->name, "interval"))
		return parse_interval(ps);
	if (expr_token_is(ps, k + 1, "(") && !span_is_any_word(k->name, reserved) && !expr_is_named(ps, k)) {
		ps->at++;
		return expr_read_call(ps, k->name, k->start);
	}
	if (span_is_any_word(k->name, constants))
		return parse_literal(ps);
	if (span_is_any_word(k->name, reserved))
		return expr_fail(ps, "a value");
	return parse_ref(ps);
}

/* x::type(…)[], x[1], x COLLATE c, x AT TIME ZONE z */
static struct expr *
parse_postfix(struct parser *ps)
{
	struct expr *e = parse_primary(ps);

	while (!ps->failed) {
		struct expr *outer;

		if (!expr_at_op(ps, "::") && !expr_at_op(ps, "[") && !expr_at_word(ps, "collate") &&
		    !(expr_at_word(ps, "at") && expr_next_word(ps, "time")))
			return e;
		outer = expr_node(ps, EXPR_OTHER, e->start);
		if (outer == NULL)
			return NULL;
		expr_adopt(outer, e);
		if (expr_take_op(ps, "::")) {
			if (ps->at->kind != LEX_NAME && ps->at->kind != LEX_QUOTED)
				return expr_fail(ps, "a type");
			ps->at++;
			while (expr_take_op(ps, "."))
				ps->at++;
			if (expr_at_word(ps, "precision") || expr_at_word(ps, "varying"))
				ps->at++;
			expr_skip_brackets(ps);
			while (expr_at_op(ps, "[") && expr_token_is(ps, ps->at + 1, "]"))
				ps->at += 2;
		} else if (expr_take_op(ps, "[")) {
			expr_adopt(outer, expr_or(ps));
			if (!ps->failed && expr_take_op(ps, ":"))
				expr_adopt(outer, expr_or(ps));
			if (!ps->failed && !expr_take_op(ps, "]"))
				return expr_fail(ps, "]");
		} else if (expr_take_word(ps, "collate"))
			ps->at++;
		else {
			ps->at += 2;
			if (!expr_take_word(ps, "zone"))
				return expr_fail(ps, "ZONE");
			expr_adopt(outer, parse_primary(ps));
		}
		if (ps->failed)
			return NULL;
		outer->end = expr_taken(ps);
		e = outer;
	}
	return NULL;
}

static struct expr *
parse_sign(struct parser *ps)
{
	struct expr *e;

	if (!expr_at_op(ps, "-") && !expr_at_op(ps, "+") && !expr_at_op(ps, "~"))
		return parse_postfix(ps);
	e = expr_node(ps, EXPR_OTHER, ps->at->start);
	ps->at++;
	if (++ps->depth > EXPR_DEPTH_MAX)
		return expr_fail(ps, "less nesting");
	expr_adopt(e, parse_sign(ps));
	ps->depth--;
	return ps->failed ? NULL : e;
}

enum { LEVEL_OTHER = 1, LEVEL_ADD, LEVEL_MULTIPLY, LEVEL_POWER };

static int
operator_level(const struct parser *ps)
{
	static const char *const other[] = { "||", "->", "->>", "#>", "#>>", "@>", "<@", "&&", "|",
		"&", "#", "<<", ">>", "@@", NULL };

	if (ps->at->kind != LEX_OPERATOR)
		return 0;
	if (expr_at_op(ps, "+") || expr_at_op(ps, "-"))
		return LEVEL_ADD;
	if (expr_at_op(ps, "*") || expr_at_op(ps, "/") || expr_at_op(ps, "%"))
		return LEVEL_MULTIPLY;
	if (expr_at_op(ps, "^"))
		return LEVEL_POWER;
	for (size_t i = 0; other[i] != NULL; i++)
		if (expr_at_op(ps, other[i]))
			return LEVEL_OTHER;
	return 0;
}

static struct expr *
parse_operators(struct parser *ps, int floor)
{
	struct expr *left = parse_sign(ps);
	int level;

	while (!ps->failed && (level = operator_level(ps)) >= floor && level > 0) {
		struct expr *e = expr_node(ps, EXPR_BINARY, left->start);

		if (e == NULL)
			return NULL;
		e->op_start = ps->at->start;
		if (level == LEVEL_ADD || level == LEVEL_MULTIPLY)
			e->op = (char)ps->text.p[ps->at->start];
		ps->at++;
		expr_adopt(e, left);
		expr_adopt(e, parse_operators(ps, level + 1));
		left = e;
	}
	return ps->failed ? NULL : left;
}

static bool
at_comparison(const struct parser *ps)
{
	static const char *const ops[] = { "=", "==", "<>", "!=", "<", ">", "<=", ">=", "<=>", "~",
		"~*", "!~", "!~*", "~~", "!~~", "~~*", "!~~*", NULL };

	for (size_t i = 0; ops[i] != NULL; i++)
		if (expr_at_op(ps, ops[i]))
			return true;
	return false;
}

/* IN ( list | sub-query ), after the IN. */
static void
parse_in(struct parser *ps, struct expr *e)
{
	if (!expr_at_op(ps, "(")) {
		expr_adopt(e, parse_operators(ps, LEVEL_OTHER)); /* POSITION(a IN b) */
		return;
	}
	expr_adopt(e, parse_bracketed(ps));
}

static void
parse_is(struct parser *ps, struct expr *e)
{
	expr_take_word(ps, "not");
	if (expr_take_word(ps, "distinct")) {
		if (!expr_take_word(ps, "from"))
			expr_fail(ps, "FROM");
		else
			expr_adopt(e, parse_operators(ps, LEVEL_OTHER));
	} else
		expr_adopt(e, parse_operators(ps, LEVEL_OTHER));
}

/* The right side of a comparison, also ANY(…), ALL(…), SOME(…). */
static void
parse_compared(struct parser *ps, struct expr *e)
{
	if ((expr_at_word(ps, "any") || expr_at_word(ps, "all") || expr_at_word(ps, "some")) &&
	    expr_token_is(ps, ps->at + 1, "(")) {
		ps->at++;
		expr_adopt(e, parse_bracketed(ps));
		return;
	}
	expr_adopt(e, parse_operators(ps, LEVEL_OTHER));
}

static struct expr *
parse_comparison(struct parser *ps)
{
	static const char *const likes[] = { "like", "ilike", "glob", "regexp", "rlike", "match", NULL };
	struct expr *left = parse_operators(ps, LEVEL_OTHER), *e;

	while (!ps->failed) {
		const struct lex_token *before = ps->at;
		bool negated = expr_at_word(ps, "not") &&
		    (expr_next_word(ps, "in") || expr_next_word(ps, "between") || expr_next_word(ps, "similar") ||
			(ps->at[1].kind == LEX_NAME && span_is_any_word(ps->at[1].name, likes)));

		if (negated)
			ps->at++;
		e = expr_node(ps, EXPR_OTHER, left->start);
		expr_adopt(e, left);
		if (!negated && at_comparison(ps)) {
			ps->at++;
			parse_compared(ps, e);
		} else if (expr_take_word(ps, "in"))
			parse_in(ps, e);
		else if (expr_take_word(ps, "between")) {
			expr_take_word(ps, "symmetric");
			expr_adopt(e, parse_operators(ps, LEVEL_OTHER));
			if (!ps->failed && !expr_take_word(ps, "and"))
				return expr_fail(ps, "AND");
			if (!ps->failed)
				expr_adopt(e, parse_operators(ps, LEVEL_OTHER));
		} else if (ps->at->kind == LEX_NAME &&
		    (span_is_any_word(ps->at->name, likes) || expr_at_word(ps, "similar"))) {
			if (expr_take_word(ps, "similar") && !expr_at_word(ps, "to"))
				return expr_fail(ps, "TO");
			ps->at++;
			parse_compared(ps, e);
			if (!ps->failed && expr_take_word(ps, "escape"))
				expr_adopt(e, parse_operators(ps, LEVEL_OTHER));
		} else if (!negated && expr_take_word(ps, "is"))
			parse_is(ps, e);
		else if (!negated && (expr_take_word(ps, "isnull") || expr_take_word(ps, "notnull")))
			;
		else {
			ps->at = before;
			return left;
		}
		if (ps->failed || e == NULL)
			return NULL;
		e->end = expr_taken(ps);
		left = e;
	}
	return NULL;
}

static struct expr *
parse_not(struct parser *ps)
{
	struct expr *e;

	if (!expr_at_word(ps, "not"))
		return parse_comparison(ps);
	e = expr_node(ps, EXPR_NOT, ps->at->start);
	ps->at++;
	if (++ps->depth > EXPR_DEPTH_MAX)
		return expr_fail(ps, "less nesting");
	expr_adopt(e, parse_not(ps));
	ps->depth--;
	return ps->failed ? NULL : e;
}

static struct expr *
parse_list(struct parser *ps, enum expr_kind kind, const char *word, struct expr *(*operand)(struct parser *))
{
	struct expr *first = operand(ps), *e;

	if (ps->failed || !expr_at_word(ps, word))
		return first;
	e = expr_node(ps, kind, first->start);
	expr_adopt(e, first);
	while (!ps->failed && expr_take_word(ps, word))
		expr_adopt(e, operand(ps));
	return ps->failed ? NULL : e;
}

static struct expr *
parse_and(struct parser *ps)
{
	return parse_list(ps, EXPR_AND, "and", parse_not);
}

struct expr *
expr_or(struct parser *ps)
{
	struct expr *e;

	if (++ps->depth > EXPR_DEPTH_MAX)
		return expr_fail(ps, "less nesting");
	e = parse_list(ps, EXPR_OR, "or", parse_and);
	ps->depth--;
	return e;
}

bool
expr_is_reserved(struct span word)
{
	return span_is_any_word(word, reserved);
}

const struct expr *
expr_parse(struct arena *a, struct span text, struct sem_problem *p)
{
	return expr_parse_bound(a, text, NULL, p);
}

const struct expr *
expr_parse_bound(struct arena *a, struct span text, const struct expr_parameters *parameters, struct sem_problem *p)
{
	struct parser ps = { .arena = a, .text = text, .problem = p, .parameters = parameters };
	const struct expr *e;
	size_t n;

	if (text.len > EXPR_BYTES_MAX) {
		sem_fail(p, SEM_PARSE_ERROR, text, "The expression is longer than %u bytes; split it.", EXPR_BYTES_MAX);
		return NULL;
	}
	if ((ps.at = lex_tokens(a, text, &n, p)) == NULL)
		return NULL;
	e = expr_or(&ps);
	if (!ps.failed && ps.at->kind != LEX_END)
		e = expr_fail(&ps, "the end of the expression");
	return ps.failed ? NULL : e;
}

const struct expr *
expr_find(const struct expr *e, unsigned flag)
{
	if (e->kind == EXPR_CALL && (e->flags & flag) != 0)
		return e;
	if (e->kind == EXPR_SUBQUERY)
		return NULL;
	for (const struct expr *c = e->first; c != NULL; c = c->next) {
		const struct expr *found = expr_find(c, flag);

		if (found != NULL)
			return found;
	}
	return NULL;
}
