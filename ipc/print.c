#include "ipc/print.h"

#include <sodium.h>

void
statement_print(struct span connection, struct span statement, struct print *out)
{
	crypto_hash_sha256_state state;

	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, connection.p, connection.len);
	crypto_hash_sha256_update(&state, (const uint8_t *)"", 1);
	crypto_hash_sha256_update(&state, statement.p, statement.len);
	crypto_hash_sha256_final(&state, out->bytes);
}
