#include "workers/search/passages/terms.h"
#include "words/language.h"
#include "workers/search/index/guess.h"

#define GERMAN_LIKENESS	0.8f
#define GUESSED		0.6f	/* weight of a spelling correction */
#define GUESSES		3
#define RELATED		0.4f	/* weight of WordNet's relatedness */

void
terms_init(struct terms *t)
{
	*t = (struct terms){ .vocab = vocab_new() };
}

void
terms_fini(struct terms *t)
{
	vocab_free(t->vocab);
	names_fini(&t->stems);
	free(t->of_word);
	*t = (struct terms){ .vocab = NULL };
}

static uint32_t
term_of(struct terms *t, uint32_t word)
{
	if (word >= t->cap) {
		size_t want = (size_t)word + word / 2 + 1024;

		t->of_word = array_extend(t->of_word, t->cap, want, sizeof(*t->of_word));
		t->cap = want;
	}
	if (t->of_word[word] == 0)
		t->of_word[word] = names_add(&t->stems, vocab_stem_of(t->vocab, word)) + 1;
	return t->of_word[word] - 1;
}

uint32_t
terms_word(struct terms *t, struct span folded, uint32_t *term)
{
	uint32_t word = vocab_add(t->vocab, folded);

	*term = term_of(t, word);
	return word;
}

static size_t
add_alike(struct terms_alike *out, size_t n, uint32_t term, float likeness, bool same)
{
	for (size_t i = 0; i < n; i++)
		if (out[i].term == term)
			return n;
	if (n == TERMS_ALIKE_MAX)
		return n;
	out[n] = (struct terms_alike){ term, likeness, same };
	return n + 1;
}

static size_t
add_german(struct terms *t, struct span folded, struct terms_alike *out, size_t n)
{
	uint32_t first = vocab_german(t->vocab, folded), word = first;

	if (first == VOCAB_NONE)
		return n;
	do {
		n = add_alike(out, n, term_of(t, word), GERMAN_LIKENESS, true);
		word = vocab_next_german(t->vocab, word);
	} while (word != first && n < TERMS_ALIKE_MAX);
	return n;
}

/* Add related words that occur in documents. */
static size_t
add_related(struct terms *t, struct span folded, struct terms_alike *out, size_t n)
{
	struct language_word related[LANGUAGE_RELATED_MAX];
	size_t nrelated = language_related(folded, related);
	uint8_t buf[TEXT_WORD_MAX];

	for (size_t i = 0; i < nrelated; i++) {
		uint32_t term = names_find(&t->stems, span_of(buf, text_stem(related[i].text, buf)));

		if (term != NAMES_NONE)
			n = add_alike(out, n, term, RELATED * related[i].likeness, false);
	}
	return n;
}

size_t
terms_alike(struct terms *t, struct span folded, bool guess, struct terms_alike out[TERMS_ALIKE_MAX])
{
	struct vocab_guess guesses[VOCAB_GUESSES_MAX];
	uint8_t buf[TEXT_WORD_MAX];
	uint32_t term = names_find(&t->stems, span_of(buf, text_stem(folded, buf)));
	size_t n = 0, nguesses;

	if (term != NAMES_NONE)
		n = add_alike(out, n, term, 1, true);
	n = add_german(t, folded, out, n);
	n = add_related(t, folded, out, n);
	if (n > 0 || !guess || text_is_number(folded))
		return n;
	nguesses = vocab_guess(t->vocab, folded, guesses);
	for (size_t i = 0; i < nguesses && i < GUESSES; i++)
		n = add_alike(out, n, term_of(t, guesses[i].term), GUESSED * guesses[i].likeness, false);
	return n;
}

size_t
terms_bytes(const struct terms *t)
{
	return vocab_bytes(t->vocab) + names_bytes(&t->stems) + t->cap * sizeof(*t->of_word);
}
