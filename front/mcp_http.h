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

/* Read a body into parsed, from which *message borrows.  False: it is not JSON, and the refusal was sent. */
bool http_parse_message(struct conn *c, struct span body, struct buf *parsed, struct mp_value *message);

/* A POST at /mcp, of either era. */
void mcp_http_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

#endif
