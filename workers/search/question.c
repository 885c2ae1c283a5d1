/* question.c - a question's words, what they stand for, and what they weigh; see match.h. */
#include <math.h>
#include <string.h>

#include "workers/search/lexicon.h"
#include "workers/search/match.h"
#include "workers/search/question_parts.h"
#include "workers/search/text.h"

#define PAIR_SCALE	0.5f	/* two words found written in one */
#define PHRASE_SCALE	0.8f	/* two or more that mean something together */
#define WHOLE_SCALE	0.7f	/* a name that is made of the words that carry something, and of nothing else */
#define FUNCTION_SCALE	0.1f
#define ASKING_SCALE	0.6f	/* of what an asking word stands for */
#define LIGHT_SCALE	0.4f	/* words that go with everything */
#define PIECE_SCALE	0.5f	/* pieces of a word that is known as it is, */
#define SPLIT_SCALE	0.1f	/* and a word that is known by its pieces only */
#define SOUGHT		1.8f	/* more than the words behind "of" count those before it */
#define COMMON_SHARE	100	/* a word that one document in so many holds, */
#define COMMON_LEAST	4	/* and so many at all, says little by itself */
#define UNKNOWN_WEIGHT	1.0f	/* of a word that nothing holds: none is rarer */

/* --- words ------------------------------------------------------------------------ */

static bool
is_one_of(struct span word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_is_str(word, words[i]))
			return true;
	return false;
}

static bool
is_read(const struct question *q, struct span folded)
{
	for (size_t i = 0; i < q->nwords; i++)
		if (span_is(q->words[i].folded, folded))
			return true;
	return false;
}

static bool
is_asking(struct span word)
{
	static const char *const words[] = { "why", "warum", "wieso", "weshalb" };

	return is_one_of(word, words, sizeof(words) / sizeof(words[0]));
}

/* NULL: it is there already, or there is no room. */
static struct match_word *
add_word(struct question *q, struct arena *a, struct span folded, float scale)
{
	struct match_word *word = &q->words[q->nwords];

	if (is_read(q, folded)) {
		q->repeats = q->repeats || !text_is_function_word(folded);
		return NULL;
	}
	if (q->nwords == MATCH_WORDS_MAX)
		return NULL;
	*word = (struct match_word){ .folded = arena_span(a, folded), .scale = scale };
	if (word->folded.p == NULL)
		return NULL;
	word->function = text_is_function_word(folded) || (q->ncontent == 0 && text_is_command(folded));
	q->ncontent += !word->function;
	word->asks = word->function && is_asking(folded);
	if (text_is_light_word(folded))
		word->scale *= LIGHT_SCALE;
	q->nwords++;
	return word;
}

/* One edit away from a word, and apart into abbreviations only: discont, custmer. */
static bool
is_misspelt(struct span folded, const struct span *pieces, size_t n)
{
	const struct lexicon_word *w[8];
	unsigned distance;
	bool brief = false;

	for (size_t i = 0; i < n; i++) {
		size_t m = lexicon_exact(pieces[i], w, sizeof(w) / sizeof(w[0]));
		bool word = m == 0;	/* a form of one */

		for (size_t k = 0; k < m; k++)
			word = word || w[k]->class != LEXICON_SHORT;
		brief = brief || !word;
	}
	return brief && lexicon_guess(folded, w, sizeof(w) / sizeof(w[0]), &distance) > 0 && distance == 1;
}

/* The words of the row's head, when it is several. */
static size_t
pieces_of_head(struct span head, struct span pieces[VOCAB_PIECES_MAX])
{
	size_t found = 0, len;

	for (size_t at = 0; at < head.len && found < VOCAB_PIECES_MAX; at += len + 1) {
		const uint8_t *blank = memchr(head.p + at, ' ', head.len - at);

		len = blank == NULL ? head.len - at : (size_t)(blank - head.p) - at;
		if (len == head.len)
			break;
		pieces[found++] = span_of(head.p + at, len);
	}
	return found;
}

/* In some row of the lexicon both are. */
static bool
mean_the_same(struct span x, struct span y)
{
	const struct lexicon_word *as[8], *bs[8];
	size_t n = lexicon_find(x, as, sizeof(as) / sizeof(as[0])), m = lexicon_find(y, bs, sizeof(bs) / sizeof(bs[0]));

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			if (as[i]->row == bs[k]->row)
				return true;
	return span_is(x, y);
}

static bool
is_meant_by(struct span word, const struct span *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mean_the_same(word, pieces[i]))
			return true;
	return false;
}

/* A verb with what belongs to it (send back) means something together only. */
static bool
is_verb(struct span head)
{
	size_t at = head.len;

	while (at > 0 && head.p[at - 1] != ' ')
		at--;
	return at > 0 && question_is_particle(span_of(head.p + at, head.len - at));
}

/*
 * What a word comes apart into: the name of a row it belongs to, or what it is
 * written together from.  A German word whose row says something else than its
 * parts (artikelnummer is no material's alone) is its parts.
 */
static size_t
pieces_of(struct span folded, struct span pieces[VOCAB_PIECES_MAX])
{
	const struct lexicon_word *rows[8];
	struct span parts[VOCAB_PIECES_MAX];
	size_t n = lexicon_find(folded, rows, sizeof(rows) / sizeof(rows[0])), found = 0, nparts;
	bool german = false;

	for (size_t i = 0; i < n && found == 0; i++)
		if (rows[i]->class != LEXICON_OTHER && !is_verb(lexicon_head(rows[i]->row))) {
			found = pieces_of_head(lexicon_head(rows[i]->row), pieces);
			german = rows[i]->class == LEXICON_GERMAN;
		}
	if (found > 0 && !german)
		return found;
	nparts = lexicon_split(folded, false, parts, VOCAB_PIECES_MAX);
	for (size_t i = 0; i < found; i++)
		if (nparts > 0 && !is_meant_by(pieces[i], parts, nparts))
			found = 0;
	if (found > 0 || nparts == 0 || (!german && is_misspelt(folded, parts, nparts)))
		return found;
	memcpy(pieces, parts, nparts * sizeof(parts[0]));
	return nparts;
}

static bool
is_indexed(const struct vocab *v, struct span folded)
{
	uint32_t first = vocab_stem(v, folded), t = first;

	if (first != VOCAB_NONE)
		do {
			if (vocab_documents(v, t) > 0)
				return true;
			t = vocab_next_form(v, t);
		} while (t != first);
	return false;
}

static void
read_word(struct question *q, struct vocab *v, struct arena *a, struct span folded)
{
	struct span pieces[VOCAB_PIECES_MAX];
	struct match_word *word = add_word(q, a, folded, 1);
	bool known;
	size_t n;

	if (word == NULL || word->function || (n = pieces_of(word->folded, pieces)) == 0)
		return;
	known = is_indexed(v, word->folded);
	word->split = true;
	word->scale = known ? 1 : SPLIT_SCALE;
	for (size_t i = 0; i < n; i++)
		if ((word = add_word(q, a, pieces[i], known ? PIECE_SCALE : 1)) != NULL)
			word->piece = true;
}

/* A word that comes apart answers for its pieces; where some name is short for it, it is more than they are. */
static void
settle_split(struct question *q, size_t i)
{
	struct match_group *g = &q->groups[i];
	bool found = g->nvariants > 0;

	if (!q->words[i].split)
		return;
	if (found)
		q->words[i].scale = q->words[i].scale > 1 ? SOUGHT : 1;
	for (size_t k = i + 1; k < q->nwords && q->words[k].piece; k++) {
		g->words |= UINT32_C(1) << k;
		if (found && q->words[k].scale >= 1)
			q->words[k].scale *= PIECE_SCALE;
	}
}

static void
read_words(struct question *q, struct vocab *v, struct arena *a, struct span text)
{
	struct text_reader r;
	struct text_word w;

	text_begin(&r, text);
	while (q->nwords < MATCH_WORDS_MAX && text_next(&r, &w))
		read_word(q, v, a, w.folded);
	/* "who", "all": nothing but such words, so they are what is meant. */
	if (q->ncontent == 0) {
		for (size_t i = 0; i < q->nwords; i++)
			q->words[i].function = false;
		q->ncontent = q->nwords;
	}
	for (size_t i = 0; i < q->nwords; i++)
		if (!q->words[i].function)
			q->content |= UINT32_C(1) << i;
}

/* "Status of an order": what stands before is what is asked for. */
static void
weigh_sides(struct question *q, size_t of)
{
	for (size_t i = 0; i < q->nwords; i++)
		if (i < of) {
			q->words[i].scale *= SOUGHT;
			q->words[i].sought = true;
		}
}

/* "Material on a purchase order" is no other question than that of one. */
static bool
divides(const struct question *q, size_t i)
{
	static const char *const between[] = { "of", "der", "des", "von", "eines", "einer" };
	static const char *const places[] = { "on", "in", "for" }, *const articles[] = { "a", "an", "the" };
	struct span word = q->words[i].folded;

	return is_one_of(word, between, sizeof(between) / sizeof(between[0])) ||
	    (is_one_of(word, places, sizeof(places) / sizeof(places[0])) && i + 2 < q->nwords &&
	    is_one_of(q->words[i + 1].folded, articles, sizeof(articles) / sizeof(articles[0])));
}

/* Most words of a sentence are in no name; of a few words in a row, a topic, each is meant. */
static bool
is_sentence(const struct question *q)
{
	static const char *const words[] = {
		"how", "what", "when", "where", "which", "who", "whom", "whose", "why", "do", "does", "did", "is", "are",
		"was", "were", "has", "have", "had", "can", "could", "should", "will", "would", "must", "may", "that",
		"we", "or", "our", "us", "they", "their", "them", "i", "my", "you", "your",
		"wer", "wem", "wen", "wann", "wo", "woher", "wohin", "warum", "wieso", "weshalb", "wie", "welche", "welcher",
		"welches", "ist", "sind", "wurde", "wurden", "hat", "haben", "wird", "werden", "wir", "unsere", "unser", "ich", "oder"
	};

	for (size_t i = 0; i < q->nwords; i++)
		if (is_one_of(q->words[i].folded, words, sizeof(words) / sizeof(words[0])))
			return true;
	return false;
}

static void
find_sides(struct question *q)
{
	for (size_t i = 1; i + 1 < q->nwords; i++)
		if (divides(q, i) && !q->words[i - 1].function) {
			weigh_sides(q, i);
			return;
		}
}

/* --- groups of several words -------------------------------------------------------- */

/* Neighbours i and i + 1 as one word: "order id" finds orderid. */
static void
add_pair(struct question *q, struct vocab *v, struct arena *a, size_t i)
{
	uint8_t both[2 * TEXT_WORD_MAX];
	struct span x = q->words[i].folded, y = q->words[i + 1].folded;
	struct match_group *g;

	if (x.len + y.len > TEXT_WORD_MAX)
		return;
	memcpy(both, x.p, x.len);
	memcpy(both + x.len, y.p, y.len);
	if ((g = question_group(q, a, UINT32_C(3) << i)) == NULL)
		return;
	question_own(g, v, vocab_find(v, span_of(both, x.len + y.len)), 1);
	question_own(g, v, vocab_find_exact(v, span_of(both, x.len + y.len)), 1);
	if (g->nvariants == 0)
		q->ngroups--;
}

/* All words that carry something, as the whole name of a document. */
static uint32_t
find_whole(const struct question *q, const struct vocab *v, bool plain)
{
	struct vocab_whole w;

	vocab_whole_begin(&w);
	for (size_t i = 0; i < q->nwords; i++)
		if (!q->words[i].function && !(plain ? q->words[i].split : q->words[i].piece))
			vocab_whole_text(&w, q->words[i].meant.len > 0 ? q->words[i].meant : q->words[i].folded, plain);
	return vocab_whole_end(&w) ? vocab_find_exact(v, span_of(w.text, w.len)) : VOCAB_NONE;
}

/* A name that is another word for the only one that carries something. */
static void
add_whole_meanings(const struct question *q, struct vocab *v, struct match_group *g)
{
	const struct lexicon_word *as[8];
	size_t i = 0, n;

	while (q->words[i].function || q->words[i].piece)
		i++;
	n = lexicon_find(q->words[i].folded, as, sizeof(as) / sizeof(as[0]));
	for (size_t k = 0; k < n; k++) {
		struct vocab_whole w;

		vocab_whole_begin(&w);
		vocab_whole_text(&w, lexicon_head(as[k]->row), true);
		if (vocab_whole_end(&w))
			question_other(g, v, vocab_find_exact(v, span_of(w.text, w.len)),
			    lexicon_likeness(as[k]->class, LEXICON_HEAD));
	}
}

static void
add_whole(struct question *q, struct vocab *v, struct arena *a)
{
	uint32_t exact = find_whole(q, v, false), plain = find_whole(q, v, true);
	struct match_group *g;

	if (q->ncontent == 0 || (g = question_group(q, a, q->content)) == NULL)
		return;
	g->whole = true;
	g->guessed = q->guessed;
	question_own(g, v, exact, 1);
	question_other(g, v, plain, 1);
	if (q->ncontent == 1)
		add_whole_meanings(q, v, g);
	if (g->nvariants == 0)
		q->ngroups--;
}

/* --- what it weighs ------------------------------------------------------------------- */

/*
 * True when some document of the kinds asked holds the group's words, itself or
 * through its parent.  What is hardly more than a few letters of a word that
 * nobody knows does not count.
 */
static bool
is_found(const struct match_group *g, size_t n, const struct part *parts, size_t nparts, unsigned kinds)
{
	for (size_t i = 0; i < nparts; i++) {
		const struct segment *s = parts[i].segment;
		uint32_t from, to;
		uint8_t most;

		if ((s->kinds & kinds) == 0)
			continue;
		for (size_t k = 0; k < n; k++) {
			if (!segment_find(s, g->variants[k].term, &from, &to, &most))
				continue;
			for (; from < to; from++) {
				uint32_t doc = s->docs[from];
				bool child = doc + 1 < s->ndocs && s->parent[doc + 1] == doc;

				if (!segment_is_dead(s, doc) && ((KIND_BIT(s->kind[doc]) & kinds) != 0 ||
				    (child && (KIND_BIT(s->kind[doc + 1]) & kinds) != 0)))
					return true;
			}
		}
	}
	return false;
}

static float
rarity(uint64_t ndocs, uint64_t found)
{
	if (found > ndocs)
		found = ndocs;
	return logf(1 + ((float)(ndocs - found) + 0.5f) / ((float)found + 0.5f));
}

/* Documents that hold the word itself; where none does, those that hold what stands for it. */
static uint64_t
documents(const struct vocab *v, const struct match_group *g)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->nvariants && (i < g->nown || n == 0 || g->nown == 0); i++)
		n += vocab_documents(v, g->variants[i].term);
	return n;
}

/* What stands for a rare word and is not rare itself says less. */
static void
temper(struct match_group *g, const struct vocab *v, uint64_t ndocs)
{
	float most = rarity(ndocs, documents(v, g));

	for (size_t i = g->nown; i < g->nvariants && most > 0; i++) {
		float r = rarity(ndocs, vocab_documents(v, g->variants[i].term));

		if (r < most)
			g->variants[i].factor *= r / most;
	}
}

/* How much of the question each word is: rare ones more, unknown ones in between. */
static void
weigh(struct question *q, const struct vocab *v, uint64_t ndocs)
{
	float most = rarity(ndocs, 0);

	q->whole = 0;
	for (size_t i = 0; i < q->nwords; i++) {
		uint64_t found = documents(v, &q->groups[i]);
		float w = found == 0 ? UNKNOWN_WEIGHT : 0.5f + 0.5f * rarity(ndocs, found) / most;

		q->words[i].weight = w * q->words[i].scale * (q->words[i].function ? FUNCTION_SCALE : 1);
		q->whole += q->words[i].weight;
	}
	for (size_t i = 0; i < q->ngroups; i++) {
		struct match_group *g = &q->groups[i];

		temper(g, v, ndocs);
		g->rarity = rarity(ndocs, documents(v, g));
		if (i >= q->nwords && (g->words & (g->words - 1)) != 0)
			g->rarity *= g->phrase ? PHRASE_SCALE : PAIR_SCALE;
		else {
			const struct match_word *w = &q->words[__builtin_ctz(g->words)];

			g->rarity *= w->scale * (w->asks ? ASKING_SCALE : w->function ? FUNCTION_SCALE : 1);
		}
	}
	for (size_t i = 0; i < q->ngroups; i++)
		if (q->groups[i].whole) {
			q->groups[i].rarity = 0;
			for (size_t k = 0; k < q->nwords; k++)
				if (!q->words[k].function)
					q->groups[i].rarity += WHOLE_SCALE * q->groups[k].rarity;
		}
}

/* So many documents hold word i, or what stands for it, that it alone says little. */
static bool
is_common(const struct question *q, size_t i, const struct vocab *v, uint64_t ndocs)
{
	const struct match_group *g = &q->groups[i];
	uint64_t n = 0;

	for (size_t k = 0; k < g->nvariants; k++)
		n += vocab_documents(v, g->variants[k].term);
	return n >= COMMON_LEAST && n * COMMON_SHARE >= ndocs;
}

/*
 * "Number of planets": that something has a number says nothing where nobody
 * has heard of planets.  True when none of the words behind "of" is known in
 * any form, and those before it are only such as many documents hold.
 */
static bool
is_lost(const struct question *q, const struct vocab *v, uint64_t ndocs)
{
	uint32_t known = 0, common = 0, behind = 0;

	for (size_t i = 0; i < q->ngroups; i++)
		known |= q->groups[i].nvariants > 0 ? q->groups[i].words : 0;
	for (size_t i = 0; i < q->nwords; i++) {
		if (q->words[i].function)
			continue;
		if (!q->words[i].sought)
			behind |= UINT32_C(1) << i;
		else if (is_common(q, i, v, ndocs))
			common |= UINT32_C(1) << i;
	}
	return q->nwords > 0 && !q->repeats && q->words[0].sought && behind != 0 && (known & behind) == 0 && common == (q->content & known);
}

void
question_read(struct question *q, struct vocab *v, struct arena *a, struct span text,
    const struct part *parts, size_t nparts, unsigned kinds, uint64_t ndocs)
{
	const struct lexicon_word *known[1];

	*q = (struct question){ 0 };
	read_words(q, v, a, text);
	find_sides(q);
	q->sentence = is_sentence(q);
	expect_read(&q->expect, q, v);
	for (size_t i = 0; i < q->nwords; i++)
		question_add_forms(q, v, a, i);
	if (q->ngroups < q->nwords) {
		/* The call's memory is full: nothing can be asked. */
		q->nwords = q->ngroups = 0;
		return;
	}
	for (size_t i = 0; i < q->nwords; i++)
		settle_split(q, i);
	for (size_t i = 0; i + 1 < q->nwords; i++)
		add_pair(q, v, a, i);
	question_add_phrases(q, v, a);
	for (size_t i = 0; i < q->nwords; i++)
		if (!q->words[i].split && !is_found(&q->groups[i], lexicon_find(q->words[i].folded, known, 1) > 0 ?
		    q->groups[i].nvariants : q->groups[i].nsure, parts, nparts, kinds))
			question_add_guesses(q, v, a, i);
	for (size_t i = 0; i < q->nwords; i++)
		if (q->words[i].split && !is_indexed(v, q->words[i].folded))
			question_add_misspelt(q, v, a, i);
	add_whole(q, v, a);
	question_add_paths(q, v);
	weigh(q, v, ndocs);
	q->lost = is_lost(q, v, ndocs);
}
