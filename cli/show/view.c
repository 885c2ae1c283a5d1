#include <string.h>

#include "base/json/json_text.h"
#include "base/text/num.h"
#include "base/utf8.h"
#include "cli/show/table_text.h"
#include "cli/show/view.h"

static struct view
view_at(const struct json_walk *w, size_t from, size_t end)
{
	static const enum view_kind kinds[256] = { ['"'] = VIEW_STRING, ['['] = VIEW_ARRAY, ['{'] = VIEW_OBJECT,
		['n'] = VIEW_NULL, ['t'] = VIEW_BOOL, ['f'] = VIEW_BOOL };
	enum view_kind kind = kinds[w->text.p[from]];

	return (struct view){ kind == VIEW_NONE ? VIEW_NUMBER : kind, span_of(w->text.p + from, end - from) };
}

struct view
view_of(struct span text)
{
	struct json_walk w = { .text = text };
	size_t from, end;

	json_walk_space(&w);
	from = w.at;
	json_walk_value(&w);
	end = w.at;
	json_walk_space(&w);
	return w.bad || w.at < text.len ? (struct view){ 0 } : view_at(&w, from, end);
}

struct view_iter
view_iter(struct view v)
{
	if (v.kind != VIEW_ARRAY && v.kind != VIEW_OBJECT)
		return (struct view_iter){ .walk = { .bad = true } };
	return (struct view_iter){ .walk = { .text = v.raw, .at = 1 }, .object = v.kind == VIEW_OBJECT };
}

bool
view_next_member(struct view_iter *it, struct span *key, struct view *v)
{
	struct json_member m;

	*v = (struct view){ 0 };
	if (it->walk.bad || !json_walk_next(&it->walk, it->object, &m))
		return false;
	*key = it->object ? span_of(it->walk.text.p + m.key + 1, m.key_end - m.key - 2) : SPAN_NONE;
	*v = view_at(&it->walk, m.value, m.value_end);
	return true;
}

bool
view_next(struct view_iter *it, struct view *v)
{
	struct span key;

	return view_next_member(it, &key, v);
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
view_cell(struct view v, const char *absent, struct text_table *t)
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
