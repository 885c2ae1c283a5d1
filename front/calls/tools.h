/*
 * tools - the tools that workers offer, checked against policy/, and the serialised tools/list.  A
 * tool is accepted only when policy_tool() lists its name for the role that offers it, and when its
 * schemas use only keywords that are enforced.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/json/json_schema.h"
#include "front/wire/out.h"
#include "front/calls/params.h"
#include "ipc/messages.h"
#include "policy/tools.h"

struct alias;
struct tool_values;

struct tool_entry {
	const struct policy_tool *policy;	/* NULL: not offered */
	enum ipc_role		 role;
	struct buf		 offer;		/* the worker's map; the fields below borrow from it */
	struct span		 name, title, description;	/* name: in policy/tools.def */
	struct span		 shown;		/* the name that clients know: see policy/tool_names.h */
	struct mp_value		 input, output;	/* output of class MP_NIL: none */
	struct alias		*aliases;
	size_t			 naliases;
	struct params		*params;	/* its Mcp-Param-* headers; NULL: none */
	unsigned		 hints;		/* enum tool_hint */
	unsigned		 budget_ms;
	bool			 takes_connection;	/* the input has a property connectionId */
	uint32_t		 scopes;	/* that a caller needs: all of them, of a team's tool one */
	/* of a team's tool */
	struct span		 connection;	/* whose statement it is */
	struct span		 query;		/* msgpack, what sl_query takes; empty: it has a statement */
	char			*fault;		/* why its statement cannot be run; NULL: it can, as far as is known */
	bool			 trying, try_again;	/* it is being tried; something changed meanwhile */
	struct tool_values	*values;	/* of its parameters that have those of a dimension */
	size_t			 nvalues;
};

/* A parameter of a team's tool whose values are those of a dimension, when it is called and for who calls it. */
struct tool_values {
	struct span		 parameter, dimension;
	struct tool_entry	 all, one;	/* queries: its values; the one that is equal to :value */
};

/* The caller of a tool: its scopes, and the team's tools that its credential names; NULL: none. */
struct tool_caller {
	uint32_t	 scopes;
	const char	*tools;
};

/* The form of a tool in a list, by what the client's revision knows. */
enum tool_form {
	TOOL_FORM_BASIC,	/* before 2025-06-18: no title, no output schema */
	TOOL_FORM_FULL,
	TOOL_FORM_MODERN,	/* with the members that every 2026-07-28 result has */
	TOOL_FORMS
};

struct tools;

/* prefix: of the names of dataset tools; empty: their own. */
struct tools *tools_new(struct span prefix);
void tools_free(struct tools *t);

/*
 * Accept the offer of a role; it replaces the role's earlier offer.  -1 when the message is no array
 * of tools.  A refused tool is skipped and named in skipped (may be NULL).
 */
int tools_offer(struct tools *t, enum ipc_role role, struct span offer, struct buf *skipped,
    struct err *err);

/* Take the team's tools: an array of maps like those of a worker's offer.  -1 if team is another value. */
int tools_take_team(struct tools *t, struct span team, struct err *err);

/* Whether the caller has what the tool needs. */
bool tool_is_allowed(const struct tool_entry *e, const struct tool_caller *caller);

/* The scopes that the tool, or the row behind a team's, is for. */
uint32_t tool_needs(const struct tool_entry *e);

/*
 * The scopes to name to a caller who may not call it: of a team's tool, for which one of several is enough, those
 * within what the caller could be granted, if any is.  0: the tool's own, as that is what could be granted, or as it
 * has no other.
 */
uint32_t tool_lacks(const struct tool_entry *e, const struct tool_caller *reach);

/* The team's tools, one after the other; NULL behind the last. */
const struct tool_entry *tools_team(const struct tools *t, size_t i);
const struct tool_entry *tools_team_named(const struct tools *t, struct span name);

/* The parameter's, of a team's tool; NULL: it has no values of a dimension. */
const struct tool_values *tool_values_of(const struct tool_entry *e, struct span parameter);

/* Why it, or a query for the values of its parameters, cannot be run; NULL: they can, as far as is known. */
const char *tool_fault(const struct tool_entry *e);

/* Note why a tool of the team's cannot be run and so is not listed; NULL: it can.  True: that is new. */
bool tools_note_fault(struct tools *t, const struct tool_entry *e, const char *fault);

/*
 * Begin to try a tool of the team's.  False: it is being tried, and will be once more.  End it; true: try it
 * once more.
 */
bool tools_begin_trial(struct tools *t, const struct tool_entry *e);
bool tools_end_trial(struct tools *t, const struct tool_entry *e);

/* Whether the call is of a team's tool: its worker knows it by the name of the row, and is told its own. */
bool tool_is_team(const struct tool_entry *e);

/*
 * Find a tool by name for a caller with these scopes.  NULL: no such tool.  Tools of toolset LOCAL do
 * not exist for callers without that scope, and tools of toolset SURFACE or INNER exist for no caller.
 */
const struct tool_entry *tools_find(const struct tools *t, struct span name, uint32_t scopes);

/* As tools_find(), by the name that clients know. */
const struct tool_entry *tools_called(const struct tools *t, struct span name, uint32_t scopes);

/* The error of a call, with dataset tools called as clients know them. */
void tools_put_names(const struct tools *t, struct err *err);

/*
 * Find a tool that a worker names in a sub-call.  policy_tool_askable() decides whether that worker
 * may call the tool.
 */
const struct tool_entry *tools_find_inner(const struct tools *t, struct span name);

/* The tool of toolset SURFACE that serves an MCP method.  NULL: no worker offers it. */
const struct tool_entry *tools_surface(const struct tools *t, const char *row);

/*
 * The members of the tools/list result for this caller, serialised once, in the order of
 * policy/tools.def, the team's tools behind them.  Lists what the caller may call.  Borrowed until the next
 * tools_offer(); take a reference to keep it.
 */
struct blob *tools_list(struct tools *t, const struct tool_caller *caller, enum tool_form form);

/*
 * Whether there is something that ask_question can answer from: its toolset is listed only then.  True
 * when that was otherwise before.
 */
bool tools_ready(struct tools *t, bool ready);

/* Whether a worker offers ask_question at all. */
bool tools_answers(const struct tools *t);

/* Increases with every offer that differs from the role's earlier offer: lists have changed. */
unsigned tools_changes(const struct tools *t);

/*
 * Rename aliases, or of a team's tool take what team_arguments.h says, then check args, a MAP, against
 * the input schema.  *out is the arguments to send, borrowed from args or from scratch.  False: *issues
 * lists the problems.
 */
bool tools_check_args(const struct tool_entry *tool, const struct mp_value *args,
    struct buf *scratch, struct mp_value *out, struct schema_result *issues);

/* The "details" of invalid_arguments, as JSON, and the sentence for the agent. */
void tools_put_issues(const struct tool_entry *tool, const struct schema_result *issues,
    struct buf *details, struct buf *sentence);
