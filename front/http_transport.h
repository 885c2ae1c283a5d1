/* http_transport - exchanges on HTTP connections: one response, or an event stream that ends with the response. */
#ifndef FRONT_HTTP_TRANSPORT_H
#define FRONT_HTTP_TRANSPORT_H

#include "front/conn.h"

extern const struct transport http_transport;

/* The address() of transports whose client is a struct conn. */
bool http_address(const struct exchange *x, char out[ADDRESS_TEXT_MAX]);

/* Create an exchange that is answered on this connection. */
struct exchange *http_exchange(struct conn *c, struct principal *who, enum mcp_revision revision,
    const struct mp_value *id);

/* From now on x is answered on this connection. */
void http_take(struct conn *c, struct exchange *x);

/* Between the two calls the response stays open after each answer.  Events go on one stream. */
void http_batch_begin(struct conn *c);
void http_batch_end(struct conn *c);

/* The answer takes long: send it on an event stream if the client accepts one. */
void http_slow(struct conn *c);

/* The connection is lost.  Legacy requests continue without the connection; modern requests are cancelled. */
void http_lost(struct conn *c);

#endif
