/* legacy_http - MCP over HTTP before 2026-07-28: sessions, batches, event streams. */
#ifndef FRONT_MCP_LEGACY_LEGACY_HTTP_H
#define FRONT_MCP_LEGACY_LEGACY_HTTP_H

#include "front/http/conn.h"
#include "front/wire/jsonrpc.h"

/* Whether a legacy stream may be opened.  False: a refusal was sent. */
bool legacy_check_get(struct conn *c, const struct http_request *q);

/* Messages that do not claim the modern revision in _meta. */
void legacy_request(struct conn *c, const struct http_request *q, struct principal *who,
    const struct rpc *rpc);
void legacy_notification(struct conn *c, const struct http_request *q, struct principal *who,
    const struct rpc *rpc);
void legacy_response(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *message);
void legacy_batch(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *batch);

/* A notification of a session, by any transport. */
void legacy_notice(struct front *f, const struct rpc *rpc, const uint8_t session[SESSION_BODY]);

/* GET and DELETE on a session. */
void legacy_get(struct conn *c, const struct http_request *q, struct principal *who);
void legacy_delete(struct conn *c, const struct http_request *q, struct principal *who);

#endif
