/*
 * limits_shared - calls a minute and in flight, counted for all nodes that share a store.
 *
 * What may begin is decided by the store, in one statement; a call that nothing limits asks it nothing.  Local
 * principals are people of this machine, and are counted here (limits.h).  That a call has ended is told with the
 * node's next admission of the same principal, or within a minute; at once where another node has a call to begin that
 * is one too many (store_word()).  So a call costs one statement, and the number that is counted may be too large,
 * never too small: a call that is one too many by it waits for 300 ms before it is refused.
 */
#pragma once

#include "workers/auth/auth.h"

/* Answer ADMIT with what was decided; a token that ended meanwhile is told so, and its call ends. */
void limits_shared_answer(struct auth *a, uint64_t peer, uint64_t id, struct span principal,
    struct ipc_admitted *answer);

/* Answer ADMIT; IPC_OUT_OF_STATE: the front is broken. */
enum ipc_fault limits_shared_admit(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_admit *msg);

/* Do what is due; limits_shared_patience_ms(): when the next is, 250 at most. */
void limits_shared_tend(struct auth *a, uint64_t now_ns);
unsigned limits_shared_patience_ms(const struct auth *a);

/* Another node has a call of principal to begin: it hears at once of those that ended here, for a moment. */
void limits_shared_wanted(struct auth *a, struct span principal, uint64_t now_ns);

/*
 * A wrong credential from address: the seconds for which it is blocked from now on, 0: it is not or was already.
 * Counted over all nodes, or by this one while the store is away.
 */
unsigned limits_shared_failure(struct auth *a, struct span address, uint64_t now_ns);

/* Another node has blocked an address: "SECONDS ADDRESS". */
void limits_shared_block(struct auth *a, const char *said, uint64_t now_ns);

/* The front disconnected. */
void limits_shared_gone(struct auth *a, uint64_t peer);
void limits_shared_free(struct auth *a);
