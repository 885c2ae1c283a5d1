#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/memory/scan/relate_index.h"

void
relate_index_add(struct relate_index *l, struct span name, struct span db, size_t table, size_t column, bool part)
{
	l->v = mem_grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = (struct relate_named){ name, db, (uint32_t)table, (uint32_t)column, part };
}

static int
by_name(const void *a, const void *b)
{
	const struct relate_named *x = a, *y = b;
	int order = span_cmp(x->name, y->name);

	if (order == 0)
		order = (x->part > y->part) - (x->part < y->part);
	if (order == 0)
		order = span_cmp(x->db, y->db);
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

const struct relate_named *
relate_index_find(const struct relate_index *l, struct span name, bool longer, size_t *n)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = span_cmp(l->v[mid].name, name);

		if (order < 0 || (order == 0 && longer))
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < l->n && *n < RELATE_NAMED_MAX; ++*n) {
		struct span other = l->v[low + *n].name;

		if (other.len < name.len || memcmp(other.p, name.p, name.len) != 0 || (other.len > name.len) != longer)
			break;
	}
	return l->v + low;
}

const struct relate_named *
relate_index_near(const struct relate_index *l, struct span name, bool part, struct span db, size_t *n)
{
	const struct relate_named first = { .name = name, .db = db, .part = part };
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_name(&l->v[mid], &first) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < l->n && *n < RELATE_NAMED_MAX; ++*n) {
		const struct relate_named *one = &l->v[low + *n];

		if (one->part != part || !span_is(one->name, name) || !span_is(one->db, db))
			break;
	}
	return l->v + low;
}
