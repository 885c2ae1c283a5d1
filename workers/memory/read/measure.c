/* measure.c - see measure.h. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "project/format/yaml.h"
#include "project/format/yaml_emit.h"
#include "project/letters.h"
#include "workers/memory/read/measure.h"

#define EXPR_MAX	1000
#define NAME_MAX_	63

/* A measure's name made from text; empty when it mixes scripts. */
static struct span
measure_name(struct arena *a, struct span text)
{
	struct buf b = { 0 };
	struct span name;
	bool mixed;

	text = letters_plain(a, text, &mixed);
	text.len = mixed ? 0 : utf8_cut(text.p, text.len, NAME_MAX_);
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.p[i];

		if (formula_is_name(c) || c >= 0x80)
			buf_byte(&b, ascii_lower(c));
		else if (b.len > 0 && b.p[b.len - 1] != '_')
			buf_byte(&b, '_');
	}
	while (b.len > 0 && b.p[b.len - 1] == '_')
		b.len--;
	name = b.len > 0 && (formula_is_letter(b.p[0]) || b.p[0] >= 0x80) ? arena_span(a, buf_view(&b)) : SPAN_NONE;
	buf_fini(&b);
	return name;
}

int
measure_make(struct arena *a, struct span name, struct span expr, struct span filter, struct formula_scope *scope,
    struct measure *m, struct err *err)
{
	struct buf bare = { 0 }, asked = { 0 };
	int r = -1;

	*m = (struct measure){ 0 };
	m->name = measure_name(a, name);
	expr = span_trim(expr);
	filter = span_trim(filter);
	if (m->name.len == 0) {
		err_set(err, ERR_INVALID_QUERY, "no name for a measure could be made from it");
		goto out;
	}
	if (expr.len > EXPR_MAX || filter.len > EXPR_MAX) {
		err_set(err, ERR_INVALID_QUERY, "its formula is too long for a measure");
		goto out;
	}
	if (formula_forms(expr, scope, &bare, &asked, err) != 0)
		goto out;
	if (scope->source.len == 0) {
		err_set(err, ERR_INVALID_QUERY, "it does not say which source the measure belongs to");
		goto out;
	}
	m->expr = arena_span(a, buf_view(&bare));
	m->asked = arena_span(a, buf_view(&asked));
	bare.len = asked.len = 0;
	if (filter.len > 0 && formula_forms(filter, scope, &bare, &asked, err) != 0)
		goto out;
	m->filter = arena_span(a, buf_view(&bare));
	m->asked_filter = arena_span(a, buf_view(&asked));
	m->source = arena_span(a, scope->source);
	r = 0;
out:
	buf_fini(&bare);
	buf_fini(&asked);
	return r;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Equal but for white space and the case of letters. */
static bool
same_text(struct span a, struct span b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.len && strchr(" \t\r\n", a.p[i]) != NULL)
			i++;
		while (k < b.len && strchr(" \t\r\n", b.p[k]) != NULL)
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (ascii_lower(a.p[i++]) != ascii_lower(b.p[k++]))
			return false;
	}
}

static struct span
text_of(const struct yaml_node *n)
{
	return n != NULL && n->kind == YAML_SCALAR ? n->text : SPAN_NONE;
}

/* The list of the file that the measure belongs to. */
static const char *
list_key(const struct measure *m)
{
	return m->column ? "columns" : "measures";
}

/* The entry with this name in the list under key; NULL: none. */
static const struct yaml_node *
find_entry(const struct yaml_node *root, const char *key, struct span name)
{
	const struct yaml_node *list = yaml_get(root, key);

	for (size_t i = 0; list != NULL && list->kind == YAML_SEQUENCE && i < list->n; i++)
		if (span_is(text_of(yaml_get(&list->items[i], "name")), name))
			return &list->items[i];
	return NULL;
}

int
measure_fit(struct arena *a, struct span text, const struct measure *m, enum measure_fit *fit, struct span *expr,
    struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *same;

	*fit = MEASURE_NEW;
	if (root == NULL)
		return -1;
	if ((same = find_entry(root, list_key(m), m->name)) != NULL) {
		*expr = text_of(yaml_get(same, "expr"));
		/* A column without an expression has its name as the expression. */
		if (m->column && expr->len == 0)
			*expr = m->name;
		*fit = same_text(*expr, m->expr) && same_text(text_of(yaml_get(same, "filter")), m->filter) ?
		    MEASURE_THERE :
		    MEASURE_OTHER;
	} else if (find_entry(root, m->column ? "measures" : "columns", m->name) != NULL)
		return err_set(err, ERR_INVALID_QUERY, "%.*s has a %s of that name", SPAN_FMT(m->source),
		    m->column ? "measure" : "column");
	return 0;
}

static void
put_scalar(struct buf *out, unsigned indent, const char *key, struct span text, const char *eol)
{
	struct yaml_node node = { .kind = YAML_SCALAR, .quoted = true };
	struct buf line = { 0 };

	for (size_t i = 0; i < text.len; i++)
		buf_byte(&line, text.p[i] < ' ' ? ' ' : text.p[i]);
	node.text = buf_view(&line);
	buf_printf(out, "%*s%s: ", (int)indent, "", key);
	yaml_emit(&node, out);
	out->len--;
	buf_str(out, eol);
	buf_fini(&line);
}

static void
put_measure(struct buf *out, unsigned indent, const struct measure *m, struct span description, const char *eol)
{
	buf_printf(out, "%*s- ", (int)indent, "");
	put_scalar(out, 0, "name", m->name, eol);
	if (m->column)
		put_scalar(out, indent + 2, "type", span_str(m->type), eol);
	put_scalar(out, indent + 2, "expr", m->expr, eol);
	if (m->filter.len > 0)
		put_scalar(out, indent + 2, "filter", m->filter, eol);
	if (description.len > 0)
		put_scalar(out, indent + 2, "description", description, eol);
}

/* The end of the line that starts at `at`, its line feed included. */
static size_t
line_end(struct span text, size_t at)
{
	const uint8_t *nl = memchr(text.p + at, '\n', text.len - at);

	return nl == NULL ? text.len : (size_t)(nl + 1 - text.p);
}

/* The end of the list under the line "measures:" at `at`; *indent: of its dashes. */
static size_t
list_end(struct span text, size_t at, unsigned *indent)
{
	size_t end = line_end(text, at), next;
	bool seen = false;

	for (size_t i = end; i < text.len; i = next) {
		struct span line;
		size_t blanks = 0;

		next = line_end(text, i);
		line = span_trim(span_of(text.p + i, next - i));
		while (i + blanks < next && text.p[i + blanks] == ' ')
			blanks++;
		if (line.len == 0 || line.p[0] == '#')
			continue;
		if (blanks == 0 && line.p[0] != '-')
			break;
		if (!seen)
			*indent = (unsigned)blanks;
		seen = true;
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

static int
insert_measure(struct span text, const struct measure *m, struct span description, struct buf *out, struct err *err)
{
	const char *eol = memmem(text.p, text.len, "\r\n", 2) != NULL ? "\r\n" : "\n";
	size_t at = find_list(text, list_key(m)), width = strlen(list_key(m)) + 1, end = text.len;
	unsigned indent = 2;
	struct span rest;

	if (at < text.len) {
		rest = span_trim(span_of(text.p + at + width, line_end(text, at) - at - width));
		if (rest.len > 0 && rest.p[0] != '#' && !span_is_str(rest, "[]"))
			return err_set(err, ERR_INVALID_QUERY,
			    "the %s of %.*s are a list on one line, which is not edited automatically", list_key(m),
			    SPAN_FMT(m->source));
		end = list_end(text, at, &indent);
		if (span_is_str(rest, "[]")) {
			buf_append(out, text.p, at);
			buf_printf(out, "%s:%s", list_key(m), eol);
			buf_append(out, text.p + line_end(text, at), end - line_end(text, at));
		} else
			buf_append(out, text.p, end);
	} else
		buf_span(out, text);
	if (out->len > 0 && out->p[out->len - 1] != '\n')
		buf_str(out, eol);
	if (at == text.len)
		buf_printf(out, "%s:%s", list_key(m), eol);
	put_measure(out, indent, m, description, eol);
	buf_append(out, text.p + end, text.len - end);
	return 0;
}

/* Checks the new text by parsing it: the same keys as before, and one additional measure, the intended one. */
static int
check_file(struct arena *a, struct span before, struct span after, const struct measure *m, struct err *err)
{
	const struct yaml_node *old = yaml_parse(a, before, err), *new, *list, *was, *last;
	size_t n;

	if (old == NULL || (new = yaml_parse(a, after, err)) == NULL)
		return -1;
	list = yaml_get(new, list_key(m));
	was = yaml_get(old, list_key(m));
	n = was == NULL ? 0 : was->n;
	if (new->kind == YAML_MAPPING && list != NULL && list->kind == YAML_SEQUENCE && list->n == n + 1 &&
	    new->n == old->n + (was == NULL)) {
		last = &list->items[n];
		if (span_is(text_of(yaml_get(last, "name")), m->name) &&
		    span_is(text_of(yaml_get(last, "expr")), m->expr) &&
		    span_is(text_of(yaml_get(last, "filter")), m->filter))
			return 0;
	}
	return err_set(err, ERR_INVALID_QUERY, "the file of %.*s has a form that is not edited automatically",
	    SPAN_FMT(m->source));
}

/* Whether both trees are equal, wherever they stand in the text. */
static bool
same_node(const struct yaml_node *a, const struct yaml_node *b)
{
	if (a->kind != b->kind || a->n != b->n || !span_is(a->text, b->text))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_node(&a->items[i], &b->items[i]))
			return false;
	return true;
}

static size_t
line_start(struct span text, unsigned line)
{
	size_t at = 0;

	while (line-- > 1 && at < text.len)
		at = line_end(text, at);
	return at;
}

static void
put_mark(struct span text, size_t at, const char *mark, struct buf *out)
{
	bool crlf = memmem(text.p, text.len, "\r\n", 2) != NULL;

	buf_append(out, text.p, at);
	for (size_t i = at; i < text.len && text.p[i] == ' '; i++)
		buf_byte(out, ' ');
	buf_str(out, mark);
	buf_str(out, crlf ? "\r\n" : "\n");
	buf_append(out, text.p + at, text.len - at);
}

int
measure_mark(struct arena *a, struct span text, const struct measure *m, struct span key, struct buf *out,
    struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *same, *after;
	char *mark = arena_printf(a, "# contradicted on wiki page %.*s: %.*s", SPAN_FMT(key), SPAN_FMT(m->expr));
	unsigned line = 0;

	if (root == NULL || mark == NULL)
		return -1;
	if ((same = find_entry(root, list_key(m), m->name)) != NULL)
		line = same->line;
	if (line == 0)
		return err_set(err, ERR_INVALID_QUERY, "the measure stands in no file");
	if (memmem(text.p, text.len, mark, strlen(mark)) != NULL)
		return 0;
	put_mark(text, line_start(text, line), mark, out);
	if ((after = yaml_parse(a, buf_view(out), err)) == NULL)
		return -1;
	return same_node(root, after) ? 1 :
					err_set(err, ERR_INVALID_QUERY,
					    "the file of %.*s is written in a way that is not "
					    "edited",
					    SPAN_FMT(m->source));
}

int
measure_add(struct arena *a, struct span text, const struct measure *m, struct span description, struct buf *out,
    struct err *err)
{
	struct buf base = { 0 };
	int r = -1;

	if (text.len == 0) {
		put_scalar(&base, 0, "name", m->source, "\n");
		text = arena_span(a, buf_view(&base));
	}
	if (insert_measure(text, m, description, out, err) == 0)
		r = check_file(a, text, buf_view(out), m, err);
	buf_fini(&base);
	return r;
}
