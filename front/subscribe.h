/*
 * subscribe - who wants to hear what changes, and telling them.
 *
 * A subscriber is a modern subscriptions/listen stream, a legacy session or a
 * local client.  Changes are noted at once and told at the end of the turn, a
 * bounded number of subscribers a turn, so that a burst of changes is one
 * message each and ten thousand streams do not hold up a request.
 */
#ifndef FRONT_SUBSCRIBE_H
#define FRONT_SUBSCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/mp.h"
#include "base/span.h"
#include "ipc/ipc.h"

struct front;
struct exchange;

/*
 * The lists there are for a caller with these scopes; all of them for
 * SUBSCRIBE_ANYBODY, which is what listChanged says in the capabilities.
 * IPC_LISTS_RESOURCES brings subscriptions to single resources with it.
 */
unsigned subscribe_offered(const struct front *f, uint32_t scopes);
#define SUBSCRIBE_ANYBODY	UINT32_MAX

#define SUBSCRIBE_URIS_MAX	256u	/* of one subscriber; beyond: refused */
#define SUBSCRIBE_URI_MAX	2048u	/* bytes of one; longer ones are refused */
#define SUBSCRIBE_ALL_MAX	65536u	/* URIs of all subscribers, shared as share.h says; beyond: refused */
#define SUBSCRIBE_LISTEN_MAX	32768u	/* listen streams of a front, likewise */

/* --- what happened: for whoever hears of it -------------------------------------- */

/* The lists of enum ipc_lists differ from what was last given out. */
void subscribe_changed(struct front *f, unsigned lists);

/* What these URIs name differs.  One look at every subscription, however many they are; uris is put in order. */
void subscribe_updated(struct front *f, struct span *uris, size_t n);

/* What any URI names may differ: all that somebody subscribed to are told of. */
void subscribe_updated_all(struct front *f);

/* --- subscribers: for transports --------------------------------------------------- */

struct subscription;

struct subscriber {
	TAILQ_ENTRY(subscriber)	 all, due;
	unsigned		 lists;		/* wanted */
	unsigned		 pending;	/* changed and not told */
	struct subscription	*uris;
	unsigned		 nuris, npending;
	bool			 queued;
	struct buf		 tag;		/* JSON text of the subscription's id; empty: legacy */
	/*
	 * Send one notification.  False: the subscriber does not exist any
	 * more, because its client was found gone or cut off.
	 */
	bool			(*send)(struct subscriber *s, struct span message);
	struct principal	*who;		/* whose */
	void			*owner;
};

struct subscribers;

struct subscribers *subscribers_new(void);
void subscribers_free(struct subscribers *ss);	/* all of them must have ended */

/* s is zeroed but for lists, send, who and owner. */
void subscriber_begin(struct front *f, struct subscriber *s);
void subscriber_end(struct front *f, struct subscriber *s);

enum subscribe_verdict { SUBSCRIBE_DONE, SUBSCRIBE_INVALID, SUBSCRIBE_TOO_MANY };

/* One that is already subscribed to is SUBSCRIBE_DONE. */
enum subscribe_verdict subscriber_add_uri(struct front *f, struct subscriber *s, struct span uri);
void subscriber_remove_uri(struct front *f, struct subscriber *s, struct span uri);

/* Append them as a JSON array of strings, sorted. */
void subscriber_put_uris(const struct subscriber *s, struct buf *out);

/* Once per turn: tell some of those that are due.  True: more are. */
bool subscribe_turn(struct front *f);

#endif
