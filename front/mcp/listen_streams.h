/* listen_streams - subscriptions/listen, and resources/subscribe of earlier revisions. */
#pragma once

#include "front/mcp/subscribe.h"
#include "front/mcp/exchange.h"

/* SHUTDOWN: every listen stream ends with its result. */
void listen_shutdown(struct front *f);
void handle_listen(struct exchange *x, const struct mp_value *params);

/* Legacy resources/subscribe and resources/unsubscribe. */
void handle_subscribe(struct exchange *x, const struct mp_value *params);
void handle_unsubscribe(struct exchange *x, const struct mp_value *params);
