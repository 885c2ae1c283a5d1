/* grams.c - see grams.h. */
#include <stdlib.h>

#include "base/array.h"
#include "workers/search/index/grams.h"
#include "workers/search/index/spelling.h"

void
grams_fini(struct grams *g)
{
	for (size_t i = 0; i < g->cap; i++)
		free(g->v[i].words);
	free(g->v);
}

static struct gram *
grams_slot(struct gram *grams, size_t cap, uint32_t key)
{
	size_t i = (key * UINT32_C(2654435761)) >> 7 & (cap - 1);

	while (grams[i].key != 0 && grams[i].key != key)
		i = (i + 1) & (cap - 1);
	return &grams[i];
}

static void
make_room(struct grams *g)
{
	size_t cap = g->cap == 0 ? 4096 : g->cap * 2;
	struct gram *bigger;

	if (g->n * 2 < g->cap)
		return;
	bigger = array_new(cap, sizeof(*bigger));
	for (size_t i = 0; i < g->cap; i++)
		if (g->v[i].key != 0)
			*grams_slot(bigger, cap, g->v[i].key) = g->v[i];
	free(g->v);
	g->v = bigger;
	g->cap = cap;
}

void
grams_add(struct grams *g, struct span text, uint32_t word)
{
	uint32_t keys[SPELLING_GRAMS_MAX];
	size_t n = spelling_grams(text, keys);

	for (size_t i = 0; i < n; i++) {
		struct gram *one;

		make_room(g);
		one = grams_slot(g->v, g->cap, keys[i]);
		if (one->key == 0) {
			one->key = keys[i];
			g->n++;
		}
		if (one->n > 0 && one->words[one->n - 1] == word)
			continue;
		one->words = array_grow(one->words, one->n, &one->cap, sizeof(*one->words));
		one->words[one->n++] = word;
		g->entries++;
	}
}

const struct gram *
grams_find(const struct grams *g, uint32_t key)
{
	static const struct gram none;

	return g->cap == 0 ? &none : grams_slot(g->v, g->cap, key);
}

size_t
grams_bytes(const struct grams *g)
{
	return g->cap * sizeof(*g->v) + g->entries * sizeof(uint32_t);
}
