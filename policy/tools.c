/* tools.c - see tools.h: looking tools up, and scopes as text. */
#include <stddef.h>
#include <string.h>

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

/* The bit of a role that makes sub-calls; POLICY_ASKER_NONE for other roles. */
static unsigned
asker_bit(const char *role)
{
	static const struct {
		const char *role;
		unsigned bit;
	} rows[] = {
		{ "search", POLICY_ASKER_SEARCH },
		{ "memory", POLICY_ASKER_MEMORY },
		{ "agent", POLICY_ASKER_AGENT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].role, role) == 0)
			return rows[i].bit;
	return POLICY_ASKER_NONE;
}

bool
policy_tool_askable(const struct policy_tool *tool, const char *asker, uint32_t scopes)
{
	return (tool->askers & asker_bit(asker)) != 0 && policy_tool_allowed(tool, scopes);
}

bool
policy_tool_continues(const struct policy_tool *tool, const char *asker, uint32_t scopes)
{
	return (tool->askers & POLICY_ASKER_GOES_ON) != 0 && asker_bit(asker) == POLICY_ASKER_SEARCH &&
	    policy_tool_allowed(tool, scopes);
}

bool
policy_tool_goes_on(const struct policy_tool *tool)
{
	return tool->toolset == POLICY_TOOLSET_RESEARCH && tool->effect == POLICY_WRITES &&
	    strcmp(tool->role, "memory") == 0;
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
