#include "base/block.h"
#include "base/prefetch.h"
#include "workers/search/index/builder_parts.h"
#include "workers/search/index/builder.h"
#include "workers/search/index/builder_finish.h"

#define MANY		16	/* one in this many terms is worth looking through all */
#define AHEAD		24	/* entries whose place is fetched before it is needed */
#define BATCH		32	/* entries that are copied together */

/* Entries need no sorting: they stand document by document. */

/* List the terms whose postings are counted in their places, by looking through all places. */
static void
terms_from_places(const uint32_t *place, uint32_t n, uint32_t first, struct array_u32 *terms)
{
	for (uint32_t i = 0; i < n; i++)
		if (place[i] > 0)
			array_u32_push(terms, first | i);
}

/* Count the entries of each term in its place, and list the terms in ascending order. */
static void
count_terms(struct builder *b, struct array_u32 *terms)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);
	uint32_t nwords = vocab_count(b->vocab), nexact = vocab_count_exact(b->vocab);
	size_t n = b->nentries;

	/* Looking through all places is cheaper than sorting when there are many entries. */
	if (n > ((size_t)nwords + nexact) / MANY) {
		for (size_t i = 0; i < n; i++) {
			if (n - i > AHEAD)
				prefetch_write(vocab_place(&scratch, b->terms[i + AHEAD]));
			++*vocab_place(&scratch, b->terms[i]);
		}
		terms_from_places(scratch.of[0], nwords, 0, terms);
		terms_from_places(scratch.of[1], nexact, VOCAB_EXACT, terms);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if ((*vocab_place(&scratch, b->terms[i]))++ == 0)
			array_u32_push(terms, b->terms[i]);
	if (terms->n > 0)
		array_u32_sort(terms);
}

/* List the terms in ascending order and where the postings of each begin; leaves the begins in their places. */
static void
lay_out(struct builder *b, struct segment *s)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);
	struct array_u32 terms = { 0 };
	uint32_t at = 0;

	count_terms(b, &terms);
	s->nterms = (uint32_t)terms.n;
	s->terms = array_trim(terms.v, terms.n, &terms.cap, sizeof(*terms.v));
	s->starts = array_new(terms.n + 1, sizeof(*s->starts));
	for (uint32_t i = 0; i < s->nterms; i++) {
		uint32_t *place = vocab_place(&scratch, s->terms[i]), n = *place;

		s->starts[i] = *place = at;
		at += n;
	}
	s->starts[s->nterms] = at;
}

/*
 * Copy the entries to the postings of their terms.  They go all over the arrays: first the places of a batch are
 * taken and fetched, then they are filled.
 */
static void
scatter(struct builder *b, struct segment *s)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);
	uint32_t *docs = s->docs = array_new(b->nentries, sizeof(*s->docs));
	uint8_t *weights = s->weights = array_new(b->nentries, sizeof(*s->weights));
	uint8_t *masks = s->masks = array_new(b->nentries, sizeof(*s->masks));
	const uint32_t *ends = b->starts + 1;
	size_t n = b->nentries;
	uint32_t doc = 0;

	for (size_t from = 0; from < n; from += BATCH) {
		const uint32_t *terms = b->terms + from;
		const uint8_t *weight = b->weights + from, *mask = b->masks + from;
		size_t some = n - from < BATCH ? n - from : BATCH;
		uint32_t at[BATCH];

		for (size_t i = 0; i < some; i++) {
			if (n - from - i > BATCH)
				prefetch_write(vocab_place(&scratch, terms[BATCH + i]));
			at[i] = (*vocab_place(&scratch, terms[i]))++;
			prefetch_write(&docs[at[i]]);
			prefetch_write(&weights[at[i]]);
			prefetch_write(&masks[at[i]]);
		}
		for (size_t i = 0; i < some; i++) {
			while (from + i >= ends[doc])
				doc++;
			docs[at[i]] = doc;
			weights[at[i]] = weight[i];
			masks[at[i]] = mask[i];
		}
	}
}

static uint8_t
builder_finish_largest(const uint8_t *weights, size_t n)
{
	uint8_t most = 0;
	size_t i = 0;

	if (n >= BLOCK) {
		block16 all = block_of(0);

		for (; n - i >= BLOCK; i += BLOCK)
			all = block_max(all, block_load(weights + i));
		for (size_t k = 0; k < BLOCK; k++)
			most = all[k] > most ? all[k] : most;
	}
	for (; i < n; i++)
		most = weights[i] > most ? weights[i] : most;
	return most;
}

/* The largest weight of each term, and of each block; its documents count. */
static void
find_most(struct builder *b, struct segment *s)
{
	struct vocab_scratch scratch = vocab_scratch(b->vocab);

	s->most = array_new(s->nterms, sizeof(*s->most));
	for (uint32_t i = 0; i < s->nterms; i++) {
		uint32_t n = s->starts[i + 1] - s->starts[i];

		*vocab_place(&scratch, s->terms[i]) = 0;
		s->most[i] = builder_finish_largest(s->weights + s->starts[i], n);
		vocab_count_documents(b->vocab, s->terms[i], (int32_t)n);
	}
	s->block_most = array_new(b->nentries / SEGMENT_BLOCK + 1, sizeof(*s->block_most));
	for (size_t k = 0; k < b->nentries; k += SEGMENT_BLOCK)
		s->block_most[k / SEGMENT_BLOCK] = builder_finish_largest(s->weights + k,
		    b->nentries - k < SEGMENT_BLOCK ? b->nentries - k : SEGMENT_BLOCK);
}

struct segment *
builder_finish(struct builder *b)
{
	struct segment *s = mem_new(1, sizeof(*s));
	size_t starts_cap = b->docs_cap;

	builder_close(b);
	builder_settle(b);
	builder_store(b);
	b->starts = array_grow(b->starts, b->ndocs, &starts_cap, sizeof(*b->starts));
	b->starts[b->ndocs] = (uint32_t)b->nentries;
	s->ndocs = s->nlive = (uint32_t)b->ndocs;
	s->kind = array_trim(b->kind, b->ndocs, &(size_t){ b->docs_cap }, sizeof(*b->kind));
	s->parent = array_trim(b->parent, b->ndocs, &(size_t){ b->docs_cap }, sizeof(*b->parent));
	s->item = array_trim(b->item, b->ndocs, &(size_t){ b->docs_cap }, sizeof(*b->item));
	for (uint32_t i = 0; i < s->ndocs; i++)
		s->kinds |= KIND_BIT(s->kind[i]);
	lay_out(b, s);
	scatter(b, s);
	find_most(b, s);
	if (b->forward) {
		s->doc_starts = array_trim(b->starts, b->ndocs + 1, &starts_cap, sizeof(*b->starts));
		s->doc_terms = array_trim(b->terms, b->nentries, &b->entries_cap, sizeof(*b->terms));
		b->starts = b->terms = NULL;
		b->entries_cap = 0;
	}
	b->kind = NULL;
	b->parent = b->item = NULL;
	b->ndocs = b->docs_cap = b->nentries = b->first = b->family = 0;
	return s;
}
