/* view.c - see view.h. */
#include <string.h>

#include "base/json_text.h"
#include "base/num.h"
#include "base/utf8.h"
#include "cli/table.h"
#include "cli/view.h"

/* p at an opening bracket; counts brackets outside strings, which is enough for text of our own making. */
static const uint8_t *
skip_container(const uint8_t *p, const uint8_t *end)
{
	size_t depth = 0;

	while (p < end) {
		switch (*p) {
		case '"':
			if ((p = json_string_end(p + 1, end)) == NULL)
				return NULL;
			continue;
		case '[':
		case '{':
			depth++;
			break;
		case ']':
		case '}':
			if (--depth == 0)
				return p + 1;
			break;
		default:
			break;
		}
		p++;
	}
	return NULL;
}

static const uint8_t *
skip_word(const uint8_t *p, const uint8_t *end)
{
	while (p < end && strchr(",]}: \t\r\n\"[{", *p) == NULL)
		p++;
	return p;
}

/* The value that starts at p; *v is NONE when there is none. */
static const uint8_t *
value_at(const uint8_t *p, const uint8_t *end, struct view *v)
{
	const uint8_t *from = p = json_skip_space(p, end);
	enum view_kind kind;

	*v = (struct view){ VIEW_NONE, { NULL, 0 } };
	if (p >= end)
		return end;
	switch (*p) {
	case '"':
		kind = VIEW_STRING;
		p = json_string_end(p + 1, end);
		break;
	case '[':
		kind = VIEW_ARRAY;
		p = skip_container(p, end);
		break;
	case '{':
		kind = VIEW_OBJECT;
		p = skip_container(p, end);
		break;
	default:
		p = skip_word(p, end);
		if (span_is_str(span_of(from, (size_t)(p - from)), "null"))
			kind = VIEW_NULL;
		else if (*from == 't' || *from == 'f')
			kind = VIEW_BOOL;
		else if (*from == '-' || (*from >= '0' && *from <= '9'))
			kind = VIEW_NUMBER;
		else
			return end;
		break;
	}
	if (p == NULL || p > end)
		return end;
	*v = (struct view){ kind, span_of(from, (size_t)(p - from)) };
	return p;
}

struct view
view_of(struct span text)
{
	const uint8_t *end = text.p + text.len;
	struct view v;

	if (text.len == 0 || json_skip_space(value_at(text.p, end, &v), end) != end)
		return (struct view){ VIEW_NONE, { NULL, 0 } };
	return v;
}

struct view_iter
view_iter(struct view v)
{
	if (v.kind != VIEW_ARRAY && v.kind != VIEW_OBJECT)
		return (struct view_iter){ NULL, NULL };
	return (struct view_iter){ v.raw.p + 1, v.raw.p + v.raw.len - 1 };
}

bool
view_next(struct view_iter *it, struct view *v)
{
	if (it->p == NULL || it->p >= it->end)
		return false;
	it->p = json_skip_space(value_at(it->p, it->end, v), it->end);
	if (it->p < it->end && *it->p == ',')
		it->p++;
	return v->kind != VIEW_NONE;
}

bool
view_next_member(struct view_iter *it, struct span *key, struct view *v)
{
	struct view name;
	const uint8_t *p;

	if (it->p == NULL || it->p >= it->end)
		return false;
	p = json_skip_space(value_at(it->p, it->end, &name), it->end);
	if (name.kind != VIEW_STRING || p >= it->end || *p != ':')
		return false;
	*key = span_of(name.raw.p + 1, name.raw.len - 2);
	it->p = p + 1;
	return view_next(it, v);
}

size_t
view_count(struct view v)
{
	struct view_iter it = view_iter(v);
	struct view each;
	size_t n = 0;

	if (v.kind == VIEW_ARRAY)
		while (view_next(&it, &each))
			n++;
	return n;
}

struct view
view_get(struct view v, const char *path)
{
	while (*path != '\0') {
		size_t n = strcspn(path, ".");
		struct view_iter it = view_iter(v);
		struct view member, found = { VIEW_NONE, { NULL, 0 } };
		struct span key;

		if (v.kind == VIEW_OBJECT)
			while (found.kind == VIEW_NONE && view_next_member(&it, &key, &member))
				if (span_is(key, span_of(path, n)))
					found = member;
		if (found.kind == VIEW_NONE)
			return found;
		v = found;
		path += n + (path[n] == '.');
	}
	return v;
}

/* p behind "\u"; returns behind the last digit used. */
static const uint8_t *
unescape_u(const uint8_t *p, const uint8_t *end, struct buf *out)
{
	size_t len;
	int32_t c = json_escape_unicode(p, end, &len);

	utf8_put(out, c < 0 || json_is_surrogate(c) ? 0xfffd : (uint32_t)c);
	return p + len;
}

void
view_text(struct view v, struct buf *out)
{
	const uint8_t *p, *end;

	if (v.kind != VIEW_STRING) {
		buf_span(out, v.raw);
		return;
	}
	p = v.raw.p + 1;
	end = v.raw.p + v.raw.len - 1;
	while (p < end) {
		const uint8_t *slash = memchr(p, '\\', (size_t)(end - p));

		buf_append(out, p, (size_t)((slash == NULL ? end : slash) - p));
		if (slash == NULL || slash + 1 >= end)
			return;
		p = slash + 2;
		if (slash[1] == 'u')
			p = unescape_u(p, end, out);
		else
			buf_byte(out, json_escape_letter(slash[1]) != 0 ? json_escape_letter(slash[1]) : slash[1]);
	}
}

void
view_cell(struct view v, const char *absent, struct table *t)
{
	struct buf text = { 0 };

	view_text(v, &text);
	if (v.kind == VIEW_NONE || v.kind == VIEW_NULL)
		table_cell_faint(t, span_str(absent));
	else if (v.kind == VIEW_NUMBER)
		table_cell_number(t, buf_view(&text));
	else
		table_cell(t, buf_view(&text));
	buf_fini(&text);
}

const char *
view_cstr(struct arena *a, struct view v, const char *otherwise)
{
	struct buf text = { 0 };
	const char *copy;

	if (v.kind == VIEW_NONE || v.kind == VIEW_NULL)
		return otherwise;
	view_text(v, &text);
	copy = arena_printf(a, "%s", buf_cstr(&text));
	buf_fini(&text);
	return copy == NULL ? otherwise : copy;
}

bool
view_true(struct view v)
{
	return v.kind == VIEW_BOOL && *v.raw.p == 't';
}

double
view_number(struct view v, double otherwise)
{
	double number;

	if (v.kind != VIEW_NUMBER || !num_read_double((const char *)v.raw.p, v.raw.len, &number))
		return otherwise;
	return number;
}

uint64_t
view_uint(struct view v, uint64_t otherwise)
{
	double number = view_number(v, -1);

	return number < 0 || number > 9007199254740991.0 ? otherwise : (uint64_t)number;
}
