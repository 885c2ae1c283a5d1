/* legacy_http - MCP over HTTP before 2026-07-28: sessions, batches, event streams. */
#pragma once

#include "front/http/conn.h"
#include "front/mcp/era.h"
#include "front/wire/jsonrpc.h"

/* Whether a legacy stream may be opened.  False: a refusal was sent. */
bool legacy_check_get(struct conn *c, const struct http_request *q);

/* A notification of a session, by any transport. */
void legacy_notice(struct front *f, const struct rpc *rpc, const uint8_t session[SESSION_BODY]);

extern const struct era legacy_era;
