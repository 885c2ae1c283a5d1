/*
 * mem - allocation that never fails: when the system has no memory left, the process aborts and the
 * supervisor starts another.  No caller checks for NULL.  Memory whose size a request determines comes
 * from an arena or a struct buf with a ceiling, so that only the request fails.  All blocks are freed
 * with free().
 */
#pragma once

#include <stddef.h>

#include "base/span.h"

/* p, which a library allocated; ends the process when it is NULL. */
void *mem_must(void *p) __attribute__((returns_nonnull));

/* size bytes of any content. */
void *mem_alloc(size_t size) __attribute__((returns_nonnull, alloc_size(1)));

/* n zeroed elements of size bytes; for n == 0 a block all the same. */
void *mem_new(size_t n, size_t size) __attribute__((returns_nonnull));

/* The block v (or NULL) with room for n elements; what is new in it has any content. */
void *mem_resize(void *v, size_t n, size_t size) __attribute__((returns_nonnull));

/* A NUL-terminated copy. */
char *mem_text(struct span s) __attribute__((returns_nonnull));
char *mem_printf(const char *fmt, ...) __attribute__((returns_nonnull, format(printf, 1, 2)));

void *mem_grow_full(void *v, size_t *cap, size_t size) __attribute__((returns_nonnull));

/* Grow the array v of *cap elements (NULL and 0 at first) so that one more fits after the first n. */
static inline void *
mem_grow(void *v, size_t n, size_t *cap, size_t size)
{
	return n < *cap ? v : mem_grow_full(v, cap, size);
}
