/* hashes.c - see hashes.h. */
#include "base/array.h"
#include "words/text_hash.h"
#include "workers/search/index/hashes.h"

#define AHEAD	16	/* slots fetched before they are needed */

/* 0 stands for a free slot. */
uint64_t
hashes_key(struct span s)
{
	uint64_t hash = text_hash(s);

	return hash + (hash == 0);
}

static struct hashes_slot *
search_hashes_slot(const struct hashes *t, uint64_t hash)
{
	size_t i = hash & (t->nslots - 1);

	while (t->slots[i].hash != 0 && t->slots[i].hash != hash)
		i = (i + 1) & (t->nslots - 1);
	return &t->slots[i];
}

static void
make_room(struct hashes *t)
{
	struct hashes bigger = { .n = t->n, .nslots = t->nslots == 0 ? 1024 : t->nslots * 2 };

	if (t->n * 4 < t->nslots * 3)
		return;
	bigger.slots = array_new(bigger.nslots, sizeof(*bigger.slots));
	for (size_t i = 0; i < t->nslots; i++) {
		if (i + AHEAD < t->nslots)
			__builtin_prefetch(&bigger.slots[t->slots[i + AHEAD].hash & (bigger.nslots - 1)], 1);
		if (t->slots[i].hash != 0)
			*search_hashes_slot(&bigger, t->slots[i].hash) = t->slots[i];
	}
	free(t->slots);
	*t = bigger;
}

uint32_t
hashes_add(struct hashes *t, uint64_t key)
{
	struct hashes_slot *at;

	make_room(t);
	at = search_hashes_slot(t, key);
	if (at->hash == 0)
		*at = (struct hashes_slot){ .hash = key, .number = (uint32_t)t->n++ };
	return at->number;
}

uint32_t
hashes_find(const struct hashes *t, uint64_t key)
{
	const struct hashes_slot *at;

	if (t->nslots == 0)
		return HASHES_NONE;
	at = search_hashes_slot(t, key);
	return at->hash == 0 ? HASHES_NONE : at->number;
}

size_t
hashes_bytes(const struct hashes *t)
{
	return t->nslots * sizeof(*t->slots);
}

void
hashes_fini(struct hashes *t)
{
	free(t->slots);
	*t = (struct hashes){ 0 };
}
