#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/system/ended.h"
#include "base/hash.h"
#include "base/mem.h"

#define BUCKETS		4096u
#define OWNER_BUCKETS	256u

struct one {
	SLIST_ENTRY(one)	hash;
	TAILQ_ENTRY(one)	order;		/* the id that ended first is first */
	uint64_t		expires;
	size_t			len;
	uint8_t			id[ENDED_ID_MAX];
};

struct ended_owner {
	SLIST_ENTRY(ended_owner)	hash;
	TAILQ_ENTRY(ended_owner)	order;		/* the owner that was added first is first */
	TAILQ_HEAD(, one)	ones;
	uint64_t		name, before;	/* all ids that expire at this time or earlier have ended */
	size_t			n;
};

struct ended {
	SLIST_HEAD(, one)	buckets[BUCKETS];
	SLIST_HEAD(, ended_owner)	named[OWNER_BUCKETS];
	TAILQ_HEAD(, ended_owner)	owners;
	size_t			nowners, n, each, all;
};

struct ended *
ended_new(size_t each, size_t all)
{
	struct ended *e = mem_new(1, sizeof(*e));

	TAILQ_INIT(&e->owners);
	e->each = each;
	e->all = all;
	return e;
}

static size_t
bucket_of(struct span id)
{
	return hash_of(id) % BUCKETS;
}

static void
ended_drop(struct ended *e, struct ended_owner *o)
{
	struct one *one = TAILQ_FIRST(&o->ones);

	SLIST_REMOVE(&e->buckets[bucket_of(span_of(one->id, one->len))], one, one, hash);
	TAILQ_REMOVE(&o->ones, one, order);
	o->n--;
	e->n--;
	free(one);
}

static void
forget_one(struct ended *e, struct ended_owner *o)
{
	while (o->n > 0)
		ended_drop(e, o);
	SLIST_REMOVE(&e->named[o->name % OWNER_BUCKETS], o, ended_owner, hash);
	TAILQ_REMOVE(&e->owners, o, order);
	e->nowners--;
	free(o);
}

void
ended_free(struct ended *e)
{
	if (e == NULL)
		return;
	while (!TAILQ_EMPTY(&e->owners))
		forget_one(e, TAILQ_FIRST(&e->owners));
	free(e);
}

static struct ended_owner *
find_owner(const struct ended *e, uint64_t name)
{
	struct ended_owner *o;

	SLIST_FOREACH(o, &e->named[name % OWNER_BUCKETS], hash)
		if (o->name == name)
			return o;
	return NULL;
}

static struct ended_owner *
owner_of(struct ended *e, uint64_t name)
{
	struct ended_owner *o = find_owner(e, name);

	if (o != NULL)
		return o;
	if (e->nowners >= ENDED_OWNERS_MAX)
		forget_one(e, TAILQ_FIRST(&e->owners));
	o = mem_new(1, sizeof(*o));
	o->name = name;
	TAILQ_INIT(&o->ones);
	SLIST_INSERT_HEAD(&e->named[name % OWNER_BUCKETS], o, hash);
	TAILQ_INSERT_TAIL(&e->owners, o, order);
	e->nowners++;
	return o;
}

static struct one *
find_ended(const struct ended *e, struct span id)
{
	struct one *one;

	SLIST_FOREACH(one, &e->buckets[bucket_of(id)], hash)
		if (span_is(id, span_of(one->id, one->len)))
			return one;
	return NULL;
}

/* Drop the owner's oldest id.  All ids that expire no later than that one now count as ended. */
static void
drop_oldest(struct ended *e, struct ended_owner *o)
{
	const struct one *oldest = TAILQ_FIRST(&o->ones);

	if (oldest->expires > o->before)
		o->before = oldest->expires;
	ended_drop(e, o);
}

static struct ended_owner *
ended_largest(const struct ended *e)
{
	struct ended_owner *o, *most = TAILQ_FIRST(&e->owners);

	TAILQ_FOREACH(o, &e->owners, order)
		if (o->n > most->n)
			most = o;
	return most;
}

void
ended_add(struct ended *e, uint64_t owner, struct span id, uint64_t expires)
{
	struct ended_owner *o = owner_of(e, owner);
	struct one *one;

	if (id.len == 0) {
		if (expires > o->before)
			o->before = expires;
		return;
	}
	if (id.len > ENDED_ID_MAX || find_ended(e, id) != NULL)
		return;
	one = mem_new(1, sizeof(*one));
	one->expires = expires;
	one->len = id.len;
	memcpy(one->id, id.p, id.len);
	SLIST_INSERT_HEAD(&e->buckets[bucket_of(id)], one, hash);
	TAILQ_INSERT_TAIL(&o->ones, one, order);
	o->n++;
	e->n++;
	if (o->n > e->each)
		drop_oldest(e, o);
	else if (e->n > e->all)
		drop_oldest(e, ended_largest(e));
}

bool
ended_has(const struct ended *e, uint64_t owner, struct span id, uint64_t expires)
{
	const struct ended_owner *o = find_owner(e, owner);

	return o != NULL && (expires <= o->before || find_ended(e, id) != NULL);
}

void
ended_each(const struct ended *e, uint64_t now,
    void (*tell)(void *arg, uint64_t owner, struct span id, uint64_t expires), void *arg)
{
	const struct ended_owner *o;
	const struct one *one;

	TAILQ_FOREACH(o, &e->owners, order) {
		if (o->before > now)
			tell(arg, o->name, SPAN_NONE, o->before);
		TAILQ_FOREACH(one, &o->ones, order)
			if (one->expires > now)
				tell(arg, o->name, span_of(one->id, one->len), one->expires);
	}
}

void
ended_sweep(struct ended *e, uint64_t now)
{
	struct ended_owner *o, *next;

	for (o = TAILQ_FIRST(&e->owners); o != NULL; o = next) {
		next = TAILQ_NEXT(o, order);
		/* Ordered by end, not by expiry: an expired entry goes when those before it have expired. */
		while (o->n > 0 && TAILQ_FIRST(&o->ones)->expires <= now)
			ended_drop(e, o);
		if (o->n == 0 && o->before <= now)
			forget_one(e, o);
	}
}

size_t
ended_count(const struct ended *e)
{
	return e->n;
}
