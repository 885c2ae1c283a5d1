/*
 * hub - the parts of a legacy session that this front keeps: event streams, subscriptions, and the
 * connection of HTTP+SSE.  A session without these has no hub: its id contains everything else.  A hub
 * ends with its session.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "front/mcp/exchange.h"
#include "front/mcp/session.h"
#include "front/mcp/legacy/stream.h"
#include "front/mcp/subscribe.h"

TAILQ_HEAD(streamq, stream);

struct hub {
	LIST_ENTRY(hub)		 of_front;
	TAILQ_ENTRY(hub)	 empty;		/* member of the list of empty hubs, while is_empty */
	bool			 is_empty;	/* the last stream has ended; the hub is freed at the next tick */
	struct front		*front;
	struct principal	*who;
	uint8_t			 session[SESSION_BODY];
	enum mcp_revision	 revision;
	struct streamq		 streams;	/* oldest first */
	unsigned		 nstanding;	/* with a connection */
	unsigned		 nkept;		/* without one */
	struct conn		*sse;		/* HTTP+SSE: everything goes there */
	/* client capabilities (HTTP+SSE only; other sessions carry them in their id) */
	unsigned		 can;
	struct subscriber	 subscriber;
	bool			 subscribing;
};

/* The session's hub, created if missing; who is the session's principal.  NULL when the session has ended. */
struct hub *hub_of(struct front *f, struct principal *who, const uint8_t session[SESSION_BODY], enum mcp_revision revision);

/* The session's hub, or NULL. */
struct hub *hub_find(struct front *f, const uint8_t session[SESSION_BODY]);

/* Subscribe the session to changes. */
struct subscriber *hub_subscriber(struct hub *h);

/* The last stream of the hub has ended.  The hub is kept until the next tick: callers may still use the pointer. */
void hub_emptied(struct hub *h);

/* Free empty hubs.  A session that its client has abandoned then costs only its entry. */
void hubs_tick(struct front *f);

/* SHUTDOWN came: end the standing streams. */
void hubs_shutdown(struct front *f);

/* The session ended, here or on another front: cancel its calls, end its streams. */
void hub_session_ended(struct front *f, const uint8_t session[SESSION_BODY]);

/* Set the hooks of session.h: a hub ends with its session. */
void hub_gone(void *hub);
bool hub_in_use(void *hub);
