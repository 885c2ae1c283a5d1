/* names.c - see names.h. */
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/names.h"

static uint64_t
hash_of(struct span s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ s.p[i]) * UINT64_C(1099511628211);
	return h ^ h >> 29;
}

struct span
names_text(const struct names *t, uint32_t i)
{
	size_t from = i == 0 ? 0 : t->ends[i - 1];

	return span_of(t->pool + from, t->ends[i] - from);
}

static uint32_t *
slot(const struct names *t, struct span s)
{
	size_t i = (size_t)hash_of(s) & (t->nslots - 1);

	while (t->slots[i] != NAMES_NONE && !span_is(names_text(t, t->slots[i]), s))
		i = (i + 1) & (t->nslots - 1);
	return &t->slots[i];
}

static void
make_room(struct names *t)
{
	if (t->n * 2 < t->nslots)
		return;
	free(t->slots);
	t->nslots = t->nslots == 0 ? 64 : t->nslots * 2;
	t->slots = array_new(t->nslots, sizeof(*t->slots));
	memset(t->slots, 0xff, t->nslots * sizeof(*t->slots));
	for (uint32_t i = 0; i < t->n; i++)
		*slot(t, names_text(t, i)) = i;
}

uint32_t
names_add(struct names *t, struct span s)
{
	uint32_t *at;

	make_room(t);
	at = slot(t, s);
	if (*at != NAMES_NONE)
		return *at;
	while (t->pool_cap - t->used < s.len)
		t->pool = array_grow(t->pool, t->pool_cap, &t->pool_cap, 1);
	if (s.len > 0)
		memcpy(t->pool + t->used, s.p, s.len);
	t->used += s.len;
	t->ends = array_grow(t->ends, t->n, &t->cap, sizeof(*t->ends));
	t->ends[t->n] = t->used;
	return *at = (uint32_t)t->n++;
}

uint32_t
names_find(const struct names *t, struct span s)
{
	return t->nslots == 0 ? NAMES_NONE : *slot(t, s);
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
