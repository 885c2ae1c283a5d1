/* rank.c - see rank.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workers/search/rank/rank.h"
#include "workers/search/ranking.h"
#include "words/text.h"
#include "words/words.h"

#define EVIDENCE	3	/* families of a connection that speak for it */

/* The stems of a short text's words, in order. */
struct words {
	size_t	n, first;	/* first: behind "the", "show me the" */
	struct {
		uint8_t	stem[TEXT_WORD_MAX], len;
		bool	between;	/* "of the", "in the table" */
		bool	dotted;		/* a dot stands before it: orders.id is no orders_id */
	} v[MATCH_WORDS_MAX];
};

/* One document in work: where it is, and a family or an answer. */
struct candidate {
	struct ranked	r;
	bool		family;
	uint32_t	kin;		/* number of its parent among the candidates' parents */
};

struct work {
	struct arena		*arena;
	const struct part	*parts;
	const struct question	*q;
	unsigned		 kinds;
	struct words		 asked;
	struct buf		 scratch;
	size_t			 n;
	struct candidate	*v;		/* while it is collected in order of place, families among them */
	float			*left;		/* by kin: of its score that a further answer keeps */
};

static bool
is_dotted(struct span text, struct text_word word)
{
	return word.at > 0 && text.p[word.at - 1] == '.';
}

static void
read_words(struct span text, struct words *w)
{
	struct text_reader r;
	struct text_word word;

	w->n = w->first = 0;
	text_begin(&r, text);
	while (w->n < MATCH_WORDS_MAX && text_next(&r, &word)) {
		w->v[w->n].len = (uint8_t)text_stem(word.folded, w->v[w->n].stem);
		w->v[w->n].between = words_has(WORDS_FUNCTION, word.folded) || words_has(WORDS_CONTAINER, word.folded);
		w->v[w->n].dotted = is_dotted(text, word);
		w->n++;
	}
	while (w->first < w->n && w->v[w->first].between)
		w->first++;
}

/* How many words of text stand in asked from `at` on, in any form, all of them; 0: they do not. */
static size_t
words_from(const struct words *asked, size_t at, struct span text)
{
	struct text_reader r;
	struct text_word word;
	size_t n = 0;

	text_begin(&r, text);
	for (; text_next(&r, &word); n++) {
		uint8_t stem[TEXT_WORD_MAX];

		if (at + n == asked->n || (n > 0 && asked->v[at + n].dotted != is_dotted(text, word)) ||
		    !span_is(span_of(stem, text_stem(word.folded, stem)),
			span_of(asked->v[at + n].stem, asked->v[at + n].len)))
			return 0;
	}
	return n;
}

static bool
is_asked(const struct words *asked, struct span text)
{
	return (asked->n > 0 && words_from(asked, 0, text) == asked->n) ||
	    (asked->n > asked->first && words_from(asked, asked->first, text) == asked->n - asked->first);
}

/* "orders.status", "status of the order": the one, then the other, and between them nothing that says anything. */
static bool
is_asked_with(const struct words *asked, struct span one, struct span other)
{
	size_t n = words_from(asked, asked->first, one), at = asked->first + n, last;

	while (n > 0 && at < asked->n && asked->v[at].between && words_from(asked, at, other) == 0)
		at++;
	last = n > 0 && at < asked->n ? words_from(asked, at, other) : 0;
	return last > 0 && at + last == asked->n;
}

/* By the meaning of the words: CUSTMST.STSCD for the status of a customer. */
static bool
is_meant(const struct question *q, const struct segment *s, uint32_t doc)
{
	for (size_t i = 0; i < q->npaths; i++)
		if (match_holds(s, q->paths[i].above, s->parent[doc]) && match_holds(s, q->paths[i].name, doc))
			return true;
	return false;
}

/* Whether the question is the name of r, its id, or its name with its owner's. */
static bool
is_called(struct work *k, const struct ranked *r)
{
	const struct part *p = &k->parts[r->part];
	uint32_t parent = p->segment->parent[r->doc];
	struct span name, above;
	size_t len;

	k->scratch.len = 0;
	p->shelf->ops->name(p->shelf, p->segment, r->doc, &k->scratch);
	len = k->scratch.len;
	if (is_asked(&k->asked, buf_view(&k->scratch)) || is_asked(&k->asked, r->id))
		return true;
	if (parent == r->doc)
		return false;
	p->shelf->ops->name(p->shelf, p->segment, parent, &k->scratch);
	name = span_of(k->scratch.p, len);
	above = span_of(k->scratch.p + len, k->scratch.len - len);
	return is_asked_with(&k->asked, above, name) || is_asked_with(&k->asked, name, above) ||
	    is_meant(k->q, p->segment, r->doc);
}

static int
by_place(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->r.part != y->r.part ? (x->r.part > y->r.part) - (x->r.part < y->r.part) :
					(x->r.doc > y->r.doc) - (x->r.doc < y->r.doc);
}

static void
rank_take(struct work *k, const struct hits *hits, enum rank_lane lane)
{
	for (size_t i = 0; i < hits->n; i++) {
		struct candidate *c = &k->v[k->n++];
		const struct segment *s = k->parts[hits->v[i].part].segment;

		*c = (struct candidate){
			.r = { .part = hits->v[i].part, .doc = hits->v[i].doc, .share = hits->v[i].share },
			.family = s->kind[hits->v[i].doc] == KIND_FAMILY
		};
		c->r.lanes[lane].matched = hits->v[i].score;
	}
}

/* Parents that are asked for and whose family answers are candidates, though they hold no word themselves. */
static void
add_parents(struct work *k)
{
	size_t had = k->n;

	for (size_t i = 0; i < had; i++) {
		const struct candidate *c = &k->v[i];
		const struct segment *s = k->parts[c->r.part].segment;
		uint32_t parent = s->parent[c->r.doc];

		if (c->family && (KIND_BIT(s->kind[parent]) & k->kinds) != 0)
			k->v[k->n++] = (struct candidate){ .r = { .part = c->r.part, .doc = parent } };
	}
}

/* A document that is there several times becomes one candidate. */
static void
rank_join(struct work *k)
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
		for (unsigned lane = 0; lane < RANK_LANES; lane++)
			k->v[n - 1].r.lanes[lane].matched += r->lanes[lane].matched;
		k->v[n - 1].r.share = fmaxf(k->v[n - 1].r.share, r->share);
	}
	k->n = n;
}

/* Candidates are in order of place, so those of one parent stand together. */
static bool
number_kin(struct work *k)
{
	uint32_t kin = 0;

	for (size_t i = 0; i < k->n; i++) {
		const struct ranked *r = &k->v[i].r, *last = i > 0 ? &k->v[i - 1].r : r;

		kin += r->part != last->part ||
		    k->parts[r->part].segment->parent[r->doc] != k->parts[r->part].segment->parent[last->doc];
		k->v[i].kin = kin;
	}
	k->left = arena_array(k->arena, (size_t)kin + 1, sizeof(*k->left));
	return k->left != NULL;
}

/* --- what a candidate belongs to ------------------------------------------------- */

/* The best families of a connection, in each list. */
struct evidence {
	const char	*connection;
	float		best[RANK_LANES][EVIDENCE];
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

/* Which connection the question is about, softly: by the families of each. */
static size_t
gather_evidence(const struct work *k, struct evidence *e)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++) {
		const char *connection = k->parts[k->v[i].r.part].shelf->connection;
		struct evidence *of;

		if (!k->v[i].family || connection == NULL)
			continue;
		if ((of = find_evidence(e, n, connection)) == NULL) {
			of = &e[n++];
			*of = (struct evidence){ .connection = connection };
		}
		for (unsigned lane = 0; lane < RANK_LANES; lane++)
			note_best(of->best[lane], k->v[i].r.lanes[lane].matched);
	}
	return n;
}

/* The family of each parent: the one candidate of its place that is one.  Candidates are in order of place. */
static const struct candidate *
find_family(const struct work *k, uint32_t part, uint32_t parent)
{
	size_t low = 0, high = k->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct ranked *r = &k->v[mid].r;

		if (r->part < part || (r->part == part && r->doc < parent))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < k->n && k->v[low].r.part == part && k->parts[part].segment->parent[k->v[low].r.doc] == parent;
	     low++)
		if (k->v[low].family)
			return &k->v[low];
	return NULL;
}

/*
 * The bonus of each candidate for its family and its connection.  A page belongs to no connection: it gets as much
 * as if its own text were both.
 */
static bool
add_context(struct work *k)
{
	struct evidence *all = arena_array(k->arena, k->n + 1, sizeof(*all));
	size_t n;

	if (all == NULL)
		return false;
	n = gather_evidence(k, all);
	for (size_t i = 0; i < k->n; i++) {
		struct ranked *r = &k->v[i].r;
		const struct part *p = &k->parts[r->part];
		const struct candidate *family;
		const struct evidence *e;

		if (k->v[i].family)
			continue;
		family = find_family(k, r->part, p->segment->parent[r->doc]);
		e = p->shelf->connection == NULL ? NULL : find_evidence(all, n, p->shelf->connection);
		for (unsigned lane = 0; lane < RANK_LANES; lane++) {
			struct rank_place *l = &r->lanes[lane];
			float alone = p->shelf->connection == NULL ? ranking.page * l->matched * r->bonus : 0;

			l->family = ranking.family * (family != NULL ? family->r.lanes[lane].matched : alone);
			l->connection = ranking.connection * (e != NULL ? mean_of(e->best[lane]) : alone);
		}
		if (family != NULL)
			r->share = fmaxf(r->share, family->r.share);
	}
	return true;
}

/* The score in each list, before what further answers of one family lose. */
static void
add_up(struct ranked *r)
{
	r->strength = 0;
	for (unsigned lane = 0; lane < RANK_LANES; lane++) {
		struct rank_place *l = &r->lanes[lane];

		/* A candidate without a score in the list is not in it. */
		l->score = l->matched + l->family <= 0 ? 0 : l->matched * r->bonus + l->family + l->connection;
		r->strength = fmaxf(r->strength, l->score);
	}
}

/* False: the call's memory is full. */
static bool
rank_identify(struct work *k, struct candidate *c)
{
	const struct part *p = &k->parts[c->r.part];

	if (c->family)
		return true;
	c->r.kind = (enum kind)p->segment->kind[c->r.doc];
	k->scratch.len = 0;
	p->shelf->ops->id(p->shelf, p->segment, c->r.doc, &k->scratch);
	c->r.id = arena_span(k->arena, buf_view(&k->scratch));
	if (c->r.id.p != NULL)
		c->r.bonus = is_called(k, &c->r) ? ranking.name : 1;
	return c->r.id.p != NULL;
}

/* Both lists as one set of candidates, each with its id and its score. */
static bool
rank_collect(struct work *k, const struct match_result *r)
{
	size_t n = 0;

	k->v = arena_array(k->arena, 2 * (r->lexical.n + r->fuzzy.n) + 1, sizeof(*k->v));
	if (k->v == NULL)
		return false;
	rank_take(k, &r->lexical, RANK_LEXICAL);
	rank_take(k, &r->fuzzy, RANK_FUZZY);
	add_parents(k);
	rank_join(k);
	for (size_t i = 0; i < k->n; i++)
		if (!rank_identify(k, &k->v[i]))
			return false;
	if (!number_kin(k) || !add_context(k))
		return false;
	for (size_t i = 0; i < k->n; i++)
		if (!k->v[i].family) {
			add_up(&k->v[i].r);
			k->v[n++] = k->v[i];
		}
	k->n = n;
	return true;
}

/* --- one list --------------------------------------------------------------------- */

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
by_lane(const struct candidate *x, const struct candidate *y, enum rank_lane lane)
{
	int order = descending((double)x->r.lanes[lane].score, (double)y->r.lanes[lane].score);

	return order != 0 ? order : by_identity(x, y);
}

static int
by_lexical(const void *a, const void *b)
{
	return by_lane(a, b, RANK_LEXICAL);
}

static int
by_fuzzy(const void *a, const void *b)
{
	return by_lane(a, b, RANK_FUZZY);
}

static int
by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = descending(x->r.score, y->r.score);

	return order != 0 ? order : by_identity(x, y);
}

/* Each further answer of one family is worth less, so that others are seen.  k->v is in the order of the list. */
static void
rank_spread(struct work *k, enum rank_lane lane)
{
	for (size_t i = 0; i < k->n; i++)
		k->left[k->v[i].kin] = 1;
	for (size_t i = 0; i < k->n; i++) {
		struct rank_place *l = &k->v[i].r.lanes[lane];

		l->spread = k->left[k->v[i].kin];
		l->score *= l->spread;
		k->left[k->v[i].kin] *= ranking.spread;
	}
}

/* A document's place in a list counts only when the list holds it. */
static void
add_ranks(struct work *k, enum rank_lane lane)
{
	int (*by)(const void *, const void *) = lane == RANK_LEXICAL ? by_lexical : by_fuzzy;

	qsort(k->v, k->n, sizeof(*k->v), by);
	rank_spread(k, lane);
	qsort(k->v, k->n, sizeof(*k->v), by);
	for (size_t i = 0; i < k->n && k->v[i].r.lanes[lane].score > 0; i++)
		k->v[i].r.score += 1.0 / (double)(RANK_RRF_K + (k->v[i].r.lanes[lane].rank = (uint32_t)i + 1));
}

/* Drop candidates that answer one stray word when others answer much of the question. */
static void
drop_stray(struct work *k)
{
	size_t n = 0;
	float best = 0;

	for (size_t i = 0; i < k->n; i++)
		best = fmaxf(best, k->v[i].r.share);
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].r.share >= ranking.stray * best)
			k->v[n++] = k->v[i];
	k->n = n;
}

size_t
rank_fuse(struct arena *a, const struct question *q, struct span text, const struct part *parts, unsigned kinds,
    const struct match_result *r, size_t limit, struct ranked *out)
{
	struct work k = { .arena = a, .q = q, .parts = parts, .kinds = kinds };
	size_t n = 0;

	read_words(text, &k.asked);
	if (rank_collect(&k, r) && k.n > 0) {
		drop_stray(&k);
		add_ranks(&k, RANK_LEXICAL);
		add_ranks(&k, RANK_FUZZY);
		qsort(k.v, k.n, sizeof(*k.v), by_score);
		for (; n < k.n && n < limit && k.v[n].r.score > 0; n++) {
			out[n] = k.v[n].r;
			out[n].score = round(k.v[n].r.score / k.v[0].r.score * 1e6) / 1e6;
		}
	}
	buf_fini(&k.scratch);
	return n;
}
