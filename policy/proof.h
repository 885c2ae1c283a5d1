/*
 * proof - that the project's own user asked for a LOCAL tool, with just these
 * arguments, a moment ago.
 *
 * The command line makes it with a key that it derives from a file only that
 * user can read; the worker that serves the tool got the same key with its
 * configuration.  The front passes the proof on and has no key: taken over, it
 * can make none, change nothing of what was asked, and use none twice with the
 * same worker.  A key is one role's: a worker can make none for another role.
 * Pure; clocks are the caller's.
 */
#ifndef POLICY_PROOF_H
#define POLICY_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/siphash.h"
#include "base/span.h"

#define PROOF_KEY	SIPHASH_KEY
#define PROOF_NONCE	16
#define PROOF_SIZE	(8 + PROOF_NONCE + SIPHASH_SIZE)
#define PROOF_AGE_NS	UINT64_C(120000000000)	/* from the command line to the worker, waiting for a free one included */
#define PROOF_SEEN	64			/* remembered by a worker; with more at once the oldest are refused early */

/* Where the proof stands in a request's _meta, as hexadecimal. */
#define PROOF_META	"carrel/proof"

/*
 * What is asked for.  args is a msgpack map and counts by its values, so that
 * its way through JSON changes nothing; its connectionId does not count beside
 * a connection, since the front cuts it off where a tool does not take it.
 */
struct proof_call {
	struct span	tool, connection, args;
};

/* now_ns: CLOCK_MONOTONIC. */
void proof_make(const uint8_t key[PROOF_KEY], const struct proof_call *call, uint64_t now_ns,
    const uint8_t nonce[PROOF_NONCE], uint8_t out[PROOF_SIZE]);

/* What a worker has let pass. */
struct proof_seen {
	struct {
		uint64_t	at_ns;
		uint8_t		nonce[PROOF_NONCE];
	}		ring[PROOF_SEEN];
	size_t		n;
	uint64_t	floor_ns;	/* nothing this old any more: it may have been forgotten */
};

/* True the first time that proof is shown in time. */
bool proof_accept(struct proof_seen *seen, const uint8_t key[PROOF_KEY], struct span proof,
    const struct proof_call *call, uint64_t now_ns);

#endif
