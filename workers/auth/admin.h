/*
 * admin - who may use the administration page, and the proofs for its calls (policy/proof.h).
 *
 * Links of `carrel admin` and the sessions that they open are kept in memory only: they end with the process.  A user
 * who signed in on OAuth's login page uses that session.  Every call is decided again, so that access ends with the
 * session, the user or the role.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "ipc/messages.h"
#include "policy/proof.h"
#include "policy/tools.h"
#include "workers/auth/auth.h"

struct admin;

/* keys: msgpack, of CONFIGURE_AUTH. */
struct admin *admin_new(struct span keys);
void admin_free(struct admin *m);	/* m may be NULL */

/* ENTER, answered by SIGNED_IN; PROVE, answered by PROVED. */
void admin_enter(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_enter *m);
void admin_prove(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_prove *m);

/* End a session of ENTER.  1: ended; 0: unknown session; -1 with *err: it could not be ended. */
int admin_leave(struct auth *a, const struct ipc_logout *m, struct err *err);

/* Whether the proof, good once, is one for this call of the tool; and the proof for it. */
bool admin_accepts(struct admin *m, const struct policy_tool *tool, const struct proof_call *call, struct span proof);
bool admin_makes(const struct admin *m, const struct policy_tool *tool, const struct proof_call *call,
    uint8_t proof[PROOF_SIZE]);

/* The tool admin_link. */
int admin_link_run(struct call *c, const struct mp_value *args, struct err *err);
