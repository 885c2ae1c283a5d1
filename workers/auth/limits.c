#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/system/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "workers/auth/limits.h"

#define MINUTE		60u
#define BUCKETS		1024u
#define NAME_MAX_BYTES	257u	/* a principal's id; addresses have at most 64 */

/* Events in each of the last 60 seconds: n[second % 60], up to second. */
struct limits_window {
	uint64_t	second;
	uint32_t	n[MINUTE], sum;
};

enum rate { RATE_CALL, RATE_SQL, RATE_RESOURCE, RATE_ASK, RATES };

struct limited {
	LIST_ENTRY(limited)	 of_bucket;
	TAILQ_ENTRY(limited)	 by_use;	/* least recently used first */
	char			*name;
	uint32_t		 in_flight;
	uint64_t		 blocked_ns;	/* for an address: blocked until then */
	struct limits_window		 rates[];	/* RATES for a principal, one for an address */
};

LIST_HEAD(limited_bucket, limited);

/* Principals, or addresses. */
struct limited_set {
	struct limited_bucket	 buckets[BUCKETS];
	TAILQ_HEAD(, limited)	 by_use;
	size_t			 n, most, rates;
};

struct limits_grant {
	LIST_ENTRY(limits_grant)	 of_bucket;
	uint64_t		 peer, id;
	struct limited		*who;
};

LIST_HEAD(grant_bucket, limits_grant);

struct limits {
	struct limits_conf	 conf;
	struct limited_set	 principals, addresses;
	struct limits_window		 tokens;	/* all tokens together */
	struct grant_bucket	 grants[BUCKETS];
	size_t			 ngrants;
};

static void
window_move(struct limits_window *w, uint64_t second)
{
	if (second <= w->second)
		return;
	if (second - w->second >= MINUTE) {
		memset(w->n, 0, sizeof(w->n));
		w->sum = 0;
		w->second = second;
		return;
	}
	while (w->second < second) {
		w->second++;
		w->sum -= w->n[w->second % MINUTE];
		w->n[w->second % MINUTE] = 0;
	}
}

static void
window_add(struct limits_window *w)
{
	w->n[w->second % MINUTE]++;
	w->sum++;
}

/* Seconds until fewer than limit events are in the window; limit is at least 1. */
static unsigned
window_wait(const struct limits_window *w, uint32_t limit)
{
	uint32_t left = w->sum;

	for (unsigned s = 1; s <= MINUTE; s++) {
		/* The oldest second of the window is next. */
		left -= w->n[(w->second + s) % MINUTE];
		if (left < limit)
			return s;
	}
	return MINUTE;
}

/* Seconds until the first event leaves the window; 0: the window is empty. */
static unsigned
window_reset(const struct limits_window *w)
{
	return w->sum == 0 ? 0 : window_wait(w, w->sum);
}

static void
set_init(struct limited_set *set, size_t most, size_t rates)
{
	TAILQ_INIT(&set->by_use);
	set->most = most;
	set->rates = rates;
}

static void
set_drop(struct limited_set *set, struct limited *who)
{
	LIST_REMOVE(who, of_bucket);
	TAILQ_REMOVE(&set->by_use, who, by_use);
	set->n--;
	free(who->name);
	free(who);
}

/* Drop the least recently used entry without calls in flight, if possible one that is not blocked. */
static void
set_make_room(struct limited_set *set, uint64_t now_ns)
{
	struct limited *who;

	TAILQ_FOREACH(who, &set->by_use, by_use)
		if (who->in_flight == 0 && who->blocked_ns <= now_ns)
			break;
	if (who == NULL)
		TAILQ_FOREACH(who, &set->by_use, by_use)
			if (who->in_flight == 0)
				break;
	if (who != NULL)
		set_drop(set, who);
}

/* Find or add the entry.  NULL: the set is full, and all entries have calls in flight. */
static struct limited *
set_find(struct limited_set *set, struct span name, uint64_t now_ns)
{
	struct limited_bucket *bucket = &set->buckets[hash_of(name) % BUCKETS];
	struct limited *who;

	LIST_FOREACH(who, bucket, of_bucket)
		if (span_is_str(name, who->name)) {
			TAILQ_REMOVE(&set->by_use, who, by_use);
			TAILQ_INSERT_TAIL(&set->by_use, who, by_use);
			return who;
		}
	if (set->n >= set->most)
		set_make_room(set, now_ns);
	if (set->n >= set->most)
		return NULL;
	who = mem_alloc(sizeof(*who) + set->rates * sizeof(who->rates[0]));
	memset(who, 0, sizeof(*who) + set->rates * sizeof(who->rates[0]));
	who->name = mem_text(name);
	LIST_INSERT_HEAD(bucket, who, of_bucket);
	TAILQ_INSERT_TAIL(&set->by_use, who, by_use);
	set->n++;
	return who;
}

struct limits *
limits_new(const struct limits_conf *conf)
{
	struct limits *l = mem_new(1, sizeof(*l));

	l->conf = *conf;
	set_init(&l->principals, LIMITS_PRINCIPALS, RATES);
	set_init(&l->addresses, LIMITS_ADDRESSES, 1);
	return l;
}

static void
set_free(struct limited_set *set)
{
	while (!TAILQ_EMPTY(&set->by_use))
		set_drop(set, TAILQ_FIRST(&set->by_use));
}

static void
drop_grant(struct limits *l, struct limits_grant *g)
{
	LIST_REMOVE(g, of_bucket);
	g->who->in_flight--;
	l->ngrants--;
	free(g);
}

size_t
limits_in_flight(const struct limits *l)
{
	return l->ngrants;
}

void
limits_free(struct limits *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (!LIST_EMPTY(&l->grants[i]))
			drop_grant(l, LIST_FIRST(&l->grants[i]));
	set_free(&l->principals);
	set_free(&l->addresses);
	free(l);
}

static struct grant_bucket *
bucket_of(struct limits *l, uint64_t peer, uint64_t id)
{
	return &l->grants[hash_step(hash_step(HASH_START, peer), id) % BUCKETS];
}

static struct limits_grant *
find_grant(struct limits *l, uint64_t peer, uint64_t id)
{
	struct limits_grant *g;

	LIST_FOREACH(g, bucket_of(l, peer, id), of_bucket)
		if (g->peer == peer && g->id == id)
			return g;
	return NULL;
}

static void
add_grant(struct limits *l, uint64_t peer, uint64_t id, struct limited *who)
{
	struct limits_grant *g = mem_new(1, sizeof(*g));

	g->peer = peer;
	g->id = id;
	g->who = who;
	who->in_flight++;
	l->ngrants++;
	LIST_INSERT_HEAD(bucket_of(l, peer, id), g, of_bucket);
}

void
limits_release(struct limits *l, uint64_t peer, uint64_t id)
{
	struct limits_grant *g = find_grant(l, peer, id);

	if (g != NULL)
		drop_grant(l, g);
}

void
limits_gone(struct limits *l, uint64_t peer)
{
	struct limits_grant *g, *next;

	for (size_t i = 0; i < BUCKETS; i++)
		for (g = LIST_FIRST(&l->grants[i]); g != NULL; g = next) {
			next = LIST_NEXT(g, of_bucket);
			if (g->peer == peer)
				drop_grant(l, g);
		}
}

/* One quota that a call counts against. */
struct quota {
	struct limits_window	*window;
	uint32_t	 limit;
};

#define QUOTAS_MAX	4

static size_t
add_quota(struct quota *list, size_t n, struct limits_window *w, uint32_t limit, uint64_t second)
{
	if (limit == 0)
		return n;
	window_move(w, second);
	list[n] = (struct quota){ w, limit };
	return n + 1;
}

static size_t
quotas_of(struct limits *l, struct limited *who, unsigned class, uint64_t second, struct quota *list)
{
	const struct limits_conf *c = &l->conf;
	struct span name = span_str(who->name);
	bool token = span_begins(name, "token:"), user = span_begins(name, "user:");
	size_t n = 0;

	if (token) {
		n = add_quota(list, n, &who->rates[RATE_CALL], c->token_per_min, second);
		n = add_quota(list, n, &l->tokens, c->tokens_per_min, second);
		if (class == IPC_CLASS_SQL)
			n = add_quota(list, n, &who->rates[RATE_SQL], c->token_sql_per_min, second);
	}
	if (!token && !user)
		n = add_quota(list, n, &who->rates[RATE_CALL], c->research_per_min, second);
	if ((token || user) && class == IPC_CLASS_RESOURCE)
		n = add_quota(list, n, &who->rates[RATE_RESOURCE], c->resources_per_min, second);
	if ((token || user) && class == IPC_CLASS_ASK)
		n = add_quota(list, n, &who->rates[RATE_ASK], c->ask_per_min, second);
	return n;
}

static uint32_t
remaining(const struct quota *q)
{
	return q->window->sum >= q->limit ? 0 : q->limit - q->window->sum;
}

/* Report the quota with the least left. */
static void
tell_nearest(const struct quota *list, size_t n, struct ipc_admitted *out)
{
	const struct quota *nearest = NULL;

	for (size_t i = 0; i < n; i++)
		if (nearest == NULL || remaining(&list[i]) < remaining(nearest))
			nearest = &list[i];
	if (nearest == NULL)
		return;
	out->limit = nearest->limit;
	out->remaining = remaining(nearest);
	out->reset_s = window_reset(nearest->window);
}

static bool
is_principal(struct span name)
{
	return name.len < NAME_MAX_BYTES &&
	    (span_begins(name, "local:") || span_is(name, SPAN("static")) || span_begins(name, "token:") ||
		span_begins(name, "user:"));
}

bool
limits_admit(struct limits *l, uint64_t peer, uint64_t id, const struct ipc_admit *msg, uint64_t now_ns,
    struct ipc_admitted *out)
{
	bool token = span_begins(msg->principal, "token:");
	struct quota list[QUOTAS_MAX];
	struct limited *who;
	size_t n;

	*out = (struct ipc_admitted){ .admission = IPC_ADMISSION_GRANTED };
	if (!is_principal(msg->principal) || find_grant(l, peer, id) != NULL)
		return false;
	if (msg->held != 0) {
		if (token && l->ngrants < LIMITS_GRANTS &&
		    (who = set_find(&l->principals, msg->principal, now_ns)) != NULL)
			add_grant(l, peer, id, who);
		return true;
	}
	if ((who = set_find(&l->principals, msg->principal, now_ns)) == NULL ||
	    (token && l->ngrants >= LIMITS_GRANTS)) {
		out->admission = IPC_ADMISSION_IN_FLIGHT;
		out->retry_after_s = 1;
		return true;
	}
	n = quotas_of(l, who, (unsigned)msg->class, now_ns / CLOCK_SECOND, list);
	for (size_t i = 0; i < n; i++)
		if (remaining(&list[i]) == 0) {
			unsigned wait = window_wait(list[i].window, list[i].limit);

			out->admission = IPC_ADMISSION_RATE;
			out->retry_after_s = wait > out->retry_after_s ? wait : out->retry_after_s;
		}
	if (out->admission == IPC_ADMISSION_GRANTED && token && l->conf.token_in_flight != 0 &&
	    who->in_flight >= l->conf.token_in_flight) {
		out->admission = IPC_ADMISSION_IN_FLIGHT;
		out->retry_after_s = 1;
	}
	if (out->admission == IPC_ADMISSION_GRANTED) {
		for (size_t i = 0; i < n; i++)
			window_add(list[i].window);
		if (token)
			add_grant(l, peer, id, who);
	}
	tell_nearest(list, n, out);
	return true;
}

unsigned
limits_failure(struct limits *l, struct span address, uint64_t now_ns)
{
	struct limited *who = set_find(&l->addresses, address, now_ns);

	/* Requests that were on their way when the address was blocked do not count again. */
	if (who == NULL || who->blocked_ns > now_ns)
		return 0;
	window_move(&who->rates[0], now_ns / CLOCK_SECOND);
	window_add(&who->rates[0]);
	if (who->rates[0].sum < l->conf.failures_per_min)
		return 0;
	who->blocked_ns = now_ns + l->conf.block_s * CLOCK_SECOND;
	memset(&who->rates[0], 0, sizeof(who->rates[0]));
	return l->conf.block_s;
}

void
limits_each_block(struct limits *l, uint64_t now_ns, void (*fn)(void *arg, const char *address, unsigned seconds),
    void *arg)
{
	const struct limited *who;

	TAILQ_FOREACH(who, &l->addresses.by_use, by_use)
		if (who->blocked_ns > now_ns)
			fn(arg, who->name, (unsigned)((who->blocked_ns - now_ns + CLOCK_SECOND - 1) / CLOCK_SECOND));
}
