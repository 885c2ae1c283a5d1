#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "project/format/yaml.h"
#include "project/letters.h"
#include "workers/memory/read/layer_text.h"
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

const char *
measure_list(const struct measure *m)
{
	return m->column ? "columns" : "measures";
}

int
measure_fit(struct arena *a, struct span text, const struct measure *m, enum measure_fit *fit, struct measure *there,
    struct err *err)
{
	const struct yaml_node *root = yaml_parse(a, text, err), *same;

	*fit = MEASURE_NEW;
	if (root == NULL)
		return -1;
	if ((same = layer_entry(root, measure_list(m), m->name)) != NULL) {
		there->expr = layer_scalar(yaml_get(same, "expr"));
		there->filter = layer_scalar(yaml_get(same, "filter"));
		/* A column without an expression has its name as the expression. */
		if (m->column && there->expr.len == 0)
			there->expr = m->name;
		*fit = same_text(there->expr, m->expr) && same_text(there->filter, m->filter) ? MEASURE_THERE :
												MEASURE_OTHER;
	} else if (layer_entry(root, m->column ? "measures" : "columns", m->name) != NULL)
		return err_set(err, ERR_INVALID_QUERY, "%.*s has a %s of that name", SPAN_FMT(m->source),
		    m->column ? "measure" : "column");
	return 0;
}

int
measure_add(struct arena *a, struct span text, const struct measure *m, struct span description, struct buf *out,
    struct err *err)
{
	struct buf base = { 0 }, entry = { 0 };
	int r;

	if (text.len == 0) {
		layer_put_line(&base, 0, "name", m->source);
		text = arena_span(a, buf_view(&base));
	}
	layer_put_line(&entry, 0, "name", m->name);
	if (m->column)
		layer_put_line(&entry, 0, "type", span_str(m->type));
	layer_put_line(&entry, 0, "expr", m->expr);
	if (m->filter.len > 0)
		layer_put_line(&entry, 0, "filter", m->filter);
	if (m->label.len > 0)
		layer_put_line(&entry, 0, "label", m->label);
	if (description.len > 0)
		layer_put_line(&entry, 0, "description", description);
	r = layer_add(a, text, measure_list(m), buf_view(&entry), out, err);
	buf_fini(&base);
	buf_fini(&entry);
	return r;
}

int
measure_replace(struct arena *a, struct span text, const struct measure *m, struct span description, struct buf *out,
    struct err *err)
{
	const char *list = measure_list(m);
	struct buf one = { 0 }, two = { 0 };
	struct span filter = layer_scalar(yaml_get(layer_entry(yaml_parse(a, text, NULL), list, m->name), "filter"));
	int r = layer_set(a, text, list, m->name, "expr", m->expr, &one, err);

	if (r == 0 && (filter.len > 0 || m->filter.len > 0))
		r = layer_set(a, buf_view(&one), list, m->name, "filter", m->filter, &two, err);
	if (r == 0)
		r = layer_describe(a, buf_view(two.len > 0 ? &two : &one), list, m->name, description, out, err);
	buf_fini(&one);
	buf_fini(&two);
	return r;
}
