/*
 * hashes - numbers for texts, in the order they were added.  Only 64 bits of each text are kept: for texts that
 * are looked up as a whole and never shown.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

#define HASHES_NONE	UINT32_MAX

struct hashes {
	struct table	 table;
	size_t		 cap;
	uint64_t	*keys;		/* by number: text_hash() */
};

/* The number of the key; a new key gets the next number. */
uint32_t hashes_add(struct hashes *t, uint64_t key);

/* HASHES_NONE: the key was never added. */
uint32_t hashes_find(const struct hashes *t, uint64_t key);

size_t hashes_bytes(const struct hashes *t);
void hashes_fini(struct hashes *t);
