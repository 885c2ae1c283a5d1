#include "workers/sql/postgres/guard/guard_operators.h"

/* The operator that the keyword of an A_Expr stands for. */
static const struct {
	const char	*kind, *name;
} spelled[] = {
	{ "AEXPR_BETWEEN", ">=" }, { "AEXPR_BETWEEN", "<=" },
	{ "AEXPR_BETWEEN_SYM", ">=" }, { "AEXPR_BETWEEN_SYM", "<=" },
	{ "AEXPR_NOT_BETWEEN", "<" }, { "AEXPR_NOT_BETWEEN", ">" },
	{ "AEXPR_NOT_BETWEEN_SYM", "<" }, { "AEXPR_NOT_BETWEEN_SYM", ">" },
};

static size_t
guard_operators_add(struct guard_operator *out, size_t n, const char *name)
{
	out[n] = (struct guard_operator){ span_of("", 0), span_str(name) };
	return n + 1;
}

/* Reads a list of String nodes.  Returns 0 if absent. */
static size_t
add_named(const struct guard_tree *t, uint32_t first, struct guard_operator *out, size_t n)
{
	struct guard_operator o = { span_of("", 0), span_of("", 0) };

	if (first == GUARD_NIL)
		return n;
	for (; first != GUARD_NIL; first = t->values[first].next) {
		o.schema = o.name;
		o.name = guard_tree_string(t, t->values[first].child, GUARD_sval);
	}
	out[n] = o;
	return n + 1;
}

static size_t
add_spelled(const struct guard_tree *t, uint32_t v, struct guard_operator *out)
{
	struct span kind = guard_tree_string(t, v, GUARD_kind);
	size_t n = 0;

	for (size_t i = 0; i < sizeof(spelled) / sizeof(spelled[0]); i++)
		if (span_is_str(kind, spelled[i].kind))
			n = guard_operators_add(out, n, spelled[i].name);
	return n;
}

/* Whether the node implies "=" without spelling it. */
static bool
means_equality(const struct guard_tree *t, enum guard_key kind, uint32_t v)
{
	uint32_t natural = guard_tree_get(t, v, GUARD_isNatural);

	if (kind == GUARD_CaseExpr)
		return guard_tree_get(t, v, GUARD_arg) != GUARD_NIL;
	if (kind == GUARD_JoinExpr)
		return guard_tree_first(t, v, GUARD_usingClause) != GUARD_NIL ||
		    (natural != GUARD_NIL && t->values[natural].type == GUARD_VALUE_TRUE);
	/* IN (SELECT …) */
	return kind == GUARD_SubLink && guard_tree_first(t, v, GUARD_operName) == GUARD_NIL &&
	    span_is_str(guard_tree_string(t, v, GUARD_subLinkType), "ANY_SUBLINK");
}

size_t
guard_operators(const struct guard_tree *t, enum guard_key kind, uint32_t v,
    struct guard_operator out[GUARD_OPERATORS_MAX])
{
	switch (kind) {
	case GUARD_A_Expr:
		return add_named(t, guard_tree_first(t, v, GUARD_name), out, add_spelled(t, v, out));
	case GUARD_SortBy:
		return add_named(t, guard_tree_first(t, v, GUARD_useOp), out, 0);
	case GUARD_SubLink:
		if (guard_tree_first(t, v, GUARD_operName) != GUARD_NIL)
			return add_named(t, guard_tree_first(t, v, GUARD_operName), out, 0);
		return means_equality(t, kind, v) ? guard_operators_add(out, 0, "=") : 0;
	case GUARD_CaseExpr:
	case GUARD_JoinExpr:
		return means_equality(t, kind, v) ? guard_operators_add(out, 0, "=") : 0;
	default:
		return 0;
	}
}
