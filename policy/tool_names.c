#include <string.h>

#include "base/ascii.h"
#include "policy/tool_names.h"

#define OWN	(sizeof(TOOL_NAMES_OWN) - 1)

/* The dataset tool whose own name is the word at `at`; NULL: none. */
static const struct policy_tool *
own_name_at(struct span text, size_t at)
{
	if (text.len - at <= OWN || memcmp(text.p + at, TOOL_NAMES_OWN "_", OWN + 1) != 0 ||
	    (at > 0 && ascii_is_token(text.p[at - 1])))
		return NULL;
	for (size_t i = 0; i < policy_ntools; i++) {
		size_t n = strlen(policy_tools[i].name);

		if (policy_tools[i].toolset == POLICY_TOOLSET_DATASETS && text.len - at >= n &&
		    memcmp(text.p + at, policy_tools[i].name, n) == 0 &&
		    (text.len - at == n || !ascii_is_token(text.p[at + n])))
			return &policy_tools[i];
	}
	return NULL;
}

const struct policy_tool *
tool_names_find(const char *prefix, struct span name)
{
	const struct policy_tool *own = policy_tool(name);
	size_t n = strlen(prefix);

	if (own != NULL && own->toolset != POLICY_TOOLSET_DATASETS)
		return own;
	if (name.len <= n || memcmp(name.p, prefix, n) != 0)
		return NULL;
	for (size_t i = 0; i < policy_ntools; i++)
		if (policy_tools[i].toolset == POLICY_TOOLSET_DATASETS &&
		    span_is_str(span_of(name.p + n, name.len - n), policy_tools[i].name + OWN))
			return &policy_tools[i];
	return NULL;
}

bool
tool_names_is_taken(const char *prefix, struct span name)
{
	size_t n = strlen(prefix);

	return policy_tool(name) != NULL || (name.len > n && memcmp(name.p, prefix, n) == 0 && name.p[n] == '_');
}

void
tool_names_text(const char *prefix, struct span text, struct buf *out)
{
	for (size_t at = 0; at < text.len;) {
		const struct policy_tool *tool = own_name_at(text, at);

		if (tool == NULL) {
			buf_byte(out, text.p[at++]);
			continue;
		}
		buf_str(out, prefix);
		buf_str(out, tool->name + OWN);
		at += strlen(tool->name);
	}
}

static void
put_text(const char *prefix, struct span text, struct buf *out)
{
	size_t mark = mp_open_str(out);

	tool_names_text(prefix, text, out);
	mp_close_str(out, mark);
}

void
tool_names_value(const char *prefix, const struct mp_value *v, struct buf *out)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value one;
	struct span key;

	if (v->class == MP_STR) {
		put_text(prefix, v->s, out);
	} else if (v->class == MP_ARRAY) {
		mp_put_array(out, v->n);
		while (mp_next(&it, &one))
			tool_names_value(prefix, &one, out);
	} else if (v->class == MP_MAP) {
		mp_put_map(out, v->n);
		while (mp_next_pair(&it, &key, &one)) {
			mp_put_str(out, key);
			tool_names_value(prefix, &one, out);
		}
	} else
		buf_span(out, v->raw);
}
