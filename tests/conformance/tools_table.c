/* tools_table.c - the table of the conformance front: policy/tools_table.c with the fixture's rows. */
#include "policy/tools.h"

enum order {
#define TOOL(name, role, toolset, scopes, effect, askers)	ORDER_##name,
#include "tests/conformance/tools.def"
#undef TOOL
};

const struct policy_tool policy_tools[] = {
#define TOOL(tool, of, set, mask, does, by)					\
	{ .name = #tool, .role = IPC_##of, .toolset = POLICY_TOOLSET_##set,		\
	  .scopes = mask, .effect = POLICY_##does, .askers = by, .order = ORDER_##tool },
#include "tests/conformance/tools.def"
#undef TOOL
};

const size_t policy_ntools = sizeof(policy_tools) / sizeof(policy_tools[0]);
