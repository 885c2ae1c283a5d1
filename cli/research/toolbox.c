#include "cli/research/toolbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/text/sqltext.h"

#define TOOLS_MAX	1000u

/* Kinds of tools with a statement; mark begins a placeholder, and numbered ones have their number behind it. */
static const struct toolbox_kind {
	const char		*kind, *driver;
	enum sqltext_dialect	 dialect;
	char			 mark;
} kinds[] = {
	{ "postgres-sql", "postgres",
	    SQLTEXT_NESTED | SQLTEXT_RETURNS | SQLTEXT_ESCAPES | SQLTEXT_CONTINUED | SQLTEXT_DOLLARS, '$' },
	{ "sqlite-sql", "sqlite", SQLTEXT_BACKTICKS | SQLTEXT_BRACKETS | SQLTEXT_MARKS, '?' },
	{ "mysql-sql", "mysql", SQLTEXT_BACKTICKS | SQLTEXT_BACKSLASHES | SQLTEXT_HASHES, '?' },
};

/* What a tool or a parameter may say besides, and what of it cannot be kept. */
static const struct {
	const char *key, *reason;
} refused[] = {
	{ "templateParameters", "its values become part of the statement (templateParameters)" },
	{ "authRequired", "it asks for a sign-in of its own (authRequired); give it scopes instead" },
	{ "authServices", "a parameter is taken from a sign-in (authServices)" },
	{ "excludedValues", "a parameter has excludedValues, which are patterns" },
};

static const char *
refusal_of(const struct yaml_node *node)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (yaml_get(node, refused[i].key) != NULL)
			return refused[i].reason;
	return NULL;
}

static const char *
text_of(struct arena *a, const struct yaml_node *node, const char *key)
{
	const struct yaml_node *value = yaml_get(node, key);

	return value == NULL || value->kind != YAML_SCALAR || value->text.len == 0 ? NULL : yaml_cstr(a, value);
}

/* "tableName" and "table-name" as table_name. */
static const char *
name_here(struct arena *a, const char *name)
{
	struct buf out = { 0 };
	struct span kept;

	for (const char *p = name; *p != '\0'; p++) {
		bool upper = ascii_is_upper((uint8_t)*p);

		if (upper && p > name && ascii_is_alnum((uint8_t)p[-1]) && !ascii_is_upper((uint8_t)p[-1]))
			buf_byte(&out, '_');
		buf_byte(&out, upper ? (uint8_t)(*p | 0x20) : *p == '-' || *p == '.' || *p == ' ' ? '_' : (uint8_t)*p);
	}
	kept = arena_span(a, buf_view(&out));
	buf_fini(&out);
	return parameter_is_name(kept) ? arena_cstr(a, kept) : NULL;
}

/* Patterns of letters, digits, blanks, _ and - alone are the values themselves. */
static const char *
read_values(struct toolbox_parameter *p, const struct yaml_node *node)
{
	const struct yaml_node *list = yaml_get(node, "allowedValues");

	if (list == NULL)
		return NULL;
	if (list->kind != YAML_SEQUENCE || list->n == 0 || list->n > 200)
		return "its allowedValues are no list of up to 200";
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].kind != YAML_SCALAR || !parameter_fits(p->type, list->items[i].text))
			return "its allowedValues are not of its type";
		for (size_t k = 0; k < list->items[i].text.len; k++)
			if (!ascii_is_token(list->items[i].text.p[k]) && list->items[i].text.p[k] != ' ')
				return "its allowedValues are patterns";
	}
	p->values = list;
	return NULL;
}

static bool
is_value(const struct toolbox_parameter *p, const char *text)
{
	bool found = p->values == NULL || text == NULL;

	for (size_t i = 0; !found && i < p->values->n; i++)
		found = span_is_str(p->values->items[i].text, text);
	return found;
}

static const char *
read_bounds(struct arena *a, struct toolbox_parameter *p, const struct yaml_node *node)
{
	const struct yaml_node *required = yaml_get(node, "required");
	bool needed = true;

	p->preset = text_of(a, node, "default");
	p->minimum = text_of(a, node, "minValue");
	p->maximum = text_of(a, node, "maxValue");
	if (required != NULL && !yaml_bool(required, &needed))
		return "required is neither true nor false";
	p->optional = !needed || p->preset != NULL;
	for (size_t i = 0; i < 3; i++) {
		const char *value = i == 0 ? p->preset : i == 1 ? p->minimum : p->maximum;

		if (value != NULL && !parameter_fits(p->type, span_str(value)))
			return "a default or bound is not of its type";
	}
	return is_value(p, p->preset) ? NULL : "its default is not one of its allowedValues";
}

static const char *
read_parameter(struct arena *a, struct toolbox_parameter *p, const struct yaml_node *node)
{
	const char *called = text_of(a, node, "name"), *type = text_of(a, node, "type"), *reason = refusal_of(node);

	if (reason != NULL)
		return reason;
	if (called == NULL || type == NULL || (p->description = text_of(a, node, "description")) == NULL)
		return "a parameter lacks name, type or description";
	if ((p->name = name_here(a, called)) == NULL)
		return arena_printf(a, "its parameter \"%.60s\" cannot be called so here", called);
	p->type = strcmp(type, "float") == 0 ? PARAMETER_NUMBER : parameter_type_named(span_str(type));
	if (p->type > PARAMETER_BOOLEAN)
		return arena_printf(a, "its parameter %s is of the type %.40s", p->name, type);
	reason = read_values(p, node);
	if (reason == NULL)
		reason = read_bounds(a, p, node);
	return reason == NULL ? NULL : arena_printf(a, "parameter %s: %s", p->name, reason);
}

static const char *
read_parameters(struct arena *a, struct toolbox_tool *t, const struct yaml_node *node)
{
	const struct yaml_node *list = yaml_get(node, "parameters");
	const char *reason = NULL;

	if (list == NULL || list->kind == YAML_NULL)
		return NULL;
	if (list->kind != YAML_SEQUENCE || list->n > PARAMETERS_MOST)
		return "its parameters are no list of up to 16";
	for (size_t i = 0; i < list->n && reason == NULL; i++) {
		reason = read_parameter(a, &t->parameters[i], &list->items[i]);
		for (size_t k = 0; k < i && reason == NULL; k++)
			if (strcmp(t->parameters[k].name, t->parameters[i].name) == 0)
				reason = arena_printf(a, "two parameters would be called %s", t->parameters[i].name);
		t->nparameters++;
	}
	return reason;
}

/* A value that is good for the statement's guard: text has none. */
static const char *
sample_of(const struct toolbox_parameter *p)
{
	return p->minimum != NULL                            ? p->minimum :
	    p->type == PARAMETER_STRING || p->values != NULL ? "NULL" :
							       parameter_kinds[p->type].sample;
}

struct toolbox_writing {
	const struct toolbox_kind	*kind;
	struct toolbox_tool		*tool;
	struct sqltext			 s;
	size_t				 next;		/* of placeholders without a number */
	bool				 used[PARAMETERS_MOST];
	struct buf			 sql, sample;
};

/* Behind the mark: false, the statement has more placeholders than the tool has parameters. */
static bool
write_placeholder(struct toolbox_writing *w)
{
	struct sqltext ahead = w->s;
	struct sqltext_token t = sqltext_piece(&ahead);
	size_t number = w->next + 1;
	int next;

	if (t.kind == SQLTEXT_NUMBER) {
		number = strtoul((const char *)t.text.p, NULL, 10);
		w->s = ahead;
	} else
		w->next++;
	if (number < 1 || number > w->tool->nparameters)
		return false;
	w->used[number - 1] = true;
	buf_printf(&w->sql, ":%s", w->tool->parameters[number - 1].name);
	buf_str(&w->sample, sample_of(&w->tool->parameters[number - 1]));
	next = sqltext_peek(&w->s, 0);
	if (next >= 0 && (ascii_is_alnum((uint8_t)next) || next == '_')) {
		buf_byte(&w->sql, ' ');
		buf_byte(&w->sample, ' ');
	}
	return true;
}

/* A colon in front of a word gets a blank, so that it begins no parameter. */
static void
write_piece(struct toolbox_writing *w, const struct sqltext_token *t, bool colon)
{
	if (colon && (t->kind == SQLTEXT_WORD || t->kind == SQLTEXT_NUMBER))
		buf_byte(&w->sql, ' ');
	buf_span(&w->sql, t->text);
	buf_span(&w->sample, t->text);
}

static bool
is_placeholder(const struct toolbox_writing *w, const struct sqltext_token *t)
{
	int next = sqltext_peek(&w->s, 0);

	return sqltext_is_punct(t, w->kind->mark) && (w->kind->mark == '?' || (next >= '0' && next <= '9'));
}

static const char *
write_statement(struct arena *a, struct toolbox_writing *w)
{
	struct sqltext_token t;
	unsigned colons = 0;

	while ((t = sqltext_piece(&w->s)).kind != SQLTEXT_END) {
		if (is_placeholder(w, &t)) {
			if (!write_placeholder(w))
				return "its statement has a placeholder without a parameter";
			colons = 0;
			continue;
		}
		write_piece(w, &t, colons % 2 == 1);
		colons = sqltext_is_punct(&t, ':') ? colons + 1 : 0;
	}
	for (size_t i = 0; i < w->tool->nparameters; i++)
		if (!w->used[i])
			return arena_printf(a, "its statement does not use the parameter %s",
			    w->tool->parameters[i].name);
	return NULL;
}

static const char *
read_statement(struct arena *a, struct toolbox_tool *t, const struct toolbox_kind *kind, const char *statement)
{
	struct toolbox_writing w = { .kind = kind, .tool = t,
		.s = { .dialect = kind->dialect, .text = span_trim(span_str(statement)) } };
	const char *reason;

	while (w.s.text.len > 0 && w.s.text.p[w.s.text.len - 1] == ';')
		w.s.text = span_trim(span_of(w.s.text.p, w.s.text.len - 1));
	reason = write_statement(a, &w);
	t->sql = arena_cstr(a, buf_view(&w.sql));
	t->sample = arena_cstr(a, buf_view(&w.sample));
	buf_fini(&w.sql);
	buf_fini(&w.sample);
	return reason != NULL ? reason : t->sql == NULL || t->sample == NULL ? "its statement cannot be read" : NULL;
}

static const struct toolbox_kind *
kind_named(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].kind, name) == 0)
			return &kinds[i];
	return NULL;
}

/* Why node is no tool here; NULL: *t is filled. */
static const char *
read_tool(struct arena *a, struct toolbox_tool *t, const struct yaml_node *node, const char *kind)
{
	const struct toolbox_kind *k = kind == NULL ? NULL : kind_named(kind);
	const char *statement = text_of(a, node, "statement"), *reason = refusal_of(node);

	if (k == NULL)
		return arena_printf(a, "it is of the kind %.60s, which has no statement for a database that is served",
		    kind == NULL ? "of none" : kind);
	if (reason != NULL)
		return reason;
	t->driver = k->driver;
	t->source = text_of(a, node, "source");
	t->description = text_of(a, node, "description");
	if (statement == NULL || t->source == NULL || t->description == NULL)
		return "it lacks statement, source or description";
	if ((t->name = name_here(a, t->called)) == NULL)
		return "it cannot be called so here: small letters, digits and _, at most 48";
	reason = read_parameters(a, t, node);
	return reason != NULL ? reason : read_statement(a, t, k, statement);
}

struct toolbox_list {
	struct arena		*a;
	struct toolbox_tool	*v;
	size_t			 n;
	bool			 known;		/* a document was one of Toolbox's */
	bool			 full;		/* there are more tools than v has room for */
};

static void
add_tool(struct toolbox_list *l, const struct yaml_node *node, const char *called, const char *kind)
{
	struct toolbox_tool *t = &l->v[l->n];

	if (called == NULL || node->kind != YAML_MAPPING)
		return;
	if (l->n == TOOLS_MAX) {
		l->full = true;
		return;
	}
	*t = (struct toolbox_tool){ .called = called };
	t->reason = read_tool(l->a, t, node, kind);
	l->n++;
}

/* Both forms: all tools below `tools`, or one of them with its name and type. */
static void
add_document(struct toolbox_list *l, const struct yaml_node *root)
{
	const struct yaml_node *all = yaml_get(root, "tools");
	const char *kind = text_of(l->a, root, "kind");

	if (all != NULL && all->kind == YAML_MAPPING) {
		l->known = true;
		for (size_t i = 0; i < all->n; i++)
			add_tool(l, &all->items[i], yaml_cstr(l->a, &all->keys[i]),
			    text_of(l->a, &all->items[i], "kind"));
	}
	l->known = l->known || yaml_get(root, "sources") != NULL || kind != NULL;
	if (kind != NULL && (strcmp(kind, "tools") == 0 || strcmp(kind, "tool") == 0))
		add_tool(l, root, text_of(l->a, root, "name"), text_of(l->a, root, "type"));
}

/* Up to the next line that is --- alone; *rest behind it. */
static struct span
next_document(struct span *rest)
{
	struct span whole = *rest, line;

	while (span_line(rest, &line))
		if (span_is_str(span_trim(line), "---") && line.len > 0 && line.p[0] == '-')
			return span_of(whole.p, (size_t)(line.p - whole.p));
	return whole;
}

struct toolbox_tool *
toolbox_read(struct arena *a, struct span text, size_t *n, struct err *err)
{
	struct toolbox_list l = { .a = a, .v = arena_array(a, TOOLS_MAX, sizeof(*l.v)) };

	*n = 0;
	if (l.v == NULL) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the file is too large");
		return NULL;
	}
	while (text.len > 0) {
		const struct yaml_node *root = yaml_parse(a, next_document(&text), err);

		if (root == NULL)
			return NULL;
		add_document(&l, root);
	}
	*n = l.n;
	if (l.known && !l.full)
		return l.v;
	if (l.full)
		err_set(err, ERR_INVALID_ARGUMENTS,
		    "it has more than %u tools; import it in parts, each with the sources that it needs", TOOLS_MAX);
	else
		err_set(err, ERR_INVALID_ARGUMENTS, "it has neither sources nor tools of MCP Toolbox");
	return NULL;
}
