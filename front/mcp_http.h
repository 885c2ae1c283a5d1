/* mcp_http - code for both eras of MCP over HTTP; private to them. */
#ifndef FRONT_MCP_HTTP_H
#define FRONT_MCP_HTTP_H

#include "front/conn.h"

/* The revision in the MCP-Protocol-Version header. */
enum header_era { HEADER_ABSENT, HEADER_LEGACY, HEADER_MODERN, HEADER_UNKNOWN };

enum header_era http_header_era(const struct http_request *q);

/* Send an error without an exchange.  id is the request's id if known; NULL or class MP_NIL otherwise. */
void http_error(struct conn *c, int status, const struct mp_value *id, int code, const char *message);

/* Answer 202: a notification or a response was accepted. */
void http_accepted(struct conn *c);

/* Parse a body into parsed; *message borrows from it.  False: the body is no JSON, and the refusal was sent. */
bool http_parse_message(struct conn *c, struct span body, struct buf *parsed, struct mp_value *message);

/* Serve a POST to /mcp, of either era. */
void mcp_http_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

#endif
