/* sse - the transport of 2024-11-05: one stream for the answers, another path to send to. */
#ifndef FRONT_SSE_H
#define FRONT_SSE_H

#include "front/conn.h"

#define SSE_POST_PATH	"/mcp/messages"

void sse_open(struct conn *c, const struct http_request *q, struct principal *who);
void sse_post(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* The connection of c->hub is gone, and the session with it. */
void sse_lost(struct conn *c);

/* The stream ends as soon as all is answered. */
void sse_stopping(struct conn *c);

#endif
