#include <math.h>
#include <string.h>

#include "words/language.h"
#include "words/lexicon.h"
#include "workers/search/rank/question.h"
#include "workers/search/rank/called.h"
#include "workers/search/rank/variants.h"
#include "workers/search/ranking/ranking.h"
#include "words/text.h"
#include "words/words.h"

#define HEARD_MAX	(2 * MATCH_WORDS_MAX)

static bool
is_read(const struct question *q, struct span folded)
{
	for (size_t i = 0; i < q->nwords; i++)
		if (span_is(q->words[i].folded, folded))
			return true;
	return false;
}

/*
 * The factor on a word's rarity.  Words that are common in English are common in questions, even when few
 * documents have them.
 */
static float
informative(struct span folded)
{
	float rank = (float)language_rank(folded), scale;

	if (words_has(WORDS_FUNCTION, folded))
		return ranking.function_word;
	if (rank < 1 || rank >= ranking.common_to)
		return 1;
	scale = rank <= ranking.common_from ?
	    0 :
	    logf(rank / ranking.common_from) / logf(ranking.common_to / ranking.common_from);
	return ranking.common_word + (1 - ranking.common_word) * scale;
}

/* NULL: it is there already, or there is no room. */
static struct match_word *
add_word(struct question *q, struct arena *a, struct span folded)
{
	struct match_word *word = &q->words[q->nwords];

	if (is_read(q, folded) || q->nwords == MATCH_WORDS_MAX)
		return NULL;
	*word = (struct match_word){ .folded = arena_span(a, folded), .scale = informative(folded) };
	if (word->folded.p == NULL)
		return NULL;
	word->function = words_has(WORDS_FUNCTION, folded);
	q->ncontent += !word->function;
	q->nwords++;
	return word;
}

/* A word one edit away from one of the lexicon, and with a piece that is only an abbreviation: discont, custmer. */
static bool
is_misspelt(struct span folded, const struct span *pieces, size_t n)
{
	const struct lexicon_word *w[8];
	unsigned distance;
	bool brief = false;

	for (size_t i = 0; i < n; i++) {
		size_t m = lexicon_exact(pieces[i], w, sizeof(w) / sizeof(w[0]));
		bool word = m == 0; /* a form of one */

		for (size_t k = 0; k < m; k++)
			word = word || w[k]->class != LEXICON_SHORT;
		brief = brief || !word;
	}
	return brief && lexicon_guess(folded, w, sizeof(w) / sizeof(w[0]), &distance) > 0 && distance == 1;
}

/* Whether a row of the lexicon has both words. */
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

/* A verb and its particle (send back) mean something only together. */
static bool
is_verb(struct span head)
{
	size_t at = head.len;

	while (at > 0 && head.p[at - 1] != ' ')
		at--;
	return at > 0 && words_has(WORDS_PARTICLE, span_of(head.p + at, head.len - at));
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
			found = lexicon_head_words(rows[i]->row, false, pieces, VOCAB_PIECES_MAX);
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
read_word(struct question *q, struct arena *a, struct span folded)
{
	struct span pieces[VOCAB_PIECES_MAX];
	struct match_word *word = add_word(q, a, folded);
	size_t n;

	if (word == NULL || word->function || (n = pieces_of(word->folded, pieces)) == 0)
		return;
	word->split = true;
	for (size_t i = 0; i < n; i++)
		if ((word = add_word(q, a, pieces[i])) != NULL)
			word->piece = true;
}

/* A compound word answers its pieces too; where the index has it, these weigh less than it. */
static void
weaken_pieces(struct question *q, size_t i)
{
	struct match_group *g = &q->groups[i];

	for (size_t k = i + 1; q->words[i].split && k < q->nwords && q->words[k].piece; k++) {
		g->words |= UINT32_C(1) << k;
		q->words[k].scale *= g->nvariants > 0 ? ranking.piece : 1;
	}
}

/* A word of the question's text; struct match_word has each once, with its pieces. */
struct heard {
	struct span	folded;
	bool		asking;		/* it says what to do with the answers (sorted by) */
};

static size_t
hear_words(struct arena *a, struct span text, struct heard *heard)
{
	struct text_reader r;
	struct text_word w;
	size_t n = 0;

	text_begin(&r, text);
	while (n < HEARD_MAX && text_next(&r, &w) && (heard[n].folded = arena_span(a, w.folded)).p != NULL)
		heard[n++].asking = false;
	return n;
}

static void
mark_asking(struct heard *heard, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t phrase[WORDS_LONGEST];
		size_t len = 0;

		for (size_t k = i; k < n && len + heard[k].folded.len < sizeof(phrase); k++) {
			memcpy(phrase + len, heard[k].folded.p, heard[k].folded.len);
			len += heard[k].folded.len;
			for (size_t j = i; j <= k && words_has(WORDS_ASKING, span_of(phrase, len)); j++)
				heard[j].asking = true;
			phrase[len++] = ' ';
		}
	}
}

/* In a long question, words of asking count less wherever they stand. */
static void
weaken_asking(struct question *q, const struct heard *heard, size_t n)
{
	uint32_t asking = 0;

	for (size_t i = 0; i < q->nwords; i++) {
		bool always = true;

		for (size_t k = 0; k < n; k++)
			always = always && (heard[k].asking || !span_is(heard[k].folded, q->words[i].folded));
		asking |= (always && !q->words[i].piece) || text_is_number(q->words[i].folded) ? UINT32_C(1) << i : 0;
	}
	if (!q->is_long || (asking & q->content) == q->content)
		return;
	for (size_t i = 0; i < q->nwords; i++)
		q->words[i].scale *= asking >> i & 1 && !q->words[i].function ? ranking.asking : 1;
}

static void
read_words(struct question *q, struct arena *a, struct span text)
{
	struct heard heard[HEARD_MAX];
	size_t n = hear_words(a, text, heard);

	mark_asking(heard, n);
	for (size_t i = 0; i < n; i++)
		read_word(q, a, heard[i].folded);
	/* "who", "all": a question of function words only, so they are the content. */
	if (q->ncontent == 0) {
		for (size_t i = 0; i < q->nwords; i++) {
			q->words[i].function = false;
			q->words[i].scale = 1;
		}
		q->ncontent = q->nwords;
	}
	for (size_t i = 0; i < q->nwords; i++)
		if (!q->words[i].function)
			q->content |= UINT32_C(1) << i;
	q->is_long = (float)q->ncontent >= ranking.long_question;
	weaken_asking(q, heard, n);
}

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
	if ((g = question_add_group(q, a, UINT32_C(3) << i)) == NULL)
		return;
	group_add_own(g, v, vocab_find(v, span_of(both, x.len + y.len)), 1);
	group_add_own(g, v, vocab_find_exact(v, span_of(both, x.len + y.len)), 1);
	if (g->nvariants == 0)
		q->ngroups--;
}

/* True when some document of the kinds asked has one of the first n variants, itself or in its parent's name. */
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

				if (!segment_is_dead(s, doc) &&
				    ((KIND_BIT(s->kind[doc]) & kinds) != 0 ||
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

/* Documents with the word itself; if there are none, documents with one of its variants. */
static uint64_t
count_documents(const struct vocab *v, const struct match_group *g)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->nvariants && (i < g->nown || n == 0 || g->nown == 0); i++)
		n += vocab_documents(v, g->variants[i].term);
	return n;
}

/* A variant that is more frequent than the word it stands for is less like that word. */
static void
weaken_frequent(struct match_group *g, const struct vocab *v, uint64_t ndocs)
{
	float most = rarity(ndocs, count_documents(v, g));

	for (size_t i = g->nown; i < g->nvariants && most > 0; i++) {
		float r = rarity(ndocs, vocab_documents(v, g->variants[i].term));

		if (r < most)
			g->variants[i].factor *= r / most;
	}
}

/*
 * Set what each word weighs in the question, by its rarity.  A word that no document has weighs as much as the rarest
 * word that a document could have.
 */
static void
weigh_words(struct question *q, const struct vocab *v, uint64_t ndocs)
{
	float most = rarity(ndocs, 0);
	uint32_t known = 0;

	for (size_t i = 0; i < q->ngroups; i++)
		if (q->groups[i].lists != MATCH_IN(MATCH_SEMANTIC) && q->groups[i].nvariants > 0)
			known |= q->groups[i].words;
	q->findable = q->asked = 0;
	for (size_t i = 0; i < q->nwords; i++) {
		uint64_t found = count_documents(v, &q->groups[i]);
		float w = found == 0 ? 1 : ranking.commonest + (1 - ranking.commonest) * rarity(ndocs, found) / most;

		q->words[i].weight = w * q->words[i].scale;
		q->asked += q->words[i].weight;
		q->findable += known >> i & 1 ? q->words[i].weight : 0;
	}
}

/* A name of all words is as rare as these are together.  The groups of words come first, so their rarity is known. */
static float
rarity_of_whole(const struct question *q)
{
	float sum = 0;

	for (size_t i = 0; i < q->nwords; i++)
		if (!q->words[i].function)
			sum += ranking.whole * q->groups[i].rarity;
	return sum;
}

static void
weigh_groups(struct question *q, const struct vocab *v, uint64_t ndocs)
{
	for (size_t i = 0; i < q->ngroups; i++) {
		struct match_group *g = &q->groups[i];

		weaken_frequent(g, v, ndocs);
		g->rarity = rarity(ndocs, count_documents(v, g));
		if (g->whole)
			g->rarity = rarity_of_whole(q);
		else if (i >= q->nwords && g->lists != MATCH_IN(MATCH_SEMANTIC) && (g->words & (g->words - 1)) != 0)
			g->rarity *= g->phrase ? ranking.phrase : ranking.pair;
		else
			g->rarity *= q->words[__builtin_ctz(g->words)].scale;
	}
}

/* In a long question a word that documents have is taken literally: other words for the same count little. */
static void
weaken_meanings(struct question *q)
{
	for (size_t i = 0; q->is_long && i < q->ngroups; i++) {
		struct match_group *g = &q->groups[i];

		for (size_t k = g->nown; g->nown > 0 && !g->whole && k < g->nvariants; k++)
			if (g->variants[k].relation > RELATION_SHORT && g->variants[k].relation != RELATION_GUESS)
				g->variants[k].factor *= ranking.known;
	}
}

/*
 * Whether no document has the word or what stands for it.  Abbreviations that are known by their letters alone stand
 * for it only where the lexicon has the word.
 */
static bool
is_unknown(const struct question *q, size_t i, const struct part *parts, size_t nparts, unsigned kinds)
{
	const struct match_group *g = &q->groups[i];
	const struct lexicon_word *known[1];
	size_t n = lexicon_find(q->words[i].folded, known, 1) > 0 ? g->nvariants : g->nsure;

	return !is_found(g, n, parts, nparts, kinds);
}

/*
 * The words, what stands for each, and what several of them mean together; then
 * guesses at words that nothing was found for.  Weights come last: they depend
 * on how often documents have the variants.  Group i is that of word i.
 */
void
question_read(struct question *q, struct vocab *v, struct arena *a, struct span text,
    const struct part *parts, size_t nparts, unsigned kinds, uint64_t ndocs)
{
	*q = (struct question){ 0 };
	read_words(q, a, text);
	for (size_t i = 0; i < q->nwords; i++)
		question_add_word(q, v, a, i);
	if (q->ngroups < q->nwords) {
		/* The call's memory is full: nothing can be asked. */
		q->nwords = q->ngroups = 0;
		return;
	}
	for (size_t i = 0; i < q->nwords; i++)
		weaken_pieces(q, i);
	for (size_t i = 0; i + 1 < q->nwords; i++)
		add_pair(q, v, a, i);
	question_add_phrases(q, v, a);
	for (size_t i = 0; i < q->nwords; i++)
		if (!q->words[i].split && is_unknown(q, i, parts, nparts, kinds))
			question_add_guesses(q, v, a, i);
	for (size_t i = 0; i < q->nwords; i++)
		if (q->words[i].split && !is_indexed(v, q->words[i].folded))
			question_add_misspelt(q, v, a, i);
	question_add_near(q, v, a);
	question_add_whole(q, v, a);
	question_add_owned(q, v);
	weaken_meanings(q);
	weigh_words(q, v, ndocs);
	weigh_groups(q, v, ndocs);
}
