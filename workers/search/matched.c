/* matched.c - what a hit owes its place to: words, fields and lanes; see match.h. */
#include "workers/search/match_parts.h"

/* Legend: how welcome a document of the kind is when it matches as well as another. */
const float match_prior[KINDS] = {
	[KIND_WIKI]		= 1.00f,
	[KIND_SL_SOURCE]	= 1.05f,
	[KIND_SL_MEASURE]	= 1.10f,
	[KIND_SL_DIMENSION]	= 0.90f,
	[KIND_TABLE]		= 1.00f,
	[KIND_COLUMN]		= 0.85f,
};

/* How much of itself each word answers, where it is found. */
static float
share_of(const struct question *q, struct match_found found, uint32_t words)
{
	float sum = 0;

	for (words &= found.words; words != 0; words &= words - 1) {
		unsigned i = (unsigned)__builtin_ctz(words);

		sum += q->words[i].weight * (found.names >> i & 1 ? 1 : found.above >> i & 1 ? ABOVE_NAME :
		    found.texts >> i & 1 ? (q->words[i].sought ? SOUGHT_OUTSIDE : OUTSIDE_NAME) :
		    q->words[i].sought ? SOUGHT_IN_BODY : IN_BODY);
	}
	return sum / q->whole;
}

float
match_share(const struct question *q, struct match_found found)
{
	return share_of(q, found, found.words);
}

float
match_sure(const struct question *q, struct match_found found)
{
	return share_of(q, found, found.strong) + BY_OTHERS * share_of(q, found, ~found.strong);
}

/* The term's posting of the document; UINT32_MAX: it does not hold it. */
static uint32_t
posting_of(const struct segment *s, uint32_t term, uint32_t doc)
{
	uint32_t from, to, at;
	uint8_t most;

	if (!segment_find(s, term, &from, &to, &most))
		return UINT32_MAX;
	at = segment_seek(s, from, to, doc);
	return at < to && s->docs[at] == doc ? at : UINT32_MAX;
}

bool
match_holds(const struct segment *s, const uint32_t terms[2], uint32_t doc)
{
	return (terms[0] != VOCAB_NONE && posting_of(s, terms[0], doc) != UINT32_MAX) ||
	    (terms[1] != VOCAB_NONE && terms[1] != terms[0] && posting_of(s, terms[1], doc) != UINT32_MAX);
}

static uint8_t
mask_of(const struct segment *s, uint32_t term, uint32_t doc)
{
	uint32_t at = posting_of(s, term, doc);

	return at == UINT32_MAX ? 0 : s->masks[at];
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

void
match_lanes(const struct question *q, const struct segment *s, uint32_t doc, bool *lexical, bool *guessed)
{
	*lexical = *guessed = false;
	for (size_t i = 0; i < q->ngroups; i++)
		if (group_mask(&q->groups[i], s, doc) != 0)
			*(q->groups[i].guessed ? guessed : lexical) = true;
}

enum field
match_field(const struct question *q, const struct segment *s, uint32_t doc)
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

/* --- explaining ------------------------------------------------------------------- */

/* The group's frequency in one document, in which fields, and by which of its words most. */
static float
frequency_of(const struct match_group *g, const struct segment *s, uint32_t doc, uint8_t *mask, uint32_t *via, bool *near)
{
	float sum = 0, best = 0;

	*mask = 0;
	for (size_t i = 0; i < g->nvariants; i++) {
		uint32_t at = posting_of(s, g->variants[i].term, doc);
		float f, trust;

		if (at == UINT32_MAX)
			continue;
		trust = match_trust(&g->variants[i], i < g->nown, s->masks[at]);
		*near = *near || trust >= STRONG;
		f = trust * (float)s->weights[at] / WEIGHT_SCALE;
		if (f <= 0)
			continue;
		*mask |= s->masks[at];
		if (f > best) {
			best = f;
			*via = g->variants[i].term;
		}
		sum = i < g->nown ? sum + f : sum > f ? sum : f;
	}
	return sum;
}

/* Does a child hold anything that its parent passes on nothing of? */
static bool
adds_to_parent(const struct question *q, const struct segment *s, uint32_t doc, bool guessed)
{
	for (size_t i = 0; i < q->ngroups; i++) {
		const struct match_group *g = &q->groups[i];
		uint8_t mask;
		uint32_t via;
		float above;
		bool near;

		if ((g->guessed && !guessed) || frequency_of(g, s, doc, &mask, &via, &near) <= 0)
			continue;
		above = frequency_of(g, s, s->parent[doc], &mask, &via, &near);
		if (g->whole || match_passed_on(mask, above) <= 0)
			return true;
	}
	return false;
}

size_t
match_explain(const struct question *q, const struct segment *s, uint32_t doc, bool guessed, struct match_reason *out,
    float *share)
{
	struct match_found found = { 0 };
	uint32_t parent = s->parent[doc];
	bool adds = parent != doc && adds_to_parent(q, s, doc, guessed);
	size_t n = 0;

	for (size_t i = 0; i < q->ngroups; i++) {
		const struct match_group *g = &q->groups[i];
		struct match_reason r = { .group = g };
		float own, above = 0;
		bool near = false;

		if (g->guessed && !guessed)
			continue;
		own = frequency_of(g, s, doc, &r.mask, &r.via, &near);
		if (parent != doc && !g->whole) {
			uint32_t via = 0;
			float f = frequency_of(g, s, parent, &r.above, &via, &near);

			above = f > 0 ? match_passed_on(r.above, f) : 0;
			if (adds && own <= 0 && above <= 0 && f > 0 && match_says_more(q, g))
				above = match_passed_by_text(r.above, f);
			r.via = own > 0 ? r.via : via;
		}
		if (own + above <= 0)
			continue;
		r.above = above > 0 ? r.above : 0;
		r.gain = g->rarity * match_saturate(match_with_parent(own, above, adds));
		found.words |= g->words;
		found.strong |= near ? g->words : 0;
		found.names |= r.mask & 1u << FIELD_NAME ? g->words : 0;
		found.above |= r.above & 1u << FIELD_NAME ? g->words : 0;
		found.texts |= ((r.mask | r.above) & ~(1u << FIELD_BODY)) != 0 ? g->words : 0;
		out[n++] = r;
	}
	*share = n == 0 ? 0 : match_share(q, found);
	return n;
}

float
match_welcome(enum kind kind)
{
	return match_prior[kind];
}
