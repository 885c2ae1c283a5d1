/*
 * seal - texts that a client keeps and brings back, which it can neither read nor change: XChaCha20-Poly1305 under a
 * key of its own for each purpose, derived from the front's, so that every front of every node opens them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/wire/signer.h"

#define SEAL_EXPORT	"carrel export link 1"

struct seal {
	uint8_t	key[SIGNER_KEY];
};

void seal_init(struct seal *s, const char *purpose, const uint8_t key[SIGNER_KEY]);

/* Seal a text, and append the result to out as base64url. */
void seal_put(const struct seal *s, struct span text, struct buf *out);

/* Open a sealed text, and append it to out.  False: it was changed, or sealed with another key; out is as before. */
bool seal_open(const struct seal *s, struct span sealed, struct buf *out);
