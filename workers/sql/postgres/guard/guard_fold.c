#include "workers/sql/postgres/guard/guard_fold_functions.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX	64	/* expressions deeper than that count as unknown */
#define NUMBER_BYTES	8.0
#define XML_BYTES_MAX	131072.0	/* 10,000 attributes: 373 ms, 20,000: 1655; the time grows quadratically */
#define ESCAPED		5.0	/* an escaped character takes up to 5 bytes */
#define GROWN_WORK	1048576.0	/* bytes assumed for a value of unbounded size next to another argument */

static struct guard_known guard_fold_fold(const struct guard_tree *t, uint32_t v, unsigned depth);
static bool fold_rows(const struct guard_tree *t, uint32_t call, unsigned depth, double *rows);
static struct guard_known fold_element(const struct guard_tree *t, uint32_t call, unsigned depth);

static struct guard_known
of_text(struct span s)
{
	struct guard_known k = { .bytes = (double)s.len };
	char text[64], *end;

	if (s.len == 0 || s.len >= sizeof(text))
		return k;
	memcpy(text, s.p, s.len);
	text[s.len] = '\0';
	k.number = strtod(text, &end);
	/* The text '1000' also serves as a number where one is wanted. */
	k.has_number = *end == '\0' && isfinite(k.number);
	return k;
}

/* libpg_query leaves out negative numbers as it leaves out zero: read them from the statement's text. */
static struct guard_known
fold_integer(const struct guard_tree *t, uint32_t c, uint32_t integer)
{
	int64_t n = guard_tree_number(t, integer, GUARD_ival), location = guard_tree_number(t, c, GUARD_location);
	struct span s = t->source;
	double read = 0;
	size_t i;

	if (n != 0 || location < 0 || (uint64_t)location >= s.len || s.p[location] != '-')
		return fold_of_number((double)n);
	for (i = (size_t)location + 1; i < s.len && (s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\t'); i++)
		;
	if (i == s.len || s.p[i] < '0' || s.p[i] > '9')
		return (struct guard_known){ 0 };
	for (; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		read = read * 10 + (s.p[i] - '0');
	return fold_of_number(-read);
}

static struct guard_known
fold_constant(const struct guard_tree *t, uint32_t c)
{
	uint32_t v;

	if ((v = guard_tree_get(t, c, GUARD_ival)) != GUARD_NIL)
		return fold_integer(t, c, v);
	if ((v = guard_tree_get(t, c, GUARD_fval)) != GUARD_NIL)
		return of_text(guard_tree_string(t, v, GUARD_fval));
	if ((v = guard_tree_get(t, c, GUARD_sval)) != GUARD_NIL)
		return of_text(guard_tree_string(t, v, GUARD_sval));
	return (struct guard_known){ 0 };
}

/* Either of the two, not known which: the larger one, as far as the sizes are known. */
static struct guard_known
larger(struct guard_known a, struct guard_known b)
{
	struct guard_known k = a.has_number ? a : b;

	if (a.has_number && b.has_number)
		k.number = fmax(a.number, b.number);
	k.bytes = fmax(a.bytes, b.bytes);
	k.grows = a.grows || b.grows;
	k.times = fmax(a.times, b.times);
	k.most = fmax(fmax(a.bytes, a.most), fmax(b.bytes, b.most));
	k.made = a.made && b.made;
	return k;
}

/* The last name (without schema) in a member that holds an operator's or a function's name. */
static struct span
last_name(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	struct span name = span_of("", 0);

	for (uint32_t n = guard_tree_first(t, v, key); n != GUARD_NIL; n = t->values[n].next)
		name = guard_tree_string(t, t->values[n].child, GUARD_sval);
	return name;
}

static struct guard_known
fold_operator(const struct guard_tree *t, uint32_t e, unsigned depth)
{
	struct span op = last_name(t, e, GUARD_name);
	uint32_t left = guard_tree_get(t, e, GUARD_lexpr), right = guard_tree_get(t, e, GUARD_rexpr);
	struct guard_known a, b = guard_fold_fold(t, right, depth);

	if (left == GUARD_NIL)
		return b.has_number && span_is_str(op, "-") ? fold_of_number(-b.number) : b;
	a = guard_fold_fold(t, left, depth);
	if (span_is_str(op, "||"))
		return fold_of_size(a.bytes + b.bytes, fold_times_of(a) + fold_times_of(b), a.grows || b.grows);
	if (span_is_str(op, "*") && (!a.has_number || !b.has_number))
		return fold_of_derived(a.bytes + b.bytes, a.grows || b.grows);
	if (!a.has_number || !b.has_number || op.len != 1)
		return fold_of_derived(fmax(a.bytes, b.bytes), a.grows || b.grows);
	switch (op.p[0]) {
	case '+':
		return fold_of_number(a.number + b.number);
	case '-':
		return fold_of_number(a.number - b.number);
	case '*':
		return fold_of_number(a.number * b.number);
	case '/':
		return fold_of_number(a.number / b.number);
	case '%':
		return fold_of_number(fmod(a.number, b.number));
	case '^':
		return fold_of_power(a.number, b.number);
	default:
		return (struct guard_known){ 0 };
	}
}

/* The largest of a list of expressions. */
static struct guard_known
fold_list(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	struct guard_known k = { 0 };
	bool first = true;

	for (; v != GUARD_NIL; v = t->values[v].next, first = false)
		k = first ? guard_fold_fold(t, v, depth) : larger(k, guard_fold_fold(t, v, depth));
	return k;
}

/* The smallest of the known numbers: an upper bound. */
static struct guard_known
fold_least(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	struct guard_known least = { 0 };

	for (; v != GUARD_NIL; v = t->values[v].next) {
		struct guard_known k = guard_fold_fold(t, v, depth);

		if (k.has_number && (!least.has_number || k.number < least.number))
			least = k;
	}
	return least;
}

/* ARRAY[…], ROW(…): the sum of the elements, with the quotes in them doubled.  Unknown elements count as a number. */
static struct guard_known
fold_elements(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	struct guard_known k = { 0 };

	for (; v != GUARD_NIL; v = t->values[v].next) {
		struct guard_known element = guard_fold_fold(t, v, depth);

		k.bytes += element.has_number ? NUMBER_BYTES : fmax(element.bytes * 2, NUMBER_BYTES);
		k.grows = k.grows || element.grows;
	}
	return k;
}

/* A scalar sub-select without FROM is its one expression. */
static struct guard_known
fold_subselect(const struct guard_tree *t, uint32_t link, unsigned depth)
{
	uint32_t select, target, body;

	if (guard_tree_kind(t, guard_tree_get(t, link, GUARD_subselect), &select) != GUARD_SelectStmt)
		return (struct guard_known){ 0 };
	target = guard_tree_first(t, select, GUARD_targetList);
	if (target == GUARD_NIL || guard_tree_kind(t, target, &body) != GUARD_ResTarget)
		return (struct guard_known){ 0 };
	return guard_fold_fold(t, guard_tree_get(t, body, GUARD_val), depth);
}

static struct guard_known
fold_case(const struct guard_tree *t, uint32_t c, unsigned depth)
{
	struct guard_known k = guard_fold_fold(t, guard_tree_get(t, c, GUARD_defresult), depth);
	uint32_t when;

	for (uint32_t v = guard_tree_first(t, c, GUARD_args); v != GUARD_NIL; v = t->values[v].next)
		if (guard_tree_kind(t, v, &when) == GUARD_CaseWhen)
			k = larger(k, guard_fold_fold(t, guard_tree_get(t, when, GUARD_result), depth));
	return k;
}

/* The arguments of a call, folded. */
static struct fold_call
read_call(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	struct fold_call c = { .most = t->most };

	for (uint32_t a = guard_tree_first(t, v, GUARD_args); a != GUARD_NIL && c.n < FOLD_ARGS_MAX;
	     a = t->values[a].next)
		c.args[c.n++] = guard_fold_fold(t, a, depth);
	return c;
}

/* '{n,m}': the product of the numbers. */
static double
product_of_text(struct span s)
{
	double product = 1, n = 0;
	bool digits = false;

	for (size_t i = 0; i <= s.len; i++) {
		if (i < s.len && s.p[i] >= '0' && s.p[i] <= '9') {
			n = n * 10 + (s.p[i] - '0');
			digits = true;
		} else if (digits) {
			product *= fmax(n, 1);
			n = 0;
			digits = false;
		}
	}
	return product;
}

/* array_fill(value, ARRAY[n, m]): the product of the dimensions. */
static double
array_elements(const struct guard_tree *t, uint32_t v, unsigned depth, bool *grows)
{
	double product = 1;
	uint32_t body;

	while (guard_tree_kind(t, v, &body) == GUARD_TypeCast)
		v = guard_tree_get(t, body, GUARD_arg);
	if (guard_tree_kind(t, v, &body) == GUARD_A_Const)
		return product_of_text(guard_tree_string(t, guard_tree_get(t, body, GUARD_sval), GUARD_sval));
	if (guard_tree_kind(t, v, &body) != GUARD_A_ArrayExpr) {
		*grows = true;
		return 1;
	}
	for (uint32_t e = guard_tree_first(t, body, GUARD_elements); e != GUARD_NIL; e = t->values[e].next) {
		struct guard_known k = guard_fold_fold(t, e, depth);

		product *= k.has_number ? fmax(k.number, 1) : 1;
		*grows = *grows || !k.has_number;
	}
	return product;
}

/* array_fill(value, dimensions): an element has at least four bytes. */
static struct guard_known
fold_array(const struct guard_tree *t, uint32_t call, unsigned depth)
{
	uint32_t first = guard_tree_first(t, call, GUARD_args);
	struct guard_known k = { 0 };

	if (first == GUARD_NIL)
		return k;
	k.bytes =
	    fmax(guard_fold_fold(t, first, depth).bytes, 4) * array_elements(t, t->values[first].next, depth, &k.grows);
	if (k.grows)
		k.bytes = fmax(k.bytes, GUARD_GROWN_BYTES);
	return k;
}

static struct guard_known
fold_function(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	struct span name = last_name(t, v, GUARD_funcname);
	struct fold_call c;
	double rows;

	if (span_is_str(name, "array_fill"))
		return fold_array(t, v, depth);
	if (fold_rows(t, v, depth, &rows))
		return fold_element(t, v, depth);
	c = read_call(t, v, depth);
	return fold_function_value(name, &c);
}

/* The elements of an array or a document that is written as text take more than their text: '[1,1]', '{a,b}'. */
static bool
is_taken_apart(const struct guard_tree *t, uint32_t cast, struct span type)
{
	uint32_t body;

	if (guard_tree_kind(t, guard_tree_get(t, cast, GUARD_arg), &body) == GUARD_A_ArrayExpr)
		return false;
	return span_is_str(type, "jsonb") ||
	    guard_tree_first(t, guard_tree_get(t, cast, GUARD_typeName), GUARD_arrayBounds) != GUARD_NIL;
}

/* x::char(n), x::bit(n): padded to n. */
static struct guard_known
fold_cast(const struct guard_tree *t, uint32_t cast, unsigned depth)
{
	struct guard_known k = guard_fold_fold(t, guard_tree_get(t, cast, GUARD_arg), depth), n;
	uint32_t type = guard_tree_get(t, cast, GUARD_typeName);
	struct span name = last_name(t, type, GUARD_names);
	bool bits = span_is_str(name, "bit");

	if (t->most && !k.has_number && is_taken_apart(t, cast, name))
		k.bytes *= FOLD_ELEMENT / 2;
	if (!bits && !span_is_str(name, "bpchar"))
		return k;
	n = guard_fold_fold(t, guard_tree_first(t, type, GUARD_typmods), depth);
	if (n.has_number && n.number / (bits ? 8 : 1) > k.bytes)
		k = (struct guard_known){ .bytes = n.number / (bits ? 8 : 1), .grows = k.grows };
	return k;
}

/* XMLELEMENT, XMLFOREST …: < in a text becomes &lt; */
static struct guard_known
fold_xml(const struct guard_tree *t, uint32_t e, unsigned depth)
{
	static const enum guard_key lists[] = { GUARD_args, GUARD_named_args };
	double bytes = 0, times = 0;
	bool grows = false;
	uint32_t body;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (uint32_t a = guard_tree_first(t, e, lists[i]); a != GUARD_NIL; a = t->values[a].next) {
			bool named = guard_tree_kind(t, a, &body) == GUARD_ResTarget;
			struct guard_known k =
			    guard_fold_fold(t, named ? guard_tree_get(t, body, GUARD_val) : a, depth);

			bytes += k.bytes * ESCAPED;
			times += fold_times_of(k) * ESCAPED;
			grows = grows || k.grows;
		}
	return fold_of_size(bytes, times, grows);
}

static struct guard_known
noted(const struct guard_tree *t, const struct guard_known *known)
{
	struct guard_known k = *known;

	if (t->most && k.most > k.bytes) {
		k.bytes = k.most;
		k.has_number = false;
	}
	return k;
}

static struct guard_known
guard_fold_fold(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	enum guard_key kind;
	uint32_t body;

	if (depth == 0)
		return (struct guard_known){ 0 };
	depth--;
	kind = guard_tree_kind(t, v, &body);
	if (body != GUARD_NIL && t->known != NULL &&
	    (t->known[body].has_number || t->known[body].bytes > 0 || t->known[body].grows ||
		t->known[body].times > 0 || t->known[body].most > 0))
		return noted(t, &t->known[body]);
	switch (kind) {
	case GUARD_A_Const:
		return fold_constant(t, body);
	case GUARD_A_Expr:
		return fold_operator(t, body, depth);
	case GUARD_FuncCall:
		return fold_function(t, body, depth);
	case GUARD_TypeCast:
		return fold_cast(t, body, depth);
	case GUARD_NamedArgExpr:
	case GUARD_CollateClause:
		return guard_fold_fold(t, guard_tree_get(t, body, GUARD_arg), depth);
	case GUARD_XmlExpr:
		return fold_xml(t, body, depth);
	case GUARD_XmlSerialize:
		return guard_fold_fold(t, guard_tree_get(t, body, GUARD_expr), depth);
	case GUARD_A_Indirection:
		/* An element, or a field, may be nearly all of the value. */
		return t->most ? guard_fold_fold(t, guard_tree_get(t, body, GUARD_arg), depth) :
				 (struct guard_known){ 0 };
	case GUARD_SubLink:
		return fold_subselect(t, body, depth);
	case GUARD_CaseExpr:
		return fold_case(t, body, depth);
	case GUARD_MinMaxExpr:
		if (span_is_str(guard_tree_string(t, body, GUARD_op), "IS_LEAST"))
			return fold_least(t, guard_tree_first(t, body, GUARD_args), depth);
		return fold_list(t, guard_tree_first(t, body, GUARD_args), depth);
	case GUARD_CoalesceExpr:
		return fold_list(t, guard_tree_first(t, body, GUARD_args), depth);
	case GUARD_A_ArrayExpr:
		return fold_elements(t, guard_tree_first(t, body, GUARD_elements), depth);
	case GUARD_RowExpr:
		return fold_elements(t, guard_tree_first(t, body, GUARD_args), depth);
	default:
		return (struct guard_known){ 0 };
	}
}

/* format('%1000000000s', 'x'): the widest field. */
static double
format_width(const struct guard_tree *t, uint32_t v)
{
	uint32_t body, text;
	struct span s;
	double widest = 0;

	if (guard_tree_kind(t, v, &body) != GUARD_A_Const || (text = guard_tree_get(t, body, GUARD_sval)) == GUARD_NIL)
		return 0;
	s = guard_tree_string(t, text, GUARD_sval);
	for (size_t i = 0; i < s.len; i++) {
		double width = 0;

		if (s.p[i] != '%')
			continue;
		/* %2$-100s: the position is read as a width too, which is harmless because it is small. */
		for (i++; i < s.len && (s.p[i] == '-' || s.p[i] == '$' || (s.p[i] >= '0' && s.p[i] <= '9')); i++)
			width = s.p[i] == '-' || s.p[i] == '$' ? 0 : width * 10 + (s.p[i] - '0');
		widest = fmax(widest, width);
	}
	return widest;
}

static double
series_rows(const struct fold_call *c)
{
	double step = fold_number_or(c, 2, 1);

	if (c->n < 2 || !c->args[0].has_number || !c->args[1].has_number || (c->n > 2 && !c->args[2].has_number))
		return 0;
	return step == 0 ? 0 : (c->args[1].number - c->args[0].number) / step;
}

enum guard_bomb
guard_fold_call(const struct guard_tree *t, uint32_t v, double *size, bool *grows)
{
	struct guard_known k;
	uint32_t first = guard_tree_first(t, v, GUARD_args);
	struct span name = last_name(t, v, GUARD_funcname);

	*size = 0;
	*grows = false;
	if (span_is_str(name, "generate_series")) {
		struct fold_call c = read_call(t, v, DEPTH_MAX);

		if (series_rows(&c) <= GUARD_SERIES_MAX)
			return GUARD_NO_BOMB;
		*size = series_rows(&c);
		return GUARD_BOMB_SERIES;
	}
	if (span_is_str(name, "format") && first != GUARD_NIL)
		*size = format_width(t, first);
	k = fold_function(t, v, DEPTH_MAX);
	*grows = k.grows;
	*size = fmax(*size, k.bytes);
	return *size > GUARD_VALUE_BYTES_MAX ? GUARD_BOMB_VALUE : GUARD_NO_BOMB;
}

struct guard_known
guard_fold_value(const struct guard_tree *t, uint32_t v)
{
	return guard_fold_fold(t, v, DEPTH_MAX);
}

struct guard_known
guard_fold_joined(const struct guard_tree *t, uint32_t e)
{
	return fold_operator(t, e, DEPTH_MAX);
}

struct guard_known
guard_fold_cast(const struct guard_tree *t, uint32_t cast)
{
	return fold_cast(t, cast, DEPTH_MAX);
}

struct guard_known
guard_fold_larger(struct guard_known a, struct guard_known b)
{
	return larger(a, b);
}

/* Functions that return a set of rows, with the least bytes of their argument that one row takes. */
static const struct {
	struct span	name;
	double		 bytes;
} makers[] = {
	{ SPAN("unnest"), 4 }, { SPAN("string_to_table"), 1 }, { SPAN("regexp_split_to_table"), 1 },
	{ SPAN("regexp_matches"), 1 }, { SPAN("json_array_elements"), 2 }, { SPAN("jsonb_array_elements"), 2 },
	{ SPAN("json_array_elements_text"), 2 }, { SPAN("jsonb_array_elements_text"), 2 },
};

/* The elements of unnest(ARRAY[…]). */
static uint32_t
written_elements(const struct guard_tree *t, uint32_t call)
{
	uint32_t v = guard_tree_first(t, call, GUARD_args), body;

	while (guard_tree_kind(t, v, &body) == GUARD_TypeCast)
		v = guard_tree_get(t, body, GUARD_arg);
	return guard_tree_kind(t, v, &body) == GUARD_A_ArrayExpr ? guard_tree_first(t, body, GUARD_elements) :
								   GUARD_NIL;
}

static bool
fold_rows(const struct guard_tree *t, uint32_t v, unsigned depth, double *rows)
{
	struct span name = last_name(t, v, GUARD_funcname);
	struct fold_call c;
	uint32_t e;

	*rows = 0;
	if (span_is_str(name, "generate_series")) {
		c = read_call(t, v, depth);
		*rows = fmax(series_rows(&c), 0);
		return true;
	}
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (span_is(name, makers[i].name)) {
			for (e = written_elements(t, v); e != GUARD_NIL; e = t->values[e].next)
				++*rows;
			c = read_call(t, v, depth);
			if (*rows == 0 && c.n > 0)
				*rows = c.args[0].bytes / makers[i].bytes;
			return true;
		}
	return false;
}

bool
guard_fold_makes_rows(const struct guard_tree *t, uint32_t v, double *rows)
{
	return fold_rows(t, v, DEPTH_MAX, rows);
}

/* One of the rows that the function returns; of a value that is taken apart, a part of the whole, or all of it. */
static struct guard_known
fold_element(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	uint32_t e = written_elements(t, v);
	struct fold_call c;
	double rows;

	if (e != GUARD_NIL)
		return fold_list(t, e, depth);
	c = read_call(t, v, depth);
	if (span_is_str(last_name(t, v, GUARD_funcname), "generate_series"))
		return c.n > 1 ? larger(c.args[0], c.args[1]) : (struct guard_known){ 0 };
	if (!fold_rows(t, v, depth, &rows) || c.n == 0 || rows < 1)
		return (struct guard_known){ 0 };
	return (struct guard_known){ .bytes = t->most ? c.args[0].bytes : c.args[0].bytes / rows,
		.grows = c.args[0].grows };
}

bool
guard_fold_is_endless(const struct guard_tree *t, uint32_t v)
{
	struct fold_call c;
	bool known = true;

	if (!span_is_str(last_name(t, v, GUARD_funcname), "generate_series"))
		return false;
	c = read_call(t, v, DEPTH_MAX);
	for (unsigned i = 0; i < c.n; i++)
		known = known && c.args[i].has_number;
	return !known && guard_fold_is_made(t, v);
}

struct guard_known
guard_fold_element(const struct guard_tree *t, uint32_t v)
{
	struct guard_known k = fold_element(t, v, DEPTH_MAX);
	struct guard_tree most = *t;

	most.most = true;
	k.most = fold_element(&most, v, DEPTH_MAX).bytes;
	return k;
}

double
guard_fold_most(const struct guard_tree *t, uint32_t v)
{
	struct guard_tree most = *t;

	most.most = true;
	return guard_fold_fold(&most, v, DEPTH_MAX).bytes;
}

bool
guard_fold_is_made(const struct guard_tree *t, uint32_t v)
{
	const struct guard_value *value;

	if (v == GUARD_NIL)
		return true;
	value = &t->values[v];
	if (value->type != GUARD_VALUE_OBJECT && value->type != GUARD_VALUE_ARRAY)
		return true;
	if (value->type == GUARD_VALUE_OBJECT && (value->key == GUARD_ColumnRef || value->key == GUARD_SubLink))
		return t->known != NULL && t->known[v].made;
	for (v = value->child; v != GUARD_NIL; v = t->values[v].next)
		if (!guard_fold_is_made(t, v))
			return false;
	return true;
}

static const struct slow_row {
	struct span	name;
	unsigned	a, b;
	double		work;
} slow_functions[] = {
#define SLOW_FUNCTION(name, a, b, work)	{ SPAN(#name), a, b, work },
#define SLOW_OPERATOR(name, a, b, work)
#include "workers/sql/postgres/guard/guard_slow.def"
#undef SLOW_FUNCTION
#undef SLOW_OPERATOR
}, slow_operators[] = {
#define SLOW_FUNCTION(name, a, b, work)
#define SLOW_OPERATOR(name, a, b, work)	{ SPAN(#name), a, b, work },
#include "workers/sql/postgres/guard/guard_slow.def"
#undef SLOW_FUNCTION
#undef SLOW_OPERATOR
};

static bool
is_too_much(struct guard_known a, struct guard_known b, double work)
{
	if (a.grows || b.grows) {
		/*
		 * Only one side has a known size: the other is a stored value of unknown size, and their product
		 * cannot be computed.
		 */
		double left = a.grows ? fmax(a.bytes, GROWN_WORK) : a.bytes,
		       right = b.grows ? fmax(b.bytes, GROWN_WORK) : b.bytes;

		return left * right > work;
	}
	if (a.bytes > 0 && b.bytes > 0)
		return a.bytes * b.bytes > work;
	return fmax(a.bytes, b.bytes) > GUARD_ALONE_MAX;
}

/* Whether one of the rows of that name has too much work to do with these arguments. */
static bool
is_slow(const struct slow_row *rows, size_t n, struct span name, const struct fold_call *c)
{
	for (size_t i = 0; i < n; i++)
		if (span_is(name, rows[i].name) && c->n > rows[i].b &&
		    is_too_much(c->args[rows[i].a], c->args[rows[i].b], rows[i].work))
			return true;
	return false;
}

static bool
is_slow_operator(struct span op, struct guard_known left, struct guard_known right)
{
	struct fold_call c = { .n = 2, .args = { left, right } };

	return is_slow(slow_operators, sizeof(slow_operators) / sizeof(slow_operators[0]), op, &c);
}

bool
guard_fold_is_slow_call(const struct guard_tree *t, uint32_t v)
{
	struct guard_tree most = *t;
	struct fold_call c;

	most.most = true;
	c = read_call(&most, v, DEPTH_MAX);
	return is_slow(slow_functions, sizeof(slow_functions) / sizeof(slow_functions[0]),
	    last_name(t, v, GUARD_funcname), &c);
}

bool
guard_fold_is_slow_operator(const struct guard_tree *t, uint32_t e)
{
	uint32_t left = guard_tree_get(t, e, GUARD_lexpr), right = guard_tree_get(t, e, GUARD_rexpr);
	struct guard_tree most = *t;

	most.most = true;
	return left != GUARD_NIL &&
	    is_slow_operator(last_name(t, e, GUARD_name), guard_fold_fold(&most, left, DEPTH_MAX),
		guard_fold_fold(&most, right, DEPTH_MAX));
}

bool
guard_fold_is_slow_link(const struct guard_tree *t, uint32_t link)
{
	uint32_t left = guard_tree_get(t, link, GUARD_testexpr);
	struct guard_tree most = *t;

	most.most = true;
	return left != GUARD_NIL &&
	    is_slow_operator(last_name(t, link, GUARD_operName), guard_fold_fold(&most, left, DEPTH_MAX),
		fold_subselect(&most, link, DEPTH_MAX));
}

bool
guard_fold_is_slow_xml(const struct guard_tree *t, enum guard_key kind, uint32_t v)
{
	struct guard_known k;
	uint32_t first = GUARD_NIL;

	if (kind == GUARD_TypeCast &&
	    span_is_str(last_name(t, guard_tree_get(t, v, GUARD_typeName), GUARD_names), "xml"))
		first = guard_tree_get(t, v, GUARD_arg);
	else if (kind == GUARD_XmlExpr && span_is_str(guard_tree_string(t, v, GUARD_op), "IS_XMLPARSE"))
		first = guard_tree_first(t, v, GUARD_args);
	if (first == GUARD_NIL)
		return false;
	k = guard_fold_fold(t, first, DEPTH_MAX);
	return k.grows || k.bytes > XML_BYTES_MAX;
}

bool
guard_fold_is_plain_path(const struct guard_tree *t, uint32_t v)
{
	unsigned open = 0, wide = 0, predicates = 0;
	enum guard_key kind;
	uint32_t body;
	struct span s;

	while ((kind = guard_tree_kind(t, v, &body)) == GUARD_TypeCast)
		v = guard_tree_get(t, body, GUARD_arg);
	if (kind != GUARD_A_Const || guard_tree_get(t, body, GUARD_sval) == GUARD_NIL)
		return false;
	s = guard_tree_string(t, guard_tree_get(t, body, GUARD_sval), GUARD_sval);
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '[' && (++open > 1 || ++predicates > 3))
			return false;
		if (s.p[i] == ']' && open > 0)
			open--;
		/* Steps that reach many nodes at once: //x, axis::x, | */
		if (i + 1 < s.len && ((s.p[i] == '/' && s.p[i + 1] == '/') || (s.p[i] == ':' && s.p[i + 1] == ':')))
			wide += open > 0 ? 3 : 1;
	}
	return wide <= 2 && s.len <= 1024;
}
