/* names.c - see names.h. */
#include <string.h>

#include "base/array.h"
#include "words/text_hash.h"
#include "words/names.h"

#define AHEAD	16	/* slots fetched before they are needed */
#define AT_ONCE	32	/* texts whose places are looked for together */

struct span
names_text(const struct names *t, uint32_t i)
{
	size_t from = i == 0 ? 0 : t->ends[i - 1];

	return span_of(t->pool + from, t->ends[i] - from);
}

static bool
is_name(const struct names *t, uint32_t i, struct span s)
{
	struct span name = names_text(t, i);

	return name.len == s.len && bytes_are(name.p, s.p, s.len);
}

/* Where s is, or belongs. */
static struct names_slot *
search_names_slot(const struct names *t, struct span s, uint32_t hash)
{
	size_t i = hash & (t->nslots - 1);

	while (t->slots[i].number != NAMES_NONE && (t->slots[i].hash != hash || !is_name(t, t->slots[i].number, s)))
		i = (i + 1) & (t->nslots - 1);
	t->slots[i].hash = hash;
	return &t->slots[i];
}

static void
make_room(struct names *t)
{
	struct names_slot *old = t->slots;
	size_t nold = t->nslots;

	if (t->nfound * 2 < t->nslots)
		return;
	t->nslots = nold == 0 ? 64 : nold * 2;
	t->slots = array_new(t->nslots, sizeof(*t->slots));
	memset(t->slots, 0xff, t->nslots * sizeof(*t->slots));
	for (size_t k = 0; k < nold; k++) {
		size_t i = old[k].hash & (t->nslots - 1);

		if (k + AHEAD < nold)
			__builtin_prefetch(&t->slots[old[k + AHEAD].hash & (t->nslots - 1)], 1);
		if (old[k].number == NAMES_NONE)
			continue;
		while (t->slots[i].number != NAMES_NONE)
			i = (i + 1) & (t->nslots - 1);
		t->slots[i] = old[k];
	}
	free(old);
}

uint32_t
names_append(struct names *t, struct span s)
{
	while (t->pool_cap - t->used < s.len)
		t->pool = array_grow(t->pool, t->pool_cap, &t->pool_cap, 1);
	if (s.len > 0)
		memcpy(t->pool + t->used, s.p, s.len);
	t->used += s.len;
	t->ends = array_grow(t->ends, t->n, &t->cap, sizeof(*t->ends));
	t->ends[t->n] = t->used;
	return (uint32_t)t->n++;
}

static uint32_t
search_names_add(struct names *t, struct span s, uint32_t hash)
{
	struct names_slot *at;

	make_room(t);
	at = search_names_slot(t, s, hash);
	if (at->number == NAMES_NONE) {
		at->number = names_append(t, s);
		t->nfound++;
	}
	return at->number;
}

uint32_t
names_add(struct names *t, struct span s)
{
	return search_names_add(t, s, (uint32_t)text_hash(s));
}

/* Fetch the slots of n texts, then where the texts found there end, then those texts. */
static void
names_fetch(const struct names *t, const uint32_t *hashes, size_t n)
{
	size_t mask = t->nslots - 1;

	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&t->slots[hashes[i] & mask], 1);
	for (size_t i = 0; i < n; i++)
		if (t->slots[hashes[i] & mask].number < t->n)
			__builtin_prefetch(&t->ends[t->slots[hashes[i] & mask].number]);
	for (size_t i = 0; i < n; i++)
		if (t->slots[hashes[i] & mask].number < t->n)
			__builtin_prefetch(names_text(t, t->slots[hashes[i] & mask].number).p);
}

void
names_add_all(struct names *t, const struct span *s, size_t n, uint32_t *out)
{
	uint32_t hashes[AT_ONCE];

	for (size_t at = 0; at < n; at += AT_ONCE) {
		size_t some = n - at < AT_ONCE ? n - at : AT_ONCE;

		for (size_t i = 0; i < some; i++)
			hashes[i] = (uint32_t)text_hash(s[at + i]);
		if (t->nslots > 0)
			names_fetch(t, hashes, some);
		for (size_t i = 0; i < some; i++)
			out[at + i] = search_names_add(t, s[at + i], hashes[i]);
	}
}

uint32_t
names_find(const struct names *t, struct span s)
{
	return t->nslots == 0 ? NAMES_NONE : search_names_slot(t, s, (uint32_t)text_hash(s))->number;
}

void
names_close(struct names *t)
{
	free(t->slots);
	t->slots = NULL;
	t->nslots = 0;
	t->pool = array_trim(t->pool, t->used, &t->pool_cap, 1);
	t->ends = array_trim(t->ends, t->n, &t->cap, sizeof(*t->ends));
}

size_t
names_bytes(const struct names *t)
{
	return t->pool_cap + t->cap * sizeof(*t->ends) + t->nslots * sizeof(*t->slots);
}

void
names_fini(struct names *t)
{
	free(t->pool);
	free(t->ends);
	free(t->slots);
	*t = (struct names){ 0 };
}
