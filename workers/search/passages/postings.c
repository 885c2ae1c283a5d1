#include "workers/search/passages/postings.h"

#define K1		1.2f
#define B		0.75f
#define USUAL_LENGTH	200.0f	/* words of a chunk */

void
postings_fini(struct postings *p)
{
	free(p->terms);
	free(p->blocks);
	free(p->bytes.v);
	*p = (struct postings){ .nchunks = 0 };
}

size_t
postings_bytes(const struct postings *p)
{
	return p->terms_cap * sizeof(*p->terms) + p->blocks_cap * sizeof(*p->blocks) + p->bytes.cap;
}

static void
put_number(struct array_u8 *to, uint32_t n)
{
	uint8_t bytes[5];
	size_t len = 0;

	for (; n >= 0x80; n >>= 7)
		bytes[len++] = (uint8_t)(n | 0x80);
	bytes[len++] = (uint8_t)n;
	array_u8_append(to, bytes, len);
}

static void
write_block(struct postings_writer *w)
{
	struct postings *p = w->to;
	uint8_t most = 0;

	if (w->held == 0)
		return;
	for (unsigned i = 0; i < w->held; i++)
		most = w->weights[i] > most ? w->weights[i] : most;
	p->blocks = array_grow(p->blocks, p->nblocks, &p->blocks_cap, sizeof(*p->blocks));
	p->blocks[p->nblocks++] = (struct postings_block){ .last = w->chunks[w->held - 1], .at = (uint32_t)p->bytes.n,
		.n = (uint8_t)(w->held - 1), .most = most };
	for (unsigned i = 0; i < w->held; i++) {
		put_number(&p->bytes, w->chunks[i] - w->before);
		w->before = w->chunks[i];
	}
	array_u8_append(&p->bytes, w->weights, w->held);
	w->most = most > w->most ? most : w->most;
	w->held = 0;
}

void
postings_term_begin(struct postings_writer *w, uint32_t term)
{
	struct postings *p = w->to;

	w->term = term;
	w->n = w->before = w->held = 0;
	w->most = 0;
	p->terms = array_grow(p->terms, p->nterms, &p->terms_cap, sizeof(*p->terms));
	p->terms[p->nterms] = (struct postings_term){ .term = term, .block = (uint32_t)p->nblocks };
}

void
postings_add(struct postings_writer *w, uint32_t chunk, uint8_t weight)
{
	w->chunks[w->held] = chunk;
	w->weights[w->held++] = weight;
	w->n++;
	if (w->held == POSTINGS_BLOCK)
		write_block(w);
}

void
postings_term_end(struct postings_writer *w)
{
	struct postings *p = w->to;

	write_block(w);
	p->terms[p->nterms].n = w->n;
	p->terms[p->nterms].most = w->most;
	p->nterms += w->n > 0;
}

void
postings_close(struct postings *p)
{
	size_t cap = p->bytes.cap;

	p->terms = array_grow(p->terms, p->nterms, &p->terms_cap, sizeof(*p->terms));
	p->terms[p->nterms] = (struct postings_term){ .term = UINT32_MAX, .block = (uint32_t)p->nblocks };
	p->terms = array_trim(p->terms, p->nterms + 1, &p->terms_cap, sizeof(*p->terms));
	p->blocks = array_trim(p->blocks, p->nblocks, &p->blocks_cap, sizeof(*p->blocks));
	p->bytes.v = array_trim(p->bytes.v, p->bytes.n, &cap, 1);
	p->bytes.cap = cap;
}

const struct postings_term *
postings_find(const struct postings *p, uint32_t term)
{
	size_t from = 0, to = p->nterms;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (p->terms[mid].term < term)
			from = mid + 1;
		else
			to = mid;
	}
	return from < p->nterms && p->terms[from].term == term ? &p->terms[from] : NULL;
}

unsigned
postings_unpack(const struct postings *p, uint32_t b, uint32_t first_of_term, uint32_t out[POSTINGS_BLOCK],
    const uint8_t **weights)
{
	const uint8_t *at = p->bytes.v + p->blocks[b].at;
	uint32_t chunk = b == first_of_term ? 0 : p->blocks[b - 1].last;
	unsigned n = p->blocks[b].n + 1u;
	size_t end = b + 1 < p->nblocks ? p->blocks[b + 1].at : p->bytes.n;

	/* All gaps fit into one byte each, as usual in long lists. */
	if (end - p->blocks[b].at == 2 * n) {
		for (unsigned i = 0; i < n; i++)
			out[i] = chunk += at[i];
		*weights = at + n;
		return n;
	}
	for (unsigned i = 0; i < n; i++) {
		uint32_t more = *at++;

		if (more >= 0x80) {
			more &= 0x7f;
			for (unsigned shift = 7;; shift += 7) {
				more |= (uint32_t)(*at & 0x7f) << shift;
				if (*at++ < 0x80)
					break;
			}
		}
		chunk += more;
		out[i] = chunk;
	}
	*weights = at;
	return n;
}

void
postings_batch_word(struct postings_batch *b, uint32_t term)
{
	if (term >= b->scratch_cap) {
		size_t want = (size_t)term + term / 2 + 1024;

		b->scratch = array_extend(b->scratch, b->scratch_cap, want, sizeof(*b->scratch));
		b->scratch_cap = want;
	}
	if (b->scratch[term]++ == 0)
		array_u32_push(&b->touched, term);
	b->length++;
}

void
postings_batch_chunk(struct postings_batch *b)
{
	float norm = K1 * (1 - B + B * (float)b->length / USUAL_LENGTH);

	for (size_t i = 0; i < b->touched.n; i++) {
		uint32_t term = b->touched.v[i];
		float tf = (float)b->scratch[term];
		float weight = tf * (K1 + 1) / (tf + norm) * POSTINGS_SCALE + 0.5f;

		b->scratch[term] = 0;
		b->entries = array_grow(b->entries, b->n, &b->cap, sizeof(*b->entries));
		b->entries[b->n++] = (struct postings_entry){ term, b->nchunks,
			weight < 1 ? 1 :
			    weight > 255 ? 255 :
					   (uint8_t)weight };
	}
	b->touched.n = 0;
	b->length = 0;
	b->nchunks++;
}

/* Collect the terms, ascending, in touched; scratch has the position of each term's entries. */
static void
count_terms(struct postings_batch *b)
{
	uint32_t at = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->scratch[b->entries[i].term]++ == 0)
			array_u32_push(&b->touched, b->entries[i].term);
	array_u32_sort(&b->touched);
	for (size_t i = 0; i < b->touched.n; i++) {
		uint32_t n = b->scratch[b->touched.v[i]];

		b->scratch[b->touched.v[i]] = at;
		at += n;
	}
}

void
postings_batch_close(struct postings_batch *b, struct postings *out)
{
	struct postings_writer *w = mem_new(1, sizeof(*w));
	uint32_t *order = mem_new(b->n + 1, sizeof(*order));
	size_t at = 0;

	*out = (struct postings){ .nchunks = b->nchunks };
	w->to = out;
	count_terms(b);
	for (size_t i = 0; i < b->n; i++)
		order[b->scratch[b->entries[i].term]++] = (uint32_t)i;
	for (size_t i = 0; i < b->touched.n; i++) {
		uint32_t term = b->touched.v[i], end = b->scratch[term];

		b->scratch[term] = 0;
		postings_term_begin(w, term);
		for (; at < end; at++)
			postings_add(w, b->entries[order[at]].chunk, b->entries[order[at]].weight);
		postings_term_end(w);
	}
	postings_close(out);
	free(order);
	free(w);
	b->touched.n = 0;
	b->n = b->nchunks = 0;
}

void
postings_batch_fini(struct postings_batch *b)
{
	free(b->entries);
	free(b->scratch);
	free(b->touched.v);
	*b = (struct postings_batch){ .n = 0 };
}
