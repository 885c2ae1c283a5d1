#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/limits_shared.h"
#include "workers/auth/store/store_guess.h"
#include "workers/auth/store/store_limits.h"
#include "workers/auth/tokens/uses.h"
#include "workers/shared/serve.h"

#define LOOK_MS		250u
#define TELL_NS		(60 * CLOCK_SECOND)
#define WANTED_NS	CLOCK_SECOND	/* how long calls' ends are told at once */
#define SWEEP_NS	(60 * CLOCK_SECOND)
#define PATIENCE_NS	(300 * CLOCK_MS)	/* of a call that is one too many */
#define RETRY_MS	50u
#define WAITING_MAX	256u

struct waiting_call {
	TAILQ_ENTRY(waiting_call)	 by_age;
	uint64_t			 peer, id, due_ns, until_ns;
	struct ipc_admit		 msg;
	char				 principal[257];
};

struct limits_shared {
	TAILQ_HEAD(, waiting_call)	 waiting;
	size_t				 nwaiting;
	uint64_t			 told_ns, wanted_ns, swept_ns;
	bool				 counted;	/* since swept_ns */
};

static struct limits_shared *
shared_of(struct auth *a)
{
	if (a->shared == NULL) {
		a->shared = mem_new(1, sizeof(*a->shared));
		TAILQ_INIT(&a->shared->waiting);
		a->shared->told_ns = a->shared->swept_ns = clock_ns();
	}
	return a->shared;
}

static void
quota_fill(struct store_quota *q, const struct limits_quota *from, struct span principal)
{
	static const char *const rates[] = { [RATE_CALL] = "call", [RATE_SQL] = "sql", [RATE_RESOURCE] = "resource",
		[RATE_ASK] = "ask", [RATE_TOKENS] = "tokens" };

	q->most = from->most;
	if (from->rate == RATE_TOKENS)
		snprintf(q->name, sizeof(q->name), "%s", rates[RATE_TOKENS]);
	else
		snprintf(q->name, sizeof(q->name), "%.*s %s", SPAN_FMT(principal), rates[from->rate]);
}

/* False: nothing limits the call. */
static bool
fill_ask(struct auth *a, const struct ipc_admit *msg, uint64_t now_ns, struct store_admit *ask)
{
	struct limits_quota list[LIMITS_QUOTAS];
	size_t n = limits_quotas(a->limits, msg->principal, (unsigned)msg->class, list), own = 0;
	uint32_t most;

	*ask = (struct store_admit){ .who = msg->principal };
	ask->own = limits_own(a->limits, msg->principal, now_ns, &most);
	ask->most = most;
	for (size_t i = 0; i < n; i++)
		quota_fill(list[i].rate == RATE_TOKENS ? &ask->of_all : &ask->quotas[own++], &list[i], msg->principal);
	return n > 0 || most > 0;
}

/* Have the store decide.  False: the call is one too many, unless others' calls have ended by now. */
static bool
decide(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_admit *msg, uint64_t now_ns,
    struct ipc_admitted *out)
{
	static const enum ipc_admission said[] = { [STORE_ADMITTED] = IPC_ADMISSION_GRANTED,
		[STORE_RATE] = IPC_ADMISSION_RATE, [STORE_IN_FLIGHT] = IPC_ADMISSION_IN_FLIGHT };
	struct limits_shared *s = shared_of(a);
	struct store_admission got = { .verdict = STORE_ADMITTED };
	struct store_admit ask;
	struct err err;

	if (fill_ask(a, msg, now_ns, &ask)) {
		if (store_admit(a->store, &ask, &got, &err) != 0) {
			log_error("a call cannot be counted: %s", err.message);
			*out = (struct ipc_admitted){ .admission = IPC_ADMISSION_UNKNOWN, .retry_after_s = 1 };
			return true;
		}
		s->counted = true;
	}
	*out = (struct ipc_admitted){ .admission = said[got.verdict], .retry_after_s = got.retry_s,
		.limit = got.limit, .remaining = got.remaining, .reset_s = got.reset_s };
	if (got.verdict == STORE_ADMITTED) {
		limits_told(a->limits, msg->principal, (uint32_t)ask.own + (ask.most > 0), now_ns);
		limits_begin(a->limits, peer, id, msg->principal, now_ns);
	}
	return got.verdict != STORE_IN_FLIGHT || got.in_flight == ask.own + 1;
}

void
limits_shared_answer(struct auth *a, uint64_t peer, uint64_t id, struct span principal, struct ipc_admitted *answer)
{
	if (answer->admission == IPC_ADMISSION_GRANTED && span_begins(principal, "token:") &&
	    !uses_count(a, principal, store_now_ms(a->store))) {
		limits_release(a->limits, peer, id);
		*answer = (struct ipc_admitted){ .admission = IPC_ADMISSION_ENDED };
	}
	(void)serve_send(peer, IPC_MSG_ADMITTED, id, answer);
}

static void
add_waiting(struct limits_shared *s, uint64_t peer, uint64_t id, const struct ipc_admit *msg, uint64_t now_ns)
{
	struct waiting_call *w = mem_new(1, sizeof(*w));

	w->peer = peer;
	w->id = id;
	w->due_ns = now_ns + RETRY_MS * CLOCK_MS;
	w->until_ns = now_ns + PATIENCE_NS;
	snprintf(w->principal, sizeof(w->principal), "%.*s", SPAN_FMT(msg->principal));
	w->msg = (struct ipc_admit){ .class = msg->class, .principal = span_str(w->principal) };
	TAILQ_INSERT_TAIL(&s->waiting, w, by_age);
	s->nwaiting++;
}

static void
drop_waiting(struct limits_shared *s, struct waiting_call *w)
{
	TAILQ_REMOVE(&s->waiting, w, by_age);
	s->nwaiting--;
	free(w);
}

enum ipc_fault
limits_shared_admit(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_admit *msg)
{
	uint64_t now = clock_ns();
	struct ipc_admitted answer;
	enum limits_known known = limits_known(a->limits, peer, id, msg, now, &answer);

	if (known == LIMITS_BROKEN)
		return IPC_OUT_OF_STATE;
	if (msg->held != 0)
		return IPC_OK;
	if (known == LIMITS_COUNT && span_begins(msg->principal, "local:"))
		(void)limits_admit(a->limits, peer, id, msg, now, &answer);
	else if (known == LIMITS_COUNT && !decide(a, peer, id, msg, now, &answer) &&
	    a->shared->nwaiting < WAITING_MAX) {
		add_waiting(a->shared, peer, id, msg, now);
		return IPC_OK;
	}
	limits_shared_answer(a, peer, id, msg->principal, &answer);
	return IPC_OK;
}

void
limits_shared_wanted(struct auth *a, struct span principal, uint64_t now_ns)
{
	if (limits_wanted(a->limits, principal, now_ns + WANTED_NS))
		shared_of(a)->wanted_ns = now_ns + WANTED_NS;
}

unsigned
limits_shared_failure(struct auth *a, struct span address, uint64_t now_ns)
{
	unsigned seconds;
	struct err err;

	if (!store_is_shared(a->store) || a->rates.failures_per_min == 0 || store_away(a->store) != NULL)
		return limits_failure(a->limits, address, now_ns);
	/* Requests that were on their way when the address was blocked do not count again. */
	if (limits_is_blocked(a->limits, address, now_ns))
		return 0;
	if (store_guess_failure(a->store, address, a->rates.failures_per_min, a->rates.block_s, &seconds, &err) != 0) {
		log_warn("a wrong credential is counted on this node alone: %s", err.message);
		return limits_failure(a->limits, address, now_ns);
	}
	if (seconds != 0)
		limits_block(a->limits, address, seconds, now_ns);
	return seconds;
}

void
limits_shared_block(struct auth *a, const char *said, uint64_t now_ns)
{
	char *address;
	struct ipc_block msg = { .seconds = strtoul(said, &address, 10) };

	if (*address != ' ' || address[1] == '\0' || strlen(address + 1) > 64 || msg.seconds - 1 >= 86400)
		return;
	msg.address = span_str(address + 1);
	limits_block(a->limits, msg.address, (unsigned)msg.seconds, now_ns);
	fronts_tell(&a->fronts, IPC_MSG_BLOCK, 0, &msg);
}

static bool
tell_changed(void *arg, const char *principal, uint32_t own)
{
	struct auth *a = arg;
	struct err err;

	if (store_released(a->store, span_str(principal), own, &err) == 0)
		return true;
	log_warn("which calls have ended is not told to the other nodes yet: %s", err.message);
	return false;
}

static void
retry_waiting(struct auth *a, uint64_t now_ns)
{
	struct waiting_call *w, *next;
	struct ipc_admitted answer;

	for (w = TAILQ_FIRST(&a->shared->waiting); w != NULL; w = next) {
		next = TAILQ_NEXT(w, by_age);
		if (w->due_ns > now_ns)
			continue;
		w->due_ns = now_ns + RETRY_MS * CLOCK_MS;
		if (!decide(a, w->peer, w->id, &w->msg, now_ns, &answer) && now_ns < w->until_ns)
			continue;
		limits_shared_answer(a, w->peer, w->id, w->msg.principal, &answer);
		drop_waiting(a->shared, w);
	}
}

void
limits_shared_tend(struct auth *a, uint64_t now_ns)
{
	struct limits_shared *s = a->shared;
	struct err err;
	bool all;

	if (!store_is_shared(a->store) || s == NULL)
		return;
	all = now_ns - s->told_ns >= (limits_crowded(a->limits) ? LOOK_MS * CLOCK_MS : TELL_NS);
	if (store_away(a->store) == NULL && (all || now_ns < s->wanted_ns)) {
		s->told_ns = all ? now_ns : s->told_ns;
		limits_each_changed(a->limits, all, now_ns, tell_changed, a);
	}
	retry_waiting(a, now_ns);
	if (!s->counted || store_away(a->store) != NULL || now_ns - s->swept_ns < SWEEP_NS)
		return;
	s->swept_ns = now_ns;
	s->counted = false;
	if (store_limits_sweep(a->store, &err) != 0)
		log_warn("old counts of calls were not removed: %s", err.message);
}

unsigned
limits_shared_patience_ms(const struct auth *a)
{
	return a->shared != NULL && a->shared->nwaiting > 0 ? RETRY_MS : LOOK_MS;
}

void
limits_shared_gone(struct auth *a, uint64_t peer)
{
	struct waiting_call *w, *next;

	for (w = a->shared == NULL ? NULL : TAILQ_FIRST(&a->shared->waiting); w != NULL; w = next) {
		next = TAILQ_NEXT(w, by_age);
		if (w->peer == peer)
			drop_waiting(a->shared, w);
	}
}

void
limits_shared_free(struct auth *a)
{
	while (a->shared != NULL && !TAILQ_EMPTY(&a->shared->waiting))
		drop_waiting(a->shared, TAILQ_FIRST(&a->shared->waiting));
	free(a->shared);
	a->shared = NULL;
}
