#include "workers/sql/postgres/guard/guard_memory.h"

#include <math.h>

#define NIL        GUARD_NIL
#define DEPTH_MAX  64u
#define ONE_IN_200 200.0 /* the planner's guess for the equality of two expressions */
#define ONE_IN_3   3.0   /* the planner's guess for <, > on expressions, and for a boolean function */
#define ANTI_JOIN  30.0  /* NOT EXISTS: the planner may expect almost no rows */
#define DOUBT_MAX  1e15
#define SERIES     1e4 /* generate_series() with unknown bounds: 1,000 rows estimated, ten million possible */
#define ELEMENTS   1e3 /* elements of one stored array or document: 100 are estimated */
#define EXPECTED   100.0

static const struct {
	struct span name;
	bool gathers;
} aggregates[] = {
	{SPAN("array_agg"), true},
	{SPAN("string_agg"), true},
	{SPAN("json_agg"), true},
	{SPAN("jsonb_agg"), true},
	{SPAN("json_object_agg"), true},
	{SPAN("jsonb_object_agg"), true},
	{SPAN("json_agg_strict"), true},
	{SPAN("jsonb_agg_strict"), true},
	{SPAN("json_object_agg_strict"), true},
	{SPAN("jsonb_object_agg_strict"), true},
	{SPAN("json_object_agg_unique"), true},
	{SPAN("jsonb_object_agg_unique"), true},
	{SPAN("xmlagg"), true},
	{SPAN("range_agg"), true},
	{SPAN("st_collect"), true},
	{SPAN("st_union"), true},
	{SPAN("st_makeline"), true},
	{SPAN("st_polygonize"), true},
	{SPAN("st_clusterintersecting"), true},
	{SPAN("st_clusterwithin"), true},
	{SPAN("st_asmvt"), true},
	{SPAN("st_asgeobuf"), true},
	{SPAN("st_asflatgeobuf"), true},
	{SPAN("count"), false},
	{SPAN("sum"), false},
	{SPAN("avg"), false},
	{SPAN("min"), false},
	{SPAN("max"), false},
	{SPAN("bool_and"), false},
	{SPAN("bool_or"), false},
	{SPAN("every"), false},
};

bool
guard_memory_gathers(struct span name, bool *known)
{
	for (size_t i = 0; i < sizeof(aggregates) / sizeof(aggregates[0]); i++)
		if (span_is(name, aggregates[i].name)) {
			*known = true;
			return aggregates[i].gathers;
		}
	*known = false;
	return false;
}

bool
guard_memory_tells_gathering(struct span text)
{
	for (size_t i = 0; i < sizeof(aggregates) / sizeof(aggregates[0]); i++) {
		struct span name = aggregates[i].name;

		if (aggregates[i].gathers && memmem(text.p, text.len, name.p, name.len) != NULL)
			return true;
	}
	return false;
}

/* A column, or a cast of one. */
static bool
is_column(const struct guard_tree *t, uint32_t v, uint32_t *ref)
{
	enum guard_key kind = guard_tree_kind(t, v, ref);

	for (unsigned i = 0; i < DEPTH_MAX && (kind == GUARD_TypeCast || kind == GUARD_CollateClause); i++)
		kind = guard_tree_kind(t, guard_tree_get(t, *ref, GUARD_arg), ref);
	return kind == GUARD_ColumnRef;
}

static bool
is_random(const struct guard_tree *t, uint32_t call)
{
	struct span name = span_of("", 0);

	for (uint32_t n = guard_tree_first(t, call, GUARD_funcname); n != NIL; n = t->values[n].next)
		name = guard_tree_string(t, t->values[n].child, GUARD_sval);
	return span_is_str(name, "random") || span_is_str(name, "clock_timestamp") || span_is_str(name, "timeofday") ||
	    span_is_str(name, "gen_random_uuid");
}

/* Whether the server knows the value at planning time. */
static bool
is_fixed(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	const struct guard_value *value;

	if (v == NIL)
		return true;
	value = &t->values[v];
	if (value->type != GUARD_VALUE_OBJECT && value->type != GUARD_VALUE_ARRAY)
		return true;
	if (depth == 0 ||
	    (value->type == GUARD_VALUE_OBJECT &&
		(value->key == GUARD_ColumnRef || value->key == GUARD_SubLink ||
		    (value->key == GUARD_FuncCall && is_random(t, v)))))
		return false;
	for (uint32_t c = value->child; c != NIL; c = t->values[c].next)
		if (!is_fixed(t, c, depth - 1))
			return false;
	return true;
}

static bool
is_same_column(const struct guard_tree *t, uint32_t a, uint32_t b)
{
	uint32_t x = guard_tree_first(t, a, GUARD_fields), y = guard_tree_first(t, b, GUARD_fields);
	uint32_t p, q;

	for (; x != NIL && y != NIL; x = t->values[x].next, y = t->values[y].next)
		if (guard_tree_kind(t, x, &p) != GUARD_String || guard_tree_kind(t, y, &q) != GUARD_String ||
		    !span_is(guard_tree_string(t, p, GUARD_sval), guard_tree_string(t, q, GUARD_sval)))
			return false;
	return x == NIL && y == NIL;
}

static struct span
operator_of(const struct guard_tree *t, uint32_t e)
{
	struct span name = span_of("", 0);

	for (uint32_t n = guard_tree_first(t, e, GUARD_name); n != NIL; n = t->values[n].next)
		name = guard_tree_string(t, t->values[n].child, GUARD_sval);
	return name;
}

static bool
is_order(struct span op)
{
	return span_is_str(op, "<") || span_is_str(op, "<=") || span_is_str(op, ">") || span_is_str(op, ">=");
}

static double
doubt_operator(const struct guard_tree *t, uint32_t e)
{
	uint32_t left = guard_tree_get(t, e, GUARD_lexpr), right = guard_tree_get(t, e, GUARD_rexpr), a, b;
	bool columns = is_column(t, left, &a), both = columns && is_column(t, right, &b);
	struct span op = operator_of(t, e);

	if (span_is_str(op, "<>") || (!both && columns && is_fixed(t, right, DEPTH_MAX)) ||
	    (is_column(t, right, &b) && is_fixed(t, left, DEPTH_MAX)))
		return 1;
	if (is_order(op))
		return ONE_IN_3;
	return both && span_is_str(op, "=") && !is_same_column(t, a, b) ? 1 : ONE_IN_200;
}

static double doubt_estimate(const struct guard_tree *t, uint32_t v, unsigned depth);

static double
doubt_bool(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	bool all = span_is_str(guard_tree_string(t, v, GUARD_boolop), "AND_EXPR");
	bool not = span_is_str(guard_tree_string(t, v, GUARD_boolop), "NOT_EXPR");
	double whole = 1, one;
	uint32_t body;

	for (uint32_t a = guard_tree_first(t, v, GUARD_args); a != NIL; a = t->values[a].next) {
		one = not &&guard_tree_kind(t, a, &body) == GUARD_SubLink ? ANTI_JOIN : doubt_estimate(t, a, depth);
		whole = all ? fmin(whole * one, DOUBT_MAX) : fmax(whole, one);
	}
	return whole;
}

static double
doubt_estimate(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	uint32_t body, ref;

	if (depth == 0)
		return ONE_IN_200;
	switch (guard_tree_kind(t, v, &body)) {
	case GUARD_A_Expr:
		return doubt_operator(t, body);
	case GUARD_BoolExpr:
		return doubt_bool(t, body, depth - 1);
	case GUARD_NullTest:
	case GUARD_BooleanTest:
		return is_column(t, guard_tree_get(t, body, GUARD_arg), &ref) ? 1 : ONE_IN_200;
	case GUARD_SubLink:
	case GUARD_ColumnRef:
	case GUARD_A_Const:
		return 1;
	default:
		return ONE_IN_3;
	}
}

double
guard_memory_doubt(const struct guard_tree *t, uint32_t condition)
{
	return condition == NIL ? 1 : doubt_estimate(t, condition, DEPTH_MAX);
}

static bool
is_skewed(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	uint32_t body;
	enum guard_key kind = guard_tree_kind(t, v, &body);

	if (kind == GUARD_A_Expr)
		return span_is_str(operator_of(t, body), "=") && doubt_operator(t, body) > 1;
	if (kind != GUARD_BoolExpr || depth == 0)
		return false;
	for (uint32_t a = guard_tree_first(t, body, GUARD_args); a != NIL; a = t->values[a].next)
		if (is_skewed(t, a, depth - 1))
			return true;
	return false;
}

bool
guard_memory_is_skewed(const struct guard_tree *t, uint32_t condition)
{
	return condition != NIL && is_skewed(t, condition, DEPTH_MAX);
}

double
guard_memory_made(struct span name, double rows)
{
	static const char *const makers[] = {"unnest", "json", "regexp_", "string_to_table", "ts_", "each",
		"skeys", "svals"};

	if (span_is_str(name, "generate_series"))
		return rows > 0 ? 1 : SERIES;
	if (rows > 0)
		return fmax(rows / EXPECTED, 1);
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (name.len >= strlen(makers[i]) && memcmp(name.p, makers[i], strlen(makers[i])) == 0)
			return ELEMENTS;
	return 1;
}
