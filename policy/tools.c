/* tools.c - see tools.h: looking tools up, and who may call them. */
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
policy_tool_of_page(const struct policy_tool *tool)
{
	static const char *const names[] = {
#define PAGE_TOOL(name)	#name,
#include "policy/page.def"
#undef PAGE_TOOL
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(tool->name, names[i]) == 0)
			return true;
	return false;
}

bool
policy_tool_allowed(const struct policy_tool *tool, uint32_t scopes)
{
	return (scopes & tool->scopes) == tool->scopes;
}

bool
policy_tool_askable(const struct policy_tool *tool, enum ipc_role asker, uint32_t scopes)
{
	return ipc_role_is_one(asker) && (tool->askers & (unsigned)asker) != 0 && policy_tool_allowed(tool, scopes);
}

bool
policy_tool_continues(const struct policy_tool *tool, enum ipc_role asker, uint32_t scopes)
{
	enum ipc_role instead = tool->role == IPC_AUTH ? IPC_MEMORY : IPC_SEARCH;

	return (tool->askers & POLICY_ASKER_GOES_ON) != 0 && asker == instead && policy_tool_allowed(tool, scopes);
}

struct span
policy_tool_connection(const struct policy_tool *tool, const struct mp_value *args)
{
	struct span none = SPAN("");
	struct span id = ipc_role_is_pooled(tool->role) ? mp_get_str(args, "connectionId", none) : none;

	return id.len <= IPC_CONNECTION_MAX ? id : none;
}

bool
policy_tool_writes_project(const struct policy_tool *tool)
{
	return tool->effect == POLICY_WRITES && tool->role == IPC_MEMORY;
}

bool
policy_tool_goes_on(const struct policy_tool *tool)
{
	return tool->toolset == POLICY_TOOLSET_RESEARCH && tool->effect == POLICY_WRITES && tool->role == IPC_MEMORY;
}

bool
policy_tool_handed_over(const struct policy_tool *tool)
{
	static const char *const names[] = { "scan", "memory_log", "memory_show", "memory_approve", "memory_revert" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(tool->name, names[i]) == 0)
			return true;
	return false;
}

bool
policy_tool_listed(const struct policy_tool *tool)
{
	return tool->toolset == POLICY_TOOLSET_RESEARCH || tool->toolset == POLICY_TOOLSET_ASK ||
	    tool->toolset == POLICY_TOOLSET_DATASETS || tool->toolset == POLICY_TOOLSET_CONNECTIVITY;
}

bool
policy_tool_takes_sql(const struct policy_tool *tool)
{
	return (tool->toolset == POLICY_TOOLSET_RESEARCH && tool->role == IPC_SQL) ||
	    (tool->toolset == POLICY_TOOLSET_DATASETS && tool->scopes == POLICY_SCOPE_EXT_SQL);
}

bool
policy_tool_gives_resources(const struct policy_tool *tool)
{
	return tool->toolset == POLICY_TOOLSET_SURFACE && strncmp(tool->name, "resource", 8) == 0;
}
