/* measure.c - see measure.h. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "project/describe.h"
#include "project/yaml.h"
#include "project/yaml_emit.h"
#include "workers/memory/measure.h"
#include "workers/memory/signals.h"

#define EXPR_MAX	1000
#define NAME_MAX_	63

static bool
is_letter(uint8_t c)
{
	return ascii_is_letter(c) || c == '_';
}

static bool
is_name(uint8_t c)
{
	return is_letter(c) || ascii_is_digit(c);
}

static struct span
from(struct span s, size_t at)
{
	return span_of(s.p + at, s.len - at);
}

static bool
has_aggregate(struct span s)
{
	static const char *const calls[] = { "sum(", "avg(", "count(", "min(", "max(" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (signals_find(s, calls[i]) != NULL)
			return true;
	return false;
}

/* --- expressions: names with and without their source ------------------------------------- */

/* What the names of an expression may be qualified with. */
struct scope {
	struct span	source, alias;		/* source empty: the expression's own qualifier says */
};

static const char *const keywords[] = { "and", "or", "not", "in", "is", "null", "like", "ilike", "between", "case", "when",
	"then", "else", "end", "distinct", "true", "false", "as", NULL };
static const char *const statement_words[] = { "select", "from", "where", "join", "group", "order", "having", "union",
	"insert", "update", "delete", "over", "limit", NULL };

/* a.b.c starting at s: *last is c, *owner is b (empty for a bare name); its length. */
static size_t
dotted(struct span s, struct span *owner, struct span *last)
{
	size_t at = 0, n;

	*owner = span_of(NULL, 0);
	for (;;) {
		for (n = 0; at + n < s.len && is_name(s.p[at + n]); n++)
			;
		*last = span_of(s.p + at, n);
		at += n;
		if (at + 1 >= s.len || s.p[at] != '.' || !is_letter(s.p[at + 1]))
			return at;
		*owner = *last;
		at++;
	}
}

static int
take_column(struct span owner, struct span column, struct scope *scope, struct buf *bare, struct buf *asked, struct err *err)
{
	if (owner.len > 0 && scope->source.len == 0)
		scope->source = owner;
	if (scope->source.len == 0)
		return err_set(err, ERR_INVALID_QUERY, "it does not say which source %.*s belongs to; write source.%.*s",
		    SPAN_FMT(column), SPAN_FMT(column));
	if (owner.len > 0 && !span_is(owner, scope->source) && !span_is(owner, scope->alias))
		return err_set(err, ERR_INVALID_QUERY, "it reads more than one source (%.*s and %.*s)", SPAN_FMT(scope->source),
		    SPAN_FMT(owner));
	buf_span(bare, column);
	buf_span(asked, scope->source);
	buf_byte(asked, '.');
	buf_span(asked, column);
	return 0;
}

/* Length of the quoted text at s, its quotes included; 0: it does not end. */
static size_t
quoted(struct span s)
{
	for (size_t i = 1; i < s.len; i++)
		if (s.p[i] == '\'') {
			if (i + 1 < s.len && s.p[i + 1] == '\'')
				i++;
			else
				return i + 1;
		}
	return 0;
}

static int
take_name(struct span s, size_t *len, struct scope *scope, struct buf *bare, struct buf *asked, struct err *err)
{
	struct span owner, last, after;

	*len = dotted(s, &owner, &last);
	after = span_trim(from(s, *len));
	if (owner.len == 0 && span_is_any_word(last, statement_words))
		return err_set(err, ERR_INVALID_QUERY, "%.*s cannot stand in a measure", SPAN_FMT(last));
	if (owner.len > 0 || !(span_is_any_word(last, keywords) || (after.len > 0 && after.p[0] == '(')))
		return take_column(owner, last, scope, bare, asked, err);
	buf_span(bare, last);
	buf_span(asked, last);
	return 0;
}

/* s into both of its forms.  -1: it is more than names, numbers, texts and operators. */
static int
both_forms(struct span s, struct scope *scope, struct buf *bare, struct buf *asked, struct err *err)
{
	int depth = 0;
	size_t n;

	for (size_t i = 0; i < s.len; i += n) {
		uint8_t c = s.p[i];

		n = 1;
		if (is_letter(c)) {
			if (take_name(from(s, i), &n, scope, bare, asked, err) != 0)
				return -1;
			continue;
		}
		if (c == '\'' && (n = quoted(from(s, i))) == 0)
			return err_set(err, ERR_INVALID_QUERY, "a quoted text in the expression does not end");
		if (ascii_is_digit(c))
			while (i + n < s.len && (is_name(s.p[i + n]) || s.p[i + n] == '.'))
				n++;
		if (n == 1 && (c == '\0' || strchr("+-*/%()<>=!,|. \t\r\n", c) == NULL) && !ascii_is_digit(c))
			return err_set(err, ERR_INVALID_QUERY, "its formula is not one that a measure can have");
		depth += c == '(' ? 1 : c == ')' ? -1 : 0;
		if (depth < 0)
			break;
		if (n == 1 && (c == '\n' || c == '\r' || c == '\t'))
			c = ' ';
		if (n == 1) {
			buf_byte(bare, c);
			buf_byte(asked, c);
		} else {
			buf_append(bare, s.p + i, n);
			buf_append(asked, s.p + i, n);
		}
	}
	return depth == 0 ? 0 : err_set(err, ERR_INVALID_QUERY, "the brackets of its formula do not match");
}

static struct span
name_of(struct arena *a, struct span text)
{
	struct buf b = { 0 };
	struct span name;

	for (size_t i = 0; i < text.len && b.len < NAME_MAX_; i++) {
		uint8_t c = text.p[i];

		if (is_name(c))
			buf_byte(&b, ascii_lower(c));
		else if (b.len > 0 && b.p[b.len - 1] != '_')
			buf_byte(&b, '_');
	}
	while (b.len > 0 && b.p[b.len - 1] == '_')
		b.len--;
	name = b.len > 0 && is_letter(b.p[0]) ? arena_span(a, buf_view(&b)) : span_of(NULL, 0);
	buf_fini(&b);
	return name;
}

static int
finish(struct arena *a, struct span name, struct span expr, struct span filter, struct scope *scope, struct measure *m,
    struct err *err)
{
	struct buf bare = { 0 }, asked = { 0 };
	int r = -1;

	*m = (struct measure){ 0 };
	m->name = name_of(a, name);
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
	if (both_forms(expr, scope, &bare, &asked, err) != 0)
		goto out;
	if (scope->source.len == 0) {
		err_set(err, ERR_INVALID_QUERY, "it does not say which source the measure belongs to");
		goto out;
	}
	m->expr = arena_span(a, buf_view(&bare));
	m->asked = arena_span(a, buf_view(&asked));
	bare.len = asked.len = 0;
	if (filter.len > 0 && both_forms(filter, scope, &bare, &asked, err) != 0)
		goto out;
	m->filter = arena_span(a, buf_view(&bare));
	m->asked_filter = arena_span(a, buf_view(&asked));
	m->source = arena_span(a, scope->source);
	r = 1;
out:
	buf_fini(&bare);
	buf_fini(&asked);
	return r;
}

/* --- a definition: "Net revenue is defined as `sum(orders.net_ct) / 100.0`" ------------------- */

static int
from_definition(struct arena *a, struct span content, struct measure *m, struct err *err)
{
	struct span line, subject, meaning, filter;
	struct scope scope;
	const uint8_t *open, *close, *where;

	while (span_line(&content, &line)) {
		if (!signals_definition(line, &subject, &meaning) || !has_aggregate(meaning))
			continue;
		if ((open = memchr(meaning.p, '`', meaning.len)) != NULL &&
		    (close = memchr(open + 1, '`', meaning.len - (size_t)(open + 1 - meaning.p))) != NULL)
			meaning = span_of(open + 1, (size_t)(close - open - 1));
		while (meaning.len > 0 && strchr(".; \r", meaning.p[meaning.len - 1]) != NULL)
			meaning.len--;
		filter = span_of(NULL, 0);
		if ((where = signals_find(meaning, "where")) != NULL) {
			filter = from(meaning, (size_t)(where + 5 - meaning.p));
			meaning.len = (size_t)(where - meaning.p);
		}
		scope = (struct scope){ { NULL, 0 }, { NULL, 0 } };
		return finish(a, subject, meaning, filter, &scope, m, err);
	}
	return 0;
}

/* --- a statement: "select sum(net_ct) as net_revenue from orders where not is_test" ------------ */

/* The first item of a select list that aggregates; false: none. */
static bool
aggregate_item(struct span list, struct span *item)
{
	size_t start = 0;
	int depth = 0;

	for (size_t i = 0; i <= list.len; i++) {
		if (i < list.len && list.p[i] == '(')
			depth++;
		else if (i < list.len && list.p[i] == ')')
			depth--;
		else if (i == list.len || (list.p[i] == ',' && depth == 0)) {
			*item = span_trim(span_of(list.p + start, i - start));
			if (has_aggregate(*item))
				return true;
			start = i + 1;
		}
	}
	return false;
}

/* Where the first of these words stands in s; its length when none does. */
static size_t
first_of(struct span s, const char *const *words)
{
	size_t at = s.len;
	const uint8_t *p;

	for (; *words != NULL; words++)
		if ((p = signals_find(s, *words)) != NULL && (size_t)(p - s.p) < at)
			at = (size_t)(p - s.p);
	return at;
}

/* "orders o" or "main.orders as o". */
static bool
read_table(struct span s, struct scope *scope)
{
	struct span owner;
	size_t n;

	s = span_trim(s);
	if (s.len == 0 || !is_letter(s.p[0]))
		return false;
	n = dotted(s, &owner, &scope->source);
	s = span_trim(from(s, n));
	if (s.len > 3 && span_begins_word(s, "as "))
		s = span_trim(from(s, 3));
	scope->alias = s;
	for (size_t i = 0; i < s.len; i++)
		if (!is_name(s.p[i]))
			return false;
	return true;
}

static int
from_statement(struct arena *a, struct span content, struct span title, struct measure *m, struct err *err)
{
	static const char *const ends[] = { "group by", "order by", "limit", "having", ";", "```", NULL };
	static const char *const where_word[] = { "where", NULL };
	const uint8_t *select = signals_find(content, "select"), *with = signals_find(content, "with"), *as, *stop;
	struct span rest, item, tables, filter = { NULL, 0 }, name = title;
	struct scope scope = { { NULL, 0 }, { NULL, 0 } };

	if (select == NULL)
		return 0;
	rest = from(content, (size_t)(select + 6 - content.p));
	if ((stop = signals_find(rest, "from")) == NULL || !aggregate_item(span_of(rest.p, (size_t)(stop - rest.p)), &item))
		return 0;
	rest = from(rest, (size_t)(stop + 4 - rest.p));
	rest.len = first_of(rest, ends);
	if ((with != NULL && with < select && signals_find(content, "as (") != NULL) || signals_find(rest, "select") != NULL)
		return err_set(err, ERR_INVALID_QUERY, "its statement has a query within it");
	tables = span_of(rest.p, first_of(rest, where_word));
	if (tables.len < rest.len)
		filter = from(rest, tables.len + 5);
	if (signals_find(tables, "join") != NULL || !read_table(tables, &scope))
		return err_set(err, ERR_INVALID_QUERY, "its statement reads more than one table");
	if ((as = signals_find(item, "as")) != NULL && as > item.p) {
		name = from(item, (size_t)(as + 2 - item.p));
		item.len = (size_t)(as - item.p);
	}
	return finish(a, name, item, filter, &scope, m, err);
}

int
measure_read(struct arena *a, struct span content, struct span title, struct measure *m, struct err *err)
{
	int r = from_definition(a, content, m, err);

	return r != 0 ? r : from_statement(a, content, title, m, err);
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
	return n != NULL && n->kind == YAML_SCALAR ? n->text : span_of(NULL, 0);
}

int
measure_fit(struct arena *a, struct span text, const struct measure *m, enum measure_fit *fit, struct span *expr,
    struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *list, *columns;

	*fit = MEASURE_NEW;
	if (root == NULL)
		return -1;
	list = yaml_get(root, "measures");
	for (size_t i = 0; list != NULL && list->kind == YAML_SEQUENCE && i < list->n; i++) {
		const struct yaml_node *each = &list->items[i];

		if (!span_is(text_of(yaml_get(each, "name")), m->name))
			continue;
		*expr = text_of(yaml_get(each, "expr"));
		*fit = same_text(*expr, m->expr) && same_text(text_of(yaml_get(each, "filter")), m->filter) ? MEASURE_THERE :
		    MEASURE_OTHER;
		return 0;
	}
	columns = yaml_get(root, "columns");
	for (size_t i = 0; columns != NULL && columns->kind == YAML_SEQUENCE && i < columns->n; i++)
		if (span_is(text_of(yaml_get(&columns->items[i], "name")), m->name))
			return err_set(err, ERR_INVALID_QUERY, "%.*s has a column of that name", SPAN_FMT(m->source));
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

/* Where the list under the line "measures:" at `at` ends, and how far its dashes are indented. */
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

/* The line of the top-level key "measures"; text.len: none. */
static size_t
find_list(struct span text)
{
	static const char key[] = "measures:";

	for (size_t at = 0; at < text.len; at = line_end(text, at))
		if (text.len - at >= sizeof(key) - 1 && memcmp(text.p + at, key, sizeof(key) - 1) == 0)
			return at;
	return text.len;
}

static int
insert(struct span text, const struct measure *m, struct span description, struct buf *out, struct err *err)
{
	const char *eol = memmem(text.p, text.len, "\r\n", 2) != NULL ? "\r\n" : "\n";
	size_t at = find_list(text), end = text.len;
	unsigned indent = 2;
	struct span rest;

	if (at < text.len) {
		rest = span_trim(span_of(text.p + at + 9, line_end(text, at) - at - 9));
		if (rest.len > 0 && rest.p[0] != '#' && !span_is_str(rest, "[]"))
			return err_set(err, ERR_INVALID_QUERY, "the measures of %.*s stand in one line, which is not edited",
			    SPAN_FMT(m->source));
		end = list_end(text, at, &indent);
		if (span_is_str(rest, "[]")) {
			buf_append(out, text.p, at);
			buf_printf(out, "measures:%s", eol);
			buf_append(out, text.p + line_end(text, at), end - line_end(text, at));
		} else
			buf_append(out, text.p, end);
	} else
		buf_span(out, text);
	if (out->len > 0 && out->p[out->len - 1] != '\n')
		buf_str(out, eol);
	if (at == text.len)
		buf_printf(out, "measures:%s", eol);
	put_measure(out, indent, m, description, eol);
	buf_append(out, text.p + end, text.len - end);
	return 0;
}

/* Read it back: the same keys as before, and one measure more that says what was meant. */
static int
check(struct arena *a, struct span before, struct span after, const struct measure *m, struct err *err)
{
	const struct yaml_node *old = yaml_parse(a, before, err), *new, *list, *was, *last;
	size_t n;

	if (old == NULL || (new = yaml_parse(a, after, err)) == NULL)
		return -1;
	list = yaml_get(new, "measures");
	was = yaml_get(old, "measures");
	n = was == NULL ? 0 : was->n;
	if (new->kind == YAML_MAPPING && list != NULL && list->kind == YAML_SEQUENCE && list->n == n + 1 &&
	    new->n == old->n + (was == NULL)) {
		last = &list->items[n];
		if (span_is(text_of(yaml_get(last, "name")), m->name) && span_is(text_of(yaml_get(last, "expr")), m->expr) &&
		    span_is(text_of(yaml_get(last, "filter")), m->filter))
			return 0;
	}
	return err_set(err, ERR_INVALID_QUERY, "the file of %.*s is written in a way that is not edited", SPAN_FMT(m->source));
}

/* The same values in the same order; where they stand in the text does not count. */
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
	const struct yaml_node *root = yaml_parse(a, text, err), *list, *after;
	char *mark = arena_printf(a, "# contradicted on wiki page %.*s: %.*s", SPAN_FMT(key), SPAN_FMT(m->expr));
	unsigned line = 0;

	if (root == NULL || mark == NULL)
		return -1;
	list = yaml_get(root, "measures");
	for (size_t i = 0; list != NULL && list->kind == YAML_SEQUENCE && i < list->n && line == 0; i++)
		if (span_is(text_of(yaml_get(&list->items[i], "name")), m->name))
			line = list->items[i].line;
	if (line == 0)
		return err_set(err, ERR_INVALID_QUERY, "the measure stands in no file");
	if (memmem(text.p, text.len, mark, strlen(mark)) != NULL)
		return 0;
	put_mark(text, line_start(text, line), mark, out);
	if ((after = yaml_parse(a, buf_view(out), err)) == NULL)
		return -1;
	return same_node(root, after) ? 1 : err_set(err, ERR_INVALID_QUERY, "the file of %.*s is written in a way that is not "
	    "edited", SPAN_FMT(m->source));
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
	if (insert(text, m, description, out, err) == 0)
		r = check(a, text, buf_view(out), m, err);
	buf_fini(&base);
	return r;
}
