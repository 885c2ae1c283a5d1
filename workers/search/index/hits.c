#include <stdbool.h>

#include "workers/search/index/hits.h"

static bool
is_worse(const struct hit *a, const struct hit *b)
{
	if (a->score < b->score || a->score > b->score)
		return a->score < b->score;
	return a->part != b->part ? a->part > b->part : a->doc > b->doc;
}

static void
sink(struct hit *heap, size_t n, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		struct hit h;

		if (child >= n)
			return;
		if (child + 1 < n && is_worse(&heap[child + 1], &heap[child]))
			child++;
		if (!is_worse(&heap[child], &heap[i]))
			return;
		h = heap[i];
		heap[i] = heap[child];
		heap[child] = h;
		i = child;
	}
}

/* Once the list is full, the worst of it is in front. */
void
hits_keep(struct hits *h, const struct hit *hit)
{
	if (h->n < h->max) {
		h->v[h->n++] = *hit;
		if (h->n == h->max)
			for (size_t i = h->n / 2; i-- > 0;)
				sink(h->v, h->n, i);
	} else if (is_worse(&h->v[0], hit)) {
		h->v[0] = *hit;
		sink(h->v, h->n, 0);
	}
}
