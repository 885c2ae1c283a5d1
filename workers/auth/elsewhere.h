/*
 * elsewhere - legacy sessions that ended and tasks of fronts, told to the other nodes that share a store, and what
 * these told.  With a store of the node's own alone, nothing is done.
 */
#pragma once

#include "workers/auth/auth.h"

/* A session of this node has ended, as the front `peer` says, which hears of it when the store has it. */
void elsewhere_session(struct auth *a, uint64_t peer, const struct ipc_session_over *m);

/* What a front says of one of its tasks; and asks of another node's. */
void elsewhere_task(struct auth *a, const struct ipc_task_keep *m);
void elsewhere_look(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_task_look *m);

/* A front attached: what it had before has ended, and it knows of no session that ended elsewhere. */
void elsewhere_greet(struct auth *a, uint64_t peer);

/* Tell the fronts what was ended and cancelled elsewhere.  elsewhere_is_told(): of all sessions that are known of. */
void elsewhere_tend(struct auth *a);
bool elsewhere_is_told(const struct auth *a);
