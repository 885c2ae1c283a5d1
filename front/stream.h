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
 * principal that keeps most goes first, so that nobody loses anything to
 * somebody who keeps more; an answer that cannot be kept is kept as an
 * error that says so.  A front that ends takes its events with it.
 */
#ifndef FRONT_STREAM_H
#define FRONT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/mcp.h"

struct front;

#define STREAM_STANDING_MAX	4u		/* of one session; beyond: the oldest ends */
#define STREAM_KEPT_MAX		16u
#define STREAM_ALL_MAX		2048u
#define STREAM_KEEP_S		300u
#define STREAM_EVENTS_MAX	64u
#define STREAM_EVENT_MAX	(16u * 1024)
#define STREAM_BYTES_MAX	(32u << 20)
#define STREAM_RETRY_MS		2000u		/* what a client waits before it comes back */
#define STREAM_ID_MAX		32u		/* characters of an event's id, with a NUL */

struct conn;
struct hub;
struct stream;
struct streams;

struct streams *streams_new(void);
void streams_free(struct streams *ss);	/* no hub may be left */

/* --- event ids: pure ---------------------------------------------------------------- */

/* "g0123456789abcdef-12": the kind of stream, which, and the event's place on it. */
struct event_id {
	bool		standing;
	uint64_t	stream;
	uint32_t	seq;	/* 0: before the first event */
};

void event_id_print(const struct event_id *id, char out[STREAM_ID_MAX]);
/* False when text is none that event_id_print() made. */
bool event_id_parse(struct span text, struct event_id *id);

/* --- streams ------------------------------------------------------------------------- */

/* Begin one on c, whose head is on its way; the client is told how to come back where it can be. */
struct stream *stream_open(struct hub *h, struct conn *c, bool standing);

/*
 * The stream with this id comes back on c; the connection it had, if any, is
 * dropped.  What followed the event is sent; a reply stream that is finished
 * then ends.  False: there is no such stream.
 */
bool stream_resume(struct hub *h, struct conn *c, const struct event_id *id);

/*
 * One more message, whether or not a connection carries it now; the caller
 * flushes that.  answers is the id of the request it ends, empty for others.
 */
void stream_put(struct stream *s, struct span answers, const struct answer *a);

/* No more messages will come; what was sent can be had again for a while. */
void stream_finish(struct stream *s);

/* The connection is lost: what it still owed is owed by the stream from now on. */
void stream_break(struct stream *s);

/* The client has all of a finished one and its connection goes on to other things. */
void stream_delivered(struct stream *s);

bool stream_is_standing(const struct stream *s);
struct stream *stream_next(const struct stream *s);	/* of its session */
struct conn *stream_conn(const struct stream *s);	/* NULL: none at present */

/* End it for good, with its connection's response if it has one. */
void stream_close(struct stream *s);

/* The last event did not leave after all. */
void stream_missed(struct stream *s);

/* What was never sent on `from` is sent on `to` instead. */
void stream_adopt(struct stream *to, struct stream *from);

/* Forget what nobody came back for. */
void streams_tick(struct front *f, uint64_t now);

#endif
