/*
 * names - numbers for strings, in the order they were added; a number is never reused. names_find() does not find
 * strings that were added by names_append().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/table.h"

#define NAMES_NONE	UINT32_MAX

struct names {
	uint8_t		*pool;
	size_t		 used, pool_cap;
	size_t		 n, cap;
	size_t		*ends;		/* of each name in pool */
	struct table	 found;		/* those of names_add() */
};

/* The number of s; a new string gets the next number. */
uint32_t names_add(struct names *t, struct span s);

/* As names_add() for each of n strings: their numbers go to out.  Many slots are prefetched together. */
void names_add_all(struct names *t, const struct span *s, size_t n, uint32_t *out);

/* Add s without making it findable; returns its number. */
uint32_t names_append(struct names *t, struct span s);

/* NAMES_NONE: not added by names_add(). */
uint32_t names_find(const struct names *t, struct span s);

/* Borrowed until the next names_add(). */
struct span names_text(const struct names *t, uint32_t i);

/* Nothing more is added or found; the names stay. */
void names_close(struct names *t);

size_t names_bytes(const struct names *t);
void names_fini(struct names *t);
