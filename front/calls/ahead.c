/* ahead.c - see ahead.h. */
#include "base/system/clock.h"
#include "front/calls/ahead.h"

/* The cost is the mean of about this many calls; answers that come together share their time. */
#define FORGET	8u

static const struct timeval soon = { .tv_usec = AHEAD_LONG_NS / 1000 };

bool
ahead_may(const struct worker *w, const struct front_call *c)
{
	const struct pool *p = w->pool;
	const struct front_call *first = TAILQ_FIRST(&w->calls);
	uint64_t now = clock_ns();

	if ((first != NULL && first->q.msg.export_rows > 0) || c->q.msg.export_rows > 0)
		return false;
	return w->ncalls < AHEAD_MOST && c->q.tool->policy->effect == POLICY_READS && p->cost_ns > 0 &&
	    (w->ncalls + 1) * p->cost_ns <= AHEAD_NS && now - w->runs_since_ns < AHEAD_LONG_NS &&
	    (p->ahead_deaths.last_ns == 0 || now - p->ahead_deaths.last_ns >= AHEAD_ALONE_NS);
}

void
ahead_sent(struct worker *w)
{
	if (!ipc_role_is_pooled(w->pool->role))
		return;
	if (w->ncalls == 1)
		w->runs_since_ns = clock_ns();
	else if (!event_pending(&w->router->ahead, EV_TIMEOUT, NULL))
		event_add(&w->router->ahead, &soon);
}

void
ahead_ended(struct worker *w)
{
	struct pool *p = w->pool;
	uint64_t now;

	if (!ipc_role_is_pooled(p->role))
		return;
	now = clock_ns();
	/* How long an export takes, its reader decides. */
	if (TAILQ_FIRST(&w->calls)->q.msg.export_rows > 0) {
		w->runs_since_ns = now;
		return;
	}
	p->cost_ns = p->cost_ns - p->cost_ns / FORGET + (now - w->runs_since_ns) / FORGET;
	w->runs_since_ns = now;
}

static void
find_last(struct ahead_deaths *d)
{
	d->last_ns = d->dropped_ns;
	for (size_t i = 0; i < sizeof(d->v) / sizeof(d->v[0]); i++)
		if (d->v[i].at_ns > d->last_ns)
			d->last_ns = d->v[i].at_ns;
}

void
ahead_died(struct worker *w)
{
	struct ahead_deaths *d = &w->pool->ahead_deaths;
	size_t i = d->next++ % (sizeof(d->v) / sizeof(d->v[0]));

	if (w->cause == IPC_DETACH_PLANNED)
		return;
	if (d->v[i].at_ns > d->dropped_ns)
		d->dropped_ns = d->v[i].at_ns;
	d->v[i].generation = w->ch.generation;
	d->v[i].at_ns = clock_ns();
	find_last(d);
}

void
ahead_died_planned(struct router *r, uint64_t generation)
{
	struct pool *p;

	LIST_FOREACH(p, &r->pools, next)
		for (size_t i = 0; i < sizeof(p->ahead_deaths.v) / sizeof(p->ahead_deaths.v[0]); i++)
			if (p->ahead_deaths.v[i].generation == generation && p->ahead_deaths.v[i].at_ns != 0) {
				p->ahead_deaths.v[i].at_ns = 0;
				find_last(&p->ahead_deaths);
			}
}

/*
 * Newest first: those taken back wait before all others, in the order in which they came.  False: some stay, since
 * there is no slot for what takes their place.
 */
static bool
take_back_all(struct worker *w)
{
	struct front_call *c = TAILQ_LAST(&w->calls, callq), *before;
	bool all = true;

	for (; c != TAILQ_FIRST(&w->calls); c = before) {
		before = TAILQ_PREV(c, callq, queue);
		if (c->q.sink != NULL)
			all &= call_take_back(c);
	}
	return all;
}

static void
on_soon(evutil_socket_t fd, short what, void *arg)
{
	struct router *r = arg;
	uint64_t now = clock_ns();
	bool again = false;
	struct worker *w;

	(void)fd, (void)what;
	LIST_FOREACH(w, &r->workers, all) {
		if (w->gone || !ipc_role_is_pooled(w->pool->role) || w->ncalls < 2)
			continue;
		if (now - w->runs_since_ns < AHEAD_LONG_NS) {
			again = true;
			continue;
		}
		again |= !take_back_all(w);
		pool_dispatch(w->pool);
	}
	if (again)
		event_add(&r->ahead, &soon);
}

void
ahead_init(struct router *r)
{
	evtimer_assign(&r->ahead, r->base, on_soon, r);
}

void
ahead_fini(struct router *r)
{
	event_del(&r->ahead);
}
