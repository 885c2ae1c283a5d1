/* relate_index.c - see relate_index.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/memory/scan/relate_index.h"

void
relate_index_add(struct relate_index *l, struct span name, size_t table, size_t column, bool part)
{
	l->v = mem_grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = (struct relate_named){ name, (uint32_t)table, (uint32_t)column, part };
}

static int
by_name(const void *a, const void *b)
{
	const struct relate_named *x = a, *y = b;
	int order = span_cmp(x->name, y->name);

	if (order == 0)
		order = (x->part > y->part) - (x->part < y->part);
	if (order == 0)
		order = (x->table > y->table) - (x->table < y->table);
	return order != 0 ? order : (x->column > y->column) - (x->column < y->column);
}

void
relate_index_sort(struct relate_index *l)
{
	if (l->n > 0)
		qsort(l->v, l->n, sizeof(*l->v), by_name);
}

static size_t
lower_bound(const struct relate_index *l, struct span name)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(l->v[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct relate_named *
relate_index_find(const struct relate_index *l, struct span name, size_t *n)
{
	size_t low = lower_bound(l, name);

	for (*n = 0; low + *n < l->n && span_is(l->v[low + *n].name, name); ++*n)
		;
	return l->v + low;
}

const struct relate_named *
relate_index_begin(const struct relate_index *l, struct span beginning, size_t *n)
{
	size_t low = lower_bound(l, beginning);

	while (low < l->n && span_is(l->v[low].name, beginning))
		low++;
	for (*n = 0; low + *n < l->n && l->v[low + *n].name.len > beginning.len &&
	     memcmp(l->v[low + *n].name.p, beginning.p, beginning.len) == 0;
	     ++*n)
		;
	return l->v + low;
}
