/*
 * tools - what the workers offer, checked against what policy/ knows, and the
 * bytes of tools/list.
 *
 * A tool is taken over only when policy_tool() has its name with the role
 * that offers it, and when its schemas use nothing that is not enforced.
 */
#ifndef FRONT_TOOLS_H
#define FRONT_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/schema.h"
#include "front/out.h"
#include "front/params.h"
#include "ipc/ipc.h"
#include "policy/tools.h"

struct alias;

struct tool_entry {
	const struct policy_tool *policy;	/* NULL: not offered */
	enum ipc_role		 role;
	struct buf		 offer;		/* the worker's own map; the fields below borrow from it */
	struct span		 name, title, description;
	struct mp_value		 input, output;	/* output of class MP_NIL: none */
	struct buf		 essence;	/* schema_essence() of input: what every call is checked against */
	struct alias		*aliases;
	size_t			 naliases;
	struct params		*params;	/* its Mcp-Param-* headers; NULL: none */
	unsigned		 hints;		/* enum tool_hint */
	unsigned		 budget_ms;
	bool			 takes_connection;	/* has a property connectionId */
};

/* How much of a tool the reader of a list understands. */
enum tool_form {
	TOOL_FORM_BASIC,	/* before 2025-06-18: no title, no output schema */
	TOOL_FORM_FULL,
	TOOL_FORM_MODERN,	/* with what every 2026-07-28 result carries */
	TOOL_FORMS
};

struct tools;

struct tools *tools_new(void);
void tools_free(struct tools *t);

/*
 * Take over what role offers, replacing what it offered before.  -1 when the
 * message is no array of tools; a single tool that is refused is skipped and
 * named in skipped (may be NULL).
 */
int tools_offer(struct tools *t, enum ipc_role role, struct span offer, struct buf *skipped,
    struct err *err);

/*
 * The tool as a caller with these scopes may name it.  NULL: there is none,
 * which is also what a tool of toolset LOCAL is to whoever lacks that scope,
 * and one of toolset SURFACE or INNER to everybody.
 */
const struct tool_entry *tools_find(const struct tools *t, struct span name, uint32_t scopes);

/* The tool as a worker may name it in a sub-call; whether that worker may is policy_tool_askable()'s to say. */
const struct tool_entry *tools_find_inner(const struct tools *t, struct span name);

/* The row of toolset SURFACE that serves an MCP method.  NULL: nobody offers it. */
const struct tool_entry *tools_surface(const struct tools *t, const char *row);

/*
 * The members of the tools/list result for scopes, serialised once: what the
 * caller may call, in the order of policy/tools.def.  Borrowed until the next
 * tools_offer(); take a reference to keep it.
 */
struct blob *tools_list(struct tools *t, uint32_t scopes, enum tool_form form);

/* Grows with every offer that is not what its role offered before: the lists differ. */
unsigned tools_changes(const struct tools *t);

#endif
