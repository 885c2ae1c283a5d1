/* paths.c - a question read as a name, or as a name and its owner's name; see match.h. */
#include "workers/search/rank/question_parts.h"
#include "workers/search/ranking.h"

#define CONTENT_MAX	8	/* words that carry something: a name and its owner's have no more */

/* Words from..to that carry something, as a whole name; VOCAB_NONE: there is none such. */
static uint32_t
name_of(const struct question *q, const struct vocab *v, size_t from, size_t to, bool plain)
{
	struct vocab_whole w;
	uint32_t term;

	vocab_whole_begin(&w);
	for (size_t i = from; i < to; i++)
		if (!q->words[i].function && !(plain ? q->words[i].split : q->words[i].piece))
			vocab_whole_text(&w, q->words[i].meant.len > 0 ? q->words[i].meant : q->words[i].folded, plain);
	term = vocab_whole_end(&w) ? vocab_find_exact(v, span_of(w.text, w.len)) : VOCAB_NONE;
	return term != VOCAB_NONE && vocab_documents(v, term) > 0 ? term : VOCAB_NONE;
}

void
question_add_whole(struct question *q, struct vocab *v, struct arena *a)
{
	uint32_t exact = name_of(q, v, 0, q->nwords, false), plain = name_of(q, v, 0, q->nwords, true);
	struct match_group *g;

	if (q->ncontent == 0 || (g = question_group(q, a, q->content)) == NULL)
		return;
	g->whole = true;
	g->guessed = q->guessed;
	question_own(g, v, exact, 1);
	question_other(g, v, plain, 1, RELATION_FORM);
	if (g->nvariants == 0)
		q->ngroups--;
}

static bool
find_name(const struct question *q, const struct vocab *v, size_t from, size_t to, uint32_t terms[2])
{
	terms[0] = name_of(q, v, from, to, false);
	terms[1] = name_of(q, v, from, to, true);
	return terms[0] != VOCAB_NONE || terms[1] != VOCAB_NONE;
}

/* The words before `at` and those from `at` on as owner and name, in either order. */
static void
add_path(struct question *q, const struct vocab *v, size_t at, bool name_first)
{
	struct match_path *p = &q->paths[q->npaths];

	if (q->npaths == MATCH_PATHS_MAX || !find_name(q, v, 0, at, name_first ? p->name : p->above) ||
	    !find_name(q, v, at, q->nwords, name_first ? p->above : p->name))
		return;
	q->npaths++;
}

void
question_add_paths(struct question *q, const struct vocab *v)
{
	for (size_t at = 1; at < q->nwords && q->ncontent <= CONTENT_MAX; at++) {
		/* Pieces stay with their word; function words separate nothing. */
		if (q->words[at].piece || q->words[at].function)
			continue;
		add_path(q, v, at, false);
		add_path(q, v, at, true);
	}
}
