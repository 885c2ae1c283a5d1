/*
 * stream - event streams of legacy sessions, and what of them can be had again.
 *
 * A standing stream is what GET opened: it carries what no request asked for.
 * A reply stream is the answer to a POST that needs more than one message.
 * Either outlives its connection: who comes back with the id of the last event
 * it saw (Last-Event-ID) gets what followed it on that stream, and no other.
 *
 * What is kept for that: of a stream the last STREAM_EVENTS_MAX events of at
 * most STREAM_EVENT_MAX bytes, sent or not, and an answer of any size until
 * its client has it; of a session STREAM_KEPT_MAX streams without a
 * connection, for STREAM_KEEP_S; of all together STREAM_BYTES_MAX bytes and
 * STREAM_ALL_MAX streams without a connection.  Beyond, the oldest of the
 * principal that keeps most goes first, so that no other principal loses anything to
 * somebody who keeps more; an answer that cannot be kept is kept as an
 * error that says so.  A front that ends takes its events with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/span.h"
#include "front/mcp/exchange.h"

struct front;

#define STREAM_STANDING_MAX	4u		/* per session; beyond: the oldest is closed */
#define STREAM_KEPT_MAX		16u
#define STREAM_ALL_MAX		2048u
#define STREAM_KEEP_S		300u
#define STREAM_EVENTS_MAX	64u
#define STREAM_EVENT_MAX	(16u * 1024)
#define STREAM_BYTES_MAX	(32u << 20)
#define STREAM_RETRY_MS		2000u		/* delay before a client reconnects */
#define STREAM_ID_MAX		32u		/* bytes of an event's id, with NUL */

struct conn;
struct hub;
struct stream;
struct streams;

struct streams *streams_new(void);
void streams_free(struct streams *ss);	/* call after all hubs are freed */

/* "g0123456789abcdef-12": the kind of stream, its number, and the event's sequence number. */
struct event_id {
	bool		standing;
	uint64_t	stream;
	uint32_t	seq;	/* 0: before the first event */
};

void event_id_print(const struct event_id *id, char out[STREAM_ID_MAX]);
/* False when text is not an id from event_id_print(). */
bool event_id_parse(struct span text, struct event_id *id);

/* Begin a stream on c, whose head is queued.  The client gets an id to resume with, if its revision allows. */
struct stream *stream_open(struct hub *h, struct conn *c, bool standing);

/*
 * Resume the stream with this id on c; a connection that the stream still has is dropped.  Sends the
 * events after the given one.  A finished reply stream then ends.  False: no such stream.
 */
bool stream_resume(struct hub *h, struct conn *c, const struct event_id *id);

/*
 * Send or store one more message; the caller flushes the connection, if any.  answers is the id of the
 * request that the message answers, empty for others.
 */
void stream_put(struct stream *s, struct span answers, const struct mcp_answer *a);

/* All messages have come.  Events sent before can be resent for a while. */
void stream_finish(struct stream *s);

/* The connection is lost: its unanswered requests move to the stream. */
void stream_break(struct stream *s);

/* The client has read all of a finished stream, and its connection serves other requests. */
void stream_delivered(struct stream *s);

bool stream_is_standing(const struct stream *s);
struct stream *stream_next(const struct stream *s);	/* in its session */
struct conn *stream_conn(const struct stream *s);	/* NULL: without a connection */

/* End the stream for good, with the response on its connection, if any. */
void stream_close(struct stream *s);

/* Take back the last event: it was not sent. */
void stream_missed(struct stream *s);

/* Move the unsent events of `from` to `to`. */
void stream_adopt(struct stream *to, struct stream *from);

/* Drop streams that no client has resumed in time. */
void streams_tick(struct front *f, uint64_t now);
