/*
 * issuers - access tokens of other authorization servers (auth.issuers): their keys, and what their subjects may here.
 *
 * The front verifies a token with the keys of its issuer alone, and asks here with VOUCH who that is.  The keys are
 * fetched by processes of their own (workers/fetch), at addresses that the supervisor knows, at the start, when they
 * are too old, and once a minute when a token names a key that is not among them; nothing else has them fetched.  They
 * are used for a day if the issuer cannot be reached.
 *
 * A subject that signed in here by auth.oidc, at the same issuer, is that account: disabled or without a role there, it
 * is refused here, and so is one whose account was removed.  Any other is user:SUBJECT#DIGEST, and no account is made.
 * What a token opened ends with it (vouched.h).
 */
#pragma once

#include <stdint.h>

#include "ipc/messages.h"

#define ISSUERS_MISS_MS		60000u	/* at least between two fetches of a key set for unknown keys */
#define ISSUERS_FAILED_MS	30000u	/* until the next attempt after one that failed */
#define ISSUERS_STALE_MS	86400000u	/* keys that cannot be fetched again are dropped after this time */

struct auth;
struct issuers;

/* NULL: auth.issuers is empty. */
struct issuers *issuers_new(const struct auth *a);
void issuers_free(struct issuers *s);

/* Tell a front that was attached the keys. */
void issuers_greet(struct auth *a, uint64_t peer);

void issuers_vouch(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_vouch *m);

/* A token of this issuer named a key that is not known. */
void issuers_miss(struct auth *a, struct span issuer);

/* A step was taken.  False: it is not one of these. */
bool issuers_take(struct auth *a, const struct ipc_identified *m);

/* Fetch what is due, give up steps that take too long, and end what tokens that have ended opened. */
void issuers_tend(struct auth *a);
