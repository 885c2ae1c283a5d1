/* config_edit.c - see config_edit.h. */
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "project/config_edit.h"
#include "project/yaml.h"
#include "project/yaml_emit.h"

#define ARENA_MAX	((size_t)64 << 20)

/* The file as lines, and where its connections stand among them. */
struct place {
	struct arena		*arena;
	struct span		 text;
	const struct yaml_node	*connections;	/* NULL: no such key */
	size_t			 nlines;
	struct span		*lines;		/* without their line feeds */
	size_t			 key_line;	/* of `connections:`, from 0 */
	size_t			 end;		/* the line behind the block */
};

/* --- lines ---------------------------------------------------------------------- */

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
split(struct place *pl, struct err *err)
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
put_lines(const struct place *pl, size_t from, size_t to, struct buf *out)
{
	for (size_t i = from; i < to && i < pl->nlines; i++) {
		buf_span(out, pl->lines[i]);
		buf_byte(out, '\n');
	}
}

/* --- finding the place ------------------------------------------------------------ */

/* Behind the last line of the block that starts under key_line; what follows up to the next key is not its own. */
static size_t
block_end(const struct place *pl)
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
is_flow(const struct place *pl)
{
	struct span line = pl->lines[pl->key_line];
	const uint8_t *colon = memchr(line.p, ':', line.len);
	const uint8_t *p = colon == NULL ? line.p + line.len : colon + 1;

	while (p < line.p + line.len && *p == ' ')
		p++;
	return p < line.p + line.len && *p == '{';
}

static int
find_place(struct place *pl, struct err *err)
{
	const struct yaml_node *root = yaml_parse(pl->arena, pl->text, err);

	if (root == NULL || split(pl, err) != 0)
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
		return err_set(err, ERR_INVALID_ARGUMENTS, "line %zu: connections is written in braces; "
		    "give each connection a line of its own, or edit the file by hand", pl->key_line + 1);
	pl->end = block_end(pl);
	return 0;
}

/* The edited text must read as meant, whatever the file looked like. */
static int
confirm(struct place *pl, const struct buf *edited, size_t from, const char *id, bool wanted, struct err *err)
{
	const struct yaml_node *root = yaml_parse(pl->arena, span_of(edited->p + from, edited->len - from), err);
	const struct yaml_node *now = yaml_get(root, "connections");
	size_t before = pl->connections == NULL ? 0 : pl->connections->n;

	if (root != NULL && (yaml_get(now, id) != NULL) == wanted &&
	    (now == NULL ? 0 : now->n) == (wanted ? before + 1 : before - 1))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS, "the configuration is written in a way that cannot be edited "
	    "safely; edit it by hand");
}

/* --- adding ------------------------------------------------------------------------ */

static void
put_scalar(const char *text, struct buf *out)
{
	struct span s = span_str(text);

	/* The key decides the type, so a number needs no quotes. */
	if (s.len > 0 && (strspn(text, "0123456789") == s.len || yaml_is_plain_text(s)))
		buf_span(out, s);
	else
		json_write_string(out, s);	/* a JSON string is a YAML one */
}

static void
put_connection(const char *id, const struct config_edit_value *values, size_t n, size_t indent, struct buf *out)
{
	buf_printf(out, "%*s", (int)indent, "");
	put_scalar(id, out);
	buf_str(out, ":\n");
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%*s%s: ", (int)indent + 2, "", values[i].key);
		if (values[i].text != NULL)
			put_scalar(values[i].text, out);
		else {
			for (size_t k = 0; k < values[i].n; k++) {
				buf_str(out, k == 0 ? "[" : ", ");
				/* Inside brackets a comma or brace would end the scalar. */
				if (strpbrk(values[i].list[k], ",[]{}") != NULL)
					json_write_string(out, span_str(values[i].list[k]));
				else
					put_scalar(values[i].list[k], out);
			}
			buf_byte(out, ']');
		}
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
	struct place pl = { .arena = arena_new(ARENA_MAX), .text = text };
	size_t from = out->len;
	int r = -1;

	if (find_place(&pl, err) != 0)
		goto out;
	if (yaml_get(pl.connections, id) != NULL) {
		err_set(err, ERR_INVALID_ARGUMENTS, "there is a connection \"%s\" already; choose another name, "
		    "or remove it first", id);
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
	r = confirm(&pl, out, from, id, true, err);
out:
	if (r != 0)
		out->len = from;
	arena_free(pl.arena);
	return r;
}

/* --- removing ------------------------------------------------------------------------ */

int
config_edit_remove(struct span text, const char *id, struct buf *out, struct err *err)
{
	struct place pl = { .arena = arena_new(ARENA_MAX), .text = text };
	size_t from = out->len, which = 0, first, end;
	int r = -1;

	if (find_place(&pl, err) != 0)
		goto out;
	if (pl.connections == NULL || yaml_get(pl.connections, id) == NULL) {
		err_set(err, ERR_CONNECTION_NOT_FOUND, "there is no connection \"%s\"; "
		    "`carrel connection list` shows those there are", id);
		goto out;
	}
	while (!span_is_str(pl.connections->keys[which].text, id))
		which++;
	first = pl.connections->keys[which].line - 1;
	end = which + 1 < pl.connections->n ? pl.connections->keys[which + 1].line - 1 : pl.end;
	/* Comments and blank lines in front of the next one are the next one's. */
	while (which + 1 < pl.connections->n && end > first + 1 &&
	    (is_blank(pl.lines[end - 1]) || is_comment(pl.lines[end - 1])))
		end--;
	while (first > pl.key_line + 1 && is_comment(pl.lines[first - 1]))
		first--;
	if (pl.connections->n == 1) {
		put_lines(&pl, 0, pl.key_line, out);
		buf_str(out, "connections: {}\n");
		put_lines(&pl, pl.key_line + 1, first, out);
	} else
		put_lines(&pl, 0, first, out);
	put_lines(&pl, end, pl.nlines, out);
	r = confirm(&pl, out, from, id, false, err);
out:
	if (r != 0)
		out->len = from;
	arena_free(pl.arena);
	return r;
}
