/*
 * conn - HTTP connections: reading requests, writing answers, deadlines,
 * limits, and the exact moment a client leaves.
 *
 * One request is served at a time per connection; what a client sends
 * meanwhile is kept up to a bound.  A connection is never freed while a
 * function of its own runs: it is marked dead and buried at the end of the
 * turn.
 */
#ifndef FRONT_CONN_H
#define FRONT_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <event2/event_struct.h>

#include "front/address.h"
#include "front/front.h"
#include "front/http_parse.h"
#include "front/http_write.h"
#include "front/mcp.h"
#include "front/out.h"

#define CONN_MAX		16384u	/* fewer when descriptors are scarce; beyond: 503 and closed */
#define CONN_SPARE		64u	/* descriptors for all else */
#define CONN_HEAD_MS		10000u	/* to a complete head */
#define CONN_BODY_MS		30000u	/* to a complete body */
#define CONN_IDLE_MS		75000u	/* between requests */
#define CONN_WRITE_MS		30000u	/* without the client taking a byte */
#define CONN_LINGER_MS		2000u	/* reading what it still sends after a refusal */
#define CONN_COMMENT_MS		14000u	/* between comments on a silent event stream */
#define CONN_SLOW_MS		2000u	/* an answer that takes longer comes on a stream */
#define CONN_AHEAD_MAX		(64u * 1024)	/* sent before the running request was answered; beyond: closed */
#define CONN_LINGER_MAX		(32u << 20)	/* read and thrown away after a refusal */
#define CONN_BUFFERED_MAX	(64u << 20)	/* unfinished requests of all connections; beyond: 503 */
#define CONN_NOTIFY_MAX		(64u * 1024)	/* unread notifications of one client; beyond: dropped */

struct site_place;

enum conn_state { CONN_HEAD, CONN_BODY, CONN_SERVING, CONN_FLUSHING, CONN_LINGER };

enum conn_timer {
	TIMER_HEAD, TIMER_BODY, TIMER_IDLE, TIMER_WRITE, TIMER_LINGER, TIMER_COMMENT, TIMER_SLOW,
	TIMERS, TIMER_NONE = TIMERS
};

/* What of the answer has left. */
enum conn_mode {
	MODE_SINGLE,	/* nothing: one message with its own head */
	MODE_STREAM,	/* the head of an event stream */
	MODE_ARRAY	/* the head of a batch's array */
};

struct conn {
	TAILQ_ENTRY(conn)	 all, timed, chore;
	struct front		*front;
	int			 fd;
	struct event		 readable, writable;
	enum conn_state		 state;
	enum conn_timer		 timer;
	uint64_t		 due;

	/* whose it is: caller.h */
	struct address		*address;
	struct address		*client;	/* of the request being served, as a proxy tells it; or NULL */
	bool			 loopback;
	bool			 unix_socket;	/* the listener for reverse proxies */
	bool			 proxy;		/* its X-Forwarded-* is believed */
	bool			 owners;	/* may take the room that is kept for the owner */
	enum access_peer	 peer;
	uint32_t		 uid;		/* ACCESS_PEER_OWNER and ACCESS_PEER_OTHER */

	struct buf		 in;		/* arrived and not yet consumed */
	struct http_request	*late;		/* whose body is still coming, in head; NULL: none */
	struct buf		 head;
	struct buf		 body;		/* of a chunked one */
	struct http_scan	 scan;
	struct http_chunked	 chunked;
	size_t			 charged;	/* of CONN_BUFFERED_MAX */
	size_t			 discarded;	/* while lingering */

	struct exchanges	 exchanges;	/* of the request being served */
	enum conn_mode		 mode;
	struct stream		*stream;	/* the session's stream that this one carries, or NULL */
	struct hub		*hub;		/* HTTP+SSE: the session that lives with this connection */
	struct out		 out;
	const char		*cors;		/* the configured origin it came from, or NULL */
	unsigned		 minor;
	const struct site_place	*place;		/* of the request being served: site.c's */
	bool			 accepts_stream, accepts_json;
	bool			 head_only;	/* HEAD: the length, not the body */
	bool			 batching;	/* more of the batch is to be dispatched */
	bool			 first;		/* nothing of the array is written yet */
	bool			 close, keep;	/* after this response; HTTP/1.0 that asked to go on */
	bool			 unread;	/* the client still sends what nobody will read */
	bool			 eof;		/* it will send nothing more */
	bool			 write_armed, chored, dead;
};

struct conns;

struct conns *conns_new(struct front *f);
void conns_free(struct conns *cs);

/* Accept from this listening socket, which is taken over. */
void conns_listen(struct conns *cs, int fd);
/* Start, or stop for good, accepting. */
void conns_serve(struct conns *cs, bool on);

/* Once per turn: carry on with buffered requests, bury the dead.  True: something was done. */
bool conns_turn(struct conns *cs);
void conns_tick(struct conns *cs, uint64_t now);
/* Once per turn: keep some silent streams alive.  True: more are due. */
bool conns_comments(struct conns *cs);
unsigned conns_count(const struct conns *cs);

/* Close what serves nothing; for an orderly end. */
void conns_close_idle(struct conns *cs);

/* --- for the parts of conn.c and for caller.c ------------------------------------------- */
void conn_timer(struct conn *c, enum conn_timer which);
void conn_drop(struct conn *c);
void conn_chore(struct conn *c);
void conn_charge(struct conn *c);
bool conn_overdrawn(const struct conn *c);
/* It is not the owner's after all.  False: there is no room for it then. */
bool conns_disown(struct conn *c);
struct addresses *conns_addresses(struct conns *cs);

#endif
