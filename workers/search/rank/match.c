/* match.c - walks the postings document by document and keeps the best documents; see match.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/prefetch.h"
#include "workers/search/rank/match.h"
#include "workers/search/ranking/ranking.h"

#define AHEAD		8	/* postings from the one at hand to the one whose parent is fetched */
#define WEAK_FIRST	3	/* weak words, the first that are looked for */

/* Of the words answered, where they stand. */
struct found {
	uint32_t	words, names, above;
	uint32_t	texts;		/* in a description, a comment, …: anywhere but in a page's body */
};

/* BM25: more of a word helps less and less. */
static inline float
saturate(float frequency)
{
	return frequency * (ranking.k1 + 1) / (frequency + ranking.k1);
}

static inline float
smaller(float a, float b)
{
	return a < b ? a : b;
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

/* Where a word stands, by what it counts in the share: in a name, a page's body, another text. */
static inline size_t
place_of(uint8_t mask)
{
	return mask & 1u << FIELD_NAME ? 0 : mask == 1u << FIELD_BODY ? 1 : 2;
}

/* One variant's postings. */
struct stream {
	uint32_t	at, to;
	uint32_t	doc;		/* at `at`; UINT32_MAX at the end */
	struct match_variant	variant;
	bool		own;		/* of the word itself */
	/* Where k weak words are not found, a lighter posting in that place, alone in its document, is not enough. */
	uint16_t	need[WEAK_FIRST][3];
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
	uint32_t			 block_end;	/* documents before this one gain */
	float				 block_most;	/* at most this much */
};

static inline uint32_t
earlier(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void
match_settle(struct cursor *c)
{
	c->doc = UINT32_MAX;
	for (size_t i = 0; i < c->n; i++)
		c->doc = earlier(c->doc, c->streams[i].doc);
}

/* The word's own forms, which come first, add up; of the other variants only the best counts. */
static float
together(const struct stream *t, float sum, float frequency)
{
	return t->own ? sum + frequency : sum > frequency ? sum : frequency;
}

static inline void
set_stream(const struct segment *s, struct stream *t)
{
	t->doc = UINT32_MAX;
	if (t->at < t->to) {
		t->doc = s->docs[t->at];
		prefetch(&s->parent[s->docs[t->at + AHEAD < t->to ? t->at + AHEAD : t->at]]);
	}
}

/* By a frequency of the document's own, or by its parent's. */
static inline float
most_gain(const struct match_group *g, float most)
{
	return g->rarity * saturate(g->whole || most > ranking.parent_name ? most : ranking.parent_name);
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
		memset(t->need, 0, sizeof(t->need));
		set_stream(s, t);
		c->npostings += t->to - t->at;
		most = together(t, most, t->variant.factor * (float)weight / WEIGHT_SCALE);
		c->n++;
	}
	match_settle(c);
	c->most = most_gain(g, most);
	c->block_end = 0;
	return c->n > 0;
}

/* The most that the current blocks of postings can give, and the end of the documents for which that holds. */
static void
measure_block(struct cursor *c, const struct segment *s)
{
	float most = 0;

	if (c->doc < c->block_end)
		return;
	c->block_end = UINT32_MAX;
	for (size_t i = 0; i < c->n; i++) {
		const struct stream *t = &c->streams[i];
		uint32_t block = t->at / SEGMENT_BLOCK, end = (block + 1) * SEGMENT_BLOCK;

		if (t->doc == UINT32_MAX)
			continue;
		end = end < t->to ? end : t->to;
		c->block_end = earlier(c->block_end, s->docs[end - 1] + 1);
		most = together(t, most, t->variant.factor * (float)s->block_most[block] / WEIGHT_SCALE);
	}
	c->block_most = smaller(c->most, most_gain(c->group, most));
}

/* The cursor's word, found in these fields of a document itself. */
static void
note_found(struct found *f, const struct match_group *g, uint8_t mask)
{
	f->words |= mask != 0 ? g->words : 0;
	f->names |= mask & 1u << FIELD_NAME ? g->words : 0;
	f->texts |= (mask & ~(1u << FIELD_BODY)) != 0 ? g->words : 0;
}

/*
 * Frequency of the cursor's word in its document.  *mask: the fields it is in as itself or as what is like enough
 * to answer it; *via: the term that does most.
 */
static float
read_here(const struct cursor *c, const struct segment *s, uint8_t *mask, uint32_t *via)
{
	float frequency = 0, best = 0;

	*mask = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct stream *t = &c->streams[i];
		float factor, one;

		if (t->doc != c->doc)
			continue;
		factor = match_trust(&t->variant, t->own, s->masks[t->at]);
		one = factor * (float)s->weights[t->at] / WEIGHT_SCALE;
		frequency = together(t, frequency, one);
		*mask |= factor > 0 && factor >= ranking.counts ? s->masks[t->at] : 0;
		if (one > best) {
			best = one;
			*via = t->variant.term;
		}
	}
	return frequency;
}

/* What its document gains by the cursor, and in which fields. */
static float
gain_here(const struct cursor *c, const struct segment *s, struct found *found)
{
	uint32_t via;
	uint8_t mask;
	float frequency = read_here(c, s, &mask, &via);

	note_found(found, c->group, mask);
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
	float			 upto[MATCH_GROUPS_MAX + 1];	/* the most that the first n of them give, */
	uint32_t		 words_upto[MATCH_GROUPS_MAX + 1];	/* by these words */
	uint32_t		 looked;	/* blocks up to this document cannot be passed over */
	struct stream		*alone;		/* the only essential one in the document; NULL: none is */

	/* The parent at hand. */
	uint32_t		 parent;
	uint32_t		 until;		/* its children end here, when an essential word is theirs as well */
	float			 down;		/* what each of them gets, */
	struct found		 from_above;	/* for these words, */
	float			 down_text;	/* and what more when it holds others, */
	struct found		 from_text;	/* for these */
	struct array_u32	 touched;	/* those that hold words themselves */

	struct cursor		 all[];		/* one of each group of q */
};

/*
 * Whether a document may be among the best that gains at most `sum` of `terms` terms, by what is found and by `named`,
 * words in its name.  More than two terms may be rounded in another order than the document's own: that needs room.
 */
static bool
may_enter(const struct walk *w, float sum, size_t terms, struct found found, uint32_t named)
{
	float least = hits_threshold(w->hits);

	found.words |= named;
	found.names |= named;
	return w->count || least <= 0 || (terms > 2 ? 1.0001f : 1) * sum * kept(share_of(w->q, found)) > least;
}

/* Recompute, for the new threshold, which words can bring a document among the best on their own. */
static void
draw_line(struct walk *w)
{
	for (size_t n = w->essential + 1;
	     n <= w->n && !may_enter(w, w->upto[n], n, (struct found){ 0 }, w->words_upto[n]); n++) {
		w->essential = n;
		/* What was not enough was so without this word. */
		for (size_t i = n; i < w->n; i++)
			for (size_t k = 0; k < w->cursors[i]->n; k++)
				memset(w->cursors[i]->streams[k].need, 0, sizeof(w->cursors[i]->streams[k].need));
	}
}

static void
match_offer(struct walk *w, uint32_t doc, float gain, struct found found)
{
	unsigned kind = KIND_BIT(w->s->kind[doc]);
	struct hit h = { .part = w->part, .doc = doc };
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
	if (hits_threshold(w->hits) > threshold)
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
	if (parent == UINT32_MAX || w->from_above.words == 0 || !may_enter(w, w->down, SIZE_MAX, w->from_above, 0))
		return;
	end = segment_children_end(w->s, parent);
	for (uint32_t doc = parent + 1; doc < end; doc++) {
		if (i < w->touched.n && w->touched.v[i] == doc)
			i++;
		else if (w->s->kind[doc] != KIND_FAMILY && !segment_is_dead(w->s, doc))
			match_offer(w, doc, w->down, w->from_above);
	}
}

/*
 * The part of a word in the current parent that its children get, never more than the parent has; false: none.  The
 * words of its description go only to children with a word of their own: where names say little, people ask in the
 * words of the description.
 */
static bool
pass_down(struct walk *w, struct cursor *c, float frequency, uint8_t mask, uint32_t via)
{
	const struct match_group *g = c->group;
	struct found *found = &w->from_above;

	bool name = (mask & 1u << FIELD_NAME) != 0,
	     text = (mask & (1u << FIELD_DESCRIPTION | 1u << FIELD_COMMENT)) != 0;

	if (!g->whole && name)
		c->from_parent = smaller(frequency, ranking.parent_name);
	else if (!g->whole && text && (g->words & w->q->content) != 0)
		c->from_text = smaller(frequency, ranking.parent_text);
	c->above = mask;
	c->via_above = via;
	if (c->from_parent > 0) {
		w->down += g->rarity * saturate(c->from_parent);
		found->above |= g->words;
	} else if (c->from_text > 0) {
		w->down_text += g->rarity * saturate(c->from_text);
		found = &w->from_text;
	} else
		return false;
	found->words |= g->words;
	found->texts |= g->words;
	return true;
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

/* Whether doc has words of the current parent.  A family has its parent's words itself. */
static bool
inherits(const struct walk *w, uint32_t doc)
{
	return w->s->parent[doc] == w->parent && w->s->kind[doc] != KIND_FAMILY &&
	    (w->from_above.words | w->from_text.words) != 0;
}

/* Offer a document by its words and its parent's.  A parent passes its own on; true: an essential one is among them. */
static bool
visit_doc(struct walk *w, uint32_t doc)
{
	bool heir = inherits(w, doc), is_parent = doc == w->parent, some = false, strong = false;
	struct found found = heir ? w->from_above : (struct found){ 0 };
	/* The words it holds itself are put in their places below. */
	float gain = heir ? w->down : 0, text = heir ? w->down_text : 0;

	if (!is_parent)
		array_u32_push(&w->touched, doc);
	for (size_t i = 0; i < w->n; i++) {
		struct cursor *c = w->cursors[i];
		float own = 0, name = heir ? c->from_parent : 0, told = heir ? c->from_text : 0, frequency;
		uint32_t via = c->via_above;
		uint8_t mask = 0;

		seek(c, w->s, doc);
		if (c->doc == doc)
			own = read_here(c, w->s, &mask, &via);
		seek(c, w->s, doc + 1);
		/* A parent's word repeated in a column's name does not distinguish it from its siblings. */
		frequency = name > 0 ? name : own > told ? own : told;
		if (w->record != NULL && w->record->doc == doc && frequency > 0)
			w->record->v[w->record->n++] = (struct match_reason){ .group = c->group, .via = via,
				.mask = own > 0 ? mask : 0, .above = name > 0 || own <= 0 ? c->above : 0,
				.gain = c->group->rarity * saturate(frequency) };
		if (is_parent)
			c->from_parent = c->from_text = 0;
		if (own <= 0)
			continue;
		gain += c->group->rarity * (saturate(frequency) - saturate(name));
		text -= told > 0 ? c->group->rarity * saturate(told) : 0;
		note_found(&found, c->group, mask);
		some = true;
		if (is_parent && pass_down(w, c, frequency, mask, via) && i >= w->essential)
			strong = true;
	}
	if (!some && w->record != NULL)
		forget_texts(w->record);
	if (some && text > 0) {
		gain += text;
		found.words |= w->from_text.words;
		found.texts |= w->from_text.words;
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
	w->until = visit_doc(w, parent) ? segment_children_end(w->s, parent) : 0;
}

/* The next document that may be among the best; UINT32_MAX: none. */
static uint32_t
next_doc(const struct walk *w)
{
	uint32_t doc = UINT32_MAX;

	for (size_t i = w->essential; i < w->n; i++)
		doc = earlier(doc, w->cursors[i]->doc);
	for (size_t i = 0; w->until > 0 && i < w->essential; i++)
		if (w->cursors[i]->doc < w->until && w->cursors[i]->doc > w->parent)
			doc = earlier(doc, w->cursors[i]->doc);
	return doc;
}

/* Move the cursor to doc's parent, if it has not passed that yet, else to doc.  False: the word is in neither. */
static bool
find_in(struct cursor *c, const struct segment *s, uint32_t doc)
{
	seek(c, s, s->parent[doc]);
	if (c->doc != s->parent[doc])
		seek(c, s, doc);
	return c->doc <= doc;
}

static bool
has_children(const struct segment *s, uint32_t doc)
{
	return doc + 1 < s->ndocs && s->parent[doc + 1] == doc;
}

static uint16_t *
need_of(const struct walk *w, struct stream *t, size_t k)
{
	return &t->need[k][place_of(w->s->masks[t->at])];
}

/* Whether the posting is too light, alone in its document: the first weak words are looked for one by one. */
static bool
is_light(const struct walk *w, struct stream *t)
{
	for (size_t k = 0; k < WEAK_FIRST; k++) {
		if (w->s->weights[t->at] < *need_of(w, t, k))
			return true;
		if (k == w->essential || find_in(w->cursors[w->essential - 1 - k], w->s, t->doc))
			return false;
	}
	return false;
}

/*
 * Pass over postings that are too light, from doc on, as long as no other essential stream holds a document of theirs.
 * A parent is never passed over, nor what may have the words of the current one.
 */
static bool
skip_light(struct walk *w, uint32_t doc)
{
	const struct segment *s = w->s;
	struct cursor *of = NULL;
	struct stream *t = NULL;
	uint32_t other = UINT32_MAX;

	w->alone = NULL;
	for (size_t i = w->essential; i < w->n; i++) {
		struct cursor *c = w->cursors[i];

		other = c->doc > doc ? earlier(other, c->doc) : other;
		for (size_t k = 0; c->doc == doc && k < c->n; k++)
			if (c->streams[k].doc > doc)
				other = earlier(other, c->streams[k].doc);
			else if (t != NULL)
				return false;
			else {
				t = &c->streams[k];
				of = c;
			}
	}
	if (t == NULL || doc < w->until)
		return false;
	w->alone = t;
	while (t->doc < other && !has_children(s, t->doc) && !inherits(w, t->doc) && is_light(w, t)) {
		t->at++;
		set_stream(s, t);
	}
	if (t->doc == doc)
		return false;
	match_settle(of);
	return true;
}

/*
 * Pass over the blocks of postings at doc when nothing in them can be among
 * the best.  False: doc has to be looked at.
 */
static bool
skip_blocks(struct walk *w, uint32_t doc)
{
	uint32_t end = UINT32_MAX, words = w->words_upto[w->essential];
	float sum = w->upto[w->essential];
	size_t terms = w->essential;

	if (doc < w->until || doc < w->looked)
		return false;
	for (size_t i = w->essential; i < w->n; i++)
		if (w->cursors[i]->doc != UINT32_MAX) {
			measure_block(w->cursors[i], w->s);
			end = earlier(end, w->cursors[i]->block_end);
		}
	for (size_t i = w->essential; i < w->n; i++)
		if (w->cursors[i]->doc < end) {
			sum += w->cursors[i]->block_most;
			words |= w->cursors[i]->group->words;
			terms++;
		}
	w->looked = end;
	if (may_enter(w, sum, terms, (struct found){ 0 }, words))
		return false;
	/* Children after the end of the range still need the words of a parent before it. */
	if (end < w->s->ndocs && w->s->parent[end] >= doc)
		end = w->s->parent[end];
	if (end <= doc)
		return false;
	for (size_t i = w->essential; i < w->n; i++)
		seek(w->cursors[i], w->s, end);
	return true;
}

/*
 * Whether doc can be among the best: by the words it holds, and by what the current parent passes on, if doc is its
 * child.  Words that are too weak alone are first taken to be there, then looked for, the longest list last.  Nothing
 * is lost by that: before doc they are in documents that hold no other word.
 */
static bool
is_enough(struct walk *w, uint32_t doc)
{
	struct found found = { 0 };
	size_t terms = 0;
	float sum = 0;
	bool heir = inherits(w, doc), alone = !heir && w->alone != NULL;

	if (heir) {
		sum = w->down + w->down_text;
		found = w->from_above;
		found.words |= w->from_text.words;
		found.texts |= w->from_text.texts;
		terms = 2;
	}
	for (size_t i = w->essential; i < w->n; i++)
		if (w->cursors[i]->doc == doc) {
			sum += gain_here(w->cursors[i], w->s, &found);
			terms++;
		}
	for (size_t i = w->essential;; i--) {
		struct cursor *c = i > 0 ? w->cursors[i - 1] : NULL;

		if (!may_enter(w, sum + w->upto[i], terms + i, found, w->words_upto[i])) {
			if (alone && w->essential - i < WEAK_FIRST)
				*need_of(w, w->alone, w->essential - i) = (uint16_t)(w->s->weights[w->alone->at] + 1);
			return false;
		}
		if (c == NULL)
			return true;
		if (!find_in(c, w->s, doc))
			continue;
		alone = false;
		terms++;
		if (c->doc == doc)
			sum += gain_here(c, w->s, &found);
		else {
			sum += c->most;
			found.words |= c->group->words;
			found.names |= c->group->words;
		}
	}
}

/* Judge a document by the words it can have: true, and it is skipped, when they are not enough. */
static bool
skip_doc(struct walk *w, uint32_t doc)
{
	bool wanted = (KIND_BIT(w->s->kind[doc]) & (w->kinds | KIND_BIT(KIND_FAMILY))) != 0;

	/* A parent is looked at for what it passes on. */
	if (has_children(w->s, doc) || (wanted && is_enough(w, doc)))
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
	w->looked = 0;
	while ((doc = next_doc(w)) != UINT32_MAX) {
		if (!w->count && hits_threshold(w->hits) > 0 &&
		    (skip_light(w, doc) || skip_blocks(w, doc) || skip_doc(w, doc)))
			continue;
		if (s->parent[doc] != w->parent)
			enter_parent(w, s->parent[doc]);
		if (s->parent[doc] != doc)
			visit_doc(w, doc);
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
	for (size_t i = 0; i < w->n; i++) {
		w->upto[i + 1] = w->upto[i] + w->cursors[i]->most;
		w->words_upto[i + 1] = w->words_upto[i] | w->cursors[i]->group->words;
	}
	draw_line(w);
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
	struct walk *w = mem_new(1, sizeof(*w) + q->ngroups * sizeof(w->all[0]));
	unsigned lists = q->nwords == 0 ? 0 : q->lists | MATCH_IN(MATCH_LEXICAL);

	*w = (struct walk){ .q = q, .kinds = kinds, .count = count };
	for (enum match_list list = 0; list < MATCH_LISTS; list++) {
		w->hits = &r->lists[list];
		w->hits->n = 0;
		/* With guesses no document has less than without, but for what the sum is rounded. */
		w->hits->least = list == MATCH_FUZZY ? 0.9999f * hits_threshold(w->hits - 1) : 0;
		w->hits->max = keep < MATCH_HITS_MAX ? keep : MATCH_HITS_MAX;
		if ((lists & MATCH_IN(list)) == 0)
			continue;
		w->total = 0;
		for (w->part = 0; w->part < nparts; w->part++) {
			w->s = parts[w->part].segment;
			if ((w->s->kinds & (kinds | KIND_BIT(KIND_FAMILY))) == 0)
				continue;
			open_cursors(w, list);
			walk_segment(w);
		}
	}
	r->total = w->total;
	if ((lists & MATCH_IN(MATCH_FUZZY)) != 0 && !q->is_long)
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
	struct walk *w = mem_new(1, sizeof(*w) + q->ngroups * sizeof(w->all[0]));
	struct record record = { .doc = doc, .v = out };
	struct hits hits = { .max = 1 };

	*w = (struct walk){ .q = q, .kinds = KINDS_ALL, .count = true, .record = &record, .hits = &hits, .s = s };
	w->parent = UINT32_MAX;
	open_cursors(w, list);
	enter_parent(w, s->parent[doc]);
	if (s->parent[doc] != doc)
		visit_doc(w, doc);
	*hit = hits.n > 0 ? hits.v[0] : (struct hit){ .doc = doc };
	qsort(record.v, record.n, sizeof(*record.v), by_words);
	free(w->touched.v);
	free(w);
	return hits.n > 0 ? record.n : 0;
}
