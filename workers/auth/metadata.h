/*
 * metadata - clients that are described by a document at their id: fetched by carrel-fetch when an authorization asks
 * for one, kept as a client of the store, and looked at again when its time is over.
 *
 * An authorization whose client has to be fetched first waits here; it is decided when the document has come, or when
 * it is known that it does not.  A document that could not be had is not asked for again for a minute.
 */
#ifndef WORKERS_AUTH_METADATA_H
#define WORKERS_AUTH_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/ipc.h"

#define METADATA_FETCHES	10u	/* a minute, of all clients together */
#define METADATA_FETCHES_HERE	5u	/* of one address */
#define METADATA_FAILED_MS	60000u	/* before a failed one is tried again */
#define METADATA_KNOWN		512u	/* documents whose time is known */
#define METADATA_PENDING	16u	/* documents that are waited for */
#define METADATA_WAITING	64u	/* authorizations that wait for one */

struct auth;
struct metadata;

/* Decide the authorization now, and answer it. */
typedef void metadata_decide(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *m);

struct metadata *metadata_new(void);
void metadata_free(struct metadata *d);

/* True: m's client has to be fetched first, and decide() follows. */
bool metadata_wait(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *m, metadata_decide *decide);

/*
 * Why the client with this id cannot be had now; NULL: nothing is known of that.  *wait_s: when it is worth asking
 * again, in seconds; 0: its document is at fault.
 */
const char *metadata_failure(const struct auth *a, struct span id, uint64_t now_ms, unsigned *wait_s);

/* Whether the store failed for the authorization that is decided now: its client may well be had. */
bool metadata_is_undecided(const struct auth *a);

/* FETCHED has come. */
void metadata_take(struct auth *a, const struct ipc_fetched *m);

/* Give up on what waits too long. */
void metadata_tend(struct auth *a, uint64_t now_ns);

#endif
