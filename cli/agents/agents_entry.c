#include <string.h>

#include "cli/agents/agents_entry.h"
#include "project/format/json_edit.h"
#include "project/format/toml_edit.h"

#define HOLE_MAX	4096u

/* The entry's value, or the lines of its table: 1, 0, -1. */
int
agent_entry_get(const struct agent_record *r, bool comments, struct span text, struct span *value, struct err *err)
{
	*value = span_of(text.p, 0);
	if (span_trim(text).len == 0)
		return 0;
	return r->is_table ? toml_edit_get(text, (struct toml_edit_path){ r->nkeys, r->keys }, value, err) :
	    json_edit_get(text, (struct json_edit_path){ r->nkeys, r->keys }, comments, value, err);
}

int
agent_entry_set(const struct agent_target *t, const struct agent_record *r, struct span text, struct span entry,
    struct buf *out, struct err *err)
{
	return r->is_table ? toml_edit_set(text, (struct toml_edit_path){ r->nkeys, r->keys }, entry, out, err) :
	    json_edit_set(text, (struct json_edit_path){ r->nkeys, r->keys }, entry, t->comments, out, err);
}

/* How many keys on the path are missing from the file. */
unsigned
agent_entry_missing(struct span text, const struct agent_record *r, bool comments)
{
	struct span value;
	unsigned n = 0;

	for (size_t depth = r->nkeys; depth > 0; depth--)
		if (span_trim(text).len == 0 ||
		    json_edit_get(text, (struct json_edit_path){ depth, r->keys }, comments, &value, NULL) != 1)
			n++;
	return n;
}

/* The object that will hold the entry and the members made for it; empty: none exists. */
static struct span
around(struct span text, const struct agent_record *r, bool comments)
{
	struct span value = { NULL, 0 };

	if (r->made >= r->nkeys)
		return span_trim(text);
	(void)json_edit_get(text, (struct json_edit_path){ r->nkeys - r->made, r->keys }, comments, &value, NULL);
	return value;
}

/* Removing the entry does not always restore the file exactly: an object without members loses its white space. */
void
agent_entry_keep_hole(struct arena *a, struct agent_record *r, struct span was, struct span with, bool comments)
{
	struct span hole = around(was, r, comments);
	struct buf back = { 0 };

	if (r->made > 0 && hole.len > 0 && hole.len <= HOLE_MAX &&
	    json_edit_remove(with, (struct json_edit_path){ r->nkeys - r->made + 1, r->keys }, comments, &back, NULL) ==
		0 &&
	    !span_is(buf_view(&back), was))
		r->hole = arena_cstr(a, hole);
	buf_fini(&back);
}

/* Equal but for white space. */
bool
agent_same_ink(struct span a, struct span b)
{
	for (;;) {
		while (a.len > 0 && strchr(" \t\r\n", a.p[0]) != NULL)
			a = span_of(a.p + 1, a.len - 1);
		while (b.len > 0 && strchr(" \t\r\n", b.p[0]) != NULL)
			b = span_of(b.p + 1, b.len - 1);
		if (a.len == 0 || b.len == 0)
			return a.len == b.len;
		if (a.p[0] != b.p[0])
			return false;
		a = span_of(a.p + 1, a.len - 1);
		b = span_of(b.p + 1, b.len - 1);
	}
}

static struct span
fill_hole(struct arena *a, const struct agent_record *r, struct span text, bool comments)
{
	struct span now = around(text, r, comments), filled;
	struct buf out = { 0 };

	if (r->hole == NULL || now.len == 0 || !agent_same_ink(now, span_str(r->hole)))
		return text;
	buf_append(&out, text.p, (size_t)(now.p - text.p));
	buf_str(&out, r->hole);
	buf_append(&out, now.p + now.len, text.len - (size_t)(now.p + now.len - text.p));
	filled = arena_span(a, buf_view(&out));
	buf_fini(&out);
	return filled;
}

/* Is the text an empty object? */
bool
agent_is_empty(struct span text)
{
	text = span_trim(text);
	return text.len >= 2 && text.p[0] == '{' && text.p[text.len - 1] == '}' &&
	    span_trim(span_of(text.p + 1, text.len - 2)).len == 0;
}

/* The text without the entry, and without the objects made for it that hold nothing else. */
int
agent_entry_without(struct arena *a, const struct agent_record *r, bool comments, struct span *text, struct err *err)
{
	unsigned left = r->made > 0 ? r->made : 1;
	struct buf out = { 0 };
	struct span value;
	int found = 1;

	if (r->is_table) {
		found = toml_edit_remove(*text, (struct toml_edit_path){ r->nkeys, r->keys }, &out, err);
		if (r->made_line && out.len > 0 && out.p[out.len - 1] == '\n')
			out.len--;
		*text = arena_span(a, buf_view(&out));
	}
	for (size_t depth = r->nkeys; !r->is_table && found >= 0 && depth > 0 && left > 0; depth--, left--) {
		struct json_edit_path path = { depth, r->keys };

		found = json_edit_get(*text, path, comments, &value, err);
		if (found == 1 && (depth == r->nkeys || agent_is_empty(value))) {
			buf_reset(&out, SIZE_MAX);
			(void)json_edit_remove(*text, path, comments, &out, err);
			*text = arena_span(a, buf_view(&out));
		}
	}
	if (!r->is_table && found >= 0)
		*text = fill_hole(a, r, *text, comments);
	buf_fini(&out);
	return found < 0 ? -1 : 0;
}

/* Restore what the entry replaced. */
struct span
agent_entry_with_old(struct arena *a, const struct agent_record *r, struct span text, struct span value)
{
	struct buf out = { 0 };
	struct span whole;

	buf_append(&out, text.p, (size_t)(value.p - text.p));
	buf_str(&out, r->was);
	buf_append(&out, value.p + value.len, text.len - (size_t)(value.p + value.len - text.p));
	whole = arena_span(a, buf_view(&out));
	buf_fini(&out);
	return whole;
}
