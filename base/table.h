/*
 * table - the one hash table: maps a hash to row numbers.  The rows and their keys belong to the caller, in an array
 * that may move while it grows.  Per row the table stores the number and 32 bits of the key's hash (base/hash.h,
 * words/text_hash.h).  At most three quarters of the slots are used, so that a miss ends soon.  A lookup iterates over
 * the rows whose hash matches, and the caller compares the keys:
 *
 *	for (size_t at = table_start(hash); (row = table_next(&t, hash, &at)) != TABLE_NONE;)
 *		if (rows[row] is the one)
 *
 * A table of zero bytes is empty.  Rows are never removed.  What must be removed is kept in lists in buckets, which
 * are chosen by hash or number: base/system/ended.c, the front's addresses, sessions and calls that wait, and
 * workers/auth/limits.c.
 *
 * The index of carrel-search had four tables of its own, which fetched slots while they grew.  With this one in their
 * place its cold start takes the same time and 2 % less memory (bench-search, 400,000 columns).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/prefetch.h"

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

/* The next row whose hash matches; rows of one key come in the order they were added.  TABLE_NONE after the last. */
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

/* Fetch the slot of a row that is looked up or added soon. */
static inline void
table_soon(const struct table *t, uint64_t hash)
{
	if (t->cap > 0)
		prefetch_write(&t->slots[table_mark(hash) & (t->cap - 1)]);
}

/* Room for n rows in all. */
static inline void
table_reserve(struct table *t, size_t n)
{
	struct table old = *t;
	size_t first = 0;

	if (t->cap / 4 * 3 >= n)
		return;
	t->cap = old.cap == 0 ? 16 : old.cap;
	while (t->cap / 4 * 3 < n)
		t->cap *= 2;
	t->slots = array_new(t->cap, sizeof(*t->slots));
	/* Start after a gap, so that rows with the same key keep their order. */
	while (first < old.cap && old.slots[first].row != 0)
		first++;
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[(first + i) & (old.cap - 1)].row != 0)
			table_put(t, old.slots[(first + i) & (old.cap - 1)]);
	free(old.slots);
}

/* Add a row; row < TABLE_NONE.  Does not check whether the key exists already. */
static inline void
table_add(struct table *t, uint64_t hash, uint32_t row)
{
	table_reserve(t, t->n + 1);
	table_put(t, (struct table_slot){ table_mark(hash), row + 1 });
	t->n++;
}

static inline size_t
table_bytes(const struct table *t)
{
	return t->cap * sizeof(*t->slots);
}

static inline void
table_free(struct table *t)
{
	free(t->slots);
	*t = (struct table){ 0 };
}
