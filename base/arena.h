/*
 * arena - memory that lives exactly as long as one request.
 *
 * Allocate freely, free never; arena_reset() takes everything back at once
 * and keeps the first block for the next request.  Two rules make this safe:
 * a pointer from an arena is never stored in anything that outlives the
 * request, and every arena has a ceiling, so a greedy request fails alone.
 */
#pragma once

#include <stddef.h>

#include "base/span.h"

struct arena;

/* A new arena that hands out at most ceiling bytes between resets. */
struct arena *arena_new(size_t ceiling);

/* Zeroed, aligned for any type.  NULL only when the ceiling is reached. */
void *arena_alloc(struct arena *a, size_t size);

/* n * size, checked for overflow; otherwise as arena_alloc(). */
void *arena_array(struct arena *a, size_t n, size_t size);

/* A NUL-terminated copy; NULL when full or when s itself holds a NUL. */
char *arena_cstr(struct arena *a, struct span s);

/* A copy of s (the empty span for an empty s); {NULL, 0} when full. */
struct span arena_span(struct arena *a, struct span s);

/* printf into the arena, NUL-terminated; NULL when full. */
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Forget every allocation.  Poisons the memory under AddressSanitizer. */
void arena_reset(struct arena *a);

/* Accepts NULL, as every *_free() here does. */
void arena_free(struct arena *a);
