#include <stdlib.h>

#include "base/array.h"
#include "workers/search/index/grams.h"
#include "workers/search/index/spelling.h"

void
grams_fini(struct grams *g)
{
	for (size_t i = 0; i < g->table.n; i++)
		free(g->v[i].words);
	free(g->v);
	table_free(&g->table);
}

static uint64_t
grams_hash(uint32_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

static struct gram *
grams_known(const struct grams *g, uint32_t key)
{
	uint64_t hash = grams_hash(key);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&g->table, hash, &at)) != TABLE_NONE;)
		if (g->v[row].key == key)
			return &g->v[row];
	return NULL;
}

void
grams_add(struct grams *g, struct span text, uint32_t word)
{
	uint32_t keys[SPELLING_GRAMS_MAX];
	size_t n = spelling_grams(text, keys);

	for (size_t i = 0; i < n; i++) {
		struct gram *one = grams_known(g, keys[i]);

		if (one == NULL) {
			uint32_t row = (uint32_t)g->table.n;

			g->v = array_grow(g->v, row, &g->cap, sizeof(*g->v));
			one = &g->v[row];
			*one = (struct gram){ .key = keys[i] };
			table_add(&g->table, grams_hash(keys[i]), row);
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
	const struct gram *known = grams_known(g, key);

	return known == NULL ? &none : known;
}

size_t
grams_bytes(const struct grams *g)
{
	return table_bytes(&g->table) + g->cap * sizeof(*g->v) + g->entries * sizeof(uint32_t);
}
