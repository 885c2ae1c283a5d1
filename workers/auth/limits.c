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

struct limited {
	LIST_ENTRY(limited)	 of_bucket;
	TAILQ_ENTRY(limited)	 by_use;	/* least recently used first */
	char			*name;
	uint32_t		 in_flight, told;	/* told: limits_told() */
	uint64_t		 blocked_ns;	/* for an address: blocked until then */
	uint64_t		 wanted_ns;	/* for a principal: limits_wanted() */
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
		if (who->in_flight == 0 && who->told == 0 && who->blocked_ns <= now_ns)
			break;
	if (who == NULL)
		TAILQ_FOREACH(who, &set->by_use, by_use)
			if (who->in_flight == 0 && who->told == 0)
				break;
	if (who != NULL)
		set_drop(set, who);
}

static struct limited *
set_look(struct limited_set *set, struct span name)
{
	struct limited *who;

	LIST_FOREACH(who, &set->buckets[hash_of(name) % BUCKETS], of_bucket)
		if (span_is_str(name, who->name)) {
			TAILQ_REMOVE(&set->by_use, who, by_use);
			TAILQ_INSERT_TAIL(&set->by_use, who, by_use);
			return who;
		}
	return NULL;
}

/* Find or add the entry.  NULL: the set is full, and all entries have calls in flight. */
static struct limited *
set_find(struct limited_set *set, struct span name, uint64_t now_ns)
{
	struct limited *who = set_look(set, name);

	if (who != NULL)
		return who;
	if (set->n >= set->most)
		set_make_room(set, now_ns);
	if (set->n >= set->most)
		return NULL;
	who = mem_alloc(sizeof(*who) + set->rates * sizeof(who->rates[0]));
	memset(who, 0, sizeof(*who) + set->rates * sizeof(who->rates[0]));
	who->name = mem_text(name);
	LIST_INSERT_HEAD(&set->buckets[hash_of(name) % BUCKETS], who, of_bucket);
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

static bool
is_token(struct span principal)
{
	return span_begins(principal, "token:");
}

size_t
limits_quotas(const struct limits *l, struct span principal, unsigned class, struct limits_quota list[LIMITS_QUOTAS])
{
	const struct limits_conf *c = &l->conf;
	bool token = is_token(principal), guest = token || span_begins(principal, "user:");
	const struct limits_quota all[] = {
		{ RATE_CALL, token ? c->token_per_min : guest ? 0 : c->research_per_min },
		{ RATE_TOKENS, token ? c->tokens_per_min : 0 },
		{ RATE_SQL, token && class == IPC_CLASS_SQL ? c->token_sql_per_min : 0 },
		{ RATE_RESOURCE, guest && class == IPC_CLASS_RESOURCE ? c->resources_per_min : 0 },
		{ RATE_ASK, guest && class == IPC_CLASS_ASK ? c->ask_per_min : 0 },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].most != 0)
			list[n++] = all[i];
	return n;
}

static size_t
quotas_of(struct limits *l, struct limited *who, unsigned class, uint64_t second, struct quota *list)
{
	struct limits_quota all[LIMITS_QUOTAS];
	size_t n = limits_quotas(l, span_str(who->name), class, all);

	for (size_t i = 0; i < n; i++) {
		list[i].window = all[i].rate == RATE_TOKENS ? &l->tokens : &who->rates[all[i].rate];
		list[i].limit = all[i].most;
		window_move(list[i].window, second);
	}
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

enum limits_known
limits_known(struct limits *l, uint64_t peer, uint64_t id, const struct ipc_admit *msg, uint64_t now_ns,
    struct ipc_admitted *out)
{
	*out = (struct ipc_admitted){ .admission = IPC_ADMISSION_GRANTED };
	if (!is_principal(msg->principal) || find_grant(l, peer, id) != NULL)
		return LIMITS_BROKEN;
	if (msg->held != 0) {
		limits_begin(l, peer, id, msg->principal, now_ns);
		return LIMITS_DECIDED;
	}
	if (set_find(&l->principals, msg->principal, now_ns) != NULL &&
	    (!is_token(msg->principal) || l->ngrants < LIMITS_GRANTS))
		return LIMITS_COUNT;
	out->admission = IPC_ADMISSION_IN_FLIGHT;
	out->retry_after_s = 1;
	return LIMITS_DECIDED;
}

void
limits_begin(struct limits *l, uint64_t peer, uint64_t id, struct span principal, uint64_t now_ns)
{
	struct limited *who;

	if (is_token(principal) && l->ngrants < LIMITS_GRANTS &&
	    (who = set_find(&l->principals, principal, now_ns)) != NULL)
		add_grant(l, peer, id, who);
}

uint32_t
limits_own(struct limits *l, struct span principal, uint64_t now_ns, uint32_t *most)
{
	const struct limited *who = set_find(&l->principals, principal, now_ns);

	*most = is_token(principal) ? l->conf.token_in_flight : 0;
	return who == NULL ? 0 : who->in_flight;
}

void
limits_told(struct limits *l, struct span principal, uint32_t own, uint64_t now_ns)
{
	struct limited *who = set_find(&l->principals, principal, now_ns);

	if (who != NULL)
		who->told = own;
}

bool
limits_wanted(struct limits *l, struct span principal, uint64_t until_ns)
{
	struct limited *who = set_look(&l->principals, principal);

	if (who != NULL)
		who->wanted_ns = until_ns;
	return who != NULL;
}

bool
limits_crowded(const struct limits *l)
{
	return l->principals.n >= l->principals.most / 2;
}

void
limits_each_changed(struct limits *l, bool all, uint64_t now_ns,
    bool (*fn)(void *arg, const char *principal, uint32_t own), void *arg)
{
	struct limited *who;

	TAILQ_FOREACH(who, &l->principals.by_use, by_use)
		if (who->in_flight != who->told && (all || who->wanted_ns >= now_ns)) {
			if (!fn(arg, who->name, who->in_flight))
				return;
			who->told = who->in_flight;
		}
}

bool
limits_admit(struct limits *l, uint64_t peer, uint64_t id, const struct ipc_admit *msg, uint64_t now_ns,
    struct ipc_admitted *out)
{
	enum limits_known known = limits_known(l, peer, id, msg, now_ns, out);
	bool token = is_token(msg->principal);
	struct quota list[LIMITS_QUOTAS];
	struct limited *who;
	size_t n;

	if (known != LIMITS_COUNT)
		return known != LIMITS_BROKEN;
	who = set_find(&l->principals, msg->principal, now_ns);
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

bool
limits_is_blocked(struct limits *l, struct span address, uint64_t now_ns)
{
	const struct limited *who = set_look(&l->addresses, address);

	return who != NULL && who->blocked_ns > now_ns;
}

void
limits_block(struct limits *l, struct span address, unsigned seconds, uint64_t now_ns)
{
	struct limited *who = set_find(&l->addresses, address, now_ns);

	if (who != NULL)
		who->blocked_ns = now_ns + seconds * CLOCK_SECOND;
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
