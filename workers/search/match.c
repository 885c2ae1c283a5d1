/* match.c - questions, postings and tallies; see match.h. */
#include <math.h>
#include <string.h>

#include "workers/search/match.h"
#include "workers/search/text.h"

#define K1		1.2f	/* BM25: how soon more of a word stops helping */
#define STEM_FACTOR	0.85f	/* another form of the word */
#define PAIR_SCALE	0.5f	/* two words found written in one */
#define FUNCTION_SCALE	0.1f
#define PARENT_NAME	0.5f	/* a child's term frequency from its parent's name, */
#define PARENT_DISPLAY	0.2f	/* from the rest of how the parent is shown */
#define OUTSIDE_NAME	0.6f	/* a word found, but not in the name, answers this much of itself */
#define ENOUGH		0.12f	/* share of a question below which a hit is stray */
#define ENOUGH_OF_BEST	0.30f	/* the same against the best hit, for questions of */
#define LONG_QUESTION	3	/* at least this many words that carry something */
#define SHARE_STEPS	64

/* Legend: how welcome a document of the kind is when it matches as well as another. */
static const float prior[KINDS] = {
	[KIND_WIKI]		= 1.00f,
	[KIND_SL_SOURCE]	= 1.05f,
	[KIND_SL_MEASURE]	= 1.10f,
	[KIND_SL_DIMENSION]	= 0.90f,
	[KIND_TABLE]		= 1.00f,
	[KIND_COLUMN]		= 0.85f,
};

/* What a document has got so far. */
struct tally {
	float		lexical, guessed;
	float		down, down_guessed;	/* what each child gets from this parent */
	uint32_t	words, names;		/* found; found in the name */
	uint32_t	down_words;
};

struct matcher {
	struct vocab	*vocab;
	size_t		 ntallies;
	struct tally	*tallies;	/* all zero between questions */
	struct array_u32 touched;
};

struct matcher *
matcher_new(struct vocab *v)
{
	struct matcher *m = array_new(1, sizeof(*m));

	m->vocab = v;
	return m;
}

void
matcher_free(struct matcher *m)
{
	if (m == NULL)
		return;
	free(m->tallies);
	free(m->touched.v);
	free(m);
}

size_t
matcher_bytes(const struct matcher *m)
{
	return m->ntallies * sizeof(*m->tallies) + m->touched.cap * sizeof(uint32_t);
}

/* --- the question ---------------------------------------------------------- */

static bool
is_known(const struct question *q, struct span folded)
{
	for (size_t i = 0; i < q->nwords; i++)
		if (span_is(q->words[i].folded, folded))
			return true;
	return false;
}

static void
read_words(struct arena *a, struct span text, struct question *q)
{
	struct text_reader r;
	struct text_word w;

	text_begin(&r, text);
	while (q->nwords < MATCH_WORDS_MAX && text_next(&r, &w)) {
		struct match_word *word = &q->words[q->nwords];

		if (is_known(q, w.folded) || (word->folded = arena_span(a, w.folded)).p == NULL)
			continue;
		word->function = text_is_function_word(w.folded);
		q->ncontent += !word->function;
		q->nwords++;
	}
	/* "who", "all": nothing but such words, so they are what is meant. */
	if (q->ncontent == 0) {
		for (size_t i = 0; i < q->nwords; i++)
			q->words[i].function = false;
		q->ncontent = q->nwords;
	}
}

static struct match_group *
add_group(struct arena *a, struct question *q, uint32_t words, float scale, size_t room)
{
	struct match_group *g = &q->groups[q->ngroups];

	if ((g->variants = arena_array(a, room, sizeof(*g->variants))) == NULL)
		return NULL;
	g->words = words;
	g->scale = scale;
	g->nvariants = 0;
	g->guessed = false;
	q->ngroups++;
	return g;
}

#define FORMS_MAX	16

static void
add_forms(struct matcher *m, struct arena *a, struct question *q, size_t i)
{
	struct span word = q->words[i].folded;
	struct match_group *g = add_group(a, q, UINT32_C(1) << i,
	    q->words[i].function ? FUNCTION_SCALE : 1, FORMS_MAX);
	uint32_t exact = vocab_find(m->vocab, word), first = vocab_stem(m->vocab, word), t = first;

	if (g == NULL)
		return;
	if (exact != VOCAB_NONE && vocab_documents(m->vocab, exact) > 0)
		g->variants[g->nvariants++] = (struct match_variant){ exact, 1 };
	if (first == VOCAB_NONE)
		return;
	do {
		if (t != exact && vocab_documents(m->vocab, t) > 0 && g->nvariants < FORMS_MAX)
			g->variants[g->nvariants++] = (struct match_variant){ t, STEM_FACTOR };
		t = vocab_next_form(m->vocab, t);
	} while (t != first);
}

/* Neighbours i and i + 1 as one word: "order id" finds orderid. */
static void
add_pair(struct matcher *m, struct arena *a, struct question *q, size_t i)
{
	uint8_t both[2 * TEXT_WORD_MAX];
	struct span x = q->words[i].folded, y = q->words[i + 1].folded;
	struct match_group *g;
	uint32_t term;

	if (x.len + y.len > TEXT_WORD_MAX)
		return;
	memcpy(both, x.p, x.len);
	memcpy(both + x.len, y.p, y.len);
	term = vocab_find(m->vocab, span_of(both, x.len + y.len));
	if (term == VOCAB_NONE || vocab_documents(m->vocab, term) == 0)
		return;
	if ((g = add_group(a, q, UINT32_C(3) << i, PAIR_SCALE, 1)) != NULL)
		g->variants[g->nvariants++] = (struct match_variant){ term, 1 };
}

static float
rarity(uint64_t ndocs, uint64_t found)
{
	if (found > ndocs)
		found = ndocs;
	return logf(1 + ((float)(ndocs - found) + 0.5f) / ((float)found + 0.5f));
}

static uint64_t
documents(const struct matcher *m, const struct match_group *g)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->nvariants; i++)
		n += vocab_documents(m->vocab, g->variants[i].term);
	return n;
}

/* How much of the question each word is: rare ones more, unknown ones in between. */
static void
weigh(const struct matcher *m, struct question *q, uint64_t ndocs)
{
	float most = rarity(ndocs, 0);

	q->whole = 0;
	for (size_t i = 0; i < q->nwords; i++) {
		uint64_t found = documents(m, &q->groups[i]);
		float w = found == 0 ? 0.75f : 0.5f + 0.5f * rarity(ndocs, found) / most;

		q->words[i].weight = q->words[i].function ? w * FUNCTION_SCALE : w;
		q->whole += q->words[i].weight;
	}
}

/* --- postings -------------------------------------------------------------- */

/* One variant's postings in the segment at hand. */
struct stream {
	uint32_t	at, to;
	float		factor;
};

static struct tally *
touch(struct matcher *m, uint32_t doc)
{
	struct tally *t = &m->tallies[doc];

	if (t->words == 0 && t->down_words == 0)
		array_u32_push(&m->touched, doc);
	return t;
}

static float
saturate(float frequency)
{
	return frequency * (K1 + 1) / (frequency + K1);
}

/* A group being tallied over one segment. */
struct pass {
	struct matcher			*m;
	const struct segment		*s;
	const struct match_group	*g;
	float				 idf;
	uint32_t			 parent;	/* the last one met, */
	float				 from_parent;	/* as term frequency */
};

/* What a parent that holds the word passes on to its children. */
static void
pass_down(struct pass *p, struct tally *t, uint32_t doc, uint8_t mask)
{
	float frequency = mask & 1u << FIELD_NAME ? PARENT_NAME : mask & 1u << FIELD_DISPLAY ? PARENT_DISPLAY : 0;
	float down = p->idf * saturate(frequency);

	p->parent = doc;
	p->from_parent = frequency;
	if (frequency <= 0 || doc + 1 == p->s->ndocs || p->s->parent[doc + 1] != doc)
		return;
	if (p->g->guessed)
		t->down_guessed += down;
	else
		t->down += down;
	t->down_words |= p->g->words;
}

static void
tally_doc(struct pass *p, uint32_t doc, float frequency, uint8_t mask)
{
	struct tally *t = touch(p->m, doc);
	float gain;

	t->words |= p->g->words;
	if (p->s->parent[doc] == doc) {
		gain = p->idf * saturate(frequency);
		pass_down(p, t, doc, mask);
	} else {
		bool down = p->s->parent[doc] == p->parent && p->from_parent > 0;

		/* The parent's part is added for every child at the end. */
		gain = p->idf * (saturate(frequency + (down ? p->from_parent : 0)) -
		    (down ? saturate(p->from_parent) : 0));
	}
	if (mask & 1u << FIELD_NAME)
		t->names |= p->g->words;
	if (p->g->guessed)
		t->guessed += gain;
	else
		t->lexical += gain;
}

/* Walk all variants' postings together, in ascending order of documents. */
static void
run_streams(struct pass *p, struct stream *streams, size_t n)
{
	const struct segment *s = p->s;

	while (n > 0) {
		uint32_t doc = UINT32_MAX;
		float frequency = 0;
		uint8_t mask = 0;

		for (size_t i = 0; i < n; i++)
			if (s->docs[streams[i].at] < doc)
				doc = s->docs[streams[i].at];
		for (size_t i = 0; i < n; )
			if (s->docs[streams[i].at] == doc) {
				frequency += streams[i].factor * (float)s->weights[streams[i].at] / WEIGHT_SCALE;
				mask |= s->masks[streams[i].at];
				if (++streams[i].at == streams[i].to)
					streams[i] = streams[--n];
				else
					i++;
			} else
				i++;
		if (!segment_is_dead(s, doc))
			tally_doc(p, doc, frequency, mask);
	}
}

static void
tally_group(struct matcher *m, const struct segment *s, const struct match_group *g, float idf)
{
	struct pass p = { .m = m, .s = s, .g = g, .idf = idf * g->scale, .parent = UINT32_MAX };
	struct stream streams[VOCAB_GUESSES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < g->nvariants; i++)
		if (segment_find(s, g->variants[i].term, &streams[n].at, &streams[n].to))
			streams[n++].factor = g->variants[i].factor;
	run_streams(&p, streams, n);
}

_Static_assert(FORMS_MAX <= VOCAB_GUESSES_MAX, "streams hold either");

/* True when some document of the kinds asked holds the group's words. */
static bool
is_found(const struct match_group *g, const struct part *parts, size_t nparts, unsigned kinds)
{
	for (size_t i = 0; i < nparts; i++) {
		const struct segment *s = parts[i].segment;
		uint32_t from, to;

		if ((s->kinds & kinds) == 0)
			continue;
		for (size_t v = 0; v < g->nvariants; v++) {
			if (!segment_find(s, g->variants[v].term, &from, &to))
				continue;
			for (; from < to; from++) {
				uint32_t doc = s->docs[from];
				bool child = doc + 1 < s->ndocs && s->parent[doc + 1] == doc;

				if (!segment_is_dead(s, doc) && ((KIND_BIT(s->kind[doc]) & kinds) != 0 ||
				    (child && (KIND_BIT(s->kind[doc + 1]) & kinds) != 0)))
					return true;
			}
		}
	}
	return false;
}

/* A word nobody asked knows: take words that are spelt like it. */
static void
add_guesses(struct matcher *m, struct arena *a, struct question *q, size_t word)
{
	struct vocab_guess guesses[VOCAB_GUESSES_MAX];
	size_t n = vocab_guess(m->vocab, q->words[word].folded, guesses);
	struct match_group *g;

	if (n == 0 || (g = add_group(a, q, UINT32_C(1) << word, q->groups[word].scale, n)) == NULL)
		return;
	g->guessed = true;
	for (size_t i = 0; i < n; i++)
		g->variants[g->nvariants++] = (struct match_variant){
			guesses[i].term, guesses[i].likeness * guesses[i].likeness
		};
}

/* --- the best documents ---------------------------------------------------- */

static bool
is_worse(const struct hit *a, const struct hit *b, bool fuzzy)
{
	float x = fuzzy ? a->fuzzy : a->lexical, y = fuzzy ? b->fuzzy : b->lexical;

	if (x < y || x > y)
		return x < y;
	return a->part != b->part ? a->part > b->part : a->doc > b->doc;
}

static void
sink(struct hit *heap, size_t n, size_t i, bool fuzzy)
{
	for (;;) {
		size_t child = 2 * i + 1;
		struct hit h;

		if (child >= n)
			return;
		if (child + 1 < n && is_worse(&heap[child + 1], &heap[child], fuzzy))
			child++;
		if (!is_worse(&heap[child], &heap[i], fuzzy))
			return;
		h = heap[i];
		heap[i] = heap[child];
		heap[child] = h;
		i = child;
	}
}

/* Keep h when it is among the best; the worst of them is in front once the list is full. */
static void
keep_best(struct hit *heap, size_t *n, const struct hit *h, bool fuzzy)
{
	if (*n < MATCH_HITS_MAX) {
		heap[(*n)++] = *h;
		if (*n == MATCH_HITS_MAX)
			for (size_t i = *n / 2; i-- > 0; )
				sink(heap, *n, i, fuzzy);
		return;
	}
	if (!is_worse(&heap[0], h, fuzzy))
		return;
	heap[0] = *h;
	sink(heap, *n, 0, fuzzy);
}

struct gathering {
	struct matcher		*m;
	const struct question	*q;
	struct match_result	*r;
	unsigned		 kinds;
	uint32_t		 part;
	const struct segment	*s;
	size_t			 counts[SHARE_STEPS + 1];	/* hits by share */
	float			 best;				/* share */
};

static float
share_of(const struct question *q, uint32_t words, uint32_t names)
{
	float sum = 0;

	for (; words != 0; words &= words - 1) {
		unsigned i = (unsigned)__builtin_ctz(words);

		sum += q->words[i].weight * (names >> i & 1 ? 1 : OUTSIDE_NAME);
	}
	return sum / q->whole;
}

/* False: the document does not enter, and no sibling that has only its parent's words would. */
static bool
gather(struct gathering *g, uint32_t doc, const struct tally *t, const struct tally *parent)
{
	uint32_t words = t->words | (parent != NULL ? parent->down_words : 0);
	struct hit h = { .part = g->part, .doc = doc, .share = share_of(g->q, words, t->names) };
	float scale = prior[g->s->kind[doc]] * (0.4f + 0.6f * h.share);

	if (h.share < ENOUGH)
		return false;
	h.lexical = (t->lexical + (parent != NULL ? parent->down : 0)) * scale;
	h.fuzzy = h.lexical + (t->guessed + (parent != NULL ? parent->down_guessed : 0)) * scale;
	g->counts[(size_t)(h.share * SHARE_STEPS)]++;
	if (h.share > g->best)
		g->best = h.share;
	if (h.lexical > 0)
		keep_best(g->r->lexical, &g->r->nlexical, &h, false);
	keep_best(g->r->fuzzy, &g->r->nfuzzy, &h, true);
	return true;
}

/* Children that hold no word of the question themselves, only their parent's. */
static void
gather_children(struct gathering *g, uint32_t doc)
{
	static const struct tally nothing;
	const struct segment *s = g->s;

	for (uint32_t child = doc + 1; child < s->ndocs && s->parent[child] == doc; child++)
		if (g->m->tallies[child].words == 0 && (KIND_BIT(s->kind[child]) & g->kinds) != 0 &&
		    !segment_is_dead(s, child) && !gather(g, child, &nothing, &g->m->tallies[doc]))
			return;
}

static void
gather_part(struct gathering *g)
{
	const struct segment *s = g->s;

	for (size_t i = 0; i < g->m->touched.n; i++) {
		uint32_t doc = g->m->touched.v[i], parent = s->parent[doc];
		const struct tally *t = &g->m->tallies[doc];

		if (t->words != 0 && (KIND_BIT(s->kind[doc]) & g->kinds) != 0)
			gather(g, doc, t, parent != doc ? &g->m->tallies[parent] : NULL);
		if (t->down_words != 0)
			gather_children(g, doc);
	}
	for (size_t i = 0; i < g->m->touched.n; i++)
		g->m->tallies[g->m->touched.v[i]] = (struct tally){ 0 };
	g->m->touched.n = 0;
}

/* Next to hits that answer more, those that answer little are stray. */
static size_t
drop_stray(struct hit *hits, size_t n, float least)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (hits[i].share >= least)
			hits[kept++] = hits[i];
	return kept;
}

static void
finish(struct gathering *g)
{
	float least = g->q->ncontent >= LONG_QUESTION ? g->best * ENOUGH_OF_BEST : 0;
	size_t step = (size_t)(least * SHARE_STEPS);

	g->r->nlexical = drop_stray(g->r->lexical, g->r->nlexical, (float)step / SHARE_STEPS);
	g->r->nfuzzy = drop_stray(g->r->fuzzy, g->r->nfuzzy, (float)step / SHARE_STEPS);
	for (size_t i = step; i <= SHARE_STEPS; i++)
		g->r->total += g->counts[i];
}

void
matcher_ask(struct matcher *m, struct arena *a, struct span text, const struct part *parts, size_t nparts,
    unsigned kinds, uint64_t ndocs, struct question *q, struct match_result *r)
{
	struct gathering g = { .m = m, .q = q, .r = r, .kinds = kinds };

	*q = (struct question){ 0 };
	r->nlexical = r->nfuzzy = r->total = 0;
	read_words(a, text, q);
	for (size_t i = 0; i < q->nwords; i++)
		add_forms(m, a, q, i);
	if (q->nwords == 0 || q->ngroups < q->nwords)
		return;
	weigh(m, q, ndocs);
	for (size_t i = 0; i + 1 < q->nwords; i++)
		add_pair(m, a, q, i);
	for (size_t i = 0; i < q->nwords; i++)
		if (!is_found(&q->groups[i], parts, nparts, kinds))
			add_guesses(m, a, q, i);
	for (size_t i = 0; i < nparts; i++) {
		const struct segment *s = parts[i].segment;

		if ((s->kinds & kinds) == 0)
			continue;
		if (s->ndocs > m->ntallies) {
			m->tallies = array_extend(m->tallies, m->ntallies, s->ndocs, sizeof(*m->tallies));
			m->ntallies = s->ndocs;
		}
		for (size_t k = 0; k < q->ngroups; k++)
			tally_group(m, s, &q->groups[k], rarity(ndocs, documents(m, &q->groups[k])));
		g.part = (uint32_t)i;
		g.s = s;
		gather_part(&g);
	}
	finish(&g);
}

/* --- in which field -------------------------------------------------------- */

static uint8_t
mask_of(const struct segment *s, uint32_t term, uint32_t doc)
{
	uint32_t low, high;

	if (!segment_find(s, term, &low, &high))
		return 0;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->docs[mid] == doc)
			return s->masks[mid];
		if (s->docs[mid] < doc)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

/* Kinds that are shown with their parent's name in front are found by it as well. */
static bool
has_display(enum kind k)
{
	return k == KIND_TABLE || k == KIND_COLUMN;
}

static uint8_t
group_mask(const struct match_group *g, const struct segment *s, uint32_t doc)
{
	uint32_t parent = s->parent[doc];
	bool display = has_display((enum kind)s->kind[doc]);
	uint8_t mask = 0, above = 0;

	for (size_t i = 0; i < g->nvariants; i++) {
		mask |= mask_of(s, g->variants[i].term, doc);
		if (parent != doc)
			above |= mask_of(s, g->variants[i].term, parent);
	}
	if (display && (mask & 1u << FIELD_NAME))
		mask |= 1u << FIELD_DISPLAY;
	if (above & (1u << FIELD_NAME | 1u << FIELD_DISPLAY))
		mask |= (uint8_t)(1u << (display ? FIELD_DISPLAY : FIELD_NAME));
	return mask;
}

enum field
matcher_field(const struct question *q, const struct segment *s, uint32_t doc)
{
	float sums[FIELDS] = { 0 };
	uint32_t done[FIELDS] = { 0 };
	enum field best = FIELD_NAME;

	for (size_t i = 0; i < q->ngroups; i++) {
		uint8_t mask = group_mask(&q->groups[i], s, doc);

		for (unsigned f = 0; f < FIELDS; f++)
			for (uint32_t w = mask >> f & 1 ? q->groups[i].words & ~done[f] : 0; w != 0; w &= w - 1) {
				sums[f] += q->words[__builtin_ctz(w)].weight * field_weight((enum field)f);
				done[f] |= w & -w;
			}
	}
	for (unsigned f = 0; f < FIELDS; f++)
		if (sums[f] > sums[best])
			best = (enum field)f;
	return best;
}
