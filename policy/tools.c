/* tools.c - see tools.h: the table of tools and what a caller needs for each. */
#include <stddef.h>

#include "policy/tools.h"

/* Gives each row its place in tools.def. */
enum order {
#define TOOL(name, role, toolset, scopes, effect)	ORDER_##name,
#include "policy/tools.def"
#undef TOOL
};

static const struct policy_tool tools[] = {
#define TOOL(tool, of, set, mask, does)						\
	{ .name = #tool, .role = of, .toolset = POLICY_TOOLSET_##set,		\
	  .scopes = mask, .effect = POLICY_##does, .order = ORDER_##tool },
#include "policy/tools.def"
#undef TOOL
};

const struct policy_tool *
policy_tool(struct span name)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (span_is_str(name, tools[i].name))
			return &tools[i];
	return NULL;
}

bool
policy_tool_allowed(const struct policy_tool *tool, uint32_t scopes)
{
	return (scopes & tool->scopes) == tool->scopes;
}

void
policy_scopes_text(uint32_t scopes, struct buf *out)
{
	static const struct {
		uint32_t	 bit;
		const char	*text;
	} texts[] = {
		{ POLICY_SCOPE_RESEARCH_READ, "research:read" },
		{ POLICY_SCOPE_RESEARCH_QUERY, "research:query" },
		{ POLICY_SCOPE_MEMORY_WRITE, "memory:write" },
		{ POLICY_SCOPE_LOCAL, "local" },
	};
	const char *separator = "";

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((scopes & texts[i].bit) != 0) {
			buf_str(out, separator);
			buf_str(out, texts[i].text);
			separator = " ";
		}
}
