/*
 * team_call - a call of a team's tool, from its arguments on.
 *
 * A value of a parameter with the values of a dimension is looked up first, by a query of its own in the caller's name.
 * What the caller would not be shown is refused, with the nearest values that it would; otherwise the tool is called.
 * All of it is one exchange, admitted once and with one entry in the audit.
 */
#pragma once

#include "front/mcp/exchange.h"

struct call_request;
struct sink;

struct schema_result;

/* How a call of a tool by its name goes on: mcp_handlers.h. */
struct team_call_way {
	const struct sink	*sink;	/* of the call of the tool */
	void	(*start)(struct exchange *x, const struct mp_value *params, struct call_request *q);
	void	(*refuse)(struct exchange *x, const struct tool_entry *tool, const struct mp_value *args,
	    const struct schema_result *issues);
};

/* The last part of arguments() of struct call_kind, for x->target.tool; args were checked against its schema. */
bool team_call_arguments(struct exchange *x, const struct mp_value *args, const struct team_call_way *way,
    struct call_request *q);

/*
 * The values of a parameter are asked for.  Find tool and parameter, begin the entry of the audit.  False: there is no
 * such tool, or no such parameter of it.  x->target.values is NULL then, and where the configuration lists the values.
 */
bool team_call_find_values(struct exchange *x, struct span tool, struct span parameter);

/* The values that the configuration lists, of class MP_NIL: none. */
struct mp_value team_call_listed(const struct exchange *x, struct span parameter);

/* Have all values of x->target.values asked for.  sink gets a result for team_values.h. */
void team_call_ask_values(struct exchange *x, struct call_request *q, const struct sink *sink);
