#include <string.h>

#include "workers/search/index/tiers.h"
#include "workers/search/index/builder.h"
#include "workers/search/index/builder_finish.h"

#define MERGE_RATIO	4	/* a segment is merged into one at most this many times larger, */
#define MERGE_MAX	8192	/* unless more documents than this would have to be moved at once */
#define IN_BATCH	UINT32_MAX	/* doc of a place without segment: put, not yet committed */

void
tiers_init(struct tiers *t, struct vocab *v)
{
	*t = (struct tiers){ .vocab = v };
}

void
tiers_fini(struct tiers *t)
{
	for (size_t i = 0; i < t->n; i++)
		segment_free(t->segments[i], t->vocab);
	free(t->segments);
	free(t->places);
	builder_free(t->batch);
	*t = (struct tiers){ 0 };
}

static struct tier_place *
place_of(struct tiers *t, uint32_t unit)
{
	if (unit >= t->nplaces) {
		size_t want = (size_t)unit + unit / 2 + 16;

		t->places = array_extend(t->places, t->nplaces, want, sizeof(*t->places));
		t->nplaces = want;
	}
	return &t->places[unit];
}

void
tiers_remove(struct tiers *t, uint32_t unit)
{
	struct tier_place *p = place_of(t, unit);

	if (p->segment == NULL && p->doc == IN_BATCH)
		tiers_commit(t);
	if (p->segment != NULL)
		for (uint32_t doc = p->doc, end = segment_children_end(p->segment, doc); doc < end; doc++)
			segment_kill(p->segment, t->vocab, doc);
	*p = (struct tier_place){ 0 };
}

struct builder *
tiers_put(struct tiers *t, uint32_t unit)
{
	tiers_remove(t, unit);
	if (t->batch == NULL)
		t->batch = builder_new(t->vocab, true);
	place_of(t, unit)->doc = IN_BATCH;
	return t->batch;
}

/* A finished segment takes its place at i; its units learn where they are. */
static void
tiers_settle(struct tiers *t, size_t i, struct segment *s)
{
	t->segments[i] = s;
	for (uint32_t doc = 0; doc < s->ndocs; doc++)
		if (s->parent[doc] == doc)
			*place_of(t, s->item[doc]) = (struct tier_place){ s, doc };
}

static void
tiers_drop(struct tiers *t, size_t i)
{
	segment_free(t->segments[i], t->vocab);
	memmove(t->segments + i, t->segments + i + 1, (t->n - i - 1) * sizeof(*t->segments));
	t->n--;
}

/* Rewrite segments i..i+count-1 as one. */
static void
tiers_merge(struct tiers *t, size_t i, size_t count)
{
	struct builder *b = builder_new(t->vocab, true);
	struct segment *s;

	for (size_t k = 0; k < count; k++)
		builder_segment(b, t->segments[i + k]);
	s = builder_finish(b);
	builder_free(b);
	for (size_t k = 1; k < count; k++)
		tiers_drop(t, i + 1);
	segment_free(t->segments[i], t->vocab);
	tiers_settle(t, i, s);
}

static bool
is_worth_merging(const struct segment *large, const struct segment *small)
{
	return large->nlive <= (uint64_t)small->nlive * MERGE_RATIO && large->nlive + small->nlive <= MERGE_MAX;
}

static void
tidy(struct tiers *t)
{
	for (size_t i = 0; i < t->n;) {
		struct segment *s = t->segments[i];

		if (s->nlive == 0)
			tiers_drop(t, i);
		else {
			if (s->nlive < s->ndocs / 2 && s->nlive <= MERGE_MAX)
				tiers_merge(t, i, 1);
			i++;
		}
	}
	while (t->n >= 2 && is_worth_merging(t->segments[t->n - 2], t->segments[t->n - 1]))
		tiers_merge(t, t->n - 2, 2);
}

void
tiers_commit(struct tiers *t)
{
	if (t->batch != NULL && builder_docs(t->batch) > 0) {
		t->segments = array_grow(t->segments, t->n, &t->cap, sizeof(struct segment *));
		tiers_settle(t, t->n++, builder_finish(t->batch));
	}
	builder_free(t->batch);
	t->batch = NULL;
	tidy(t);
}

uint64_t
tiers_documents(const struct tiers *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->segments[i]->nlive;
	return n;
}

size_t
tiers_bytes(const struct tiers *t)
{
	size_t n = t->nplaces * sizeof(*t->places);

	for (size_t i = 0; i < t->n; i++)
		n += segment_bytes(t->segments[i]);
	return n;
}
