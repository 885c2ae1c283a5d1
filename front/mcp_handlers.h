/* mcp_handlers - what the methods do; stateless, transport and era only through the exchange. */
#ifndef FRONT_MCP_HANDLERS_H
#define FRONT_MCP_HANDLERS_H

#include "front/mcp.h"

enum mcp_admission { MCP_ADMITTED, MCP_SERVER_FULL, MCP_CALLER_FULL };

/* May another call be started?  Else *err says why not: the server has too much in flight, or the caller, or it asked too often. */
enum mcp_admission mcp_admit(struct exchange *x, struct err *err);

/* A level's name; IPC_LEVELS when it is none. */
unsigned mcp_level_of(struct span name);

/* Start q for x; what a retry brings is taken from params.  The exchange is answered when it cannot be. */
void mcp_start_call(struct exchange *x, const struct mp_value *params, struct call_request *q);

/* True when the era has the method; it was then answered or is being served. */
bool mcp_dispatch(struct exchange *x, struct span method, const struct mp_value *params);

#endif
