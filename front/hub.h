/*
 * hub - what a legacy session has on this front: its streams, what it
 * subscribed to, the connection of an HTTP+SSE one.
 *
 * A session that does none of that has no hub; its id says all there is to
 * know.  Hubs end with their sessions.
 */
#ifndef FRONT_HUB_H
#define FRONT_HUB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "front/mcp.h"
#include "front/session.h"
#include "front/stream.h"
#include "front/subscribe.h"

TAILQ_HEAD(streamq, stream);

struct hub {
	LIST_ENTRY(hub)		 of_front;
	TAILQ_ENTRY(hub)	 empty;		/* while is_empty */
	bool			 is_empty;	/* its last stream has gone; it may go as well */
	struct front		*front;
	struct principal	*who;
	uint8_t			 session[SESSION_BODY];
	enum mcp_revision	 revision;
	struct streamq		 streams;	/* oldest first */
	unsigned		 nstanding;	/* with a connection */
	unsigned		 nkept;		/* without one */
	struct conn		*sse;		/* HTTP+SSE: everything goes there */
	unsigned		 can;		/* HTTP+SSE: what its client may be asked; others' ids tell */
	struct subscriber	 subscriber;
	bool			 subscribing;
};

/* The session's, which is who's; made when there is none.  NULL when the session has ended. */
struct hub *hub_of(struct front *f, struct principal *who, const uint8_t session[SESSION_BODY], enum mcp_revision revision);

/* The session's, or NULL. */
struct hub *hub_find(struct front *f, const uint8_t session[SESSION_BODY]);

/* The session hears of changes from now on. */
struct subscriber *hub_subscriber(struct hub *h);

/* The last of its streams has gone.  It stays until the next tick, for those who still look at it. */
void hub_emptied(struct hub *h);

/* Forget hubs that hold nothing: a session that is left behind costs no more than its id. */
void hubs_tick(struct front *f);

/* SHUTDOWN: standing streams end. */
void hubs_shutdown(struct front *f);

/* --- sessions, with all they have here ------------------------------------------------ */

/* The session ended, here or elsewhere: its work stops, its streams end. */
void hub_session_ended(struct front *f, const uint8_t session[SESSION_BODY]);

/* For session.h: hubs live and die with sessions. */
void hub_gone(void *hub);
bool hub_in_use(void *hub);

#endif
