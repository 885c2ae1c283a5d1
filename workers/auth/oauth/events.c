#include "workers/auth/oauth/events.h"

#include <stdio.h>

#include "base/system/log.h"
#include "workers/auth/store/store_guess.h"

#define NAME	(TALLY_NAME + 16)

/* The name as the store knows it. */
static struct span
shared_name(const struct event *e, struct span name, char text[NAME])
{
	if (name.len == 0)
		return SPAN("");
	snprintf(text, NAME, "%s %.*s", e->what, SPAN_FMT(name));
	return span_str(text);
}

static int
take_shared(struct auth *a, const struct event *e, struct err *err)
{
	char one[NAME], other[NAME];
	unsigned wait;

	if (store_event_take(a->store, shared_name(e, e->name, one), shared_name(e, e->also, other), e->most, e->span_s,
		&wait, err) != 0)
		return -1;
	return (int)wait;
}

static int
wait_here(const struct event *e, uint64_t now_ns)
{
	unsigned one = tally_wait(e->tally, e->name, now_ns);
	unsigned other = e->also.len > 0 ? tally_wait(e->tally, e->also, now_ns) : 0;

	return (int)(one > other ? one : other);
}

int
events_take(struct auth *a, const struct event *e, uint64_t now_ns, struct err *err)
{
	bool shared = store_is_shared(a->store);
	int wait = shared ? take_shared(a, e, err) : wait_here(e, now_ns);

	if (wait != 0 || shared)
		return wait;
	tally_add(e->tally, e->name, now_ns);
	if (e->also.len > 0)
		tally_add(e->tally, e->also, now_ns);
	return 0;
}

void
events_back(struct auth *a, const struct event *e, uint64_t now_ns)
{
	char one[NAME], other[NAME];
	struct err err;

	if (store_is_shared(a->store)) {
		if (store_event_back(a->store, shared_name(e, e->name, one), shared_name(e, e->also, other), &err) != 0)
			log_warn("what did not happen stays counted: %s", err.message);
		return;
	}
	tally_take_back(e->tally, e->name, now_ns);
	if (e->also.len > 0)
		tally_take_back(e->tally, e->also, now_ns);
}
