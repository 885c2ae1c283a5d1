/*
 * freed - all that is freed, or moved when it grows, is searched for SECRET, which the test defines before it includes
 * this.  The test is linked with --wrap=free,--wrap=reallocarray (CMakeLists.txt).
 */
#pragma once

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void __real_free(void *p);
void *__real_reallocarray(void *p, size_t n, size_t size);
void __wrap_free(void *p);
void *__wrap_reallocarray(void *p, size_t n, size_t size);

/* While it is true, blocks that hold the secret are counted; volatile: the compiler knows the two calls around. */
static volatile bool watched;
static volatile unsigned left_behind;

static void
find_secret(const void *p)
{
	if (watched && p != NULL && memmem(p, malloc_usable_size((void *)(uintptr_t)p), SECRET, 12) != NULL)
		left_behind++;
}

void
__wrap_free(void *p)
{
	find_secret(p);
	__real_free(p);
}

void *
__wrap_reallocarray(void *p, size_t n, size_t size)
{
	find_secret(p);
	return __real_reallocarray(p, n, size);
}
