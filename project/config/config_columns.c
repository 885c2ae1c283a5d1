#include <string.h>

#include "base/utf8.h"
#include "project/config/config_columns.h"

#define RULES_MAX	1000
#define PATTERN_MAX	512

static const char *const actions[] = { "hide", "mask", "hash" };

#define NACTIONS	(sizeof(actions) / sizeof(actions[0]))

/* One to three parts separated by dots, none empty; inside "…" dots are literal (policy/columns.h). */
static bool
is_pattern(struct span s)
{
	size_t parts = 0, i = 0;

	if (s.len == 0 || s.len > PATTERN_MAX)
		return false;
	for (;; i++) {
		size_t from = i;
		bool quoted = i < s.len && s.p[i] == '"';

		if (quoted) {
			for (i++; i < s.len && (s.p[i] != '"' || (i + 1 < s.len && s.p[i + 1] == '"')); i++)
				i += s.p[i] == '"';
			if (i++ >= s.len || i - from == 2)
				return false;
		} else
			while (i < s.len && s.p[i] != '.' && s.p[i] != '"' && s.p[i] >= 0x20)
				i++;
		if (i == from || (i < s.len && s.p[i] != '.') || ++parts > 3)
			return false;
		if (i == s.len)
			return true;
	}
}

static bool
is_scope(struct span s)
{
	size_t colons = 0;

	for (size_t i = 0; i < s.len; i++) {
		colons += s.p[i] == ':';
		if (s.p[i] != ':' && s.p[i] != '_' && (s.p[i] < 'a' || s.p[i] > 'z'))
			return false;
	}
	return colons == 1 && s.len <= 64;
}

static void
config_columns_complain(struct config_reader *r, const struct yaml_node *node, const char *name, const char *expected)
{
	config_issue(r, true, node->line, name, "expected %s, found %s%.*s%s", expected,
	    node->kind == YAML_SCALAR       ? "\"" :
		node->kind == YAML_SEQUENCE ? "a list" :
		node->kind == YAML_MAPPING  ? "a mapping" :
					      "nothing",
	    node->kind == YAML_SCALAR ? (int)utf8_cut(node->text.p, node->text.len, 60) : 0, (const char *)node->text.p,
	    node->kind == YAML_SCALAR ? "\"" : "");
}

static void
add_rule(struct config_reader *r, struct config_column_rules *rules, const char *action, const char *scope,
    const struct yaml_node *node, const char *name)
{
	struct config_column_rule *v;

	if (node->kind != YAML_SCALAR || !is_pattern(node->text)) {
		config_columns_complain(r, node, name,
		    "a column pattern like table.column, *.column or schema.table.column");
		return;
	}
	if (rules->n == RULES_MAX) {
		config_issue(r, true, node->line, name, "more than %d patterns", RULES_MAX);
		return;
	}
	if (rules->n % 32 == 0) {
		if ((v = arena_array(r->arena, rules->n + 32, sizeof(*v))) == NULL) {
			r->full = true;
			return;
		}
		if (rules->n > 0)
			memcpy(v, rules->v, rules->n * sizeof(*v));
		rules->v = v;
	}
	v = &rules->v[rules->n++];
	v->action = action;
	v->scope = scope;
	if ((v->pattern = yaml_cstr(r->arena, node)) == NULL)
		r->full = true;
}

static void
read_patterns(struct config_reader *r, struct config_column_rules *rules, const char *action, const char *scope,
    const struct yaml_node *node, const char *name)
{
	if (node->kind != YAML_SEQUENCE) {
		if (node->kind != YAML_NULL)
			add_rule(r, rules, action, scope, node, name);
		return;
	}
	for (size_t i = 0; i < node->n; i++)
		add_rule(r, rules, action, scope, &node->items[i], name);
}

static void read_rules(struct config_reader *r, struct config_column_rules *rules, const char *scope,
    const struct yaml_node *node, const char *name);

static void
read_scopes(struct config_reader *r, struct config_column_rules *rules, const struct yaml_node *node, const char *name)
{
	if (node->kind != YAML_MAPPING) {
		config_columns_complain(r, node, name, "a mapping of scopes to hide, mask and hash");
		return;
	}
	for (size_t i = 0; i < node->n; i++) {
		const char *scope = yaml_cstr(r->arena, &node->keys[i]);

		if (scope == NULL || !is_scope(node->keys[i].text))
			config_columns_complain(r, &node->keys[i], name, "a scope like research:query");
		else
			read_rules(r, rules, scope, &node->items[i], config_below(r, name, node->keys[i].text));
	}
}

/* An unknown key would silently protect less than was asked for: an error, not a warning. */
static void
read_rules(struct config_reader *r, struct config_column_rules *rules, const char *scope,
    const struct yaml_node *node, const char *name)
{
	if (node->kind != YAML_MAPPING) {
		config_columns_complain(r, node, name, "a mapping of hide, mask and hash to lists of column patterns");
		return;
	}
	for (size_t i = 0; i < node->n; i++) {
		struct span key = node->keys[i].text;
		const char *full = config_below(r, name, key);
		size_t a = 0;

		while (a < NACTIONS && !span_is_str(key, actions[a]))
			a++;
		if (a < NACTIONS)
			read_patterns(r, rules, actions[a], scope, &node->items[i], full);
		else if (scope == NULL && span_is_str(key, "scopes"))
			read_scopes(r, rules, &node->items[i], full);
		else
			config_issue(r, true, node->keys[i].line, full, "expected hide, mask or hash%s",
			    scope == NULL ? ", or scopes" : "");
	}
}

void
config_columns(struct config_reader *r, struct config_column_rules *rules, const struct yaml_node *node,
    const char *name)
{
	memset(rules, 0, sizeof(*rules));
	if (node->kind != YAML_NULL)
		read_rules(r, rules, NULL, node, name);
}
