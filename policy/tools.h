/*
 * tools - who may call what.  Pure; the table is tools.def.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "ipc/messages.h"
#include "policy/scopes.h"

/* The workers that may call a tool while they serve a call: POLICY_ASKER_<ROLE>, the role's bit. */
enum policy_asker {
	POLICY_ASKER_NONE	= 0,
#define ROLE(NAME, ...)	POLICY_ASKER_##NAME = IPC_##NAME,
#include "ipc/roles.def"
#undef ROLE
	/* Search may let the tool answer the client instead of search. */
	POLICY_ASKER_GOES_ON	= IPC_ROLE_ALL + 1
};

enum policy_toolset {
	POLICY_TOOLSET_RESEARCH, POLICY_TOOLSET_LOCAL, POLICY_TOOLSET_INNER, POLICY_TOOLSET_SURFACE,
	POLICY_TOOLSET_ASK, POLICY_TOOLSET_DATASETS, POLICY_TOOLSET_CONNECTIVITY, POLICY_TOOLSET_TEAM
};
enum policy_effect { POLICY_READS, POLICY_WRITES };

struct policy_tool {
	const char		*name;
	enum ipc_role		 role;		/* that serves it */
	enum policy_toolset	 toolset;
	uint32_t		 scopes;
	enum policy_effect	 effect;
	unsigned		 askers;	/* POLICY_ASKER_* */
	unsigned		 order;		/* position in tools/list */
};

/* The MCP annotations that are announced with a tool.  openWorldHint is false for all of our tools. */
enum tool_hint {
	TOOL_READ_ONLY		= 1 << 0,
	TOOL_DESTRUCTIVE	= 1 << 1,	/* announced, true or false, only when not read-only */
	TOOL_IDEMPOTENT		= 1 << 2,	/* idempotentHint: true */
	TOOL_NOT_IDEMPOTENT	= 1 << 3	/* idempotentHint: false; with neither bit it is not announced */
};

#define POLICY_TOOLS_MAX	128u

/* All tools, in the order of tools/list. */
extern const struct policy_tool policy_tools[];
extern const size_t policy_ntools;

/* NULL if there is no such tool. */
const struct policy_tool *policy_tool(struct span name);

/* True for a tool that the administration page may call: page.def. */
bool policy_tool_of_page(const struct policy_tool *tool);

/* True if scopes contain everything that tool needs. */
bool policy_tool_allowed(const struct policy_tool *tool, uint32_t scopes);

/* True if asker is one role and may sub-call tool for a principal with these scopes. */
bool policy_tool_askable(const struct policy_tool *tool, enum ipc_role asker, uint32_t scopes);

/* True if asker may let tool answer instead: the scopes are the caller's, and the tool's are needed. */
bool policy_tool_continues(const struct policy_tool *tool, enum ipc_role asker, uint32_t scopes);

/* True for a tool of a toolset that tools/list shows to callers with its scopes. */
bool policy_tool_listed(const struct policy_tool *tool);

/*
 * The connection whose pool serves a call with these arguments, a map; empty: it is no connection's.  A name that is
 * longer than any connection's is left out: the front answers that there is no such connection.
 */
struct span policy_tool_connection(const struct policy_tool *tool, const struct mp_value *args);

/* True for a tool that runs SQL as its caller wrote it. */
bool policy_tool_takes_sql(const struct policy_tool *tool);

/* True for the row of an MCP method about resources. */
bool policy_tool_gives_resources(const struct policy_tool *tool);

/* True for a tool that writes files of the project, which one node alone does where several share a store. */
bool policy_tool_writes_project(const struct policy_tool *tool);

/* True for one of the owner's and the page's that the node that writes does for the others. */
bool policy_tool_handed_over(const struct policy_tool *tool);

/* True for a tool that goes on after its call has ended, and gets a permission to ask in the caller's name then. */
bool policy_tool_goes_on(const struct policy_tool *tool);
