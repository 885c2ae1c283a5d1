#include "workers/sql/value.h"

#include <math.h>

#include "base/json/json_read.h"
#include "base/mp.h"
#include "base/utf8.h"

void
value_cut(struct buf *out, size_t full, struct span start, bool text)
{
	size_t n = start.len < VALUE_START_MAX ? start.len : VALUE_START_MAX;

	mp_put_map(out, 3);
	mp_pair_bool(out, "truncated", true);
	mp_pair_uint(out, "fullLength", full);
	mp_put_cstr(out, "start");
	if (text)
		mp_put_str(out, span_of(start.p, utf8_cut(start.p, start.len, n)));
	else
		mp_put_bin(out, span_of(start.p, n));
}

void
value_text(struct buf *out, struct span s)
{
	bool text = utf8_valid(s.p, s.len);

	if (s.len > VALUE_CELL_MAX)
		value_cut(out, s.len, s, text);
	else if (text)
		mp_put_str(out, s);
	else
		mp_put_bin(out, s);
}

void
value_bytes(struct buf *out, struct span s)
{
	if (s.len > VALUE_CELL_MAX)
		value_cut(out, s.len, s, false);
	else
		mp_put_bin(out, s);
}

#define EXACT_MAX	(INT64_C(1) << 53)	/* smaller integers, of either sign, are exact as doubles */

bool
value_int(struct buf *out, int64_t v)
{
	mp_put_int(out, v);
	return v >= EXACT_MAX || v <= -EXACT_MAX;
}

bool
value_uint(struct buf *out, uint64_t v)
{
	mp_put_uint(out, v);
	return v >= (uint64_t)EXACT_MAX;
}

bool
value_double(struct buf *out, double v)
{
	mp_put_double(out, v);
	return !isfinite(v);
}

bool
value_decimal(struct buf *out, struct span s)
{
	mp_put_array(out, 1);
	value_text(out, s);
	return !json_is_exact(s);
}

/* Length of the character at p; 0 if it is invalid. */
static size_t
char_length(const uint8_t *p, size_t left)
{
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;

	return n <= left && utf8_valid(p, n) ? n : 0;
}

static void
append_clean(struct buf *out, struct span s)
{
	for (size_t i = 0, n; i < s.len; i += n == 0 ? 1 : n)
		if ((n = char_length(s.p + i, s.len - i)) == 0)
			buf_str(out, "\xEF\xBF\xBD");
		else
			buf_append(out, s.p + i, n);
}

void
value_label(struct buf *out, const char *s)
{
	struct span raw = span_str(s);
	struct buf clean = { 0 };

	if (s == NULL || utf8_valid(raw.p, raw.len)) {
		mp_put_cstr(out, s);
		return;
	}
	append_clean(&clean, raw);
	mp_put_str(out, buf_view(&clean));
	buf_fini(&clean);
}

const char *
value_clean(struct arena *a, const char *s)
{
	struct span raw = span_str(s);
	struct buf clean = BUF_MAX(16384);
	const char *kept;

	append_clean(&clean, raw.len > 4096 ? span_of(raw.p, utf8_cut(raw.p, raw.len, 4096)) : raw);
	kept = arena_cstr(a, buf_view(&clean));
	buf_fini(&clean);
	return kept == NULL ? "" : kept;
}
