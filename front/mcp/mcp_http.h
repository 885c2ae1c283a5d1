/*
 * mcp_http - MCP over HTTP: a POST becomes exchanges of its era, and each is answered on its connection, by one
 * response or by an event stream that ends with the response.
 */
#pragma once

#include "front/http/conn.h"
#include "front/mcp/exchange.h"

/* Serve a request at /mcp, of either era. */
void mcp_http_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* The revision in the MCP-Protocol-Version header. */
enum header_era { HEADER_ABSENT, HEADER_LEGACY, HEADER_MODERN, HEADER_UNKNOWN };

enum header_era http_header_era(const struct http_request *q);

/* Check a request of the modern era and the headers that repeat parts of it; the first check that fails decides. */
bool mcp_http_check(const struct http_request *q, const struct rpc *rpc, struct mcp_refusal *refusal);

/* Send an error without an exchange.  id is the request's id if known; NULL or class MP_NIL otherwise. */
void http_error(struct conn *c, int status, const struct mp_value *id, int code, const char *message);

/* Answer 202: a notification or a response was accepted. */
void http_accepted(struct conn *c);

/* Parse a body into parsed; *message borrows from it.  False: the body is no JSON, and the refusal was sent. */
bool http_parse_message(struct conn *c, struct span body, struct buf *parsed, struct mp_value *message);

/* Create an exchange that is answered on this connection. */
struct exchange *http_exchange(struct conn *c, struct principal *who, enum mcp_revision revision,
    const struct mp_value *id);

/* From now on x is answered on this connection. */
void http_take(struct conn *c, struct exchange *x);

/* The address() of transports whose client is a struct conn. */
bool http_address(const struct exchange *x, char out[ADDRESS_TEXT_MAX]);

/* Between the two calls the response stays open after each answer.  Events go on one stream. */
void http_batch_begin(struct conn *c);
void http_batch_end(struct conn *c);

/* The answer takes long: send it on an event stream if the client accepts one. */
void http_slow(struct conn *c);

/* The connection is lost.  Legacy requests continue without the connection; modern requests are cancelled. */
void http_lost(struct conn *c);
