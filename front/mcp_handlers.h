/* mcp_handlers - the methods of MCP.  Stateless; transport and era are reached only through the exchange. */
#ifndef FRONT_MCP_HANDLERS_H
#define FRONT_MCP_HANDLERS_H

#include "front/mcp.h"

enum mcp_admission { MCP_ADMITTED, MCP_SERVER_FULL, MCP_CALLER_FULL };

/*
 * Whether another call may be started.  False: *err is the reason: too many calls of the server or of
 * the caller in flight, or the caller's rate limit.
 */
enum mcp_admission mcp_admit(struct exchange *x, struct err *err);

/* The number of a log level; IPC_LEVELS for an unknown name. */
unsigned mcp_level_of(struct span name);

/*
 * Start the call q for x.  A retry's state and answers are read from params.  When the call cannot be
 * started, x is answered with the error.
 */
void mcp_start_call(struct exchange *x, const struct mp_value *params, struct call_request *q);

/* Dispatch a method.  True when the era has the method; x then was answered or is being served. */
bool mcp_dispatch(struct exchange *x, struct span method, const struct mp_value *params);

#endif
