#include <math.h>

#include "workers/search/answer/put.h"
#include "workers/search/find/tools_explain.h"
#include "workers/search/find/tools_find.h"
#include "workers/search/rank/matched.h"
#include "workers/search/index/builder.h"
#include "workers/shared/call.h"

static void
put_number(struct buf *out, const char *key, double n)
{
	mp_pair_double(out, key, round(n * 1e6) / 1e6);
}

/* The text of a term; an exact term is kept as a number only, and a description stands for it. */
static struct span
tools_explain_shown(const struct vocab *v, const struct match_group *g, uint32_t term)
{
	struct span text = vocab_text(v, term);

	return text.len > 0 ? text : g->whole ? SPAN("(the whole name)") : SPAN("(written in one, or initials)");
}

static void
put_fields(struct buf *out, const char *key, uint8_t mask)
{
	mp_pair_array(out, key, (size_t)__builtin_popcount(mask));
	for (unsigned f = 0; f < FIELDS; f++)
		if (mask >> f & 1)
			mp_put_cstr(out, field_name((enum field)f));
}

static void
put_variants(const struct vocab *v, const struct question *q, size_t word, struct buf *out)
{
	size_t mark;

	mark = mp_pair_open_array(out, "standsFor");
	for (size_t i = 0; i < q->ngroups; i++) {
		const struct match_group *g = &q->groups[i];

		for (size_t k = 0; g->words == UINT32_C(1) << word && k < g->nvariants; k++) {
			size_t map;

			/* A group of the semantic list repeats the variants of the word's own group. */
			if (g->lists == MATCH_IN(MATCH_SEMANTIC) && g->variants[k].relation != RELATION_NEAR)
				continue;
			map = mp_open_pairs(out, mp_maybe("word", tools_explain_shown(v, g, g->variants[k].term)));
			put_number(out, "likeness", (double)g->variants[k].factor);
			mp_add_pairs(out, mp_cstr("as", relation_name(g->variants[k].relation)),
			    mp_bool("guessed", g->variants[k].relation == RELATION_GUESS));
			mp_end(out, map);
		}
	}
	mp_end(out, mark);
}

static void
put_words(const struct vocab *v, const struct question *q, struct buf *out)
{
	mp_pair_array(out, "words", q->nwords);
	for (size_t i = 0; i < q->nwords; i++) {
		mp_put_map(out, 3);
		mp_pair_maybe(out, "word", q->words[i].folded);
		put_number(out, "weight", q->asked > 0 ? (double)(q->words[i].weight / q->asked) : 0);
		put_variants(v, q, i, out);
	}
}

/* Words of the question, by bit, in their order. */
static void
put_asked(const struct question *q, uint32_t words, const char *key, struct buf *out)
{
	mp_pair_array(out, key, (size_t)__builtin_popcount(words));
	for (size_t i = 0; i < q->nwords; i++)
		if (words >> i & 1)
			mp_put_str(out, q->words[i].folded);
}

/* What a word gains, shared out to the fields it is in by their weights. */
static void
add_fields(const struct match_reason *r, double sums[FIELDS], double *above)
{
	double weights = 0;

	for (unsigned f = 0; f < FIELDS; f++)
		weights += r->mask >> f & 1 ? (double)field_weight((enum field)f) : 0;
	for (unsigned f = 0; f < FIELDS && weights > 0; f++)
		if (r->mask >> f & 1)
			sums[f] += (double)(r->gain * field_weight((enum field)f)) / weights;
	*above += weights > 0 ? 0 : (double)r->gain;
}

static void
put_field_scores(const struct match_reason *reasons, size_t n, struct buf *out)
{
	double sums[FIELDS] = { 0 }, above = 0;
	size_t mark;

	for (size_t i = 0; i < n; i++)
		add_fields(&reasons[i], sums, &above);
	mark = mp_pair_open_array(out, "fields");
	for (unsigned f = 0; f <= FIELDS; f++)
		if (f < FIELDS ? sums[f] > 0 : above > 0) {
			size_t map =
			    mp_open_pairs(out, mp_cstr("field", f < FIELDS ? field_name((enum field)f) : "parent"));

			put_number(out, "score", f < FIELDS ? sums[f] : above);
			mp_end(out, map);
		}
	mp_end(out, mark);
}

/* The words of the question that the family of doc's parent holds. */
static void
put_family_words(const struct question *q, const struct segment *s, uint32_t doc, enum match_list lane, struct buf *out)
{
	struct match_reason reasons[MATCH_GROUPS_MAX];
	uint32_t family = segment_family(s, s->parent[doc]), words = 0;
	struct hit hit;
	size_t n = family == VOCAB_NONE ? 0 : match_explain(q, s, family, lane, reasons, &hit);

	for (size_t i = 0; i < n; i++)
		words |= reasons[i].mask != 0 ? reasons[i].group->words : 0;
	put_asked(q, words, "familyWords", out);
}

static void
put_lane(const struct vocab *v, const struct answers *a, const struct ranked *r, enum match_list lane, struct buf *out)
{
	struct match_reason reasons[MATCH_GROUPS_MAX];
	const struct segment *s = a->parts[r->part].segment;
	const struct rank_place *l = &r->lanes[lane];
	double words = 0;
	struct hit hit;
	size_t n = match_explain(&a->q, s, r->doc, lane, reasons, &hit);

	for (size_t i = 0; i < n; i++)
		words += (double)reasons[i].gain;
	mp_put_map(out, 13);
	mp_pair_cstr(out, "lane", match_list_name(lane));
	mp_pair_uint(out, "rank", l->rank);
	put_number(out, "score", (double)l->score);
	put_number(out, "contribution", 1.0 / (double)(RANK_RRF_K + l->rank));
	put_number(out, "matched", (double)l->matched);
	put_number(out, "family", (double)l->family);
	put_family_words(&a->q, s, r->doc, lane, out);
	put_number(out, "connection", (double)l->connection);
	put_number(out, "spread", (double)l->spread);
	put_number(out, "share", (double)hit.share);
	put_number(out, "kept", words > 0 ? (double)hit.score / words : 0);
	put_field_scores(reasons, n, out);
	mp_pair_array(out, "reasons", n);
	for (size_t i = 0; i < n; i++) {
		size_t map = mp_open_map(out);

		put_asked(&a->q, reasons[i].group->words, "words", out);
		mp_pair_maybe(out, "found", tools_explain_shown(v, reasons[i].group, reasons[i].via));
		put_number(out, "score", (double)reasons[i].gain);
		put_fields(out, "in", reasons[i].mask);
		put_fields(out, "above", reasons[i].above);
		mp_end(out, map);
	}
}

static void
put_answer(const struct library *l, const struct answers *a, const struct ranked *r, struct buf *out)
{
	bool connected = a->parts[r->part].shelf->connection != NULL;
	size_t whole = mp_open_map(out), mark;

	mp_pair_maybe(out, "kind", span_str(kind_name(r->kind)));
	mp_pair_maybe(out, "id", r->id);
	if (connected)
		mp_pair_maybe(out, "connectionId", span_str(a->parts[r->part].shelf->connection));
	put_number(out, "score", r->score);
	put_number(out, "nameBonus", (double)r->bonus);
	mark = mp_pair_open_array(out, "lanes");
	for (enum match_list lane = 0; lane < MATCH_LISTS; lane++)
		if (r->lanes[lane].rank > 0)
			put_lane(l->vocab, a, r, lane, out);
	mp_end(out, mark);
	mp_end(out, whole);
}

int
tool_discover_explain(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct buf out = { 0 };
	struct answers a;
	size_t n;

	if (search_discover(c, args, &a, &n, err) != 0)
		return -1;
	mp_put_map(&out, 3);
	mp_pair_bool(&out, "confident", a.confident);
	put_words(l->vocab, &a.q, &out);
	mp_pair_array(&out, "refs", n);
	for (size_t i = 0; i < n; i++)
		put_answer(l, &a, &a.v[i], &out);
	return search_finish(c, &out, err);
}
