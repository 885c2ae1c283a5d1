#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/system/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "workers/auth/oauth/tally.h"

#define SLOTS	16u
#define LISTS	1024u

struct counted {
	LIST_ENTRY(counted)	 of_list;
	TAILQ_ENTRY(counted)	 by_use;	/* least recently used first */
	char			*name;
	uint64_t		 slot;		/* the newest one */
	uint64_t		 last_ns;	/* time of the last event */
	uint32_t		 n[SLOTS], sum;	/* n[slot % SLOTS] */
};

LIST_HEAD(counted_list, counted);

struct tally {
	uint64_t		 slot_ns;
	uint32_t		 limit;
	struct counted_list	 lists[LISTS];
	TAILQ_HEAD(, counted)	 by_use;
	size_t			 size;
};

struct tally *
tally_new(unsigned seconds, uint32_t limit)
{
	struct tally *t = mem_new(1, sizeof(*t));

	t->slot_ns = seconds * CLOCK_SECOND / (SLOTS - 1);
	t->limit = limit;
	TAILQ_INIT(&t->by_use);
	return t;
}

static void
tally_drop(struct tally *t, struct counted *c)
{
	LIST_REMOVE(c, of_list);
	TAILQ_REMOVE(&t->by_use, c, by_use);
	t->size--;
	free(c->name);
	free(c);
}

void
tally_free(struct tally *t)
{
	if (t == NULL)
		return;
	while (!TAILQ_EMPTY(&t->by_use))
		tally_drop(t, TAILQ_FIRST(&t->by_use));
	free(t);
}

/* Drop the counts before the span. */
static void
counted_move(struct counted *c, uint64_t slot)
{
	if (slot - c->slot >= SLOTS) {
		memset(c->n, 0, sizeof(c->n));
		c->sum = 0;
		c->slot = slot;
	}
	for (; c->slot < slot; c->n[c->slot % SLOTS] = 0) {
		c->slot++;
		c->sum -= c->n[c->slot % SLOTS];
	}
}

/* NULL: nothing is counted for the name. */
static struct counted *
tally_find(struct tally *t, struct span *name, uint64_t now_ns)
{
	struct counted *c;

	if (name->len > TALLY_NAME)
		name->len = TALLY_NAME;
	LIST_FOREACH(c, &t->lists[hash_of(*name) % LISTS], of_list)
		if (span_is_str(*name, c->name)) {
			counted_move(c, now_ns / t->slot_ns);
			return c;
		}
	return NULL;
}

static struct counted *
tally_make(struct tally *t, struct span name, uint64_t now_ns)
{
	struct counted *c = mem_new(1, sizeof(*c));

	if (t->size >= TALLY_MAX)
		tally_drop(t, TAILQ_FIRST(&t->by_use));
	c->name = mem_text(name);
	c->slot = now_ns / t->slot_ns;
	LIST_INSERT_HEAD(&t->lists[hash_of(name) % LISTS], c, of_list);
	TAILQ_INSERT_TAIL(&t->by_use, c, by_use);
	t->size++;
	return c;
}

uint32_t
tally_count(struct tally *t, struct span name, uint64_t now_ns)
{
	const struct counted *c = tally_find(t, &name, now_ns);

	return c == NULL ? 0 : c->sum;
}

unsigned
tally_wait(struct tally *t, struct span name, uint64_t now_ns)
{
	const struct counted *c = tally_find(t, &name, now_ns);
	uint64_t until;
	uint32_t left;

	if (c == NULL || c->sum < t->limit)
		return 0;
	left = c->sum;
	for (unsigned i = 1; i <= SLOTS; i++) {
		/* The oldest slot is next. */
		left -= c->n[(c->slot + i) % SLOTS];
		if (left < t->limit) {
			until = (c->slot + i) * t->slot_ns;
			return (unsigned)((until - now_ns + CLOCK_SECOND - 1) / CLOCK_SECOND);
		}
	}
	return (unsigned)(SLOTS * t->slot_ns / CLOCK_SECOND);
}

unsigned
tally_delay(struct tally *t, struct span name, uint64_t now_ns)
{
	const struct counted *c = tally_find(t, &name, now_ns);
	uint64_t passed_s, wait_s = 1;

	if (c == NULL || c->sum <= t->limit)
		return 0;
	for (uint32_t n = c->sum - t->limit; n > 1 && wait_s < TALLY_DELAY_MAX; n--)
		wait_s *= 2;
	passed_s = (now_ns - c->last_ns) / CLOCK_SECOND;
	return passed_s >= wait_s ? 0 : (unsigned)(wait_s - passed_s);
}

void
tally_add(struct tally *t, struct span name, uint64_t now_ns)
{
	struct counted *c = tally_find(t, &name, now_ns);

	if (c == NULL)
		c = tally_make(t, name, now_ns);
	TAILQ_REMOVE(&t->by_use, c, by_use);
	TAILQ_INSERT_TAIL(&t->by_use, c, by_use);
	c->n[c->slot % SLOTS]++;
	c->sum++;
	c->last_ns = now_ns;
}

void
tally_take_back(struct tally *t, struct span name, uint64_t now_ns)
{
	struct counted *c = tally_find(t, &name, now_ns);

	for (unsigned i = 0; c != NULL && i < SLOTS; i++) {
		uint32_t *n = &c->n[(c->slot + SLOTS - i) % SLOTS];

		if (*n > 0) {
			--*n;
			c->sum--;
			return;
		}
	}
}
