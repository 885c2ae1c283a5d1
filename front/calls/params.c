#include <stdio.h>

#include "base/buf.h"
#include "base/json/json_read.h"
#include "base/text/b64.h"
#include "base/utf8.h"
#include "front/wire/http_parse.h"
#include "front/calls/params.h"

struct params_reader {
	struct params	*out;
	struct span	 path[PARAMS_DEPTH];
	size_t		 depth;
};

/* RFC 9110 section 5.6.2. */
static bool
is_token(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", s.p[i]) != NULL)
			return false;
	return s.len > 0 && s.len <= PARAMS_NAME_MAX;
}

static const char *
declare(struct params_reader *r, const struct mp_value *property, const struct mp_value *name)
{
	struct span type = mp_get_str(property, "type", SPAN_NONE);
	struct param *p = &r->out->all[r->out->n];

	if (name->class != MP_STR || !is_token(name->s))
		return "x-mcp-header is no header name";
	if (!span_is_str(type, "string") && !span_is_str(type, "integer") && !span_is_str(type, "boolean"))
		return "x-mcp-header stands at what is no string, integer or boolean";
	for (size_t i = 0; i < r->out->n; i++)
		if (span_is_folded(r->out->all[i].header, name->s))
			return "x-mcp-header names a header twice";
	if (r->out->n == PARAMS_MAX)
		return "x-mcp-header is declared in too many places";
	memcpy(p->path, r->path, sizeof(p->path));
	p->npath = r->depth;
	p->header = name->s;
	r->out->n++;
	return NULL;
}

static const char *read_properties(struct params_reader *r, const struct mp_value *schema);

static const char *
read_property(struct params_reader *r, struct span key, const struct mp_value *property)
{
	const char *problem = NULL;
	struct mp_value name;

	if (property->class != MP_MAP || r->depth == PARAMS_DEPTH)
		return NULL; /* not searched; stray() refuses deeper declarations */
	r->path[r->depth++] = key;
	if (mp_get(property, "x-mcp-header", &name))
		problem = declare(r, property, &name);
	if (problem == NULL)
		problem = read_properties(r, property);
	r->depth--;
	return problem;
}

static const char *
read_properties(struct params_reader *r, const struct mp_value *schema)
{
	struct mp_value properties, v;
	const char *problem = NULL;
	struct mp_iter it;
	struct span key;

	if (!mp_get(schema, "properties", &properties) || properties.class != MP_MAP)
		return NULL;
	it = mp_iter(&properties);
	while (problem == NULL && mp_next_pair(&it, &key, &v))
		problem = read_property(r, key, &v);
	return problem;
}

/* Count the occurrences of the keyword, at any depth. */
static size_t
occurrences(const struct mp_value *v)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value child;
	struct span key;
	size_t n = 0;

	if (v->class == MP_ARRAY)
		while (mp_next(&it, &child))
			n += occurrences(&child);
	else if (v->class == MP_MAP)
		while (mp_next_pair(&it, &key, &child))
			n += span_is_str(key, "x-mcp-header") ? 1 : occurrences(&child);
	return n;
}

const char *
params_read(const struct mp_value *schema, struct params *out)
{
	struct params_reader r = { .out = out };
	const char *problem;

	out->n = 0;
	problem = read_properties(&r, schema);
	if (problem == NULL && occurrences(schema) != out->n)
		problem = "x-mcp-header stands where not every call has a value";
	return problem;
}

bool
params_decode(struct span header, struct buf *out)
{
	static const char opening[] = "=?base64?";
	size_t n = sizeof(opening) - 1;

	if (header.len < n + 2 || memcmp(header.p, opening, n) != 0 ||
	    memcmp(header.p + header.len - 2, "?=", 2) != 0) {
		buf_span(out, header);
		return true;
	}
	return b64_decode(out, span_of(header.p + n, header.len - n - 2)) && utf8_valid(out->p, out->len);
}

static const char *
param_problem(const struct param *p, const char *problem, char said[PARAMS_PROBLEM_MAX])
{
	snprintf(said, PARAMS_PROBLEM_MAX, "the Mcp-Param-%.*s header %s", SPAN_FMT(p->header), problem);
	return said;
}

/* Find the trimmed value of Mcp-Param-<name>.  Returns 0 (absent), 1, or 2 (repeated). */
static unsigned
find_field(struct span fields, struct span name, struct span *value)
{
	static const char prefix[] = "mcp-param-";
	const size_t n = sizeof(prefix) - 1;
	unsigned found = 0;
	struct span line;

	while (span_line(&fields, &line)) {
		if (line.len > 0 && line.p[line.len - 1] == '\r')
			line.len--;
		if (line.len > n + name.len && line.p[n + name.len] == ':' && span_begins_word(line, prefix) &&
		    span_is_folded(span_of(line.p + n, name.len), name)) {
			*value = http_trim(span_of(line.p + n + name.len + 1, line.len - n - name.len - 1));
			found++;
		}
	}
	return found > 2 ? 2 : found;
}

/* 42.0 equals 42.  Comparison is exact within ±(2^53-1), the range of integers in a header. */
static bool
same_number(struct span text, const struct mp_value *v)
{
	struct buf packed = { .max = 64 };
	struct mp_value other;
	size_t at;
	bool same = json_read(text, &packed, &at) == JSON_OK && mp_value(buf_view(&packed), &other) &&
	    mp_is_number(&other) && mp_number(&other) == mp_number(v);

	buf_fini(&packed);
	return same;
}

static const char *
check_param(const struct param *p, const struct mp_value *v, struct span fields, char said[PARAMS_PROBLEM_MAX])
{
	struct buf decoded = { .max = HTTP_HEAD_MAX };
	const char *problem = NULL;
	struct span header = { NULL, 0 };

	switch (find_field(fields, p->header, &header)) {
	case 0:
		return param_problem(p, "is missing, though the body has its value", said);
	case 1:
		break;
	default:
		return param_problem(p, "must stand there once", said);
	}
	if (!params_decode(header, &decoded))
		problem = "is no valid base64 of UTF-8 text";
	else if (v->class == MP_STR ? !span_is(buf_view(&decoded), v->s) :
		v->class == MP_BOOL ? !span_is_str(buf_view(&decoded), v->boolean ? "true" : "false") :
				      mp_is_number(v) && !same_number(buf_view(&decoded), v))
		problem = "does not agree with the body";
	buf_fini(&decoded);
	return problem == NULL ? NULL : param_problem(p, problem, said);
}

/* The member at a path; the names are not NUL-terminated. */
static bool
look_up(const struct mp_value *args, const struct param *p, struct mp_value *v)
{
	*v = *args;
	for (size_t i = 0; i < p->npath; i++) {
		struct mp_value map = *v;
		struct mp_iter it = mp_iter(&map);
		struct span key;
		bool found = false;

		while (map.class == MP_MAP && !found && mp_next_pair(&it, &key, v))
			found = span_is(key, p->path[i]);
		if (!found)
			return false;
	}
	return true;
}

const char *
params_check(const struct params *p, const struct mp_value *args, struct span fields, char said[PARAMS_PROBLEM_MAX])
{
	const char *problem = NULL;
	struct mp_value v;

	for (size_t i = 0; problem == NULL && i < p->n; i++)
		if (look_up(args, &p->all[i], &v) && v.class != MP_NIL)
			problem = check_param(&p->all[i], &v, fields, said);
	return problem;
}
