#include "workers/search/rank/matched.h"
#include "workers/search/index/builder.h"

const char *
relation_name(enum relation r)
{
	static const char *const names[RELATIONS] = {
		[RELATION_FORM] = "form", [RELATION_SHORT] = "short", [RELATION_GERMAN] = "german",
		[RELATION_MEANING] = "meaning", [RELATION_SAME] = "synonym",
		[RELATION_MADE] = "derivation", [RELATION_KIND] = "kind", [RELATION_LETTERS] = "letters",
		[RELATION_NEAR] = "vector", [RELATION_GUESS] = "guess"
	};

	return names[r];
}

const char *
match_list_name(enum match_list list)
{
	static const char *const names[MATCH_LISTS] = {
		[MATCH_LEXICAL] = "lexical", [MATCH_FUZZY] = "fuzzy", [MATCH_SEMANTIC] = "semantic"
	};

	return names[list];
}

/* The term's posting of the document; UINT32_MAX: it does not hold it. */
static uint32_t
posting_of(const struct segment *s, uint32_t term, uint32_t doc)
{
	uint32_t from, to, at;
	uint8_t most;

	if (!segment_find(s, term, &from, &to, &most))
		return UINT32_MAX;
	at = segment_seek(s->docs, from, to, doc);
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

/* The fields of doc that variants from that relation on match, in itself or in its parent. */
static uint8_t
group_mask(const struct match_group *g, const struct segment *s, uint32_t doc, enum relation from)
{
	uint32_t parent = s->parent[doc];
	bool display = has_display((enum kind)s->kind[doc]);
	uint8_t mask = 0, above = 0;

	for (size_t i = 0; i < g->nvariants; i++) {
		if (g->variants[i].relation < from)
			continue;
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

unsigned
match_found_by(const struct question *q, const struct segment *s, uint32_t doc)
{
	unsigned lists = 0;

	for (size_t i = 0; i < q->ngroups; i++) {
		const struct match_group *g = &q->groups[i];
		bool semantic = g->lists == MATCH_IN(MATCH_SEMANTIC);

		/* The lists after the first that it counts in hold the document as well. */
		if (group_mask(g, s, doc, semantic ? RELATION_NEAR : RELATION_FORM) != 0)
			lists |= g->lists & -g->lists;
	}
	return lists;
}

enum field
match_field(const struct question *q, const struct segment *s, uint32_t doc)
{
	float sums[FIELDS] = { 0 };
	uint32_t done[FIELDS] = { 0 };
	enum field best = FIELD_NAME;

	for (size_t i = 0; i < q->ngroups; i++) {
		uint8_t mask = group_mask(&q->groups[i], s, doc, RELATION_FORM);

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
