#include <string.h>

#include "base/json/json_write.h"
#include "project/scan/describe.h"
#include "project/format/yaml_emit.h"
#include "workers/memory/read/layer_text.h"

static int
fail_form(struct err *err)
{
	return err_set(err, ERR_INVALID_QUERY, "the source's file has a form that is not edited automatically");
}

void
layer_put_line(struct buf *out, unsigned indent, const char *key, struct span text)
{
	struct yaml_node node = { .kind = YAML_SCALAR, .quoted = true };
	struct buf line = { 0 };

	for (size_t i = 0; i < text.len; i++)
		buf_byte(&line, text.p[i] < ' ' ? ' ' : text.p[i]);
	node.text = buf_view(&line);
	buf_printf(out, "%*s%s: ", (int)indent, "", key);
	yaml_emit(&node, out);
	buf_fini(&line);
}

/* The same in a flow mapping, without a line end: quoted, since a comma or bracket ends a plain text there. */
static void
put_flow_pair(struct buf *out, const char *key, struct span text)
{
	struct buf line = { 0 };

	for (size_t i = 0; i < text.len; i++)
		buf_byte(&line, text.p[i] < ' ' ? ' ' : text.p[i]);
	buf_reset(out, SIZE_MAX);
	buf_printf(out, "%s: ", key);
	json_write_string(out, buf_view(&line));
	buf_fini(&line);
}

const struct yaml_node *
layer_entry(const struct yaml_node *root, const char *key, struct span name)
{
	const struct yaml_node *list = yaml_get(root, key);

	for (size_t i = 0; list != NULL && list->kind == YAML_SEQUENCE && i < list->n; i++)
		if (span_is(layer_scalar(yaml_get(&list->items[i], "name")), name))
			return &list->items[i];
	return NULL;
}

/* The end of the line that starts at `at`, its line feed included. */
static size_t
line_end(struct span text, size_t at)
{
	const uint8_t *nl = memchr(text.p + at, '\n', text.len - at);

	return nl == NULL ? text.len : (size_t)(nl + 1 - text.p);
}

static size_t
line_start(struct span text, unsigned line)
{
	size_t at = 0;

	while (line-- > 1 && at < text.len)
		at = line_end(text, at);
	return at;
}

static unsigned
indent_at(struct span text, size_t at)
{
	unsigned n = 0;

	while (at + n < text.len && text.p[at + n] == ' ')
		n++;
	return n;
}

/* The end of the lines that belong to the one at `at`: those that are indented further, without blank ones behind. */
static size_t
block_end(struct span text, size_t at)
{
	unsigned own = indent_at(text, at);
	size_t end = line_end(text, at);

	for (size_t i = end, next; i < text.len; i = next) {
		struct span line;

		next = line_end(text, i);
		line = span_trim(span_of(text.p + i, next - i));
		if (line.len == 0 || line.p[0] == '#')
			continue;
		if (indent_at(text, i) <= own && !(own == 0 && line.p[0] == '-' && text.p[at] != '-'))
			break;
		end = next;
	}
	return end;
}

/* The position of the line of a top-level key; text.len: none. */
static size_t
find_list(struct span text, const char *key)
{
	size_t n = strlen(key);

	for (size_t at = 0; at < text.len; at = line_end(text, at))
		if (text.len - at > n && memcmp(text.p + at, key, n) == 0 && text.p[at + n] == ':')
			return at;
	return text.len;
}

/* Appends lines, indented, with the line ends of the file. */
static void
put_lines(struct buf *out, struct span file, unsigned indent, struct span lines)
{
	bool crlf = memmem(file.p, file.len, "\r\n", 2) != NULL;
	struct span line;

	if (out->len > 0 && out->p[out->len - 1] != '\n')
		buf_str(out, crlf ? "\r\n" : "\n");
	while (span_line(&lines, &line))
		buf_printf(out, "%*s%.*s%s", (int)indent, "", SPAN_FMT(line), crlf ? "\r\n" : "\n");
}

/* Whether both trees are equal, wherever they are in the text. */
static bool
same_node(const struct yaml_node *a, const struct yaml_node *b)
{
	if (a->kind != b->kind || a->n != b->n || !span_is(a->text, b->text))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_node(&a->items[i], &b->items[i]) ||
		    (a->kind == YAML_MAPPING && !same_node(&a->keys[i], &b->keys[i])))
			return false;
	return true;
}

static const char *const descriptions[] = { "description", "descriptions", NULL };

/* Whether the mappings are equal but for these members. */
static bool
same_but(const struct yaml_node *a, const struct yaml_node *b, const char *const *members)
{
	size_t k = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (span_is_any(a->keys[i].text, members))
			continue;
		while (k < b->n && span_is_any(b->keys[k].text, members))
			k++;
		if (k == b->n || !span_is(a->keys[i].text, b->keys[k].text) || !same_node(&a->items[i], &b->items[k++]))
			return false;
	}
	while (k < b->n && span_is_any(b->keys[k].text, members))
		k++;
	return k == b->n;
}

/* Whether the text differs from root only in the entry of the list, which is new or differs in these members. */
static int
check_edit(struct arena *a, const struct yaml_node *root, struct span text, const char *key, struct span name,
    const char *const *members, struct err *err)
{
	const struct yaml_node *after = yaml_parse(a, text, err), *was = layer_entry(root, key, name), *is, *list;

	if (after == NULL)
		return -1;
	is = layer_entry(after, key, name);
	list = yaml_get(root, key);
	if (is == NULL || after->n != root->n + (list == NULL) || (was != NULL && !same_but(was, is, members)))
		return fail_form(err);
	for (size_t i = 0; i < root->n; i++) {
		const struct yaml_node *mine = &root->items[i], *theirs = &after->items[i];

		if (mine != list && !same_node(mine, theirs))
			return fail_form(err);
		for (size_t k = 0; mine == list && k < mine->n; k++)
			if (theirs->n != mine->n + (was == NULL) ||
			    (&mine->items[k] != was && !same_node(&mine->items[k], &theirs->items[k])))
				return fail_form(err);
	}
	return 0;
}

int
layer_add(struct arena *a, struct span text, const char *key, struct span entry, struct buf *out, struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *added;
	size_t at = find_list(text, key), end = text.len, n = strlen(key) + 1;
	struct buf item = { 0 }, head = { 0 };
	unsigned indent = 2;
	struct span rest = SPAN_NONE, line = entry;

	if (root == NULL || (added = yaml_parse(a, entry, err)) == NULL)
		return -1;
	if (at < text.len) {
		rest = span_trim(span_of(text.p + at + n, line_end(text, at) - at - n));
		if (rest.len > 0 && rest.p[0] != '#' && !span_is_str(rest, "[]"))
			return err_set(err, ERR_INVALID_QUERY,
			    "the %s of the source are a list on one line, which is not edited automatically", key);
		end = block_end(text, at);
		for (size_t i = line_end(text, at); i < end; i = line_end(text, i))
			if (indent_at(text, i) < text.len - i && text.p[i + indent_at(text, i)] == '-') {
				indent = indent_at(text, i);
				break;
			}
	}
	buf_printf(&head, "%s:", key);
	if (at < text.len && span_is_str(rest, "[]")) {
		buf_append(out, text.p, at);
		put_lines(out, text, 0, buf_view(&head));
		buf_append(out, text.p + line_end(text, at), end - line_end(text, at));
	} else
		buf_append(out, text.p, end);
	if (at == text.len)
		put_lines(out, text, 0, buf_view(&head));
	for (bool first = true; span_line(&entry, &line); first = false)
		buf_printf(&item, "%s%.*s\n", first ? "- " : "  ", SPAN_FMT(line));
	put_lines(out, text, indent, buf_view(&item));
	buf_append(out, text.p + end, text.len - end);
	buf_fini(&item);
	buf_fini(&head);
	return check_edit(a, root, buf_view(out), key, layer_scalar(yaml_get(added, "name")), descriptions, err);
}

/* The place of the key in the mapping; NULL: it has none. */
static const struct yaml_node *
key_of(const struct yaml_node *mapping, const char *key)
{
	for (size_t i = 0; mapping != NULL && mapping->kind == YAML_MAPPING && i < mapping->n; i++)
		if (span_is_str(mapping->keys[i].text, key))
			return &mapping->keys[i];
	return NULL;
}

/* The end of the entry of the list, a flow mapping on the line at `at`, where others may stand; text.len: none. */
static size_t
flow_end(struct span text, size_t at, const struct yaml_node *list, const struct yaml_node *entry)
{
	size_t end = line_end(text, at), depth = 0, before = 0;
	uint8_t quote = 0;

	for (const struct yaml_node *n = list->items; n < entry; n++)
		before += n->line == entry->line;
	for (size_t i = at; i < end; i++) {
		uint8_t c = text.p[i];

		if (quote != 0)
			quote = c == quote ? 0 : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '{')
			depth++;
		else if (c == '}' && --depth == 0 && before-- == 0)
			return i;
	}
	return text.len;
}

/* Puts the lines in place of text[from, to). */
static void
replace_lines(struct buf *out, struct span text, size_t from, size_t to, unsigned indent, struct span lines)
{
	buf_append(out, text.p, from);
	put_lines(out, text, indent, lines);
	buf_append(out, text.p + to, text.len - to);
}

int
layer_describe(struct arena *a, struct span text, const char *key, struct span name, struct span description,
    struct buf *out, struct err *err)
{
	bool measure = strcmp(key, "measures") == 0;
	const struct yaml_node *root = yaml_parse(a, text, err), *entry = layer_entry(root, key, name);
	const struct yaml_node *map = yaml_get(entry, "descriptions"), *flat = key_of(entry, "description"), *user;
	struct buf one = { 0 }, two = { 0 };
	size_t at;

	if (entry == NULL || entry->line == 0)
		return root == NULL ? -1 : fail_form(err);
	at = line_start(text, entry->line);
	layer_put_line(&one, 0, map != NULL || !measure ? "user" : "description", description);
	buf_printf(&two, "descriptions:\n  %.*s", (int)one.len, (const char *)one.p);
	if (memchr(text.p + at, '{', line_end(text, at) - at) != NULL) {
		size_t end = flow_end(text, at, yaml_get(root, key), entry);

		put_flow_pair(&one, map != NULL || !measure ? "user" : "description", description);
		if (map != NULL || flat != NULL || end == text.len)
			(void)fail_form(err);
		else {
			buf_append(out, text.p, end);
			buf_printf(out, measure ? ", %.*s" : ", descriptions: {%.*s}", (int)one.len,
			    (const char *)one.p);
			buf_append(out, text.p + end, text.len - end);
		}
	} else if (map != NULL && (user = key_of(map, "user")) != NULL) {
		at = line_start(text, user->line);
		replace_lines(out, text, at, block_end(text, at), indent_at(text, at), buf_view(&one));
	} else if (map != NULL) {
		at = line_end(text, line_start(text, key_of(entry, "descriptions")->line));
		replace_lines(out, text, at, at, indent_at(text, at), buf_view(&one));
	} else if (flat != NULL) {
		one.len = 0;
		layer_put_line(&one, 0, "description", description);
		at = line_start(text, flat->line);
		replace_lines(out, text, at, block_end(text, at), indent_at(text, at), buf_view(&one));
	} else {
		size_t end = block_end(text, at);

		replace_lines(out, text, end, end, indent_at(text, at) + 2, buf_view(measure ? &one : &two));
	}
	buf_fini(&one);
	buf_fini(&two);
	if (out->len == 0 || check_edit(a, root, buf_view(out), key, name, descriptions, err) != 0)
		return -1;
	entry = layer_entry(yaml_parse(a, buf_view(out), NULL), key, name);
	map = yaml_get(entry, "descriptions");
	return span_is(map != NULL ? describe_yaml(map) : layer_scalar(yaml_get(entry, "description")), description) ?
	    0 :
	    fail_form(err);
}

int
layer_set(struct arena *a, struct span text, const char *key, struct span name, const char *member, struct span value,
    struct buf *out, struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *entry = layer_entry(root, key, name);
	const struct yaml_node *own = key_of(entry, member);
	const char *const members[] = { member, NULL };
	struct buf line = { 0 };
	size_t at, from, to;

	if (entry == NULL || entry->line == 0)
		return root == NULL ? -1 : fail_form(err);
	at = line_start(text, entry->line);
	from = own == NULL ? block_end(text, at) : line_start(text, own->line);
	to = own == NULL ? from : block_end(text, from);
	/* A mapping on one line gets another member; what it has, or what stands behind the dash, is not edited. */
	if (memchr(text.p + at, '{', line_end(text, at) - at) != NULL) {
		size_t end = flow_end(text, at, yaml_get(root, key), entry);

		if (own != NULL || end == text.len)
			return fail_form(err);
		put_flow_pair(&line, member, value);
		buf_append(out, text.p, end);
		buf_printf(out, ", %.*s", (int)line.len, (const char *)line.p);
		buf_append(out, text.p + end, text.len - end);
	} else if (from == at)
		return fail_form(err);
	else {
		if (value.len > 0)
			layer_put_line(&line, 0, member, value);
		replace_lines(out, text, from, to, own == NULL ? indent_at(text, at) + 2 : indent_at(text, from),
		    buf_view(&line));
	}
	buf_fini(&line);
	if (check_edit(a, root, buf_view(out), key, name, members, err) != 0)
		return -1;
	entry = layer_entry(yaml_parse(a, buf_view(out), NULL), key, name);
	return span_is(layer_scalar(yaml_get(entry, member)), value) ? 0 : fail_form(err);
}

struct span
layer_unmark(struct arena *a, struct span text, const char *mark)
{
	struct buf out = { 0 };
	struct span kept;

	for (size_t at = 0, end; at < text.len; at = end) {
		end = line_end(text, at);
		if (!span_is_str(span_trim(span_of(text.p + at, end - at)), mark))
			buf_append(&out, text.p + at, end - at);
	}
	kept = arena_span(a, buf_view(&out));
	buf_fini(&out);
	return kept;
}

int
layer_describe_all(struct arena *a, struct span text, struct span description, struct buf *out, struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *after;
	struct buf lines = { 0 };

	if (root == NULL)
		return -1;
	if (key_of(root, "descriptions") != NULL || key_of(root, "description") != NULL)
		return err_set(err, ERR_INVALID_QUERY, "the source has a description of its own");
	buf_str(&lines, "descriptions:\n");
	layer_put_line(&lines, 2, "user", description);
	replace_lines(out, text, text.len, text.len, 0, buf_view(&lines));
	buf_fini(&lines);
	after = yaml_parse(a, buf_view(out), err);
	return after == NULL ? -1 : same_but(root, after, descriptions) ? 0 : fail_form(err);
}

int
layer_mark(struct arena *a, struct span text, const char *key, struct span name, const char *mark, struct buf *out,
    struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *entry = layer_entry(root, key, name), *after;
	size_t at;

	if (root == NULL || mark == NULL)
		return -1;
	if (entry == NULL || entry->line == 0)
		return err_set(err, ERR_INVALID_QUERY, "no file has the measure");
	if (memmem(text.p, text.len, mark, strlen(mark)) != NULL)
		return 0;
	at = line_start(text, entry->line);
	replace_lines(out, text, at, at, indent_at(text, at), span_str(mark));
	after = yaml_parse(a, buf_view(out), err);
	return after == NULL ? -1 : same_node(root, after) ? 1 : fail_form(err);
}
