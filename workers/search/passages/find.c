#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector8.h"
#include "workers/search/passages/find.h"
#include "workers/search/index/hits.h"
#include "words/language.h"
#include "words/words.h"

#define WORDS_MAX	24	/* of a question, the rarest */
#define WINDOW		4096u	/* chunks that are scored together */
#define LOOK_COSTS	25.0f	/* the cost of looking up a chunk in a list, relative to reading a posting */
#define LISTS_MAX	(WORDS_MAX * TERMS_ALIKE_MAX)
#define FUSED		100	/* results of each ranking */
#define RRF		20.0f	/* the constant k of reciprocal rank fusion */
#define WORD_VECTORS	0.5f	/* their weight relative to words, which are right more often */
#define WORD_COSINE	0.3f	/* chunks with a smaller cosine are no answer */
#define MODEL_VECTORS	1.0f	/* the same for a model's vectors; its cosine of unrelated texts is unknown */
#define MODEL_COSINE	0.0f

/* A word of the question: its possible terms, each with a weight. */
struct asked {
	struct terms_alike	alike[TERMS_ALIKE_MAX];
	float			factors[TERMS_ALIKE_MAX];
	size_t			n;
	float			most;	/* the largest factor */
};

/* The searched pieces; a hit is a chunk of one of them. */
struct chunk_parts {
	size_t	n;
	struct chunk_part {
		const struct chunk_set		*set;
		const struct chunk_piece	*piece;
	}	*v;
};

static bool
is_asked(const struct asked *asked, size_t n, uint32_t term)
{
	for (size_t i = 0; i < n; i++)
		if (asked[i].alike[0].term == term)
			return true;
	return false;
}

/* The number of chunks with the term. */
static double
count_chunks(const struct chunk_parts *parts, uint32_t term)
{
	double n = 0;

	for (size_t p = 0; p < parts->n; p++) {
		const struct postings_term *t = postings_find(&parts->v[p].piece->postings, term);

		n += t == NULL ? 0 : t->n;
	}
	return n;
}

/* The inverse document frequency of a word in `found` of `total` chunks. */
static float
idf(double total, double found)
{
	found = found > total ? total : found;
	return (float)log(1 + (total - found + 0.5) / (found + 0.5));
}

/*
 * All forms of the word share the weight of the word in all its forms.  A related word has its own weight, but at most
 * that of the word.
 */
static void
weigh_asked(const struct chunk_parts *parts, double total, struct asked *a)
{
	double counts[TERMS_ALIKE_MAX], same = 0;
	float word;

	for (size_t i = 0; i < a->n; i++) {
		counts[i] = count_chunks(parts, a->alike[i].term);
		same += a->alike[i].same ? counts[i] : 0;
	}
	word = idf(total, same);
	a->most = 0;
	for (size_t i = 0; i < a->n; i++) {
		float says = a->alike[i].same ? word : idf(total, counts[i]);

		says = says < word ? says : word;
		a->factors[i] = counts[i] > 0 ? a->alike[i].likeness * says : 0;
		a->most = a->factors[i] > a->most ? a->factors[i] : a->most;
	}
}

/* Insert a word, ordered by weight; only the heaviest are kept. */
static size_t
keep_asked(struct asked *v, size_t n, const struct asked *a)
{
	size_t at = n;

	if (n == WORDS_MAX) {
		at = 0;
		for (size_t i = 1; i < n; i++)
			if (v[i].most < v[at].most)
				at = i;
		if (v[at].most >= a->most)
			return n;
	}
	v[at] = *a;
	return n < WORDS_MAX ? n + 1 : n;
}

/* Words of the language, and words with a vector, are not corrected. */
static bool
may_be_misspelt(const struct chunks *c, struct span folded)
{
	return !language_has(folded) &&
	    (!vectors_ready(&c->vectors) || names_find(&c->vectors.words, folded) == NAMES_NONE);
}

static size_t
read_words(struct chunks *c, const struct chunk_parts *parts, struct span question, bool function, struct asked *out)
{
	struct text_reader r;
	struct text_word word;
	double total = 0;
	size_t n = 0;

	for (size_t p = 0; p < parts->n; p++)
		total += parts->v[p].piece->postings.nchunks;
	text_begin(&r, question);
	while (text_next(&r, &word)) {
		struct asked a = { .n = 0 };

		if (words_has(WORDS_FUNCTION, word.folded) != function)
			continue;
		a.n = terms_alike(&c->terms, word.folded, may_be_misspelt(c, word.folded), a.alike);
		if (a.n == 0 || is_asked(out, n, a.alike[0].term))
			continue;
		weigh_asked(parts, total, &a);
		if (a.most > 0)
			n = keep_asked(out, n, &a);
	}
	return n;
}

/* The postings of one term in one piece, read from the front. */
struct term_list {
	const struct postings		*in;
	const struct postings_term	*term;
	float				 factor, most;	/* score of a weight of 1; the largest score in the list */
	uint32_t			 block, chunk;	/* the current position; chunk UINT32_MAX: at the end */
	unsigned			 at, n;		/* within the block; n 0: not unpacked */
	const uint8_t			*weights;
	uint32_t			 chunks[POSTINGS_BLOCK];
};

/* Advance to the block that would contain chunk. */
static void
list_skip(struct term_list *l, uint32_t chunk)
{
	const struct postings_block *blocks = l->in->blocks;
	uint32_t end = l->term[1].block, step = 1, from = l->block, to;

	if (from >= end || blocks[from].last >= chunk)
		return;
	/* Galloping search: double the step, then bisect. */
	for (to = from + step; to < end && blocks[to].last < chunk; to = from + step) {
		from = to;
		step *= 2;
	}
	to = to < end ? to : end;
	while (from + 1 < to) {
		uint32_t mid = from + (to - from) / 2;

		if (blocks[mid].last < chunk)
			from = mid;
		else
			to = mid;
	}
	l->block = to;
	l->n = 0;
}

/* Advance to the first posting at or after chunk. */
static void
list_seek(struct term_list *l, uint32_t chunk)
{
	list_skip(l, chunk);
	if (l->block >= l->term[1].block) {
		l->chunk = UINT32_MAX;
		return;
	}
	if (l->n == 0) {
		l->n = postings_unpack(l->in, l->block, l->term->block, l->chunks, &l->weights);
		l->at = 0;
	}
	while (l->chunks[l->at] < chunk)
		l->at++;
	l->chunk = l->chunks[l->at];
}

static float
list_score(const struct term_list *l)
{
	return l->factor * (float)l->weights[l->at];
}

/* The largest score in the block that would contain chunk. */
static float
list_block_most(struct term_list *l, uint32_t chunk)
{
	list_skip(l, chunk);
	return l->block >= l->term[1].block ? 0 : l->factor * (float)l->in->blocks[l->block].most;
}

static int
by_most(const void *a, const void *b)
{
	const struct term_list *const *x = a, *const *y = b;

	return ((*x)->most > (*y)->most) - ((*x)->most < (*y)->most);
}

/* Open the lists of all terms, ordered by their largest score, each at its first posting. */
static size_t
open_lists(const struct chunk_piece *p, const struct asked *asked, size_t nasked, struct term_list *lists,
    struct term_list **order)
{
	size_t n = 0;

	for (size_t i = 0; i < nasked; i++)
		for (size_t k = 0; k < asked[i].n; k++) {
			const struct postings_term *t = postings_find(&p->postings, asked[i].alike[k].term);
			struct term_list *l = &lists[n];

			if (t == NULL)
				continue;
			l->in = &p->postings;
			l->term = t;
			l->factor = asked[i].factors[k] / POSTINGS_SCALE;
			l->most = l->factor * (float)t->most;
			l->block = t->block;
			l->n = 0;
			order[n++] = l;
			list_seek(l, 0);
		}
	if (n > 0)
		qsort(order, n, sizeof(struct term_list *), by_most);
	return n;
}

static bool
is_living(const struct chunk_part *part, uint32_t chunk)
{
	const struct chunk_document *d = &part->set->documents[part->piece->chunks[chunk].document];

	return d->live && !d->withheld;
}

/*
 * Scores of the chunks from `from` on.  Chunks in an essential list are marked, then become candidates, by number;
 * each further list adds scores and drops candidates.
 */
struct find_window {
	uint32_t	from;
	uint64_t	marks[WINDOW / 64];
	float		scores[WINDOW];
	bool		strewn;		/* chunks other than the candidates have scores */
	uint32_t	n;
	uint16_t	candidates[WINDOW];
};

static uint32_t
window_end(const struct find_window *w)
{
	return w->from < UINT32_MAX - WINDOW ? w->from + WINDOW : UINT32_MAX;
}

/* The number of the block's chunks from `at` on that are before end. */
static unsigned
count_before(const struct term_list *l, uint32_t end)
{
	unsigned n = l->n;

	if (l->chunks[n - 1] < end)
		return n;
	for (n = l->at; l->chunks[n] < end;)
		n++;
	return n;
}

/* Add the list's scores for the window, and leave the list at the first posting after it. */
static inline void
window_read(struct find_window *w, struct term_list *l, bool mark)
{
	float *scores = w->scores, factor = l->factor;
	uint32_t from = w->from, end = window_end(w);

	while (l->chunk < end) {
		unsigned n = count_before(l, end);
		const uint32_t *chunks = l->chunks;
		const uint8_t *weights = l->weights;

		for (unsigned at = l->at; at < n; at++) {
			uint32_t i = chunks[at] - from;

			scores[i] += factor * (float)weights[at];
			if (mark)
				w->marks[i / 64] |= UINT64_C(1) << i % 64;
		}
		if (n < l->n) {
			l->at = n;
			l->chunk = l->chunks[n];
		} else
			list_seek(l, l->chunks[l->n - 1] + 1);
	}
}

static void
window_add(struct find_window *w, struct term_list *l)
{
	window_read(w, l, true);
}

/* Make i the candidate at *n, unless `more` cannot lift it above least.  Branch-free: the outcome is unpredictable. */
static inline void
window_offer(struct find_window *w, uint32_t *n, uint16_t i, float more, float least)
{
	bool stays = w->scores[i] + more > least;

	w->candidates[*n] = i;
	*n += stays;
	w->scores[i] *= stays;
}

/* Turn marked chunks into candidates, except those that `more` cannot lift above least. */
static void
window_choose(struct find_window *w, float more, float least)
{
	w->n = 0;
	for (uint32_t word = 0; word < WINDOW / 64; word++) {
		for (uint64_t marks = w->marks[word]; marks != 0; marks &= marks - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(marks);

			window_offer(w, &w->n, (uint16_t)i, more, least);
		}
		w->marks[word] = 0;
	}
}

/* Look up the candidates in the list.  Blocks that can lift no candidate are not unpacked. */
static void
window_look(struct find_window *w, struct term_list *l, float more, float least)
{
	for (uint32_t c = 0; c < w->n; c++) {
		uint32_t i = w->candidates[c];

		if (w->scores[i] + more + list_block_most(l, w->from + i) <= least)
			continue;
		list_seek(l, w->from + i);
		if (l->chunk == w->from + i)
			w->scores[i] += list_score(l);
	}
}

/*
 * Add the list's scores to the candidates, and drop those that `more`, the rest of the lists, cannot lift above least.
 */
static void
window_narrow(struct find_window *w, struct term_list *l, float more, float least)
{
	float postings = (float)l->term->n * WINDOW / (float)l->in->nchunks;
	uint32_t kept = 0;

	if ((float)w->n * LOOK_COSTS < postings)
		window_look(w, l, more, least);
	else {
		if (l->chunk < w->from)
			list_seek(l, w->from);
		window_read(w, l, false);
		w->strewn = true;
	}
	for (uint32_t c = 0; c < w->n; c++)
		window_offer(w, &kept, w->candidates[c], more, least);
	w->n = kept;
}

/* Offer the candidates to the best hits, and empty the window. */
static void
window_keep(struct find_window *w, const struct chunk_part *part, uint32_t number, struct hits *best)
{
	for (uint32_t c = 0; c < w->n; c++) {
		uint32_t i = w->candidates[c];

		if (w->scores[i] > hits_threshold(best) && is_living(part, w->from + i))
			hits_keep(best, &(struct hit){ .part = number, .doc = w->from + i, .score = w->scores[i] });
		w->scores[i] = 0;
	}
	if (w->strewn)
		memset(w->scores, 0, sizeof(w->scores));
	w->strewn = false;
}

/* The largest score of the list within the window. */
static float
window_most(const struct find_window *w, struct term_list *l)
{
	uint8_t most = 0;

	list_skip(l, w->from);
	for (uint32_t b = l->block; b < l->term[1].block; b++) {
		const struct postings_block *block = &l->in->blocks[b];

		most = block->most > most ? block->most : most;
		if (block->last >= window_end(w) - 1)
			break;
	}
	return l->factor * (float)most;
}

/* Search the window at w->from; the lists before `lasting` cannot bring a chunk among the best from here on. */
static void
search_window(const struct chunk_part *part, uint32_t number, struct term_list **order, size_t n, size_t lasting,
    struct find_window *w, struct hits *best)
{
	float sums[LISTS_MAX + 1] = { 0 }, least = hits_threshold(best);
	size_t first = lasting; /* lists before this one cannot, in this window */

	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + window_most(w, order[i]);
	while (first < n && sums[first + 1] <= least)
		first++;
	for (size_t i = first; i < n; i++)
		window_add(w, order[i]);
	window_choose(w, sums[first], least);
	for (size_t i = first; i-- > 0 && w->n > 0;)
		window_narrow(w, order[i], sums[i], least);
	window_keep(w, part, number, best);
	for (size_t i = lasting; i < first; i++)
		if (order[i]->chunk < window_end(w))
			list_seek(order[i], window_end(w));
}

/* w is empty before and after. */
static void
search_part(const struct chunk_parts *parts, uint32_t number, struct term_list **order, size_t n, struct find_window *w,
    struct hits *best)
{
	float sums[LISTS_MAX + 1] = { 0 }; /* of the largest scores of the preceding lists */
	size_t first = 0;

	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + order[i]->most;
	for (;;) {
		while (first < n && sums[first + 1] <= hits_threshold(best))
			first++;
		w->from = UINT32_MAX;
		for (size_t i = first; i < n; i++)
			w->from = order[i]->chunk < w->from ? order[i]->chunk : w->from;
		if (w->from == UINT32_MAX)
			return;
		search_window(&parts->v[number], number, order, n, first, w, best);
	}
}

static int
by_score(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->score < y->score || x->score > y->score)
		return x->score < y->score ? 1 : -1;
	return x->part != y->part ? (x->part > y->part) - (x->part < y->part) : (x->doc > y->doc) - (x->doc < y->doc);
}

static void
sort_hits(struct hits *h)
{
	if (h->n > 0)
		qsort(h->v, h->n, sizeof(*h->v), by_score);
}

static int
find_by_words(struct chunks *c, struct arena *a, const struct chunk_parts *parts, struct span question,
    struct hits *best, struct err *err)
{
	struct asked *asked = arena_alloc(a, WORDS_MAX * sizeof(*asked));
	struct term_list *lists = arena_alloc(a, LISTS_MAX * sizeof(*lists));
	struct term_list **order = arena_alloc(a, LISTS_MAX * sizeof(struct term_list *));
	struct find_window *window = arena_alloc(a, sizeof(*window));
	size_t n;

	if (asked == NULL || lists == NULL || order == NULL || window == NULL)
		return err_set(err, ERR_INTERNAL, "the call's memory is full");
	memset(window, 0, sizeof(*window));
	n = read_words(c, parts, question, false, asked);
	if (n == 0) /* the question has only stop words */
		n = read_words(c, parts, question, true, asked);
	for (uint32_t p = 0; p < parts->n; p++)
		search_part(parts, p, order, open_lists(parts->v[p].piece, asked, n, lists, order), window, best);
	sort_hits(best);
	return 0;
}

/* The vector of the question. */
struct by_vectors {
	bool	has;
	float	count, least;	/* weight relative to words; minimal cosine */
	size_t	dimensions;
	float	scale;		/* of the question's vector */
	int8_t	bytes[VECTOR8_DIMENSIONS_MAX];
};

static bool
have_vectors(const struct chunk_set *const *sets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sets[i]->nvectors > 0)
			return true;
	return false;
}

bool
chunks_want_vector(const struct chunks *c, const struct chunk_set *const *sets, size_t nsets)
{
	return c->model != NULL && have_vectors(sets, nsets);
}

static void
read_vector(const struct chunks *c, const struct chunk_question *q, struct by_vectors *out)
{
	float numbers[VECTORS_DIMENSIONS_MAX];

	*out = (struct by_vectors){ .dimensions = chunks_dimensions(c) };
	if (c->model != NULL) {
		out->has = q->dimensions > 0 && q->dimensions == c->dimensions;
		out->count = MODEL_VECTORS;
		out->least = MODEL_COSINE;
		out->scale = q->scale;
		if (out->has)
			memcpy(out->bytes, q->vector, q->dimensions);
	} else if (vectors_ready(&c->vectors) && vectors_of_text(&c->vectors, q->text, numbers)) {
		out->has = true;
		out->count = WORD_VECTORS;
		out->least = WORD_COSINE;
		out->scale = vector8_pack(numbers, out->dimensions, out->bytes);
	}
}

static void
find_by_vectors(const struct by_vectors *v, const struct chunk_parts *parts, struct hits *best)
{
	for (uint32_t k = 0; k < parts->n; k++) {
		const struct chunk_piece *p = parts->v[k].piece;

		for (uint32_t i = 0; p->vectors != NULL && i < p->postings.nchunks; i++) {
			const int8_t *bytes = p->vectors + (size_t)i * v->dimensions;
			float cosine = v->scale * p->scales[i] * (float)vector8_product(v->bytes, bytes, v->dimensions);

			if (cosine > v->least && cosine > hits_threshold(best) && is_living(&parts->v[k], i))
				hits_keep(best, &(struct hit){ .part = k, .doc = i, .score = cosine });
		}
	}
	sort_hits(best);
}

/* The index of h among the first n. */
static size_t
place_of(const struct hits *all, size_t n, const struct hit *h)
{
	for (size_t i = 0; i < n; i++)
		if (all->v[i].part == h->part && all->v[i].doc == h->doc)
			return i;
	return n;
}

/* Fuse the rankings; a chunk that is first in all of them has score 1. */
static void
fuse(const struct hits *words, const struct hits *vectors, float count, struct hits *out)
{
	out->n = 0;
	for (size_t i = 0; i < words->n; i++) {
		out->v[out->n] = words->v[i];
		out->v[out->n++].score = 1 / (RRF + (float)i + 1);
	}
	for (size_t i = 0; i < vectors->n; i++) {
		size_t at = place_of(out, words->n, &vectors->v[i]);
		float score = count / (RRF + (float)i + 1);

		if (at < words->n) {
			out->v[at].score += score;
			continue;
		}
		out->v[out->n] = vectors->v[i];
		out->v[out->n++].score = score;
	}
	for (size_t i = 0; i < out->n; i++)
		out->v[i].score *= (RRF + 1) / (1 + count);
	sort_hits(out);
}

static int
list_parts(struct arena *a, const struct chunk_set *const *sets, size_t nsets, struct chunk_parts *out, struct err *err)
{
	size_t n = 0;

	for (size_t s = 0; s < nsets; s++)
		n += sets[s]->npieces;
	*out = (struct chunk_parts){ .v = arena_alloc(a, (n + 1) * sizeof(*out->v)) };
	if (out->v == NULL)
		return err_set(err, ERR_INTERNAL, "the call's memory is full");
	for (size_t s = 0; s < nsets; s++)
		for (size_t p = 0; p < sets[s]->npieces; p++)
			out->v[out->n++] = (struct chunk_part){ sets[s], &sets[s]->pieces[p] };
	return 0;
}

int
chunks_find(struct chunks *c, struct arena *a, const struct chunk_set *const *sets, size_t nsets,
    const struct chunk_question *q, size_t max, struct chunk_found *out, size_t *n, bool *more, struct err *err)
{
	struct by_vectors asked = { .has = false };
	struct hits *best = arena_alloc(a, 3 * sizeof(*best)), *words = best, *vectors, *both;
	struct chunk_parts parts;

	if (best == NULL)
		return err_set(err, ERR_INTERNAL, "the call's memory is full");
	vectors = best + 1;
	both = best + 2;
	if (have_vectors(sets, nsets))
		read_vector(c, q, &asked);
	/* one extra, to know whether there are more */
	best[0] = best[1] = best[2] = (struct hits){ .max = asked.has ? FUSED : max + 1 };
	if (list_parts(a, sets, nsets, &parts, err) != 0 || find_by_words(c, a, &parts, q->text, words, err) != 0)
		return -1;
	if (asked.has)
		find_by_vectors(&asked, &parts, vectors);
	fuse(words, vectors, asked.has ? asked.count : 0, both);
	*n = both->n < max ? both->n : max;
	*more = both->n > max;
	for (size_t i = 0; i < *n; i++) {
		const struct chunk_part *part = &parts.v[both->v[i].part];
		struct chunk at = part->piece->chunks[both->v[i].doc];

		out[i] = (struct chunk_found){ part->set, &part->set->documents[at.document], at, both->v[i].score };
	}
	return 0;
}
