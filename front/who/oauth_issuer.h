/*
 * oauth_issuer - what the front knows of people who sign in: whether they may, where the server is for its clients, and
 * the keys of access tokens.  carrel-auth decides everything else and keeps all of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/wire/documents.h"
#include "ipc/messages.h"

#define OAUTH_KEYS_MAX	16u
#define OAUTH_KEY	32u
#define OAUTH_SITES	3	/* names of loopback that a Host may have */

struct auth_asks;
struct front;

/* The documents that depend on the issuer alone. */
enum oauth_document { OAUTH_MCP, OAUTH_DATA_AGENT, OAUTH_SERVER, OAUTH_OPENID, OAUTH_DOCUMENTS };

/* An issuer, and the documents that clients read there, composed once: anybody may ask for them. */
struct oauth_site {
	struct buf	issuer, documents[OAUTH_DOCUMENTS];
};

struct oauth {
	bool		     enabled, registration, client_metadata, device, provider_only;
	char		    *provider;		/* host of the identity provider; "": not configured */
	char		    *public_url;	/* without a slash at its end; "": not configured */
	size_t		     path_at;		/* where its path begins */
	struct document_key  keys[OAUTH_KEYS_MAX];
	size_t		     nkeys;
	struct buf	     keys_document;	/* of these keys */
	struct oauth_site    sites[OAUTH_SITES];	/* with a public_url, the first alone */
	uint8_t		     form_key[OAUTH_KEY];	/* of what forms bear against forgery */
	struct auth_asks    *asks;
};

struct oauth *oauth_new(const struct ipc_configure_front *m);
void oauth_free(struct oauth *o);

/*
 * The site for a request with this Host: that of public_url, or of the one of the three loopback names that Host is,
 * with the listener's port.  Whatever else Host says is not repeated.
 */
const struct oauth_site *oauth_site(const struct front *f, struct span host);

/* Its issuer; borrowed from the front. */
struct span oauth_issuer(const struct front *f, struct span host);

/* Handle KEYS.  False: the message breaks the protocol. */
bool oauth_take_keys(struct front *f, const struct ipc_keys *m);

/* The key with this name; NULL: unknown or expired. */
const struct document_key *oauth_key(const struct front *f, struct span kid, uint64_t unix_ms);

/* The OAuth error code (RFC 6749 and extensions) for an outcome; NULL: the outcome is not an error. */
const char *oauth_error(enum ipc_oauth outcome);
