/*
 * handovers - where several nodes share a store, what the owner or the administration page asks of any of them, and one
 * of them alone does: scans, approvals and reverts; and what only that one can tell, its runs.
 *
 * carrel-memory of the node that was asked hands the call over by the store (workers/auth/handovers.h) and waits for
 * what became of it.  carrel-memory of the node that writes takes one at a time, between notes, and does it as if it
 * had been called: with the right to ask others that the caller had (call_ticket()).  Neither knows the other.
 *
 * Nothing is done twice: only one node begins a handover, and what it had begun when its process ended it looks at
 * before anything else: a step that stands is answered, one that does not is made, a scan is not repeated.  Nothing is
 * lost: what no node has begun after a few seconds is taken back, and the caller told so.
 *
 * Reading does not depend on it: without an answer a node tells of its own runs.
 */
#pragma once

#include "workers/memory/memory.h"

/* The tools of policy_tool_handed_over(), on each node. */
int handovers_run(struct call *c, const struct mp_value *args, struct err *err);

/* The tools among them that read, while another call waits: of this node's own runs. */
int handovers_meanwhile(struct call *c, const struct mp_value *args, struct err *err);

/* Between calls, with an empty queue: do what another node was asked for. */
void handovers_idle(struct memory *m);
void handovers_free(struct memory *m);
