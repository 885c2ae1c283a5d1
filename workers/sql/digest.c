#include "workers/sql/digest.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* hex(sha256(key || text)) */
static void
digest_step(const char *key, struct span text, char out[crypto_hash_sha256_BYTES * 2 + 1])
{
	uint8_t raw[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;

	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, (const uint8_t *)key, strlen(key));
	crypto_hash_sha256_update(&state, text.p, text.len);
	crypto_hash_sha256_final(&state, raw);
	sodium_bin2hex(out, crypto_hash_sha256_BYTES * 2 + 1, raw, sizeof(raw));
}

void
digest_text(const char *key, struct span value, char out[DIGEST_TEXT])
{
	char hex[crypto_hash_sha256_BYTES * 2 + 1];

	digest_step(key, value, hex);
	digest_step(key, span_str(hex), hex);
	snprintf(out, DIGEST_TEXT, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

bool
digest_file(int fd, char out[DIGEST_FILE])
{
	uint8_t part[1 << 16], raw[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	ssize_t n;

	crypto_hash_sha256_init(&state);
	while ((n = read(fd, part, sizeof(part))) > 0 || (n == -1 && errno == EINTR))
		if (n > 0)
			crypto_hash_sha256_update(&state, part, (size_t)n);
	crypto_hash_sha256_final(&state, raw);
	sodium_bin2hex(out, DIGEST_FILE, raw, sizeof(raw));
	return n == 0;
}
