/*
 * signer - a key that the front signs values with which a client or a worker brings back.
 *
 * Each purpose has a key of its own, derived from the front's: no value of one kind can pass for one of another.
 */
#pragma once

#include <stdint.h>

#include <sodium.h>

#include "base/span.h"

#define SIGNER_KEY	32u	/* bytes of the front's key */
#define SIGNER_MAC	crypto_auth_hmacsha256_BYTES

#define SIGNER_SESSION	"carrel session id 1"
#define SIGNER_CURSOR	"carrel list cursor 1"
#define SIGNER_STATE	"carrel request state 1"
#define SIGNER_TICKET	"carrel run ticket 1"

struct signer {
	crypto_auth_hmacsha256_state	keyed;	/* has the key absorbed; copied for each MAC */
};

void signer_init(struct signer *s, const char *purpose, const uint8_t key[SIGNER_KEY]);

/* The MAC of len bytes. */
void signer_sign(const struct signer *s, const uint8_t *p, size_t len, uint8_t mac[SIGNER_MAC]);

/* The MAC of n parts, each preceded by its length, so that bytes cannot move between parts. */
void signer_sign_parts(const struct signer *s, const struct span *parts, size_t n, uint8_t mac[SIGNER_MAC]);
