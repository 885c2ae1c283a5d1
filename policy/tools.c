/* tools.c - see tools.h: looking tools up, and scopes as text. */
#include <stddef.h>

#include "policy/tools.h"

const struct policy_tool *
policy_tool(struct span name)
{
	for (size_t i = 0; i < policy_ntools; i++)
		if (span_is_str(name, policy_tools[i].name))
			return &policy_tools[i];
	return NULL;
}

bool
policy_tool_allowed(const struct policy_tool *tool, uint32_t scopes)
{
	return (scopes & tool->scopes) == tool->scopes;
}

static const struct {
	uint32_t	 bit;
	const char	*text;
} scopes_named[] = {
	{ POLICY_SCOPE_RESEARCH_READ, "research:read" },
	{ POLICY_SCOPE_RESEARCH_QUERY, "research:query" },
	{ POLICY_SCOPE_MEMORY_WRITE, "memory:write" },
	{ POLICY_SCOPE_LOCAL, "local" },
};

uint32_t
policy_scope_named(struct span name)
{
	for (size_t i = 0; i < sizeof(scopes_named) / sizeof(scopes_named[0]); i++)
		if (span_is_str(name, scopes_named[i].text))
			return scopes_named[i].bit;
	return 0;
}

void
policy_scopes_text(uint32_t scopes, struct buf *out)
{
	const char *separator = "";

	for (size_t i = 0; i < sizeof(scopes_named) / sizeof(scopes_named[0]); i++)
		if ((scopes & scopes_named[i].bit) != 0) {
			buf_str(out, separator);
			buf_str(out, scopes_named[i].text);
			separator = " ";
		}
}
