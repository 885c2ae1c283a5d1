/* near.c - see near.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/vector8.h"
#include "workers/search/index/near.h"

#define AT_ONCE	256	/* words between two looks at the clock */

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

	if (n->n == 0 || !vectors_of_text(n->vectors, word, numbers))
		return 0;
	dimensions = n->vectors->dimensions;
	scale = vector8_pack(numbers, dimensions, asked);
	for (size_t i = 0; i < n->n; i++) {
		int32_t product = vector8_product(asked, n->values + i * dimensions, dimensions);
		struct vocab_guess g = { n->words[i].term, scale * n->words[i].scale * (float)product };

		if (g.likeness >= least && vocab_documents(v, g.term) > 0)
			found = vocab_rank(v, out, found, NEAR_MAX, g);
	}
	return found;
}
