#include "project/config/config_member.h"

#include <string.h>

static bool
is_absent(const struct yaml_node *value)
{
	return value == NULL || value->kind == YAML_NULL;
}

bool
config_member_keys(struct config_reader *r, const struct yaml_node *node, const char *expected, const char *name)
{
	if (node->kind != YAML_MAPPING)
		config_issue(r, true, node->line, name, "expected the keys %s", expected);
	return node->kind == YAML_MAPPING;
}

bool
config_member_known(struct config_reader *r, const struct yaml_node *node, const char *const *known, const char *name)
{
	struct buf list = { 0 };
	bool all = true;

	for (size_t i = 0; known[i] != NULL; i++)
		buf_printf(&list, "%s%s", i == 0 ? "" : known[i + 1] == NULL ? " and " : ", ", known[i]);
	for (size_t i = 0; i < node->n; i++)
		if (!span_is_any(node->keys[i].text, known)) {
			config_issue(r, true, node->keys[i].line, config_below(r, name, node->keys[i].text),
			    "unknown key; the keys here are %s", buf_cstr(&list));
			all = false;
		}
	buf_fini(&list);
	return all;
}

const char *
config_member_text(struct config_reader *r, const struct yaml_node *node, const char *key, size_t most, bool needed,
    const char *name)
{
	const struct yaml_node *value = yaml_get(node, key);
	const char *text = is_absent(value) ? NULL : yaml_cstr(r->arena, value);

	if (is_absent(value) && needed)
		config_issue(r, true, node->line, name, "%s is missing", key);
	if (is_absent(value) || (text != NULL && *text != '\0' && strlen(text) <= most))
		return text;
	config_issue(r, true, value->line, name, "expected a text of 1 to %zu bytes as %s", most, key);
	return NULL;
}

void
config_member_count(struct config_reader *r, const struct yaml_node *node, const char *key, uint64_t low,
    uint64_t high, unsigned *out, const char *name)
{
	const struct yaml_node *value = yaml_get(node, key);
	unsigned long long n;

	if (is_absent(value))
		return;
	if (yaml_uint(value, &n) && n >= low && n <= high)
		*out = (unsigned)n;
	else
		config_issue(r, true, value->line, name, "expected a whole number from %llu to %llu as %s",
		    (unsigned long long)low, (unsigned long long)high, key);
}

void *
config_member_room(struct config_reader *r, const struct yaml_node *node, enum yaml_kind kind, size_t least,
    size_t most, size_t size, const char *of, const char *name)
{
	void *room = NULL;

	if (node->kind != kind || node->n < least || node->n > most)
		config_issue(r, true, node->line, name, "expected %s %zu to %zu %s",
		    kind == YAML_SEQUENCE ? "a list of" : "the keys of", least, most, of);
	else if ((room = arena_array(r->arena, node->n + 1, size)) == NULL)
		r->full = true;
	return room;
}
