/* called.c - see called.h: a question as names of the index, and its text compared with what a document is called. */
#include "workers/search/rank/called.h"
#include "workers/search/rank/variants.h"
#include "words/text.h"
#include "words/words.h"
#include "workers/search/rank/matched.h"
#include "workers/search/index/whole.h"

#define CONTENT_MAX	8	/* words that carry something: the most that a name and its owner's have */

/* Words from..to that carry something, as a whole name; VOCAB_NONE: nothing is called so. */
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

	if (q->ncontent == 0 || (g = question_add_group(q, a, q->content)) == NULL)
		return;
	g->whole = true;
	g->lists = MATCH_IN_ALL & ~(q->lists & MATCH_IN(MATCH_FUZZY) ? MATCH_IN(MATCH_LEXICAL) : 0);
	group_add_own(g, v, exact, 1);
	group_add(g, v, plain, 1, RELATION_FORM);
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

/* The words before `at` and those from `at` on as owner and name, or as name and owner. */
static void
add_owned(struct question *q, const struct vocab *v, size_t at, bool name_first)
{
	struct match_owned *p = &q->owned[q->nowned];

	if (q->nowned == MATCH_OWNED_MAX || !find_name(q, v, 0, at, name_first ? p->name : p->owner) ||
	    !find_name(q, v, at, q->nwords, name_first ? p->owner : p->name))
		return;
	q->nowned++;
}

void
question_add_owned(struct question *q, const struct vocab *v)
{
	for (size_t at = 1; at < q->nwords && q->ncontent <= CONTENT_MAX; at++) {
		/* Pieces stay with their word; function words separate nothing. */
		if (q->words[at].piece || q->words[at].function)
			continue;
		add_owned(q, v, at, false);
		add_owned(q, v, at, true);
	}
}

static bool
is_meant(const struct question *q, const struct segment *s, uint32_t doc)
{
	for (size_t i = 0; i < q->nowned; i++)
		if (match_holds(s, q->owned[i].owner, s->parent[doc]) && match_holds(s, q->owned[i].name, doc))
			return true;
	return false;
}

static bool
is_dotted(struct span text, struct text_word word)
{
	return word.at > 0 && text.p[word.at - 1] == '.';
}

void
called_read(struct span question, struct called_words *w)
{
	struct text_reader r;
	struct text_word word;

	w->n = w->first = 0;
	text_begin(&r, question);
	while (w->n < MATCH_WORDS_MAX && text_next(&r, &word)) {
		w->v[w->n].len = (uint8_t)text_stem(word.folded, w->v[w->n].stem);
		w->v[w->n].between = words_has(WORDS_FUNCTION, word.folded) || words_has(WORDS_CONTAINER, word.folded);
		w->v[w->n].dotted = is_dotted(question, word);
		w->n++;
	}
	while (w->first < w->n && w->v[w->first].between)
		w->first++;
}

/* How many words of the question, from `at` on, are all the words of text, in any form; 0: they are not. */
static size_t
words_from(const struct called_words *asked, size_t at, struct span text)
{
	struct text_reader r;
	struct text_word word;
	size_t n = 0;

	text_begin(&r, text);
	for (; text_next(&r, &word); n++) {
		uint8_t stem[TEXT_WORD_MAX];

		/* A stem begins as its word does: most names are told apart by that. */
		if (at + n == asked->n || word.folded.p[0] != asked->v[at + n].stem[0] ||
		    (n > 0 && asked->v[at + n].dotted != is_dotted(text, word)) ||
		    !span_is(span_of(stem, text_stem(word.folded, stem)),
			span_of(asked->v[at + n].stem, asked->v[at + n].len)))
			return 0;
	}
	return n;
}

/* from: how many words of the question are all the words of text from asked->first on, as words_from() says. */
static bool
is_asked(const struct called_words *asked, struct span text, size_t from)
{
	return (from > 0 && asked->first + from == asked->n) ||
	    (asked->first > 0 && words_from(asked, 0, text) == asked->n);
}

/* A text that n words of the question are, then other, and between them only words that may stand there. */
static bool
is_asked_with(const struct called_words *asked, size_t n, struct span other)
{
	size_t at = asked->first + n, last;

	while (n > 0 && at < asked->n && asked->v[at].between && words_from(asked, at, other) == 0)
		at++;
	last = n > 0 && at < asked->n ? words_from(asked, at, other) : 0;
	return last > 0 && at + last == asked->n;
}

bool
called_is(const struct called_words *asked, const struct question *q, const struct part *p, uint32_t doc,
    struct span id, struct buf *scratch)
{
	uint32_t parent = p->segment->parent[doc];
	struct span name, above;
	size_t len, n;

	scratch->len = 0;
	p->shelf->ops->name(p->shelf, p->segment, doc, scratch);
	len = scratch->len;
	n = words_from(asked, asked->first, buf_view(scratch));
	if (is_asked(asked, buf_view(scratch), n) || is_asked(asked, id, words_from(asked, asked->first, id)))
		return true;
	if (parent == doc)
		return false;
	p->shelf->ops->name(p->shelf, p->segment, parent, scratch);
	name = span_of(scratch->p, len);
	above = span_of(scratch->p + len, scratch->len - len);
	return is_asked_with(asked, words_from(asked, asked->first, above), name) || is_asked_with(asked, n, above) ||
	    is_meant(q, p->segment, doc);
}
