/*
 * subscribe - subscriptions to changes, and their notifications.
 *
 * A subscriber is a modern subscriptions/listen stream, a legacy session or a local client.  Changes
 * are recorded at once.  Subscribers are notified at the end of the turn, a bounded number per turn.
 * So a burst of changes becomes one message each, and ten thousand streams do not delay a request.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/span.h"
#include "ipc/messages.h"

struct front;
struct exchange;

/*
 * The lists that a caller with these scopes can subscribe to.  SUBSCRIBE_ANYBODY: all of them, which
 * is what the capabilities announce as listChanged.  IPC_LISTS_RESOURCES includes subscriptions to single
 * resources.
 */
unsigned subscribe_offered(const struct front *f, uint32_t scopes);
#define SUBSCRIBE_ANYBODY	UINT32_MAX

#define SUBSCRIBE_URIS_MAX	256u	/* per subscriber; beyond: refused */
#define SUBSCRIBE_URI_MAX	2048u	/* bytes of one URI; longer ones are refused */
#define SUBSCRIBE_ALL_MAX	65536u	/* URIs of all subscribers, shared as share.h says; beyond: refused */
#define SUBSCRIBE_LISTEN_MAX	32768u	/* listen streams of a front, likewise */

/* The lists of enum ipc_lists have changed since they were last given out. */
void subscribe_changed(struct front *f, unsigned lists);

/* The resources with these URIs have changed.  One pass over all subscriptions; uris gets sorted. */
void subscribe_updated(struct front *f, struct span *uris, size_t n);

/* Any resource may have changed: notify all subscriptions to resources. */
void subscribe_updated_all(struct front *f);

struct subscription;

struct subscriber {
	TAILQ_ENTRY(subscriber)	 all, due;
	unsigned		 lists;		/* subscribed to */
	unsigned		 pending;	/* changed, not yet notified */
	struct subscription	*uris;
	unsigned		 nuris, npending;
	bool			 queued;
	struct buf		 tag;		/* JSON text of the subscription's id; empty: legacy */
	/* Send one notification.  False: the client was gone or cut off, and the subscriber is freed. */
	bool			(*send)(struct subscriber *s, struct span message);
	struct principal	*who;		/* the principal */
	void			*owner;
};

struct subscribers;

struct subscribers *subscribers_new(void);
void subscribers_free(struct subscribers *ss);	/* call after the last subscriber has ended */

/* s is zeroed except for lists, send, who and owner. */
void subscriber_begin(struct front *f, struct subscriber *s);
void subscriber_end(struct front *f, struct subscriber *s);

enum subscribe_verdict { SUBSCRIBE_DONE, SUBSCRIBE_INVALID, SUBSCRIBE_TOO_MANY };

/* Subscribe to uri.  A URI that s has already gives SUBSCRIBE_DONE. */
enum subscribe_verdict subscriber_add_uri(struct front *f, struct subscriber *s, struct span uri);
void subscriber_remove_uri(struct front *f, struct subscriber *s, struct span uri);

/* Append the subscribed URIs as a sorted JSON array of strings. */
void subscriber_put_uris(const struct subscriber *s, struct buf *out);

/* Once per turn: notify some of the subscribers with pending changes.  True: more are left. */
bool subscribe_turn(struct front *f);
