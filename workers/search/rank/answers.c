/*
 * answers.c - see answers.h.
 *
 * From a question to a list
 *
 * All kinds (tables, columns, measures, pages, ...) are documents of one index, in segments: the pages' and those of
 * each connection, called parts here.  A question passes five steps:
 *
 *	question_read()	words and their weights; for each word a group of what stands for it in the index (question.c,
 *			variants.c).  Words that no document has are guessed by their spelling, in a list of their own.
 *	match()		the best documents of each list, by their own words and their parents' (match.h)
 *	rank_answers()	each document judged in its family and connection, and the lists fused by rank (rank.h)
 *	is_shadowed()	drops a global page where the user has one of the same key
 *	same_join()	joins a table and the source made of it into one answer (same.h)
 *
 * The order is no accident.  Duplicates are joined last because either half may be the better match.  Families are
 * matched as documents of their own, so twice as many hits are kept as answers are asked for (hits_for()).  And how
 * sure the first answer is (is_confident()) is found after ranking from the question's side: which share of its weight
 * is answered, words that nothing stands for included.
 *
 * Nothing is random and nothing is learnt from use: the same index gives the same list, and discover_explain repeats
 * match_explain() for one document and prints each addend.  The numbers are rows of ranking/ranking.def, one name each;
 * what each is worth is measured by the sets of tests/relevance, never by one question.
 *
 * The index is only read here.  Everything that a question needs is in the call's arena; if that is full the question
 * fails, not the worker.  docs/search-ranking.md has the formula, an example in figures, and the results by set.
 */
#include <math.h>
#include <string.h>

#include "workers/search/rank/answers.h"
#include "workers/search/rank/same.h"
#include "workers/search/ranking/ranking.h"
#include "workers/search/rank/matched.h"
#include "workers/search/rank/question.h"

#define BRIEF_RANKED	13	/* answers that are looked at when the caller sets no limit, */
#define BRIEF_GIVEN	10	/* and the most that are given once those that are one thing are joined */
#define HITS_LEAST	128	/* of a list, however few answers are asked for */

/*
 * How many hits each list keeps for the answers wanted.  Some hits give no answer of their own: families, and the other
 * half of a pair (same.h).  With 256 at least, no set of questions is answered better.
 */
static size_t
hits_for(size_t limit)
{
	size_t n = 2 * limit;

	return n < HITS_LEAST ? HITS_LEAST : n > MATCH_HITS_MAX ? MATCH_HITS_MAX : n;
}

/* Whether the variant that a group found plainly is the word asked: a form, an abbreviation, the German word. */
static bool
is_plain(const struct match_group *g, uint32_t term)
{
	for (size_t i = 0; i < g->nvariants; i++)
		if (g->variants[i].term == term)
			return g->variants[i].factor >= ranking.plain;
	return false;
}

/*
 * Whether one word is all that speaks for the first answer, and is either a common
 * one among others, or stands for another in the name of a mere part of a table:
 * "surgery" for operator_concept_id.
 */
static bool
rests_on_little(const struct answers *a)
{
	const struct ranked *r = &a->v[0];
	const struct segment *s = a->parts[r->part].segment;
	enum match_list list = r->lanes[MATCH_LEXICAL].score > 0 ? MATCH_LEXICAL : MATCH_FUZZY;
	bool part = s->parent[r->doc] != r->doc, plain = false;
	struct match_reason reasons[MATCH_GROUPS_MAX];
	uint32_t words = 0;
	struct hit hit;
	size_t n;

	if (r->bonus > 1)
		return false;
	n = match_explain(&a->q, s, r->lanes[list].matched > 0 ? r->doc : r->text, list, reasons, &hit);
	for (size_t i = 0; i < n; i++) {
		words |= reasons[i].group->words & a->q.content;
		plain = plain || reasons[i].above != 0 || is_plain(reasons[i].group, reasons[i].via);
	}
	if (words == 0 || (words & (words - 1)) != 0)
		return false;
	return (part && !plain) || (a->q.ncontent > 1 && a->q.words[__builtin_ctz(words)].scale < 1);
}

/*
 * Whether the first answer, or its family, answers enough of the question.  Words that nothing stands for count as
 * unanswered.  The longer the question, the smaller the share that is enough.
 */
static bool
is_confident(const struct answers *a)
{
	float asked = a->q.asked, share = a->n == 0 || asked <= 0 ? 0 : a->v[0].share * a->q.findable / asked;

	return share * powf(rank_length(&a->q), ranking.longer) >= ranking.confident && !rests_on_little(a);
}

int
search_ask(struct library *l, struct arena *a, struct span text, const struct connection *only,
    unsigned kinds, size_t limit, struct answers *out, struct err *err)
{
	struct match_result *r = arena_alloc(a, sizeof(*r));
	size_t nparts, nhits = 0;

	*out = (struct answers){ 0 };
	if (r == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the question needs more memory than a call may have");
	out->parts = library_parts(l, only, &nparts);
	question_read(&out->q, l->vocab, a, text, out->parts, nparts, kinds, library_documents(l));
	match(&out->q, out->parts, nparts, kinds, hits_for(limit), kinds == KIND_BIT(KIND_WIKI), r);
	for (enum match_list list = 0; list < MATCH_LISTS; list++)
		nhits += r->lists[list].n;
	/* A hit that is a family is no answer, but its parent may be. */
	if ((out->v = arena_array(a, nhits, sizeof(*out->v))) == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the question needs more memory than a call may have");
	out->nranked = rank_answers(a, &out->q, text, out->parts, kinds, r, nhits, out->v);
	out->n = out->nranked < limit ? out->nranked : limit;
	out->total = r->total;
	out->confident = is_confident(out);
	return 0;
}

/* Whether a page of the user's own replaces this global page. */
static bool
is_shadowed(const struct library *l, const struct answers *a, const struct ranked *r)
{
	const struct page *page;

	if (r->kind != KIND_WIKI)
		return false;
	page = pages_of(&l->pages, a->parts[r->part].segment, r->doc);
	return pages_find(&l->pages, span_str(page->key)) != page;
}

int
search_find(struct library *l, struct arena *arena, struct span text, const struct connection *only, unsigned kinds,
    size_t limit, bool brief, struct answers *a, size_t *n, struct err *err)
{
	size_t left = 0;

	if (search_ask(l, arena, text, only, kinds, 2 * limit, a, err) != 0)
		return -1;
	for (size_t i = 0; i < a->nranked; i++)
		if (!is_shadowed(l, a, &a->v[i]))
			a->v[left++] = a->v[i];
	if (brief && left > BRIEF_RANKED)
		left = BRIEF_RANKED;
	left = same_join(l, a, a->v, left);
	if (brief && limit > BRIEF_GIVEN)
		limit = BRIEF_GIVEN;
	*n = left < limit ? left : limit;
	return 0;
}

size_t
search_suggest(struct library *l, struct arena *a, struct span text, const struct connection *only,
    enum kind kind, size_t max, struct answers *out)
{
	size_t n = 0;

	if (search_ask(l, a, text, only, KIND_BIT(kind), 50, out, NULL) != 0)
		return 0;
	for (size_t i = 0; i < out->n && n < max; i++) {
		enum field f = match_field(&out->q, out->parts[out->v[i].part].segment, out->v[i].doc);

		if (f == FIELD_NAME || f == FIELD_DISPLAY)
			out->v[n++] = out->v[i];
	}
	return out->n = n;
}
