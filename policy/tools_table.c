/*
 * tools_table.c - the rows of tools.def.  In a file of its own, so that a
 * test build of the front can have another table.
 */
#include "policy/tools.h"

/* The position of each row in tools.def. */
enum order {
#define TOOL(name, role, toolset, scopes, effect, askers)	ORDER_##name,
#include "policy/tools.def"
#undef TOOL
};

const struct policy_tool policy_tools[] = {
#define TOOL(tool, of, set, mask, does, by)					\
	{ .name = #tool, .role = IPC_##of, .toolset = POLICY_TOOLSET_##set,		\
	  .scopes = mask, .effect = POLICY_##does, .askers = by, .order = ORDER_##tool },
#include "policy/tools.def"
#undef TOOL
};

const size_t policy_ntools = sizeof(policy_tools) / sizeof(policy_tools[0]);

_Static_assert(sizeof(policy_tools) / sizeof(policy_tools[0]) <= POLICY_TOOLS_MAX, "room in the front");
