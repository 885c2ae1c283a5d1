/* json_schema_text.c - schemas in words and examples, for error messages about arguments. */
#include "base/json/json_write.h"
#include "base/json/json_schema_text.h"

static const struct type {
	const char	*name, *words, *example;
} types[] = {
	{ "string",  "a string",   "\"text\"" },
	{ "integer", "an integer", "1" },
	{ "number",  "a number",   "1" },
	{ "boolean", "true or false", "true" },
	{ "object",  "an object",  "{}" },
	{ "array",   "an array",   "[]" },
	{ "null",    "null",       "null" },
};

static const struct type *
json_schema_text_find(struct span name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (span_is_str(name, types[i].name))
			return &types[i];
	return NULL;
}

bool
schema_type_known(struct span name)
{
	return json_schema_text_find(name) != NULL;
}

bool
schema_find_ref(const struct mp_value *root, struct span ref, struct mp_value *schema)
{
	static const char before[] = "#/$defs/";
	const size_t n = sizeof(before) - 1;
	struct mp_value defs;

	return ref.len > n && memcmp(ref.p, before, n) == 0 && mp_get(root, "$defs", &defs) &&
	    mp_member(&defs, span_of(ref.p + n, ref.len - n), schema);
}

bool
schema_type_fits(struct span name, const struct mp_value *value)
{
	switch (value->class) {
	case MP_STR:
		return span_is_str(name, "string");
	case MP_INT:
	case MP_UINT:
		return span_is_str(name, "integer") || span_is_str(name, "number");
	case MP_FLOAT:
		return span_is_str(name, "number");
	case MP_BOOL:
		return span_is_str(name, "boolean");
	case MP_MAP:
		return span_is_str(name, "object");
	case MP_ARRAY:
		return span_is_str(name, "array");
	case MP_NIL:
		return span_is_str(name, "null");
	case MP_BIN:
	case MP_REFUSED:
		break;
	}
	return false;
}

static void
put_type(struct buf *out, struct span name)
{
	const struct type *t = json_schema_text_find(name);

	if (t != NULL)
		buf_str(out, t->words);
}

void
schema_put_types(struct buf *out, const struct mp_value *type)
{
	struct mp_iter it = mp_iter(type);
	struct mp_value v;

	if (type->class == MP_STR)
		put_type(out, type->s);
	for (size_t i = 0; mp_next(&it, &v); i++) {
		if (i > 0)
			buf_str(out, " or ");
		if (v.class == MP_STR)
			put_type(out, v.s);
	}
}

void
schema_put_list(struct buf *out, const struct mp_value *array)
{
	struct mp_iter it = mp_iter(array);
	struct mp_value v;

	for (size_t i = 0; mp_next(&it, &v); i++) {
		if (i > 0)
			buf_str(out, ", ");
		json_write(out, &v);
	}
}

/* An object with the required members only. */
static void
put_object(struct buf *out, const struct mp_value *schema)
{
	struct mp_value properties, required, name, property;
	struct mp_iter it;
	size_t written = 0;

	(void)mp_get(schema, "properties", &properties);
	(void)mp_get(schema, "required", &required);
	buf_byte(out, '{');
	it = mp_iter(&required);
	while (required.class == MP_ARRAY && mp_next(&it, &name)) {
		if (name.class != MP_STR)
			continue;
		if (written++ > 0)
			buf_byte(out, ',');
		json_write(out, &name);
		buf_byte(out, ':');
		(void)mp_member(&properties, name.s, &property);
		schema_put_example(out, &property);
	}
	buf_byte(out, '}');
}

static void
put_array(struct buf *out, const struct mp_value *schema)
{
	struct mp_value items;

	buf_byte(out, '[');
	if (mp_get(schema, "items", &items) && mp_get_uint(schema, "minItems", 0) > 0)
		schema_put_example(out, &items);
	buf_byte(out, ']');
}

/* A value that the schema names: `const`, `default`, or the first of a list. */
static bool
put_named(struct buf *out, const struct mp_value *schema, bool examples)
{
	static const char *const values[] = { "const", "default" };
	const char *const lists[] = { examples ? "examples" : "enum", "enum" };
	struct mp_value v, first;
	struct mp_iter it;

	for (size_t i = 0; i < 2; i++)
		if (mp_get(schema, values[i], &v)) {
			json_write(out, &v);
			return true;
		}
	for (size_t i = 0; i < 2; i++)
		if (mp_get(schema, lists[i], &v) && (it = mp_iter(&v), mp_next(&it, &first))) {
			json_write(out, &first);
			return true;
		}
	return false;
}

bool
schema_put_item_example(struct buf *out, const struct mp_value *list, const struct mp_value *items)
{
	struct buf own = BUF_MAX(0);
	bool named = put_named(&own, items, true);
	struct mp_value examples, example, first;
	struct mp_iter it;

	buf_fini(&own);
	if (named || !mp_get(list, "examples", &examples))
		return false;
	it = mp_iter(&examples);
	if (!mp_next(&it, &example) || example.class != MP_ARRAY)
		return false;
	it = mp_iter(&example);
	if (!mp_next(&it, &first))
		return false;
	json_write(out, &first);
	return true;
}

void
schema_put_example(struct buf *out, const struct mp_value *schema)
{
	if (!put_named(out, schema, true))
		schema_put_made_example(out, schema);
}

void
schema_put_made_example(struct buf *out, const struct mp_value *schema)
{
	struct mp_value v, first;
	struct mp_iter it;
	struct span type;

	if (put_named(out, schema, false))
		return;
	if (mp_get(schema, "anyOf", &v) || mp_get(schema, "oneOf", &v)) {
		it = mp_iter(&v);
		if (mp_next(&it, &first)) {
			schema_put_example(out, &first);
			return;
		}
	}
	(void)mp_get(schema, "type", &v);
	if (v.class == MP_ARRAY && (it = mp_iter(&v), mp_next(&it, &first)))
		v = first;
	type = v.class == MP_STR ? v.s : SPAN("string");
	if (span_is_str(type, "object"))
		put_object(out, schema);
	else if (span_is_str(type, "array"))
		put_array(out, schema);
	else if (mp_get(schema, "minimum", &v))
		json_write(out, &v);
	else if (mp_get(schema, "maximum", &v))
		json_write(out, &v);
	else
		buf_str(out, json_schema_text_find(type) != NULL ? json_schema_text_find(type)->example : "null");
}
