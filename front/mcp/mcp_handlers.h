/* mcp_handlers - the methods of MCP.  Stateless; transport and era are reached only through the exchange. */
#pragma once

#include "front/mcp/exchange.h"

/* The number of a log level; IPC_LEVELS for an unknown name. */
unsigned mcp_level_of(struct span name);

/*
 * Start the call q for x.  A retry's state and answers are read from params.  When the call cannot be
 * started, x is answered with the error.
 */
void mcp_start_call(struct exchange *x, const struct mp_value *params, struct call_request *q);

/* arguments() and failed() of the struct call_kind of every call of a tool by name, over whatever it came. */
bool mcp_call_arguments(struct exchange *x, const struct mp_value *params, struct call_request *q);
void mcp_deny_tool(struct exchange *x);	/* deny() of such a call */
/* The sink's continued(): the SQL that the call goes on with is noted for the audit, which has a tool's values. */
void mcp_call_continued(void *x, const struct ipc_continue_with *msg);
void mcp_call_failed(void *x, const struct err *err, struct span details);

/* Whether the error is about an ontology that exists and cannot be asked yet; details are the worker's. */
bool mcp_is_not_ready(const struct err *err, struct span details);

/* Dispatch a method.  True when the era has the method; x then was answered or is being served. */
bool mcp_dispatch(struct exchange *x, struct span method, const struct mp_value *params);
