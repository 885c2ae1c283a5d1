#include <string.h>

#include "base/system/clock.h"
#include "workers/search/passages/merge.h"

#define ALIKE		4	/* neighbours of similar size that are merged */
#define SIZES_APART	4	/* similar: at most this many times the smallest */
#define DEAD_PART	3	/* a piece is rewritten when more than one in this many chunks is dead */
#define GONE		UINT32_MAX
#define TERMS_A_LOOK	64	/* terms between checks of the clock */
#define CHUNKS_A_LOOK	1024

struct chunk_merge {
	size_t			 first, n;	/* pieces of the set */
	size_t			 dimensions;
	size_t			*next;		/* next term of each piece */
	uint32_t		**moved;	/* new number of each chunk, or GONE */
	size_t			 piece;		/* the piece whose chunks are being copied; n: all copied */
	uint32_t		 chunk;		/* its next chunk */
	struct chunk_piece	 made;
	struct postings_writer	 writer;
};

void
chunk_piece_fini(struct chunk_piece *p)
{
	postings_fini(&p->postings);
	free(p->chunks);
	free(p->vectors);
	free(p->scales);
}

static uint32_t
living(const struct chunk_piece *p)
{
	return p->postings.nchunks - p->ndead;
}

/* Choose a piece with many dead chunks, else neighbours of similar size, from the newest backwards. */
static bool
choose(const struct chunk_set *set, size_t *first, size_t *n)
{
	for (size_t i = 0; i < set->npieces; i++)
		if (set->pieces[i].ndead > set->pieces[i].postings.nchunks / DEAD_PART) {
			*first = i;
			*n = 1;
			return true;
		}
	for (size_t end = set->npieces; end >= ALIKE; end--) {
		uint32_t least = UINT32_MAX, most = 0;

		for (size_t i = end - ALIKE; i < end; i++) {
			uint32_t size = living(&set->pieces[i]);

			least = size < least ? size : least;
			most = size > most ? size : most;
		}
		if (most / SIZES_APART <= least) {
			*first = end - ALIKE;
			*n = ALIKE;
			return true;
		}
	}
	return false;
}

static void
copy_chunk(struct chunk_merge *m, const struct chunk_piece *from, uint32_t i)
{
	struct chunk_piece *to = &m->made;
	uint32_t at = to->postings.nchunks++;

	to->chunks[at] = from->chunks[i];
	if (to->vectors == NULL || from->vectors == NULL)
		return;
	to->scales[at] = from->scales[i];
	memcpy(to->vectors + (size_t)at * m->dimensions, from->vectors + (size_t)i * m->dimensions, m->dimensions);
}

/* Reserve room for the maximum; unused pages cost nothing. */
static void
make_room(const struct chunk_set *set, struct chunk_merge *m)
{
	size_t total = 0;
	bool vectors = false;

	for (size_t k = 0; k < m->n; k++) {
		const struct chunk_piece *p = &set->pieces[m->first + k];

		total += p->postings.nchunks;
		vectors = vectors || p->vectors != NULL;
		m->moved[k] = array_new(p->postings.nchunks + 1, sizeof(**m->moved));
	}
	m->made.chunks = array_new(total + 1, sizeof(*m->made.chunks));
	if (vectors) {
		m->made.vectors = array_new(total + 1, m->dimensions);
		m->made.scales = array_new(total + 1, sizeof(*m->made.scales));
	}
}

/* Copy some more chunks.  False: all are copied. */
static bool
copy_chunks(const struct chunk_set *set, struct chunk_merge *m)
{
	for (int n = 0; n < CHUNKS_A_LOOK && m->piece < m->n; n++) {
		const struct chunk_piece *p = &set->pieces[m->first + m->piece];
		uint32_t i = m->chunk++;
		bool lives;

		if (i == p->postings.nchunks) {
			m->piece++;
			m->chunk = 0;
			continue;
		}
		lives = set->documents[p->chunks[i].document].live;
		m->moved[m->piece][i] = lives ? m->made.postings.nchunks : GONE;
		if (lives)
			copy_chunk(m, p, i);
	}
	return m->piece < m->n;
}

void
chunk_merge_plan(struct chunk_set *set, size_t dimensions)
{
	struct chunk_merge *m;
	size_t first, n;

	if (set->merge != NULL || !choose(set, &first, &n))
		return;
	m = mem_new(1, sizeof(*m));
	m->first = first;
	m->n = n;
	m->dimensions = dimensions;
	m->next = mem_new(n, sizeof(*m->next));
	m->moved = mem_new(n, sizeof(*m->moved));
	m->writer.to = &m->made.postings;
	make_room(set, m);
	set->merge = m;
}

static uint32_t
next_term(const struct chunk_set *set, const struct chunk_merge *m)
{
	uint32_t term = UINT32_MAX;

	for (size_t k = 0; k < m->n; k++) {
		const struct postings *p = &set->pieces[m->first + k].postings;

		if (m->next[k] < p->nterms && p->terms[m->next[k]].term < term)
			term = p->terms[m->next[k]].term;
	}
	return term;
}

static void
move_postings(struct chunk_merge *m, const struct postings *from, const struct postings_term *term,
    const uint32_t *moved)
{
	uint32_t chunks[POSTINGS_BLOCK];
	const uint8_t *weights;

	for (uint32_t b = term->block; b < term[1].block; b++) {
		unsigned n = postings_unpack(from, b, term->block, chunks, &weights);

		for (unsigned i = 0; i < n; i++)
			if (moved[chunks[i]] != GONE)
				postings_add(&m->writer, moved[chunks[i]], weights[i]);
	}
}

static void
merge_term(const struct chunk_set *set, struct chunk_merge *m, uint32_t term)
{
	postings_term_begin(&m->writer, term);
	for (size_t k = 0; k < m->n; k++) {
		const struct postings *p = &set->pieces[m->first + k].postings;

		if (m->next[k] < p->nterms && p->terms[m->next[k]].term == term)
			move_postings(m, p, &p->terms[m->next[k]++], m->moved[k]);
	}
	postings_term_end(&m->writer);
}

static void
merge_free(struct chunk_merge *m)
{
	for (size_t k = 0; k < m->n; k++)
		free(m->moved[k]);
	free(m->moved);
	free(m->next);
	free(m);
}

/* Documents may have been removed during the merge. */
static void
count_dead(const struct chunk_set *set, struct chunk_piece *p)
{
	p->ndead = 0;
	for (uint32_t i = 0; i < p->postings.nchunks; i++)
		p->ndead += !set->documents[p->chunks[i].document].live;
}

static void
exchange_pieces(struct chunk_set *set, struct chunk_merge *m)
{
	bool any = m->made.postings.nchunks > 0;

	postings_close(&m->made.postings);
	count_dead(set, &m->made);
	for (size_t k = 0; k < m->n; k++)
		chunk_piece_fini(&set->pieces[m->first + k]);
	if (any)
		set->pieces[m->first] = m->made;
	else
		chunk_piece_fini(&m->made);
	memmove(set->pieces + m->first + any, set->pieces + m->first + m->n,
	    (set->npieces - m->first - m->n) * sizeof(*set->pieces));
	set->npieces -= m->n - any;
	merge_free(m);
	set->merge = NULL;
}

void
chunk_merge_step(struct chunk_set *set, uint64_t until_ns)
{
	struct chunk_merge *m = set->merge;
	uint32_t term;

	do {
		if (copy_chunks(set, m))
			continue;
		for (int i = 0; i < TERMS_A_LOOK; i++) {
			if ((term = next_term(set, m)) == UINT32_MAX) {
				exchange_pieces(set, m);
				return;
			}
			merge_term(set, m, term);
		}
	} while (clock_ns() < until_ns);
}

void
chunk_merge_stop(struct chunk_set *set)
{
	if (set->merge == NULL)
		return;
	chunk_piece_fini(&set->merge->made);
	merge_free(set->merge);
	set->merge = NULL;
}
