#include <string.h>

#include "base/arena.h"
#include "project/config/config_edit.h"
#include "project/format/yaml.h"
#include "project/format/yaml_emit.h"

#define ARENA_MAX	((size_t)64 << 20)
#define UNSAFE		"the configuration is written in a way that cannot be edited safely; edit it by hand"

/* The file as lines, and where its connections stand among them. */
struct edit_place {
	struct arena		*arena;
	struct span		 text;
	const struct yaml_node	*connections;	/* NULL: no such key */
	size_t			 nlines;
	struct span		*lines;		/* without their line feeds */
	size_t			 key_line;	/* of `connections:`, from 0 */
	size_t			 end;		/* the line behind the block */
};

static bool
is_blank(struct span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
			return false;
	return true;
}

static size_t
indent_of(struct span line)
{
	size_t n = 0;

	while (n < line.len && line.p[n] == ' ')
		n++;
	return n;
}

static bool
is_comment(struct span line)
{
	size_t n = indent_of(line);

	return n < line.len && line.p[n] == '#';
}

static int
config_edit_split(struct edit_place *pl, struct err *err)
{
	const uint8_t *p = pl->text.p, *end = p + pl->text.len;
	size_t n = 1;

	for (size_t i = 0; i < pl->text.len; i++)
		n += pl->text.p[i] == '\n';
	if ((pl->lines = arena_array(pl->arena, n, sizeof(*pl->lines))) == NULL)
		return err_set(err, ERR_INTERNAL, "the configuration is too large to be edited");
	while (p < end) {
		const uint8_t *feed = memchr(p, '\n', (size_t)(end - p));

		pl->lines[pl->nlines++] = span_of(p, (size_t)((feed == NULL ? end : feed) - p));
		p = feed == NULL ? end : feed + 1;
	}
	return 0;
}

static void
put_lines(const struct edit_place *pl, size_t from, size_t to, struct buf *out)
{
	for (size_t i = from; i < to && i < pl->nlines; i++) {
		buf_span(out, pl->lines[i]);
		buf_byte(out, '\n');
	}
}

/* The line after the last one of the block under key_line; comments before the next key belong to that key. */
static size_t
block_end(const struct edit_place *pl)
{
	size_t next = pl->key_line + 1, last = pl->key_line;

	for (; next < pl->nlines; next++) {
		struct span line = pl->lines[next];

		if (is_blank(line) || (is_comment(line) && indent_of(line) == 0))
			continue;
		if (indent_of(line) == 0)
			break;
		last = next;
	}
	return last + 1;
}

/* The value stands on the key's own line, in braces. */
static bool
is_flow(const struct edit_place *pl)
{
	struct span line = pl->lines[pl->key_line];
	const uint8_t *colon = memchr(line.p, ':', line.len);
	const uint8_t *p = colon == NULL ? line.p + line.len : colon + 1;

	while (p < line.p + line.len && *p == ' ')
		p++;
	return p < line.p + line.len && *p == '{';
}

static int
find_place(struct edit_place *pl, struct err *err)
{
	const struct yaml_node *root = yaml_parse(pl->arena, pl->text, err);

	if (root == NULL || config_edit_split(pl, err) != 0)
		return -1;
	if (root->kind != YAML_MAPPING && root->kind != YAML_NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the configuration is no YAML mapping; correct it first");
	for (size_t i = 0; i < root->n; i++)
		if (span_is_str(root->keys[i].text, "connections")) {
			pl->connections = &root->items[i];
			pl->key_line = root->keys[i].line - 1;
		}
	if (pl->connections == NULL)
		return 0;
	if (pl->connections->kind != YAML_MAPPING && pl->connections->kind != YAML_NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "line %zu: connections is no mapping; correct it first",
		    pl->key_line + 1);
	if (pl->connections->n > 0 && is_flow(pl))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "line %zu: connections is written in braces; "
		    "give each connection a line of its own, or edit the file by hand",
		    pl->key_line + 1);
	pl->end = block_end(pl);
	return 0;
}

/* Parse the edited text again: it must say what was intended. */
static int
config_edit_confirm(struct edit_place *pl, const struct buf *edited, size_t from, const char *id, bool wanted,
    struct err *err)
{
	const struct yaml_node *root = yaml_parse(pl->arena, span_of(edited->p + from, edited->len - from), err);
	const struct yaml_node *now = yaml_get(root, "connections");
	size_t before = pl->connections == NULL ? 0 : pl->connections->n;

	if (root != NULL && (yaml_get(now, id) != NULL) == wanted &&
	    (now == NULL ? 0 : now->n) == (wanted ? before + 1 : before - 1))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS, UNSAFE);
}

static void
put_scalar(const char *text, struct buf *out)
{
	struct span s = span_str(text);

	/* The key decides the type, so a number needs no quotes. */
	if (s.len > 0 && (strspn(text, "0123456789") == s.len || yaml_is_plain_text(s)))
		buf_span(out, s);
	else
		yaml_put_quoted(s, out);
}

static void
put_value(const struct config_edit_value *v, size_t indent, struct buf *out)
{
	buf_printf(out, "%*s%s: ", (int)indent, "", v->key);
	if (v->text != NULL) {
		put_scalar(v->text, out);
		return;
	}
	for (size_t k = 0; k < v->n; k++) {
		buf_str(out, k == 0 ? "[" : ", ");
		/* Inside brackets a comma or brace would end the scalar. */
		if (strpbrk(v->list[k], ",[]{}") != NULL)
			yaml_put_quoted(span_str(v->list[k]), out);
		else
			put_scalar(v->list[k], out);
	}
	buf_byte(out, ']');
}

static void
put_connection(const char *id, const struct config_edit_value *values, size_t n, size_t indent, struct buf *out)
{
	buf_printf(out, "%*s", (int)indent, "");
	put_scalar(id, out);
	buf_str(out, ":\n");
	for (size_t i = 0; i < n; i++) {
		put_value(&values[i], indent + 2, out);
		buf_byte(out, '\n');
	}
}

/* `connections: {}  # why` without its braces. */
static void
put_opened_key(struct span line, struct buf *out)
{
	const uint8_t *open = memchr(line.p, '{', line.len), *close = memchr(line.p, '}', line.len);
	size_t n = open == NULL ? line.len : (size_t)(open - line.p);

	while (n > 0 && line.p[n - 1] == ' ')
		n--;
	buf_append(out, line.p, n);
	if (open != NULL && close != NULL)
		buf_append(out, close + 1, (size_t)(line.p + line.len - close) - 1);
	buf_byte(out, '\n');
}

int
config_edit_add(struct span text, const char *id, const struct config_edit_value *values, size_t n,
    struct buf *out, struct err *err)
{
	struct edit_place pl = { .arena = arena_new(ARENA_MAX), .text = text };
	size_t from = out->len;
	int r = -1;

	if (find_place(&pl, err) != 0)
		goto out;
	if (yaml_get(pl.connections, id) != NULL) {
		err_set(err, ERR_INVALID_ARGUMENTS, CONFIG_EDIT_TAKEN, id);
		goto out;
	}
	if (pl.connections == NULL) {
		put_lines(&pl, 0, pl.nlines, out);
		buf_str(out, "connections:\n");
		put_connection(id, values, n, 2, out);
	} else if (pl.connections->n == 0) {
		put_lines(&pl, 0, pl.key_line, out);
		put_opened_key(pl.lines[pl.key_line], out);
		put_connection(id, values, n, 2, out);
		put_lines(&pl, pl.key_line + 1, pl.nlines, out);
	} else {
		put_lines(&pl, 0, pl.end, out);
		put_connection(id, values, n, indent_of(pl.lines[pl.connections->keys[0].line - 1]), out);
		put_lines(&pl, pl.end, pl.nlines, out);
	}
	r = config_edit_confirm(&pl, out, from, id, true, err);
out:
	if (r != 0)
		out->len = from;
	arena_free(pl.arena);
	return r;
}

static int
find_connection(const struct edit_place *pl, const char *id, size_t *which, struct err *err)
{
	if (pl->connections == NULL || yaml_get(pl->connections, id) == NULL)
		return err_set(err, ERR_CONNECTION_NOT_FOUND,
		    "there is no connection \"%s\"; "
		    "`carrel connection list` shows those there are",
		    id);
	for (*which = 0; !span_is_str(pl->connections->keys[*which].text, id);)
		++*which;
	return 0;
}

/* The line after its last one.  Comments and blank lines before the next connection belong to that one. */
static size_t
connection_end(const struct edit_place *pl, size_t which)
{
	bool last = which + 1 == pl->connections->n;
	size_t first = pl->connections->keys[which].line - 1;
	size_t end = last ? pl->end : pl->connections->keys[which + 1].line - 1;

	while (!last && end > first + 1 && (is_blank(pl->lines[end - 1]) || is_comment(pl->lines[end - 1])))
		end--;
	return end;
}

/* The line after a key's value: after everything that is indented deeper than the key. */
static size_t
value_end(const struct edit_place *pl, size_t line, size_t end)
{
	size_t indent = indent_of(pl->lines[line]), last = line;

	for (size_t i = line + 1; i < end; i++) {
		if (is_blank(pl->lines[i]))
			continue;
		if (indent_of(pl->lines[i]) <= indent &&
		    !(indent_of(pl->lines[i]) == indent && pl->lines[i].p[indent] == '-'))
			break;
		last = i;
	}
	return last + 1;
}

/* The comment after the value on its line: " # why".  A # within the value is not a comment. */
static struct span
comment_behind(struct span line, const struct yaml_node *value)
{
	for (size_t i = line.len; value->kind == YAML_SCALAR && i-- > 1;)
		if (line.p[i] == '#' && (line.p[i - 1] == ' ' || line.p[i - 1] == '\t')) {
			size_t from = i;

			if (value->text.len > 0 && memchr(value->text.p, '#', value->text.len) != NULL)
				break;
			while (from > 0 && (line.p[from - 1] == ' ' || line.p[from - 1] == '\t'))
				from--;
			return span_of(line.p + from, line.len - from);
		}
	return span_of(line.p, 0);
}

static const struct config_edit_value *
change_of(const struct config_edit_value *values, size_t n, struct span key)
{
	for (size_t i = 0; i < n; i++)
		if (span_is_str(key, values[i].key))
			return &values[i];
	return NULL;
}

static void
put_changed(const struct edit_place *pl, const struct yaml_node *node, size_t end,
    const struct config_edit_value *values, size_t n, struct buf *out)
{
	size_t at = node->keys[0].line - 1, indent = indent_of(pl->lines[at]), last = at;

	for (size_t k = 0; k < node->n; k++) {
		const struct config_edit_value *v = change_of(values, n, node->keys[k].text);
		size_t line = node->keys[k].line - 1, behind = value_end(pl, line, end);

		put_lines(pl, at, line, out);
		if (v == NULL)
			put_lines(pl, line, behind, out);
		else if (v->text != NULL || v->n > 0) {
			put_value(v, indent, out);
			buf_span(out, comment_behind(pl->lines[line], &node->items[k]));
			buf_byte(out, '\n');
		}
		at = last = behind;
	}
	for (size_t i = 0; i < n; i++)
		if (yaml_get(node, values[i].key) == NULL && (values[i].text != NULL || values[i].n > 0)) {
			put_value(&values[i], indent, out);
			buf_byte(out, '\n');
		}
	put_lines(pl, last, end, out);
}

int
config_edit_set(struct span text, const char *id, const struct config_edit_value *values, size_t n,
    struct buf *out, struct err *err)
{
	struct edit_place pl = { .arena = arena_new(ARENA_MAX), .text = text };
	size_t from = out->len, which, key_line, end;
	const struct yaml_node *node, *after;
	int r = -1;

	if (find_place(&pl, err) != 0 || find_connection(&pl, id, &which, err) != 0)
		goto out;
	node = &pl.connections->items[which];
	key_line = pl.connections->keys[which].line - 1;
	end = connection_end(&pl, which);
	if (node->kind != YAML_MAPPING || node->n == 0 || node->keys[0].line - 1 == key_line) {
		err_set(err, ERR_INVALID_ARGUMENTS,
		    "line %zu: the connection is written in braces; give each key a line "
		    "of its own, or edit the file by hand",
		    key_line + 1);
		goto out;
	}
	put_lines(&pl, 0, node->keys[0].line - 1, out);
	put_changed(&pl, node, end, values, n, out);
	put_lines(&pl, end, pl.nlines, out);
	/* Parse the edited text again: it must say what was intended. */
	after =
	    yaml_get(yaml_get(yaml_parse(pl.arena, span_of(out->p + from, out->len - from), err), "connections"), id);
	r = 0;
	for (size_t i = 0; i < n; i++) {
		const struct yaml_node *now = yaml_get(after, values[i].key);
		bool there = values[i].text != NULL || values[i].n > 0;

		if ((now != NULL) != there || (values[i].text != NULL && !span_is_str(now->text, values[i].text)))
			r = err_set(err, ERR_INVALID_ARGUMENTS, UNSAFE);
	}
out:
	if (r != 0)
		out->len = from;
	arena_free(pl.arena);
	return r;
}

int
config_edit_remove(struct span text, const char *id, struct buf *out, struct err *err)
{
	struct edit_place pl = { .arena = arena_new(ARENA_MAX), .text = text };
	size_t from = out->len, which = 0, first, end;
	int r = -1;

	if (find_place(&pl, err) != 0)
		goto out;
	if (find_connection(&pl, id, &which, err) != 0)
		goto out;
	first = pl.connections->keys[which].line - 1;
	end = connection_end(&pl, which);
	while (first > pl.key_line + 1 && is_comment(pl.lines[first - 1]))
		first--;
	if (pl.connections->n == 1) {
		put_lines(&pl, 0, pl.key_line, out);
		buf_str(out, "connections: {}\n");
		put_lines(&pl, pl.key_line + 1, first, out);
	} else
		put_lines(&pl, 0, first, out);
	put_lines(&pl, end, pl.nlines, out);
	r = config_edit_confirm(&pl, out, from, id, false, err);
out:
	if (r != 0)
		out->len = from;
	arena_free(pl.arena);
	return r;
}
