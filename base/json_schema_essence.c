/*
 * json_schema_essence.c - a schema without the words that are for people, its
 * bulky members last: what a check walks over for every call.
 */
#include "base/json_schema.h"

static void put_essence(struct buf *out, const struct mp_value *schema);

/* Enforced keywords whose value is a schema, several, or neither. */
enum holds { HOLDS_VALUE, HOLDS_SCHEMA, HOLDS_LIST, HOLDS_MEMBERS };

static const struct keyword {
	const char	*name;
	enum holds	 holds;
} keywords[] = {	/* in the order they are written: what is asked for first, what is long last */
	{ "type", HOLDS_VALUE }, { "const", HOLDS_VALUE }, { "minimum", HOLDS_VALUE },
	{ "maximum", HOLDS_VALUE }, { "minLength", HOLDS_VALUE }, { "maxLength", HOLDS_VALUE },
	{ "minItems", HOLDS_VALUE }, { "maxItems", HOLDS_VALUE }, { "required", HOLDS_VALUE },
	{ "additionalProperties", HOLDS_SCHEMA }, { "enum", HOLDS_VALUE }, { "anyOf", HOLDS_LIST },
	{ "oneOf", HOLDS_LIST }, { "items", HOLDS_SCHEMA }, { "properties", HOLDS_MEMBERS },
	{ "$ref", HOLDS_VALUE }, { "allOf", HOLDS_LIST }, { "if", HOLDS_SCHEMA },
	{ "then", HOLDS_SCHEMA }, { "else", HOLDS_SCHEMA }, { "$defs", HOLDS_MEMBERS },
};

static void
put_list(struct buf *out, const struct mp_value *list)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value v;

	mp_put_array(out, list->n);
	while (mp_next(&it, &v))
		put_essence(out, &v);
}

static void
put_members(struct buf *out, const struct mp_value *members)
{
	struct mp_iter it = mp_iter(members);
	struct mp_value v;
	struct span key;

	mp_put_map(out, members->n);
	while (mp_next_pair(&it, &key, &v)) {
		mp_put_str(out, key);
		put_essence(out, &v);
	}
}

static void
put_essence(struct buf *out, const struct mp_value *schema)
{
	struct mp_value v;
	size_t mark, n = 0;

	if (schema->class != MP_MAP) {
		buf_span(out, schema->raw);
		return;
	}
	mark = mp_open_map(out);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (!mp_get(schema, keywords[i].name, &v))
			continue;
		n++;
		mp_put_cstr(out, keywords[i].name);
		if (keywords[i].holds == HOLDS_SCHEMA)
			put_essence(out, &v);
		else if (keywords[i].holds == HOLDS_LIST && v.class == MP_ARRAY)
			put_list(out, &v);
		else if (keywords[i].holds == HOLDS_MEMBERS && v.class == MP_MAP)
			put_members(out, &v);
		else
			buf_span(out, v.raw);
	}
	mp_close(out, mark, n);
}

void
schema_essence(const struct mp_value *schema, struct buf *out)
{
	put_essence(out, schema);
}
