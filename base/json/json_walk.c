#include <string.h>

#include "base/ascii.h"
#include "base/json/json_read.h"
#include "base/json/json_text.h"
#include "base/json/json_walk.h"

static bool
looks_at(const struct json_walk *w, const char *s)
{
	size_t n = strlen(s);

	return w->text.len - w->at >= n && memcmp(w->text.p + w->at, s, n) == 0;
}

static void
skip_comment(struct json_walk *w)
{
	bool line = looks_at(w, "//");

	w->at += 2;
	while (w->at < w->text.len && (line ? json_walk_peek(w) != '\n' : !looks_at(w, "*/")))
		w->at++;
	w->bad |= !line && !json_walk_takes(w, SPAN("*/"));
}

void
json_walk_space(struct json_walk *w)
{
	while (!w->bad && w->at < w->text.len) {
		const uint8_t *p = json_skip_space(w->text.p + w->at, w->text.p + w->text.len);

		w->at = (size_t)(p - w->text.p);
		if (!w->comments || !(looks_at(w, "//") || looks_at(w, "/*")))
			return;
		skip_comment(w);
	}
}

static bool
is_scalar(const struct json_walk *w, struct span s)
{
	struct buf out = { 0 };
	size_t at;
	bool good;

	if (!w->strict)
		return s.len > 0 &&
		    (s.p[0] == '"' || json_is_number(s) || span_is_str(s, "null") || span_is_str(s, "true") ||
			span_is_str(s, "false"));
	good = json_read(s, &out, &at) == JSON_OK;
	buf_fini(&out);
	return good;
}

static void
skip_scalar(struct json_walk *w)
{
	const uint8_t *from, *end, *p;

	w->bad |= w->at == w->text.len;
	if (w->bad)
		return;
	p = from = w->text.p + w->at;
	end = w->text.p + w->text.len;
	if (*p == '"')
		p = json_string_end(p + 1, end);
	else
		while (p < end && (ascii_is_alnum(*p) || *p == '-' || *p == '+' || *p == '.'))
			p++;
	w->bad = p == NULL || !is_scalar(w, span_of(from, (size_t)(p - from)));
	w->at = (size_t)((p == NULL ? end : p) - w->text.p);
}

void
json_walk_key(struct json_walk *w, struct json_member *m)
{
	m->key = w->at;
	if (json_walk_peek(w) == '"')
		skip_scalar(w);
	else
		w->bad = true;
	m->key_end = w->at;
	json_walk_space(w);
	w->bad |= !json_walk_takes(w, SPAN(":"));
	json_walk_space(w);
}

bool
json_walk_ends(struct json_walk *w, bool object)
{
	json_walk_space(w);
	return json_walk_takes(w, object ? SPAN("}") : SPAN("]"));
}

void
json_walk_comma(struct json_walk *w, bool object, struct json_member *m)
{
	const int close = object ? '}' : ']';

	json_walk_space(w);
	if (json_walk_peek(w) == ',') {
		m->comma = w->at++;
		json_walk_space(w);
		w->bad |= json_walk_peek(w) == close && !w->comments;
	} else
		w->bad |= json_walk_peek(w) != close;
}

bool
json_walk_next(struct json_walk *w, bool object, struct json_member *m)
{
	*m = (struct json_member){ 0 };
	if (json_walk_ends(w, object))
		return false;
	if (object)
		json_walk_key(w, m);
	m->value = w->at;
	if (!w->bad)
		json_walk_value(w);
	m->value_end = w->at;
	json_walk_comma(w, object, m);
	return !w->bad;
}

void
json_walk_value(struct json_walk *w)
{
	bool object = json_walk_peek(w) == '{';
	struct json_member m;

	if (!object && json_walk_peek(w) != '[')
		skip_scalar(w);
	else if (w->depth == JSON_WALK_DEPTH_MAX)
		w->bad = true;
	else {
		w->at++;
		w->depth++;
		while (json_walk_next(w, object, &m))
			;
		w->depth--;
	}
}
