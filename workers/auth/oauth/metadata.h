/*
 * metadata - clients whose id is the URL of a document that describes them: carrel-fetch fetches it when an
 * authorization needs it; the store keeps it as a client until it expires.
 *
 * An authorization whose client must be fetched first waits here; it is decided when the document arrives or the fetch
 * fails.  A failed document is not fetched again for a minute.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

#define METADATA_FETCHES	10u	/* per minute, for all clients together */
#define METADATA_FETCHES_HERE	5u	/* per minute, for one address */
#define METADATA_FAILED_MS	60000u	/* before a failed fetch is repeated */
#define METADATA_KNOWN		512u	/* documents whose state is remembered */
#define METADATA_PENDING	16u	/* documents in progress */
#define METADATA_WAITING	64u	/* authorizations that wait for one document */

struct auth;
struct metadata;

/* Decide and answer the authorization now. */
typedef void metadata_decide(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *m);

struct metadata *metadata_new(void);
void metadata_free(struct metadata *d);

/* True: m's client has to be fetched first; decide() is called later. */
bool metadata_wait(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *m, metadata_decide *decide);

/*
 * Why the client with this id is not available now; NULL: no failure is known.  *wait_s: seconds until a retry makes
 * sense; 0: the document itself is invalid.
 */
const char *metadata_failure(const struct auth *a, struct span id, uint64_t now_ms, unsigned *wait_s);

/* Whether the store failed during the current decision: the client may exist. */
bool metadata_is_undecided(const struct auth *a);

/* carrel-fetch answered with FETCHED. */
void metadata_take(struct auth *a, const struct ipc_fetched *m);

/* Give up fetches that take too long. */
void metadata_tend(struct auth *a, uint64_t now_ns);
