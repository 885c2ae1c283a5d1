#include "workers/auth/behind.h"

#include <string.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/auth.h"
#include "workers/auth/store/store_node.h"
#include "workers/auth/worker.h"

void
behind_take(struct auth *a, const struct ipc_synced *m)
{
	struct behind *b = &a->behind;

	b->told = true;
	b->begun = m->begun;
	b->done = m->done;
	auth_text(b->served, sizeof(b->served), m->served);
	auth_text(b->remote, sizeof(b->remote), m->remote);
	if (b->remote[0] == '\0' || strcmp(b->remote, b->served) == 0)
		b->fetched_ns = 0;
	else if (b->fetched_ns == 0)
		b->fetched_ns = clock_boot_ns();
	store_node_say(a->store, b->served, b->is);
}

static bool
misses_wanted(const struct behind *b)
{
	return b->wanted[0] != '\0' && strcmp(b->wanted, b->served) != 0 && b->done <= b->wanted_begun;
}

uint64_t
behind_s(const struct auth *a)
{
	const struct behind *b = &a->behind;
	uint64_t since = 0;

	if (!b->told)
		return 0;
	if (misses_wanted(b))
		since = b->wanted_ns;
	if (b->fetched_ns != 0 && (since == 0 || b->fetched_ns < since))
		since = b->fetched_ns;
	return since == 0 ? 0 : (clock_boot_ns() - since) / CLOCK_SECOND;
}

bool
behind_is(const struct auth *a)
{
	return behind_s(a) > BEHIND_S;
}

void
behind_tend(struct auth *a)
{
	struct behind *b = &a->behind;
	struct store_writer w = store_writer(a->store);
	bool was = b->is, now;

	/* A node that becomes the writer owes what the one before had pushed. */
	if (!w.own && w.project[0] != '\0' && strcmp(w.project, b->wanted) != 0) {
		auth_text(b->wanted, sizeof(b->wanted), span_str(w.project));
		b->wanted_ns = clock_boot_ns();
		b->wanted_begun = b->begun;
	}
	b->is = now = behind_is(a);
	store_node_say(a->store, b->served, now);
	if (now && !was)
		log_warn("the project here is older than what the other nodes have, for more than %d s: `carrel sync` "
			 "says why; /health/ready is false until it is brought up to date",
		    BEHIND_S);
}
