#include "front/calls/team_arguments.h"

#include <stdlib.h>

#include "base/text/parameter_types.h"

#define DIGITS_MOST	20u	/* of 64 bits, with a sign */

/* The schema of a parameter, by a name that needs no NUL behind it.  False: there is no such parameter. */
static bool
find_property(const struct mp_value *input, struct span name, struct mp_value *out)
{
	struct mp_value properties;
	struct mp_iter it;
	struct span key;

	if (!mp_get(input, "properties", &properties) || properties.class != MP_MAP)
		return false;
	for (it = mp_iter(&properties); mp_next_pair(&it, &key, out);)
		if (span_is(key, name))
			return true;
	return false;
}

static bool
is_required(const struct mp_value *input, struct span name)
{
	struct mp_value required, one;
	struct mp_iter it;

	if (!mp_get(input, "required", &required) || required.class != MP_ARRAY)
		return false;
	for (it = mp_iter(&required); mp_next(&it, &one);)
		if (one.class == MP_STR && span_is(one.s, name))
			return true;
	return false;
}

/* Append the value of a parameter.  A text of digits that a whole number has room for is written as that number. */
static void
put_argument(const struct mp_value *property, const struct mp_value *v, struct buf *out)
{
	char digits[DIGITS_MOST + 1];

	if (v->class != MP_STR || v->s.len > DIGITS_MOST || !parameter_fits(PARAMETER_INTEGER, v->s) ||
	    !span_is_str(mp_get_str(property, "type", SPAN_NONE), "integer")) {
		buf_span(out, v->raw);
		return;
	}
	memcpy(digits, v->s.p, v->s.len);
	digits[v->s.len] = '\0';
	mp_put_int(out, strtoll(digits, NULL, 10));
}

void
team_arguments_copy(const struct mp_value *input, const struct mp_value *args, struct buf *out)
{
	struct mp_iter it = mp_iter(args);
	struct mp_value property, v;
	struct span key;
	size_t map = mp_open_map(out), n = 0;

	while (mp_next_pair(&it, &key, &v)) {
		bool known = find_property(input, key, &property);

		if (known && v.class == MP_NIL && !is_required(input, key))
			continue;
		mp_put_str(out, key);
		if (known)
			put_argument(&property, &v, out);
		else
			buf_span(out, v.raw);
		n++;
	}
	mp_close(out, map, n);
}

/* The names of the tool's parameters. */
static void
put_names(const struct tool_entry *tool, struct buf *out)
{
	struct mp_value properties, v;
	size_t list = mp_pair_open_array(out, "parameters");
	struct mp_iter it;
	struct span key;

	if (mp_get(&tool->input, "properties", &properties) && properties.class == MP_MAP)
		for (it = mp_iter(&properties); mp_next_pair(&it, &key, &v);)
			mp_put_str(out, key);
	mp_end(out, list);
}

void
team_arguments_put_call(const struct tool_entry *tool, struct span arguments, bool check, struct buf *out)
{
	size_t map = mp_open_pairs(out, mp_str("tool", tool->name), mp_raw("arguments", arguments),
	    mp_when(check, mp_bool("check", true)), mp_when(tool->query.len > 0, mp_raw("query", tool->query)));

	if (tool->query.len > 0)
		put_names(tool, out);
	mp_end(out, map);
}
