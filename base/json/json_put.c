#include "base/json/json_put.h"

#include "base/ascii.h"
#include "base/json/json_write.h"

/* Whether the buffer ends in a value of compact JSON. */
static bool
ends_in_value(const struct buf *out)
{
	uint8_t last = out->len > 0 ? out->p[out->len - 1] : '{';

	return last == '"' || last == '}' || last == ']' || ascii_is_alnum(last);
}

void
json_put_key(struct buf *out, const char *key)
{
	if (ends_in_value(out))
		buf_byte(out, ',');
	if (key == NULL)
		return;
	json_write_string(out, span_str(key));
	buf_byte(out, ':');
}

void
json_put_object(struct buf *out, const char *key)
{
	json_put_key(out, key);
	buf_byte(out, '{');
}

void
json_end_object(struct buf *out)
{
	buf_byte(out, '}');
}

void
json_put_list(struct buf *out, const char *key)
{
	json_put_key(out, key);
	buf_byte(out, '[');
}

void
json_end_list(struct buf *out)
{
	buf_byte(out, ']');
}

void
json_put_str(struct buf *out, const char *key, struct span s)
{
	json_put_key(out, key);
	if (s.p == NULL)
		buf_str(out, "null");
	else
		json_write_string(out, s);
}

void
json_put_cstr(struct buf *out, const char *key, const char *s)
{
	json_put_str(out, key, s == NULL ? SPAN_NONE : span_str(s));
}

void
json_put_uint(struct buf *out, const char *key, uint64_t v)
{
	json_put_key(out, key);
	buf_uint(out, v);
}

void
json_put_known(struct buf *out, const char *key, bool known, uint64_t v)
{
	json_put_key(out, key);
	if (known)
		buf_uint(out, v);
	else
		buf_str(out, "null");
}

void
json_put_bool(struct buf *out, const char *key, bool v)
{
	json_put_key(out, key);
	buf_str(out, v ? "true" : "false");
}

void
json_put_raw(struct buf *out, const char *key, struct span json)
{
	json_put_key(out, key);
	buf_span(out, json);
}

void
json_put_members(struct buf *out, struct span members)
{
	if (members.len > 0)
		json_put_raw(out, NULL, members);
}
