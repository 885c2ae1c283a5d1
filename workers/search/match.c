/* match.c - postings walked document by document, for the best of them; see match.h. */
#include <string.h>

#include "base/mem.h"
#include "workers/search/match_parts.h"

#define ENOUGH		0.20f	/* share of a question below which a hit is stray; */
#define ENOUGH_OF_LONG	0.20f	/* of one of at least this many words that carry something, */
#define ENOUGH_OF_SENTENCE 0.12f	/* the same of one asked in a sentence */
#define LONG_QUESTION	3
#define ALONE		1.45f	/* frequency from a name of one word */
#define ENOUGH_BY_ONE	0.30f	/* and where only one of them is found */
#define ENOUGH_OF_BEST	0.30f	/* the same against the best hit of a long one, */
#define ENOUGH_OF_GUESS	0.75f	/* and against the best that spelling finds, for what words find without it */
#define SHARE_STEPS	64
#define CEILINGS	32	/* sets of words whose ceiling is remembered */

/* --- cursors ----------------------------------------------------------------- */

/* One variant's postings. */
struct stream {
	uint32_t	at, to;
	uint32_t	doc;		/* at `at`; UINT32_MAX at the end */
	struct match_variant	variant;
	bool		own;		/* of the word itself */
};

/* All postings of one group, in ascending order of documents. */
struct cursor {
	const struct match_group	*group;
	uint32_t			 doc;		/* UINT32_MAX: at the end */
	size_t				 n;
	struct stream			 streams[MATCH_VARIANTS_MAX];
	uint32_t			 npostings;
	float				 most;		/* a document gains at most this much by it */
	float				 from_parent;	/* frequency the parent at hand passes on, */
	float				 from_text;	/* or to those alone that hold other words */
	uint32_t			 block_end;	/* up to this document it gains */
	float				 block_most;	/* at most this much */
	bool				 in_block;	/* the two are of where the cursor is */
};

static void
settle(struct cursor *c)
{
	c->doc = UINT32_MAX;
	for (size_t i = 0; i < c->n; i++)
		if (c->streams[i].doc < c->doc)
			c->doc = c->streams[i].doc;
}

/* Forms of a word, which come first, add up; of several words that may be meant, one is. */
static float
together(const struct stream *t, float sum, float frequency)
{
	return t->own ? sum + frequency : sum > frequency ? sum : frequency;
}

static void
set_stream(const struct segment *s, struct stream *t)
{
	t->doc = t->at < t->to ? s->docs[t->at] : UINT32_MAX;
}

/* False: the segment holds none of the group's words. */
static bool
open_cursor(struct cursor *c, const struct segment *s, const struct match_group *g)
{
	float most = 0;

	c->group = g;
	c->n = 0;
	c->npostings = 0;
	c->from_parent = c->from_text = 0;
	for (size_t i = 0; i < g->nvariants; i++) {
		struct stream *t = &c->streams[c->n];
		uint8_t weight;

		if (!segment_find(s, g->variants[i].term, &t->at, &t->to, &weight))
			continue;
		t->variant = g->variants[i];
		t->own = i < g->nown;
		set_stream(s, t);
		c->npostings += t->to - t->at;
		most = together(t, most, t->variant.factor * (float)weight / WEIGHT_SCALE);
		c->n++;
	}
	settle(c);
	c->most = g->rarity * match_saturate(g->whole ? most : most + PARENT_NAME);
	c->in_block = false;
	return c->n > 0;
}

/* What the blocks of postings at hand can give at most, and the last document that holds for. */
static void
measure_block(struct cursor *c, const struct segment *s)
{
	float most = 0;

	if (c->in_block && c->doc <= c->block_end)
		return;
	c->in_block = true;
	c->block_end = UINT32_MAX;
	for (size_t i = 0; i < c->n; i++) {
		const struct stream *t = &c->streams[i];
		uint32_t block = t->at / SEGMENT_BLOCK, end = (block + 1) * SEGMENT_BLOCK;

		if (t->doc == UINT32_MAX)
			continue;
		end = end < t->to ? end : t->to;
		if (s->docs[end - 1] < c->block_end)
			c->block_end = s->docs[end - 1];
		most = together(t, most, t->variant.factor * (float)s->block_most[block] / WEIGHT_SCALE);
	}
	c->block_most = c->group->rarity * match_saturate(c->group->whole ? most : most + PARENT_NAME);
	if (c->block_most > c->most)
		c->block_most = c->most;
}

/* What doc gains at most by the cursor: less than by all its postings when it stands there. */
static float
most_by(const struct cursor *c, uint32_t doc)
{
	return c->doc == doc && c->in_block && doc <= c->block_end ? c->block_most : c->most;
}

/* The first posting of the stream at or behind doc: doubling steps, then halving. */
static void
seek_stream(const struct segment *s, struct stream *t, uint32_t doc)
{
	uint32_t low = t->at, step = 1;

	while (low + step < t->to && s->docs[low + step] < doc) {
		low += step;
		step *= 2;
	}
	t->at = segment_seek(s, low, low + step < t->to ? low + step : t->to, doc);
	set_stream(s, t);
}

static void
seek(struct cursor *c, const struct segment *s, uint32_t doc)
{
	if (c->doc >= doc)
		return;
	for (size_t i = 0; i < c->n; i++)
		if (c->streams[i].doc < doc)
			seek_stream(s, &c->streams[i], doc);
	settle(c);
}

/* Frequency and fields of the cursor's document; moves on. */
static float
take(struct cursor *c, const struct segment *s, uint8_t *mask, bool *strong)
{
	uint32_t doc = c->doc;
	float frequency = 0;

	*mask = 0;
	*strong = false;
	for (size_t i = 0; i < c->n; i++) {
		struct stream *t = &c->streams[i];
		float factor;

		if (t->doc != doc)
			continue;
		factor = match_trust(&t->variant, t->own, s->masks[t->at]);
		frequency = together(t, frequency, factor * (float)s->weights[t->at] / WEIGHT_SCALE);
		*mask |= factor > 0 ? s->masks[t->at] : 0;
		*strong = *strong || factor >= STRONG;
		t->at++;
		set_stream(s, t);
	}
	settle(c);
	return frequency;
}

/* --- walking one segment --------------------------------------------------------- */

struct walk {
	const struct question	*q;
	unsigned		 kinds;
	bool			 count;
	float			 enough, lonely;	/* share below which a hit is stray, and below which by one word */
	struct hits		*hits;
	size_t			 counts[SHARE_STEPS + 1];	/* hits by share */
	float			 best;				/* share */

	/* The segment at hand. */
	const struct segment	*s;
	uint32_t		 part;
	float			 welcome;	/* largest prior of the kinds asked that are in it */
	size_t			 n, essential;	/* cursors; those before `essential` are too weak alone */
	struct cursor		*cursors[MATCH_GROUPS_MAX];	/* the longest first: those are worth passing over */
	struct cursor		 all[MATCH_GROUPS_MAX];
	uint32_t		 looked;	/* blocks up to this document cannot be passed over */
	struct {
		uint32_t	words;
		float		kept;		/* 0: not known yet */
	}			 ceilings[CEILINGS];	/* by the words answered */

	/* The parent at hand. */
	uint32_t		 parent;
	uint32_t		 until;		/* its children end here, when an essential word is theirs as well */
	float			 down;		/* what each of them gets, */
	struct match_found		 from_above;	/* for these words, */
	float			 down_text;	/* and what more when it holds others, */
	struct match_found		 from_text;	/* for these */
	struct array_u32	 touched;	/* those that hold words themselves */
};

/*
 * What a score can become at most when `words` is all that is answered.  Asked
 * for nearly every document that is passed over, of the same few sets of words.
 */
static float
ceiling(struct walk *w, float score, uint32_t words)
{
	uint32_t slot = (words ^ words >> 5 ^ words >> 10) % CEILINGS;

	if (w->ceilings[slot].words != words || w->ceilings[slot].kept <= 0) {
		w->ceilings[slot].words = words;
		/* The sum is rounded in another order than a document's own: leave room for that. */
		w->ceilings[slot].kept = 1.0001f *
		    match_kept(match_share(w->q, (struct match_found){ .words = words, .names = words, .strong = words }));
	}
	return score * w->welcome * w->ceilings[slot].kept;
}

/*
 * Move the line between words that can bring a document among the best alone
 * and those that cannot, now that the threshold is what it is.
 */
static void
draw_line(struct walk *w)
{
	float sum = 0, least = match_threshold(w->hits);
	uint32_t words = 0;

	if (w->count || least <= 0)
		return;
	for (size_t i = 0; i < w->n; i++) {
		sum += w->cursors[i]->most;
		words |= w->cursors[i]->group->words;
		if (ceiling(w, sum, words) > least)
			return;
		if (w->essential < i + 1)
			w->essential = i + 1;
	}
}

static void
offer(struct walk *w, uint32_t doc, float gain, struct match_found found)
{
	enum kind kind = (enum kind)w->s->kind[doc];
	float scaled = gain * match_prior[kind];
	struct hit h = { .part = w->part, .doc = doc };
	size_t had = w->hits->n;
	float least = match_threshold(w->hits), sure;

	if ((KIND_BIT(kind) & w->kinds) == 0 || (!w->count && scaled <= least && least > 0))
		return;
	h.share = match_share(w->q, found);
	sure = w->q->sentence ? h.share : match_sure(w->q, found);
	if (sure < w->enough || (w->lonely > sure && !found.alone &&
	    __builtin_popcount(found.words & w->q->content) < 2))
		return;
	h.score = scaled * match_kept(h.share);
	w->counts[(size_t)(h.share * SHARE_STEPS)]++;
	if (h.share > w->best)
		w->best = h.share;
	match_keep(w->hits, &h);
	if (w->hits->n == w->hits->max && (had < w->hits->max || match_threshold(w->hits) > least))
		draw_line(w);
}

static uint32_t
children_end(const struct segment *s, uint32_t parent)
{
	uint32_t doc = parent + 1;

	while (doc < s->ndocs && s->parent[doc] == parent)
		doc++;
	return doc;
}

/* Children that hold no word of the question themselves, only their parent's: all alike. */
static void
leave_parent(struct walk *w)
{
	uint32_t end, parent = w->parent;
	size_t i = 0;

	w->parent = UINT32_MAX;
	w->until = 0;
	if (parent == UINT32_MAX || w->from_above.words == 0 || parent + 1 == w->s->ndocs ||
	    (!w->count && ceiling(w, w->down, w->from_above.words) <= match_threshold(w->hits) && match_threshold(w->hits) > 0))
		return;
	end = children_end(w->s, parent);
	for (uint32_t doc = parent + 1; doc < end; doc++) {
		if (i < w->touched.n && w->touched.v[i] == doc)
			i++;
		else if (!segment_is_dead(w->s, doc))
			offer(w, doc, w->down, w->from_above);
	}
}

/* What the children get of a word that the parent at hand holds; false: nothing. */
static bool
pass_down(struct walk *w, struct cursor *c, float frequency, uint8_t mask, bool near)
{
	struct match_found *found = &w->from_above;

	c->from_parent = c->group->whole ? 0 : match_passed_on(mask, frequency);
	c->from_text = match_says_more(w->q, c->group) ? match_passed_by_text(mask, frequency) : 0;
	if (c->from_parent > 0) {
		w->down += c->group->rarity * match_saturate(c->from_parent);
		found->above |= mask & 1u << FIELD_NAME ? c->group->words : 0;
	} else if (c->from_text > 0) {
		w->down_text += c->group->rarity * match_saturate(c->from_text);
		found = &w->from_text;
	} else
		return false;
	found->words |= c->group->words;
	found->texts |= c->group->words;
	found->strong |= near ? c->group->words : 0;
	return true;
}

/* parent is met, in its own postings or by its first child: note what its children get from it. */
static void
enter_parent(struct walk *w, uint32_t parent)
{
	struct match_found found = { 0 };
	float gain = 0;
	bool strong = false;

	leave_parent(w);
	w->parent = parent;
	w->down = w->down_text = 0;
	w->from_above = w->from_text = (struct match_found){ 0 };
	w->touched.n = 0;
	for (size_t i = 0; i < w->n; i++) {
		struct cursor *c = w->cursors[i];
		float frequency;
		uint8_t mask;
		bool near;

		c->from_parent = c->from_text = 0;
		seek(c, w->s, parent);
		if (c->doc != parent)
			continue;
		frequency = take(c, w->s, &mask, &near);
		if (frequency <= 0)
			continue;
		gain += c->group->rarity * match_saturate(frequency);
		found.words |= c->group->words;
		found.strong |= near ? c->group->words : 0;
		found.names |= mask & 1u << FIELD_NAME ? c->group->words : 0;
		found.texts |= (mask & ~(1u << FIELD_BODY)) != 0 ? c->group->words : 0;
		found.alone = found.alone || ((mask & 1u << FIELD_NAME) && frequency >= ALONE);
		if (pass_down(w, c, frequency, mask, near) && i >= w->essential)
			strong = true;
	}
	if (found.words != 0 && !segment_is_dead(w->s, parent))
		offer(w, parent, gain, found);
	/* With a strong word from above, a weak one of its own can bring a child in. */
	w->until = strong ? children_end(w->s, parent) : 0;
}

static void
visit_child(struct walk *w, uint32_t doc)
{
	struct match_found found = w->from_above;
	float gain = w->down, twice = 0;	/* what more there is for words that are the parent's as well */
	float text = w->down_text;	/* and for those that are said of it alone */
	bool adds = false;

	for (size_t i = 0; i < w->n; i++) {
		struct cursor *c = w->cursors[i];
		float frequency, above = c->from_parent;
		uint8_t mask;
		bool near;

		seek(c, w->s, doc);
		if (c->doc != doc)
			continue;
		frequency = take(c, w->s, &mask, &near);
		if (frequency <= 0)
			continue;
		adds = adds || above <= 0;
		text -= c->from_text > 0 ? c->group->rarity * match_saturate(c->from_text) : 0;
		gain += c->group->rarity * (match_saturate(match_with_parent(frequency, above, false)) - match_saturate(above));
		twice += c->group->rarity * (match_saturate(match_with_parent(frequency, above, true)) -
		    match_saturate(match_with_parent(frequency, above, false)));
		found.words |= c->group->words;
		found.strong |= near ? c->group->words : 0;
		found.names |= mask & 1u << FIELD_NAME ? c->group->words : 0;
		found.texts |= (mask & ~(1u << FIELD_BODY)) != 0 ? c->group->words : 0;
		found.alone = found.alone || ((mask & 1u << FIELD_NAME) && frequency >= ALONE);
	}
	if (adds && text > 0) {
		gain += text;
		found.words |= w->from_text.words;
		found.strong |= w->from_text.strong;
		found.texts |= w->from_text.words;
	}
	array_u32_push(&w->touched, doc);
	if (!segment_is_dead(w->s, doc))
		offer(w, doc, adds ? gain + twice : gain, found);
}

/* The next document that may be among the best; UINT32_MAX: none. */
static uint32_t
next_doc(const struct walk *w)
{
	uint32_t doc = UINT32_MAX;

	for (size_t i = w->essential; i < w->n; i++)
		if (w->cursors[i]->doc < doc)
			doc = w->cursors[i]->doc;
	for (size_t i = 0; w->until > 0 && i < w->essential; i++)
		if (w->cursors[i]->doc < doc && w->cursors[i]->doc < w->until && w->cursors[i]->doc > w->parent)
			doc = w->cursors[i]->doc;
	return doc;
}

/*
 * Pass over the blocks of postings at doc when nothing in them can be among
 * the best.  False: doc has to be looked at.
 */
static bool
skip_blocks(struct walk *w, uint32_t doc)
{
	uint32_t end = UINT32_MAX, words = 0, target;
	float sum = 0;

	if (w->count || doc < w->until || (doc <= w->looked && w->looked != UINT32_MAX) ||
	    match_threshold(w->hits) <= 0)
		return false;
	for (size_t i = w->essential; i < w->n; i++) {
		if (w->cursors[i]->doc == UINT32_MAX)
			continue;
		measure_block(w->cursors[i], w->s);
		if (w->cursors[i]->block_end < end)
			end = w->cursors[i]->block_end;
	}
	for (size_t i = 0; i < w->n; i++)
		if (i < w->essential || w->cursors[i]->doc <= end) {
			sum += i < w->essential ? w->cursors[i]->most : w->cursors[i]->block_most;
			words |= w->cursors[i]->group->words;
		}
	w->looked = end;
	if (ceiling(w, sum, words) > match_threshold(w->hits))
		return false;
	/* Children behind the end need what a parent before it passes on. */
	target = end + 1;
	if (target < w->s->ndocs && w->s->parent[target] >= doc)
		target = w->s->parent[target];
	if (target <= doc)
		return false;
	for (size_t i = w->essential; i < w->n; i++)
		seek(w->cursors[i], w->s, target);
	return true;
}

/* What the first n cursors, too weak alone, can add at most. */
static void
sum_of_weak(const struct walk *w, size_t n, float *sum, uint32_t *words)
{
	*sum = 0;
	*words = 0;
	for (size_t i = 0; i < n; i++) {
		*sum += w->cursors[i]->most;
		*words |= w->cursors[i]->group->words;
	}
}

/* The most that the cursor can be worth to a child that stands alone; finds out whether it or its parent is there. */
static float
worth_to_child(struct walk *w, struct cursor *c, uint32_t doc)
{
	uint32_t parent = w->s->parent[doc];

	seek(c, w->s, parent);
	if (c->doc == parent)
		return c->most;
	seek(c, w->s, doc);
	return c->doc == doc ? most_by(c, doc) : 0;
}

/*
 * Are the words that a child holds, its parent met in no list of a strong
 * word, enough for more than least?  Those that are too weak alone are first
 * taken to be there, then looked for, the longest list last.  Nothing is lost
 * by that: before doc they stand in documents that have no other.
 */
static bool
is_enough(struct walk *w, uint32_t doc, float least)
{
	float sum = 0, weak_sum;
	uint32_t words = 0, weak_words;

	for (size_t i = w->essential; i < w->n; i++)
		if (w->cursors[i]->doc == doc) {
			sum += most_by(w->cursors[i], doc);
			words |= w->cursors[i]->group->words;
		}
	for (size_t i = w->essential; ; i--) {
		float worth;

		sum_of_weak(w, i, &weak_sum, &weak_words);
		if (ceiling(w, sum + weak_sum, words | weak_words) <= least)
			return false;
		if (i == 0)
			return true;
		if ((worth = worth_to_child(w, w->cursors[i - 1], doc)) > 0) {
			sum += worth;
			words |= w->cursors[i - 1]->group->words;
		}
	}
}

/* A child by itself: true, and it is passed over, when what it holds is not enough. */
static bool
skip_child(struct walk *w, uint32_t doc)
{
	float least = match_threshold(w->hits);

	if (w->count || least <= 0 || doc < w->until || is_enough(w, doc, least))
		return false;
	for (size_t i = w->essential; i < w->n; i++)
		seek(w->cursors[i], w->s, doc + 1);
	return true;
}

static void
walk_segment(struct walk *w)
{
	const struct segment *s = w->s;
	uint32_t doc;

	w->parent = UINT32_MAX;
	w->until = 0;
	w->looked = UINT32_MAX;
	while ((doc = next_doc(w)) != UINT32_MAX) {
		if (skip_blocks(w, doc) ||
		    (s->parent[doc] != doc && s->parent[doc] != w->parent && skip_child(w, doc)))
			continue;
		if (s->parent[doc] != w->parent)
			enter_parent(w, s->parent[doc]);
		if (s->parent[doc] != doc)
			visit_child(w, doc);
	}
	leave_parent(w);
}

/* Cursors on all groups that take part. */
static void
open_cursors(struct walk *w, bool guessed)
{
	w->n = 0;
	w->essential = 0;
	for (size_t i = 0; i < w->q->ngroups; i++) {
		struct cursor *c = &w->all[w->n];
		size_t at = w->n;

		if ((w->q->groups[i].guessed && !guessed) || !open_cursor(c, w->s, &w->q->groups[i]))
			continue;
		while (at > 0 && w->cursors[at - 1]->npostings < c->npostings) {
			w->cursors[at] = w->cursors[at - 1];
			at--;
		}
		w->cursors[at] = c;
		w->n++;
	}
	draw_line(w);
}

/* One list: of the words as they are, or with the guessed ones. */
static void
fill(struct walk *w, const struct part *parts, size_t nparts, bool guessed, struct hits *hits)
{
	w->hits = hits;
	w->best = 0;
	memset(w->counts, 0, sizeof(w->counts));
	for (size_t i = 0; i < nparts; i++) {
		if ((parts[i].segment->kinds & w->kinds) == 0)
			continue;
		w->s = parts[i].segment;
		w->part = (uint32_t)i;
		w->welcome = 0;
		for (unsigned k = 0; k < KINDS; k++)
			if ((w->s->kinds & w->kinds & KIND_BIT(k)) != 0 && match_prior[k] > w->welcome)
				w->welcome = match_prior[k];
		open_cursors(w, guessed);
		walk_segment(w);
	}
}

static float
least_of(const struct walk *w)
{
	return w->q->ncontent >= LONG_QUESTION ? w->best * ENOUGH_OF_BEST : 0;
}

/* Next to hits that answer more, those that answer little are stray.  Returns how many there are in all. */
static size_t
drop_stray(struct walk *w, float least)
{
	size_t step = (size_t)(least * SHARE_STEPS), n = 0, total = 0;

	for (size_t i = 0; i < w->hits->n; i++)
		if ((size_t)(w->hits->v[i].share * SHARE_STEPS) >= step)
			w->hits->v[n++] = w->hits->v[i];
	w->hits->n = n;
	for (size_t i = step; i <= SHARE_STEPS; i++)
		total += w->counts[i];
	return total;
}

void
match(const struct question *q, const struct part *parts, size_t nparts, unsigned kinds, size_t keep,
    bool count, struct match_result *r)
{
	struct walk *w = mem_new(1, sizeof(*w));
	float guessed = 0, least;

	w->q = q;
	w->kinds = kinds;
	w->count = count;
	r->lexical.n = r->fuzzy.n = r->total = 0;
	r->lexical.max = r->fuzzy.max = keep < MATCH_HITS_MAX ? keep : MATCH_HITS_MAX;
	w->enough = q->sentence ? ENOUGH_OF_SENTENCE : q->ncontent >= LONG_QUESTION ? ENOUGH_OF_LONG : ENOUGH;
	w->lonely = q->sentence ? 0 : q->ncontent >= LONG_QUESTION ? ENOUGH_BY_ONE : 0;
	if (q->nwords > 0 && !q->lost && q->guessed) {
		fill(w, parts, nparts, true, &r->fuzzy);
		r->total = drop_stray(w, least_of(w));
		guessed = w->best;
	}
	if (q->nwords > 0 && !q->lost) {
		size_t total;

		fill(w, parts, nparts, false, &r->lexical);
		least = least_of(w);
		total = drop_stray(w, guessed * ENOUGH_OF_GUESS > least ? guessed * ENOUGH_OF_GUESS : least);
		r->total = q->guessed ? r->total : total;
	}
	if (!q->guessed)
		r->fuzzy = r->lexical;
	free(w->touched.v);
	free(w);
}
