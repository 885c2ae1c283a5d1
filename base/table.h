/*
 * table - from a hash to the numbers of rows: the one hash table.
 *
 * The rows, and with them the keys, are the caller's, in an array that may
 * move while it grows; the table keeps of each row its number and 32 bits of
 * its key's hash (base/hash.h), at most half full, so that a miss ends soon.
 * Looking up walks over the rows that may have the key, of which the caller
 * takes the one that has it:
 *
 *	for (size_t at = table_start(hash); (row = table_next(&t, hash, &at)) != TABLE_NONE;)
 *		if (rows[row] is the one)
 *			...
 *
 * A table of zero bytes is an empty one.  Nothing is ever taken out.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define TABLE_NONE	UINT32_MAX

struct table {
	struct table_slot {
		uint32_t	mark, row;	/* row: plus one; 0: empty */
	}	*slots;
	size_t	 n, cap;		/* cap: 0, or a power of two */
};

static inline uint32_t
table_mark(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

static inline size_t
table_start(uint64_t hash)
{
	return table_mark(hash);
}

/* The next row that may have the key, those that have it in the order they were added; TABLE_NONE: no more. */
static inline uint32_t
table_next(const struct table *t, uint64_t hash, size_t *at)
{
	const struct table_slot *s;

	if (t->cap == 0)
		return TABLE_NONE;
	while ((s = &t->slots[*at & (t->cap - 1)])->row != 0) {
		++*at;
		if (s->mark == table_mark(hash))
			return s->row - 1;
	}
	return TABLE_NONE;
}

static inline void
table_put(struct table *t, struct table_slot slot)
{
	size_t at = slot.mark & (t->cap - 1);

	while (t->slots[at].row != 0)
		at = (at + 1) & (t->cap - 1);
	t->slots[at] = slot;
}

/* Room for n rows in all. */
static inline void
table_reserve(struct table *t, size_t n)
{
	struct table old = *t;
	size_t first = 0;

	if (t->cap >= 2 * n)
		return;
	t->cap = old.cap == 0 ? 16 : old.cap;
	while (t->cap < 2 * n)
		t->cap *= 2;
	t->slots = mem_new(t->cap, sizeof(*t->slots));
	/* From behind a gap, so that rows of one key keep their order. */
	while (first < old.cap && old.slots[first].row != 0)
		first++;
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[(first + i) & (old.cap - 1)].row != 0)
			table_put(t, old.slots[(first + i) & (old.cap - 1)]);
	free(old.slots);
}

/* row < TABLE_NONE.  Whether its key is there already is for the caller to ask. */
static inline void
table_add(struct table *t, uint64_t hash, uint32_t row)
{
	table_reserve(t, t->n + 1);
	table_put(t, (struct table_slot){ table_mark(hash), row + 1 });
	t->n++;
}

static inline void
table_free(struct table *t)
{
	free(t->slots);
	*t = (struct table){ 0 };
}

#endif
