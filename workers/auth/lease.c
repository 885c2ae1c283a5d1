/* lease.c - see lease.h. */
#include "workers/auth/lease.h"

#include <stdio.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/auth.h"
#include "workers/auth/elsewhere.h"
#include "workers/auth/nodes.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/shared/serve.h"

#define STEP_NS	(50 * CLOCK_MS)	/* fronts are not told of less */
#define OVER	UINT64_C(1)	/* a lease that is over, or that there was not yet */

static struct ipc_lease
lease_message(const struct auth *a, uint64_t until_ns)
{
	uint64_t now = clock_boot_ns();
	struct store_writer w = store_writer(a->store);

	return (struct ipc_lease){
		.until_ns = until_ns, .cancel_ns = until_ns + a->conf.lease_ms * CLOCK_MS,
		.unix_ms = store_now_ms(a->store), .at_ns = now,
		.drained = w.drained, .behind = behind_is(a), .writes = nodes_may_write(a),
		.writer = w.own || w.there ? span_str(w.name) : SPAN(""),
	};
}

static uint64_t
lease_until(const struct auth *a)
{
	uint64_t now = clock_boot_ns(), ms = store_lease_ms(a->store);

	return ms == 0 ? OVER : now + ms * CLOCK_MS;
}

void
lease_greet(struct auth *a, uint64_t peer)
{
	struct ipc_lease msg;

	if (!store_is_shared(a->store))
		return;
	/* The next lease, which all fronts are told together, is this one's as well. */
	msg = lease_message(a, lease_is_earned(a) ? lease_until(a) : OVER);
	(void)serve_send(peer, IPC_MSG_LEASE, 0, &msg);
}

bool
lease_is_earned(const struct auth *a)
{
	/* look_due: a change was seen, and could not be read yet. */
	return !a->look_due && elsewhere_is_told(a) &&
	    (a->acts_on == 0 ||
		(a->swept_ms >= a->acts_since_ms && (!a->conf.oauth || a->oauth->looked_ms >= a->acts_since_ms)));
}

static void
tell_fronts(struct auth *a)
{
	uint64_t until = lease_until(a);
	struct ipc_lease msg;

	if (until < a->told_until_ns + STEP_NS || !lease_is_earned(a))
		return;
	a->told_until_ns = until;
	msg = lease_message(a, until);
	fronts_tell(&a->fronts, IPC_MSG_LEASE, 0, &msg);
}

void
lease_tend(struct auth *a)
{
	const char *why = store_away(a->store);
	char since[25];

	if (!store_is_shared(a->store))
		return;
	if (why == NULL)
		tell_fronts(a);
	else if (a->away[0] == '\0') {
		clock_iso8601(clock_unix_ms(), since);
		snprintf(a->away, sizeof(a->away), "the state store is away since %s: %s", since, why);
		log_warn("%s", a->away);
		serve_store_away(why);
	}
}

const char *
lease_failing(const struct auth *a)
{
	const char *why = audit_failing(a->audit);

	return why[0] == '\0' ? a->away : why;
}
