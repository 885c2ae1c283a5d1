#include <stdio.h>

#include "base/json/json_schema_self.h"
#include "base/json/json_schema_text.h"

struct self {
	char			*why;
	size_t			 cap;
	const struct mp_value	*root;
};

static bool self(struct self *s, const struct mp_value *schema);

static bool
json_schema_self_refuse(struct self *s, struct span keyword, const char *problem)
{
	snprintf(s->why, s->cap, "%.*s: %s", SPAN_FMT(keyword), problem);
	return false;
}

/* The required type of a keyword's value. */
enum shape {
	SHAPE_ANY, SHAPE_NUMBER, SHAPE_COUNT, SHAPE_LIST, SHAPE_NAMES, SHAPE_TYPE,
	SHAPE_SCHEMA, SHAPE_SCHEMAS, SHAPE_PROPERTIES, SHAPE_REF, SHAPE_PATTERN
};

static const struct {
	const char	*keyword;
	enum shape	 shape;
} keywords[] = {
	{ "$anchor", SHAPE_ANY },
	{ "$defs", SHAPE_PROPERTIES },
	{ "$ref", SHAPE_REF },
	{ "$schema", SHAPE_ANY },
	{ "additionalProperties", SHAPE_SCHEMA },
	{ "allOf", SHAPE_SCHEMAS },
	{ "anyOf", SHAPE_SCHEMAS },
	{ "const", SHAPE_ANY },
	{ "default", SHAPE_ANY },
	{ "description", SHAPE_ANY },
	{ "else", SHAPE_SCHEMA },
	{ "enum", SHAPE_LIST },
	{ "examples", SHAPE_LIST },
	{ "if", SHAPE_SCHEMA },
	{ "items", SHAPE_SCHEMA },
	{ "maxItems", SHAPE_COUNT },
	{ "maxLength", SHAPE_COUNT },
	{ "maximum", SHAPE_NUMBER },
	{ "minItems", SHAPE_COUNT },
	{ "minLength", SHAPE_COUNT },
	{ "minimum", SHAPE_NUMBER },
	{ "oneOf", SHAPE_SCHEMAS },
	{ "pattern", SHAPE_PATTERN },
	{ "properties", SHAPE_PROPERTIES },
	{ "required", SHAPE_NAMES },
	{ "then", SHAPE_SCHEMA },
	{ "title", SHAPE_ANY },
	{ "type", SHAPE_TYPE },
	{ "x-mcp-header", SHAPE_ANY },	/* read by front/calls/params.c */
};

static bool
is_type(const struct mp_value *v)
{
	return v->class == MP_STR && schema_type_known(v->s);
}

/* A list that is not empty, of strings that are (for types) known type names. */
static bool
is_names(const struct mp_value *v, bool types)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value name;

	if (v->class != MP_ARRAY)
		return false;
	while (mp_next(&it, &name))
		if (name.class != MP_STR || (types && !is_type(&name)))
			return false;
	return !types || v->n > 0;
}

static bool
self_schemas(struct self *s, struct span keyword, const struct mp_value *list)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value v;

	if (list->class != MP_ARRAY || list->n == 0)
		return json_schema_self_refuse(s, keyword, "must be an array of schemas");
	while (mp_next(&it, &v))
		if (!self(s, &v))
			return false;
	return true;
}

static bool
self_properties(struct self *s, struct span keyword, const struct mp_value *map)
{
	struct mp_iter it = mp_iter(map);
	struct mp_value v;
	struct span key;

	if (map->class != MP_MAP)
		return json_schema_self_refuse(s, keyword, "must be an object of schemas");
	while (mp_next_pair(&it, &key, &v))
		if (!self(s, &v))
			return false;
	return true;
}

static bool
self_keyword(struct self *s, struct span keyword, enum shape shape, const struct mp_value *v)
{
	struct mp_value target;

	switch (shape) {
	case SHAPE_ANY:
		return true;
	case SHAPE_NUMBER:
		return v->class == MP_INT || v->class == MP_UINT || v->class == MP_FLOAT ||
		    json_schema_self_refuse(s, keyword, "must be a number");
	case SHAPE_COUNT:
		return v->class == MP_UINT || json_schema_self_refuse(s, keyword, "must be an integer, zero or more");
	case SHAPE_LIST:
		return (v->class == MP_ARRAY && v->n > 0) ||
		    json_schema_self_refuse(s, keyword, "must be an array that is not empty");
	case SHAPE_NAMES:
		return is_names(v, false) || json_schema_self_refuse(s, keyword, "must be an array of strings");
	case SHAPE_TYPE:
		return is_type(v) || is_names(v, true) || json_schema_self_refuse(s, keyword, "must name known types");
	case SHAPE_SCHEMA:
		return self(s, v);
	case SHAPE_SCHEMAS:
		return self_schemas(s, keyword, v);
	case SHAPE_PROPERTIES:
		return self_properties(s, keyword, v);
	case SHAPE_REF:
		return (v->class == MP_STR && schema_find_ref(s->root, v->s, &target)) ||
		    json_schema_self_refuse(s, keyword, "must be \"#/$defs/<name>\" of one that is there");
	case SHAPE_PATTERN:
		return (v->class == MP_STR && span_is_str(v->s, SCHEMA_UUID)) ||
		    json_schema_self_refuse(s, keyword, "only that of a UUID is enforced");
	}
	return false;
}

static bool
self(struct self *s, const struct mp_value *schema)
{
	struct mp_iter it = mp_iter(schema);
	struct mp_value v;
	struct span key;

	if (schema->class == MP_BOOL)
		return true;
	if (schema->class != MP_MAP)
		return json_schema_self_refuse(s, SPAN("schema"), "must be an object, true or false");
	while (mp_next_pair(&it, &key, &v)) {
		size_t i = 0, n = sizeof(keywords) / sizeof(keywords[0]);

		while (i < n && !span_is_str(key, keywords[i].keyword))
			i++;
		if (i == n)
			return json_schema_self_refuse(s, key, "this keyword is not enforced");
		if (!self_keyword(s, key, keywords[i].shape, &v))
			return false;
	}
	return true;
}

bool
schema_check_self(const struct mp_value *schema, char *why, size_t cap)
{
	struct self s = { why, cap, schema };

	if (cap > 0)
		why[0] = '\0';
	return self(&s, schema);
}
