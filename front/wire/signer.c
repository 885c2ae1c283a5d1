#include <string.h>

#include "front/wire/signer.h"

void
signer_init(struct signer *s, const char *purpose, const uint8_t key[SIGNER_KEY])
{
	uint8_t own[crypto_auth_hmacsha256_KEYBYTES];

	crypto_auth_hmacsha256(own, (const uint8_t *)purpose, strlen(purpose), key);
	crypto_auth_hmacsha256_init(&s->keyed, own, sizeof(own));
	sodium_memzero(own, sizeof(own));
}

void
signer_sign(const struct signer *s, const uint8_t *p, size_t len, uint8_t mac[SIGNER_MAC])
{
	crypto_auth_hmacsha256_state state = s->keyed;

	crypto_auth_hmacsha256_update(&state, p, len);
	crypto_auth_hmacsha256_final(&state, mac);
}

void
signer_sign_parts(const struct signer *s, const struct span *parts, size_t n, uint8_t mac[SIGNER_MAC])
{
	crypto_auth_hmacsha256_state state = s->keyed;

	for (size_t i = 0; i < n; i++) {
		uint8_t len[8];

		for (size_t k = 0; k < sizeof(len); k++)
			len[k] = (uint8_t)((uint64_t)parts[i].len >> (56 - 8 * k));
		crypto_auth_hmacsha256_update(&state, len, sizeof(len));
		crypto_auth_hmacsha256_update(&state, parts[i].p, parts[i].len);
	}
	crypto_auth_hmacsha256_final(&state, mac);
}
