/*
 * oauth_texts - what is decided of OAuth by looking at texts alone: redirects, scopes, resources, names.  Pure.
 *
 * Everything is compared as text, byte by byte: a reader of URLs makes addresses equal that were registered as
 * different ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/mp.h"
#include "base/span.h"

#define OAUTH_URI_MAX		2048	/* bytes of a redirect */
#define OAUTH_REDIRECTS_MAX	10	/* of a client */
#define OAUTH_CLIENT_NAME_MAX	256	/* bytes */
#define OAUTH_CHALLENGE		43	/* characters of a code_challenge */
#define OAUTH_VERIFIER_MIN	43
#define OAUTH_VERIFIER_MAX	128
#define OAUTH_PASSWORD_MIN	12	/* bytes */
#define OAUTH_PASSWORD_MAX	1024

/* Paths after the issuer: the resources, and the link for the first administrator. */
#define OAUTH_RESOURCE_MCP	"/mcp"
#define OAUTH_RESOURCE_AGENT	"/api/data-agent/mcp"
#define OAUTH_RESOURCES		2
/* An address as the front counts it, for people: a user of this machine ("user:1000") is at 127.0.0.1. */
static inline struct span
oauth_address_shown(struct span address)
{
	return span_begins(address, "user:") ? SPAN("127.0.0.1") : address;
}

#define OAUTH_SETUP_LINK	"/admin#setup="
#define OAUTH_ARRIVAL		"/api/oauth/callback"	/* the redirect at the identity provider */

/*
 * Whether a client may register this redirect: https with a host, http to one of the three names of this machine, or
 * one of schemes (array of str) with a host.
 */
bool oauth_redirect_fine(struct span uri, const struct mp_value *schemes);

/* Whether it leads to a program on this machine: http, 127.0.0.1, [::1] or localhost. */
bool oauth_redirect_loopback(struct span uri);

/* Whether asked is the registered redirect: the same text; for this machine, with any port. */
bool oauth_redirect_same(struct span registered, struct span asked);

/* The known ones of a text of scopes; *any: there were some at all. */
uint32_t oauth_scopes(struct span text, bool *any);

/* Whether word is one of the words of text, which blanks part. */
bool oauth_has_word(struct span text, struct span word);

/* Both resources, as paths after the issuer. */
extern const char *const oauth_resources[OAUTH_RESOURCES];

/* Whether asked is one of issuer's resources; *out: its path after the issuer. */
bool oauth_resource(struct span issuer, struct span asked, const char **out);

/* Whether issuer is public_url, or, when that is empty, http:// and a name of this machine with this port. */
bool oauth_issuer_fine(struct span issuer, const char *public_url, unsigned port);

bool oauth_challenge_fine(struct span s);
bool oauth_verifier_fine(struct span s);

/* [a-z0-9][a-z0-9._@-]{0,63} */
bool oauth_user_fine(struct span name);
