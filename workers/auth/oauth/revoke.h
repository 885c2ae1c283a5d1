/*
 * revoke - a client ends its own grant (RFC 7009).  It is answered when what ran under the grant has been cut off by
 * the fronts of this node, and the other nodes that share the store have done the same or have no lease any more.
 */
#pragma once

#include "workers/auth/oauth/oauth.h"

#define REVOKE_WAITING	256u	/* clients at one time; beyond, they are told to ask again */

void revoke_take(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_revoke *m);

/* Answer those whose grant has ended everywhere.  revoke_patience_ms(): when to look again; UINT_MAX: nothing waits. */
void revoke_tend(struct auth *a, uint64_t now_ns);
unsigned revoke_patience_ms(const struct auth *a);

/* The front disconnected; with 0, all of them did. */
void revoke_gone(struct auth *a, uint64_t peer);
