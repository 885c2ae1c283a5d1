#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

#ifdef CARREL_SANITIZED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)		((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n)	((void)(p), (void)(n))
#endif

/* Below malloc's mmap threshold (128 KiB), so that a block is never a page fault per request. */
#define BLOCK	((size_t)64 * 1024)

struct block {
	struct block	*next;
	size_t		 size, used;
	alignas(max_align_t) unsigned char bytes[];
};

struct arena {
	struct block	*head;		/* the block being filled */
	size_t		 used, ceiling;
};

static struct block *
block_new(size_t size)
{
	struct block *b = mem_alloc(sizeof(*b) + size);

	b->next = NULL;
	b->size = size;
	b->used = 0;
	ASAN_POISON_MEMORY_REGION(b->bytes, size);
	return b;
}

struct arena *
arena_new(size_t ceiling)
{
	struct arena *a = mem_new(1, sizeof(*a));

	a->ceiling = ceiling;
	a->head = block_new(BLOCK);
	return a;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct block *b = a->head;
	size_t need;
	void *p;

	if (size > a->ceiling)
		return NULL;
	need = (size + align - 1) / align * align;
	if (need == 0)
		need = align;
	if (a->used > a->ceiling || need > a->ceiling - a->used)
		return NULL;
	if (need > b->size - b->used) {
		b = block_new(need > BLOCK ? need : BLOCK);
		b->next = a->head;
		a->head = b;
	}
	p = b->bytes + b->used;
	ASAN_UNPOISON_MEMORY_REGION(p, size);
	memset(p, 0, size);
	b->used += need;
	a->used += need;
	return p;
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size)
		return NULL;
	return arena_alloc(a, n * size);
}

char *
arena_cstr(struct arena *a, struct span s)
{
	char *copy;

	if (s.len == SIZE_MAX || (s.len > 0 && memchr(s.p, '\0', s.len) != NULL) ||
	    (copy = arena_alloc(a, s.len + 1)) == NULL)
		return NULL;
	if (s.len > 0)
		memcpy(copy, s.p, s.len);
	return copy;
}

struct span
arena_span(struct arena *a, struct span s)
{
	uint8_t *copy;

	if (s.len == 0)
		return (struct span){ (const uint8_t *)"", 0 };
	if ((copy = arena_alloc(a, s.len)) == NULL)
		return SPAN_NONE;
	memcpy(copy, s.p, s.len);
	return (struct span){ copy, s.len };
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0 && (s = arena_alloc(a, (size_t)n + 1)) != NULL)
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return s;
}

void
arena_reset(struct arena *a)
{
	while (a->head->next != NULL) {
		struct block *b = a->head;

		a->head = b->next;
		free(b);
	}
	ASAN_POISON_MEMORY_REGION(a->head->bytes, a->head->size);
	a->head->used = 0;
	a->used = 0;
}

void
arena_free(struct arena *a)
{
	if (a == NULL)
		return;
	arena_reset(a);
	free(a->head);
	free(a);
}
