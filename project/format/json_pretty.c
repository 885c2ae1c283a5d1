#include "base/json/json_write.h"
#include "project/format/json_pretty.h"

static void
new_line(struct buf *out, unsigned depth)
{
	buf_byte(out, '\n');
	while (depth-- > 0)
		buf_str(out, "  ");
}

/* Recursion ends at MP_DEPTH_MAX, which mp_scan() held v to. */
static void
json_pretty_put(struct buf *out, const struct mp_value *v, unsigned depth)
{
	bool map = v->class == MP_MAP;
	struct mp_iter it = mp_iter(v);
	struct mp_value child;
	struct span key;
	size_t i;

	if ((v->class != MP_ARRAY && !map) || v->n == 0) {
		json_write(out, v);
		return;
	}
	buf_byte(out, map ? '{' : '[');
	for (i = 0; map ? mp_next_pair(&it, &key, &child) : mp_next(&it, &child); i++) {
		if (i > 0)
			buf_byte(out, ',');
		new_line(out, depth + 1);
		if (map) {
			json_write_string(out, key);
			buf_str(out, ": ");
		}
		json_pretty_put(out, &child, depth + 1);
	}
	new_line(out, depth);
	buf_byte(out, map ? '}' : ']');
}

void
json_pretty(struct buf *out, const struct mp_value *v)
{
	json_pretty_put(out, v, 0);
	buf_byte(out, '\n');
}
