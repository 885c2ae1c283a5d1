#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/system/clock.h"
#include "base/vector8.h"
#include "words/words.h"
#include "workers/search/index/near.h"
#include "workers/search/index/guess.h"

#define AT_ONCE	256	/* words between two looks at the clock */
#define SIGNS	128	/* of a vector's first numbers */
#define SPREAD	2	/* standard deviations from the part of signs that differs on average */

void
near_fini(struct near *n)
{
	free(n->values);
	free(n->words);
	*n = (struct near){ .vectors = NULL };
}

size_t
near_bytes(const struct near *n)
{
	return n->values_cap * (n->vectors == NULL ? 0 : n->vectors->dimensions) + n->words_cap * sizeof(*n->words);
}

static void
near_sign(const int8_t *values, size_t dimensions, uint64_t signs[2])
{
	signs[0] = signs[1] = 0;
	for (size_t i = 0; i < dimensions && i < SIGNS; i++)
		signs[i / 64] |= (uint64_t)(values[i] < 0) << i % 64;
}

/* The number of bits that are set: of two words' signs, one exclusive or the other, those that differ. */
static unsigned
near_count(uint64_t bits)
{
	bits -= bits >> 1 & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Signs in which two words that are at least so like each other differ at most. */
static unsigned
near_apart(size_t dimensions, float least)
{
	float n = (float)(dimensions < SIGNS ? dimensions : SIGNS);
	float part = acosf(least < -1 ? -1 : least > 1 ? 1 : least) / (float)M_PI;

	return (unsigned)(n * part + SPREAD * sqrtf(n * part * (1 - part))) + 1;
}

static void
near_add(struct near *n, const struct vocab *v, uint32_t term)
{
	float numbers[VECTORS_DIMENSIONS_MAX];
	size_t dimensions = n->vectors->dimensions;

	if (vocab_is_function(v, term) || !vectors_of_text(n->vectors, vocab_text(v, term), numbers))
		return;
	n->values = array_grow(n->values, n->n, &n->values_cap, dimensions);
	n->words = array_grow(n->words, n->n, &n->words_cap, sizeof(*n->words));
	n->words[n->n].term = term;
	n->words[n->n].scale = vector8_pack(numbers, dimensions, n->values + n->n * dimensions);
	near_sign(n->values + n->n * dimensions, dimensions, n->words[n->n].signs);
	n->n++;
}

bool
near_step(struct near *n, const struct vocab *v, uint64_t until_ns)
{
	if (n->vectors == NULL || !vectors_ready(n->vectors))
		return n->vectors != NULL && n->vectors->fd != -1;
	while (n->looked_up < vocab_count(v)) {
		near_add(n, v, n->looked_up++);
		if (n->looked_up % AT_ONCE == 0 && clock_ns() >= until_ns)
			return true;
	}
	return false;
}

size_t
near_find(const struct near *n, const struct vocab *v, struct span word, float least,
    struct vocab_guess out[NEAR_MAX])
{
	float numbers[VECTORS_DIMENSIONS_MAX], scale;
	int8_t asked[VECTORS_DIMENSIONS_MAX];
	size_t dimensions, found = 0;
	uint64_t signs[2];
	unsigned apart;

	if (n->n == 0 || words_has(WORDS_FUNCTION, word) || !vectors_of_text(n->vectors, word, numbers))
		return 0;
	dimensions = n->vectors->dimensions;
	scale = vector8_pack(numbers, dimensions, asked);
	near_sign(asked, dimensions, signs);
	apart = near_apart(dimensions, least);
	for (size_t i = 0; i < n->n; i++) {
		const struct near_word *w = &n->words[i];
		struct vocab_guess g = { .term = w->term };

		if (near_count(w->signs[0] ^ signs[0]) + near_count(w->signs[1] ^ signs[1]) > apart)
			continue;
		g.likeness = scale * w->scale * (float)vector8_product(asked, n->values + i * dimensions, dimensions);
		if (g.likeness >= least && vocab_documents(v, g.term) > 0)
			found = vocab_rank(v, out, found, NEAR_MAX, g);
	}
	return found;
}
