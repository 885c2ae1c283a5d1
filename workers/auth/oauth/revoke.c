#include "workers/auth/oauth/revoke.h"

#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/store/store_node.h"
#include "workers/shared/serve.h"

#define LOOK_MS		25u
#define HEARD_NS	(3 * CLOCK_SECOND)	/* beyond a lease: longer than a front takes to cut off */

static const char unheard[] = "the token has ended, and what ran under it may not have yet; try again in a moment";

struct revocation {
	TAILQ_ENTRY(revocation)	 by_age;
	uint64_t		 peer, id, until_ns;
	struct store_change	 change;
};

static void
revocation_say(uint64_t peer, uint64_t id, const char *message)
{
	struct ipc_revoked out = { .outcome = message == NULL ? IPC_OAUTH_DONE : IPC_OAUTH_UNAVAILABLE,
		.message = span_str(message == NULL ? "" : message) };

	(void)serve_send(peer, IPC_MSG_REVOKED, id, &out);
}

static void
revocation_drop(struct auth *a, struct revocation *r)
{
	TAILQ_REMOVE(&a->oauth->revocations, r, by_age);
	a->oauth->nrevocations--;
	free(r);
}

void
revoke_take(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_revoke *m)
{
	struct ipc_revoked out;
	struct revocation *r;

	if (!redeem_revoke(a, m, store_now_ms(a->store), &out)) {
		(void)serve_send(peer, IPC_MSG_REVOKED, id, &out);
		return;
	}
	if (a->oauth->nrevocations >= REVOKE_WAITING) {
		revocation_say(peer, id, unheard);
		return;
	}
	r = mem_new(1, sizeof(*r));
	*r = (struct revocation){ .peer = peer, .id = id, .change = store_latest(a->store),
		.until_ns = clock_ns() + HEARD_NS + a->conf.lease_ms * CLOCK_MS };
	TAILQ_INSERT_TAIL(&a->oauth->revocations, r, by_age);
	a->oauth->nrevocations++;
	revoke_tend(a, clock_ns());
}

/* Whether no node honours it any more, as far as is known. */
static bool
revocation_is_heard(struct auth *a, const struct revocation *r)
{
	struct store_heard heard;
	struct err err;

	return fronts_all_ended(&a->fronts) && store_heard_of(a->store, &r->change, &heard, &err) == 0 &&
	    heard.waiting[0] == '\0' && !heard.incomplete;
}

void
revoke_tend(struct auth *a, uint64_t now_ns)
{
	struct auth_oauth *o = a->oauth;
	struct revocation *r;

	if (TAILQ_EMPTY(&o->revocations) || !fronts_all_ended(&a->fronts))
		o->revocations_due_ns = 0;
	/* What is not heard of the oldest is not heard of the others: one statement, and one for each that is answered.
	 */
	while ((r = TAILQ_FIRST(&o->revocations)) != NULL) {
		bool heard = o->revocations_due_ns <= now_ns && revocation_is_heard(a, r);

		if (!heard && now_ns < r->until_ns)
			break;
		if (!heard)
			log_warn("a client ended its grant, and not each front or node has confirmed that");
		revocation_say(r->peer, r->id, heard ? NULL : unheard);
		revocation_drop(a, r);
	}
	if (r != NULL && o->revocations_due_ns <= now_ns && fronts_all_ended(&a->fronts))
		o->revocations_due_ns = now_ns + LOOK_MS * CLOCK_MS;
}

unsigned
revoke_patience_ms(const struct auth *a)
{
	return TAILQ_EMPTY(&a->oauth->revocations) ? UINT_MAX : LOOK_MS;
}

void
revoke_gone(struct auth *a, uint64_t peer)
{
	struct revocation *r, *next;

	for (r = TAILQ_FIRST(&a->oauth->revocations); r != NULL; r = next) {
		next = TAILQ_NEXT(r, by_age);
		if (peer == 0 || r->peer == peer)
			revocation_drop(a, r);
	}
}
