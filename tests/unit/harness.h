/* harness.h - what every unit test includes; cmocka wants these headers in front of its own. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/span.h"

/* The contents of a struct buf are exactly the bytes of a literal. */
#define assert_buf(b, literal) do {					\
	assert_int_equal((b)->len, sizeof(literal) - 1);		\
	assert_memory_equal((b)->p, literal, sizeof(literal) - 1);	\
} while (0)

/* text, which is not NULL, holds part somewhere; or nowhere. */
#define assert_holds(text, part) do {					\
	const char *text_ = (text), *part_ = (part);			\
	if (text_ == NULL || strstr(text_, part_) == NULL)		\
		fail_msg("no %s in %s", part_, text_ == NULL ? "nothing" : text_);	\
} while (0)
#define assert_lacks(text, part) do {					\
	const char *text_ = (text), *part_ = (part);			\
	if (text_ == NULL || strstr(text_, part_) != NULL)		\
		fail_msg("%s in %s", part_, text_ == NULL ? "nothing" : text_);	\
} while (0)

/* A small generator with a fixed seed: the same numbers on every run. */
static inline uint64_t
test_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
