/*
 * expr.c - precedence climbing over the tokens; see expr.h.
 *
 * Loosest to tightest: OR, AND, NOT, comparison and its relatives (IN,
 * BETWEEN, LIKE, IS …), any other operator, + -, * / %, ^, sign, postfix.
 */
#include <string.h>
#include <strings.h>

#include "semantic/expr.h"
#include "semantic/lex.h"

struct parser {
	struct arena		*arena;
	struct span		 text;
	const struct lex_token	*at;
	unsigned		 depth, nodes;
	struct sem_problem	*problem;
	bool			 failed;
};

static struct expr *parse_or(struct parser *ps);
static struct expr *parse_operators(struct parser *ps, int floor);

/* --- small things --------------------------------------------------------- */

static bool
word_is(struct span s, const char *word)
{
	return s.len == strlen(word) && strncasecmp((const char *)s.p, word, s.len) == 0;
}

static bool
at_word(const struct parser *ps, const char *word)
{
	return ps->at->kind == LEX_NAME && word_is(ps->at->name, word);
}

static bool
next_word(const struct parser *ps, const char *word)
{
	return ps->at->kind != LEX_END && ps->at[1].kind == LEX_NAME && word_is(ps->at[1].name, word);
}

static bool
token_is(const struct parser *ps, const struct lex_token *t, const char *op)
{
	return t->kind == LEX_OPERATOR && t->end - t->start == strlen(op) &&
	    memcmp(ps->text.p + t->start, op, t->end - t->start) == 0;
}

static bool
at_op(const struct parser *ps, const char *op)
{
	return token_is(ps, ps->at, op);
}

static struct expr *
fail(struct parser *ps, const char *expected)
{
	if (!ps->failed) {
		struct span got = { ps->text.p + ps->at->start, ps->at->end - ps->at->start };

		if (ps->at->kind == LEX_END)
			sem_fail(ps->problem, SEM_PARSE_ERROR, ps->text,
			    "The expression \"%.*s\" ends too early: expected %s.",
			    SPAN_FMT(ps->text), expected);
		else
			sem_fail(ps->problem, SEM_PARSE_ERROR, ps->text,
			    "In \"%.*s\", found \"%.*s\" at character %zu where %s was expected.",
			    SPAN_FMT(ps->text), SPAN_FMT(got), ps->at->start + 1, expected);
	}
	ps->failed = true;
	return NULL;
}

static struct expr *
node(struct parser *ps, enum expr_kind kind, size_t start)
{
	struct expr *e = arena_alloc(ps->arena, sizeof(*e));

	if (e == NULL || ++ps->nodes > EXPR_NODES_MAX)
		return fail(ps, "a shorter expression");
	e->kind = kind;
	e->start = e->end = start;
	return e;
}

static void
adopt(struct expr *parent, struct expr *child)
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

static bool
take_word(struct parser *ps, const char *word)
{
	if (!at_word(ps, word))
		return false;
	ps->at++;
	return true;
}

static bool
take_op(struct parser *ps, const char *op)
{
	if (!at_op(ps, op))
		return false;
	ps->at++;
	return true;
}

/* The end of the token before the current one: where what was taken ends. */
static size_t
taken(const struct parser *ps)
{
	return ps->at[-1].end;
}

static bool
listed(struct span s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (word_is(s, *words))
			return true;
	return false;
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
	if (word_is(name, "min") || word_is(name, "max"))
		return nargs <= 1;
	return listed(name, names);
}

/* --- sub-queries ----------------------------------------------------------- */

static void
note_table(struct parser *ps, struct span *tables, size_t *n, const struct lex_token **at)
{
	const struct lex_token *k = *at;

	/* a.b.c: the last part is the table; then [AS] alias. */
	while ((k[0].kind == LEX_NAME || k[0].kind == LEX_QUOTED) && token_is(ps, &k[1], "."))
		k += 2;
	if (k->kind != LEX_NAME && k->kind != LEX_QUOTED)
		return;
	tables[(*n)++] = k->name;
	*at = k;
}

/*
 * A sub-query from the opening bracket at ps->at to its end.  Not parsed, only
 * looked over: which tables it reads, which qualified names it mentions that
 * are not its own.
 */
static struct expr *
parse_subquery(struct parser *ps)
{
	const struct lex_token *open = ps->at, *k;
	struct expr *e = node(ps, EXPR_SUBQUERY, open->start);
	struct span *tables, *words;
	size_t ntables = 0, nwords = 0, count = 0;
	unsigned depth = 0;
	bool in_from = false;

	for (k = open; k->kind != LEX_END; k++, count++) {
		if (token_is(ps, k, "("))
			depth++;
		else if (token_is(ps, k, ")") && --depth == 0)
			break;
	}
	if (k->kind == LEX_END) {
		ps->at = k;
		return fail(ps, "a closing bracket");
	}
	tables = arena_array(ps->arena, count + 1, sizeof(*tables));
	words = arena_array(ps->arena, count + 1, sizeof(*words));
	if (e == NULL || tables == NULL || words == NULL)
		return fail(ps, "a shorter expression");
	e->end = k->end;
	for (const struct lex_token *t = open + 1; t < k; t++) {
		if (token_is(ps, t, "*") && (token_is(ps, t + 1, ",") ||
		    (t[1].kind == LEX_NAME && word_is(t[1].name, "from"))) &&
		    !token_is(ps, t - 1, "("))
			e->flags |= EXPR_SUB_STAR;
		if (t->kind == LEX_NAME && (word_is(t->name, "from") || word_is(t->name, "join"))) {
			in_from = true;
			if (t[1].kind == LEX_NAME || t[1].kind == LEX_QUOTED) {
				t++;
				note_table(ps, tables, &ntables, &t);
			}
			continue;
		}
		if (in_from && token_is(ps, t, ",") && (t[1].kind == LEX_NAME || t[1].kind == LEX_QUOTED)) {
			t++;
			note_table(ps, tables, &ntables, &t);
			continue;
		}
		if (t->kind == LEX_NAME && (word_is(t->name, "where") || word_is(t->name, "group") ||
		    word_is(t->name, "order") || word_is(t->name, "select")))
			in_from = false;
		if (t->kind == LEX_NAME || t->kind == LEX_QUOTED)
			words[nwords++] = t->name;
		if ((t->kind == LEX_NAME || t->kind == LEX_QUOTED) && token_is(ps, t + 1, ".") &&
		    (t[2].kind == LEX_NAME || t[2].kind == LEX_QUOTED) && !token_is(ps, t + 3, "(")) {
			struct expr *ref = node(ps, EXPR_REF, t->start);

			if (ref == NULL)
				return NULL;
			ref->parts[0] = t->name;
			ref->parts[1] = t[2].name;
			ref->nparts = 2;
			ref->end = t[2].end;
			words[nwords++] = t[2].name;
			adopt(e, ref);
			t += 2;
		}
	}
	e->end = k->end;
	e->tables = tables;
	e->ntables = ntables;
	e->words = words;
	e->nwords = nwords;
	ps->at = k + 1;
	return e;
}

static bool
at_subquery(const struct parser *ps)
{
	return at_op(ps, "(") && (next_word(ps, "select") || next_word(ps, "with") || next_word(ps, "values"));
}

/* --- calls ---------------------------------------------------------------- */

/* Skip a balanced bracket, adopting nothing: OVER (…), type modifiers. */
static void
skip_brackets(struct parser *ps)
{
	unsigned depth = 0;

	if (!at_op(ps, "("))
		return;
	do {
		if (at_op(ps, "("))
			depth++;
		else if (at_op(ps, ")"))
			depth--;
		if (ps->at->kind == LEX_END) {
			fail(ps, "a closing bracket");
			return;
		}
		ps->at++;
	} while (depth > 0);
}

/* ORDER BY a [ASC|DESC] [NULLS FIRST|LAST], … inside a call or WITHIN GROUP. */
static void
parse_order(struct parser *ps, struct expr *e)
{
	if (!take_word(ps, "order"))
		return;
	if (!take_word(ps, "by")) {
		fail(ps, "BY");
		return;
	}
	do {
		adopt(e, parse_or(ps));
		if (!take_word(ps, "asc"))
			take_word(ps, "desc");
		if (take_word(ps, "nulls") && !take_word(ps, "first") && !take_word(ps, "last"))
			fail(ps, "FIRST or LAST");
	} while (!ps->failed && take_op(ps, ","));
}

/* The arguments up to the ')', with the separators that EXTRACT, TRIM, SUBSTRING … use. */
static void
parse_arguments(struct parser *ps, struct expr *e)
{
	static const char *const separators[] = { "from", "for", "using", "placing", NULL };

	if (word_is(e->parts[0], "extract") && ps->at->kind == LEX_NAME && next_word(ps, "from"))
		ps->at += 2;	/* a field name, not a column */
	while (at_word(ps, "both") || at_word(ps, "leading") || at_word(ps, "trailing"))
		ps->at++;
	while (!ps->failed && !at_op(ps, ")")) {
		if (at_op(ps, "*") && token_is(ps, ps->at + 1, ")")) {
			e->flags |= EXPR_STAR;
			ps->at++;
			break;
		}
		if (ps->at->kind == LEX_NAME && listed(ps->at->name, separators)) {
			ps->at++;
			continue;
		}
		if (at_word(ps, "order")) {
			parse_order(ps, e);
			break;
		}
		adopt(e, parse_or(ps));
		e->nargs++;
		if (at_word(ps, "as")) {	/* CAST(x AS type) */
			ps->at++;
			while (ps->at->kind == LEX_NAME || at_op(ps, "[") || at_op(ps, "]") || ps->at->kind == LEX_NUMBER)
				ps->at++;
			skip_brackets(ps);
			while (ps->at->kind == LEX_NAME || at_op(ps, "[") || at_op(ps, "]"))
				ps->at++;
		}
		if (!take_op(ps, ",") && !at_op(ps, ")") && !at_word(ps, "order") &&
		    !(ps->at->kind == LEX_NAME && listed(ps->at->name, separators)))
			fail(ps, "a comma or a closing bracket");
		else if (at_op(ps, ")") && token_is(ps, ps->at - 1, ","))
			fail(ps, "another argument");
	}
}

static struct expr *
parse_call(struct parser *ps, struct span name, size_t start)
{
	struct expr *e = node(ps, EXPR_CALL, start);
	uint8_t *low = arena_alloc(ps->arena, name.len + 1);

	if (e == NULL || low == NULL)
		return fail(ps, "a shorter expression");
	for (size_t i = 0; i < name.len; i++)
		low[i] = name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] | 0x20 : name.p[i];
	e->parts[0] = span_of(low, name.len);
	e->nparts = 1;
	ps->at++;	/* ( */
	if (take_word(ps, "distinct"))
		e->flags |= EXPR_DISTINCT;
	else
		take_word(ps, "all");
	e->args_start = ps->at->start;
	parse_arguments(ps, e);
	if (ps->failed)
		return NULL;
	if (!at_op(ps, ")"))
		return fail(ps, "a closing bracket");
	e->args_end = ps->at->start;
	ps->at++;
	if (expr_is_aggregate(e->parts[0], e->nargs))
		e->flags |= EXPR_AGGREGATE;
	if (at_word(ps, "within") && next_word(ps, "group")) {
		ps->at += 2;
		if (!take_op(ps, "("))
			return fail(ps, "(");
		parse_order(ps, e);
		if (!take_op(ps, ")"))
			return fail(ps, "a closing bracket");
		e->flags |= EXPR_WITHIN | EXPR_AGGREGATE;
	}
	if (at_word(ps, "filter") && token_is(ps, ps->at + 1, "(")) {
		ps->at += 2;
		if (!take_word(ps, "where"))
			return fail(ps, "WHERE");
		adopt(e, parse_or(ps));
		if (!take_op(ps, ")"))
			return fail(ps, "a closing bracket");
		e->flags |= EXPR_FILTER;
	}
	if (at_word(ps, "over")) {
		ps->at++;
		if (at_op(ps, "("))
			skip_brackets(ps);
		else if (ps->at->kind == LEX_NAME)
			ps->at++;
		e->flags |= EXPR_OVER;
	}
	if (ps->failed)
		return NULL;
	e->end = taken(ps);
	return e;
}

/* --- operands -------------------------------------------------------------- */

static struct expr *
parse_case(struct parser *ps)
{
	struct expr *e = node(ps, EXPR_OTHER, ps->at->start);

	ps->at++;
	if (!at_word(ps, "when"))
		adopt(e, parse_or(ps));
	if (!ps->failed && !at_word(ps, "when"))
		return fail(ps, "WHEN");
	while (!ps->failed && take_word(ps, "when")) {
		adopt(e, parse_or(ps));
		if (!ps->failed && !take_word(ps, "then"))
			return fail(ps, "THEN");
		if (!ps->failed)
			adopt(e, parse_or(ps));
	}
	if (!ps->failed && take_word(ps, "else"))
		adopt(e, parse_or(ps));
	if (ps->failed)
		return NULL;
	if (!take_word(ps, "end"))
		return fail(ps, "END");
	e->end = taken(ps);
	return e;
}

static struct expr *
parse_ref(struct parser *ps)
{
	struct expr *e = node(ps, EXPR_REF, ps->at->start);

	if (e == NULL)
		return NULL;
	for (;;) {
		if (ps->at->kind != LEX_NAME && ps->at->kind != LEX_QUOTED)
			return fail(ps, "a name after the dot");
		if (e->nparts == EXPR_PARTS_MAX) {	/* a.b.c.d: the last three count */
			e->parts[0] = e->parts[1];
			e->parts[1] = e->parts[2];
			e->nparts--;
		}
		e->parts[e->nparts++] = ps->at->name;
		ps->at++;
		if (!at_op(ps, "."))
			break;
		ps->at++;
	}
	if (at_op(ps, "(") && ps->at[-1].kind == LEX_NAME)
		return parse_call(ps, e->parts[e->nparts - 1], e->start);
	e->end = taken(ps);
	return e;
}

static struct expr *
parse_bracketed(struct parser *ps)
{
	struct expr *e;

	if (at_subquery(ps))
		return parse_subquery(ps);
	e = node(ps, EXPR_PAREN, ps->at->start);
	ps->at++;
	adopt(e, parse_or(ps));
	while (!ps->failed && take_op(ps, ","))		/* a row value */
		adopt(e, parse_or(ps));
	if (ps->failed)
		return NULL;
	if (!take_op(ps, ")"))
		return fail(ps, "a closing bracket");
	if (e != NULL)
		e->end = taken(ps);
	return e;
}

static struct expr *
parse_literal(struct parser *ps)
{
	struct expr *e = node(ps, EXPR_OTHER, ps->at->start);

	if (e == NULL)
		return NULL;
	ps->at++;
	e->end = taken(ps);
	return e;
}

/* DATE '…', INTERVAL '…' day, INTERVAL 90 day. */
static struct expr *
parse_typed_literal(struct parser *ps)
{
	struct expr *e = node(ps, EXPR_OTHER, ps->at->start);

	if (e == NULL)
		return NULL;
	ps->at += 2;
	if (ps->at->kind == LEX_NAME && listed(ps->at->name, units))
		ps->at++;
	e->end = taken(ps);
	return e;
}

static struct expr *
parse_primary(struct parser *ps)
{
	const struct lex_token *k = ps->at;

	if (k->kind == LEX_STRING || k->kind == LEX_NUMBER)
		return parse_literal(ps);
	if (at_op(ps, "("))
		return parse_bracketed(ps);
	if (k->kind == LEX_QUOTED)
		return parse_ref(ps);
	if (k->kind != LEX_NAME)
		return fail(ps, "a value");
	if (word_is(k->name, "case"))
		return parse_case(ps);
	if (word_is(k->name, "exists") && token_is(ps, k + 1, "(")) {
		struct expr *e = node(ps, EXPR_OTHER, k->start);

		ps->at++;
		adopt(e, parse_bracketed(ps));
		return ps->failed ? NULL : e;
	}
	if (word_is(k->name, "array") && token_is(ps, k + 1, "[")) {
		struct expr *e = node(ps, EXPR_OTHER, k->start);

		ps->at += 2;
		do
			adopt(e, parse_or(ps));
		while (!ps->failed && take_op(ps, ","));
		if (!ps->failed && !take_op(ps, "]"))
			return fail(ps, "]");
		if (e != NULL)
			e->end = taken(ps);
		return ps->failed ? NULL : e;
	}
	if (listed(k->name, literal_types) && (k[1].kind == LEX_STRING ||
	    (word_is(k->name, "interval") && k[1].kind == LEX_NUMBER)))
		return parse_typed_literal(ps);
	if (token_is(ps, k + 1, "(") && !listed(k->name, reserved)) {
		ps->at++;
		return parse_call(ps, k->name, k->start);
	}
	if (listed(k->name, constants) && !token_is(ps, k + 1, "."))
		return parse_literal(ps);
	/* A keyword that carries a qualifier is a column called like one: "group".key is LEX_QUOTED, group.key is not. */
	if (listed(k->name, reserved) && !token_is(ps, k + 1, "."))
		return fail(ps, "a value");
	return parse_ref(ps);
}

/* x::type(…)[], x[1], x COLLATE c, x AT TIME ZONE z */
static struct expr *
parse_postfix(struct parser *ps)
{
	struct expr *e = parse_primary(ps);

	while (!ps->failed) {
		struct expr *outer;

		if (!at_op(ps, "::") && !at_op(ps, "[") && !at_word(ps, "collate") &&
		    !(at_word(ps, "at") && next_word(ps, "time")))
			return e;
		outer = node(ps, EXPR_OTHER, e->start);
		if (outer == NULL)
			return NULL;
		adopt(outer, e);
		if (take_op(ps, "::")) {
			if (ps->at->kind != LEX_NAME && ps->at->kind != LEX_QUOTED)
				return fail(ps, "a type");
			ps->at++;
			while (take_op(ps, "."))
				ps->at++;
			if (at_word(ps, "precision") || at_word(ps, "varying"))
				ps->at++;
			skip_brackets(ps);
			while (at_op(ps, "[") && token_is(ps, ps->at + 1, "]"))
				ps->at += 2;
		} else if (take_op(ps, "[")) {
			adopt(outer, parse_or(ps));
			if (!ps->failed && take_op(ps, ":"))
				adopt(outer, parse_or(ps));
			if (!ps->failed && !take_op(ps, "]"))
				return fail(ps, "]");
		} else if (take_word(ps, "collate"))
			ps->at++;
		else {
			ps->at += 2;
			if (!take_word(ps, "zone"))
				return fail(ps, "ZONE");
			adopt(outer, parse_primary(ps));
		}
		if (ps->failed)
			return NULL;
		outer->end = taken(ps);
		e = outer;
	}
	return NULL;
}

static struct expr *
parse_sign(struct parser *ps)
{
	struct expr *e;

	if (!at_op(ps, "-") && !at_op(ps, "+") && !at_op(ps, "~"))
		return parse_postfix(ps);
	e = node(ps, EXPR_OTHER, ps->at->start);
	ps->at++;
	if (++ps->depth > EXPR_DEPTH_MAX)
		return fail(ps, "less nesting");
	adopt(e, parse_sign(ps));
	ps->depth--;
	return ps->failed ? NULL : e;
}

/* --- binary operators ------------------------------------------------------- */

enum { LEVEL_OTHER = 1, LEVEL_ADD, LEVEL_MULTIPLY, LEVEL_POWER };

static int
operator_level(const struct parser *ps)
{
	static const char *const other[] = { "||", "->", "->>", "#>", "#>>", "@>", "<@", "&&", "|",
		"&", "#", "<<", ">>", "@@", NULL };

	if (ps->at->kind != LEX_OPERATOR)
		return 0;
	if (at_op(ps, "+") || at_op(ps, "-"))
		return LEVEL_ADD;
	if (at_op(ps, "*") || at_op(ps, "/") || at_op(ps, "%"))
		return LEVEL_MULTIPLY;
	if (at_op(ps, "^"))
		return LEVEL_POWER;
	for (size_t i = 0; other[i] != NULL; i++)
		if (at_op(ps, other[i]))
			return LEVEL_OTHER;
	return 0;
}

static struct expr *
parse_operators(struct parser *ps, int floor)
{
	struct expr *left = parse_sign(ps);
	int level;

	while (!ps->failed && (level = operator_level(ps)) >= floor && level > 0) {
		struct expr *e = node(ps, EXPR_BINARY, left->start);

		if (e == NULL)
			return NULL;
		e->op_start = ps->at->start;
		e->op_end = ps->at->end;
		if (level == LEVEL_ADD || level == LEVEL_MULTIPLY)
			e->op = (char)ps->text.p[ps->at->start];
		ps->at++;
		adopt(e, left);
		adopt(e, parse_operators(ps, level + 1));
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
		if (at_op(ps, ops[i]))
			return true;
	return false;
}

/* IN ( list | sub-query ), after the IN. */
static void
parse_in(struct parser *ps, struct expr *e)
{
	if (!at_op(ps, "(")) {
		adopt(e, parse_operators(ps, LEVEL_OTHER));	/* POSITION(a IN b) */
		return;
	}
	adopt(e, parse_bracketed(ps));
}

static void
parse_is(struct parser *ps, struct expr *e)
{
	take_word(ps, "not");
	if (take_word(ps, "distinct")) {
		if (!take_word(ps, "from"))
			fail(ps, "FROM");
		else
			adopt(e, parse_operators(ps, LEVEL_OTHER));
	} else
		adopt(e, parse_operators(ps, LEVEL_OTHER));
}

/* The right side of a comparison, also ANY(…), ALL(…), SOME(…). */
static void
parse_compared(struct parser *ps, struct expr *e)
{
	if ((at_word(ps, "any") || at_word(ps, "all") || at_word(ps, "some")) &&
	    token_is(ps, ps->at + 1, "(")) {
		ps->at++;
		adopt(e, parse_bracketed(ps));
		return;
	}
	adopt(e, parse_operators(ps, LEVEL_OTHER));
}

static struct expr *
parse_comparison(struct parser *ps)
{
	static const char *const likes[] = { "like", "ilike", "glob", "regexp", "rlike", "match", NULL };
	struct expr *left = parse_operators(ps, LEVEL_OTHER), *e;

	while (!ps->failed) {
		const struct lex_token *before = ps->at;
		bool negated = at_word(ps, "not") && (next_word(ps, "in") || next_word(ps, "between") ||
		    next_word(ps, "similar") || (ps->at[1].kind == LEX_NAME && listed(ps->at[1].name, likes)));

		if (negated)
			ps->at++;
		e = node(ps, EXPR_OTHER, left->start);
		adopt(e, left);
		if (!negated && at_comparison(ps)) {
			ps->at++;
			parse_compared(ps, e);
		} else if (take_word(ps, "in"))
			parse_in(ps, e);
		else if (take_word(ps, "between")) {
			take_word(ps, "symmetric");
			adopt(e, parse_operators(ps, LEVEL_OTHER));
			if (!ps->failed && !take_word(ps, "and"))
				return fail(ps, "AND");
			if (!ps->failed)
				adopt(e, parse_operators(ps, LEVEL_OTHER));
		} else if (ps->at->kind == LEX_NAME && (listed(ps->at->name, likes) || at_word(ps, "similar"))) {
			if (take_word(ps, "similar") && !at_word(ps, "to"))
				return fail(ps, "TO");
			ps->at++;
			parse_compared(ps, e);
			if (!ps->failed && take_word(ps, "escape"))
				adopt(e, parse_operators(ps, LEVEL_OTHER));
		} else if (!negated && take_word(ps, "is"))
			parse_is(ps, e);
		else if (!negated && (take_word(ps, "isnull") || take_word(ps, "notnull")))
			;
		else {
			ps->at = before;
			return left;
		}
		if (ps->failed || e == NULL)
			return NULL;
		e->end = taken(ps);
		left = e;
	}
	return NULL;
}

static struct expr *
parse_not(struct parser *ps)
{
	struct expr *e;

	if (!at_word(ps, "not"))
		return parse_comparison(ps);
	e = node(ps, EXPR_NOT, ps->at->start);
	ps->at++;
	if (++ps->depth > EXPR_DEPTH_MAX)
		return fail(ps, "less nesting");
	adopt(e, parse_not(ps));
	ps->depth--;
	return ps->failed ? NULL : e;
}

static struct expr *
parse_list(struct parser *ps, enum expr_kind kind, const char *word, struct expr *(*operand)(struct parser *))
{
	struct expr *first = operand(ps), *e;

	if (ps->failed || !at_word(ps, word))
		return first;
	e = node(ps, kind, first->start);
	adopt(e, first);
	while (!ps->failed && take_word(ps, word))
		adopt(e, operand(ps));
	return ps->failed ? NULL : e;
}

static struct expr *
parse_and(struct parser *ps)
{
	return parse_list(ps, EXPR_AND, "and", parse_not);
}

static struct expr *
parse_or(struct parser *ps)
{
	struct expr *e;

	if (++ps->depth > EXPR_DEPTH_MAX)
		return fail(ps, "less nesting");
	e = parse_list(ps, EXPR_OR, "or", parse_and);
	ps->depth--;
	return e;
}

const struct expr *
expr_parse(struct arena *a, struct span text, struct sem_problem *p)
{
	struct parser ps = { .arena = a, .text = text, .problem = p };
	const struct expr *e;
	size_t n;

	if (text.len > EXPR_BYTES_MAX) {
		sem_fail(p, SEM_PARSE_ERROR, text, "The expression is longer than %u bytes; split it.", EXPR_BYTES_MAX);
		return NULL;
	}
	if ((ps.at = lex_tokens(a, text, &n, p)) == NULL)
		return NULL;
	e = parse_or(&ps);
	if (!ps.failed && ps.at->kind != LEX_END)
		e = fail(&ps, "the end of the expression");
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
