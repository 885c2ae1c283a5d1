/* jws_made.h - access tokens for tests, with whatever header and claims. */
#pragma once

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/text/b64.h"
#include "tests/unit/harness.h"

#define JWS_HEADER_GOOD	"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"key-1\"}"

/* The key pair of this seed byte. */
static inline void
jws_pair(uint8_t seed_byte, uint8_t public[32], uint8_t secret[64])
{
	uint8_t seed[32];

	memset(seed, seed_byte, sizeof(seed));
	crypto_sign_seed_keypair(public, secret, seed);
}

/* Sign header and claims by the key of this seed byte.  The text stays until the next call. */
static inline const char *
jws_made(const char *header, const char *claims, uint8_t seed_byte)
{
	static char text[16384];
	uint8_t public[32], secret[64], signature[64];
	struct buf out = { .max = 0 };

	jws_pair(seed_byte, public, secret);
	b64url_encode(&out, span_str(header));
	buf_byte(&out, '.');
	b64url_encode(&out, span_str(claims));
	crypto_sign_detached(signature, NULL, out.p, out.len, secret);
	buf_byte(&out, '.');
	b64url_encode(&out, span_of(signature, sizeof(signature)));
	snprintf(text, sizeof(text), "%s", buf_cstr(&out));
	buf_fini(&out);
	return text;
}
