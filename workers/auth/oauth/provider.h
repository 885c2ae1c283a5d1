/*
 * provider - sign-in at the organization's identity provider (auth.oidc): OpenID Connect Core 1.0 with the
 * authorization code, PKCE (RFC 7636) and the issuer in the response (RFC 9207).
 *
 * DEPART sends the browser there, ARRIVE brings it back.  Nothing is kept of a browser on its way: state, nonce and the
 * verifier of PKCE follow from a random number in the state and the cookie of the browser, under a key.  Only states
 * that came back are remembered, until they are too old, so that each is good once.  carrel-auth has no network: each
 * step at the provider is a process of its own (workers/fetch), which also verifies the identity token.
 */
#pragma once

#include <stdint.h>

#include "ipc/messages.h"

#define PROVIDER_STATE_MS	600000u	/* how long a sign-in may take at the provider */
#define PROVIDER_KEYS_MS	60000u	/* at least between two fetches of the key set for unknown keys */
#define PROVIDER_FAILED_MS	500u	/* before its configuration is fetched again after a failure */
#define PROVIDER_PENDING	256u	/* sign-ins that wait for a step */

struct auth;
struct provider;

/* NULL: auth.oidc is not set. */
struct provider *provider_new(const struct auth *a);
void provider_free(struct provider *p);

void provider_depart(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_depart *m);
void provider_arrive(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_arrive *m);

/* A step was taken. */
void provider_take(struct auth *a, const struct ipc_identified *m);

/* Give up steps that take too long. */
void provider_tend(struct auth *a, uint64_t now_ns);
