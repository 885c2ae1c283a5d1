/*
 * tools - who may call what.  Pure; the table is tools.def.
 */
#ifndef POLICY_TOOLS_H
#define POLICY_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/buf.h"

enum policy_scope {
	POLICY_SCOPE_RESEARCH_READ	= 1 << 0,	/* research:read */
	POLICY_SCOPE_RESEARCH_QUERY	= 1 << 1,	/* research:query */
	POLICY_SCOPE_MEMORY_WRITE	= 1 << 2,	/* memory:write */
	POLICY_SCOPE_LOCAL		= 1 << 3	/* the daemon's own user over control.sock; no token carries it */
};

/* What an open loopback and the static token give. */
#define POLICY_SCOPES_RESEARCH	(POLICY_SCOPE_RESEARCH_READ |		\
    POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_MEMORY_WRITE)

/* Which worker may have a tool called in the middle of a call of its own. */
enum policy_asker {
	POLICY_ASKER_NONE	= 0,
	POLICY_ASKER_SEARCH	= 1 << 0,
	POLICY_ASKER_MEMORY	= 1 << 1,
	POLICY_ASKER_AGENT	= 1 << 2,
	POLICY_ASKER_GOES_ON	= 1 << 3	/* search may let it answer the client in its place */
};

enum policy_toolset { POLICY_TOOLSET_RESEARCH, POLICY_TOOLSET_LOCAL, POLICY_TOOLSET_INNER, POLICY_TOOLSET_SURFACE };
enum policy_effect { POLICY_READS, POLICY_WRITES };

struct policy_tool {
	const char		*name;
	const char		*role;		/* as ipc_role_name() spells it */
	enum policy_toolset	 toolset;
	uint32_t		 scopes;
	enum policy_effect	 effect;
	unsigned		 askers;	/* POLICY_ASKER_* */
	unsigned		 order;		/* place in tools/list */
};

/* What a tool says of itself in MCP annotations, announced with it; openWorldHint is false for every tool of ours. */
enum tool_hint {
	TOOL_READ_ONLY		= 1 << 0,
	TOOL_DESTRUCTIVE	= 1 << 1,	/* announced, true or false, only when not read-only */
	TOOL_IDEMPOTENT		= 1 << 2,	/* idempotentHint: true */
	TOOL_NOT_IDEMPOTENT	= 1 << 3	/* idempotentHint: false; neither bit: not announced */
};

#define POLICY_TOOLS_MAX	128u

/* Every tool there may be, in the order of tools/list. */
extern const struct policy_tool policy_tools[];
extern const size_t policy_ntools;

/* NULL: no such tool. */
const struct policy_tool *policy_tool(struct span name);

/* True when scopes hold everything tool needs. */
bool policy_tool_allowed(const struct policy_tool *tool, uint32_t scopes);

/*
 * True when asker, a role as ipc_role_name() spells it, may sub-call tool for
 * somebody with these scopes.
 */
bool policy_tool_askable(const struct policy_tool *tool, const char *asker, uint32_t scopes);

/* True when asker may let tool answer in its place: the scopes are the caller's, and needed. */
bool policy_tool_continues(const struct policy_tool *tool, const char *asker, uint32_t scopes);

/* True for a tool that goes on after its call, and is handed leave to ask for the caller then. */
bool policy_tool_goes_on(const struct policy_tool *tool);

/* The bit of "research:read"; 0: there is no such scope. */
uint32_t policy_scope_named(struct span name);

/* Append "research:read research:query" for a mask to out, space-separated. */
void policy_scopes_text(uint32_t scopes, struct buf *out);

#endif
