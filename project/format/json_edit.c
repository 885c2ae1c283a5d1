#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/json/json_walk.h"
#include "base/utf8.h"
#include "project/format/json_edit.h"

static bool
is_key(const struct json_walk *c, const struct json_member *m, const char *key)
{
	struct buf mp = { 0 };
	struct mp_value v;
	size_t where;
	bool same;

	same = json_read(span_of(c->text.p + m->key, m->key_end - m->key), &mp, &where) == JSON_OK &&
	    mp_value(buf_view(&mp), &v) && v.class == MP_STR && span_is_str(v.s, key);
	buf_fini(&mp);
	return same;
}

static int
refuse_text(struct err *err, const struct json_walk *c)
{
	size_t line = 1;

	for (size_t i = 0; i < c->at && i < c->text.len; i++)
		line += c->text.p[i] == '\n';
	return err_set(err, ERR_INVALID_ARGUMENTS, "it is not valid JSON (line %zu)", line);
}

/* The whole text is one object; the cursor is left at its brace. */
static int
json_edit_begin(struct json_walk *c, struct err *err)
{
	size_t start;

	if (c->text.len >= 3 && memcmp(c->text.p, "\xef\xbb\xbf", 3) == 0)
		c->at = 3;
	json_walk_space(c);
	start = c->at;
	if (!utf8_valid(c->text.p, c->text.len))
		c->bad = true;
	else {
		json_walk_value(c);
		if (!c->bad)
			json_walk_space(c);
	}
	if (c->bad || c->at < c->text.len)
		return refuse_text(err, c);
	c->at = start;
	if (json_walk_peek(c) != '{')
		return err_set(err, ERR_INVALID_ARGUMENTS, "it holds %s where an object is needed, {…}",
		    json_walk_peek(c) == '['     ? "a list" :
			json_walk_peek(c) == '"' ? "a text" :
						   "a single value");
	return 0;
}

/* The result of searching an object for a key. */
struct object {
	size_t		open, close;		/* of its brackets */
	size_t		n;			/* members */
	struct json_member	first, last, found, before;	/* before: the member in front of found */
	bool		has;
};

static int
json_edit_search(struct json_walk *c, const char *key, struct object *o, struct err *err)
{
	struct json_member m, previous = { 0 };

	*o = (struct object){ .open = c->at };
	c->at++;
	while (json_walk_next(c, true, &m)) {
		if (is_key(c, &m, key)) {
			if (o->has)
				return err_set(err, ERR_INVALID_ARGUMENTS, "it holds \"%s\" twice", key);
			o->has = true;
			o->found = m;
			o->before = previous;
		}
		if (o->n++ == 0)
			o->first = m;
		o->last = previous = m;
	}
	o->close = c->at - 1;
	return 0;
}

/* Go down path as far as it exists; *depth keys were found, o is the object the next one belongs to. */
static int
json_edit_descend(struct json_walk *c, struct json_edit_path path, struct object *o, size_t *depth, struct err *err)
{
	for (*depth = 0;; ++*depth) {
		if (json_edit_search(c, path.keys[*depth], o, err) != 0)
			return -1;
		if (!o->has || *depth + 1 == path.n)
			return 0;
		c->at = o->found.value;
		if (json_walk_peek(c) != '{')
			return err_set(err, ERR_INVALID_ARGUMENTS, "\"%s\" in it is not an object", path.keys[*depth]);
	}
}

int
json_edit_get(struct span text, struct json_edit_path path, bool comments, struct span *value, struct err *err)
{
	struct json_walk c = { .text = text, .comments = comments, .strict = true };
	struct object o;
	size_t depth;

	if (json_edit_begin(&c, err) != 0 || json_edit_descend(&c, path, &o, &depth, err) != 0)
		return -1;
	if (!o.has)
		return 0;
	*value = span_of(text.p + o.found.value, o.found.value_end - o.found.value);
	return 1;
}

/* The indentation of the line of `at`; *own: nothing else is before `at` on the line. */
static struct span
margin(struct span text, size_t at, bool *own)
{
	size_t start = at, end;

	while (start > 0 && text.p[start - 1] != '\n')
		start--;
	for (end = start; end < at && (text.p[end] == ' ' || text.p[end] == '\t'); end++)
		;
	*own = end == at && start > 0;
	return span_of(text.p + start, end - start);
}

/* The layout of an object, which a new member follows. */
struct layout {
	bool		lines;		/* one member a line */
	struct span	indent;		/* of its members */
	struct span	outer;		/* of the line of its bracket */
	struct span	unit;		/* one level */
	const char	*eol;
};

static struct layout
layout_of(struct span text, const struct object *o)
{
	struct layout l = { .unit = SPAN("  "), .eol = memmem(text.p, text.len, "\r\n", 2) != NULL ? "\r\n" : "\n" };
	bool own;

	l.outer = margin(text, o->open, &own);
	if (o->n == 0) {
		l.lines = true;
		/* Indent like the first indented line of the file. */
		for (size_t i = 0; i + 1 < text.len; i++)
			if (text.p[i] == '\n' && (text.p[i + 1] == ' ' || text.p[i + 1] == '\t')) {
				size_t n = 1;

				while (i + 1 + n < text.len && text.p[i + 1 + n] == text.p[i + 1])
					n++;
				l.unit = span_of(text.p + i + 1, n);
				break;
			}
		return l;
	}
	l.indent = margin(text, o->last.key, &l.lines);
	if (l.lines && l.indent.len > l.outer.len)
		l.unit = span_of(l.indent.p + l.outer.len, l.indent.len - l.outer.len);
	return l;
}

static void
new_line(struct buf *out, const struct layout *l, size_t extra)
{
	buf_str(out, l->eol);
	buf_span(out, l->indent);
	for (size_t i = 0; i < extra; i++)
		buf_span(out, l->unit);
}

/* Compact JSON laid out like its neighbours. */
static void
put_value(struct buf *out, const struct layout *l, struct span json)
{
	bool text = false;
	size_t depth = 0;

	for (size_t i = 0; i < json.len; i++) {
		uint8_t c = json.p[i];

		if (text) {
			buf_byte(out, c);
			if (c == '\\' && i + 1 < json.len)
				buf_byte(out, json.p[++i]);
			else if (c == '"')
				text = false;
			continue;
		}
		if ((c == '}' || c == ']') && l->lines && i > 0 && json.p[i - 1] != '{' && json.p[i - 1] != '[')
			new_line(out, l, depth - 1);
		buf_byte(out, c);
		text = c == '"';
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
		if (c == ':' || (c == ',' && !l->lines))
			buf_byte(out, ' ');
		else if (l->lines && (c == '{' || c == '[' || c == ',') && i + 1 < json.len && json.p[i + 1] != '}' &&
		    json.p[i + 1] != ']')
			new_line(out, l, depth);
	}
}

/* {"b":{"c":value}} for the keys from i on, as compact JSON; the first key without its braces. */
static void
wrap(struct json_edit_path path, size_t i, struct span value, struct buf *out)
{
	size_t braces = path.n - i - 1;

	for (; i < path.n; i++) {
		json_write_string(out, span_str(path.keys[i]));
		buf_byte(out, ':');
		if (i + 1 < path.n)
			buf_byte(out, '{');
	}
	buf_span(out, value);
	while (braces-- > 0)
		buf_byte(out, '}');
}

/* After a comment that ends the value's line; else directly after the value. */
static size_t
after_remark(struct span text, size_t at, size_t close)
{
	const uint8_t *nl = memchr(text.p + at, '\n', close - at);
	size_t end = nl == NULL ? at : (size_t)(nl - text.p);

	return end > at && text.p[end - 1] == '\r' ? end - 1 : end;
}

static void
add_member(struct span text, const struct object *o, struct span member, struct buf *out)
{
	struct layout l = layout_of(text, o);
	size_t from;

	if (o->n == 0) {
		struct layout inner = l;
		struct buf indent = { 0 };

		buf_span(&indent, l.outer);
		buf_span(&indent, l.unit);
		inner.indent = buf_view(&indent);
		buf_append(out, text.p, o->open + 1);
		/* Keep white space and comments between the brackets. */
		if (span_trim(span_of(text.p + o->open + 1, o->close - o->open - 1)).len > 0)
			buf_append(out, text.p + o->open + 1, o->close - o->open - 1);
		new_line(out, &inner, 0);
		put_value(out, &inner, member);
		buf_str(out, l.eol);
		buf_span(out, l.outer);
		buf_append(out, text.p + o->close, text.len - o->close);
		buf_fini(&indent);
		return;
	}
	buf_append(out, text.p, o->last.value_end);
	if (o->last.comma == 0)
		buf_byte(out, ',');
	from = o->last.comma != 0 ? o->last.comma + 1 : o->last.value_end;
	buf_append(out, text.p + o->last.value_end, from - o->last.value_end);
	if (l.lines) {
		size_t end = after_remark(text, from, o->close);

		buf_append(out, text.p + from, end - from);
		from = end;
		new_line(out, &l, 0);
	} else
		buf_byte(out, ' ');
	put_value(out, &l, member);
	if (o->last.comma != 0)
		buf_byte(out, ',');
	buf_append(out, text.p + from, text.len - from);
}

int
json_edit_set(struct span text, struct json_edit_path path, struct span value, bool comments, struct buf *out,
    struct err *err)
{
	struct json_walk c = {
		.text = span_trim(text).len == 0 ? SPAN("{}\n") : text, .comments = comments, .strict = true
	};
	struct buf member = { 0 };
	struct object o;
	struct layout l;
	size_t depth;

	if (json_edit_begin(&c, err) != 0 || json_edit_descend(&c, path, &o, &depth, err) != 0)
		return -1;
	if (o.has) {
		l = layout_of(c.text, &o);
		buf_append(out, c.text.p, o.found.value);
		put_value(out, &l, value);
		buf_append(out, c.text.p + o.found.value_end, c.text.len - o.found.value_end);
		return 0;
	}
	wrap(path, depth, value, &member);
	add_member(c.text, &o, buf_view(&member), out);
	buf_fini(&member);
	return 0;
}

int
json_edit_remove(struct span text, struct json_edit_path path, bool comments, struct buf *out, struct err *err)
{
	struct json_walk c = { .text = text, .comments = comments, .strict = true };
	struct object o;
	size_t depth, start, end;

	if (json_edit_begin(&c, err) != 0 || json_edit_descend(&c, path, &o, &depth, err) != 0)
		return -1;
	if (!o.has) {
		buf_span(out, text);
		return 0;
	}
	start = o.found.key;
	while (start > o.open + 1 && strchr(" \t\r\n", text.p[start - 1]) != NULL)
		start--;
	end = o.found.comma != 0 ? o.found.comma + 1 : o.found.value_end;
	if (o.found.comma == 0 && o.before.comma != 0) {
		/* The last one takes the comma in front of it along. */
		buf_append(out, text.p, o.before.comma);
		buf_append(out, text.p + o.before.comma + 1, start - o.before.comma - 1);
	} else
		buf_append(out, text.p, start);
	if (o.n == 1 && span_trim(span_of(text.p + end, o.close - end)).len == 0)
		end = o.close;
	buf_append(out, text.p + end, text.len - end);
	return 0;
}
