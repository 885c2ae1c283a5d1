/*
 * fingerprint - a short digest of the structure of everything in scope:
 * relations, their columns, types and keys.  A scan stores its fingerprint; a
 * different one later means that the scan is out of date.  The digest does not
 * protect against forgery: an account that can change the schema can read it,
 * too.
 */
#pragma once

#include <stdint.h>

#include "base/span.h"

/* The number before the dash; raised if the same schema would give another digest. */
#define FINGERPRINT_VERSION	"4"
#define FINGERPRINT_TEXT	24

struct fingerprint {
	uint64_t	h;
};

void fingerprint_begin(struct fingerprint *f);

/* Adds one field; {"ab", "c"} differs from {"a", "bc"}. */
void fingerprint_add(struct fingerprint *f, struct span field);

/* "4-0123456789abcdef" */
void fingerprint_text(const struct fingerprint *f, char out[FINGERPRINT_TEXT]);
