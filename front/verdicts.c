/* verdicts.c - see verdicts.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/mem.h"
#include "front/verdicts.h"

#define BUCKETS	4096u

struct known {
	LIST_ENTRY(known)	 of_bucket;
	TAILQ_ENTRY(known)	 by_use;
	uint8_t			 digest[VERDICT_DIGEST];
	struct principal	*who;
	struct verdict_rights	 rights;
	uint64_t		 until_ns, expires_unix_ms;
};

LIST_HEAD(known_bucket, known);

struct verdicts {
	struct known_bucket	 buckets[BUCKETS];
	TAILQ_HEAD(, known)	 by_use;	/* the least recently used first */
	unsigned		 n;
};

struct verdicts *
verdicts_new(void)
{
	struct verdicts *v = mem_new(1, sizeof(*v));

	TAILQ_INIT(&v->by_use);
	return v;
}

static void
verdict_drop(struct verdicts *v, struct known *k)
{
	LIST_REMOVE(k, of_bucket);
	TAILQ_REMOVE(&v->by_use, k, by_use);
	v->n--;
	free(k);
}

void
verdicts_free(struct verdicts *v)
{
	if (v == NULL)
		return;
	verdicts_forget(v, NULL);
	free(v);
}

static struct known *
verdict_of(struct verdicts *v, const uint8_t digest[VERDICT_DIGEST], struct known_bucket **bucket)
{
	struct known *k;

	*bucket = &v->buckets[(digest[0] | (unsigned)digest[1] << 8) % BUCKETS];
	LIST_FOREACH(k, *bucket, of_bucket)
		if (memcmp(k->digest, digest, VERDICT_DIGEST) == 0)
			return k;
	return NULL;
}

struct principal *
verdicts_find(struct verdicts *v, const uint8_t digest[VERDICT_DIGEST], uint64_t now_ns, uint64_t unix_ms,
    struct verdict_rights *rights)
{
	struct known_bucket *bucket;
	struct known *k = verdict_of(v, digest, &bucket);

	if (k == NULL)
		return NULL;
	if (k->until_ns <= now_ns || (k->expires_unix_ms != 0 && k->expires_unix_ms <= unix_ms)) {
		verdict_drop(v, k);
		return NULL;
	}
	TAILQ_REMOVE(&v->by_use, k, by_use);
	TAILQ_INSERT_TAIL(&v->by_use, k, by_use);
	*rights = k->rights;
	return k->who;
}

void
verdicts_keep(struct verdicts *v, const uint8_t digest[VERDICT_DIGEST], struct principal *who,
    const struct verdict_rights *rights, uint64_t until_ns, uint64_t expires_unix_ms)
{
	struct known_bucket *bucket;
	struct known *k = verdict_of(v, digest, &bucket);

	if (k != NULL)
		verdict_drop(v, k);
	if (v->n >= VERDICTS_MAX)
		verdict_drop(v, TAILQ_FIRST(&v->by_use));
	k = mem_new(1, sizeof(*k));
	memcpy(k->digest, digest, VERDICT_DIGEST);
	k->who = who;
	k->rights = *rights;
	k->until_ns = until_ns;
	k->expires_unix_ms = expires_unix_ms;
	LIST_INSERT_HEAD(bucket, k, of_bucket);
	TAILQ_INSERT_TAIL(&v->by_use, k, by_use);
	v->n++;
}

void
verdicts_forget(struct verdicts *v, const struct principal *who)
{
	struct known *k, *next;

	for (k = TAILQ_FIRST(&v->by_use); k != NULL; k = next) {
		next = TAILQ_NEXT(k, by_use);
		if (who == NULL || k->who == who)
			verdict_drop(v, k);
	}
}
