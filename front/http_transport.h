/* http_transport - exchanges of HTTP connections: one answer, or a stream of messages that ends with it. */
#ifndef FRONT_HTTP_TRANSPORT_H
#define FRONT_HTTP_TRANSPORT_H

#include "front/conn.h"

extern const struct transport http_transport;

/* A new exchange that is answered on this connection. */
struct exchange *http_exchange(struct conn *c, struct principal *who, enum mcp_revision revision,
    const struct mp_value *id);

/* x is answered on this connection from now on. */
void http_take(struct conn *c, struct exchange *x);

/* Between these the response does not end, whatever is answered; items go on one stream. */
void http_batch_begin(struct conn *c);
void http_batch_end(struct conn *c);

/* The answer takes long: it comes on a stream, where the client accepts one. */
void http_slow(struct conn *c);

/* The connection is gone: legacy requests go on without it, modern ones end with it. */
void http_lost(struct conn *c);

#endif
