#include "workers/search/library/pages.h"
#include "workers/search/answer/put.h"
#include "workers/search/find/tools_subject.h"
#include "words/text.h"
#include "words/words.h"
#include "workers/shared/call.h"

#define CANDIDATES	32u
#define WORDS_MAX	24u
#define IN_TEXT		0.5f	/* a word that is in the page, not in its name */

struct stem_word {
	uint8_t	folded[TEXT_WORD_MAX], english[TEXT_WORD_MAX], german[TEXT_WORD_MAX];
	size_t	nfolded, nenglish, ngerman;
	float	weight;
	bool	named, said;	/* in the page's name; in its text */
};

struct stems {
	size_t			n;
	struct stem_word	v[WORDS_MAX];
};

static void
stem_word(struct span folded, struct stem_word *out)
{
	*out = (struct stem_word){ .weight = 1, .nfolded = folded.len };
	memcpy(out->folded, folded.p, folded.len);
	out->nenglish = text_stem(folded, out->english);
	out->ngerman = text_german_stem(folded, out->german);
}

static void
read_stems(struct span text, struct stems *out)
{
	struct text_reader r;
	struct text_word w;

	out->n = 0;
	text_begin(&r, text);
	while (out->n < WORDS_MAX && text_next(&r, &w))
		if (!words_has(WORDS_FUNCTION, w.folded))
			stem_word(w.folded, &out->v[out->n++]);
}

static bool
is_same_word(const struct stem_word *a, const struct stem_word *b)
{
	return span_is(span_of(a->folded, a->nfolded), span_of(b->folded, b->nfolded)) ||
	    span_is(span_of(a->english, a->nenglish), span_of(b->english, b->nenglish)) ||
	    span_is(span_of(a->german, a->ngerman), span_of(b->german, b->ngerman));
}

/* What the words weigh in the question, where that knows them. */
static void
weigh(struct stems *title, const struct question *q)
{
	for (size_t i = 0; i < title->n; i++)
		for (size_t k = 0; k < q->nwords; k++)
			if (!q->words[k].piece && q->words[k].weight > 0 &&
			    span_is(q->words[k].folded, span_of(title->v[i].folded, title->v[i].nfolded)))
				title->v[i].weight = q->words[k].weight;
}

/* Which words of the title are in the page's text. */
static void
look_in(struct stems *title, struct span text)
{
	struct text_reader r;
	struct text_word w;
	struct stem_word word;

	text_begin(&r, text);
	while (text_next(&r, &w)) {
		stem_word(w.folded, &word);
		for (size_t i = 0; i < title->n; i++)
			title->v[i].said = title->v[i].said || is_same_word(&title->v[i], &word);
	}
}

/* 0 to 1: twice what both say, against what each says. */
static float
nearness(struct stems *title, const struct page *page)
{
	struct span called = pages_title(page);
	float common = 0, ours = 0, theirs = 0, shared = 0;
	struct stems name;

	read_stems(called.len > 0 ? called : span_str(page->key), &name);
	for (size_t i = 0; i < title->n; i++)
		title->v[i].named = title->v[i].said = false;
	for (size_t k = 0; k < name.n; k++) {
		float weight = 0;

		for (size_t i = 0; i < title->n; i++)
			if (is_same_word(&title->v[i], &name.v[k])) {
				title->v[i].named = true;
				weight = title->v[i].weight;
			}
		name.v[k].weight = weight;
	}
	look_in(title, page->good->body);
	/* A word that only the text has is half a word of the page's name: it brings near, but never makes the same. */
	for (size_t i = 0; i < title->n; i++) {
		ours += title->v[i].weight;
		common += title->v[i].weight * (title->v[i].named ? 1 : title->v[i].said ? IN_TEXT : 0);
		theirs += title->v[i].named || !title->v[i].said ? 0 : IN_TEXT * title->v[i].weight;
		shared += title->v[i].named ? 1 : 0;
	}
	/* Words of the page's name that the title lacks weigh what the title's own do on average. */
	for (size_t k = 0; k < name.n; k++)
		theirs += name.v[k].weight > 0 ? name.v[k].weight : ours / (float)title->n;
	return shared == 0 || ours + theirs <= 0 ? 0 : 2 * common / (ours + theirs);
}

int
tool_same_subject(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct span title = mp_get_str(args, "title", SPAN(""));
	uint64_t limit = mp_get_uint(args, "limit", 8);
	unsigned near[CANDIDATES];
	const struct page *pages[CANDIDATES];
	struct buf out = { 0 };
	struct stems words;
	struct answers a;
	size_t n = 0;

	if (search_ask(l, call_arena(c), title, NULL, KIND_BIT(KIND_WIKI), CANDIDATES, &a, err) != 0)
		return -1;
	read_stems(title, &words);
	weigh(&words, &a.q);
	for (size_t i = 0; i < a.n && words.n > 0; i++) {
		const struct page *page = pages_of(&l->pages, a.parts[a.v[i].part].segment, a.v[i].doc);
		unsigned now;
		size_t k;

		if (page->scope != PAGE_GLOBAL || page->good == NULL)
			continue;
		now = (unsigned)(nearness(&words, page) * 1000 + 0.5f);
		/* Nearest first; of equal ones as search has them. */
		for (k = n++; k > 0 && near[k - 1] < now; k--) {
			near[k] = near[k - 1];
			pages[k] = pages[k - 1];
		}
		near[k] = now;
		pages[k] = page;
	}
	if (n > limit)
		n = (size_t)limit;
	mp_put_map(&out, 1);
	mp_pair_array(&out, "pages", n);
	for (size_t i = 0; i < n; i++) {
		mp_put_pairs(&out, mp_str("key", span_str(pages[i]->key)),
		    mp_uint("near", near[i] < 1000 ? near[i] : 1000));
	}
	return search_finish(c, &out, err);
}
