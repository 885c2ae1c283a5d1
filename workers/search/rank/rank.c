/* rank.c - see rank.h.  rank_answers(), at the end, has the steps in their order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workers/search/rank/called.h"
#include "workers/search/rank/rank.h"
#include "workers/search/ranking/ranking.h"

#define EVIDENCE	3	/* best families of a connection, which speak for it */
#define SHORT_QUESTION	3	/* words that carry something */

/* A document that is ranked, or a family, which is no answer and only gives its score to others. */
struct candidate {
	struct ranked	r;
	bool		is_family;
	uint32_t	family;		/* number of its family in the work */
};

/* A parent and its children, whether a text of all of them matched or not. */
struct rank_family {
	const struct candidate	*text;		/* NULL: it did not */
	float			 keeps;		/* factor on the score of the next answer of the family in the list */
};

struct work {
	struct arena		*arena;
	const struct part	*parts;
	const struct question	*q;
	unsigned		 kinds;
	bool			 guessed;	/* false: the fuzzy list is as the lexical one */
	struct called_words	 asked;
	struct buf		 scratch;
	size_t			 n;
	struct candidate	*v;		/* in order of place until they are put in a list */
	struct rank_family	*families;
	struct candidate	**order;	/* those of the list at hand */
};

static int
by_place(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->r.part != y->r.part ? (x->r.part > y->r.part) - (x->r.part < y->r.part) :
					(x->r.doc > y->r.doc) - (x->r.doc < y->r.doc);
}

static void
add_hits(struct work *k, const struct hits *hits, enum match_list lane)
{
	/* A document that is found by like words alone is a less sure answer. */
	float sure = lane == MATCH_SEMANTIC ? ranking.near : 1;

	for (size_t i = 0; i < hits->n; i++) {
		struct candidate *c = &k->v[k->n++];
		const struct segment *s = k->parts[hits->v[i].part].segment;

		*c = (struct candidate){
			.r = { .part = hits->v[i].part, .doc = hits->v[i].doc, .share = sure * hits->v[i].share },
			.is_family = s->kind[hits->v[i].doc] == KIND_FAMILY
		};
		c->r.lanes[lane].matched = hits->v[i].score;
		if (lane == MATCH_LEXICAL && !k->guessed)
			c->r.lanes[MATCH_FUZZY].matched = hits->v[i].score;
	}
}

/* The parent of a family that matches is a candidate though it holds no word itself. */
static void
add_parents(struct work *k)
{
	size_t had = k->n;

	for (size_t i = 0; i < had; i++) {
		const struct candidate *c = &k->v[i];
		const struct segment *s = k->parts[c->r.part].segment;
		uint32_t parent = s->parent[c->r.doc];

		if (c->is_family && (KIND_BIT(s->kind[parent]) & k->kinds) != 0)
			k->v[k->n++] = (struct candidate){ .r = { .part = c->r.part, .doc = parent } };
	}
}

/* A document that several lists have, or that was added as a parent, becomes one candidate. */
static void
join_candidates(struct work *k)
{
	size_t n = 0;

	if (k->n > 0)
		qsort(k->v, k->n, sizeof(*k->v), by_place);
	for (size_t i = 0; i < k->n; i++) {
		struct ranked *r = &k->v[i].r;

		if (n == 0 || by_place(&k->v[i], &k->v[n - 1]) != 0) {
			k->v[n++] = k->v[i];
			continue;
		}
		for (enum match_list lane = 0; lane < MATCH_LISTS; lane++)
			k->v[n - 1].r.lanes[lane].matched += r->lanes[lane].matched;
		k->v[n - 1].r.share = fmaxf(k->v[n - 1].r.share, r->share);
	}
	k->n = n;
}

/* Number the families; candidates of one family stand together.  False: the call's memory is full. */
static bool
number_families(struct work *k)
{
	k->families = arena_array(k->arena, k->n + 1, sizeof(*k->families));
	for (size_t i = 0, family = 0; k->families != NULL && i < k->n; i++) {
		struct candidate *c = &k->v[i];
		const struct ranked *last = i > 0 ? &k->v[i - 1].r : &c->r;
		const uint32_t *parents = k->parts[c->r.part].segment->parent;

		family += c->r.part != last->part || parents[c->r.doc] != parents[last->doc];
		c->family = (uint32_t)family;
		if (c->is_family)
			k->families[family].text = c;
	}
	return k->families != NULL;
}

/* False: the call's memory is full. */
static bool
identify(struct work *k, struct candidate *c)
{
	const struct part *p = &k->parts[c->r.part];

	if (c->is_family)
		return true;
	c->r.kind = (enum kind)p->segment->kind[c->r.doc];
	k->scratch.len = 0;
	p->shelf->ops->id(p->shelf, p->segment, c->r.doc, &k->scratch);
	c->r.id = arena_span(k->arena, buf_view(&k->scratch));
	if (c->r.id.p != NULL)
		c->r.bonus = called_is(&k->asked, k->q, p, c->r.doc, c->r.id, &k->scratch) ? ranking.name : 1;
	return c->r.id.p != NULL;
}

static bool
find_candidates(struct work *k, const struct match_result *r)
{
	size_t n = 0;

	for (enum match_list list = 0; list < MATCH_LISTS; list++)
		n += r->lists[list].n;
	k->v = arena_array(k->arena, 2 * n + 1, sizeof(*k->v));
	if (k->v == NULL)
		return false;
	for (enum match_list list = 0; list < MATCH_LISTS; list++)
		add_hits(k, &r->lists[list], list);
	add_parents(k);
	join_candidates(k);
	if ((k->order = arena_array(k->arena, k->n + 1, sizeof(*k->order))) == NULL)
		return false;
	for (size_t i = 0; i < k->n; i++)
		if (!identify(k, &k->v[i]))
			return false;
	return number_families(k);
}

/* The best families of a connection, in each list. */
struct evidence {
	const char	*connection;
	float		best[MATCH_LISTS][EVIDENCE];
};

static void
note_best(float best[EVIDENCE], float score)
{
	for (size_t i = 0; i < EVIDENCE; i++)
		if (score > best[i]) {
			float was = best[i];

			best[i] = score;
			score = was;
		}
}

static float
mean_of(const float best[EVIDENCE])
{
	float sum = 0;

	for (size_t i = 0; i < EVIDENCE; i++)
		sum += best[i];
	return sum / EVIDENCE;
}

static struct evidence *
find_evidence(struct evidence *e, size_t n, const char *connection)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(e[i].connection, connection) == 0)
			return &e[i];
	return NULL;
}

/* Collect, for each connection, how well its best families match: how far the question is about it. */
static size_t
gather_evidence(const struct work *k, struct evidence *e)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++) {
		const char *connection = k->parts[k->v[i].r.part].shelf->connection;
		struct evidence *of;

		if (!k->v[i].is_family || connection == NULL)
			continue;
		if ((of = find_evidence(e, n, connection)) == NULL) {
			of = &e[n++];
			*of = (struct evidence){ .connection = connection };
		}
		for (enum match_list lane = 0; lane < MATCH_LISTS; lane++)
			note_best(of->best[lane], k->v[i].r.lanes[lane].matched);
	}
	return n;
}

/*
 * The formula of rank.h, but for spread.  A page belongs to no family and no connection: for each it has a share of
 * its own score.  A candidate that has no score of its own and none of its family's is not in the list.
 */
static void
score(const struct work *k, struct candidate *c, struct evidence *all, size_t n)
{
	const char *connection = k->parts[c->r.part].shelf->connection;
	const struct candidate *family = k->families[c->family].text;
	const struct evidence *e = connection == NULL ? NULL : find_evidence(all, n, connection);
	struct ranked *r = &c->r;

	for (enum match_list lane = 0; lane < MATCH_LISTS; lane++) {
		struct rank_place *l = &r->lanes[lane];
		float own = l->matched * r->bonus;
		float instead = connection == NULL ? ranking.page * l->matched * r->bonus : 0;

		l->family = ranking.family * (family != NULL ? family->r.lanes[lane].matched : instead);
		l->connection = ranking.connection * (e != NULL ? mean_of(e->best[lane]) : instead);
		l->score = l->matched + l->family <= 0 ? 0 : own + l->family + l->connection;
		r->strength = fmaxf(r->strength, l->score);
	}
	r->text = family != NULL ? family->r.doc : r->doc;
	if (family != NULL)
		r->share = fmaxf(r->share, family->r.share);
}

/* Score all answers; from here on there are no families among them.  False: the call's memory is full. */
static bool
score_all(struct work *k)
{
	struct evidence *all = arena_array(k->arena, k->n + 1, sizeof(*all));
	size_t nall, n = 0;

	if (all == NULL)
		return false;
	nall = gather_evidence(k, all);
	for (size_t i = 0; i < k->n; i++)
		if (!k->v[i].is_family)
			score(k, &k->v[i], all, nall);
	for (size_t i = 0; i < k->n; i++)
		if (!k->v[i].is_family)
			k->v[n++] = k->v[i];
	k->n = n;
	return true;
}

float
rank_length(const struct question *q)
{
	return fmaxf(1, (float)q->ncontent / SHORT_QUESTION);
}

/*
 * Drop those that answer a stray word of the question when others answer much of it.  In a long question one word is
 * little, and may yet be all that is asked of a further table.
 */
static void
drop_stray(struct work *k)
{
	size_t n = 0;
	float best = 0, least;

	for (size_t i = 0; i < k->n; i++)
		best = fmaxf(best, k->v[i].r.share);
	least = ranking.stray * best / rank_length(k->q);
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].r.share >= least)
			k->v[n++] = k->v[i];
	k->n = n;
}

static int
descending(double a, double b)
{
	return (a < b) - (a > b);
}

/* The order of candidates with equal scores: strength over all, kind, id, connection. */
static int
by_identity(const struct candidate *x, const struct candidate *y)
{
	int order = descending((double)x->r.strength, (double)y->r.strength);

	if (order == 0)
		order = (x->r.kind > y->r.kind) - (x->r.kind < y->r.kind);
	if (order == 0)
		order = span_cmp(x->r.id, y->r.id);
	return order != 0 ? order : by_place(x, y);
}

static int
by_lane(const void *a, const void *b, void *arg)
{
	const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;
	const enum match_list lane = *(const enum match_list *)arg;
	int order = descending((double)x->r.lanes[lane].score, (double)y->r.lanes[lane].score);

	return order != 0 ? order : by_identity(x, y);
}

static int
by_score(const void *a, const void *b)
{
	const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;
	int order = descending(x->r.score, y->r.score);

	return order != 0 ? order : by_identity(x, y);
}

/*
 * Put the candidates that a list holds in its order, twice: each further answer of a family is worth less, so that
 * others are seen.
 */
static void
add_places(struct work *k, enum match_list lane)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		if (lane == MATCH_FUZZY && !k->guessed) {
			k->v[i].r.lanes[lane] = k->v[i].r.lanes[MATCH_LEXICAL];
			if (k->v[i].r.lanes[lane].rank > 0)
				k->v[i].r.score += 1.0 / (double)(RANK_RRF_K + k->v[i].r.lanes[lane].rank);
		} else if (k->v[i].r.lanes[lane].score > 0) {
			k->families[k->v[i].family].keeps = 1;
			k->order[n++] = &k->v[i];
		}
	qsort_r(k->order, n, sizeof(*k->order), by_lane, &lane);
	for (size_t i = 0; i < n; i++) {
		struct rank_place *l = &k->order[i]->r.lanes[lane];
		struct rank_family *family = &k->families[k->order[i]->family];

		l->spread = family->keeps;
		l->score *= l->spread;
		family->keeps *= ranking.spread;
	}
	qsort_r(k->order, n, sizeof(*k->order), by_lane, &lane);
	for (size_t i = 0; i < n && k->order[i]->r.lanes[lane].score > 0; i++)
		k->order[i]->r.score +=
		    1.0 / (double)(RANK_RRF_K + (k->order[i]->r.lanes[lane].rank = (uint32_t)i + 1));
}

/* All that are in some list, best first.  Returns how many. */
static size_t
order_all(struct work *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].r.score > 0)
			k->order[n++] = &k->v[i];
	qsort(k->order, n, sizeof(*k->order), by_score);
	return n;
}

size_t
rank_answers(struct arena *a, const struct question *q, struct span text, const struct part *parts, unsigned kinds,
    const struct match_result *r, size_t limit, struct ranked *out)
{
	struct work k = {
		.arena = a, .q = q, .parts = parts, .kinds = kinds, .guessed = (q->lists & MATCH_IN(MATCH_FUZZY)) != 0
	};
	size_t n = 0, all;

	called_read(text, &k.asked);
	if (find_candidates(&k, r) && score_all(&k) && k.n > 0) {
		drop_stray(&k);
		for (enum match_list list = 0; list < MATCH_LISTS; list++)
			add_places(&k, list);
		all = order_all(&k);
		for (; n < all && n < limit; n++) {
			out[n] = k.order[n]->r;
			out[n].score = round(k.order[n]->r.score / k.order[0]->r.score * 1e6) / 1e6;
		}
	}
	buf_fini(&k.scratch);
	return n;
}
