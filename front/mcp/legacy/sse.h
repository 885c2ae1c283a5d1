/* sse - the HTTP+SSE transport of 2024-11-05: one event stream for answers, another path for requests. */
#pragma once

#include "front/http/conn.h"

#define SSE_POST_PATH	"/mcp/messages"

void sse_open(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void sse_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* The connection of c->hub is lost, and the session ends. */
void sse_lost(struct conn *c);

/* End the stream as soon as all requests are answered. */
void sse_stopping(struct conn *c);
