/*
 * names - strings numbered in the order they came; a number is never reused.
 * Which number a string has can be asked, but for those that were only put
 * beside.
 */
#ifndef SEARCH_NAMES_H
#define SEARCH_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define NAMES_NONE	UINT32_MAX

struct names {
	uint8_t		*pool;
	size_t		 used, pool_cap;
	size_t		 n, cap;
	size_t		*ends;		/* of each name in pool */
	size_t		 nfound;	/* of them in slots */
	struct names_slot {
		uint32_t	hash, number;	/* NAMES_NONE: free */
	}		*slots;			/* open addressing, at most half full */
	size_t		 nslots;
};

/* The number of s, given to it when it is new. */
uint32_t names_add(struct names *t, struct span s);

/*
 * As names_add() for each of n: their numbers go to out.  Where they belong is
 * found for many of them at a time, so that one look into far memory need not
 * wait for the other.
 */
void names_add_all(struct names *t, const struct span *s, size_t n, uint32_t *out);

/* A number of its own for s, which is not found by it. */
uint32_t names_append(struct names *t, struct span s);

/* NAMES_NONE: never seen. */
uint32_t names_find(const struct names *t, struct span s);

/* Borrowed until the next names_add(). */
struct span names_text(const struct names *t, uint32_t i);

/* Nothing more is added or found; the names stay. */
void names_close(struct names *t);

size_t names_bytes(const struct names *t);
void names_fini(struct names *t);

#endif
