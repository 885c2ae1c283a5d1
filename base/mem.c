#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void *
mem_must(void *p)
{
	if (p == NULL)
		abort();
	return p;
}

void *
mem_alloc(size_t size)
{
	return mem_must(malloc(size == 0 ? 1 : size));
}

void *
mem_new(size_t n, size_t size)
{
	return mem_must(calloc(n == 0 ? 1 : n, size));
}

void *
mem_resize(void *v, size_t n, size_t size)
{
	return mem_must(reallocarray(v, n == 0 ? 1 : n, size));
}

char *
mem_text(struct span s)
{
	char *text = mem_alloc(s.len + 1);

	if (s.len > 0)
		memcpy(text, s.p, s.len);
	text[s.len] = '\0';
	return text;
}

char *
mem_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	va_end(ap);
	return mem_must(text);
}

void *
mem_grow_full(void *v, size_t *cap, size_t size)
{
	*cap = *cap == 0 ? 16 : *cap + *cap / 2;
	return mem_resize(v, *cap, size);
}
