#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "project/keys.h"

void
keys_derive(const uint8_t root[KEYS_ROOT], const char *purpose, uint8_t *out, size_t len)
{
	/* BLAKE2b, keyed: its results for different texts say nothing of each other. */
	crypto_generichash(out, len, (const uint8_t *)purpose, strlen(purpose), root, KEYS_ROOT);
}

void
keys_derive_local(const uint8_t root[KEYS_ROOT], const char *role, uint8_t *out, size_t len)
{
	char purpose[64];

	snprintf(purpose, sizeof(purpose), "local clients of %s", role);
	keys_derive(root, purpose, out, len);
}
