/* dict_search.c - finding values; see dict.h. */
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "workers/search/index/dict_parts.h"
#include "words/text.h"

#define GRAMS_USED	6	/* the rarest sequences of a value narrow enough */

struct finding {
	const struct dict	*d;
	struct span		 needle;
	size_t			 limit, n, total;
	struct dict_match	*out;
};

static struct dict_match
match_of(const struct dict *d, uint32_t value, unsigned rank)
{
	const struct dict_value *v = &d->values[value];
	const struct dict_column *c = &d->columns[v->column];

	return (struct dict_match){
		.table = span_of(d->texts.v + c->table, c->table_len),
		.column = span_of(d->texts.v + c->name, c->name_len),
		.value = v->original_len > 0 ? span_of(d->texts.v + v->original, v->original_len) :
		    dict_folded(d, value),
		.has_cardinality = c->has_cardinality, .cardinality = c->cardinality, .rank = rank
	};
}

static bool
dict_search_begins(struct span s, struct span with)
{
	return s.len >= with.len && memcmp(s.p, with.p, with.len) == 0;
}

/* --- exact and beginnings ------------------------------------------------------ */

/* Values in sorted order: those before the needle, then those that are it, then those that begin with it. */
enum sorted_part { BEFORE, EXACT, BEGINNING };

/* The end of a part; values before `from` are in it, or in one before. */
static size_t
end_of(const struct dict *d, struct span needle, size_t from, enum sorted_part part)
{
	size_t low = from, high = d->nvalues;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct span s = dict_folded(d, d->sorted[mid]);

		if (part == BEGINNING ? dict_search_begins(s, needle) : span_cmp(s, needle) < (part == EXACT))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Insert key into the ascending list of at most max. */
static size_t
insert(uint64_t *best, size_t n, size_t max, uint64_t key)
{
	size_t at = n < max ? n++ : n - 1;

	for (; at > 0 && best[at - 1] > key; at--)
		best[at] = best[at - 1];
	best[at] = key;
	return n;
}

/* The best of from..to in sorted order: by their column's order, then by text. */
static void
find_sorted(struct finding *f, size_t from, size_t to, unsigned rank)
{
	size_t max = f->limit - f->n, n = 0;
	uint64_t *best;

	f->total += to - from;
	if (max == 0 || from == to)
		return;
	best = array_new(max, sizeof(*best));
	for (size_t i = from; i < to; i++) {
		uint64_t key = (uint64_t)f->d->order[i] << 32 | i;

		if (n < max || key < best[n - 1])
			n = insert(best, n, max, key);
	}
	for (size_t i = 0; i < n; i++)
		f->out[f->n++] = match_of(f->d, f->d->sorted[(uint32_t)best[i]], rank);
	free(best);
}

static void
find_beginnings(struct finding *f)
{
	size_t from = end_of(f->d, f->needle, 0, BEFORE);
	size_t longer = end_of(f->d, f->needle, from, EXACT);

	find_sorted(f, from, longer, 0);
	find_sorted(f, longer, end_of(f->d, f->needle, longer, BEGINNING), 1);
}

/* --- parts --------------------------------------------------------------------- */

static const struct dict_gram *
find_gram(const struct dict *d, uint32_t key)
{
	return bsearch(&(struct dict_gram){ .key = key }, d->grams, d->ngrams, sizeof(*d->grams), dict_gram_order);
}

/* The needle's rarest sequences, rarest first.  0: one of them occurs nowhere. */
static size_t
pick_grams(const struct dict *d, struct span needle, const struct dict_gram *picked[GRAMS_USED])
{
	size_t len = needle.len < 3 ? needle.len : 3, n = 0;

	for (size_t i = 0; i + len <= needle.len; i++) {
		const struct dict_gram *g;
		uint32_t key = 0;
		size_t at;

		for (size_t k = 0; k < len; k++)
			key = key << 8 | needle.p[i + k];
		if ((g = find_gram(d, dict_gram_key(key, len))) == NULL)
			return 0;
		for (at = n; at > 0 && g->nblocks < picked[at - 1]->nblocks; at--)
			;
		if (at == GRAMS_USED || (at > 0 && picked[at - 1] == g))
			continue;
		if (n == GRAMS_USED)
			n--;
		memmove(picked + at + 1, picked + at, (n - at) * sizeof(*picked));
		picked[at] = g;
		n++;
	}
	return n;
}

/* A list of blocks being walked. */
struct walk {
	const uint8_t	*p;
	uint32_t	 left, block;
};

static bool
step(struct walk *w)
{
	uint32_t v = 0;
	unsigned shift = 0;

	if (w->left == 0)
		return false;
	do
		v |= (uint32_t)(*w->p & 0x7f) << shift;
	while (shift += 7, (*w->p++ & 0x80) != 0);
	w->block += v;
	w->left--;
	return true;
}

static struct walk
walk_of(const struct dict *d, const struct dict_gram *g)
{
	return (struct walk){ .p = d->lists.v + g->at, .left = g->nblocks };
}

/*
 * memmem() for blocks of a few hundred bytes: places where the first and the
 * last byte fit are found sixteen at a time.
 */
static const uint8_t *
dict_search_find(const uint8_t *at, const uint8_t *end, struct span needle)
{
	const uint8_t first = needle.p[0], last = needle.p[needle.len - 1];

	for (; (size_t)(end - at) >= needle.len + BLOCK - 1; at += BLOCK) {
		block16 ends = block_is(block_load(at), first) & block_is(block_load(at + needle.len - 1), last);

		for (unsigned mask = block_mask(ends); mask != 0; mask &= mask - 1) {
			const uint8_t *p = at + __builtin_ctz(mask);

			if (memcmp(p, needle.p, needle.len) == 0)
				return p;
		}
	}
	return memmem(at, (size_t)(end - at), needle.p, needle.len);
}

/* Matches inside a block that are no beginnings.  False: enough were counted. */
static bool
scan_block(struct finding *f, uint32_t block)
{
	const struct dict *d = f->d;
	uint32_t value = block * DICT_BLOCK;
	const uint8_t *at = d->blob.v + d->values[value].at, *end = d->blob.v + dict_block_end(d, block);

	while (at < end && (at = dict_search_find(at, end, f->needle)) != NULL) {
		size_t place = (size_t)(at - d->blob.v);
		struct span folded;

		while (value + 1 < d->nvalues && d->values[value + 1].at <= place)
			value++;
		folded = dict_folded(d, value);
		at = folded.p + folded.len + 1;
		if (dict_search_begins(folded, f->needle))
			continue;
		if (f->n < f->limit)
			f->out[f->n++] = match_of(d, value, 2);
		if (++f->total >= DICT_TOTAL_MAX && f->n == f->limit)
			return false;
	}
	return true;
}

static void
find_parts(struct finding *f)
{
	const struct dict_gram *picked[GRAMS_USED];
	struct walk walks[GRAMS_USED];
	size_t n = pick_grams(f->d, f->needle, picked);

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		walks[i] = walk_of(f->d, picked[i]);
	for (size_t i = 1; i < n; i++)
		if (!step(&walks[i]))
			return;
	while (step(&walks[0])) {
		bool all = true;

		for (size_t i = 1; i < n && all; i++) {
			while (walks[i].block < walks[0].block)
				if (!step(&walks[i]))
					return;
			all = walks[i].block == walks[0].block;
		}
		if (all && !scan_block(f, walks[0].block))
			return;
	}
}

size_t
dict_search(const struct dict *d, struct arena *a, struct span value, size_t limit,
    struct dict_match **out, size_t *total)
{
	struct finding f = { .d = d, .limit = limit };
	struct buf folded = { 0 };

	*total = 0;
	if ((*out = arena_array(a, limit, sizeof(**out))) == NULL)
		return 0;
	f.out = *out;
	text_fold(value, &folded);
	f.needle = buf_view(&folded);
	if (f.needle.len > 0 && d->nvalues > 0) {
		find_beginnings(&f);
		if (f.total < DICT_TOTAL_MAX || f.n < limit)
			find_parts(&f);
	}
	buf_fini(&folded);
	*total = f.total < DICT_TOTAL_MAX ? f.total : DICT_TOTAL_MAX;
	return f.n;
}
