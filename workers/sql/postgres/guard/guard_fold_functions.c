#include "workers/sql/postgres/guard/guard_fold_functions.h"

#include <math.h>

#define JSON_LEVELS	6000.0
#define CORNER_BYTES	16.0

static double
sum_of_bytes(const struct fold_call *c)
{
	double sum = 0;

	for (unsigned i = 0; i < c->n; i++)
		sum += c->args[i].bytes;
	return sum;
}

static struct guard_known
fold_repeat(const struct fold_call *c)
{
	/* A text of unknown size counts as one byte. */
	double bytes = fmax(c->n > 0 ? c->args[0].bytes : 1, 1);

	if (c->n > 1 && !c->args[1].has_number)
		return (struct guard_known){ .bytes = fmax(bytes, GUARD_GROWN_BYTES), .grows = true };
	return (struct guard_known){ .bytes = fmax(fold_number_or(c, 1, 0), 0) * bytes };
}

static struct guard_known
fold_pad(const struct fold_call *c)
{
	if (c->n > 1 && !c->args[1].has_number)
		return (struct guard_known){ .bytes = GUARD_GROWN_BYTES, .grows = true };
	return (struct guard_known){ .bytes = fmax(fold_number_or(c, 1, 0), 0) };
}

/* replace(text, from, to): each occurrence of `from` becomes `to`. */
static struct guard_known
fold_replace(const struct fold_call *c)
{
	double pattern = c->n > 1 ? fmax(c->args[1].bytes, 1) : 1;
	double by = c->n > 2 ? c->args[2].bytes : 0;

	if (c->n == 0)
		return (struct guard_known){ 0 };
	return (struct guard_known){ .bytes = c->args[0].bytes * fmax(by / pattern, 1) };
}

static struct guard_known
fold_sum(const struct fold_call *c)
{
	double times = 0;

	for (unsigned i = 0; i < c->n; i++)
		times += fold_times_of(c->args[i]);
	return fold_of_size(sum_of_bytes(c), times, false);
}

static struct guard_known
fold_power(const struct fold_call *c)
{
	return c->n == 2 && c->args[0].has_number && c->args[1].has_number ?
	    fold_of_power(c->args[0].number, c->args[1].number) :
	    (struct guard_known){ 0 };
}

/* exp(x), also of numeric: as many digits as its logarithm says. */
static struct guard_known
fold_exp(const struct fold_call *c)
{
	double n = fold_number_or(c, 0, 0);

	return fold_of_digits(exp(n), n / log(10));
}

static struct guard_known
fold_factorial(const struct fold_call *c)
{
	double n = fmax(fold_number_or(c, 0, 0), 0);

	return fold_of_digits(tgamma(n + 1), lgamma(n + 1) / log(10));
}

/* length(x), cardinality(x): at most the bytes of x. */
static struct guard_known
fold_length(const struct fold_call *c)
{
	double bytes = c->n > 0 ? c->args[0].bytes : 0;

	return bytes > 0 && !c->args[0].grows && !c->args[0].has_number ? fold_of_number(bytes) :
									  (struct guard_known){ 0 };
}

/* An array of the parts of a text: each may have one character. */
static struct guard_known
fold_split(const struct fold_call *c)
{
	double bytes = c->n > 0 ? c->args[0].bytes : 0;

	return (struct guard_known){ .bytes = c->most ? bytes * FOLD_ELEMENT / 2 : bytes,
		.times = c->n > 0 ? fold_times_of(c->args[0]) : 0 };
}

static struct guard_known
fold_largest(const struct fold_call *c)
{
	double bytes = 0;
	bool grows = false;

	for (unsigned i = 0; i < c->n; i++) {
		bytes = fmax(bytes, c->args[i].bytes);
		grows = grows || c->args[i].grows;
	}
	return fold_of_derived(bytes, grows);
}

static struct guard_known
fold_rounded(const struct fold_call *c)
{
	return c->n > 0 ? c->args[0] : (struct guard_known){ 0 };
}

static struct guard_known
fold_abs(const struct fold_call *c)
{
	return c->n == 1 && c->args[0].has_number ? fold_of_number(fabs(c->args[0].number)) : (struct guard_known){ 0 };
}

/* A function whose result is as long as its first argument. */
static struct guard_known
fold_same_size(const struct fold_call *c)
{
	return c->n > 0 ? fold_of_size(c->args[0].bytes, fold_times_of(c->args[0]), false) : (struct guard_known){ 0 };
}

/* Functions that double quotes and backslashes, or write each byte as two digits. */
static struct guard_known
fold_doubled(const struct fold_call *c)
{
	double times = 0;

	for (unsigned i = 0; i < c->n; i++)
		times += fold_times_of(c->args[i]);
	return fold_of_size(sum_of_bytes(c) * 2, times * 2, false);
}

/* Each level of a document is indented by its depth; the server reads some 6,000 levels. */
static struct guard_known
fold_indented(const struct fold_call *c)
{
	double bytes = c->n > 0 ? c->args[0].bytes : 0;

	return (struct guard_known){ .bytes = bytes * fmax(fmin(bytes, JSON_LEVELS) / 4, 1) };
}

/* polygon(n, circle) has n corners. */
static struct guard_known
fold_polygon(const struct fold_call *c)
{
	if (c->n < 2)
		return (struct guard_known){ .bytes = c->n > 0 ? c->args[0].bytes : 0 };
	if (!c->args[0].has_number)
		return (struct guard_known){ .bytes = GUARD_GROWN_BYTES, .grows = true };
	return (struct guard_known){ .bytes = fmax(c->args[0].number, 0) * CORNER_BYTES };
}

/* array_to_string(elements, between) */
static struct guard_known
fold_array_to_string(const struct fold_call *c)
{
	double bytes = c->n > 0 ? c->args[0].bytes : 0, between = c->n > 1 ? c->args[1].bytes : 0;

	return fold_of_size(bytes + bytes / FOLD_ELEMENT * between, c->n > 0 ? fold_times_of(c->args[0]) : 0, false);
}

/* left(x, n), substr(x, from, n): a part of x, at most n long if n is known. */
static struct guard_known
fold_part(const struct fold_call *c)
{
	double bytes = c->n > 0 ? c->args[0].bytes : 0, n = c->n > 0 ? fold_number_or(c, c->n - 1, -1) : -1;
	bool counted = n >= 0 && c->n > 1;

	/* substr(x, from) reaches to the end of x. */
	return (struct guard_known){ .bytes = counted ? fmin(bytes, n) : bytes,
		.grows = !counted && c->n > 0 && c->args[0].grows };
}

static struct guard_known
fold_rest(const struct fold_call *c)
{
	struct guard_known k = fold_part(c);

	if (c->n == 2)
		k = (struct guard_known){ .bytes = c->args[0].bytes, .grows = c->args[0].grows };
	return k;
}

/* to_tsvector('english', x): as long as its last argument. */
static struct guard_known
fold_text_search(const struct fold_call *c)
{
	return (struct guard_known){ .bytes = c->n > 0 ? c->args[c->n - 1].bytes : 0 };
}

static const struct fold_function {
	struct span	name;
	struct guard_known	(*fold)(const struct fold_call *c);
} functions[] = {
	{ SPAN("repeat"), fold_repeat },
	{ SPAN("array_append"), fold_sum },
	{ SPAN("array_cat"), fold_sum },
	{ SPAN("array_prepend"), fold_sum },
	{ SPAN("array_replace"), fold_same_size },
	{ SPAN("array_to_string"), fold_array_to_string },
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
	{ SPAN("regexp_split_to_array"), fold_split },
	{ SPAN("rtrim"), fold_same_size },
	{ SPAN("string_to_array"), fold_split },
	{ SPAN("strip"), fold_same_size },
	{ SPAN("to_tsvector"), fold_text_search },
	{ SPAN("to_tsquery"), fold_text_search },
	{ SPAN("plainto_tsquery"), fold_text_search },
	{ SPAN("tsvector_to_array"), fold_split },
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
	{ SPAN("upper"), fold_same_size },
	{ SPAN("lower"), fold_same_size },
	{ SPAN("initcap"), fold_same_size },
	{ SPAN("reverse"), fold_same_size },
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
	{ SPAN("exp"), fold_exp },
	{ SPAN("factorial"), fold_factorial },
	{ SPAN("max"), fold_rounded },
	{ SPAN("min"), fold_rounded },
	{ SPAN("length"), fold_length },
	{ SPAN("char_length"), fold_length },
	{ SPAN("character_length"), fold_length },
	{ SPAN("octet_length"), fold_length },
	{ SPAN("cardinality"), fold_length },
	{ SPAN("array_length"), fold_length },
	{ SPAN("jsonb_array_length"), fold_length },
	{ SPAN("json_array_length"), fold_length },
};

/* Functions whose value has at most that many bytes for any arguments. */
static const struct {
	struct span	name;
	double		bytes;
} fixed[] = {
	{ SPAN("array_lower"), 8 },
	{ SPAN("array_position"), 8 },
	{ SPAN("array_upper"), 8 },
	{ SPAN("ascii"), 8 },
	{ SPAN("avg"), 8 },
	{ SPAN("bit_length"), 8 },
	{ SPAN("chr"), 1 },
	{ SPAN("count"), 8 },
	{ SPAN("date_part"), 8 },
	{ SPAN("dense_rank"), 8 },
	{ SPAN("extract"), 8 },
	{ SPAN("gen_random_uuid"), 16 },
	{ SPAN("hashtext"), 8 },
	{ SPAN("json_typeof"), 8 },
	{ SPAN("jsonb_typeof"), 8 },
	{ SPAN("md5"), 32 },
	{ SPAN("pg_column_size"), 8 },
	{ SPAN("position"), 8 },
	{ SPAN("rank"), 8 },
	{ SPAN("row_number"), 8 },
	{ SPAN("sha224"), 28 },
	{ SPAN("sha256"), 32 },
	{ SPAN("sha384"), 48 },
	{ SPAN("sha512"), 64 },
	{ SPAN("similarity"), 8 },
	{ SPAN("strpos"), 8 },
	{ SPAN("to_hex"), 8 },
	{ SPAN("word_similarity"), 8 },
};

static const struct fold_function *
function_of(struct span name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (span_is(name, functions[i].name))
			return &functions[i];
	return NULL;
}

static double
fixed_bytes(struct span name)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (span_is(name, fixed[i].name))
			return fixed[i].bytes;
	return 0;
}

bool
fold_function_is_small(struct span name)
{
	const struct fold_function *f = function_of(name);

	return fixed_bytes(name) > 0 || (f != NULL && f->fold == fold_length);
}

struct guard_known
fold_function_value(struct span name, const struct fold_call *c)
{
	const struct fold_function *f = function_of(name);
	double bytes = fixed_bytes(name);
	struct guard_known k;
	bool bounded;

	if (f == NULL)
		return bytes > 0 ? (struct guard_known){ .bytes = bytes } : fold_largest(c);
	k = f->fold(c);
	/* The size of these values does not depend on stored data, even if an argument's does. */
	bounded = f->fold == fold_part || f->fold == fold_rest || f->fold == fold_pad || f->fold == fold_length;
	for (unsigned a = 0; a < c->n && !bounded; a++)
		k.grows = k.grows || c->args[a].grows;
	return k;
}
