/* mcp_modern - the checks of revision 2026-07-28 on a request. */
#ifndef FRONT_MCP_MODERN_H
#define FRONT_MCP_MODERN_H

#include "front/mcp.h"

/* Whether meta, the _meta of the params, names a protocol version, which makes the request modern. */
bool mcp_has_claim(const struct mp_value *meta, struct mp_value *version);

/* The first failure found.  data is JSON text. */
struct mcp_refusal {
	int		 status, code;	/* status 0: no failure */
	const char	*message;
	struct buf	 data;
};

/* Headers of a modern request over HTTP; p is NULL when absent. */
struct mcp_headers {
	struct span	version, method, name;
};

/* Check a modern request; the first check that fails decides.  headers is NULL for transports without headers. */
void mcp_modern_check(const struct rpc *rpc, const struct mcp_headers *headers,
    struct mcp_refusal *refusal);

/* Copy what meta, the _meta of a checked request, says about the client into x. */
void mcp_modern_client(struct exchange *x, const struct mp_value *meta);

/* Decode an Mcp-Name, in base64 sentinel form or literal.  False: not decodable. */
bool mcp_decode_name(struct span header, struct buf *out);

#endif
