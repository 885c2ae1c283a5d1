#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/array.h"
#include "workers/search/index/brief.h"
#include "workers/search/index/spelling.h"
#include "workers/search/index/vocab_parts.h"
#include "workers/search/index/vocab.h"
#include "workers/search/index/guess.h"

static bool
is_better(const struct vocab *v, struct vocab_guess a, struct vocab_guess b)
{
	if (a.likeness > b.likeness || a.likeness < b.likeness)
		return a.likeness > b.likeness;
	return span_cmp(vocab_text(v, a.term), vocab_text(v, b.term)) < 0;
}

size_t
vocab_rank(const struct vocab *v, struct vocab_guess *out, size_t n, size_t max, struct vocab_guess g)
{
	size_t at = n;

	while (at > 0 && is_better(v, g, out[at - 1]))
		at--;
	if (at == max)
		return n;
	n -= n == max;
	memmove(out + at + 1, out + at, (n - at) * sizeof(*out));
	out[at] = g;
	return n + 1;
}

/* A word that is in the list already keeps its better likeness. */
static size_t
rank_again(const struct vocab *v, struct vocab_guess *out, size_t n, struct vocab_guess g)
{
	size_t at = 0;

	while (at < n && out[at].term != g.term)
		at++;
	if (at < n && out[at].likeness >= g.likeness)
		return n;
	if (at < n) {
		memmove(out + at, out + at + 1, (n - at - 1) * sizeof(*out));
		n--;
	}
	return vocab_rank(v, out, n, VOCAB_GUESSES_MAX, g);
}

/* Words that become this one when their vowels are left out; all words with the same first letter are compared. */
static size_t
expand(const struct vocab *v, struct span word, struct vocab_guess *out, size_t found)
{
	uint32_t keys[SPELLING_GRAMS_MAX];
	const struct gram *g;

	(void)spelling_grams(word, keys);
	g = grams_find(vocab_grams(v), keys[0]);
	for (size_t k = 0; k < g->n; k++) {
		struct vocab_guess guess = { .term = g->words[k] };

		if ((guess.likeness = brief_expansion(word, vocab_text(v, guess.term))) > 0 &&
		    vocab_documents(v, guess.term) > 0)
			found = rank_again(v, out, found, guess);
	}
	return found;
}

size_t
vocab_guess(struct vocab *v, struct span word, struct vocab_guess out[VOCAB_GUESSES_MAX])
{
	uint32_t keys[SPELLING_GRAMS_MAX];
	struct array_u32 seen = { 0 };
	uint8_t *hits = vocab_hits(v);
	size_t n, found = 0, chars = utf8_count(word), need;

	if (word.len == 0 || word.len > TEXT_WORD_MAX)
		return 0;
	n = spelling_grams(word, keys);
	/* One edit spoils at most three trigrams, a swap four. */
	need = n > 10 ? n - 8 : n > 5 ? 2 : 1;
	for (size_t i = 0; i < n; i++) {
		const struct gram *g = grams_find(vocab_grams(v), keys[i]);

		for (size_t k = 0; k < g->n; k++)
			if (hits[g->words[k]]++ == 0)
				array_u32_push(&seen, g->words[k]);
	}
	for (size_t i = 0; i < seen.n; i++) {
		struct vocab_guess g = { .term = seen.v[i] };

		if (hits[g.term] >= need && vocab_documents(v, g.term) > 0 &&
		    (g.likeness = spelling_likeness(word, chars, vocab_text(v, g.term))) > 0)
			found = vocab_rank(v, out, found, VOCAB_GUESSES_MAX, g);
		hits[g.term] = 0;
	}
	free(seen.v);
	return brief_is_skeleton(word) ? expand(v, word, out, found) : found;
}
