#include "workers/sql/postgres/guard/guard_growth.h"

#include <math.h>

#include "workers/sql/postgres/guard/guard_fold_functions.h"

#define NIL          GUARD_NIL
#define DEPTH_MAX    64u
#define STEPS_MAX    64u  /* after this many steps addition is still small, doubling is not */
#define MULTIPLIED   1e6  /* more than 64 steps of addition make of one byte */
#define UNKNOWN_MANY 1e3  /* assumed for n in repeat(x, n) if n is unknown */
#define UNKNOWN_SIZE 32.0 /* assumed size of a stored column */

/* How often each column of the previous step occurs in an expression, and the bytes of everything else. */
struct growth_parts {
	double of[GUARD_GROWTH_COLUMNS];
	double more;
};

struct growth {
	const struct guard_tree *t;
	const struct guard_growth_columns *columns;
	struct span of;
};

static void
guard_growth_add(struct growth_parts *to, const struct growth_parts *from, double times)
{
	for (size_t i = 0; i < GUARD_GROWTH_COLUMNS; i++)
		to->of[i] += from->of[i] * times;
	to->more += from->more * times;
}

static void
either(struct growth_parts *to, const struct growth_parts *from)
{
	for (size_t i = 0; i < GUARD_GROWTH_COLUMNS; i++)
		to->of[i] = fmax(to->of[i], from->of[i]);
	to->more = fmax(to->more, from->more);
}

static struct span
last_name(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	struct span name = span_of("", 0);

	for (uint32_t n = guard_tree_first(t, v, key); n != NIL; n = t->values[n].next)
		name = guard_tree_string(t, t->values[n].child, GUARD_sval);
	return name;
}

/* The columns that a reference names: r.x, x, or r as a whole row. */
static void
read_column(const struct growth *g, uint32_t ref, struct growth_parts *out)
{
	struct span of = span_of("", 0), name = span_of("", 0);
	uint32_t body;
	bool whole;

	for (uint32_t f = guard_tree_first(g->t, ref, GUARD_fields); f != NIL; f = g->t->values[f].next) {
		of = name;
		name = guard_tree_kind(g->t, f, &body) == GUARD_String ? guard_tree_string(g->t, body, GUARD_sval) :
									 span_of("*", 1);
	}
	whole = of.len == 0 && span_is(name, g->of);
	if (of.len > 0 && !span_is(of, g->of)) {
		out->more += UNKNOWN_SIZE;
		return;
	}
	for (size_t i = 0; i < g->columns->n; i++)
		if (whole || span_is(g->columns->name[i], name) || span_is_str(name, "*"))
			out->of[i]++;
}

static void read_value(const struct growth *g, uint32_t v, unsigned depth, struct growth_parts *out);

static void
read_list(const struct growth *g, uint32_t v, unsigned depth, struct growth_parts *out)
{
	for (; v != NIL; v = g->t->values[v].next)
		read_value(g, v, depth, out);
}

/* An expression whose value is one of several: the largest of each. */
static void
read_either(const struct growth *g, uint32_t v, unsigned depth, struct growth_parts *out)
{
	struct growth_parts most = { .more = 0 }, one;

	for (; v != NIL; v = g->t->values[v].next) {
		one = (struct growth_parts){ .more = 0 };
		read_value(g, v, depth, &one);
		either(&most, &one);
	}
	guard_growth_add(out, &most, 1);
}

static void
read_case(const struct growth *g, uint32_t c, unsigned depth, struct growth_parts *out)
{
	struct growth_parts most = { .more = 0 }, one;
	uint32_t when;

	read_value(g, guard_tree_get(g->t, c, GUARD_defresult), depth, &most);
	for (uint32_t v = guard_tree_first(g->t, c, GUARD_args); v != NIL; v = g->t->values[v].next)
		if (guard_tree_kind(g->t, v, &when) == GUARD_CaseWhen) {
			one = (struct growth_parts){ .more = 0 };
			read_value(g, guard_tree_get(g->t, when, GUARD_result), depth, &one);
			either(&most, &one);
		}
	guard_growth_add(out, &most, 1);
}

/* Functions that double quotes, backslashes or bytes of their argument. */
static bool
is_doubling(const struct guard_tree *t, uint32_t call, struct span name)
{
	static const char *const doubling[] = {"quote_literal", "quote_nullable", "quote_ident", "encode", "to_json",
		"to_jsonb", "row_to_json", "array_to_json"};
	uint32_t body;
	struct span text;

	for (size_t i = 0; i < sizeof(doubling) / sizeof(doubling[0]); i++)
		if (span_is_str(name, doubling[i]))
			return true;
	/* format('%L'): quotes double.  A format that is no literal may contain %L, too. */
	if (!span_is_str(name, "format"))
		return false;
	if (guard_tree_kind(t, guard_tree_first(t, call, GUARD_args), &body) != GUARD_A_Const)
		return true;
	text = guard_tree_string(t, guard_tree_get(t, body, GUARD_sval), GUARD_sval);
	return text.len > 0 && (memchr(text.p, 'L', text.len) != NULL || memchr(text.p, 'I', text.len) != NULL);
}

/* Functions with a small result, or one bounded by a number. */
static bool
is_small(struct span name)
{
	static const char *const small[] = {"left", "right", "substr", "substring", "abs", "greatest", "least", "mod",
		"round", "floor", "ceil", "ceiling", "trunc", "sqrt", "power", "random", "now", "date_trunc", "sum",
		"lpad", "rpad", "split_part"};

	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		if (span_is_str(name, small[i]))
			return true;
	return fold_function_is_small(name);
}

static void
read_call(const struct growth *g, uint32_t call, unsigned depth, struct growth_parts *out)
{
	struct span name = last_name(g->t, call, GUARD_funcname);
	uint32_t first = guard_tree_first(g->t, call, GUARD_args), second;
	struct growth_parts one = { .more = 0 };
	struct guard_known k;

	if (is_small(name)) {
		out->more += UNKNOWN_SIZE;
		return;
	}
	if (!span_is_str(name, "repeat") || first == NIL) {
		read_list(g, first, depth, &one);
		guard_growth_add(out, &one, is_doubling(g->t, call, name) ? 2 : 1);
		return;
	}
	second = g->t->values[first].next;
	read_value(g, first, depth, &one);
	k = second == NIL ? (struct guard_known){ 0 } : guard_fold_value(g->t, second);
	guard_growth_add(out, &one, k.has_number ? fmax(k.number, 0) : UNKNOWN_MANY);
}

static void
read_operator(const struct growth *g, uint32_t e, unsigned depth, struct growth_parts *out)
{
	struct span op = last_name(g->t, e, GUARD_name);

	if (span_is_str(op, "||")) {
		read_value(g, guard_tree_get(g->t, e, GUARD_lexpr), depth, out);
		read_value(g, guard_tree_get(g->t, e, GUARD_rexpr), depth, out);
	} else if (span_is_str(op, "-") || span_is_str(op, "#-") || span_is_str(op, "->") || span_is_str(op, "#>") ||
	    span_is_str(op, "->>") || span_is_str(op, "#>>"))
		read_value(g, guard_tree_get(g->t, e, GUARD_lexpr), depth, out);
	else
		out->more += UNKNOWN_SIZE;
}

/* Every column that a sub-select names may be part of its result. */
static void
read_all(const struct growth *g, uint32_t v, unsigned depth, struct growth_parts *out)
{
	const struct guard_value *value = &g->t->values[v];

	if (depth == 0 || (value->type != GUARD_VALUE_OBJECT && value->type != GUARD_VALUE_ARRAY))
		return;
	if (value->type == GUARD_VALUE_OBJECT && value->key == GUARD_ColumnRef) {
		read_column(g, v, out);
		return;
	}
	/* Conditions and orders are not part of the result. */
	for (uint32_t c = value->child; c != NIL; c = g->t->values[c].next)
		if (g->t->values[c].key != GUARD_whereClause && g->t->values[c].key != GUARD_sortClause)
			read_all(g, c, depth - 1, out);
}

static void
read_link(const struct growth *g, uint32_t link, struct growth_parts *out)
{
	struct span kind = guard_tree_string(g->t, link, GUARD_subLinkType);

	out->more += UNKNOWN_SIZE;
	if (span_is_str(kind, "EXPR_SUBLINK") || span_is_str(kind, "ARRAY_SUBLINK"))
		read_all(g, link, 4 * DEPTH_MAX, out);
}

static void
read_doubled(const struct growth *g, uint32_t list, unsigned depth, struct growth_parts *out)
{
	struct growth_parts one = { .more = 0 };

	read_list(g, list, depth, &one);
	guard_growth_add(out, &one, 2);
}

/* ROW(x)::text, ARRAY[x]::text, r::text double the quotes in x. */
static void
read_cast(const struct growth *g, uint32_t cast, unsigned depth, struct growth_parts *out)
{
	uint32_t arg = guard_tree_get(g->t, cast, GUARD_arg), body, field, name;
	enum guard_key kind = guard_tree_kind(g->t, arg, &body);
	bool doubled = kind == GUARD_RowExpr || kind == GUARD_A_ArrayExpr;
	struct growth_parts one = { .more = 0 };

	if (kind == GUARD_ColumnRef) {
		field = guard_tree_first(g->t, body, GUARD_fields);
		doubled = field != NIL && g->t->values[field].next == NIL &&
		    guard_tree_kind(g->t, field, &name) == GUARD_String &&
		    span_is(guard_tree_string(g->t, name, GUARD_sval), g->of);
	}
	read_value(g, arg, depth, &one);
	guard_growth_add(out, &one, doubled ? 2 : 1);
}

static void
read_value(const struct growth *g, uint32_t v, unsigned depth, struct growth_parts *out)
{
	enum guard_key kind;
	uint32_t body;

	if (depth == 0 || v == NIL)
		return;
	depth--;
	kind = guard_tree_kind(g->t, v, &body);
	switch (kind) {
	case GUARD_ColumnRef:
		read_column(g, body, out);
		break;
	case GUARD_A_Expr:
		read_operator(g, body, depth, out);
		break;
	case GUARD_FuncCall:
		read_call(g, body, depth, out);
		break;
	case GUARD_TypeCast:
		read_cast(g, body, depth, out);
		break;
	case GUARD_XmlExpr:
		read_doubled(g, guard_tree_first(g->t, body, GUARD_args), depth, out);
		read_doubled(g, guard_tree_first(g->t, body, GUARD_named_args), depth, out);
		break;
	case GUARD_ResTarget:
		read_value(g, guard_tree_get(g->t, body, GUARD_val), depth, out);
		break;
	case GUARD_CollateClause:
	case GUARD_NamedArgExpr:
	case GUARD_A_Indirection:
		read_value(g, guard_tree_get(g->t, body, GUARD_arg), depth, out);
		break;
	case GUARD_A_ArrayExpr:
		read_list(g, guard_tree_first(g->t, body, GUARD_elements), depth, out);
		break;
	case GUARD_RowExpr:
		read_list(g, guard_tree_first(g->t, body, GUARD_args), depth, out);
		break;
	case GUARD_CoalesceExpr:
	case GUARD_MinMaxExpr:
		read_either(g, guard_tree_first(g->t, body, GUARD_args), depth, out);
		break;
	case GUARD_CaseExpr:
		read_case(g, body, depth, out);
		break;
	case GUARD_SubLink:
		read_link(g, body, out);
		break;
	default:
		out->more += fmax(guard_fold_value(g->t, v).bytes, 1);
		break;
	}
}

/* A counter: a column that each step increases by a number. */
static bool
is_counter(const struct growth *g, uint32_t target, size_t column)
{
	struct growth_parts p = { .more = 0 };
	uint32_t body, ref;

	for (size_t i = 0; i < column && target != NIL; i++)
		target = g->t->values[target].next;
	if (target == NIL || guard_tree_kind(g->t, target, &body) != GUARD_ResTarget ||
	    guard_tree_kind(g->t, guard_tree_get(g->t, body, GUARD_val), &ref) != GUARD_A_Expr ||
	    !span_is_str(last_name(g->t, ref, GUARD_name), "+"))
		return false;
	if (!(guard_fold_value(g->t, guard_tree_get(g->t, ref, GUARD_rexpr)).number >= 1))
		return false;
	read_value(g, guard_tree_get(g->t, ref, GUARD_lexpr), 2, &p);
	return p.of[column] == 1;
}

/* x < 20: the number of steps, if x is a counter. */
static double
steps_of(const struct growth *g, uint32_t condition, uint32_t target, unsigned depth)
{
	double most = INFINITY;
	uint32_t body;
	enum guard_key kind = guard_tree_kind(g->t, condition, &body);
	struct guard_known k;
	struct growth_parts p = { .more = 0 };
	struct span op;

	if (kind == GUARD_BoolExpr && depth > 0 && span_is_str(guard_tree_string(g->t, body, GUARD_boolop), "AND_EXPR"))
		for (uint32_t a = guard_tree_first(g->t, body, GUARD_args); a != NIL; a = g->t->values[a].next)
			most = fmin(most, steps_of(g, a, target, depth - 1));
	if (kind != GUARD_A_Expr)
		return most;
	op = last_name(g->t, body, GUARD_name);
	k = guard_fold_value(g->t, guard_tree_get(g->t, body, GUARD_rexpr));
	if ((!span_is_str(op, "<") && !span_is_str(op, "<=")) || !k.has_number)
		return most;
	read_value(g, guard_tree_get(g->t, body, GUARD_lexpr), 2, &p);
	for (size_t i = 0; i < g->columns->n; i++)
		if (p.of[i] == 1 && is_counter(g, target, i))
			most = fmin(most, fmax(k.number, 0) + 1);
	return most;
}

/* The largest value after that many steps.  more: count the bytes that the steps add themselves, too. */
static double
guard_growth_grow(const struct growth *g, const struct growth_parts *step, const double *from, bool more, double steps)
{
	double now[GUARD_GROWTH_COLUMNS], next[GUARD_GROWTH_COLUMNS], largest = 0;

	memcpy(now, from, sizeof(now));
	while (steps-- > 0) {
		for (size_t i = 0; i < g->columns->n; i++) {
			next[i] = more ? step[i].more : 1;
			for (size_t j = 0; j < g->columns->n; j++)
				next[i] += step[i].of[j] * now[j];
			largest = fmax(largest, next[i]);
		}
		memcpy(now, next, g->columns->n * sizeof(*now));
	}
	return largest;
}

enum guard_growth
guard_growth(const struct guard_tree *t, uint32_t select, struct span of, const struct guard_growth_columns *columns,
    double *steps)
{
	struct growth g = { .t = t, .columns = columns, .of = of };
	struct growth_parts step[GUARD_GROWTH_COLUMNS];
	double one[GUARD_GROWTH_COLUMNS], begin[GUARD_GROWTH_COLUMNS];
	uint32_t first = guard_tree_first(t, select, GUARD_targetList), target = first, body;

	memset(step, 0, sizeof(step));
	for (size_t i = 0; i < GUARD_GROWTH_COLUMNS; i++) {
		one[i] = 1;
		begin[i] = i < columns->n ? fmax(columns->bytes[i], 1) : 1;
	}
	for (size_t i = 0; i < columns->n && target != NIL; i++, target = t->values[target].next)
		if (guard_tree_kind(t, target, &body) == GUARD_ResTarget)
			read_value(&g, guard_tree_get(t, body, GUARD_val), DEPTH_MAX, &step[i]);
	*steps = steps_of(&g, guard_tree_get(t, select, GUARD_whereClause), first, DEPTH_MAX);
	/* Starting from one byte, many steps distinguish multiplication from addition. */
	if (guard_growth_grow(&g, step, one, false, STEPS_MAX) <= MULTIPLIED)
		return GUARD_GROWTH_NONE;
	return guard_growth_grow(&g, step, begin, true, fmin(STEPS_MAX, *steps)) > GUARD_VALUE_BYTES_MAX ?
	    GUARD_GROWTH_EXCEEDS :
	    GUARD_GROWTH_BOUNDED;
}
