#include "workers/auth/sealed.h"

#include <string.h>

#include <sodium.h>

static void
purpose_key(const uint8_t root[AUTH_KEY], const char *purpose, uint8_t key[crypto_secretbox_KEYBYTES])
{
	crypto_generichash(key, crypto_secretbox_KEYBYTES, (const uint8_t *)purpose, strlen(purpose), root, AUTH_KEY);
}

void
sealed_put_with(const uint8_t root[AUTH_KEY], const char *purpose, struct span text, struct buf *out)
{
	uint8_t key[crypto_secretbox_KEYBYTES], nonce[crypto_secretbox_NONCEBYTES];
	size_t len = text.len + crypto_secretbox_MACBYTES;

	purpose_key(root, purpose, key);
	randombytes_buf(nonce, sizeof(nonce));
	buf_append(out, nonce, sizeof(nonce));
	crypto_secretbox_easy(buf_reserve(out, len), text.p, text.len, nonce, key);
	out->len += len;
	sodium_memzero(key, sizeof(key));
}

void
sealed_put(const struct auth *a, const char *purpose, struct span text, struct buf *out)
{
	sealed_put_with(a->conf.seal_key, purpose, text, out);
}

bool
sealed_open_with(const uint8_t root[AUTH_KEY], const char *purpose, struct span sealed, struct buf *out)
{
	uint8_t key[crypto_secretbox_KEYBYTES];
	size_t head = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
	bool good;

	if (sealed.len < head)
		return sealed.len == 0;
	purpose_key(root, purpose, key);
	good =
	    crypto_secretbox_open_easy(buf_reserve(out, sealed.len - head + 1), sealed.p + crypto_secretbox_NONCEBYTES,
		sealed.len - crypto_secretbox_NONCEBYTES, sealed.p, key) == 0;
	out->len += good ? sealed.len - head : 0;
	sodium_memzero(key, sizeof(key));
	return good;
}

bool
sealed_open(const struct auth *a, const char *purpose, struct span sealed, struct buf *out)
{
	return sealed_open_with(a->conf.seal_key, purpose, sealed, out);
}
