/* rank.c - see rank.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workers/search/rank.h"
#include "workers/search/text.h"

#define EXACT_NAME	1.2f	/* the name is what was asked, letter for letter; match() has seen to other forms */
#define EXACT_WORDS	1.5f	/* and is several words */
#define EXACT_ID	1.5f	/* the whole id is */
#define STEM_ID		1.3f	/* or is in other forms of the words */
#define MEANT_PATH	1.5f	/* it and its parent are called what was asked, by what the words mean */
#define SAID		1.5f	/* times this when it is said outright whose it is: orders.id, id of an order */

/* The words of a short text and their stems, in order. */
struct words {
	size_t	n;
	struct {
		uint8_t	text[TEXT_WORD_MAX], stem[TEXT_WORD_MAX];
		uint8_t	len, stem_len;
		bool	dotted;		/* a dot stands before it */
	} v[MATCH_WORDS_MAX];
};

/* One document in work. */
struct candidate {
	struct ranked	r;
	float		lexical, fuzzy;
};

struct ranking {
	struct arena		*arena;
	const struct part	*parts;
	const struct question	*q;
	struct words		 asked;
	struct buf		 scratch;
	size_t			 n;
	struct candidate	*v;
};

static void
read_words(struct span text, struct words *w)
{
	struct text_reader r;
	struct text_word word;

	w->n = 0;
	text_begin(&r, text);
	while (w->n < MATCH_WORDS_MAX && text_next(&r, &word)) {
		memcpy(w->v[w->n].text, word.folded.p, word.folded.len);
		w->v[w->n].len = (uint8_t)word.folded.len;
		w->v[w->n].stem_len = (uint8_t)text_stem(word.folded, w->v[w->n].stem);
		w->v[w->n].dotted = word.at > 0 && text.p[word.at - 1] == '.';
		w->n++;
	}
}

/* How many words of text stand in asked from `at` on, all of them; 0: they do not.  *forms: some in other forms. */
static size_t
words_at(const struct words *asked, size_t at, struct span text, bool *forms)
{
	struct text_reader r;
	struct text_word word;
	size_t n = 0;

	text_begin(&r, text);
	for (; text_next(&r, &word); n++) {
		uint8_t stem[TEXT_WORD_MAX];

		if (at + n == asked->n)
			return 0;
		if (span_is(word.folded, span_of(asked->v[at + n].text, asked->v[at + n].len)))
			continue;
		if (!span_is(span_of(stem, text_stem(word.folded, stem)),
		    span_of(asked->v[at + n].stem, asked->v[at + n].stem_len)))
			return 0;
		*forms = true;
	}
	return n;
}

/* 1 when text is not what was asked; else `exact`, or `other` where words have other forms. */
static float
bonus_for(const struct words *asked, struct span text, float exact, float other)
{
	bool forms = false;

	return asked->n > 0 && words_at(asked, 0, text, &forms) == asked->n ? forms ? other : exact : 1;
}

/* "Orders status", "orders.status": whose it is, what it is called, and nothing else.  0: it is not that. */
static float
bonus_for_path(const struct words *asked, struct span above, struct span name)
{
	bool forms = false;
	size_t n = words_at(asked, 0, above, &forms);

	if (n == 0 || n == asked->n || n + words_at(asked, n, name, &forms) != asked->n)
		return 0;
	return (forms ? STEM_ID : EXACT_ID) * (asked->v[n].dotted ? SAID : 1);
}

/* "Of the", "in the table". */
static bool
is_between(struct span word)
{
	return text_is_function_word(word) || span_is_str(word, "table") || span_is_str(word, "tabelle");
}

/* The same the other way round: "status of the order". */
static float
bonus_for_owner(const struct words *asked, struct span above, struct span name)
{
	bool forms = false, said = false;
	size_t n = words_at(asked, 0, name, &forms);

	if (n == 0)
		return 0;
	for (; n < asked->n && is_between(span_of(asked->v[n].text, asked->v[n].len)); n++)
		said = true;
	if (n == asked->n || n + words_at(asked, n, above, &forms) != asked->n)
		return 0;
	return (forms ? STEM_ID : EXACT_ID) * (said ? SAID : 1);
}

/* The same by what the words mean: CUSTMST.STSCD for the status of a customer. */
static float
bonus_for_meaning(const struct question *q, const struct segment *s, uint32_t doc)
{
	float bonus = 1;

	for (size_t i = 0; i < q->npaths; i++)
		if (match_holds(s, q->paths[i].above, s->parent[doc]) && match_holds(s, q->paths[i].name, doc))
			bonus = fmaxf(bonus, MEANT_PATH * (q->paths[i].said ? SAID : 1));
	return bonus;
}

static float
bonus_of(struct ranking *k, const struct ranked *r)
{
	const struct part *p = &k->parts[r->part];
	uint32_t parent = p->segment->parent[r->doc];
	float bonus, other;
	struct span name, above;
	size_t len;

	k->scratch.len = 0;
	p->shelf->ops->name(p->shelf, p->segment, r->doc, &k->scratch);
	len = k->scratch.len;
	bonus = bonus_for(&k->asked, buf_view(&k->scratch), k->asked.n > 1 ? EXACT_WORDS : EXACT_NAME, 1);
	if (span_is(buf_view(&k->scratch), r->id))
		return bonus;
	bonus = fmaxf(bonus, bonus_for(&k->asked, r->id, EXACT_ID, STEM_ID));
	if (parent == r->doc)
		return bonus;
	p->shelf->ops->name(p->shelf, p->segment, parent, &k->scratch);
	name = span_of(k->scratch.p, len);
	above = span_of(k->scratch.p + len, k->scratch.len - len);
	other = fmaxf(bonus_for_path(&k->asked, above, name), bonus_for_owner(&k->asked, above, name));
	return fmaxf(fmaxf(other, bonus), bonus_for_meaning(k->q, p->segment, r->doc));
}

static int
by_place(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->r.part != y->r.part ? (x->r.part > y->r.part) - (x->r.part < y->r.part) :
	    (x->r.doc > y->r.doc) - (x->r.doc < y->r.doc);
}

static void
take(struct ranking *k, const struct hits *hits, bool lexical)
{
	for (size_t i = 0; i < hits->n; i++)
		k->v[k->n++] = (struct candidate){
			.r = { .part = hits->v[i].part, .doc = hits->v[i].doc },
			.lexical = lexical ? hits->v[i].score : 0, .fuzzy = lexical ? 0 : hits->v[i].score
		};
}

/* A document that is in both lists becomes one candidate. */
static void
join(struct ranking *k)
{
	size_t n = 0;

	if (k->n > 0)
		qsort(k->v, k->n, sizeof(*k->v), by_place);
	for (size_t i = 0; i < k->n; i++)
		if (n > 0 && by_place(&k->v[i], &k->v[n - 1]) == 0) {
			k->v[n - 1].lexical += k->v[i].lexical;
			k->v[n - 1].fuzzy += k->v[i].fuzzy;
		} else
			k->v[n++] = k->v[i];
	k->n = n;
}

/* Both lists as one set of candidates, each with its id and its bonus. */
static bool
collect(struct ranking *k, const struct match_result *r)
{
	struct expect_walk walk = { 0 };

	k->v = arena_array(k->arena, r->lexical.n + r->fuzzy.n + 1, sizeof(*k->v));
	if (k->v == NULL)
		return false;
	take(k, &r->lexical, true);
	take(k, &r->fuzzy, false);
	join(k);
	for (size_t i = 0; i < k->n; i++) {
		struct candidate *c = &k->v[i];
		const struct part *p = &k->parts[c->r.part];
		float bonus, fit;

		c->r.kind = (enum kind)p->segment->kind[c->r.doc];
		k->scratch.len = 0;
		p->shelf->ops->id(p->shelf, p->segment, c->r.doc, &k->scratch);
		c->r.id = arena_span(k->arena, buf_view(&k->scratch));
		if (c->r.id.p == NULL)
			return false;
		bonus = bonus_of(k, &c->r);
		/* What is called exactly so is meant, however it is asked for. */
		fit = bonus > 1 ? 1 : expect_fit(&k->q->expect, &walk, p->segment, c->r.doc);
		c->lexical *= bonus * fit;
		c->fuzzy *= bonus * fit;
		c->r.bonus = bonus;
		c->r.fit = fit;
		c->r.lexical = c->lexical;
		c->r.fuzzy = c->fuzzy;
		c->r.strength = c->fuzzy > c->lexical ? c->fuzzy : c->lexical;
	}
	return true;
}

static int
descending(double a, double b)
{
	return (a < b) - (a > b);
}

/* What decides between equals: strength over all, kind, id, connection. */
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
by_lexical(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = descending((double)x->lexical, (double)y->lexical);

	return order != 0 ? order : by_identity(x, y);
}

static int
by_fuzzy(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = descending((double)x->fuzzy, (double)y->fuzzy);

	return order != 0 ? order : by_identity(x, y);
}

static int
by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = descending(x->r.score, y->r.score);

	return order != 0 ? order : by_identity(x, y);
}

/* A document's place in a list counts only when the list holds it. */
static void
add_lexical_ranks(struct ranking *k)
{
	qsort(k->v, k->n, sizeof(*k->v), by_lexical);
	for (size_t i = 0; i < k->n && k->v[i].lexical > 0; i++)
		k->v[i].r.score += 1.0 / (double)(RANK_RRF_K + (k->v[i].r.lexical_rank = (uint32_t)i + 1));
}

static void
add_fuzzy_ranks(struct ranking *k)
{
	qsort(k->v, k->n, sizeof(*k->v), by_fuzzy);
	for (size_t i = 0; i < k->n && k->v[i].fuzzy > 0; i++)
		k->v[i].r.score += 1.0 / (double)(RANK_RRF_K + (k->v[i].r.fuzzy_rank = (uint32_t)i + 1));
}

size_t
rank_fuse(struct arena *a, const struct question *q, struct span text, const struct part *parts,
    const struct match_result *r, size_t limit, struct ranked *out)
{
	struct ranking k = { .arena = a, .q = q, .parts = parts };
	size_t n = 0;

	read_words(text, &k.asked);
	if (collect(&k, r) && k.n > 0) {
		add_lexical_ranks(&k);
		add_fuzzy_ranks(&k);
		qsort(k.v, k.n, sizeof(*k.v), by_score);
		for (; n < k.n && n < limit; n++) {
			out[n] = k.v[n].r;
			out[n].score = round(k.v[n].r.score / k.v[0].r.score * 1e6) / 1e6;
		}
	}
	buf_fini(&k.scratch);
	return n;
}
