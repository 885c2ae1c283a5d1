/* mcp_http - what the two eras over HTTP share; private to them. */
#ifndef FRONT_MCP_HTTP_H
#define FRONT_MCP_HTTP_H

#include "front/conn.h"

#define NOTHING	((struct span){ NULL, 0 })

/* What the MCP-Protocol-Version header says. */
enum header_era { HEADER_ABSENT, HEADER_LEGACY, HEADER_MODERN, HEADER_UNKNOWN };

enum header_era http_header_era(const struct http_request *q);

/* An error that no exchange carries: id (may be NULL, or of class MP_NIL) as far as it is known. */
void http_error(struct conn *c, int status, const struct mp_value *id, int code, const char *message);

/* 202: a notification or a response was taken. */
void http_accepted(struct conn *c);

/* Read a body.  False: it is not JSON, and the refusal was sent.  *message is good until the next. */
bool http_parse_message(struct conn *c, struct span body, struct buf *parsed, struct mp_value *message);

/* May a legacy stream be opened?  False: a refusal was sent. */
bool legacy_check_get(struct conn *c, const struct http_request *q);

/* --- legacy_http.c: messages without a claim -------------------------------------------- */
void legacy_request(struct conn *c, const struct http_request *q, struct principal *who,
    const struct rpc *rpc);
void legacy_notification(struct conn *c, const struct http_request *q, struct principal *who,
    const struct rpc *rpc);
void legacy_response(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *message);
void legacy_batch(struct conn *c, const struct http_request *q, struct principal *who,
    const struct mp_value *batch);

/* A notification of a session, whatever it came by. */
void legacy_notice(struct front *f, const struct rpc *rpc, const uint8_t session[SESSION_BODY]);

#endif
