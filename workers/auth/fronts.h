/*
 * fronts - the attached fronts, and messages to all of them.
 *
 * Leases and revocation
 *
 * Fronts serve requests, and only carrel-auth knows which credentials are good.  A front holds three things on trust,
 * each with an end of its own:
 *
 *	a verdict	who presents a credential (VERIFIED): remembered for keep_ms, a minute at most and never
 *			beyond the credential's expiry and the store's lease (store_lease_ms()); only good ones are
 *			(front/who/verify_credential.h)
 *	a grant		that one call may run (ADMITTED): in flight until RELEASE or the end of the channel (limits.h)
 *	a block		that an address may not present credentials (BLOCK), with its seconds
 *
 * They are bound to the channel.  If it is lost, a front forgets all verdicts and asks again on the next channel;
 * calls that still run are told there as held, so that they count as in flight without being counted twice.
 * carrel-auth releases the grants of a front that is gone.  While there is no carrel-auth, no credential that it must
 * know is good: requests wait five seconds and are answered service_unavailable.  No clock is compared between
 * processes: expiry is in Unix time, and everything else is a length from now.
 *
 * Revocation does not wait for a minute to pass.  The change is committed first, with its audit entry; then END goes
 * to all fronts, each of which forgets the verdicts, cancels the principal's calls down to the database, closes its
 * sessions and streams once their last answers are out, and reports what it cut off (ENDED; front/ending.h).
 * fronts_end_and_wait() collects these, so that `carrel token revoke` says "ended" when it has ended.  A front that
 * does not report within ENDED_MS is not waited for; it has END in its channel and is handled by the supervisor if it
 * is stuck.  A verdict that was sent before END cannot arrive after it: both use the same channel.
 *
 * What ends without a command is found by looking: an expiry has a timer (tokens.c), and changes that another process
 * made in the store are found by their time (oauth_look(), the sweep of tokens), as is everything that changed while no
 * front was attached.  The same END with scopes narrows a user instead of ending it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/messages.h"
#include "workers/auth/store/store_node.h"

struct call;

#define FRONTS_MAX	64	/* the limit of workers/shared/links.c */

/* What was cut off on this node, and which nodes have acted upon the change that ended it. */
struct fronts_cut {
	uint64_t		sessions, streams, calls;
	struct store_heard	heard;
};

struct fronts {
	uint64_t	peers[FRONTS_MAX];
	size_t		n;
	unsigned	unanswered[FRONTS_MAX];	/* ENDs; in the order of peers */

	/* a call waits for the answers to the ENDs from waits_from on */
	uint64_t	last_id, waits_from;	/* waits_from 0: none */
	uint64_t	until_ns;		/* the deadline of the wait */
	unsigned	owes[FRONTS_MAX];	/* unanswered ENDs; in the order of peers */
	struct fronts_cut total;
};

void fronts_add(struct fronts *f, uint64_t peer);
void fronts_remove(struct fronts *f, uint64_t peer);

void fronts_tell(struct fronts *f, unsigned type, uint64_t id, const void *msg);

/* For how long a front may use a good verdict: until the credential ends (0: never), the store's lease or a minute. */
uint64_t fronts_keep_ms(uint64_t lease_ms, uint64_t expires_ms, uint64_t now_ms);

/* All credentials of principal have ended, for the reason `verdict`. */
void fronts_end(struct fronts *f, const char *principal, enum ipc_verdict verdict);

/*
 * One grant of a user has ended.  fronts_narrow: a user's role now has these scopes; 0: all credentials have ended.
 * calls: what runs has more scopes or other claims, and ends.
 */
void fronts_end_grant(struct fronts *f, const char *user, const char *grant);
void fronts_narrow(struct fronts *f, const char *principal, uint32_t scopes, bool calls);

/*
 * As fronts_end(), and wait until every front has cut off what ran and reported it; the sum is in f->total.  For tools
 * with `waits`.  After a deadline a slow front is not waited for; what it cuts off is not counted.
 */
void fronts_end_and_wait(struct fronts *f, struct call *c, const char *principal, enum ipc_verdict verdict);

/* The same for any END. */
void fronts_say_and_wait(struct fronts *f, struct call *c, const struct ipc_end *msg);

/*
 * The same for several ENDs: all fronts get all ENDs said between fronts_begin() and fronts_wait(), with one common
 * deadline.  fronts_say() may wait itself, so that no front has more than FRONTS_OWED to read.
 */
#define FRONTS_OWED	64
void fronts_begin(struct fronts *f);
void fronts_say(struct fronts *f, struct call *c, const struct ipc_end *msg);
void fronts_wait(struct fronts *f, struct call *c);

/* Whether every front has answered every END: what it cut off has ended. */
bool fronts_all_ended(const struct fronts *f);

/* A front answered with ENDED. */
void fronts_ended(struct fronts *f, uint64_t peer, uint64_t id, const struct ipc_ended *msg);
