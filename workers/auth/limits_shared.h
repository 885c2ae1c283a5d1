/*
 * limits_shared - calls a minute and in flight, counted for all nodes that share a store.
 *
 * What may begin is decided by the store, in one statement; a call that nothing limits asks it nothing.  Local
 * principals are people of this machine, and are counted here (limits.h).  That a call has ended is told later, with
 * the node's next admission of the same principal or within 250 ms, and at once while the principal has as many calls
 * as it may.  So the number that is counted may be too large for a moment, never too small: a call that is one too many
 * by it waits for 300 ms before it is refused.
 */
#pragma once

#include "workers/auth/auth.h"

/* Answer ADMIT; IPC_OUT_OF_STATE: the front is broken. */
enum ipc_fault limits_shared_admit(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_admit *msg);

/* Do what is due; limits_shared_patience_ms(): when the next is, 250 at most. */
void limits_shared_tend(struct auth *a, uint64_t now_ns);
unsigned limits_shared_patience_ms(const struct auth *a);

/* The front disconnected. */
void limits_shared_gone(struct auth *a, uint64_t peer);
void limits_shared_free(struct auth *a);
