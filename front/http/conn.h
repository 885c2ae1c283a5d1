/*
 * conn - HTTP connections: reading requests, writing answers, deadlines, limits, and noticing that a
 * client has left.  A connection serves one request at a time; what the client sends meanwhile is
 * buffered up to a bound.  A client is a stranger until a request of it was let in and answered.  Strangers are
 * read from after all others, and only a few of them per turn.  A connection is never freed while one of its
 * functions runs: it is marked dead and freed at the end of the turn.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <event2/event_struct.h>

#include "front/wire/address.h"
#include "front/front.h"
#include "front/wire/http_parse.h"
#include "front/wire/trace.h"
#include "front/wire/http_write.h"
#include "front/http/answer.h"
#include "front/wire/out.h"

#define CONN_MAX		16384u	/* connections, fewer when descriptors are scarce; beyond: 503 and closed */
#define CONN_SPARE		64u	/* descriptors kept for other uses */
#define CONN_RESERVE		16	/* the highest descriptors, which no connection gets: for the supervisor's */
#define CONN_HEAD_MS		10000u	/* until the head is complete */
#define CONN_BODY_MS		30000u	/* until the body is complete */
#define CONN_IDLE_MS		75000u	/* between requests */
#define CONN_WRITE_MS		30000u	/* while the client reads no byte; of a file not CONN_FILE_PACE */
#define CONN_FILE_PACE		(64u * 1024)	/* bytes, or all that wait, in each CONN_WRITE_MS */
#define CONN_LINGER_MS		2000u	/* draining after a refusal */
#define CONN_COMMENT_MS		14000u	/* between comments on a silent event stream */
#define CONN_SLOW_MS		2000u	/* an answer that takes longer is sent on an event stream */
#define CONN_BLOCK	(64u * 1024)	/* most bytes read at once */
#define CONN_AHEAD_MAX		(64u * 1024)	/* bytes sent before the running request was answered; beyond: closed */
#define CONN_LINGER_MAX		(32u << 20)	/* bytes drained after a refusal */
#define CONN_BUFFERED_MAX	(64u << 20)	/* bytes of unfinished requests of all connections; beyond: 503 */
#define CONN_NOTIFY_MAX		(64u * 1024)	/* unread bytes of notifications to one client; beyond: dropped */

struct conn;
struct export_file;
struct oauth_request;
struct site_place;
struct verdict;
struct verify_wait;

/* What checks say of a request. */
enum gate {
	GATE_PASS,
	GATE_REFUSED,	/* the refusal was sent */
	GATE_WAITS	/* for carrel-auth; the step's own callback continues the chain */
};

/* What the requests of connections are served by: site.c. */
struct conn_user {
	/*
	 * Check the head of a request; with known, from where it waited for that verdict.  Passed: *who is its
	 * principal, NULL where none is needed.
	 */
	enum gate (*head)(struct conn *c, const struct http_request *q, const struct verdict *known,
	    struct principal **who);
	/* Serve a request that passed, with its whole body. */
	void	(*serve)(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
	/* The longest body that the current request may have. */
	size_t	(*body_max)(const struct conn *c);
	/* The request waits for no verdict any more: it was refused. */
	void	(*forget)(struct conn *c);
	/* The response takes longer than CONN_SLOW_MS. */
	void	(*slow)(struct conn *c);
	/* The client has read some of the pieces of a file. */
	void	(*drained)(struct conn *c);
	/* The client has read all that was sent on the session's stream. */
	void	(*delivered)(struct conn *c);
	/* A request is refused with this reply.  True: conn_reply() sends a copy of the reply later. */
	bool	(*refused)(struct conn *c, const struct http_reply *reply, struct span code, struct span body);
	/* The connection ends. */
	void	(*lost)(struct conn *c);
};

/* ADMITTING: a request waits for carrel-auth to say whose its credential is; CONN_HEAD and CONN_BODY read on. */
enum conn_state { CONN_HEAD, CONN_BODY, CONN_ADMITTING, CONN_SERVING, CONN_FLUSHING, CONN_LINGER };

enum conn_timer {
	TIMER_HEAD, TIMER_BODY, TIMER_IDLE, TIMER_WRITE, TIMER_LINGER, TIMER_COMMENT, TIMER_SLOW,
	TIMERS, TIMER_NONE = TIMERS
};

/* Which part of the response was sent. */
enum conn_mode {
	MODE_SINGLE,	/* nothing yet: one message with its own head */
	MODE_STREAM,	/* the head of an event stream */
	MODE_ARRAY,	/* the head of a batch's array */
	MODE_FILE	/* the head of an export, whose body comes piece by piece */
};

struct conn {
	TAILQ_ENTRY(conn)	 all, timed, chore;
	struct front		*front;
	const struct conn_user	*user;
	int			 fd;
	struct event		 readable, writable;	/* readable: once it is a regular */
	enum conn_state		 state;
	enum conn_timer		 timer;
	uint64_t		 due;

	/* the party: caller.h */
	struct address		*address;
	struct address		*client;	/* the client of the current request, as a proxy reports it; or NULL */
	bool			 loopback;
	bool			 unix_socket;	/* accepted by the listener for reverse proxies */
	bool			 proxy;		/* X-Forwarded-* fields are trusted */
	bool			 owners;	/* may use the room reserved for the owner */
	enum access_peer	 peer;
	uint32_t		 uid;		/* valid for ACCESS_PEER_OWNER and ACCESS_PEER_OTHER */

	struct buf		 in;		/* received and not yet consumed */
	struct http_request	*late;		/* a request that was not served at once; NULL: none */
	struct oauth_request	*oauth;		/* what is asked of carrel-auth for the request; NULL: nothing */
	struct audit_wait	*recording;	/* the refusal that is sent when it is on record; NULL: none */
	TAILQ_ENTRY(conn)	 asking;	/* metrics_page: waits at /metrics */
	struct verify_wait	*waiting;	/* CONN_ADMITTING: for the verdict on its credential */
	bool			 whole;		/* its chunked body has arrived completely, in body */
	bool			 deaf;		/* reading is paused: enough bytes are buffered */
	bool			 heard;		/* the event for its readable socket is active */
	bool			 admitted;	/* a request of it was let in */
	bool			 regular;	/* an admitted request was answered: read before strangers */
	struct buf		 head;
	struct buf		 body;		/* decoded part of a chunked body */
	struct http_scan	 scan;
	struct http_chunked	 chunked;
	size_t			 charged;	/* share of CONN_BUFFERED_MAX */
	size_t			 discarded;	/* bytes drained while lingering */
	size_t			 taken;		/* of a file, by the client since TIMER_WRITE runs */

	struct exchanges	 exchanges;	/* of the current request */
	struct export_file	*file;		/* the file that is sent; NULL: none */
	enum conn_mode		 mode;
	struct stream		*stream;	/* the session's stream on this connection, or NULL */
	struct hub		*hub;		/* HTTP+SSE: the session that lives with this connection */
	struct out		 out;
	const char		*cors;		/* the configured origin of the request, or NULL */
	unsigned		 minor;
	const struct site_place	*place;		/* path of the current request, NULL: none yet; owned by site.c */
	bool			 rest;		/* refusals have the form of REST */
	char			 receipt[REQUEST_ID_MAX]; /* sent in the head of its answer; empty: none */
	struct http_quota	 quota;		/* that its answer tells */
	struct trace		 trace;		/* the request's, from its header */
	bool			 accepts_stream, accepts_json;
	bool			 metrics, openmetrics;	/* waits at /metrics; the form of its answer */
	bool			 head_only;	/* HEAD: send the length, not the body */
	bool			 batching;	/* messages of the batch are still to be dispatched */
	bool			 first;		/* no element of the array is written yet */
	bool			 close, keep;	/* after this response: close; HTTP/1.0 keep-alive */
	bool			 unread;	/* the client still sends bytes that are discarded */
	bool			 eof;		/* the client has shut down its sending side */
	bool			 write_armed, chored, dead;
};

struct conns;

/* NULL: no descriptor. */
struct conns *conns_new(struct front *f, const struct conn_user *user);
void conns_free(struct conns *cs);

/* Accept from this listening socket.  Takes fd over. */
void conns_listen(struct conns *cs, int fd);
/* Start accepting, or stop for good. */
void conns_serve(struct conns *cs, bool on);

/* Once per turn: continue with buffered requests, free dead connections.  True: something was done. */
bool conns_turn(struct conns *cs);
void conns_tick(struct conns *cs, uint64_t now);
/* Last in a turn: read from some strangers and accept some.  True: it was done, and more may wait. */
bool conns_strangers(struct conns *cs);
/* Once per turn: write keep-alive comments on some silent streams.  True: more are due. */
bool conns_comments(struct conns *cs);
unsigned conns_count(const struct conns *cs);

/* A descriptor came to the front.  True: they are short; one idle connection is closed in this turn. */
bool conns_make_room(struct conns *cs, int fd);

/* Close connections without a running request; part of an orderly shutdown. */
void conns_close_idle(struct conns *cs);

void conn_timer(struct conn *c, enum conn_timer which);
void conn_drop(struct conn *c);
/* Start or stop reading what the client sends. */
void conn_hear(struct conn *c, bool on);
/* A request was answered: from now on an admitted client counts as regular. */
void conn_settle(struct conn *c);
void conn_chore(struct conn *c);
void conn_charge(struct conn *c);
bool conn_overdrawn(const struct conn *c);
/* The connection is not the owner's after all: count it with the others.  False: the others' share is used up. */
bool conns_disown(struct conn *c);
struct addresses *conns_addresses(struct conns *cs);
/* CONN_BLOCK bytes that a connection reads into; most requests are served before the next one reads. */
uint8_t *conns_block(struct conns *cs);
