/* array - the growing arrays of an index: as those of base/mem.h, but on large pages once they are large. */
#pragma once

#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

/*
 * Arrays of many megabytes are looked at all over: with pages of two megabytes
 * the processor finds its way in them, and the kernel need not be asked for
 * every 4 KiB.
 */
#define ARRAY_HUGE	((size_t)4 << 20)
#define ARRAY_SMALL	((size_t)32 << 10)
#define ARRAY_HUGE_PAGE	((size_t)2 << 20)

/* Ask for huge pages, for all that malloc() mapped: a mapping of two kinds could not grow.  None: nothing changes. */
static inline void
array_wish(void *v, size_t bytes)
{
	uintptr_t from = (uintptr_t)v & ~(uintptr_t)4095, to;

	if (bytes < ARRAY_HUGE)
		return;
	to = ((uintptr_t)v + malloc_usable_size(v) + 4095) & ~(uintptr_t)4095;
	(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* n zeroed elements. */
static inline void *
array_new(size_t n, size_t size)
{
	void *p = mem_new(n, size);

	array_wish(p, n * size);
	return p;
}

/* Room for n elements. */
static inline void *
array_resize(void *v, size_t n, size_t size)
{
	v = mem_resize(v, n, size);
	array_wish(v, n * size);
	return v;
}

/* Room for one more element behind the first n. */
static inline void *
array_grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	/* Large ones are moved when they grow.  Those between are copied, into memory not touched before: seldom, then.
	 */
	if (*cap == 0)
		*cap = 16;
	else if (*cap * size < ARRAY_HUGE)
		*cap *= *cap * size < ARRAY_SMALL ? 2 : 4;
	else
		*cap += *cap / 2;
	/* malloc() adds a little: together they are whole large pages, which can be moved when it grows. */
	if (*cap * size >= ARRAY_HUGE)
		*cap = ((*cap * size + ARRAY_HUGE_PAGE - 1) / ARRAY_HUGE_PAGE * ARRAY_HUGE_PAGE - 64) / size;
	return array_resize(v, *cap, size);
}

/* Grow from had to want elements; the new ones are zero. */
static inline void *
array_extend(void *v, size_t had, size_t want, size_t size)
{
	v = array_resize(v, want, size);
	if (want > had)
		memset((char *)v + had * size, 0, (want - had) * size);
	return v;
}

/* Give the memory after the first n elements back. */
static inline void *
array_trim(void *v, size_t n, size_t *cap, size_t size)
{
	void *p;

	if (v == NULL || n == *cap)
		return v;
	if ((p = reallocarray(v, n == 0 ? 1 : n, size)) == NULL)
		return v;
	*cap = n;
	return p;
}

struct array_u8 {
	size_t	 n, cap;
	uint8_t	*v;
};

static inline void
array_u8_append(struct array_u8 *a, const void *p, size_t len)
{
	while (a->cap - a->n < len)
		a->v = array_grow(a->v, a->cap, &a->cap, 1);
	if (len > 0)
		memcpy(a->v + a->n, p, len);
	a->n += len;
}

struct array_u32 {
	size_t		 n, cap;
	uint32_t	*v;
};

static inline void
array_u32_push(struct array_u32 *a, uint32_t value)
{
	a->v = array_grow(a->v, a->n, &a->cap, sizeof(*a->v));
	a->v[a->n++] = value;
}

static inline int
array_u32_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static inline void
array_u32_sort(struct array_u32 *a)
{
	if (a->n > 0)
		qsort(a->v, a->n, sizeof(*a->v), array_u32_compare);
}
