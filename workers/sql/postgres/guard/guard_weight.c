/* guard_weight.c - see guard_weight.h: counts parts and rows of queries, from the innermost outwards. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_growth.h"
#include "workers/sql/postgres/guard/guard_joins.h"
#include "workers/sql/postgres/guard/guard_weight.h"
#include "workers/sql/postgres/guard/guard_weight_from.h"
#include "workers/sql/postgres/guard/guard_weight_names.h"

#define QUERY_PARTS	50.0	/* the planner's cost of a sub-select, in parts */
#define ROW_BYTES_MIN	24.0	/* a gathered value with its overhead */
#define ELEMENT_BYTES	8.0	/* the least bytes of an element of an array or of a document */
#define TABLE_ROWS	1e5	/* assumed for a table if the size of the gathered values is known */
#define GROUPS_MAX	1e6	/* limit for the estimate after grouping or filtering */
#define GROWTH_DEPTH	64u	/* deeper expressions count as growing */
#define JOINED_LEAST	65536.0	/* smaller values are not added up */
#define NESTING_MAX	400u	/* nested WITH queries and sub-selects */

struct guard_weight *
guard_weight_new(void)
{
	return mem_new(1, sizeof(struct guard_weight));
}

void
guard_weight_free(struct guard_weight *w)
{
	if (w == NULL)
		return;
	free(w->columns);
	free(w->relations);
	free(w->ctes);
	free(w->refers);
	free(w->known);
	free(w);
}

static double count_parts(struct guard_weight *w, struct weight_scope *s, uint32_t v);

double
weight_count_children(struct guard_weight *w, struct weight_scope *s, uint32_t v)
{
	double parts = 0;

	if (v == NIL || !is_container(w->t, v))
		return 0;
	for (v = w->t->values[v].child; v != NIL && !is_over(w); v = w->t->values[v].next)
		if (is_container(w->t, v))
			parts += count_parts(w, s, v);
	return parts;
}

/* The last two names of a ColumnRef's fields.  False if it ends in a star. */
static bool
read_fields(const struct guard_tree *t, uint32_t ref, struct span *of, struct span *name)
{
	uint32_t body;

	*of = *name = span_of("", 0);
	for (uint32_t f = guard_tree_first(t, ref, GUARD_fields); f != NIL; f = t->values[f].next) {
		if (guard_tree_kind(t, f, &body) != GUARD_String) {
			*of = *name;
			return false;
		}
		*of = *name;
		*name = guard_tree_string(t, body, GUARD_sval);
	}
	return true;
}

static double
count_column(struct guard_weight *w, const struct weight_scope *s, uint32_t ref)
{
	struct span of, name;
	struct weight_column c;

	if (!read_fields(w->t, ref, &of, &name))
		return TABLE_COLUMNS; /* count(x.*); other stars are expanded elsewhere */
	c = weight_find_column(w, s, of, name);
	w->known[ref] = c.known;
	return c.parts;
}

/* The number of elements of a list that are no constants: x IN (…) copies x for each of them. */
static double
list_copies(const struct guard_tree *t, uint32_t list)
{
	uint32_t body, ignored;
	double n = 0;

	if (guard_tree_kind(t, list, &body) != GUARD_List)
		return 0;
	for (uint32_t i = guard_tree_first(t, body, GUARD_items); i != NIL; i = t->values[i].next)
		n += guard_tree_kind(t, i, &ignored) != GUARD_A_Const;
	return n;
}

static struct span
operator_name(const struct guard_tree *t, uint32_t e)
{
	struct span name = span_of("", 0);

	for (uint32_t n = guard_tree_first(t, e, GUARD_name); n != NIL; n = t->values[n].next)
		name = string_at(t, n);
	return name;
}

/* x || y: all values that || makes in one row are in memory at the same time. */
static void
add_joined(struct guard_weight *w, uint32_t e)
{
	double bytes = guard_fold_joined(w->t, e).bytes;

	w->joined += bytes >= JOINED_LEAST ? bytes : 0;
	if (w->joined > GUARD_GATHERED_MAX)
		weight_exceed(w, GUARD_EXCESS_TOGETHER, e, w->joined);
}

/* Operands that the planner copies several times. */
static double
count_operator(struct guard_weight *w, struct weight_scope *s, uint32_t e)
{
	struct span kind = guard_tree_string(w->t, e, GUARD_kind);
	double left = weight_count_children(w, s, guard_tree_get(w->t, e, GUARD_lexpr));
	double right = weight_count_children(w, s, guard_tree_get(w->t, e, GUARD_rexpr));

	if (span_is_str(kind, "AEXPR_BETWEEN") || span_is_str(kind, "AEXPR_NOT_BETWEEN"))
		left *= 2;
	else if (span_is_str(kind, "AEXPR_BETWEEN_SYM") || span_is_str(kind, "AEXPR_NOT_BETWEEN_SYM")) {
		left *= 4;
		right *= 2;
	} else if (span_is_str(kind, "AEXPR_IN"))
		left *= 1 + list_copies(w->t, guard_tree_get(w->t, e, GUARD_rexpr));
	else if (span_is_str(operator_name(w->t, e), "||"))
		add_joined(w, e);
	return 1 + left + right;
}

struct span
weight_function_name(const struct guard_tree *t, uint32_t call)
{
	struct span name = span_of("", 0);

	for (uint32_t n = guard_tree_first(t, call, GUARD_funcname); n != NIL; n = t->values[n].next)
		name = string_at(t, n);
	return name;
}

static const struct guard_known *
guard_weight_note(struct guard_weight *w, uint32_t node, double bytes, bool grows)
{
	w->known[node] = (struct guard_known){ .bytes = bytes, .grows = grows };
	return &w->known[node];
}

#define DOUBT_MAX	1e15

void
weight_doubt_condition(struct guard_weight *w, uint32_t condition)
{
	w->memory.doubt = fmin(w->memory.doubt * guard_memory_doubt(w->t, condition), DOUBT_MAX);
	w->memory.hashes = w->memory.hashes || guard_memory_is_skewed(w->t, condition);
}

void
weight_doubt_made(struct guard_weight *w, struct span function, double rows)
{
	w->memory.made = fmin(w->memory.made * guard_memory_made(function, rows), DOUBT_MAX);
}

/* The number of rows that the query's expressions are evaluated for. */
static double
rows_of(const struct weight_scope *s)
{
	/* The number of rows that pass a condition is unknown; a join that keeps one in a million is usual. */
	return s->filtered && s->rows > GROUPS_MAX ? fmax(GROUPS_MAX, s->rows / GROUPS_MAX) : s->rows;
}

/* The bytes that n gathered values take.  stored: the rows of tables count as TABLE_ROWS at least. */
static double
gathered(double rows, bool stored, double bytes)
{
	return (stored ? fmax(rows, TABLE_ROWS) : rows) * fmax(bytes, ROW_BYTES_MIN);
}

/* string_agg(): its elements have nothing between them but what separates them. */
static bool
is_text(const struct guard_tree *t, uint32_t call)
{
	return span_is_str(weight_function_name(t, call), "string_agg");
}

static void
count_aggregate(struct guard_weight *w, struct weight_scope *s, uint32_t call, bool gathers)
{
	double bytes = 0, rows;
	bool grows = false, sized = false;

	if (!has(w->t, call, GUARD_over))
		s->aggregated = true;
	if (!gathers) {
		if (span_is_str(weight_function_name(w->t, call), "count") && !s->stored && !s->endless)
			w->known[call] = (struct guard_known){ .has_number = true, .number = rows_of(s), .bytes = 8 };
		return;
	}
	w->memory.gathers = true;
	for (uint32_t a = guard_tree_first(w->t, call, GUARD_args); a != NIL; a = w->t->values[a].next) {
		struct guard_known k = guard_fold_value(w->t, a);

		sized = sized || (bytes == 0 && k.bytes > 0 && a == guard_tree_first(w->t, call, GUARD_args));
		bytes += k.bytes;
		grows = grows || k.grows;
	}
	rows = rows_of(s);
	/* The number of rows of one group is unknown. */
	if (s->stored && !s->grouped && sized)
		rows = fmax(rows, TABLE_ROWS);
	guard_weight_note(w, call, rows * fmax(bytes, is_text(w->t, call) ? 1 : ELEMENT_BYTES), grows || s->endless);
	w->memory.bytes = fmax(w->memory.bytes, bytes);
	bytes = gathered(rows_of(s), s->stored, bytes);
	if (bytes > GUARD_GATHERED_MAX)
		weight_exceed(w, GUARD_EXCESS_GATHERED, call, bytes);
}

static double
count_call(struct guard_weight *w, struct weight_scope *s, uint32_t call)
{
	double parts = 1 + weight_count_children(w, s, call), rows;
	struct span name = weight_function_name(w->t, call);
	bool aggregate, gathers;

	if (is_over(w))
		return parts;
	gathers = guard_memory_gathers(name, &aggregate);
	if (aggregate)
		count_aggregate(w, s, call, gathers);
	s->windows += has(w->t, call, GUARD_over);
	if (guard_fold_makes_rows(w->t, call, &rows)) {
		weight_doubt_made(w, name, rows);
		s->series = fmax(s->series, rows);
		s->endless = s->endless || guard_fold_is_endless(w->t, call);
		w->elements = true;
	}
	return parts;
}

/* A sub-select in an expression. */
static double
count_link(struct guard_weight *w, struct weight_scope *s, uint32_t link)
{
	uint32_t select = NIL;
	double parts = 1, bytes;
	struct outcome out;

	for (uint32_t v = w->t->values[link].child; v != NIL && !is_over(w); v = w->t->values[v].next)
		if (w->t->values[v].key != GUARD_subselect && is_container(w->t, v))
			parts += count_parts(w, s, v);
	if (guard_tree_kind(w->t, guard_tree_get(w->t, link, GUARD_subselect), &select) != GUARD_SelectStmt)
		return parts;
	out = weight_count_query(w, s, select);
	if (is_over(w) || out.columns == NIL)
		return parts + out.parts;
	bytes = w->columns[out.columns].known.bytes;
	if (span_is_str(guard_tree_string(w->t, link, GUARD_subLinkType), "ARRAY_SUBLINK")) {
		double all = gathered(out.rows, out.stored, bytes);

		w->memory.gathers = true;
		if (all > GUARD_GATHERED_MAX)
			weight_exceed(w, GUARD_EXCESS_GATHERED, link, all);
		if (out.stored && bytes > 0)
			out.rows = fmax(out.rows, TABLE_ROWS);
		guard_weight_note(w, link, out.rows * fmax(bytes, ELEMENT_BYTES),
		    w->columns[out.columns].known.grows || out.endless);
	} else if (span_is_str(guard_tree_string(w->t, link, GUARD_subLinkType), "EXPR_SUBLINK"))
		w->known[link] = w->columns[out.columns].known;
	else if (!span_is_str(guard_tree_string(w->t, link, GUARD_subLinkType), "EXISTS_SUBLINK"))
		w->memory.hashes = true;
	return parts + out.parts;
}

static bool
has_star(const struct guard_tree *t, uint32_t indirection)
{
	uint32_t body;

	for (uint32_t i = guard_tree_first(t, indirection, GUARD_indirection); i != NIL; i = t->values[i].next)
		if (guard_tree_kind(t, i, &body) == GUARD_A_Star)
			return true;
	return false;
}

/* The parts of one value, including its children. */
static double
count_parts(struct guard_weight *w, struct weight_scope *s, uint32_t v)
{
	uint16_t key = w->t->values[v].key;
	double parts;

	if (is_over(w))
		return 0;
	if (w->t->values[v].type == GUARD_VALUE_ARRAY || key >= GUARD_KINDS)
		return is_select(w->t, v) ? weight_count_query(w, s, v).parts : weight_count_children(w, s, v);
	switch ((enum guard_key)key) {
	case GUARD_ColumnRef:
		return count_column(w, s, v);
	case GUARD_A_Expr:
		return count_operator(w, s, v);
	case GUARD_FuncCall:
		parts = count_call(w, s, v);
		break;
	case GUARD_SubLink:
		parts = count_link(w, s, v);
		break;
	case GUARD_SelectStmt:
		return weight_count_query(w, s, v).parts;
	case GUARD_A_Indirection:
		w->elements = true;
		/* (x).* copies all of x for each of its columns. */
		parts = 1 + weight_count_children(w, s, v) * (has_star(w->t, v) ? TABLE_COLUMNS : 1);
		break;
	case GUARD_String:
	case GUARD_TypeName:
		return 0;
	default:
		parts = 1 + weight_count_children(w, s, v);
		break;
	}
	if (parts > GUARD_PARTS_MAX)
		weight_exceed(w, GUARD_EXCESS_PARTS, v, parts);
	return parts;
}

/* SELECT *, x.*: the columns of these relations. */
static void
expand_star(struct guard_weight *w, const struct weight_scope *s, struct span of, struct column_list *list, bool *open)
{
	for (uint32_t i = s->relations; i != NIL && !is_over(w); i = w->relations[i].next) {
		const struct relation *r = &w->relations[i];

		if (of.len > 0 && !weight_same(w, r->name, of))
			continue;
		*open = *open || r->open;
		for (uint32_t c = r->columns; c != NIL && !is_over(w); c = w->columns[c].next)
			weight_add_column(w, list, w->columns[c]);
	}
}

/* The name that the server gives to a column without an alias. */
static struct span
name_of(const struct guard_tree *t, uint32_t target, enum guard_key kind, uint32_t body)
{
	struct span name = guard_tree_string(t, target, GUARD_name), of;
	uint32_t inner;

	if (name.len > 0)
		return name;
	if (kind == GUARD_TypeCast || kind == GUARD_CollateClause) {
		uint32_t arg = guard_tree_get(t, body, GUARD_arg);

		kind = guard_tree_kind(t, arg, &inner);
		body = inner;
	}
	if (kind == GUARD_ColumnRef)
		(void)read_fields(t, body, &of, &name);
	else if (kind == GUARD_FuncCall)
		name = weight_function_name(t, body);
	return name;
}

/* What is known of a column of a sub-select. */
static struct guard_known
column_known(const struct guard_weight *w, const struct weight_scope *s, uint32_t val)
{
	struct guard_known k = guard_fold_value(w->t, val);

	if (w->elements)
		k.most = guard_fold_most(w->t, val);
	/* An aggregate of stored rows may be a number of theirs. */
	k.made = !(s->stored && s->aggregated) && guard_fold_is_made(w->t, val);
	return k;
}

static double
count_target(struct guard_weight *w, struct weight_scope *s, uint32_t target, struct column_list *list, bool *open)
{
	uint32_t val = guard_tree_get(w->t, target, GUARD_val), body;
	enum guard_key kind = guard_tree_kind(w->t, val, &body);
	struct span of, name;
	struct weight_column c;

	if (kind == GUARD_ColumnRef && !read_fields(w->t, body, &of, &name)) {
		double before = list->n;
		bool any = false;

		expand_star(w, s, of, list, &any);
		*open = *open || any;
		return list->n - before + (any ? TABLE_COLUMNS : 1);
	}
	c = (struct weight_column){ .parts = weight_count_children(w, s, val),
		.name = name_of(w->t, target, kind, body) };
	if (is_over(w))
		return c.parts;
	if (kind == GUARD_A_Indirection && has_star(w->t, body))
		*open = true;
	c.known = column_known(w, s, val);
	w->memory.bytes = fmax(w->memory.bytes, c.known.bytes);
	if (kind == GUARD_A_Expr && c.known.bytes > GUARD_VALUE_BYTES_MAX)
		weight_exceed(w, GUARD_EXCESS_VALUE, body, c.known.bytes);
	weight_add_column(w, list, c);
	return 1 + c.parts;
}

/* The number of grouping sets that one item of GROUP BY stands for. */
static double
sets_of(struct guard_weight *w, uint32_t item)
{
	uint32_t body;
	struct span kind;
	double n = 0, sets = 0;

	if (guard_tree_kind(w->t, item, &body) != GUARD_GroupingSet)
		return 1;
	kind = guard_tree_string(w->t, body, GUARD_kind);
	for (uint32_t c = guard_tree_first(w->t, body, GUARD_content); c != NIL; c = w->t->values[c].next, n++)
		sets += sets_of(w, c);
	if (span_is_str(kind, "GROUPING_SET_CUBE"))
		sets = exp2(n);
	else if (span_is_str(kind, "GROUPING_SET_ROLLUP"))
		sets = n + 1;
	sets = fmax(sets, 1);
	if (sets > GUARD_SETS_MAX)
		weight_exceed(w, GUARD_EXCESS_SETS, body, sets);
	return sets;
}

static void
count_sets(struct guard_weight *w, uint32_t select)
{
	uint32_t first = guard_tree_first(w->t, select, GUARD_groupClause);
	double product = 1;

	for (uint32_t g = first; g != NIL && !is_over(w); g = w->t->values[g].next)
		product *= sets_of(w, g);
	if (product > GUARD_SETS_MAX)
		weight_exceed(w, GUARD_EXCESS_SETS, select, product);
}

/* VALUES: its columns are named column1, column2 … */
static struct outcome
count_values(struct guard_weight *w, struct weight_scope *s, uint32_t select)
{
	static const char names[] = "column1column2column3column4column5column6column7column8column9";
	uint32_t lists = guard_tree_first(w->t, select, GUARD_valuesLists), body;
	struct outcome out = { .parts = QUERY_PARTS };
	struct column_list list = weight_no_columns();
	size_t n = 0;

	out.parts += weight_count_children(w, s, guard_tree_get(w->t, select, GUARD_valuesLists));
	if (is_over(w) || guard_tree_kind(w->t, lists, &body) != GUARD_List)
		return (struct outcome){ .parts = out.parts, .rows = 1, .columns = NIL };
	for (uint32_t v = guard_tree_first(w->t, body, GUARD_items); v != NIL && !is_over(w);
	     v = w->t->values[v].next, n++)
		weight_add_column(w, &list, (struct weight_column){ .parts = 1, .known = column_known(w, s, v),
			.name = n < 9 ? span_of(names + n * 7, 7) : span_of("", 0) });
	for (; lists != NIL; lists = w->t->values[lists].next) {
		uint32_t c = list.first;

		out.rows++;
		if (guard_tree_kind(w->t, lists, &body) != GUARD_List)
			continue;
		for (uint32_t v = guard_tree_first(w->t, body, GUARD_items); v != NIL && c != NIL;
		     v = w->t->values[v].next, c = w->columns[c].next)
			w->columns[c].known = guard_fold_larger(w->columns[c].known, column_known(w, s, v));
	}
	out.columns = list.first;
	out.ncolumns = list.n;
	return out;
}

/* Whether an expression of a recursion makes the value larger in each step. */
static bool
makes(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	uint16_t key = t->values[v].key;
	uint32_t body;

	if (!is_container(t, v))
		return false;
	if (depth == 0 || (t->values[v].type == GUARD_VALUE_OBJECT && key == GUARD_FuncCall))
		return true;
	if (t->values[v].type == GUARD_VALUE_OBJECT && key == GUARD_A_Expr &&
	    guard_tree_kind(t, guard_tree_first(t, v, GUARD_name), &body) == GUARD_String &&
	    span_is_str(guard_tree_string(t, body, GUARD_sval), "||"))
		return true;
	for (v = t->values[v].child; v != NIL; v = t->values[v].next)
		if (makes(t, v, depth - 1))
			return true;
	return false;
}

/* The alias of a WITH query in FROM, not in a sub-select there.  False if FROM does not name it. */
static bool
find_alias(const struct guard_weight *w, uint32_t from, uint32_t cte, unsigned depth, struct span *alias)
{
	uint32_t body, names;
	enum guard_key kind = guard_tree_kind(w->t, from, &body);

	if (kind == GUARD_JoinExpr && depth > 0)
		return find_alias(w, guard_tree_get(w->t, body, GUARD_larg), cte, depth - 1, alias) ||
		    find_alias(w, guard_tree_get(w->t, body, GUARD_rarg), cte, depth - 1, alias);
	if (kind != GUARD_RangeVar || w->refers[body] != cte + 1)
		return false;
	*alias = weight_alias_of(w->t, body, w->ctes[cte].name, &names);
	return names == NIL;
}

/* Looks for values that a recursion multiplies in each step. */
static void
check_growth(struct guard_weight *w, struct cte *cte, uint32_t columns, uint32_t right)
{
	struct guard_growth_columns list = { 0 };
	struct span alias = span_of("", 0);
	uint32_t target;
	bool found = false;

	for (; columns != NIL && list.n < GUARD_GROWTH_COLUMNS; columns = w->columns[columns].next, list.n++) {
		list.name[list.n] = w->columns[columns].name;
		list.bytes[list.n] = w->columns[columns].known.bytes;
	}
	for (uint32_t f = guard_tree_first(w->t, right, GUARD_fromClause); f != NIL && !found; f = w->t->values[f].next)
		found = find_alias(w, f, (uint32_t)(cte - w->ctes), GROWTH_DEPTH, &alias);
	if (!found) {
		w->memory.brief = true; /* the expressions of its columns are not known */
		return;
	}
	switch (guard_growth(w->t, right, alias, &list, &cte->steps)) {
	case GUARD_GROWTH_NONE:
		break;
	case GUARD_GROWTH_BOUNDED:
		w->memory.brief = true;
		break;
	case GUARD_GROWTH_EXCEEDS:
		if (guard_tree_kind(w->t, guard_tree_first(w->t, right, GUARD_targetList), &target) != GUARD_ResTarget)
			target = right;
		weight_exceed(w, GUARD_EXCESS_GROWTH, target, 0);
		break;
	}
}

/* The columns that the recursive part sees of its own query: those of the first part, with the growing ones marked. */
static void
expose(struct guard_weight *w, struct cte *cte, uint32_t columns, uint32_t right)
{
	struct column_list list =
	    weight_copy_columns(w, columns, guard_tree_first(w->t, cte->node, GUARD_aliascolnames));
	uint32_t target = guard_tree_first(w->t, right, GUARD_targetList), body;
	bool told = target != NIL;

	for (uint32_t c = list.first; c != NIL; c = w->columns[c].next) {
		bool known = target != NIL && guard_tree_kind(w->t, target, &body) == GUARD_ResTarget;

		w->columns[c].known.has_number = false;
		w->columns[c].known.grows = (!told && w->columns[c].known.bytes > 0) ||
		    (known && makes(w->t, guard_tree_get(w->t, body, GUARD_val), GROWTH_DEPTH));
		if (target != NIL)
			target = w->t->values[target].next;
	}
	cte->out.columns = list.first;
	if (cte->recursive)
		check_growth(w, cte, list.first, right);
}

/* UNION, INTERSECT, EXCEPT: the columns are the left side's; the planner copies a condition on them to both sides. */
static struct outcome
count_set_operation(struct guard_weight *w, struct weight_scope *outer, uint32_t select, uint32_t left, uint32_t right)
{
	struct outcome a = weight_count_query(w, outer, left), b;
	struct column_list list;

	if (is_over(w))
		return a;
	if (!span_is_str(guard_tree_string(w->t, select, GUARD_op), "SETOP_UNION"))
		w->memory.hashes = true;
	if (w->recursive != NIL && w->ctes[w->recursive].select == select) {
		expose(w, &w->ctes[w->recursive], a.columns, right);
		w->memory.distinct =
		    w->memory.distinct || (w->ctes[w->recursive].recursive && !is_true(w->t, select, GUARD_all));
	}
	b = weight_count_query(w, outer, right);
	list = weight_copy_columns(w, a.columns, NIL);
	for (uint32_t c = list.first, d = b.columns; c != NIL && d != NIL;
	     c = w->columns[c].next, d = w->columns[d].next) {
		w->columns[c].parts = fmax(w->columns[c].parts, w->columns[d].parts);
		w->columns[c].known = guard_fold_larger(w->columns[c].known, w->columns[d].known);
	}
	if (w->recursive != NIL && w->ctes[w->recursive].select == select && w->ctes[w->recursive].recursive) {
		double steps = w->ctes[w->recursive].steps;

		b.rows *= isfinite(steps) ? fmax(steps, 1) : 1;
		b.endless = b.endless || (!isfinite(steps) && !b.stored);
	}
	return (struct outcome){ .parts = a.parts + b.parts + list.n, .rows = a.rows + b.rows, .columns = list.first,
		.ncolumns = list.n, .open = a.open || b.open, .stored = a.stored || b.stored,
		.endless = a.endless || b.endless };
}

static const enum guard_key clauses[] = { GUARD_whereClause, GUARD_groupClause, GUARD_havingClause,
	GUARD_windowClause, GUARD_sortClause, GUARD_distinctClause, GUARD_limitCount, GUARD_limitOffset };

/* The cost of ordering the joins of this query; adds up those of the whole statement. */
static double
count_order(struct guard_weight *w, uint32_t select)
{
	double parts = guard_joins_parts(w->t, select, w->refers, w->inside > 0);

	w->joins += parts;
	if (w->joins > GUARD_PARTS_MAX)
		weight_exceed(w, GUARD_EXCESS_JOINS, select, w->joins);
	return parts;
}

static struct outcome
count_select(struct guard_weight *w, struct weight_scope *s, uint32_t select)
{
	struct outcome out = { .parts = QUERY_PARTS };
	struct column_list list = weight_no_columns();
	uint32_t body;

	for (uint32_t f = guard_tree_first(w->t, select, GUARD_fromClause); f != NIL && !is_over(w);
	     f = w->t->values[f].next)
		out.parts += weight_count_from(w, s, f);
	out.parts += count_order(w, select);
	s->filtered = has(w->t, select, GUARD_whereClause);
	s->grouped = has(w->t, select, GUARD_groupClause);
	weight_doubt_condition(w, guard_tree_get(w->t, select, GUARD_whereClause));
	weight_doubt_condition(w, guard_tree_get(w->t, select, GUARD_havingClause));
	for (uint32_t r = guard_tree_first(w->t, select, GUARD_targetList); r != NIL && !is_over(w);
	     r = w->t->values[r].next)
		if (guard_tree_kind(w->t, r, &body) == GUARD_ResTarget)
			out.parts += count_target(w, s, body, &list, &out.open);
	for (size_t i = 0; i < sizeof(clauses) / sizeof(clauses[0]) && !is_over(w); i++)
		out.parts += weight_count_children(w, s, guard_tree_get(w->t, select, clauses[i]));
	if (!is_over(w))
		count_sets(w, select);
	out.parts += 2 * s->windows * s->windows;
	out.rows = rows_of(s) * fmax(s->series, 1);
	if (has(w->t, select, GUARD_groupClause) || has(w->t, select, GUARD_distinctClause))
		out.rows = fmin(out.rows, GROUPS_MAX);
	else if (s->aggregated)
		out.rows = 1;
	/* The number of groups is unknown, but most often small. */
	out.stored = s->stored && !s->aggregated && !has(w->t, select, GUARD_groupClause) &&
	    !has(w->t, select, GUARD_distinctClause);
	out.endless = s->endless && (s->grouped || !s->aggregated);
	out.columns = list.first;
	out.ncolumns = list.n + (out.open ? TABLE_COLUMNS : 0);
	return out;
}

/* LIMIT: the result is computed before it is read, and has at most that many rows. */
static void
guard_weight_limit(struct guard_weight *w, uint32_t select, struct outcome *out)
{
	uint32_t most = guard_tree_get(w->t, select, GUARD_limitCount);
	struct guard_known k = { 0 };

	if (is_over(w) || (most == NIL && !has(w->t, select, GUARD_limitOffset)))
		return;
	out->columns = weight_computed(w, out->columns);
	if (most != NIL)
		k = guard_fold_value(w->t, most);
	if (k.has_number) {
		if (out->stored)
			out->rows = fmax(out->rows, TABLE_ROWS);
		if (out->endless)
			out->rows = fmax(out->rows, k.number);
		out->rows = fmax(1, fmin(out->rows, k.number));
		out->stored = out->endless = false;
	}
}

/* Counts WITH queries that are computed once, and the first copy of the others, where they are written. */
static double
count_with(struct guard_weight *w, struct weight_scope *outer, uint32_t select)
{
	uint32_t with = guard_tree_get(w->t, select, GUARD_withClause), body;
	double parts = 0;

	for (uint32_t v = guard_tree_first(w->t, with, GUARD_ctes); v != NIL && !is_over(w); v = w->t->values[v].next) {
		uint32_t i = 0;

		if (guard_tree_kind(w->t, v, &body) != GUARD_CommonTableExpr)
			continue;
		i = w->refers[body] - 1;
		parts += 1;
		if (weight_is_materialised(w, &w->ctes[i]) || w->ctes[i].refs == 0)
			parts += weight_count_cte(w, outer, i)->parts;
		else
			(void)weight_count_cte(w, outer, i);
	}
	return parts;
}

struct outcome
weight_count_query(struct guard_weight *w, struct weight_scope *outer, uint32_t v)
{
	struct weight_scope s = { .outer = outer, .relations = NIL, .rows = 1 };
	uint32_t left = guard_tree_get(w->t, v, GUARD_larg), right = guard_tree_get(w->t, v, GUARD_rarg);
	struct outcome out = { .rows = 1, .columns = NIL };
	double parts;

	if (is_over(w))
		return out;
	if (++w->depth > NESTING_MAX) {
		weight_exceed(w, GUARD_EXCESS_NESTING, v, 0);
		return out;
	}
	parts = count_with(w, outer, v);
	if (left != NIL && right != NIL)
		out = count_set_operation(w, outer, v, left, right);
	else if (has(w->t, v, GUARD_valuesLists))
		out = count_values(w, &s, v);
	else
		out = count_select(w, &s, v);
	guard_weight_limit(w, v, &out);
	out.parts += parts;
	out.rows = fmax(out.rows, 1);
	if (out.parts > GUARD_PARTS_MAX)
		weight_exceed(w, GUARD_EXCESS_PARTS, v, out.parts);
	w->depth--;
	return out;
}

enum guard_excess
guard_weight_count(struct guard_weight *w, struct guard_tree *t, uint32_t stmt, uint32_t *at, double *size,
    struct guard_memory *memory)
{
	/* For expressions outside of any query: a MERGE's condition, a call's arguments. */
	struct weight_scope outermost = { .relations = NIL, .rows = 1 };

	w->t = t;
	w->ncolumns = w->nrelations = w->nctes = 0;
	w->work = w->depth = w->inside = 0;
	w->joins = w->joined = 0;
	w->elements = false;
	w->recursive = NIL;
	w->excess = GUARD_FITS;
	w->at = stmt;
	w->memory = (struct guard_memory){ .doubt = 1, .made = 1 };
	if (t->n > w->cap) {
		free(w->refers);
		free(w->known);
		w->cap = t->n;
		w->refers = mem_new(w->cap, sizeof(*w->refers));
		w->known = mem_new(w->cap, sizeof(*w->known));
	} else {
		memset(w->refers, 0, t->n * sizeof(*w->refers));
		memset(w->known, 0, t->n * sizeof(*w->known));
	}
	t->known = w->known;
	weight_resolve(w, stmt, NIL);
	for (size_t i = 0; i < w->nctes; i++)
		w->refers[w->ctes[i].node] = (uint32_t)i + 1;
	if (!is_over(w))
		(void)count_parts(w, &outermost, stmt);
	*at = w->at;
	*size = w->size;
	*memory = w->memory;
	return w->excess;
}
