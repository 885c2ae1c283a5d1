/* match.c - walks the postings document by document and keeps the best documents; see match.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/prefetch.h"
#include "workers/search/rank/match.h"
#include "workers/search/ranking.h"

#define AHEAD		8	/* postings from the one at hand to the one whose parent is fetched */
#define CEILINGS	32	/* sets of words whose ceiling is remembered */

/* Of the words answered, where they stand. */
struct found {
	uint32_t	words, names, above;
	uint32_t	texts;		/* in a description, a comment, …: anywhere but in a page's body */
};

/* --- the formula --------------------------------------------------------------- */

/* BM25: more of a word helps less and less. */
static inline float
saturate(float frequency)
{
	return frequency * (ranking.k1 + 1) / (frequency + ranking.k1);
}

/*
 * The frequency of a word in a child: `above` comes from the parent's name, `text` from the parent's description.
 * A child whose name repeats its parent's word says no more by it than its brothers: the parent stands before it.
 */
static inline float
frequency_of(float own, float above, float text)
{
	return above > 0 ? above : own > text ? own : text;
}

static inline float
smaller(float a, float b)
{
	return a < b ? a : b;
}

/* The part of a parent's name frequency that its children get; never more than the parent has. */
static inline float
passed_on(uint8_t mask, float frequency)
{
	return mask & 1u << FIELD_NAME ? smaller(frequency, ranking.parent_name) : 0;
}

/*
 * The same for the parent's description, given only to children with a word of their own: where names say little,
 * people ask in the words of the description.
 */
static inline float
passed_by_text(uint8_t mask, float frequency)
{
	bool text = (mask & (1u << FIELD_DESCRIPTION | 1u << FIELD_COMMENT)) != 0;

	return text && (mask & 1u << FIELD_NAME) == 0 ? smaller(frequency, ranking.parent_text) : 0;
}

/* A variant counts less in running text; a function word counts nothing outside a name. */
static inline float
match_trust(const struct match_variant *v, bool own, uint8_t mask)
{
	if (own)
		return v->factor;
	if (v->names_only && (mask & 1u << FIELD_NAME) == 0)
		return 0;
	return mask == 1u << FIELD_BODY ? v->factor * ranking.other_in_body : v->factor;
}

/* The share of the question that is answered: each word counts by the field it was found in. */
static float
share_of(const struct question *q, struct found found)
{
	float sum = 0;

	for (uint32_t words = found.words; words != 0; words &= words - 1) {
		unsigned i = (unsigned)__builtin_ctz(words);

		sum += q->words[i].weight *
		    (found.names >> i & 1        ? 1 :
			    found.above >> i & 1 ? ranking.above :
			    found.texts >> i & 1 ? ranking.outside :
						   ranking.body_alone);
	}
	return q->findable > 0 ? smaller(sum / q->findable, 1) : 0;
}

/* The factor on a sum of gains when this share of the question is answered. */
static inline float
kept(float share)
{
	return ranking.partial + (1 - ranking.partial) * share;
}

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
	float				 from_text;	/* or to those alone that hold other words, */
	uint8_t				 above;		/* by these of its fields */
	uint32_t			 via_above;	/* and this term */
	uint32_t			 block_end;	/* up to this document it gains */
	float				 block_most;	/* at most this much */
	bool				 in_block;	/* the two are of where the cursor is */
};

static void
match_settle(struct cursor *c)
{
	c->doc = UINT32_MAX;
	for (size_t i = 0; i < c->n; i++)
		if (c->streams[i].doc < c->doc)
			c->doc = c->streams[i].doc;
}

/* The word's own forms, which come first, add up; of the other variants only the best counts. */
static float
together(const struct stream *t, float sum, float frequency)
{
	return t->own ? sum + frequency : sum > frequency ? sum : frequency;
}

static void
set_stream(const struct segment *s, struct stream *t)
{
	t->doc = UINT32_MAX;
	if (t->at < t->to) {
		t->doc = s->docs[t->at];
		prefetch(&s->parent[s->docs[t->at + AHEAD < t->to ? t->at + AHEAD : t->at]]);
	}
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
	match_settle(c);
	c->most = g->rarity * saturate(g->whole || most > ranking.parent_name ? most : ranking.parent_name);
	c->in_block = false;
	return c->n > 0;
}

/* The most that the current blocks of postings can give, and the last document for which that holds. */
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
	c->block_most =
	    c->group->rarity * saturate(c->group->whole || most > ranking.parent_name ? most : ranking.parent_name);
	if (c->block_most > c->most)
		c->block_most = c->most;
}

/* What the document that the cursor stands at gains by it at most: by its weights, whichever fields they are of. */
static float
gain_here(const struct cursor *c, const struct segment *s)
{
	float frequency = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct stream *t = &c->streams[i];

		if (t->doc == c->doc)
			frequency = together(t, frequency, t->variant.factor * (float)s->weights[t->at] / WEIGHT_SCALE);
	}
	return c->group->rarity * saturate(frequency);
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
	t->at = segment_seek(s->docs, low, low + step < t->to ? low + step : t->to, doc);
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
	match_settle(c);
}

/*
 * Frequency of the cursor's word in its document; moves on.  *mask: the fields
 * it stands in as itself or as what is like enough to answer it; *via: the term
 * that does most.
 */
static float
match_take(struct cursor *c, const struct segment *s, uint8_t *mask, uint32_t *via)
{
	uint32_t doc = c->doc;
	float frequency = 0, best = 0;

	*mask = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct stream *t = &c->streams[i];
		float factor, one;

		if (t->doc != doc)
			continue;
		factor = match_trust(&t->variant, t->own, s->masks[t->at]);
		one = factor * (float)s->weights[t->at] / WEIGHT_SCALE;
		frequency = together(t, frequency, one);
		*mask |= factor > 0 && factor >= ranking.counts ? s->masks[t->at] : 0;
		if (one > best) {
			best = one;
			*via = t->variant.term;
		}
		t->at++;
		set_stream(s, t);
	}
	match_settle(c);
	return frequency;
}

/* --- walking one segment --------------------------------------------------------- */

/* One document that is asked about, and what it gains by each cursor; for explaining. */
struct record {
	uint32_t		 doc;
	size_t			 n;
	struct match_reason	*v;
};

struct walk {
	const struct question	*q;
	unsigned		 kinds;
	bool			 count;
	struct hits		*hits;
	size_t			 total;		/* all that were found */
	struct record		*record;	/* NULL: nothing is to be explained */

	/* The segment at hand. */
	const struct segment	*s;
	uint32_t		 part;
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
	struct found		 from_above;	/* for these words, */
	float			 down_text;	/* and what more when it holds others, */
	struct found		 from_text;	/* for these */
	struct array_u32	 touched;	/* those that hold words themselves */
};

/*
 * The largest score possible when only `words` are answered.  Needed for nearly every document that is passed
 * over, always for the same few sets, so the answers are cached.
 */
static float
match_ceiling(struct walk *w, float score, uint32_t words)
{
	uint32_t slot = (words ^ words >> 5 ^ words >> 10) % CEILINGS;

	if (w->ceilings[slot].words != words || w->ceilings[slot].kept <= 0) {
		w->ceilings[slot].words = words;
		/* The sum is rounded in another order than a document's own: leave room for that. */
		w->ceilings[slot].kept =
		    1.0001f * kept(share_of(w->q, (struct found){ .words = words, .names = words }));
	}
	return score * w->ceilings[slot].kept;
}

/* Recompute, for the new threshold, which words can bring a document among the best on their own. */
static void
draw_line(struct walk *w)
{
	float sum = 0, least = hits_threshold(w->hits);
	uint32_t words = 0;

	if (w->count || least <= 0)
		return;
	for (size_t i = 0; i < w->n; i++) {
		sum += w->cursors[i]->most;
		words |= w->cursors[i]->group->words;
		if (match_ceiling(w, sum, words) > least)
			return;
		if (w->essential < i + 1)
			w->essential = i + 1;
	}
}

static void
match_offer(struct walk *w, uint32_t doc, float gain, struct found found)
{
	unsigned kind = KIND_BIT(w->s->kind[doc]);
	struct hit h = { .part = w->part, .doc = doc };
	size_t had = w->hits->n;
	float threshold = hits_threshold(w->hits);

	if ((kind & (w->kinds | KIND_BIT(KIND_FAMILY))) == 0 || (w->record != NULL && w->record->doc != doc) ||
	    (!w->count && gain <= threshold && threshold > 0))
		return;
	/* Function words alone, or variants that are hardly like the word, find nothing. */
	if ((found.words & w->q->content) == 0)
		return;
	h.share = share_of(w->q, found);
	h.score = gain * kept(h.share);
	w->total += (kind & w->kinds) != 0;
	hits_keep(w->hits, &h);
	if (w->hits->n == w->hits->max && (had < w->hits->max || hits_threshold(w->hits) > threshold))
		draw_line(w);
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
	    (!w->count && match_ceiling(w, w->down, w->from_above.words) <= hits_threshold(w->hits) &&
		hits_threshold(w->hits) > 0))
		return;
	end = segment_children_end(w->s, parent);
	for (uint32_t doc = parent + 1; doc < end; doc++) {
		if (i < w->touched.n && w->touched.v[i] == doc)
			i++;
		else if (w->s->kind[doc] != KIND_FAMILY && !segment_is_dead(w->s, doc))
			match_offer(w, doc, w->down, w->from_above);
	}
}

/* The cursor's word, found in these fields of a document itself. */
static void
note_found(struct found *f, const struct match_group *g, uint8_t mask)
{
	f->words |= mask != 0 ? g->words : 0;
	f->names |= mask & 1u << FIELD_NAME ? g->words : 0;
	f->texts |= (mask & ~(1u << FIELD_BODY)) != 0 ? g->words : 0;
}

static void
note_reason(struct walk *w, uint32_t doc, const struct match_group *g, uint32_t via, uint8_t mask, uint8_t above,
    float frequency)
{
	if (w->record != NULL && w->record->doc == doc && frequency > 0)
		w->record->v[w->record->n++] = (struct match_reason){
			.group = g, .via = via, .mask = mask, .above = above, .gain = g->rarity * saturate(frequency)
		};
}

/* The part of a word in the current parent that its children get; false: none. */
static bool
pass_down(struct walk *w, struct cursor *c, float frequency, uint8_t mask, uint32_t via)
{
	const struct match_group *g = c->group;
	struct found *found = &w->from_above;

	c->from_parent = g->whole ? 0 : passed_on(mask, frequency);
	c->from_text = !g->whole && (g->words & w->q->content) != 0 ? passed_by_text(mask, frequency) : 0;
	c->above = mask;
	c->via_above = via;
	if (c->from_parent > 0) {
		w->down += g->rarity * saturate(c->from_parent);
		found->above |= mask & 1u << FIELD_NAME ? g->words : 0;
	} else if (c->from_text > 0) {
		w->down_text += g->rarity * saturate(c->from_text);
		found = &w->from_text;
	} else
		return false;
	found->words |= g->words;
	found->texts |= g->words;
	return true;
}

/* Offer a document by its own words alone.  As a parent it passes them on; true: an essential one is among these. */
static bool
visit_alone(struct walk *w, uint32_t doc, bool is_parent)
{
	struct found found = { 0 };
	float gain = 0;
	bool strong = false;

	for (size_t i = 0; i < w->n; i++) {
		struct cursor *c = w->cursors[i];
		uint32_t via = VOCAB_NONE;
		float frequency;
		uint8_t mask;

		if (is_parent)
			c->from_parent = c->from_text = 0;
		seek(c, w->s, doc);
		if (c->doc != doc || (frequency = match_take(c, w->s, &mask, &via)) <= 0)
			continue;
		gain += c->group->rarity * saturate(frequency);
		note_reason(w, doc, c->group, via, mask, 0, frequency);
		note_found(&found, c->group, mask);
		if (is_parent && pass_down(w, c, frequency, mask, via) && i >= w->essential)
			strong = true;
	}
	if (gain > 0 && !segment_is_dead(w->s, doc))
		match_offer(w, doc, gain, found);
	return strong;
}

/* Start a parent, met in its own postings or by its first child: compute what its children get from it. */
static void
enter_parent(struct walk *w, uint32_t parent)
{
	leave_parent(w);
	w->parent = parent;
	w->down = w->down_text = 0;
	w->from_above = w->from_text = (struct found){ 0 };
	w->touched.n = 0;
	/* With a strong word from the parent, a weak word of the child's own can be enough. */
	w->until = visit_alone(w, parent, true) ? segment_children_end(w->s, parent) : 0;
}

/* A description of the parent alone gains nothing. */
static void
forget_texts(struct record *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if ((r->v[i].above & 1u << FIELD_NAME) != 0)
			r->v[n++] = r->v[i];
	r->n = n;
}

static void
visit_child(struct walk *w, uint32_t doc)
{
	struct found found = w->from_above;
	float gain = w->down, text = w->down_text; /* the words it holds itself are put in their places below */
	bool some = false;

	array_u32_push(&w->touched, doc);
	/* A family has its parent's words itself. */
	if (w->s->kind[doc] == KIND_FAMILY) {
		(void)visit_alone(w, doc, false);
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		struct cursor *c = w->cursors[i];
		uint32_t via = VOCAB_NONE;
		float own, frequency;
		uint8_t mask;

		seek(c, w->s, doc);
		if (c->doc != doc || (own = match_take(c, w->s, &mask, &via)) <= 0) {
			note_reason(w, doc, c->group, c->via_above, 0, c->above,
			    frequency_of(0, c->from_parent, c->from_text));
			continue;
		}
		frequency = frequency_of(own, c->from_parent, c->from_text);
		gain += c->group->rarity * (saturate(frequency) - saturate(c->from_parent));
		text -= c->from_text > 0 ? c->group->rarity * saturate(c->from_text) : 0;
		note_reason(w, doc, c->group, via, mask, c->from_parent > 0 ? c->above : 0, frequency);
		note_found(&found, c->group, mask);
		some = true;
	}
	if (!some && w->record != NULL)
		forget_texts(w->record);
	if (some && text > 0) {
		gain += text;
		found.words |= w->from_text.words;
		found.texts |= w->from_text.words;
	}
	if (!segment_is_dead(w->s, doc))
		match_offer(w, doc, gain, found);
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

	if (w->count || doc < w->until || (doc <= w->looked && w->looked != UINT32_MAX) || hits_threshold(w->hits) <= 0)
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
	if (match_ceiling(w, sum, words) > hits_threshold(w->hits))
		return false;
	/* Children after the end of the range still need the words of a parent before it. */
	target = end + 1;
	if (target < w->s->ndocs && w->s->parent[target] >= doc)
		target = w->s->parent[target];
	if (target <= doc)
		return false;
	for (size_t i = w->essential; i < w->n; i++)
		seek(w->cursors[i], w->s, target);
	return true;
}

/* The most that the first n cursors, the non-essential ones, can add. */
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

/*
 * The most that the cursor can be worth to a child: by its parent, where the cursor has not passed that yet, or by the
 * child itself.  Moves the cursor to whichever it is.
 */
static float
worth_to_child(struct walk *w, struct cursor *c, uint32_t doc)
{
	uint32_t parent = w->s->parent[doc];

	seek(c, w->s, parent);
	if (c->doc == parent)
		return c->most;
	seek(c, w->s, doc);
	return c->doc == doc ? gain_here(c, w->s) : 0;
}

/*
 * Whether doc, a child, can score more than least: by the words it holds, and
 * by what the current parent passes on, if doc is its child.  Words that are
 * too weak alone are first taken to be there, then looked for, the longest
 * list last.  Nothing is lost by that: before doc they stand in documents that
 * hold no other word.
 */
static bool
is_enough(struct walk *w, uint32_t doc, float least)
{
	bool known = w->s->parent[doc] == w->parent;
	float sum = known ? w->down + w->down_text : 0, weak_sum;
	uint32_t words = known ? w->from_above.words | w->from_text.words : 0, weak_words;

	for (size_t i = w->essential; i < w->n; i++)
		if (w->cursors[i]->doc == doc) {
			sum += gain_here(w->cursors[i], w->s);
			words |= w->cursors[i]->group->words;
		}
	for (size_t i = w->essential;; i--) {
		float worth;

		sum_of_weak(w, i, &weak_sum, &weak_words);
		if (match_ceiling(w, sum + weak_sum, words | weak_words) <= least)
			return false;
		if (i == 0)
			return true;
		if ((worth = worth_to_child(w, w->cursors[i - 1], doc)) > 0) {
			sum += worth;
			words |= w->cursors[i - 1]->group->words;
		}
	}
}

/* Judge a child by the words it can have: true, and it is skipped, when they are not enough. */
static bool
skip_child(struct walk *w, uint32_t doc)
{
	float least = hits_threshold(w->hits);

	if (w->count || least <= 0 || is_enough(w, doc, least))
		return false;
	for (size_t i = doc < w->until ? 0 : w->essential; i < w->n; i++)
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
		if (skip_blocks(w, doc) || (s->parent[doc] != doc && skip_child(w, doc)))
			continue;
		if (s->parent[doc] != w->parent)
			enter_parent(w, s->parent[doc]);
		if (s->parent[doc] != doc)
			visit_child(w, doc);
	}
	leave_parent(w);
}

/* Open cursors on all groups that take part. */
static void
open_cursors(struct walk *w, enum match_list list)
{
	w->n = 0;
	w->essential = 0;
	for (size_t i = 0; i < w->q->ngroups; i++) {
		struct cursor *c = &w->all[w->n];
		size_t at = w->n;

		if ((w->q->groups[i].lists & MATCH_IN(list)) == 0 || !open_cursor(c, w->s, &w->q->groups[i]))
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

static void
match_fill(struct walk *w, const struct part *parts, size_t nparts, enum match_list list, struct hits *hits)
{
	w->hits = hits;
	w->total = 0;
	for (size_t i = 0; i < nparts; i++) {
		if ((parts[i].segment->kinds & (w->kinds | KIND_BIT(KIND_FAMILY))) == 0)
			continue;
		w->s = parts[i].segment;
		w->part = (uint32_t)i;
		open_cursors(w, list);
		walk_segment(w);
	}
}

/* Where guesses answer far more of the question, hits of the literal words alone are dropped. */
static void
drop_worse(struct hits *lexical, const struct hits *fuzzy)
{
	size_t n = 0;
	float best = 0;

	for (size_t i = 0; i < fuzzy->n; i++)
		best = best > fuzzy->v[i].share ? best : fuzzy->v[i].share;
	for (size_t i = 0; i < lexical->n; i++)
		if (lexical->v[i].share >= ranking.beside_guess * best)
			lexical->v[n++] = lexical->v[i];
	lexical->n = n;
}

void
match(const struct question *q, const struct part *parts, size_t nparts, unsigned kinds, size_t keep,
    bool count, struct match_result *r)
{
	struct walk *w = mem_new(1, sizeof(*w));
	unsigned lists = q->nwords == 0 ? 0 : q->lists | MATCH_IN(MATCH_LEXICAL);

	w->q = q;
	w->kinds = kinds;
	w->count = count;
	for (enum match_list list = 0; list < MATCH_LISTS; list++) {
		r->lists[list].n = 0;
		r->lists[list].max = keep < MATCH_HITS_MAX ? keep : MATCH_HITS_MAX;
		if ((lists & MATCH_IN(list)) != 0)
			match_fill(w, parts, nparts, list, &r->lists[list]);
	}
	r->total = w->total;
	if ((lists & MATCH_IN(MATCH_FUZZY)) == 0)
		r->lists[MATCH_FUZZY] = r->lists[MATCH_LEXICAL];
	else if (!q->is_long)
		drop_worse(&r->lists[MATCH_LEXICAL], &r->lists[MATCH_FUZZY]);
	free(w->touched.v);
	free(w);
}

/* In the order of the question's words. */
static int
by_words(const void *a, const void *b)
{
	const struct match_group *x = ((const struct match_reason *)a)->group;
	const struct match_group *y = ((const struct match_reason *)b)->group;
	int order = __builtin_ctz(x->words) - __builtin_ctz(y->words);

	return order != 0 ? order : (x > y) - (x < y);
}

size_t
match_explain(const struct question *q, const struct segment *s, uint32_t doc, enum match_list list,
    struct match_reason *out, struct hit *hit)
{
	struct walk *w = mem_new(1, sizeof(*w));
	struct record record = { .doc = doc, .v = out };
	struct hits hits = { .max = 1 };

	w->q = q;
	w->kinds = KINDS_ALL;
	w->count = true;
	w->record = &record;
	w->hits = &hits;
	w->s = s;
	w->parent = UINT32_MAX;
	open_cursors(w, list);
	enter_parent(w, s->parent[doc]);
	if (s->parent[doc] != doc)
		visit_child(w, doc);
	*hit = hits.n > 0 ? hits.v[0] : (struct hit){ .doc = doc };
	qsort(record.v, record.n, sizeof(*record.v), by_words);
	free(w->touched.v);
	free(w);
	return hits.n > 0 ? record.n : 0;
}
