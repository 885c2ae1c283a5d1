#include "project/config/config_tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "project/config/config_member.h"

#define SQL_MOST	32768u	/* bytes */
#define TEXT_MOST	4096u	/* bytes of a description */
#define VALUES_MOST	200u
#define DIMENSION_MOST	200u	/* bytes of a dimension's name */
#define SCOPES_MOST	8u
#define ROWS_MOST	10000u
#define LENGTH_MOST	4000u	/* characters of a text */
#define ITEMS_MOST	50u	/* of a list in a query */

static const char *const tool_members[] = { "name", "title", "description", "connection", "parameters", "sql",
	"query", "max_rows", "scopes", NULL };
static const char *const query_members[] = { "measures", "dimensions", "filters", "segments", "order_by", "limit",
	"include_empty", NULL };
static const char *const query_lists[] = { "measures", "dimensions", "filters", "segments", "order_by", NULL };
static const char *const values_members[] = { "dimension", NULL };
static const char *const parameter_members[] = { "type", "description", "values", "default", "minimum", "maximum",
	"max_length", NULL };

/* A value of the parameter's type as text. */
static const char *
read_value(struct config_reader *r, const struct config_parameter *p, const struct yaml_node *node, const char *key,
    const char *name)
{
	const char *text = node->kind == YAML_SCALAR ? yaml_cstr(r->arena, node) : NULL;

	if (text != NULL && parameter_fits(p->type, span_str(text)) && utf8_count(span_str(text)) <= p->max_length)
		return text;
	config_issue(r, true, node->line, name, "%s holds no value of the type %s", key, parameter_kinds[p->type].word);
	return NULL;
}

/* The values that a dimension has when the tool is called. */
static void
read_dimension(struct config_reader *r, struct config_parameter *p, const struct yaml_node *node, const char *name)
{
	(void)config_member_known(r, node, values_members, name);
	p->dimension = config_member_text(r, node, "dimension", DIMENSION_MOST, true, name);
	if (p->type == PARAMETER_NUMBER || p->type == PARAMETER_BOOLEAN || p->type == PARAMETER_TIMESTAMP)
		config_issue(r, true, node->line, name,
		    "values of a dimension are for the types string, integer and date");
}

static void
read_values(struct config_reader *r, struct config_parameter *p, const struct yaml_node *node, const char *name)
{
	const struct yaml_node *list = yaml_get(node, "values");

	if (list == NULL || list->kind == YAML_NULL)
		return;
	if (list->kind == YAML_MAPPING) {
		read_dimension(r, p, list, config_below(r, name, SPAN("values")));
		return;
	}
	p->values.v = config_member_room(r, list, YAML_SEQUENCE, 1, p->type == PARAMETER_BOOLEAN ? 0 : VALUES_MOST,
	    sizeof(*p->values.v), "values as values", name);
	for (size_t i = 0; p->values.v != NULL && i < list->n; i++) {
		const char *value = read_value(r, p, &list->items[i], "values", name);

		if (value != NULL)
			p->values.v[p->values.n++] = value;
	}
}

static bool
is_value(const struct config_parameter *p, const char *text)
{
	bool found = p->values.n == 0;

	for (size_t i = 0; i < p->values.n; i++)
		found = found || strcmp(p->values.v[i], text) == 0;
	return found;
}

static bool
is_numeric(const struct config_parameter *p)
{
	return p->type == PARAMETER_INTEGER || p->type == PARAMETER_NUMBER;
}

/* Whether a value of the type is within minimum and maximum. */
static bool
is_within(const struct config_parameter *p, const char *text)
{
	double v = is_numeric(p) ? strtod(text, NULL) : 0;

	return !is_numeric(p) ||
	    ((p->minimum == NULL || v >= strtod(p->minimum, NULL)) &&
		(p->maximum == NULL || v <= strtod(p->maximum, NULL)));
}

static void
read_default(struct config_reader *r, struct config_parameter *p, const struct yaml_node *node, const char *name)
{
	const struct yaml_node *value = yaml_get(node, "default");

	p->optional = value != NULL;
	if (value == NULL || value->kind == YAML_NULL)
		return;
	p->preset = read_value(r, p, value, "default", name);
	if (p->preset != NULL && !is_value(p, p->preset))
		config_issue(r, true, value->line, name, "the default is not one of values");
	if (p->preset != NULL && !is_within(p, p->preset))
		config_issue(r, true, value->line, name, "the default is not within minimum and maximum");
}

static void
read_bounds(struct config_reader *r, struct config_parameter *p, const struct yaml_node *node, const char *name)
{
	static const char *const keys[] = { "minimum", "maximum" };
	const char **bounds[] = { &p->minimum, &p->maximum };

	for (size_t i = 0; i < 2; i++) {
		const struct yaml_node *value = yaml_get(node, keys[i]);

		if (value == NULL || value->kind == YAML_NULL)
			continue;
		if (!is_numeric(p))
			config_issue(r, true, value->line, name, "%s is for the types integer and number", keys[i]);
		else
			*bounds[i] = read_value(r, p, value, keys[i], name);
	}
	if (p->minimum != NULL && p->maximum != NULL && strtod(p->minimum, NULL) > strtod(p->maximum, NULL))
		config_issue(r, true, node->line, name, "minimum is more than maximum");
}

static void
read_parameter(struct config_reader *r, struct config_parameter *p, const struct yaml_node *node, const char *name)
{
	const char *type;

	if (!config_member_keys(r, node, "type and description", name))
		return;
	(void)config_member_known(r, node, parameter_members, name);
	p->description = config_member_text(r, node, "description", TEXT_MOST, true, name);
	p->max_length = 1000;
	config_member_count(r, node, "max_length", 1, LENGTH_MOST, &p->max_length, name);
	if ((type = config_member_text(r, node, "type", TEXT_MOST, true, name)) == NULL)
		return;
	if ((p->type = parameter_type_named(span_str(type))) == PARAMETER_TYPES) {
		config_issue(r, true, node->line, name,
		    "expected string, integer, number, boolean, date or timestamp as type, found \"%.60s\"", type);
		p->type = PARAMETER_STRING;
		return;
	}
	read_values(r, p, node, name);
	read_bounds(r, p, node, name);
	read_default(r, p, node, name);
}

/* Whether the statement has :name; where it stands, the driver decides. */
static bool
is_used(const char *sql, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = sql; (at = strchr(at, ':')) != NULL; at++)
		if (strncmp(at + 1, name, n) == 0 && !ascii_is_alnum((uint8_t)at[1 + n]) && at[1 + n] != '_')
			return true;
	return false;
}

/* Whether one of the query's filters has :name. */
static bool
is_filtered(struct config_reader *r, const struct yaml_node *query, const char *name)
{
	const struct yaml_node *filters = yaml_get(query, "filters");

	for (size_t i = 0; filters != NULL && filters->kind == YAML_SEQUENCE && i < filters->n; i++) {
		const char *filter =
		    filters->items[i].kind == YAML_SCALAR ? yaml_cstr(r->arena, &filters->items[i]) : NULL;

		if (filter != NULL && is_used(filter, name))
			return true;
	}
	return false;
}

static void
check_list(struct config_reader *r, const struct yaml_node *query, const char *key, const char *name)
{
	const struct yaml_node *list = yaml_get(query, key);
	bool texts = strcmp(key, "filters") == 0 || strcmp(key, "segments") == 0, fits;

	if (list == NULL || list->kind == YAML_NULL)
		return;
	fits = list->kind == YAML_SEQUENCE && list->n <= ITEMS_MOST;
	for (size_t i = 0; fits && i < list->n; i++)
		fits = list->items[i].kind == YAML_SCALAR || (list->items[i].kind == YAML_MAPPING && !texts);
	if (!fits)
		config_issue(r, true, list->line, name, "expected a list of at most %u %s as query.%s", ITEMS_MOST,
		    texts ? "texts" : "texts or mappings", key);
}

/*
 * The arguments of a call of sl_query.  Its limit is that of the tool's rows, so that one row more than these tells
 * whether there are more.
 */
static void
put_query(const struct config_tool *t, const struct yaml_node *query, unsigned limit, struct buf *out)
{
	size_t map = mp_open_pairs(out, mp_cstr("connectionId", t->connection), mp_uint("limit", limit));

	for (size_t i = 0; i < query->n; i++)
		if (!span_is_str(query->keys[i].text, "limit")) {
			mp_put_str(out, query->keys[i].text);
			yaml_to_mp(&query->items[i], out);
		}
	mp_end(out, map);
}

static void
read_query(struct config_reader *r, struct config_tool *t, const struct yaml_node *query, const char *name)
{
	struct buf out = BUF_MAX(SQL_MOST);
	unsigned limit = t->max_rows;

	if (!config_member_keys(r, query, "measures, dimensions and filters as query", name))
		return;
	(void)config_member_known(r, query, query_members, config_below(r, name, SPAN("query")));
	for (size_t i = 0; query_lists[i] != NULL; i++)
		check_list(r, query, query_lists[i], name);
	config_member_count(r, query, "limit", 1, t->max_rows, &limit, name);
	if (t->connection == NULL)
		return;
	put_query(t, query, limit, &out);
	t->query = arena_span(r->arena, buf_view(&out));
	if (out.full)
		config_issue(r, true, query->line, name, "the query takes more than %u bytes", SQL_MOST);
	else
		r->full = r->full || t->query.p == NULL;
	buf_fini(&out);
}

/* What the tool runs: a statement, or a query of the semantic layer. */
static void
read_body(struct config_reader *r, struct config_tool *t, const struct yaml_node *node, const char *name)
{
	const struct yaml_node *query = yaml_get(node, "query"), *sql = yaml_get(node, "sql");

	if (query == NULL || query->kind == YAML_NULL)
		t->sql = config_member_text(r, node, "sql", SQL_MOST, true, name);
	else if (sql != NULL && sql->kind != YAML_NULL)
		config_issue(r, true, query->line, name, "has sql and query; write one of them");
	else
		read_query(r, t, query, name);
}

static void
read_parameters(struct config_reader *r, struct config_tool *t, const struct yaml_node *node, const char *name)
{
	const struct yaml_node *list = yaml_get(node, "parameters");

	if (list == NULL || list->kind == YAML_NULL)
		return;
	t->parameters = config_member_room(r, list, YAML_MAPPING, 0, PARAMETERS_MOST, sizeof(*t->parameters),
	    "parameters as parameters", name);
	for (size_t i = 0; t->parameters != NULL && i < list->n; i++) {
		struct config_parameter *p = &t->parameters[t->nparameters];
		const char *own = config_below(r, name, list->keys[i].text);

		*p = (struct config_parameter){ .name = yaml_cstr(r->arena, &list->keys[i]) };
		if (p->name == NULL || !parameter_is_name(list->keys[i].text)) {
			config_issue(r, true, list->keys[i].line, own,
			    "a parameter is called by small letters, digits and _, as in since_day");
			continue;
		}
		t->nparameters++;
		read_parameter(r, p, &list->items[i], own);
		if (t->sql != NULL && !is_used(t->sql, p->name))
			config_issue(r, true, list->keys[i].line, own, "the statement does not have :%s", p->name);
		if (t->query.len > 0 && !is_filtered(r, yaml_get(node, "query"), p->name))
			config_issue(r, true, list->keys[i].line, own, "none of the query's filters has :%s", p->name);
	}
}

/* Names of scopes, of which a caller needs one; absent: research:query. */
static void
read_scopes(struct config_reader *r, struct config_tool *t, const struct yaml_node *node, const char *name)
{
	static const char *usual[] = { "research:query" };
	const struct yaml_node *list = yaml_get(node, "scopes");
	const char **room;

	t->scopes = (struct config_strings){ 1, usual };
	if (list == NULL || list->kind == YAML_NULL ||
	    (room = config_member_room(r, list, YAML_SEQUENCE, 0, SCOPES_MOST, sizeof(*room), "scopes as scopes",
		 name)) == NULL)
		return;
	t->scopes = (struct config_strings){ 0, room };
	for (size_t i = 0; i < list->n; i++) {
		const char *scope = list->items[i].kind != YAML_SCALAR ? NULL : yaml_cstr(r->arena, &list->items[i]);

		if (scope == NULL || *scope == '\0')
			config_issue(r, true, list->items[i].line, name,
			    "expected a scope, as research:query, in scopes");
		else
			t->scopes.v[t->scopes.n++] = scope;
	}
}

static const struct config_tool *
tool_among(const struct config_tools *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i];
	return NULL;
}

static void
read_tool(struct config_reader *r, struct config_tools *to, const struct yaml_node *node, const char *name)
{
	struct config_tool *t = &to->v[to->n];
	const char *called, *own;

	if (!config_member_keys(r, node, "name, description, connection and sql", name))
		return;
	if ((called = config_member_text(r, node, "name", TEXT_MOST, true, name)) == NULL)
		return;
	if (!parameter_is_name(span_str(called))) {
		config_issue(r, true, yaml_get(node, "name")->line, name,
		    "a tool is called by a small letter, then small letters, digits and _, at most %u, as in "
		    "revenue_by_region; found \"%.60s\"",
		    PARAMETER_NAME_MOST, called);
		return;
	}
	own = config_below(r, name, span_str(called));
	if (tool_among(to, called) != NULL) {
		config_issue(r, true, node->line, own, "another tool has the same name");
		return;
	}
	*t = (struct config_tool){ .name = called, .line = node->line, .max_rows = 1000 };
	(void)config_member_known(r, node, tool_members, own);
	t->title = config_member_text(r, node, "title", 100, false, own);
	if (t->title == NULL)
		t->title = called;
	t->description = config_member_text(r, node, "description", TEXT_MOST, true, own);
	t->connection = config_member_text(r, node, "connection", 256, true, own);
	config_member_count(r, node, "max_rows", 1, ROWS_MOST, &t->max_rows, own);
	read_body(r, t, node, own);
	read_parameters(r, t, node, own);
	read_scopes(r, t, node, own);
	to->n++;
}

void
config_tools(struct config_reader *r, struct config_tools *to, const struct config_key *k,
    const struct yaml_node *node, const char *name)
{
	to->v = node->kind == YAML_NULL ? NULL :
					  config_member_room(r, node, YAML_SEQUENCE, 0, k->high, sizeof(*to->v),
					      "entries with name, description, connection and sql", name);
	for (size_t i = 0; to->v != NULL && i < node->n; i++)
		read_tool(r, to, &node->items[i], name);
}

void
config_check_tools(struct config_reader *r, const struct config *cfg)
{
	for (size_t i = 0; i < cfg->tools.n; i++) {
		const struct config_tool *t = &cfg->tools.v[i];
		const struct config_connection *c = NULL;
		const char *own = config_below(r, "tools", span_str(t->name));

		if (t->connection == NULL)
			continue;
		for (size_t k = 0; k < cfg->nconnections; k++)
			if (strcmp(cfg->connections[k].id, t->connection) == 0)
				c = &cfg->connections[k];
		if (c == NULL)
			config_issue(r, true, t->line, own, "no connection is called \"%.60s\"", t->connection);
		else if (c->query_policy == CONFIG_QUERIES_SEMANTIC && t->sql != NULL)
			config_issue(r, true, t->line, own,
			    "the connection %.60s takes no SQL (query_policy: semantic-layer-only); write query in its "
			    "place",
			    t->connection);
	}
}

const struct config_tool *
config_tool_named(const struct config *cfg, const char *name)
{
	return tool_among(&cfg->tools, name);
}
