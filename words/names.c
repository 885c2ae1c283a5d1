#include <string.h>

#include "base/array.h"
#include "base/prefetch.h"
#include "words/text_hash.h"
#include "words/names.h"

#define AT_ONCE	32	/* texts whose places are looked for together */

struct span
names_text(const struct names *t, uint32_t i)
{
	size_t from = i == 0 ? 0 : t->ends[i - 1];

	return span_of(t->pool + from, t->ends[i] - from);
}

static uint32_t
names_known(const struct names *t, struct span s, uint64_t hash)
{
	uint32_t i;

	for (size_t at = table_start(hash); (i = table_next(&t->found, hash, &at)) != TABLE_NONE;) {
		struct span name = names_text(t, i);

		if (name.len == s.len && bytes_are(name.p, s.p, s.len))
			return i;
	}
	return NAMES_NONE;
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
names_take(struct names *t, struct span s, uint64_t hash)
{
	uint32_t i = names_known(t, s, hash);

	if (i == NAMES_NONE) {
		i = names_append(t, s);
		table_add(&t->found, hash, i);
	}
	return i;
}

uint32_t
names_add(struct names *t, struct span s)
{
	return names_take(t, s, text_hash(s));
}

/* Fetch the slots of n texts, then where the texts found there end, then those texts. */
static void
names_fetch(const struct names *t, const uint64_t *hashes, size_t n)
{
	uint32_t rows[AT_ONCE];

	for (size_t i = 0; i < n; i++)
		table_soon(&t->found, hashes[i]);
	for (size_t i = 0; i < n; i++) {
		size_t at = table_start(hashes[i]);

		if ((rows[i] = table_next(&t->found, hashes[i], &at)) != TABLE_NONE)
			prefetch(&t->ends[rows[i]]);
	}
	for (size_t i = 0; i < n; i++)
		if (rows[i] != TABLE_NONE)
			prefetch(names_text(t, rows[i]).p);
}

void
names_add_all(struct names *t, const struct span *s, size_t n, uint32_t *out)
{
	uint64_t hashes[AT_ONCE];

	for (size_t at = 0; at < n; at += AT_ONCE) {
		size_t some = n - at < AT_ONCE ? n - at : AT_ONCE;

		for (size_t i = 0; i < some; i++)
			hashes[i] = text_hash(s[at + i]);
		names_fetch(t, hashes, some);
		for (size_t i = 0; i < some; i++)
			out[at + i] = names_take(t, s[at + i], hashes[i]);
	}
}

uint32_t
names_find(const struct names *t, struct span s)
{
	return names_known(t, s, text_hash(s));
}

void
names_close(struct names *t)
{
	table_free(&t->found);
	t->pool = array_trim(t->pool, t->used, &t->pool_cap, 1);
	t->ends = array_trim(t->ends, t->n, &t->cap, sizeof(*t->ends));
}

size_t
names_bytes(const struct names *t)
{
	return t->pool_cap + t->cap * sizeof(*t->ends) + table_bytes(&t->found);
}

void
names_fini(struct names *t)
{
	free(t->pool);
	free(t->ends);
	table_free(&t->found);
	*t = (struct names){ 0 };
}
