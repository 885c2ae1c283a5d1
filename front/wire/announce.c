#include "base/json/json_write.h"
#include "front/wire/announce.h"

/* Schemas come from this project's own workers and are never nested deeper than this. */
#define DEPTH_MAX	32

enum part { INPUT, OUTPUT };

static void put_schema(const struct mp_value *schema, enum part part, unsigned depth, struct buf *out);

static bool
is_left_out(struct span keyword, enum part part, unsigned depth)
{
	if (part == INPUT)
		return span_is_str(keyword, "examples");
	return span_is_str(keyword, "additionalProperties") || span_is_str(keyword, "minimum") ||
	    span_is_str(keyword, "maximum") || (depth > 0 && span_is_str(keyword, "required"));
}

/* {name: schema, …} */
static void
put_members(const struct mp_value *members, enum part part, unsigned depth, struct buf *out)
{
	struct mp_iter it = mp_iter(members);
	struct mp_value name, schema;
	bool comma = false;

	buf_byte(out, '{');
	while (mp_next(&it, &name) && mp_next(&it, &schema)) {
		if (comma)
			buf_byte(out, ',');
		comma = true;
		json_write(out, &name);
		buf_byte(out, ':');
		put_schema(&schema, part, depth, out);
	}
	buf_byte(out, '}');
}

static void
put_branches(const struct mp_value *list, enum part part, unsigned depth, struct buf *out)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value schema;
	bool comma = false;

	buf_byte(out, '[');
	while (mp_next(&it, &schema)) {
		if (comma)
			buf_byte(out, ',');
		comma = true;
		put_schema(&schema, part, depth, out);
	}
	buf_byte(out, ']');
}

static void
put_keyword(struct span keyword, const struct mp_value *value, enum part part, unsigned depth, struct buf *out)
{
	if (span_is_str(keyword, "properties") && value->class == MP_MAP)
		put_members(value, part, depth, out);
	else if (span_is_str(keyword, "items"))
		put_schema(value, part, depth, out);
	else if ((span_is_str(keyword, "anyOf") || span_is_str(keyword, "oneOf")) && value->class == MP_ARRAY)
		put_branches(value, part, depth, out);
	else
		json_write(out, value);
}

static void
put_schema(const struct mp_value *schema, enum part part, unsigned depth, struct buf *out)
{
	struct mp_iter it;
	struct mp_value keyword, value;
	bool comma = false;

	if (schema->class != MP_MAP || depth > DEPTH_MAX) {
		json_write(out, schema);
		return;
	}
	it = mp_iter(schema);
	buf_byte(out, '{');
	while (mp_next(&it, &keyword) && mp_next(&it, &value)) {
		if (is_left_out(keyword.s, part, depth))
			continue;
		if (comma)
			buf_byte(out, ',');
		comma = true;
		json_write(out, &keyword);
		buf_byte(out, ':');
		put_keyword(keyword.s, &value, part, depth + 1, out);
	}
	buf_byte(out, '}');
}

void
announce_input(const struct mp_value *schema, struct buf *out)
{
	put_schema(schema, INPUT, 0, out);
}

void
announce_output(const struct mp_value *schema, struct buf *out)
{
	put_schema(schema, OUTPUT, 0, out);
}
