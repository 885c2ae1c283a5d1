/* lease.c - see lease.h. */
#include "workers/auth/lease.h"

#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/auth.h"
#include "workers/auth/elsewhere.h"
#include "workers/auth/nodes.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/store/store_token.h"
#include "workers/shared/serve.h"

#define STEP_NS	(50 * CLOCK_MS)	/* fronts are not told of less */
#define WHY	"node.away"	/* setting of the node's own store: why the shared one is not used; empty: it is */
#define NOTED	512
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
lease_note(struct auth *a)
{
	const char *why = store_away(a->store);
	struct buf noted = BUF_MAX(NOTED);
	struct err err;

	why = why == NULL ? "" : why;
	if (store_setting(a->own, WHY, &noted, &err) < 0 ||
	    (strcmp(buf_cstr(&noted), why) != 0 && store_set_setting(a->own, WHY, span_str(why), &err) != 0))
		log_warn("why the state store is away cannot be noted: %s", err.message);
	buf_fini(&noted);
}

/* Why the process that was started to take this one's place could not use the store. */
static void
hear_why(struct auth *a)
{
	struct buf noted = BUF_MAX(NOTED);
	uint64_t now = clock_ns();

	if (now - a->away_heard_ns < CLOCK_SECOND)
		return;
	a->away_heard_ns = now;
	if (store_setting(a->own, WHY, &noted, NULL) == 1 && noted.len > 0)
		store_give_up(a->store, buf_cstr(&noted));
	buf_fini(&noted);
}

static void
tell_away(struct auth *a)
{
	bool first = a->away[0] == '\0';
	char text[sizeof(a->away)];

	if (first)
		clock_iso8601(clock_unix_ms(), a->away_since);
	else
		hear_why(a);
	snprintf(text, sizeof(text), "the state store is away since %s: %s", a->away_since, store_away(a->store));
	if (strcmp(text, a->away) == 0)
		return;
	memcpy(a->away, text, sizeof(text));
	log_warn("%s", a->away);
	if (first)
		serve_store_away(store_away(a->store));
}

void
lease_tend(struct auth *a)
{
	if (!store_is_shared(a->store))
		return;
	if (store_away(a->store) == NULL)
		tell_fronts(a);
	else
		tell_away(a);
}

const char *
lease_failing(const struct auth *a)
{
	const char *why = audit_failing(a->audit);

	return why[0] == '\0' ? a->away : why;
}
