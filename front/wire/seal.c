#include <string.h>

#include "base/text/b64.h"
#include "front/wire/seal.h"

#define NONCE	crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG	crypto_aead_xchacha20poly1305_ietf_ABYTES

_Static_assert(SIGNER_KEY == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "a MAC is a key");
_Static_assert(SIGNER_KEY == crypto_auth_hmacsha256_BYTES, "a MAC is a key");

void
seal_init(struct seal *s, const char *purpose, const uint8_t key[SIGNER_KEY])
{
	crypto_auth_hmacsha256(s->key, (const uint8_t *)purpose, strlen(purpose), key);
}

void
seal_put(const struct seal *s, struct span text, struct buf *out)
{
	struct buf raw = { .max = 0 };
	uint8_t *to = buf_reserve(&raw, NONCE + text.len + TAG);

	randombytes_buf(to, NONCE);
	crypto_aead_xchacha20poly1305_ietf_encrypt(to + NONCE, NULL, text.p, text.len, NULL, 0, NULL, to, s->key);
	raw.len = NONCE + text.len + TAG;
	b64url_encode(out, buf_view(&raw));
	buf_fini(&raw);
}

bool
seal_open(const struct seal *s, struct span sealed, struct buf *out)
{
	struct buf raw = { .max = 0 };
	bool good = false;
	size_t n;

	if (b64url_decode(&raw, sealed) && raw.len >= NONCE + TAG) {
		n = raw.len - NONCE - TAG;
		good = crypto_aead_xchacha20poly1305_ietf_decrypt(buf_reserve(out, n), NULL, NULL, raw.p + NONCE,
			   n + TAG, NULL, 0, raw.p, s->key) == 0;
		out->len += good ? n : 0;
	}
	buf_fini(&raw);
	return good;
}
