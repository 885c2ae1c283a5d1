/*
 * proof - shows that the project's owner asked for a LOCAL tool, with exactly these arguments, a moment ago.
 *
 * The command line makes a proof with a key that it derives from a file that only the owner can read; the worker that
 * serves the tool got the same key with its configuration.  carrel-auth has the keys as well: it makes proofs for
 * administrators who are signed in on the administration page, only for the tools of page.def (workers/auth/admin.h).
 * The front passes the proof on and has no key: a compromised front can make no proof, change nothing in the request,
 * and use no proof twice with the same worker.  Each role has its own key: a worker can make no proof for another
 * role.  Pure; the caller supplies the time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/siphash.h"
#include "base/span.h"

#define PROOF_KEY	SIPHASH_KEY
#define PROOF_NONCE	16
#define PROOF_SIZE	(8 + PROOF_NONCE + SIPHASH_SIZE)
#define PROOF_AGE_NS	UINT64_C(120000000000)	/* from the command line to the worker, waiting included */
#define PROOF_SEEN	64			/* remembered by a worker; further ones make the oldest expire early */

/* The member of a request's _meta that holds the proof, as hexadecimal. */
#define PROOF_META	"carrel/proof"

/*
 * The call that the proof is for.  args is a msgpack map; only its values
 * count, so that the way through JSON changes nothing.  A member connectionId
 * of args that says what connection says does not count: the front removes it
 * for tools that do not take it.
 */
struct proof_call {
	struct span	tool, connection, args;
};

/* now_ns: from CLOCK_MONOTONIC. */
void proof_make(const uint8_t key[PROOF_KEY], const struct proof_call *call, uint64_t now_ns,
    const uint8_t nonce[PROOF_NONCE], uint8_t out[PROOF_SIZE]);

/* The proofs that a worker has accepted. */
struct proof_seen {
	struct {
		uint64_t	at_ns;
		uint8_t		nonce[PROOF_NONCE];
	}		ring[PROOF_SEEN];
	size_t		n;
	uint64_t	floor_ns;	/* older proofs are refused: the worker may have forgotten them */
};

/* True the first time a valid proof is shown before it expires. */
bool proof_accept(struct proof_seen *seen, const uint8_t key[PROOF_KEY], struct span proof,
    const struct proof_call *call, uint64_t now_ns);
