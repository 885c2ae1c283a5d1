/*
 * documents - what OAuth clients read before anything else: the metadata of resources (RFC 9728) and of the
 * authorization server (RFC 8414), and the keys (RFC 7517).  Pure: no I/O.  No member is ever null: the schemas of
 * clients refuse that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/wire/jws.h"

#define DOCUMENTS_MCP		"/mcp"
#define DOCUMENTS_DATA_AGENT	"/api/data-agent/mcp"
#define DOCUMENTS_RESOURCE	"/.well-known/oauth-protected-resource"
#define DOCUMENTS_SERVER	"/.well-known/oauth-authorization-server"
#define DOCUMENTS_OPENID	"/.well-known/openid-configuration"
#define DOCUMENTS_DEVICE_GRANT	"urn:ietf:params:oauth:grant-type:device_code"

/* A public key of access tokens. */
struct document_key {
	char		kid[64];
	uint8_t		x[JWS_KEY];
	uint64_t	until_unix_ms;	/* 0: the current one */
};

/* issuer is the public origin, with the path of public_url if it has one; path is that of the resource. */
/* others: further issuers of its tokens, an array of {issuer} as msgpack, which are named first; empty: none. */
/* team: the team's tools, an array of {name} as msgpack, each with a scope of its own; empty: none. */
void document_put_resource(struct buf *out, struct span issuer, const char *path, struct span others,
    struct span team);

/* What the metadata of a server has; OPENID: with the members that the schema of OpenID providers asks for. */
enum document_trait {
	DOCUMENT_REGISTRATION = 1, DOCUMENT_CLIENT_DOCUMENTS = 2, DOCUMENT_DEVICE = 4, DOCUMENT_OPENID = 8
};

void document_put_server(struct buf *out, struct span issuer, unsigned traits, struct span team);

void document_put_keys(struct buf *out, const struct document_key *keys, size_t n);

/* Append the URL of the metadata of a resource, its path put in behind the origin's (RFC 9728 3.1). */
void document_put_place(struct buf *out, struct span issuer, const char *path);

/* Length of a URL's origin (scheme, host and port) in bytes. */
size_t document_origin(struct span url);
