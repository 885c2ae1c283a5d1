/* mcp_modern - what the revision 2026-07-28 asks of a request. */
#ifndef FRONT_MCP_MODERN_H
#define FRONT_MCP_MODERN_H

#include "front/mcp.h"

/* params._meta names a protocol version: the request is modern. */
bool mcp_has_claim(const struct mp_value *params, struct mp_value *version);

/* What the modern ladder found; data is JSON text. */
struct mcp_refusal {
	int		 status, code;	/* status 0: nothing is wrong */
	const char	*message;
	struct buf	 data;
};

/* Headers of a modern request over HTTP; p is NULL when absent. */
struct mcp_headers {
	struct span	version, method, name;
};

/*
 * The ladder for a request with a claim: mcp-facts 1.3, earliest failure
 * wins.  headers is NULL for transports without any.
 */
void mcp_modern_check(const struct rpc *rpc, const struct mcp_headers *headers,
    struct mcp_refusal *refusal);

/* What a request that passed the ladder says of its client, into x. */
void mcp_modern_client(struct exchange *x, const struct mp_value *params);

/* Decode an Mcp-Name: the base64 sentinel form, or literally.  False: not decodable. */
bool mcp_decode_name(struct span header, struct buf *out);

#endif
