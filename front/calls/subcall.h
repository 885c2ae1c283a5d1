/* subcall - calls that a worker asks for; private to the router. */
#pragma once

#include "front/calls/router_parts.h"

/* Handle a frame of the asker.  False: the frame breaks the protocol. */
bool subcall_start(struct worker *asker, uint64_t id, const struct ipc_subcall *msg);
bool subcall_cancel(struct worker *asker, uint64_t id);
bool subcall_credit(struct worker *asker, uint64_t id, uint64_t chunks);

/* The asker is gone: cancel its sub-calls. */
void subcall_drop_all(struct worker *asker);
