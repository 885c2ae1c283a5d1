/* guard_fold.c - see guard_fold.h. */
#include "policy/guard_fold.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX	64	/* expressions deeper than that count as unknown */
#define NUMBER_BYTES	8.0
#define XML_BYTES_MAX	131072.0	/* 10,000 attributes: 373 ms, 20,000: 1655; the time grows quadratically */
#define ESCAPED		5.0	/* an escaped character takes up to 5 bytes */
#define JSON_LEVELS	6000.0
#define CORNER_BYTES	16.0
#define STORED_BYTES	16.0	/* assumed size of a stored value that is copied thousands of times */
#define TIMES_MAX	4096.0	/* up to so many copies of a stored value in one value are ignored */
#define GROWN_WORK	1048576.0	/* bytes assumed for a value of unbounded size beside another argument */

static struct guard_known guard_fold_fold(const struct guard_tree *t, uint32_t v, unsigned depth);

static struct guard_known
of_number(double n)
{
	return (struct guard_known){ .has_number = isfinite(n) != 0, .number = n, .bytes = 8 };
}

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
		return of_number((double)n);
	for (i = (size_t)location + 1; i < s.len && (s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\t'); i++)
		;
	if (i == s.len || s.p[i] < '0' || s.p[i] > '9')
		return (struct guard_known){ 0 };
	for (; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		read = read * 10 + (s.p[i] - '0');
	return of_number(-read);
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
	return k;
}

/* A size in bytes, or, if the bytes are unknown, in copies of a stored value. */
static struct guard_known
of_size(double bytes, double times, bool grows)
{
	if (bytes <= 0 && times > TIMES_MAX)
		bytes = times * STORED_BYTES;
	return (struct guard_known){ .bytes = bytes, .times = bytes > 0 ? 0 : times, .grows = grows };
}

/* How many copies of a stored value it contains: at least one. */
static double
times_of(struct guard_known k)
{
	return k.bytes > 0 || k.has_number ? 0 : fmax(k.times, 1);
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
		return b.has_number && span_is_str(op, "-") ? of_number(-b.number) : b;
	a = guard_fold_fold(t, left, depth);
	if (span_is_str(op, "||"))
		return of_size(a.bytes + b.bytes, times_of(a) + times_of(b), a.grows || b.grows);
	if (!a.has_number || !b.has_number || op.len != 1)
		return (struct guard_known){ 0 };
	switch (op.p[0]) {
	case '+':
		return of_number(a.number + b.number);
	case '-':
		return of_number(a.number - b.number);
	case '*':
		return of_number(a.number * b.number);
	case '/':
		return of_number(a.number / b.number);
	case '%':
		return of_number(fmod(a.number, b.number));
	case '^':
		return of_number(pow(a.number, b.number));
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

/* --- functions --------------------------------------------------------------------------- */

#define ARGS_MAX	8u

struct call {
	unsigned	n;			/* may exceed ARGS_MAX; only the first ARGS_MAX arguments are read */
	struct guard_known	args[ARGS_MAX];
};

static double
number_or(const struct call *c, unsigned i, double otherwise)
{
	return i < c->n && c->args[i].has_number ? c->args[i].number : otherwise;
}

static double
sum_of_bytes(const struct call *c)
{
	double sum = 0;

	for (unsigned i = 0; i < c->n; i++)
		sum += c->args[i].bytes;
	return sum;
}

static struct guard_known
fold_repeat(const struct call *c)
{
	/* A text of unknown size counts as one byte. */
	double bytes = fmax(c->n > 0 ? c->args[0].bytes : 1, 1);

	if (c->n > 1 && !c->args[1].has_number)
		return (struct guard_known){ .bytes = fmax(bytes, GUARD_GROWN_BYTES), .grows = true };
	return (struct guard_known){ .bytes = fmax(number_or(c, 1, 0), 0) * bytes };
}

static struct guard_known
fold_pad(const struct call *c)
{
	if (c->n > 1 && !c->args[1].has_number)
		return (struct guard_known){ .bytes = GUARD_GROWN_BYTES, .grows = true };
	return (struct guard_known){ .bytes = fmax(number_or(c, 1, 0), 0) };
}

/* replace(text, from, to): each occurrence of `from` becomes `to`. */
static struct guard_known
fold_replace(const struct call *c)
{
	double pattern = c->n > 1 ? fmax(c->args[1].bytes, 1) : 1;
	double by = c->n > 2 ? c->args[2].bytes : 0;

	if (c->n == 0)
		return (struct guard_known){ 0 };
	return (struct guard_known){ .bytes = c->args[0].bytes * fmax(by / pattern, 1) };
}

static struct guard_known
fold_sum(const struct call *c)
{
	double times = 0;

	for (unsigned i = 0; i < c->n; i++)
		times += times_of(c->args[i]);
	return of_size(sum_of_bytes(c), times, false);
}

static struct guard_known
fold_power(const struct call *c)
{
	return c->n == 2 && c->args[0].has_number && c->args[1].has_number ?
	    of_number(pow(c->args[0].number, c->args[1].number)) :
	    (struct guard_known){ 0 };
}

static struct guard_known
fold_rounded(const struct call *c)
{
	return c->n > 0 ? c->args[0] : (struct guard_known){ 0 };
}

static struct guard_known
fold_abs(const struct call *c)
{
	return c->n == 1 && c->args[0].has_number ? of_number(fabs(c->args[0].number)) : (struct guard_known){ 0 };
}

/* A function whose result is as long as its first argument. */
static struct guard_known
fold_same_size(const struct call *c)
{
	return c->n > 0 ? of_size(c->args[0].bytes, times_of(c->args[0]), false) : (struct guard_known){ 0 };
}

/* Functions that double quotes and backslashes, or write each byte as two digits. */
static struct guard_known
fold_doubled(const struct call *c)
{
	double times = 0;

	for (unsigned i = 0; i < c->n; i++)
		times += times_of(c->args[i]);
	return of_size(sum_of_bytes(c) * 2, times * 2, false);
}

/* Each level of a document is indented by its depth; the server reads some 6,000 levels. */
static struct guard_known
fold_indented(const struct call *c)
{
	double bytes = c->n > 0 ? c->args[0].bytes : 0;

	return (struct guard_known){ .bytes = bytes * fmax(fmin(bytes, JSON_LEVELS) / 4, 1) };
}

/* polygon(n, circle) has n corners. */
static struct guard_known
fold_polygon(const struct call *c)
{
	if (c->n < 2)
		return (struct guard_known){ .bytes = c->n > 0 ? c->args[0].bytes : 0 };
	if (!c->args[0].has_number)
		return (struct guard_known){ .bytes = GUARD_GROWN_BYTES, .grows = true };
	return (struct guard_known){ .bytes = fmax(c->args[0].number, 0) * CORNER_BYTES };
}

/* left(x, n), substr(x, from, n): a part of x, at most n long if n is known. */
static struct guard_known
fold_part(const struct call *c)
{
	double bytes = c->n > 0 ? c->args[0].bytes : 0, n = c->n > 0 ? number_or(c, c->n - 1, -1) : -1;
	bool counted = n >= 0 && c->n > 1;

	/* substr(x, from) reaches to the end of x. */
	return (struct guard_known){ .bytes = counted ? fmin(bytes, n) : bytes,
		.grows = !counted && c->n > 0 && c->args[0].grows };
}

static struct guard_known
fold_rest(const struct call *c)
{
	struct guard_known k = fold_part(c);

	if (c->n == 2)
		k = (struct guard_known){ .bytes = c->args[0].bytes, .grows = c->args[0].grows };
	return k;
}

/* to_tsvector('english', x): as long as its last argument. */
static struct guard_known
fold_text_search(const struct call *c)
{
	return (struct guard_known){ .bytes = c->n > 0 ? c->args[c->n - 1].bytes : 0 };
}

static struct guard_known
fold_one_character(const struct call *c)
{
	(void)c;
	return (struct guard_known){ .bytes = 1 };
}

static const struct {
	struct span	name;
	struct guard_known	(*fold)(const struct call *c);
} functions[] = {
	{ SPAN("repeat"), fold_repeat },
	{ SPAN("array_append"), fold_sum },
	{ SPAN("array_cat"), fold_sum },
	{ SPAN("array_prepend"), fold_sum },
	{ SPAN("array_replace"), fold_same_size },
	{ SPAN("array_to_string"), fold_same_size },
	{ SPAN("array_to_tsvector"), fold_same_size },
	{ SPAN("btrim"), fold_same_size },
	{ SPAN("convert"), fold_same_size },
	{ SPAN("decode"), fold_same_size },
	{ SPAN("json_build_array"), fold_doubled },
	{ SPAN("json_build_object"), fold_doubled },
	{ SPAN("jsonb_build_array"), fold_doubled },
	{ SPAN("jsonb_build_object"), fold_doubled },
	{ SPAN("ltrim"), fold_same_size },
	{ SPAN("overlay"), fold_sum },
	{ SPAN("regexp_split_to_array"), fold_same_size },
	{ SPAN("rtrim"), fold_same_size },
	{ SPAN("string_to_array"), fold_same_size },
	{ SPAN("strip"), fold_same_size },
	{ SPAN("to_tsvector"), fold_text_search },
	{ SPAN("to_tsquery"), fold_text_search },
	{ SPAN("plainto_tsquery"), fold_text_search },
	{ SPAN("tsvector_to_array"), fold_same_size },
	{ SPAN("left"), fold_part },
	{ SPAN("right"), fold_part },
	{ SPAN("substr"), fold_rest },
	{ SPAN("substring"), fold_rest },
	{ SPAN("lpad"), fold_pad },
	{ SPAN("rpad"), fold_pad },
	{ SPAN("replace"), fold_replace },
	{ SPAN("regexp_replace"), fold_replace },
	{ SPAN("concat"), fold_sum },
	{ SPAN("concat_ws"), fold_sum },
	{ SPAN("format"), fold_doubled },
	{ SPAN("chr"), fold_one_character },
	{ SPAN("upper"), fold_same_size },
	{ SPAN("lower"), fold_same_size },
	{ SPAN("initcap"), fold_same_size },
	{ SPAN("reverse"), fold_same_size },
	{ SPAN("md5"), fold_one_character },
	{ SPAN("convert_to"), fold_same_size },
	{ SPAN("convert_from"), fold_same_size },
	{ SPAN("encode"), fold_doubled },
	{ SPAN("translate"), fold_same_size },
	{ SPAN("quote_literal"), fold_doubled },
	{ SPAN("to_json"), fold_doubled },
	{ SPAN("to_jsonb"), fold_doubled },
	{ SPAN("quote_nullable"), fold_doubled },
	{ SPAN("quote_ident"), fold_doubled },
	{ SPAN("row_to_json"), fold_doubled },
	{ SPAN("array_to_json"), fold_doubled },
	{ SPAN("json_object"), fold_doubled },
	{ SPAN("jsonb_object"), fold_doubled },
	{ SPAN("hstore"), fold_doubled },
	{ SPAN("jsonb_pretty"), fold_indented },
	{ SPAN("normalize"), fold_same_size },
	{ SPAN("polygon"), fold_polygon },
	{ SPAN("path"), fold_same_size },
	{ SPAN("text2ltree"), fold_same_size },
	{ SPAN("ltree2text"), fold_same_size },
	{ SPAN("power"), fold_power },
	{ SPAN("pow"), fold_power },
	{ SPAN("round"), fold_rounded },
	{ SPAN("trunc"), fold_rounded },
	{ SPAN("ceil"), fold_rounded },
	{ SPAN("ceiling"), fold_rounded },
	{ SPAN("floor"), fold_rounded },
	{ SPAN("abs"), fold_abs },
};

/* The arguments of a call, folded. */
static struct call
read_call(const struct guard_tree *t, uint32_t v, unsigned depth)
{
	struct call c = { 0 };

	for (uint32_t a = guard_tree_first(t, v, GUARD_args); a != GUARD_NIL && c.n < ARGS_MAX; a = t->values[a].next)
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

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (span_is(name, functions[i].name)) {
			struct call c = read_call(t, v, depth);
			struct guard_known k = functions[i].fold(&c);

			if (functions[i].fold != fold_part && functions[i].fold != fold_rest &&
			    functions[i].fold != fold_pad && functions[i].fold != fold_one_character)
				for (unsigned a = 0; a < c.n; a++)
					k.grows = k.grows || c.args[a].grows;
			return k;
		}
	if (span_is_str(name, "array_fill"))
		return fold_array(t, v, depth);
	return (struct guard_known){ 0 };
}

/* x::char(n), x::bit(n): padded to n. */
static struct guard_known
fold_cast(const struct guard_tree *t, uint32_t cast, unsigned depth)
{
	struct guard_known k = guard_fold_fold(t, guard_tree_get(t, cast, GUARD_arg), depth), n;
	uint32_t type = guard_tree_get(t, cast, GUARD_typeName);
	struct span name = last_name(t, type, GUARD_names);
	bool bits = span_is_str(name, "bit");

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
			times += times_of(k) * ESCAPED;
			grows = grows || k.grows;
		}
	return of_size(bytes, times, grows);
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
	    (t->known[body].has_number || t->known[body].bytes > 0 || t->known[body].grows || t->known[body].times > 0))
		return t->known[body];
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

/* --- what is asked ------------------------------------------------------------------------ */

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
series_rows(const struct call *c)
{
	double step = number_or(c, 2, 1);

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
		struct call c = read_call(t, v, DEPTH_MAX);

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
	{ SPAN("unnest"), 4 }, { SPAN("string_to_table"), 1 }, { SPAN("regexp_split_to_table"), 1 }, { SPAN("regexp_matches"), 1 },
	{ SPAN("json_array_elements"), 2 }, { SPAN("jsonb_array_elements"), 2 }, { SPAN("json_array_elements_text"), 2 },
	{ SPAN("jsonb_array_elements_text"), 2 },
};

bool
guard_fold_makes_rows(const struct guard_tree *t, uint32_t v, double *rows)
{
	struct span name = last_name(t, v, GUARD_funcname);
	struct call c;

	*rows = 0;
	if (span_is_str(name, "generate_series")) {
		c = read_call(t, v, DEPTH_MAX);
		*rows = fmax(series_rows(&c), 0);
		return true;
	}
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (span_is(name, makers[i].name)) {
			c = read_call(t, v, DEPTH_MAX);
			*rows = c.n > 0 ? c.args[0].bytes / makers[i].bytes : 0;
			return true;
		}
	return false;
}

struct guard_known
guard_fold_element(const struct guard_tree *t, uint32_t v)
{
	struct call c;

	if (!span_is_str(last_name(t, v, GUARD_funcname), "generate_series"))
		return (struct guard_known){ 0 };
	c = read_call(t, v, DEPTH_MAX);
	return c.n > 1 ? larger(c.args[0], c.args[1]) : (struct guard_known){ 0 };
}

/* --- what is not interrupted ---------------------------------------------------------------- */

static const struct {
	struct span	name;
	unsigned	 a, b;
	double		 work;
} slow_functions[] = {
#define SLOW_FUNCTION(name, a, b, work)	{ SPAN(#name), a, b, work },
#define SLOW_OPERATOR(name, work)
#include "policy/guard_slow.def"
#undef SLOW_FUNCTION
#undef SLOW_OPERATOR
};

static const struct {
	struct span	name;
	double		 work;
} slow_operators[] = {
#define SLOW_FUNCTION(name, a, b, work)
#define SLOW_OPERATOR(name, work)	{ SPAN(#name), work },
#include "policy/guard_slow.def"
#undef SLOW_FUNCTION
#undef SLOW_OPERATOR
};

static bool
is_too_much(struct guard_known a, struct guard_known b, double work)
{
	if (a.grows || b.grows) {
		/*
		 * If only one side has a size, the other is a stored value of unknown size: then
		 * nothing can be multiplied.
		 */
		double left = a.grows ? fmax(a.bytes, GROWN_WORK) : a.bytes,
		       right = b.grows ? fmax(b.bytes, GROWN_WORK) : b.bytes;

		return left * right > work;
	}
	if (a.bytes > 0 && b.bytes > 0)
		return a.bytes * b.bytes > work;
	return fmax(a.bytes, b.bytes) > GUARD_ALONE_MAX;
}

bool
guard_fold_is_slow_call(const struct guard_tree *t, uint32_t v)
{
	struct span name = last_name(t, v, GUARD_funcname);
	struct call c;

	for (size_t i = 0; i < sizeof(slow_functions) / sizeof(slow_functions[0]); i++)
		if (span_is(name, slow_functions[i].name)) {
			c = read_call(t, v, DEPTH_MAX);
			return c.n > slow_functions[i].b &&
			    is_too_much(c.args[slow_functions[i].a], c.args[slow_functions[i].b],
				slow_functions[i].work);
		}
	return false;
}

bool
guard_fold_is_slow_operator(const struct guard_tree *t, uint32_t e)
{
	struct span op = last_name(t, e, GUARD_name);
	uint32_t left = guard_tree_get(t, e, GUARD_lexpr), right = guard_tree_get(t, e, GUARD_rexpr);

	for (size_t i = 0; left != GUARD_NIL && i < sizeof(slow_operators) / sizeof(slow_operators[0]); i++)
		if (span_is(op, slow_operators[i].name))
			return is_too_much(guard_fold_fold(t, left, DEPTH_MAX), guard_fold_fold(t, right, DEPTH_MAX),
			    slow_operators[i].work);
	return false;
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
