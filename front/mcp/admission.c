#include <stdlib.h>
#include <sys/queue.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "front/mcp/admission.h"
#include "front/who/auth_ask.h"
#include "front/mcp/exchange.h"

#define BUCKETS	1024u

struct admission_wait {
	LIST_ENTRY(admission_wait)	 of_bucket;
	TAILQ_ENTRY(admission_wait)	 by_age;
	struct exchange			*x;
	uint64_t			 id, due_ns;
};

LIST_HEAD(admission_bucket, admission_wait);

struct admissions {
	struct admission_bucket	 buckets[BUCKETS];	/* by id */
	TAILQ_HEAD(, admission_wait) by_age;		/* oldest first */
	uint64_t		 last_id;
	unsigned		 n;
	unsigned		 channel;		/* the number of the channel; 0: there was none yet */
	bool			 up;
};

struct admissions *
admissions_new(void)
{
	struct admissions *a = mem_new(1, sizeof(*a));

	TAILQ_INIT(&a->by_age);
	return a;
}

static void
drop_wait(struct admissions *a, struct admission_wait *w)
{
	LIST_REMOVE(w, of_bucket);
	TAILQ_REMOVE(&a->by_age, w, by_age);
	a->n--;
	w->x->who->admitting--;
	free(w);
}

void
admissions_free(struct admissions *a)
{
	struct admission_wait *w;

	if (a == NULL)
		return;
	while ((w = TAILQ_FIRST(&a->by_age)) != NULL)
		drop_wait(a, w);
	free(a);
}

static enum gate
hold_back(struct held *held, enum err_code code, unsigned retry_after, const char *message)
{
	*held = (struct held){ .code = code, .retry_after = retry_after, .message = message };
	return GATE_REFUSED;
}

static enum gate
check_room(const struct exchange *x, struct held *held)
{
	if (router_in_flight(x->front->router) + x->front->admissions->n >= ROUTER_IN_FLIGHT_MAX)
		return hold_back(held, ERR_BUSY, 1,
		    "The server is serving as many calls as it can; try again in a moment.");
	if (x->who->in_flight + x->who->admitting >= x->front->conf.in_flight_max)
		return hold_back(held, ERR_RATE_LIMITED, 1,
		    "You have as many calls in flight as are allowed; wait for one to end.");
	return GATE_PASS;
}

/* The configured limit of calls per minute and principal, where no carrel-auth counts. */
static enum gate
check_rate(struct exchange *x, struct held *held)
{
	struct principal *who = x->who;
	uint64_t now;

	if (x->front->conf.research_per_min == 0)
		return GATE_PASS;
	now = clock_ns();
	if (who->minute_ns == 0 || now - who->minute_ns >= 60 * CLOCK_SECOND) {
		who->minute_ns = now;
		who->in_minute = 0;
	}
	if (who->in_minute++ < x->front->conf.research_per_min)
		return GATE_PASS;
	return hold_back(held, ERR_RATE_LIMITED,
	    (unsigned)((who->minute_ns + 60 * CLOCK_SECOND - now + CLOCK_SECOND - 1) / CLOCK_SECOND),
	    "You have made as many calls this minute as are allowed; wait a little.");
}

static bool
is_counted(const struct exchange *x)
{
	switch (x->who->kind) {
	case PRINCIPAL_TOKEN:
	case PRINCIPAL_USER:
		return true;
	case PRINCIPAL_CLI:
		return false; /* the owner at the terminal: must work when nothing else does */
	default:
		return x->front->conf.research_per_min > 0 || !x->front->conf.alone;
	}
}

static enum ipc_class
class_of(const struct exchange *x)
{
	if (policy_tool_takes_sql(x->target.tool->policy))
		return IPC_CLASS_SQL;
	if (x->target.tool->policy->toolset == POLICY_TOOLSET_ASK)
		return IPC_CLASS_ASK;
	return policy_tool_gives_resources(x->target.tool->policy) ? IPC_CLASS_RESOURCE : IPC_CLASS_CALL;
}

static void
send_admit(const struct admission_wait *w)
{
	auth_say(w->x->front, IPC_MSG_ADMIT, w->id,
	    &(struct ipc_admit){ .class = class_of(w->x), .principal = span_str(w->x->who->id) });
}

static void
forget_admission(struct exchange *x)
{
	drop_wait(x->front->admissions, x->waiting.of); /* a grant that still comes is released by admission_take() */
}

enum gate
admission_ask(struct exchange *x, struct held *held)
{
	struct admissions *a = x->front->admissions;
	enum gate gate = check_room(x, held);
	struct admission_wait *w;

	x->times.admission_ns = clock_ns();
	if (gate != GATE_PASS)
		return gate;
	if (a->channel == 0 || !is_counted(x))
		return check_rate(x, held);
	w = mem_new(1, sizeof(*w));
	w->x = x;
	w->id = ++a->last_id;
	w->due_ns = clock_ns() + ADMIT_MS * CLOCK_MS;
	LIST_INSERT_HEAD(&a->buckets[w->id % BUCKETS], w, of_bucket);
	TAILQ_INSERT_TAIL(&a->by_age, w, by_age);
	a->n++;
	x->who->admitting++;
	exchange_wait(x, forget_admission, w);
	send_admit(w);
	return GATE_WAITS;
}

static void
answer_wait(struct front *f, struct admission_wait *w, const struct held *held)
{
	struct exchange *x = w->x;

	drop_wait(f->admissions, w);
	exchange_end_wait(x);
	call_gate_admitted(x, held);
}

void
admission_release(struct front *f, struct grant *grant)
{
	if (grant->id != 0 && f->admissions->up && grant->channel == f->admissions->channel)
		auth_say(f, IPC_MSG_RELEASE, grant->id, &(struct ipc_release){ .unused = 0 });
	grant->id = 0;
}

static void
refusal_of(const struct ipc_admitted *m, struct held *held)
{
	unsigned after = m->retry_after_s > 0 ? (unsigned)m->retry_after_s : 1;

	if (m->admission == IPC_ADMISSION_RATE)
		hold_back(held, ERR_RATE_LIMITED, after,
		    "You have made as many calls this minute as are allowed; wait a little.");
	else if (m->admission == IPC_ADMISSION_IN_FLIGHT)
		hold_back(held, ERR_RATE_LIMITED, after,
		    "You have as many calls in flight as are allowed; wait for one to end.");
	else if (m->admission == IPC_ADMISSION_UNKNOWN)
		hold_back(held, ERR_SERVICE_UNAVAILABLE, after,
		    "The server cannot count calls at this moment; try again in a moment.");
	else
		hold_back(held, ERR_AUTH_REVOKED, 0, "This credential is not valid any more; ask for another one.");
}

bool
admission_take(struct front *f, uint64_t id, const struct ipc_admitted *m)
{
	struct grant grant = { .id = id, .channel = f->admissions->channel };
	struct admission_wait *w;
	struct held held;

	LIST_FOREACH(w, &f->admissions->buckets[id % BUCKETS], of_bucket)
		if (w->id == id)
			break;
	if (w == NULL) {
		if (m->admission == IPC_ADMISSION_GRANTED)
			admission_release(f, &grant); /* its call has ended before it began */
		return true;
	}
	w->x->admission.quota = (struct http_quota){
		.limit = (unsigned)m->limit, .remaining = (unsigned)m->remaining, .reset_s = (unsigned)m->reset_s
	};
	if (m->admission != IPC_ADMISSION_GRANTED) {
		refusal_of(m, &held);
		answer_wait(f, w, &held);
		return true;
	}
	w->x->admission.grant = grant;
	answer_wait(f, w, NULL);
	return true;
}

/* Tell carrel-auth on the new channel which calls were granted on the lost one and still run. */
static void
hold_granted(struct front *f)
{
	struct exchange *x;

	LIST_FOREACH(x, &f->running, running) {
		if (x->admission.grant.id == 0)
			continue;
		x->admission.grant.channel = f->admissions->channel;
		auth_say(f, IPC_MSG_ADMIT, x->admission.grant.id,
		    &(struct ipc_admit){ .class = IPC_CLASS_CALL, .principal = span_str(x->who->id), .held = 1 });
	}
}

void
admission_channel(struct front *f, bool up)
{
	struct admissions *a = f->admissions;
	struct admission_wait *w;

	a->up = up;
	if (!up)
		return;
	a->channel++;
	hold_granted(f);
	TAILQ_FOREACH(w, &a->by_age, by_age)
		send_admit(w);
}

void
admission_tick(struct front *f, uint64_t now)
{
	struct admission_wait *w;
	struct held held;

	while ((w = TAILQ_FIRST(&f->admissions->by_age)) != NULL && w->due_ns <= now) {
		hold_back(&held, ERR_SERVICE_UNAVAILABLE, 1,
		    "Whether you may make this call cannot be found out at the moment; try again.");
		answer_wait(f, w, &held);
	}
}
